"""Templates: composite functions traced once by JAX, and recorded again without it.

A template is the flat list of a traced function's equations for one signature (specs of its
operands and static arguments). Calling it records each equation as pending values; views become
layouts, so that only what computes is recorded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import Literal

from .dtypes import BOOL, DTYPES, INT64, code_of
from .layout import whole
from .machine import OPCODES, import_array
from .stats import COUNTS
from .value import Value, pack

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from jax.extend.core import Jaxpr, JaxprEqn

    from .types import Scalar, Shape

KEPT = 1024
"""Templates remembered, least recently used out."""


class Operand(NamedTuple):
    """A value or number, the layout through which it is seen, its shape and dtype code."""

    value: Value | Scalar
    layout: np.ndarray | None
    shape: Shape
    code: int

    def header(self) -> np.ndarray:
        """Return the layout, also of a whole value."""
        found = self.layout
        return whole(self.shape, DTYPES[self.code]) if found is None else found


class Unrecordable(NotImplementedError):
    """The traced function uses a primitive that has no kernel."""


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
    return closed.jaxpr, [_constant(c) for c in closed.consts]


def _constant(x: Any) -> Operand:
    array = np.asarray(x)
    code = code_of(array.dtype)
    return Operand(import_array(array, code), None, array.shape, code)


def replay(
    jaxpr: Jaxpr, constants: Sequence[Operand], operands: Sequence[Operand]
) -> list[Operand]:
    """Record the equations of a Jaxpr; returns its results."""
    known: dict[Any, Operand] = dict(zip(jaxpr.constvars, constants, strict=True))
    known.update(zip(jaxpr.invars, operands, strict=True))

    def read(atom: Any) -> Operand:
        if isinstance(atom, Literal):
            code = _spec(atom)[1]
            return Operand(np.asarray(atom.val).item(), None, (), code)
        return known[atom]

    for equation in jaxpr.eqns:
        results = _record(equation, [read(atom) for atom in equation.invars])
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _spec(atom: Any) -> tuple[Shape, int]:
    """Return the shape and dtype code of a variable or literal of a Jaxpr."""
    return atom.aval.shape, code_of(np.dtype(atom.aval.dtype))


def _record(equation: JaxprEqn, operands: list[Operand]) -> list[Operand]:
    name = equation.primitive.name
    params = equation.params
    inner = next((params[k] for k in ("jaxpr", "call_jaxpr") if k in params), None)
    if inner is not None:
        return replay(inner.jaxpr, [_constant(c) for c in inner.consts], operands)
    if name in _VIEWS:
        return [_view(_VIEWS[name], operands[0], params)]
    shape, code = _spec(equation.outvars[0])
    if name in _IDENTITIES:
        return [operands[0]]
    if name in _KERNELS:
        return _KERNELS[name](operands, params, shape, code)
    if name == "integer_pow":
        exponent = Operand(params["y"], None, (), operands[0].code)
        return [node("pow", [operands[0], exponent], shape, code)]
    known = {"select_n": operands[0].code == BOOL}.get(name, name in OPCODES)
    if not known:
        raise Unrecordable(f"primitive {name} has no kernel")
    return [node(name, operands, shape, code)]


def node(
    name: str,
    operands: Sequence[Operand],
    shape: Shape,
    code: int,
    params: Sequence[int] | None = None,
) -> Operand:
    """Record one step; `code` is the result's dtype code, the operands' is that of the last."""
    layouts = tuple(x.layout for x in operands)
    value = Value(
        pack(OPCODES[name], operands[-1].code if operands else code, code),
        shape,
        tuple(x.value for x in operands),
        None if all(layout is None for layout in layouts) else layouts,
        None if params is None else tuple(params),
    )
    return Operand(value, None, shape, code)


def _view(function: Callable[..., np.ndarray], x: Operand, params: dict[str, Any]) -> Operand:
    if not isinstance(x.value, Value):
        x = node("copy", [x], x.shape, x.code)
    try:
        layout = function(x.header(), params)
    except ValueError:  # a reshape that NumPy would copy for
        x = node("copy", [x], x.shape, x.code)
        layout = function(x.header(), params)
    return Operand(x.value, layout, layout.shape, x.code)


def _broadcast_in_dim(x: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    shape = params["shape"]
    places = params["broadcast_dimensions"]
    expanded = x[tuple(slice(None) if k in places else None for k in range(len(shape)))]
    return np.broadcast_to(expanded, shape)


def _slice(x: np.ndarray, params: dict[str, Any]) -> np.ndarray:
    starts, limits = params["start_indices"], params["limit_indices"]
    strides = params["strides"] or (1,) * x.ndim
    return x[tuple(slice(*bounds) for bounds in zip(starts, limits, strides, strict=True))]


_VIEWS: dict[str, Callable[[np.ndarray, dict[str, Any]], np.ndarray]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "slice": _slice,
    "reshape": lambda x, params: np.reshape(x, params["new_sizes"], copy=False),
    "transpose": lambda x, params: x.transpose(params["permutation"]),
    "squeeze": lambda x, params: x.squeeze(tuple(params["dimensions"])),
    "expand_dims": lambda x, params: np.expand_dims(x, tuple(params["dimensions"])),
    "rev": lambda x, params: np.flip(x, tuple(params["dimensions"])),
}

_IDENTITIES = frozenset(("copy", "copy_p", "stop_gradient", "optimization_barrier"))


Recorder = Callable[[list[Operand], Any, "Shape", int], list[Operand]]


def _axes(name: str) -> Recorder:
    def record(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
        return [node(name, operands, shape, code, sorted(params["axes"]))]

    return record


def _arg(name: str) -> Recorder:
    def record(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
        found = node(name, operands, shape, INT64, [params["axes"][0]])
        return [found if code == INT64 else node("convert_element_type", [found], shape, code)]

    return record


def _scan(name: str) -> Recorder:
    def record(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
        return [node(name, operands, shape, code, [params["axis"], int(params["reverse"])])]

    return record


def _iota(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
    return [node("iota", [], shape, code, [params["dimension"]])]


def _concatenate(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
    return [node("concatenate", operands, shape, code, [params["dimension"]])]


def _pad(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
    return [
        node("pad", operands, shape, code, [n for axis in params["padding_config"] for n in axis])
    ]


def _dot_general(operands: list[Operand], params: Any, shape: Shape, code: int) -> list[Operand]:
    (lhs_contract, rhs_contract), (lhs_batch, rhs_batch) = params["dimension_numbers"]
    flat = [len(lhs_batch), len(lhs_contract), *lhs_batch, *rhs_batch, *lhs_contract, *rhs_contract]
    return [node("dot_general", operands, shape, code, flat)]


_KERNELS: dict[str, Recorder] = {
    **{
        f"reduce_{name}": _axes(f"reduce_{name}")
        for name in ("sum", "prod", "max", "min", "and", "or", "xor")
    },
    **{name: _arg(name) for name in ("argmax", "argmin")},
    **{name: _scan(name) for name in ("cumsum", "cumprod", "cummax", "cummin")},
    "iota": _iota,
    "concatenate": _concatenate,
    "pad": _pad,
    "dot_general": _dot_general,
}
