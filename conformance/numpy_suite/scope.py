"""What of NumPy's tests is not about what jujunp is: told by the test, never by what comes out."""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pytest

FILES: dict[str, str] = {
    "f2py/": "a compiler for Fortran",
    "distutils/": "packaging",
    "typing/": "NumPy's stubs for type checkers",
    "testing/": "NumPy's functions for tests",
    "_pyinstaller/": "packaging",
    "tests/test_configtool": "packaging",
    "tests/test_numpy_config": "packaging",
    "tests/test_numpy_version": "packaging",
    "tests/test_lazyloading": "packaging",
    "tests/test_reloading": "packaging",
    "tests/test_scripts": "packaging",
    "tests/test_warnings": "NumPy's sources",
    "tests/test_public_api": "NumPy's modules",
    "tests/test__all__": "NumPy's modules",
    "_core/tests/test__exceptions": "private functions",
    "_core/tests/test_argparse": "C test modules",
    "_core/tests/test_array_coercion": "dtypes that are not ours",
    "_core/tests/test_cpu_dispatcher": "C test modules",
    "_core/tests/test_cpu_features": "C test modules",
    "_core/tests/test_custom_dtypes": "dtypes that are not ours",
    "_core/tests/test_cython": "C test modules",
    "_core/tests/test_datetime": "dtypes that are not ours",
    "_core/tests/test_defchararray": "dtypes that are not ours",
    "_core/tests/test_hashtable": "C test modules",
    "_core/tests/test_limited_api": "C test modules",
    "_core/tests/test_longdouble": "dtypes that are not ours",
    "_core/tests/test_mem_policy": "C test modules",
    "_core/tests/test_records": "dtypes that are not ours",
    "_core/tests/test_simd": "C test modules",
    "_core/tests/test_stringdtype": "dtypes that are not ours",
    "_core/tests/test_strings": "dtypes that are not ours",
    "_core/tests/test_unicode": "dtypes that are not ours",
    "lib/tests/test__datasource": "private modules",
    "lib/tests/test__version": "private modules",
}
"""The files that are left out, by how their paths begin."""

_NO_DTYPES = (
    r"\bobject\b|\bobject_\b|[\"']O[\"',\d]|dtype=[\"']O|datetime64|timedelta64|\bvoid\b|longdouble|"
    r"longcomplex|clongdouble|\bstr_\b|\bbytes_\b|StringDType|dtype=\[\(|dtype\(\[\(|dtype\(\{|"
    r"[\"'][<>|=]?[SUVMm]\d*(\[\w+\])?[\"']|[\"'][gG][\"']|dtype=str\b|dtype=bytes\b|dtype=object|"
    r"Decimal|Fraction|rational|[\"']>[a-z]\d[\"']|newbyteorder|float128|complex256|recarray"
)
SOURCES: dict[str, str] = {
    r"getrefcount|HAS_REFCOUNT|gc\.collect|break_cycles": "reference counts",
    r"_multiarray_tests|_umath_tests|_rational_tests|_struct_ufunc_tests|_operand_flag_tests|"
    r"_umath_linalg\b|\bopflag_tests\b|\bumt\.|\buml\.": "C test modules",
    r"get_castingimpl|_get_strided_loop": "private functions",
    r"\bscalar\.__array_\w+__\(": "the methods of NumPy's own scalars",
    r"__doc__|add_newdoc|docstring": "documentation",
    r"requires_memory|2 ?\*\* ?3[0-9]|1 ?<< ?3[0-9]": "gigabytes of memory",
    _NO_DTYPES: "dtypes that are not ours",
}
"""What tests are left out by what stands in their text."""


def left_out(item: pytest.Item) -> str:
    """Return why a test is left out; nothing if it counts."""
    path = item.nodeid.partition("::")[0]
    for beginning, why in FILES.items():
        if path.startswith(beginning):
            return why
    source = _source(getattr(item, "obj", None))
    for pattern, why in SOURCES.items():
        if re.search(pattern, source):
            return why
    spec = getattr(item, "callspec", None)
    if spec is not None and any(map(_is_foreign, spec.params.values())):
        return "dtypes that are not ours"
    return ""


def _source(function: Any) -> str:
    function = inspect.unwrap(getattr(function, "__func__", function))
    return _text(function)


@functools.cache
def _text(function: Any) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def _is_foreign(value: Any) -> bool:
    """Whether a parameter is a dtype that is not ours, or has such elements."""
    if isinstance(value, list | tuple):
        return any(map(_is_foreign, value))
    if isinstance(value, dict):
        return any(map(_is_foreign, value.values()))
    if isinstance(value, type):
        number = not issubclass(value, np.generic) or not _no_numbers(value)
        return value in (object, str, bytes) or not number or _is_second(value)
    if isinstance(value, str) and len(value) == 1:
        return value in "OSUVMmgG"
    found = getattr(value, "dtype", value)
    return isinstance(found, np.dtype) and _no_numbers(found)


def _is_second(value: type) -> bool:
    """Whether a type is a second one for the integers of 64 bits, which are one dtype here."""
    return value in (np.longlong, np.ulonglong) and value not in (np.int64, np.uint64)


def _no_numbers(dtype: Any) -> bool:
    try:
        found = np.dtype(dtype)
    except TypeError:
        return False
    return found.kind not in "biufc" or found.char in "gG" or not found.isnative
