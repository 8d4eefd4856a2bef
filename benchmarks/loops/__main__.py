"""Hot groups against NumPy, `jax.jit`, Numba and numexpr: `python -m benchmarks.loops [WORDS]`.

Each function is the same text for all. All are called by turns in one process, when the loops of
jujunp are compiled (`hot`); `first` and `tenth` are jujunp's calls before anything is. A ratio says
how many times as long jujunp takes; results are compared with NumPy's. What Numba or numexpr cannot
compute is left empty.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import jujunp
from benchmarks.machine import shown
from benchmarks.ratios import aligned, cell, mean
from jujunp.lazy.run.machine import set_fusing

from .cases import CASES
from .contenders import CONTENDERS
from .measure import measure
from .picture import draw

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
PATIENCE = 0.02
"""Seconds that a group may cost here before its loop is compiled."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of all cases and sizes, with geometric means for each size."""
    parser = argparse.ArgumentParser(prog="benchmarks.loops", description=__doc__)
    parser.add_argument("words", nargs="*", help="measure the cases whose names hold one of these")
    parser.add_argument("--size", type=int, help="elements (all sizes)")
    parser.add_argument("--picture", type=Path, help="also draw time against size, to this file")
    options = parser.parse_args(arguments)
    sizes = [options.size] if options.size else SIZES
    chosen = [case for case in CASES if any(word in case for word in options.words or [""])]
    print(shown())
    rows: dict[tuple[str, int], dict[str, float]] = {}
    seconds: dict[tuple[str, int], dict[str, float]] = {}
    with jujunp.compile_policy("never"):  # no graphs
        set_fusing(PATIENCE, PATIENCE)
        for size in sizes:
            for case in chosen:
                rows[case, size], seconds[case, size] = measure(case, size)
    columns = ["first / NumPy", "tenth / NumPy"]
    columns += [f"hot / {name}" for name in CONTENDERS if name != "jujunp"]
    table = [["", *columns]]
    for case in chosen:
        for size in sizes:
            found = rows[case, size]
            table.append([f"{case}, {size:,}", *(cell(found.get(name)) for name in columns)])
    for size in sizes:
        means = [mean(rows[case, size].get(name) for case in chosen) for name in columns]
        table.append([f"geometric mean, {size:,}", *map(cell, means)])
    print(aligned(table))
    if options.picture:
        draw(seconds, options.picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
