"""A group as the text of a loop in Mojo.

The text calls the functions of kernels/elementwise, and those of users, on vectors, a step after
another, so that it gives the bits that the machine gives. Intermediate results are variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jujunp.kernels.facts import numbers

from ..functions.table import Function, function_of
from ..run.machine import OPCODES, OPERATIONS, arity_of, is_silent
from ..values.dtypes import BOOL, COMPLEX64, COMPLEX128, DTYPES, NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

_BYTECODE = numbers("vm/base/bytecode.mojo")
_STEP = _BYTECODE["STEP_LENGTH"]
VECTOR_BYTES = numbers("elementwise/numbers/memory.mojo")["VECTOR_BYTES"]
"""Bytes of a vector of the widest elements: what the longest register of a CPU holds."""
_MANY_REGISTERS = 32
"""Registers of `VECTOR_BYTES` that a processor with AVX-512 has, and what others have."""
_FEW_REGISTERS = 8
_MOST_LANES = 64
"""Lanes of a vector at most: the machine has room for so many elements behind the last one."""
_SELECT = OPCODES["select_n"]
_CONVERT = OPCODES["convert_element_type"]
_COPY = OPCODES["copy"]
_COPY_STEP = _BYTECODE["COPY_STEP"]
_CLAMP = OPCODES["clamp"]


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
    if function := function_of(opcode):
        return function.arity
    return 1 if opcode in (_COPY_STEP, _CONVERT) else arity_of(opcode)


@dataclass(frozen=True)
class Text:
    """A C function of a loop, what it imports, and the folders where that is."""

    function: str
    imports: tuple[str, ...]
    folders: tuple[Path, ...]


def text_of(group: Group, name: str) -> Text:
    """Return the loop of a group as a C function of a name; raises NoText where there is none.

    It takes the addresses of the operands and the number of elements, and returns how many it has
    done: those of whole vectors. For a negative number it does one vector.
    """
    body = _Body(group)
    lines = [line for step in group.steps for line in body.lines_of(step)]
    known, lane = _most_known(group), VECTOR_BYTES // body.widest
    places = [f"    var p{k} = at[unsafe_offset={k}]" for k in range(len(group.operands))]
    ones = [f"    var s{k} = {_load(code, f'p{k}', '0', '1')}" for k, code in body.ones.items()]
    function = _TEXT.format(
        name=name,
        many=min(_MOST_LANES, _registers(known, _MANY_REGISTERS) * lane),
        few=min(_MOST_LANES, _registers(known, _FEW_REGISTERS) * lane),
        places="\n".join([*places, *ones]),
        steps="\n".join(f"        {line}" for line in lines),
    )
    return Text(function, tuple(body.functions.values()), tuple(body.folders))


def _registers(known: int, most: int) -> int:
    """Return how many registers of the processor a vector should take: 1, 2 or 4.

    More of them let more operations be under way at once, as long as all that is known at a time
    fits into the registers that there are.
    """
    return next((n for n in (4, 2) if n * known <= most), 1)


def _most_known(group: Group) -> int:
    """Return how many results of steps and elements of operands are needed at once, at most."""
    last: dict[object, int] = {}
    made: list[list[object]] = []
    registers: dict[int, object] = {}
    for place, step in enumerate(group.steps):
        used = [_known(group, registers, reference) for reference in step.operands]
        last |= dict.fromkeys((value for value in used if value is not None), place)
        value = object()
        if step.to >= 0:
            registers[step.to] = value
        last[value] = place
        made.append([value, *(operand for operand in used if isinstance(operand, int))])
    most, known = 0, set[object]()
    for place, values in enumerate(made):
        known.update(values)
        most = max(most, len(known))
        known = {value for value in known if last[value] > place}
    return most


def _known(group: Group, registers: dict[int, object], reference: int) -> object:
    """Return what a reference names: a result, the number of an operand; None for one element."""
    if reference >= 0:
        return registers[reference]
    return None if group.operands[-1 - reference].one else -1 - reference


def whole(texts: Sequence[Text]) -> str:
    """Return the source of a library with some loops."""
    imports = sorted({line for text in texts for line in text.imports})
    return "".join([_HEADER, *(f"{line}\n" for line in imports), *(x.function for x in texts)])


_HEADER = '''"""Fused loops: groups of steps that have proved hot."""

from std.sys import CompilationTarget

from elementwise.complex.number import (
    Complex,
    as_complex,
    as_real,
    choose,
    load_complex,
    store_complex,
)
from elementwise.dispatch import complex_table
from elementwise.dispatch.operations import apply1, apply2, apply3
from elementwise.compare import select
from elementwise.numbers.convert import converted
from elementwise.numbers.memory import load, store
from elementwise.silent import critical, outside
from structured.threads.ieee import DIVIDE, INVALID, raise_flags

comptime Places = Pointer[Int, MutUntrackedOrigin]
'''

_TEXT = """

@export
def {name}(places: Int, n: Int) abi("C") -> Int:
    comptime lanes = {many} if CompilationTarget.has_avx512f() else {few}
    var at = Places(unsafe_from_address=places)
    var bad = SIMD[DType.bool, lanes](fill=False)
{places}
    var done = n // lanes * lanes if n >= 0 else lanes
    for i in range(0, done, lanes):
{steps}
    if bad.reduce_or():
        raise_flags(INVALID | DIVIDE)
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
        self.functions: dict[str, str] = {}
        """By the name of a user's function here, the line that imports it."""
        self.folders: list[Path] = []
        self._count = 0
        self.widest = 1

    def lines_of(self, step: Step) -> list[str]:
        if step.opcode != _COPY_STEP and not step.operands:
            raise NoText(f"there is no step {step.opcode}")
        lines: list[str] = []
        result = step.source if step.opcode == _COPY_STEP else step.result
        for code in (step.source, result):
            self.widest = max(self.widest, DTYPES[_part(code)].itemsize)
        values = [
            self._value(reference, code, lines)
            for reference, code in zip(step.operands, _codes(step), strict=True)
        ]
        if minded := _minded(step, values):
            lines.append(f"bad |= {minded}")
        made = self._name()
        lines.append(f"var {made} = rebind[{_type(result)}]({self._call(step, values)})")
        if step.to >= 0:
            self._registers[step.to] = made, result
        else:
            k = -1 - step.to
            if self._group.operands[k].size != DTYPES[result].itemsize:
                raise NoText("a result is stored as another dtype")
            lines.append(f"{_named('store', result)}(p{k}, i, {made})")
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
        if operand.size != DTYPES[code].itemsize:
            raise NoText("an operand is read as another dtype")
        if operand.one and not operand.written:
            if self.ones.setdefault(k, code) != code:
                raise NoText("a number is read as two dtypes")
            parts = [f"s{k}.re[0]", f"s{k}.im[0]"] if _is_complex(code) else [f"s{k}[0]"]
            return f"{_type(code)}({', '.join(parts)})"
        if (k, code) not in self._loaded:
            loaded = self._loaded[k, code] = self._name()
            lines.append(f"var {loaded} = {_load(code, f'p{k}', 'i', 'lanes')}")
        return self._loaded[k, code]

    def _call(self, step: Step, values: Sequence[str]) -> str:
        if step.opcode in (_COPY_STEP, _COPY):
            return values[0]
        if function := function_of(step.opcode):
            return f"{self._imported(function)}({', '.join(values)})"
        if step.opcode == _CONVERT:
            return _converted(step, values[0])
        if _is_complex(step.source) or _is_complex(step.result):
            return _complex_call(step, values)
        if step.opcode == _SELECT:
            return f"select({', '.join(values)})"
        return f"apply{len(values)}[{step.opcode}]({', '.join(values)})"

    def _imported(self, function: Function) -> str:
        """Return the name of a user's function here, which is imported."""
        package = Path(function.package)
        name = package.stem
        self.functions[name] = f"from {name}.apply import apply as {name}"
        self.folders.append(package.parent)
        return name


def _codes(step: Step) -> list[int]:
    """Return the dtype codes of a step's operands: all the same, but for the mask of a choice."""
    codes = [step.source] * len(step.operands)
    if step.opcode == _SELECT:
        codes[0] = BOOL
    return codes


def _is_complex(code: int) -> bool:
    return code in (COMPLEX64, COMPLEX128)


def _part(code: int) -> int:
    """Return the dtype code of the parts of complex numbers, of others itself."""
    return code - 2 if _is_complex(code) else code


def _dtype(code: int) -> str:
    """Return the dtype in Mojo: of complex numbers that of their parts."""
    return f"DType.{NAMES[_part(code)]}"


def _type(code: int) -> str:
    return f"{'Complex' if _is_complex(code) else 'SIMD'}[{_dtype(code)}, lanes]"


def _named(function: str, code: int) -> str:
    return f"{function}_complex" if _is_complex(code) else function


def _load(code: int, place: str, at: str, lanes: str) -> str:
    return f"{_named('load', code)}[{_dtype(code)}, {lanes}]({place}, {at})"


def _converted(step: Step, value: str) -> str:
    source, to = map(_is_complex, (step.source, step.result))
    if source and to:
        return f"{value}.cast[{_dtype(step.result)}]()"
    function = "as_real" if source else "as_complex" if to else "converted"
    return f"{function}[{_dtype(step.result)}]({value})"


def _minded(step: Step, values: Sequence[str]) -> str:
    """Return what tells where a silent step may raise something, "" for others."""
    if not is_silent(step.opcode, step.source, step.result):
        return ""
    if step.opcode == _CONVERT:
        part = ".re" if _is_complex(step.source) else ""
        return f"outside[{step.result}]({values[0]}{part})"
    return f"critical({values[0]}, {values[-1]})"


def _complex_call(step: Step, values: Sequence[str]) -> str:
    """Return the call of a function whose operands or result are complex numbers."""
    if not _is_complex(step.source):
        return f"{_type(step.result)}({', '.join(values)})"
    if step.opcode == _SELECT:
        return f"choose({values[0]}, {values[2]}, {values[1]})"
    if step.opcode == _CLAMP:
        low, x, high = values
        inner = f'complex_table.apply2["max"]({x}, {low})'
        return f'complex_table.apply2["min"]({inner}, {high})'
    count = len(values)
    function = f"apply{count}"
    if step.result == BOOL:
        function = f"apply_predicate{count}"
    elif not _is_complex(step.result):
        function = "apply_part"
    return f'complex_table.{function}["{OPERATIONS[step.opcode]}"]({", ".join(values)})'
