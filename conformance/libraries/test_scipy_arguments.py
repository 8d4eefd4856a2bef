"""SciPy's functions that ask for NumPy's arrays: outputs that they write to, and others."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

import numpy
import pytest
from scipy import linalg, ndimage, optimize, signal, stats
from scipy.linalg import interpolative
from scipy.spatial import distance

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = numpy.zeros((9, 9))
IMAGE[1:5, 1:6] = 1
IMAGE[7, 7] = 1
MATRIX = numpy.vander(numpy.linspace(1.0, 2.0, 5), 4)
SQUARE = numpy.array([[2.0, 1.0], [1.0, 3.0]])


pytestmark = pytest.mark.usefixtures("not_strict")


def _writing(name: str, dtype: str, **options: Any) -> Callable[[Any], Any]:
    """Return a call of a function of an image that gives it `output=`."""

    def call(xp: Any) -> Any:
        output = xp.ones((9, 9), dtype)
        getattr(ndimage, name)(xp.asarray(IMAGE), output=output, **options)
        return output

    return call


def _measuring(name: str, dtype: str) -> Callable[[Any], Any]:
    """Return a call of a function that gives it `distances=` and `indices=`."""

    def call(xp: Any) -> Any:
        found = xp.zeros((9, 9), dtype), xp.zeros((2, 9, 9), "int32")
        options = {"return_indices": True, "distances": found[0], "indices": found[1]}
        assert getattr(ndimage, name)(xp.asarray(IMAGE), **options) is None
        return found

    return call


def _labels(xp: Any) -> Any:
    output = xp.zeros((9, 9), "int32")
    return ndimage.label(xp.asarray(IMAGE), output=output), output


def _distances(xp: Any) -> Any:
    output = xp.zeros((5, 5))
    distance.cdist(xp.asarray(MATRIX), xp.asarray(MATRIX), out=output)
    return output


def _system(xp: Any) -> Any:
    system = signal.StateSpace(*([[1.0]] for _ in range(4)))
    gain = xp.asarray([[2.0]])
    return [(system * gain).B, (gain * system).C, (system + gain).D]


CALLS: dict[str, Callable[[Any], Any]] = {
    **{
        name: _writing(name, "bool")
        for name in (
            *("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"),
            *("binary_fill_holes", "binary_propagation", "binary_hit_or_miss"),
        )
    },
    **{
        name: _writing(name, "float64", size=3)
        for name in (
            *("morphological_gradient", "morphological_laplace", "white_tophat"),
            *("black_tophat", "grey_erosion", "uniform_filter"),
        )
    },
    "repeated erosion": _writing("binary_erosion", "bool", iterations=2),
    "distance_transform_edt": _measuring("distance_transform_edt", "float64"),
    "distance_transform_cdt": _measuring("distance_transform_cdt", "int32"),
    "distance_transform_bf": _measuring("distance_transform_bf", "float64"),
    "label": _labels,
    "affine_transform": lambda xp: ndimage.affine_transform(
        xp.asarray(IMAGE), xp.eye(2), output=xp.zeros((3, 3))
    ),
    "cdist": _distances,
    "root_scalar": lambda xp: optimize.root_scalar(numpy.cos, bracket=xp.asarray([1.0, 2.0])).root,
    "Jacobian": lambda xp: (
        importlib.import_module("scipy.optimize._nonlin")
        .asjacobian(xp.asarray(SQUARE))
        .solve(xp.ones(2))
    ),
    "interp_decomp": lambda xp: interpolative.interp_decomp(xp.asarray(MATRIX), 1e-3, rand=False),
    "interpolative.svd": lambda xp: interpolative.svd(xp.asarray(MATRIX), 2, rand=False)[1],
    "estimate_rank": lambda xp: interpolative.estimate_rank(xp.asarray(MATRIX), 1e-9),
    "funm": lambda xp: linalg.funm(xp.asarray(SQUARE), xp.exp),
    "graphcorr": lambda xp: (
        stats.multiscale_graphcorr(
            xp.asarray(MATRIX[:, 0]), xp.asarray(MATRIX[:, 1]), reps=2, random_state=1
        ).statistic
    ),
    "StateSpace": _system,
}


@pytest.mark.parametrize("call", CALLS)
def test_same_as_for_numpy(call: str) -> None:
    """What they give, and write, is the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _compare(CALLS[call](jujunp), CALLS[call](numpy))


def _compare(found: Any, wanted: Any) -> None:
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            _compare(one, other)
    else:
        numpy.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["dgesv", "dgetrf", "dpotrf", "dgeev", "dgels", "dtrtri"])
@pytest.mark.parametrize("overwrites", [False, True])
def test_functions_of_lapack_write_where_they_are_told(name: str, overwrites: bool) -> None:
    """As to NumPy's arrays: to the argument only where it may be overwritten."""
    found = []
    for xp in (numpy, jujunp):
        a, b = xp.array(SQUARE, order="F"), xp.array([1.0, 2.0])
        told = {"overwrite_a": overwrites} if overwrites and name != "dtrtri" else {}
        results = getattr(linalg.lapack, name)(*(a, b)[: 1 + (name in ("dgesv", "dgels"))], **told)
        assert all(type(x) is not jujunp.ndarray for x in results)
        found.append((numpy.asarray(a).tolist(), numpy.asarray(b).tolist(), len(results)))
    assert found[0] == found[1]


def test_functions_of_blas_are_asked_as_before() -> None:
    """Their documentation, types and addresses are there, and copies are copies."""
    function = linalg.blas.dgemm
    assert function.__doc__.startswith("c = dgemm(")
    assert linalg.get_blas_funcs("gemm").typecode == "d"
    assert "PyCapsule" in type(function._cpointer).__name__
    x = jujunp.arange(4.0)
    linalg.blas.drot(x, jujunp.ones(4), 0.5, 0.5)
    assert x.tolist() == [0, 1, 2, 3]
