"""What the functions of linear algebra share: checked operands, kernels and their failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.flush import LinAlgFailure
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.run.settling import deferring, settle
from jujunp.lazy.run.sites import user_line
from jujunp.lazy.values.dtypes import (
    COMPLEX64,
    COMPLEX128,
    DTYPES,
    FLOAT32,
    FLOAT64,
    INT32,
    is_complex,
    is_float,
)
from jujunp.lazy.values.value import pack, record

from .._array.array_likes import as_array
from .._array.handle import Handle, ndarray, value_of
from .._array.making import as_code, new_array, scalar_if_0d
from .._array.steps import kernel, project
from .._ufuncs.ufunc import UFUNCS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

LinAlgError = np.linalg.LinAlgError

_REQUIRE = OPCODES["require"]
_STATUS_NOT_FINITE = -4


# -- operands


def matrices(a: Any) -> ndarray:
    """Return a stack of matrices; LinAlgError for fewer than two axes."""
    x = as_array(a)
    if len(x._shape) < 2:
        raise LinAlgError(
            f"{len(x._shape)}-dimensional array given. Array must be at least two-dimensional"
        )
    return x


def square(a: Any) -> ndarray:
    """Return a stack of square matrices; LinAlgError for others."""
    x = matrices(a)
    if x._shape[-1] != x._shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return x


def check_matrix(x: Handle) -> None:
    """Raise LinAlgError unless an array has two axes."""
    if len(x._shape) != 2:
        raise LinAlgError(f"{len(x._shape)}-dimensional array given. Array must be two-dimensional")


def codes(*arrays: Handle) -> tuple[int, int]:
    """Return the dtype codes to compute in and to give; TypeError for float16.

    As in NumPy, single precision is computed in double precision and rounded at the end.
    """
    double = whole = False
    for x in arrays:
        code = x._code
        whole = whole or is_complex(code)
        if (is_float(code) or is_complex(code)) and code < FLOAT32:
            raise TypeError(f"array type {DTYPES[code].name} is unsupported in linalg")
        double = double or code not in (FLOAT32, COMPLEX64)
    if whole:
        return COMPLEX128, COMPLEX128 if double else COMPLEX64
    return FLOAT64, FLOAT64 if double else FLOAT32


def real_code(code: int) -> int:
    """Return the dtype code of the parts of complex numbers; a real one as it is."""
    return code - 2 if is_complex(code) else code


def complex_code(code: int) -> int:
    """Return the dtype code of complex numbers with parts of a real one; a complex one as it is."""
    return code if is_complex(code) else code + 2


def as_result(x: Handle, code: int) -> Any:
    """Return an array in a dtype code, as a scalar when it has no axes."""
    found = as_code(x, code)
    return scalar_if_0d(found)


# -- kernels


def recorded(
    name: str,
    operands: Sequence[Handle],
    results: Sequence[tuple[Shape, int]],
    params: Sequence[int] | None = None,
) -> list[Any]:
    """Record a kernel with several results, given their shapes and dtype codes."""
    (shape, code), *more = results
    first = kernel(name, operands, shape, operands[0]._code, params, result=code)
    values = [first]
    values += [project(first, index, *spec) for index, spec in enumerate(more, 1)]
    return [new_array(x, *spec) for x, spec in zip(values, results, strict=True)]


def required(x: Handle, status: Handle, failure: LinAlgFailure) -> Any:
    """Return a kernel's result that fails, when it is computed, unless all statuses are 0.

    The failure is a LinAlgError; where errors are deferred, it names the user's line.
    """
    code, place = x._code, list(LinAlgFailure).index(failure)
    value = record(
        pack(_REQUIRE, INT32, code), x._shape, (value_of(x), value_of(status)), None, (place,)
    )
    if deferring():
        value.site = user_line()
    return new_array(value, x._shape, code)


def factored(
    name: str,
    operands: Sequence[Handle],
    results: Sequence[tuple[Shape, int]],
    params: Sequence[int] | None,
    failure: LinAlgFailure,
    *,
    finite: bool = False,
) -> list[Any]:
    """Return the results of a kernel, but for its last one, a status for each matrix.

    They are computed, unless errors are deferred; LinAlgError where a status is not 0.

    Args:
        name: The kernel.
        operands: Its operands, the first of which are the matrices.
        results: Shapes and dtype codes of the results but for the status.
        params: Integer parameters.
        failure: What has failed where a status is not 0.
        finite: Whether infinities and nan have a failure of their own.
    """
    batch = operands[0]._shape[:-2]
    *found, status = recorded(name, operands, [*results, (batch, INT32)], params)
    if finite:
        bad: Any = as_code(UFUNCS["equal"](status, _STATUS_NOT_FINITE), INT32)
        found = [required(x, bad, LinAlgFailure.NOT_FINITE) for x in found]
    found = [required(x, status, failure) for x in found]
    settle()
    return found
