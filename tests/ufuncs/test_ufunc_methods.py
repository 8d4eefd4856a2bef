"""reduce, accumulate, reduceat and at of the ufuncs, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jujunp
from tests.support.differential import (
    DTYPES,
    FLOATS,
    check,
    check_error,
    positive,
    rounding,
    sample,
)

ARITHMETIC = ("add", "multiply", "maximum", "minimum")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")


def close(name, dtype):
    """Return how far a result may be off: float products differ from NumPy's in order."""
    if name not in ("add", "multiply"):
        return 0
    return 1e-4 if dtype in FLOATS else rounding(dtype)


@pytest.mark.parametrize("name", [*ARITHMETIC, *LOGICAL, *BITWISE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_reduce(dtype, name):
    data = positive((4, 5, 3), dtype)
    if data.dtype.kind in "fc":
        data /= 8  # products do not overflow
    mask = sample((4, 5, 3), "float64", 1) > 0
    rtol = close(name, dtype)

    def reduce(xp, x, **more):
        return getattr(xp, name).reduce(xp.asarray(x), **more)

    for axis in (0, 1, -1, None, (0, 1), ()):
        check(lambda xp, a=axis: reduce(xp, data, axis=a, keepdims=True), rtol=rtol)
        for initial in (1, 0):
            check(lambda xp, a=axis, i=initial: reduce(xp, data, axis=a, initial=i), rtol=rtol)
            check(
                lambda xp, a=axis, i=initial: reduce(xp, data, axis=a, initial=i, where=mask),
                rtol=rtol,
            )
    check_error(lambda xp: reduce(xp, data, where=mask)[:0])
    check_error(lambda xp: reduce(xp, data[:0]) + 0)
    check_error(lambda xp: reduce(xp, data[:0], initial=None) + 0)
    check_error(lambda xp: reduce(xp, data[:, :0]) + 0)


@pytest.mark.parametrize("name", [*ARITHMETIC, *LOGICAL, *BITWISE])
@pytest.mark.parametrize("dtype", DTYPES)
def test_accumulate(dtype, name):
    data = sample((4, 5, 3), dtype)
    for axis in (0, 1, -1):
        check(lambda xp, a=axis: getattr(xp, name).accumulate(xp.asarray(data), axis=a))
    rtol = rounding(dtype)
    if name in ARITHMETIC:
        check(lambda xp: getattr(xp, name).accumulate(xp.asarray(data), dtype="float64"), rtol=rtol)
        out = "c8" if data.dtype.kind == "c" else "f4"
        check(
            lambda xp: getattr(xp, name).accumulate(xp.asarray(data), out=xp.zeros((4, 5, 3), out)),
            rtol=rtol,
        )


@pytest.mark.parametrize("name", [*ARITHMETIC, *LOGICAL])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float64"])
def test_reduceat(dtype, name):
    data = sample((4, 5), dtype)
    for indices in ([0, 2, 3], [3, 0, 1, 1], [2]):
        for axis in (0, 1):
            check(
                lambda xp, i=indices, a=axis: getattr(xp, name).reduceat(xp.asarray(data), i, a),
                rtol=close(name, dtype),
            )
    check(lambda xp: getattr(xp, name).reduceat(xp.asarray(data), [0, 9]))
    check(lambda xp: getattr(xp, name).reduceat(xp.asarray(data), []))


REDUCERS = [*ARITHMETIC, *LOGICAL, *BITWISE, "fmax", "fmin"]


@pytest.mark.parametrize("name", REDUCERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reduceat_has_the_bits_of_numpy(dtype, name):
    rng = np.random.default_rng(3)
    data = sample((7, 900), dtype)
    data[data > 4] = 1  # products do not overflow
    starts = np.sort(rng.integers(0, 900, 60))
    turned = rng.integers(0, 7, 9)
    rtol = rounding(dtype) if name == "multiply" and dtype.startswith("complex") else 0

    def reduceat(xp, view, starts, *more):
        x = view(xp.asarray(data))
        return getattr(xp, name).reduceat(x, starts, *more)

    for view in (lambda x: x, lambda x: x[::-1, ::-1], lambda x: x.repeat(2, 1)[:, ::2]):
        for given in (starts, rng.permutation(starts), [0], [0, 450], [899]):
            check(lambda xp, v=view, i=given: reduceat(xp, v, xp.asarray(i), 1), rtol=rtol)
        check(lambda xp, v=view: reduceat(xp, v, xp.asarray(turned)), rtol=rtol)
    check(lambda xp: reduceat(xp, lambda x: x.T, xp.asarray(starts)), rtol=rtol)
    check(lambda xp: reduceat(xp, lambda x: x[2], xp.asarray(starts)), rtol=rtol)
    check(lambda xp: reduceat(xp, lambda x: x.reshape(7, 30, 30), [3, 17], 1), rtol=rtol)
    check(lambda xp: reduceat(xp, lambda x: x, xp.asarray(starts), 1, "float32"), rtol=rtol)
    check(lambda xp: reduceat(xp, lambda x: x[:, :2], [0], 1, None, xp.zeros((7, 1), "f4")))


STARTS = [2, [[0, 1]], [0.0], [], [True, False], [-1], [3], [0, 2, 1]]
ARRAYS = [np.array([0, 2], "u8"), np.array([0, 2], "i2"), np.array([0.0]), np.zeros(0)]


@pytest.mark.parametrize("starts", [*STARTS, *ARRAYS], ids=repr)
def test_starts_of_reduceat(starts):
    for name in ("add", "subtract"):
        check(lambda xp, n=name: getattr(xp, n).reduceat(xp.arange(3.0), starts))
        check(lambda xp, n=name: getattr(xp, n).reduceat(xp.zeros(0), starts))
        if isinstance(starts, np.ndarray):
            check(lambda xp, n=name: getattr(xp, n).reduceat([1, 2, 3], xp.asarray(starts)))
    check(lambda xp: xp.add.reduceat(xp.zeros((2, 3)), starts, (1,)))
    check(lambda xp: xp.add.reduceat(xp.zeros((2, 3)), starts, 2))


KEYS = [
    [0, 1, 1, 3],
    ([0, 1, 1], [2, 2, 2]),
    (slice(None), [1, 1, 2]),
    (slice(1, 3),),
    2,
    (Ellipsis, 1),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("name", [*ARITHMETIC, "subtract"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_at(dtype, name, key):
    if (dtype, name) == ("bool", "subtract"):
        pytest.skip("NumPy has no difference of bools")

    def program(xp, value):
        x = xp.asarray(sample((4, 5), dtype)).copy()
        getattr(xp, name).at(x, key, value)
        return x

    if dtype != "uint64":  # NumPy goes through float64
        check(lambda xp: program(xp, 2), rtol=close(name, dtype))
    check(lambda xp: program(xp, xp.asarray(sample((), dtype, 1))), rtol=close(name, dtype))
    shape = sample((4, 5), dtype)[key].shape
    check(lambda xp: program(xp, xp.asarray(sample(shape, dtype, 1))), rtol=close(name, dtype))


def test_at_of_a_mask_and_of_a_view():
    def masked(xp):
        x = xp.arange(6.0)
        xp.add.at(x, xp.asarray([True, False] * 3), [1, 2, 3])
        return x

    def through_a_view(xp):
        x = xp.zeros((3, 4))
        xp.add.at(x[:, 1::2], ([0, 0, 2], [1, 1, 0]), 1)
        return x

    def one_operand(xp):
        x = xp.arange(4)
        xp.negative.at(x, slice(1, 3))
        return x

    for program in (masked, through_a_view, one_operand):
        check(program)


WITHOUT_KERNELS = ("subtract", "divide", "hypot", "gcd", "lcm", "fmax", "logaddexp", "remainder")


@pytest.mark.parametrize("name", WITHOUT_KERNELS)
@pytest.mark.parametrize("dtype", ["int16", "uint64", "float32"])
def test_ufuncs_without_kernels(dtype, name):
    data = sample((3, 5, 2), dtype)
    mask = sample((5, 2), "float64", 1) > 0

    def call(method, **more):
        def program(xp):
            return getattr(getattr(xp, name), method)(xp.asarray(data), **more)

        check(program, rtol=1e-5 if name in ("divide", "hypot", "logaddexp") else 0)

    for axis in (0, 1, -1, None, (0, 2), (), 3):
        call("reduce", axis=axis, keepdims=True)
    for more in ({"initial": 2}, {"initial": None}, {"where": mask}, {"where": mask, "initial": 1}):
        call("reduce", axis=1, **more)
    call("accumulate", axis=1)
    call("accumulate", dtype="float64")


def test_reducing_nothing_without_a_kernel():
    for name in WITHOUT_KERNELS:
        for shape in ((0, 2), (2, 0), (0,)):
            check(lambda xp, n=name, s=shape: getattr(xp, n).reduce(xp.zeros(s, "int64")))


AT = {
    "float into int": lambda xp: (xp.asarray([1, 2]), [0, 0], 1.5, xp.add),
    "subtract": lambda xp: (xp.asarray([3, 6], "uint64"), [0, 0], xp.asarray([1, 6], "u1")),
    "two axes": lambda xp: (xp.ones((2, 3)), ([0, 1, 0], [1, 1, 1]), [5.0, 2.0, 3.0], xp.divide),
    "a mask": lambda xp: (xp.arange(3), xp.asarray([True, False, True]), [3, 2], xp.left_shift),
    "one operand": lambda xp: (xp.arange(3), [1, 1, 2, 1], xp.negative),
    "no index": lambda xp: (xp.arange(3), xp.asarray([], "int64"), 2, xp.hypot),
    "no loop": lambda xp: (xp.arange(3.0), [0, 0], 2, xp.bitwise_or),
}


@pytest.mark.parametrize("name", AT)
def test_at_without_a_kernel(name):
    def program(xp):
        *arguments, last = AT[name](xp)
        function, more = (last, ()) if isinstance(last, type(xp.add)) else (xp.subtract, (last,))
        function.at(*arguments, *more)
        return arguments[0]

    check(program)


ERRORS = [
    lambda xp: xp.sin.reduce([1, 2]),
    lambda xp: xp.add.reduce([1.5], axis=3),
    lambda xp: xp.add.reduce([[1]], axis=(0, 0)),
    lambda xp: xp.bitwise_and.reduce([1.5]),
    lambda xp: xp.sin.accumulate([1, 2]),
    lambda xp: xp.add.accumulate(3),
    lambda xp: xp.add.accumulate([[1]], axis=(0, 1)),
    lambda xp: xp.add.accumulate([1], axis=3),
    lambda xp: xp.add.reduceat([1, 2], [5]),
    lambda xp: xp.sin.reduceat([1, 2], [0]),
    lambda xp: xp.add.reduceat(xp.asarray(3), [0]),
    lambda xp: xp.bitwise_or.reduceat([1.5, 2], []),
    lambda xp: xp.add.at([1, 2], 0, 1),
]


@pytest.mark.parametrize("program", ERRORS, ids=range(len(ERRORS)))
def test_errors(program):
    check_error(program)


def test_at_out_of_bounds():
    x = jujunp.arange(3)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        jujunp.add.at(x, [0, 5], 1)
    assert x.tolist() == [0, 1, 2]


def test_numpys_own_functions_come_here():
    x = jujunp.arange(4)
    for found in (np.add.reduce(x), np.add.accumulate(x), np.sum(x), np.multiply.outer(x, x)):
        assert type(found).__module__.startswith("jujunp")
    np.add.at(x, np.array([1, 1]), 5)
    assert x.tolist() == [0, 11, 2, 3]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_sums_that_start_with_negative_zero(dtype):
    for data in ([], [-0.0], [-0.0] * 200, [-0.0, 0.0], [1.0, -1.0], [[-0.0, -0.0], [0.0, 2.0]]):
        for axis in (0, -1, None):
            check(lambda xp, d=data, a=axis: xp.add.reduce(xp.asarray(d, dtype), a, initial=-0.0))
    mask = [True, False]
    check(lambda xp: xp.asarray([-0.0, 1.0], dtype).sum(initial=-0.0, where=xp.asarray(mask)))


@pytest.mark.parametrize("name", ["hypot", "logaddexp", "logaddexp2"])
def test_terms_in_order(name):
    data = np.array([0.0, 1.0, 2.0] * 100)
    check(lambda xp: getattr(xp, name).accumulate(xp.asarray(data)), rtol=1e-14)
    check(lambda xp: getattr(xp, name).reduce(xp.asarray(data)), rtol=1e-14)
    function, x = getattr(jujunp, name), jujunp.asarray(data)
    one_by_one = [float(number) for number in itertools.accumulate(x, function)]
    assert function.accumulate(x).tolist() == one_by_one
    assert float(function.reduce(x)) == one_by_one[-1]


@pytest.mark.parametrize("axis", [None, 0, (0,), (1,), (0, 1), ()], ids=str)
@pytest.mark.parametrize("shape", [(4,), (2, 3)], ids=str)
def test_the_axis_of_scans(shape, axis):
    check(lambda xp: xp.add.accumulate(xp.ones(shape), axis=axis))
    check(lambda xp: xp.add.reduceat(xp.ones(shape), [0, 1], axis=axis))


@pytest.mark.parametrize("dtype", list("fehibBHIlLdF?"))
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
def test_at_computes_in_the_dtype_of_both(dtype):
    """And converts each result: a number counts as an array of its own dtype, as in NumPy."""
    numbers = (
        1,
        0.1,
        -3,
        1e300,
        200,
        2**40,
        True,
        1j,
        np.float32(0.1),
        np.float64(0.1),
        np.int8(3),
    )
    names = ("add", "subtract", "multiply", "maximum", "minimum", "true_divide", "bitwise_xor")
    for name in (*names, "floor_divide", "left_shift", "hypot", "logical_or"):
        for number in (*numbers, np.int8(3), [0.1, 0.2, 0.3], [1, 2, 3]):

            def program(xp, name=name, number=number):
                x = xp.asarray(np.array([1.7, 2.3, 3.9, 0.6]).astype(dtype))
                getattr(xp, name).at(x, xp.asarray([0, 2, 2]), number)
                return x

            check(program)
