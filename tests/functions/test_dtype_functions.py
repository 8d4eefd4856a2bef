"""What is known without elements: promotion, limits, shapes, and who shares memory."""

from __future__ import annotations

import itertools
from types import GenericAlias

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check


@pytest.mark.parametrize(
    "pair", list(itertools.combinations([*DTYPES, "float16"], 2)), ids="-".join
)
def test_promotion(pair):
    check(lambda xp: xp.promote_types(*pair))
    check(lambda xp: xp.result_type(*pair, 2.5))
    check(lambda xp: xp.can_cast(*pair))
    check(lambda xp: xp.can_cast(*pair, "same_kind"))
    check(lambda xp: xp.issubdtype(*pair))


@pytest.mark.parametrize("number", [True, 1, 300, 2.5, 1j], ids=repr)
@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_numbers_beside_dtypes(dtype, number):
    check(lambda xp: xp.result_type(xp.ones(2, dtype), number))
    check(lambda xp: xp.result_type(number, dtype, number))
    check(lambda xp: xp.result_type(xp.ones(2, dtype)[0], number, np.int16))
    check(lambda xp: xp.result_type(number))


@pytest.mark.parametrize("given", [(), ("nothing",), (np.float32, "U3", "m8[s]"), ([1],)], ids=repr)
def test_what_has_no_common_dtype(given):
    check(lambda xp: xp.result_type(*given))
    check(lambda xp: xp.result_type("M8[D]", "M8[s]"))


def test_arrays_stand_for_their_dtypes():
    check(lambda xp: xp.result_type(xp.ones(3, "int8"), 5, xp.ones((), "float32")))
    check(lambda xp: xp.can_cast(xp.ones(3, "int8"), "int64"))
    check(lambda xp: xp.can_cast(5, "int64"))
    assert jujunp.finfo(jujunp.ones(3, "float32")).bits == 32
    assert jujunp.iinfo(jujunp.ones(3, "int8")).max == 127
    check(lambda xp: xp.iinfo(xp.ones(3, "int16").dtype).max)
    check(lambda xp: xp.finfo("int8"))
    check(lambda xp: xp.iinfo("float32"))
    check(lambda xp: xp.common_type(xp.ones(3, "float32"), xp.ones(2, "int8")))
    check(lambda xp: xp.min_scalar_type(300))
    check(lambda xp: xp.min_scalar_type(xp.ones(3, "int16")))
    check(lambda xp: xp.isdtype(xp.ones(3).dtype, ("integral", "real floating")))
    check(lambda xp: xp.isdtype(np.dtype("int8"), "nonsense"))


def test_limits_of_a_dtype_are_one_object():
    for library in (np, jujunp):
        assert library.finfo("f8") is library.finfo(np.float64)
        assert library.finfo("f4") is not library.finfo("f8")


@pytest.mark.parametrize("data", [5, 2.5, [1, 2], [[1], [2]], [], np.zeros((2, 0, 3))], ids=repr)
def test_shapes(data):
    for name in ("ndim", "shape", "size"):
        check(lambda xp, n=name: getattr(xp, n)(data))
        check(lambda xp, n=name: getattr(xp, n)(xp.asarray(data)))
    for axis in (0, 1, -1, (0, 1)):
        check(lambda xp, a=axis: xp.size(data, a))
    for name in ("iscomplexobj", "isrealobj", "isscalar"):
        check(lambda xp, n=name: getattr(xp, n)(data))
        check(lambda xp, n=name: getattr(xp, n)(xp.asarray(data)))
    check(lambda xp: xp.isscalar(xp.asarray([1, 2]).sum()))


def test_who_shares_memory():
    for name in ("may_share_memory", "shares_memory"):
        check(lambda xp, n=name: getattr(xp, n)(xp.ones(3), xp.ones(3)))
    x, y = jujunp.arange(6), np.arange(6)
    pairs = [
        lambda a: (a, a),
        lambda a: (a, a[1:]),
        lambda a: (a[::2], a[1::2]),
        lambda a: (a[:3], a[3:]),
        lambda a: (a.reshape(2, 3).T, a[2:4]),
    ]
    for pair in pairs:
        assert jujunp.may_share_memory(*pair(x)) == np.may_share_memory(*pair(y))
        assert jujunp.shares_memory(*pair(x)) == np.shares_memory(*pair(y))
    assert not jujunp.shares_memory(x, y)


def test_limits_are_classes():
    for name, dtype in (("finfo", "f4"), ("iinfo", "i4")):
        check(lambda xp, n=name, d=dtype: str(getattr(xp, n)(d)))
        assert isinstance(getattr(jujunp, name)[np.float32], GenericAlias)
        assert isinstance(getattr(jujunp, name)(dtype), getattr(jujunp, name))
    assert jujunp.finfo("f4") == jujunp.finfo(jujunp.ones(2, "c8"))
    assert jujunp.finfo("f4") != jujunp.finfo("f8")
    assert len({jujunp.finfo("f4"), jujunp.finfo(np.float32)}) == 1


def test_who_shares_memory_with_arrays_of_numpy():
    x = np.arange(6)
    assert jujunp.may_share_memory(x, x[1:])
    assert jujunp.shares_memory(x, x[1:])
    assert not jujunp.shares_memory(x[::2], x[1::2])
    ours = jujunp.asarray(x)
    assert jujunp.shares_memory(ours, x)
    assert not jujunp.shares_memory(ours.copy(), x)
    assert not jujunp.shares_memory(ours[0], x)


def test_counts_of_structures(monkeypatch):
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    x = np.array([(0, 0), (1, 0), (0, 2)], dtype=[("a", "i4"), ("b", "f8")])
    assert jujunp.count_nonzero(x) == np.count_nonzero(x) == 2


def test_limits_of_long_doubles():
    ours, theirs = jujunp.finfo(np.longdouble), np.finfo(np.longdouble)
    assert ours.tiny == theirs.tiny > 0
    assert ours.max == theirs.max
