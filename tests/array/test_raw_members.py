"""Fields, the other byte order, pickled forms, sizes: as of NumPy's arrays."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACES = (np, jujunp)
DTYPES = ("bool", "int8", "int16", "uint32", "int64", "float16", "float32", "float64", "complex64")


def both(function: Any) -> tuple[Any, Any]:
    """Return what a function gives for NumPy and for us: a value, or the type of an exception."""
    found = []
    for namespace in NAMESPACES:
        try:
            found.append(np.array(function(namespace)))
        except Exception as error:
            found.append(type(error))
    return found[0], found[1]


def check(function: Any) -> None:
    wanted, found = both(function)
    if isinstance(wanted, type):
        assert found is wanted
        return
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3)])
def test_the_other_byte_order(dtype: str, shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))

    def numbers(xp: Any) -> Any:
        return xp.arange(count).astype(dtype).reshape(shape)

    check(lambda xp: numbers(xp).byteswap())
    check(lambda xp: numbers(xp).T.byteswap())

    def in_place(xp: Any) -> Any:
        x = numbers(xp)
        assert x.byteswap(inplace=True) is x
        return x

    check(in_place)


@pytest.mark.parametrize("offset", [0, 1, 2, 4, 6, 8])
@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "int64"])
def test_fields(dtype: str, offset: int) -> None:
    def written(xp: Any) -> Any:
        x = xp.arange(6, dtype="int64").reshape(2, 3)[:, ::2]
        x.setfield(5, dtype, offset)
        return x

    check(lambda xp: xp.arange(6, dtype="int64").reshape(2, 3)[:, ::2].getfield(dtype, offset))
    check(written)


def test_a_field_is_a_view() -> None:
    x = jujunp.array([1 + 2j, 3 + 4j])
    x.getfield("float64", 8)[...] = 9
    assert x.tolist() == [1 + 9j, 3 + 9j]


def test_pickled_forms(tmp_path: Path) -> None:
    x = jujunp.arange(6.0).reshape(2, 3)
    file = io.BytesIO()
    x.dump(file)
    x.dump(tmp_path / "x")
    for text in (x.dumps(), file.getvalue(), (tmp_path / "x").read_bytes()):
        y = pickle.loads(text)
        assert type(y) is jujunp.ndarray
        assert y.tolist() == x.tolist()


def test_a_state_of_numpys() -> None:
    x = jujunp.zeros(2)
    x.__setstate__(np.arange(6, dtype="int16").reshape(2, 3).__reduce__()[2])
    assert (x.dtype, x.tolist()) == (np.int16, [[0, 1, 2], [3, 4, 5]])
    with pytest.raises(ValueError, match="shares its memory"):
        x[:1].__setstate__(np.arange(2).__reduce__()[2])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_unpickled_is_apart(protocol: int) -> None:
    x = jujunp.arange(10)
    for seen in (x, x[::2], x[::-1], x.reshape(2, 5).T):
        y = pickle.loads(pickle.dumps(seen, protocol))
        assert y.tolist() == seen.tolist()
        y[0] = 7
        assert y.flags.writeable
        assert x[0] == 0


def test_buffers_out_of_band_are_shared() -> None:
    x, buffers = jujunp.arange(10), []
    text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    y = pickle.loads(text, buffers=buffers)
    x[0] = -1
    assert y[0] == -1
    kept: list[Any] = []
    pickle.dumps(x[::2], protocol=5, buffer_callback=kept.append)
    assert kept == []


def test_sizes() -> None:
    x = jujunp.ones(100)
    assert sys.getsizeof(x) > x.nbytes > sys.getsizeof(x[::2])


def test_who_owns_memory() -> None:
    x = jujunp.arange(6.0)
    assert x.flags.owndata
    assert not x.reshape(2, 3).flags.owndata
    assert x.reshape(2, 3).base is x
    assert x.reshape(2, 3).T.base is x
    memory = np.arange(3)
    assert not jujunp.asarray(memory).flags.owndata


def test_truth_values_of_other_bytes() -> None:
    memory = np.frombuffer(b"\xff\x02\x00" * 30, dtype=bool)
    for make in (jujunp.array, jujunp.asarray):
        x = make(memory)
        assert x.sum() == jujunp.count_nonzero(x) == 60
        assert (~x).sum() == 30
    assert jujunp.frombuffer(b"\xff\x02\x00", dtype=bool).sum() == 2


class Maker:
    """An object whose `__array__` makes an array of ours."""

    def __init__(self) -> None:
        self.array = jujunp.arange(3.0)
        self.copied: list[Any] = []

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.copied.append(copy)
        return self.array


def test_objects_that_make_arrays_of_ours() -> None:
    x = Maker()
    for found in (jujunp.array(x), jujunp.asarray(x), jujunp.array(x, copy=False)):
        assert found is x.array
    assert x.copied[1::2] == [True, None, False]  # NumPy asks first
    assert jujunp.add(x, 1).tolist() == [1, 2, 3]
    assert jujunp.concatenate([x, x]).tolist() == [0, 1, 2] * 2
    assert jujunp.array([x, x]).tolist() == [[0, 1, 2]] * 2
    assert jujunp.array([[x], [x]]).shape == (2, 1, 3)


@pytest.mark.parametrize("refcheck", [True, False])
def test_resizing_what_has_two_names(refcheck: bool) -> None:
    def resized(xp: Any) -> Any:
        x = y = z = xp.ones((2, 2))
        x.resize((3, 3), refcheck=refcheck)
        return y + z

    check(resized)


def test_resizing_by_a_wrong_argument() -> None:
    check(lambda xp: xp.eye(3).resize("hi"))
    check(lambda xp: xp.eye(3).resize(-1))
    check(lambda xp: xp.eye(3).resize(3, refcheck="hi"))
    check(lambda xp: xp.zeros((10, 0))[...].resize((0, 100)))


@pytest.mark.parametrize("axes", [33, 63, 64])
def test_many_axes(axes: int) -> None:
    check(lambda xp: xp.ones((1,) * axes) + 1)
    check(lambda xp: xp.ones((1,) * (axes - 1) + (2,)).sum(axis=-1))
    check(lambda xp: xp.ones((1,) * axes)[(xp.array([0]),) * (axes - 1)])


def test_marks_of_copying() -> None:
    x = jujunp.ones(2)
    modes = np._CopyMode
    assert jujunp.array(x, copy=modes.IF_NEEDED) is x
    assert jujunp.array(x, copy=modes.NEVER) is x
    assert jujunp.array(x, copy=modes.ALWAYS) is not x
    with pytest.raises(ValueError, match="copy"):
        jujunp.array([1], copy=modes.NEVER)


def test_a_device_cannot_be_set() -> None:
    x = jujunp.ones(2)
    with pytest.raises(AttributeError, match="attribute 'device'"):
        x.device = "cpu"
    with pytest.raises(ValueError, match="stream"):
        x.to_device("cpu", stream=1)


@pytest.mark.parametrize("order", ["C", "F"])
def test_classes_of_dtypes(order: str) -> None:
    x = jujunp.zeros((2, 3), np.dtypes.Int32DType, order)
    assert x.dtype == np.int32
    assert x.flags.f_contiguous == (order == "F")


def test_copies_keep_the_order() -> None:
    x = jujunp.zeros((2, 3), order="F")
    for y in (copy.copy(x), copy.deepcopy(x)):
        assert y.flags.f_contiguous
        y[0, 0] = 1
        assert x[0, 0] == 0


def test_flags_are_compared() -> None:
    for shape in ((3,), (2, 3), (0, 2)):
        assert jujunp.zeros(shape).flags == np.zeros(shape).flags
        assert jujunp.zeros(shape).flags == jujunp.ones(shape).flags
    assert jujunp.zeros((2, 3)).flags != np.zeros((2, 3), order="F").flags


@pytest.mark.parametrize("shape", [True, (True, 2), [2, False], 2.0, "3", (2.0,), None, [[1]]])
def test_what_is_no_shape_is_refused_in_numpys_words(shape: Any) -> None:
    with pytest.raises(TypeError) as wanted:
        np.zeros(shape)
    for function in (jujunp.zeros, jujunp.empty, lambda shape: jujunp.full(shape, 1)):
        with pytest.raises(TypeError) as found:
            function(shape)
        assert str(found.value) == str(wanted.value)


def test_numbers_take_the_dtype_of_what_they_are_close_to() -> None:
    below_one = float(1 - np.finfo("f8").eps)
    for rtol in (below_one / 2, np.float64(below_one / 2)):
        check(lambda xp, rtol=rtol: xp.isclose(xp.array(1, "f4"), 2, atol=0, rtol=rtol))


class Marked(jujunp.ndarray):
    """A class of arrays that pickle finds."""


@pytest.mark.parametrize("protocol", [2, 5])
def test_read_only_arrays_of_derived_classes_are_pickled(protocol: int) -> None:
    x = jujunp.arange(3.0).view(Marked)
    x.flags.writeable = False
    theirs = np.arange(3.0)
    theirs.flags.writeable = False
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is Marked
    assert y.flags.writeable == pickle.loads(pickle.dumps(theirs, protocol)).flags.writeable


@pytest.mark.parametrize("shape", [[975] * 7, (1 << 60,)], ids=str)
def test_arrays_that_are_too_large(shape: Any) -> None:
    check(lambda xp: xp.zeros(shape))
    check(lambda xp: xp.array([1], ndmin=65))


def test_what_numpy_computes_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT")
    x = jujunp.sort_complex(jujunp.arange(6.0).reshape(2, 3).T)
    assert x.flags.f_contiguous
    assert x.tolist() == np.sort_complex(np.arange(6.0).reshape(2, 3).T).tolist()


def test_functions_of_testing_call_with_what_they_are_given() -> None:
    def refuse(x: Any) -> None:
        assert type(x) is jujunp.ndarray
        raise ValueError("refused")

    jujunp.testing.assert_raises(ValueError, refuse, jujunp.ones(2))


def test_functions_of_testing_take_what_makes_arrays_of_ours() -> None:
    class Maker:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return jujunp.arange(3)

    jujunp.testing.assert_array_equal(Maker(), jujunp.arange(3))
    with pytest.raises(AssertionError):
        jujunp.testing.assert_array_equal(jujunp.ones(3), Maker())
