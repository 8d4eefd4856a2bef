"""Classes derived from our array, as NumPy's documentation derives them from its own."""

from __future__ import annotations

import copy
import math
import operator
import pickle
import sys
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.arguments import NUMPY
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable


def info_class(xp: Any) -> Any:
    """Return a class with an attribute that goes from array to array."""

    class Info(xp.ndarray):  # type: ignore[misc]
        info: Any

        def __new__(cls, given: Any, info: Any = None) -> Any:
            made = xp.asarray(given).view(cls)
            made.info = info
            return made

        def __array_finalize__(self, source: Any) -> None:
            self.info = getattr(source, "info", None)

    return Info


class Pickled(jj.ndarray):
    """One that pickle finds."""


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda xp, x: x,
    "part": lambda xp, x: x[1:],
    "element": lambda xp, x: x[0],
    "picked": lambda xp, x: x[xp.asarray([0, 1])],
    "masked": lambda xp, x: x[x > 2],
    "x + 1": lambda xp, x: x + 1,
    "1 + x": lambda xp, x: 1 + x,
    "x + y": lambda xp, x: xp.ones(6) + x,
    "-x": lambda xp, x: -x,
    "x < 2": lambda xp, x: x < 2,
    "x @ x": lambda xp, x: x @ x,
    "divmod": lambda xp, x: divmod(x, 2),
    "in place": lambda xp, x: x.__iadd__(1),
    "sin": lambda xp, x: xp.sin(x),
    "add": lambda xp, x: xp.add(x, x),
    "out": lambda xp, x: xp.multiply(x, 2, out=x),
    "modf": lambda xp, x: xp.modf(x),
    "reduce": lambda xp, x: xp.add.reduce(x),
    "accumulate": lambda xp, x: xp.add.accumulate(x),
    "reshape": lambda xp, x: x.reshape(2, 3),
    "average": lambda xp, x: xp.average(x),
    "median": lambda xp, x: xp.median(x),
    "nansum": lambda xp, x: xp.nansum(x, 0),
    "digitize": lambda xp, x: xp.digitize(x, x),
    "a copy": lambda xp, x: xp.copy(x),
    "copy as it is": lambda xp, x: xp.copy(x, subok=True),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (2, 6)),
    "broadcast_to as it is": lambda xp, x: xp.broadcast_to(x, (2, 6), subok=True),
    "windows": lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x, 2),
    "windows as they are": lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x, 2, subok=True),
    "T": lambda xp, x: x.T,
    "real": lambda xp, x: (x.real, x.imag),
    "copy": lambda xp, x: x.copy(),
    "astype": lambda xp, x: x.astype(int),
    "flat": lambda xp, x: x.flat[0],
    "sum": lambda xp, x: x.sum(),
    "sum along": lambda xp, x: x.reshape(2, 3).sum(axis=0),
    "sum of": lambda xp, x: xp.sum(x.reshape(2, 3), axis=0),
    "mean": lambda xp, x: xp.mean(x),
    "max": lambda xp, x: xp.max(x),
    "cumsum": lambda xp, x: xp.cumsum(x),
    "sort": lambda xp, x: xp.sort(x),
    "clip": lambda xp, x: xp.clip(x, 0, 2),
    "joined": lambda xp, x: xp.concatenate([x, x]),
    "stacked": lambda xp, x: xp.stack([x, x]),
    "where": lambda xp, x: xp.where(x > 1, x, 0),
    "norm": lambda xp, x: xp.linalg.norm(x),
    "fft": lambda xp, x: xp.fft.fft(x),
    "svd": lambda xp, x: xp.linalg.svd(x.reshape(2, 3)),
    "singular values": lambda xp, x: xp.linalg.svd(x.reshape(2, 3), compute_uv=False),
    "eigh": lambda xp, x: xp.linalg.eigh(x[1:5].reshape(2, 2)),
    "qr": lambda xp, x: xp.linalg.qr(x.reshape(2, 3)),
    "qr raw": lambda xp, x: xp.linalg.qr(x.reshape(2, 3), "raw"),
    "solve": lambda xp, x: xp.linalg.solve(xp.eye(6), x),
    "solve a plain one": lambda xp, x: xp.linalg.solve(x[1:5].reshape(2, 2), xp.ones(2)),
    "lstsq": lambda xp, x: xp.linalg.lstsq(xp.eye(6), x, rcond=None),
    "outer": lambda xp, x: xp.outer(x, x),
    "tril": lambda xp, x: xp.tril(x.reshape(2, 3)),
    "append": lambda xp, x: xp.append(x, x),
    "isin": lambda xp, x: xp.isin(x, [1.0]),
    "histogram": lambda xp, x: xp.histogram(x, 2),
    "in a list": lambda xp, x: xp.array([x, x]),
    "chosen": lambda xp, x: x.astype(int).choose([7, 6, 5, 4, 3, 2]),
    "shape": lambda xp, x: (xp.shape(x), xp.ndim(x), xp.size(x), xp.iscomplexobj(x)),
    "flat part": lambda xp, x: x.flat[1:3],
    "cast to plain": lambda xp, x: x.astype(float, subok=False),
    "method with out": lambda xp, x: x.cumsum(0, None, x),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "atleast_2d": lambda xp, x: xp.atleast_2d(x),
    "zeros_like": lambda xp, x: xp.zeros_like(x),
    "asarray": lambda xp, x: xp.asarray(x),
    "asanyarray": lambda xp, x: xp.asanyarray(x),
    "array": lambda xp, x: xp.array(x),
    "array, subok": lambda xp, x: xp.array(x, subok=True),
    "view": lambda xp, x: x.view(xp.ndarray),
    "view of bits": lambda xp, x: x.view("i8"),
    "copied": lambda xp, x: copy.copy(x),
    "listed": lambda xp, x: x.tolist(),
    "turned": lambda xp, x: (x.reshape(2, 3).transpose(1, 0), x.reshape(2, 3).swapaxes(0, -1)),
    "squeezed": lambda xp, x: (x.squeeze() is x, x[None].squeeze(), x[:1].squeeze()),
    "blocks": lambda xp, x: xp.block([x, x]),
    "rows": lambda xp, x: xp.vstack((x, xp.ones(6))),
    "meshgrid": lambda xp, x: tuple(xp.meshgrid(x, xp.ones(2))),
    "at least": lambda xp, x: xp.atleast_1d(x, xp.ones(2), 1.0),
    "convolve": lambda xp, x: (xp.convolve(x, x), xp.correlate(x, x)),
    "polynomials": lambda xp, x: (xp.polymul(x, x), xp.polyval(x, xp.ones(2)), xp.roots(x[:2])),
    "vecdot": lambda xp, x: (xp.vecdot(x, x), xp.trapezoid(x)),
    "by the first": lambda xp, x: (xp.roll(xp.ones(6), x[:1].astype(int)), xp.roll(x, 1)),
    "differences": lambda xp, x: (xp.ediff1d(xp.ones(2), x), xp.gradient(x), xp.setdiff1d(x, x)),
    "of a shape": lambda xp, x: (xp.zeros(x[:2].astype(int)), xp.full_like(xp.ones(2), x[:2])),
    "counts": lambda xp, x: xp.unique_counts(x),
    "shapes of lists": lambda xp, x: (xp.shape([x, x]), xp.ndim([x]), xp.size([x, x])),
    "an output": lambda xp, x: xp.sum(x, None, None, xp.zeros(())),
    "an output of the class": lambda xp, x: xp.cumsum(xp.ones(6), out=x),
    "a method's output": lambda xp, x: x.cumsum(out=xp.zeros(6)),
    "power": lambda xp, x: (x**2, 2**x, x**x),
    "in place, by itself": lambda xp, x: x.__imul__(x),
    "comparison": lambda xp, x: (x == x, x < xp.ones(6)),
    "rows one by one": lambda xp, x: tuple(x.reshape(2, 3)),
    "split": lambda xp, x: tuple(xp.split(x, 2)),
    "views of views": lambda xp, x: (x[1:][1:].base is x, x.T[::-1].reshape(2, 3).T),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_calls_give(name: str) -> None:
    found, wanted = (
        _seen(CALLS[name](xp, info_class(xp)(xp.arange(6.0), "told"))) for xp in (jj, np)
    )
    assert found == wanted


@pytest.mark.parametrize("name", CALLS)
def test_what_calls_give_for_classes_that_go_first(name: str) -> None:
    found, wanted = (
        _seen(CALLS[name](xp, first_class(xp)(xp.arange(6.0), "told"))) for xp in (jj, np)
    )
    assert found == wanted


def first_class(xp: Any) -> Any:
    """Return such a class that goes before plain arrays where they are joined."""
    return type("First", (info_class(xp),), {"__array_priority__": 5.0})


def test_what_a_class_gets_later_is_found() -> None:
    def outcomes(xp: Any) -> list[Any]:
        kind = info_class(xp)
        x = kind(xp.arange(6.0), "told")
        found = [_seen(xp.sum(x)), _seen(x + 1), _seen(xp.sin(x)), _seen(x[1:])]
        kind.sum = lambda self, *args, **named: "its sum"
        found += [_seen(xp.sum(x)), _seen(x.sum())]
        kind.__array_finalize__ = lambda self, source: setattr(self, "info", "later")
        found += [_seen(x + 1), _seen(x[1:]), _seen(xp.sin(x))]
        kind.__getitem__ = lambda self, key: xp.ndarray.__getitem__(self, key).reshape(-1, 1)
        x[1:4] = xp.asarray([[1.0], [2], [3]])
        del kind.__getitem__
        kind.__array_ufunc__ = lambda self, ufunc, method, *args, **named: ufunc.__name__
        found += [x.tolist(), _seen(x + 1), _seen(xp.sin(x)), _seen(-x), _seen(x**2)]
        kind.__array_function__ = lambda self, function, types, args, named: function.__name__
        return [*found, _seen(xp.mean(x)), _seen(xp.stack([x, x]))]

    assert outcomes(jj) == outcomes(np)


def test_errors_of_finishing_are_raised_at_the_call() -> None:
    def outcomes(xp: Any) -> list[str]:
        class Refusing(xp.ndarray):  # type: ignore[misc]
            def __array_finalize__(self, source: Any) -> None:
                if self.ndim == 1:
                    raise ValueError("refused")

        x = xp.ones((2, 3)).view(Refusing)
        calls = (
            *(lambda: x + 1, lambda: x[0], lambda: x[:, 0], lambda: x.ravel(), lambda: x.T),
            *(
                lambda: xp.mean(x, axis=0),
                lambda: x.sum(axis=1),
                lambda: xp.sin(x),
                lambda: x[0, 0],
            ),
            *(lambda: xp.split(x, [1]), lambda: xp.ones(3).view(Refusing), lambda: xp.diagonal(x)),
            *(lambda: x.reshape(6), lambda: xp.repeat(x, 2)),
        )
        found = []
        for call in calls:
            try:
                found.append(type(call()).__name__)
            except ValueError as error:
                found.append(str(error))
        return [name.replace("float64", "float") for name in found]

    assert outcomes(jj) == outcomes(np)


def test_nothing_of_arrays_of_a_class_is_kept() -> None:
    kind = info_class(jj)
    x = kind(jj.arange(6.0), "told")
    seen = [weakref.ref(y) for y in (x + 1, x[1:], x.T, x.copy(), jj.sin(x), jj.stack([x, x]))]
    assert not any(reference() for reference in seen)
    calls = (
        *(lambda: x + x, lambda: x[1:][1:], lambda: x.T, lambda: jj.sum(x), lambda: x.max()),
        *(lambda: x.reshape(2, 3)[0], lambda: jj.split(x, 2), lambda: jj.atleast_2d(x, 1)),
        *(lambda: jj.concatenate([x, x]), lambda: x.view(jj.ndarray), lambda: x.view(kind)),
        *(lambda: x.__iadd__(1), lambda: x**2, lambda: -x, lambda: x < 2, lambda: x[x > 2]),
    )
    told = x.info = object()
    for call in calls:
        for _ in range(10):
            call()
    jj.flush(x)
    before = sys.getrefcount(x), sys.getrefcount(x.base), sys.getrefcount(told)
    for call in calls:
        for _ in range(100):
            call()
    jj.flush(x)
    assert (sys.getrefcount(x), sys.getrefcount(x.base), sys.getrefcount(told)) == before


def _seen(x: Any) -> Any:
    """Return the class, the attribute and the text of a result."""
    if isinstance(x, tuple):
        return [_seen(y) for y in x]
    kind = "scalar" if isinstance(x, np.generic) else type(x).__name__
    return kind, getattr(x, "info", None), repr(x)


def test_writes_go_to_the_memory() -> None:
    whole = jj.arange(6.0)
    x = info_class(jj)(whole, "told")
    x[1:3] = 7
    x += 1
    x[x > 7] *= 2
    assert whole.tolist() == [1, 16, 16, 4, 5, 6]
    np.asarray(x)[0] = 50
    assert whole[0] == 50


def test_the_constructor() -> None:
    seen: list[Any] = []

    class Told(jj.ndarray):
        def __array_finalize__(self, source: Any) -> None:
            seen.append(source)

    made = Told((2, 3))
    assert type(made) is Told
    assert seen == [None]
    part = made[1]
    assert seen[1] is made
    assert type(part) is Told


@pytest.mark.parametrize("order", [None, "C", "F"])
@pytest.mark.parametrize("dtype", [float, None, "f8", np.dtype("<f8"), "i8", "f4"])
@pytest.mark.parametrize("shape", [(6,), 6, (2, 3), (3,), [6], (3, 2)])
def test_the_constructor_over_arrays(shape: Any, dtype: Any, order: Any) -> None:
    def made(xp: Any) -> Any:
        class Own(xp.ndarray):  # type: ignore[misc]
            pass

        found = []
        for x in (xp.arange(6.0), xp.arange(6.0).reshape(2, 3), xp.arange(6.0).reshape(3, 2).T):
            for kind in (xp.ndarray, Own):
                y = kind(shape, dtype, x, order=order)
                if dtype is float:
                    y[..., :1] = 7
                found.append((type(y).__name__, y.dtype, y.shape, y.strides, y.tolist()))
            x.flags.writeable = False
            found.append((xp.ndarray(shape, dtype, x).flags.writeable, x.tolist()))
        return found

    assert made(jj) == made(np)


def test_answers_of_their_own() -> None:
    class Own(jj.ndarray):
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
            plain = [x.view(jj.ndarray) if isinstance(x, Own) else x for x in inputs]
            return ufunc.__name__, method, getattr(ufunc, method)(*plain, **named)

        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
            return function.__name__, Own in types

    x = jj.arange(3.0).view(Own)
    name, method, found = jj.add(x, 1)
    assert (name, method, found.tolist()) == ("add", "__call__", [1, 2, 3])
    assert jj.multiply.reduce(x)[1] == "reduce"
    assert jj.concatenate([x, x]) == ("concatenate", True)


def test_results_are_wrapped() -> None:
    class Wrapped(jj.ndarray):
        def __array_wrap__(
            self, array: Any, context: Any = None, return_scalar: bool = False
        ) -> Any:
            return "wrapped", np.asarray(array).tolist()

    x = jj.arange(3.0).view(Wrapped)
    assert jj.negative(x) == ("wrapped", [0, -1, -2])


def test_priorities() -> None:
    class Low(jj.ndarray):
        __array_priority__ = 1.0

    class High(jj.ndarray):
        __array_priority__ = 2.0

    low, high = jj.ones(2).view(Low), jj.ones(2).view(High)
    assert type(jj.add(low, high)) is type(jj.add(high, low)) is High


def test_pickles() -> None:
    x = jj.arange(3.0).view(Pickled)
    x.note = "kept"
    found = pickle.loads(pickle.dumps(x))
    assert type(found) is Pickled
    assert (found.tolist(), found.note) == ([0, 1, 2], "kept")


class Noted(jj.ndarray):
    """Adds to the states of NumPy's pickles, as its guide shows."""

    def __array_finalize__(self, given: Any) -> None:
        self.note = getattr(given, "note", "none")

    def __reduce__(self) -> Any:
        function, args, state = super().__reduce__()
        return function, args, (*state, self.note)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[:-1])
        self.note = state[-1]


@pytest.mark.parametrize("model", [np.arange(3.0), np.ones((2, 3), "i2").T, np.zeros((0, 2))])
def test_pickles_with_states_of_their_own(model: Any) -> None:
    x = jj.asarray(model).view(Noted)
    x.note = "kept"
    for found in (pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x, 2))):
        assert type(found) is Noted
        assert (found.tolist(), found.dtype, found.note) == (model.tolist(), model.dtype, "kept")
        found += 1
        assert found.tolist() == (model + 1).tolist()


@pytest.mark.parametrize(
    "asked", [None, "C", ["C", "E"], ["O", "W"], ["F", "ENSUREARRAY"]], ids=str
)
def test_requirements_keep_the_class(asked: Any) -> None:
    class Array(np.ndarray):
        pass

    x, wanted = jj.ones(4).view(Pickled)[::2], np.ones(4).view(Array)[::2]
    found = jj.require(x, float, asked)
    assert (type(found) is Pickled) == (type(np.require(wanted, float, asked)) is Array)


def test_classes_of_numpy() -> None:
    x = jj.arange(4.0).reshape(2, 2)
    matrix = x.view(np.matrix)
    assert type(matrix) is np.matrix
    matrix[0, 0] = 9
    assert x[0, 0] == 9
    assert (np.ma.array(x, mask=[[1, 0], [0, 0]]).sum(), np.ma.masked_less(x, 2).count()) == (6, 3)
    assert type(x.view(np.ndarray)) is jj.ndarray  # which is what `x.__class__` says
    record = np.rec.fromarrays([x[0], x[1]], names="a,b")
    assert record.b.tolist() == [2, 3]


class Second(jj.ndarray):
    __array_priority__ = 101.0


class First(jj.ndarray):
    __array_priority__ = 102.0


@pytest.mark.parametrize("name", ["add", "matmul", "eq", "pow", "lshift"])
def test_the_class_with_the_highest_priority(name: str) -> None:
    x, y = jj.arange(2).view(First), jj.arange(2).view(Second)
    call = getattr(operator, name)
    assert type(call(x, y)) is First
    assert type(call(y, x)) is First


@pytest.mark.parametrize("priority", [None, property(lambda x: 1 // 0), "a"])
def test_priorities_that_are_none(priority: Any) -> None:
    kind = type("Odd", (), {"__array_priority__": priority, "__array__": lambda x: np.ones(2)})
    assert (jj.arange(2) + kind()).tolist() == [1, 2]


def test_applying_functions_keeps_the_class() -> None:
    x = jj.ones((2, 3)).view(Pickled)
    seen = []

    def total(line: Any) -> Any:
        seen.append(type(line))
        return line.sum()

    found = jj.apply_along_axis(total, 0, x)
    assert type(found) is Pickled
    assert found.tolist() == [2.0, 2.0, 2.0]
    assert set(seen) == {Pickled}
    double = jj.apply_along_axis(lambda line: (2 * line).view(Pickled), 1, jj.ones((2, 3)))
    assert type(double) is Pickled
    assert double.tolist() == [[2.0] * 3] * 2
    assert type(jj.apply_along_axis(lambda line: 1, 0, x)) is jj.ndarray


def test_vectorized_functions_keep_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    x = jj.ones((2, 3)).view(Pickled)
    found = jj.vectorize(lambda a, b: a + b)(1, x)
    assert type(found) is Pickled
    assert found.tolist() == [[2.0] * 3] * 2
    pair = jj.vectorize(lambda a: (a, -a))(x)
    assert [type(one) for one in pair] == [Pickled, Pickled]


def test_arrays_that_are_spread_together_keep_their_own_classes() -> None:
    x, y = jj.ones(3).view(Pickled), jj.ones((2, 1))
    assert [type(z) for z in jj.broadcast_arrays(x, y, subok=True)] == [Pickled, jj.ndarray]
    assert [type(z) for z in jj.broadcast_arrays(x, y)] == [jj.ndarray] * 2


ASKING: list[Any] = [
    lambda x: x + 1,
    lambda x: 1 - x,
    lambda x: x < 2,
    lambda x: -x,
    lambda x: x**2,
    lambda x: x**3,
    lambda x: x @ x,
    lambda x: divmod(x, 2),
    lambda x: x.sum(axis=0, keepdims=True),
    lambda x: x.max(0),
    lambda x: x.all(),
]


@pytest.mark.parametrize("call", ASKING)
def test_operators_and_methods_ask(call: Any) -> None:
    def told(xp: Any) -> Any:
        class Own(xp.ndarray):
            def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kw: Any) -> Any:
                return ufunc.__name__, method, len(inputs), kw.get("axis"), kw.get("dtype")

        return call(xp.arange(3.0).view(Own))

    assert told(jj) == told(np)


def test_operators_are_wrapped() -> None:
    class Wrapped(jj.ndarray):
        def __array_wrap__(
            self, array: Any, context: Any = None, return_scalar: bool = False
        ) -> Any:
            return "wrapped", context and context[1]

    x, out = jj.arange(3.0).view(Wrapped), jj.zeros(3).view(Wrapped)
    assert (x + 1)[0] == jj.add(x, 1)[0] == x.sum()[0] == "wrapped"  # type: ignore[index]
    name, args = jj.add(jj.ones(3), 1, out=out)
    assert (name, len(args), args[2] is out) == ("wrapped", 3, True)


@pytest.mark.parametrize("priority", [-1.0, 0.0, 5.0])
def test_what_wraps_is_told(priority: float) -> None:
    def told(xp: Any) -> Any:
        class Wrapped(xp.ndarray):  # type: ignore[misc]
            __array_priority__ = priority

            def __array_wrap__(
                self, array: Any, context: Any = None, return_scalar: bool = False
            ) -> Any:
                name = context and context[0].__name__
                places = context and [type(x).__name__ for x in context[1]]
                seen.append((array.shape, name, places, context and context[2], return_scalar))
                return super().__array_wrap__(array, context, return_scalar)

        seen: list[Any] = []
        x, plain = xp.arange(6.0).reshape(2, 3).view(Wrapped), xp.ones(3)
        made = [x + 1, 2 - x, x * x, plain * x, x * plain, -x, x > 1, xp.sin(x), xp.add(x, x)]
        made += [x.sum(), x.sum(0), x.max(axis=1, keepdims=True), x.any(), x.sum(0, where=x > 1)]
        made += [x.sum(initial=2.0), x.prod(dtype=complex)]
        x += 1
        x *= plain
        made += [x, x[0, 0] + x[1], divmod(x, 2)[0]]
        return seen, [(type(y).__name__, np.asarray(y).tolist()) for y in made]

    assert told(jj) == told(np)


def test_functions_ask_methods() -> None:
    class Own(jj.ndarray):
        def sum(self, axis: Any, out: Any) -> Any:  # type: ignore[override]
            return "summed"

        def squeeze(self) -> Any:  # type: ignore[override]
            return "squeezed"

    x = jj.ones((2, 1)).view(Own)
    assert (jj.sum(x), jj.squeeze(x), jj.squeeze(x, axis=None)) == (
        "summed",
        "squeezed",
        "squeezed",
    )
    for call in (lambda: jj.sum(x, keepdims=True), lambda: jj.squeeze(x, axis=1)):
        with pytest.raises(TypeError):
            call()


def test_methods_of_ours_in_methods_of_the_class() -> None:
    class Own(jj.ndarray):
        def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:  # type: ignore[override]
            return super().sum(axis, dtype, out, keepdims=True)

        def argmax(self, axis: Any = None, out: Any = None) -> Any:  # type: ignore[override]
            return jj.ndarray.argmax(self, axis, out)

    x = jj.arange(6.0).reshape(2, 3).view(Own)
    for found in (x.sum(1), jj.sum(x, 1), jj.nansum(x, 1), jj.nansum(a=x, axis=1)):
        assert (type(found), found.tolist()) == (Own, [[3], [12]])
    assert jj.argmax(x, 0).tolist() == [1, 1, 1]


def test_writes_go_to_the_part_that_the_class_gives() -> None:
    def written(xp: Any) -> Any:
        class Columns(xp.ndarray):
            def __getitem__(self, key: Any) -> Any:
                return xp.ndarray.__getitem__(self, key).reshape(-1, 1)

        x = xp.zeros((2, 3)).view(Columns)
        x[:, 1] = [[1], [2]]
        return np.asarray(x).tolist()

    assert written(jj) == written(np) == [[0, 1, 0], [0, 2, 0]]


def test_joined_arrays_are_of_the_class_with_a_priority() -> None:
    x, y = jj.ones(2).view(First), jj.ones(2).view(Second)
    for call in (jj.concatenate, jj.hstack):
        assert type(call([y, x, jj.ones(2)])) is First
    assert type(jj.concatenate([jj.ones(2).view(Pickled), jj.ones(2)])) is jj.ndarray


def test_attributes_are_set() -> None:
    x = jj.arange(6).view(Pickled)
    x.real = 2
    x.shape = 2, 3
    assert (type(x), x.tolist()) == (Pickled, [[2] * 3] * 2)


def test_resize_of_a_class() -> None:
    x = jj.arange(6).view(Pickled)
    x.resize((3, 2))
    assert (type(x), x.shape) == (Pickled, (3, 2))


def test_scalars_beside_arrays_of_a_class() -> None:
    x = jj.arange(3.0).view(Pickled)
    one = jj.ones(2)[0]
    assert type(one + x) is type(x + one) is type(np.float64(1) + x) is Pickled


def test_what_arrays_are_views_of() -> None:
    """`base` is what an array was seen from, or the first of its class that this is a view of."""

    def program(xp: Any) -> dict[str, str | None]:
        class First(xp.ndarray):
            pass

        class Second(First):
            pass

        a = xp.arange(6.0)
        made = {"a": a, "b": a[1:]}
        made["of all"] = made["a"].view(First)
        made["of a view"] = made["b"].view(First)
        made["slice"] = made["of all"][1:]
        made["slice of a slice"] = made["slice"][1:]
        made["slice of a view"] = made["of a view"][1:]
        made["other class"] = made["slice"].view(Second)
        made["slice of that"] = made["other class"][1:]
        made["back"] = made["slice of that"].view(First)
        made["reshaped"] = made["of all"].reshape(2, 3)
        made["transposed"] = made["reshaped"].T
        names = {id(x): name for name, x in made.items()}
        found = {name: names.get(id(x.base)) for name, x in made.items()}
        for name in ("sum", "picked"):
            x = made["of all"]
            found[name] = type((x + 1 if name == "sum" else x[[0, 1]]).base).__name__
        return found

    assert program(jj) == program(np)


def test_sources_are_kept_no_longer_than_views() -> None:
    class Class(jj.ndarray):
        pass

    x = jj.arange(6.0)[1:].view(Class)
    source, view = weakref.ref(x), x[1:]
    del x
    assert view.base is source()
    del view
    assert source() is None


def test_views_of_what_can_be_written_can_be_made_writable() -> None:
    def program(xp: Any) -> list[Any]:
        class Class(xp.ndarray):
            pass

        found = []
        x = xp.arange(4.0)
        between = x.view(Class)
        for view in (between, between[1:], x[1:]):
            for owner, middle in ((True, True), (False, True), (False, False)):
                x.flags.writeable = view.flags.writeable = True
                between.flags.writeable = True
                x.flags.writeable, between.flags.writeable = owner, middle
                view.flags.writeable = False
                try:
                    view.flags.writeable = True
                    found.append(True)
                except ValueError:
                    found.append(False)
                x.flags.writeable = True
        return found

    check(program)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_a_median_is_the_mean_of_a_class(axis: int | None) -> None:
    def program(xp: Any) -> list[Any]:
        class Class(xp.ndarray):
            def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
                return self.sum(axis=axis), axis, type(self).__name__

        found = []
        for extents in ((3, 4), (4, 5), (1, 2)):
            x = (xp.arange(math.prod(extents)).reshape(extents) * 7 % 11).view(Class)
            total, along, name = xp.median(x, axis=axis)
            found.append((xp.asarray(total), along, name))
        return found

    check(program)


def test_answers_that_leave_the_call_to_the_base_class() -> None:
    def made(np_: Any) -> list[str]:
        class Asked(np_.ndarray):  # type: ignore[misc]
            def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
                return super().__array_function__(func, types, args, kwargs)

        x = np_.arange(12.0).reshape(3, 4).view(Asked)
        found = (
            *(np_.ones_like(x), np_.roll(x, 1), np_.concatenate([x, x]), np_.diff(x)),
            *(np_.where(x > 3, x, 0), np_.broadcast_to(x, (2, 3, 4)), np_.dot(x, x.T)),
            *(np_.sum(x, 0), np_.clip(x, 1, 5), np_.sort(x), np_.einsum("ij,kj", x, x)),
            *np_.split(x, 3),
        )
        return [type(y).__name__ for y in found]

    assert made(jj) == made(np)


def test_classes_that_get_an_answer_later() -> None:
    class Late(jj.ndarray):
        pass

    x = jj.arange(3.0).view(Late)
    assert (x + 1).tolist() == [1, 2, 3]
    Late.__array_ufunc__ = lambda self, *_, **__: "answered"  # type: ignore[method-assign, assignment]
    assert [x + 1, jj.add(x, 1), jj.sin(x)] == ["answered"] * 3
    del Late.__array_ufunc__
    assert (x + 1).tolist() == [1, 2, 3]


@pytest.mark.parametrize("library", [jj, np])
def test_classes_see_to_dtypes_of_views(library: Any) -> None:
    seen: list[Any] = []

    class Own(library.ndarray):
        def __array_finalize__(self, obj: Any) -> None:
            seen.append(super().dtype)

        @property
        def dtype(self) -> Any:
            return super().dtype

        @dtype.setter
        def dtype(self, dtype: Any) -> None:
            seen.append(dtype)
            ndarray.dtype.__set__(self, np.dtype(dtype))

    ndarray = library.ndarray
    x = library.arange(6.0).view(Own)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = x.view(np.int64)
    assert type(found) is Own
    assert found.dtype == "int64"
    assert seen == ["float64", "float64", "int64"]
    messages = [str(one.message) for one in caught if one.filename == __file__]
    assert any("custom `dtype` setter" in text for text in messages) is (NUMPY >= (2, 5))

    class Silent(library.ndarray):
        def __array_finalize__(self, obj: Any) -> None:
            seen.append(self.dtype)

    del seen[:]
    assert library.arange(6.0).view(np.int64, Silent).dtype == "int64"
    assert seen == ["float64"]
