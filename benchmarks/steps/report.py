"""The table of all cases, and the worst of them."""

from __future__ import annotations

from benchmarks.ratios import aligned, cell, mean, worst
from benchmarks.steps.measure import Times
from benchmarks.table import quantity

Column = tuple[int, str]
"""A size and a way."""
Results = dict[str, dict[Column, Times]]
"""By the code of the case; what failed is missing."""


def report(results: Results, columns: list[Column]) -> str:
    """Return a line for each case, the geometric means, and the worst cases of each way."""
    rows = [["", *(f"{way} {size}" for size, way in columns)]]
    rows += [
        [code, *(cell(_ratio(found, each)) for each in columns)] for code, found in results.items()
    ]
    means = [mean(_ratio(found, each) for found in results.values()) for each in columns]
    rows.append(["geometric mean", *map(cell, means)])
    ways = dict.fromkeys(way for _, way in columns)
    return "\n\n".join([aligned(rows), *(_worst(results, way) for way in ways)])


def _ratio(found: dict[Column, Times], column: Column) -> float | None:
    return found[column].ratio if column in found else None


def _worst(results: Results, way: str) -> str:
    """Return the worst cases of a way, with their times."""
    times = {
        f"{code}, size {column[0]}": found
        for code, by_column in results.items()
        for column, found in by_column.items()
        if column[1] == way
    }
    lines = [f"the worst of {way}:"]
    for name, ratio in worst({name: found.ratio for name, found in times.items()}, highest=True):
        ours, theirs = (quantity(seconds, "s") for seconds in times[name][:2])
        lines.append(f"{ratio:9.2f}  {name}: {ours}, NumPy {theirs}")
    return "\n".join(lines)


def as_json(results: Results) -> dict[str, dict[str, dict[str, float]]]:
    """Return the results as JSON has them: by case, and by size and way."""
    return {
        code: {f"{way} {size}": times._asdict() for (size, way), times in found.items()}
        for code, found in results.items()
    }
