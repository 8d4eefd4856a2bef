"""Elementwise functions of users, written in Mojo: the table of those that can be recorded."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from ..run import machine
from ..values.dtypes import BOOL

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST = machine.CONSTANTS["first function"]
"""Opcodes from here on are those of functions."""
_COUNT = machine.CONSTANTS["functions"]

_lock = threading.Lock()
_by_opcode: dict[int, Function] = {}


class Function(NamedTuple):
    """A function that can be recorded.

    `key` is the name of its primitive, with a digest of its source; `package` is the path of the
    graph package that has it as an op. `derivatives`, if there are any, are functions in JAX that
    give the derivative by each operand, from all operands.
    """

    key: str
    arity: int
    codes: frozenset[int]
    predicate: bool
    package: str
    derivatives: tuple[Callable[..., Any], ...] | None

    def result(self, operand: int) -> int:
        """Return the dtype code of results for operands of a dtype code."""
        return BOOL if self.predicate else operand


def function_of(opcode: int) -> Function | None:
    """Return the function with an opcode, None for an opcode of something else."""
    return _by_opcode.get(opcode)


def add(function: Function, loop: int) -> None:
    """Make a function known by the address of its loop, which stays there for good.

    One that is known already keeps its opcode and loop; its derivatives are replaced. RuntimeError
    when there are too many functions.
    """
    with _lock:
        opcode = _free_opcode(function.key)
        if opcode not in _by_opcode:
            mask = sum(1 << code for code in function.codes)
            machine.add_function(opcode, loop, function.arity, mask, function.predicate)
            machine.OPCODES[function.key] = opcode
        _by_opcode[opcode] = function


def name(opcode: int, *fields: Any) -> None:
    """Make a function of another process known, which is named here and never runs.

    Its opcode is that of the other process; `fields` are those of `Function` but the last.
    """
    with _lock:
        _by_opcode[opcode] = Function._make((*fields, None))


def _free_opcode(key: str) -> int:
    """Return the opcode of a function: that which its digest says, or the next one that is free.

    It is part of a graph's name on disk, so that it should be the same in other processes.
    """
    digest = int(key.rpartition(".")[2], 16)
    for distance in range(_COUNT):
        opcode = FIRST + (digest + distance) % _COUNT
        known = _by_opcode.get(opcode)
        if known is None or known.key == key:
            return opcode
    raise RuntimeError(f"a process can have no more than {_COUNT} functions in Mojo")
