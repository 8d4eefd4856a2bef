"""Why tests of NumPy's fail on purpose: by the test's name without parameters, or a part of it."""

from __future__ import annotations

_SCALARS = "a result without axes is a scalar of ours: `isinstance` says float64, `type` does not"
_WRAP = "types that only wrap results (`__array_wrap__`) are not asked: results are ours"
_ARRAY = "NumPy's own function wants arrays of NumPy's from `__array__`"
_MODULE = "it looks at NumPy's own functions: their type, their module, the method that they call"
_TEXT = "`genfromtxt` is NumPy's, and gives its arrays"

REASONS: dict[str, str] = {
    **dict.fromkeys(
        ("_core/tests/test_ufunc.py::TestUfunc::test_scalar_reduction",),
        _SCALARS,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_umath.py::TestOut::test_out_wrap_subok",
            "_core/tests/test_umath.py::TestSpecialMethods::test_wrap_out",
            "_core/tests/test_umath.py::TestSpecialMethods::test_priority",
            "_core/tests/test_umath.py::TestSpecialMethods::test_failing_out_wrap",
        ),
        _WRAP,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_scalarmath.py::TestMultiply::test_no_seq_repeat_basic_array_like",
            "_core/tests/test_umath.py::TestSpecialMethods::test_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_failing_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_none_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_default_prepare",
        ),
        _ARRAY,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_overrides.py::TestNumPyFunctions::test_set_module",
            "_core/tests/test_overrides.py::TestNumPyFunctions::test_sum_forwarding",
            "_core/tests/test_overrides.py::TestArrayLike::test_nep35_functions",
            "_core/tests/test_overrides.py::test_function_like",
            "_core/tests/test_ufunc.py::TestUfunc::test_pickle_withstring",
        ),
        _MODULE,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_overrides.py::TestArrayLike::test_array_like[True-genfromtxt",
            "_core/tests/test_overrides.py::TestArrayLike::test_subclass[genfromtxt",
        ),
        _TEXT,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_umath.py::test_outer_subclass_preserve[arr",
            "_core/tests/test_ufunc.py::TestUfunc::test_structured_equal",
        ),
        "NumPy's arrays cannot be viewed as a class derived from ours",
    ),
    "_core/tests/test_ufunc.py::TestUfunc::test_broadcast": (
        "arrays that `broadcast_arrays` spreads are read-only"
    ),
}
"""Reasons by how the names of tests begin, such as `_core/tests/test_numeric.py::TestX::test_y`."""


def reason_of(name: str) -> str | None:
    """Return why a test fails on purpose; None if it does not."""
    return next((why for begin, why in REASONS.items() if name.startswith(begin)), None)
