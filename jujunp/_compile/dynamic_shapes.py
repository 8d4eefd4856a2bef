"""`jit(function, dynamic_shapes=True)`: one graph for all sizes of the arguments' axes.

Lengths become symbols: equal ones the same symbol, so that calls whose lengths are equal in the
same places share a trace. Lengths of 0 and 1 stay numbers, since axes of length 1 are repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
from jax.export import symbolic_shape

from jujunp.lazy.compiled import CompileError, Graph, is_users
from jujunp.lazy.compiled.ir.sizes import evaluated
from jujunp.lazy.policy import policy
from jujunp.lazy.run import transfer
from jujunp.lazy.run.sites import roots, warn_user
from jujunp.lazy.run.statistics import COUNTS
from jujunp.lazy.values.dtypes import is_complex
from jujunp.lazy.values.value import leaf

from .specialization import (
    SMALL_STEPS,
    SMALL_WORK,
    Specialization,
    array_of,
    described,
    handle_of,
    jaxpr_of,
    struct_of,
    trace,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from types import TracebackType

    from jax.extend.core import ClosedJaxpr, Jaxpr

    from jujunp.lazy.compiled.ir.devices import Device

LEAST = 2
"""Lengths from here on become symbols."""


class Pattern(NamedTuple):
    """The lengths of arguments as symbols: the shape of each, and the symbols' values now."""

    shapes: tuple[tuple[int | str, ...] | None, ...]
    sizes: dict[str, int]


def pattern_of(leaves: Sequence[Any]) -> Pattern:
    """Return the pattern of the lengths of arrays; the shape of a number is None."""
    names: dict[int, str] = {}

    def name(length: int) -> int | str:
        return length if length < LEAST else names.setdefault(length, f"n{len(names)}")

    shapes = [getattr(struct_of(x), "shape", None) for x in leaves]
    named = tuple(None if shape is None else tuple(map(name, shape)) for shape in shapes)
    return Pattern(named, {symbol: length for length, symbol in names.items()})


class Family:
    """A function traced for one pattern, and its graph."""

    def __init__(self, closed: ClosedJaxpr, out_tree: Any, graph: Graph) -> None:
        self.closed = closed
        self.out_tree = out_tree
        self.graph = graph
        self.inputs = [described(aval) for aval in closed.in_avals]
        self.outputs = [described(aval) for aval in closed.out_avals]
        self.steps, elements = _cost(closed.jaxpr)
        self._needs_graph = _applies_users_kernels(closed.jaxpr)
        self._elements = str(elements)
        self.failed = False
        """Whether MAX could not compile the graph."""

    def is_small(self, sizes: dict[str, int]) -> bool:
        """Whether a call with these sizes is over before MAX has begun."""
        short = self.steps <= SMALL_STEPS and evaluated(self._elements, sizes) <= SMALL_WORK
        return short and not self._needs_graph

    def ready(self, *, wait: bool) -> bool:
        """Whether the graph can run; False while it is not compiled, or when it cannot be."""
        if self.failed:
            return False
        try:
            return self.graph.ready(wait=wait)
        except CompileError as error:
            warn_user(f"one graph for all sizes cannot be compiled: {error}")
            self.failed = True
            return False


class Sized:
    """A function for one signature, which shares its graph with others of the same pattern."""

    def __init__(
        self, family: Family, sizes: dict[str, int], trace: Callable[[], Specialization]
    ) -> None:
        self.closed = family.closed
        self.out_tree = family.out_tree
        self._family = family
        self._small = family.is_small(sizes)
        self._trace = trace
        self._exact: Specialization | None = None

    def run(self, leaves: Sequence[Any], *, wait: bool, once: bool = False) -> list[Any]:
        """Return the results, as arrays of ours but for random keys; `once` for the only call."""
        if policy.mode == "never" or (self._small and policy.mode == "auto"):
            return self._known().at_once(leaves)
        if self._family.ready(wait=wait):
            return self._execute(leaves)
        if self._family.failed:
            return self._known().run(leaves, wait=wait, once=once)
        return self._known().at_once(leaves)

    def _known(self) -> Specialization:
        """Return the function traced for exactly these sizes: the immediate tier needs them."""
        if self._exact is None:
            self._exact = self._trace()
        return self._exact

    def _execute(self, leaves: Sequence[Any]) -> list[Any]:
        family = self._family
        COUNTS["compiled runs"] += 1
        arrays = [array_of(x, code) for x, (_, code) in zip(leaves, family.inputs, strict=True)]
        found = family.graph(arrays)
        results = []
        for array, (_, code) in zip(found, family.outputs, strict=True):
            # Complex numbers come as their parts, along one more axis.
            shape = array.shape[:-1] if is_complex(code) else array.shape
            results.append(handle_of(leaf(code, shape, transfer.adopt(array)), (shape, code)))
        return results


class Families:
    """The families of one function, by pattern."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._known: dict[Hashable, Family | None] = {}

    def traced(
        self, function: Callable[..., Any], leaves: Sequence[Any], tree: Any, signature: Hashable
    ) -> Sized | Specialization:
        """Return the function for a signature; one that needs its exact sizes is warned of.

        `signature` says all of the arguments but their shapes.
        """
        pattern = pattern_of(leaves)
        if not pattern.sizes:
            return trace(function, leaves, tree, self._device)
        key = (signature, pattern.shapes)
        if key not in self._known:
            self._known[key] = _family(function, leaves, tree, pattern, self._device)
        family = self._known[key]
        if family is None:
            return trace(function, leaves, tree, self._device)
        structs = list(map(struct_of, leaves))  # the arrays themselves are not kept
        return Sized(family, pattern.sizes, lambda: trace(function, structs, tree, self._device))


def _family(
    function: Callable[..., Any],
    leaves: Sequence[Any],
    tree: Any,
    pattern: Pattern,
    device: Device,
) -> Family | None:
    """Trace a function for all sizes; None, with a warning, if that is impossible."""
    if not device.is_cpu:
        warn_user("graphs for a GPU have one size each")
        return None
    try:
        closed, out_tree = jaxpr_of(function, _symbolic(leaves, pattern), tree)
    except Exception as error:  # JAX raises whatever the function makes of a symbol
        # an error that has nothing to do with symbols is raised here
        trace(function, leaves, tree, device)
        why = str(error).strip().partition("\n")[0]
        line = _user_line(error.__traceback__)
        warn_user(f"the function needs exact sizes and is traced for each: {why}{line}")
        return None
    graph = Graph(closed, lifts=True)
    if graph.reason:
        warn_user(f"no graph can serve all sizes, so that each has its own: {graph.reason}")
        return None
    return Family(closed, out_tree, graph)


def _symbolic(leaves: Sequence[Any], pattern: Pattern) -> list[Any]:
    """Return what JAX traces in the place of arguments."""
    names = list(pattern.sizes)
    constraints = [f"{name} >= {LEAST}" for name in names]
    symbols: dict[Any, Any] = dict(
        zip(names, symbolic_shape(", ".join(names), constraints=constraints), strict=True)
    )
    structs = []
    for x, shape in zip(leaves, pattern.shapes, strict=True):
        struct = struct_of(x)
        if shape is not None:
            lengths = tuple(symbols.get(length, length) for length in shape)
            weak = getattr(struct, "weak_type", False)
            struct = jax.ShapeDtypeStruct(lengths, struct.dtype, weak_type=weak)
        structs.append(struct)
    return structs


def _user_line(traceback: TracebackType | None) -> str:
    """Return the innermost line that is neither JAX's nor ours."""
    others = (*roots(), *(f"{folder}/" for folder in jax.__path__))
    found = ""
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if not name.startswith(others):
            found = f", used at {name}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def _cost(jaxpr: Jaxpr) -> tuple[int, Any]:
    """Return the steps of a Jaxpr and the elements that they make, a number or an expression."""
    steps, elements = 0, 0
    for equation in jaxpr.eqns:
        inner = list(_inner(equation.params))
        for count, made in map(_cost, inner):
            steps, elements = steps + count, elements + made
        if not inner:
            steps += 1
            elements += sum(_size(var.aval) for var in equation.outvars)
    return steps, elements


def _applies_users_kernels(jaxpr: Jaxpr) -> bool:
    return any(
        is_users(equation.primitive) or any(map(_applies_users_kernels, _inner(equation.params)))
        for equation in jaxpr.eqns
    )


def _inner(params: dict[str, Any]) -> Iterator[Jaxpr]:
    for param in params.values():
        found = getattr(param, "jaxpr", param)
        if hasattr(found, "eqns"):
            yield found


def _size(aval: Any) -> Any:
    size: Any = 1
    for length in aval.shape:
        size = size * length
    return size
