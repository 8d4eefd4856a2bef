"""What of a graph for a GPU runs there; everything else runs on the CPU."""

from __future__ import annotations

from jujunp.kernels.operations import operations

FEW = 16
"""Elements of a value that stays on the CPU where nothing on the GPU made it: indices, keys."""

PRODUCTS = frozenset({"float16", "bfloat16", "float32", "float64", "int32", "int64"})
"""Dtypes of matrices that are multiplied on the GPU."""

_REDUCTIONS = frozenset({"reduce_sum", "reduce_prod", "reduce_max", "reduce_min"})
_REDUCED = frozenset({"int32", "int64", "uint32", "uint64"})
"""Dtypes that are reduced on the GPU: in any order, they give the same result."""


def reduces(kernel: str, dtype: str, size: int) -> bool:
    """Whether a reduction of so many elements runs on the GPU."""
    return kernel in _REDUCTIONS and dtype in _REDUCED and size > 0


def runs(operation: str) -> bool:
    """Whether an elementwise operation runs on the GPU: all do but those that users wrote.

    Those may call what GPUs do not have, or have with other rounding.
    """
    if operation == "convert_element_type":
        return True
    known = operations().get(operation)
    return known is not None and known.trait != ""
