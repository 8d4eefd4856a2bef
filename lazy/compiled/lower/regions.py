"""Which elementwise steps are computed together: in one kernel that MAX fuses, or by the machine.

A region is a set of elementwise steps of one shape that ends in one value, its root. Only the root
goes to memory. A value is a root where something else than one region needs it: an output, a view
or a kernel, or the elementwise steps of two regions. So nothing is computed twice, and MAX, which
would evaluate a value with two consumers by a loop of its own, never has one.

A reduction ends the region of its operand if nothing else needs the operand. Then not even the root
goes to memory, but only what the reduction makes of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .rules import elementwise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir.graph_ir import GraphIR, Step, TensorSpec

LARGEST = {True: 200, False: 64}
"""Steps of a fused region at most, and of another: the time to compile a kernel grows faster than
its length, and the machine's registers should stay in cache."""

_FOLDS = frozenset(f"reduce_{name}" for name in ("sum", "prod", "max", "min", "and", "or", "xor"))


@dataclass(frozen=True)
class Fold:
    """A reduction as one of the rows, or of the columns, of a matrix."""

    kernel: str
    along_rows: bool
    rows: int
    columns: int


@dataclass(frozen=True)
class Region:
    """The steps that are computed together, in order; the last one makes the root.

    With a `fold`, it is the fold's result that goes to memory, as the value `result`.
    """

    steps: tuple[Step, ...]
    result: int
    fused: bool
    fold: Fold | None = None

    @property
    def root(self) -> int:
        """The value that the last step makes."""
        return self.steps[-1].results[0]


def regions(ir: GraphIR, *, fuse: bool = True) -> dict[int, Region]:
    """Return the regions of an IR by the values that they put into memory.

    With `fuse`, MAX evaluates those of its dtypes, and ends them with folds.
    """
    root = _roots(ir, fuse)
    members: dict[int, list[Step]] = {}
    found: dict[int, Region] = {}
    for step in ir.steps:
        value = step.results[0]
        if value not in root:
            continue
        if elementwise.is_elementwise(step.name):
            members.setdefault(root[value], []).append(step)
        if root[value] == value and value in members:
            fold = _fold(step, ir.specs) if fuse else None
            fused = fuse and elementwise.is_fused(members[value][0], ir.specs)
            found[value] = Region(tuple(members[value]), value, fused, fold)
    return found


def _roots(ir: GraphIR, fuse: bool) -> dict[int, int]:
    """Return, for every result of an elementwise step or a fold, the value its region makes."""
    root: dict[int, int] = {}
    kinds: dict[int, bool] = {}
    sizes: Counter[int] = Counter()
    claims: dict[int, set[int]] = {value: {value} for value in ir.outputs}
    for step in reversed(ir.steps):
        value = step.results[0]
        if fuse and _fold(step, ir.specs) is not None:
            root[value], kinds[value] = value, True
            claims.setdefault(step.operands[0], set()).add(value)
        elif not elementwise.is_elementwise(step.name):
            for operand in step.operands:
                claims.setdefault(operand, set()).add(operand)
        else:
            fused = fuse and elementwise.is_fused(step, ir.specs)
            (mine, *others) = claims[value]
            if others or kinds.get(mine) != fused or sizes[mine] >= LARGEST[fused]:
                mine = value
            root[value], kinds[mine] = mine, fused
            sizes[mine] += 1
            for operand in step.operands:
                same = ir.specs[operand].shape == ir.specs[value].shape
                claims.setdefault(operand, set()).add(mine if same else operand)
    return root


def _fold(step: Step, specs: Sequence[TensorSpec]) -> Fold | None:
    return fold_of(step, specs[step.operands[0]] if step.operands else None)


def fold_of(step: Step, operand: TensorSpec | None) -> Fold | None:
    """Return a reduction along the last or the first axes as a fold, None for other steps."""
    if step.name != "jj_kernel" or step.param("kernel") not in _FOLDS or operand is None:
        return None
    if operand.dtype not in elementwise.FUSED_DTYPES:
        return None
    kernel, reduced = step.param("kernel"), set(step.param("words"))
    # Axes of length 1 are anywhere.
    kept = [k for k, n in enumerate(operand.shape) if n != 1 and k not in reduced]
    gone = [k for k, n in enumerate(operand.shape) if n != 1 and k in reduced]
    size = _product(operand, kept)
    if not gone or not kept or gone[0] > kept[-1] or size == 1:
        # A row by itself is folded in NumPy's pairwise order, also where it is a column.
        return _along(kernel, operand, size, _product(operand, gone))
    if kept[0] > gone[-1]:
        return Fold(kernel, False, _product(operand, gone), size)
    return None


def _along(kernel: str, operand: TensorSpec, rows: int, columns: int) -> Fold | None:
    ordered = kernel == "reduce_prod" and operand.dtype in ("float32", "float64")
    # The chunks of a row would be multiplied one by one, which gives other bits.
    return None if ordered else Fold(kernel, True, rows, columns)


def _product(spec: TensorSpec, axes: list[int]) -> int:
    size = 1
    for axis in axes:
        size *= spec.shape[axis]
    return size
