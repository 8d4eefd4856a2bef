"""Writes coefficients.mojo: minimax polynomials and constants in several parts.

Run `python fit_coefficients.py > coefficients.mojo` after a change; it needs
mpmath. Each polynomial p minimises the largest |weight(x) * (f(x) - p(x))| on
an interval, by Remez' exchange; the weight makes that the error relative to
the whole function that the polynomial is a part of.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy
from mpmath import mp, mpf  # type: ignore[import-not-found, import-untyped, unused-ignore]

Function = Callable[[mpf], mpf]

TINY = mpf(10) ** -40  # stands for 0 where a quotient has a limit there
WORDS = 21  # 64-bit words of 2 / pi: 64 + 971 + 192 bits and a shift are read
ERFC_CENTRE = 3


class Fit(NamedTuple):
    """A polynomial: what it approximates, where, and to which degrees.

    Without a float32 degree it serves float32 results computed in float64.
    """

    name: str
    meaning: str
    function: Function
    weight: Function
    low: mpf
    high: mpf
    degree_f64: int
    degree_f32: int | None


def extrema(error: Function, low: mpf, high: mpf, count: int) -> tuple[list[mpf], mpf]:
    """`count` alternating extrema of an error function, and its largest value."""
    steps = 24 * count
    grid = [(low + high - (high - low) * mp.cos(mp.pi * i / steps)) / 2 for i in range(steps + 1)]
    values = [error(x) for x in grid]
    best: list[int] = []
    for i, value in enumerate(values):
        if best and (values[best[-1]] > 0) == (value > 0):
            if abs(value) > abs(values[best[-1]]):
                best[-1] = i
        else:
            best.append(i)
    while len(best) > count:
        best.pop(0 if abs(values[best[0]]) < abs(values[best[-1]]) else -1)
    return [grid[i] for i in best], max(abs(value) for value in values)


def minimax(fit: Fit, degree: int) -> list[mpf]:
    """The coefficients of the minimax polynomial, constant term first."""
    count = degree + 2
    low, high = fit.low, fit.high
    points = [
        (low + high - (high - low) * mp.cos(mp.pi * i / (count - 1))) / 2 for i in range(count)
    ]
    coefficients: list[mpf] = []
    for _ in range(12):
        matrix, values = mp.matrix(count, count), mp.matrix(count, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                matrix[i, j] = x**j
            matrix[i, degree + 1] = (-1) ** i / fit.weight(x)
            values[i] = fit.function(x)
        solution = mp.lu_solve(matrix, values)
        coefficients = [solution[j] for j in range(degree + 1)]
        levelled = abs(solution[degree + 1])

        def error(x: mpf, c: list[mpf] = coefficients) -> mpf:
            return fit.weight(x) * (fit.function(x) - mp.polyval(c[::-1], x))

        points, worst = extrema(error, low, high, count)
        if worst < levelled * mpf("1.001"):
            return coefficients
    raise ArithmeticError(f"the exchange for {fit.name} of degree {degree} did not settle")


def nonzero(function: Function) -> Function:
    """The function with its limit at 0."""
    return lambda x: function(x if abs(x) > TINY else TINY)


def of_root(function: Function) -> Function:
    """z -> function(sqrt(z)), with its limit at 0."""
    return lambda z: function(mp.sqrt(max(z, TINY)))


def power_weight(exponent: int) -> Function:
    """|x| ** exponent, but never 0."""
    return lambda x: max(abs(x), mpf(10) ** -20) ** exponent


def scaled_erfcx(t: mpf) -> mpf:
    """(1 + 2 x) exp(x**2) erfc(x) where t = (x - ERFC_CENTRE) / (x + ERFC_CENTRE)."""
    x = ERFC_CENTRE * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.erfc(x) * mp.exp(x * x)


def erfc_variable(x: float) -> mpf:
    """The variable of the polynomial for erfc."""
    return (mpf(x) - ERFC_CENTRE) / (mpf(x) + ERFC_CENTRE)


def fits() -> list[Fit]:
    """The table of polynomials. z is the square of the argument."""
    half_ln2 = mp.log(2) / 2 * mpf("1.001")
    log_z = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    trig_z = (mp.pi / 4) ** 2 * mpf("1.002")
    atan_z = mp.tan(mp.pi / 8) ** 2 * mpf("1.0001")
    zero, half = mpf(0), mpf(1) / 2
    return [
        Fit(
            "EXP",
            "exp(x) = 1 + x + x**2 p(x)",
            nonzero(lambda x: (mp.expm1(x) - x) / x**2),
            power_weight(2),
            -half_ln2,
            half_ln2,
            9,
            4,
        ),
        Fit(
            "EXP2",
            "2**x = 1 + x p(x)",
            nonzero(lambda x: mp.expm1(x * mp.log(2)) / x),
            power_weight(1),
            -half,
            half,
            10,
            5,
        ),
        Fit(
            "LOG",
            "atanh(s) = s + s z p(z) / 2",
            of_root(lambda s: 2 * (mp.atanh(s) / s - 1) / s**2),
            power_weight(1),
            zero,
            log_z,
            6,
            2,
        ),
        Fit(
            "LOG_TAIL",
            "atanh(s) = s + s z / 3 + s z**2 p(z)",
            of_root(lambda s: ((mp.atanh(s) / s - 1) / s**2 - mpf(1) / 3) / s**2),
            power_weight(2),
            zero,
            log_z,
            7,
            2,
        ),
        Fit(
            "SIN",
            "sin(x) = x + x z p(z)",
            of_root(lambda x: (mp.sin(x) / x - 1) / x**2),
            power_weight(1),
            zero,
            trig_z,
            5,
            2,
        ),
        Fit(
            "COS",
            "cos(x) = 1 - z / 2 + z**2 p(z)",
            of_root(lambda x: (mp.cos(x) - 1 + x**2 / 2) / x**4),
            power_weight(2),
            zero,
            trig_z,
            5,
            2,
        ),
        Fit(
            "TAN",
            "tan(x) = x + x z p(z)",
            of_root(lambda x: (mp.tan(x) / x - 1) / x**2),
            power_weight(1),
            zero,
            trig_z,
            13,
            6,
        ),
        Fit(
            "ASIN",
            "asin(x) = x + x z p(z)",
            of_root(lambda x: (mp.asin(x) / x - 1) / x**2),
            power_weight(1),
            zero,
            mpf(1) / 4,
            11,
            4,
        ),
        Fit(
            "ATAN",
            "atan(x) = x + x z p(z)",
            of_root(lambda x: (mp.atan(x) / x - 1) / x**2),
            power_weight(1),
            zero,
            atan_z,
            10,
            4,
        ),
        Fit(
            "INVERSE_CBRT",
            "x**(-1/3) = p(x)",
            lambda x: x ** (-mpf(1) / 3),
            lambda x: x ** (mpf(1) / 3),
            mpf(1),
            mpf(2),
            4,
            6,
        ),
        Fit(
            "SHORT_LOG2",
            "log2((1 + s) / (1 - s)) = s p(z)",
            of_root(lambda s: 2 * mp.atanh(s) / s / mp.log(2)),
            lambda z: mp.log(2) / 2,
            zero,
            log_z,
            4,
            None,
        ),
        Fit(
            "SHORT_EXP2",
            "2**x = p(x)",
            lambda x: mpf(2) ** x,
            power_weight(0),
            -half,
            half,
            6,
            None,
        ),
        Fit(
            "ERF",
            "erf(x) = x + x p(z)",
            of_root(lambda x: mp.erf(x) / x - 1),
            power_weight(0),
            zero,
            mpf("0.26"),
            8,
            4,
        ),
        Fit(
            "ERFC",
            "(1 + 2 x) exp(x**2) erfc(x) = p((x - 3) / (x + 3))",
            scaled_erfcx,
            power_weight(0),
            erfc_variable(0.49),
            erfc_variable(27.3),
            22,
            9,
        ),
    ]


def rounded(value: mpf, dtype: str) -> float:
    """The float64 or float32 nearest to `value`."""
    # float() rounds to 53 bits; a second rounding matters in exact ties only.
    return float(value) if dtype == "F64" else float(numpy.float32(float(value)))


def literal(value: float, dtype: str) -> str:
    """The shortest decimal that reads back as `value`."""
    return repr(value) if dtype == "F64" else repr(float(str(numpy.float32(value))))


def parts(value: mpf, count: int, dtype: str) -> list[float]:
    """`count` floats whose sum is `value`, each the nearest to what is left."""
    result = []
    for _ in range(count):
        result.append(rounded(value, dtype))
        value -= mpf(result[-1])
    return result


def array(name: str, values: list[str], element: str) -> str:
    """The Mojo definition of a compile-time array."""
    lines = "".join(f"    {value},\n" for value in values)
    return f"comptime {name}: Array[{element}, {len(values)}] = [\n{lines}]\n"


def constants() -> list[tuple[str, mpf, int]]:
    """Constants that are needed in several parts."""
    return [
        ("LN2", mp.log(2), 2),
        ("LOG2E", 1 / mp.log(2), 2),
        ("LOG10E", 1 / mp.log(10), 2),
        ("LOG10_2", mp.log(2) / mp.log(10), 2),
        ("HALF_PI", mp.pi / 2, 3),
        ("TWO_OVER_PI", 2 / mp.pi, 1),
        ("INVERSE_CBRT2", 1 / mp.cbrt(2), 1),
        ("INVERSE_CBRT4", 1 / mp.cbrt(4), 1),
        ("THIRD", mpf(1) / 3, 2),
    ]


def two_over_pi_words() -> list[str]:
    """The fraction bits of 2 / pi after one word of zeros, first bit first."""
    bits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * (WORDS - 1))))
    words = [bits >> (64 * i) & (2**64 - 1) for i in reversed(range(WORDS))]
    return [f"0x{word:X}" for word in words]


def main() -> None:
    """Prints the Mojo source."""
    mp.prec = 64 * WORDS + 100
    words = two_over_pi_words()
    mp.prec = 400
    print('"""Polynomials and constants. Written by fit_coefficients.py.')
    print()
    print("_F64 and _F32 are for float64 and float32; constants are in parts of")
    print('falling size, whose sum is the constant."""')
    for name, value, count in constants():
        print()
        for dtype in ("F64", "F32"):
            texts = [literal(part, dtype) for part in parts(value, count, dtype)]
            print(array(f"{name}_{dtype}", texts, "Float64"), end="")
    for fit in fits():
        print(f"\n# {fit.meaning}")
        for dtype, degree in (("F64", fit.degree_f64), ("F32", fit.degree_f32)):
            if degree is not None:
                texts = [literal(rounded(c, dtype), dtype) for c in minimax(fit, degree)]
                print(array(f"{fit.name}_{dtype}", texts, "Float64"), end="")
    print("\n# The bits of 2 / pi, after 64 bits before the point.")
    print(array("TWO_OVER_PI_WORDS", words, "UInt64"), end="")


if __name__ == "__main__":
    main()
