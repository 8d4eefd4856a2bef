"""Derivatives of one's own: `custom_vjp`, `custom_jvp`, `stop_gradient`, `checkpoint`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp
from tests.support.derivatives import close

X = np.array([0.4, -0.9, 1.3])
Y = np.array([1.0, 2.0, -0.5])


@jujunp.custom_vjp
def doubled(x: Any, y: Any) -> Any:
    """Of which the derivative is said to be ten times as large."""
    return x * x * y


doubled.defvjp(
    lambda x, y: (x * x * y, (x, y)),
    lambda kept, g: (20 * kept[0] * kept[1] * g, 10 * kept[0] ** 2 * g),
)


@jujunp.custom_jvp
def said(x: Any, y: Any) -> Any:
    """Of which the derivative is said to be ten times as large."""
    return x * x * y


@said.defjvp
def _change(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return x * x * y, 20 * x * y * dx + 10 * x * x * dy


@pytest.mark.parametrize("function", [doubled, said])
def test_gradients_are_what_is_said(function: Any) -> None:
    np.testing.assert_array_equal(function(X, Y), X * X * Y)
    found = jujunp.grad(lambda x, y: (3 * function(x, y)).sum(), (0, 1))(X, Y)
    close(found[0], 60 * X * Y, 1e-15)
    close(found[1], 30 * X * X, 1e-15)


@pytest.mark.parametrize("function", [doubled, said])
def test_under_vmap(function: Any) -> None:
    found = jujunp.vmap(jujunp.grad(lambda x, y: function(x, y)))(X, Y)
    close(found, 20 * X * Y, 1e-15)
    found = jujunp.grad(lambda x: jujunp.vmap(function, (0, None))(x, Y[1]).sum())(X)
    close(found, 20 * X * Y[1], 1e-15)
    found = jujunp.vmap(jujunp.vmap(jujunp.grad(function), (None, 0)), (0, None))(X, Y)
    close(found, 20 * np.outer(X, Y), 1e-15)


@pytest.mark.parametrize("function", [doubled, said])
def test_second_order_is_that_of_the_rule(function: Any) -> None:
    found = jujunp.grad(lambda x: jujunp.grad(lambda x: function(x, Y).sum())(x).sum())(X)
    close(found, 20 * Y, 1e-15)


def test_the_rule_of_custom_jvp_is_that_of_all_orders() -> None:
    @jujunp.custom_jvp
    def read(x: Any) -> Any:
        return jujunp.asarray(float(x) ** 3)

    @read.defjvp
    def _change(primals: Any, tangents: Any) -> Any:
        return read(*primals), 3 * primals[0] ** 2 * tangents[0]

    inner = jujunp.grad(lambda x: read(x) ** 2)
    close(jujunp.grad(inner)(1.5), np.asarray(30 * 1.5**4), 1e-14)
    close(jujunp.jvp(inner, (1.5,), (1.0,))[1], np.asarray(30 * 1.5**4), 1e-14)


def test_forward_of_custom_jvp() -> None:
    _, found = jujunp.jvp(said, (X, Y), (Y, X))
    close(found, 20 * X * Y * Y + 10 * X**3, 1e-15)
    _, found = jujunp.jvp(lambda x: said(x, Y), (X,), (Y,))
    close(found, 20 * X * Y * Y, 1e-15)
    with pytest.raises(TypeError, match="custom_vjp"):
        jujunp.jvp(doubled, (X, Y), (Y, X))


def test_rules_by_each_argument() -> None:
    @jujunp.custom_jvp
    def product(x: Any, y: Any) -> Any:
        return x * y

    product.defjvps(lambda t, result, x, y: 5 * t * y, None)
    found = jujunp.grad(lambda x, y: product(x, y).sum(), (0, 1))(X, Y)
    close(found[0], 5 * Y, 1e-15)
    np.testing.assert_array_equal(found[1], np.zeros(3))


def test_arguments_that_are_no_arrays() -> None:
    @jujunp.custom_vjp
    def unused(x: Any) -> Any:
        return x

    @(lambda f: jujunp.custom_vjp(f, nondiff_argnums=(0, 2)))
    def applied(name: str, x: Any, count: int) -> Any:
        return getattr(jujunp, name)(x) * count

    applied.defvjp(
        lambda name, x, count: (getattr(jujunp, name)(x) * count, x),
        lambda name, count, x, g: (g * count * 100,),
    )
    close(jujunp.grad(lambda x: applied("sin", x, 3).sum())(X), np.full(3, 300.0), 1e-15)
    with pytest.raises(AttributeError, match="defvjp"):
        unused(X)


def test_trees_and_missing_cotangents() -> None:
    @jujunp.custom_vjp
    def parts(pair: Any, n: Any) -> Any:
        return {"sum": pair[0] + pair[1], "n": n * 2}

    parts.defvjp(
        lambda pair, n: ({"sum": pair[0] + pair[1], "n": n * 2}, None),
        lambda kept, g: ((g["sum"] * 7, None), None),
    )
    found = jujunp.grad(lambda pair: (parts(pair, 4)["sum"] * Y).sum())((X, Y))
    close(found[0], 7 * Y, 1e-15)
    np.testing.assert_array_equal(found[1], np.zeros(3))


def test_wrong_rules() -> None:
    @jujunp.custom_vjp
    def wrong(x: Any, y: Any) -> Any:
        return x

    wrong.defvjp(lambda x, y: (x, None), lambda kept, g: (g,))
    with pytest.raises(TypeError, match="2 arguments"):
        jujunp.grad(lambda x: wrong(x, X).sum())(X)
    wrong.defvjp(lambda x, y: (x, None), lambda kept, g: g)
    with pytest.raises(TypeError, match="tuple"):
        jujunp.grad(lambda x: wrong(x, X).sum())(X)


def test_a_rule_with_writes_and_branches() -> None:
    @jujunp.custom_vjp
    def clipped(x: Any) -> Any:
        x = x.copy()
        x[x > 1] = 1
        return x

    def back(kept: Any, g: Any) -> Any:
        g = g.copy()
        g[kept > 1] = -1.0
        if float(kept[0]) > 0:
            g[0] *= 2
        return (g,)

    clipped.defvjp(lambda x: (clipped(x), x), back)
    close(jujunp.grad(lambda x: (clipped(x) * Y).sum())(X), np.array([2.0, 2.0, -1.0]), 1e-15)


def test_stop_gradient() -> None:
    def function(x: Any) -> Any:
        kept = jujunp.stop_gradient({"x": x * x, "n": 2})
        return (x * kept["x"] * kept["n"]).sum()

    close(jujunp.grad(function)(X), 2 * X * X, 1e-15)
    close(jujunp.jvp(function, (X,), (Y,))[1], np.asarray((2 * X * X * Y).sum()), 1e-15)
    close(jujunp.vmap(jujunp.grad(lambda x: x * jujunp.stop_gradient(x)))(X), X, 1e-15)
    inner = jujunp.grad(lambda x: jujunp.grad(function)(x).sum())(X)
    np.testing.assert_array_equal(inner, np.zeros(3))


def test_stop_gradient_gives_an_array_of_its_own() -> None:
    def function(x: Any) -> Any:
        y = jujunp.stop_gradient(x)
        y[0] = 100.0
        return (x * 2).sum()

    close(jujunp.grad(function)(X), np.full(3, 2.0), 1e-15)


def heavy(x: Any, n: int = 3) -> Any:
    x = x * 1.0
    for _ in range(n):
        x[1:] *= jujunp.sin(x[:-1])
        if float(x[0]) > 0:
            x += 0.1
    return x


def test_checkpoint() -> None:
    again = jujunp.checkpoint(heavy)
    twice = jujunp.checkpoint(lambda x: again(again(x)) * x)
    for kept, plain in ((again, heavy), (twice, lambda x: heavy(heavy(x)) * x)):
        loss, wanted = (
            lambda x, f=kept: (f(x) * Y).sum(),
            lambda x, f=plain: (f(x) * Y).sum(),
        )
        close(loss(X), wanted(X), 0)
        close(jujunp.grad(loss)(X), jujunp.grad(wanted)(X), 1e-14)
        close(jujunp.jvp(loss, (X,), (Y,))[1], jujunp.jvp(wanted, (X,), (Y,))[1], 1e-14)
        close(jujunp.hessian(loss)(X), jujunp.hessian(wanted)(X), 1e-13)


def test_checkpoint_runs_again_only_for_derivatives() -> None:
    runs = []

    @jujunp.checkpoint
    def counted(x: Any) -> Any:
        runs.append(1)
        return jujunp.sin(x) * x

    counted(X)
    assert len(runs) == 1
    _, pull = jujunp.vjp(counted, X)
    assert len(runs) == 2
    pull(Y)
    assert len(runs) == 3


def test_checkpoint_under_vmap() -> None:
    def plain(x: Any, y: Any) -> Any:
        x = x.copy()
        x[1:] *= x[:-1] * y
        return jujunp.tanh(x).sum()

    kept = jujunp.checkpoint(plain)
    rows = np.stack([X, Y, X * Y])
    for found, wanted in (
        (jujunp.vmap(jujunp.grad(kept), (0, 0)), jujunp.vmap(jujunp.grad(plain), (0, 0))),
        (
            jujunp.grad(lambda x, y: jujunp.vmap(kept)(x, y).sum()),
            jujunp.grad(lambda x, y: jujunp.vmap(plain)(x, y).sum()),
        ),
        (jujunp.vmap(jujunp.hessian(kept)), jujunp.vmap(jujunp.hessian(plain))),
    ):
        close(found(rows, X), wanted(rows, X), 1e-14)


def test_checkpoint_with_numbers_trees_and_keywords() -> None:
    @jujunp.checkpoint
    def scaled(pair: Any, *, by: Any) -> Any:
        return {"y": pair[0] * by + pair[1], "n": 3}

    found = jujunp.grad(lambda x: (scaled((x, 2), by=x)["y"] * Y).sum())(X)
    close(found, 2 * X * Y, 1e-15)


def test_rules_inside_of_others() -> None:
    @jujunp.checkpoint
    def inner(x: Any) -> Any:
        return jujunp.stop_gradient(x) * doubled(x, Y)

    close(jujunp.grad(lambda x: inner(x).sum())(X), 20 * X * X * Y, 1e-14)
    close(
        jujunp.vmap(jujunp.grad(lambda x, y: said(doubled(x, y), 1.0)))(X, Y),
        20 * X * X * Y * 20 * X * Y,
        1e-14,
    )
