"""Calls, branches and loops of a Jaxpr, as steps that hold IRs.

What is known while a graph is written is decided then: a branch by a constant, a short loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...rules.calls import CALLS
from ...rules.control import UNROLLED, expanded, lengths, platform_place, solving
from ..ir.graph_ir import TensorSpec
from ..ir.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import GraphIR
    from .reader import Reader


def _call(param: str) -> Any:
    def rule(
        reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]
    ) -> list[int]:
        return _inline(reader, params[param], operands)

    return rule


def _inline(reader: Reader, jaxpr: Any, operands: Sequence[int]) -> list[int]:
    return reader.read(getattr(jaxpr, "jaxpr", jaxpr), getattr(jaxpr, "consts", ()), operands)


def _high(reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]) -> list[int]:
    primitive = params["_prim"]
    return _inline(reader, expanded(primitive, tuple(primitive.in_avals_flat)), operands)


def _platform(
    reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]
) -> list[int]:
    return [reader.writer.constant(np.array(platform_place(params), results[0].dtype))]


def _linear_solve(
    reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]
) -> list[int]:
    return _inline(reader, *solving(params, operands))


def _cond(reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]) -> list[int]:
    """Choose by an integer, by one choice between two for each branch beyond the second.

    Each of these runs its branch or keeps what there is, so that one branch runs; MAX's choices
    are not put into each other.
    """
    index, *given = operands
    branches = params["branches"]
    writer = reader.writer
    last = len(branches) - 1
    known = writer.value_of(index)
    if known is not None or last == 0:
        chosen = last if known is None else min(max(int(known), 0), last)
        return _inline(reader, branches[chosen], given)
    specs = [writer.spec(value) for value in given]
    irs = [reader.ir(branch, specs) for branch in branches]
    if last == 1:
        return _chosen(writer, "gt", index, 0, irs, given, results)
    found = [writer.zeros(spec) for spec in results]
    for place, ir in enumerate(irs):
        compare = "le" if place == 0 else "ge" if place == last else "eq"
        both = [_keeping(results, specs), _after(results, ir)]
        found = _chosen(writer, compare, index, place, both, [*found, *given], results)
    return found


def _chosen(
    writer: Writer,
    compare: str,
    index: int,
    place: int,
    irs: Sequence[GraphIR],
    operands: Sequence[int],
    results: list[TensorSpec],
) -> list[int]:
    number = writer.scalar(place, writer.spec(index).dtype)
    condition = writer.compare(compare, index, number)
    held = {"branches": tuple(irs)}
    return writer.steps("jj_cond", [condition, *operands], results, held)


def _keeping(kept: list[TensorSpec], others: list[TensorSpec]) -> GraphIR:
    """Return the IR that gives the first of its inputs."""
    return Writer([*kept, *others]).ir(range(len(kept)))


def _after(ignored: list[TensorSpec], ir: GraphIR) -> GraphIR:
    """Return an IR with other inputs, which it ignores, before its own."""
    writer = Writer([*ignored, *ir.specs[: ir.inputs]])
    first = len(ignored)
    return writer.ir(writer.inline(ir, range(first, first + ir.inputs)))


def _while(
    reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]
) -> list[int]:
    first, second = params["cond_nconsts"], params["body_nconsts"]
    specs = [reader.writer.spec(value) for value in operands]
    carried = specs[first + second :]
    test = reader.ir(params["cond_jaxpr"], specs[:first] + carried)
    body = reader.ir(params["body_jaxpr"], specs[first : first + second] + carried)
    if test.specs[test.outputs[0]].shape:
        return _while_together(reader, test, body, (first, second), operands, results)
    held = {"constants": (first, second), "cond": test, "body": body}
    return reader.writer.steps("jj_while", operands, results, held)


def _while_together(
    reader: Reader,
    test: GraphIR,
    body: GraphIR,
    constants: tuple[int, int],
    operands: list[int],
    results: list[TensorSpec],
) -> list[int]:
    """Loops that run together, each with a condition of its own: until the last one ends."""
    first, second = constants
    tested, used = operands[:first], operands[first : first + second]
    carried = operands[first + second :]
    specs = [reader.writer.spec(value) for value in (*tested, *used, *carried)]
    start = first + second
    one = Writer(specs[:first] + specs[start:])
    going = one.inline(test, range(test.inputs))[0]
    rank = len(one.spec(going).shape)
    together = one.ir([one.kernel("reduce_or", [going], TensorSpec((), "bool"), range(rank))])

    turn = Writer(specs)
    mask = turn.inline(test, [*range(first), *range(start, len(specs))])[0]
    made = turn.inline(body, range(first, len(specs)))
    chosen = []
    for old, new in zip(range(start, len(specs)), made, strict=True):
        shape = turn.spec(old).shape
        wide = turn.broadcast(mask, shape, range(len(turn.spec(mask).shape)))
        chosen.append(turn.step("jj_select", [wide, old, new], turn.spec(old)))
    held = {
        "constants": (first, first + second),
        "cond": together,
        "body": turn.ir(chosen),
    }
    return reader.writer.steps("jj_while", [*tested, *tested, *used, *carried], results, held)


def _scan(reader: Reader, params: Any, operands: list[int], results: list[TensorSpec]) -> list[int]:
    counts = lengths(params)
    length, reverse, jaxpr = params["length"], bool(params["reverse"]), params["jaxpr"]
    known = isinstance(length, int)
    if known and (length * max(len(jaxpr.jaxpr.eqns), 1) <= UNROLLED or length <= 1):
        return _unrolled(reader, jaxpr, length, reverse, counts, operands, results)
    specs = [reader.writer.spec(value) for value in operands]
    end = sum(counts)
    rows = [TensorSpec(spec.shape[1:], spec.dtype) for spec in specs[end:]]
    held = {
        "counts": counts,
        "length": length if known else str(length),
        "reverse": reverse,
        "body": reader.ir(jaxpr, specs[:end] + rows),
    }
    return reader.writer.steps("jj_scan", operands, results, held)


def _unrolled(
    reader: Reader,
    jaxpr: Any,
    length: int,
    reverse: bool,
    counts: tuple[int, int],
    operands: list[int],
    results: list[TensorSpec],
) -> list[int]:
    writer = reader.writer
    constants, carried = counts
    fixed, carry = operands[:constants], operands[constants : constants + carried]
    arrays = operands[constants + carried :]
    made: list[list[int]] = [[] for _ in results[carried:]]
    places = range(length)
    for place in reversed(places) if reverse else places:
        rows = [
            writer.reshape(writer.along(x, 0, place, place + 1), writer.spec(x).shape[1:])
            for x in arrays
        ]
        found = _inline(reader, jaxpr, [*fixed, *carry, *rows])
        carry = found[:carried]
        for stack, row in zip(made, found[carried:], strict=True):
            stack.append(row)
    return [
        *carry,
        *(
            _stacked(writer, stack[::-1] if reverse else stack, spec)
            for stack, spec in zip(made, results[carried:], strict=True)
        ),
    ]


def _stacked(writer: Writer, rows: list[int], spec: TensorSpec) -> int:
    if not rows:
        return writer.zeros(spec)
    layers = [writer.reshape(row, (1, *spec.shape[1:])) for row in rows]
    return layers[0] if len(layers) == 1 else writer.concatenated(layers, spec, 0)


RULES: dict[str, Any] = {
    **{name: _call(param) for name, param in CALLS.items()},
    "call_hi_primitive": _high,
    "cond": _cond,
    "while": _while,
    "scan": _scan,
    "custom_linear_solve": _linear_solve,
    "platform_index": _platform,
}
