"""Why tests of autograd fail here, in a few words each."""

KINK = "at a kink: JAX's derivative there"
API = "autograd's own interface"
REASONS = {
    "test_fft.py::test_rfftn_odd_not_implemented": "we do more: autograd raises",
    "test_graphs.py::test_assignment_raises_error": "we do more: autograd has no writes",
    "test_linalg.py::test_pinv": f"{API}: `linalg.T`",
    "test_misc.py::test_const_graph": f"{API}: graphs of Python's steps",
    "test_misc.py::test_const_graph_args": f"{API}: graphs of Python's steps",
    "test_numpy.py::test_numpy_version": "jujunp has its own version",
    "test_numpy.py::test_make_diagonal": f"{API}: `make_diagonal`",
    "test_numpy.py::test_diagonal": f"{API}: `make_diagonal`",
    "test_scalar_ops.py::test_abs": f"{KINK}, 1 of `abs` at 0",
    "test_scalar_ops.py::test_absolute": f"{KINK}, 1 of `abs` at 0",
    "test_scalar_ops.py::test_power_arg0": f"{KINK}, nan of `0 ** 0`",
    "test_systematic.py::test_std": f"{KINK}, nan of `std` of equal numbers",
    "test_wrappers.py::test_deprecated_defgrad_wrapper": f"{API}: deprecated",
    "test_wrappers.py::test_deprecated_defvjp_wrapper": f"{API}: deprecated",
    "test_wrappers.py::test_deprecated_defvjp_is_zero_wrapper": f"{API}: deprecated",
    "test_wrappers.py::test_dtypes": "no long double here",
    "test_wrappers.py::test_custom_where": f"{API}: keywords of `where`, which NumPy has not",
    "test_wrappers.py::test_custom_where_dtypes": f"{API}: `where` of Python's numbers",
    "test_wrappers.py::test_wrapped_name_and_docs": f"{API}: names of functions",
}
"""By the test, without the values that it is called with."""
