"""The checker of bytecode: what the planner writes passes, and nothing that passes can crash."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.kernels.facts import BYTECODE, numbers
from jujunp.lazy.run import machine
from jujunp.lazy.values.dtypes import FLOAT64
from jujunp.lazy.values.value import LOG

if TYPE_CHECKING:
    from collections.abc import Callable

ALLOCATE, FREE, COPY, GROUP, KERNEL = (
    numbers(BYTECODE)[name] for name in ("ALLOCATE", "FREE", "COPY", "GROUP", "KERNEL")
)
FIRST_KERNEL = numbers(BYTECODE)["FIRST_KERNEL"]
LIMIT = 1 << 16
MUTATED = int(os.environ.get("JUJUNP_MUTATED_PROGRAMS", "1000000"))
"""How many changed ones are tried."""


def _in_place(x: Any) -> Any:
    y = x.copy()
    y[1:, ::2] += x[:-1, 2:]
    y[[0, 2]] = 7
    return y


WRITTEN: dict[str, Callable[[Any], Any]] = {
    "chain": lambda x: (jj.sin(x) * 2 + x[0]) / 3 > x.T[:1, :1],
    "folds": lambda x: ((x * x).sum(), (x + 1).max(1), jj.all(x * 2 < 3)),
    "reductions": lambda x: x.sum(0) + x.max() + jj.cumsum(x, 1).mean(),
    "in place": _in_place,
    "sorting": lambda x: (jj.sort(x, 0), jj.argsort(x, 1), x.argmax(1)),
    "joining": lambda x: jj.pad(jj.concatenate([x, x * 2]), 1),
    "products": lambda x: x @ x.T + jj.einsum("ij,kj->ik", x, x),
    "indexing": lambda x: x[jj.asarray([1, 0]), 1:] + jj.take(x, [0, 1], 1)[:2, :1],
    "other dtypes": lambda x: jj.where(x.astype("int8") > 3, x.astype("float32"), 2),
    "searching": lambda x: jj.searchsorted(x[0], x[1]) + jj.arange(5),
}


def planned(function: Callable[[Any], Any]) -> tuple[np.ndarray, list[int]]:
    """Return the bytecode of a function and the sizes that its slots need."""
    x = jj.asarray(np.arange(20.0).reshape(4, 5))
    jj.flush()
    results = function(x)
    machine.plan(machine.STATE, LOG)
    text, _ = machine.bytecode()
    words = np.frombuffer(text, np.int64).copy()
    jj.flush()
    del results
    return words, _sizes(words)


def _sizes(words: np.ndarray) -> list[int]:
    """Give memory to the slots that bytecode does not allocate itself."""
    at = 0
    made, slots = set(), {0}
    while at < len(words):
        if words[at] == ALLOCATE:
            made.add(int(words[at + 2]))
        at += int(words[at + 1])
    slots |= made
    return [-1 if slot in made else 160 for slot in range(max(slots) + 4)]


@pytest.fixture(scope="module")
def written() -> list[tuple[np.ndarray, list[int]]]:
    return [planned(function) for function in WRITTEN.values()]


@pytest.mark.parametrize("name", WRITTEN)
def test_what_the_planner_writes_is_accepted(name: str) -> None:
    words, sizes = planned(WRITTEN[name])
    assert machine.run_words(words, sizes, LIMIT) == 0
    assert machine.run_words(words, sizes, 1) == -1
    assert machine.run_words(words, [-1] * len(sizes), LIMIT) == machine.MALFORMED
    assert machine.run_words(words, [], LIMIT) == machine.MALFORMED
    assert machine.run_words(words[:-1], sizes, LIMIT) == machine.MALFORMED


ADD = machine.OPCODES["add"]


def group(**changes: int) -> list[int]:
    """Return `slot 1 = slot 0 + slot 0` on 8 float64, with some words changed."""
    words = {
        **{"kind": GROUP, "length": 25, "rank": 1, "operands": 2, "steps": 1, "registers": 0},
        "extent": 8,
        **{"slot": 0, "offset": 0, "itemsize": 8, "role": 0, "stride": 8},
        **{"out_slot": 1, "out_offset": 0, "out_itemsize": 8, "out_role": 1, "out_stride": 8},
        **{"opcode": ADD, "dtype": FLOAT64, "result": FLOAT64, "to": -2, "a": -1, "b": -1, "c": -9},
    }
    words["length"] = len(words)
    assert changes.keys() <= words.keys()
    return list((words | changes).values())


BAD = {
    "kind": {"kind": 9},
    "length": {"length": 2},
    "longer than all": {"length": 99},
    "rank": {"rank": 2},
    "negative rank": {"rank": -1},
    "operands": {"operands": 3},
    "steps": {"steps": 2},
    "extent past the end": {"extent": 9},
    "negative extent": {"extent": -8},
    "huge extent": {"extent": 1 << 62},
    "slot": {"slot": 2},
    "negative slot": {"slot": -2},
    "constant that is strided": {"slot": -1},
    "constant that is written": {"out_slot": -1, "out_stride": 0},
    "offset": {"offset": 8},
    "negative offset": {"offset": -8},
    "huge offset": {"offset": 1 << 62},
    "itemsize": {"itemsize": 3},
    "itemsize of another dtype": {"itemsize": 4},
    "role": {"role": 2},
    "written operand that is not": {"out_role": 0},
    "stride": {"stride": 16},
    "negative stride": {"stride": -8},
    "huge stride": {"stride": 1 << 62},
    "written in one place": {"out_stride": 0},
    "opcode": {"opcode": 199},
    "negative opcode": {"opcode": -1},
    "dtype": {"dtype": 15},
    "dtype without this operation": {"opcode": machine.OPCODES["and"]},
    "result": {"result": 99},
    "result of another size": {"result": 0, "opcode": machine.OPCODES["eq"]},
    "register": {"a": 0},
    "operand": {"b": -3},
    "output": {"to": -3},
}


def fold(**changes: int) -> list[int]:
    """Return `slot 1 = the sum over the last axis of slot 0` of 2 x 4 float64, changed likewise."""
    operand = {"slot": 0, "offset": 0, "itemsize": 8, "role": 0, "stride": 32, "inner": 8}
    result = {"slot": 1, "offset": FOLDED, "itemsize": 8, "role": 2, "stride": 8, "inner": 0}
    words = {
        **{"kind": GROUP, "length": 0, "rank": 2, "operands": 2, "steps": 1, "registers": 0},
        **{"extent": 2, "inner_extent": 4},
        **operand,
        **{f"out_{name}": word for name, word in result.items()},
        **{"opcode": -2, "dtype": FLOAT64, "result": FLOAT64, "to": -2, "a": -1, "b": -9, "c": -9},
    }
    words["length"] = len(words)
    assert changes.keys() <= words.keys()
    return list((words | changes).values())


SUM = machine.OPCODES["reduce_sum"] - FIRST_KERNEL
FOLDED = SUM << 16 | FLOAT64 << 8 | FLOAT64
BAD_FOLDS = {
    "slot": {"out_slot": 2},
    "number": {"out_slot": -1},
    "kernel": {"out_offset": FOLDED + (1 << 40)},
    "kernel that does not reduce": {"out_offset": FOLDED - (SUM << 16)},
    "negative": {"out_offset": -1},
    "dtype": {"out_offset": SUM << 16 | 99 << 8 | FLOAT64},
    "result": {"out_offset": SUM << 16 | FLOAT64 << 8 | 99},
    "sum of float32 as float64": {"out_offset": SUM << 16 | FLOAT64 - 1 << 8 | FLOAT64},
    "itemsize": {"out_itemsize": 4},
    "gaps": {"out_stride": 16},
    "negative stride": {"out_stride": -8},
    "more results than memory": {"out_stride": 32, "out_inner": 8, "extent": 9, "stride": 0},
}


def test_a_fold_that_makes_sense_is_accepted() -> None:
    assert machine.run_words(np.array(fold()), [64, 16], LIMIT) == 0


@pytest.mark.parametrize("name", BAD_FOLDS)
def test_a_malformed_fold_is_refused(name: str) -> None:
    words = np.array(fold(**BAD_FOLDS[name]))
    assert machine.run_words(words, [64, 64], LIMIT) == machine.MALFORMED


def test_folds_over_axes_apart_are_refused() -> None:
    words = fold(rank=3)
    words[6:8] = [2, 2, 2]  # kept in the middle
    at = words.index(0, 9)
    words[at:] = [
        *(0, 0, 8, 0, 32, 16, 8),
        *(1, FOLDED, 8, 2, 0, 8, 0),
        *(-2, FLOAT64, FLOAT64, -2, -1, -9, -9),
    ]
    words[1] = len(words)
    assert machine.run_words(np.array(words), [64, 64], LIMIT) == machine.MALFORMED


def test_a_group_that_makes_sense_is_accepted() -> None:
    assert machine.run_words(np.array(group()), [64, 64], LIMIT) == 0


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_group_is_refused(name: str) -> None:
    words = np.array(group(**BAD[name]))
    assert machine.run_words(words, [64, 64], LIMIT) == machine.MALFORMED


@pytest.mark.parametrize(
    "words",
    [
        [ALLOCATE, 4, 5, 8],
        [ALLOCATE, 4, 0, 8],
        [ALLOCATE, 4, 1, -8],
        [ALLOCATE, 3, 1],
        [FREE, 3, 1],
        [FREE, 3, -1],
        [FREE, 3, 0, FREE, 3, 0],
        [COPY, 5, 0, 0, 65],
        [COPY, 5, 0, 0, -1],
        [COPY, 5, 0, 1, 8],
        [KERNEL, 7, 9999, 1, 1, 0, 0],
        [KERNEL, 7, 0, 1, 2, 0, 0],
        [KERNEL, 7, 0, 0, 0, 0, 0],
        [KERNEL, 11, 0, 1, 1, 1, 0, 0, 0, FLOAT64, 0],
        [KERNEL, 11, 0, 1, 1, 0, 0, 0, 0, 99, 0],
        [KERNEL, 11, 0, 1, 1, 0, 0, 0, 0, FLOAT64, 40],
        [KERNEL, 11, 0, 1, 1, 0, 0, -1, 0, FLOAT64, 0],
        [KERNEL, 11, 0, 1, 1, 0, 0, 0, 64, FLOAT64, 0],
        [GROUP, 3, 0],
        [0, 3, 0],
        [GROUP],
    ],
)
def test_other_malformed_instructions_are_refused(words: list[int]) -> None:
    assert machine.run_words(np.array(words), [64, -1], LIMIT) == machine.MALFORMED


def test_bytecode_stops_at_memory_that_cannot_be() -> None:
    words = np.array([ALLOCATE, 4, 1, 1 << 60, FREE, 3, -1])
    assert machine.run_words(words, [64, -1], LIMIT) == machine.NO_MEMORY


def test_mutated_bytecode_does_no_harm(written: list[tuple[np.ndarray, list[int]]]) -> None:
    """Each is refused, runs, or is refused by a kernel; and no memory is lost."""
    rng = np.random.default_rng(0)
    odd = np.array(
        [-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 64, 160, -8, 1 << 20, 1 << 62, -(1 << 62)]
    )
    before = machine.memory_in_use()
    statuses = np.zeros(8, np.int64)
    for _ in range(MUTATED // 1000):
        words, sizes = written[rng.integers(len(written))]
        places = rng.integers(0, len(words), (1000, 3))
        news = rng.choice(odd, (1000, 3))
        near = rng.integers(-2, 3, (1000, 3))
        counts = rng.integers(1, 4, 1000)
        for place, new, off, count in zip(places, news, near, counts, strict=True):
            mutated = words.copy()
            place = place[:count]
            mutated[place] = new[:count] if off[0] else mutated[place] + off[:count]
            statuses[machine.run_words(mutated, sizes, LIMIT)] += 1
    assert machine.memory_in_use() == before
    assert statuses.sum() == MUTATED // 1000 * 1000
    assert statuses[machine.MALFORMED] > 0
    assert statuses[0] > 0
    assert set(np.flatnonzero(statuses)) <= {0, 1, 2, 3, 4, machine.MALFORMED, 7}
