"""`np.ctypeslib`: C functions take our arrays and give them, as they do NumPy's."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import check, check_error

KINDS: dict[str, dict[str, Any]] = {
    "dtype": {"dtype": "float32"},
    "axes": {"ndim": 1},
    "shape": {"shape": (2, 3)},
    "length": {"shape": 3},
    "Fortran order": {"flags": "F"},
    "a number of flags": {"flags": 1},
    "a list of flags": {"flags": ["C", "writeable"]},
    "its own memory": {"flags": "OWNDATA"},
    "all": {"dtype": float, "ndim": 2, "shape": (2, 3), "flags": "C,ALIGNED"},
}
ARRAYS = {
    "two axes": lambda xp: xp.ones((2, 3)),
    "one axis": lambda xp: xp.ones(3, "float32"),
    "transposed": lambda xp: xp.ones((3, 2)).T,
    "a view": lambda xp: xp.ones((2, 6))[:, ::2],
    "read-only": lambda xp: xp.broadcast_to(xp.ones(3), (2, 3)),
    "a list": lambda xp: [1.0, 2.0],
    "a number": lambda xp: xp.float64(1),
}


@pytest.fixture
def memmove() -> Any:
    """C's function that copies bytes, and returns where it has copied them to; of this test."""
    found = ctypes.CDLL(None)["memmove"]
    found.restype = ctypes.c_void_p
    return found


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_taken(kind: str, array: str) -> None:
    def program(xp: Any) -> bool:
        pointer = xp.ctypeslib.ndpointer(**KINDS[kind])
        pointer.from_param(ARRAYS[array](xp))
        return True

    if kind == "its own memory":
        check(program)  # the flags are named in another order
    else:
        check_error(program)


def test_flags_as_a_number() -> None:
    for make in (ARRAYS["two axes"], ARRAYS["one axis"], ARRAYS["read-only"]):
        check(lambda xp, make=make: make(xp).flags.num)
    flags = jj.ones((2, 3)).flags
    pointer = jj.ctypeslib.ndpointer(flags=flags)
    assert pointer is jj.ctypeslib.ndpointer(flags=flags.num)
    with pytest.raises(TypeError, match=r"flags .*'OWNDATA'"):
        pointer.from_param(jj.ones((2, 6))[:, :3])


def test_functions_write_to_arrays(memmove: Any) -> None:
    def program(xp: Any) -> list[Any]:
        pointer = xp.ctypeslib.ndpointer("float64", flags="C")
        memmove.argtypes = (pointer, pointer, ctypes.c_size_t)
        x, y = xp.zeros((2, 3)), xp.arange(3.0)
        y += 1  # pending
        seen = x[1]
        memmove(seen, y, y.nbytes)
        x[0] = seen * 2
        return [x, y, seen]

    check(program)


def test_memory_never_moves(memmove: Any) -> None:
    def program(xp: Any) -> list[Any]:
        pointer = xp.ctypeslib.ndpointer("float64", shape=(3,))
        memmove.argtypes = (pointer, pointer, ctypes.c_size_t)
        memmove.restype = pointer
        x = xp.zeros(3)
        found = memmove(x, xp.arange(3.0), x.nbytes)
        assert type(found) is xp.ndarray
        x += 1
        found[0] = 9
        return [x, found, found.ctypes.data == x.ctypes.data]

    check(program)


def test_pointers_without_a_shape(memmove: Any) -> None:
    pointer = jj.ctypeslib.ndpointer("float64")
    memmove.argtypes = (pointer, pointer, ctypes.c_size_t)
    memmove.restype = pointer
    x = jj.zeros(3)
    found = memmove(x, jj.ones(3), x.nbytes)
    assert isinstance(found, pointer)
    assert found.value == x.ctypes.data
    assert not hasattr(found, "contents")


def test_arrays_of_numpy_are_taken() -> None:
    pointer = jj.ctypeslib.ndpointer("float64", ndim=1)
    assert pointer.from_param(np.ones(3))
    with pytest.raises(TypeError, match=r"must have 1 dimension"):
        pointer.from_param(np.ones((3, 1)))


def test_arrays_over_memory_of_ctypes() -> None:
    def program(xp: Any) -> list[Any]:
        pairs = (ctypes.c_int * 2 * 3)((1, 2), (3, 4), (5, 6))
        x = xp.ctypeslib.as_array(pairs)
        assert type(x) is xp.ndarray
        x[1] += 10
        pairs[0][1] = 7
        pointer = ctypes.cast(pairs, ctypes.POINTER(ctypes.c_int))
        y = xp.ctypeslib.as_array(pointer, (6,))
        y[5] = 8
        return [x, y, pairs[1][0], pairs[2][1]]

    check(program)
    check_error(lambda xp: xp.ctypeslib.as_array(ctypes.pointer(ctypes.c_int(1))))


def test_the_rest_is_numpys() -> None:
    x = jj.arange(3.0)
    x += 1
    shared = jj.ctypeslib.as_ctypes(x)
    shared[0] = 5.0
    assert x.tolist() == [5, 2, 3]
    assert jj.ctypeslib.c_intp is np.ctypeslib.c_intp
    assert {"ndpointer", "load_library"} <= set(dir(jj.ctypeslib))
    structure = np.dtype([("a", "i4"), ("b", "f4")])
    taken = jj.ctypeslib.ndpointer(structure).from_param(np.zeros(3, structure))
    assert type(taken) is type(np.zeros(1).ctypes)
