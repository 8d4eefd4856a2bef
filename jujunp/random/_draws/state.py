"""Where the state of a bit generator is, and drawing from it.

The truth is in the memory of NumPy's bit generator, in its C structure, or else in a value that a
draw has recorded: then it is pending, and is put into that memory before anybody else looks.
"""

from __future__ import annotations

import ctypes
import math
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.run.machine import OPCODES, address_of, allocate
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import CODES, DTYPES, FLOAT32, FLOAT64, INT64, UINT64
from jujunp.lazy.values.value import Value, leaf, pack, record

from ..._array.handle import ndarray, new_handle, whole_value
from ..._array.making import wrap
from . import library

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jujunp.lazy.values.types import Shape

SMALL = machine.CONSTANTS["numbers at once"]
"""Numbers that are drawn at once, as recording them would take longer."""
_DRAW, _PROJECT = OPCODES["draw"], pack(OPCODES["project"], UINT64, UINT64)
_SIZES = tuple(dtype.itemsize for dtype in DTYPES)
_draw_float, _draw_whole = library.draw_float, library.draw_whole
_draw_integer = library.draw_integer
_draw_few, _draw_integers = library.draw_few, library.draw_integers
_NO_MEMORY = "there is no memory to draw random numbers"
_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_POINTER.restype, _POINTER.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class State:
    """The state of one bit generator of NumPy's: in its memory, or pending."""

    __slots__ = (
        *("_pending", "address", "flag", "holder", "lock", "methods", "number", "shared", "words"),
    )

    def __init__(self, name: str, capsule: Any, lock: Any, *, shared: bool) -> None:
        if name not in library.GENERATORS:
            raise TypeError(f"no kernel draws from the bit generator {name}")
        self.number = library.GENERATORS.index(name)
        self.words = library.words_of(self.number)
        structure = ctypes.c_void_p.from_address(_POINTER(capsule, b"BitGenerator"))
        self.address = structure.value
        self.lock = lock
        self.shared = shared
        """Whether others draw from its memory, so that nothing may stay pending."""
        self.methods = lock.acquire, lock.release
        self.flag = np.zeros(1, np.int64)
        """Whether the state is pending, for those that draw without Python."""
        self.pending = None
        self.holder: Source | None = None
        """Whose normal number is among the pending words."""

    @property
    def pending(self) -> Value | None:
        """The words of the state after all draws; None if the memory has it."""
        return self._pending

    @pending.setter
    def pending(self, value: Value | None) -> None:
        self._pending = value
        self.flag[0] = value is not None

    def settle(self) -> None:
        """Have the state in memory."""
        value = self.pending
        if value is not None:
            assert self.holder is not None
            ensure(value)
            library.push(self.holder.at, address_of(value.buffer))
            self.pending = self.holder = None

    def settle_if_computed(self) -> None:
        """Have the state in memory, if what was drawn is computed."""
        with self.lock:
            if self.pending is not None and self.pending.buffer is not None:
                self.settle()

    def value_for(self, source: Source) -> Value:
        """Return the words of the state as a value."""
        if self.pending is not None:
            if self.holder is source or not source.older:
                return self.pending
            self.settle()
        buffer = allocate(8 * self.words)
        library.pull(source.at, address_of(buffer))
        self.holder = source
        return leaf(UINT64, (self.words,), buffer)


class Parameter(NamedTuple):
    """A parameter in the memory of a value, seen through a layout."""

    value: Value
    layout: np.ndarray | None
    """None where it has the shape of the numbers."""


class Source:
    """What a generator draws from: a state, and the normal number that an older one keeps."""

    __slots__ = ("at", "cell", "cells", "kept", "methods", "older", "room", "scalars", "state")

    def __init__(self, state: State, *, older: bool = False) -> None:
        self.state = state
        self.older = older
        self.kept = np.zeros(2, np.uint64)
        """Whether a normal number is kept, and its bits."""
        self.cell = np.zeros(8, np.uint8)
        """Room for one number."""
        self.room = self.cell.ctypes.data
        self.scalars: dict[np.dtype, np.ndarray] = {}
        """That number as it is seen in a dtype."""
        places = state.address, self.kept.ctypes.data, state.flag.ctypes.data
        self.methods = *state.methods, state.settle_if_computed
        self.cells = np.array([state.number, *places, older, *map(id, self.methods)], np.int64)
        self.at = self.cells.ctypes.data

    def one_float(self, kind: int, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> float:
        """Return one float64."""
        state = self.state
        with state.lock:
            if state.pending is not None:
                state.settle()
            return _draw_float(self.at, kind, a, b, c)

    def one_whole(self, kind: int, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> int:
        """Return one int64."""
        state = self.state
        with state.lock:
            if state.pending is not None:
                state.settle()
            return _draw_whole(self.at, kind, a, b, c)

    def one_integer(self, kind: int, dtype: np.dtype, low: int, more: int) -> Any:
        """Return one bounded integer, as a scalar of NumPy's."""
        state = self.state
        found = self.scalars.get(dtype)
        if found is None:
            found = self.scalars[dtype] = self.cell.view(dtype)
        with state.lock:
            if state.pending is not None:
                state.settle()
            _draw_integer(self.at, kind, CODES[dtype], self.room, 1, low, more)
            return found[0]

    def numbers(
        self, kind: int, code: int, shape: Shape, a: float = 0.0, b: float = 0.0, c: float = 0.0
    ) -> ndarray:
        """Return an array of numbers of a distribution, given its parameters."""
        count = math.prod(shape)
        state = self.state
        with state.lock:
            few = count <= SMALL and state.pending is None
            if few or self._draws_now(count):
                buffer = allocate(count * _SIZES[code])
                if count <= SMALL:
                    status = _draw_few(self.at, kind, code, buffer, count, a, b, c)
                else:
                    given = (address_of(buffer), count, machine.threads, a, b, c)
                    status = library.draw_many(self.at, kind, code, *given)
                if status:
                    raise MemoryError(_NO_MEMORY)
                value = leaf(code, shape, buffer)
            else:
                value = self._recorded(kind, code, shape, (a, b, c)[: library.PARAMETERS[kind]])
        return new_handle(ndarray, value, None, None, shape, code)

    def numbers_of(self, kind: int, code: int, shape: Shape, given: Sequence[Parameter]) -> ndarray:
        """Return the same, given arrays of parameters."""
        state = self.state
        with state.lock:
            self._draws_now(0)
            inputs, seen = zip(*given, strict=True)
            value = self._recorded(kind, code, shape, inputs, seen)
            if state.shared or WATCHES:
                state.settle()
        return new_handle(ndarray, value, None, None, shape, code)

    def integers(self, kind: int, code: int, shape: Shape, low: int, more: int) -> ndarray:
        """Return bounded integers, given the least and the range, as 64 bits."""
        return self._rows(kind, code, shape, math.prod(shape), low, more)

    def places(self, kind: int, shape: Shape, population: int, shuffled: bool) -> ndarray:
        """Return rows of places: of all, in a random order, or of a sample of a population."""
        found = self._rows(kind, INT64, shape, shape[-1], population, int(shuffled))
        value: Any = found._value
        value.within = (0, max(population, 1))
        return found

    def _rows(self, kind: int, code: int, shape: Shape, row: int, low: int, more: int) -> ndarray:
        """Return integers, drawn row by row."""
        count = math.prod(shape)
        with self.state.lock:
            if self._draws_now(count):
                size = _SIZES[code]
                buffer = allocate(count * size)
                where = address_of(buffer)
                for at in range(where, where + count * size, max(row * size, 1)):
                    _check(_draw_integers(self.at, kind, code, at, row, low, more))
                value = leaf(code, shape, buffer)
            else:
                value = self._recorded(kind, code, shape, (), (), low, more)
        return new_handle(ndarray, value, None, None, shape, code)

    def _draws_now(self, count: int) -> bool:
        """Whether numbers are drawn at once, from the memory, where the state is then."""
        state = self.state
        pending = state.pending
        if pending is not None and (state.shared or WATCHES or pending.buffer is not None):
            state.settle()
            pending = None
        return pending is None and (count <= SMALL or state.shared or bool(WATCHES))

    def _recorded(
        self,
        kind: int,
        code: int,
        shape: Shape,
        inputs: Sequence[float | Value],
        seen: Sequence[np.ndarray | None] = (),
        low: int = 0,
        more: int = 0,
    ) -> Value:
        """Record a draw, after which the state is pending."""
        state = self.state
        before = state.value_for(self)
        first = record(
            pack(_DRAW, FLOAT32 if code == FLOAT32 else FLOAT64, code),
            shape,
            (before, *inputs),
            (None, *seen) if seen else None,
            (state.number, kind, _signed(low), _signed(more)),
        )
        if state.holder is None:
            state.holder = self
        state.pending = record(_PROJECT, (state.words,), (first,), None, (1,))
        return first


def _check(status: int) -> None:
    if status:
        raise MemoryError(_NO_MEMORY)


def _signed(word: int) -> int:
    """Return 64 bits as a signed integer."""
    return word - (1 << 64) if word >> 63 else word


def spread(x: ndarray, shape: Shape) -> Parameter:
    """Return an array as a parameter of numbers of a shape, to which it is broadcast."""
    if x._shape == shape:
        return Parameter(whole_value(x), None)
    seen = layouts.whole(x._shape, DTYPES[x._code])
    return Parameter(whole_value(x), np.broadcast_to(seen, shape))


class _Thread(threading.local):
    alone = False
    """Whether a call draws for one element of a batch alone."""


_thread = _Thread()


@contextmanager
def alone() -> Iterator[None]:
    """Draw for one element of the batches, of which nobody sees that it is one."""
    before, _thread.alone = _thread.alone, True
    try:
        yield
    finally:
        _thread.alone = before


def batch_sizes() -> tuple[int, ...]:
    """Return the sizes of the batches of which arrays stand for one element, outermost first."""
    if not WATCHES or _thread.alone:
        return ()
    return tuple(watch.size for watch in WATCHES if watch.size)


def element_of_batches(found: Any) -> Any:
    """Return what stands for an element of batches, given all, with the batches' axes first."""
    for watch in WATCHES:
        if watch.size:
            found = wrap(watch.element_of(whole_value(found)), found._shape[1:], found._code)
    return found
