"""The table of all kernels, and the worst of them."""

from __future__ import annotations

import statistics
from typing import NamedTuple

from benchmarks.ratios import aligned, cell, mean, worst
from benchmarks.table import quantity

RUNS = ("first", "repeated")


class Times(NamedTuple):
    """The seconds of NumPy and jujunp, and how many times as long NumPy takes."""

    numpy: float
    jujunp: float
    ratio: float


Results = dict[str, dict[str, Times]]
"""By kernel, and by run; what failed is missing."""


def median(pairs: list[tuple[float, float]]) -> Times:
    """Return the medians of the seconds of NumPy and jujunp in some rounds, and of the ratios."""
    numpys, ours = zip(*pairs, strict=True)
    ratio = statistics.median(theirs / own for theirs, own in pairs)
    return Times(statistics.median(numpys), statistics.median(ours), ratio)


def report(results: Results, names: list[str]) -> str:
    """Return a line for each kernel, the geometric means, and the worst kernels."""
    head = [text for run in RUNS for text in (f"{run}: NumPy", "jujunp", "ratio")]
    rows = [["", *head], *([name, *_cells(results.get(name, {}))] for name in names)]
    means = [cell(mean(found[run].ratio for found in results.values())) for run in RUNS]
    rows.append(["geometric mean", "", "", means[0], "", "", means[1]])
    return "\n\n".join([aligned(rows), *(_worst(results, run) for run in RUNS)])


def _cells(found: dict[str, Times]) -> list[str]:
    if not found:
        return ["failed", *[""] * 5]
    return [
        text
        for times in (found[run] for run in RUNS)
        for text in (quantity(times.numpy, "s"), quantity(times.jujunp, "s"), cell(times.ratio))
    ]


def _worst(results: Results, run: str) -> str:
    ratios = {name: found[run].ratio for name, found in results.items()}
    lines = (f"{ratio:9.2f}  {name}" for name, ratio in worst(ratios, highest=False))
    return "\n".join([f"the worst of {run} runs:", *lines])
