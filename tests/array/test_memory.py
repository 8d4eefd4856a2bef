"""flat, resize in place, flags and required layouts, against NumPy."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check

VIEWS = {
    "whole": lambda x: x,
    "T": lambda x: x.T,
    "steps": lambda x: x[::-1, ::2],
    "row": lambda x: x[1],
    "empty": lambda x: x[:0],
    "0-d": lambda x: x[1, 1, ...],
}
KEYS = [0, -1, 99, ..., [1, 0], [], (0,), (0, 1), None, slice(None, None, 2), slice(2, 0, -1)]
VALUES = [7, 2.5, [1, 2, 3], [], [[4], [5]]]


def grid(xp, dtype="int32"):
    return xp.asarray(np.arange(12).reshape(3, 4).astype(dtype)).copy()


@pytest.mark.parametrize("view", VIEWS)
def test_flat_is_read(view):
    check(lambda xp: list(VIEWS[view](grid(xp)).flat))
    check(lambda xp: len(VIEWS[view](grid(xp)).flat))
    check(lambda xp: VIEWS[view](grid(xp)).flat.copy())
    check(lambda xp: VIEWS[view](grid(xp)).flat == 2)
    for key in KEYS:
        check(lambda xp, k=key: VIEWS[view](grid(xp)).flat[k])


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_flat_is_written(view, key):
    def program(xp, value):
        x = grid(xp)
        VIEWS[view](x).flat[key] = value
        return x

    for value in VALUES:
        if (key, value) != (99, []):  # NumPy looks at the values first
            check(lambda xp, v=value: program(xp, v))


class Index:
    def __index__(self):
        return 1


RARE_KEYS = {
    "truth": lambda xp: True,
    "untruth": lambda xp: False,
    "truth in a tuple": lambda xp: (True,),
    "truth of NumPy": lambda xp: np.True_,
    "truth without axes": lambda xp: xp.array(True),
    "list of truth": lambda xp: [True] * 12,
    "mask": lambda xp: xp.arange(12) % 2 == 0,
    "short mask": lambda xp: xp.ones(11, bool),
    "empty mask": lambda xp: xp.ones(0, bool),
    "mask of two axes": lambda xp: xp.ones((3, 4), bool),
    "mixed": lambda xp: [True, 1],
    "float": lambda xp: 1.5,
    "floats": lambda xp: [1.0, 2.0],
    "array of floats": lambda xp: xp.array([1.0]),
    "float without axes": lambda xp: xp.array(1.0),
    "text": lambda xp: "a",
    "nothing": lambda xp: (),
    "dots in a tuple": lambda xp: (...,),
    "dots and an index": lambda xp: (..., 1),
    "tuple in a tuple": lambda xp: ((1, 2),),
    "object": lambda xp: Index(),
    "index without axes": lambda xp: xp.array(3),
    "scalar": lambda xp: xp.arange(3)[2],
    "integer of NumPy": lambda xp: np.int8(3),
}


@pytest.mark.parametrize("key", RARE_KEYS)
def test_rare_keys_of_flat(key):
    """Results, errors with their texts, and what is warned of, with its line."""

    def write(x, k):
        x.flat[k] = 7
        return x

    def outcome(xp, use):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = use(grid(xp), RARE_KEYS[key](xp))
                found = np.asarray(found).tolist()
            except IndexError as error:
                found = str(error)
        return found, [(str(one.message), one.lineno) for one in caught]

    for use in (lambda x, k: x.flat[k], write):
        assert outcome(jujunp, use) == outcome(np, use)


@pytest.mark.parametrize("dtype", DTYPES)
def test_flat_is_assigned_to(dtype):
    def program(xp):
        x = grid(xp, dtype)
        x.T.flat = xp.asarray([1, 0])
        return x

    check(program)


def test_flat_iterates():
    def program(xp):
        flat = grid(xp).T.flat
        return [(flat.index, flat.coords, next(flat)) for _ in range(12)], flat.index, flat.coords

    check(program)
    check(lambda xp: np.array(grid(xp).T.flat, "float32"))


def test_flat_is_a_copy():
    x = grid(jujunp)
    seen = x.flat[:]
    x[...] = 0
    assert seen.tolist() == list(range(12))
    assert x.flat.base is x


SHAPES = [(2,), (4, 5), ((2, 3),), (0,), (), (None,), (-1,), (2.5,), ((),)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_resize(shape):
    def program(xp):
        x = grid(xp)
        x.resize(*shape)
        x += 1
        return x

    check(program)


def test_arrays_with_views_are_not_resized():
    x = grid(jujunp)
    row = x[0]
    for refcheck in (True, False):
        with pytest.raises(ValueError, match="references"):
            x.resize((2, 2), refcheck=refcheck)
    with pytest.raises(ValueError, match="own"):
        row.resize(2)
    del row
    x.resize(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]]


def test_flags_are_set():
    def frozen(xp):
        x = grid(xp)
        x.setflags(write=False)
        x[0] = 1

    def thawed(xp):
        x = grid(xp)
        x.setflags(write=False)
        x.setflags(write=True)
        x[0] = 1
        return x

    for program in (frozen, thawed, lambda xp: grid(xp).setflags(uic=True)):
        check(program)


@pytest.mark.parametrize("view", sorted(VIEWS))
def test_flags(view):
    names = ("carray", "farray", "behaved", "forc", "fnc", "writeable", "aligned")
    check(lambda xp: [getattr(VIEWS[view](grid(xp)).flags, name) for name in names])


REQUIREMENTS = [None, [], ["C"], ["F"], "CW", ["W", "O"], ["C", "F"], ["nonsense"], ["A", "E"]]


@pytest.mark.parametrize("wanted", REQUIREMENTS, ids=str)
def test_require(wanted):
    def program(xp, x, dtype):
        found = xp.require(x, dtype, wanted)
        return found, found is x, found.strides, found.flags.writeable

    for dtype in (None, "int32", "float64"):
        for view in (lambda x: x, lambda x: x.T, lambda x: x[:, 1]):
            check(lambda xp, v=view, d=dtype: program(xp, v(grid(xp)), d))
    check(lambda xp: program(xp, xp.broadcast_to(grid(xp)[0], (2, 4)), None))
    check(lambda xp: program(xp, [1, 2], "float32"))


@pytest.mark.parametrize("order", "CFAK")
def test_orders_of_copies(order):
    for view in VIEWS.values():
        check(lambda xp, v=view: v(grid(xp)).copy(order).flags.f_contiguous)
        check(lambda xp, v=view: v(grid(xp)).astype("float64", order).flags.f_contiguous)
        check(lambda xp, v=view: v(grid(xp)).astype("float64", order))


def test_flat_is_not_deleted_from():
    def program(xp):
        del grid(xp).flat[1]

    check(program)


def test_many_axes():
    for rank in (32, 33):
        check(lambda xp, n=rank: len(xp.ones((1,) * n).flat))
        check(lambda xp, n=rank: xp.ones((1,) * n, int).choose([2, 3]))


@pytest.mark.parametrize("name", ["WRITEABLE", "W", "C", "writeable"])
def test_flags_are_set_by_name(name):
    def program(xp):
        x = grid(xp)
        x.flags[name] = False
        return x.flags.writeable

    check(program)


def test_memory_of_a_shape():
    x = jujunp.ones(100)
    assert sys.getsizeof(x) < sys.getsizeof(x.reshape(100, 1, 1).copy())


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("view", [name for name in VIEWS if name not in ("whole", "T")])
def test_raveled_copies_own_their_memory(view, order):
    check(lambda xp: VIEWS[view](grid(xp)).ravel(order).flags.owndata)
    check(lambda xp: grid(xp).reshape(-1)[::2].ravel(order).flags.owndata)


OBJECTS = """
import numpy, jujunp as np
assert type(np.ndarray(2, object)) is numpy.ndarray
assert np.ndarray((), "f4,f4", b"12345678").dtype.names == ("f0", "f1")
assert np.count_nonzero(np.zeros(2, "f4,f4")) == 0
"""


def test_arrays_of_other_dtypes(run_python):
    run_python(OBJECTS, JUJUNP_STRICT="0")
