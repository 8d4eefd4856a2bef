"""A group as the text of a loop in Mojo.

The text calls the functions of kernels/elementwise on vectors, a step after another, so that it
gives the bits that the machine gives. Intermediate results are variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jujunp.kernels.facts import numbers

from ..run.machine import CONSTANTS, OPCODES, arity_of
from ..values.dtypes import BOOL, DTYPES, NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

_BYTECODE = numbers("vm/base/bytecode.mojo")
_STEP = _BYTECODE["STEP_LENGTH"]
VECTOR_BYTES = numbers("elementwise/numbers/memory.mojo")["VECTOR_BYTES"]
"""Bytes of a vector of the widest elements: what the longest register of a CPU holds."""
_SELECT = OPCODES["select_n"]
_CONVERT = OPCODES["convert_element_type"]
_COPY = OPCODES["copy"]
_COPY_STEP = _BYTECODE["COPY_STEP"]
_FIRST_FUNCTION = CONSTANTS["first function"]


class NoText(Exception):
    """A group has no text; the message says why."""


@dataclass(frozen=True)
class Operand:
    """An operand of a group: bytes of an element, whether it is one for all, whether written."""

    size: int
    one: bool
    written: bool


@dataclass(frozen=True)
class Step:
    """A step of a group; a reference is a register, or operand k as -1 - k."""

    opcode: int
    source: int
    result: int
    to: int
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """A group, read from the words that the machine describes it by."""

    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]

    @classmethod
    def of_words(cls, words: Sequence[int]) -> Group:
        """Read what `Blocks.description` of kernels/vm/run/blocks.mojo has written."""
        count, steps = words[:2]
        first = 2 + count
        operands = [_operand(word) for word in words[2:first]]
        rows = [words[at : at + _STEP] for at in range(first, first + steps * _STEP, _STEP)]
        return cls(tuple(operands), tuple(_step(row) for row in rows))


def _operand(word: int) -> Operand:
    return Operand(word >> 2, bool(word & 2), bool(word & 1))


def _step(words: Sequence[int]) -> Step:
    opcode, source, result, to, *references = words
    return Step(opcode, source, result, to, tuple(references[: _arity(opcode)]))


def _arity(opcode: int) -> int:
    return 1 if opcode in (_COPY_STEP, _CONVERT) else arity_of(opcode)


def text_of(group: Group, name: str) -> str:
    """Return the loop of a group as a C function of a name; raises NoText where there is none.

    It takes the addresses of the operands and the number of elements, and returns how many it has
    done: those of whole vectors. For a negative number it does one vector.
    """
    body = _Body(group)
    lines = [line for step in group.steps for line in body.lines_of(step)]
    lanes = VECTOR_BYTES // body.widest
    places = [f"    var p{k} = at[unsafe_offset={k}]" for k in range(len(group.operands))]
    ones = [
        f"    var s{k} = load[DType.{NAMES[code]}, 1](p{k}, 0)[0]" for k, code in body.ones.items()
    ]
    return _TEXT.format(
        name=name,
        lanes=lanes,
        places="\n".join([*places, *ones]),
        steps="\n".join(f"        {line}" for line in lines),
    )


HEADER = '''"""Fused loops: groups of steps that have proved hot."""

from elementwise.dispatch.operations import apply1, apply2, apply3
from elementwise.compare import select
from elementwise.numbers.convert import converted
from elementwise.numbers.memory import load, store

comptime Places = Pointer[Int, MutUntrackedOrigin]
'''

_TEXT = """

@export
def {name}(places: Int, n: Int) abi("C") -> Int:
    comptime lanes = {lanes}
    var at = Places(unsafe_from_address=places)
{places}
    var done = n // lanes * lanes if n >= 0 else lanes
    for i in range(0, done, lanes):
{steps}
    return done
"""


class _Body:
    """The steps of a group as lines, with what is known so far."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._registers: dict[int, tuple[str, int]] = {}
        """By register, the variable that it is now, and its dtype code."""
        self._loaded: dict[tuple[int, int], str] = {}
        """By operand and dtype code, the variable that holds it; none is kept past a write."""
        self.ones: dict[int, int] = {}
        """By operand that is one element for all, its dtype code."""
        self._count = 0
        self.widest = 1

    def lines_of(self, step: Step) -> list[str]:
        if step.opcode >= _FIRST_FUNCTION:
            raise NoText("it has a function of the user's")
        if step.opcode != _COPY_STEP and not step.operands:
            raise NoText(f"there is no step {step.opcode}")
        lines: list[str] = []
        result = step.source if step.opcode == _COPY_STEP else step.result
        for code in (step.source, result):
            if code >= len(_WIDTHS) or not _WIDTHS[code]:
                raise NoText("it has complex numbers")
            self.widest = max(self.widest, _WIDTHS[code])
        values = [
            self._value(reference, code, lines)
            for reference, code in zip(step.operands, _codes(step), strict=True)
        ]
        made = self._name()
        kind = f"SIMD[DType.{NAMES[result]}, lanes]"
        lines.append(f"var {made} = rebind[{kind}]({_call(step, values)})")
        if step.to >= 0:
            self._registers[step.to] = made, result
        else:
            k = -1 - step.to
            if self._group.operands[k].size != _WIDTHS[result]:
                raise NoText("a result is stored as another dtype")
            lines.append(f"store(p{k}, i, {made})")
            self._loaded.clear()
        return lines

    def _name(self) -> str:
        self._count += 1
        return f"x{self._count}"

    def _value(self, reference: int, code: int, lines: list[str]) -> str:
        if reference >= 0:
            name, known = self._registers[reference]
            if known != code:
                raise NoText("a register is read as another dtype")
            return name
        k = -1 - reference
        operand = self._group.operands[k]
        if operand.size != _WIDTHS[code]:
            raise NoText("an operand is read as another dtype")
        dtype = f"DType.{NAMES[code]}"
        if operand.one and not operand.written:
            if self.ones.setdefault(k, code) != code:
                raise NoText("a number is read as two dtypes")
            return f"SIMD[{dtype}, lanes](s{k})"
        if (k, code) not in self._loaded:
            loaded = self._loaded[k, code] = self._name()
            lines.append(f"var {loaded} = load[{dtype}, lanes](p{k}, i)")
        return self._loaded[k, code]


def _codes(step: Step) -> list[int]:
    """Return the dtype codes of a step's operands: all the same, but for the mask of a choice."""
    codes = [step.source] * len(step.operands)
    if step.opcode == _SELECT:
        codes[0] = BOOL
    return codes


def _call(step: Step, values: Sequence[str]) -> str:
    if step.opcode in (_COPY_STEP, _COPY):
        return values[0]
    if step.opcode == _CONVERT:
        return f"converted[DType.{NAMES[step.result]}]({values[0]})"
    if step.opcode == _SELECT:
        return f"select({', '.join(values)})"
    return f"apply{len(values)}[{step.opcode}]({', '.join(values)})"


_WIDTHS = [0 if dtype.kind == "c" else dtype.itemsize for dtype in DTYPES]
"""Bytes of an element by dtype code; 0 for dtypes that no vector has."""
