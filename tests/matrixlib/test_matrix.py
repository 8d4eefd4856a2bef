"""Matrices against NumPy's: the same lines of code with both libraries."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")

PARTS = r"""
m[0]
m[:, 1]
m[0, 1]
m[1:]
m[:, [0, 2]]
m[[0, 1], 0]
m[m > 2]
m[...]
m[None]
m[0, ...]
m[[0, 1]]
m[:, xp.array([1])]
m[xp.array([True, False])]
m[0][0]
m[..., 1]
m[()]
""".strip().splitlines()
OPERATORS = r"""
m + 1
1 + m
m - m
m + v
v + m
m * 2
2 * m
m * m.T
m.T * m
m * [[1], [2], [3]]
v * m.T
m * v
sq ** 2
sq ** (-1)
sq ** 0
2 ** sq
sq @ sq
m @ v
v @ m.T
m / 2
m // 2
m % 2
-m
abs(m)
~m
m < 2
m == m
divmod(m, 2)
m << 1
m & 1
sq ** 1.5
m ** 2
m > v
m != None
""".strip().splitlines()
ATTRIBUTES = r"""
m.T
m.H
m.I
m.A
m.A1
sq.I
c.H
c.T
m.getT()
c.getH()
sq.getI()
m.getA()
m.getA1()
m.real
c.imag
m.mT
m.shape
m.flat[1]
m.flat[1:3]
m.size
m.ndim
m.__array_priority__
sing.I
""".strip().splitlines()
REDUCTIONS = r"""
m.tolist()
m.item(1)
m.sum()
m.sum(0)
m.sum(1)
m.sum(axis=-1)
m.sum(2)
m.sum(0, float)
m.sum(axis=1, out=xp.asmatrix(xp.zeros((2, 1), int)))
m.sum(keepdims=True)
m.sum((0, 1))
m.mean()
m.mean(0)
m.mean(1)
m.std()
m.std(0)
m.std(1, ddof=1)
m.var()
m.var(0)
m.var(1, None, None, 1)
m.prod()
m.prod(0)
m.prod(1)
m.any()
m.any(0)
m.any(1)
m.all()
m.all(0)
m.all(1)
m.max()
m.max(0)
m.max(1)
m.min()
m.min(0)
m.min(1)
m.argmax()
m.argmax(0)
m.argmax(1)
m.argmin()
m.argmin(0)
m.argmin(1)
m.argmax(-1)
m.argmax(5)
m.ptp()
m.ptp(0)
m.ptp(1)
m.ptp(-1)
""".strip().splitlines()
SHAPES = r"""
m.squeeze()
m[0].squeeze()
m[:, 0].squeeze()
m.squeeze(0)
m.flatten()
m.flatten('F')
m.ravel()
m.ravel('F')
m.reshape(3, 2)
m.reshape(-1)
m.reshape(1, 2, 3)
m.transpose()
m.swapaxes(0, 1)
m.copy()
m.astype(float)
m.astype(float, subok=False)
m.cumsum()
m.cumsum(0)
m.cumprod(1)
m.clip(1, 2)
m.round()
m.repeat(2)
m.repeat(2, 0)
m.take([0, 1])
m.take([0], 1)
m.compress([1], 0)
m.diagonal()
m.nonzero()
m.dot(m.T)
m.dot(2)
m.conj()
m.searchsorted(1)
m.argsort()
m.argsort(0)
m.view(xp.ndarray)
m.view(float)
m.view()
m.choose([1, 2, 3, 4, 5, 6])
m.partition(1)
m.sort()
m.argpartition(1)
m.conjugate()
m.byteswap()
m.fill(1)
m.tobytes()
""".strip().splitlines()
FUNCTIONS = r"""
xp.sum(m)
xp.sum(m, 0)
xp.sum(m, axis=1)
xp.sum(m, keepdims=True)
xp.mean(m, 1)
xp.std(m, 1)
xp.var(m)
xp.prod(m, 0)
xp.max(m, 1)
xp.min(m)
xp.argmax(m, 1)
xp.ptp(m, 1)
xp.any(m, 1)
xp.all(m)
xp.amax(m, 1)
xp.count_nonzero(m)
xp.median(m, 0)
xp.median(m, 1)
xp.percentile(m, 50, axis=1)
xp.quantile(m, 0.5, axis=0)
xp.average(m)
xp.average(m, 0)
xp.average(m, 1)
xp.average(m, 1, weights=[1, 2, 3])
xp.cumsum(m)
xp.cumsum(m, 1)
xp.cumprod(m)
xp.nansum(m)
xp.nansum(m, 0)
xp.nansum(m, 1)
xp.nanmean(m, 1)
xp.nanstd(m, 1)
xp.nanmax(m, 1)
xp.nanmin(m)
xp.nanargmax(m, 1)
xp.nancumsum(m)
xp.nancumsum(m, 1)
""".strip().splitlines()
UFUNCS = r"""
xp.sin(m)
xp.add(m, m)
xp.add(m, 1)
xp.add(m, v)
xp.add.reduce(m)
xp.add.reduce(m, 1)
xp.add.accumulate(m)
xp.add.outer(v, v)
xp.multiply(m, m)
xp.matmul(sq, sq)
xp.modf(m)
xp.isnan(m)
xp.where(m > 1, m, 0)
xp.clip(m, 1, 2)
xp.round(m)
xp.real(c)
xp.angle(c)
xp.sign(m)
xp.maximum(m, 2)
xp.add(m, m, out=xp.zeros((2, 3), int))
xp.add(1, 1, out=xp.asmatrix(xp.zeros((2, 3), int)))
xp.logical_and.reduce(m)
xp.maximum.reduce(m, axis=None)
xp.add.reduceat(m, [0, 1])
""".strip().splitlines()
PRODUCTS = r"""
xp.dot(m, m.T)
xp.dot(m, v)
xp.dot(v, m.T)
xp.dot(m, 2)
xp.inner(m, m)
xp.outer(m, m)
xp.outer(v, m)
xp.kron(m, m)
xp.kron(v, m)
xp.tensordot(m, m.T)
xp.einsum('ij->ji', m)
xp.einsum('ij,jk', m, m.T)
xp.cross(m, m)
xp.trace(m)
xp.diag(m)
xp.diagonal(m)
xp.diagflat(m)
xp.tril(m)
xp.triu(m)
""".strip().splitlines()
JOINING = r"""
xp.concatenate([m, m])
xp.concatenate([m, m], 1)
xp.concatenate([m, v[None]])
xp.stack([m, m])
xp.hstack([m, m])
xp.vstack([m, m])
xp.dstack([m, m])
xp.column_stack([m, m])
xp.block([[m, m]])
xp.append(m, m, 0)
xp.insert(m, 0, 1, 0)
xp.delete(m, 0, 0)
xp.split(m, 2)
xp.array_split(m, 2)
xp.hsplit(m, 3)
xp.vsplit(m, 2)
xp.tile(m, 2)
xp.repeat(m, 2)
xp.repeat(m, 2, 1)
xp.roll(m, 1, 0)
xp.rot90(m)
xp.flip(m)
xp.fliplr(m)
xp.flipud(m)
xp.pad(m, 1)
xp.unique(m)
xp.sort(m)
xp.sort(m, None)
xp.argsort(m)
xp.partition(m, 1, None)
xp.trim_zeros(v)
""".strip().splitlines()
REARRANGING = r"""
xp.reshape(m, (3, 2))
xp.reshape(m, -1)
xp.ravel(m)
xp.transpose(m)
xp.swapaxes(m, 0, 1)
xp.moveaxis(m, 0, 1)
xp.expand_dims(m, 0)
xp.squeeze(m)
xp.atleast_1d(m)
xp.atleast_2d(m)
xp.broadcast_to(m, (2, 2, 3))
xp.broadcast_to(m, (2, 3), subok=True)
xp.broadcast_arrays(m, v)
xp.ix_([0], [1])
xp.meshgrid(v, v)
xp.rollaxis(m, 1)
xp.matrix_transpose(m)
xp.permute_dims(m)
""".strip().splitlines()
MAKING = r"""
xp.array(m)
xp.array(m, subok=True)
xp.array([m, m])
xp.array([m, m], subok=True)
xp.asarray(m)
xp.asanyarray(m)
xp.ascontiguousarray(m)
xp.asfortranarray(m)
xp.asarray_chkfinite(m)
xp.copy(m, subok=True)
xp.zeros_like(m)
xp.ones_like(m)
xp.full_like(m, 2)
xp.zeros_like(m, subok=False)
xp.nan_to_num(m)
xp.real_if_close(m)
xp.isreal(m)
xp.iscomplexobj(m)
xp.isscalar(m)
xp.shape(m)
xp.ndim(m)
xp.size(m)
xp.isclose(m, m)
xp.allclose(m, m)
xp.array_equal(m, m)
""".strip().splitlines()
OTHERS = r"""
xp.take(m, [0, 1])
xp.take(m, [0], 0)
xp.choose(0, [m, m])
xp.compress([1], m, 0)
xp.extract(m > 1, m)
xp.nonzero(m)
xp.argwhere(m)
xp.flatnonzero(m)
xp.searchsorted(v, m)
xp.digitize(m, v)
xp.take_along_axis(m, xp.argsort(m, 1), 1)
xp.select([m > 1], [m])
xp.diff(m)
xp.gradient(m * 1.0)
xp.convolve(m.A1, v)
xp.interp(m, v, v)
xp.cov(m)
xp.corrcoef(m)
xp.histogram(m)
xp.bincount(m.A1)
xp.isin(m, [1])
xp.intersect1d(m, m)
xp.setdiff1d(m, [1])
xp.polyfit(v, v, 1).shape
xp.vander(v)
xp.piecewise(m, [m > 1], [1])
xp.apply_along_axis(sum, 0, m)
xp.apply_along_axis(lambda r: r * 2, 1, m)
xp.apply_over_axes(xp.sum, m, [0, 1])
xp.unwrap(m)
xp.sinc(m)
xp.fix(m)
xp.isposinf(m * 1.0)
xp.triu_indices_from(m)
xp.put_along_axis(m, xp.array([[0]]), 9, 1)
xp.fill_diagonal(m, 9)
xp.putmask(m, m > 1, 0)
xp.copyto(m, 1)
xp.place(m, m > 1, [5])
""".strip().splitlines()
LINALG = r"""
xp.linalg.inv(f)
xp.linalg.pinv(m)
xp.linalg.det(f)
xp.linalg.slogdet(f)
xp.linalg.solve(f, f)
xp.linalg.solve(f, w)
xp.linalg.solve(f.A, f)
xp.linalg.eigvalsh(f)
xp.linalg.eigh(f)
xp.linalg.qr(f)
xp.linalg.qr(f, 'r')
xp.linalg.qr(f, 'raw')
xp.linalg.svd(f)
xp.linalg.svd(f, compute_uv=False)
xp.linalg.cholesky(f)
xp.linalg.matrix_power(sq, 2)
xp.linalg.matrix_power(f, 0)
xp.linalg.norm(f)
xp.linalg.norm(f, axis=1)
xp.linalg.cond(f)
xp.linalg.matrix_rank(f)
xp.linalg.lstsq(m * 1.0, w, rcond=None)
xp.linalg.lstsq((m * 1.0).A, xp.asmatrix(w).T, rcond=None)
xp.linalg.multi_dot([f, f, f])
xp.linalg.tensorinv(f, 1)
xp.linalg.tensorsolve(f, w)
xp.linalg.svdvals(f)
xp.linalg.matrix_norm(f)
xp.linalg.diagonal(f)
xp.linalg.trace(f)
xp.linalg.matrix_transpose(f)
xp.linalg.outer(w, w)
xp.linalg.cross(m, m)
xp.linalg.matmul(f, f)
xp.linalg.vecdot(f, f)
xp.linalg.tensordot(f, f)
""".strip().splitlines()
CONSTRUCTORS = r"""
xp.fft.fft(f)
xp.fft.fftshift(f)
xp.matrix('1 2; 3 4')
xp.matrix('[1,2;3,4]')
xp.matrix('1 2;3')
xp.matrix('1.5 2')
xp.matrix(3)
xp.matrix([1, 2])
xp.matrix([[[1]]])
xp.matrix(xp.zeros((2, 2, 2)))
xp.matrix(xp.zeros((2, 1, 2)))
xp.matrix(m)
xp.matrix(m, copy=False) is m
xp.matrix(m, float)
xp.matrix([1], 'f4')
xp.asmatrix(m) is m
xp.asmatrix(v)
xp.asmatrix([[1]])
xp.bmat([[m, m], [m, m]])
xp.bmat('m,m;m,m')
xp.bmat([m, m])
xp.bmat(m)
xp.bmat('m,q')
xp.bmat('m m', gdict={'m': m})
xp.bmat('m m', {}, {'m': m})
xp.bmat(3)
xp.r_['r', v, v]
xp.r_['c', v, v]
xp.r_['m,m']
xp.c_['r', v, v]
xp.matrix('')
xp.matrix([])
xp.matrix('True False')
xp.matrix(True)
xp.matrix(xp.float32(2))
xp.matrix(())
xp.matrix([1j])
xp.matrix(range(3))
""".strip().splitlines()
PYTHON = r"""
repr(m)
str(m)
str(m[0])
repr(xp.matrix([[]]))
len(m)
list(m)
bool(m[0, 0])
2 in m
bool(m)
float(m[0, 0])
float(m[0, :1])
hash(m)
pickle.loads(pickle.dumps(m))
copy.copy(m)
copy.deepcopy(m)
isinstance(m, xp.ndarray)
isinstance(m, xp.matrix)
issubclass(xp.matrix, xp.ndarray)
xp.matrix.__name__
f'{m}'
m.dtype
[type(r).__name__ for r in m]
xp.array2string(m)
max(m.A1)
xp.polynomial.polynomial.polyval(2, m)
xp.lib.stride_tricks.sliding_window_view(m, 2, 1)
xp.lib.stride_tricks.as_strided(m)
""".strip().splitlines()
WRITES = r"""
m[0] = 5
m[:, 1] = xp.array([[8], [9]])
m[:, 1] = [8, 9]
m[0, 1] = 7
m[m > 2] = 0
m[:] = m * 2
m *= 2
m += 1
m **= 2
sq **= 2
sq *= sq
m /= 2
m[[0, 1], 0] = 5
m[...] = 0
m.shape = (3, 2)
m.shape = (6,)
m[:, [0, 1]] = 3
m.A[0, 0] = 99
m.T[0] = 4
m.A1[0] = 50
m[0][0, 0] = 8
m.flat = 3
m.resize((3, 2))
m[0, 0] = m[1, 1]
m -= m
m @= sq
m[:, 1] = xp.asmatrix([[8], [9]])
m.real = 2
m.sort(0)
""".strip().splitlines()


CALLS = [
    *(PARTS + OPERATORS + ATTRIBUTES + REDUCTIONS + SHAPES + FUNCTIONS + UFUNCS + PRODUCTS),
    *(JOINING + REARRANGING + MAKING + OTHERS + LINALG + CONSTRUCTORS + PYTHON),
]


def names_of(xp: Any) -> dict[str, Any]:
    """Return what the lines are about."""
    return {
        **{"xp": xp, "copy": copy, "pickle": pickle},
        **{"m": xp.matrix([[1, 2, 3], [4, 5, 0]]), "v": xp.array([1, 2, 3])},
        **{"sq": xp.matrix([[1, 2], [3, 4]]), "sing": xp.matrix([[1, 2], [2, 4]])},
        **{"c": xp.matrix([[1 + 2j, 3]]), "f": xp.matrix([[4.0, 1.0], [1.0, 3.0]])},
        "w": xp.array([1.0, 2.0]),
    }


def seen(x: Any) -> Any:
    """Return what a result is: its class, shape, dtype and elements."""
    if isinstance(x, (tuple, list)):
        return type(x).__name__, [seen(y) for y in x]
    if isinstance(x, np.generic):
        return "scalar", repr(np.round(x, 9))
    if isinstance(x, (np.ndarray, jj.ndarray)):
        array = np.asarray(x)
        return type(x).__name__, array.shape, array.dtype, (np.round(array, 9) + 0).tolist()
    return type(x).__name__, x if isinstance(x, (int, float, complex, str, bytes)) else repr(x)


def given(xp: Any, line: str, run: Callable[..., Any]) -> Any:
    """Return what a line gives, and what it leaves of the matrices; or the types of its error."""
    names = names_of(xp)
    try:
        return seen(run(line, names)), [seen(names[name]) for name in ("m", "sq", "v")]
    except Exception as error:
        return type(error) if xp is np else type(error).__mro__


@pytest.mark.parametrize(
    ("line", "run"), [*((line, eval) for line in CALLS), *((line, exec) for line in WRITES)]
)
def test_what_lines_give(line: str, run: Callable[..., Any]) -> None:
    found, wanted = given(jj, line, run), given(np, line, run)
    assert wanted in found if isinstance(wanted, type) else found == wanted


def test_matrices_are_ours_and_lazy() -> None:
    m = jj.matrix([[1.0, 2], [3, 4]])
    assert isinstance(m * m, jj.matrix)
    assert issubclass(jj.matrix, jj.ndarray)
    assert jj.matrix is jj.matrixlib.matrix
    assert isinstance(np.sin(m), jj.matrix)


def test_memory_is_shared() -> None:
    x = jj.zeros((2, 2))
    m = jj.asmatrix(x)
    m[0, 1] = 5
    assert x.tolist() == [[0, 5], [0, 0]]
    theirs = np.zeros((2, 2))
    jj.asmatrix(theirs)[:, 0] = [[1], [2]]
    assert theirs.tolist() == [[1, 0], [2, 0]]
    apart = jj.matrix(x)
    apart[0, 0] = 9
    assert x[0, 0] == 0


def test_construction_warns_where_it_is() -> None:
    for xp in (np, jj):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            xp.matrix([1])
        assert [(x.category, x.filename) for x in caught] == [(PendingDeprecationWarning, __file__)]


@pytest.mark.parametrize("data", [[["a", "b"]], [[1, None]], [2**70]])
def test_other_dtypes_are_those_of_numpy(data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    m = jj.matrix(data)
    assert type(m) is np.matrix
    assert m.tolist() == np.matrix(data).tolist()
    assert isinstance(m, jj.matrix)


def test_products_with_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    with pytest.raises(TypeError):
        jj.matrix([[1]]) * None
    assert (jj.matrix([[2]]) * np.array([[3]], dtype=object)).tolist() == [[6]]


def test_masked_arrays_show_matrices_of_numpy() -> None:
    x = np.ma.array(jj.matrix([[1, 2], [3, 4]]), mask=[[1, 0], [0, 0]])
    assert type(x.data) is np.matrix
    assert x.sum(0).data.tolist() == [[3, 6]]


def test_classes_derived_of_both() -> None:
    class Masked(np.ma.MaskedArray, jj.matrix):
        pass

    class Own(jj.matrix):
        pass

    assert issubclass(Masked, np.matrix)
    assert issubclass(Masked, jj.matrix)
    m = jj.ones((2, 2)).view(Own)
    assert type(m * m) is Own
    assert type(m.sum(0)) is Own


def test_functions_of_numpy_get_matrices_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    found = jj.vectorize(lambda a: a + 1)(jj.matrix([[1, 2]]))
    assert type(found) is jj.matrix
    assert found.tolist() == [[2, 3]]
