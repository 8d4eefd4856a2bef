"""Fourier transforms, against numpy.fft."""

from __future__ import annotations

import inspect
import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jujunp
import jujunp.fft
from tests.support.differential import DTYPES

ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn")
TWO_AXES = ("fft2", "ifft2", "rfft2", "irfft2")
FROM_REAL = ("rfft", "ihfft", "rfftn", "rfft2")
NORMS = (None, "backward", "ortho", "forward")
ALL_DTYPES = (*DTYPES, "float16", "complex64", "complex128")
CASES = [
    (name, dtype)
    for name, dtype in itertools.product(ONE_AXIS, ALL_DTYPES)
    if name not in FROM_REAL or not dtype.startswith("complex")
]
LENGTHS = (1, 2, 3, 4, 7, 8, 15, 16, 31, 60, 67, 128)


def sample(name, shape, dtype=None):
    """Return random numbers for a transform, complex ones where it takes them."""
    rng = np.random.default_rng([len(name), *shape])
    kind = np.dtype(dtype or ("float64" if name in FROM_REAL else "complex128"))
    x = rng.standard_normal(shape) * 5
    x = abs(x) if kind.kind in "bu" else x
    return (x + 1j * rng.standard_normal(shape) if kind.kind == "c" else x).astype(kind)


def check(name, x, *arguments, view=lambda x: x, **options):
    """Assert that a transform of a view of an array is NumPy's, but for its last bits."""
    wanted = getattr(np.fft, name)(view(x), *arguments, **options)
    found = getattr(jujunp.fft, name)(view(jujunp.asarray(x)), *arguments, **options)
    assert type(found) is jujunp.ndarray
    # NumPy divides transforms of float16 by numbers in float16
    coarse = np.asarray(x).dtype == np.float16
    compare(found.to_numpy(), wanted, np.float16 if coarse else wanted.dtype)


def compare(found, wanted, precision=None):
    """Assert that arrays agree in shape and dtype and, within some ulp of the largest, in value."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    bound = 16 * float(np.finfo(precision or wanted.dtype).eps) * abs(wanted).max(initial=0)
    assert abs(found - wanted).max(initial=0) <= bound


def outcome(library, name, *arguments, **options):
    """Return the error that a function raises, if it does, and the warnings it gives."""
    arguments = [library.array(x) if isinstance(x, np.ndarray) else x for x in arguments]
    error: Exception | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            getattr(library.fft, name)(*arguments, **options)
        except Exception as raised:  # whatever it is
            error = raised
    return error, [(warning.category, warning.filename) for warning in caught]


# -- one axis


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_dtypes(name, dtype):
    for norm in NORMS:
        check(name, sample(name, (3, 12), dtype), norm=norm)
    check(name, sample(name, (3, 12), "float64").tolist())


@pytest.mark.parametrize("name", ONE_AXIS)
@pytest.mark.parametrize("dtype", ["single", "double"])
def test_lengths(name, dtype):
    number = ("f4", "f8") if name in FROM_REAL else ("c8", "c16")
    for n in LENGTHS:
        x = sample(name, (5, n), number[dtype == "double"])
        for norm in NORMS:
            check(name, x, n, norm=norm)
        if n > 1:
            check(name, x)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_cut_and_padded(name):
    for extent, n, axis in itertools.product((1, 5, 8), (1, 2, 3, 6, 9, 16), (0, 1, -1, -3)):
        check(name, sample(name, (extent, extent, extent)), n, axis)
    for dtype in ("bool", "int8", "float16"):
        check(name, sample(name, (3, 4), dtype), 11)
    check(name, sample(name, (0, 2)), 4)
    check(name, sample(name, (0, 4)))
    check(name, sample(name, (3, 4)), np.int8(5), np.int64(0))


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_views(name, dtype):
    x = sample(name, (6, 8, 10), dtype)
    for view in (
        lambda x: x.T,
        lambda x: x[::2, ::-1, 1::3],
        lambda x: x[3, :, ::-2],
        lambda x: x.transpose(1, 2, 0)[..., 2:],
        lambda x: x[:, None, 2],
    ):
        for n, axis in itertools.product((None, 3, 11), (0, -1)):
            check(name, x, n, axis, view=view)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_spread_array(name):
    x = sample(name, (10,))
    for axis in (0, 1):
        spread = jujunp.broadcast_to(jujunp.asarray(x), (3, 10))
        wanted = getattr(np.fft, name)(np.broadcast_to(x, (3, 10)), axis=axis)
        compare(getattr(jujunp.fft, name)(spread, axis=axis).to_numpy(), wanted)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_zeros_for_an_empty_axis(name):
    """Where NumPy's irfft gives what was in memory."""
    found = getattr(jujunp.fft, name)(jujunp.zeros((2, 0)), 4)
    assert found.shape == getattr(np.fft, name)(np.zeros((2, 1)), 4).shape
    assert not found.any()


def test_array_likes():
    for x in ([1, 2, 3.5], ((1, 2), (3, 4j)), np.arange(5.0)):
        compare(jujunp.fft.fft(x).to_numpy(), np.fft.fft(x))
    compare(jujunp.fft.hfft([1, 2, 3]).to_numpy(), np.fft.hfft([1, 2, 3]))


@pytest.mark.parametrize("shape", [(1,), (9,), (3, 16), (4, 5, 6)])
def test_round_trips(shape):
    n = shape[-1]
    for norm in NORMS:
        z, x = (jujunp.asarray(sample(name, shape)) for name in ("fft", "rfft"))
        fft = jujunp.fft
        for back, start in [
            (fft.ifft(fft.fft(z, norm=norm), norm=norm), z),
            (fft.irfft(fft.rfft(x, norm=norm), n, norm=norm), x),
            (fft.hfft(fft.ihfft(x, norm=norm), n, norm=norm), x),
            (fft.ifftn(fft.fftn(z, norm=norm), norm=norm), z),
            (fft.irfftn(fft.rfftn(x, norm=norm), shape, range(len(shape)), norm=norm), x),
        ]:
            assert back.dtype == start.dtype
            assert jujunp.allclose(back, start)


def test_long_and_many():
    for name, shape in itertools.product(("fft", "rfft"), ((200, 300), (3, 1 << 15), (2, 10007))):
        check(name, sample(name, shape, "float64"))
        check(name, sample(name, shape, "float32"), axis=0)


def test_written_arrays():
    """A transform is of what the array held when it was called."""
    x = np.arange(8.0)
    y = jujunp.array(x)
    before = jujunp.fft.fft(y[2:])
    y[:] = 0
    compare(before.to_numpy(), np.fft.fft(x[2:]))
    before[0] = 7
    assert before[0] == 7


# -- several axes


@pytest.mark.parametrize("name", SEVERAL)
def test_axes(name):
    x = sample(name, (4, 5, 6))
    for count in (1, 2, 3):
        for axes in itertools.permutations((0, 1, -1), count):
            check(name, x, axes=axes)
            for norm in NORMS:
                check(name, x, (3, 9, 4)[:count], axes, norm)
    for axes in [(1, 1), (0, -3), (2, 0, 2), [0, 1], np.array([1, 2])]:
        check(name, x, axes=axes)
    for norm in NORMS:
        check(name, x, norm=norm)
    check(name, x, (-1, 8), (0, 1))
    check(name, x, (3, -1), (0, 1))
    check(name, x, np.array([3, 4]), (2, 1))


@pytest.mark.parametrize("name", [*SEVERAL, *TWO_AXES])
def test_dtypes_of_several(name):
    for dtype in ("bool", "int32", "float16", "float32", "float64", "complex64", "complex128"):
        if np.dtype(dtype).kind == "c" and name in FROM_REAL:
            continue
        x = sample(name, (4, 6, 8), dtype)
        check(name, x)
        check(name, x, view=lambda x: x.T[::2], norm="ortho")
        check(name, x, (5, 7), (-1, 0))


@pytest.mark.parametrize("name", SEVERAL)
def test_same_axis_twice(name):
    x = sample(name, (5, 6))
    check(name, x, (4, 7), (0, 0))
    check(name, x, (7, 4, 5), (1, 0, 1))


def test_no_axes():
    x = jujunp.arange(6).reshape(2, 3)
    for name in ("fftn", "ifftn"):
        assert getattr(jujunp.fft, name)(x, axes=()) is x
        found = getattr(jujunp.fft, name)(3)
        assert (found.dtype, found.shape, int(found)) == (np.int64, (), 3)


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.sampled_from(["fftn", "ifftn", "rfftn"]),
    st.sampled_from(NORMS),
    st.sampled_from(["float32", "float64", "complex64", "complex128"]),
    st.data(),
)
def test_any_axes(shape, name, norm, dtype, data):
    if name == "rfftn":
        dtype = dtype.replace("complex64", "float32").replace("complex128", "float64")
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), min_size=1, max_size=4))
    count = len(axes)
    s = data.draw(st.none() | st.lists(st.integers(1, 12), min_size=count, max_size=count))
    check(name, sample(name, shape, dtype), s, axes, norm)


# -- out


@pytest.mark.parametrize("name", [*ONE_AXIS, *SEVERAL, *TWO_AXES])
def test_out(name):
    x = sample(name, (4, 6))
    wanted = getattr(np.fft, name)(x)
    single = "complex64" if wanted.dtype.kind == "c" else "float32"
    for dtype in (wanted.dtype, single):
        for out in (
            jujunp.zeros(wanted.shape, dtype),
            jujunp.zeros(wanted.shape[::-1], dtype).T,
            jujunp.zeros((8, 20), dtype)[::2, : wanted.shape[1]],
        ):
            assert getattr(jujunp.fft, name)(jujunp.asarray(x), out=out) is out
            compare(out.to_numpy(), wanted.astype(dtype))


def test_out_is_the_argument():
    x = sample("fft", (3, 8))
    y = jujunp.array(x)
    assert jujunp.fft.fft(y, axis=0, out=y) is y
    compare(y.to_numpy(), np.fft.fft(x, axis=0))


def test_out_is_checked():
    x = jujunp.ones((3, 4))
    fft = jujunp.fft.fft
    for shape in ((3, 5), (2, 4), (4,), (1, 3, 4)):
        with pytest.raises(ValueError, match="shape"):
            fft(x, out=jujunp.zeros(shape, complex))
    with pytest.raises(TypeError, match="Cannot cast"):
        fft(x, out=jujunp.zeros((3, 4)))
    with pytest.raises(TypeError, match="ArrayType"):
        fft(x, out=[1])
    frozen = jujunp.zeros((3, 4), complex)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fft(x, out=frozen)


# -- errors

X = np.ones((3, 4))
ERRORS = [
    ("fft", (X, 0), {}),
    ("fft", (X, -2), {}),
    ("fft", (X, 0.5), {}),
    ("fft", (X, 4.0), {}),
    ("fft", (X, "a"), {}),
    ("fft", (X,), {"norm": "half"}),
    ("ifft", (X,), {"norm": "half"}),
    ("hfft", (X,), {"norm": "half"}),
    ("ihfft", (X,), {"norm": "half"}),
    ("fftn", (X,), {"norm": "half"}),
    ("fft", (X,), {"norm": 1}),
    ("fft", (X,), {"norm": []}),
    ("fft", (X,), {"axis": 2}),
    ("fft", (X, 4), {"axis": -3}),
    ("fft", (X,), {"axis": None}),
    ("fft", (X, 3), {"axis": None}),
    ("fft", (X, 3), {"axis": 1.0}),
    ("fft", (3,), {}),
    ("fft", (3, 2), {}),
    ("irfft", (X[:, :1],), {}),
    ("hfft", (X[:, :1],), {}),
    ("fft", (X[:, :0],), {}),
    ("irfft", (X[:, :0],), {}),
    ("rfft", (X * 1j,), {}),
    ("ihfft", (X * 1j,), {}),
    ("rfftn", (X * 1j,), {}),
    ("fftn", (X,), {"axes": 0}),
    ("fftn", (X,), {"axes": (0, 2)}),
    ("fftn", (X, (3, 3)), {"axes": (0, 2)}),
    ("fftn", (X, 3), {"axes": (0,)}),
    ("fftn", (X, (3, 3)), {"axes": (0,)}),
    ("fftn", (X, (3, 0)), {"axes": (0, 1)}),
    ("fftn", (X, (3, -2)), {"axes": (0, 1)}),
    ("fftn", (X, (3, -1)), {"axes": (0, 2)}),
    ("fftn", (X, (2, 3, 4)), {}),
    ("fftn", (X, (2, 3)), {}),
    ("ifft2", (X, (2, 3)), {"axes": None}),
    ("rfftn", (X, (3,)), {}),
    ("irfftn", (X, (None, None)), {"axes": (0, 1)}),
    ("fftn", (X, (None, 3)), {"axes": (0, 1)}),
    ("rfftn", (X,), {"axes": ()}),
    ("irfftn", (X,), {"axes": ()}),
    ("rfftn", (3,), {}),
    ("fft2", (X[0],), {}),
    ("fftshift", (X,), {"axes": 2}),
    ("fftshift", (X,), {"axes": (0, -3)}),
    ("fftshift", (X,), {"axes": 1.5}),
    ("fftfreq", (0,), {}),
    ("fftfreq", (-4,), {}),
    ("fftfreq", (4.0,), {}),
    ("fftfreq", ("4",), {}),
    ("fftfreq", (4, 0), {}),
    ("fftfreq", (4, "a"), {}),
    ("fftfreq", (4,), {"device": "gpu"}),
    ("rfftfreq", (0,), {}),
    ("rfftfreq", (4.0,), {}),
    ("rfftfreq", (4,), {"device": "gpu"}),
]


@pytest.mark.parametrize("case", ERRORS, ids=lambda case: f"{case[0]}{case[1][1:]}{case[2]}")
def test_errors_and_warnings(case):
    name, arguments, options = case
    found, wanted = (outcome(library, name, *arguments, **options) for library in (jujunp, np))
    assert type(found[0]) is type(wanted[0]), f"{found[0]!r} instead of {wanted[0]!r}"
    assert [category for category, _ in found[1]] == [category for category, _ in wanted[1]]
    assert all(file == __file__ for _, file in found[1])


def test_messages():
    for call, message in [
        (lambda fft: fft.fft(X, 0), r"Invalid number of FFT data points \(0\) specified"),
        (lambda fft: fft.irfft([1.0]), r"Invalid number of FFT data points \(0\) specified"),
        (lambda fft: fft.ifft(X, norm="q"), 'Invalid norm value q; should be "backward", "ortho"'),
        (lambda fft: fft.fftn(X, [2], [0, 1]), "Shape and axes have different lengths"),
        (lambda fft: fft.fftfreq(2.5), "n should be an integer"),
    ]:
        for library in (np, jujunp):
            with pytest.raises(ValueError, match=message):
                call(library.fft)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_deprecated_arguments():
    for name in (*SEVERAL, *TWO_AXES):
        x = sample(name, (4, 5, 6))
        check(name, x, (3, 7), None)
        check(name, x, (None, 7), (0, 2))
        check(name, x, (3, None), (0, 2))


# -- frequencies and shifts


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name):
    for n in (*range(1, 12), np.int16(100), 1001):
        for d in (1.0, 0.1, 3, -2, np.float32(0.3)):
            wanted = getattr(np.fft, name)(n, d, device="cpu")
            found = getattr(jujunp.fft, name)(n, d, device="cpu")
            assert type(found) is jujunp.ndarray
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)
    assert getattr(jujunp.fft, name)(8, d=jujunp.float64(0.5)).tolist()[1] == 0.25
    assert getattr(jujunp.fft, name)(4, 1j).dtype == complex


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtype_of_frequencies(name, dtype):
    found = getattr(jujunp.fft, name)(10, d=0.3, dtype=getattr(jujunp, dtype))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, getattr(np.fft, name)(10, 0.3).astype(dtype))
    for other in ("int64", "complex128", "bool"):
        with pytest.raises(TypeError, match="floating-point"):
            getattr(jujunp.fft, name)(10, dtype=other)


def test_negative_number_of_frequencies():
    assert jujunp.fft.rfftfreq(-4).shape == np.fft.rfftfreq(-4).shape == (0,)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("shape", [(1,), (4,), (5,), (0,), (3, 4), (2, 3, 5)])
def test_shifts(name, shape):
    x = np.arange(math.prod(shape)).reshape(shape)
    last = len(shape) - 1
    for axes in (None, 0, -1, np.int64(last), (0,), [0, last], (last, 0, -1), ()):
        for dtype in ("int64", "bool", "complex64"):
            y = x.astype(dtype)
            found = getattr(jujunp.fft, name)(jujunp.asarray(y), axes).to_numpy()
            wanted = getattr(np.fft, name)(y, axes)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)
    back = jujunp.fft.ifftshift(jujunp.fft.fftshift(x))
    np.testing.assert_array_equal(back, x)


def test_shift_of_a_list_and_of_a_number():
    assert jujunp.fft.fftshift([1, 2, 3]).tolist() == [3, 1, 2]
    assert jujunp.fft.ifftshift([1, 2, 3]).tolist() == [2, 3, 1]
    assert jujunp.fft.fftshift(5).tolist() == 5


# -- the module


def test_all_of_numpys():
    assert set(np.fft.__all__) <= set(jujunp.fft.__all__)
    assert set(jujunp.fft.__all__) <= set(dir(jujunp.fft))


@pytest.mark.parametrize("name", np.fft.__all__)
def test_signatures(name):
    function = getattr(jujunp.fft, name)
    found, wanted = (
        [(p.name, p.kind, p.default) for p in inspect.signature(one).parameters.values()]
        for one in (function, getattr(np.fft, name))
    )
    newer = ("dtype", inspect.Parameter.KEYWORD_ONLY, None)  # from the Array API
    assert found == [*wanted, newer] if name.endswith("freq") else found == wanted
    assert function.__doc__
