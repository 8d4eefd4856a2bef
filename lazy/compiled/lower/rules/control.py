"""Branches and loops, as those of MAX where they are not small (see `loops`).

What goes into a branch or through a loop is a tensor of one axis; in it, values begin anew, since a
view that is made inside cannot be used outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...ir.graph_ir import GraphIR, TensorSpec
from ..support.calls import Argument, Call, Caller, Move, out
from ..support.values import Placed, in_flat_memory
from . import loops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...graphs.maxapi import Tensor
    from ...ir.graph_ir import Step
    from ..support.types import KernelRule, Specs

_COUNTER = TensorSpec((), "int64")


def _begun(tensors: Sequence[Tensor], specs: Specs) -> list[Placed]:
    """Return tensors of one axis as values of the region that is being built."""
    values = list(map(in_flat_memory, tensors, specs))
    for value in values:
        value.memory.owned = False
    return values


def _dense(call: Caller, values: Sequence[Placed]) -> list[Tensor]:
    return [call.dense(value) for value in values]


def _specs(values: Sequence[Placed]) -> list[TensorSpec]:
    return [value.spec for value in values]


def _flag(call: Caller, value: Placed) -> Tensor:
    return call.graph.reshape(call.dense(value), ())


def _cond(call: Caller, step: Step, operands: Sequence[Placed], results: Specs) -> Sequence[Placed]:
    """Choose between two IRs; `jj_cond` has a bool and the operands of both."""
    condition, *given = operands
    tensors, specs = _dense(call, given), _specs(given)
    flat = [TensorSpec((spec.stored.size,), spec.stored.dtype) for spec in results]

    def branch(ir: GraphIR) -> list[Tensor]:
        return _dense(call, call.inline(ir, _begun(tensors, specs)))

    on_false, on_true = step.param("branches")
    made = call.graph.cond(
        _flag(call, condition), flat, lambda: branch(on_true), lambda: branch(on_false)
    )
    return _begun(made, results)


def _while(
    call: Caller, step: Step, operands: Sequence[Placed], results: Specs
) -> Sequence[Placed]:
    """Repeat an IR on carried values while another says so.

    The operands are the constants of the one, those of the other, and the carried values.
    """
    first, second = step.param("constants")
    tensors, specs = _dense(call, operands), _specs(operands)
    end = first + second

    def run(ir: GraphIR, start: int, stop: int, carried: list[Tensor]) -> list[Placed]:
        constants = _begun(tensors[start:stop], specs[start:stop])
        return call.inline(ir, [*constants, *_begun(carried, specs[end:])])

    made = call.graph.while_loop(
        tensors[end:],
        lambda carried: _flag(call, run(step.param("cond"), 0, first, carried)[0]),
        lambda carried: _dense(call, run(step.param("body"), first, end, carried)),
    )
    return _begun(made, results)


def _scan(call: Caller, step: Step, operands: Sequence[Placed], results: Specs) -> Sequence[Placed]:
    """Repeat an IR on carried values and on one row after another of arrays.

    The results of a row are written to memory that the loop does not carry, as MAX would copy it
    at every turn.
    """
    constants, carried = step.param("counts")
    length, ir = step.param("length"), step.param("body")
    tensors, specs = _dense(call, operands), _specs(operands)
    end = constants + carried
    stacks = results[carried:]
    rooms = [call.room(spec) for spec in stacks]
    outer = call.turn

    def body(given: list[Tensor]) -> list[Tensor]:
        count, *carry = given
        call.turn = count
        (counter,) = _begun([count], [_COUNTER])
        place = _place(call, counter, length, step.param("reverse"))
        inside = [
            *_begun(tensors[:constants], specs[:constants]),
            *_begun(carry[:carried], specs[constants:end]),
            *(_row(call, x, place) for x in _begun(tensors[end:], specs[end:])),
        ]
        made = call.inline(ir, inside)
        rows = zip(carry[carried:], stacks, made[carried:], strict=True)
        places = [call.put(address, spec, row, place) for address, spec, row in rows]
        count = call.dense(_stepped(call, counter, "add", 1))
        call.turn = outer
        return [count, *_dense(call, made[:carried]), *places]

    def going(given: list[Tensor]) -> Tensor:
        (counter,) = _begun(given[:1], [_COUNTER])
        return _flag(call, _stepped(call, counter, "lt", length))

    zero = call.graph.constant(np.zeros(1, np.int64))
    addresses = [address for _, address in rooms]
    made = call.graph.while_loop([zero, *tensors[constants:end], *addresses], going, body)[1:]
    filled = [
        call.filled(memory, address, spec)
        for (memory, _), address, spec in zip(rooms, made[carried:], stacks, strict=True)
    ]
    return [*_begun(made[:carried], results), *map(in_flat_memory, filled, stacks)]


def _stepped(call: Caller, counter: Placed, name: str, number: int) -> Placed:
    """Return an operation on the counter of a loop and a number."""
    other = call.constant(np.array(number), _COUNTER)
    dtype = "bool" if name == "lt" else _COUNTER.dtype
    return call.elementwise(name, [counter, other], TensorSpec((), dtype))


def _place(call: Caller, counter: Placed, length: int, reverse: bool) -> Placed:
    if not reverse:
        return counter
    last = call.constant(np.array(length - 1), _COUNTER)
    return call.elementwise("sub", [last, counter], _COUNTER)


def _row(call: Caller, x: Placed, place: Placed) -> Placed:
    """Return the row of an array whose number is known at run time only."""
    spec = TensorSpec(x.spec.shape[1:], x.spec.dtype)
    move = Move(place, x.layout.strides[0], x.spec.shape[0] - 1)
    source = Argument(x, x.layout[0, ...], (move,))
    return call([spec], [Call("copy", [out(0, spec), source])])[0]


def _or_small(rule: KernelRule) -> KernelRule:
    def kernel(
        call: Caller, step: Step, operands: Sequence[Placed], results: Specs
    ) -> Sequence[Placed]:
        made = loops.lowered(call, step, operands, results)
        return rule(call, step, operands, results) if made is None else made

    return kernel


KERNELS: dict[str, KernelRule] = {
    "jj_cond": _or_small(_cond),
    "jj_while": _or_small(_while),
    "jj_scan": _or_small(_scan),
}
