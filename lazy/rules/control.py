"""Rules of primitives that hold Jaxprs: calls, branches and loops.

A branch or the end of a `while` depends on a value, which is computed then and there.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ..run import machine
from ..run.flush import ensure, flush
from ..values.dtypes import BOOL
from ..values.value import LIMIT, LOG, Value, pack
from .calls import CALLS
from .operand import Operand, Rule, in_memory, node, number, seen_through, thread
from .shape_code import ShapeCode, Unrecordable
from .template import closed_constants, replay

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr

UNROLLED = 64
"""Equations of a loop at most, over all turns, that is recorded or written turn by turn."""


def _run(jaxpr: Any, operands: list[Operand]) -> list[Operand]:
    """Record a Jaxpr, closed or open."""
    if len(LOG) > LIMIT:
        flush()
    if hasattr(jaxpr, "consts"):
        return replay(jaxpr.jaxpr, closed_constants(jaxpr), operands)
    return replay(jaxpr, [], operands)


def _inner(name: str) -> Rule:
    """A call of the Jaxpr in a param: its operands are the equation's."""

    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        return _run(params[name], operands)

    return rule


@functools.lru_cache(maxsize=256)
def expanded(primitive: Any, avals: tuple[Any, ...]) -> ClosedJaxpr:
    """Return a primitive of JAX's high level as a Jaxpr of others.

    Primitives compare equal whose operands have other shapes, so the shapes are part of the key.
    """

    def function(*flat: Any) -> Any:
        return primitive.expand(*jax.tree.unflatten(primitive.in_tree, flat))

    with jax.enable_x64(True):
        return jax.make_jaxpr(function)(*avals)


def _high(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    primitive = params["_prim"]
    return _run(expanded(primitive, tuple(primitive.in_avals_flat)), operands)


def read(x: Operand) -> Any:
    """Compute an operand without axes and return it; Unrecordable while steps are kept aside."""
    if not isinstance(x.value, Value):
        return x.value
    if thread.aside:
        raise Unrecordable("what runs depends on a value")
    ensure(x.value)
    return machine.element(machine.STATE, x.value.buffer, x.layout, x.code)


def _cond(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    index, *rest = operands
    branches: tuple[ClosedJaxpr, ...] = params["branches"]
    chosen = min(max(int(read(index)), 0), len(branches) - 1)
    return _run(branches[chosen], rest)


def _while(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    first, second = params["cond_nconsts"], params["body_nconsts"]
    tested, used = operands[:first], operands[first : first + second]
    carry = operands[first + second :]
    while True:
        (going,) = _run(params["cond_jaxpr"], tested + carry)
        if not read(_any(going)):
            return carry
        found = _run(params["body_jaxpr"], used + carry)
        carry = [_chosen(going, old, new) for old, new in zip(carry, found, strict=True)]


def _any(going: Operand) -> Operand:
    """Whether one of many loops that run together, each with a condition, goes on."""
    if not going.shape:
        return going
    return node("reduce_or", [in_memory(going)], (), BOOL, range(len(going.shape)))


def _chosen(going: Operand, old: Operand, new: Operand) -> Operand:
    """Return the new values of those loops that go on; conditions are along the first axes."""
    if not going.shape:
        return new
    mask = in_memory(going)
    longer = mask.header()[(..., *(None,) * (len(old.shape) - len(mask.shape)))]
    mask = seen_through(mask, np.broadcast_to(longer, old.shape))
    return node("select_n", [mask, old, new], old.shape, old.code)


def lengths(params: Any) -> tuple[int, int]:
    """Return how many operands of a scan are constants, and how many are carried."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    constants, carried, _ = params["ft_in"].unpack()  # from JAX 0.12 on
    return len(list(constants)), len(list(carried))


def _scan(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    constants, carried = lengths(params)
    if thread.aside and params["length"] * len(params["jaxpr"].jaxpr.eqns) > UNROLLED:
        raise Unrecordable("a loop is too long to be recorded turn by turn")
    fixed = operands[:constants]
    carry = operands[constants : constants + carried]
    rows = [in_memory(x) for x in operands[constants + carried :]]
    stacked = [
        node("copy", [number(0, spec.code)], spec.shape, spec.code) for spec in results[carried:]
    ]
    places = range(params["length"])
    for place in reversed(places) if params["reverse"] else places:
        row = [seen_through(x, x.header()[place, ...]) for x in rows]
        found = _run(params["jaxpr"], fixed + carry + row)
        carry = found[:carried]
        pairs = zip(stacked, found[carried:], strict=True)
        stacked = [_written(x, place, y) for x, y in pairs]
    return carry + stacked


def _written(x: Operand, place: int, row: Operand) -> Operand:
    """Return an array with another row; the old array is not used again, so it is overwritten."""
    row = in_memory(row)
    code = pack(machine.OPCODES["store"], x.code, x.code)
    layouts = (x.header()[place, ...], row.layout)
    value = thread.step(code, x.shape, (x.value, row.value), layouts)
    return Operand(value, None, x.shape, x.code)


def solving(params: Any, operands: list[Any]) -> tuple[Any, list[Any]]:
    """Return the Jaxpr that solves the system of a custom_linear_solve, and its operands."""
    counts = params["const_lengths"]
    skipped = counts.matvec + counts.vecmat
    solve = operands[skipped : skipped + counts.solve]
    return params["jaxprs"].solve, [*solve, *operands[sum(counts) :]]


def _linear_solve(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return _run(*solving(params, operands))


def platform_place(params: Any) -> int:
    """Return the place of this platform, "cpu", in the alternatives; the last is the default."""
    platforms = enumerate(params["platforms"])
    return next(k for k, names in platforms if names is None or "cpu" in names)


def _platform(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [number(platform_place(params), results[0].code)]


RULES: dict[str, Rule] = {
    **{name: _inner(param) for name, param in CALLS.items()},
    "call_hi_primitive": _high,
    "cond": _cond,
    "while": _while,
    "scan": _scan,
    "custom_linear_solve": _linear_solve,
    "platform_index": _platform,
}
