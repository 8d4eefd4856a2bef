"""All cases, in the order of the table."""

from benchmarks.cases import (
    black_scholes,
    chain,
    imports,
    rows,
    shapes,
    small,
    solve,
    stencil,
    stored,
)

CASES = {
    case.name: case
    for module in (imports, small, chain, black_scholes, stencil, stored, rows, shapes, solve)
    for case in module.CASES
}
