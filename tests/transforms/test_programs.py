"""Random programs with views and writes, against NumPy with numbers that carry derivatives.

The oracle is the same program in NumPy's complex numbers: a tiny imaginary part is the derivative,
without the errors of differences. So what is compared, and read as a constant, is the real part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = tuple[int, int, int, int]

TINY = 1e-30
EDGE = 0.0137
"""Added to what elements are compared with, so that none is equal to it but for rounding."""
LEFT = np.array([[0.5, -1.2, 0.8, 0.3], [1.1, 0.7, -0.4, -0.9], [0.2, -0.6, 1.3, -0.1]])
RIGHT = np.array([0.9, -0.35, 0.65, -1.15])

VIEWS: list[Callable[[Any], Any]] = [
    lambda a: a[::2],
    lambda a: a[::-1],
    lambda a: a[1:],
    lambda a: a[-1:],
    lambda a: a[..., :1],
    lambda a: a[..., ::-1],
    lambda a: a[None, ..., 1:],
    lambda a: a.T,
    lambda a: a.reshape(-1),
    lambda a: a.swapaxes(0, -1),
    lambda a: a[..., None],
    lambda a: a[0] if a.ndim > 1 else a[0:1],
]


def number(xp: Any, a: Any, k: int) -> Any:
    """Return a number of moderate size that depends on an array."""
    weights = np.cos(np.arange(a.size) + k).reshape(a.shape)
    return xp.tanh(xp.sum(a * weights) / (1 + a.size))


def _new(xp: Any, arrays: list[Any], a: Any, b: Any, k: int) -> None:
    made: list[Callable[[], Any]] = [
        lambda: xp.sin(a) * number(xp, b, k),
        lambda: a * a[::-1] + number(xp, b, k),
        lambda: xp.where(xp.real(a) > 0.1 * k + EDGE, a, number(xp, b, k)),
        lambda: a.sum(0),
        lambda: a.mean(-1) if a.size else a,
        lambda: xp.cumsum(a, axis=-1) / 3,
        lambda: a.copy(),
        lambda: xp.concatenate([a, xp.exp(-a * a)]),
        lambda: xp.sort(a, axis=-1),
        lambda: a[[0, -1, 0]] if len(a) else a,
        lambda: a[xp.real(a) > 0.1 * k - 0.5 + EDGE],
        lambda: a * float(xp.real(number(xp, b, k))),
        lambda: xp.roll(a, k, -1) - a,
        lambda: xp.outer(a.reshape(-1)[:3], b.reshape(-1)[:3]),
    ]
    arrays.append(made[k % len(made)]())


def _write(xp: Any, arrays: list[Any], a: Any, b: Any, k: int) -> None:
    given = number(xp, b, k)
    if k % 8 == 0:
        a[...] = given
    elif k % 8 == 1:
        a += given
    elif k % 8 == 2:
        a *= xp.cos(a) * given
    elif k % 8 == 3:
        a[..., 1:] = a[..., :-1]
    elif k % 8 == 4:
        a[...] = a[::-1] * 0.7
    elif k % 8 == 5:
        a[..., :-1] += a[..., 1:]
    elif k % 8 == 6:
        xp.multiply(a[::-1], given, out=a)
    elif a.size:
        a -= a.mean()


def _choose(xp: Any, arrays: list[Any], a: Any, b: Any, k: int) -> None:
    given = number(xp, b, k)
    if k % 8 == 0:
        a[xp.real(a) > 0.1 + EDGE] *= 0.5
    elif k % 8 == 1:
        a[xp.real(a) < 0.2 + EDGE] = given
    elif k % 8 == 2 and len(a):
        a[[0, -1]] = given
    elif k % 8 == 3 and len(a):
        a[[-1, 0, 0]] += given
    elif k % 8 == 4 and len(a):
        xp.add.at(a, [0, -1, 0], given)
    elif k % 8 == 5:
        xp.copyto(a, given, where=xp.real(a) > EDGE)
    elif k % 8 == 6:
        xp.putmask(a, xp.real(a) > EDGE, b if b.size else given)
    elif a.ndim > 1 and len(a):
        a[[-1], ::2] -= given


def _steer(xp: Any, arrays: list[Any], a: Any, b: Any, k: int) -> None:
    if not a.size:
        return
    if k % 4 == 0:
        if xp.real(a.reshape(-1)[0]) > EDGE:
            a *= 0.7
        else:
            a += 0.2
    elif k % 4 == 1:
        while abs(float(xp.real(a.sum()))) > 1:
            a *= 0.5
    elif k % 4 == 2:
        for row in a:
            if float(xp.real(row.sum())) > 0.3 + EDGE:
                row -= 0.1 * number(xp, b, k)
    else:
        for n in range(len(a)):
            a[n] = a[n] * 0.8 + 0.1 * a[n - 1]


def _view(xp: Any, arrays: list[Any], a: Any, b: Any, k: int) -> None:
    arrays.append(VIEWS[k % len(VIEWS)](a) if a.size else a)


KINDS = (_new, _view, _view, _write, _write, _choose, _choose, _steer)
STEPS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 9), st.integers(0, 9), st.integers(0, 13)),
    min_size=1,
    max_size=9,
)
"""Which kind, of which arrays, and which of a kind."""


def program(xp: Any, steps: list[Step], left: Any, right: Any) -> Any:
    """Run a program; returns the weighted sum of all that there is in the end."""
    arrays = [left, right]
    for kind, one, other, k in steps:
        a, b = arrays[one % len(arrays)], arrays[other % len(arrays)]
        KINDS[kind](xp, arrays, a if a.ndim else a[None], b, k)
    return sum(number(xp, a, k) for k, a in enumerate(arrays))


def slope(steps: list[Step], left: Any, right: Any) -> float:
    """Return by complex numbers how the result changes along two directions."""
    found = program(np, steps, LEFT + TINY * 1j * left, RIGHT + TINY * 1j * right)
    return float(found.imag) / TINY


def unit(like: np.ndarray, k: tuple[int, ...]) -> np.ndarray:
    found = np.zeros_like(like)
    found[k] = 1
    return found


@given(STEPS)
def test_against_complex_numbers(steps: list[Step]) -> None:
    left, right = jujunp.asarray(LEFT), jujunp.asarray(RIGHT)
    value, found = jujunp.value_and_grad(lambda x, y: program(jujunp, steps, x, y), (0, 1))(
        left, right
    )
    expected = program(np, steps, LEFT.copy(), RIGHT.copy())
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)  # terms may cancel
    nothing = np.zeros_like(LEFT), np.zeros_like(RIGHT)
    by_left = [slope(steps, unit(LEFT, k), nothing[1]) for k in np.ndindex(LEFT.shape)]
    by_right = [slope(steps, nothing[0], unit(RIGHT, k)) for k in np.ndindex(RIGHT.shape)]
    np.testing.assert_allclose(found[0].ravel(), by_left, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[1], by_right, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(left, LEFT)
    np.testing.assert_array_equal(right, RIGHT)


@given(STEPS)
def test_forward(steps: list[Step]) -> None:
    along = np.cos(LEFT * 7), np.sin(RIGHT * 5)
    _, found = jujunp.jvp(lambda x, y: program(jujunp, steps, x, y), (LEFT, RIGHT), along)
    np.testing.assert_allclose(found, slope(steps, *along), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_long_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps: list[Any] = [tuple(map(int, rng.integers([8, 10, 10, 14]))) for _ in range(30)]
    along = np.cos(LEFT * 7), np.sin(RIGHT * 5)
    other = np.sin(LEFT * 3), np.cos(RIGHT * 4)
    gradient = jujunp.grad(lambda x, y: program(jujunp, steps, x, y), (0, 1))
    found, change = jujunp.jvp(gradient, (LEFT, RIGHT), along)
    _, other_change = jujunp.jvp(gradient, (LEFT, RIGHT), other)
    wanted = slope(steps, *along)
    np.testing.assert_allclose(_inner(found, along), wanted, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(
        _inner(change, other), _inner(other_change, along), rtol=1e-8, atol=1e-10
    )


def _inner(left: Any, right: Any) -> float:
    return sum(float(np.sum(x * y)) for x, y in zip(map(np.asarray, left), right, strict=True))
