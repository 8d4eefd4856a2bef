"""Groups that end in reductions: the bits of reductions of arrays in memory, and NumPy's."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.bytecode import GROUP, KERNEL, work

if TYPE_CHECKING:
    from collections.abc import Callable

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "mean", "var")
DTYPES = ("f8", "f4", "i8", "i4", "u1", "?")
LENGTHS = (1, 2, 7, 8, 9, 64, 129, 513, 4099)
MOST = 1 << 18
"""Elements of an array here."""


def _shape(chance: random.Random) -> tuple[int, ...]:
    while True:
        shape = tuple(chance.choice(LENGTHS) for _ in range(chance.randrange(4)))
        if np.prod(shape, dtype=int) <= MOST:
            return shape


def _operand(shape: tuple[int, ...], dtype: str, chance: random.Random) -> np.ndarray:
    """Return an array that broadcasts to a shape: whole, every other element, transposed."""
    kind = chance.randrange(4)
    lengths = {1: tuple(1 if chance.random() < 0.5 else n for n in shape), 3: shape[::-1]}
    made = np.random.default_rng(chance.randrange(1 << 30)).random(
        tuple(2 * n for n in shape) if kind == 2 else lengths.get(kind, shape)
    )
    made = (made > 0.5) if dtype == "?" else (made * 9 - 4).astype(dtype)
    if kind == 2:
        return made[tuple(slice(None, None, chance.choice((2, -2))) for _ in shape)]
    return made.T if kind == 3 else made


def _program(shape: tuple[int, ...], chance: random.Random) -> Callable[..., list[Any]]:
    steps = [chance.choice(("multiply", "add", "maximum")) for _ in range(3)]
    axes = tuple(d for d in range(len(shape)) if chance.random() < 0.5)
    folds = [chance.choice(REDUCTIONS) for _ in range(chance.randrange(1, 4))]
    keep = chance.random() < 0.3
    again = chance.random() < 0.3

    def program(xp: Any, apart: bool, *operands: Any) -> list[Any]:
        found = operands[0]
        for name, other in zip(steps, [*operands[1:], operands[0]], strict=True):
            found = getattr(xp, name)(found, other)
        if apart:
            jj.flush()
        results = [getattr(xp, name)(found, axis=axes, keepdims=keep) for name in folds]
        return [*results, found + found] if again else results

    return program


@pytest.mark.parametrize("seed", range(120))
def test_random_groups(seed: int) -> None:
    chance = random.Random(seed)
    shape, dtype = _shape(chance), chance.choice(DTYPES)
    operands = [_operand(shape, dtype, chance) for _ in range(3)]
    operands[0] = np.ascontiguousarray(np.broadcast_to(operands[0], shape))
    program = _program(shape, chance)
    ours = [jj.asarray(x) for x in operands]
    fused, apart = ([np.asarray(x) for x in program(jj, way, *ours)] for way in (False, True))
    with np.errstate(all="ignore"):
        expected = program(np, False, *operands)
    for found, other, wanted in zip(fused, apart, expected, strict=True):
        assert found.dtype == other.dtype == wanted.dtype
        assert found.tobytes() == other.tobytes()
        rtol = {"f8": 1e-12, "f4": 1e-4}.get(found.dtype.str[1:], 0)
        np.testing.assert_allclose(found, wanted, rtol, atol=rtol)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x * x).sum(),
        lambda x: (x * x).sum(axis=1),
        lambda x: (x - 1).max(axis=0),
        lambda x: jj.all(abs(x) < 2),
        lambda x: jj.sum(x > 0.5),
        lambda x: [(x * x).sum(axis=0), (x * 2).sum(axis=0)],
        lambda x: [y := jj.exp(x), y.sum(axis=1), y.min(axis=1)],
        lambda x: jj.argmax(x * 2),
        lambda x: [jj.argmin(abs(x - 0.5), axis=1), (x > 0.5).any(axis=1)],
    ],
)
def test_what_ends_a_group(program: Callable[[Any], Any]) -> None:
    """These are one instruction: their elements are folded block by block."""
    x = jj.asarray(np.random.default_rng(0).random((64, 600)))
    jj.flush()
    results = program(x)
    assert work() == [GROUP]
    jj.flush()
    del results


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x * x).sum(axis=(0, 2)),  # its axes do not lie side by side
        lambda x: (x * x).prod(),  # in strict order
        lambda x: (x * x).argmax(axis=0),  # whose places would need the elements
        lambda x: (x.astype("f2") * 2).sum(),
        lambda x: (x * 1j).sum(),
        lambda x: (x.astype("f4") * 2).sum(dtype="f8"),  # NumPy adds these in pieces
    ],
)
def test_what_does_not(program: Callable[[Any], Any]) -> None:
    x = jj.asarray(np.random.default_rng(0).random((20, 30, 40)))
    jj.flush()
    results = program(x)
    assert KERNEL in work()
    jj.flush()
    del results


@pytest.mark.parametrize("dtype", [*DTYPES, "f2"])
@pytest.mark.parametrize("length", [1, 2, 15, 64, 65, 512, 513, 4096, 5000, 70_000])
def test_places(dtype: str, length: int) -> None:
    """The first of equal elements, and the first nan, wherever blocks and parts of rows end."""
    rng = np.random.default_rng(length)
    for rows in (1, 3, 300) if length < 1000 else (1, 3):
        x = rng.integers(0, 5 if rows == 3 else 1000, (rows, length)).astype(dtype)
        if dtype[0] == "f":
            x[rng.random(x.shape) < 1 / (2 * length)] = np.nan
        y = jj.asarray(x)
        twice, thrice = y + y, jj.minimum(y, 3)
        found = [
            *[jj.argmax(twice, axis=1), jj.argmin(twice, axis=1), jj.argmax(twice)],
            *[jj.argmin(thrice), jj.argmax(thrice, axis=1), thrice.max(axis=1)],
        ]
        wanted = [
            *[np.argmax(x + x, axis=1), np.argmin(x + x, axis=1), np.argmax(x + x)],
            *[np.argmin(low := np.minimum(x, 3)), np.argmax(low, axis=1), low.max(axis=1)],
        ]
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(ours), theirs)


def test_results_are_used_in_turn() -> None:
    x = np.random.default_rng(1).random((300, 70))
    y = jj.asarray(x)

    def softmax(xp: Any, x: Any) -> Any:
        shifted = xp.exp(x - (x + 0).max(axis=1, keepdims=True))
        return shifted / shifted.sum(axis=1, keepdims=True)

    np.testing.assert_allclose(np.asarray(softmax(jj, y)), softmax(np, x), 1e-14)
    one = jj.asarray(3.0) * 2
    assert float(one - one.sum()) == 0


def test_empty() -> None:
    x = jj.zeros((0, 5)) * 2
    assert float((x + 1).sum()) == 0
    np.testing.assert_array_equal(np.asarray((x + 1).sum(axis=0)), np.zeros(5))
    assert bool(jj.all(x > 1))
