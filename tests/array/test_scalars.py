"""What scalars are taken for, and what they can do, as NumPy's."""

from __future__ import annotations

import collections.abc
import copy
import fractions
import math
import numbers
import operator
import pickle
import statistics
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import DTYPES, check

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = (
    *(np.generic, np.number, np.integer, np.floating, np.complexfloating, np.inexact, np.bool_),
    *(np.float64, np.float32, np.int64, np.uint8, np.complex128),
    *(float, int, complex, bool),
    *(numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral),
)


def pair(dtype: Any, pending: bool) -> tuple[Any, Any]:
    """Return a scalar of ours, which may be pending, and NumPy's."""
    made = np.array([3, 5]).astype(dtype)
    ours = jj.array(made)
    if pending and dtype != "bool":
        return (ours + made.dtype.type(0)).max() if made.dtype.kind != "c" else ours.prod(), (
            made.max() if made.dtype.kind != "c" else made.prod()
        )
    return ours[0], made[0]


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_they_are_taken_for(dtype: Any, pending: bool) -> None:
    ours, theirs = pair(dtype, pending)
    flushes = jj.stats()["flushes"]
    assert [isinstance(ours, kind) for kind in KINDS] == [isinstance(theirs, k) for k in KINDS]
    assert np.isscalar(ours)
    assert ours.__class__ is type(theirs)
    assert jj.stats()["flushes"] == flushes  # nothing is computed for that
    assert type(ours) is not type(theirs)  # by which libraries choose a namespace


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_their_types_stand_for_a_dtype(dtype: Any, pending: bool) -> None:
    ours, theirs = pair(dtype, pending)
    kind, numpys = type(ours), type(theirs)
    assert kind == numpys
    assert numpys == kind
    assert kind in (str, numpys)
    assert kind.__name__ == numpys.__name__
    others = {np.dtype(other).type for other in DTYPES} - {numpys}
    assert not any(kind == other or other == kind for other in (*others, str, float, "a", None))
    assert [np.issubdtype(kind, k) for k in KINDS[:6]] == [issubclass(numpys, k) for k in KINDS[:6]]
    assert np.dtype(kind) == jj.dtype(kind) == theirs.dtype
    for made in (jj.zeros(2, kind), jj.array([1, 2], kind), jj.arange(3).astype(kind)):
        assert type(made) is jj.ndarray
        assert made.dtype == theirs.dtype
    assert jj.result_type(kind, kind) == theirs.dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_their_types_make_numbers(dtype: Any) -> None:
    ours, theirs = pair(dtype, False)
    kind, numpys = type(ours), type(theirs)
    for value in (1, True, ours, theirs, jj.array(1.0), *(() if dtype == "bool" else ("1",))):
        made = kind(value)
        assert made.dtype == numpys(np.asarray(value)[()]).dtype
        assert made == numpys(value if isinstance(value, str) else np.asarray(value)[()])
    with pytest.raises(TypeError):
        kind([1, 2])


def test_known_and_pending_numbers_are_of_one_type() -> None:
    x = jj.arange(3.0)
    known, pending = x[1], (x + 1).sum()
    assert type(known) is not type(pending)  # one is a float of Python's
    assert operator.eq(type(known), type(pending))
    assert hash(type(known)) == hash(type(pending))
    assert isinstance(pending, type(known))
    assert isinstance(known, type(pending))
    assert isinstance(np.float64(1), type(known))
    assert not isinstance(1.0, type(known))
    assert not isinstance(x.astype("f4")[0], type(known))
    with pytest.raises(TypeError, match="'<' not supported"):
        operator.lt(type(known), type(pending))


CALLS: dict[str, Callable[[Any], Any]] = {
    "hash": hash,
    "text": lambda x: f"{x} {x!r}",
    "format": lambda x: format(x, ">9"),
    "round": round,
    "round to one": lambda x: round(x, 1),
    "round to tens": lambda x: round(x, -1),
    "divmod": lambda x: divmod(x, 2),
    "reflected divmod": lambda x: divmod(7, x),
    "fraction": fractions.Fraction,
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "copied": copy.deepcopy,
    "as an index": lambda x: [0, 1, 2, 3, 4, 5, 6][x],
    "range": lambda x: list(range(x)),
    "repeated": lambda x: "ab" * x,
    "square root": math.sqrt,
    "floor": math.floor,
    "in a set": lambda x: x in {3, 5, 15},
    "ellipsis": lambda x: (x[...].shape, type(x[...]).__name__),
    "nothing": lambda x: x[()],
    "new axis": lambda x: x[None],
    "real": lambda x: (x.real, x.imag),
    "hex": lambda x: x.hex(),
    "numerator": lambda x: (x.numerator, x.denominator),
    "byteswap": lambda x: x.byteswap(),
    "flat": lambda x: list(x.flat),
    "is_integer": lambda x: x.is_integer(),
    "no attribute": lambda x: x.nonsense,
    "mean": lambda x: float(statistics.mean([x, x])),
    "sum": lambda x: sum([x, x]),
    "bytes": lambda x: x.tobytes(),
}


CASES = [
    (name, dtype)
    for name in CALLS
    for dtype in ("float64", "float32", "int64", "uint8", "complex128")
    if (name, dtype) != ("floor", "complex128")  # of which NumPy takes the real part, and warns
]


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_what_they_do(name: str, dtype: str, pending: bool) -> None:
    ours, theirs = pair(dtype, pending)
    found, wanted = (_outcome(CALLS[name], x) for x in (ours, theirs))
    if isinstance(wanted, Exception):
        assert isinstance(found, type(wanted)), (found, wanted)
        return
    assert repr(found) == repr(wanted)
    assert found.__class__ is wanted.__class__ or type(found) is jj.ndarray


def _outcome(call: Callable[[Any], Any], x: Any) -> Any:
    try:
        return call(x)
    except Exception as error:
        return error


@pytest.mark.parametrize("kind", ["Sized", "Iterable", "Collection", "Sequence", "Hashable"])
@pytest.mark.parametrize("dtype", ["bool", "int64", "float64", "complex128"])
def test_they_are_no_sequences(dtype: str, kind: str) -> None:
    for pending in (False, True):
        ours, theirs = pair(dtype, pending)
        abstract = getattr(collections.abc, kind)
        assert isinstance(ours, abstract) == isinstance(theirs, abstract)


@pytest.mark.parametrize("call", [len, iter, list, lambda x: 1 in x, lambda x: max(*x)])
def test_what_sequences_do_is_refused(call: Callable[[Any], Any]) -> None:
    for dtype in ("bool", "float64"):
        ours, theirs = pair(dtype, False)
        assert isinstance(_outcome(call, theirs), TypeError)
        assert isinstance(_outcome(call, ours), TypeError)


def test_approximations_of_pytest() -> None:
    x = jj.arange(4.0)
    assert x.sum() == pytest.approx(6)
    assert pytest.approx(x.mean()) == 1.5
    assert x[3] != pytest.approx(jj.float64(3.1))
    assert x == pytest.approx([0, 1, 2, 3])


def test_indices_of_scalars() -> None:
    for made in (lambda xp: xp.arange(3.0)[1], lambda xp: xp.arange(3).sum()):
        for key in ((), ..., None):
            check(lambda xp, m=made, k=key: m(xp)[k])
        for key in (0, "x", (0, 0), [0], slice(1), 1.5):
            with pytest.raises(IndexError, match="invalid index to scalar variable"):
                made(jj)[key]


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float64", "complex128", "float16"])
@pytest.mark.parametrize("item", [[1, 2], [1], [], (0, 2), [[1]], "ab", None, {}], ids=repr)
def test_sequences_are_no_elements(dtype: str, item: object) -> None:
    """What a sequence is as an element, its truth or an error, follows from the dtype."""

    def written(xp, key):
        x = xp.zeros((2, 3), dtype)
        x[key] = item
        return x

    check(lambda xp: written(xp, (0, 1)))
    check(lambda xp: written(xp, (..., 1, 1)))
