"""Functions traced by JAX for one signature, and how they run."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from jujunp.lazy.compiled import Graph
from jujunp.lazy.compiled.ir.devices import CPU, Device
from jujunp.lazy.fused import fusing
from jujunp.lazy.jaxprs import tracing
from jujunp.lazy.jaxprs.recording import recording
from jujunp.lazy.policy import policy
from jujunp.lazy.rules import Operand, Unrecordable, node
from jujunp.lazy.rules.shape_code import code_of_dtype, is_key, keys_as_words
from jujunp.lazy.rules.template import closed_constants, replay
from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import ensure, flush, room
from jujunp.lazy.run.machine import COPIES
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.run.statistics import COUNTS
from jujunp.lazy.values.dtypes import CODES, DTYPES, FLOAT0, SUPPORTED, kernel_code, native
from jujunp.lazy.values.value import Value, leaf, record

from .._array.handle import NUMBERS, Handle, whole_value
from .._array.making import new_array
from .._transforms.trees import is_wide

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from jax.extend.core import ClosedJaxpr

    from jujunp.lazy.compiled import AtOnce

    from .dynamic_shapes import Sized

SMALL_WORK = 1 << 14
SMALL_STEPS = 64
"""A recording of no more elements and steps than these is over before MAX has begun: running an
executable takes 30 us, whatever is in it."""

_KINDS = {bool: "b", int: "iu", float: "f", complex: "c"}


class Specialization:
    """A function for one signature: its Jaxpr, and how it runs."""

    def __init__(self, closed: ClosedJaxpr, out_tree: Any, device: Device = CPU) -> None:
        self.closed = closed
        self.out_tree = out_tree
        self.device = device
        self.graph = Graph(closed, device, lifts=True)
        self.outputs = [described(aval) for aval in closed.out_avals]
        self.inputs = [described(aval) for aval in closed.in_avals]
        self.recording = recording(closed)
        self.small = self.recording is not None and (
            self.recording.work <= SMALL_WORK and len(self.recording) <= SMALL_STEPS
        )
        self._recorded_only = False
        self._begun = False
        self.written: list[int] | None = None
        """Which arguments the function writes into; None if it is one of JAX."""

    @functools.cached_property
    def _routine(self) -> AtOnce | None:
        """What carries out branches and loops over small arrays, or very many small steps."""
        if self.recording is not None and (self.small or self.recording.work > SMALL_WORK):
            return None
        return self.graph.at_once()

    def run(self, leaves: Sequence[Any], *, wait: bool, once: bool = False) -> list[Any]:
        """Return the results, as arrays of ours but for random keys; `once` for the only call."""
        compares = policy.mode == "auto" and not once and self._has_two_tiers
        if compares and not self._begun:
            return self._begin(leaves, wait=wait)
        if policy.mode == "never" or not self._is_compiled(wait=wait):
            return self.at_once(leaves)
        return self._run_by_turns(leaves) if compares else self.execute(leaves)

    @functools.cached_property
    def _has_two_tiers(self) -> bool:
        """Whether calls that are worth compiling can be recorded, too, and run there."""
        return self.recording is not None and self.device.is_cpu and not self.small

    def _begin(self, leaves: Sequence[Any], *, wait: bool) -> list[Any]:
        """Run for the first time, and have all made that may be faster: loops and the graph."""
        self._begun = True
        results = self._run_recorded(leaves, eager=True)
        if self._is_compiled(wait=wait) and wait:
            fusing.wait()
        return results

    def _run_by_turns(self, leaves: Sequence[Any]) -> list[Any]:
        """Run on the tier that has proved to be faster, or on both in turn to find out."""
        flush()  # what is pending is no part of it
        compiled = self.graph.is_preferred
        start = time.perf_counter()
        results = self.execute(leaves) if compiled else self._run_recorded(leaves)
        self.graph.count_run(time.perf_counter() - start, compiled=compiled)
        return results

    def _run_recorded(self, leaves: Sequence[Any], *, eager: bool = False) -> list[Any]:
        """Run on the immediate tier, with fused loops where there are some."""
        with policy.immediately(eager=eager):
            results = self._record(leaves)
            flush()
        return results

    def _is_compiled(self, *, wait: bool) -> bool:
        """Whether a call runs compiled; False while that is not ready, or cannot be."""
        if policy.mode == "auto" and self.device.is_cpu and (self.small or self._routine):
            return False
        if self._recorded_only:
            return False
        if self.graph.executable is None and self.graph.reason:
            self._explain(self.graph.reason)
            return False
        return self.graph.ready(wait=wait)

    def at_once(self, leaves: Sequence[Any]) -> list[Any]:
        """Run on the immediate tier."""
        if self._routine is not None:
            return self._call(self._routine, leaves, self.graph.held)
        return self._interpret(leaves) if self.recording is None else self._record(leaves)

    def _explain(self, why: str) -> None:
        """Say why there is no graph; NotImplementedError where nothing else can run either."""
        if self.recording is None:
            raise NotImplementedError(f"the function cannot be compiled: {why}")
        warn_user(f"the function cannot be compiled and runs on the immediate tier: {why}")
        self._recorded_only = True

    def _record(self, leaves: Sequence[Any]) -> list[Any]:
        """Record the steps; the results are pending."""
        assert self.recording is not None
        room()
        values = [_value(x, code) for x, (_, code) in zip(leaves, self.inputs, strict=True)]
        return list(map(handle_of, self.recording(values), self.outputs))

    def _interpret(self, leaves: Sequence[Any]) -> list[Any]:
        """Record the Jaxpr rule by rule; branches and loops read what they depend on."""
        operands = []
        for x, (shape, code) in zip(leaves, self.inputs, strict=True):
            operands.append(Operand(_value(x, code), None, shape, code))
        try:
            found = replay(self.closed.jaxpr, closed_constants(self.closed), operands)
        except Unrecordable as error:
            raise NotImplementedError(
                f"the function cannot run without a graph: {error}"
            ) from error
        values = [node("copy", [x], x.shape, x.code).value for x in found]
        return list(map(handle_of, values, self.outputs))

    def execute(self, leaves: Sequence[Any]) -> list[Any]:
        """Run the graph, which is compiled."""
        COUNTS["compiled runs"] += 1
        return self._call(self.graph, leaves)

    def _call(
        self, run: Graph | AtOnce, leaves: Sequence[Any], held: Sequence[np.ndarray] = ()
    ) -> list[Any]:
        arrays = [array_of(x, code) for x, (_, code) in zip(leaves, self.inputs, strict=True)]
        found = run([*arrays, *held])
        values = [
            leaf(code, shape, transfer.adopt(array))
            for array, (shape, code) in zip(found, self.outputs, strict=True)
        ]
        return list(map(handle_of, values, self.outputs))


def tree_of(traced: Specialization | Sized, results: list[Any], *, to_jax: bool = False) -> Any:
    """Return results as the function returns them; what arrays of ours cannot be is JAX's."""
    for place, aval in enumerate(traced.closed.out_avals):
        if aval.dtype == FLOAT0:
            results[place] = np.zeros(results[place].shape, FLOAT0)
        elif to_jax or is_key(aval.dtype) or results[place]._code not in SUPPORTED:
            results[place] = _to_jax(results[place], aval)
    return jax.tree.unflatten(traced.out_tree, results)


def described(aval: Any) -> tuple[tuple[int, ...], int]:
    """Return the shape and dtype code of a value; keys are their words."""
    return tuple(aval.shape), code_of_dtype(aval.dtype)


def handle_of(value: Any, spec: tuple[tuple[int, ...], int]) -> Any:
    shape, code = spec
    return new_array(value, shape, code)


def _value(x: Any, code: int) -> Value:
    """Return an argument as a value."""
    if isinstance(x, Handle):
        return whole_value(x)
    if type(x) in NUMBERS:
        _check_range(x, code)
        return record(COPIES[code], (), (x,))
    return transfer.import_array(_host(x), code)


def _check_range(x: Any, code: int) -> None:
    """Raise OverflowError for a Python number that an integer dtype does not have."""
    if type(x) is int and DTYPES[code].kind in "iu":
        info = np.iinfo(DTYPES[code])
        if not info.min <= x <= info.max:
            raise OverflowError(f"{x} is out of bounds for {DTYPES[code]}")


def _host(x: Any) -> np.ndarray:
    """Return an array of NumPy's or JAX's as one of NumPy's."""
    return keys_as_words(x) if isinstance(x, jax.Array) and is_key(x.dtype) else np.asarray(x)


def array_of(x: Any, code: int) -> np.ndarray:
    """Return an argument as a C-contiguous NumPy array of the dtype that was traced."""
    if isinstance(x, Handle):
        value = whole_value(x)
        ensure(value)
        return transfer.export(value, code)
    _check_range(x, code)
    return np.ascontiguousarray(_host(x), DTYPES[code]).reshape(np.shape(x))


def spec_of(x: Any) -> Hashable:
    """Return what a signature says of an argument; TypeError for what is none."""
    if type(x) in NUMBERS:
        return type(x).__name__
    if isinstance(x, Handle):
        return x._shape, x._code
    if isinstance(x, jax.Array):
        if is_key(x.dtype):
            return x.shape, "key"
        return x.shape, kernel_code(np.dtype(x.dtype)), x.weak_type
    if isinstance(x, (np.ndarray, np.generic)):
        if np.any(getattr(x, "mask", False)):
            raise TypeError("masked elements are not supported: use x.filled() or x.data")
        code = CODES.get(native(x.dtype))
        if code is not None:
            return x.shape, code
    raise TypeError(f"an argument of a compiled function must be an array or a number, not {x!r}")


def fit(leaves: Sequence[Any], specs: Sequence[tuple[tuple[int, ...], int]]) -> bool:
    """Whether arguments have these shapes and dtype codes, Python numbers any of their kind."""

    def fits(x: Any, shape: tuple[int, ...], code: int) -> bool:
        if type(x) in NUMBERS:
            return not shape and DTYPES[code].kind in _KINDS[type(x)]
        return described(struct_of(x)) == (shape, code)

    return len(leaves) == len(specs) and all(map(fits, leaves, *zip(*specs, strict=True)))


def kind_of(x: Any) -> Hashable:
    """Return what a signature says of an argument besides its shape."""
    spec = spec_of(x)
    return spec[1:] if isinstance(spec, tuple) else spec


def struct_of(x: Any) -> Any:
    """Return what JAX traces in the place of an argument; TypeError for what is none."""
    if isinstance(x, jax.ShapeDtypeStruct):
        return x
    spec_of(x)
    if type(x) in NUMBERS:
        return x
    if isinstance(x, jax.Array):
        return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=getattr(x, "weak_type", False))
    return jax.ShapeDtypeStruct(x.shape, native(x.dtype))


def trace(
    function: Callable[..., Any],
    leaves: Sequence[Any],
    tree: Any,
    device: Device,
    *,
    wide: bool = False,
) -> Specialization:
    """Trace a function of a tree of arguments, with 64-bit types if it is to be `wide`."""
    return Specialization(*jaxpr_of(function, leaves, tree, wide=wide), device)


def jaxpr_of(
    function: Callable[..., Any], leaves: Sequence[Any], tree: Any, *, wide: bool = False
) -> tuple[ClosedJaxpr, Any]:
    """Return the Jaxpr of a function of a tree of arguments, and the tree of its results.

    64-bit types are on if `wide`, if they are in the user's configuration of JAX or an array has
    one, so that nothing is narrowed, and a function of 32-bit arrays gives what `jax.jit` gives.
    """
    args, kwargs = jax.tree.unflatten(tree, map(struct_of, leaves))
    config: Any = jax.config
    with jax.enable_x64(wide or config.jax_enable_x64 or any(map(is_wide, leaves))):
        closed, shapes = tracing.jaxpr_of(function, *args, **kwargs)
    return closed, jax.tree.structure(shapes)


def _to_jax(x: Any, aval: Any) -> Any:
    """Return a result as an array of JAX's; keys come as their words."""
    ensure(whole_value(x))
    array = transfer.export(whole_value(x), x._code)
    with jax.enable_x64(True):
        if is_key(aval.dtype):
            words = np.array(array).reshape(-1).view(np.uint32).reshape(*array.shape, 2)
            return jax.random.wrap_key_data(jnp.asarray(words))
        return jnp.array(array)
