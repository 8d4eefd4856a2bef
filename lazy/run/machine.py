"""The door to the immediate tier: the Mojo extension module, its opcodes and buffers."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import library
from ..values import address_space
from ..values.dtypes import DTYPES
from ..values.value import LIMIT, LOG, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

_vm = library.VM
STATE = library.STATE
run_routine = ctypes.CDLL(_vm.__file__).jujunp_run_routine
"""Carries out a routine (kernels/vm/routines/routines.mojo), given the addresses of its words, its
tensors, and a fault."""
run_routine.restype = ctypes.c_int64
threads = library.THREADS
"""Threads that large work may use."""
OPCODES: dict[str, int] = _vm.opcodes()
"""Opcode by name: elementwise operations, kernels, and the machine's own."""
OPERATIONS: dict[int, str] = {code: name for name, code in OPCODES.items()}
"""Name by opcode."""

_SCATTERS = (
    "scatter",
    "scatter_add",
    "scatter_mul",
    "scatter_min",
    "scatter_max",
    "scatter_windows",
    "scatter_windows_add",
    "scatter_windows_mul",
    "scatter_windows_min",
    "scatter_windows_max",
)
WRITES = ("store", *_SCATTERS)
"""Steps that change a part of their first input."""
IN_PLACE = (*_SCATTERS, "require")
"""Kernels that return their first input, changed or not."""

CONSTANTS: dict[str, int] = _vm.constants()
"""Numbers of the machine's by name: kinds of Python numbers, and these statuses."""
OUT_OF_BOUNDS = CONSTANTS["out of bounds"]
NO_MEMORY = CONSTANTS["no memory"]
MALFORMED = CONSTANTS["malformed"]

result_of = _vm.result_of
plan = _vm.plan
execute = _vm.execute
element = _vm.element
outside = _vm.outside
new_loops = _vm.loops
learn = _vm.learn
method = _vm.method
set_operator = _vm.set_operator
Buffer = _vm.Buffer
address_of = _vm.address
"""Returns where the memory of a buffer begins."""
buffer_over = _vm.adopt
"""Returns a buffer over memory, given its address, its bytes, and the object that owns it."""


def _codes(name: str) -> tuple[int, ...]:
    """Return the code of a step on one dtype, by dtype code."""
    return tuple(pack(OPCODES[name], code, code) for code in range(len(DTYPES)))


COPIES = _codes("copy")
"""The code of a copy, by dtype code."""
STORES = _codes("store")
"""The code of a write through a view, by dtype code."""


def _bind() -> None:
    """Tell the library what it must know of Python's side."""
    facts: dict[str, Any] = {kind.__name__: kind for kind in (bool, int, float, tuple, slice)}
    facts |= {
        "ellipsis": ...,
        "false": False,
        "region": address_space.ADDRESS,
        "dtypes": DTYPES,
        "in_place": [OPCODES[name] for name in IN_PLACE],
        "copies": COPIES,
        "stores": STORES,
        "log": LOG,
        "limit": LIMIT,
        "room": len(address_space.MEMORY),
        "numpy": np._core._multiarray_umath._ARRAY_API,  # type: ignore[attr-defined]
    }
    _vm.bind(STATE, facts)


_bind()


def add_function(opcode: int, loop: int, arity: int, dtypes: int, predicate: bool) -> None:
    """Make an elementwise function of the user's known (kernels/vm/base/functions.mojo).

    Args:
        opcode: From CONSTANTS["first function"] on.
        loop: The address of its loop.
        arity: The number of operands, 1 or 2.
        dtypes: The dtypes of operands, a bit mask over their codes.
        predicate: Whether the result is bool.
    """
    _vm.add_function(STATE, opcode, loop, arity, dtypes, predicate)


def set_threads(count: int) -> None:
    """Let large work use this many threads; 1 starts none."""
    global threads
    threads = count
    _vm.set_threads(STATE, count)


os.register_at_fork(after_in_child=_vm.forget_threads)


def allocate(nbytes: int) -> Any:
    """Return a new buffer, not initialised."""
    return _vm.allocate(STATE, nbytes)


def planned() -> tuple[list[int], list[int]]:
    """Return which values of the log the plan computes, and which of them are results."""
    nodes, outputs = _vm.planned(STATE)
    return list(nodes), list(outputs)


def bytecode() -> tuple[bytes, list[int]]:
    """Return the planned bytecode and the places of its constants."""
    address, length, constants = _vm.bytecode(STATE)
    return ctypes.string_at(address, 8 * length), list(constants)


def run_words(words: np.ndarray, sizes: Sequence[int], limit: int) -> int:
    """Check and run any bytecode (int64 words) on zeroed slots of these sizes; returns its status.

    A negative size is a slot without memory. Bytecode that looks at more than `limit` elements is
    not run: -1. MALFORMED is bytecode that would touch memory that is not its own.
    """
    return int(_vm.run_words(STATE, (words.ctypes.data, len(words)), list(sizes), limit))


def memory_in_use() -> int:
    """Return the bytes of array memory now allocated."""
    return int(_vm.memory_in_use(STATE))
