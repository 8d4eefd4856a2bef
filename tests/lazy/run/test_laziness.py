"""Functions whose shapes do not depend on elements compute nothing."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp as jj

X = jj.asarray(np.arange(24.0).reshape(4, 6))
PLACES = jj.asarray([1, 2, 0])
MASK = X > 5

PROGRAMS = {
    "append": lambda: jj.append(X, 1),
    "arange": lambda: jj.arange(0, 1, 0.1),
    "array": lambda: jj.array([X[0], X[1]]),
    "astype": lambda: jj.astype(X, "int8"),
    "block": lambda: jj.block([[X, X]]),
    "broadcast_to": lambda: jj.broadcast_to(X[0], (3, 6)),
    "choose": lambda: jj.choose(PLACES, [PLACES] * 3, mode="clip"),
    "clip": lambda: jj.clip(X, 1, 2),
    "concatenate": lambda: jj.concatenate([X, X]),
    "copyto": lambda: jj.copyto(X.copy(), 0, where=MASK),
    "cross": lambda: jj.cross(X[:, :3], X[:, 3:]),
    "delete": lambda: jj.delete(X, [1, 2], 1),
    "diag": lambda: jj.diag(X[0]),
    "diff": lambda: jj.diff(X),
    "divmod": lambda: jj.divmod(X, 3),
    "ediff1d": lambda: jj.ediff1d(X),
    "eye": lambda: jj.eye(3),
    "fill_diagonal": lambda: jj.fill_diagonal(X.copy(), 3),
    "frexp": lambda: jj.frexp(X),
    "full": lambda: jj.full((2, 2), X[0, 0]),
    "gradient": lambda: jj.gradient(X),
    "indices": lambda: jj.indices((2, 3)),
    "insert": lambda: jj.insert(X, 1, X[0], 0),
    "interp": lambda: jj.interp(X, [0, 1, 2], [1, 2, 3]),
    "isclose": lambda: jj.isclose(X, X),
    "linspace": lambda: jj.linspace(0, 1, 5),
    "logspace": lambda: jj.logspace(0, 1, 5),
    "meshgrid": lambda: jj.meshgrid([1, 2], [3, 4]),
    "modf": lambda: jj.modf(X),
    "nan_to_num": lambda: jj.nan_to_num(X),
    **{
        f"pad {mode}": lambda mode=mode: jj.pad(X, 2, mode)
        for mode in ("constant", "edge", "reflect", "wrap", "maximum", "mean")
    },
    "put": lambda: jj.put(X.copy(), PLACES, 7),
    "put_along_axis": lambda: jj.put_along_axis(X.copy(), jj.argsort(X, 1), 1.0, 1),
    "putmask": lambda: jj.putmask(X.copy(), MASK, [1, 2]),
    "repeat": lambda: jj.repeat(X, 2),
    "resize": lambda: jj.resize(X, (5, 6)),
    "roll": lambda: jj.roll(X, 1),
    "round": lambda: jj.round(X, 1),
    "select": lambda: jj.select([MASK], [X]),
    "sinc": lambda: jj.sinc(X),
    "split": lambda: jj.split(X, 2),
    "take": lambda: jj.take(X, PLACES, 1),
    "take_along_axis": lambda: jj.take_along_axis(X, jj.argsort(X, 1), 1),
    "tile": lambda: jj.tile(X, 2),
    "tril": lambda: jj.tril(X),
    "unwrap": lambda: jj.unwrap(X),
    "vander": lambda: jj.vander(X[0]),
    "where": lambda: jj.where(MASK, X, 0),
    "zeros_like": lambda: jj.zeros_like(X),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_computed(name):
    pending = X + 1
    before = jj.stats()["flushes"]
    made = PROGRAMS[name]()
    assert jj.stats()["flushes"] == before
    assert float(pending[0, 0]) == 1
    assert jj.stats()["flushes"] == before + 1
    del made


def test_an_element_of_what_is_computed_is_read_without_a_flush():
    x = jj.asarray(np.arange(12.0).reshape(3, 4))
    pending = x * 2
    before = jj.stats()["flushes"]
    assert [float(x[1, 2]), int(x[-1, 0]), bool(x.T[0, 0]), x[2].item(3)] == [6.0, 8, False, 11.0]
    old = x[1, 2]
    x[1, 2] = 50
    assert float(old) == 6.0
    assert jj.stats()["flushes"] == before
    assert float(x[1, 2]) == 50.0
    assert float(old) == 6.0
    assert float(pending[1, 2]) == 12.0
