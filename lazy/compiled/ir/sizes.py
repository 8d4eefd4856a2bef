"""Sizes that are known at run time only: expressions of symbols, as text.

The text is what JAX prints of a symbolic dimension: `n`, `2*n - 1`, `floordiv(n, 2)`,
`mod(- 1, n)`, `max(n, 3)`, `m*n^2`. It is equal for equal expressions, in every process.
"""

from __future__ import annotations

import ast
import functools
import operator
from typing import TYPE_CHECKING, Any, TypeVar

from jujunp.kernels.facts import SIZES, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Number = TypeVar("Number")

OPERATORS = {name.lower(): number for name, number in numbers(SIZES).items()}
"""What the terms of an expression in postfix notation are (kernels/vm/routines/sizes.mojo)."""

_BINARY = {ast.Add: "add", ast.Mult: "mul"}

ON_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "max": max,
    "min": min,
}
"""What the operators mean."""


class Size(str):
    """An expression with the arithmetic of integers; an operation on it gives one, or an int."""

    __slots__ = ()

    def __add__(self, other: int | str) -> int | Size:  # type: ignore[override]
        return combined("add", self, other)

    def __mul__(self, other: int | str) -> int | Size:  # type: ignore[override]
        return combined("mul", self, other)

    def __sub__(self, other: int | str) -> int | Size:
        return combined("add", self, combined("mul", other, -1))

    def __rsub__(self, other: int | str) -> int | Size:
        return combined("add", other, combined("mul", self, -1))

    def __floordiv__(self, other: int | str) -> int | Size:
        return combined("floordiv", self, other)

    def __radd__(self, other: int | str) -> int | Size:  # type: ignore[misc]
        return combined("add", other, self)

    def __rmul__(self, other: int | str) -> int | Size:  # type: ignore[override]
        return combined("mul", other, self)


def size_of(length: int | str) -> int | Size:
    """Return a length, whose expression may be plain text, as a number to reckon with."""
    return Size(length) if isinstance(length, str) else int(length)


def combined(name: str, x: int | str, y: int | str) -> int | Size:
    """Return what an operator makes of two sizes."""
    if not isinstance(x, str) and not isinstance(y, str):
        return ON_INTEGERS[name](x, y)
    if (0 if name == "add" else 1) in (x, y) and name in ("add", "mul"):
        return size_of(next(n for n in (y, x) if isinstance(n, str)))
    if name == "mul" and 0 in (x, y):
        return 0
    sign = {"add": "+", "mul": "*"}.get(name)
    return Size(f"{name}({x}, {y})" if sign is None else f"({x}) {sign} ({y})")


def product(lengths: Iterable[int | str]) -> int | Size:
    """Return the product of lengths."""
    found: int | Size = 1
    for length in lengths:
        found = combined("mul", found, length)
    return found


def is_symbolic(shape: Iterable[object]) -> bool:
    """Whether a shape has an axis whose length is an expression."""
    return any(isinstance(length, str) for length in shape)


def folded(
    size: int | str,
    number: Callable[[int], Number],
    symbol: Callable[[str], Number],
    apply: Callable[[str, Number, Number], Number],
) -> Number:
    """Evaluate an expression: `apply` gets an operator's name and two values."""

    def value(node: Any) -> Number:
        match node:
            case ast.Constant(value=int(constant)):
                return number(constant)
            case ast.Name(id=name):
                return symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return apply("mul", number(-1), value(operand))
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(times))):
                return functools.reduce(functools.partial(apply, "mul"), [value(base)] * times)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return apply("add", value(left), apply("mul", number(-1), value(right)))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return apply(_BINARY[type(op)], value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=[left, right]) if name in OPERATORS:
                return apply(name, value(left), value(right))
        raise ValueError(f"{size!r} is no size")

    return value(_parsed(size))


@functools.lru_cache(4096)
def _parsed(size: int | str) -> ast.expr:
    return ast.parse(str(size).replace("^", "**"), mode="eval").body


def evaluated(size: int | str, symbols: Mapping[str, int]) -> int:
    """Return the value of an expression."""
    return folded(size, int, symbols.__getitem__, lambda name, x, y: ON_INTEGERS[name](x, y))


def postfix(size: int | str, symbols: Sequence[str]) -> list[int]:
    """Return an expression as words: the number of its terms, then operator and value of each."""

    def term(kind: str, value: int = 0) -> list[int]:
        return [OPERATORS[kind], value]

    words = folded(
        size,
        lambda value: term("number", value),
        lambda name: term("symbol", symbols.index(name)),
        lambda name, left, right: [*left, *right, *term(name)],
    )
    return [len(words) // 2, *words]


def symbols_of(shapes: Iterable[Iterable[object]]) -> list[str]:
    """Return the symbols that are lengths of axes by themselves, in their order."""
    lengths = (length for shape in shapes for length in shape)
    return list(dict.fromkeys(x for x in lengths if isinstance(x, str) and x.isidentifier()))
