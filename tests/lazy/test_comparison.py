"""Which tier a compiled graph runs on."""

import pytest

from jujunp.lazy.compiled.comparison import AGAIN, COMPILED, IMMEDIATE, ROUNDS, Comparison

FIRST = ROUNDS * [COMPILED] + ROUNDS * [IMMEDIATE]


def _runs(comparison, seconds, number):
    """Return the tiers of some runs; `seconds` gives what each takes on its tier."""
    tiers = []
    for run in range(number):
        tiers.append(comparison.next)
        comparison.count(comparison.next, seconds(comparison.next, run))
    return tiers


@pytest.mark.parametrize("faster", [IMMEDIATE, COMPILED])
def test_both_tiers_run_and_then_the_faster(faster):
    comparison = Comparison()
    tiers = _runs(comparison, lambda tier, _: 1.0 if tier == faster else 1.1, len(FIRST) + 20)
    assert tiers == FIRST + 20 * [faster]
    assert comparison.tier == faster


def test_the_fastest_run_counts():
    comparison = Comparison()
    times = {COMPILED: [300.0, 1.0, 2.0, 300.0], IMMEDIATE: [2.0, 2.0, 1.5, 2.0]}
    _runs(comparison, lambda tier, run: times[tier][run % ROUNDS], len(FIRST))
    assert comparison.tier == COMPILED


def test_a_tie_stays_compiled():
    comparison = Comparison()
    _runs(comparison, lambda tier, _: 1.0, len(FIRST))
    assert comparison.tier == COMPILED


def test_they_are_compared_again_ever_more_rarely():
    comparison = Comparison()
    length = len(FIRST)
    second = AGAIN * length
    third = AGAIN * (second + length)

    def seconds(tier, run):
        """Later runs take longer, and those outside of comparisons no time."""
        if length <= run < second or second + length <= run < third:
            return 0.0
        scale = 1.0 if run < second else 2.0
        return scale if (tier == IMMEDIATE) == (run < second) else 1.1 * scale

    tiers = _runs(comparison, seconds, third + length + 1)
    assert tiers[:length] == FIRST
    assert set(tiers[length:second]) == {IMMEDIATE}
    assert tiers[second : second + length] == FIRST
    assert set(tiers[second + length : third]) == {COMPILED}
    assert tiers[third:] == [*FIRST, COMPILED]


def test_what_ran_elsewhere_is_left_out():
    comparison = Comparison()
    for _ in range(3 * len(FIRST)):
        comparison.count(IMMEDIATE, 0.0)
    assert comparison.next == COMPILED
    _runs(comparison, lambda tier, _: 1.0 - 0.5 * (tier == COMPILED), len(FIRST))
    assert comparison.tier == COMPILED
