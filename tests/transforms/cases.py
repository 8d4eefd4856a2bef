"""Calls of every function that gives floats of floats: at least one for each, in its domain."""

from __future__ import annotations

from tests.support.derivatives import Case

_UFUNCS = """
np.absolute(a)
np.add(A, c)
np.arccos(u)
np.arccosh(w)
np.arcsin(u)
np.arcsinh(a)
np.arctan(a)
np.arctan2(a, b)
np.arctanh(u)
np.cbrt(p)
np.conjugate(a)
np.copysign(a, b)
np.cos(a)
np.cosh(a)
np.deg2rad(a)
np.degrees(a)
np.divide(A, c)
np.exp(a)
np.exp2(a)
np.expm1(a)
np.fabs(a)
np.float_power(p, b)
np.fmax(a, b)
np.fmin(a, b)
np.fmod(3 * a, b)
np.hypot(a, b)
np.ldexp(a, np.asarray([1, 2, 0, -1, 3]))
np.log(p)
np.log10(p)
np.log1p(u)
np.log2(p)
np.logaddexp(a, b)
np.logaddexp2(a, b)
np.logaddexp(a, a[:1]) + np.logaddexp2(a, a[-1])
np.maximum(a, b)
np.minimum(A, c)
np.multiply(A, c)
np.negative(a)
np.positive(a)
np.power(p, b)
np.power(A, 3)
np.power(a, -2)
np.power(p, 0.5)
np.power(2.0, a)
np.rad2deg(a)
np.radians(a)
np.reciprocal(a)
np.remainder(5 * a, b)
np.sin(a)
np.sinh(a)
np.sqrt(p)
np.square(a)
np.subtract(c, A)
np.tan(u)
np.tanh(a)
a * np.ceil(b)
a * np.floor(b)
a + np.floor_divide(b, a)
a * np.heaviside(b, a)
a * np.rint(b)
a * np.sign(b)
a * np.spacing(b)
a * np.trunc(b)
"""

_UFUNC_METHODS = """
np.add.reduce(A, axis=0)
np.multiply.reduce(A, axis=1)
np.maximum.reduce(A)
np.minimum.reduce(A, axis=None)
np.logaddexp.reduce(A, axis=1)
np.hypot.reduce(a)
np.subtract.reduce(A)
np.add.accumulate(A, axis=1)
np.multiply.accumulate(a)
np.maximum.accumulate(A, axis=1)
np.logaddexp.accumulate(a)
np.add.reduceat(a, [0, 2, 3])
np.multiply.outer(a, c)
np.arctan2.outer(a, c)
x = a.copy(); np.add.at(x, [0, 2, 0], g); x
x = a.copy(); np.negative.at(x, [0, 2]); x
np.add(a, b, where=np.asarray([True, False, True, True, False]), out=a * b)
x = a * 2; np.multiply(a, b, out=x[::-1]); x
np.sum(a, where=b > 0, initial=2.0)
"""

_ALIASES = """
np.abs(a)
np.acos(u)
np.acosh(w)
np.asin(u)
np.asinh(a)
np.atan(a)
np.atan2(a, b)
np.atanh(u)
np.mod(5 * a, b)
np.pow(p, b)
np.true_divide(a, b)
np.conj(a)
np.permute_dims(V, (2, 0, 1))
np.amax(A, 0)
np.amin(A, 1)
np.around(a * 0) * b
np.concat([a, b])
np.matrix_transpose(V)
np.row_stack([a, b])
"""

_ELEMENTWISE = """
np.angle(z)
np.clip(a, -0.8, 0.9)
np.clip(A, B - 0.5, 1.0)
np.divmod(3 * a, b)[1]
a * np.fix(b)
np.frexp(a)[0]
np.modf(3 * a)
np.i0(a)
np.imag(a) + a
np.nan_to_num(a)
np.real(a)
np.real_if_close(a)
np.round(0 * a) + a
np.sinc(a)
np.unwrap(4 * a)
np.where(a > 0, a, b)
np.where(a > 0, np.sqrt(np.abs(a)), 2.0)
np.select([a > 0.5, b > 0], [a * b, np.sin(a)], b)
np.choose([0, 1, 1, 0, 1], [a, b])
np.piecewise(a, [a < 0, a >= 0], [lambda x: x * x, lambda x: np.exp(x)])
np.astype(a, np.float64)
np.copy(a)
np.interp(u, t, c[[0, 1, 2, 3, 1, 0]])  # 1e-6
np.interp(g, t, t ** 2)
np.heaviside(a, b) + b
+a - (-b) / a ** 2 // 3 + a % b
a @ b
abs(A @ C)
divmod(3 * a, b)[1]
pow(p, 1.5)
"""

_CREATION = """
np.array([s, s * s, 2.0])
np.array([a, b])
np.asarray([[s], [s ** 2]])
np.asanyarray(a) * 2
np.asarray_chkfinite(a)
np.ascontiguousarray(A.T)
np.asfortranarray(A)
np.require(A, requirements='F')
np.full((2, 5), a)
np.full_like(a, s)
np.linspace(s, 3 * s, 5)
np.linspace(a, b, 3, axis=1)
np.geomspace(p, q, 3)
np.logspace(a, b, 3)
np.diag(a, 1)
np.diag(A)
np.diagflat(A)
np.vander(a, 4)
np.tri(3) * T
np.tril(T)
np.triu(A, 1)
np.eye(5) * a
np.identity(5) @ a
np.zeros(5) + a
np.zeros_like(a) + a
np.ones(5) * a
np.ones_like(a) * a
np.arange(5) * a
np.fromfunction(lambda i, j: i * a + j, (2, 5))
np.meshgrid(a, c)
np.broadcast_arrays(A, c)
np.block([[A, A[:, :1]], [B, B[:, :1]]])
np.atleast_1d(s)
np.atleast_2d(a)
np.atleast_3d(A)
np.bartlett(5) * a
np.blackman(5) * a
np.hamming(5) * a
np.hanning(5) * a
np.kaiser(5, 2.0) * a
"""

_MANIPULATION = """
np.append(a, b)
np.array_split(a, 3)
np.broadcast_to(c, (3, 4)) * A
np.column_stack([a, b])
np.compress([True, False, True], A, axis=0)
np.concatenate([A, B[:1]], axis=0)
np.delete(a, [1, 3])
np.diagonal(V, 1, 1, 2)
np.dsplit(V, 2)
np.dstack([A, B])
np.expand_dims(a, 0)
np.extract(a > 0, a)
np.flip(A)
np.flip(A, 1)
np.fliplr(A)
np.flipud(A)
np.hsplit(A, 2)
np.hstack([a, b])
np.insert(a, [1, 3], g[:2])
np.moveaxis(V, 0, -1)
np.pad(A, 1)
np.pad(A, ((0, 1), (2, 0)), 'edge')
np.pad(a, 2, 'reflect')
np.pad(a, 2, 'symmetric')
np.pad(a, 3, 'wrap')
np.pad(a, 2, 'mean')
np.pad(a, 2, 'maximum')
np.pad(a, 2, 'linear_ramp')
np.pad(a, 1, constant_values=4.0)
np.ravel(A.T)
np.repeat(a, 2)
np.repeat(A, [1, 0, 2, 1], axis=1)
np.reshape(A, (2, 6))
np.resize(a, (3, 4))
np.roll(A, 2, 1)
np.roll(A, (1, -2), (0, 1))
np.rollaxis(V, 2)
np.rot90(A)
np.split(a, [1, 4])
np.squeeze(A[:1])
np.stack([a, b], axis=1)
np.swapaxes(V, 0, 2)
np.take(A, [2, 0, 0], axis=0)
np.take(a, [[4, -1], [1, 1]])
np.take(a, [7, -9], mode='wrap')
np.take_along_axis(A, np.argsort(B, axis=1), axis=1)
np.tile(A, (2, 1))
np.transpose(V, (1, 2, 0))
np.trim_zeros(np.where(np.abs(a) > 0.5, a, 0))
np.unstack(A)
np.vsplit(A, 3)
np.vstack([a, b])
np.apply_along_axis(np.cumsum, 0, A)
np.apply_along_axis(lambda x: x * x.sum(), 1, A)
np.apply_over_axes(np.sum, V, [0, 2])
A[np.ix_([0, 2], [1, 3])] ** 2
A[np.diag_indices(3)] * 2
A[np.tril_indices(3)] * 2
A[np.triu_indices(3)] * 2
A[np.nonzero(A > 0)]
A[np.unravel_index(5, (3, 4))] * A
np.lib.stride_tricks.sliding_window_view(a, 3)
np.lib.stride_tricks.as_strided(A, (3, 3), (8, 8)) * 2
"""

_INDEXING = """
a[2] * a
a[-1]
a[1:4]
a[::-2]
A[1]
A[:, 1]
A[..., 0]
A[None, :, None, 2]
A[1:, ::2]
A[[2, 0, 2]]
A[[2, 0], [1, -1]]
A[:, [3, 3, 0]]
A[1, [0, 2]]
a[a > 0]
A[B > 0]
A[[True, False, True]]
V[[0, 1], :, [2, 3]]
V[:, 1][:, ::-1][0]
V.T[1:3, ::-1, 0]
A.T.reshape(2, 6)[1]
A.flat[5] * 2
A.ravel()[::3]
A.diagonal()
a.real * 2
A.sum(0).mean()
A.T @ A
sum(list(a))
[x * y for x, y in zip(a, b)]
V.swapaxes(0, 1)[..., 0] @ C[:2]
"""

_WRITING = """
x = a.copy(); x[1] = b[2]; x
x = a.copy(); x[1:4] *= g; x
x = a.copy(); x[1:] = x[:-1]; x
x = a.copy(); x[:-1] += x[1:]; x
x = a.copy(); x[x > 0] = g[0]; x
x = a.copy(); x[[0, 2, 0]] = g; x
x = a.copy(); x[[0, 2, 0]] += g; x
x = A.copy(); x[:, 1] = x[:, 2] * x[:, 0]; x
x = A.copy(); x[B > 0] = 0; x * B
x = A.copy(); x.T[1] = g; x
x = A.copy(); x[::2, ::-1][:, 1:3] -= 2 * A[1:, :2]; x
x = A.copy(); x.reshape(-1)[::5] = g[:1]; x
x = A.copy(); x.flat[3] = g[0]; x
x = A.copy(); x.fill(g[0]); x * A
x = a.copy(); x.sort(); x
x = a.copy(); x.partition(2); x.sum() * x[2]
x = a.copy(); np.put(x, [0, 3], b[:2]); x
x = a.copy(); x.put([0, -1], b[:2]); x
x = a.copy(); np.place(x, a > 0, b[:2]); x
x = a.copy(); np.putmask(x, a > 0, b); x
x = a.copy(); np.copyto(x, b, where=a > 0); x
x = A.copy(); np.fill_diagonal(x, g); x
x = A.copy(); np.put_along_axis(x, np.argmax(B, axis=1, keepdims=True), s, axis=1); x
x = np.zeros(5); x[:] = a; x[1:3] = 0; x * a
x = np.empty((2, 5)); x[0] = a; x[1] = a * b; x
x = a.copy(); y = x[::2]; y += 1; x *= x; y
x = a.copy(); x += x; x -= x[::-1]; x
x = a.copy(); np.add(x[:-1], x[1:], out=x[1:]); x
x = np.zeros(3); np.sum(A, axis=1, out=x); x ** 2
x = np.zeros((3, 2)); np.matmul(A, C, out=x); x * x
"""

_REDUCTIONS = """
np.sum(A)
np.sum(V, axis=(0, 2))
np.sum(A, axis=1, keepdims=True)
np.sum(A, 0, dtype=np.float64)
np.prod(A, axis=1)
np.prod(np.where(np.abs(a) > 1.2, 0, a))
np.mean(V, (1, 2))
np.mean(A, where=B > 0)
np.var(A, axis=0)
np.var(A, ddof=1)
np.std(A, axis=1)
np.std(A)
np.max(A)
np.max(A, axis=1)
np.min(A, axis=0, keepdims=True)
np.max(A, initial=0.5, axis=1, where=B > 0)
np.ptp(A, axis=1)
np.cumsum(A)
np.cumsum(A, axis=1)
np.cumprod(a)
np.cumprod(A, axis=0)
np.cumulative_sum(a)
np.cumulative_prod(a, include_initial=True)
np.nansum(A, 0)
np.nanprod(A, 0)
np.nanmean(A, 0)
np.nanvar(A, 0)
np.nanstd(A, 0)
np.nanmax(A, 0)
np.nanmin(A, 0)
np.nanmedian(A, 0)
np.nanquantile(A, 0.3, 0)
np.nanpercentile(A, [20, 60], 1)
np.nancumsum(A, 0)
np.nancumprod(A, 0)
np.average(A, axis=0, weights=p[:3])
np.median(a)
np.median(A, axis=1)
np.percentile(A, 30)
np.percentile(A, [10, 90], axis=1)
np.quantile(A, 0.35, axis=0)
np.quantile(a, 0.5, method='hazen')
np.trace(V)
np.trapezoid(a)
np.trapezoid(a, t[:5])
np.diff(A, axis=0)
np.diff(a, 2)
np.diff(a, prepend=s)
np.ediff1d(a)
np.gradient(a)
np.gradient(A, axis=1)
np.gradient(a, t[:5])
np.cov(A)
np.cov(a, b)
np.corrcoef(A)
np.histogram(a, 3, weights=b)[0]
np.bincount([0, 1, 1, 3, 0], weights=a)
A.mean(1) * A.max(1) + A.std(1)
A.var() * A.ptp() if hasattr(A, 'ptp') else A.var()
a.cumsum() * a.prod()
"""

_SORTING = """
np.sort(a)
np.sort(A, axis=0)
np.sort(A, axis=None)
a[np.argsort(a)] * b
a[np.lexsort((b,))] * b
np.partition(a, 2)[2]
a[np.argpartition(b, 2)[2]] * 1
a[np.argmax(b)] * b
a[np.argmin(b)] * b
np.unique(a)
np.unique_values(np.asarray([3.0, 1.0]))[0] + a
np.unique_all(a)[0]
np.unique_counts(a)[0]
np.unique_inverse(a)[0]
np.union1d(a, b)
np.intersect1d(a, a) * 2
np.setdiff1d(a, b)
np.setxor1d(a, b)
b[np.searchsorted(t, g) % 5] * g
b[np.digitize(g, t) % 5] * g
b[np.flatnonzero(a > 0)]
A[tuple(np.argwhere(A > 1).T)]
"""

_PRODUCTS = """
np.dot(a, b)
np.dot(A, C)
np.dot(V, C)
np.dot(s, A)
np.matmul(V, C)
np.matmul(A, c)
np.matvec(A, c)
np.vecmat(g, A)
np.vecdot(A, B)
np.vdot(A, B)
np.inner(A, B)
np.outer(a, c)
np.tensordot(V, A, axes=([1, 2], [0, 1]))
np.tensordot(a, c, 0)
np.kron(A, C)
np.cross(g, h)
np.cross(T, S, axis=0)
np.einsum('ij,jk->ik', A, C)
np.einsum('ij,ij->', A, B)
np.einsum('ii->i', S)
np.einsum('ijk,jk,k', V, A, c)
np.einsum('...j,j->...', V, c)
np.convolve(a, g)
np.convolve(a, c, 'same')
np.convolve(a, g, 'valid')
np.correlate(a, g)
np.correlate(a, c, 'full')
np.poly(a)
np.poly(S @ S.T)
np.roots(a)
np.polyval(g, a)
np.polyadd(a, g)
np.polysub(g, a)
np.polymul(a, g)
np.polyder(a)
np.polyint(a)
np.polyfit(t, a[[0, 1, 2, 3, 4, 0]], 2)
"""

_LINALG = """
np.linalg.inv(S)
np.linalg.inv(R)
np.linalg.det(S)
np.linalg.det(R)
np.linalg.slogdet(S)
np.linalg.slogdet(R)[1]
np.linalg.solve(S, g)
np.linalg.solve(S, A)
np.linalg.solve(R, A)
np.linalg.cholesky(S @ S.T)
np.linalg.cholesky(R @ R.swapaxes(1, 2))
np.linalg.cholesky(S + 4 * np.eye(3))
np.linalg.cholesky(R + 4 * np.eye(3), upper=True)
np.linalg.qr(S)
np.linalg.qr(C)
np.linalg.qr(C, mode='r')
np.linalg.qr(R)
np.linalg.eigh(S + S.T)[0]
np.abs(np.linalg.eigh(S + S.T)[1])
np.linalg.eigvalsh(S + S.T)
np.linalg.eigvalsh(S)
np.linalg.eigvalsh(R, 'U')
np.abs(np.linalg.eigh(S, 'U')[1])
np.linalg.eigvals(S + 0j)
np.linalg.eig(S + 0j)[0]
np.linalg.svd(S)[1]
np.abs(np.linalg.svd(S)[2])
np.linalg.svd(A, compute_uv=False)
np.abs(np.linalg.svd(A, full_matrices=False)[0])
np.abs(np.linalg.svd(A, full_matrices=False)[2])
np.linalg.svdvals(A)
np.linalg.pinv(A)
np.linalg.lstsq(C, c)[0]
np.linalg.matrix_power(S, 3)
np.linalg.matrix_power(S, -2)
np.linalg.multi_dot([T, A, C])
np.linalg.norm(a)
np.linalg.norm(A)
np.linalg.norm(A, axis=1)
np.linalg.norm(A, 1, axis=0)
np.linalg.norm(A, np.inf)
np.linalg.norm(A, 2)
np.linalg.norm(A, 'nuc')
np.linalg.norm(a, 3)
np.linalg.matrix_norm(V)
np.linalg.vector_norm(A, axis=0, ord=3)
np.linalg.cond(S)
np.linalg.cond(S, 1)
np.linalg.cross(g, h)
np.linalg.diagonal(V)
np.linalg.matmul(A, C)
np.linalg.matrix_transpose(V)
np.linalg.outer(a, c)
np.linalg.tensordot(A, C, axes=1)
np.linalg.tensorinv(S.reshape(3, 3, 1), 1)
np.linalg.tensorsolve(S, g)
np.linalg.trace(V)
np.linalg.vecdot(A, B)
"""

_COMPLEX = """
np.absolute(z)
np.add(z, a)
np.angle(Z)
np.arccos(z)
np.arccosh(z)
np.arcsin(z)
np.arcsinh(z)
np.arctan(z)
np.arctanh(z)
np.conjugate(z) * z
np.cos(z)
np.cosh(z)
np.divide(z, v)
np.divide(a, z)
np.exp(z)
np.exp2(z)
np.expm1(z)
np.log(z)
np.log10(z)
np.log1p(z)
np.log2(z)
np.multiply(z, v)
np.negative(z)
np.power(z, v)
np.power(z, 2)
np.power(z, -1)
np.reciprocal(z)
np.sign(z)
np.sin(z)
np.sinh(z)
np.sqrt(z)
np.square(z)
np.tan(z)
np.tanh(z)
np.subtract(a, z)
np.real(z) * np.imag(v)
z.real ** 2 + z.imag
np.where(a > 0, z, a)
a.astype(complex) * v
np.sum(Z, axis=0)
np.prod(z)
np.mean(Z, axis=1)
np.var(Z, axis=1)
np.std(Z, axis=1)
np.cumsum(Z, axis=0)
np.cumprod(z)
np.dot(Z, Y)
np.vdot(z, v)
np.inner(z, v)
np.einsum('ij,jk,k->i', Z, Y, c)
np.matmul(Z, A)
np.vecdot(z, v)
np.linalg.inv(Z)
np.linalg.det(Z)
np.linalg.slogdet(Z)
np.linalg.solve(Z, Y)
np.linalg.cholesky(Z @ np.conj(Z).T)
np.abs(np.linalg.qr(Z)[0])
np.abs(np.linalg.qr(Z)[1])
np.linalg.eigvals(Z)
np.linalg.eigvalsh(Z + np.conj(Z).T)
np.linalg.eigvalsh(Z, 'U')
np.abs(np.linalg.eigh(Z)[1])
np.linalg.cholesky(Z + 6 * np.eye(3))
np.linalg.eig(Z)
np.linalg.svd(Z, compute_uv=False)
np.linalg.pinv(Y)
np.linalg.norm(Z)
np.linalg.norm(z, 3)
z[[0, 2, 0]] * v[:3]
x = z.copy(); x[1:3] *= v[:2]; x
x = z.copy(); x.real = a; x
x = z.copy(); x.imag[1:] *= 2; x * v
x = np.zeros(5, complex); x[:] = a; x * z
"""

_FFT = """
np.fft.fft(a)
np.fft.fft(z, 7)
np.fft.fft(Y, axis=0)
np.fft.fft2(A)
np.fft.fftn(V)
np.fft.ifft(z)
np.fft.ifft(a, norm='ortho')
np.fft.ifft2(Y)
np.fft.ifftn(Z)
np.fft.rfft(a)
np.fft.rfft(A, 6, axis=0)
np.fft.rfft2(A)
np.fft.rfftn(V)
np.fft.irfft(z)
np.fft.irfft(z, 9)
np.fft.irfft2(Y)
np.fft.irfftn(Z)
np.fft.hfft(z)
np.fft.ihfft(a)
np.fft.fftshift(a)
np.fft.ifftshift(A, axes=1)
"""

TABLES = {
    "ufuncs": _UFUNCS,
    "methods": _UFUNC_METHODS,
    "aliases": _ALIASES,
    "elementwise": _ELEMENTWISE,
    "creation": _CREATION,
    "manipulation": _MANIPULATION,
    "indexing": _INDEXING,
    "writing": _WRITING,
    "reductions": _REDUCTIONS,
    "sorting": _SORTING,
    "products": _PRODUCTS,
    "linalg": _LINALG,
    "complex": _COMPLEX,
    "fft": _FFT,
}
CASES = [Case(code) for table in TABLES.values() for code in table.strip().splitlines()]
