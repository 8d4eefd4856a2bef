"""Gradients by jujunp, `jax.jit(jax.grad)`, autograd, PyTorch: `python -m benchmarks.grad [WORDS]`.

Each function is the same text for all, but for the sweeps in place: JAX has them as a `lax.scan`,
autograd as a loop of whole arrays. All numbers are float64. All are called by turns in one process,
when the loops of jujunp are compiled; the results are compared. A ratio says how many times as long
jujunp takes. `first` and `second` are jujunp's calls before anything is compiled, as multiples of a
call of the function itself, as is `hot`. autograd comes with the extra `bench`; PyTorch is measured
where it is installed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import jujunp
from benchmarks.machine import shown
from benchmarks.ratios import aligned, cell, mean
from benchmarks.table import quantity
from jujunp.lazy.run.machine import set_fusing

from .cases import Case, cases
from .contenders import CONTENDERS
from .measure import Row, measure

PATIENCE = 0.02
"""Seconds that a group may cost here before its loop is compiled."""
OTHERS = [name for name in CONTENDERS if name != "jujunp"]


def _cells(name: str, case: Case, row: Row) -> list[str]:
    hot = row.hot["jujunp"]
    multiples = [row.first, row.second, hot]
    return [
        name,
        quantity(hot, "s"),
        *(cell(hot / row.hot[other]) for other in OTHERS),
        *("" if case.is_value else cell(seconds / row.forward) for seconds in multiples),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of all cases, with geometric means."""
    parser = argparse.ArgumentParser(prog="benchmarks.grad", description=__doc__)
    parser.add_argument("words", nargs="*", help="measure the cases whose names hold one of these")
    words = parser.parse_args(arguments).words or [""]
    chosen = {name: x for name, x in cases().items() if any(word in name for word in words)}
    print(shown())
    ratios = [f"/ {name}" for name in OTHERS]
    table = [["", "jujunp", *ratios, "first / forward", "second / forward", "hot / forward"]]
    rows = []
    with jujunp.compile_policy("never"):  # no graphs
        set_fusing(PATIENCE, PATIENCE)
        for name, case in chosen.items():
            rows.append(measure(name, case))
            table.append(_cells(name, case, rows[-1]))
    means = [mean(row.hot["jujunp"] / row.hot[name] for row in rows) for name in OTHERS]
    table.append(["geometric mean", "", *map(cell, means), "", "", ""])
    print(aligned(table))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
