"""A user's elementwise function in Mojo as the sources of a loop and of a graph op.

The loop is what groups call on the immediate tier; the op is what MAX fuses. Both call `apply`,
which calls the user's function for exactly the dtypes that it is for.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..values.dtypes import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIX = "mojo."
"""How the names of these functions' primitives begin."""


@dataclass(frozen=True)
class Signature:
    """How a function in Mojo is called: on vectors or on one element each, with a bool result?"""

    arity: int
    vectors: bool
    predicate: bool


@dataclass(frozen=True)
class Sources:
    """What is built: texts by file name, the name of the package, and the primitive's name."""

    files: dict[str, str]
    package: str
    key: str


_COMMENT = re.compile(r"#.*")
_CLOSING = {"[": "]", "(": ")"}


def signature_of(source: str, name: str) -> Signature:
    """Return how a function at the top level of a Mojo source is called; ValueError for none."""
    found = re.search(rf"^def\s+{re.escape(name)}\s*(?=[\[(])", source, re.MULTILINE)
    if not name.isidentifier() or found is None:
        raise ValueError(f"the source defines no function {name!r} at its top level")
    rest = _COMMENT.sub("", source[found.end() :])
    if rest.startswith("["):
        rest = _bracketed(rest)[1].lstrip()
    inside, rest = _bracketed(rest)
    parameters = [part.strip() for part in _split(inside)]
    types = [part.partition(":")[2] for part in parameters if part not in ("", "/", "*")]
    result = re.match(r"[^:]*?->([^:]*):", rest)
    if len(types) not in (1, 2):
        raise ValueError(f"{name} has {len(types)} operands, where 1 or 2 can be vectorized")
    if result is None:
        raise ValueError(f"{name} does not say what it returns")
    predicate = result[1].strip() == "Bool" or "DType.bool" in result[1]
    return Signature(len(types), "SIMD[" in types[0], predicate)


def _bracketed(text: str) -> tuple[str, str]:
    """Return what is between the bracket that a text begins with and its partner, and the rest."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if depth == 0:
            return text[1:at], text[at + 1 :]
    raise ValueError(f"the source ends before the {_CLOSING[text[0]]!r} of a signature")


def _split(parameters: str) -> list[str]:
    """Return the parts of a list at its own commas, not at those inside of brackets."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


_APPLY = '''"""The user's function for the dtypes it is for."""

from .function import {name} as function


@always_inline
def apply[
    dtype: DType, width: SIMDLength, //
]({parameters}) -> SIMD[{result}, width]:
    """The function on each lane."""
    comptime {branches}
    else:
        comptime assert False, "a dtype that the function is not for"
'''

_ON_VECTORS = """if dtype == DType.{dtype}:
        comptime kind = DType.{dtype}
        return rebind[SIMD[{result}, width]](function({vectors}))
"""

_ON_LANES = """if dtype == DType.{dtype}:
        comptime kind = DType.{dtype}
        var found = SIMD[{kind}, width]()
        comptime for lane in range(Int(width)):
            found[lane] = function({lanes})
        return rebind[SIMD[{result}, width]](found)
"""

_LOOP = '''"""The function's loop over memory, as groups of the machine call it."""

from std.sys import size_of

from elementwise.numbers.dtypes import DTYPES, DTYPE_COUNT
from elementwise.numbers.memory import VECTOR_BYTES, load, store
from {package}.apply import apply


@export
def jujunp_loop(dtype: Int, n: Int, dst: Int, a: Int, b: Int) abi("C") -> Int:
    """Writes `n` results for operands of a dtype code; 1 for a dtype that is refused, else 0."""
    comptime for code in range(DTYPE_COUNT):
        comptime if {mask} >> code & 1 == 1:
            if dtype == code:
                run[DTYPES[code]](n, dst, a, b)
                return 0
    return 1


def run[dtype: DType](n: Int, dst: Int, a: Int, b: Int):
    comptime lanes = {lanes}
    var full = n // lanes * lanes
    for at in range(0, full, lanes):
        store(dst, at, apply({whole}))
    if full < n:
        var found = apply({padded})
        for lane in range(n - full):
            store(dst, full + lane, found[lane])


@always_inline
def padded[
    dtype: DType, lanes: Int
](address: Int, at: Int, n: Int) -> SIMD[dtype, lanes]:
    """The elements from `at` on, the last of all `n` again in the lanes that are left.

    An element's result thus does not depend on its place, and nothing is computed of other numbers.
    """
    var found = SIMD[dtype, lanes]()
    for lane in range(lanes):
        found[lane] = load[dtype, 1](address, min(at + lane, n - 1))[0]
    return found
'''

_OP = '''"""The function as an op that MAX fuses."""

from extensibility import {trait}, register
from .apply import apply


@register("jj.{key}")
struct Function({trait}):
    """The user's function."""

    @staticmethod
    def elementwise[
        {parameters}
    ]({arguments}) -> SIMD[{result}, width]:
        return rebind[SIMD[{result}, width]](apply({operands}))
'''

_TRAITS = {
    (1, False): ("ElementwiseUnaryOp", "dtype"),
    (1, True): ("ElementwiseUnaryMixedOp", "out_dtype"),
    (2, False): ("ElementwiseBinaryOp", "dtype"),
    (2, True): ("ElementwiseBinaryComparisonOp", "DType.bool"),
}
"""The trait under which MAX fuses a function, by its arity and whether it is a predicate, and the
dtype that its results have there."""


def sources_of(source: str, name: str, signature: Signature, codes: Sequence[int]) -> Sources:
    """Return what is built of a function for operands of some dtype codes."""
    apply = _apply_text(name, signature, [NAMES[code] for code in codes])
    loop = _loop_text(signature, codes)
    op = _op_text(signature)
    digest = hashlib.sha256("\0".join([source, apply, loop, op]).encode()).hexdigest()[:16]
    package, key = f"mojo_{name}_{digest}", f"{PREFIX}{name}.{digest}"
    files = {
        f"{package}/__init__.mojo": '"""A function of the user\'s."""\n',
        f"{package}/function.mojo": source,
        f"{package}/apply.mojo": apply,
        f"{package}/op.mojo": op.replace("KEY", key),
        "loop.mojo": loop.replace("PACKAGE", package),
    }
    return Sources(files, package, key)


def _operands(signature: Signature, form: str) -> str:
    """Return a list of all operands, each written in a form with its name for `{}`."""
    return ", ".join(form.format(name) for name in "ab"[: signature.arity])


def _apply_text(name: str, signature: Signature, dtypes: Sequence[str]) -> str:
    branch = _ON_VECTORS if signature.vectors else _ON_LANES
    result = "DType.bool" if signature.predicate else "dtype"
    seen = "rebind[SIMD[kind, width]]({})"
    branches = [
        branch.format(
            dtype=dtype,
            result=result,
            kind="DType.bool" if signature.predicate else "kind",
            vectors=_operands(signature, seen),
            lanes=_operands(signature, f"{seen}[lane]"),
        )
        for dtype in dtypes
    ]
    return _APPLY.format(
        name=name,
        parameters=_operands(signature, "{}: SIMD[dtype, width]"),
        result=result,
        branches="    el".join(branches).rstrip("\n"),
    )


def _loop_text(signature: Signature, codes: Sequence[int]) -> str:
    return _LOOP.format(
        package="PACKAGE",
        mask=bin(sum(1 << code for code in codes)),
        lanes="VECTOR_BYTES // size_of[dtype]()" if signature.vectors else "1",
        whole=_operands(signature, "load[dtype, lanes]({}, at)"),
        padded=_operands(signature, "padded[dtype, lanes]({}, full, n)"),
    )


def _op_text(signature: Signature) -> str:
    trait, result = _TRAITS[signature.arity, signature.predicate]
    names = ["x"] if signature.arity == 1 else ["lhs", "rhs"]
    dtypes = ["dtype", "out_dtype"] if result == "out_dtype" else ["dtype"]
    return _OP.format(
        key="KEY",
        trait=trait,
        parameters=", ".join([*(f"{dtype}: DType" for dtype in dtypes), "width: SIMDLength"]),
        arguments=", ".join(f"{name}: SIMD[dtype, width]" for name in names),
        operands=", ".join(names),
        result=result,
    )
