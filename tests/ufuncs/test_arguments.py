"""The arguments of calls, and what ufuncs say of themselves, against NumPy."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import jujunp
from jujunp._array.arguments import NUMPY
from tests.support.differential import check, check_error

NAMES = sorted(
    name
    for name, function in vars(np).items()
    if isinstance(function, np.ufunc) and name in vars(jujunp)
)
CUBE = np.arange(60.0).reshape(3, 4, 5)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_ufunc_says(name):
    ours, theirs = getattr(jujunp, name), getattr(np, name)
    assert isinstance(ours, jujunp.ufunc)
    assert isinstance(theirs, jujunp.ufunc)
    for attribute in ("__name__", "nin", "nout", "nargs", "types", "identity", "signature"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert str(inspect.signature(ours)) == str(theirs.__signature__)
    assert repr(ours) == repr(theirs)
    assert ours == theirs
    assert {theirs: 1}[ours] == 1
    assert pickle.loads(pickle.dumps(ours)) is copy.copy(ours) is ours


def test_what_is_no_ufunc():
    assert not isinstance(np.mean, jujunp.ufunc)
    assert not isinstance(jujunp.mean, jujunp.ufunc)
    assert not isinstance(3, jujunp.ufunc)
    for name, theirs in vars(np).items():
        if isinstance(theirs, np.ufunc):
            ours = getattr(jujunp, name)
            assert isinstance(ours, jujunp.ufunc), name
            assert (ours.nin, ours.nout, ours.types) == (theirs.nin, theirs.nout, theirs.types)
    assert jujunp.add != np.subtract


def test_functions_are_equal_to_those_of_numpy():
    assert jujunp.sum == np.sum
    assert {np.linalg.norm: 1}[jujunp.linalg.norm] == 1
    assert jujunp.sum not in (np.prod, jujunp.prod)


CALLS = {
    "dtype of numbers": lambda xp: xp.add(1, 2, dtype="f4"),
    "dtype": lambda xp: xp.add(xp.ones(3, "i4"), 2.5, dtype="i4", casting="unsafe"),
    "sig": lambda xp: xp.add(xp.ones(3), 1, sig="dd->d"),
    "signature": lambda xp: xp.add(xp.ones(3, "i4"), xp.ones(3), signature=(None, None, "f8")),
    "both signatures": lambda xp: xp.add(1, 2, sig="ii->i", signature="ii->i"),
    "sig and dtype": lambda xp: xp.add(1, 2, sig="ii->i", dtype=int),
    "order": lambda xp: xp.add(1, 2, order=3),
    "casting": lambda xp: xp.add(1, 2, casting="never"),
    "subok": lambda xp: xp.add(1, 2, subok=1),
    "unknown": lambda xp: xp.add(1, 2, extobj=[4096]),
    "too many": lambda xp: xp.add(1, 2, 3, 4),
    "too few": lambda xp: xp.hypot(1),
    "outputs": lambda xp: xp.add(1, 2, out=(None, None)),
    "output twice": lambda xp: xp.add(1, 2, xp.ones(()), out=xp.ones(())),
    "no loop": lambda xp: xp.less(xp.ones(3), 2, dtype="i4"),
    "not cast": lambda xp: xp.add([1, 2], 3, dtype=np.uint8),
    "out=...": lambda xp: xp.add(1, 2, out=...),
    "... by place": lambda xp: xp.add(1, 2, ...),
    "... in a tuple": lambda xp: xp.add(1, 2, out=(...,)),
    "reduce, out=...": lambda xp: xp.add.reduce([1, 2], out=...),
    "divmod": lambda xp: xp.divmod(xp.ones(3, "i4"), xp.ones(3), dtype="f4"),
    "divmod, signature": lambda xp: xp.divmod(xp.ones(3), 2, sig="ff->ff"),
    "divmod, output": lambda xp: xp.divmod(1, 2, out=xp.ones(())),
    "divmod, outputs": lambda xp: xp.divmod(1, 2, out=(None,)),
    "divmod, out=...": lambda xp: xp.divmod(1, 2, out=...),
    "divmod.outer": lambda xp: xp.divmod.outer([7, 8, 9], [2, 3]),
    "divmod.at": lambda xp: xp.divmod.at(xp.ones(2), [0], 1),
    "divmod.reduce": lambda xp: xp.divmod.reduce([1.0]),
    "modf.accumulate": lambda xp: xp.modf.accumulate([1.0]),
    "frexp, dtype": lambda xp: xp.frexp(xp.ones(3), dtype="f4"),
    "frexp, signature": lambda xp: xp.frexp(xp.ones(3, "f2"), sig="f->fi"),
    "sin.outer": lambda xp: xp.sin.outer(1, 2),
}


@pytest.mark.parametrize("call", CALLS)
def test_calls(call):
    check_error(CALLS[call])


PRODUCTS = {
    "axes": lambda xp, x: xp.matmul(x, x, axes=[(0, 1), (1, 0), (0, 2)]),
    "axes of a vector": lambda xp, x: xp.matmul(x[0, 0], x, axes=[(-1,), (2, 1), (0,)]),
    "axes, out": lambda xp, x: xp.matmul(
        x, x, out=xp.zeros((4, 3, 4)), axes=[(1, 2), (2, 1), (0, 2)]
    ),
    "axes of vecdot": lambda xp, x: xp.vecdot(x, x, axes=[0, 0]),
    "kept": lambda xp, x: xp.vecdot(x, x, axes=[0, 0, 1], keepdims=True),
    "kept last": lambda xp, x: xp.vecdot(x, x.transpose(1, 2, 0), axes=[0, 2], keepdims=True),
    "axis": lambda xp, x: xp.vecdot(x, x, axis=1),
    "axis, kept": lambda xp, x: xp.vecdot(x, x, axis=0, keepdims=True),
    "no axis": lambda xp, x: xp.vecdot(x, x, axis=3),
    "axis of matmul": lambda xp, x: xp.matmul(x, x, axis=1),
    "axes and axis": lambda xp, x: xp.vecdot(x, x, axes=[0, 0], axis=0),
    "no list": lambda xp, x: xp.matmul(x, x, axes=((0, 1), (1, 0), (0, 2))),
    "too few": lambda xp, x: xp.matmul(x, x, axes=[(0, 1)]),
    "twice": lambda xp, x: xp.matmul(x, x, axes=[(0, 1), (1, 0), (1, 1)]),
    "matvec": lambda xp, x: xp.matvec(x, x[0, 0], axes=[(-2, -1), -1, 0]),
    "vecmat": lambda xp, x: xp.vecmat(x[0, 0], x, axes=[0, (2, 1), -1]),
    "dtype": lambda xp, x: xp.matmul(x, x[0].T, dtype="f4"),
    "sig": lambda xp, x: xp.matmul(x, x[0].T, sig="ff->f"),
    "not cast": lambda xp, x: xp.matmul(x, x[0].T, dtype="i4"),
    "order": lambda xp, x: xp.matmul(x, x[0].T, order=1),
    "too many": lambda xp, x: xp.matmul(x, x, x, x),
    "reduce": lambda xp, x: xp.matmul.reduce(x),
    "where": lambda xp, x: xp.matmul(x, x, where=True),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    call = PRODUCTS[name]
    check(lambda xp: call(xp, xp.asarray(CUBE)), rtol=1e-6)


def test_a_mask_without_an_output():
    x = jujunp.arange(4.0)
    with pytest.warns(UserWarning, match="'where' used without 'out'"):
        jujunp.add(x, x, where=x > 1)
    check(lambda xp: xp.add(xp.ones(3), 1, where=True))


@pytest.mark.skipif(NUMPY < (2, 4), reason="NumPy warns of it from 2.4 on")
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_an_output_that_may_be_meant_as_an_operand(name):
    """Each call warns, at its line, however often its signature has come; others never do."""

    def program(xp):
        x, y = xp.arange(4.0), xp.full(4, 2.0)
        call = getattr(xp, name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(50):
                call(x, y, x)
            call(x, y, None)
            count = len(caught)
            call(x, y), call(x, y, out=x), xp.add(x, y, y)
        assert all("more than 2 positional arguments" in str(each.message) for each in caught)
        assert {(each.category, each.filename) for each in caught} == {
            (DeprecationWarning, __file__)
        }
        lines = {each.lineno for each in caught}
        return [x, y, count, len(caught), max(lines) - min(lines)]

    check(program)


def test_outputs_of_ufuncs_of_numpy(monkeypatch):
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    out = jujunp.zeros(2)
    assert np._core.umath._ones_like(jujunp.ones(2), out=out) is out
    np.testing.assert_array_equal(np.asarray(out), [1, 1])
