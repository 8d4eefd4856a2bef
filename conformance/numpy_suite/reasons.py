"""Why tests of NumPy's fail on purpose: by the test's name without parameters, or a part of it."""

from __future__ import annotations

_SCALARS = "a result without axes is a scalar of ours: `isinstance` says float64, `type` does not"
_ARRAY = "NumPy's own function wants arrays of NumPy's from `__array__`"
_MODULE = "it looks at NumPy's own functions: their type, their module, the method that they call"
_TEXT = "structured arrays are NumPy's, those of `genfromtxt` too"
_MASKED = "masked arrays are NumPy's, and so are the arrays that they give and write"
_TO_NUMPY = "arrays have the method `to_numpy`, which gives an array of NumPy's"
_TWO = "no class is derived from our array and from NumPy's masked arrays"
_RANK = "a singular value at the limit of precision"
_LONG = "arrays of long doubles are NumPy's, and no class derived from ours has such"
_BITS = "elementary functions may differ from NumPy's in the last bit"
_PICKLES = "pickles of NumPy's generators are NumPy's generators"
_OUTSIDE = "as_strided refuses to leave the memory"
_BASE = "`base` is None where memory was copied from bytes, or from nothing"
_CLASSES = "NumPy's scalars and functions do not know classes derived from our array"
_ITERATES = "nditer is NumPy's, and holds NumPy's arrays"
_MORE = "so that calls of the Array API are taken, too"
_STRUCTURES = "structured arrays, and the functions for them, are NumPy's"
_FLOAT = "functions of Python's float that look into it take x.item()"
_PRIVATE = "a private function of NumPy's is given our arrays"

_FORTRAN = "an array in Fortran order is a view, and the base of one over a buffer is our array"
_NAMES = "resize does not count a second name of the array"

_MULTIARRAY = "_core/tests/test_multiarray.py::Test"
_LIB, _MA, _MATRICES = "lib/tests/test_", "ma/tests/test_", "matrixlib/tests/test_"

_CORE: dict[str, str] = {
    "_core/tests/test_umath.py::TestReplaceLoopBySignature": _PRIVATE,
    "lib/tests/test_stride_tricks.py::test_as_strided_checked": _PRIVATE,
    "_core/tests/test_casting_floatingpoint_errors.py": (
        "Python integers beyond 64 bits are no elements of any dtype"
    ),
    "_core/tests/test_umath.py::TestSpecialMethods::test_ufunc_override_where": (
        "types that have no answer for our arrays are asked with NumPy's"
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_ufunc.py::TestUfunc::test_scalar_reduction",
            f"{_MULTIARRAY}ZeroRank::test_empty_subscript",
            f"{_MULTIARRAY}Bool::test_test_interning",
            "_core/tests/test_multiarray.py::test_richcompare_scalar_boolean_singleton",
            "_core/tests/test_numeric.py::TestIsclose::test_non_finite_scalar",
            "_core/tests/test_arrayobject.py::test_array_wrap",
        ),
        _SCALARS,
    ),
    **dict.fromkeys(
        (
            f"{_MULTIARRAY}Flags::test_writeable_pickle",
            "_core/tests/test_multiarray.py::test_interface_nullptr",
        ),
        _BASE,
    ),
    f"{_MULTIARRAY}ArrayCreationCopyArgument::test_order_mismatch": _FORTRAN,
    f"{_MULTIARRAY}Attributes::test_set_stridesattr": _OUTSIDE,
    f"{_MULTIARRAY}Resize::test_check_reference_2": _NAMES,
    "_core/tests/test_arraymethod.py::TestSimpleStridedCall": _PRIVATE,
    "_core/tests/test_numerictypes.py::TestEmptyField::test_assign": _STRUCTURES,
    "_core/tests/test_memmap.py::TestMemmap::test_getitem": "np.memmap is NumPy's",
    "_core/tests/test_memmap.py::TestMemmap::test_ufunc_return_ndarray": (
        "`x.__class__` is NumPy's class of arrays, by which other libraries know one"
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_numeric.py::TestClip::test_clip_min_max_args",
            "_core/tests/test_regression.py::TestRegression::test__array_namespace__",
            "_core/tests/test_regression.py::TestRegression::test_ticket_1538",
        ),
        _MORE,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_nditer.py::test_iter_copy_if_overlap",
            "_core/tests/test_nditer.py::test_iter_allocate_output_subtype",
        ),
        _ITERATES,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_regression.py::TestRegression::test_attributes",
            "_core/tests/test_regression.py::TestRegression::test_richcompare_scalar_and_subclass",
            "_core/tests/test_umath.py::test_outer_bad_subclass",
        ),
        _CLASSES,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_scalarmath.py::TestMultiply::test_no_seq_repeat_basic_array_like",
            "_core/tests/test_umath.py::TestSpecialMethods::test_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_priority",
            "ma/tests/test_core.py::TestMaskedArrayFunctions::test_masked_invalid_pandas",
            "_core/tests/test_umath.py::TestSpecialMethods::test_failing_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_none_wrap",
            "_core/tests/test_umath.py::TestSpecialMethods::test_default_prepare",
        ),
        _ARRAY,
    ),
    **dict.fromkeys(
        (
            "_core/tests/test_overrides.py::TestNumPyFunctions::test_set_module",
            "_core/tests/test_overrides.py::TestArrayLike::test_nep35_functions",
            "_core/tests/test_overrides.py::test_function_like",
            "_core/tests/test_ufunc.py::TestUfunc::test_pickle_withstring",
            f"{_MULTIARRAY}TextSignatures::test_c_func_dispatcher_text_signature",
            "_core/tests/test_regression.py::TestRegression::test_load_ufunc_pickle",
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
            f"{_MULTIARRAY}Binop::test_pos_array_ufunc_override",
        ),
        "NumPy's arrays cannot be viewed as a class derived from ours",
    ),
    "_core/tests/test_indexing.py::TestFieldIndexing::test_scalar_return_type": _STRUCTURES,
    "_core/tests/test_indexing.py::TestCApiAccess": "C functions for sequences are not ours",
    "_core/tests/test_mem_overlap.py::test_internal_overlap": _OUTSIDE,
    **dict.fromkeys(
        (
            "_core/tests/test_mem_overlap.py::TestUFunc::test_unary_ufunc_call",
            "_core/tests/test_mem_overlap.py::TestUFunc::test_binary_ufunc_reduce_fuzz",
            "_core/tests/test_mem_overlap.py::TestUFunc::test_binary_ufunc_accumulate_fuzz",
        ),
        "a stride of one byte through larger elements: the order of the writes decides",
    ),
}
_OTHERS: dict[str, str] = {
    f"{_LIB}function_base.py::TestDiff::test_n": (
        "a list of numbers is an array before a function sees it, also for `diff(x, n=0)`"
    ),
    f"{_LIB}type_check.py::TestNanToNum::test_integer": _SCALARS,
    f"{_LIB}type_check.py::TestNanToNum::test_float": _SCALARS,
    f"{_LIB}type_check.py::TestNanToNum::test_complex": _SCALARS,
    f"{_LIB}ufunclike.py::TestUfunclike::test_scalar": _SCALARS,
    f"{_LIB}function_base.py::TestQuantile::test_correct_quantile_value": _SCALARS,
    f"{_LIB}function_base.py::TestLerp::test_linear_interpolation_formula_0d_inputs": _PRIVATE,
    f"{_LIB}nanfunctions.py::test__replace_nan": _PRIVATE,
    f"{_LIB}io.py::TestLoadTxt::test_from_float_hex": _FLOAT,
    f"{_LIB}stride_tricks.py::test_subclasses": _PRIVATE,
    "linalg/tests/test_linalg.py::TestDet::test_zero": _SCALARS,
    "linalg/tests/test_linalg.py::TestLstsq::test_rcond": _RANK,
    f"{_LIB}arraysetops.py::TestUnique::test_unique_subclass": _LONG,
    f"{_MA}subclassing.py": _TWO,
    f"{_MA}core.py::test_masked_array": _MASKED,
    f"{_MA}core.py::TestMaskedArrayArithmetic::test_methods_with_output": _MASKED,
    f"{_MA}core.py::TestFillingValues::test_fillvalue_in_view": _MASKED,
    f"{_MA}core.py::TestMaskedArrayFunctions::test_choose_with_out": _MASKED,
    f"{_MA}core.py::TestMaskedView::test_view_to_type": _MASKED,
    f"{_MA}core.py::TestMaskedArrayArithmetic::test_basic_ufuncs": _BITS,
    f"{_MA}core.py::TestMaskedArrayArithmetic::test_count_func": _MASKED,
    f"{_MA}core.py::TestMaskedArrayFunctions::test_compressed": _MASKED,
    f"{_MA}core.py::TestMaskedArrayFunctions::test_round_with_output": _MASKED,
    f"{_MA}core.py::TestMaskedArrayFunctions::test_round_with_scalar": _MASKED,
    f"{_MA}core.py::TestMaskedArrayMathMethods::test_cumsumprod_with_output": _MASKED,
    f"{_MA}core.py::TestMaskedArrayFunctions::test_masked_invalid_pandas": _MASKED,
    f"{_MA}extras.py::TestPolynomial::test_polyfit": _MASKED,
    f"{_MA}old_ma.py::TestMa::test_xtestCount": _MASKED,
    f"{_MA}old_ma.py::TestMa::test_testAPI": _MASKED,
    f"{_MA}extras.py::TestShapeBase::test_inspect_signature": _MASKED,
    f"{_MATRICES}masked_matrix.py::TestSubclassing::test_masked_unary_operations": _BITS,
    f"{_MATRICES}masked_matrix.py::TestMaskedMatrix::test_matrix_indexing": _SCALARS,
    f"{_MATRICES}defmatrix.py::TestMatrixReturn::test_instance_methods": _TO_NUMPY,
    f"{_MATRICES}interaction.py::test_iter_allocate_output_subtype": _ITERATES,
    "random/tests/test_direct.py::TestSFC64::test_legacy_pickle": _PICKLES,
    "random/tests/test_generator_mt19937.py::test_legacy_pickle": _PICKLES,
}
REASONS = {**_CORE, **_OTHERS}
"""Reasons by how the names of tests begin, such as `_core/tests/test_numeric.py::TestX::test_y`."""


def reason_of(name: str) -> str | None:
    """Return why a test fails on purpose; None if it does not."""
    return next((why for begin, why in REASONS.items() if name.startswith(begin)), None)
