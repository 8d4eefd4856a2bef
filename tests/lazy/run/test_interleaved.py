"""Steps of several shapes by turns: what is done ahead of an open group, and what ends it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.bytecode import ALLOCATE, FREE, GROUP, KERNEL, planned, work

if TYPE_CHECKING:
    from collections.abc import Callable

Arrays = list[Any]
SHAPES = [(40, 50), (50,), (40, 1), (1, 50), (1,), (), (30, 40, 1), (700,)]
"""Of these some are planned, some would run one by one if they were alone."""


def _elementwise(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a, b = _pair(arrays, chance)
    name = chance.choice(("add", "subtract", "multiply", "maximum"))
    arrays.append(getattr(xp, name)(a, b))


def _with_number(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a = chance.choice(arrays)
    arrays.append(xp.where(a > chance.randrange(9), a, chance.randrange(9)) + chance.randrange(9))


def _write(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a, b = _pair(arrays, chance)
    if a.ndim == 0 or np.broadcast_shapes(a.shape, b.shape) != a.shape:
        return
    kind = chance.randrange(4)
    if kind == 0:
        a[...] = b
    elif kind == 1:
        a += b
    elif kind == 2:
        a[::-1] = a * 3
    else:
        a[1:] = a[:-1] + chance.randrange(9)


def _reduce(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a = chance.choice(arrays)
    if a.ndim:
        name = chance.choice(("sum", "max"))
        arrays.append(getattr(xp, name)(a, axis=chance.randrange(a.ndim), keepdims=True))


def _sort(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a = chance.choice(arrays)
    if a.ndim:
        arrays.append(xp.cumsum(a, axis=-1) if chance.random() < 0.5 else xp.sort(a))


def _write_at(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a = chance.choice(arrays)
    if a.ndim and len(a) > 3:
        a[np.array([0, 2, 3])] = chance.randrange(9)


def _drop(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    if len(arrays) > 6:
        arrays.pop(chance.randrange(len(arrays)))


def _view(xp: Any, arrays: Arrays, chance: random.Random) -> None:
    a = chance.choice(arrays)
    arrays.append(a.T if chance.random() < 0.5 else a[..., None])


def _pair(arrays: Arrays, chance: random.Random) -> tuple[Any, Any]:
    """Return two arrays that broadcast together to no more than an array of `SHAPES`."""
    while True:
        a, b = chance.choice(arrays), chance.choice(arrays)
        try:
            shape = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            continue
        if np.prod(shape, dtype=int) <= 2000 and len(shape) < 5:
            return a, b


ACTIONS = [_elementwise] * 5 + [_with_number] * 3
ACTIONS += [_write] * 2 + [_reduce, _sort, _write_at, _view] + [_drop] * 3


def _run(xp: Any, seed: int) -> Arrays:
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    arrays = [xp.array(numbers.integers(-9, 9, shape)) for shape in SHAPES]
    if xp is jj:
        jj.flush()
    for _ in range(60):
        chance.choice(ACTIONS)(xp, arrays, chance)
    return [np.asarray(a) for a in arrays]


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed: int) -> None:
    """What the planner moves changes nothing. Integers: all orders of sums are equal."""
    for found, wanted in zip(_run(jj, seed), _run(np, seed), strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def _polynomial(xp: Any, x: Any, row: Any) -> Any:
    """Numbers that are known late, and steps on a row that would each end the group."""
    found = x * 2
    for k in range(3):
        slope = row * k + 1
        found = found * slope + xp.sqrt(slope) * row[k]
    return found


def _row_of_before(xp: Any, x: Any, row: Any) -> Any:
    """The open group reads the row, which a step that goes before must not overwrite."""
    twice = row * 2
    found = x + twice
    other = twice * 3
    del twice
    return found * other


def _sum_of_others(xp: Any, x: Any, row: Any) -> Any:
    found = x * 2
    total = xp.sum(row * row)
    return found * total


def _sorted_others(xp: Any, x: Any, row: Any) -> Any:
    found = x * 2
    ordered = xp.sort(row)
    return found + ordered


def _write_of_others(xp: Any, x: Any, row: Any) -> Any:
    found = x * 2
    ends = row * 3
    ends[1:-1] = row[0]
    return (found + x) * ends


def _read_and_written(xp: Any, x: Any, row: Any) -> Any:
    """The open group reads what is written elsewhere, too: it is in memory twice."""
    target = xp.sort(xp.concatenate([row, row]))
    found = x * 2
    new = row * 3
    found = found * new
    target[::2] = new
    del new
    return found + target[::2] + target[1::2]


def _overwritten(xp: Any, x: Any, row: Any) -> Any:
    """What the open group reads is written to, so that it ends."""
    mine = row + 1
    found = x * mine
    mine[1:] = row[:-1]
    return found + mine


@pytest.mark.parametrize(
    ("program", "groups", "kernels"),
    [
        (_polynomial, 2, 0),
        (_row_of_before, 3, 0),
        (_sum_of_others, 2, 0),
        (_sorted_others, 1, 1),
        (_write_of_others, 3, 0),
        (_read_and_written, 2, 1),
        (_overwritten, 4, 0),
    ],
)
def test_what_goes_before_a_group_leaves_it_open(
    program: Callable[[Any, Any, Any], Any], groups: int, kernels: int
) -> None:
    numbers = np.random.default_rng(0)
    x, row = numbers.random((40, 50)), numbers.random(50)
    a, b = jj.array(x), jj.array(row)
    jj.flush()
    found = program(jj, a, b)
    kinds = work()
    np.testing.assert_array_equal(np.asarray(found), program(np, x, row))
    assert (kinds.count(GROUP), kinds.count(KERNEL)) == (groups, kernels)


def _memory() -> int:
    """Return the bytes that a run of what is pending has allocated at once, at most."""
    sizes: dict[int, int] = {}
    most = 0
    for words in planned():
        if words[0] == ALLOCATE:
            sizes[int(words[2])] = int(words[3])
        elif words[0] == FREE:
            del sizes[int(words[2])]
        most = max(most, sum(sizes.values()))
    return most


def _ordered_parts(x: Any, total: Any) -> Any:
    for k in range(40):
        total = total + jj.sqrt(jj.sort(x[k : k + 100_000]))
    return total


def _outer_products(x: Any, total: Any) -> Any:
    for k in range(40):
        total = total + jj.outer(x[:200], x[k : k + 125]).ravel()
    return total


@pytest.mark.parametrize("program", [_ordered_parts, _outer_products])
def test_what_goes_before_takes_little_memory(program: Callable[[Any, Any], Any]) -> None:
    x = jj.arange(200_000.0)
    total = jj.zeros((4, 25_000)) if program is _outer_products else jj.zeros(100_000)
    jj.flush()
    found = program(x, total)
    assert 2**22 < _memory() < 2**22 + 4 * 800_000
    del found
