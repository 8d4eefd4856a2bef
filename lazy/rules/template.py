"""Templates: composite functions traced once by JAX, and recorded again without it.

A template is the flat list of a traced function's equations for one signature (specs of its
operands and static arguments). Calling it records each equation by its rule (lazy/rules) as pending
values; views become layouts, so that only what computes is recorded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
from jax.extend.core import Literal

from ..functions.table import function_of
from ..run.machine import OPCODES
from ..run.sites import line_of
from ..run.statistics import COUNTS
from ..values.dtypes import DTYPES, constant_array, kernel_code
from .operand import Operand, Rule, constant, node, number, thread
from .shape_code import Unrecordable, is_key, keys_as_words, shape_code

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Primitive

CONVERT = OPCODES["convert_element_type"]
RULES: dict[str, Rule] = {}
"""How each JAX primitive is recorded, by its name; the package puts the tables of its modules here.

A primitive without a rule is recorded as the elementwise operation of its own name.
"""
RULES_OF_USERS: dict[Primitive, Rule] = {}
"""The same of primitives that users make, which may have any name."""
KEPT = 1024
"""Templates remembered, least recently used out."""

_templates: OrderedDict[Hashable, tuple[Jaxpr, list[Operand]]] = OrderedDict()


def call(
    name: str,
    function: Callable[..., Any],
    operands: Sequence[Operand],
    static: Hashable = (),
) -> list[Operand]:
    """Record a function of arrays, given as JAX code; returns its results.

    Args:
        name: Together with `static`, names the function: calls with equal names are one template.
        function: Takes and returns JAX arrays; traced with 64-bit types on a template's first use.
        operands: The array arguments.
        static: What else the function depends on.
    """
    key = (name, static, tuple((x.shape, x.code) for x in operands))
    found = _templates.get(key)
    if found is None:
        found = _templates[key] = _trace(function, operands)
        if len(_templates) > KEPT:
            _templates.popitem(last=False)
    else:
        _templates.move_to_end(key)
    jaxpr, constants = found
    return replay(jaxpr, constants, operands)


def _trace(
    function: Callable[..., Any], operands: Sequence[Operand]
) -> tuple[Jaxpr, list[Operand]]:
    specs = [jax.ShapeDtypeStruct(x.shape, DTYPES[x.code]) for x in operands]
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(function)(*specs)
    COUNTS["templates traced"] += 1
    return closed.jaxpr, closed_constants(closed)


def closed_constants(closed: ClosedJaxpr) -> list[Operand]:
    """Return the constants of a closed Jaxpr as operands."""
    arrays = [
        keys_as_words(x) if is_key(x.dtype) else constant_array(x, x.dtype) for x in closed.consts
    ]
    return [constant(array, kernel_code(array.dtype)) for array in arrays]


def replay(
    jaxpr: Jaxpr, constants: Sequence[Operand], operands: Sequence[Operand]
) -> list[Operand]:
    """Record the equations of a Jaxpr; returns its results."""
    if thread.call is not None:
        return thread.call(jaxpr, constants, operands)
    known: dict[Any, Operand] = dict(zip(jaxpr.constvars, constants, strict=True))
    known.update(zip(jaxpr.invars, operands, strict=True))

    def read(atom: Any) -> Operand:
        if isinstance(atom, Literal):
            aval: Any = atom.aval
            return number(constant_array(atom.val, aval.dtype).item(), shape_code(atom).code)
        return known[atom]

    for equation in jaxpr.eqns:
        results = _record(equation, [read(atom) for atom in equation.invars])
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _record(equation: JaxprEqn, operands: list[Operand]) -> list[Operand]:
    name = equation.primitive.name
    rule = RULES_OF_USERS.get(equation.primitive) or RULES.get(name)
    try:
        results = [shape_code(atom) for atom in equation.outvars]
        if rule is not None:
            return rule(operands, equation.params, results)
        opcode = OPCODES.get(name, CONVERT)
        if opcode >= CONVERT and function_of(opcode) is None:  # not elementwise
            raise Unrecordable(f"primitive {name} has no kernel")
        return [node(name, operands, *results[0])]
    except Unrecordable as error:
        error.line = error.line or line_of(equation)
        raise
