"""pandas with our scalars, arrays, masks and keys: the same tables as with NumPy's."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy
import pandas
import pytest

import jujunp
from jujunp._members.others.numpys import functions_given_numpys, methods_given_numpys

if TYPE_CHECKING:
    from collections.abc import Callable


class Given:
    """What the calls are given, of one library."""

    def __init__(self, xp: Any) -> None:
        self.a, self.places = xp.array([1.0, 2.0, 3.0, 4.0]), xp.array([0, 2])
        self.groups = xp.array([0, 1, 1, 2])
        self.mask = xp.array([True, False, True, False])
        self.mean, self.count = xp.mean(self.a), xp.sum(self.places)
        self.table = pandas.DataFrame(
            {"k": ["a", "b", "a", "b"], "x": [1.0, 2.0, 3.0, 4.0], "n": [1, 2, 3, 4]}
        )


def _with(table: Any, key: Any, value: Any) -> Any:
    table[key] = value
    return table


def _with_at(table: Any, key: Any, value: Any) -> Any:
    table.loc[key] = value
    return table


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    # columns of scalars
    "list": lambda xp, g: pandas.Series([g.mean, g.mean]),
    "columns": lambda xp, g: pandas.DataFrame({"m": [g.mean], "i": [g.count]}),
    "records": lambda xp, g: pandas.DataFrame([{"m": g.mean, "i": g.count}] * 2),
    "rows": lambda xp, g: pandas.DataFrame([[g.mean, g.count, "s"]] * 2),
    "series of a dictionary": lambda xp, g: pandas.Series({"a": g.mean, "b": g.mean}),
    "index": lambda xp, g: pandas.Index([g.count, g.count]),
    "concat": lambda xp, g: pandas.concat([pandas.DataFrame({"a": [g.mean]})] * 2),
    "new column": lambda xp, g: _with(_with(g.table, "y", g.mean), "z", g.count),
    "column of a list": lambda xp, g: _with(g.table, "y", [g.mean] * 4),
    "new row": lambda xp, g: _with_at(g.table, 4, ["c", g.mean, g.count]),
    "describe": lambda xp, g: pandas.Series([g.mean, g.mean]).describe(),
    "to_json": lambda xp, g: pandas.DataFrame({"a": [g.mean]}).to_json(),
    # functions that give scalars
    "apply": lambda xp, g: g.table.x.apply(lambda v: xp.sqrt(xp.array([v, v]).sum())),
    "apply of integers": lambda xp, g: g.table.n.apply(lambda v: xp.array([v, v]).sum()),
    "apply of truth values": lambda xp, g: g.table.n.apply(lambda v: xp.array([v, v]).sum() > 3),
    "map": lambda xp, g: g.table.x.map(lambda v: xp.mean(xp.array([v, 1]))),
    "map of a table": lambda xp, g: g.table[["x"]].map(lambda v: xp.round(v, 1)),
    "rows of a table": lambda xp, g: g.table[["x", "n"]].apply(
        lambda r: xp.sum(xp.asarray(r)), axis=1
    ),
    "agg": lambda xp, g: g.table.groupby("k").x.agg(
        [("p", lambda s: xp.percentile(xp.asarray(s), 5)), ("m", lambda s: xp.max(xp.asarray(s)))]
    ),
    "groups": lambda xp, g: g.table.groupby("k")[["x", "n"]].apply(
        lambda d: pandas.Series({"w": xp.average(d.x.to_numpy(), weights=d.n.to_numpy())})
    ),
    "pivot_table": lambda xp, g: g.table.pivot_table(
        index="k", values="x", aggfunc=lambda s: xp.ptp(xp.asarray(s))
    ),
    "combine": lambda xp, g: g.table.x.combine(g.table.n, lambda x, y: xp.maximum(x, y)),
    # masks and keys
    "mask of rows": lambda xp, g: g.table[g.mask],
    "mask of an index": lambda xp, g: g.table.index[g.mask],
    "mask of a series": lambda xp, g: pandas.Series(g.a)[g.mask],
    "iloc": lambda xp, g: g.table.iloc[g.places, g.places[:1]],
    "slices": lambda xp, g: g.table.iloc[g.places[0] : g.places[1], : g.places[1]],
    "loc": lambda xp, g: g.table.loc[g.places, "x"],
    "at": lambda xp, g: g.table.at[g.places[1], "x"],
    "written rows": lambda xp, g: _with_at(g.table, (g.mask, "x"), g.a[:2]),
    "head": lambda xp, g: pandas.Series(g.a).head(g.places[1]),
    "groupby": lambda xp, g: g.table.groupby(g.groups).x.sum(),
    "set_index": lambda xp, g: g.table.set_index(g.a),
    "rolling": lambda xp, g: pandas.Series(g.a).rolling(g.places[1] + 1).sum(),
    "replace": lambda xp, g: pandas.Series(g.a).replace(g.a[1], 9),
    "unique": lambda xp, g: pandas.unique(g.groups),
    "factorize": lambda xp, g: pandas.factorize(g.groups)[0],
    "crosstab": lambda xp, g: pandas.crosstab(g.groups, g.groups),
    "cut": lambda xp, g: pandas.cut(g.table.x, xp.array([0, 2, 5])).cat.codes,
    # times
    "date_range": lambda xp, g: pandas.date_range("2020", periods=g.count),
    "Timedelta": lambda xp, g: pandas.Timedelta(g.mean, "D"),
    "Timestamp": lambda xp, g: pandas.Timestamp(g.mean, unit="s"),
    "to_timedelta": lambda xp, g: pandas.to_timedelta(g.groups, "D"),
    "times an array": lambda xp, g: pandas.Series(pandas.Timedelta("1h") * g.groups),
    "array times": lambda xp, g: pandas.Series(g.a * pandas.Timedelta("1h")),
    "by an array": lambda xp, g: pandas.Series(pandas.Timedelta("1h") / g.a),
    "array of offsets": lambda xp, g: str(list(g.groups * pandas.offsets.Day())),
    "scalars of offsets": lambda xp, g: str(
        [g.places[1] * pandas.offsets.BDay(), pandas.offsets.Hour() * g.count]
    ),
    # what is missing
    "isna": lambda xp, g: [pandas.isna(xp.array([1, xp.nan]).mean()), pandas.isna(g.mean)],
    "isna of an element": lambda xp, g: pandas.isna(xp.array([1, xp.nan], "float32")[1]),
    "isna of objects": lambda xp, g: pandas.Series(
        [xp.array([xp.nan]).sum(), g.mean, "s"], dtype=object
    ).isna(),
    "isna of a table": lambda xp, g: pandas.DataFrame(
        {"a": [xp.array([xp.nan]).sum(), g.mean], "b": "xy"}, dtype=object
    ).isna(),
    # tables and arrays
    "sum of a table": lambda xp, g: g.table[["x", "n"]] + xp.ones((4, 2)),
    "compared table": lambda xp, g: g.table[["x", "n"]].eq(xp.ones((4, 2))),
    "column times a table": lambda xp, g: g.table[["x", "n"]] * xp.ones((4, 1)),
    "row of a table": lambda xp, g: g.table[["x", "n"]].sub(g.a, axis=0),
    "IntegerArray": lambda xp, g: pandas.Series(pandas.arrays.IntegerArray(g.groups, g.mask)),
    "FloatingArray": lambda xp, g: pandas.Series(pandas.arrays.FloatingArray(g.a, g.mask)),
    "BooleanArray": lambda xp, g: pandas.Series(pandas.arrays.BooleanArray(g.mask, ~g.mask)),
    "NumpyExtensionArray": lambda xp, g: pandas.Series(pandas.arrays.NumpyExtensionArray(g.a)),
    "hash_array": lambda xp, g: pandas.util.hash_array(g.groups),
    "times an array that counts": lambda xp, g: pandas.Series(g.groups * pandas.Timedelta("1D")),
    "add": lambda xp, g: g.table.x.add(g.a, fill_value=1.0),
    "rpow": lambda xp, g: g.table.x.rpow(g.a, fill_value=1.0),
    "lt": lambda xp, g: g.table.x.lt(g.a[::-1], fill_value=0),
    "sample": lambda xp, g: g.table.sample(2, random_state=g.groups),
    "arrays in a column": lambda xp, g: pandas.DataFrame({"a": [g.a, g.a]}).to_json(),
    "columns of series": lambda xp, g: xp.c_[g.table.x, g.table.n, g.a].tolist(),
    "a row of series": lambda xp, g: xp.r_[g.table.x, g.a, 7, 0:2].tolist(),
    # others see what they saw before
    "objects": lambda xp, g: pandas.Series(["a", None, 1.5], dtype=object),
    "series of text": lambda xp, g: pandas.Series(["a", "b"]).map(len),
    "sum of both": lambda xp, g: g.a + pandas.Series(g.a),
}


def _shown(found: Any) -> tuple[str, ...]:
    text = found.to_string() if hasattr(found, "to_string") else str(found)
    kind = getattr(found, "dtypes", getattr(found, "dtype", None))
    return type(found).__name__, text, str(kind)


def _written_after(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a call that makes something of an array, and then writes to the array and to it."""

    def call(xp: Any) -> Any:
        x = xp.arange(3.0)
        made = make(x)
        x[1] = 7.0
        if hasattr(made, "iloc"):
            made.iloc[0] = 99.0
        return list(map(float, numpy.ravel(made))), list(map(float, x))

    return call


COPIES = {
    "Series": lambda x: pandas.Series(x),
    "Series of a part": lambda x: pandas.Series(x[::2]),
    "Series without a copy": lambda x: pandas.Series(x, copy=False),
    "DataFrame": lambda x: pandas.DataFrame(x),
    "dictionary": lambda x: pandas.DataFrame({"a": x}),
    "Index": lambda x: pandas.Index(x),
    "index of a table": lambda x: pandas.DataFrame({"a": [1, 2, 3]}, index=x).index,
    "array": lambda x: pandas.array(x),
}


pytestmark = pytest.mark.usefixtures("not_strict")


@pytest.mark.parametrize("name", COPIES)
def test_what_is_copied(name: str) -> None:
    """As of arrays of NumPy: writes go where they go there."""
    call = _written_after(COPIES[name])
    assert call(jujunp) == call(numpy)


@pytest.mark.parametrize("call", CALLS)
def test_same_as_for_numpy(call: str) -> None:
    """What is made looks the same, and has the same dtypes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted, found = (CALLS[call](xp, Given(xp)) for xp in (numpy, jujunp))
    if isinstance(found, jujunp.ndarray):
        found = numpy.asarray(found)
    assert _shown(found) == _shown(wanted)


def test_pending_scalars_are_computed() -> None:
    """A result of a large array, which is pending, is a number in a column."""
    large = jujunp.arange(1_000_000.0)
    assert pandas.DataFrame({"total": [large.sum(), large.max()]}).total.tolist() == [
        499999500000.0,
        999999.0,
    ]


def test_what_a_release_lacks_is_left_out() -> None:
    """Its import does not fail where a class or method that we would change has gone."""
    methods_given_numpys({"pandas.NoSuchClass": "x", "pandas.Series": "no_such_method"})
    functions_given_numpys({"pandas": "no_such_function"})
    assert not hasattr(pandas.Series, "no_such_method")
