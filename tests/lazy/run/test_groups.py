"""Groups of elementwise steps: what is one, and operands in other orders than the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LOG
from tests.support.bytecode import GROUP, work

if TYPE_CHECKING:
    from collections.abc import Callable

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "whole": lambda x: x.copy(),
    "transposed": lambda x: x.transpose().copy().transpose(),
    "transposed and reversed": lambda x: x[::-1].transpose().copy().transpose()[::-1],
    "outer axes exchanged": lambda x: x.swapaxes(0, 1).copy().swapaxes(0, 1),
    "last axis first": lambda x: np.moveaxis(np.moveaxis(x, -1, 0).copy(), 0, -1),
    "part of a wider one": lambda x: np.pad(x, 3)[tuple(slice(3, -3) for _ in x.shape)],
    "broadcast": lambda x: np.broadcast_to(x[..., :1], x.shape),
}
SHAPES = [(131, 257), (1031, 64), (65, 600), (9, 70, 67), (70, 9, 65), (4, 5, 33, 64)]
"""All large enough for panels, with rows and columns that are left over."""


def _laid_out(shape: tuple[int, ...], layout: str, dtype: str, seed: int) -> np.ndarray:
    found = np.random.default_rng(seed).random(shape) * 9 - 4
    return LAYOUTS[layout]((found > 0) if dtype == "?" else found.astype(dtype))


def _ours(x: np.ndarray) -> Any:
    """Return an array of ours that lies as one of NumPy's: a view of its memory's elements."""
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    return jj.array(np.ascontiguousarray(x.transpose(order))).transpose(np.argsort(order))


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "?", "c16", "f2"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_layouts(shape: tuple[int, ...], dtype: str) -> None:
    """Every pair of layouts is computed as NumPy does, into whole memory and into views."""
    for seed, (first, second) in enumerate((a, b) for a in LAYOUTS for b in LAYOUTS):
        x, y = (_laid_out(shape, name, dtype, seed) for name in (first, second))
        a, b = map(_ours, (x, y))

        def compute(xp: Any, x: Any, y: Any) -> Any:
            return xp.where(x == y, x, x + y), (x + y) + x

        for found, expected in zip(compute(jj, a, b), compute(np, x, y), strict=True):
            np.testing.assert_array_equal(np.asarray(found), expected)
        target = jj.zeros(shape[::-1], dtype)
        jj.flush()
        target.T[...] = a + b
        np.testing.assert_array_equal(np.asarray(target), (x + y).T)


@pytest.mark.parametrize(
    "program",
    [
        lambda x, y: (x.T * y.T + 0.5) * x.T - y.T,
        lambda x, y: (x.astype("f4").T * 2 + 1) * y.astype("f4").T,
        lambda x, y: x.transpose(1, 0) ** 2 + 1,
    ],
)
def test_steps_on_transposed_arrays_are_one_group(program: Callable[[Any, Any], Any]) -> None:
    x, y = np.random.default_rng(0).random((2, 40, 50))
    a, b = jj.array(x), jj.array(y)
    jj.flush()
    found = program(a, b)
    assert work() == [GROUP]
    np.testing.assert_array_equal(np.asarray(found), program(x, y))


def test_a_write_of_a_whole_array_needs_nothing_of_before() -> None:
    x = np.random.default_rng(0).random((40, 50))
    y = jj.array(x)
    jj.flush()
    target = jj.zeros((40, 50))
    target[...] = y * 2 + 1
    assert work() == [GROUP]
    view = target[3]
    target[:, :] = y
    target[0, 0] = 7
    y[1] = 5
    assert float(y[0, 0]) == x[0, 0]
    assert float(target[0, 0]) == 7
    np.testing.assert_array_equal(np.asarray(target)[1:], x[1:])
    np.testing.assert_array_equal(np.asarray(view), x[3])
    target[::-1] = y
    np.testing.assert_array_equal(np.asarray(target), np.asarray(y)[::-1])
    target[...] = y.reshape(50, 40).reshape(40, 50)
    np.testing.assert_array_equal(np.asarray(target), np.asarray(y))


def test_a_number_is_one_operand_of_all_steps_that_have_it() -> None:
    """By the object: equal numbers of other objects would change what a group is."""
    x = jj.arange(1000.0)
    z = (jj.arange(1000) * (1 + 1j)).astype("c8")
    jj.flush()
    for array, number, parts in ((x, 1.5, 1), (z, 2.5, 1)):
        other = type(number)(f"{number}")
        assert other is not number
        found = array * number + number
        machine.plan(machine.STATE, LOG)
        assert len(machine.bytecode()[1]) == parts
        more = array * number + other
        machine.plan(machine.STATE, LOG)
        assert len(machine.bytecode()[1]) == 2 * parts
        jj.flush()
        np.testing.assert_array_equal(np.asarray(found), np.asarray(array) * number + number)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(more))


def test_a_long_chain_with_many_numbers_is_one_group() -> None:
    def chain(x: Any) -> Any:
        total = x
        for k in range(200):
            total = total * 0.5 + (k + 0.25)
        return total

    x = jj.arange(1000.0)
    jj.flush()
    found = chain(x)
    assert work() == [GROUP]
    np.testing.assert_array_equal(np.asarray(found), chain(np.arange(1000.0)))


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 17, 63, 64])
def test_short_rows(length: int, dtype: str) -> None:
    """Operands of which short rows are repeated, repeat an element, or follow each other."""
    rng = np.random.default_rng(length)
    a = rng.integers(-9, 9, (137, 67, length)).astype(dtype)
    wide = rng.integers(-9, 9, (137, 67, 2 * length)).astype(dtype)
    seen: list[Callable[[Any, Any], Any]] = [
        lambda x, wide: x[:, :1] + x[:1],  # a row again and again, and rows that follow
        lambda x, wide: x[:, :, :1] - x[:1],  # an element for each row
        lambda x, wide: x[:, :1] + wide[..., ::2] * x[:, :, :1],
        lambda x, wide: x[:, :1, ::-1] + x[:, ::-1],
        lambda x, wide: x[:1, :1] + x,
        lambda x, wide: x[:, None, ::2] * 2 + x[:, ::5, None],
        lambda x, wide: x.transpose(1, 0, 2)[:, :1] + x.transpose(1, 0, 2)[:1],
    ]
    for function in seen:
        wanted = function(a, wide)
        found = function(jj.array(a), jj.array(wide))
        np.testing.assert_array_equal(found, wanted)


def _name(record: Callable[[], Any]) -> bytes:
    """Return the name of what a function records, which is computed then."""
    jj.flush()
    found = record()
    machine.plan(machine.STATE, LOG)
    name, functions = machine.name()
    assert functions == []
    del found
    jj.flush()
    return name


def test_names_of_plans() -> None:
    """Equal for the same steps, whatever the numbers; of leaves they tell dtypes and shapes."""
    x, y = jj.arange(3000.0), jj.ones(3000)
    wanted = _name(lambda: x * 2.5 + y)
    assert _name(lambda: y * -1.0 + x) == wanted
    square = jj.ones((50, 60))
    empty, wider = jj.zeros((0, 3)), jj.zeros((0, 5))
    others: list[Callable[[], Any]] = [
        lambda: x * 2.5 + x,
        lambda: x * 2.5 - y,
        lambda: x[:2000] * 2.5 + y[:2000],
        lambda: x * 2.5 + square.reshape(3000),
        lambda: square * 2.5 + square,
        lambda: [x * 2.5, x * 2.5 + y],
        lambda: jj.arange(3000) * 2.5 + y,
        lambda: x.astype("f4") * 2.5 + y,
        lambda: empty * 2.5,
        lambda: wider * 2.5,
    ]
    names = [wanted, *map(_name, others)]
    assert len(set(names)) == len(names)
