"""A few steps on few elements, which are run without a plan: random programs, as in NumPy."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.handle import to_numpy
from jujunp.kernels.facts import numbers
from jujunp.lazy.run import machine
from jujunp.lazy.run.flush import POLICY

MOST_READ = numbers("vm/run/frame.mojo")["MOST_READ"]
DTYPES = ["?", "b", "l", "f", "d", "D"]
SHAPES = [(5,), (2, 3), (7,), (), (3, 1, 2)]


class Program:
    """Arrays of both libraries, to which the same is done."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.pairs: list[tuple[Any, Any]] = []
        self.exports: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(3):
            self.add()

    def add(self) -> None:
        shape = self.chance.choice(SHAPES)
        theirs = np.random.default_rng(self.chance.randrange(99)).integers(0, 9, shape)
        theirs = np.array(theirs).astype(self.chance.choice(DTYPES))
        self.pairs.append((jj.array(theirs), theirs))

    def step(self) -> None:
        chance = self.chance
        arrays = [pair for pair in self.pairs if isinstance(pair[1], np.ndarray)]
        if not arrays:
            self.add()
            return
        ours, theirs = chance.choice(arrays)
        key = tuple(
            slice(chance.choice([None, 1]), None, chance.choice([None, 1, 2, -1]))
            for _ in range(chance.randrange(theirs.ndim + 1))
        )
        number = chance.choice([1, 2, 3])
        what = chance.randrange(12)
        if what == 0:
            self.pairs.append((ours + number, theirs + number))
        elif what == 1:
            self.pairs.append((ours[key], theirs[key]))
        elif what == 2:
            ours[key], theirs[key] = number, number
        elif what == 3:
            ours[key], theirs[key] = ours[key] * 1, theirs[key] * 1
        elif what == 4 and theirs.ndim:
            self.pairs.append((ours.sum(axis=-1), theirs.sum(axis=-1)))
        elif what == 5 and theirs.ndim and len(theirs):
            other = [[-1], [0]][chance.randrange(2)]
            self.pairs.append((ours[other], theirs[other]))
        elif what == 6:
            self.pairs.append((jj.where(ours > 2, ours, 1), np.where(theirs > 2, theirs, 1)))
        elif what == 7:
            self.exports.append((np.asarray(ours), theirs))
        elif what == 9 and theirs.dtype.char in "ld" and theirs.size:
            ours[key], theirs[key] = ours.max(), theirs.max()
        elif theirs.ndim and len(theirs) > 1:
            self._write(ours, theirs, number)

    def _write(self, ours: Any, theirs: np.ndarray, number: int) -> None:
        """Write a number, or what the array has elsewhere, or add to what is there."""
        places = self.chance.choice([[1, 0], [-1], [-1, 0, 0]])
        what = self.chance.randrange(4)
        if what == 3:
            ours[1:], theirs[1:] = ours[:-1], theirs[:-1].copy()
        elif what == 0:
            ours[places] = theirs[places] = number
        elif what == 1:
            ours[places[:2]], theirs[places[:2]] = ours[:1], theirs[:1].copy()
        else:
            for namespace, x in ((jj, ours), (np, theirs)):
                namespace.add.at(x, places, theirs.dtype.type(number))  # type: ignore[attr-defined]

    def check(self) -> None:
        for ours, theirs in self.pairs:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(np.asarray(ours), theirs)
        for exported, kept in self.exports:
            np.testing.assert_array_equal(exported, kept)


@pytest.mark.parametrize("part", range(8))
def test_random_programs(part: int) -> None:
    for seed in range(60):
        program = Program(60 * part + seed)
        for k in range(30):
            if len(program.pairs) < 9:
                program.step()
            else:
                program.pairs.pop(program.chance.randrange(len(program.pairs)))
            if program.chance.randrange(4) == 0 or k % 7 == 0:
                jj.flush()
        program.check()


def _planned(call: Any) -> bool:
    """Whether a flush after a call has made a plan."""
    jj.flush()
    machine.plan(machine.STATE, [])
    result = call()
    jj.flush()
    del result
    return bool(machine.bytecode()[0])


def test_which_steps_are_run_without_a_plan() -> None:
    x, large = jj.arange(8.0) + 0.0, jj.ones(4096)
    assert not _planned(lambda: x + 1.0)
    assert not _planned(lambda: x[1:] * x[:-1])
    assert not _planned(lambda: (x > 3.0).sum())
    assert not _planned(lambda: x[jj.array([1, 2])])
    assert not _planned(lambda: x.__setitem__(slice(1, 3), 4.0))
    assert not _planned(lambda: large + 1.0)
    assert not _planned(lambda: large + 1.0 > large)
    assert _planned(lambda: jj.sqrt(large + 1.0) > large)  # three steps are fused
    assert not _planned(lambda: large[::2] + large[-1::-2])
    assert not _planned(lambda: large.reshape(64, 64)[:, ::2] + 1.0)  # evenly apart
    assert _planned(lambda: large.reshape(64, 64)[:, ::3] + 1.0)
    assert not _planned(lambda: large[:, None] - large[:1])
    assert _planned(lambda: jj.ones(MOST_READ) + 1.0 > 0.0)
    assert _planned(lambda: jj.ones(MOST_READ + 1) + 1.0)
    assert not _planned(lambda: x[::2] + large[-4:])
    assert not _planned(lambda: large.__setitem__(slice(1, 3), x[:2]))
    assert not _planned(lambda: jj.add.at(large, jj.array([0, 0]), 0.0))
    assert not _planned(lambda: jj.interp(x, x, x, 0.0, 1.0))
    assert not _planned(lambda: large.reshape(64, 64).T.copy())
    assert not _planned(large.sum)
    assert not _planned(lambda: large.reshape(64, 64)[:, :7].T @ large[:64])
    assert _planned(jj.ones(MOST_READ + 1).sum)
    assert not _planned(lambda: jj.concatenate((large, x)))
    assert not _planned(lambda: jj.pad(large, 1))
    assert _planned(lambda: jj.concatenate((large,) * 5))
    assert not _planned(lambda: jj.linalg.qr(x.reshape(2, 4)))  # a kernel with two results
    assert not _planned(lambda: jj.argsort(x))
    assert _planned(lambda: jj.linalg.qr(jj.ones((200, 100)) + x[0]))
    assert x.tolist() == [0.0, 4.0, 4.0, 3.0, 4.0, 5.0, 6.0, 7.0]


@pytest.mark.parametrize("size", [511, 513, 1024, 5000, 8192, MOST_READ])
@pytest.mark.parametrize("dtype", ["?", "b", "h", "i", "l", "e", "f", "d", "F", "D"])
def test_one_step_on_more_elements(dtype: str, size: int) -> None:
    """Steps go over arrays piece by piece: operands of all kinds, results of other dtypes."""
    theirs = np.random.default_rng(0).integers(0, 9, size).astype(dtype)
    other = theirs[::-1].copy()
    for step in (
        lambda x, y: x + y,
        lambda x, y: x * 3,
        lambda x, y: x == y,
        lambda x, y: x != 2,
        lambda x, y: x.astype(complex),
        lambda x, y: x.astype("f") if dtype not in "FD" else x.real,
        lambda x, y: (x == y) | (x == 3),
        lambda x, y: x[::-1] + y,
        lambda x, y: x[1::3] == y[: len(y[1::3])],
        lambda x, y: x + y[:1],
        lambda x, y: x.reshape(1, -1) * y[1:2],
    ):
        expected = step(theirs, other)
        found = np.asarray(step(jj.array(theirs), jj.array(other)))
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    mask = np.random.default_rng(1).integers(0, 2, size).astype(bool)
    found = jj.where(jj.array(mask), jj.array(theirs), jj.array(other))
    assert np.array_equal(np.asarray(found), np.where(mask, theirs, other))


def test_memory_that_somebody_sees_is_not_written() -> None:
    x = jj.arange(6.0) + 0.0
    jj.flush()
    seen = to_numpy(x)
    copied = x + 0.0
    x[1:3] = -1.0
    jj.flush()
    assert seen.tolist() == copied.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    address = machine.address_of(x._value.buffer)
    del seen
    x[1:3] = -2.0
    jj.flush()
    assert machine.address_of(x._value.buffer) == address
    assert x.tolist() == [0.0, -2.0, -2.0, 3.0, 4.0, 5.0]


def test_kernels_that_write_leave_memory_that_somebody_sees() -> None:
    x, places = jj.arange(2000.0) + 0.0, jj.array([5, 7, 5])
    seen = to_numpy(x)
    kept = x + 0.0
    jj.add.at(x[::-1][::2], places, 1.0)
    jj.flush()
    assert seen.tolist() == kept.tolist() == list(range(2000))
    address = machine.address_of(x._value.buffer)
    del seen
    jj.add.at(x[::-1][::2], places, kept[:3])
    jj.flush()
    assert machine.address_of(x._value.buffer) == address
    wanted = np.arange(2000.0)
    np.add.at(wanted[::-1][::2], [5, 7, 5], 1.0)
    np.add.at(wanted[::-1][::2], [5, 7, 5], [0.0, 1.0, 2.0])
    assert x.tolist() == wanted.tolist()


def test_the_policy_is_asked_about_kernels_that_read_more() -> None:
    few, many = jj.arange(100.0) + 0.0, jj.arange(4096.0) + 0.0
    machine.forget_calls()  # a call that is learnt leaves steps in the log
    assert not _planned(few.sum)
    assert not _planned(many.sum)
    try:
        machine.set_policy(10_000, 0)
        assert not _planned(few.sum)
        assert _planned(many.sum)
    finally:
        machine.set_policy(POLICY.threshold, POLICY.per_step)


def test_scalars_of_calls_in_a_program_of_elements() -> None:
    """They are computed at once where elements have been asked for; elsewhere they are pending."""
    x = jj.array(np.random.default_rng(0).random((12, 12))) + 0.0
    theirs = np.asarray(x).copy()
    seen = []
    for _ in range(60):  # calls are learnt, and then recorded again
        for k in range(3, 9):
            x[2, k] -= x[2, :k].max()
            theirs[2, k] -= theirs[2, :k].max()
            found = x[:k, 3].max()
            seen.append(found._value.buffer is not None)
    assert all(seen[-6:])
    np.testing.assert_allclose(np.asarray(x), theirs, rtol=1e-12)
    large = jj.ones((400, 400)) + 0.0
    assert (large.sum())._value.buffer is None
    jj.flush()
    for _ in range(100):
        pending = x[2, :5].max()
    assert pending._value.buffer is None


PRODUCTS: list[Any] = [
    lambda x: x[2] @ x[3],
    lambda x: x[::2, 3] @ x[1, :15],
    lambda x: x[2, ::-1].dot(x[5]),
    lambda x: x[0, :1] @ x[0, 1:2],
    lambda x: x[0, :0] @ x[1, :0],
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_products_of_known_vectors(dtype: str) -> None:
    """Those of floats are known at once, as what is calculated of known numbers is."""
    rng = np.random.default_rng(1)
    theirs = rng.integers(-9, 9, (30, 40)).astype(dtype) / np.array(7).astype(dtype)
    theirs = theirs.astype(dtype)
    x = jj.asarray(theirs.copy()) + np.array(0).astype(dtype)
    jj.flush()
    for product in PRODUCTS:
        found, wanted = product(x), product(theirs)
        assert (found._value.buffer is not None) == (
            dtype[0] == "f" and product is not PRODUCTS[-1]
        )
        assert np.asarray(found).dtype == wanted.dtype
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)
    with pytest.raises(ValueError, match="matmul"):
        x[0] @ x[0, :3]


def test_products_that_numpy_warns_of() -> None:
    x = jj.array([1e300, 1.0]) + 0.0
    jj.flush()
    with pytest.warns(RuntimeWarning, match="overflow encountered in dot"):
        assert float(jj.dot(x, x)) == np.inf
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        assert float(x @ x) == np.inf
    y = jj.array([np.inf, 1.0]) + 0.0
    assert float(y @ y) == np.inf
    pending = x * 2
    assert (pending @ x)._value.buffer is None


def test_scalars_of_calls_where_numbers_are_read() -> None:
    """As many are computed at once as numbers were read, to a limit; large work stays pending."""
    x = jj.array(np.arange(10.0)) + 0.0
    large = jj.ones((400, 400)) + 0.0
    for _ in range(100):  # nothing is read
        pending = x.sum()
    assert pending._value.buffer is None
    jj.flush()
    seen = []
    flushes = jj.stats()["flushes"]
    for _ in range(30):
        total = x.sum()
        seen.append(total._value.buffer is not None)
        assert total + 1 > 40
    assert not seen[0]
    assert all(seen[1:])
    assert total == 45
    assert jj.stats()["flushes"] == flushes + 30
    assert large.sum()._value.buffer is None
    jj.flush()
    for _ in range(100):  # nothing is read any more
        pending = x.sum()
    assert pending._value.buffer is None


SEVERAL: dict[str, Any] = {
    "qr": lambda np, x: np.linalg.qr(x),
    "svd": lambda np, x: np.linalg.svd(x),
    "slogdet": lambda np, x: np.linalg.slogdet(x[..., :2, :2]),
    "eigh": lambda np, x: np.linalg.eigh(x[..., :2, :2] + x[..., :2, :2].mT),
    "argsort": lambda np, x: (np.argsort(x, axis=-2), np.sort(x, axis=-1)),
}


@pytest.mark.parametrize("wanted", [(0, 1), (0,), (1,), ()])
@pytest.mark.parametrize("name", SEVERAL)
def test_kernels_with_several_results(name: str, wanted: tuple[int, ...]) -> None:
    """All of the results are kept, or some, or none; among other steps, of arrays and views."""
    base = np.random.default_rng(3).standard_normal((3, 4, 6))
    for theirs in (base[0, :2, :3], base[:, ::2, 1::2], base[..., :3, :2], base.T[:4, :, 0]):
        x = jj.array(theirs)
        before = x + 1.0
        results = SEVERAL[name](jj, x * 1.0)
        found = [results[k] for k in wanted]
        del results
        after = x - before
        expected = SEVERAL[name](np, theirs)
        np.testing.assert_allclose(np.asarray(after), -1.0)
        for k, one in zip(wanted, found, strict=True):
            # numbers, but for the signs of vectors
            np.testing.assert_allclose(abs(np.asarray(one)), abs(expected[k]), 1e-9, 1e-9)


LAYOUTS = [
    ((9, 1), (1,)),
    ((9, 1), (1, 1)),
    ((1, 9), (9,)),
    ((9, 1, 1), (1,)),
    ((4, 1, 5), (5,)),
    ((4, 5, 1), (4, 1, 1)),
    ((3, 1, 4, 1), (4, 1)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (2, 1, 4)),
    ((1, 1, 1), ()),
    ((600, 1), (1,)),
    ((600, 1), (600, 1)),
]
"""Shapes of two operands; axes of one element lie anyhow."""


@pytest.mark.parametrize("dtype", ["?", "b", "h", "f", "d", "D"])
@pytest.mark.parametrize(("shape", "other"), LAYOUTS)
def test_axes_of_one_element(shape: tuple[int, ...], other: tuple[int, ...], dtype: str) -> None:
    """Operands are packed, and results written, along runs of several axes."""
    rng = np.random.default_rng(5)
    a, b = (rng.integers(0, 9, n).astype(dtype) for n in (shape, other))
    step = operator.or_ if dtype == "?" else operator.add
    for turn in (lambda x: x, lambda x: x[::-1], lambda x: x[..., None]):
        theirs, ours = turn(a), turn(jj.array(a))
        added = b[..., None] if theirs.ndim > a.ndim else b
        expected = step(theirs, added)
        found = step(ours, jj.array(added))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(found), expected)
        for value in (added, 1):
            written, kept = turn(jj.array(a)), turn(a.copy())
            written[...] = jj.array(value) if value is added else value
            kept[...] = value
            np.testing.assert_array_equal(np.asarray(written), kept)
