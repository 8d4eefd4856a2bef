"""Kernels that JAX has no function for, in graphs: these give what the kernels give at once.

The graphs are computed without MAX (`eager_graph`).
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.handle import value_of
from jujunp._functions.searching import counting
from jujunp._inspection import _history
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.compiled.worker import snapshots
from jujunp.lazy.jaxprs.from_values import trace
from jujunp.lazy.run import transfer
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.value import Value, dtype_code
from tests.support.graphs import eager_graph

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(2)
X = np.concatenate([RNG.uniform(-1, 2, 90), [np.nan, np.inf, -np.inf, 0.0, 1.0]])
PLACES = np.array([0, 0.2, 0.2, 0.5, 1])
VALUES = np.array([1, 3, np.inf, 2, -1])

PROGRAMS: dict[str, Callable[..., Any]] = {
    "interp": lambda x, p, v: jj.interp(x, p, v),
    "interp with ends": lambda x, p, v: jj.interp(x, p, v, -3, 4.5),
    "interp of complex values": lambda x, p, v: jj.interp(x, p, v * 1j + p, left=2j),
    "interp with one sample": lambda x, p, v: jj.interp(x, p[2:3], v[3:4]),
    "reduceat": lambda x, p, v: jj.add.reduceat(x, (p * 90).astype("int64")),
    "reduceat along an axis": lambda x, p, v: jj.maximum.reduceat(
        x.reshape(5, 19) > 0.5, jj.array([3, 0, 7]), 1
    ),
    "bincount": lambda x, p, v: counting.counted((p * 9).astype("int64"), 12, None),
    "bincount of weights": lambda x, p, v: counting.counted((p * 9).astype("int64"), 12, v * 0.1),
    "packbits": lambda x, p, v: jj.packbits(x > 0.5),
    "packbits along an axis": lambda x, p, v: jj.packbits(x.reshape(19, 5) > 0.5, 0, "little"),
    "unpackbits": lambda x, p, v: jj.unpackbits((p * 9).astype("uint8")),
    "unpackbits of some": lambda x, p, v: jj.unpackbits((p * 9).astype("uint8"), count=19),
    "unpackbits of more": lambda x, p, v: jj.unpackbits(
        (p[:, None] * p * 9).astype("uint8"), 0, 55, "little"
    ),
}


def _written(x: Any, p: Any, v: Any) -> Any:
    y = x * 2
    y[::-3] = p[1] + y[:32] * v[3]
    y[5:9][::2] += 1
    y[(p * 9).astype("int64")] = 7.5
    return y.reshape(5, 19).T[2:] ** 2


SENT: dict[str, Callable[..., Any]] = {
    "writes to views": _written,
    "parts of complex numbers": lambda x, p, v: (x + 1j).view("float64")[1::2] + v[0],
    "several results": lambda x, p, v: jj.linalg.inv(p[:2] * p[:2, None] + jj.eye(2)) @ v[:2],
    "casts": lambda x, p, v: (x > 0.3) + (x.astype("float32") * jj.float32(2)).astype("int8"),
    "a choice": lambda x, p, v: jj.where(x > 0, x, x.max(initial=0)),
}
"""More of what a snapshot must keep."""


@pytest.mark.parametrize("name", [*PROGRAMS, *SENT])
def test_snapshots_are_traced_as_their_steps_are(name: str) -> None:
    with jj.deferred_errors():  # or a factorization is computed at once
        result = {**PROGRAMS, **SENT}[name](*(jj.array(x) for x in (X, PLACES, VALUES)))
        value = value_of(result if result.base is None else result.base)
        assert value.buffer is None, "nothing is pending"
        nodes = _history(value)
        sent = pickle.loads(pickle.dumps(snapshots.take(nodes, [value])))
        restored = snapshots.restore(sent)
        graphs = [trace(nodes, [value], checked=True), trace(*restored, checked=True)]
    wanted, found = (from_jaxpr(closed) for closed, _ in graphs)
    assert len(found.steps) > 0
    assert found.canonical() == wanted.canonical()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_gives_the_same_bits(name: str) -> None:
    result = PROGRAMS[name](*(jj.array(x) for x in (X, PLACES, VALUES)))
    owner = result if result.base is None else result.base
    value = value_of(owner)
    assert value.buffer is None, "nothing is pending"
    closed, leaves = trace(_history(value), [value], checked=True)
    found = eager_graph.run(from_jaxpr(closed), [_elements(leaf) for leaf in leaves])
    assert found[0].tobytes() == owner.to_numpy().tobytes()


def _elements(leaf: Any) -> np.ndarray:
    if isinstance(leaf, Value):
        return np.array(transfer.export(leaf, dtype_code(leaf)))
    return np.asarray(leaf[0], DTYPES[leaf[1]])
