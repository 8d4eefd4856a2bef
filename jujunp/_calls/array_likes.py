"""Functions whose calls record the same steps whatever the numbers in some arguments are.

Of some, these arguments are arrays: numbers, lists of numbers and NumPy's arrays are made arrays
before a call is looked at. Where a number is one of any dtype, it stays a number, which is known by
the dtypes that hold it.
"""

from __future__ import annotations

_ONE = (
    *("sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "ptp", "any", "all"),
    *("argmax", "argmin", "argsort", "sort", "cumsum", "cumprod", "count_nonzero", "nonzero"),
    *("median", "quantile", "percentile", "average", "unique", "ediff1d", "gradient"),
    *("nansum", "nanprod", "nanmean", "nanstd", "nanvar", "nanmax", "nanmin", "nanmedian"),
    *("round", "nan_to_num", "sinc", "angle", "trace", "histogram", "diff", "diag"),
    *("norm", "det", "inv", "eigvals", "eigvalsh", "eigh", "cholesky", "svd"),
    *("unravel_index", "trapezoid", "roots", "polyder", "polyint", "vander"),
    *("eig", "qr", "pinv", "matrix_rank", "matrix_power", "fft", "ifft", "rfft"),
    *("argwhere", "flatnonzero", "take", "repeat", "tile", "flip", "roll"),
    *("ravel", "expand_dims", "broadcast_to", "tril", "triu"),
    *("atleast_1d", "atleast_2d", "atleast_3d", "meshgrid", "clip"),
    *("zeros_like", "ones_like", "empty_like", "full_like", "copy"),
    *("reshape", "permute_dims", "swapaxes", "moveaxis", "rollaxis"),
    *("rot90", "flipud", "fliplr", "diagonal", "diagflat", "pad", "delete"),
    *("insert", "resize", "partition", "argpartition", "unwrap", "i0", "fix"),
    *("cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod", "nanargmin", "nanargmax"),
    *("nanquantile", "nanpercentile", "array_split", "split", "hsplit", "vsplit", "dsplit"),
    *("cond", "slogdet", "svdvals", "vector_norm", "matrix_norm", "matrix_transpose"),
    *("fft2", "ifft2", "fftn", "ifftn", "irfft", "rfft2", "irfft2", "rfftn", "irfftn"),
    *("hfft", "ihfft", "fftshift", "ifftshift", "iscomplex", "isreal", "real_if_close"),
)
_TWO = (
    *("dot", "inner", "outer", "vdot", "cross", "kron", "convolve", "correlate", "append"),
    *("searchsorted", "digitize", "isin", "polyval", "array_equal", "solve", "tensordot"),
    *("intersect1d", "union1d", "setdiff1d", "polyadd", "polysub", "polymul"),
    *("matmul", "_matmul", "_rmatmul", "cov", "corrcoef", "lstsq", "polyfit"),
    *("compress", "extract", "take_along_axis", "vecdot", "tensorsolve"),
    *("reduce", "accumulate"),  # of ufuncs, which stay what they are
)
_THREE = ("interp", "where")
ARRAY_LIKES: dict[str, int] = {
    name: count for count, names in enumerate((_ONE, _TWO, _THREE), 1) for name in names
}
"""How many first arguments, by the names of the functions."""
NUMBERS: dict[str, tuple[int, ...]] = {
    "where": (1, 2),
    "clip": (1, 2),
    "full": (0, 1),
    "full_like": (1,),
    "union1d": (0, 1),
    **dict.fromkeys(("arange", "zeros", "ones", "empty"), (0,)),
}
"""Which arguments may be numbers of any dtype, or extents, by the names of uniform functions."""
ONE_ARGUMENT = frozenset(("arange",))
"""Functions of which that is so for calls with no other argument only."""
