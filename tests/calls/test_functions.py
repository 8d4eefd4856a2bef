"""Functions as attributes of classes, as NumPy's are."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import jujunp


@pytest.mark.parametrize("name", ["array", "zeros", "arange", "sum", "where", "mean"])
def test_methods(name: str) -> None:
    def is_bound(library: Any) -> bool:
        made = type("Made", (), {name: getattr(library, name)})
        return getattr(made(), name) is not getattr(library, name)

    assert is_bound(jujunp) == is_bound(np)


def test_free_functions_look_like_others() -> None:
    class Made:
        array = jujunp.array

    assert Made().array([1], dtype="int8").dtype == "int8"
    assert repr(jujunp.array) == "<function jujunp.array>"
    assert pickle.loads(pickle.dumps(jujunp.array)) is jujunp.array
