"""Calls that other libraries' documentation shows, for our arrays and for NumPy's.

None of them knows of this module: they take arrays by Python's buffers and NumPy's protocols.
"""

from __future__ import annotations

import functools
import importlib
import io
import multiprocessing
import pickle
import warnings
from typing import TYPE_CHECKING, Any

import numpy
import pytest
import torch

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

X = numpy.linspace(0.1, 2.0, 24)
A = numpy.arange(12.0).reshape(3, 4) ** 1.5
I = numpy.array([3, 1, 2, 0, 5])  # noqa: E741
IMAGE = (numpy.arange(48 * 40 * 3) % 251).astype("uint8").reshape(48, 40, 3)


class Arrays:
    """The same arrays of one library."""

    def __init__(self, make: Callable[[numpy.ndarray], Any]) -> None:
        self.x, self.A, self.i, self.image = make(X), make(A), make(I), make(IMAGE)
        self.x2, self.m = make(X[::2]), make(X > 1)


Call = "Callable[[Any, Arrays], Any]"
CALLS: dict[str, dict[str, Any]] = {
    "pandas": {
        "Series": lambda lib, a: lib.Series(a.x),
        "DataFrame": lambda lib, a: lib.DataFrame(a.A, columns=list("abcd")).describe(),
        "DataFrame of columns": lambda lib, a: lib.DataFrame({"x": a.x, "m": a.m}).m.sum(),
        "cut": lambda lib, a: lib.cut(a.x, 3).codes,
        "rolling": lambda lib, a: lib.Series(a.x).rolling(3).mean(),
        "masked": lambda lib, a: lib.Series(a.x)[numpy.asarray(a.m)],
        "assigned": lambda lib, a: lib.DataFrame({"i": a.i}).assign(y=a.i * 2),
        "factorize": lambda lib, a: lib.factorize(numpy.asarray(a.i))[0],
        "ufunc of a series": lambda lib, a: a.x + lib.Series(X),
        "index": lambda lib, a: lib.Index(a.i).sort_values(),
        "to_numeric": lambda lib, a: lib.Series(a.x).isin(a.x2),
    },
    "xarray": {
        "DataArray": lambda lib, a: lib.DataArray(a.A, dims=("t", "x")).mean("t").values,
        "select": lambda lib, a: lib.DataArray(a.x, dims="t", coords={"t": a.x}).sel(t=0.1).values,
        "Dataset": lambda lib, a: lib.Dataset({"a": (("t", "x"), a.A)}).a.sum().values,
        "interp": lambda lib, a: lib.DataArray(a.x, dims="t").interp(t=a.x2).values,
    },
    "PIL.Image": {
        "fromarray": lambda lib, a: lib.fromarray(a.image).size,
        "grey": lambda lib, a: numpy.asarray(lib.fromarray(a.image[:, :, 0].copy()).rotate(90)),
        "resized": lambda lib, a: numpy.asarray(lib.fromarray(a.image).resize((10, 12))),
    },
    "imageio.v3": {
        "written": lambda lib, a: lib.imread(
            lib.imwrite("<bytes>", a.image, extension=".png"), extension=".png"
        ),
    },
    "pyarrow": {
        "array": lambda lib, a: lib.array(a.x).to_numpy(),
        "table": lambda lib, a: lib.table({"x": a.x, "m": a.m}).to_pydict(),
        "buffer": lambda lib, a: lib.py_buffer(a.x).to_pybytes(),
        "tensor": lambda lib, a: lib.Tensor.from_numpy(numpy.asarray(a.A)).to_numpy(),
        "batch": lambda lib, a: lib.RecordBatch.from_arrays([lib.array(a.x)], ["x"]).to_pydict(),
        "integers": lambda lib, a: lib.array(a.i, type=lib.int32()).to_pylist(),
        "scalars": lambda lib, a: lib.array([a.x.sum(), a.x.max()]).to_pylist(),
        "types of scalars": lambda lib, a: str(
            [lib.scalar(a.i.sum()).type, lib.array([a.x.mean()]).type, lib.scalar(a.m.any()).type]
        ),
        "mask": lambda lib, a: lib.array(a.x, mask=a.m).to_pylist(),
    },
    "polars": {
        "Series": lambda lib, a: lib.Series("x", a.x).to_list(),
        "DataFrame": lambda lib, a: lib.DataFrame({"x": a.x, "m": a.m}).sum().rows(),
        "from_numpy": lambda lib, a: lib.from_numpy(numpy.asarray(a.A)).rows(),
        "rows": lambda lib, a: lib.DataFrame(a.A).rows(),
        "scalars": lambda lib, a: str(lib.DataFrame({"i": [a.i.sum()], "x": [a.x.max()]}).schema),
        "keys": lambda lib, a: lib.DataFrame({"x": a.x})[a.i].rows(),
        "operators": lambda lib, a: [
            (lib.Series(X) + a.x).to_list(),
            (lib.Series(X) > a.x).to_list(),
            (lib.Series(X) ** a.x.max()).to_list(),
        ],
        "with_columns": lambda lib, a: lib.DataFrame({"x": a.x}).with_columns(y=a.x).rows(),
        "name": lambda lib, a: lib.Series("q", a.x).name,
        "dtype": lambda lib, a: str(lib.Series(a.x, dtype=lib.Float32)),
        "two axes": lambda lib, a: lib.Series(a.A).to_list(),
        "filter": lambda lib, a: lib.DataFrame({"x": a.x}).filter(a.m).rows(),
        "elements": lambda lib, a: (lib.Series(X)[a.i].to_list(), lib.Series(X).filter(a.m).sum()),
        "written": lambda lib, a: _written_at(lib.Series(X), a.i[:2], a.x[:2]).to_list(),
        "literal": lambda lib, a: lib.DataFrame({"x": a.x}).select(lib.lit(a.i)).rows(),
    },
    "networkx": {
        "graphml": lambda lib, a: "\n".join(
            lib.generate_graphml(lib.Graph([(0, 1, {"weight": a.x[1], "n": a.i.sum()})]))
        ),
        "from_numpy_array": lambda lib, a: sorted(
            lib.from_numpy_array(numpy.asarray(a.A[:, :3] > 2)).edges
        ),
        "layout": lambda lib, a: lib.circular_layout(lib.path_graph(3), center=a.x[:2])[0],
        "weights": lambda lib, a: lib.to_numpy_array(lib.path_graph(3)) @ a.A,
    },
    "cvxopt": {
        "matrix": lambda lib, a: numpy.array(lib.matrix(a.A)),
        "vector": lambda lib, a: numpy.array(lib.matrix(a.x, (1, len(a.x)))),
        # its own OpenBLAS must not call functions of the one that is loaded here
        "solved": lambda lib, a: _quadratic(lib, a.A @ a.A.T + numpy.eye(3), a.A[:, 0]),
    },
    "statsmodels.api": {
        "OLS": lambda lib, a: lib.OLS(a.x, lib.add_constant(a.x**2)).fit().params,
        "acf": lambda lib, a: lib.tsa.acf(a.x, nlags=5),
        "GLM": lambda lib, a: (
            lib.GLM(a.x, a.x**2, family=lib.families.Gamma(link=lib.families.links.Log()))
            .fit()
            .params
        ),
        "lowess": lambda lib, a: lib.nonparametric.lowess(a.x**2, a.x),
    },
    "astropy.units": {
        "quantity": lambda lib, a: (lib.Quantity(a.x, "m") / (2 * lib.s)).to_value("km/h"),
        "times": lambda lib, a: (a.x * lib.m).to_value(lib.cm),
        "sine": lambda lib, a: jujunp.sin(lib.Quantity(a.x, "deg")).value,
    },
    "pint": {
        "quantity": lambda lib, a: (lib.Quantity(a.x, "m") * 2).to("cm").magnitude,
        "sum": lambda lib, a: numpy.sum(lib.Quantity(a.x, "m")).magnitude,
        "units": lambda lib, a: (a.x * lib.Unit("m")).to("mm").magnitude,
    },
    "skimage": {
        "gaussian": lambda lib, a: importlib.import_module("skimage.filters").gaussian(a.image),
        "threshold": lambda lib, a: importlib.import_module("skimage.filters").threshold_otsu(
            a.image[:, :, 0]
        ),
        "rotated": lambda lib, a: importlib.import_module("skimage.transform").rotate(a.image, 30),
        "rgb2gray": lambda lib, a: importlib.import_module("skimage.color").rgb2gray(a.image),
    },
    "ot": {
        "emd": lambda lib, a: lib.emd(a.x[:3] / a.x[:3].sum(), a.A[0] / a.A[0].sum(), a.A),
        "dist": lambda lib, a: lib.dist(a.A, a.A[:2]),
        "sinkhorn": lambda lib, a: lib.sinkhorn(a.x[:2], a.x[:2], a.A[:2, :2] / a.A.max(), 1.0),
    },
    "sympy": {
        "lambdify": lambda lib, a: lib.lambdify(
            lib.Symbol("t"), lib.sin(lib.Symbol("t")) ** 2 + 1, "numpy"
        )(a.x),
        "polynomial": lambda lib, a: lib.lambdify(
            lib.symbols("u v"), lib.sympify("u**3 * v + exp(v)"), "numpy"
        )(a.x, a.x),
        "Matrix": lambda lib, a: numpy.array(lib.Matrix(a.A).T.tolist(), float),
        "scalars": lambda lib, a: str(
            [lib.sympify(a.i.sum()), lib.Symbol("t") + a.i[0], lib.Rational(a.i.max(), 3)]
        ),
        "arrays": lambda lib, a: str([lib.Symbol("t") * a.x[:2], a.x[:2] + lib.Symbol("t")]),
        "floats": lambda lib, a: str([lib.sympify(a.x.max()), a.x[0] * lib.Symbol("t")]),
        "truth values": lambda lib, a: lib.sympify(a.m.all()),
    },
    "lmfit": {
        "model": lambda lib, a: list(
            lib.Model(lambda x, s, o: s * x + o)
            .fit(a.x * 2 + 1, x=a.x, s=1, o=0)
            .best_values.values()
        ),
        "minimize": lambda lib, a: (
            lib.minimize(lambda p, x: p["s"] * x - 3 * x, lib.create_params(s=1), args=(a.x,))
            .params["s"]
            .value
        ),
        "gaussian": lambda lib, a: lib.models.GaussianModel().guess(a.x, x=a.x)["center"].value,
    },
    "joblib": {
        "hash": lambda lib, a: lib.Parallel(n_jobs=1)(lib.delayed(numpy.sum)(x) for x in [a.x]),
        "dump": lambda lib, a: _through_file(lib, a.A),
        "threads": lambda lib, a: lib.Parallel(n_jobs=2, prefer="threads")(
            lib.delayed(lambda x: x.sum())(x) for x in (a.x, a.A)
        ),
    },
    "dask.array": {
        "from_array": lambda lib, a: lib.from_array(a.A, chunks=2).sum().compute(),
        "mapped": lambda lib, a: (
            lib.from_array(a.x, chunks=5).map_blocks(lambda b: b * 2).compute()
        ),
        "sum of both": lambda lib, a: (lib.from_array(X, chunks=5) + a.x).compute(),
        "percentile": lambda lib, a: lib.percentile(
            lib.from_array(a.x, chunks=5), [50, 60]
        ).compute(),
    },
    "numba": {
        "njit": lambda lib, a: _doubled(lib)(a.x),
        "two axes": lambda lib, a: _traced(lib)(a.A),
        "writes": lambda lib, a: (_written(lib)(a.x), a.x)[1],
        "strides": lambda lib, a: _doubled(lib)(a.x2),
        "vectorize": lambda lib, a: _vectorized(lib)(a.x, a.x),
    },
    "matplotlib.pyplot": {
        "plot": lambda lib, a: lib.figure().add_subplot().plot(a.x, a.x**2)[0].get_ydata(),
        "hist": lambda lib, a: lib.figure().add_subplot().hist(a.x, bins=5)[0],
        "imshow": lambda lib, a: lib.figure().add_subplot().imshow(a.image).get_array().data,
        "scatter": lambda lib, a: lib.figure().add_subplot().scatter(a.x, a.x).get_offsets().data,
        "contour": lambda lib, a: len(lib.figure().add_subplot().contour(a.A).levels),
        "bar": lambda lib, a: [p.get_height() for p in lib.figure().add_subplot().bar(a.i, a.i)],
        "fill": lambda lib, a: len(
            lib.figure().add_subplot().fill_between(a.x, a.x, where=a.m).get_paths()
        ),
        "errorbar": lambda lib, a: (
            lib.figure().add_subplot().errorbar(a.x, a.x, a.x)[0].get_zorder()
        ),
    },
    "seaborn": {
        "histplot": lambda lib, a: len(lib.histplot(a.x, ax=_axes()).patches),
        "heatmap": lambda lib, a: lib.heatmap(a.A, ax=_axes()).get_xlim(),
        "regplot": lambda lib, a: lib.regplot(x=a.x, y=a.x, ax=_axes()).get_xlabel(),
    },
    "scipy": {
        "sparse": lambda lib, a: lib.sparse.csr_matrix(a.A) @ a.x[:4],
        "io": lambda lib, a: _through_mat(lib, a.A),
        "interpolate": lambda lib, a: lib.interpolate.CubicSpline(a.x, a.x**2)(a.x2),
        "ndimage": lambda lib, a: lib.ndimage.gaussian_filter(a.A, 1),
        "optimize": lambda lib, a: lib.optimize.curve_fit(lambda x, s: s * x, a.x, a.x * 3)[0],
        "integrate": lambda lib, a: lib.integrate.simpson(a.x, x=a.x),
        "KDTree": lambda lib, a: lib.spatial.KDTree(a.A).query(a.A[0])[1],
    },
    "torch": {
        "as_tensor": lambda lib, a: lib.as_tensor(a.x).sum().item(),
        "from_numpy": lambda lib, a: lib.from_numpy(numpy.asarray(a.A)).T.numpy(),
        "from_dlpack": lambda lib, a: lib.from_dlpack(a.x).numpy(),
        "tensor": lambda lib, a: lib.tensor(a.i).tolist(),
        "asarray": lambda lib, a: lib.asarray(a.i).tolist(),
        "shared": lambda lib, a: lib.from_numpy(a.x).numpy(),
        "dtypes": lambda lib, a: str(
            [lib.tensor([a.x[0], a.x.sum()]).dtype, lib.asarray(a.x).dtype, lib.tensor(a.i).dtype]
        ),
        "index": lambda lib, a: lib.arange(6.0)[a.i].numpy(),
        "mask": lambda lib, a: lib.arange(24.0)[a.m].numpy(),
        "written": lambda lib, a: _written_at(lib.zeros(6), a.i[:2], 5.0).numpy(),
        "scalars beside it": lambda lib, a: (
            [(lib.arange(3.0) * a.i[0]).numpy(), (a.i.max() + lib.arange(3.0)).numpy()]
        ),
        "arrays beside it": lambda lib, a: (lib.arange(5.0) + a.i).numpy(),
        "sizes": lambda lib, a: str(lib.zeros(a.i[0], a.i.max()).reshape(a.i.max(), -1).shape),
        "batch": lambda lib, a: str(lib.utils.data.default_collate([a.x[0], a.x[1]]).dtype),
        "script": lambda lib, a: lib.jit.script(_with_tensor)(lib.from_numpy(a.x)).numpy(),
    },
    "uncertainties.unumpy": {
        "uarray": lambda lib, a: [v.nominal_value for v in lib.uarray(a.x, a.x / 10)],
        "values": lambda lib, a: lib.nominal_values(lib.uarray(a.x, a.x) * 2),
        "deviations": lambda lib, a: lib.std_devs(lib.uarray(a.x, a.x) + 1),
    },
    "struct": {
        "pack": lambda lib, a: lib.pack("3d", *a.x[:3]),
        "unpack": lambda lib, a: lib.unpack_from("2d", a.x),
        "iter": lambda lib, a: list(lib.iter_unpack("d", a.x)),
    },
    "hashlib": {
        "sha1": lambda lib, a: lib.sha1(a.x).hexdigest(),
        "md5": lambda lib, a: lib.md5(a.A).hexdigest(),
        "update": lambda lib, a: _updated(lib.sha256(), a.x),
    },
    "zlib": {
        "compress": lambda lib, a: lib.decompress(lib.compress(a.x)),
        "crc32": lambda lib, a: lib.crc32(a.image),
        "adler32": lambda lib, a: lib.adler32(a.x),
    },
    "base64": {
        "b64encode": lambda lib, a: lib.b64encode(a.x),
        "b32encode": lambda lib, a: lib.b32encode(a.i),
        "b16encode": lambda lib, a: lib.b16encode(a.i),
    },
    "random": {
        "choice": lambda lib, a: lib.Random(1).choice(a.x),
        "choices": lambda lib, a: lib.Random(1).choices(a.x, weights=a.x, k=3),
        "sample": lambda lib, a: lib.Random(1).sample(list(a.x), 3),
    },
    "statistics": {
        "mean": lambda lib, a: lib.mean(a.x),
        "stdev": lambda lib, a: lib.stdev(a.x),
        "median": lambda lib, a: lib.median(a.x),
    },
    "math": {
        "fsum": lambda lib, a: lib.fsum(a.x),
        "dist": lambda lib, a: lib.dist(a.x[:3], a.x[3:6]),
        "hypot": lambda lib, a: lib.hypot(*a.x[:3]),
        "gcd": lambda lib, a: lib.gcd(*a.i[:3]),
    },
    "bisect": {
        "bisect": lambda lib, a: lib.bisect(a.x, 1.0),
        "left": lambda lib, a: lib.bisect_left(a.x, a.x[3]),
        "insort": lambda lib, a: _insorted(lib, list(a.x)),
    },
}
CASES = [(library, call) for library, calls in CALLS.items() for call in calls]


def _written_at(tensor: Any, places: Any, value: Any) -> Any:
    tensor[places] = value
    return tensor


def _with_tensor(x):  # type: ignore[no-untyped-def]
    return x + torch.tensor([1.0])


def _through_file(joblib: Any, x: Any) -> Any:
    file = io.BytesIO()
    joblib.dump(x, file)
    file.seek(0)
    return joblib.load(file)


def _through_mat(scipy: Any, x: Any) -> Any:
    importlib.import_module("scipy.io")
    file = io.BytesIO()
    scipy.io.savemat(file, {"x": x})
    file.seek(0)
    return scipy.io.loadmat(file)["x"]


def _quadratic(cvxopt: Any, square: Any, x: Any) -> Any:
    """The smallest value of a quadratic function where nothing is below zero."""
    below = cvxopt.matrix(-numpy.eye(len(x)))
    limits = cvxopt.matrix(numpy.zeros(len(x)))
    options = {"show_progress": False}
    found = cvxopt.solvers.qp(
        cvxopt.matrix(square), cvxopt.matrix(x), below, limits, options=options
    )
    return numpy.array(found["x"])


def _updated(digest: Any, x: Any) -> str:
    digest.update(x)
    found: str = digest.hexdigest()
    return found


def _insorted(bisect: Any, x: list[Any]) -> list[Any]:
    bisect.insort(x, 1.0)
    return x


def _axes() -> Any:
    return importlib.import_module("matplotlib.pyplot").figure().add_subplot()


@functools.cache
def _doubled(numba: Any) -> Any:
    @numba.njit
    def doubled(x):  # type: ignore[no-untyped-def]
        total = 0.0
        for k in range(x.shape[0]):
            total += 2 * x[k]
        return total

    return doubled


@functools.cache
def _traced(numba: Any) -> Any:
    @numba.njit
    def traced(a):  # type: ignore[no-untyped-def]
        return a[:, 1] * 2 + a.sum()

    return traced


@functools.cache
def _written(numba: Any) -> Any:
    @numba.njit
    def written(x):  # type: ignore[no-untyped-def]
        x[::2] = -1.0

    return written


@functools.cache
def _vectorized(numba: Any) -> Any:
    return numba.vectorize(["float64(float64, float64)"])(_sum_of_squares)


def _sum_of_squares(x: Any, y: Any) -> Any:
    return x * x + y * y


def _plain(found: Any) -> Any:
    """Return a result of Python's and NumPy's types."""
    if isinstance(found, (list, tuple)):
        return [_plain(x) for x in found]
    if isinstance(found, dict):
        return {key: _plain(x) for key, x in found.items()}
    if isinstance(found, (jujunp.ndarray, numpy.ndarray, numpy.generic)):
        return numpy.asarray(found)
    return found.to_numpy() if hasattr(found, "to_numpy") else found


pytestmark = pytest.mark.usefixtures("not_strict")


@pytest.mark.parametrize(("library", "call"), CASES)
def test_same_as_for_numpy(library: str, call: str) -> None:
    """What they give is the same."""
    module = importlib.import_module(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = _plain(CALLS[library][call](module, Arrays(numpy.array)))
        found = _plain(CALLS[library][call](module, Arrays(jujunp.array)))
    _compare(found, wanted)


def _compare(found: Any, wanted: Any) -> None:
    if isinstance(wanted, (list, dict)):
        assert type(found) is type(wanted)
        pairs = (
            zip(found, wanted, strict=True)
            if isinstance(wanted, list)
            else ((found[key], wanted[key]) for key in wanted)
        )
        for one, other in pairs:
            _compare(one, other)
    elif isinstance(wanted, (numpy.ndarray, float)):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    else:
        assert found == wanted


# -- what needs more than a call


def test_matplotlib_hands_matrices_to_c_code() -> None:
    """They are NumPy's there, as are elevations that it makes views of."""
    transforms = importlib.import_module("matplotlib.transforms")
    colors = importlib.import_module("matplotlib.colors")
    axes = _axes()
    axes.plot([0, 1], [0, 1], transform=transforms.Affine2D(jujunp.eye(3)) + axes.transData)
    axes.figure.canvas.draw()
    found = colors.LightSource().hillshade(jujunp.array(A))
    numpy.testing.assert_allclose(found, colors.LightSource().hillshade(A))


def test_awkward() -> None:
    """It chooses what to do by types."""
    awkward = importlib.import_module("awkward")
    assert awkward.from_numpy(jujunp.arange(3)).to_list() == [0, 1, 2]
    assert awkward.Array([[1, 2], [3]])[jujunp.array([1, 0])].to_list() == [[3], [1, 2]]


def test_pickles_out_of_band() -> None:
    """Protocol 5 hands over the memory."""
    x = jujunp.array(A)
    for given in (x, x.T, x[::2, 1:], x[1, 1]):
        buffers: list[Any] = []
        data = pickle.dumps(given, protocol=5, buffer_callback=buffers.append)
        found = pickle.loads(data, buffers=buffers)
        assert type(found) is type(given)
        assert (found == given).all()
    big = jujunp.ones(1000)
    buffers = []
    assert len(pickle.dumps(big, protocol=5, buffer_callback=buffers.append)) < 1000
    assert buffers[0].raw().nbytes == 8000


def _total(x: Any) -> float:
    return float(x.sum())


def test_multiprocessing() -> None:
    """Arrays go to other processes."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_total, [jujunp.ones(5), jujunp.arange(4.0)]) == [5, 6]


def test_shared_memory_of_processes() -> None:
    """Their memory can be that of several processes."""
    shared_memory = importlib.import_module("multiprocessing.shared_memory")
    block = shared_memory.SharedMemory(create=True, size=80)
    try:
        x = jujunp.ndarray((10,), dtype=float, buffer=block.buf)
        x[:] = jujunp.arange(10.0)
        other = shared_memory.SharedMemory(name=block.name)
        y = numpy.ndarray((10,), dtype=float, buffer=other.buf)
        assert y.tolist() == list(range(10))
        y[3] = 50
        assert x[3] == 50
        del x, y
        other.close()
    finally:
        block.close()
        block.unlink()
