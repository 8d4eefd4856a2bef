"""Methods of `ndarray` that a derived class calls: they give arrays of the class, as NumPy's do."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
import pytest

import jujunp as jj

OPERATORS = [
    *("add", "radd", "sub", "rsub", "mul", "truediv", "floordiv", "mod", "pow", "divmod", "matmul"),
    *("eq", "ne", "lt", "ge", "and", "or", "xor", "lshift", "iadd", "imul", "ifloordiv", "ipow"),
]
METHODS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("__neg__", "__abs__", "__pos__", "__invert__", "sum", "copy", "ravel"), ()),
    **dict.fromkeys(("flatten", "transpose", "max", "cumsum", "round", "argsort", "squeeze"), ()),
    **dict.fromkeys(("std", "any", "conj", "prod", "byteswap", "__copy__", "trace", "tolist"), ()),
    **{"mean": (0,), "reshape": (3, 2), "astype": (float,), "clip": (1, 2), "take": ([0, 1],)},
    **{"repeat": (2,), "swapaxes": (0, 1), "all": (0,), "compress": ([True, False], 0)},
    **{"__deepcopy__": ({},), "var": (0,), "partition": (1,), "item": (0,)},
}
KEYS: dict[str, Any] = {
    "slice": slice(1, None),
    "element": (0, 1),
    "row": 1,
    "new axis": None,
    "all": ...,
    "element with dots": (0, 1, ...),
    "list": [1, 0],
    "mask": [True, False],
    "out of bounds": 2,
    "out of bounds backwards": -3,
}


def _classes(xp: Any) -> dict[str, Any]:
    class Simple(xp.ndarray):
        pass

    class Further(Simple):
        pass

    class Preferred(xp.ndarray):
        __array_priority__ = 5

    class Calling(xp.ndarray):
        def __add__(self, other: Any) -> Any:
            return super().__add__(other)

        def __getitem__(self, key: Any) -> Any:
            return super().__getitem__(key)

        def __eq__(self, other: Any) -> Any:
            return xp.ndarray.__eq__(self, other)

        __hash__ = None

        def sum(self, *args: Any, **names: Any) -> Any:
            return super().sum(*args, **names)

        def reshape(self, *shape: Any) -> Any:
            return xp.ndarray.reshape(self, *shape)

        @property
        def T(self) -> Any:
            return super().T

    return {one.__name__: one for one in (Simple, Further, Preferred, Calling)}


def _described(call: Any) -> Any:
    try:
        found = call()
    except Exception as error:
        return type(error)
    if isinstance(found, tuple):
        return [
            _described(functools.partial(operator.getitem, found, k)) for k in range(len(found))
        ]
    name = found.__class__.__name__
    elements = np.asarray(found)
    return name, elements.dtype, elements.shape, str(elements.tolist())


def _pair(name: str) -> Any:
    for xp in (jj, np):
        kinds = _classes(xp)
        yield xp, kinds, xp.arange(6).view(kinds[name]).reshape(2, 3)


@pytest.mark.parametrize("name", ["Simple", "Further", "Preferred", "Calling"])
@pytest.mark.parametrize("operation", OPERATORS)
def test_operators(operation: str, name: str) -> None:
    found: list[list[Any]] = []
    for xp, kinds, x in _pair(name):
        plain = xp.arange(6).reshape(2, 3) + 1
        others = [2, plain, x, *(plain.view(kind) for kind in kinds.values()), [1, 2, 3]]
        if operation == "matmul":
            others = [other.T for other in others if hasattr(other, "T")]
        method = getattr(xp.ndarray, f"__{operation}__")
        found.append([_described(lambda: method(x.copy(), other)) for other in others])  # noqa: B023
        if hasattr(operator, operation):
            call = getattr(operator, operation)
            found[-1] += [_described(lambda: call(other, x.copy())) for other in others]  # noqa: B023
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["Simple", "Further", "Preferred", "Calling"])
@pytest.mark.parametrize("method", METHODS)
def test_methods(method: str, name: str) -> None:
    found = []
    for xp, _, x in _pair(name):
        calls = [getattr(xp.ndarray, method), getattr(type(x), method)]
        found.append([_described(lambda: call(x.copy(), *METHODS[method])) for call in calls])  # noqa: B023
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["Simple", "Preferred", "Calling"])
@pytest.mark.parametrize("key", KEYS)
def test_parts(key: str, name: str) -> None:
    found = []
    for xp, _, x in _pair(name):
        given = np.asarray(KEYS[key]) if isinstance(KEYS[key], list) else KEYS[key]
        found.append([_described(lambda: x[given])])  # noqa: B023
        found[-1] += [_described(lambda: xp.ndarray.__getitem__(x, given))]  # noqa: B023
        x.reshape(-1)[0] = 9
        found[-1] += [_described(lambda: x), _described(lambda: list(x)[1])]  # noqa: B023
        found[-1] += [_described(lambda: getattr(x, one)) for one in ("T", "mT", "real", "imag")]  # noqa: B023
    assert found[0] == found[1]
