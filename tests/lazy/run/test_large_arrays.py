"""Functions on arrays large enough for all cores and many blocks, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.differential import check

ROWS, COLUMNS = 701, 1003


def grid(xp, dtype="float64"):
    return ((xp.arange(ROWS * COLUMNS) * 7919) % 10007).astype(dtype).reshape(ROWS, COLUMNS)


PROGRAMS = {
    "append": lambda xp, x: xp.append(x, x[:3], 0),
    "choose": lambda xp, x: xp.choose(x.astype(int) % 3, [x, -x, x.T.copy().T * 2]),
    "clip": lambda xp, x: xp.clip(x, 100, 900),
    "compress": lambda xp, x: xp.compress(xp.arange(COLUMNS) % 3, x, 1),
    "concatenate": lambda xp, x: xp.concatenate([x.T, x.T[::-1], x.T], 1),
    "delete": lambda xp, x: xp.delete(x, xp.arange(0, COLUMNS, 2), 1),
    "diag": lambda xp, x: xp.diag(x, 5) + xp.diag(x[:, 0])[0, : len(x) - 5].sum(),
    "diff": lambda xp, x: xp.diff(x.T, 2),
    "extract": lambda xp, x: xp.extract(x > 5000, x),
    "full": lambda xp, x: xp.full(x.shape, x[0]),
    "gradient": lambda xp, x: xp.gradient(x),
    "indices": lambda xp, x: xp.indices((ROWS, 300)),
    "insert": lambda xp, x: xp.insert(x, [5, 700, 5], [[1], [2], [3]], 0),
    "interp": lambda xp, x: xp.interp(x, xp.arange(10007.0), x.ravel()[:10007]),
    "isclose": lambda xp, x: xp.isclose(x, x + xp.arange(COLUMNS) * 1e-6),
    "linspace": lambda xp, x: xp.linspace(x[0], x[1], 300),
    "meshgrid": lambda xp, x: xp.meshgrid(x[0], x[:, 0]),
    "modf": lambda xp, x: xp.modf(x / 7),
    "nan_to_num": lambda xp, x: xp.nan_to_num(x / (x % 5)),
    "nonzero": lambda xp, x: xp.nonzero(x % 3),
    "pad": lambda xp, x: xp.pad(x, ((1, 200), (30, 2)), "reflect"),
    "pad constant": lambda xp, x: xp.pad(x.T, 33, constant_values=-1),
    "repeat": lambda xp, x: xp.repeat(x, xp.arange(COLUMNS) % 3, 1),
    "resize": lambda xp, x: xp.resize(x, (900, 900)),
    "roll": lambda xp, x: xp.roll(x, (-5, 300), (0, 1)),
    "round": lambda xp, x: xp.round(x / 7, 2),
    "select": lambda xp, x: xp.select([x < 100, x < 5000], [x, -x], 3.5),
    "stack": lambda xp, x: xp.stack([x, x[::-1]], -1),
    "take": lambda xp, x: xp.take(x, x[:, :5].astype(int) % COLUMNS, 1),
    "take_along_axis": lambda xp, x: xp.take_along_axis(x, xp.argsort(x, 1), 1),
    "tile": lambda xp, x: xp.tile(x, (2, 1, 3)),
    "tril": lambda xp, x: xp.tril(x.T, 20),
    "unravel_index": lambda xp, x: xp.unravel_index(x.astype(int), (101, 100)),
    "unwrap": lambda xp, x: xp.unwrap(x / 1000),
    "vander": lambda xp, x: xp.vander(x[0] / 5000, 8),
    "where": lambda xp, x: xp.where(x.T > 300, x.T, x[0, 0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_large(name):
    check(lambda xp: PROGRAMS[name](xp, grid(xp)), rtol=1e-12 if name == "linspace" else 0)


def _written(xp):
    x = grid(xp)
    xp.copyto(x[:, ::2], x[:, 1::2].mean(), where=x[:, ::2] > 5000)
    xp.putmask(x, x % 2 == 0, xp.arange(77.0))
    xp.place(x, x % 3 == 0, [1.5, 2.5])
    xp.put(x, xp.arange(0, x.size, 5), -xp.arange(1000.0))
    xp.put_along_axis(x, xp.argsort(x, 0)[:3], np.inf, 0)
    xp.fill_diagonal(x, 7, wrap=True)
    return x


def test_writes_to_a_large_array():
    check(_written)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize(
    "columns", [1, 9, 62, 63, 64, 65, 130, 255, 256, 257, 511, 513, 577, 1023, 1100, 4097, 9001]
)
def test_rows_that_end_within_blocks(dtype, columns):
    """Steps whose operands have rows apart, or one row for all; blocks end where rows end."""

    def program(xp):
        x = (xp.arange(7 * (columns + 2)) % 13 - 4).astype(dtype).reshape(7, columns + 2)
        row = x[3, :columns]
        if dtype == "bool":
            return (x[:, 2:] & row) ^ x[::-1, 1:-1], ~x[:, 1:-1]
        return (
            (x[:, 2:] * row + x[::-1, 1:-1]) * 2 - row,
            -x[:, 1:-1],
            (x[:, 2:] == row) & (row == 0),
        )

    check(program)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(5, 7, 3), (3, 11, 17), (40, 5, 6), (2, 30, 63), (3, 9, 70)])
def test_rows_of_three_axes(dtype, shape):
    """Operands whose elements are packed row by row: broadcast along some axes, reversed, apart."""

    def program(xp):
        a, b, c = shape
        x = (xp.arange(a * (b + 1) * (c + 2)) % 11 - 3).astype(dtype)
        x = x.reshape(a, b + 1, c + 2)
        part, turned, apart = x[:, 1:, 2:], x[::-1, -2::-1, -3::-1], x[:, :b, : 2 * c : 2]
        column, row, plane = x[:, 1:, :1], x[1, 2, 1:-1], x[0, :b, :c]
        if dtype == "bool":
            return part ^ column, turned & row, plane | column
        x[:, :b, :c] = part * column - turned
        return part + column, turned * row - plane, plane + column * row, x, apart + apart[:1]

    check(program)


@pytest.mark.parametrize("size", [1, 7, 4097, 300_001])
@pytest.mark.parametrize(
    ("value", "dtype"),
    [(True, "bool"), (-1, "int64"), (257, "int16"), (3.5, "float32"), (-0.0, "float64"), (1j, "D")],
)
def test_fills(value, dtype, size):
    """One element everywhere, of equal bytes or not; the last share of the threads is odd."""
    check(lambda xp: xp.full(size, value, dtype=dtype))
