"""Where the interpreter has its frames: found out, and tried, once.

The library reads the user's line of each step that can warn off them
(kernels/vm/base/frames.mojo), since a frame object would take longer to make than a step to record.
Where a place is not found, as in another interpreter, it does not know the lines.
"""

from __future__ import annotations

import ctypes
import os
import sys
from types import CodeType, FrameType

from . import machine
from .sites import roots

_WORD = ctypes.sizeof(ctypes.c_void_p)
_FRAME = 3
"""In a frame object: the word that is the address of the interpreter's frame."""
_WORDS_OF_FRAME = 12
_WORDS_OF_CODE = 32
_IN_THREAD = {(3, 11): (7, 1), (3, 12): (7, 0), (3, 13): (9, None)}
"""In a thread's state, by version: the word that leads to the frame; the word in what that is."""
_INTERPRETERS = ("<frozen ", "<shim>")
"""How files are called whose code is the interpreter's: modules that it is built with, and what
stands in Python 3.12 between a function and C code that calls it. Python 3.13 has no code there."""


def _word(address: int, index: int) -> int:
    return ctypes.c_size_t.from_address(address + _WORD * index).value


def _inner(frame: FrameType) -> int:
    return _word(id(frame), _FRAME)


def _place(address: int, count: int, wanted: int) -> int:
    """Return which of some words is wanted; ValueError if none is."""
    return [_word(address, index) for index in range(count)].index(wanted)


def _instruction(frame: int, code: CodeType, last: int) -> tuple[int, int]:
    """Return the word of a frame that has its instruction, and where instructions begin in a code.

    The instruction is in the code, as far from the first one as the frame object says.
    """
    for index in range(_WORDS_OF_FRAME):
        begin = _word(frame, index) - last - id(code)
        if 0 < begin < CodeType.__basicsize__ + _WORD and begin % 2 == 0:
            return index, begin
    raise ValueError("no word of the frame is an instruction of its code")


class Places:
    """Where things are, in bytes; `begin` is that of the instructions in a code, 0 if unknown."""

    def __init__(self) -> None:
        self.begin = 0

    def find(self) -> None:
        """Find the places, and tell the library; ValueError or KeyError if any is not found."""
        frame = sys._getframe(1)  # whose instruction stays what it is meanwhile
        outer = frame.f_back
        if outer is None:
            raise ValueError("no frame has another one")
        inner, code = _inner(frame), frame.f_code
        in_frame, begin = _instruction(inner, code, frame.f_lasti)
        of_code = _place(inner, _WORDS_OF_FRAME, id(code))
        of_previous = _place(inner, _WORDS_OF_FRAME, _inner(outer))
        of_file = _place(id(code), _WORDS_OF_CODE, id(code.co_filename))
        first, second = _IN_THREAD[sys.version_info[:2]]
        self._try_thread(first, second)
        inside = -1 if second is None else second * _WORD
        places = first, of_code, of_previous, in_frame, of_file
        first, *others = (place * _WORD for place in places)
        names = [os.fsencode(root) for root in (*roots(), *_INTERPRETERS)]
        machine.set_frames((first, inside, *others), CodeType, names)
        self.begin = begin

    def _try_thread(self, first: int, second: int | None) -> None:
        """Raise ValueError unless the thread's state leads to this function's frame."""
        get = ctypes.pythonapi.PyThreadState_Get
        get.restype = ctypes.c_void_p
        frame = _inner(sys._getframe())
        word = ctypes.c_size_t.from_address  # a Python function would have a frame of its own
        found = word(get() + _WORD * first).value
        if second is not None:
            found = word(found + _WORD * second).value
        if found != frame:
            raise ValueError("the thread's state has its frame elsewhere")

    def line_of(self, code: CodeType, instruction: int) -> int:
        """Return the line of an instruction, by how many bytes it is from where the code is."""
        line = ctypes.pythonapi.PyCode_Addr2Line
        line.argtypes = [ctypes.py_object, ctypes.c_int]
        return int(line(code, instruction - self.begin))


PLACES = Places()


def learn() -> None:
    """Find the places, or do without."""
    try:
        PLACES.find()
    except (KeyError, ValueError):
        PLACES.begin = 0


learn()
