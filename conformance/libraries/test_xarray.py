"""xarray: labelled arrays over ours."""

import copy

import numpy
import pytest
import xarray

import jujunp

VALUES = numpy.asarray([[1.0, numpy.nan, 3.5, -2.0], [4.0, 0.5, 6.0, 2.0], [0.25, 8.0, -1.0, 7.0]])
WHOLE = numpy.arange(12).reshape(3, 4) * 5 % 7


def _array(xp, values=VALUES):
    return xarray.DataArray(
        xp.array(values),
        dims=("row", "column"),
        coords={"row": [10, 20, 30], "column": list("abcd")},
        name="values",
    )


def _dataset(xp):
    return xarray.Dataset({"values": _array(xp), "whole": _array(xp, WHOLE)}, attrs={"unit": "m"})


def _data(result):
    """Return the arrays of a result, without their labels."""
    if isinstance(result, xarray.Dataset):
        return {name: variable.data for name, variable in result.data_vars.items()}
    if isinstance(result, (list, tuple)):
        return [_data(item) for item in result]
    return result.data


def _labels(result):
    """Return everything of a result but its arrays."""
    if isinstance(result, (list, tuple)):
        return [_labels(item) for item in result]
    coords = {name: (c.dims, c.values.tolist()) for name, c in result.coords.items()}
    return dict(result.sizes), coords, getattr(result, "name", None), dict(result.attrs)


ARRAYS = {
    "add": lambda a: a + 1,
    "reflected": lambda a: 2.0 / a,
    "power": lambda a: abs(a) ** 0.5,
    "two arrays": lambda a: a * a.isel(row=0),
    "alignment": lambda a: a.isel(column=slice(0, 3)) - a.isel(column=slice(1, 4)),
    "comparison": lambda a: a > 1.0,
    "negation": lambda a: ~(a > 1.0),
    "mean": lambda a: a.mean(),
    "mean over row": lambda a: a.mean("row"),
    "mean with nan": lambda a: a.mean("row", skipna=False),
    "sum": lambda a: a.sum("column"),
    "sum min_count": lambda a: a.sum("column", min_count=4),
    "prod": lambda a: a.prod(),
    "min": lambda a: a.min("row"),
    "max": lambda a: a.max("column"),
    "std": lambda a: a.std("column", ddof=1),
    "var": lambda a: a.var("row"),
    "count": lambda a: a.count("row"),
    "any": lambda a: (a > 5).any("row"),
    "all": lambda a: (a > -5).all(),
    "argmax": lambda a: a.fillna(0.0).argmax("column"),
    "argmin": lambda a: a.fillna(0.0).argmin("row"),
    "cumsum": lambda a: a.cumsum("column"),
    "cumprod": lambda a: a.cumprod("row"),
    "diff": lambda a: a.diff("column"),
    "shift": lambda a: a.shift(column=1),
    "roll": lambda a: a.roll(row=1, roll_coords=False),
    "isel": lambda a: a.isel(row=1, column=[0, 2]),
    "sel": lambda a: a.sel(row=20, column=["a", "d"]),
    "sel nearest": lambda a: a.sel(row=19, method="nearest"),
    "loc": lambda a: a.loc[10:20, "b":],
    "item": lambda a: a[1, 2],
    "head": lambda a: a.head(row=2),
    "transpose": lambda a: a.transpose("column", "row"),
    "T": lambda a: a.T,
    "expand_dims": lambda a: a.expand_dims(time=3),
    "squeeze": lambda a: a.isel(row=[0]).squeeze(),
    "stack": lambda a: a.stack(point=("row", "column")).drop_vars(["point", "row", "column"]),
    "coarsen": lambda a: a.coarsen(row=3).mean(),
    "reindex": lambda a: a.reindex(row=[10, 15, 30]),
    "sortby": lambda a: a.sortby("row", ascending=False),
    "broadcast_like": lambda a: a.isel(row=0, drop=True).broadcast_like(a),
    "where": lambda a: a.where(a > 0),
    "where other": lambda a: a.where(a > 0, -1.0),
    "xarray.where": lambda a: xarray.where(a > 0, a, 0.0),
    "fillna": lambda a: a.fillna(9.0),
    "isnull": lambda a: a.isnull(),
    "notnull": lambda a: a.notnull(),
    "isin": lambda a: a.isin([1.0, 8.0]),
    "clip": lambda a: a.clip(0.0, 5.0),
    "round": lambda a: a.round(),
    "astype": lambda a: a.fillna(0.0).astype("float32"),
    "dot": lambda a: a.fillna(0.0).dot(a.fillna(1.0), dim="column"),
    "concat": lambda a: xarray.concat([a, a + 1.0], dim="row"),
    "concat new": lambda a: xarray.concat([a, a + 1.0], dim="time"),
    "ones_like": lambda a: xarray.ones_like(a),
    "full_like": lambda a: xarray.full_like(a, 2.5),
    "apply_ufunc": lambda a: xarray.apply_ufunc(
        lambda x: x.max(axis=-1), a.fillna(0.0), input_core_dims=[["column"]]
    ),
    "ufunc": numpy.exp,
    "pipe": lambda a: a.pipe(numpy.hypot, 2.0),
    "copy": lambda a: a.copy(deep=True),
    "deepcopy": copy.deepcopy,
    "rename": lambda a: a.rename(row="line"),
    "assign_coords": lambda a: a.assign_coords(row=[1, 2, 3]),
    "drop_isel": lambda a: a.drop_isel(row=1),
    "pad": lambda a: a.pad(column=(1, 2), constant_values=0.0),
    "weighted": lambda a: a.weighted(xarray.ones_like(a.isel(row=0)).drop_vars("row")).sum(
        "column"
    ),
    "corr": lambda a: xarray.corr(a.fillna(0.0), a.fillna(1.0) ** 2, dim="column"),
    "cov": lambda a: xarray.cov(a.fillna(0.0), a.fillna(1.0) ** 2, dim="row"),
    "integrate": lambda a: a.fillna(0.0).integrate("row"),
    "differentiate": lambda a: a.differentiate("row"),
    "cumulative_integrate": lambda a: a.fillna(0.0).cumulative_integrate("row"),
    "split": lambda a: [part for _, part in a.groupby("row")],
    "groupby": lambda a: a.assign_coords(kind=("row", [0, 1, 0])).groupby("kind").mean(),
    "to_dataset": lambda a: a.to_dataset(),
    "real": lambda a: a.real,
}

DATASETS = {
    "add": lambda d: d + 1,
    "mean": lambda d: d.mean("row"),
    "sum": lambda d: d.sum(),
    "isel": lambda d: d.isel(row=0),
    "sel": lambda d: d.sel(column="b"),
    "transpose": lambda d: d.transpose("column", "row"),
    "where": lambda d: d.where(d.whole > 2),
    "concat": lambda d: xarray.concat([d, d], dim="time"),
    "merge": lambda d: xarray.merge([d, {"other": d["values"] * 2}]),
    "assign": lambda d: d.assign(ratio=d["values"] / (d.whole + 1)),
    "map": lambda d: d.map(numpy.abs),
    "fillna": lambda d: d.fillna(0),
    "to_dataarray": lambda d: d.to_dataarray(),
    "drop_vars": lambda d: d.drop_vars("whole"),
    "expand_dims": lambda d: d.expand_dims("time"),
    "broadcast": lambda d: xarray.broadcast(d["values"], d.whole.isel(row=0, drop=True)),
    "combine": lambda d: d.isel(row=[0]).combine_first(d),
    "cumsum": lambda d: d.cumsum("row"),
    "std": lambda d: d.std("column"),
}

TABLES = {"array": (_array, ARRAYS), "dataset": (_dataset, DATASETS)}


SCALARS = {("array", "mean"), ("array", "prod"), ("array", "all"), ("dataset", "sum")}
"""Those that give a scalar, of which xarray makes an array of NumPy's, as of NumPy's scalars."""


@pytest.mark.parametrize(
    ("table", "name"), [(table, name) for table, (_, calls) in TABLES.items() for name in calls]
)
def test_calls(table, name, same):
    """Each call gives what it gives over NumPy arrays, labels too, over our arrays."""
    make, calls = TABLES[table]
    ours = (table, name) not in SCALARS
    same(lambda xp: _data(calls[name](make(xp))), ours=ours)
    same(lambda xp: _labels(calls[name](make(xp))))


@pytest.mark.parametrize("values", [VALUES, WHOLE])
def test_assignment(values):
    """Elements are assigned by labels and masks, in place."""
    ours, theirs = _array(jujunp, values.copy()), _array(numpy, values.copy())
    for array in (ours, theirs):
        array.loc[10, "b":"c"] = 5
        array[{"row": 1}] = array.isel(row=2)
        array += 1
    assert type(ours.data) is jujunp.ndarray
    numpy.testing.assert_array_equal(ours.values, theirs.values)


def test_values_are_numpy_arrays():
    """Only `values` and `to_numpy` export; `data` gives our array as it is."""
    data = jujunp.asarray(VALUES)
    array = xarray.DataArray(data, dims=("row", "column"))
    assert array.data is data
    assert type(array.values) is type(array.to_numpy()) is numpy.ndarray


@pytest.mark.parametrize("show", [repr, str, lambda a: a._repr_html_()])
def test_printing(show):
    """Arrays and datasets print."""
    assert "values" in show(_dataset(jujunp))
    assert "row" in show(_array(jujunp))


def test_identical_and_close():
    """The comparisons for tests tell arrays apart."""
    ours = _array(jujunp)
    assert ours.identical(ours.copy())
    assert not ours.equals(ours + 1)
    xarray.testing.assert_allclose(ours, _array(jujunp) + 1e-12)


LAZY = (
    *("add", "two arrays", "alignment", "comparison", "isel", "sel", "T"),
    *("where", "xarray.where", "fillna", "concat", "expand_dims", "shift", "ufunc", "reindex"),
)


@pytest.mark.parametrize("name", LAZY)
def test_calls_compute_nothing(name):
    """Arithmetic and rearranging are recorded, not computed.

    Reductions stand in blocks of `warnings.catch_warnings`, which compute what may warn.
    """
    array = _array(jujunp)
    before = jujunp.stats()["flushes"]
    ARRAYS[name](array)
    assert jujunp.stats()["flushes"] == before
