"""Every other public function that takes arrays, or makes one."""

from __future__ import annotations

from benchmarks.steps.case import Case, values, writes


def calls(*names: str, of: str) -> list[Case]:
    """Return calls of functions that take the same arguments."""
    return values(*(f"np.{name}({of})" for name in names))


MAKING = [
    *calls("bartlett", "blackman", "hamming", "hanning", "identity", "tri", of="n"),
    *calls("tril_indices", "triu_indices", "diag_indices", of="k"),
    *values("np.kaiser(n, 5.0)", "np.geomspace(1.0, 9.0, n)", "np.logspace(0.0, 1.0, n)"),
    *values("np.indices((k, k))", "np.fromfunction(lambda i, j: i + j, (k, k))"),
    *values("np.fromiter(L, np.float64)", "np.frombuffer(raw)", "np.from_dlpack(x)"),
    *values("np.mask_indices(k, np.triu)", "np.vander(x, 3)", "np.mgrid[:k, :k]", "np.r_[x, y]"),
    *values("np.c_[x, y]", "np.ogrid[:k, :k]", "np.meshgrid(x, y)", "np.ix_(idx, idx)"),
]
SHAPES = [
    *calls("atleast_1d", "atleast_2d", "atleast_3d", "shape", "ndim", "size", of="x"),
    *calls("asanyarray", "asarray_chkfinite", "ascontiguousarray", "require", of="x"),
    *calls("fliplr", "flipud", "rot90", "matrix_transpose", "asfortranarray", of="A"),
    *calls("column_stack", "dstack", "block", of="[x, y]"),
    *calls("append", "broadcast_arrays", of="x, y"),
    *calls("array_split", "split", "hsplit", of="x, 2"),
    *values("np.astype(x, np.float32)", "np.vsplit(A, 2)", "np.dsplit(T[:, :, :2], 2)"),
    *values("np.moveaxis(T, 0, 2)", "np.rollaxis(T, 2)", "np.permute_dims(T, (1, 2, 0))"),
    *values("np.unstack(A)", "np.resize(x, (2, n))", "np.delete(x, 3)", "np.insert(x, 3, 1.5)"),
    *values("np.pad(x, 2)", 'np.pad(x, 2, mode="edge")', "np.trim_zeros(x)", "np.concat((x, y))"),
]
DRAWS = [
    *values(*(f"G.{name}(size=n)" for name in ("random", "normal", "uniform", "exponential"))),
    *values("G.integers(0, 10, n)", "G.gamma(2.0, 1.0, n)", "G.poisson(5.0, n)"),
    *values("G.normal(x, 1.0)", "G.permutation(n)", "G.permutation(x)", "G.choice(x, n)"),
    *values("R.rand(n)", "R.randn(n)", "R.randint(0, 10, n)"),
    *values("G.random(3)", "G.normal(size=3)", "G.integers(0, 10, 3)", "R.randn(3)"),
]
SELECTION = [
    *calls("compress", "extract", of="m, x"),
    *calls("argwhere", "flatnonzero", "count_nonzero", of="m"),
    *calls("diagflat", "diagonal", "diag_indices_from", "tril_indices_from", of="A"),
    *values("np.choose(I % 2, (x, y))", "np.select([m, ~m], [x, y])", "np.triu_indices_from(A)"),
    *values("np.piecewise(x, [m, ~m], [1.0, 2.0])", "np.unravel_index(idx, (4, n // 4))"),
    *values("np.take_along_axis(A, np.argsort(A), 1)", "np.ravel_multi_index((J, J), (k, k))"),
    *writes("x", "np.copyto(x, y)", "np.put(x, idx, w)", "np.place(x, m, 1.5)"),
    *writes("x", "np.putmask(x, m, y)", "np.add.at(x, idx, w)"),
    *writes("A", "np.fill_diagonal(A, 1.5)", "np.put_along_axis(A, np.argsort(B), 0.5, 1)"),
]
MATHEMATICS = [
    *calls("angle", "conj", "real", "imag", "iscomplex", "iscomplexobj", "isreal", of="c"),
    *calls("fix", "i0", "sinc", "nan_to_num", "isneginf", "isposinf", "isrealobj", of="x"),
    *calls("real_if_close", "gradient", "unwrap", "ediff1d", "trapezoid", of="x"),
    *calls("isclose", "array_equiv", "convolve", "correlate", "kron", of="x[:9], y[:9]"),
    *values("np.packbits(m)", "np.unpackbits(I.view(np.uint8))"),
    *values("np.around(x, 2)", "np.digitize(x, s)", "np.cross(A[:, :3], B[:, :3])"),
    *values("np.result_type(x, I)", "np.min_scalar_type(x)", "np.can_cast(I.dtype, x.dtype)"),
    *values("np.common_type(x, I)", "np.may_share_memory(x, y)", "np.shares_memory(x, y)"),
    *values("np.apply_along_axis(np.sum, 0, A)", "np.apply_over_axes(np.sum, T, (0, 2))"),
]
POLYNOMIALS = [
    *calls("poly", "roots", "polyder", "polyint", of="x[:4]"),
    *calls("polyadd", "polysub", "polymul", of="x[:4], y[:3]"),
    *values("np.polyval(y[:4], x)", "np.polyfit(x, z, 2)"),
]
REDUCTIONS = [
    *calls("amax", "amin", "cumprod", "cumulative_prod", "cumulative_sum", "ptp", of="x"),
    *calls("nanargmax", "nanargmin", "nanmax", "nanmin", "nanmean", "nanmedian", of="x"),
    *calls("nanprod", "nanstd", "nansum", "nanvar", "nancumprod", "nancumsum", of="x"),
    *calls("average", "median", of="x"),
    *calls("percentile", "quantile", "nanpercentile", "nanquantile", of="x, 0.3"),
    *calls("corrcoef", "cov", of="A"),
    *calls("histogram", "histogram_bin_edges", of="x"),
    *values("np.average(x, weights=y)", "np.median(A, axis=0)"),
    *values("np.add.reduceat(x, idx)", "np.maximum.reduceat(A, [0, 2], axis=1)"),
]
SEARCHING = [
    *calls("argpartition", "partition", of="x, 3"),
    *calls("intersect1d", "isin", "setdiff1d", "setxor1d", "union1d", of="I, J"),
    *calls("unique_all", "unique_counts", "unique_inverse", "unique_values", of="I"),
    *values("np.lexsort((I, J))"),
]
PRODUCTS = [
    *calls("vdot", "vecdot", "linalg.vecdot", "linalg.outer", of="x[:9], y[:9]"),
    *calls("linalg.matmul", "linalg.tensordot", "linalg.solve", of="A, B"),
    *values("np.matvec(A, B[0])", "np.vecmat(A[0], B)", 'np.einsum_path("ij,jk->ik", A, B)'),
]
LINALG = [
    *calls("cond", "det", "diagonal", "eig", "eigvals", "inv", "matrix_norm", of="A"),
    *calls("matrix_rank", "matrix_transpose", "pinv", "qr", "slogdet", "svd", "svdvals", of="A"),
    *calls("trace", "vector_norm", of="A"),
    *calls("cholesky", "eigh", "eigvalsh", of="S"),
    *values("np.cross(A[:, :3], B[:, :3])", "np.lstsq(A, B[0])", "np.matrix_power(A, 3)"),
    *values("np.multi_dot((A, B, A))", "np.tensorinv(A, 1)", "np.tensorsolve(A, B[0])"),
]
FOURIER = [
    *calls("fft", "fftshift", "hfft", "ifft", "ifftshift", "ihfft", "irfft", "rfft", of="x"),
    *calls("fft2", "fftn", "ifft2", "ifftn", "irfft2", "irfftn", "rfft2", "rfftn", of="A"),
    *calls("fftfreq", "rfftfreq", of="n"),
]
VIEWS = calls("sliding_window_view", of="x, 3") + values("np.as_strided(x, (4, 2), (8, 8))")


def within(module: str, cases: list[Case]) -> list[Case]:
    """Return the same calls of the functions of a module."""
    return [case._replace(code=case.code.replace("np.", f"np.{module}.", 1)) for case in cases]


CASES = [
    *(*MAKING, *SHAPES, *SELECTION, *MATHEMATICS, *POLYNOMIALS, *REDUCTIONS, *SEARCHING),
    *(*DRAWS, *PRODUCTS, *within("linalg", LINALG), *within("fft", FOURIER)),
    *within("lib.stride_tricks", VIEWS),
]
