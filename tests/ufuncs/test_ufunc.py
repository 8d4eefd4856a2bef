"""Every ufunc against NumPy: dtypes, values, arguments, operators and errors."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import jujunp as jj
from jujunp._ufuncs import table
from jujunp._ufuncs.table import COMPARISONS
from jujunp._ufuncs.ufunc import UFUNCS
from jujunp.lazy.values.dtypes import CODES, SUPPORTED
from tests.support import operations
from tests.support.differential import (
    DTYPES,
    FLOATS,
    INTEGERS,
    check,
    check_error,
    compare,
    floor_divide,
    settled,
)

PYTHON = (True, 3, 2.5, 1.5 - 2j)
COMPLEX = (0.5 + 2j, -1.5, 2.5j, 3 - 4j, -0.25 - 0.5j, 1, 1e-3 + 7j, 2, 1 + 1j)
"""Special complex numbers, where NumPy's functions follow no standard, are tests of the kernels."""
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e10, np.inf, -np.inf, np.nan, 1e-3, 7.25)
ULP = 4
"""Units in the last place by which a function of floats may differ from NumPy's."""
ROWS = table.UNARY | table.BINARY
EXACT = frozenset(name for name, row in ROWS.items() if row.primitive not in operations.ULP)
"""Ufuncs whose results for floats are NumPy's to the last bit."""


OTHER_SIGNS = frozenset(
    name
    for name, row in ROWS.items()
    if row.primitive in operations.EXACT and not operations.EXACT[row.primitive].zero_signs
)
"""Ufuncs that give other zeros where NumPy has code for half."""


def values(dtype, shift=0):
    """Return elements of a dtype, special ones among them."""
    if dtype == "bool":
        return np.roll(np.array([True, False, True, True, False, False]), shift)
    if dtype in (*FLOATS, "float16"):
        with np.errstate(over="ignore"):
            return np.roll(np.array(SPECIAL, dtype), shift)
    if dtype.startswith("complex"):
        return np.roll(np.array(COMPLEX, dtype), shift)
    info = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 5, 7, 100, info.max, info.max - 1, info.min, info.min + 1]
    numbers += [] if info.min == 0 else [-1, -2, -3, -100]
    return np.roll(np.array(numbers, dtype), shift)


def supported(result):
    """Return whether jujunp has the dtype of NumPy's result."""
    return CODES.get(np.asarray(result).dtype) in SUPPORTED


def agree(name, found, wanted):
    """Assert that results are equal, for inexact functions of floats within some ulp."""
    found, wanted = settled(found), np.asarray(wanted)[()]
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    if wanted.dtype.kind == "c":
        # parts may be off by ulps of the larger one
        with np.errstate(all="ignore"):
            error = np.abs(found - wanted) / np.maximum(np.abs(wanted), 1e-3)
        number = np.isfinite(wanted)
        ulps = 10_000 if "power" in name else 8  # NumPy's powers are that far off
        np.testing.assert_array_equal(np.isfinite(found), number)
        assert np.all(error[number] <= ulps * np.finfo(wanted.dtype).eps)
    elif name in EXACT or wanted.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
    else:
        tiny = np.finfo(wanted.dtype).tiny
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                found, wanted, ULP * np.finfo(wanted.dtype).eps, 4 * tiny, strict=True
            )
    if wanted.dtype.kind == "f" and not (wanted.dtype == np.float16 and name in OTHER_SIGNS):
        number = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[number], np.signbit(wanted)[number])


ORACLES = {"floor_divide": floor_divide}


def differential(name, *operands):
    """Call a ufunc with NumPy's operands and with ours made of them."""
    theirs = ORACLES.get(name, getattr(np, name))
    ours = UFUNCS[name]
    mine = [jj.asarray(x) if isinstance(x, np.ndarray) else x for x in operands]
    with np.errstate(all="ignore"):
        try:
            wanted = theirs(*operands)
        except Exception as error:
            with pytest.raises(type(error)):
                settled(ours(*mine))
            return
    if supported(wanted):
        agree(name, ours(*mine), wanted)
    else:
        with pytest.raises(TypeError, match="not supported"):
            ours(*mine)


LIMITS = (127, 128, 255, 256, -1, -128, -129, 2**31, 2**63, 2**64, -(2**70))
"""Python integers around the limits of the dtypes."""

UNARY = sorted(name for name, function in UFUNCS.items() if function.nin == 1)
BINARY = sorted(name for name, function in UFUNCS.items() if function.nin == 2)


def test_the_ufuncs_are_public_and_described():
    for name, function in UFUNCS.items():
        assert getattr(jj, name) is function
        theirs = getattr(np, name)
        assert (function.nin, function.nout, function.nargs) == (
            theirs.nin,
            theirs.nout,
            theirs.nargs,
        )
        assert function.identity == theirs.identity
        assert repr(function) == repr(theirs)
        assert function.__doc__


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    differential(name, values(dtype))
    differential(name, values(dtype)[::-2])
    differential(name, values(dtype)[1])


@pytest.mark.parametrize("number", PYTHON)
@pytest.mark.parametrize("name", UNARY)
def test_unary_of_numbers(name, number):
    differential(name, number)


@pytest.mark.parametrize("name", BINARY)
def test_binary_of_all_pairs_of_dtypes(name):
    for first, second in itertools.product(DTYPES, DTYPES):
        a, b = values(first), values(second, 1)
        if name in ("left_shift", "right_shift", "power") and second in INTEGERS:
            b = np.abs(b) % (np.dtype(first).itemsize * 8 - 1)  # beyond, C leaves it open
            b = b.astype(second)
        if name == "ldexp":
            b = (b % 50 if second in INTEGERS else b).astype(second)
        differential(name, a[:, None], b[None, :])


@pytest.mark.parametrize("number", PYTHON)
@pytest.mark.parametrize("name", BINARY)
def test_binary_with_numbers(name, number):
    for dtype in DTYPES:
        differential(name, values(dtype), number)
        differential(name, number, np.abs(values(dtype)) if dtype != "bool" else values(dtype))


@pytest.mark.parametrize("name", BINARY)
def test_binary_of_two_numbers(name):
    for a, b in itertools.product(PYTHON, PYTHON):
        differential(name, a, b)


def test_numbers_adapt_to_arrays_of_numpy():
    array = np.zeros(2, "int8")
    assert jj.add(1, array).dtype == jj.add(array, 1).dtype == "int8"


@pytest.mark.parametrize("name", ["add", "power", "arctan2", "less", "maximum", "ldexp"])
def test_numpy_scalars_take_part_as_in_numpy(name):
    for dtype, scalar in itertools.product(DTYPES, ("int8", "uint64", "float32", "bool")):
        differential(name, values(dtype), np.dtype(scalar).type(1))
        differential(name, np.dtype(scalar).type(2), np.abs(values(dtype)[:3].astype(dtype)))


# -- values of integers


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers(dtype):
    base = values(dtype)
    for exponent in (0, 1, 2, 3, 5, 8, 63):
        check(lambda lib: lib.asarray(base) ** exponent)  # noqa: B023
        check(lambda lib: lib.asarray(base) ** lib.asarray(np.array([exponent], dtype)))  # noqa: B023
        check(lambda lib: exponent ** lib.asarray(np.array([0, 1, 5, 7], dtype)))  # noqa: B023


def test_negative_integer_powers():
    check(lambda lib: lib.asarray(np.array([1, 2])) ** -1)
    check(lambda lib: 2 ** lib.asarray(np.array([1, -2])))
    check(lambda lib: lib.asarray(np.array([1, 2])) ** lib.asarray(np.array([1, -2])))
    check(lambda lib: lib.asarray(np.array([1.0, 2])) ** -1)
    check(lambda lib: lib.asarray(np.array([1.0, 2])) ** lib.asarray(np.array([1, -2])))
    check(lambda lib: lib.asarray(np.array([1, 2], "uint8")) ** lib.asarray(np.array([1], "uint8")))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5, True, 10.0])
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_powers(dtype, exponent):
    base = np.array([0.0, -0.0, 1.5, 2.0, -3.0, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        agree("power", jj.asarray(base) ** exponent, base**exponent)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_by_zero_of_integers(dtype):
    a = values(dtype)
    for name in ("floor_divide", "remainder", "fmod", "divide"):
        differential(name, a, np.zeros((), dtype))
        differential(name, a, np.array([0, 1, 0, 2] * 4, dtype)[: len(a)])


# -- Python integers


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("number", LIMITS)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "bitwise_and", "floor_divide"])
def test_overflow_of_python_integers(name, number, dtype):
    differential(name, values(dtype), number)
    differential(name, number, np.array([1, 2], dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_huge_python_integers_with_floats(dtype):
    for number in (2**63, 2**64, -(2**70), 10**30, 10**400):
        differential("add", values(dtype), number)
        differential("less", values(dtype), number)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [*LIMITS, 2**63 - 1, -(2**63), -(2**80)])
@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_comparison_with_integers_out_of_range(name, number, dtype):
    if dtype == "bool" and not -(2**63) <= number < 2**63:
        pytest.skip("NumPy compares objects")
    differential(name, values(dtype), number)
    differential(name, number, values(dtype))


@pytest.mark.parametrize("compare_", [operator.eq, operator.lt, operator.ge])
def test_mixed_signs_are_compared_exactly(compare_):
    signed = np.array([-1, 0, 2**63 - 1, 5])
    unsigned = np.array([2**64 - 1, 0, 2**63, 5], "uint64")
    check(lambda lib: compare_(lib.asarray(signed)[:, None], lib.asarray(unsigned)))
    check(lambda lib: compare_(lib.asarray(unsigned)[:, None], lib.asarray(signed)))


# -- arguments


def arange(library, *shape, dtype="float64"):
    return library.asarray(np.arange(int(np.prod(shape))).reshape(shape).astype(dtype))


CALLS = {
    "out": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros(3)),
    "out positional": lambda lib: lib.add(arange(lib, 3), 1, lib.zeros(3)),
    "out tuple": lambda lib: lib.add(arange(lib, 3), 1, out=(lib.zeros(3),)),
    "out of another dtype": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros(3, "float32")),
    "out broadcast": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros((2, 3))),
    "out too small": lambda lib: lib.add(arange(lib, 2, 3), 1, out=lib.zeros(3)),
    "out of another shape": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros(4)),
    "out with extent one": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros(1)),
    "out not safe": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros(3, "int64")),
    "out unsafe": lambda lib: lib.add(
        arange(lib, 3), 0.75, out=lib.zeros(3, "int64"), casting="unsafe"
    ),
    "out of kind": lambda lib: lib.add(arange(lib, 3, dtype="int64"), 1, out=lib.zeros(3, "int8")),
    "out without a cast": lambda lib: lib.add(
        arange(lib, 3), 1, out=lib.zeros(3, "float32"), casting="no"
    ),
    "out of a comparison": lambda lib: lib.less(arange(lib, 3), 1, out=lib.zeros(3)),
    "out of a comparison in bool": lambda lib: lib.less(arange(lib, 3), 1, out=lib.zeros(3, bool)),
    "out a list": lambda lib: lib.add(arange(lib, 3), 1, out=[0, 0, 0]),
    "out a view": lambda lib: lib.add(arange(lib, 3), 1, out=lib.zeros((3, 3))[:, 1]),
    "where": lambda lib: lib.add(
        arange(lib, 4), 1, out=lib.ones(4), where=lib.asarray([True, False, True, False])
    ),
    "where broadcast": lambda lib: lib.multiply(
        arange(lib, 2, 4), 10, out=lib.ones((2, 4)), where=lib.asarray([True, False, True, False])
    ),
    "where column": lambda lib: lib.sqrt(
        arange(lib, 2, 4), out=lib.ones((2, 4)), where=lib.asarray([[True], [False]])
    ),
    "where list": lambda lib: lib.negative(arange(lib, 2), out=lib.ones(2), where=[True, False]),
    "where False": lambda lib: lib.negative(arange(lib, 2), out=lib.ones(2), where=False),
    "where not bool": lambda lib: lib.negative(arange(lib, 2), out=lib.ones(2), where=[1, 0]),
    "where too long": lambda lib: lib.negative(
        arange(lib, 2), out=lib.ones(2), where=[True, False, True]
    ),
    "where a comparison": lambda lib: lib.divide(
        1, arange(lib, 4), out=lib.zeros(4), where=arange(lib, 4) != 0
    ),
    "dtype": lambda lib: lib.add(arange(lib, 3, dtype="int8"), 1, dtype="float32"),
    "dtype wider": lambda lib: lib.multiply(
        arange(lib, 3, dtype="int8"), lib.asarray(np.array([100], "int8")), dtype="int64"
    ),
    "dtype of a function": lambda lib: lib.sqrt(arange(lib, 3, dtype="int8"), dtype="float64"),
    "dtype not safe": lambda lib: lib.add(arange(lib, 3), 1, dtype="int64"),
    "dtype unsafe": lambda lib: lib.add(arange(lib, 3), 1.5, dtype="int64", casting="unsafe"),
    "dtype without a loop": lambda lib: lib.sqrt(arange(lib, 3), dtype="int64"),
    "dtype and out": lambda lib: lib.add(
        arange(lib, 3), 1, dtype="float32", out=lib.zeros(3, "float64")
    ),
    "too few": lambda lib: lib.add(arange(lib, 3)),
    "too many": lambda lib: lib.add(arange(lib, 3), 1, lib.zeros(3), 4),
    "none": lambda lib: lib.sin(),
    "unknown": lambda lib: lib.sin(arange(lib, 3), nonsense=1),
    "casting of an operand": lambda lib: lib.add(arange(lib, 3, dtype="int8"), 1.5, casting="no"),
    "casting of a number": lambda lib: lib.add(arange(lib, 3, dtype="int8"), 1, casting="no"),
    "casting of dtypes": lambda lib: lib.add(
        arange(lib, 3, dtype="int8"), arange(lib, 3), casting="equiv"
    ),
    "dtype of a number": lambda lib: lib.minimum(arange(lib, 3, dtype="uint8"), 1, dtype="uint16"),
    "dtype too small": lambda lib: lib.add(arange(lib, 3, dtype="uint8"), 300, dtype="uint8"),
    "signature": lambda lib: lib.add(arange(lib, 3, dtype="int8"), 2, signature="dd->d"),
    "signature of dtypes": lambda lib: lib.add(
        arange(lib, 3, dtype="int8"), arange(lib, 3, dtype="int8"), signature=("f4", "f4", None)
    ),
    "signature without a loop": lambda lib: lib.add(arange(lib, 3), 1, signature="ll->d"),
    "signature and dtype": lambda lib: lib.add(
        arange(lib, 3), 1, signature="ff->f", dtype="float32"
    ),
    "dtype of a comparison": lambda lib: lib.less(arange(lib, 3), 1, dtype=bool),
    "truth of infinity": lambda lib: lib.logical_and(arange(lib, 3), float("inf")),
    "casting unknown": lambda lib: lib.add(arange(lib, 3), 1, casting="nonsense"),
    "shapes": lambda lib: lib.add(arange(lib, 3), arange(lib, 4)),
    "shapes of more axes": lambda lib: lib.add(arange(lib, 2, 3), arange(lib, 3, 2)),
    "lists": lambda lib: lib.add([1, 2], [3.0, 4.0]),
    "a list": lambda lib: lib.add(arange(lib, 2), [1, 2]),
    "nested": lambda lib: lib.maximum([[1], [2]], arange(lib, 3)),
    "ragged": lambda lib: lib.add([[1], [2, 3]], arange(lib, 2)),
    "empty": lambda lib: lib.add(arange(lib, 0), 1),
    "empty axes": lambda lib: lib.add(arange(lib, 0, 3), arange(lib, 3)),
    "empty mismatch": lambda lib: lib.add(arange(lib, 0, 3), arange(lib, 2, 3)),
    "without axes": lambda lib: lib.add(lib.asarray(np.array(1.0)), 2),
    "out without axes": lambda lib: lib.add(1.0, 2, out=lib.zeros(())),
    "invert floats": lambda lib: lib.invert(arange(lib, 3)),
    "subtract bools": lambda lib: arange(lib, 3) > 1 - (arange(lib, 3) > 1),
    "negative bools": lambda lib: -(arange(lib, 3) > 1),
    "shift floats": lambda lib: arange(lib, 3) << 1,
    "and floats": lambda lib: arange(lib, 3) & 1,
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    check(CALLS[name])


ALIASED = {
    "out is an operand": lambda lib, x: lib.add(x, x, out=x),
    "out is a shifted operand": lambda lib, x: lib.add(x[1:], x[:-1], out=x[1:]),
    "out is the reverse": lambda lib, x: lib.add(x, 1, out=x[::-1]),
    "where is made of out": lambda lib, x: lib.negative(x, out=x, where=x > 4),
    "out is transposed": lambda lib, x: lib.add(
        x.reshape(3, 3), 1, out=x.reshape(3, 3).T, dtype="float64"
    ),
}


@pytest.mark.parametrize("name", ALIASED)
def test_out_that_overlaps(name):
    def program(library):
        x = arange(library, 9).copy()
        found = ALIASED[name](library, x)
        return x, found

    check(program)


def test_out_is_returned():
    x = jj.zeros(3)
    assert jj.add(x, 1, out=x) is x
    assert jj.add(x, 1, out=x, where=[True, False, True]) is x
    assert x.tolist() == [2, 1, 2]


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_memory_order_of_results(axes):
    def strides(library):
        x = arange(library, 2, 3, 4).transpose(axes)
        y = arange(library, *x.shape)
        return [
            tuple(r.strides)
            for r in (x + 1, x + x, -x, x + x[..., :1], library.sqrt(x), x < x, x[::-1] * 2, y + y)
        ]

    assert strides(jj) == strides(np)
    check(lambda lib: arange(lib, 2, 3, 4).transpose(axes) * arange(lib, 2, 3, 4).transpose(axes))


# -- operators

OPERATORS = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "/": (operator.truediv, operator.itruediv),
    "//": (operator.floordiv, operator.ifloordiv),
    "%": (operator.mod, operator.imod),
    "**": (operator.pow, operator.ipow),
    "&": (operator.and_, operator.iand),
    "|": (operator.or_, operator.ior),
    "^": (operator.xor, operator.ixor),
    "<<": (operator.lshift, operator.ilshift),
    ">>": (operator.rshift, operator.irshift),
}
SMALL = np.array([1, 2, 3, 0, 1, 5])


@pytest.mark.parametrize("name", OPERATORS)
def test_augmented_operators_of_all_dtypes(name):
    forward, update = OPERATORS[name]
    for first, second in itertools.product(DTYPES, DTYPES):

        def program(library, first=first, second=second):
            x = library.asarray(SMALL.astype(first)).copy()
            y = x
            x = update(x, library.asarray(SMALL[::-1].astype(second)))
            return x, y

        check(program, rtol=1e-6 if name == "**" else 0)
        check(
            lambda lib, first=first, second=second: forward(
                lib.asarray(SMALL.astype(first)), lib.asarray(SMALL[::-1].astype(second))
            ),
            rtol=1e-6 if name == "**" else 0,
        )


HUGE = {("**", "float32"), ("**", "complex64"), ("//", "float16"), ("%", "float16")}
"""Where a huge number overflows, and NumPy has nan or zeros that we have not."""


@pytest.mark.parametrize("number", [True, 2, -1, 1.5, 300, 2**40])
@pytest.mark.parametrize("name", OPERATORS)
def test_augmented_operators_with_numbers(name, number):
    forward, update = OPERATORS[name]
    if name in ("<<", ">>") and number not in (True, 2, 1.5):
        number = 3
    tolerance = 1e-6 if name == "**" else 0
    for dtype in DTYPES:
        if number == 2**40 and (name, dtype) in HUGE:
            continue
        start = SMALL.astype(dtype)
        check(lambda lib: update(lib.asarray(start).copy(), number), rtol=tolerance)  # noqa: B023
        check(lambda lib: forward(lib.asarray(start), number), rtol=tolerance)  # noqa: B023
        check(lambda lib: forward(number, lib.asarray(start)), rtol=tolerance)  # noqa: B023


def test_augmented_operators_with_shapes_that_grow():
    def program(library):
        x = arange(library, 3).copy()
        x += arange(library, 2, 3)

    check(program)

    def fits(library):
        x = arange(library, 2, 3).copy()
        x += arange(library, 3)
        x *= arange(library, 2, 1)
        x[0] -= library.asarray([[1.0, 2, 3]])[0]
        return x

    check(fits)


def test_a_refused_update_leaves_the_array():
    x = arange(jj, 3, dtype="int64").copy()
    for bad in (1.5, jj.ones(2), jj.ones((2, 3), "int64")):
        with pytest.raises((TypeError, ValueError)):
            x += bad
    compare(x.to_numpy(), np.arange(3))


@pytest.mark.parametrize("text", ["add(x, y)", "x + y", "x += y"])
def test_texts_of_broadcasting_errors(text):
    def message(library):
        names = {"x": library.zeros((2, 3)), "y": library.zeros(4), "add": library.add}
        with pytest.raises(ValueError, match="broadcast") as found:
            exec(text, names)
        return str(found.value).strip()

    assert message(jj) == message(np)


def test_texts_of_casting_errors():
    def messages(library):
        x = library.zeros(3, "int64")
        found = []
        for program in (
            lambda: library.add(x, 1.5, out=x),
            lambda: operator.iadd(x, 1.5),
            lambda: operator.itruediv(x, 2),
            lambda: library.add(x, 1, dtype="int8", casting="safe"),
            lambda: library.invert(library.zeros(2)),
            lambda: operator.sub(x > 0, x > 0),
            lambda: x + 2**70,
        ):
            with pytest.raises((TypeError, OverflowError)) as error:
                program()
            found.append((type(error.value), str(error.value)))
        return found

    assert messages(jj) == messages(np)


def test_large_arrays():
    rng = np.random.default_rng(0)
    a, b = rng.random((1000, 700)), rng.random(700).astype("float32")

    def program(library):
        x, y = library.asarray(a), library.asarray(b)
        return (x + y) * 2 - x.T[::-1].T, (x > y) & (x < 0.9), (x * 100).astype("int16") // 7

    check(program)


def test_subnormals_are_kept():
    for dtype in FLOATS:
        tiny = np.finfo(dtype).smallest_subnormal
        start = np.array([tiny, -tiny, tiny * 8, np.finfo(dtype).tiny], dtype)
        check(lambda lib: lib.asarray(start) / 2)  # noqa: B023
        check(lambda lib: lib.asarray(np.tile(start, 100_000)) * 3)  # noqa: B023


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_two_of_one_real_dtype_are_not_converted(name):
    def recorded(*arguments):
        return [str(eqn.primitive) for eqn in jj.jaxpr(getattr(jj, name)(*arguments)).eqns]

    given = {dtype: jj.asarray(np.arange(3, dtype=dtype)) for dtype in ("i8", "f4", "c16")}
    bools = given["i8"] > 1
    jj.flush(*given.values(), bools)
    assert recorded(given["i8"], given["i8"]) == recorded(given["f4"], given["f4"]) == [name]
    convert, on_bools = "convert_element_type", name.removeprefix("logical_")
    assert recorded(bools, bools) == [on_bools]
    for other in (given["f4"], given["c16"], 2):
        assert recorded(given["i8"], other).count(convert) >= 1
        assert recorded(given["i8"], other)[-1] == on_bools


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 0.0, 2.5])
def test_numbers_are_true_or_false(name, number):
    for x in (np.array([0.0, 1.0, np.nan]), np.array([True, False]), np.arange(3)):
        wanted = getattr(np, name)(x, number)
        np.testing.assert_array_equal(
            getattr(jj, name)(jj.asarray(x), number).to_numpy(), wanted, strict=True
        )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("exponent", [1, 2, 0.5, -1, 2.0, -1.0, 3.0])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_powers_by_numbers(dtype, exponent):
    given = [-3, -1, 0, 1, 2, 7] if dtype == "int64" else [-np.inf, -2.5, -0.0, 0.0, 3.0, np.nan]
    if dtype == "int64" and type(exponent) is int and exponent < 0:
        check_error(lambda xp: xp.power(xp.asarray(np.array(given, dtype)), exponent))
        return
    rtol = 2 * float(np.finfo("float32" if dtype == "float32" else "float64").eps)
    check(lambda xp: xp.power(xp.asarray(np.array(given, dtype)), exponent), rtol=rtol)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod"])
def test_quotients_of_long_integers(name):
    random = np.random.default_rng(0)
    ends = np.array([0, 1, -1, 7, 2**63 - 1, -(2**63), 2**53 + 1, 2**62, -(2**62) + 1])
    shifts = random.integers(0, 63, (2, 20_000))
    x, y = random.integers(-(2**63), 2**63 - 1, (2, 20_000)) >> shifts
    x, y = np.append(x, np.repeat(ends, len(ends))), np.append(y, np.tile(ends, len(ends)))
    check(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))
