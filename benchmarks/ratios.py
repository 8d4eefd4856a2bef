"""Tables of ratios: their cells, their geometric means, and the worst of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

WORST = 10


def aligned(rows: list[list[str]]) -> str:
    """Return the lines of a table, whose first column is aligned on the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()
        for name, *cells in rows
    )


def cell(ratio: float | None) -> str:
    """Return a ratio as it is shown; nothing for one that is missing."""
    return "" if ratio is None else f"{ratio:.2f}"


def mean(ratios: Iterable[float | None]) -> float | None:
    """Return the geometric mean of those that are there."""
    known = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(known) if known else None


def worst(ratios: dict[str, float], *, highest: bool) -> list[tuple[str, float]]:
    """Return ten names with their ratios, beginning with the worst: the highest or the lowest."""
    return sorted(ratios.items(), key=lambda item: item[1], reverse=highest)[:WORST]
