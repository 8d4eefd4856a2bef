"""What raises, and that all is in order afterwards."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import pytest

import jujunp
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.transforms.derivatives.plans import forget_plans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

X = np.array([0.4, -0.9, 1.3])
READS: dict[str, Callable[[Any], Any]] = {
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[1]),
    "bool": lambda x: bool(x[0]),
    "if": lambda x: 1 if x[0] > 0 else x,
    "while": lambda x: [x for _ in iter(lambda: x[0] > 0, False)],
    "item": lambda x: x.item(0),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: np.asarray(x),
    "mask": lambda x: x[x > 0],
    "index": lambda x: X[jujunp.argmax(x)],
    "comparison": lambda x: jujunp.array_equal(x, x + 1) and x,
    "range": lambda x: range(x.astype(int)[0]),
    "bytes": lambda x: x.tobytes(),
    "repr of a number": lambda x: f"{x[0]:.3f}",
}


@pytest.fixture(autouse=True)
def in_order_afterwards() -> Iterator[None]:
    """Check after each test that nothing watches, and that steps and derivatives are right."""
    yield
    assert not WATCHES
    found = jujunp.asarray(X) * 2
    found[1:] += found[:-1]
    np.testing.assert_array_equal(found, [X[0] * 2, (X[0] + X[1]) * 2, (X[1] + X[2]) * 2])
    np.testing.assert_array_equal(jujunp.grad(lambda x: (x * x).sum())(X), 2 * X)
    np.testing.assert_array_equal(jujunp.vmap(lambda x: x + 1)(X), X + 1)


@pytest.mark.parametrize("argnums", [1, -2, (0, 1), (), 5])
@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian"])
def test_arguments_that_are_not_there(name: str, argnums: Any) -> None:
    with pytest.raises(TypeError, match="argnums"):
        getattr(jujunp, name)(lambda x: x.sum(), argnums)(X)


@pytest.mark.parametrize("x", [3, True, np.arange(3), np.array([True])])
@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacrev", "jacfwd", "hessian"])
def test_integers(name: str, x: Any) -> None:
    with pytest.raises(TypeError, match="real- or complex-valued"):
        getattr(jujunp, name)(lambda x: x * 1.5)(x)


def test_integers_that_are_allowed() -> None:
    found = jujunp.grad(lambda x, n: (x * n).sum(), (0, 1), allow_int=True)(X, np.arange(3))
    np.testing.assert_array_equal(found[0], np.arange(3.0))
    assert (found[1].dtype, found[1].shape) == (jax.dtypes.float0, (3,))
    _, pull = jujunp.vjp(lambda x, n: x * n, X, 2)
    x, n = pull(X)
    np.testing.assert_array_equal(x, 2 * X)
    assert n.dtype == jax.dtypes.float0
    _, change = jujunp.jvp(lambda x, n: x * n, (X, 2), (X, np.zeros((), jax.dtypes.float0)))
    np.testing.assert_array_equal(change, 2 * X)


@pytest.mark.parametrize("result", [lambda x: x, lambda x: (x[0], x[1]), lambda x: x[:1], tuple])
def test_outputs_that_are_no_number(result: Any) -> None:
    with pytest.raises(TypeError, match="return a number"):
        jujunp.grad(result)(X)


@pytest.mark.parametrize("result", [lambda x: x.sum() > 0, lambda x: x.argmax(), lambda x: 3])
def test_outputs_that_are_not_real(result: Any) -> None:
    with pytest.raises(TypeError, match="real outputs"):
        jujunp.grad(result)(X)


def test_complex_numbers() -> None:
    with pytest.raises(TypeError, match="real outputs"):
        jujunp.grad(lambda x: (x * 1j).sum())(X)
    with pytest.raises(TypeError, match="complex inputs"):
        jujunp.grad(lambda x: x.sum(), holomorphic=True)(X)
    for wrong in (jujunp.jacrev, jujunp.hessian):
        with pytest.raises(TypeError, match="results in jacrev must be real"):
            wrong(lambda x: x * 1j)(X)
    for wrong in (jujunp.jacfwd, jujunp.hessian):
        with pytest.raises(TypeError, match="arguments of jacfwd must be real"):
            wrong(lambda z: jujunp.abs(z) ** 2)(X * 1j)
    with pytest.raises(TypeError, match="complex"):
        jujunp.grad(lambda z: jujunp.abs(z).sum(), holomorphic=True)(X * 1j)


def test_what_is_no_array() -> None:
    for wrong in ("text", object()):
        with pytest.raises(TypeError, match="neither an array nor a number"):
            jujunp.grad(lambda x: 1.0)(wrong)
        with pytest.raises(TypeError, match="neither an array nor a number"):
            jujunp.vjp(lambda x, wrong=wrong: wrong, X)
        with pytest.raises(TypeError, match="neither an array nor a number"):
            jujunp.vmap(lambda x, wrong=wrong: wrong)(X)


def test_trees_that_do_not_fit() -> None:
    _, pull = jujunp.vjp(lambda x: (x, {"a": x[0]}), X)
    for wrong in (X, (X,), (X, {"b": 1.0}), [X, {"a": 1.0}]):
        with pytest.raises(ValueError, match="tree"):
            pull(wrong)
    with pytest.raises(ValueError, match="shape"):
        pull((X[:2], {"a": 1.0}))
    with pytest.raises(TypeError, match="tree"):
        jujunp.jvp(lambda x, y: x, (X, X), (X,))
    with pytest.raises(TypeError, match="tree"):
        jujunp.jvp(lambda x: x, ({"a": X},), ({"b": X},))
    with pytest.raises(ValueError, match="shape"):
        jujunp.jvp(lambda x: x, (X,), (X[:2],))
    with pytest.raises(TypeError, match="tuples"):
        jujunp.jvp(lambda x: x, X, X)
    with pytest.raises((TypeError, ValueError)):
        jujunp.grad(lambda x: x.sum(), has_aux=True)(X)


@pytest.mark.parametrize("name", READS)
def test_reads_under_vmap(name: str) -> None:
    with pytest.raises(jax.errors.ConcretizationTypeError, match="no single value"):
        jujunp.vmap(READS[name])(np.stack([X, X]))
    with pytest.raises(TypeError):
        jujunp.vmap(jujunp.grad(lambda x: READS[name](x).sum()))(np.stack([X, X]))


def test_vmap_of_reads_of_what_is_the_same_for_all() -> None:
    def program(x: Any, y: Any) -> Any:
        return x * float(y[0]) if y[1] > 0 else -x

    found = jujunp.vmap(program, (0, None))(X, np.array([2.0, 1.0]))
    np.testing.assert_array_equal(found, 2 * X)


def test_a_temporary_of_all_elements_is_computed_within_vmap() -> None:
    same = jujunp.asarray(X)

    def program(x: Any) -> Any:
        y = x + same * 2
        float((same * 3)[0])
        return y

    np.testing.assert_array_equal(jujunp.vmap(program)(X), X[:, None] + X * 2)


def test_a_handle_that_leaks_out_of_vmap() -> None:
    leaked = []

    def program(x: Any) -> Any:
        leaked.extend([x, x[1:] * 2, jujunp.sum(x)])
        return x

    jujunp.vmap(program)(np.stack([X, X]))
    for x in leaked:
        assert x.dtype == float
        with pytest.raises(jax.errors.ConcretizationTypeError):
            x.tolist()
        with pytest.raises(jax.errors.ConcretizationTypeError):
            jujunp.asarray(x + 1).tolist()


def test_a_write_into_what_vmap_does_not_know() -> None:
    outside = jujunp.zeros(3)
    jujunp.vmap(lambda x: outside.__setitem__(0, x))(X)
    with pytest.raises(jax.errors.ConcretizationTypeError):
        outside.tolist()


def test_a_handle_that_leaks_out_of_grad_is_one_as_ever() -> None:
    leaked = []

    def program(x: Any) -> Any:
        leaked.extend([x, x[1:] * 2])
        return (x * x).sum()

    jujunp.grad(program)(X)
    np.testing.assert_array_equal(leaked[0], X)
    np.testing.assert_array_equal(leaked[1] + 1, X[1:] * 2 + 1)


class Stop(Exception):
    pass


def _stopped(x: Any) -> Any:
    y = x * 2
    y[1:] = x[0]
    if len(x):
        raise Stop
    return y.sum()


@pytest.mark.parametrize("name", ["grad", "jacfwd", "hessian", "vmap", "checkpoint"])
def test_exceptions_in_the_function(name: str) -> None:
    with pytest.raises(Stop):
        getattr(jujunp, name)(_stopped)(X if name != "vmap" else np.stack([X, X]))
    with pytest.raises(Stop):
        jujunp.vmap(jujunp.grad(jujunp.checkpoint(_stopped)))(np.stack([X, X]))


def test_errors_of_numpy_in_the_function() -> None:
    for wrong in (lambda x: x @ x[:2], lambda x: x[7], lambda x: x.reshape(2, 2)):
        kinds = (ValueError, IndexError)
        with pytest.raises(kinds):
            jujunp.grad(wrong)(X)
        with pytest.raises(kinds):
            jujunp.vmap(wrong)(np.stack([X, X]))


def test_singular_matrices_raise_where_they_are_read() -> None:
    def program(a: Any) -> Any:
        return jujunp.linalg.inv(a).sum()

    with pytest.raises(np.linalg.LinAlgError):
        jujunp.grad(program)(np.zeros((2, 2))).tolist()


def test_sizes_that_differ() -> None:
    with pytest.raises(ValueError, match="inconsistent sizes"):
        jujunp.vmap(lambda x, y: x)(X, X[:2])
    with pytest.raises(ValueError, match="inconsistent sizes"):
        jujunp.vmap(lambda x: x, axis_size=2)(X)
    with pytest.raises(ValueError, match="axis_size"):
        jujunp.vmap(lambda x: x, None)(X)
    with pytest.raises(ValueError, match="at least one argument"):
        jujunp.vmap(lambda: 1.0)()


def test_wrong_axes() -> None:
    with pytest.raises(ValueError, match="map axis 1"):
        jujunp.vmap(lambda x: x, 1)(X)
    with pytest.raises(ValueError, match="map axis 0"):
        jujunp.vmap(lambda x: x)(3.0)
    with pytest.raises(ValueError, match="2 entries"):
        jujunp.vmap(lambda x: x, (0, 0))(X)
    with pytest.raises(ValueError, match="fit the tree"):
        jujunp.vmap(lambda x: x, ({"a": 0},))((X, X))
    with pytest.raises(TypeError, match="ints and None"):
        jujunp.vmap(lambda x: x, 0.5)(X)
    with pytest.raises(ValueError, match="out_axes is None"):
        jujunp.vmap(lambda x: x, 0, None)(X)
    with pytest.raises(ValueError, match="axis"):
        jujunp.vmap(lambda x: x, 0, 3)(X)
    with pytest.raises(NotImplementedError, match="names of axes"):
        jujunp.vmap(lambda x: x, axis_name="i")


def test_steps_without_a_derivative_raise_only_if_it_is_asked_for() -> None:
    def program(x: Any) -> Any:
        jujunp.nextafter(x, 9.0)
        return (x * x).sum()

    np.testing.assert_array_equal(jujunp.grad(program)(X), 2 * X)
    np.testing.assert_array_equal(jujunp.jvp(program, (X,), (X,))[1], 2 * (X * X).sum())

    def wrong(x: Any) -> Any:
        return jujunp.cumsum(jujunp.nextafter(x, 9.0) * x)[1]

    with pytest.raises(NotImplementedError, match="nextafter"):
        jujunp.grad(wrong)(X)
    with pytest.raises(NotImplementedError, match="nextafter"):
        jujunp.jvp(wrong, (X,), (X,))


def test_other_threads_are_not_followed() -> None:
    outside = jujunp.asarray(X)
    found = []

    def other() -> None:
        found.append((outside * 3).tolist())
        found.append(jujunp.grad(lambda x: (x**3).sum())(X).tolist())

    def program(x: Any) -> Any:
        y = x * x
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return (y * float(y[0])).sum()

    np.testing.assert_allclose(jujunp.grad(program)(X), 2 * X * X[0] * X[0])
    np.testing.assert_array_equal(found[0], X * 3)
    np.testing.assert_allclose(found[1], 3 * X * X)


def test_gradients_in_several_threads() -> None:
    forget_plans()  # one that was made of wrong steps would be used again
    found: dict[int, list[Any]] = {k: [] for k in (1, 2, 3)}

    def run(k: int) -> None:
        for _ in range(60):
            gradient = jujunp.grad(lambda x: (jujunp.sin(x) * x * k).sum())(X)
            found[k].append(np.asarray(gradient))

    threads = [threading.Thread(target=run, args=(k,)) for k in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, gradients in found.items():
        wanted = k * (np.cos(X) * X + np.sin(X))
        np.testing.assert_allclose(gradients, [wanted] * 60)


def test_what_has_no_elements_is_printed_as_such() -> None:
    texts: list[str] = []

    def function(row: Any) -> Any:
        texts.extend((repr(row), f"{row * 2}", str(row[0])))
        return row

    jujunp.vmap(function)(np.ones((2, 3)))
    assert texts[0] == "<element of a batch of shape (3,), float64>"
    assert texts[2] == "<element of a batch of shape (), float64>"
    assert texts[1] == texts[0]
    jujunp.jit(lambda x: (texts.append(str(jujunp.sin(x))), x)[1])(np.ones(2))
    assert texts[3] == "<traced array of shape (2,), float64>"
