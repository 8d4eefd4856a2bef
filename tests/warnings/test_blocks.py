"""Blocks that collect warnings: who looks at what was collected has all of it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import jujunp as jj

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS: dict[str, Callable[[Any], Any]] = {
    "len": len,
    "bool": bool,
    "iter": lambda w: next(iter(w)),
    "item": lambda w: w[0],
    "last": lambda w: w[-1],
    "repr": lambda w: "WarningMessage" in repr(w),
    "pop": lambda w: w.pop(),
    "copy": lambda w: w.copy(),
}


@pytest.mark.parametrize("name", LOOKS)
def test_who_looks_has_what_is_pending_computed(name: str) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kept = jj.log(jj.zeros(3))
        assert LOOKS[name](found)
    assert len(kept) == 3


def test_each_step_is_counted_when_it_is_asked_for() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        x = jj.zeros(3)
        for count in range(1, 4):
            1 / x
            assert len(found) == count
        del found[:]
        jj.sqrt(x - 1)
    assert [str(item.message) for item in found] == ["invalid value encountered in sqrt"]


def test_a_block_that_has_ended_computes_nothing() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pending = jj.log(jj.zeros(3))
        runs = jj.stats()["flushes"]
        assert not found
        assert found == []
        assert jj.stats()["flushes"] == runs
        assert len(pending) == 3
