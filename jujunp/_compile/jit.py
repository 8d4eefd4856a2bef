"""JAX functions compiled for MAX: `jit` and what looks at the same graph in other ways."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import jax
import jax.numpy as jnp

from jujunp.lazy.compiled import Graph
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.users.primitives import is_tracing

from .._array.handle import Handle, to_numpy
from .._members.others.for_jax import as_jax
from .._transforms.of_jax import OfJax, is_followed
from .._transforms.rules import call
from .._transforms.traceable import WrittenHere, as_jaxs, traceable
from .._transforms.trees import own
from .devices import device_of
from .specialization import Specialization, fit, kind_of, spec_of, struct_of, trace, tree_of
from .written import (
    Kind,
    Writing,
    flat,
    kind_of_code,
    write_back,
    writes_into_tracer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from jax.extend.core import ClosedJaxpr

    from .dynamic_shapes import Families, Sized

__all__ = ["jit", "lower", "make_max_graph", "max_execute"]


def _plain(x: Any) -> Any:
    """Return what JAX takes for a result: our arrays, closed over, are constants."""
    return as_jax(x) if isinstance(x, Handle) else x


def _for_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function under its own name that returns what JAX takes."""

    @functools.wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        return jax.tree.map(_plain, function(*args, **kwargs))

    return plain


def _inside(function: Callable[..., Any], leaves: Sequence[Any], tree: Any) -> Any:
    """Call a function that is part of another, which JAX transforms or traces."""
    # The dtypes are those of the outer function: JAX narrows 64-bit arrays if that has none.
    given = [jnp.asarray(to_numpy(x)) if isinstance(x, Handle) else x for x in leaves]
    args, kwargs = jax.tree.unflatten(tree, given)
    return jax.jit(function)(*args, **kwargs)


def _is_tracer(x: Any) -> bool:
    return isinstance(x, jax.core.Tracer)


class Jitted:
    """A function compiled for each signature that it is called with: see `jit`."""

    def __init__(
        self,
        function: Callable[..., Any],
        static_argnums: int | Sequence[int] = (),
        static_argnames: str | Sequence[str] = (),
        device: Any = None,
        *,
        engine: Any = None,
        dynamic_shapes: bool = False,
        coerces_to_jnp: bool = False,
        wait: bool = True,
        keep: bool = True,
        kind: Kind | None = None,
    ) -> None:
        if not callable(function):
            raise TypeError(f"jit takes a function, not {function!r}")
        functools.update_wrapper(self, function)
        self._kind = kind_of_code(function) if kind is None else kind
        self._function = function if self._is_ours else _for_jax(function)
        self._static = _static_arguments(function, static_argnums, static_argnames)
        if device is not None and engine is not None:
            raise TypeError("a function has a device or an engine, not both")
        self._device = device_of(engine if device is None else device)
        self._dynamic_shapes = dynamic_shapes
        self._to_jax = coerces_to_jnp
        self._wait = wait
        self._keep = keep
        self._known: dict[Hashable, Specialization | Sized] = {}
        self._families: Families | None = None

    @property
    def _is_ours(self) -> bool:
        return self._kind is Kind.OURS

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the function's results for these arguments."""
        function, key, args, kwargs = self._split(args, kwargs)
        leaves, tree = jax.tree.flatten((args, kwargs))
        if WATCHES and is_followed(leaves):
            return self._followed(function, leaves, tree)
        if any(map(_is_tracer, leaves)) or is_tracing():
            return _inside(traceable(function) if self._is_ours else function, leaves, tree)
        config: Any = jax.config
        signature = (key, tree, tuple(map(spec_of, leaves)), config.jax_enable_x64)
        traced = self._known.get(signature)
        if traced is None:
            traced = self._traced(function, leaves, tree, key)
            if self._keep:
                self._known[signature] = traced
        results = traced.run(leaves, wait=self._wait, once=not self._keep)
        return _returned(traced, leaves, results, to_jax=self._to_jax)

    def _followed(self, function: Callable[..., Any], leaves: Sequence[Any], tree: Any) -> Any:
        """Call the function where a transformation of ours follows an argument."""
        if self._is_ours:
            args, kwargs = jax.tree.unflatten(tree, leaves)
            return function(*args, **kwargs)
        of_leaves, trees = flat(function, tree)
        rule = OfJax(of_leaves, functools.partial(Jitted, device=self._device, kind=Kind.JAX))
        found = call(rule, [own(x) for x in leaves])
        if not trees:  # the rule has not run the function itself
            jax.eval_shape(of_leaves, *map(struct_of, leaves))
        return jax.tree.unflatten(trees[0], found)

    def __repr__(self) -> str:
        return f"<jujunp.jit of {getattr(self, '__name__', self._function)}>"

    def _traced(
        self, function: Callable[..., Any], leaves: Sequence[Any], tree: Any, key: Hashable | None
    ) -> Specialization | Sized:
        """Trace the function. The key is that of static arguments, None for exactly these sizes."""
        # JAX remembers what it has traced, by the function: a wrapper is another one.
        function = function if self._keep else _for_jax(function)
        if not self._is_ours:
            try:
                with as_jaxs() if self._kind is Kind.UNKNOWN else contextlib.nullcontext():
                    return self._traced_by_jax(function, leaves, tree, key)
            except WrittenHere:
                self._kind = Kind.OURS
            except TypeError as error:
                if self._kind is Kind.JAX or not writes_into_tracer(error):
                    raise
                self._kind = Kind.OURS
        if self._dynamic_shapes and key is not None:
            warn_user("functions written with this module have a graph for each size")
        writing = Writing(function)
        found = trace(writing, leaves, tree, self._device, wide=True)
        found.written = writing.written
        return found

    def _traced_by_jax(
        self, function: Callable[..., Any], leaves: Sequence[Any], tree: Any, key: Hashable | None
    ) -> Specialization | Sized:
        if not self._dynamic_shapes or key is None:
            return trace(function, leaves, tree, self._device)
        from .dynamic_shapes import Families

        if self._families is None or not self._keep:
            self._families = Families(self._device)
        kinds = tuple(kind_of(x) for x in leaves)
        config: Any = jax.config
        signature = (key, tree, kinds, config.jax_enable_x64)
        return self._families.traced(function, leaves, tree, signature)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def _split(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], Hashable, tuple[Any, ...], dict[str, Any]]:
        """Return the function of the other arguments, a key of the static ones, and the others."""
        numbers, names = self._static
        if not numbers and not names:
            return self._function, (), args, kwargs
        fixed = {k: args[k] for k in numbers if k < len(args)}
        named = {name: kwargs[name] for name in sorted(names) if name in kwargs}
        # Values that are equal, as 1 and True are, may differ in their type.
        key = (*_typed(fixed), *_typed(named))
        try:
            hash(key)
        except TypeError as error:
            raise ValueError(f"a static argument of a compiled function: {error}") from None
        rest = tuple(x for k, x in enumerate(args) if k not in fixed)
        others = {name: x for name, x in kwargs.items() if name not in named}

        @functools.wraps(self._function)
        def function(*given: Any, **more: Any) -> Any:
            left = iter(given)
            every = [fixed[k] if k in fixed else next(left) for k in range(len(args))]
            return self._function(*every, **named, **more)

        return function, key, rest, others

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Return the function for a signature, as a Jaxpr and a graph that can be compiled."""
        function, _, args, kwargs = self._split(args, kwargs)
        leaves, tree = jax.tree.flatten((args, kwargs))
        traced = self._traced(function, leaves, tree, None)
        assert isinstance(traced, Specialization)
        return Lowered(traced)


def _returned(
    traced: Specialization | Sized, leaves: Sequence[Any], results: list[Any], *, to_jax: bool
) -> Any:
    """Return what the function returns; what it writes into its arguments is written there."""
    found = tree_of(traced, results, to_jax=to_jax)
    if not isinstance(traced, Specialization) or traced.written is None:
        return found
    result, updates = found
    write_back(leaves, traced.written, updates)
    return result


def _typed(values: dict[Any, Any]) -> list[tuple[Any, type, Any]]:
    return [(name, type(value), value) for name, value in values.items()]


def _static_arguments(
    function: Callable[..., Any],
    numbers: int | Sequence[int],
    names: str | Sequence[str],
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the static arguments by number and by name, each known by the other too.

    Raises ValueError for those that the function does not have.
    """
    found = {numbers} if isinstance(numbers, int) else set(numbers)
    named = {names} if isinstance(names, str) else set(names)
    if not found and not named:
        return frozenset(), frozenset()
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        if any(k < 0 for k in found):
            raise ValueError("static_argnums counts from the end of unknown arguments") from None
        return frozenset(found), frozenset(named)
    by_place = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    kinds = {p.kind for p in parameters}
    unknown = named - {p.name for p in parameters}
    if unknown and inspect.Parameter.VAR_KEYWORD not in kinds:
        raise ValueError(f"static_argnames names no argument: {', '.join(sorted(unknown))}")
    count = len(by_place)
    last = sys.maxsize if inspect.Parameter.VAR_POSITIONAL in kinds else count - 1
    first = -count if last < count else 0
    for k in found:
        if not first <= k <= last:
            raise ValueError(f"static_argnums has no such argument: {k}")
    found = {k % count if k < 0 else k for k in found}
    return (
        frozenset(found | {by_place.index(name) for name in named if name in by_place}),
        frozenset(named | {by_place[k] for k in found if k < count}),
    )


class Options(TypedDict, total=False):
    """What `jit` may be told; its docstring says what that means."""

    static_argnums: int | Sequence[int]
    static_argnames: str | Sequence[str]
    device: Any
    engine: Any
    dynamic_shapes: bool
    coerces_to_jnp: bool
    wait: bool


@overload
def jit(
    function: None = None, **options: Unpack[Options]
) -> Callable[[Callable[..., Any]], Jitted]: ...
@overload
def jit(function: Callable[..., Any], **options: Unpack[Options]) -> Jitted: ...
def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    device: Any = None,
    engine: Any = None,
    dynamic_shapes: bool = False,
    coerces_to_jnp: bool = False,
    wait: bool = True,
) -> Any:
    """Return a function, compiled for MAX; also a decorator, with and without ().

    The function is written with JAX, or with this module: then it is run once on arrays that stand
    for the arguments, with 64-bit types as everywhere here, and may write into arrays. What it
    writes into its arguments is written into those of each call. Reading an element of what
    depends on an argument is a `jax.errors.ConcretizationTypeError`, a TypeError. A function whose
    code names something of JAX's is taken for one of JAX; one that names something of this module,
    or writes in place, for one of ours; and any other for one of JAX, until it calls one of ours.

    It is traced once for each signature: the structure of its arguments, their shapes and dtypes.
    The graph is compiled once, and kept on disk like that of a flush. A function whose work is too
    small for MAX to pay (some thousand elements) is recorded on the kernels that run at once, and
    never compiled. Another one runs there first, and fused loops are made of its elementwise steps;
    then the faster of both is found by turns, and results may differ in their last bits from call
    to call. Under the compile policy "always" all calls run compiled, under "never" none.

    Args:
        function: Takes and returns trees (tuples, lists, dicts ...) of arrays and numbers. It may
            use whatever JAX can trace: `jax.grad`, `jax.vmap`, `jax.lax`'s loops, `jax.random`.
        static_argnums: Positions of arguments that are part of the function, from the end if they
            are negative. ValueError for one that the function does not have, and at the call for
            one that is not hashable.
        static_argnames: Names of such arguments.
        device: Where graphs run: `cpu_engine()`, the default, or `gpu_engine()`; TypeError for
            what is no engine.
        engine: Another name of `device`; TypeError if both are given.
        dynamic_shapes: Whether one graph serves all sizes of the arguments' axes but 0 and 1. Calls
            whose lengths are equal in the same places share it. A function that needs exact sizes,
            or a primitive that has no form for others, is warned of, and each size has a graph.
        coerces_to_jnp: Whether results are JAX's arrays; else they are arrays of ours, with
            `to_numpy()`.
        wait: Whether the first call waits for the compiler, which a terminal shows; without, calls
            run on the immediate tier until the graph is ready.

    Arguments are arrays of ours, of NumPy or JAX, and Python numbers. 64-bit types are on while the
    function is traced if JAX is configured so or an argument has one: nothing is narrowed. Other
    arguments are a TypeError. NotImplementedError names a primitive that has no rule, and the line
    that used it. What the function raises while it is traced comes as it is.

    Called by a function that JAX transforms or traces, it is part of that function.
    """
    options: Options = {
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "device": device,
        "engine": engine,
        "dynamic_shapes": dynamic_shapes,
        "coerces_to_jnp": coerces_to_jnp,
        "wait": wait,
    }
    return functools.partial(jit, **options) if function is None else Jitted(function, **options)


def max_execute(function: Callable[..., Any], **options: Unpack[Options]) -> Jitted:
    """Return a function like `jit` does, which is traced at every call: nothing of it is kept.

    Its executables are in the store on disk all the same, where equal graphs are found.
    """
    return Jitted(function, **options, keep=False)


class Lowered:
    """A function for one signature, before it is compiled: what `lower` returns."""

    def __init__(self, traced: Specialization) -> None:
        self._traced = traced

    @property
    def jaxpr(self) -> ClosedJaxpr:
        """The function as a Jaxpr of flat arguments and results.

        What a function written with this module writes into arguments stands behind its results.
        """
        return self._traced.closed

    @functools.cached_property
    def graph(self) -> Any:
        """The function as a `max.graph.Graph`."""
        return Graph(self._traced.closed, self._traced.device).max_graph()

    def compile(self) -> Callable[..., Any]:
        """Return a function of the flat arguments, compiled now; raises CompileError.

        It takes arrays of exactly these shapes and dtypes, and returns the function's results.
        """
        traced = self._traced
        traced.graph.compile()

        def run(*leaves: Any) -> Any:
            if not fit(leaves, traced.inputs):
                raise TypeError(f"the function takes {traced.closed.in_avals}")
            return _returned(traced, leaves, traced.execute(leaves), to_jax=False)

        return run

    def cost(self) -> dict[str, int]:
        """Return what a call costs, counted from the Jaxpr.

        - `steps`: primitives after calls were inlined.
        - `elements`: elements that they compute, those of loops once.
        - `bytes`: of arguments and results.
        - `work`: elements that the steps read or make, products of matrices counting their
          multiplications; it decides whether `jit` compiles. Only where no step depends on values.
        """
        recorded = self._traced.recording
        cost = Graph(self._traced.closed).cost()
        return cost if recorded is None else cost | {"work": recorded.work}


def lower(function: Callable[..., Any], *specs: Any, **named: Any) -> Lowered:
    """Return a function for one signature, as a Jaxpr and as a graph that can be compiled.

    Args:
        function: A function as `jit` takes it.
        *specs: Its arguments, or `jax.ShapeDtypeStruct`s in their place.
        **named: Keyword arguments likewise.
    """
    return Jitted(function).lower(*specs, **named)


def make_max_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the same arguments that returns their `max.graph.Graph`.

    Its inputs are the flat arguments, its outputs the flat results; complex ones have one more
    axis, for real and imaginary parts. A last input without a counterpart, of one int64, is the
    anchor, whose value is 0: it keeps MAX from computing constants in advance.
    """

    @functools.wraps(function)
    def of(*args: Any, **kwargs: Any) -> Any:
        return lower(function, *args, **kwargs).graph

    return of
