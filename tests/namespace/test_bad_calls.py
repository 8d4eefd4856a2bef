"""Calls that NumPy refuses are refused with its type of exception, and at once."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp as jj

HUGE = 10**400
MANY = 1 << 64


def vector(m):
    return m.asarray([1.0, 2.0, 3.0])


def matrix(m):
    return m.asarray([[1, 2, 3], [4, 5, 6]])


def assigned(key, item):
    return lambda m: vector(m).__setitem__(key, item)


CALLS = {
    "shapes": lambda m: vector(m) + m.ones(4),
    "shapes in place": lambda m: vector(m).__iadd__(m.ones((2, 3))),
    "shapes of where": lambda m: m.where(vector(m) > 1, m.ones(2), 0),
    "shapes of products": lambda m: matrix(m) @ m.ones(2),
    "shapes of joined": lambda m: m.concatenate([matrix(m), m.ones((2, 2))], axis=0),
    "shapes of stacked": lambda m: m.stack([vector(m), m.ones(2)]),
    "unknown dtype": lambda m: m.zeros(3, dtype="no such"),
    "dtype of an array": lambda m: m.asarray([1], vector(m)),
    "dtype of a sum": lambda m: vector(m).sum(dtype="no such"),
    "index": lambda m: vector(m)[3],
    "negative index": lambda m: matrix(m)[0, -4],
    "many indices": lambda m: vector(m)[0, 0],
    "float index": lambda m: vector(m)[1.0],
    "string index": lambda m: vector(m)["a"],
    "two ellipses": lambda m: matrix(m)[..., ...],
    "step zero": lambda m: vector(m)[::0],
    "mask of another length": lambda m: vector(m)[m.asarray([True, False])],
    "index list": lambda m: m.take(vector(m), [0, 3]),
    "huge index": lambda m: vector(m)[MANY],
    "axis": lambda m: matrix(m).sum(axis=2),
    "axis of a sort": lambda m: m.sort(matrix(m), axis=-3),
    "axis twice": lambda m: matrix(m).sum(axis=(0, 0)),
    "axis of a flip": lambda m: m.flip(vector(m), 1),
    "float axis": lambda m: matrix(m).sum(axis=0.5),
    "string axis": lambda m: m.cumsum(matrix(m), axis="a"),
    "size": lambda m: matrix(m).reshape(4, 2),
    "two unknown sizes": lambda m: matrix(m).reshape(-1, -1),
    "negative size": lambda m: m.ones((2, -2)),
    "squeeze": lambda m: matrix(m).squeeze(0),
    "transpose": lambda m: matrix(m).transpose(0, 0),
    "read-only": lambda m: m.broadcast_to(vector(m), (2, 3)).__setitem__(0, 1),
    "read-only out": lambda m: m.add(1, 1, out=m.diagonal(m.ones((2, 2)))),
    "out of another kind": lambda m: m.add(vector(m), 1, out=m.zeros(3, dtype="int64")),
    "in place of another kind": lambda m: matrix(m).__iadd__(0.5),
    "out of another shape": lambda m: m.add(vector(m), 1, out=m.zeros(2)),
    "out of a list": lambda m: m.add(vector(m), 1, out=[0, 0, 0]),
    "casting": lambda m: m.add(vector(m), 1, casting="no such"),
    "casting of copies": lambda m: m.copyto(m.zeros(2), 1, casting="no such"),
    "product of a scalar": lambda m: m.arange(6)[5] @ 2,
    "product of scalars": lambda m: m.arange(6)[5] @ m.arange(6)[4],
    "product of a number and a scalar": lambda m: 2 @ m.arange(6)[5],
    "product of a scalar and an array": lambda m: m.arange(6)[5] @ m.arange(6),
    "product of an array and a scalar": lambda m: m.arange(6) @ m.arange(6)[5],
    "named elements": lambda m: m.unique_values(x=[1]),
    "order": lambda m: m.add(vector(m), 1, order="no such"),
    "order of a number": lambda m: m.sqrt(vector(m), order=7),
    "where of floats": lambda m: vector(m).sum(where=vector(m)),
    "ufunc's where of floats": lambda m: m.add(vector(m), 1, out=vector(m), where=vector(m)),
    "ragged": lambda m: m.asarray([[1], [2, 3]]),
    "bitwise of floats": lambda m: vector(m) & 1,
    "minus of truth": lambda m: -(vector(m) > 1),
    "truth of many": lambda m: bool(vector(m)),
    "float of many": lambda m: float(vector(m)),
    "number": lambda m: m.zeros(2, dtype="uint8") + 300,
    "negative power": lambda m: matrix(m) ** -1,
    "huge number": lambda m: vector(m) + HUGE,
    "huge number written": assigned(0, HUGE),
    "huge number under a mask": lambda m: vector(m).__setitem__(vector(m) > 1, HUGE),
    "huge fill": lambda m: vector(m).fill(HUGE),
    "huge choice": lambda m: m.where(vector(m) > 1, vector(m), HUGE),
    "huge integer choice": lambda m: m.where(vector(m) > 1, m.arange(3), MANY),
    "nan written": lambda m: m.zeros(2, dtype="int64").__setitem__(0, float("nan")),
    "sequence written": assigned(0, [1, 2]),
    "other shape written": assigned(slice(None), [1, 2]),
    "array for a diagonal": lambda m: m.diag(vector(m), m.arange(3)),
    "float for a diagonal": lambda m: m.diagflat(vector(m), 0.5),
    "few arguments": lambda m: m.add(vector(m)),
    "many arguments": lambda m: m.sqrt(vector(m), None, 1, 2),
    "unknown argument": lambda m: m.sum(vector(m), no_such=1),
    "mode": lambda m: m.take(vector(m), 0, mode="no such"),
    "side": lambda m: m.searchsorted(vector(m), 1, side="no such"),
    "subscripts": lambda m: m.einsum("ij,jk", matrix(m), matrix(m)),
    "iteration": lambda m: iter(m.asarray(1.0)),
    "length": lambda m: len(m.asarray(1.0)),
}


@pytest.mark.parametrize("name", CALLS)
def test_bad_calls_raise_as_in_numpy(name):
    with pytest.raises(Exception) as wanted:  # noqa: PT011 (which one is what NumPy says)
        CALLS[name](np)
    with pytest.raises(wanted.type) as found:
        CALLS[name](jj)
    assert str(found.value)
    jj.flush()


@pytest.mark.parametrize("bad", ["a", b"a", object(), {}, len])
@pytest.mark.parametrize("name", ["add", "sum", "sort", "concatenate", "where", "sin", "reshape"])
def test_what_is_no_number_is_a_type_error(name, bad):
    x = jj.ones(3)
    arguments = {"sum": (bad,), "sort": (bad,), "sin": (bad,), "concatenate": ([x, bad],)}
    with pytest.raises((TypeError, ValueError)):
        getattr(jj, name)(*arguments.get(name, (x, x, bad) if name == "where" else (x, bad)))
    jj.flush()
