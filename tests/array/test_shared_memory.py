"""Memory that others hold: NumPy's arrays over ours, and ours over NumPy's.

The oracle is NumPy, where each of the arrays is a view of the others.
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import importlib
import mmap
import random
import struct
import sys
import threading
import weakref
from array import array as array_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine
from tests.calls.support import python_frames
from tests.support.differential import DTYPES, check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "T": lambda x: x.T,
    "steps": lambda x: x[::-2, ::3],
    "row": lambda x: x[1],
    "column": lambda x: x[:, 2],
    "0-d": lambda x: x[1, 1, ...],
    "new axis": lambda x: x[None, :, 1:3],
}


def is_pinned(x: Any) -> bool:
    return machine.is_pinned((x if x._base is None else x._base)._value)


def both(dtype: Any = "float64") -> tuple[Any, np.ndarray]:
    made = np.arange(12).reshape(3, 4).astype(dtype)
    return jj.array(made), made


# -- ours, seen by NumPy


@pytest.mark.parametrize("dtype", [*DTYPES, jax.numpy.bfloat16])
@pytest.mark.parametrize("name", VIEWS)
def test_writes_are_seen_on_both_sides(name: str, dtype: Any) -> None:
    x, wanted = both(dtype)
    seen, view = np.asarray(VIEWS[name](x)), VIEWS[name](wanted)
    assert seen.dtype == view.dtype
    assert seen.strides == view.strides
    seen[...] = 1
    view[...] = 1
    np.testing.assert_array_equal(x.to_numpy(), wanted)
    x[1:, 1] = 0
    wanted[1:, 1] = 0
    np.testing.assert_array_equal(seen, view)
    np.testing.assert_array_equal(np.asarray(x), wanted)


def test_pending_steps_are_not_disturbed() -> None:
    x, wanted = both()
    before, copy, sum_ = x * 2, x.copy(), x.sum()
    seen = np.asarray(x)
    seen[...] = -1
    np.testing.assert_array_equal(before, wanted * 2)
    np.testing.assert_array_equal(copy, wanted)
    assert sum_ == wanted.sum()


RESULTS: dict[str, Callable[[Any, Any], Any]] = {
    "sum of two": lambda xp, x: x + 1,
    "row": lambda xp, x: x[1].copy(),
    "sin": lambda xp, x: xp.sin(x),
    "product": lambda xp, x: x @ x.T,
    "picked": lambda xp, x: x[xp.asarray([0, 1])],
    "masked": lambda xp, x: x[x > 3],
    "sorted": lambda xp, x: xp.sort(x),
    "order": lambda xp, x: xp.argsort(-x),
    "counts": lambda xp, x: xp.unique(x, return_counts=True),
    "singular values": lambda xp, x: xp.linalg.svd(x)[1],
    "determinant": lambda xp, x: xp.linalg.det(x[:, :3]),
    "sum": lambda xp, x: x.sum(),
    "itself": lambda xp, x: +x,
    "array": lambda xp, x: xp.array(x),
    "integers": lambda xp, x: x.astype(int),
    "choice": lambda xp, x: xp.where(x > 3, x, 0.0),
    "joined": lambda xp, x: xp.concatenate([x, x]),
    "flat": lambda xp, x: x.flatten(),
    "broadcast copy": lambda xp, x: xp.array(xp.broadcast_to(x[0], (2, 4))),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_do_not_see_later_writes(name: str) -> None:
    x, wanted = both()
    seen = np.asarray(x)
    found, want = RESULTS[name](jj, x), RESULTS[name](np, wanted)
    seen[...] = -1
    for a, b in zip(*((y if isinstance(y, tuple) else (y,)) for y in (found, want)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "element": lambda xp, x: x.__setitem__((1, 2), 7.0),
    "part": lambda xp, x: x.__setitem__(slice(1, 3), 7.0),
    "part of itself": lambda xp, x: x.__setitem__(slice(1, 3), x[:2]),
    "whole": lambda xp, x: x.__setitem__(..., xp.arange(12.0).reshape(3, 4) * 3),
    "whole of another": lambda xp, x: x.__setitem__(slice(None), xp.ones((3, 4))),
    "index array": lambda xp, x: x.__setitem__(xp.asarray([0, 2]), -1.0),
    "index arrays": lambda xp, x: x.__setitem__((xp.asarray([0, 2]), xp.asarray([1, 1])), -1.0),
    "mask": lambda xp, x: x.__setitem__(x > 3, x[x > 3] * 2),
    "in place": lambda xp, x: x.__iadd__(x),
    "in place with a number": lambda xp, x: x.__imul__(3.0),
    "in place, power": lambda xp, x: x.__ipow__(2),
    "view in place": lambda xp, x: x[1].__imul__(x[0]),
    "out": lambda xp, x: xp.multiply(x, x, out=x),
    "out by place": lambda xp, x: xp.negative(x, x),
    "where": lambda xp, x: xp.add(x, 1.0, out=x, where=x > 2),
    "copyto": lambda xp, x: xp.copyto(x, xp.ones(4)),
    "fill": lambda xp, x: x.fill(5.0),
    "sort": lambda xp, x: (x.__imul__(-1.0), x.sort(axis=0)),
    "put": lambda xp, x: xp.put(x, [0, 5], [1.0, 2.0]),
    "at": lambda xp, x: xp.add.at(x, (xp.asarray([0, 0]), xp.asarray([1, 1])), 1.0),
    "flat": lambda xp, x: x.flat.__setitem__(slice(2, 5), 1.0),
    "put_along_axis": lambda xp, x: xp.put_along_axis(x, xp.asarray([[0], [1], [2]]), 9.0, 1),
    "fill_diagonal": lambda xp, x: xp.fill_diagonal(x, 4.0),
    "partition": lambda xp, x: (x.__imul__(-1.0), x.partition(1, axis=1)),
    "sum into": lambda xp, x: xp.sum(x, axis=0, out=x[0]),
    "large": lambda xp, x: x.__setitem__(..., xp.sin(x) + x.T.copy().T * 2),
}


@pytest.mark.parametrize("write", WRITES)
def test_each_write_goes_to_the_memory(write: str) -> None:
    x, wanted = both()
    seen = np.asarray(x)
    address = seen.ctypes.data
    for _ in range(5):  # calls are recorded again from the fourth on
        WRITES[write](jj, x)
        WRITES[write](np, wanted)
        np.testing.assert_allclose(seen, wanted, rtol=1e-15)
        np.testing.assert_allclose(x.to_numpy(), wanted, rtol=1e-15)
    assert np.asarray(x).ctypes.data == address


def test_calls_are_recorded_again_without_python() -> None:
    """Held or not; copies are made at once then."""
    x, wanted = both()

    def calls() -> tuple[Any, ...]:
        return x.copy(), jj.clip(x, 1, 5, out=x), jj.sort(x), x[1:].copy()

    for _ in range(40):  # a function with many signatures learns one of them when it came 32 times
        calls()
    seen = np.asarray(x)
    for _ in range(40):  # what was known before needed no transcript
        calls()
    seen[...] = wanted
    made: list[Any] = []
    assert not python_frames(lambda: made.extend(calls()))
    clipped = np.clip(wanted, 1, 5)
    np.testing.assert_array_equal(seen, clipped)
    seen[...] = 9
    for found, want in zip(made, (wanted, seen, np.sort(clipped), clipped[1:]), strict=True):
        np.testing.assert_array_equal(found, want)


def test_large_writes_go_to_the_memory() -> None:
    x = jj.zeros((300, 400))
    seen = np.asarray(x)
    wanted = np.zeros((300, 400))
    rng = np.random.default_rng(3)
    other = rng.normal(size=(300, 400))
    ours = jj.array(other)
    for k in range(4):
        x += ours * k
        wanted += other * k
        x[1:] = x[:-1]
        wanted[1:] = wanted[:-1]
        x[:, ::2] *= 2
        wanted[:, ::2] *= 2
        x[jj.array(other[:, 0] > 0)] = 1.0
        wanted[other[:, 0] > 0] = 1
        np.testing.assert_array_equal(seen, wanted)


@pytest.mark.parametrize("size", [100, 50_001])
@pytest.mark.parametrize("name", ["divmod", "modf", "frexp"])
def test_one_of_several_results_goes_to_the_memory(name: str, size: int) -> None:
    """The other one reads what was there, and gets memory of its own."""
    more = (2.0,) if name == "divmod" else ()
    for with_other in (False, True):
        for k in range(10):  # calls are learnt where nobody holds memory, and recorded again
            given = np.arange(1.0, 1.0 + size) * 1.37
            x, other = jj.array(given), jj.zeros(size, int if name == "frexp" else float)
            seen = np.asarray(x) if k > 5 else x
            out = (x, other if with_other else None)
            found = getattr(jj, name)(x, *more, out=out)
            wanted = getattr(np, name)(given, *more)
            np.testing.assert_array_equal(seen, wanted[0])
            np.testing.assert_array_equal(x.to_numpy(), wanted[0])
            np.testing.assert_array_equal(found[1].to_numpy(), wanted[1])


def test_index_arrays_that_change_outside() -> None:
    index = jj.array([0, 1, 2])
    x = jj.arange(3.0)
    assert x[index].tolist() == [0, 1, 2]  # that it is in bounds is remembered
    seen = np.asarray(index)
    for _ in range(6):
        np.testing.assert_array_equal(x[index], [0, 1, 2])
        np.testing.assert_array_equal(jj.take(x, index), [0, 1, 2])
        seen[0] = 9
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            x[index]
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            x[index] = 1.0
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            jj.take(x, index)
        seen[0] = 0


def test_memory_is_pinned_until_the_last_holder_is_gone() -> None:
    x, _ = both()
    holders: list[Any] = [np.asarray(x), memoryview(x), np.from_dlpack(x), np.asarray(x.T)[1:]]
    holders += [holders[0][::2], holders[2].reshape(-1), memoryview(holders[0][1])]
    for seed in range(6):
        random.Random(seed).shuffle(holders)
    while holders:
        assert is_pinned(x)
        flushes = jj.stats()["flushes"]
        y = x * 2
        assert jj.stats()["flushes"] == flushes + 1  # it has run
        holders.pop()
    assert not is_pinned(x)
    flushes = jj.stats()["flushes"]
    y = x * 3
    assert jj.stats()["flushes"] == flushes
    np.testing.assert_array_equal(y, np.arange(12.0).reshape(3, 4) * 3)


def test_a_thread_holds_memory() -> None:
    x = jj.zeros(1000)
    begin, done = threading.Event(), threading.Event()

    def work(seen: np.ndarray) -> None:
        begin.wait()
        seen += 1
        done.set()

    thread = threading.Thread(target=work, args=(np.asarray(x),))
    thread.start()
    y = x + 1
    begin.set()
    done.wait()
    assert y.sum() == 1000
    assert (x + 1).sum() == 2000
    thread.join()
    del thread
    assert not is_pinned(x)


def test_holders_outlive_their_array() -> None:
    x = jj.arange(1000.0) + 1
    seen, view = np.asarray(x), memoryview(x[::2])
    gone = weakref.ref(x)
    del x
    gc.collect()
    jj.flush(jj.ones(1000) * 7)
    assert seen.sum() == 500500
    assert view[1] == 3
    del seen
    assert gone() is None or view.obj is not None
    view.release()
    gc.collect()
    assert gone() is None


def test_read_only_arrays() -> None:
    x, _ = both()
    x.flags.writeable = False
    seen = np.asarray(x)
    assert not seen.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        seen[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        seen.flags.writeable = True
    assert memoryview(x).readonly
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 96).from_buffer(x)
    spread = jj.broadcast_to(jj.arange(3.0), (2, 3))
    assert not np.asarray(spread).flags.writeable


def test_a_resize_is_refused() -> None:
    x = jj.arange(4.0)
    seen = np.asarray(x)
    with pytest.raises(ValueError, match="cannot resize an array that references"):
        x.resize(8)
    assert seen.tolist() == [0, 1, 2, 3]
    del seen
    x.resize(6)
    assert x.tolist() == [0, 1, 2, 3, 0, 0]


def test_a_shape_is_assigned() -> None:
    x = jj.arange(6.0)
    seen = np.asarray(x)
    x.shape = (2, 3)
    seen[:] = 7
    assert x.tolist() == [[7] * 3] * 2
    x[1] = 1
    assert seen.tolist() == [7] * 3 + [1] * 3


# -- Python's buffers


def test_what_takes_buffers() -> None:
    x = jj.arange(4.0)
    raw = np.arange(4.0).tobytes()
    assert bytes(x) == bytes(memoryview(x)) == bytes(x.data) == raw
    assert hashlib.sha256(x).digest() == hashlib.sha256(raw).digest()
    assert struct.unpack_from("d", x, 8) == (1.0,)
    assert np.frombuffer(x).tolist() == [0, 1, 2, 3]
    assert bytearray(x) == raw
    assert b"".join([x, x]) == raw * 2
    struct.pack_into("d", x, 8, 50.0)
    assert x[1] == 50


def test_files(tmp_path: Path) -> None:
    x = jj.arange(1000.0)
    with (tmp_path / "x").open("wb") as file:
        file.write(x)
    y = jj.zeros(1000)
    with (tmp_path / "x").open("rb") as file:
        assert file.readinto(y) == 8000
    assert y.tolist() == x.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_memoryviews(name: str, dtype: Any) -> None:
    x, wanted = both(dtype)
    ours, theirs = memoryview(VIEWS[name](x)), memoryview(VIEWS[name](wanted))
    for what in (
        *("format", "itemsize", "ndim", "shape", "strides", "nbytes", "readonly"),
        *("c_contiguous", "f_contiguous", "contiguous", "suboffsets"),
    ):
        assert getattr(ours, what) == getattr(theirs, what)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (0, 0), (1,) * 30, (2, 1, 3)])
def test_shapes(shape: tuple[int, ...]) -> None:
    x, wanted = jj.ones(shape), np.ones(shape)
    ours, theirs = memoryview(x), memoryview(wanted)
    assert (ours.shape, ours.nbytes, ours.c_contiguous) == (
        theirs.shape,
        theirs.nbytes,
        theirs.c_contiguous,
    )
    assert np.asarray(x).shape == shape
    if wanted.size:
        assert np.asarray(x).strides == wanted.strides


def test_what_buffers_refuse() -> None:
    x, wanted = both()
    for view in (lambda x: x.T, lambda x: x[::2], lambda x: x[:, 1]):
        for take in (hashlib.sha1, lambda x: struct.unpack_from("d", x)):
            with pytest.raises((ValueError, BufferError)) as theirs:
                take(view(wanted))
            with pytest.raises(theirs.type, match=str(theirs.value)):
                take(view(x))
    assert not is_pinned(x)


def test_ctypes() -> None:
    x = jj.arange(4.0)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    pointer[2] = 9
    assert x[2] == 9
    x += 1
    assert pointer[2] == 10
    assert x.ctypes.shape[0] == 4
    assert x.ctypes.strides[0] == 8
    view = (ctypes.c_double * 4).from_buffer(x)
    view[0] = -1
    assert x[0] == -1


def test_interfaces() -> None:
    x = jj.arange(4.0)

    class Interface:
        __array_interface__ = x.__array_interface__

    class Struct:
        __array_struct__ = x.__array_struct__

    for seen in (np.asarray(Interface()), np.asarray(Struct())):
        seen += 1
    assert x.tolist() == [2, 3, 4, 5]
    x *= 2
    assert np.asarray(Interface()).tolist() == [4, 6, 8, 10]


def test_arrays_over_memory_of_an_array() -> None:
    """Writes are seen on both sides, also where a step gives the array other memory."""

    def program(xp: Any) -> list[Any]:
        x = xp.arange(6.0)
        x *= 2  # pending
        whole, part = xp.ndarray(6, float, x), xp.ndarray(2, float, x, 16, (-8,))
        assert part.base is whole.base is x
        x += 1
        whole[1] = 7
        part[0] = 9
        x[4:] = x[:2] + part
        return [x, whole, part, xp.ndarray((2, 2), "int32", x[3:], order="F")]

    check(program)


def test_dlpack() -> None:
    x = jj.arange(6.0).reshape(2, 3)
    seen = np.from_dlpack(x)
    seen[0] = 1
    x[1] = 2
    assert x.tolist() == seen.tolist() == [[1] * 3, [2] * 3]
    apart = np.from_dlpack(x, copy=True)
    apart[...] = 0
    assert x.sum() == 9


# -- NumPy's and others', seen by ours


SHARES: dict[str, Callable[[Any], Any]] = {
    "asarray": jj.asarray,
    "asanyarray": jj.asanyarray,
    "array": lambda x: jj.array(x, copy=None),
    "array, no copy": lambda x: jj.array(x, copy=False),
    "asarray, dtype": lambda x: jj.asarray(x, x.dtype),
    "from_dlpack": jj.from_dlpack,
}


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_memory_of_numpy_is_shared(name: str, share: str, dtype: Any) -> None:
    _, source = both(dtype)
    theirs = VIEWS[name](source)
    if share == "from_dlpack" and dtype == "bool":
        theirs = theirs[...]
    ours = SHARES[share](theirs)
    assert ours.strides == theirs.strides
    source[...] = 1
    np.testing.assert_array_equal(ours.to_numpy(), theirs)
    ours[...] = 0
    assert not theirs.any()
    assert source.any() == (name != "whole" and name != "T")


def test_steps_on_shared_memory_run_at_once() -> None:
    source = np.arange(5.0)
    x = jj.asarray(source)
    y, z = x + 1, x.copy()
    source[...] = 0
    assert y.tolist() == [1, 2, 3, 4, 5]
    assert z.tolist() == [0, 1, 2, 3, 4]
    x += 2
    assert source.tolist() == [2] * 5
    x[1:3] = x[3:] * 5
    assert source.tolist() == [2, 10, 10, 2, 2]


def test_memory_is_ours_when_its_owner_is_gone() -> None:
    source = np.arange(5.0)
    x = jj.asarray(source)
    assert is_pinned(x)
    part = source[1:]
    del source
    assert is_pinned(x)
    del part
    assert not is_pinned(x)
    y = x * 2
    x += 1
    assert (y.tolist(), x.tolist()) == ([0, 2, 4, 6, 8], [1, 2, 3, 4, 5])


def test_two_arrays_over_the_same_memory() -> None:
    source = np.arange(5.0)
    x, y = jj.asarray(source), jj.asarray(source[1:])
    del source
    x[1] = 50
    assert y[0] == 50
    y += 1
    assert x.tolist() == [0, 51, 3, 4, 5]


OVERLAPPING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "shifted": lambda xp, x, y: x.__setitem__(slice(1, None), y[:-1]),
    "reversed": lambda xp, x, y: x.__setitem__(slice(None), y[::-1]),
    "added": lambda xp, x, y: x.__iadd__(y[::-1]),
    "added to a part": lambda xp, x, y: x[1:].__iadd__(y[:-1]),
    "by indices": lambda xp, x, y: x.__setitem__(xp.arange(1, len(x)), y[:-1]),
    "out": lambda xp, x, y: xp.multiply(y[:-1], 2.0, out=x[1:]),
    "cumsum": lambda xp, x, y: xp.cumsum(y[::-1], out=x),
    "of a mask": lambda xp, x, y: x.__setitem__(y > 2, y[::-1][y > 2]),
}


@pytest.mark.parametrize("size", [8, 1000, 100_000])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_writes_that_overlap_what_they_read(name: str, size: int) -> None:
    """Two arrays do not know of each other that they are over the same memory."""
    source = np.arange(1.0, size + 1)
    wanted = source.copy()
    for _ in range(3):
        OVERLAPPING[name](jj, jj.asarray(source), jj.asarray(source[:]))
        OVERLAPPING[name](np, wanted, wanted)
        np.testing.assert_array_equal(source, wanted)


def test_arrays_over_an_address() -> None:
    x = jj.arange(8.0)
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    other = jj.asarray(np.ctypeslib.as_array(pointer, (8,)))
    x[1:] = other[:-1]
    assert other.tolist() == x.tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_buffers_of_others(tmp_path: Path) -> None:
    array = bytearray(16)
    x = jj.frombuffer(array, np.float64)
    x[1] = 1
    assert struct.unpack("2d", array) == (0, 1)
    struct.pack_into("d", array, 0, 5.0)
    assert x.tolist() == [5, 1]
    fixed = jj.frombuffer(bytes(array))
    assert fixed.tolist() == [5, 1]
    with pytest.raises(ValueError, match="read-only"):
        fixed[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        fixed.flags.writeable = True
    later = x + 1  # is not disturbed by what is written after it
    struct.pack_into("d", array, 0, 6.0)
    assert later.tolist() == [6, 2]
    assert x.tolist() == [6, 1]
    assert jj.frombuffer(bytearray()).flags.writeable
    assert not jj.frombuffer(b"").flags.writeable
    apart = jj.frombuffer(bytes(9), np.int32, 2, offset=1)  # not aligned: copied
    assert apart.tolist() == [0, 0]
    with mmap.mmap(-1, 32) as memory:
        y = jj.frombuffer(memory, np.int64)
        y[2] = 7
        assert memory[16] == 7
        with pytest.raises(BufferError):
            memory.close()
        del y
    mapped = np.memmap(tmp_path / "map", np.float64, "w+", shape=4)
    jj.asarray(mapped)[:] = 3.0
    mapped.flush()
    assert np.fromfile(tmp_path / "map").tolist() == [3] * 4


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "array", "mmap", "ours"])
@pytest.mark.parametrize("keep", ["numpy's", "ours"])
def test_holders_of_buffers(kind: str, keep: str) -> None:
    """Arrays of NumPy's, and views, over memory of each kind of owner, whoever lives longest."""
    owner: Any = {
        "bytes": lambda: bytes(range(48)),
        "bytearray": lambda: bytearray(range(48)),
        "array": lambda: array_module("B", range(48)),
        "mmap": lambda: mmap.mmap(-1, 48),
        "ours": lambda: jj.arange(48, dtype=np.uint8),
    }[kind]()
    given = np.frombuffer(owner, np.int16).reshape(4, 6)
    for theirs in (given, given[::-1, 1::2], given.T):
        ours = jj.asarray(theirs)
        assert (ours.shape, ours.strides) == (theirs.shape, theirs.strides)
        assert ours.flags.writeable == theirs.flags.writeable == (kind != "bytes")
        later = ours + 1
        expected = theirs + 1
        if kind == "bytes":
            with pytest.raises(ValueError, match="read-only"):
                ours[0] = 1
        else:
            theirs[1, 1] = -3
            assert ours[1, 1] == -3
            ours[0] = 300
            assert theirs[0].tolist() == [300] * theirs.shape[1]
        assert later.tolist() == expected.tolist()
    last = jj.asarray(given) if keep == "ours" else given
    elements = given.tolist()
    del owner, given, theirs, ours
    gc.collect()
    assert last.tolist() == elements


@pytest.mark.parametrize("kind", [np.matrix, np.ma.array, np.rec.array, np.asarray])
def test_memory_of_derived_arrays_is_shared_each_time(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where NumPy may be handed what it knows better, from the second call on."""
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    given = kind(np.arange(6.0).reshape(2, 3))
    for made in (jj.asarray, jj.ascontiguousarray, lambda x: jj.array(x, copy=None)):
        for k in range(6):
            x = made(given)
            copied = jj.array(given)
            given[0, 1] = k + 10
            assert x[0, 1] == k + 10
            assert copied[0, 1] != k + 10


@pytest.mark.parametrize("size", [20, 300])
def test_truth_values_that_are_other_bytes(size: int) -> None:
    """All but 0 are true, where others have written them."""
    memory = np.zeros((size, size), np.uint8)
    theirs = memory.view(bool)
    ours = jj.asarray(theirs)
    for x, y in ((ours, theirs), (ours.T, theirs.T), (ours[::2, ::-1], theirs[::2, ::-1])):
        for byte in (0, 2, 255):
            memory[...] = 0
            memory[4, 7:9] = byte
            for axis in (None, 0, 1):
                assert jj.argmax(x, axis).tolist() == np.argmax(y, axis).tolist()
                assert jj.argmin(x, axis).tolist() == np.argmin(y, axis).tolist()
            memory[...] = byte
            memory[4, 7:9] = 0
            assert jj.argmin(x).tolist() == np.argmin(y).tolist()


def test_arrays_that_cannot_be_written_are_shared() -> None:
    owner = np.arange(6.0)
    fixed = owner.view()
    fixed.flags.writeable = False
    x = jj.asarray(fixed)
    owner[2] = 9
    assert x[2] == 9
    assert not x[1:].flags.writeable
    assert x.copy().flags.writeable
    assert (x + 1).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert owner.tolist() == [0, 1, 9, 3, 4, 5]


def test_the_constructor_takes_buffers() -> None:
    memory = bytearray(48)
    for args in (
        ((2, 3), np.int32, memory),
        ((2, 2), np.int16, memory, 4),
        ((3,), np.float64, memory, 40, (-8,)),
        ((2, 3), np.int64, memory, 0, None, "F"),
    ):
        ours, theirs = jj.ndarray(*args), np.ndarray(*args)  # type: ignore[call-overload]
        assert (ours.shape, ours.strides, ours.dtype) == (
            theirs.shape,
            theirs.strides,
            theirs.dtype,
        )
        ours[...] = np.arange(ours.size).reshape(ours.shape)
        assert ours.tolist() == theirs.tolist()
    for wrong in (((7,), np.float64, memory), ((2,), np.int16, b"123456", 3), ((2,), "d", 3)):
        with pytest.raises(Exception) as theirs_:  # noqa: PT011
            np.ndarray(*wrong)  # type: ignore[call-overload]
        with pytest.raises(theirs_.type):
            jj.ndarray(*wrong)


def test_what_cannot_be_shared() -> None:
    for given in ([1, 2], (1.0,), 5, 2.5, np.float64(3)):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            jj.array(given, copy=False)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        jj.array(np.arange(3.0), np.float32, copy=False)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        jj.asarray(np.arange(6.0).reshape(2, 3), order="F", copy=False)
    source = np.arange(4.0)
    for apart in (jj.array(source), jj.asarray(source, copy=True), jj.asarray(source, "f4")):
        apart[0] = 9
    assert source[0] == 0


def test_what_makes_arrays_is_asked_once() -> None:
    asked: list[Any] = []

    class Made:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            asked.append(dtype)
            return np.arange(3.0)

    for make in (jj.asarray, jj.array, lambda x: jj.asarray(x, np.int32), jj.sum):
        asked.clear()
        make(Made())
        assert len(asked) == 1


def test_ours_comes_back() -> None:
    x, _ = both()
    seen = np.asarray(x)
    assert jj.asarray(seen) is x
    part = jj.asarray(seen[1:, ::2])
    assert part.base is x
    part[...] = 7
    assert seen[1:, ::2].tolist() == [[7, 7]] * 2
    words = jj.asarray(seen.view(np.int64))
    words[0, 0] = 0
    assert x[0, 0] == 0
    view = x.T[1:]
    assert jj.asarray(np.asarray(view)) is view
    seen.flags.writeable = False
    assert not jj.asarray(seen).flags.writeable


# -- errors


def test_errors_are_not_lost() -> None:
    for take in (np.asarray, memoryview, np.array, bytes):
        x = jj.arange(3.0)
        with jj.deferred_errors():
            x[jj.array([7])] = 1.0
            with pytest.raises(IndexError, match="index 7 is out of bounds"):
                take(x)
        assert x.tolist() == [0, 1, 2]
        assert np.asarray(x).tolist() == [0, 1, 2]


def test_a_failed_write_leaves_pinned_memory() -> None:
    x = jj.arange(3.0)
    seen = np.asarray(x)
    with jj.deferred_errors(), pytest.raises(IndexError, match="index 7 is out of bounds"):
        x[jj.array([7])] = 1.0
    assert seen.tolist() == [0, 1, 2]
    x += 1
    assert seen.tolist() == [1, 2, 3]


# -- transformations


def test_derivatives_of_what_others_hold() -> None:
    weights, at = jj.array([1.0, 2.0, 3.0]), jj.array([1.0, 1.0, 2.0])
    seen = np.asarray(weights), np.asarray(at)

    def function(x: Any) -> Any:
        found = jj.sum(x * x * weights)
        seen[0][...] = 100.0  # the product keeps what it was
        return found

    np.testing.assert_array_equal(jj.grad(function)(at), [2, 4, 12])
    seen[0][...] = [1, 2, 3]
    linear = jj.vmap(lambda x: x * weights)(jj.ones((2, 3)))
    seen[0][...] = 0
    np.testing.assert_array_equal(linear, [[1, 2, 3]] * 2)

    kept: list[Any] = []

    def exporting(x: Any) -> Any:
        y = x * 2
        kept.append(y)
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(y)[0] = 1.0
        return jj.sum(y)

    np.testing.assert_array_equal(jj.grad(exporting)(at), [2, 2, 2])
    np.asarray(kept[0])[0] = 5.0  # nothing follows it any more
    assert kept[0][0] == 5


# -- random programs


class Program:
    """Arrays of ours and of NumPy's over them, beside NumPy's arrays alone that do the same."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        shape = self.random.choice([(6,), (3, 4), (2, 3, 2)])
        dtype = self.random.choice(["float64", "int32", "complex64"])
        made = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)
        self.arrays: list[tuple[Any, np.ndarray]] = []
        if self.random.random() < 0.5:
            self.arrays.append((jj.array(made), made.copy()))
        else:
            self.arrays.append((jj.asarray(made), made.copy()))
        self.held: list[tuple[np.ndarray, np.ndarray]] = []
        self.results: list[tuple[Any, np.ndarray]] = []

    def step(self) -> None:
        """Do one of the methods that follow."""
        self.random.choice(STEPS)(self, *self.random.choice(self.arrays))

    def view(self, ours: Any, theirs: np.ndarray) -> None:
        key = self._key(theirs)
        self.arrays.append((ours[key], theirs[key]))

    def hold(self, ours: Any, theirs: np.ndarray) -> None:
        self.held.append((np.asarray(ours), theirs))

    def write_outside(self, ours: Any, theirs: np.ndarray) -> None:
        if self.held:
            seen, view = self.random.choice(self.held)
            seen[...] = view[...] = self.random.randrange(5)

    def let_go(self, ours: Any, theirs: np.ndarray) -> None:
        if self.held:
            self.held.pop(self.random.randrange(len(self.held)))

    def take_back(self, ours: Any, theirs: np.ndarray) -> None:
        if self.held:
            seen, view = self.random.choice(self.held)
            self.arrays.append((jj.asarray(seen), view))

    def write_part(self, ours: Any, theirs: np.ndarray) -> None:
        key = self._key(theirs)
        ours[key] = theirs[key] = self.random.randrange(5)

    def write_another(self, ours: Any, theirs: np.ndarray) -> None:
        other, same = self.random.choice(self.arrays)
        if same.shape == theirs.shape and same.dtype == theirs.dtype:
            ours[...] = other
            theirs[...] = same

    def add(self, ours: Any, theirs: np.ndarray) -> None:
        number = self.random.randrange(5)
        ours += number
        theirs += number

    def compute(self, ours: Any, theirs: np.ndarray) -> None:
        self.results.append((ours * 2, theirs * 2))
        self.results.append((ours.copy(), theirs.copy()))
        self.results.append((ours.sum(), theirs.sum()))

    def reverse(self, ours: Any, theirs: np.ndarray) -> None:
        if theirs.ndim:
            ours[:] = ours[::-1]
            theirs[:] = theirs[::-1].copy()

    def pick(self, ours: Any, theirs: np.ndarray) -> None:
        if theirs.ndim and len(theirs):
            index = [self.random.randrange(len(theirs)) for _ in range(2)]
            ours[jj.array(index)] = theirs[index] = self.random.randrange(5)

    def _key(self, x: np.ndarray) -> tuple[slice, ...]:
        return tuple(self._part(n) for n in x.shape)

    def _part(self, n: int) -> slice:
        start = self.random.randrange(n + 1)
        return slice(start, None, self.random.choice([1, 1, 2, -1]))

    def check(self) -> None:
        for seen, view in self.held:
            np.testing.assert_array_equal(seen, view)
        for ours, theirs in (*self.arrays, *self.results):
            np.testing.assert_array_equal(ours.to_numpy(), theirs)


STEPS = (
    *(Program.view, Program.hold, Program.write_outside, Program.let_go, Program.take_back),
    *(Program.write_part, Program.write_another, Program.add, Program.compute, Program.reverse),
    Program.pick,
)


@pytest.mark.parametrize("seed", range(300))
def test_random_programs(seed: int) -> None:
    program = Program(seed)
    for k in range(40):
        program.step()
        if k % 10 == 9:
            program.check()


def test_references_of_views() -> None:
    x = jj.arange(24.0) + 0
    y = x.reshape(4, 6).T
    jj.flush()
    for take in (np.asarray, memoryview, bytes, np.from_dlpack, lambda x: x.__array__()):
        take(x), take(y)
        before = [sys.getrefcount(k) for k in (x, y, x._value, y._layout)]
        for _ in range(100):
            take(x), take(y)
        found = [sys.getrefcount(k) for k in (x, y, x._value, y._layout)]
        assert found == before
    assert not is_pinned(x)


def test_base_of_given_memory(tmp_path: Path) -> None:
    array = np.arange(6.0)
    mapped = np.memmap(tmp_path / "file", np.float64, "w+", shape=4)
    assert jj.asarray(array).base is array
    assert jj.asarray(array[1:]).base is array
    assert jj.asarray(mapped).base is mapped
    assert jj.array(array).base is None
    x = jj.asarray(array)
    assert x[1:].base is x
    own = jj.arange(3)
    np.asarray(own)
    assert own.base is None

    class Given:
        __array_interface__ = array.__array_interface__

    given = Given()
    assert jj.asarray(given).base is given


def test_an_array_over_a_buffer_is_another_one() -> None:
    x = jj.arange(4)
    y = jj.asarray(memoryview(x))
    assert y is not x
    assert not y.flags.owndata
    y[0] = 7
    assert x[0] == 7


@pytest.mark.parametrize("make", [jj.asarray, jj.array, lambda x: jj.add(x, 1)])
@pytest.mark.parametrize(
    ("told", "inside"),
    [
        ({}, True),
        ({"shape": (2,), "strides": (16,)}, True),
        ({"shape": (3,), "offset": 8}, True),
        ({"shape": (0,), "offset": 32}, True),
        ({"strides": (16,)}, False),
        ({"strides": (-8,)}, False),
        ({"offset": 100}, False),
        ({"shape": (5,)}, False),
    ],
    ids=str,
)
def test_an_interface_over_a_buffer_stays_inside(make: Any, told: Any, inside: bool) -> None:
    interface = {"shape": (4,), "typestr": "<f8", "version": 3, "data": bytearray(32), **told}
    given = SimpleNamespace(__array_interface__=interface)
    if inside:
        assert np.asarray(make(given)).shape == interface["shape"]
    else:
        with pytest.raises(ValueError, match="outside of its buffer"):
            make(given)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("offset", [0, 1, 2])
def test_what_is_only_read_is_not_copied_back(stride: int, offset: int) -> None:
    """A sum is written under operands that are not aligned, of which a copy was made."""
    memory = np.random.default_rng(3).integers(0, 256, 40, np.uint8)
    given = np.ndarray((7,), "i2", memory, offset, (stride,))
    wanted = np.add.reduce(given.copy(), dtype="i2")
    for place in (0, 2, 4, 1):
        kept = memory.copy()
        read, out = (
            np.ndarray(*a) for a in (((7,), "i2", kept, offset, (stride,)), ((), "i2", kept, place))
        )
        assert jj.add.reduce(read, out=out) is out
        assert out[()] == wanted


def test_what_numpy_gives_back_is_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    stack = importlib.import_module("jujunp.lib.recfunctions").stack_arrays
    x, y = jj.array([1, 2]), jj.array([3])
    assert stack(x) is x
    assert stack((x,)) is x
    both = stack((x, y), usemask=False)
    assert type(both) is jj.ndarray
    assert both.tolist() == [1, 2, 3]
