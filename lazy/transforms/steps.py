"""Steps as functions of JAX: what is derived, and what is mapped over an axis.

Such a function takes what a step reads. An operand that lies in memory in the usual ways is given
as it is seen: where it lies is then no part of what JAX derives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..functions.table import FIRST
from ..jaxprs.from_values import KERNELS, step_result
from ..run.machine import OPCODES, OPERATIONS
from ..values.dtypes import DTYPES
from ..values.layout import offset
from ..values.value import Value, dtype_code, leaf, opcode, operand_dtype
from .derivable import DERIVABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np
    from jax import Array

    from ..values.types import Scalar, Shape

    Layout = np.ndarray | None

CONVERT, STORE, PROJECT = (OPCODES[name] for name in ("convert_element_type", "store", "project"))
_SCATTERS = frozenset(code for name, code in OPCODES.items() if name.startswith("scatter"))
"""Kernels that write through the layout of their first operand."""

_DERIVABLE: dict[str, Any] = {**KERNELS, **DERIVABLE}


class Step(NamedTuple):
    """A step as it was recorded: one that is computed forgets."""

    code: int
    shape: Shape
    inputs: tuple[Any, ...]
    """Values and numbers; None for one that is not needed any more."""
    layouts: tuple[Layout, ...]
    params: tuple[int, ...] | None
    sources: tuple[Source, ...]


class Source(NamedTuple):
    """How a step reads an operand: the base's shape and dtype code, and the layout."""

    base: Shape
    code: int
    layout: Layout
    outside: bool
    """Whether JAX is given the elements through the layout, not the base."""

    @property
    def shape(self) -> Shape:
        """That of what the step reads."""
        return self.base if self.layout is None else self.layout.shape

    @property
    def given(self) -> tuple[Shape, np.dtype]:
        """Shape and dtype of what JAX is given."""
        return (self.shape if self.outside else self.base), DTYPES[self.code]

    def key(self) -> Hashable:
        """Return what tells this from others."""
        x = self.layout
        if x is None:
            return self.base, self.code
        return self.base, self.code, x.dtype.num, x.shape, x.strides, offset(x), self.outside


def kept(step: Value) -> Step:
    """Return a step that is in the log."""
    layouts = step.layouts or (None,) * len(step.inputs)
    sources = tuple(
        [
            _source(step, place, x, layout)
            for place, (x, layout) in enumerate(zip(step.inputs, layouts, strict=True))
        ]
    )
    inputs = (*step.inputs,)  # a reference of its own to each, by which it is needed
    return Step(step.code, step.shape, inputs, layouts, step.params, sources)


def _source(step: Value, place: int, x: Value | Scalar, layout: Layout) -> Source:
    if not isinstance(x, Value):
        return Source((), operand_dtype(step), None, True)
    code = dtype_code(x)
    written = place == 0 and opcode(step) in _SCATTERS
    outside = layout is None or (not written and layout.dtype == DTYPES[code] and _is_apart(layout))
    return Source(x.shape, code, layout, outside)


def _is_apart(layout: np.ndarray) -> bool:
    """Whether no element is seen twice through a layout, but along axes without a stride."""
    size = layout.itemsize
    axes = zip(layout.strides, layout.shape, strict=True)
    for stride, extent in sorted((abs(s), n) for s, n in axes if s and n > 1):
        if stride < size:
            return False
        size += stride * (extent - 1)
    return True


def is_elementwise(step: Step) -> bool:
    """Whether a step computes each element by itself, from elements that JAX is given."""
    code = step.code & 0xFFFF
    return (code <= CONVERT or code >= FIRST) and all(source.outside for source in step.sources)


def name_of(step: Step) -> str:
    """Return the operation of a step."""
    return OPERATIONS.get(step.code & 0xFFFF, "")


def function_of(
    step: Step, sources: Sequence[Source], derivable: bool = True
) -> Callable[..., list[Array]]:
    """Return a step as a function of JAX, which returns a list of results.

    With `derivable`, what JAX has no derivative of is written out.
    """
    name = name_of(step)
    kernels = _DERIVABLE if derivable else KERNELS
    stub = leaf(dtype_code_of(step), step.shape, None)
    stub.code, stub.params = step.code, step.params
    inside = [None if source.outside else source.layout for source in sources]

    def function(*operands: Array) -> list[Array]:
        found: Any = step_result(name, stub, list(zip(operands, inside, strict=True)), kernels)
        return list(found) if isinstance(found, (tuple, list)) else [found]

    return function


def of_some(
    function: Callable[..., Any], arguments: Sequence[Any], chosen: Sequence[bool]
) -> tuple[Callable[..., Any], list[Any]]:
    """Return a function of the chosen arguments, the others being fixed, and these arguments."""

    def of_chosen(*given: Any) -> Any:
        rest = iter(given)
        pairs = zip(arguments, chosen, strict=True)
        return function(*(next(rest) if is_chosen else x for x, is_chosen in pairs))

    return of_chosen, [x for x, is_chosen in zip(arguments, chosen, strict=True) if is_chosen]


def dtype_code_of(step: Step) -> int:
    """Return the dtype code of a step's first result."""
    return step.code >> 24
