"""Every lowering rule against NumPy, on graphs that are compiled together into one module.

MAX needs a second for each run of elementwise steps that it fuses, and more for long ones: cases
whose rules others have too are `long`.

Integers, comparisons, data movement and correctly rounded floats must agree to the last bit.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jujunp.kernels.operations import operations
from jujunp.lazy.compiled.ir.graph_ir import TensorSpec
from jujunp.lazy.compiled.ir.writer import Writer
from jujunp.lazy.compiled.lower import reason
from jujunp.lazy.compiled.lower.expand import expand
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.rules.operand import constant
from jujunp.lazy.rules.operand import elementwise as recorded
from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.values.dtypes import code_of
from tests.support.graphs.compiled import executables_of
from tests.support.operations import EXACT, OTHERS, ULP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jujunp.lazy.compiled.graphs.maxapi import Executable
    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

pytestmark = pytest.mark.compile

RNG = np.random.default_rng(7)
X = RNG.standard_normal((5, 7))
Y = RNG.standard_normal((5, 7))
Z = RNG.standard_normal((3, 4, 5))
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, -3e-310, 1e308, 2.5, -0.5, 1e-300, 7.0]
)
OTHER = np.roll(SPECIAL, 5)
I8 = RNG.integers(-128, 128, (4, 5)).astype(np.int8)
I64 = RNG.integers(-20, 20, (4, 5))
FLAGS = RNG.random((5, 7)) < 0.5
INDEX = np.array([0, 3, -1, 2, 2])
ONE = np.int64(1)


@dataclass(frozen=True)
class Case:
    """An IR, its arguments, and what NumPy makes of them."""

    ir: GraphIR
    arguments: Sequence[np.ndarray]
    expected: Callable[..., Any]
    ulps: int


CASES: dict[str, Case] = {}


def case(
    name: str,
    function: Callable[..., Any],
    expected: Callable[..., Any],
    *arguments: Any,
    ulps: int = 0,
) -> None:
    """Add a case; `function` is traced by JAX."""
    arrays = [np.asarray(argument) for argument in arguments]
    with jax.enable_x64(True):
        specs = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
        ir = from_jaxpr(jax.make_jaxpr(function)(*specs))
    assert reason(ir) == "", (name, reason(ir))
    CASES[name] = Case(ir, arrays, expected, ulps)


def alike(name: str, function: Callable[..., Any], *arguments: Any, ulps: int = 0) -> None:
    """Add a case whose function is written in the same way for both modules, which it is given."""
    case(
        name,
        lambda *a: function(jnp, *a),
        lambda *a: function(np, *a),
        *arguments,
        ulps=ulps,
    )


# Elementwise operations: one IR for each dtype, all operations in it.


def immediate(name: str) -> Callable[..., Any]:
    """Return an operation as the immediate tier computes it; its kernel has tests of its own."""

    def function(*operands: np.ndarray) -> np.ndarray:
        given = [constant(np.ascontiguousarray(x), code_of(x.dtype)) for x in operands]
        found = recorded(name, *given)
        ensure(found.value)
        return transfer.export(found.value, found.code)

    return function


def exact(dtype: str) -> dict[str, Callable[..., Any]]:
    """Return the operations on a dtype with NumPy's results, but for those lowered elsewhere."""
    rows = {name: row for name, row in EXACT.items() if name not in UNTESTED_HERE}
    return {name: row.oracle for name, row in rows.items() if np.dtype(dtype) in row.dtypes}


UNTESTED_HERE = frozenset(
    # No trait under which MAX would fuse three operands.
    {"regularized_incomplete_beta"}
    # Lowered in another way.
    | {"select_n", "clamp"}
    # Between real and complex numbers: tests/support/graphs/lowering_cases.py has them.
    | {"complex", "conj", "imag", "real"}
)
INEXACT = {
    name: row.oracle if isinstance(row.oracle, np.ufunc) else immediate(name)
    for name, row in ULP.items()
}
OF_ORDERS = {name: immediate(name) for name in OTHERS if name not in UNTESTED_HERE}
"""Operations on numbers that are not just any."""


def elementwise(
    name: str, table: dict[str, Callable[..., Any]], *operands: np.ndarray, ulps: int = 0
) -> None:
    """Add an IR that applies every operation of a table, each in a row of the result.

    The operations are chosen from in one fused kernel: a kernel for each takes long to compile.
    """
    shape, dtype = (len(table), operands[0].size), operands[0].dtype.name
    writer = Writer(
        [TensorSpec(shape, dtype), TensorSpec(shape, dtype), TensorSpec(shape, "int64")]
    )
    chosen = 0
    for row, operation in enumerate(table):
        known = operations()[operation]
        result = TensorSpec(shape, "bool" if known.predicate else dtype)
        made = writer.step(operation, range(known.arity), result, rounding_method="TO_NEAREST_EVEN")
        here = writer.compare("eq", 2, writer.scalar(row, "int64"))
        chosen = writer.step(
            "jj_select", [here, chosen, writer.convert(made, dtype)], TensorSpec(shape, dtype)
        )

    def expected(a: np.ndarray, b: np.ndarray, _: np.ndarray) -> np.ndarray:
        rows = []
        for row, (operation, function) in enumerate(table.items()):
            arguments = (a[row], b[row])[: operations()[operation].arity]
            rows.append(function(*arguments).astype(dtype))
        return np.stack(rows)

    rows = np.broadcast_to(np.arange(shape[0])[:, None], shape)
    arguments = [np.ascontiguousarray(np.broadcast_to(operand, shape)) for operand in operands]
    arguments.append(np.ascontiguousarray(rows))
    CASES[name] = Case(writer.ir([chosen]), arguments, expected, ulps)


elementwise("elementwise float64", exact("float64"), SPECIAL, OTHER)
elementwise("elementwise inexact float64", INEXACT, SPECIAL, OTHER, ulps=8)
ORDERS = RNG.integers(1, 6, 40) + 0.0
elementwise("elementwise gamma float64", OF_ORDERS, ORDERS, RNG.uniform(1, 6, 40), ulps=8)
elementwise("elementwise int64", exact("int64"), RNG.integers(-9, 60, 30), RNG.integers(0, 60, 30))
elementwise("elementwise bool", exact("bool"), RNG.random(70) < 0.5, RNG.random(70) < 0.5)
with np.errstate(all="ignore"):
    SINGLES = [array.astype(np.float32) for array in (SPECIAL, OTHER)]
elementwise("elementwise float32", exact("float32"), *SINGLES)
elementwise("elementwise int8", exact("int8"), I8.ravel(), np.abs(I8.ravel() // 16))
UNSIGNED = [RNG.integers(0, 2**32, 20, np.uint32), RNG.integers(0, 31, 20, np.uint32)]
elementwise("elementwise uint32", exact("uint32"), *UNSIGNED)


def test_every_operation_is_tested() -> None:
    tables = (*map(exact, ("int64", "float64", "bool")), INEXACT, OF_ORDERS)
    tested = {name for table in tables for name in table}
    assert tested | UNTESTED_HERE == set(operations())


# What MAX's own compiler would simplify wrongly.
alike("not simplified", lambda m, x: (x - x, x * 0, x == x, x / 3.0, x + 0, 0 - x), SPECIAL)
alike("constants", lambda m, x: (x * 0.1 - 1e-310, m.maximum(x, -0.0), x < np.nan), SPECIAL)

# Regions: shapes, sharing, broadcasting.


def chain(x: Any) -> Any:
    """Take more steps than one region has; no product is added to, which might be contracted."""
    y = x
    for _ in range(250):
        y = (y - x) / 1.5
    return y


alike("shared values", lambda m, x, y: ((x + y) * 2, (x + y) - x, x + y), X, Y)
alike("scalars", lambda m, x, y: (x * y + 1, (x > y) & True), np.float64(0.5), np.float64(3))
alike("scalar with array", lambda m, x, y: (x / y, y - x), X, np.float64(3))
alike("broadcasting", lambda m, x: (x + x[0], x * x[:, :1], x[:, :1] - x[:1]), X)
alike("empty", lambda m, x: (x + 1, x.T * 2, x.sum(0)), np.zeros((0, 3)))
alike("bool and integers", lambda m, f, i: (~f ^ f[::-1], (i > 3) & (i < 9)), FLAGS, I64)
alike("large", lambda m, x: (x * 2 + 1)[:, ::3], RNG.standard_normal((300, 1000)))
alike(
    "all axes",
    lambda m, x: x[::-1].T + x.T[::-1].T.T,
    RNG.standard_normal((2, 1, 3, 1, 2, 1, 2, 2)),
)
alike("long chain", lambda m, x: chain(x), np.array([3.0, 2.0, np.inf]))


# Conversions and choices.
alike(
    "conversions of floats",
    lambda m, x: [x.astype(t) for t in ("int8", "int16", "int32", "int64", "bool", "float32")],
    np.array([0.0, -0.0, 1.9, -1.9, 100.5, -128.0, np.nan]) * (1 - np.isnan(SPECIAL[:7])),
)
alike("conversion of nan", lambda m, x: x.astype(bool), SPECIAL)
alike(
    "conversions of integers", lambda m, i: [i.astype(t) for t in ("uint8", "float64", "bool")], I64
)
alike("conversion of flags", lambda m, f: (f.astype("int64"), f.astype("float32")), FLAGS)
alike("where", lambda m, f, x, y: (m.where(f, x, y), m.where(f, x, 0.0)), FLAGS, X, Y)
case(
    "select of several",
    lambda i, x: lax.select_n((i % 3).astype(np.int32), x, -x, x * 2),
    lambda i, x: np.choose(i % 3, [x, -x, x * 2]),
    I64,
    RNG.standard_normal((4, 5)),
)
case("clamp", lambda x: lax.clamp(-0.5, x, 2.0), lambda x: np.clip(x, -0.5, 2.0), SPECIAL)
case(
    "integer powers",
    lambda x: (x**0, x**1, x**2, x**5, lax.integer_pow(x, -3)),
    lambda x: (np.ones_like(x), x, x * x, x * ((x * x) * (x * x)), 1 / (x * (x * x))),
    np.array([0.5, -2.0, 3.0, np.inf]),
)

# Views.
alike("slices", lambda m, x: (x[1:4, ::2], x[::-1], x[2], x[:, -1], x[3:3]), X)
alike("transposes", lambda m, z: (z.T, m.swapaxes(z, 0, 1), z.transpose(2, 0, 1).copy()), Z)
alike("reshapes", lambda m, z: (z.reshape(12, 5), z.T.reshape(-1), z[::2].reshape(2, 20)), Z)
alike("axes", lambda m, x: (x[None, :, None], m.squeeze(x[:1]), m.expand_dims(x, 1)), X)
alike("repetition", lambda m, x: (m.broadcast_to(x[0], (3, 7)), m.tile(x, (2, 3))), X)
alike("the same twice", lambda m, x: (x, x, x + 0, x[:], x.reshape(35)), X)
case("reverse", lambda x: lax.rev(x, (0, 1)), lambda x: x[::-1, ::-1], X)

# Putting together.
alike(
    "concatenate",
    lambda m, x, y: (m.concatenate([x, y * 2, x[:, :1]], 1), m.stack([x, y], 1)),
    X,
    Y,
)
alike("concatenate many", lambda m, x: m.concatenate([x[k : k + 1] for k in (4, 2, 0, 1, 3)]), X)
alike("split", lambda m, x: m.split(x, [2, 3], axis=1), X)
alike("pad", lambda m, x: m.pad(x, ((1, 0), (2, 3)), constant_values=7.0), X)
case(
    "pad inside and out",
    lambda x: lax.pad(x, 0.5, ((1, -1, 2), (-1, 0, 1))),
    lambda x: padded(x),
    X,
)


def padded(x: np.ndarray) -> np.ndarray:
    large = np.full((1 + 13 + 0, 13), 0.5)
    large[1:14:3, ::2] = x
    return large[:-1, 1:]


alike("counting", lambda m, x: (m.arange(9), m.arange(5.0) * x[0, :5], m.eye(3), m.tril(x)), X)
alike("large constants", lambda m, x: (m.arange(5000), m.zeros((60, 70)), m.ones(3)), X)
case(
    "bits",
    lambda x: (lax.bitcast_convert_type(x, np.int64), lax.bitcast_convert_type(x, np.uint16)),
    lambda x: (x.view(np.int64), x.view(np.uint16).reshape(*x.shape, 4)),
    SPECIAL,
)

# Parts at run time.
for start in (np.int64(-3), np.int64(2), np.int64(99)):
    case(
        f"dynamic slice at {start}",
        lambda x, s: (
            lax.dynamic_slice(x, (s, s), (2, 3)),
            lax.dynamic_slice(x.T, (s, ONE), (3, 2)),
            lax.dynamic_update_slice(x, x[:2, :2] * 0, (s, s)),
        ),
        lambda x, s: (
            x[(a := place(s, 5, 2)) : a + 2, (b := place(s, 7, 3)) : b + 3],
            x.T[(c := place(s, 7, 3)) : c + 3, 1:3],
            updated(x, s),
        ),
        X,
        start,
    )


def place(start: int, length: int, size: int) -> int:
    """Return where lax starts a part: negative starts count from the end, then it fits in."""
    return min(max(start + length if start < 0 else start, 0), length - size)


def updated(x: np.ndarray, start: int) -> np.ndarray:
    x = x.copy()
    row, column = place(start, 5, 2), place(start, 7, 2)
    x[row : row + 2, column : column + 2] = x[:2, :2] * 0
    return x


case(
    "dynamic slice of three axes",
    lambda z, a, b, c: (lax.dynamic_slice(z, (a, b, c), (2, 2, 2)), z.at[a].set(0.0), z[a, b]),
    lambda z, a, b, c: (
        z[1:3, 2:4, 3:5],
        np.concatenate([z[:1], np.zeros_like(z[1:2]), z[2:]]),
        z[1, 2],
    ),
    Z,
    *(np.int64(k) for k in (1, 2, 3)),
)


def write(m: Any, x: Any, corner: tuple[int, int], new: Any) -> Any:
    """Return the array with another part."""
    if m is jnp:
        return lax.dynamic_update_slice(x, new, corner)
    x = x.copy()
    x[tuple(slice(k, k + n) for k, n in zip(corner, new.shape, strict=True))] = new
    return x


def many_writes(m: Any, x: Any) -> tuple[Any, ...]:
    y = write(m, m.zeros_like(x), (1, 1), 2 * x[1:-1, 1:-1])
    y = write(m, y, (1, 1), y[1:-1, 1:-1] - x[1:-1, 1:-1])
    z = write(m, y, (2, 0), y[2:3] + 1)  # overlaps what was written
    z = write(m, z, (0, 0), z[:, :1] - z[:, -1:])  # apart from the first, across the second
    return y, z, z[1:-1:2, 1:-1], z[2, 3:4], z[:, 6:]


alike("many writes", many_writes, X)


def test_writes_to_one_part_cost_one() -> None:
    def f(x: Any) -> Any:
        y = jnp.zeros_like(x)
        for k in range(5):
            y = write(jnp, y, (1, 1), y[1:-1, 1:-1] + x[1:-1, 1:-1] * k)
        return y

    with jax.enable_x64(True):
        ir = expand(from_jaxpr(jax.make_jaxpr(f)(X)))
    assert [step.name for step in ir.steps].count("jj_update") == 1


# Indexing by arrays.
alike("gather", lambda m, x, i: (x[i], x[:, i], x[i, 1:3], x[i, i], x[i[:, None], i]), X, INDEX)
alike("gather of inner axes", lambda m, z, i: (z[:, i[:3]], z[i % 3, :, i], z[..., i]), Z, INDEX)
alike("gather of flags", lambda m, f, i: f[i], FLAGS, INDEX)
alike("take along", lambda m, x, i: m.take_along_axis(x, i, 0), X, RNG.integers(0, 5, (3, 7)))
case(
    "take beyond bounds",
    lambda x, i: (jnp.take(x, i, 0, mode="clip"), jnp.take(x, i, 1, mode="fill")),
    lambda x, i: (x[np.clip(i, 0, 4)], filled(x, i)),
    X,
    np.array([0, 4, 5, 99]),
)


def filled(x: np.ndarray, index: np.ndarray) -> np.ndarray:
    found = x[:, np.clip(index, 0, 6)]
    found[:, index > 6] = np.nan
    return found


WINDOWS = np.array([[0, 1], [1, 9]])
case(
    "windows",
    lambda z, i: (
        lax.gather(z, i, lax.GatherDimensionNumbers((0, 1, 3), (), (0, 2)), (2, 4, 3), mode="clip"),
        lax.scatter_add(
            z, i, jnp.ones((2, 2, 4, 3)), lax.ScatterDimensionNumbers((1, 2, 3), (), (0, 2))
        ),
    ),
    lambda z, i: (
        np.stack([z[:2, :, 1:4], z[1:3, :, 2:5]], 2),
        np.concatenate([z[:2] + np.array([0, 1, 1, 1, 0]), z[2:]]),
    ),
    Z,
    WINDOWS,
)


def at(operation: np.ufunc | None, x: np.ndarray, index: Any, value: Any) -> np.ndarray:
    x = x.copy()
    if operation is None:
        x[index] = value
    else:
        operation.at(x, index, value)
    return x


V5 = RNG.standard_normal(5)
case(
    "scatter",
    lambda x, i, v: (
        x.at[i].set(0.0),
        x.at[i, i].set(v),
        x.at[i].add(1.5),
        x.at[:, i].multiply(2.0),
        x.at[i, 1:3].max(0.25),
        x.at[i].min(v[:, None]),
        x.at[i + 2].add(1.0),
    ),
    lambda x, i, v: (
        at(None, x, i, 0.0),
        at(None, x, (i, i), v),
        at(np.add, x, i, 1.5),
        at(np.multiply, x, (slice(None), i), 2.0),
        at(np.maximum, x, (i, slice(1, 3)), 0.25),
        at(np.minimum, x, i, v[:, None]),
        at(np.add, x, (i + 2)[i + 2 < 5], 1.0),
    ),
    X,
    INDEX,
    V5,
)
alike(
    "scatter of integers",
    lambda m, i, k: i.at[k].add(3) if m is jnp else at(np.add, i, k, 3),
    I8,
    INDEX % 4,
)

# Reductions, scans, sorting, products.
alike("sums", lambda m, x: (x.sum(), x.sum(0), x.sum(1), x.T.sum(0), x[:, ::2].sum(1)), X)
alike(
    "long sum",
    lambda m, x: (x.sum(), x.sum(1), x.reshape(-1)[3:].sum()),
    RNG.standard_normal((40, 3000)),
)
case(
    "sums of expressions",
    lambda x, y: (
        (x * y).sum(),
        (x - y).sum(1),
        (x / y).sum(0),
        jnp.abs(x)[None].max((0, 2)),
        (x > y).all(),
        (x < y).any(1),
        (x + 1).min(),
    ),
    lambda x, y: (
        (x * y).sum(),
        (x - y).sum(1),
        (x / y).sum(0),
        np.abs(x).max(1),
        (x > y).all(),
        (x < y).any(1),
        (x + 1).min(),
    ),
    RNG.standard_normal((37, 3000)),
    RNG.standard_normal((37, 3000)),
)
alike("long sum of an expression", lambda m, x: (x / 3).sum(), RNG.standard_normal(300_001))
alike("sum of few columns", lambda m, x: (x / 3).sum(0), RNG.standard_normal((5000, 3)))
alike("sum of a column", lambda m, x: (x / 3).sum(0), RNG.standard_normal((5000, 1)))
alike("sums of nothing", lambda m, x: ((x / 3).sum(0), (-x).sum(1)), np.zeros((0, 3)))
alike("sum of the middle", lambda m, z: (z / 3).sum(1), Z)
alike("sums of integers", lambda m, i: (i.sum(), i.astype("int64").prod(1), (i > 0).sum(0)), I8)
alike("extremes", lambda m, x: (x.max(0), x.min(), x[:, 1:].max(1)), X)
alike("extremes with nan", lambda m, x: (x.max(), x.min(0)), np.stack([SPECIAL, OTHER]))
alike("extremes of infinities", lambda m, x: (x.max(0), x.min(1)), np.full((2, 3), -np.inf))
alike("any and all", lambda m, f: (f.any(0), f.all(1), f.all(), f[:0].any(0)), FLAGS)
alike(
    "folds of repeated operands",
    lambda m, x, y: (m.max(x[:, None] - y, axis=-1), (x[:, None, 1:] / y[:, 1:]).sum(-1)),
    X,
    Y,
)
case(
    "folds of bits",
    lambda i: (lax.reduce_and(i, (0,)), lax.reduce_or(i, (1,)), lax.reduce_xor(i, (0, 1))),
    lambda i: (
        np.bitwise_and.reduce(i, 0),
        np.bitwise_or.reduce(i, 1),
        np.bitwise_xor.reduce(i, axis=None),
    ),
    I64,
)
alike(
    "places of extremes",
    lambda m, x: (x.argmax(0), x.argmin(1), x.argmax()),
    np.stack([SPECIAL, OTHER]),
)
case(
    "scans",
    lambda x: (
        lax.cumsum(x, 0),
        lax.cumprod(x, 1),
        lax.cummax(x, 0),
        lax.cummin(x, 1, reverse=True),
        lax.cumsum(x, 1, reverse=True),
    ),
    lambda x: (
        np.cumsum(x, 0),
        np.cumprod(x, 1),
        np.maximum.accumulate(x, 0),
        np.minimum.accumulate(x[:, ::-1], 1)[:, ::-1],
        np.cumsum(x[:, ::-1], 1)[:, ::-1],
    ),
    X,
)
ONE_ZERO = np.where(SPECIAL == 0, 3.0, SPECIAL)  # NumPy leaves the order of 0.0 and -0.0 open
alike("sort", lambda m, x: (m.sort(x, 0), m.sort(x, 1)), np.stack([ONE_ZERO, OTHER + 1, ONE_ZERO]))
alike("argsort", lambda m, i: m.argsort(i, 1, stable=True), I64 // 5)
case(
    "sort together",
    lambda i, x: lax.sort((i // 5, x, i), num_keys=2, dimension=0),
    lambda i, x: [np.take_along_axis(a, np.lexsort((x, i // 5), 0), 0) for a in (i // 5, x, i)],
    I64,
    RNG.standard_normal((4, 5)),
)
alike("products of integers", lambda m, i: (i @ i.T, i[0] @ i[1], (i > 0) @ (i > 0).T), I64)
case(
    "products",
    lambda x, y, z: (
        x @ y.T,
        x[0] @ y[0],
        jnp.einsum("bij,bkj->bik", z, z),
        jnp.tensordot(z, z, ((1, 2),) * 2),
    ),
    lambda x, y, z: (
        x @ y.T,
        x[0] @ y[0],
        np.einsum("bij,bkj->bik", z, z),
        np.tensordot(z, z, ((1, 2),) * 2),
    ),
    X,
    Y,
    Z,
    ulps=64,
)


LONG = {
    *(f"elementwise {which}" for which in ("float32", "int8", "uint32", "int64")),
    *(f"elementwise {which} float64" for which in ("gamma", "inexact")),
    *("scatter", "gather", "gather of inner axes", "take beyond bounds", "windows", "long chain"),
    *("dynamic slice at -3", "dynamic slice at 2", "dynamic slice of three axes"),
    *("sums of expressions", "conversions of floats", "integer powers", "scatter of integers"),
    *("sum of few columns", "sum of a column", "sum of the middle", "long sum of an expression"),
    *("conversion of flags", "select of several", "pad inside and out", "concatenate many"),
    *("extremes of infinities", "folds of bits", "scalars", "repetition", "gather of flags"),
    *("argsort", "sort together", "products of integers", "sums of integers"),
    *("shared values", "scalar with array", "bool and integers", "conversions of integers"),
    *("transposes", "axes", "large constants", "many writes", "long sum", "sums of nothing"),
    *("extremes",),
}
"""Cases that MAX is not given every time: others have the same ops of it."""


@pytest.fixture(scope="module")
def executables() -> dict[str, Executable]:
    return executables_of({k: entry.ir for k, entry in CASES.items() if k not in LONG})


@pytest.fixture(scope="module")
def long_executables() -> dict[str, Executable]:
    return executables_of({name: CASES[name].ir for name in sorted(LONG)})


@pytest.mark.parametrize("name", [name for name in CASES if name not in LONG])
def test_case(name: str, executables: dict[str, Executable]) -> None:
    check_case(name, executables)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(LONG))
def test_long_case(name: str, long_executables: dict[str, Executable]) -> None:
    check_case(name, long_executables)


def check_case(name: str, executables: dict[str, Executable]) -> None:
    entry = CASES[name]
    with np.errstate(all="ignore"):
        wanted = entry.expected(*entry.arguments)
    wanted = wanted if isinstance(wanted, (tuple, list)) else (wanted,)
    before = [argument.copy() for argument in entry.arguments]
    results = executables[name](entry.arguments)
    assert len(results) == len(wanted)
    for number, (result, want) in enumerate(zip(results, map(np.asarray, wanted), strict=True)):
        assert (result.shape, result.dtype) == (want.shape, want.dtype), number
        check(result, want, entry.ulps, number)
        assert result.flags.writeable
        assert not any(np.shares_memory(result, other) for other in entry.arguments)
    for one, other in itertools.pairwise(results):
        assert not np.shares_memory(one, other)
    for argument, copy in zip(entry.arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


def check(result: np.ndarray, want: np.ndarray, ulps: int, number: int) -> None:
    if ulps and want.dtype.kind == "f":
        np.testing.assert_array_max_ulp(result[~np.isnan(want)], want[~np.isnan(want)], ulps)
        assert np.isnan(result[np.isnan(want)]).all()
        return
    np.testing.assert_array_equal(result, want, err_msg=f"output {number}")
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(
            np.signbit(result), np.signbit(want) | np.isnan(want) & np.signbit(result)
        )
