"""`like=`: arrays made by another type."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp

CALLS = {
    "array": ((1,), {}),
    "asarray": ((1,), {}),
    "asanyarray": ((1,), {}),
    "ascontiguousarray": ((1,), {}),
    "asfortranarray": ((1,), {}),
    "require": ((1,), {}),
    "empty": ((2,), {}),
    "zeros": ((2,), {}),
    "ones": ((2,), {}),
    "full": ((2, 3), {}),
    "arange": ((3,), {}),
    "eye": ((3,), {}),
    "identity": ((3,), {}),
    "tri": ((3,), {}),
    "frombuffer": ((b"\x00" * 8,), {}),
    "fromiter": ((range(3), int), {}),
    "fromfunction": ((lambda i: i, (2,)), {}),
    "fromstring": (("1,2",), {"sep": ","}),
}


class Maker:
    """A type that makes arrays itself: it names the function."""

    def __array_function__(self, function, types, args, kwargs):
        assert "like" not in kwargs
        assert types == (Maker,)
        return function, args


@pytest.mark.parametrize("name", CALLS)
def test_like(name, monkeypatch):
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    function = getattr(jujunp, name)
    args, kwargs = CALLS[name]
    found, given = function(*args, **kwargs, like=Maker())
    assert found is function
    assert given[0] is args[0]
    with pytest.raises(TypeError, match="The `like` argument must be an array-like"):
        function(*args, **kwargs, like=[1])
    for like in (None, jujunp.ones(2), np.ones(2)):
        assert type(function(*args, **kwargs, like=like)) is jujunp.ndarray


def test_a_type_without_an_answer():
    class Silent:
        def __array_function__(self, function, types, args, kwargs):
            return NotImplemented

    with pytest.raises(TypeError, match=r"no implementation found for 'numpy\.asarray'"):
        jujunp.asarray(1, like=Silent())
