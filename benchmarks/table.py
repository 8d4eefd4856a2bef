"""The table: every case with its contenders, ratios and promises."""

from __future__ import annotations

from benchmarks.case import JAX, JIT, JUJUNP, NUMPY, Bound, Case

Results = dict[str, dict[str, float]]
"""What was measured: by case, by contender; what failed is missing."""

_SCALES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "B": ((2.0**20, "MiB"), (2.0**10, "KiB")),
}
_OTHERS = (NUMPY, JAX, JIT)


def quantity(value: float, unit: str) -> str:
    """Return a number in the largest multiple of the unit that it reaches."""
    scales = _SCALES[unit]
    scale, name = next((pair for pair in scales if value >= pair[0]), scales[-1])
    return f"{value / scale:.3g} {name}"


def promise(bound: Bound, case: Case, measured: dict[str, float]) -> str:
    """Return what a bound says, and whether what was measured keeps it."""
    limit, text = bound.most, quantity(bound.most, case.unit)
    if bound.of is not None:
        text = f"{bound.most:.3g} x {bound.of}"
        limit *= measured.get(bound.of, float("nan"))
    kept = "kept" if measured.get(JUJUNP, float("inf")) <= limit else "NOT KEPT"
    return f"at most {text}: {kept}"


def table(cases: list[Case], results: Results) -> str:
    """Return the lines of the table; a ratio says how many times more the contender takes."""
    rows = [["", JUJUNP, *_OTHERS, "promise"]]
    rows += [_row(case, results.get(case.name, {})) for case in cases]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells, promises in rows:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=False))
        lines.append("  ".join([name.ljust(widths[0]), *padded, promises]))
    return "\n".join(lines)


def _row(case: Case, measured: dict[str, float]) -> list[str]:
    cells = [case.name]
    for contender in (JUJUNP, *_OTHERS):
        value = measured.get(contender)
        if value is None:
            cells.append("failed" if contender in case.contenders else "")
        elif contender == JUJUNP or JUJUNP not in measured:
            cells.append(quantity(value, case.unit))
        else:
            cells.append(f"{quantity(value, case.unit)} ({value / measured[JUJUNP]:.2f}x)")
    return [*cells, "; ".join(promise(bound, case, measured) for bound in case.bounds)]
