"""Functions in Mojo as ufuncs: values, dtypes, methods, errors, JAX, and the two tiers."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp as jj
from jujunp.kernels.build import KernelBuildError
from jujunp.lazy.functions import table as functions
from jujunp.lazy.functions.building import build
from jujunp.lazy.functions.sources import Signature, signature_of
from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LOG
from tests.support.bytecode import GROUP, work
from tests.support.tree.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = '''
"""Elementwise functions that have no counterpart in NumPy."""

from elementwise.exponential import exp


def swish[
    dtype: DType, width: SIMDLength, //  # inferred
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The product of x and its logistic function."""
    return x / (1 + exp(-x))


def slope[
    dtype: DType, width: SIMDLength
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    var s = 1 / (1 + exp(-x))
    return s + x * s * (1 - s)


def limited[dtype: DType](x: Scalar[dtype], y: Scalar[dtype]) -> Scalar[dtype]:
    """x - y below y, else y + 1."""
    if x < y:
        return x - y
    return y + 1


def near[
    dtype: DType, width: SIMDLength
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    return (a - b).le(1) & (b - a).le(1)


def even[dtype: DType](x: Scalar[dtype]) -> Bool:
    return x % 2 == 0


def maximum[
    dtype: DType, width: SIMDLength
](a: SIMD[dtype, width], b: SIMD[dtype, width]) -> SIMD[dtype, width]:
    """The smaller one: a function may have the name of another one in NumPy."""
    return a.lt(b).select(a, b)
'''

WIDE = "float32, float64, int64"


@pytest.fixture(scope="module")
def swish() -> Any:
    return jj.vectorize_mojo(SOURCE, "swish", derivative=jj.vectorize_mojo(SOURCE, "slope"))


@pytest.fixture(scope="module")
def limited() -> Any:
    by = (lambda x, y: jnp.where(x < y, 1.0, 0.0), lambda x, y: jnp.where(x < y, -1.0, 1.0))
    return jj.vectorize_mojo(SOURCE, "limited", WIDE, derivative=by, doc="Limited.\n\nMore.")


@pytest.fixture(scope="module")
def near() -> Any:
    return jj.vectorize_mojo(SOURCE, "near", "int8, float16, float32, float64")


def np_swish(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def np_limited(x: Any, y: Any) -> Any:
    return np.where(x < y, x - y, y + np.asarray(1, np.result_type(x, y)))


one_by_one = np.frompyfunc(lambda x, y: x - y if x < y else y + 1, 2, 1)
"""The oracle for the methods of `limited`."""

RNG = np.random.default_rng(5)
SIZES = (0, 1, 2, 3, 7, 16, 33, 2047, 2049, 300_000)


# -- values


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_two_operands(limited: Any, size: int, dtype: str) -> None:
    x, y = (RNG.normal(0, 9, (2, size))).astype(dtype)
    found = limited(jj.array(x), jj.array(y))
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.asarray(found), np_limited(x, y), strict=True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_operand_on_vectors(swish: Any, size: int, dtype: str) -> None:
    x = RNG.normal(0, 9, size).astype(dtype)
    found = np.asarray(swish(jj.array(x)))
    np.testing.assert_allclose(found, np_swish(x), rtol=8 * np.finfo(dtype).eps)
    alone = [float(swish(jj.array(x[at : at + 1]))[0]) for at in range(min(size, 20))]
    np.testing.assert_array_equal(found[:20], np.array(alone, dtype))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
@pytest.mark.parametrize("size", SIZES)
def test_a_predicate(near: Any, dtype: str, size: int) -> None:
    x, y = (RNG.normal(0, 3, (2, size))).astype(dtype)
    found = near(jj.array(x), jj.array(y))
    expected = (x - y <= 1) & (y - x <= 1)
    np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


def test_special_values(near: Any, swish: Any, quiet: None) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, 5e-324])
    a, b = np.meshgrid(x, x)
    expected = (a - b <= 1) & (b - a <= 1)
    np.testing.assert_array_equal(np.asarray(near(jj.array(a), jj.array(b))), expected)
    np.testing.assert_array_equal(np.asarray(swish(jj.array(x))), np_swish(x))


def test_views_and_broadcasting(limited: Any) -> None:
    x, y = RNG.normal(size=(40, 300)), RNG.normal(size=(300, 40))
    a, b = jj.array(x), jj.array(y)
    cases = [
        (lambda p, q: (p[::-2, 5], q.T[::2, 7])),
        (lambda p, q: (p.T, q)),
        (lambda p, q: (p[:, :1], q[7:9, None, ::-1])),
        (lambda p, q: (p[3, 4], q)),
        (lambda p, q: (p[:0], q.T[:0])),
    ]
    for case in cases:
        np.testing.assert_array_equal(np.asarray(limited(*case(a, b))), np_limited(*case(x, y)))


def test_it_is_one_step_among_others(limited: Any, swish: Any) -> None:
    """A chain of functions and operations is one group: nothing between is stored."""
    x = RNG.normal(size=100)
    a = jj.array(x)
    jj.flush()
    found = limited(jj.sin(a * 2), swish(a) + 1) * 3
    assert len(LOG) == 6
    assert work() == [GROUP]
    expected = np_limited(np.sin(x * 2), np_swish(x) + 1) * 3
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)


def test_a_function_named_like_one_of_numpy() -> None:
    ours: Any = jj.vectorize_mojo(SOURCE, "maximum", associative=True)
    x = RNG.normal(size=(4, 30))
    a = jj.array(x)
    np.testing.assert_array_equal(np.asarray(ours(a[0], a[1])), np.minimum(x[0], x[1]))
    assert float(ours.reduce(a, None)) == x.min()
    np.testing.assert_array_equal(np.asarray(ours.reduce(a, (0, 1), keepdims=True)), [[x.min()]])
    np.testing.assert_array_equal(np.asarray(ours.accumulate(a, 1)), np.minimum.accumulate(x, 1))
    ours.at(a, ([0, 0], [1, 1]), -7.0)
    assert a[0, 1] == -7.0
    assert float(jj.maximum.reduce(a, None)) == x.max()


# -- dtypes


OPERANDS: list[Any] = [
    *(np.zeros(2, code) for code in "?bhilBHILefd"),
    *(np.ones((), code)[()] for code in "bfd"),
    *(True, 1, 1.5),
]


def test_dtypes_are_those_of_a_ufunc_with_these_loops() -> None:
    """The oracle is `heaviside`, which has the same loops."""
    floats: Any = jj.vectorize_mojo(SOURCE, "limited", "float64, float16, float32")
    assert floats.types == ["ee->e", "ff->f", "dd->d"]
    for x, y in itertools.product(OPERANDS, OPERANDS):
        expected = np.heaviside(x, y).dtype
        assert floats(x, y).dtype == expected, (x, y)


def test_attributes(limited: Any, near: Any) -> None:
    assert isinstance(limited, jj.ufunc)
    assert repr(limited) == "<ufunc 'limited'>"
    assert limited.__name__ == "limited"
    assert limited.__doc__ == "Limited.\n\nMore."
    assert (limited.nin, limited.nout, limited.nargs, limited.identity) == (2, 1, 3, None)
    assert limited.types == ["ll->l", "ff->f", "dd->d"]
    assert near.types == ["bb->?", "ee->?", "ff->?", "dd->?"]


@pytest.mark.parametrize("operand", [1j, np.zeros(2, "c16")])
def test_operands_that_fit_no_loop(limited: Any, operand: Any) -> None:
    with pytest.raises(TypeError, match="'limited' not supported for the input types"):
        limited(jj.array([1.0, 2.0]), operand)


def test_shapes_that_do_not_broadcast(limited: Any) -> None:
    with pytest.raises(ValueError, match="could not be broadcast"):
        limited(jj.zeros(3), jj.zeros(4))
    with pytest.raises(TypeError, match="positional arguments"):
        limited(jj.zeros(3))


def test_numbers_lists_and_numpy_arrays(limited: Any) -> None:
    assert limited(1, 2) == -1
    assert limited(1, 2).dtype == "int64"
    assert limited([3.5, 1], np.float32(2)).tolist() == [3.0, -1.0]
    found = limited(np.arange(4), 2)
    assert type(found) is jj.ndarray
    assert found.tolist() == [-2, -1, 3, 3]
    assert limited(jj.arange(4, dtype="float32"), 2).dtype == "float32"


def test_out_where_dtype_casting(limited: Any) -> None:
    x = np.arange(6.0).reshape(2, 3)
    a, out = jj.array(x), jj.zeros((2, 3))
    assert limited(a, 3, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), np_limited(x, 3))
    out = jj.full((2, 3), 9.0)
    limited(a, 3, out=out, where=a > 2)
    np.testing.assert_array_equal(np.asarray(out), np.where(x > 2, np_limited(x, 3), 9))
    assert limited(a, 3, dtype="float32").dtype == "float32"
    assert limited(jj.arange(3), 1, dtype=float).tolist() == [-1.0, 2.0, 2.0]
    with pytest.raises(TypeError, match="Cannot cast ufunc 'limited' output"):
        limited(a, 3, out=jj.zeros((2, 3), int))
    with pytest.raises(TypeError, match="No loop matching"):
        limited(a, 3, dtype="int8")
    with pytest.raises(TypeError):
        limited(a, a, casting="no", dtype="float32")


# -- methods


@pytest.mark.parametrize("dtype", ["float64", "int64", "int32"])
def test_reduce_and_accumulate_go_from_left_to_right(limited: Any, dtype: str) -> None:
    x = RNG.integers(-5, 5, (4, 7, 3)).astype(dtype)
    a = jj.array(x)
    for axis in (0, 1, -1):
        expected = one_by_one.reduce(x, axis).astype(float)
        np.testing.assert_array_equal(np.asarray(limited.reduce(a, axis)), expected)
        expected = one_by_one.accumulate(x, axis).astype(float)
        np.testing.assert_array_equal(np.asarray(limited.accumulate(a, axis)), expected)
    found = limited.reduce(a, 1, keepdims=True, initial=2)
    expected = one_by_one.reduce(x, 1, keepdims=True, initial=2).astype(float)
    np.testing.assert_array_equal(np.asarray(found), expected)
    found = limited.reduce(a, 1, initial=2, where=a > 0)
    expected = one_by_one.reduce(x, 1, initial=2, where=x > 0).astype(float)
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_reductions_that_are_refused(limited: Any, near: Any, swish: Any) -> None:
    a = jj.ones((2, 3))
    with pytest.raises(ValueError, match="not reorderable"):
        limited.reduce(a, (0, 1))
    with pytest.raises(ValueError, match="no identity"):
        limited.reduce(a[:0])
    with pytest.raises(TypeError):
        near.reduce(a)
    with pytest.raises(ValueError, match="binary"):
        swish.reduce(a)


def test_an_identity() -> None:
    ours: Any = jj.vectorize_mojo(SOURCE, "maximum", identity=float("inf"), associative=True)
    assert ours.reduce(jj.zeros(0)) == np.inf
    assert ours.identity == np.inf
    x = RNG.normal(size=20)
    found = ours.reduce(jj.array(x), where=jj.array(x > 0))
    assert float(found) == x[x > 0].min()


def test_outer_and_at(limited: Any, swish: Any) -> None:
    x = RNG.normal(size=8)
    found = np.asarray(limited.outer(x[:3], x))
    np.testing.assert_array_equal(found, np_limited(x[:3, None], x))
    places, others = [1, 1, 5, 1, -1], RNG.normal(size=5)
    a, expected = jj.array(x), x.astype(object)
    limited.at(a, places, others)
    one_by_one.at(expected, places, others)
    np.testing.assert_array_equal(np.asarray(a), expected.astype(float))
    swish.at(a, [0])
    assert float(a[0]) == float(swish(expected[0]))


# -- what is refused, and when


@pytest.mark.parametrize(
    ("types", "error"),
    [
        ("", TypeError),
        ([], ValueError),
        ("complex64", TypeError),
        ("float32, nothing", TypeError),
        (["U3"], TypeError),
        ("object", TypeError),
    ],
)
def test_bad_types(types: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        jj.vectorize_mojo(SOURCE, "limited", types)


@pytest.mark.parametrize("name", ["nothing", "lim", "x", "", "a b", "SOURCE"])
def test_names_that_are_not_there(name: str) -> None:
    with pytest.raises(ValueError, match="defines no function"):
        jj.vectorize_mojo(SOURCE, name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f() -> Float64:", "0 operands"),
        ("def f(x: Float64, y: Float64, z: Float64) -> Float64:", "3 operands"),
        ("def f(x: Float64):", "what it returns"),
        ("def f[dtype: DType(x: Float64)", "ends before"),
        ("  def f(x: Float64) -> Float64:", "defines no function"),
        ("def fg(x: Float64) -> Float64:", "defines no function"),
    ],
)
def test_signatures_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        signature_of(text, "f")


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        ("def f(x: Float64) -> Float64:", Signature(1, False, False)),
        ("def f[w: SIMDLength](x: SIMD[DType.float32, w], /) -> SIMD[DType.float32, w]:",
         Signature(1, True, False)),
        ("def f[t: DType](\n    x: Scalar[t],  # a, b\n    y: Scalar[t],\n) -> Scalar[DType.bool]:",
         Signature(2, False, True)),
        ("def f[t: DType, w: SIMDLength](x: SIMD[t, w], y: SIMD[t, w]) -> SIMD[DType.bool, w]:",
         Signature(2, True, True)),
    ],
)  # fmt: skip
def test_signatures(text: str, signature: Signature) -> None:
    assert signature_of(text, "f") == signature


def test_what_does_not_compile_raises_at_once() -> None:
    with pytest.raises(KernelBuildError, match="use of unknown declaration 'nothing'"):
        jj.vectorize_mojo("def f(x: Float64) -> Float64:\n    return x + nothing\n", "f", "float64")
    with pytest.raises(KernelBuildError, match="error:"):  # no such dtype
        jj.vectorize_mojo("def f(x: Float64) -> Float64:\n    return x\n", "f", "float32")


def test_derivatives_for_each_operand() -> None:
    with pytest.raises(ValueError, match="2 operands, each with a derivative"):
        jj.vectorize_mojo(SOURCE, "limited", derivative=jnp.cos)


def test_a_file(tmp_path: Any) -> None:
    path = tmp_path / "functions.mojo"
    path.write_text(SOURCE, encoding="utf-8")
    for given in (path, str(path)):
        assert jj.vectorize_mojo(given, "even", ["int32"])(jj.arange(4, dtype="i")).tolist() == [
            *(True, False),
            *(True, False),
        ]
    with pytest.raises(OSError, match="gone"):
        jj.vectorize_mojo(tmp_path / "gone.mojo", "even")


def test_opcodes_are_the_same_again() -> None:
    first, again = (build(SOURCE, "even", [3], None) for _ in range(2))
    other = build(SOURCE, "even", [4], None)
    assert first == again != other
    opcodes = [machine.OPCODES[function.key] for function in (first, other)]
    assert [functions.function_of(opcode) for opcode in opcodes] == [first, other]
    assert functions.function_of(machine.OPCODES["add"]) is None


# -- the checker


def _group(opcode: int, dtype: int, result: int) -> np.ndarray:
    """Return `slot 1 = function(slot 0, slot 0)` on 8 elements of 8 bytes."""
    head = [4, 25, 1, 2, 1, 0, 8]
    operands = [0, 0, 8, 0, 8, 1, 0, 8, 1, 8]
    words = [*head, *operands, opcode, dtype, result, -2, -1, -1, -9]
    words[1] = len(words)
    return np.array(words)


def test_the_checker_knows_functions(limited: Any) -> None:
    opcode = machine.OPCODES[limited.key]
    free = next(n for n in range(functions.FIRST, 1 << 16) if functions.function_of(n) is None)

    def status(opcode: int, dtype: int = 12, result: int = 12) -> int:
        return machine.run_words(_group(opcode, dtype, result), [64, 64], 1 << 16)

    assert status(opcode) == 0
    assert status(opcode, 4, 4) == 0
    assert status(opcode, 8, 8) == machine.MALFORMED, "a dtype that it is not for"
    assert status(opcode, 12, 4) == machine.MALFORMED, "another result"
    assert status(opcode, 99, 99) == machine.MALFORMED
    for unknown in (free, (1 << 16) - 1, 1 << 16, 1 << 62, functions.FIRST - 1):
        assert status(unknown) == machine.MALFORMED
    one_less = _group(opcode, 12, 12)
    one_less[-2] = -3
    assert machine.run_words(one_less, [64, 64], 1 << 16) == machine.MALFORMED


# -- JAX


def test_pending_graphs_have_one_equation(limited: Any) -> None:
    a = jj.array([1.0, 2.0])
    closed = jj.jaxpr(limited(a, a[:1]) + 1)
    names = [equation.primitive.name for equation in closed.eqns]
    assert names.count(limited.key) == 1
    equation = closed.eqns[names.index(limited.key)]
    assert equation.params["library"].endswith(".mojoc")
    assert [atom.aval.shape for atom in equation.invars] == [(2,), (2,)]


def test_tracers_bind_the_primitive(limited: Any, near: Any) -> None:
    x = jax.ShapeDtypeStruct((3, 1), np.float32)
    closed = jax.make_jaxpr(lambda x: near(limited(x, jj.array([1, 2])), 1))(x)
    (result,) = closed.out_avals
    assert (result.shape, result.dtype) == ((3, 2), bool)
    names = [equation.primitive.name for equation in closed.eqns]
    assert names.count(limited.key) == names.count(near.key) == 1
    with pytest.raises(TypeError, match="not supported for the input types"):
        jax.make_jaxpr(limited)(1j, 2.0)


_numbers = itertools.count()


def _run(function: Callable[..., Any], *arguments: np.ndarray) -> Any:
    """Return what a function in JAX gives, recorded from its Jaxpr."""
    from jujunp._array.handle import to_numpy
    from jujunp._array.making import new_array
    from jujunp.lazy.rules import template
    from jujunp.lazy.values.dtypes import CODES

    operands = [template.constant(x, CODES[x.dtype]) for x in arguments]
    (found,) = template.call("test", function, operands, next(_numbers))
    return to_numpy(new_array(found.value, found.shape, found.code))


def test_derivatives(swish: Any, limited: Any) -> None:
    x, y = RNG.normal(size=(2, 9))
    step = 1e-6
    expected = (np_swish(x + step) - np_swish(x - step)) / (2 * step)
    found = _run(jax.vmap(jax.grad(swish)), x)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    by_second = jax.vmap(jax.grad(lambda x, y: limited(x, y * 2), argnums=1))
    np.testing.assert_array_equal(_run(by_second, x, y), np.where(x < y * 2, -2.0, 2.0))
    with pytest.raises(NotImplementedError, match="ifferentiation"):
        jax.grad(jj.vectorize_mojo(SOURCE, "slope"))(1.0)


def test_predicates_are_flat(near: Any) -> None:
    def chosen(x: Any) -> Any:
        return jnp.where(near(x, jnp.zeros_like(x)), x * x, 0.0).sum()

    x = np.array([-3.0, 0.0, 1e-9])
    np.testing.assert_array_equal(
        _run(jax.grad(chosen), x), np.where(near(x, np.zeros(3)), 2 * x, 0)
    )


def test_jax_computes_at_once(swish: Any, limited: Any) -> None:
    """Outside of `jit` the primitives run on the kernels."""
    x = np.linspace(-2, 2, 9, dtype="float32")
    step = 1e-4
    expected = (np_swish(x.astype(float) + step) - np_swish(x.astype(float) - step)) / (2 * step)
    found = jax.vmap(jax.grad(swish))(x)
    assert isinstance(found, jax.Array)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    value, slopes = jax.value_and_grad(lambda x, y: limited(x, y).sum(), argnums=(0, 1))(x, x[::-1])
    assert float(value) == np_limited(x, x[::-1]).sum()
    np.testing.assert_array_equal(slopes[0], np.where(x < x[::-1], 1, 0))
    np.testing.assert_array_equal(slopes[1], np.where(x < x[::-1], -1, 1))


def test_vmap(limited: Any) -> None:
    x, y = RNG.normal(size=(4, 3)), RNG.normal(size=3)
    cases = [
        ((0, None), (x, y), np_limited(x, y)),
        ((1, 0), (x, y), np_limited(x.T, y[:, None])),
        ((None, 0), (y, x), np_limited(y, x)),
    ]
    for axes, operands, expected in cases:
        found = _run(jax.vmap(limited, in_axes=axes), *operands)
        np.testing.assert_array_equal(found, expected)


# -- the compiled tier


def _graph(x: Any, limited: Any, swish: Any, near: Any) -> tuple[Any, ...]:
    y = limited(swish(x[:, 1:] * 2), x[:, :-1])
    return y, near(y, x[0, 1:]), limited(y, 1).sum(0)


_ELSEWHERE = """
import jujunp as jj
from tests.support.bytecode import GROUP, work
from tests.extend.test_vectorize import SOURCE, WIDE, _graph
near = jj.vectorize_mojo(SOURCE, "near", "int8, float16, float32, float64")
others = [jj.vectorize_mojo(SOURCE, "even", kind) for kind in ("int8", "int16", "int64")]
limited, swish = jj.vectorize_mojo(SOURCE, "limited", WIDE), jj.vectorize_mojo(SOURCE, "swish")
a = jj.zeros((50, 21), "float32") + 1
jj.flush()
with jj.compile_policy("always"):
    results = _graph(a, limited, swish, near)
    jj.flush()
print(jj.stats()["store hits"], jj.stats()["compiles done"])
"""


@pytest.mark.compile
def test_compiled_graphs_have_the_functions(
    limited: Any, swish: Any, near: Any, run_python: Any
) -> None:
    a = jj.array(RNG.normal(0, 4, (50, 21)).astype("float32"))
    jj.flush()

    def graph(a: Any) -> tuple[Any, ...]:
        return _graph(a, limited, swish, near)

    with jj.compile_policy("never"):
        expected = [np.asarray(x) for x in graph(a)]
    before = jj.stats()["compiled runs"]
    with jj.compile_policy("always"):
        results = graph(a)
        jj.flush()
    assert jj.stats()["compiled runs"] == before + 1
    for found, wanted in zip(results, expected, strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        # graphs may round a product and the addition that follows once
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=5e-7)
    # another process, which knows more functions, finds the graph in the store
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    printed = run_python(_ELSEWHERE, PYTHONPATH=path).stdout.splitlines()
    assert printed[-1] == "1 0"


@pytest.mark.compile
def test_a_missing_package_refuses_its_own_ir_only(limited: Any) -> None:
    from jujunp.lazy.compiled.read.reader import from_jaxpr
    from jujunp.lazy.compiled.worker import batches

    closed = jj.jaxpr(limited(jj.array([1.0]), 2.0))
    ir = from_jaxpr(closed)
    (library,) = ir.libraries
    assert Path(library).is_file()
    gone = from_jaxpr(jax.make_jaxpr(lambda x: x)(1.0))
    step = ir.steps[-1]
    lost = type(step)(step.name, step.operands, (("library", "/gone.mojoc"),), step.results)
    broken = type(ir)(ir.inputs, ir.constants, (lost,), ir.specs, ir.outputs)
    wanted = {0: gone, 1: broken}
    assert batches.without_libraries(wanted) == {1: "the package /gone.mojoc is missing"}
    assert list(wanted) == [0]
