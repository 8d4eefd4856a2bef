"""Tracing the procedures of a program to Jaxprs, and compiling these together."""

from __future__ import annotations

import operator
import threading
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from jujunp.lazy import loader
from jujunp.lazy.compiled import Graph, compile_modules, compile_together
from jujunp.lazy.jaxprs import tracing
from jujunp.lazy.loader import Interface, Procedure, Spec, Structure, describe

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from jax.extend.core import ClosedJaxpr

    from .program import Definition


class TracedProcedures:
    """The procedures of a program as Jaxprs, and as graphs that run once one of them is wanted."""

    def __init__(self, definition: Definition) -> None:
        self._device = definition.device
        self._closed: dict[str, ClosedJaxpr] = {}
        procedures = {}
        for name in definition.procedures:
            procedures[name], closed = _trace(definition, name)
            if closed.jaxpr.outvars:
                self._closed[name] = closed
        self.interface = Interface(
            definition.name, definition.cells, dict(definition.globals), procedures
        )
        self._graphs = {name: Graph(closed, self._device) for name, closed in self._closed.items()}
        self._executables: dict[str, _Whole] | None = None
        self._lock = threading.Lock()

    def executable(self, name: str) -> Any:
        """Return what runs a procedure, None for one that computes nothing.

        The first call compiles all procedures. Raises NotImplementedError for one that holds what
        MAX graphs cannot have, and CompileError.
        """
        with self._lock:
            if self._executables is None:
                self._executables = self._compile()
        return self._executables.get(name)

    def _compile(self) -> dict[str, _Whole]:
        self._check()
        compile_together(self._graphs.values())
        return {name: _Whole(graph, self._closed[name]) for name, graph in self._graphs.items()}

    def _check(self) -> None:
        """Raise NotImplementedError for a procedure that cannot be compiled."""
        for name, graph in self._graphs.items():
            if graph.reason:
                whole = f"{self.interface.name}.{name}"
                raise NotImplementedError(f"{whole} cannot be compiled: {graph.reason}")

    def save(self, path: str | os.PathLike[str], state: Sequence[np.ndarray]) -> None:
        """Write a bundle with this state."""
        from jujunp.lazy.compiled import bundle

        self._check()
        compile_modules(self._graphs.values())
        bundle.save(path, self.interface, state, self._graphs, self._device)


class _Whole:
    """A graph whose results are of the dtypes of a Jaxpr, also those that MAX lacks."""

    def __init__(self, graph: Graph, closed: ClosedJaxpr) -> None:
        self._graph = graph
        self._results = [(np.dtype(aval.dtype), aval.shape) for aval in closed.out_avals]

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the graph: `Executable` says on what."""
        made = zip(self._graph(inputs), self._results, strict=True)
        return [
            x if x.dtype == dtype else x.view(dtype).reshape(shape) for x, (dtype, shape) in made
        ]


def _trace(definition: Definition, name: str) -> tuple[Procedure, ClosedJaxpr]:
    """Return a procedure and its Jaxpr, from cells and arguments to results and written cells."""
    function, arguments = definition.procedures[name]
    run = _Run(definition, name, function, arguments)
    given = [spec for _, structure in arguments for spec in loader.specs(structure)]
    with jax.enable_x64(True):
        closed, _ = tracing.jaxpr_of(run, *map(_abstract, [*definition.cells, *given]))
        reads, closed = _without_unused(closed, len(definition.cells))
    # A shape or a dtype is known for certain only when all is traced.
    made = iter([Spec(tuple(aval.shape), str(aval.dtype)) for aval in closed.out_avals])
    results = describe(
        loader.rebuild(run.results, made), lambda spec, _: spec, f"the result of {name}"
    )
    return Procedure(name, arguments, results, reads, run.writes), closed


def _abstract(spec: Spec) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(spec.shape, spec.dtype)


def _without_unused(closed: ClosedJaxpr, cells: int) -> tuple[tuple[int, ...], ClosedJaxpr]:
    """Return the numbers of the cells that a Jaxpr uses, and the Jaxpr with these cells only."""
    jaxpr = closed.jaxpr
    atoms = [*jaxpr.outvars, *(atom for eqn in jaxpr.eqns for atom in eqn.invars)]
    used = {id(atom) for atom in atoms}
    kept = [cell for cell in range(cells) if id(jaxpr.invars[cell]) in used]
    places = [*kept, *range(cells, len(jaxpr.invars))]
    if len(places) == len(jaxpr.invars):
        return tuple(kept), closed

    def narrow(*inputs: Any) -> Any:
        everything: list[Any] = [jnp.zeros(aval.shape, aval.dtype) for aval in closed.in_avals]
        for place, value in zip(places, inputs, strict=True):
            everything[place] = value
        return jaxpr_as_fun(closed)(*everything)

    avals = [closed.in_avals[place] for place in places]
    specs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    return tuple(kept), jax.make_jaxpr(narrow)(*specs)


class _Run:
    """A procedure as a flat function of arrays; `results` and `writes` are known when it ran."""

    results: Structure
    writes: tuple[int, ...]

    def __init__(
        self,
        definition: Definition,
        name: str,
        function: Callable[..., Any],
        arguments: Sequence[tuple[str, Structure]],
    ) -> None:
        self._definition = definition
        self._where = f"{definition.name}.{name}"
        self._function = function
        self._arguments = arguments

    def __call__(self, *leaves: Any) -> list[Any]:
        before = leaves[: len(self._definition.cells)]
        given = iter(leaves[len(before) :])
        globals_ = _TracedGlobals(self._definition, self._where, before)
        arguments = [loader.rebuild(structure, given) for _, structure in self._arguments]
        result = self._function(self._definition.subject(globals_), *arguments)
        globals_.check_unchanged_trees()
        made: list[Any] = []

        def take(x: Any, where: str) -> Spec:
            made.append(_array(x, where))
            return Spec(made[-1].shape, str(made[-1].dtype))

        self.results = describe(result, take, f"the result of {self._where}")
        after = globals_.cells
        self.writes = tuple(n for n, cell in enumerate(after) if cell is not before[n])
        return [*made, *(after[cell] for cell in self.writes)]


class _TracedGlobals:
    """The globals of a program while one of its procedures is traced."""

    def __init__(self, definition: Definition, where: str, cells: Sequence[Any]) -> None:
        self.cells = tuple(cells)
        self._definition = definition
        self._where = where
        self._given: list[tuple[str, Any, list[Any]]] = []

    def read(self, name: str) -> Any:
        """Return the present value of a global."""
        item = self._definition.globals[name]
        leaves = [self.cells[cell] for cell in item.cells]
        tree = loader.rebuild(item.structure, iter(leaves))
        self._given.append((name, tree, leaves))
        return tree

    def assign(self, name: str, value: Any) -> None:
        """Give a global a new value; TypeError and ValueError for one that does not fit."""
        item = self._definition.globals[name]
        where = f"self.{name}, assigned in {self._where},"
        new = []
        for spec, leaf, place in loader.leaves(item.structure, value, where):
            spec.check(leaf, place)
            new.append(jnp.asarray(leaf, dtype=spec.dtype))
        self.cells = loader.updated(self.cells, item.cells, new, where, lambda x, y: x is y)

    def procedure(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a procedure that another one calls: it is traced as a part of that."""
        return method

    def check_unchanged_trees(self) -> None:
        """Raise TypeError when a tree was changed in place, which would be lost."""
        for name, tree, leaves in self._given:
            structure = self._definition.globals[name].structure
            try:
                now = [leaf for _, leaf, _ in loader.leaves(structure, tree, name)]
            except TypeError:
                now = []
            if len(now) < len(leaves) or any(map(operator.is_not, now, leaves)):
                raise TypeError(
                    f"{self._where} changes self.{name} in place: assign the new tree to it"
                )


def _array(x: Any, where: str) -> Any:
    if not isinstance(x, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
        raise TypeError(f"{where} must be an array or a number, not {type(x).__name__}")
    return jnp.asarray(x)
