"""Looks at results beside their operands: which of them NumPy may warn of.

It is slow, and done only where the processor's flags, or a divisor, have told that there is something.
What is found are candidates: NumPy decides (lazy/run/findings.py).
"""

from std.sys import simd_width_of
from std.utils.numerics import isinf, isnan

from elementwise.dispatch.operations import facts_of, opcode
from elementwise.numbers.dtypes import (
    COMPLEX64,
    DTYPE_COUNT,
    DTYPES,
    SIGNED,
    part_of,
)
from elementwise.numbers.memory import load
from elementwise.silent import critical, limits
from vm.base.bytecode import CONVERT, itemsize
from vm.base.numbers import FIRST_FLOAT, FIRST_INTEGER, FLOAT32, FLOAT64
from vm.run.findings import (
    INFINITE,
    INFINITE_AT_ZERO,
    TINY,
    UNDEFINED,
    Findings,
)
from structured.operands.operand import Operand
from structured.threads.ieee import (
    DIVIDE,
    INVALID,
    OVERFLOW,
    UNDERFLOW,
    raise_flags,
)

comptime _FLOOR_DIVIDE = opcode("floor_divide")
comptime _REMAINDER = opcode("remainder")
comptime _REM = opcode("rem")
comptime _RECIPROCAL = opcode("reciprocal")
comptime _ADD = opcode("add")
comptime _SUB = opcode("sub")
comptime _MUL = opcode("mul")
comptime _NEG = opcode("neg")
comptime _ABS = opcode("abs")
comptime _SQUARE = opcode("square")
comptime _POW = opcode("pow")
comptime _NEXTAFTER = opcode("nextafter")
comptime _SPACING = opcode("spacing")

# what an element is, a sum of these
comptime _NAN = 1
comptime _INF = 2
comptime _ZERO = 4
comptime _SMALL = 8
"""Zero or subnormal."""
comptime _ALL = _NAN | _INF | _ZERO | _SMALL


@always_inline
def is_division(operation: Int, dtype: Int) -> Bool:
    """Whether a step divides integers, which raises no flag."""
    if not FIRST_INTEGER <= dtype < FIRST_FLOAT:
        return False
    return (
        operation == _FLOOR_DIVIDE
        or operation == _REMAINDER
        or operation == _REM
        or operation == _RECIPROCAL
    )


@always_inline
def is_silent(operation: Int, dtype: Int, result: Int) -> Bool:
    """Whether a step raises no flag where NumPy warns: divisions of integers, casts of floats to
    integers, and casts to float16."""
    if operation == CONVERT:
        if result == FIRST_FLOAT:
            return dtype >= FIRST_INTEGER
        return dtype >= FIRST_FLOAT and FIRST_INTEGER <= result < FIRST_FLOAT
    return is_division(operation, dtype)


def mind(operation: Int, dtype: Int, result: Int, a: Int, b: Int, n: Int):
    """Raises the processor's flags if an operand of such a step tells that it should."""
    var found: Bool
    if operation == CONVERT:
        found = _any_outside(dtype, result, a, n)
    else:
        var divisors = a if operation == _RECIPROCAL else b
        found = _any_critical(dtype, a, divisors, n)
    if found:
        raise_flags(INVALID | DIVIDE)


def _any_outside(dtype: Int, result: Int, address: Int, n: Int) -> Bool:
    if dtype >= COMPLEX64:
        return _any_outside(part_of(dtype), result, address, 2 * n)
    var high, low = limits(result)
    comptime for code in range(FIRST_INTEGER, DTYPE_COUNT):
        if dtype == code:
            comptime width = simd_width_of[DTYPES[code]]()
            var found = SIMD[DType.bool, width](fill=False)
            for k in range(0, n, width):
                var place = min(k, n - width)  # the last ones again
                if place < 0:
                    return _any_of_few_outside[code](high, low, address, n)
                var x = load[DTYPES[code], width](address, place)
                found |= _is_outside(x, high, low)
            return found.reduce_or()
    return False


def _any_of_few_outside[
    code: Int
](high: Float64, low: Float64, address: Int, n: Int) -> Bool:
    for k in range(n):
        if _is_outside(load[DTYPES[code], 1](address, k), high, low)[0]:
            return True
    return False


@always_inline
def _is_outside[
    dtype: DType, width: SIMDLength, //
](x: SIMD[dtype, width], high: Float64, low: Float64) -> SIMD[
    DType.bool, width
]:
    var y = x.cast[DType.float64]()
    return ~(y.lt(high) & y.gt(low))


def _any_critical(dtype: Int, a: Int, divisors: Int, n: Int) -> Bool:
    comptime for code in range(FIRST_INTEGER, FIRST_FLOAT):
        if dtype == code:
            comptime width = simd_width_of[DTYPES[code]]()
            var found = SIMD[DType.bool, width](fill=False)
            for k in range(0, n, width):
                var place = min(k, n - width)  # the last ones again
                if place < 0:
                    return _any_of_few_critical[code](a, divisors, n)
                found |= critical(
                    load[DTYPES[code], width](a, place),
                    load[DTYPES[code], width](divisors, place),
                )
            return found.reduce_or()
    return False


def _any_of_few_critical[code: Int](a: Int, divisors: Int, n: Int) -> Bool:
    for k in range(n):
        var x = load[DTYPES[code], 1](a, k)
        if critical(x, load[DTYPES[code], 1](divisors, k))[0]:
            return True
    return False


def number(dtype: Int, address: Int, k: Int) -> Float64:
    """An element that is no complex number."""
    comptime for code in range(DTYPE_COUNT):
        if dtype == code:
            return load[DTYPES[code], 1](address, k)[0].cast[DType.float64]()
    return 0


def _sort(dtype: Int, address: Int, k: Int) -> Int:
    if dtype >= COMPLEX64:
        var re = _sort(part_of(dtype), address, 2 * k)
        var im = _sort(part_of(dtype), address, 2 * k + 1)
        return (re | im) & (_NAN | _INF) | (re & im) & (_ZERO | _SMALL)
    var x = number(dtype, address, k)
    if isnan(x):
        return _NAN
    if isinf(x):
        return _INF
    if x == 0:
        return _ZERO | _SMALL
    return _SMALL if abs(x) < _least(dtype) else 0


def _least(dtype: Int) -> Float64:
    """The least normal number of a dtype."""
    if dtype == FIRST_FLOAT:
        return 6.103515625e-05
    if dtype == FIRST_FLOAT + 3:
        return 2.2250738585072014e-308
    return 1.1754943508222875e-38


def look(
    operation: Int,
    dtype: Int,
    result: Int,
    a: Int,
    b: Int,
    out_: Int,
    n: Int,
    place: Int,
    mut findings: Findings,
):
    """Looks at `n` results of a step, given the addresses of its operands and of theirs."""
    if operation == CONVERT:
        _look_at_casts(dtype, result, a, out_, n, place, findings)
    elif dtype >= FIRST_FLOAT:
        # what has three operands, of which one may be bytes, and functions of users never warn
        var arity = facts_of(operation).arity()
        if result < FIRST_FLOAT or not 1 <= arity <= 2:
            return
        var second = b if arity == 2 else 0
        # the number that nextafter goes towards says nothing of the result
        var minded = _NAN if operation == _NEXTAFTER else _ALL
        if operation == _SPACING and dtype == FIRST_FLOAT:
            minded = ~_NAN  # of which NumPy tells in half precision
        _look_at_floats(
            dtype, result, a, second, minded, out_, n, place, findings
        )
    elif is_division(operation, dtype):
        _look_at_divisors(operation, dtype, a, b, n, place, findings)


def _look_at_floats(
    dtype: Int,
    result: Int,
    a: Int,
    b: Int,
    minded: Int,
    out_: Int,
    n: Int,
    place: Int,
    mut findings: Findings,
):
    """Looks at floats; of the last operands only what is minded counts."""
    var tiny = findings.watched & UNDERFLOW != 0
    var size = itemsize(dtype)
    for k in range(n):
        var made = _sort(result, out_, k)
        if made & (_NAN | _INF) == 0 and not (tiny and made & _SMALL != 0):
            continue
        var given = _sort(dtype, a, k)
        if b == 0:
            given &= minded
        else:
            given |= _sort(dtype, b, k) & minded
        if given & _NAN != 0:
            continue
        var kind: Int
        if made & _NAN != 0:
            kind = UNDEFINED
        elif given & _INF != 0:
            continue
        elif made & _INF != 0:
            kind = INFINITE_AT_ZERO if given & _ZERO != 0 else INFINITE
        elif given & _ZERO != 0:
            continue
        else:
            kind = TINY
        if not findings.has(place, kind):
            var other = b + k * size if b != 0 else 0
            findings.add(place, kind, a + k * size, other, size)


def _look_at_casts(
    dtype: Int,
    result: Int,
    a: Int,
    out_: Int,
    n: Int,
    place: Int,
    mut findings: Findings,
):
    if result == 0 or (dtype < FIRST_FLOAT and result != FIRST_FLOAT):
        return
    if result >= FIRST_FLOAT and (result >= COMPLEX64 or dtype < COMPLEX64):
        _look_at_floats(dtype, result, a, 0, _ALL, out_, n, place, findings)
        return
    var part = part_of(dtype) if dtype >= COMPLEX64 else dtype
    var high, low = limits(result)
    var size = itemsize(dtype)
    for k in range(n):
        var x = number(part, a + k * size, 0)
        var kind: Int
        if result >= FIRST_FLOAT:
            if isnan(x) or isinf(x) or _sort(result, out_, k) & _INF == 0:
                continue
            kind = INFINITE
        elif isnan(x):
            kind = UNDEFINED
        elif x >= high:
            kind = INFINITE
        elif x <= low:
            kind = INFINITE_AT_ZERO
        else:
            continue
        if not findings.has(place, kind):
            findings.add(place, kind, a + k * size, 0, size)


def _look_at_divisors(
    operation: Int,
    dtype: Int,
    a: Int,
    b: Int,
    n: Int,
    place: Int,
    mut findings: Findings,
):
    var size = itemsize(dtype)
    var alone = operation == _RECIPROCAL
    var least = -(Float64(2) ** Float64(8 * size - 1))
    for k in range(n):
        var divisor = number(dtype, a if alone else b, k)
        var kind: Int
        if divisor == 0:
            kind = UNDEFINED
        elif divisor == -1 and not alone and number(dtype, a, k) == least:
            kind = INFINITE
        else:
            continue
        if not findings.has(place, kind):
            var other = 0 if alone else b + k * size
            findings.add(place, kind, a + k * size, other, size)


def flags_of_results(dtype: Int, address: Int, n: Int) -> Int:
    """The processor's flags that results of a reduction can come from: nan of invalid values."""
    if dtype < FIRST_FLOAT:
        return 0
    var all = UNDERFLOW
    for k in range(n):
        var made = _sort(dtype, address, k)
        if made & _NAN != 0:
            return all | INVALID | OVERFLOW
        if made & _INF != 0:
            all |= OVERFLOW
    return all


def flags_of_kernel(operands: List[Operand]) -> Int:
    """The same of all elements of a kernel's result, its first operand; none if they do not lie one
    after another."""
    ref result = operands[0]
    var size = 1
    for d in reversed(range(result.rank)):
        if result.size(d) != 1 and result.stride(d) != size * itemsize(
            result.dtype
        ):
            return 0
        size *= result.size(d)
    var all = flags_of_results(result.dtype, result.address, size)
    # half precision is converted, which raises flags for nan on some processors
    if all & INVALID != 0 and result.is_half():
        for k in range(1, len(operands)):
            if _has_nan(operands[k]):
                return UNDERFLOW
    return all


def _has_nan(operand: Operand, axis: Int = 0, start: Int = 0) -> Bool:
    if operand.dtype < FIRST_FLOAT:
        return False
    if axis == operand.rank:
        return _sort(operand.dtype, operand.address + start, 0) & _NAN != 0
    for k in range(operand.size(axis)):
        if _has_nan(operand, axis + 1, start + k * operand.stride(axis)):
            return True
    return False


# -- scalars


def look_at_scalar(
    operation: Int,
    dtype: Int,
    result: Int,
    a: Int,
    b: Int,
    out_: Int,
    place: Int,
    mut findings: Findings,
):
    """The same of an operator on scalars, of which integers can overflow."""
    if FIRST_INTEGER <= dtype < FIRST_FLOAT:
        if is_division(operation, dtype):
            _look_at_divisors(operation, dtype, a, b, 1, place, findings)
        elif findings.watched & OVERFLOW != 0 and may_overflow(
            operation, dtype, a, b
        ):
            var other = b if facts_of(operation).arity() == 2 else 0
            findings.add(place, INFINITE, a, other, itemsize(dtype))
        return
    look(operation, dtype, result, a, b, out_, 1, place, findings)


@always_inline
def is_critical(
    operation: Int, dtype: Int, result: Int, a: Int, b: Int, out_: Int
) -> Bool:
    """Whether the only result of a step on scalars is worth a look."""
    if dtype >= FIRST_FLOAT:
        if result >= COMPLEX64:
            var part = part_of(result)
            return _is_special(part, out_, 0) or _is_special(part, out_, 1)
        return result >= FIRST_FLOAT and _is_special(result, out_, 0)
    if is_division(operation, dtype):
        var divisor = number(dtype, a if operation == _RECIPROCAL else b, 0)
        return divisor == 0 or divisor == -1
    return may_overflow(operation, dtype, a, b)


@always_inline
def _is_special(dtype: Int, address: Int, k: Int) -> Bool:
    """Whether a float is infinite or nan, or in half precision."""
    if dtype == FLOAT64:
        return load[DType.uint64, 1](address, k)[0] << 1 >= 0x7FF << 53
    if dtype == FLOAT32:
        return load[DType.uint32, 1](address, k)[0] << 1 >= 0xFF << 24
    return True


comptime _EXACT = Float64(1 << 53)
"""Up to this floats have all integers."""


def may_overflow(operation: Int, dtype: Int, a: Int, b: Int) -> Bool:
    """Whether an integer that an operator gives is near the bounds of its dtype, or beyond."""
    var x = number(dtype, a, 0)
    var y = number(dtype, b if b != 0 else a, 0)
    var bits = 8 * itemsize(dtype)
    var signed = SIGNED >> dtype & 1
    var high = Float64(2) ** Float64(bits - signed)
    var low = -high if signed == 1 else Float64(0)
    var exact: Float64
    if operation == _ADD:
        exact = x + y
    elif operation == _SUB:
        exact = x - y
    elif operation == _MUL:
        exact = x * y
    elif operation == _SQUARE:
        exact = x * x
    elif operation == _NEG:
        exact = -x
    elif operation == _ABS:
        exact = abs(x)
    elif operation == _POW:
        return abs(x) > 1 and y > 1
    else:
        return False
    if exact == low:  # large numbers may differ though these do not
        return signed == 1 or abs(x) >= _EXACT
    return exact >= high or exact < low
