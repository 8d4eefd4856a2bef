"""What a derived function is given and gives: dtypes, trees, aliases, what is pending."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import jax
import numpy as np
import pytest

import jujunp
from jujunp._array.handle import scalar
from tests.support.derivatives import close

X = np.array([0.4, -0.9, 1.3])
Y = np.array([1.0, 2.0, -0.5])


def product(x: Any) -> Any:
    """Return a function of many kinds of steps."""
    x = x * 2
    x[1:] += jujunp.sin(x[:-1])
    x = jujunp.sort(x) @ jujunp.outer(x, x)
    return jujunp.sqrt((x * x).mean()) + jujunp.cumsum(x)[1] * x.max()


@pytest.mark.parametrize(
    ("dtype", "rtol"), [("float16", 2e-2), ("float32", 1e-5), ("float64", 1e-12)]
)
def test_dtypes_stay(dtype: str, rtol: float) -> None:
    x = X.astype(dtype)
    exact = jujunp.grad(product)(X)
    value, found = jujunp.value_and_grad(product)(x)
    assert (value.dtype, found.dtype) == (dtype, dtype)
    np.testing.assert_allclose(found, exact, rtol=rtol)
    _, change = jujunp.jvp(product, (x,), (Y.astype(dtype),))
    assert change.dtype == dtype
    np.testing.assert_allclose(change, (exact * Y).sum(), rtol=4 * rtol)
    mapped = jujunp.vmap(jujunp.grad(product))(np.stack([x, x[::-1]]))
    assert mapped.dtype == dtype
    np.testing.assert_allclose(mapped[0], exact, rtol=rtol)
    assert jujunp.hessian(product)(x).dtype == dtype


def test_dtypes_that_are_mixed() -> None:
    x, y = X.astype("float32"), Y
    found = jujunp.grad(lambda x, y: (x * y + x.astype("float64")).sum(), (0, 1))(x, y)
    assert [z.dtype for z in found] == ["float32", "float64"]
    close(found[0], (Y + 1).astype("float32"), 1e-6)
    close(found[1], x.astype(float), 1e-15)
    found = jujunp.grad(lambda x: (x * (1 + 2j)).real.sum())(x)
    close(found, np.ones(3, "float32"), 1e-6)


def test_argnums_are_integers_of_any_kind() -> None:
    for number in (np.int64(1), np.uint8(1), np.int32(-1)):
        close(jujunp.grad(lambda x, y: (x * y).sum(), number)(X, Y), X, 1e-15)
        close(jujunp.jacfwd(lambda x, y: x * y, number)(X, Y), np.diag(X), 1e-15)
        (found,) = jujunp.grad(lambda x, y: (x * y).sum(), [number])(X, Y)
        close(found, X, 1e-15)
    with pytest.raises(TypeError, match="integer"):
        jujunp.grad(lambda x: x.sum(), 0.5)
    with pytest.raises(TypeError, match="integer"):
        jujunp.grad(lambda x: x.sum(), [0.5])


def test_integers_on_the_way_are_constants() -> None:
    def function(x: Any) -> Any:
        return (x * x.astype(int)).sum() + (jujunp.rint(x) * x).sum()

    close(jujunp.grad(function)(X), np.trunc(X) + np.rint(X), 1e-15)


def test_numbers_give_numbers() -> None:
    for x in (2.0, np.float64(2.0), jujunp.asarray([2.0])[0]):
        value, found = jujunp.value_and_grad(lambda x: x**3)(x)
        assert isinstance(found, scalar)
        assert (float(value), float(found), hash(found)) == (8.0, 12.0, hash(12.0))
        _, change = jujunp.jvp(lambda x: x**3, (x,), (1.0,))
        assert isinstance(change, scalar)
        assert f"{change:.2f}" == "12.00"
    array = jujunp.asarray(2.0)
    assert type(jujunp.grad(lambda x: x**3)(array)) is jujunp.ndarray


@pytest.mark.parametrize("wrap", [np.array, jujunp.array], ids=["NumPy's", "ours"])
def test_arguments_stay_as_they_are(wrap: Any) -> None:
    def function(x: Any) -> Any:
        x *= 2
        x[0] = x[1] ** 2
        x.sort()
        return (x * Y).sum()

    x = wrap(X)
    wanted = jujunp.grad(lambda x: function(x.copy()))(X)
    np.testing.assert_array_equal(jujunp.grad(function)(x), wanted)
    np.testing.assert_array_equal(x, X)
    jujunp.jvp(function, (x,), (x,))
    jujunp.vmap(lambda x: function(x))(wrap(np.stack([X, X])))
    jujunp.hessian(function)(x)
    np.testing.assert_array_equal(x, X)


def test_arrays_that_are_closed_over_are_constants_and_may_be_written() -> None:
    outside = jujunp.zeros(3)

    def function(x: Any) -> Any:
        outside[...] = x * 3
        return (outside * x).sum() + outside[0]

    close(jujunp.grad(function)(X), 6 * X + [3, 0, 0], 1e-15)
    np.testing.assert_array_equal(outside, X * 3)
    close(jujunp.grad(lambda x: (x * outside).sum())(X), X * 3, 1e-15)


def test_the_same_array_twice() -> None:
    x = jujunp.asarray(X)

    def function(x: Any, y: Any) -> Any:
        x *= y
        return (x * y * y).sum()

    found = jujunp.grad(function, (0, 1))(x, x)
    close(found[0], X**3, 1e-14)
    close(found[1], 3 * X**3, 1e-14)
    np.testing.assert_array_equal(x, X)


def test_pending_arguments() -> None:
    x = jujunp.asarray(X) * 2
    x[1] += x[0]
    found = jujunp.grad(lambda x: (x**3).sum())(x)
    wanted = np.array(X) * 2
    wanted[1] += wanted[0]
    close(found, 3 * wanted**2, 1e-15)
    y = jujunp.asarray(X) + 1
    y[0] = 5.0
    pending = jujunp.vmap(lambda z: z * y)(jujunp.asarray(Y) * 1)
    close(pending, np.outer(Y, [5.0, *(X[1:] + 1)]), 1e-15)


def test_views_as_arguments() -> None:
    matrix = jujunp.asarray(np.arange(12.0).reshape(3, 4))
    for view in (matrix.T, matrix[::-1, 1::2], matrix[:, 2], matrix[1, ::-1], matrix[None, 0]):
        plain = np.array(view)

        def function(x: Any) -> Any:
            x[-1] *= x[0] + 1
            return (x * x).sum()

        wanted = jujunp.grad(function)(plain)
        assert jujunp.grad(function)(view).tolist() == wanted.tolist()
    np.testing.assert_array_equal(matrix, np.arange(12.0).reshape(3, 4))


def test_results_that_are_arguments_and_views() -> None:
    def function(x: Any, y: Any) -> Any:
        x[0] = y[1]
        return x, x[::-1], y, x[1:], x

    results, pull = jujunp.vjp(function, X, Y)
    seeds = tuple(np.cos(np.arange(np.size(r)) + k) for k, r in enumerate(results))
    found = pull(seeds)
    first = seeds[0] + seeds[1][::-1] + np.array([0, *seeds[3]]) + seeds[4]
    close(found[0], first * [0, 1, 1], 1e-15)
    close(found[1], seeds[2] + [0, first[0], 0], 1e-15)
    changes = jujunp.jvp(function, (X, Y), (Y, X))[1]
    moved = np.array([X[1], Y[1], Y[2]])
    for found, wanted in zip(changes, (moved, moved[::-1], X, moved[1:], moved), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_results_may_be_written_and_do_not_change_the_derivative() -> None:
    value, pull = jujunp.vjp(lambda x: x * x, X)
    value[...] = 0
    close(pull(np.ones(3))[0], 2 * X, 1e-15)
    x = jujunp.array(X)
    value, pull = jujunp.vjp(lambda x: x * x, x)
    x[...] = 100.0
    close(pull(np.ones(3))[0], 2 * X, 1e-15)


def test_results_that_do_not_depend() -> None:
    _, pull = jujunp.vjp(lambda x, y: (x * 2, 5.0, Y), X, Y)
    found = pull((X, 1.0, Y))
    close(found[0], 2 * X, 1e-15)
    np.testing.assert_array_equal(found[1], np.zeros(3))
    np.testing.assert_array_equal(jujunp.grad(lambda x: jujunp.asarray(4.0))(X), np.zeros(3))
    _, change = jujunp.jvp(lambda x: Y, (X,), (X,))
    np.testing.assert_array_equal(change, np.zeros(3))


def test_more_is_given_back_as_it_is() -> None:
    def function(x: Any) -> Any:
        return (x * x).sum(), {"text": "more", "x": x * 3}

    found, more = jujunp.grad(function, has_aux=True)(X)
    close(found, 2 * X, 1e-15)
    assert more["text"] == "more"
    np.testing.assert_array_equal(more["x"], X * 3)
    (value, more), _ = jujunp.value_and_grad(function, has_aux=True)(X)
    assert float(value) == float((X * X).sum())
    assert more["text"] == "more"
    _, change, more = jujunp.jvp(function, (X,), (Y,), has_aux=True)
    assert (float(change), more["text"]) == (float((2 * X * Y).sum()), "more")
    assert jujunp.vjp(function, X, has_aux=True)[2]["text"] == "more"
    assert jujunp.linearize(function, X, has_aux=True)[2]["text"] == "more"
    assert jujunp.jacrev(function, has_aux=True)(X)[1]["text"] == "more"


def test_trees_and_keywords() -> None:
    def function(params: Any, x: Any, *, scale: Any) -> Any:
        return ((params["w"] @ x + params["b"][0]) * scale).sum()

    params = {"w": np.outer(X, Y), "b": (X, None)}
    found = jujunp.grad(function)(params, Y, scale=2.0)
    assert jax.tree.structure(found) == jax.tree.structure(params)
    close(found["w"], np.outer(np.full(3, 2.0), Y), 1e-15)
    close(found["b"][0], np.full(3, 2.0), 1e-15)


def test_many_steps_with_flushes_between() -> None:
    def function(x: Any) -> Any:
        y = x * 1
        for n in range(700):
            y[n % 3] = jujunp.sin(y[(n + 1) % 3]) + y[n % 3] * 0.5
            if n % 50 == 0:
                float(y[0])
            if n % 90 == 0:
                jujunp.flush()
        return (y * Y).sum()

    def slope(t: Any) -> float:
        y = X + 1e-30j * t
        for n in range(700):
            y[n % 3] = np.sin(y[(n + 1) % 3]) + y[n % 3] * 0.5
        return float((y * Y).sum().imag) / 1e-30

    wanted = np.array([slope(t) for t in np.eye(3)])
    close(jujunp.grad(function)(X), wanted, 1e-12, 1e-300)
    _, change = jujunp.jvp(function, (X,), (Y,))
    np.testing.assert_allclose(change, (wanted * Y).sum(), 1e-9)


def test_a_plain_loop_is_recorded_and_derived() -> None:
    def function(x: Any) -> Any:
        for _ in range(1500):
            x = x + jujunp.sin(x) * 1e-3
        return x.sum()

    x = X.copy()
    change = np.ones(3)
    for _ in range(1500):
        change = change * (1 + np.cos(x) * 1e-3)
        x = x + np.sin(x) * 1e-3
    close(jujunp.grad(function)(X), change, 1e-12)


def test_large_arrays() -> None:
    x = np.linspace(-1, 1, 300_000).reshape(600, 500)

    def function(x: Any) -> Any:
        y = x[1:] * x[:-1]
        y[:, ::2] = jujunp.tanh(y[:, 1::2])
        return (y.sum(0) ** 2).mean()

    t = np.cos(x)
    change = jujunp.jvp(function, (x,), (t,))[1]
    found = jujunp.grad(function)(x)
    np.testing.assert_allclose(change, (np.asarray(found) * t).sum(), 1e-10)
    h = 1e-4
    differences = (
        (function(jujunp.asarray(x + h * t)) - function(jujunp.asarray(x - h * t))) / 2 / h
    )
    np.testing.assert_allclose(change, differences, 1e-6)


def test_nothing_is_kept_of_what_is_over() -> None:
    kept = []

    def function(x: Any) -> Any:
        y = jujunp.exp(x)
        kept.append(weakref.ref(y))
        return (y * y).sum()

    jujunp.grad(function)(X).tolist()
    jujunp.vmap(lambda x: function(x))(np.stack([X, X])).tolist()
    gc.collect()
    assert [ref() for ref in kept] == [None, None]


def test_loops_and_branches() -> None:
    def function(x: Any) -> Any:
        x = jujunp.fori_loop(0, 3, lambda i, x: x * (x + i), x)
        x = jujunp.while_loop(lambda x: x.sum() < 3, lambda x: x + 1, x)
        x, parts = jujunp.scan(lambda c, y: (c + y * x, c * y), x, x)
        y = jujunp.cond(x[0] > 0, lambda x: x * 2, lambda x: x * x, x)
        y = y + jujunp.switch(7, [jujunp.sin, jujunp.cos, jujunp.exp], x * 0.1)
        return (y * Y).sum() + parts.sum()

    def oracle(x: Any) -> Any:
        for i in range(3):
            x = x * (x + i)
        while x.real.sum() < 3:
            x = x + 1
        carry, parts = x, []
        for y in x:
            carry, part = carry + y * x, carry * y
            parts.append(part)
        x = carry
        y = x * 2 if x[0].real > 0 else x * x
        return ((y + np.exp(x * 0.1)) * Y).sum() + np.stack(parts).sum()

    np.testing.assert_allclose(function(jujunp.asarray(X)), oracle(X), 1e-13)
    wanted = np.array([oracle(X + 1e-30j * t).imag / 1e-30 for t in np.eye(3)])
    close(jujunp.grad(function)(X), wanted, 1e-12)
    last, parts = jujunp.scan(lambda c, x: (c + x, c), 0.0, X, reverse=True)
    np.testing.assert_allclose(parts, [X[1] + X[2], X[2], 0.0])
    np.testing.assert_allclose(last, X.sum())
    assert [int(x) for x in jujunp.scan(lambda c, _: (c + 1, c), 0, None, 3)[1]] == [0, 1, 2]
    with pytest.raises(ValueError, match="one length"):
        jujunp.scan(lambda c, x: (c, x), 0, (X, X[:2]))
