"""What gives elements to Python and NumPy: tolist, item, numbers, __array__, and imports."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine, transfer
from jujunp.lazy.values.dtypes import CODES, DTYPES, NAMES, SUPPORTED

DTYPE_NAMES = [NAMES[code] for code in sorted(SUPPORTED)]


def sample(name):
    """Return 24 elements of a dtype, extremes among them."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.arange(24) % 3 == 0
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = np.arange(24).astype(dtype)
        x[:3] = info.min, info.max, info.max // 2
        return x
    x = (np.arange(24) / 7 - 1).astype(dtype)
    x[:6] = np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).max, np.finfo(dtype).tiny
    if dtype.kind == "c":
        x[6:] += 2j
        x[6:9].imag = np.nan, -np.inf, -0.0
    return x


LAYOUTS = {
    "whole": lambda x: x,
    "matrix": lambda x: x.reshape(4, 6),
    "cube": lambda x: x.reshape(2, 3, 4),
    "transposed": lambda x: x.reshape(2, 3, 4).T,
    "strided": lambda x: x[1::3],
    "reversed": lambda x: x.reshape(4, 6)[::-1, ::-2],
    "column": lambda x: x.reshape(4, 6)[:, 2],
    "new axis": lambda x: x[2:5, None],
    "one": lambda x: x[3:4],
    "no axes": lambda x: x[3:4].reshape(()),
    "element": lambda x: x[3],
    "empty": lambda x: x[:0],
    "empty rows": lambda x: x.reshape(4, 6)[:, :0],
    "no rows": lambda x: x.reshape(4, 6)[2:2],
}


def same(found, wanted):
    """Whether numbers, or nested lists of them, have the same types and are the same."""
    if isinstance(wanted, list):
        assert type(found) is list
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            same(a, b)
        return
    assert type(found) is type(wanted)
    assert repr(found) == repr(wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPE_NAMES)
@pytest.mark.parametrize("pending", [False, True])
def test_tolist_and_arrays(name, layout, pending):
    wanted = LAYOUTS[layout](sample(name))
    source = jj.asarray(sample(name))
    x = LAYOUTS[layout](jj.roll(source, 0) if pending else source)
    same(x.tolist(), np.asarray(wanted).tolist())
    x = LAYOUTS[layout](jj.roll(source, 0) if pending else source)
    found = np.asarray(x)
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPE_NAMES)
def test_item(name, layout):
    wanted = np.asarray(LAYOUTS[layout](sample(name)))
    source = jj.asarray(sample(name))
    x = LAYOUTS[layout](source)
    for k in range(-wanted.size, wanted.size):
        same(x.item(k), wanted.item(k))
    for key in np.ndindex(wanted.shape):
        same(x.item(*key), wanted.item(*key))
        same(x.item(key), wanted.item(key))
        same(LAYOUTS[layout](jj.roll(source, 0)).item(*key), wanted.item(*key))
    if wanted.size == 1:
        same(x.item(), wanted.item())


@pytest.mark.parametrize(
    "args",
    [(), (24,), (-25,), (1, 2), (1.5,), ("a",), (None,), (np.int64(3),)],
    ids=repr,
)
def test_odd_indices_of_item(args):
    host = np.arange(24)
    for wanted, x in (
        (host, jj.asarray(host)),
        (host.reshape(4, 6), jj.asarray(host).reshape(4, 6)),
    ):
        try:
            found = wanted.item(*args)
        except Exception as error:
            with pytest.raises(type(error)):
                x.item(*args)
        else:
            same(x.item(*args), found)


NUMBERS = {"float": float, "int": int, "bool": bool, "complex": complex, "index": range(99).index}


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("kind", ["float", "int", "bool", "complex"])
@pytest.mark.parametrize("name", [name for name in DTYPE_NAMES if "complex" not in name])
def test_numbers(name, kind, pending):
    host = sample(name)
    for k in range(len(host)):
        for layout in (lambda x, k=k: x[k], lambda x, k=k: x[k : k + 1].reshape(())):
            source = jj.asarray(host)
            x = layout(jj.roll(source, 0) if pending else source)
            try:
                wanted = NUMBERS[kind](host[k])
            except (OverflowError, ValueError) as error:
                with pytest.raises(type(error), match=str(error)):
                    NUMBERS[kind](x)
            else:
                same(NUMBERS[kind](x), wanted)


@pytest.mark.parametrize("name", DTYPE_NAMES)
def test_indices(name):
    x = (jj.arange(3) + 1).astype(name)[1]
    if np.dtype(name).kind in "iu":
        assert "abc"[x] == "c"
    else:
        with pytest.raises(TypeError, match="integer scalar"):
            "abc"[x]


def test_complex_numbers_are_true_unless_both_parts_are_zero():
    for number in (0j, 1 + 0j, 1j, complex(0, float("nan")), complex(-0.0, -0.0)):
        for dtype in ("complex64", "complex128"):
            assert bool(jj.asarray([number], dtype)[0]) is bool(number)


def test_arrays_with_axes_are_no_numbers():
    x = jj.ones(1) + 1
    for convert in (float, int, complex):
        with pytest.raises(TypeError, match="0-dimensional"):
            convert(x)
    assert bool(x)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(jj.ones(2) + 1)


# -- NumPy's arrays


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_share_the_memory(layout):
    wanted = np.asarray(LAYOUTS[layout](np.arange(24.0)))
    x = LAYOUTS[layout](jj.arange(24.0))
    jj.flush()
    found = x.__array__()
    assert type(found) is np.ndarray
    assert found.flags.writeable
    assert found.flags.owndata == (layout == "element")
    assert found.flags.aligned
    if wanted.size and layout != "element":
        assert found.strides == wanted.strides
        assert found.flags.c_contiguous == wanted.flags.c_contiguous
        assert found.flags.f_contiguous == wanted.flags.f_contiguous
        assert found.base.obj is x
        assert np.shares_memory(found, np.asarray(x))
        first = found.__array_interface__["data"][0]
        offset = wanted.__array_interface__["data"][0]
        offset -= (wanted if wanted.base is None else wanted.base).__array_interface__["data"][0]
        assert (
            first == machine.address_of((x if x._base is None else x._base)._value.buffer) + offset
        )


def test_arrays_keep_their_memory():
    found = np.asarray(jj.arange(1000.0) + 1)
    views = np.asarray((jj.arange(1000.0) + 1)[::-1])
    jj.flush(jj.ones(1000) * 7)
    assert found.sum() == views.sum() == 500500


def test_references_are_counted():
    x = jj.arange(24.0) + 0
    jj.flush()
    dtype = DTYPES[12]
    host = np.arange(3.0)
    y = x.reshape(4, 6).T
    read = (
        lambda: np.asarray(x),
        lambda: np.asarray(y),
        lambda: x.tolist(),
        lambda: y.item(3),
        lambda: transfer.import_array(host, 12),
    )
    for function in read:
        function()
        counts = [sys.getrefcount(k) for k in (dtype, x._value.buffer, x._value, y._layout)]
        for _ in range(100):
            function()
        found = [sys.getrefcount(k) for k in (dtype, x._value.buffer, x._value, y._layout)]
        assert [a - b for a, b in zip(found, counts, strict=True)] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("args", "kwargs", "shared"),
    [
        ((), {}, True),
        ((None,), {}, True),
        ((np.dtype(float),), {}, True),
        ((float,), {}, True),
        (("float64",), {"copy": False}, True),
        ((None, None), {}, True),
        ((None, False), {}, True),
        ((), {"dtype": None, "copy": None}, True),
        ((), {"dtype": np.dtype(float)}, True),
        ((), {"copy": True}, False),
        ((np.dtype(float), True), {}, False),
        ((int,), {}, False),
        (("float32",), {"copy": True}, False),
    ],
)
def test_what_array_is_asked_for(args, kwargs, shared):
    x = jj.arange(5.0)
    found = x.__array__(*args, **kwargs)
    assert np.shares_memory(found, np.asarray(x)) == shared
    assert found.flags.writeable
    dtype = (*args, kwargs.get("dtype"))[0]
    assert found.dtype == np.dtype(float if dtype is None else dtype)
    assert found.tolist() == [0, 1, 2, 3, 4]


def test_what_array_refuses():
    x = jj.arange(5.0)
    with pytest.raises(ValueError, match="copy"):
        x.__array__(int, copy=False)
    with pytest.raises(TypeError):
        x.__array__(None, None, None)
    with pytest.raises(TypeError):
        x.__array__(None, None, copy=None)
    with pytest.raises(TypeError):
        x.__array__(other=None)
    with pytest.raises(TypeError):
        x.__array__("nonsense")
    with pytest.raises(TypeError):
        x.tolist(1)
    with pytest.raises(TypeError):
        x.item(index=1)


def test_methods_tell_what_they_are():
    assert "nested lists" in jj.ndarray.tolist.__doc__
    assert "Python number" in jj.ndarray.item.__doc__
    assert str(inspect.signature(jj.ndarray.tolist)) == "(self, /)"
    assert str(inspect.signature(jj.ndarray.item)) == "(self, /, *args)"
    assert str(inspect.signature(jj.ndarray.__array__)) == "(self, /, dtype=None, copy=None)"
    assert jj.ndarray.tolist.__name__ == "tolist"
    with pytest.raises(TypeError):
        jj.ndarray.tolist(3)


# -- imports


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", DTYPE_NAMES)
@pytest.mark.parametrize("order", ["=", ">"])
def test_imports(name, layout, order):
    host = LAYOUTS[layout](sample(name).astype(np.dtype(name).newbyteorder(order)))
    host = np.asarray(host)
    x = jj.array(host, name)
    found = np.array(x)
    assert x.dtype == np.dtype(name)
    np.testing.assert_array_equal(found, host)
    if host.size:
        host[...] = 0
        assert found.tobytes() == np.array(x).tobytes()


def test_imports_are_copies_without_a_read():
    host = np.arange(6.0)
    before = machine.reads()
    value = transfer.import_array(host, CODES[host.dtype])
    strided = transfer.import_array(host[::2], CODES[host.dtype])
    assert machine.reads() == before
    host[:] = 0
    assert transfer.export(value, 12).tolist() == [0, 1, 2, 3, 4, 5]
    assert transfer.export(strided, 12).tolist() == [0, 2, 4]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", [(), ("C",), ("F",), ("A",)])
def test_tobytes(layout, order):
    for name in DTYPE_NAMES:
        if name != "bfloat16":
            theirs = LAYOUTS[layout](sample(name))
            assert LAYOUTS[layout](jj.array(sample(name))).tobytes(*order) == theirs.tobytes(*order)
    pending = LAYOUTS[layout](jj.array(sample("int64")) * 2)
    assert pending.tobytes(*order) == (LAYOUTS[layout](sample("int64")) * 2).tobytes(*order)
