"""What functions and methods give for arrays of derived classes, by their names."""

from __future__ import annotations

REDUCTIONS = frozenset(
    (
        *("sum", "prod", "mean", "std", "var", "min", "max", "amin", "amax", "any", "all", "ptp"),
        *("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "average", "median"),
        *("reduce", "matmul", "vecdot", "trapezoid", "__matmul__", "__rmatmul__"),
    )
)
"""What gives an array of the class even where no axes are left."""
PLAIN = frozenset(
    (
        *("where", "select", "einsum", "tensordot", "tolist", "item", "tril", "triu"),
        *("tril_indices_from", "triu_indices_from", "outer", "cross", "vdot", "pad", "isin"),
        *("argwhere", "interp", "cov", "corrcoef", "histogram", "histogram_bin_edges", "unwrap"),
        *("sinc", "apply_over_axes"),
        *("digitize", "searchsorted", "nonzero", "flatnonzero", "bincount"),
        *("eigvals", "eigvalsh", "svdvals", "norm", "matrix_norm", "vector_norm", "cond", "det"),
        *("slogdet", "matrix_rank", "tensorinv", "svd"),
        *("empty", "zeros", "ones", "full", "eye", "identity", "indices"),
        *("convolve", "polymul", "polyder", "polyint", "poly", "roots", "vander"),
        *("lexsort", "iscomplex", "diag_indices_from"),
    )
)
"""What gives plain arrays whatever it is given."""
JOINING = frozenset(
    (
        *("concatenate", "concat", "stack", "hstack", "vstack", "dstack", "column_stack"),
        *("row_stack", "setxor1d"),
        *("block", "append", "resize", "union1d", "intersect1d"),
    )
)
"""What gives arrays of a class whose priority is above that of plain arrays, made of nothing."""
PLAIN_OF_MATRICES = frozenset(
    (
        *("ravel", "diag", "diagonal", "trace", "expand_dims", "extract", "resize"),
        *("unique", "union1d", "intersect1d", "setdiff1d"),
    )
)
"""What gives plain arrays for classes that say so by `_gives_plain`, though methods do not."""
PLAIN_PARTS = {
    **{"EigResult": (0,), "EighResult": (0,), "SVDResult": (1,)},
    **{"UniqueAllResult": (2, 3), "UniqueCountsResult": (1,), "UniqueInverseResult": (1,)},
    **{"lstsq": (2, 3), "qr": (1,)},
}
"""Which of several results are plain arrays: by the type that they come in, or by the function."""
CALLED = frozenset(
    (
        *("sum", "prod", "max", "min", "any", "all", "mean", "std", "var", "cumsum", "cumprod"),
        *("argmax", "argmin", "argsort", "choose", "clip", "compress", "diagonal", "dot"),
        *("nonzero", "put", "repeat", "reshape", "round", "searchsorted", "squeeze", "swapaxes"),
        *("take", "trace", "transpose"),
    )
)
"""Functions of which NumPy has the method of an array that is none of its own make the call."""
SEEN = ("broadcast_to", "broadcast_arrays", "as_strided", "sliding_window_view", "copy")
"""Functions that give arrays of the class only if they are asked to."""
SHAPED_BY = {
    **{f"nan{name}": name for name in ("sum", "prod", "mean", "var", "std", "max", "min")},
    **{"nanargmax": "argmax", "nanargmin": "argmin"},
    **dict.fromkeys(("average", "median", "nanmedian"), "mean"),
}
"""Functions that NumPy makes of a method, so that a class with a method of its own shapes them."""
SOURCES = {
    **{"solve": (1, "b"), "lstsq": (1, "b"), "polyval": (1, "x")},
    **{"compress": (1, "a"), "extract": (1, "arr")},
    **dict.fromkeys(("tensorsolve", "roll", "real_if_close", "full_like"), (0, "a")),
    **{"ediff1d": (0, "ary"), "gradient": (0, "f"), "setdiff1d": (0, "ar1")},
}
"""Which argument alone decides the class of what a function gives."""
EACH_ITS_OWN = ("broadcast_arrays", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d", "ix_")
"""Functions that give each argument in another form."""
