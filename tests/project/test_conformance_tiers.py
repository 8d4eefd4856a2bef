"""The comparison of the tiers: what it takes for the same, and what it says of graphs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import jujunp as jj
from conformance import tiers
from conformance.chapters import CHAPTERS

ONE = np.array([1.0, -0.0, np.inf, np.nan])


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (ONE, True),
        (np.add(ONE, [3e-16, 0, 0, 0]), True),
        (np.add(ONE, [1e-14, 0, 0, 0]), False),
        (ONE * [1, 1, -1, 1], False),
        (np.array([1.0, 0.0, np.inf, 0.0]), False),
        (ONE.astype("float32"), False),
        (ONE[:3], False),
    ],
)
def test_floats(found, same):
    assert tiers.alike(found, ONE) == same


def test_where_sums_cancel_the_largest_element_counts():
    wanted = np.array([1000.0, 1e-14])
    assert tiers.alike(np.add(wanted, [0, 1e-13]), wanted, cancels=True)
    assert not tiers.alike(np.add(wanted, [0, 1e-13]), wanted)
    assert not tiers.alike(np.add(wanted, [0, 1e-11]), wanted, cancels=True)


def test_complex_numbers_are_compared_part_by_part():
    wanted = np.array([1000 + 1e-14j, complex(np.nan, 1)])
    assert tiers.alike(wanted + 3e-13, wanted)
    assert not tiers.alike(wanted + 1e-13j, wanted)
    assert tiers.alike(wanted[:1] + 1e-13j, wanted[:1], cancels=True)


def test_integers_are_exact():
    assert not tiers.alike(np.array([1, 2]), np.array([1, 3]))


def test_a_call_is_a_case_or_has_a_reason():
    x = jj.asarray(np.array([1.0, 2.0]))
    reasons = Counter()
    case = tiers.recorded("sum", lambda: x * 2 + 1, reasons)
    assert case is not None
    assert case.wanted[0].tolist() == [3.0, 5.0]
    assert tiers.recorded("complex", lambda: x * 1j, reasons) is not None
    assert tiers.recorded("view", lambda: x, reasons) is None
    axes = (1,) * 9
    assert tiers.recorded("axes", lambda: jj.asarray(np.ones(axes)) + 1, reasons) is None
    assert list(reasons) == ["nothing is pending: a view, or computed at once", "9 dimensions"]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_call_of_a_chapter_runs(chapter):
    reasons = Counter()
    calls = list(CHAPTERS[chapter]())
    cases = [case for name, call in calls if (case := tiers.recorded(name, call, reasons))]
    assert len(cases) + reasons.total() == len(calls)
    assert cases
