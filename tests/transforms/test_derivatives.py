"""`grad` and `jvp` of every function, against differences that NumPy computes."""

from __future__ import annotations

import re

import pytest

import jujunp
from tests.support.derivatives import Case, check_derivatives, check_second_derivatives
from tests.transforms.cases import CASES

NOT_SMOOTH = {
    *("all", "allclose", "any", "array_equal", "array_equiv", "count_nonzero", "equal", "greater"),
    *("greater_equal", "isclose", "iscomplex", "iscomplexobj", "isfinite", "isin", "isinf"),
    *("isnan", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar", "less", "less_equal"),
    *("linalg.matrix_rank", "logical_and", "logical_not", "logical_or", "logical_xor"),
    *("nanargmax", "nanargmin", "nextafter", "not_equal", "ndim", "shape", "signbit", "size"),
}
"""Functions of floats that give flags or numbers of elements, or have no derivative."""
OF_INTEGERS = {
    *("bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_not"),
    *("bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_shapes", "diag_indices_from"),
    *("fft.fftfreq", "fft.rfftfreq", "gcd", "indices", "invert", "lcm", "left_shift"),
    *("mask_indices", "packbits", "ravel_multi_index", "right_shift", "tril_indices_from"),
    *("triu_indices_from", "unpackbits"),
}
OF_NO_ARRAYS = {
    *("can_cast", "common_type", "einsum_path", "empty_like", "from_dlpack", "frombuffer"),
    *(
        "packbits",
        "unpackbits",
        "fromiter",
        *("fromfile", "fromregex", "fromstring", "genfromtxt"),
        "get_printoptions",
        "geterr",
        "geterrcall",
        "seterrcall",
        "asmatrix",
        "bmat",
        "histogram_bin_edges",
    ),
    *("isdtype", "issubdtype", "load", "loadtxt", "may_share_memory", "min_scalar_type"),
    *("printoptions", "promote_types", "result_type", "save", "savetxt", "savez"),
    *("savez_compressed", "set_printoptions", "seterr", "shares_memory"),
}
"""And what is about dtypes, memory and files, or reads its arguments."""
OF_FUNCTIONS = {
    *("checkpoint", "cond", "fori_loop", "grad", "hessian", "jacfwd", "jacrev", "jvp", "linearize"),
    *(
        "scan",
        "stop_gradient",
        "switch",
        "traceable",
        "value_and_grad",
        "vjp",
        "vmap",
        "while_loop",
    ),
    *("cpu_engine", "export", "flush", "gpu_engine", "jaxpr", "jit", "kernel_library", "like"),
    *("load_program", "lower", "make_max_graph", "max_execute", "mojo_call", "stats"),
    *("traceable", "vectorize_mojo", "wait_for_compiles"),
}


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_against_differences(case: Case) -> None:
    check_derivatives(case)


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_second_derivatives(case: Case) -> None:
    check_second_derivatives(case)


def test_every_function_has_a_case() -> None:
    code = "\n".join(case.code for case in CASES)
    called = {name for path in re.findall(r"np\.((?:\w+\.)*\w+)", code) for name in _names(path)}
    public = {*_functions("", jujunp), *_functions("linalg.", jujunp.linalg)}
    public |= _functions("fft.", jujunp.fft)
    others = NOT_SMOOTH | OF_INTEGERS | OF_NO_ARRAYS | OF_FUNCTIONS
    assert public - called == others


def _names(path: str) -> list[str]:
    """Return a name in the namespace, and that without a method."""
    return [path, path.rpartition(".")[0]]


def _functions(prefix: str, module: object) -> set[str]:
    own = {*vars(module), *getattr(module, "_LATE", ())}  # all others are NumPy's
    names: list[str] = module.__all__  # type: ignore[attr-defined]
    items = {name: getattr(module, name) for name in names if name in own and name[0] != "_"}
    return {
        prefix + name
        for name, item in items.items()
        if callable(item) and not isinstance(item, type)
    }
