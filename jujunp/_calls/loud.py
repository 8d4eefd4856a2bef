"""Functions whose steps warn as NumPy's function does, and under which name.

All others are silent: what they record is not what NumPy computes, or NumPy keeps it quiet.
"""

from __future__ import annotations

_OWN = (
    *("sum", "prod", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "trace", "mean"),
    *("var", "std", "average", "median", "nansum", "nanprod", "nancumsum", "nancumprod", "ptp"),
    *("diff", "ediff1d", "gradient", "trapezoid", "outer", "kron", "cross", "round", "around"),
    *("astype", "polyadd", "polysub", "polyval", "cov", "corrcoef", "concatenate"),
    *("array", "asarray", "asanyarray", "full", "full_like", "fill", "copyto", "put", "place"),
    *("putmask", "put_along_axis", "setitem"),
    *("norm", "vector_norm", "matrix_norm", "vander"),
    *("apply_along_axis", "apply_over_axes", "piecewise", "fromfunction", "histogram"),
)
"""They warn under the names of the operations that they record."""
_NAMED = {
    **dict.fromkeys(("matmul", "matrix_power"), "matmul"),
    **dict.fromkeys(("dot", "inner", "tensordot", "multi_dot"), "dot"),
    **{name: name for name in ("vecdot", "matvec", "vecmat")},
    **{name: name for name in ("reduce", "accumulate", "reduceat", "at")},
}
LOUD: dict[str, str] = {**dict.fromkeys(_OWN, ""), **_NAMED}
"""By their names; those that are named have a text."""
