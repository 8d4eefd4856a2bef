"""Every primitive that runs at once, in graphs: against the kernels, to the last bit.

All graphs are lowered and computed without MAX (`eager_graph`), and some are compiled. Only there,
where MAX fuses real operations, may a product and the sum that follows be rounded once: floats
that differ must be within a few units in the last place of the largest number of the result.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import pytest

import jujunp
from jujunp.kernels.operations import operations
from jujunp.lazy.compiled.ir.devices import CPU
from jujunp.lazy.compiled.ir.graph_ir import TensorSpec
from jujunp.lazy.compiled.ir.writer import Writer
from jujunp.lazy.compiled.lower import reason
from jujunp.lazy.compiled.lower.rules import loops
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.compiled.store import digests
from jujunp.lazy.rules.operand import constant, node
from jujunp.lazy.values.dtypes import DTYPES, NAMES, kernel_code
from tests.support.graphs import eager_graph
from tests.support.graphs.compiled import executables_of
from tests.support.graphs.jax_modules import equations, traces
from tests.support.graphs.lowering_cases import CASES, LONG, closed_case
from tests.support.graphs.primitives_page import SAMPLES, takes
from tests.support.immediate import computed, results

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax.extend.core import ClosedJaxpr

    from jujunp.lazy.compiled.graphs.maxapi import Executable
    from jujunp.lazy.compiled.ir.devices import Device
    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

TOGETHER = 32
"""Graphs in a module."""
ULPS = 4
"""Units in the last place of the largest element by which contraction may change a result."""
EVERYTHING = bool(os.environ.get("JUJUNP_EVERY_GRAPH"))
"""Whether all graphs are compiled, which takes an hour or more, and not only some."""
SAMPLED = NAMES if EVERYTHING else ("float16", "complex64")
"""The dtypes whose samples are compiled."""
COMPILED = [name for name in CASES if EVERYTHING or name not in LONG]


@dataclass(frozen=True)
class Case:
    """An IR, its arguments, and a function that computes the same on the kernels."""

    ir: GraphIR
    arguments: Sequence[np.ndarray]
    wanted: Callable[[], list[np.ndarray]]


def of_jaxpr(closed: ClosedJaxpr, arguments: Sequence[np.ndarray]) -> Case:
    ir = from_jaxpr(closed)
    assert reason(ir) == ""
    return Case(ir, arguments, lambda: results(closed, arguments))


def compiled(cases: Mapping[str, Case], device: Device = CPU) -> dict[str, Executable]:
    """Return the executables of cases; equal IRs are compiled once."""
    names = {name: digests.digest(case.ir) for name, case in cases.items()}
    irs = {names[name]: case.ir for name, case in cases.items()}
    order = list(irs)
    found = {}
    for start in range(0, len(order), TOGETHER):
        batch = {k: irs[k] for k in order[start : start + TOGETHER]}
        found.update(executables_of(batch, device))
    return {name: found[digest] for name, digest in names.items()}


def check(case: Case, executable: Executable) -> None:
    """Assert that a compiled graph gives what the kernels give."""
    given = [np.ascontiguousarray(x).reshape(np.shape(x)) for x in case.arguments]
    before = [x.copy() for x in given]
    specs = [case.ir.specs[value] for value in case.ir.outputs]
    compare(case, [spec.seen(x) for spec, x in zip(specs, executable(given), strict=True)], alike)
    for x, y in zip(given, before, strict=True):
        assert x.tobytes() == y.tobytes(), "an argument was written to"


def check_eagerly(case: Case) -> None:
    """Assert that a graph gives the bits of the kernels where each of its ops does."""
    compare(case, eager_graph.run(case.ir, case.arguments), same_bits)


def compare(case: Case, found: Sequence[np.ndarray], same: Callable[..., bool]) -> None:
    for number, (x, y) in enumerate(zip(found, case.wanted(), strict=True)):
        assert (x.dtype, x.shape) == (y.dtype, y.shape), f"result {number}"
        assert same(x, y), f"result {number}: {x} where the kernels give {y}"


def same_bits(found: np.ndarray, wanted: np.ndarray) -> bool:
    return found.tobytes() == wanted.tobytes()


def alike(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether results are the same; floats may differ by contraction, but not in sign or nan."""
    if same_bits(found, wanted):
        return True
    if wanted.dtype.kind not in "fcV":
        return False
    x, y = _parts(found), _parts(wanted)
    with np.errstate(all="ignore"):
        numbers = np.isfinite(y) & (x != y)
        same = (x == y) & (np.signbit(x) == np.signbit(y)) | np.isnan(x) & np.isnan(y)
        largest = np.abs(y[np.isfinite(y)]).max(initial=0)
        return bool(np.all(same | numbers & (np.abs(x - y) <= ULPS * _spacing(wanted, largest))))


def _parts(x: np.ndarray) -> np.ndarray:
    """Return floats, or the parts of complex numbers, as float64."""
    if x.dtype.kind == "c":
        return np.stack([x.real, x.imag]).astype(np.float64)
    return x.astype(np.float64)


def _spacing(wanted: np.ndarray, largest: float) -> float:
    """Return a unit in the last place of a number, in the dtype of an array."""
    eps = float(jax.numpy.finfo(wanted.dtype).eps)
    return eps * largest


# By hand.


@functools.cache
def by_hand(name: str) -> Case:
    return of_jaxpr(closed_case(name), CASES[name][1])


@pytest.fixture(scope="module")
def compiled_by_hand() -> dict[str, Executable]:
    return compiled({name: by_hand(name) for name in COMPILED})


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    check_eagerly(by_hand(name))


def has_loops(ir: GraphIR) -> bool:
    return any(
        step.name in ("jj_while", "jj_scan") or any(map(has_loops, step.irs)) for step in ir.steps
    )


@pytest.mark.parametrize("name", CASES)
def test_case_with_loops_of_max(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "LARGEST", -1)
    if has_loops(by_hand(name).ir):
        check_eagerly(by_hand(name))


@pytest.mark.long
@pytest.mark.compile
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_case(name: str, compiled_by_hand: dict[str, Executable]) -> None:
    check(by_hand(name), compiled_by_hand[name])


# Each primitive that is no operation, for each dtype that it takes.


def sampled(dtype: np.dtype) -> list[ClosedJaxpr]:
    x = jax.ShapeDtypeStruct((4, 4), dtype)
    code = kernel_code(dtype)
    with jax.enable_x64(True):
        return [
            jax.make_jaxpr(lambda x, sample=sample: jax.tree.leaves(sample(x)))(x)
            for name, sample in SAMPLES.items()
            if takes(name, code)
        ]


@functools.cache
def samples(name: str) -> Case:
    """Return an IR of all samples that take a dtype."""
    dtype = DTYPES[NAMES.index(name)]
    x = (np.eye(4) * 2 + np.arange(16).reshape(4, 4) % 3).astype(dtype)
    closed = sampled(dtype)
    assert len(closed) > 20
    writer = Writer([TensorSpec(x.shape, name)])
    outputs = [y for one in closed for y in writer.inline(from_jaxpr(one), [0])]
    return Case(writer.ir(outputs), [x], lambda: [y for one in closed for y in results(one, [x])])


@pytest.fixture(scope="module")
def compiled_samples() -> dict[str, Executable]:
    return compiled({dtype: samples(dtype) for dtype in SAMPLED})


@pytest.mark.parametrize("dtype", NAMES)
def test_samples(dtype: str) -> None:
    check_eagerly(samples(dtype))


@pytest.mark.long
@pytest.mark.compile
@pytest.mark.parametrize("dtype", SAMPLED)
def test_compiled_samples(dtype: str, compiled_samples: dict[str, Executable]) -> None:
    check(samples(dtype), compiled_samples[dtype])


# Elementwise operations. Those that MAX fuses are compiled in test_compiled_lowering.py.

ON_A_GPU = ("bool", "int32", "uint8", "float32", "float64", "complex64")
"""The dtypes whose samples are run on a GPU."""
BLOCKS = ("float16", "bfloat16", "complex64", "complex128") if EVERYTHING else ("float16",)
NUMBERS = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 6e-8, 2.5, -0.5, 0.25, 7.0])


def operands(dtype: np.dtype) -> list[np.ndarray]:
    turned = [np.roll(NUMBERS, 5 * k) for k in range(3)]
    if dtype.kind == "c":
        turned = [x + 1j * np.roll(x, 1) for x in turned]
    with np.errstate(all="ignore"):
        return [x.astype(dtype) for x in turned]


def of_operations(dtype: np.dtype) -> Case:
    given = operands(dtype)
    shape = NUMBERS.shape
    known = [
        one
        for one in operations().values()
        if dtype.name in one.dtypes and one.name not in ("select_n", "clamp")
    ]
    writer = Writer([TensorSpec(shape, dtype.name)] * 3)
    outputs = [
        writer.step(
            one.name,
            range(one.arity),
            TensorSpec(shape, one.result(dtype.name)),
            **({"rounding_method": "TO_NEAREST_EVEN"} if one.name == "round" else {}),
        )
        for one in known
    ]

    def wanted() -> list[np.ndarray]:
        leaves = [constant(x, kernel_code(x.dtype)) for x in given]
        return [
            computed(
                node(one.name, leaves[: one.arity], shape, NAMES.index(one.result(dtype.name)))
            )
            for one in known
        ]

    assert len(known) > 8
    return Case(writer.ir(outputs), given, wanted)


@pytest.fixture(scope="module")
def compiled_operations() -> dict[str, Executable]:
    return compiled({name: of_operations(DTYPES[NAMES.index(name)]) for name in BLOCKS})


@pytest.mark.long
@pytest.mark.compile
@pytest.mark.parametrize("dtype", BLOCKS)
def test_compiled_operations(dtype: str, compiled_operations: dict[str, Executable]) -> None:
    check(of_operations(DTYPES[NAMES.index(dtype)]), compiled_operations[dtype])


@pytest.mark.parametrize("dtype", NAMES)
def test_operations(dtype: str) -> None:
    check_eagerly(of_operations(DTYPES[NAMES.index(dtype)]))


# All of these on a GPU.


@functools.cache
def for_a_gpu() -> dict[str, Case]:
    dtypes = {name: DTYPES[NAMES.index(name)] for name in NAMES}
    return {
        **{f"operations {name}": of_operations(dtype) for name, dtype in dtypes.items()},
        **{f"samples {name}": samples(name) for name in ON_A_GPU},
        **{f"case {name}": by_hand(name) for name in CASES if name not in LONG},
    }


@pytest.mark.gpu
@pytest.mark.compile
def test_on_a_gpu() -> None:
    cases = for_a_gpu()
    executables = compiled(cases, jujunp.gpu_engine())
    assert wrong(list(cases), lambda name: check(cases[name], executables[name])) == {}


# The functions of JAX's modules.


def kinds(closed: ClosedJaxpr) -> set[tuple[str, str]]:
    """Return what a Jaxpr is made of and nothing above has compiled: primitives, with a dtype."""
    return {
        (equation.primitive.name, _kind(x.aval))
        for equation in equations(closed.jaxpr)
        for x in equation.invars
        if equation.primitive.name not in operations() and equation.primitive.name not in SAMPLES
    }


def _kind(aval: Any) -> str:
    return getattr(getattr(aval, "dtype", None), "kind", "key")


def covering(cases: Mapping[str, Case], left: set[Any], made_of: Mapping[str, Any]) -> list[str]:
    """Return few short cases that are made of all that is left to be compiled."""
    chosen = []
    while left:
        best = max(
            cases, key=lambda name: len(made_of[name] & left) / (8 + len(cases[name].ir.steps))
        )
        chosen.append(best)
        left = left - made_of[best]
    return chosen


@dataclass
class Functions:
    """The functions of JAX's modules: as cases, and what they are made of."""

    cases: dict[str, Case]
    made_of: dict[str, set[tuple[str, str]]]


@pytest.fixture(scope="module")
def functions() -> Iterator[Functions]:
    found = Functions({}, {})
    for number, trace in enumerate(traces()):
        name = f"{number}: {trace.name}{trace.arguments}"
        found.cases[name] = of_jaxpr(trace.closed, trace.arrays)
        found.made_of[name] = kinds(trace.closed)
    yield found
    jax.clear_caches()  # what was traced takes a GB


def wrong(names: Sequence[str], check_one: Callable[[str], None]) -> dict[str, str]:
    """Return which cases fail, and how."""
    failed = {}
    for name in names:
        try:
            check_one(name)
        except Exception as error:
            failed[name] = repr(error)[:200]
    return failed


@pytest.mark.slow
def test_functions(functions: Functions) -> None:
    cases = functions.cases
    assert wrong(list(cases), lambda name: check_eagerly(cases[name])) == {}
    assert len(cases) > 1000


@pytest.mark.long
@pytest.mark.compile
@pytest.mark.slow
def test_compiled_functions(functions: Functions) -> None:
    cases = functions.cases
    done = set().union(*(kinds(closed_case(name)) for name in COMPILED))
    left = set().union(*functions.made_of.values()) - done
    chosen = list(cases) if EVERYTHING else covering(cases, left, functions.made_of)
    executables = compiled({name: cases[name] for name in chosen})
    assert wrong(chosen, lambda name: check(cases[name], executables[name])) == {}


# What the comparison takes for the same.


@pytest.mark.parametrize(
    ("change", "same"), [(0, True), (2e-16, True), (3e-15, False), (np.nan, False), (-2, False)]
)
def test_what_is_alike(change: float, same: bool) -> None:
    wanted = np.array([1.0, np.nan, np.inf, -0.0])
    assert alike(wanted + np.array([change, 0, 0, -0.0]), wanted) == same
    assert alike(np.array([1j, 2 + 1e-16j]), np.array([1j, 2]))
    assert not alike(np.array([0.0]), np.array([-0.0]))
    assert not alike(np.array([1]), np.array([2]))
