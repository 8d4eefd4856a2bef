"""Types with a `__array_ufunc__` of their own, beside classes that are derived from ours."""

from __future__ import annotations

import inspect
import operator
from typing import Any

import numpy as np
import pytest

import jujunp as jj


class Derived(jj.ndarray):
    """Tells of a call."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return "derived", ufunc, method, inputs, kwargs


class Further(Derived):
    """Is asked before the class that it is derived from."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return "further", ufunc, method, inputs, kwargs


class Silent(jj.ndarray):
    """Has no answer."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return NotImplemented


class Foreign:
    """No array at all."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return "foreign", ufunc, method, inputs, kwargs


class Refusing(jj.ndarray):
    """Takes no part in ufuncs."""

    __array_ufunc__ = None  # type: ignore[assignment]


def _of(kind: type) -> Any:
    return kind() if kind is Foreign else jj.arange(3.0).view(kind)


@pytest.mark.parametrize(
    ("kinds", "answer"),
    [
        ((Derived, Foreign), "derived"),
        ((Foreign, Derived), "foreign"),
        ((Silent, Foreign), "foreign"),
        ((Derived, Further), "further"),
    ],
)
def test_who_answers(kinds: tuple[type, type], answer: str) -> None:
    x, y = map(_of, kinds)
    found, ufunc, method, inputs, kwargs = jj.add(x, y, sig="dd->d")
    assert found == answer
    assert ufunc == jj.add == np.add
    assert method == "__call__"
    assert inputs[0] is x
    assert inputs[1] is y
    assert kwargs == {"signature": "dd->d"}


def test_outputs_and_masks_are_asked() -> None:
    x = _of(Derived)
    out = jj.zeros(3)
    kwargs = jj.sin(jj.arange(3.0), x)[4]
    assert kwargs["out"] == (x,) or kwargs["out"][0] is x
    assert jj.sin(out, where=x, out=out)[4]["where"] is x
    assert jj.add.reduce(x, 0, None, out)[4]["out"][0] is out
    assert jj.add.at(x, [0], 1)[2] == "at"
    assert jj.matmul(x, jj.arange(3.0))[1] == np.matmul


def test_a_new_array_of_the_class() -> None:
    class Plain(jj.ndarray):
        pass

    x = jj.asarray(1.0).view(Plain)
    for found in (jj.add(x, 2, out=...), jj.add.reduce(x, out=...), *jj.divmod(x, 2, out=...)):
        assert type(found) is Plain
        assert found.shape == ()


def test_nobody_answers() -> None:
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        jj.add(_of(Silent), 1)
    with pytest.raises(TypeError, match="does not support ufuncs"):
        jj.add(_of(Refusing), 1)
    with pytest.raises(TypeError):
        jj.arange(2).__array_ufunc__(1, 2)


def test_an_old_way_to_share() -> None:
    class Old(jj.ndarray):
        def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
            return super().__dlpack__(stream=None)

    x = jj.arange(3.0)
    found = jj.from_dlpack(x.view(Old))
    assert not found.flags.writeable
    assert jj.from_dlpack(x) is x


def test_arrays_from_a_method() -> None:
    class Made:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return jj.arange(3.0)

    np.testing.assert_array_equal(np.asarray(jj.add(Made(), 1)), [1, 2, 3])
    np.testing.assert_array_equal(np.asarray(jj.asarray(Made(), "i4")), [0, 1, 2])


def test_functions_of_others() -> None:
    x = jj.arange(3.0)
    assert x.__array_function__(lambda y: y is x, (jj.ndarray,), (x,), {})
    assert x.__array_function__(np.sum, (jj.ndarray, Foreign), (x,), {}) is NotImplemented
    assert float(x.__array_function__(jj.sum, (jj.ndarray,), (x,), {})) == 3
    with pytest.raises(TypeError, match="args must be a tuple"):
        x.__array_function__(np.sum, (jj.ndarray,), x, {})
    with pytest.raises(TypeError, match="kwargs must be a dict"):
        x.__array_function__(np.sum, (jj.ndarray,), (x,), ())


class Holding(np.lib.mixins.NDArrayOperatorsMixin):
    """Holds an array, and knows those of one library only."""

    def __init__(self, xp: Any, value: Any) -> None:
        self.xp, self.value = xp, xp.asarray(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if not all(isinstance(x, (self.xp.ndarray, Holding, int)) for x in inputs):
            return NotImplemented
        values = [x.value if isinstance(x, Holding) else x for x in inputs]
        found = getattr(ufunc, method)(*values, **kwargs)
        return None if found is None else Holding(self.xp, found)


@pytest.mark.parametrize("xp", [np, jj])
def test_types_that_know_the_arrays_of_one_library(xp: Any) -> None:
    held = Holding(xp, [1, 2, 3])
    x = jj.arange(3)
    for made in (held + x, x + held, jj.add(x, held), held + 1 - 1 + x):
        assert isinstance(made, Holding)
        assert isinstance(made.value, xp.ndarray)
        assert made.value.tolist() == [1, 3, 5]
    assert (x @ held).value.tolist() == 8
    x += held
    assert isinstance(x, Holding)
    assert jj.negative.at(held, jj.asarray([0, 1])) is None
    assert held.value.tolist() == [-1, -2, 3]
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        jj.add(held, 1.5)


class Given:
    """Gives NumPy an array of ours, which NumPy refuses."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return jj.arange(3.0)


class Wrapping(Given):
    """Wraps the results of ufuncs."""

    def __array_wrap__(self, array: Any, context: Any, return_scalar: bool) -> Any:
        ufunc, args, place = context or (None, (), None)
        return type(self), type(array), array.tolist(), ufunc, len(args), place, return_scalar


class Before(Wrapping):
    """Wraps before others do."""

    __array_priority__ = 10.0


def test_results_are_wrapped_by_what_is_no_array() -> None:
    found = jj.negative(Wrapping())
    assert found == (Wrapping, np.ndarray, [0, -1, -2], np.negative, 1, 0, False)
    assert jj.add(jj.arange(3), Wrapping())[:3] == (Wrapping, np.ndarray, [0, 2, 4])
    assert jj.add(Wrapping(), 1, None)[4] == 2
    assert jj.modf(Wrapping())[1][2:] == ([0, 1, 2], np.modf, 1, 1, False)
    assert jj.add.outer([1], Wrapping())[2] == [[1, 2, 3]]
    reduced = jj.add.reduce(Wrapping())
    assert reduced == (Wrapping, np.ndarray, 3, None, 0, None, True)
    assert jj.add.accumulate(Wrapping())[2] == [0, 1, 3]


@pytest.mark.parametrize("kinds", [(Wrapping, Before), (Before, Wrapping), (Before, jj.ones)])
def test_who_wraps(kinds: tuple[Any, Any]) -> None:
    a, b = (3 if kind is jj.ones else None for kind in kinds)
    x, y = (kind() if n is None else kind(n) for kind, n in zip(kinds, (a, b), strict=True))
    assert jj.add(x, y)[0] is Before


def test_nothing_is_wrapped_in_plain_results() -> None:
    out = jj.zeros(3)
    assert jj.add(Wrapping(), 1, out=out) is out
    assert out.tolist() == [1, 2, 3]
    assert type(jj.negative(Wrapping(), subok=False)) is jj.ndarray


def test_old_signatures_of_wrapping() -> None:
    class Older(Given):
        def __array_wrap__(self, array: Any, context: Any = None) -> Any:
            return "older"

    class Oldest(Given):
        def __array_wrap__(self, array: Any) -> Any:
            return "oldest"

    for kind, answer in ((Older, "older"), (Oldest, "oldest")):
        with pytest.warns(DeprecationWarning, match="__array_wrap__ must accept"):
            assert jj.negative(kind()) == answer


def test_objects_that_give_our_arrays() -> None:
    x = jj.arange(6.0)

    class Seen:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return x[::2]

    assert jj.shape(Seen()) == (3,)
    assert jj.shares_memory(Seen(), x[2:]) is True
    assert jj.may_share_memory(Seen(), jj.arange(3)) is False
    jj.testing.assert_array_equal(Seen(), [0, 2, 4])
    assert sorted(jj.random.default_rng(1).permutation(Seen()).tolist()) == [0, 2, 4]


def test_types_that_take_our_arrays_only() -> None:
    class Picky:
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            if not all(isinstance(x, (jj.ndarray, Picky)) for x in inputs):
                return NotImplemented
            return method, sorted(kwargs)

    x = jj.arange(3.0)
    assert jj.add(x, Picky()) == x + Picky() == ("__call__", [])
    x += Picky()  # type: ignore[arg-type,assignment]
    assert x == ("__call__", ["out"])
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        jj.add(1, Picky())


class Mute:
    """Has no answer to anything."""

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        return NotImplemented


def test_our_arrays_have_no_answer_beside_those_that_have_none() -> None:
    x = jj.arange(3.0)
    assert x.__array_ufunc__(np.add, "__call__", x, Mute()) is NotImplemented
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        np.add(x, Mute())


class _Length:
    """A number with a unit, as libraries have: it answers functions, and holds an array."""

    def __init__(self, number: Any) -> None:
        self.number = number
        self.wanted: Any = None

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> Any:
        self.wanted = dtype
        return self.number if dtype is None else self.number.astype(dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        bound = inspect.signature(function).bind(*args, **kwargs)
        numbers = {
            name: x.number if isinstance(x, _Length) else x for name, x in bound.arguments.items()
        }
        return _Length(function(**numbers))


@pytest.mark.parametrize("strict", ["0", "1"])
@pytest.mark.parametrize("library", [np, jj])
def test_objects_that_hold_arrays_and_answer_functions(
    library: Any, strict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", strict)
    x = _Length(library.arange(6.0))
    clipped = library.clip(x, library.asarray(1.0), _Length(library.asarray(3.0)))
    assert clipped.number.tolist() == [1, 1, 2, 3, 3, 3]
    windows = library.lib.stride_tricks.sliding_window_view(x, 5)
    assert windows.number.tolist() == [[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]
    for _ in range(3):
        made = library.asarray(x)
        assert type(made) is library.ndarray
        assert library.asarray(x, library.float32).dtype == np.float32
        assert x.wanted == np.dtype("float32")
        assert library.asarray(x, dtype="i8").tolist() == [0, 1, 2, 3, 4, 5]


def _times_itself(x: Any, y: Any) -> Any:
    x *= y
    return x


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize(
    "product",
    [
        lambda matrix, x: matrix * x,
        lambda matrix, x: x * matrix,
        lambda matrix, x: _times_itself(matrix.copy(), x),
        lambda matrix, x: _times_itself(x.copy(), matrix),
        lambda matrix, x: matrix * x[0, 1],
        lambda matrix, x: x.sum() * matrix,
    ],
)
def test_products_of_classes_of_numpy_are_their_own(product: Any) -> None:
    """Each time, not only the first."""
    matrix, x = np.matrix([[1.0, 2.0], [3.0, 4.0]]), [[2.0, 1.0], [0.5, 3.0]]
    for _ in range(3):
        found, wanted = product(matrix, jj.array(x)), product(matrix, np.array(x))
        assert isinstance(found, np.matrix) == isinstance(wanted, np.matrix)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


class _Compared:
    """Answers ufuncs, and has no operators."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc.__name__


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne", "add"])
def test_what_answers_ufuncs_is_asked_by_scalars(name: str) -> None:
    call = getattr(operator, name)
    for model in (np.array([2.0, 3.0]), np.array([2, 3]), np.array([2, 3], "f4")):
        x = jj.asarray(model)
        for ours, theirs in ((x, model), (x[0], model[0]), (x.sum(), model.sum())):
            assert call(ours, _Compared()) == call(theirs, _Compared())


class _Asked:
    """Answers functions."""

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function.__name__, len(args), sorted(kwargs)


@pytest.mark.parametrize("name", ["ndim", "size", "shape", "isrealobj", "iscomplexobj"])
def test_what_answers_functions_is_asked_of_what_it_is(name: str) -> None:
    assert getattr(jj, name)(_Asked()) == getattr(np, name)(_Asked())
    with pytest.raises(ValueError, match="inhomogeneous"):
        getattr(np, name)([np.ones(2), _Asked()])
    with pytest.raises(ValueError, match="inhomogeneous"):
        getattr(jj, name)([jj.ones(2), _Asked()])
    assert getattr(jj, name)([jj.ones(2), [1, 2]]) == getattr(np, name)([np.ones(2), [1, 2]])


class _Column:
    """Has elements, and answers ufuncs, as pandas' columns do."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.arange(3.0)

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        return "answered"


def test_joining_by_keys_takes_elements_of_what_answers() -> None:
    x = jj.ones(3)
    assert type(jj.c_[_Column(), x]) is type(jj.r_[_Column(), 1]) is jj.ndarray
    assert jj.c_[_Column(), x].tolist() == np.c_[_Column(), np.ones(3)].tolist()
    assert jj.r_[1, _Column(), x].tolist() == np.r_[1, _Column(), np.ones(3)].tolist()
    assert jj.r_["0,2", _Column()].tolist() == np.r_["0,2", _Column()].tolist()


@pytest.mark.parametrize(
    "given", [np.ma.array([1, 2], mask=[0, 1]), np.array(["a", "b"]), np.matrix([[1, 2]])], ids=repr
)
def test_joining_by_keys_leaves_to_numpy_what_is_its_own(
    given: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUJUNP_STRICT")
    for name in ("r_", "c_"):
        found, wanted = (getattr(xp, name)[given, given] for xp in (jj, np))
        assert type(found).__name__ == type(wanted).__name__
        assert repr(found) == repr(wanted)


@pytest.mark.parametrize("name", ["ndim", "size", "shape", "isrealobj", "iscomplexobj"])
def test_what_is_known_of_lists_of_text(name: str) -> None:
    ours, theirs = (getattr(xp, name)([["a", "b"], xp.ones(2)]) for xp in (jj, np))
    assert ours == theirs
