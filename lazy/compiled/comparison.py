"""Which tier a graph runs on once it is compiled: the faster one, found by running both."""

from __future__ import annotations

ROUNDS = 4
"""Runs on each tier when they are compared; the fastest of them counts."""
AGAIN = 8
"""Runs from one comparison to the next: this many times all runs before it."""
IMMEDIATE, COMPILED = 0, 1


class Comparison:
    """Runs of one compiled graph; some of them are on the immediate tier, to compare.

    Fused graphs are mostly the faster ones, but not always: a graph of one large kernel has nothing
    to fuse. What else the machine does disturbs a comparison, so that it is repeated, ever more
    rarely.
    """

    def __init__(self) -> None:
        self.tier = COMPILED
        self._runs = 0
        self._start = 0
        self._best = [float("inf")] * 2

    @property
    def next(self) -> int:
        """The tier of the next run."""
        place = self._runs - self._start
        if 0 <= place < 2 * ROUNDS:
            return COMPILED if place < ROUNDS else IMMEDIATE
        return self.tier

    def count(self, tier: int, seconds: float) -> None:
        """Count a run; one on another tier than the next, as a policy may demand, is left out."""
        if tier != self.next:
            return
        self._runs += 1
        place = self._runs - self._start
        if place <= 0:
            return
        self._best[tier] = min(self._best[tier], seconds)
        if place == 2 * ROUNDS:
            self.tier = IMMEDIATE if self._best[IMMEDIATE] < self._best[COMPILED] else COMPILED
            self._start = AGAIN * self._runs
            self._best = [float("inf")] * 2
