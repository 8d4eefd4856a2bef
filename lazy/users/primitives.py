"""JAX primitives that run what users bring: a lowering rule, or a Mojo kernel by its name.

They have no kernel of the immediate tier. Applied to computed arrays, each is compiled as a graph
of its own, once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import lax
from jax.core import ShapedArray
from jax.extend import source_info_util
from jax.extend.core import Primitive, get_opaque_trace_state
from jax.interpreters import ad, batching, mlir

from ..compiled import Graph
from ..compiled.ir.graph_ir import seen_as
from ..compiled.lower.rules.custom import USER_RULES
from ..rules.operand import Operand, in_memory, thread
from ..rules.shape_code import ShapeCode, Unrecordable
from ..rules.template import RULES_OF_USERS
from ..run import transfer
from ..run.flush import ensure
from ..run.sites import roots
from ..values.value import leaf
from .rules import UserRule

if TYPE_CHECKING:
    from collections.abc import Hashable


UNROLLED = 32
"""Calls that a mapped kernel becomes at most; above that, it is one call in a loop."""

KEPT = 1024
"""Graphs remembered by what they apply to which shapes."""

with jax.core.eval_context():
    _OUTSIDE = get_opaque_trace_state()

# The line that an error or a profile names is the user's.
for _root in roots():
    source_info_util.register_exclusion(_root)


def is_jaxs(args: Sequence[Any]) -> bool:
    """Whether a call with these arguments is for JAX: it is traced, or of JAX's arrays.

    A rule of `jax.custom_jvp` is given computed arrays, and nothing tells that JAX is at work.
    """
    return any(isinstance(x, jax.Array) for x in args) or is_tracing()


def is_tracing() -> bool:
    """Whether JAX traces or transforms what is running in this thread."""
    tracing: bool = get_opaque_trace_state() != _OUTSIDE
    return tracing


def new_primitive(
    name: str, abstract: Callable[..., Any], multiple_results: bool, rule: UserRule | None = None
) -> Primitive:
    """Return a primitive that can be compiled, run and, through the host, be part of XLA's graphs.

    `abstract(*avals, **params)` returns something with shape and dtype for each result.
    """
    primitive = Primitive(name)
    primitive.multiple_results = multiple_results

    def evaluation(*avals: ShapedArray, **params: Any) -> Any:
        found = abstract(*avals, **params)
        if not multiple_results:
            return _aval(found)
        if not isinstance(found, (list, tuple)):
            raise TypeError(
                f"primitive {name} has multiple results, but its abstract evaluation returned a"
                f" {type(found).__name__} and no sequence"
            )
        return [_aval(result) for result in found]

    def implementation(*args: Any, **params: Any) -> Any:
        found = run(primitive, [np.asarray(x) for x in args], params)
        with jax.enable_x64(True):
            arrays = [jax.numpy.asarray(result) for result in found]
        return arrays if multiple_results else arrays[0]

    def on_host(*args: Any, **params: Any) -> Any:
        avals = evaluation(*map(jax.typeof, args), **params)
        found = functools.partial(run, primitive, params=params)
        results = avals if multiple_results else [avals]
        specs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in results]
        made = jax.pure_callback(lambda *arrays: found(list(map(np.asarray, arrays))), specs, *args)
        return made if multiple_results else made[0]

    primitive.def_abstract_eval(evaluation)
    primitive.def_impl(implementation)
    mlir.register_lowering(primitive, mlir.lower_fun(on_host, multiple_results))
    if rule is not None:
        USER_RULES[primitive] = rule
    RULES_OF_USERS[primitive] = functools.partial(_compute, primitive)
    return primitive


def add_rules(
    primitive: Primitive,
    batching_rule: Callable[..., Any] | None,
    jvp_rule: Callable[..., Any] | None,
    transpose_rule: Callable[..., Any] | None,
) -> None:
    """Give a primitive the rules of JAX's transformations, each in JAX's own form."""
    given = (
        (batching.primitive_batchers, batching_rule),
        (ad.primitive_jvps, jvp_rule),
        (ad.primitive_transposes, transpose_rule),
    )
    for table, rule in given:
        if rule is not None:
            table[primitive] = rule


def _compute(
    primitive: Primitive, operands: list[Operand], params: Any, results: Sequence[ShapeCode]
) -> list[Operand]:
    """Apply a primitive among steps that are recorded, which are computed before."""
    if thread.aside:
        raise Unrecordable(f"primitive {primitive.name} has no kernel")
    arrays = [_computed(x) for x in operands]
    return [
        Operand(leaf(spec.code, spec.shape, transfer.adopt(array)), None, spec.shape, spec.code)
        for array, spec in zip(run(primitive, arrays, params), results, strict=True)
    ]


def _computed(x: Operand) -> np.ndarray:
    """Return an operand as an array of NumPy's."""
    x = in_memory(x)
    value: Any = x.value
    ensure(value)
    return transfer.export(value, x.code) if x.layout is None else transfer.seen(value, x.layout)


def run(
    primitive: Primitive, arrays: Sequence[np.ndarray], params: dict[str, Any]
) -> list[np.ndarray]:
    """Apply a primitive to arrays, as a compiled graph of its own; raises CompileError."""
    specs = tuple((x.shape, x.dtype) for x in arrays)
    # The text tells 1 from True and 1.0, which are equal.
    named = tuple((name, value, repr(value)) for name, value in sorted(params.items()))
    graph, results = _graph(primitive, specs, named)
    found = graph([np.asarray(x, order="C") for x in arrays])
    return [
        seen_as(array, aval.shape, aval.dtype) for array, aval in zip(found, results, strict=True)
    ]


@functools.lru_cache(KEPT)
def _graph(
    primitive: Primitive,
    specs: tuple[tuple[tuple[int, ...], np.dtype], ...],
    params: tuple[tuple[str, Hashable, str], ...],
) -> tuple[Graph, list[Any]]:
    given = {name: value for name, value, _ in params}
    with jax.enable_x64(True), jax.core.eval_context():
        structs = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in specs]
        closed = jax.make_jaxpr(lambda *args: primitive.bind(*args, **given))(*structs)
    graph = Graph(closed)
    graph.compile()
    return graph, closed.out_avals


def _aval(spec: Any) -> ShapedArray:
    return ShapedArray(tuple(spec.shape), np.dtype(spec.dtype))


def _mojo_call_results(
    *operands: ShapedArray, results: tuple[tuple[tuple[int, ...], str], ...], **params: Any
) -> list[ShapedArray]:
    return [ShapedArray(shape, np.dtype(dtype)) for shape, dtype in results]


mojo_call_p = new_primitive("mojo_call", _mojo_call_results, multiple_results=True)
"""A kernel by its name.

Parameters: `kernel` and `libraries`, the name and where it is; `results`, shapes and dtypes;
`attributes`, the kernel's parameters as name, kind and value; `vectorized`, whether one call may do
the work of many, along a leading axis.
"""


def _mapped(
    operands: Sequence[Any],
    axes: Sequence[int | None],
    *,
    results: tuple[tuple[tuple[int, ...], str], ...],
    vectorized: bool,
    **params: Any,
) -> tuple[list[Any], list[int]]:
    """Map a kernel over an axis: by one call if it is vectorized, else by one for each index."""
    sizes = {x.shape[axis] for x, axis in zip(operands, axes, strict=True) if axis is not None}
    (size,) = sizes
    call = functools.partial(mojo_call_p.bind, vectorized=vectorized, **params)
    at_front = [
        x if axis is None else batching.bdim_at_front(x, axis, size)
        for x, axis in zip(operands, axes, strict=True)
    ]
    places = [0] * len(results)
    if vectorized:
        whole = [
            lax.broadcast(x, (size,)) if axis is None else x
            for x, axis in zip(at_front, axes, strict=True)
        ]
        wider = tuple(((size, *shape), dtype) for shape, dtype in results)
        return call(*whole, results=wider), places

    mapped = tuple(x for x, axis in zip(at_front, axes, strict=True) if axis is not None)

    def one(parts: Sequence[Any]) -> list[Any]:
        rest = iter(parts)
        chosen = [x if axis is None else next(rest) for x, axis in zip(operands, axes, strict=True)]
        found: list[Any] = call(*chosen, results=results)
        return found

    if size > UNROLLED:
        return list(lax.map(one, mapped)), places
    if not size:
        return [lax.full((0, *shape), 0, np.dtype(dtype)) for shape, dtype in results], places
    calls = [
        one([lax.index_in_dim(x, index, keepdims=False) for x in mapped]) for index in range(size)
    ]
    return [
        lax.concatenate([lax.expand_dims(part, (0,)) for part in parts], 0)
        for parts in zip(*calls, strict=True)
    ], places


batching.primitive_batchers[mojo_call_p] = _mapped
