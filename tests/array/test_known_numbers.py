"""Operators on known scalars and numbers: NumPy's values, dtypes, errors and warnings."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy
import pytest

import jujunp

BINARY = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, divmod, operator.lt, operator.le, operator.eq, operator.ne, operator.gt),
    operator.ge,
]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
UNARY = [operator.neg, operator.pos, abs, hash, operator.invert]
FLOATS = [
    *(0.0, -0.0, 1.5, -2.25, 1e308, -1e308, 5e-324, 2.3e-308, 1e-200, 2.0**53, 3e38, numpy.inf),
    *(-numpy.inf, numpy.nan, 7.0),
]
INTEGERS = [
    0,
    1,
    -1,
    3,
    -7,
    2**31,
    -(2**31),
    2**53,
    2**53 + 1,
    -(2**53),
    2**62,
    2**63 - 1,
    -(2**63),
]
SMALL = [0, 1, 3, 100, 127]
WHOLE = [*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "bool"]
NARROW = ["int8", "uint8", "int16", "uint32", "bool", "float32", "float16", "uint64"]


def outcome(function: Any, x: Any, y: Any) -> Any:
    """Return the results of a function with their dtypes, or its error, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(x, y) if y is not None else function(x)
        except Exception as error:
            return type(error)
        results = found if isinstance(found, tuple) else (found,)
        read = [(numpy.asarray(one).dtype, repr(numpy.asarray(one)[()])) for one in results]
    texts = [str(one.message) for one in caught]
    if function is divmod:  # two steps, told of apart where only one of them was seen before
        texts = list(set(texts))
    return read, sorted(texts)


def _has_other_quotient(function: Any, x: Any, y: Any) -> bool:
    """Whether a quotient is rounded down as the Array API has it: of infinite numbers."""
    return function in (operator.floordiv, divmod) and numpy.inf in (abs(x), abs(y))


def check(function: Any, x: Any, y: Any, kinds: tuple[str, str]) -> None:
    """Compare a function of two numbers: each a scalar of a dtype, or Python's or NumPy's own."""
    outcomes = []
    for library in (numpy, jujunp):
        given = [_number(library, *one) for one in zip((x, y), kinds, strict=True)]
        outcomes.append(outcome(function, *given))
    if (kinds[0] != kinds[1] or "bool" in kinds) and isinstance(outcomes[0], tuple):
        # NumPy calls an operator on scalars of two dtypes so if it computes in one of them
        for _, texts in outcomes:
            texts[:] = [text.replace("scalar ", "") for text in texts]
    assert outcomes[0] == outcomes[1], (function, x, y, kinds)


def _number(library: Any, number: Any, kind: str) -> Any:
    if kind == "python":
        return number
    if kind.startswith("numpy "):
        return numpy.array([number], kind.removeprefix("numpy "))[0]
    return library.array([number], kind)[0]


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("kinds", [("float64",) * 2, ("float64", "python"), ("python", "float64")])
def test_floats(function: Any, kinds: tuple[str, str]) -> None:
    for x in FLOATS:
        for y in FLOATS:
            if not _has_other_quotient(function, x, y):
                check(function, x, y, kinds)


@pytest.mark.parametrize("function", [*BINARY, operator.pow])
@pytest.mark.parametrize("kinds", [("int64",) * 2, ("int64", "python"), ("python", "int64")])
def test_integers(function: Any, kinds: tuple[str, str]) -> None:
    for x in INTEGERS:
        for y in INTEGERS:
            check(function, x, y, kinds)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("kinds", [("float64", "int64"), ("int64", "float64")])
def test_floats_and_integers(function: Any, kinds: tuple[str, str]) -> None:
    for x in FLOATS:
        for y in INTEGERS:
            if _has_other_quotient(function, x, y) or _has_other_quotient(function, y, x):
                continue
            numbers = (x, y) if kinds[0] == "float64" else (y, x)
            check(function, *numbers, kinds)
            check(function, *numbers, tuple("python" if k == "int64" else k for k in kinds))
            check(function, *numbers, tuple("python" if k == "float64" else k for k in kinds))


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("narrow", NARROW)
def test_narrow_numbers(function: Any, narrow: str) -> None:
    for x in SMALL:
        for y in SMALL:
            for other in ("python", "int64", "float64", narrow, "int8"):
                if (narrow == "bool") != (other == "bool") and x + y > 127:
                    continue  # of truth values and int8 NumPy warns in one order only
                check(function, x, y, (narrow, other))
                check(function, x, y, (other, narrow))


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("ours", ["float64", "int64", "int8", "float32"])
@pytest.mark.parametrize("theirs", ["numpy float64", "numpy int64", "numpy int8", "numpy float32"])
def test_scalars_of_numpy(function: Any, ours: str, theirs: str) -> None:
    wide = ours == "float64" and theirs == "numpy float64"
    numbers = FLOATS if wide else [2**40, 0, -3, 7] if {ours, theirs} <= _WHOLE else SMALL
    for x in numbers:
        for y in numbers:
            if not _has_other_quotient(function, x, y):
                check(function, x, y, (ours, theirs))


_WHOLE = {"int64", "numpy int64"}


UFUNCS = [
    *("add", "multiply", "floor_divide", "power", "maximum", "hypot", "copysign", "ldexp", "less"),
    *("not_equal", "logical_and", "bitwise_xor", "left_shift", "fmod", "gcd", "nextafter"),
]


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("kind", [*WHOLE, "float16", "float32", "float64"])
def test_ufuncs_of_scalars(name: str, kind: str) -> None:
    with jujunp.errstate(all="ignore"), numpy.errstate(all="ignore"):
        for other in (*WHOLE, "float16", "float32", "float64"):
            for x, y in ((3, 1), (1, 0), (100, 7), (100, 100), (3, -2)):
                given = numpy.array([x]).astype(kind)[0], numpy.array([y]).astype(other)[0]
                ours = tuple(jujunp.array([one], one.dtype)[0] for one in given)
                expected = outcome(getattr(numpy, name), *given)
                for mine in (
                    ours,
                    (given[0], ours[1]),
                    ours,
                ):  # what the first learns serves the last
                    found = outcome(getattr(jujunp, name), *mine)
                    assert found == expected, (x, y, other)


def test_there_is_one_true_and_one_false_scalar() -> None:
    x = jujunp.arange(4)
    assert (x[0] < x[1]) is (x[1] < x[2])
    assert (x[0] > x[1]) is (x[0] == 7)
    assert (x[0] < x[1]) is not (x[0] > x[1])
    truth = x[0] < x[1]
    truth |= x[0] > x[1]
    truth ^= True
    assert (bool(truth), bool(x[0] < x[1]), bool(x[1] < x[0])) == (False, True, False)


@pytest.mark.parametrize("exponent", [2, 2.0, 3, 0, -1])
def test_powers_of_floats(exponent: float) -> None:
    with jujunp.errstate(all="ignore"), numpy.errstate(all="ignore"):
        for x in FLOATS:
            check(operator.pow, x, exponent, ("float64", "python"))


def test_a_chain_that_begins_with_a_scalar_of_numpy_is_known() -> None:
    flags = jujunp.array([200, 7], "uint8")
    with jujunp.errstate(over="ignore"):
        for _ in range(2):  # the first one learns
            found = numpy.uint32(2166136261)
            jujunp.flush()
            for k in range(20):
                found = (found ^ flags[k % 2]) * numpy.uint32(16777619)
            pending = jujunp.stats()["pending"]
    assert pending == 0
    assert found.dtype == numpy.uint32


@pytest.mark.parametrize("combine", [operator.add, operator.mul, operator.sub, operator.truediv])
def test_a_chain_of_pending_scalars_is_computed(combine: Any) -> None:
    ours, theirs = jujunp.arange(1.0, 40.0), numpy.arange(1.0, 40.0)
    for _ in range(40):  # until such calls are learnt
        combine(ours.sum(), 1.25)
    jujunp.flush()
    for _ in range(3):
        found, wanted = ours.sum() - 1.5, theirs.sum() - 1.5
        for k in range(30):
            found, wanted = combine(found, 1.25), combine(wanted, 1.25)
            found, wanted = combine(ours[k], found), combine(theirs[k], wanted)
            assert jujunp.stats()["pending"] < 8
        assert found.tobytes() == wanted.tobytes()


def test_a_chain_of_pending_scalars_warns_where_it_is_made() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = jujunp.ones(3).sum() * 1e300
        for _ in range(9):
            found = found * 1e10
        jujunp.flush()
    assert [str(each.message) for each in caught] == ["overflow encountered in scalar multiply"]
    assert caught[0].filename == __file__


def test_a_chain_of_scalars_waits_where_steps_are_looked_at() -> None:
    with jujunp.deferred_errors():
        found = jujunp.ones(3).sum()
        for _ in range(20):
            found = found + 1.0
        pending = jujunp.stats()["pending"]
    assert pending >= 20
    assert found == 23.0


def _at_bounds(kind: str) -> list[int]:
    """Return what is worth a test of a dtype of integers, of bool, or of Python's numbers."""
    if kind == "python":
        return [0, 1, -1, 7, 40, 200, 2**31]
    if kind.endswith("bool"):
        return [0, 1]
    limits = numpy.iinfo(kind.removeprefix("numpy "))
    return [0, 1, 3, 7, int(limits.min), int(limits.max), int(limits.max) // 2 + 2]


@pytest.mark.parametrize("function", [*BINARY, *BITWISE, operator.pow])
@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("mode", ["warn", "ignore"])
def test_bounds_of_integers(function: Any, kind: str, mode: Any) -> None:
    with jujunp.errstate(all=mode):
        for other in (*WHOLE, "python", "numpy uint8", "numpy int32", "numpy uint64"):
            orders = (
                [(kind, other)] if other.startswith("numpy") else [(kind, other), (other, kind)]
            )
            for first, second in orders:
                if mode == "warn" and first == "bool" != second:
                    continue  # NumPy warns if the truth value is the second operand alone
                for x in _at_bounds(first):
                    for y in _at_bounds(second):
                        if function is not operator.pow or y >= 0:
                            check(function, x, y, (first, second))


def test_numbers_that_do_not_fit() -> None:
    for function in (*BINARY, *BITWISE):
        for y in (300, -1, 2**70, -(2**70)):
            for kind in ("int8", "uint8", "int64", "uint64"):
                check(function, 5, y, (kind, "python"))
                check(function, y, 5, ("python", kind))


@pytest.mark.parametrize("function", UNARY)
def test_of_one_number(function: Any) -> None:
    bounds = [(kind, _at_bounds(kind)) for kind in WHOLE]
    small = [(kind, SMALL) for kind in NARROW]
    for kind, numbers in [("float64", FLOATS), ("int64", INTEGERS), *small, *bounds]:
        for x in numbers:
            if function is hash and x != x:
                continue
            both = [outcome(function, lib.array([x], kind)[0], None) for lib in (numpy, jujunp)]
            assert both[0] == both[1], (kind, x)


def test_hashes_of_nan_are_those_of_the_object() -> None:
    x = jujunp.array([numpy.nan])[0]
    assert {x: 1}[x] == 1


def test_errors_are_raised_where_asked_for() -> None:
    x = jujunp.array([1e308, 0.0])
    with jujunp.errstate(all="raise"):
        for function in (operator.add, operator.mul):
            with pytest.raises(FloatingPointError):
                function(x[0], x[0])
        with pytest.raises(FloatingPointError):
            x[0] / x[1]
    with jujunp.errstate(under="raise"), pytest.raises(FloatingPointError):
        jujunp.array([1e-200])[0] * 1e-200


def test_scalars_that_are_used_again_keep_their_dtypes() -> None:
    x, flags = jujunp.array([1.5, 2.5]), jujunp.array([True, False])
    small = jujunp.array([7], "int8")
    for k in range(50):
        kept = [x[k % 2], flags[k % 2], small[0], x[0] < 2, x[1] * 2, -x[0]]
        names = [numpy.asarray(one).dtype.name for one in kept]
        assert names == ["float64", "bool", "int8", "bool", "float64", "float64"]
        assert [one.item() for one in kept[2:]] == [7, True, 5.0, -1.5]


LARGE = [0, 7, 2**31, 2**32 + 5, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]


@pytest.mark.parametrize("function", [*BINARY, *BITWISE])
@pytest.mark.parametrize("mode", ["warn", "ignore"])
def test_integers_of_64_bits_without_a_sign(function: Any, mode: Any) -> None:
    others: dict[str, list[Any]] = {
        **{"uint64": LARGE, "numpy uint64": LARGE, "uint8": [0, 1, 200], "float64": [1.5, 1e19]},
        **{"python": [0, 5, -1, 2**63 - 1], "int64": [0, -7, 2**62]},
    }
    with jujunp.errstate(all=mode), numpy.errstate(all=mode):
        for kind, numbers in others.items():
            for x in LARGE:
                for y in numbers:
                    if function is operator.lshift and kind == "python" and y > 64:
                        continue
                    check(function, x, y, ("uint64", kind))
                    if kind != "numpy uint64":
                        check(function, y, x, (kind, "uint64"))


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("name", [*WHOLE, "float32", "float64", "intp", "bool_"])
def test_types_of_numpy_take_scalars(kind: str, name: str) -> None:
    """`numpy.uint64(x)` of an integer that is known, and of a pending one."""
    for number in _at_bounds(kind):
        theirs, ours = (library.array([number], kind) for library in (numpy, jujunp))
        wanted = getattr(numpy, name)(theirs[0])
        for given in (ours[0], (ours | ours)[0]):
            found = getattr(jujunp, name)(given)
            assert type(found) is type(wanted)
            assert found == wanted


def test_arrays_of_scalars_are_numpys_own() -> None:
    x: Any = jujunp.array([200], "uint8")[0]
    for dtype in ("int64", "uint64", "float64", "bool", "float32", "complex128"):
        found = x.__array__(numpy.dtype(dtype))
        assert (found.dtype, found.shape) == (numpy.dtype(dtype), ())
        assert found.flags.writeable
        assert found.flags.owndata
        found[()] = 1
        assert x == 200


COMPLEX_NUMBERS = [0, 1 + 2j, -0.5j, 3e30, complex("inf")]


@pytest.mark.parametrize("function", [*BINARY[:4], operator.eq, operator.ne])
@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_complex_numbers(function: Any, kind: str) -> None:
    wide = ["python", "complex128"]
    others = {
        **{number: [*wide, "complex64"] for number in COMPLEX_NUMBERS[:4]},
        **dict.fromkeys(COMPLEX_NUMBERS[4:], wide),
        2: [*wide, "complex64", "float64", "float32", "int64"],
        -7.5: [*wide, "complex64", "float64", "float32"],
    }
    for x in COMPLEX_NUMBERS[:4]:
        for y, kinds in others.items():
            for other in kinds:
                check(function, x, y, (kind, other))
                check(function, y, x, (other, kind))


@pytest.mark.parametrize("kind", ["complex64", "complex128", "float32", "int16", "bool"])
@pytest.mark.parametrize(
    "part", [lambda z: z.real, lambda z: z.imag, complex, lambda z: z.real + 1]
)
def test_parts_of_scalars(kind: str, part: Any) -> None:
    theirs = numpy.array([1, 0, 1]).astype(kind) * numpy.array(1 + 2j if "c" in kind else 1, kind)
    for ours in (jujunp.asarray(theirs.copy()), jujunp.asarray(theirs) * theirs.dtype.type(1)):
        for k in range(3):
            assert outcome(part, ours[k], None) == outcome(part, theirs[k], None)
    z = jujunp.array([1 + 2j])
    real = z[0].real
    z[0] = 5
    assert real == 1.0


@pytest.mark.parametrize("function", BINARY)
def test_numbers_beside_float32_are_rounded_to_it(function: Any) -> None:
    for x in (0.1, 1 / 3, 2.0**24, 16777217.0, 3.0):
        for y in (0.1, 1 / 3, 16777217, 16777216, 2**53 + 1, 0.30000001, -7):
            for other in ("python", "float64", "float32", "numpy float32"):
                check(function, x, y, ("float32", other))
                check(function, y, x, (other, "float32"))
