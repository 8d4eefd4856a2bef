"""Writing to arrays that show elements at several places: what is written last stays."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from jujunp.lazy.run import machine
from tests.calls.support import python_frames
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "all": lambda np, x, v: x.__setitem__(..., v),
    "a number": lambda np, x, v: x.__setitem__(slice(1, 3), 7.0),
    "rows": lambda np, x, v: x.__setitem__(slice(1, 3), v[1:3]),
    "a column": lambda np, x, v: x.__setitem__((slice(None), 1), v[:, 0]),
    "an element": lambda np, x, v: x.__setitem__((2, 1), v[0, 0]),
    "a row": lambda np, x, v: x.__setitem__(1, v[2]),
    "fill": lambda np, x, v: x.fill(3.5),
    "an output": lambda np, x, v: np.add(v, 1.0, out=x),
    "in place": lambda np, x, v: x.__iadd__(v),
    "copyto": lambda np, x, v: np.copyto(x, v),
    "of a view": lambda np, x, v: x[:, ::-1].__setitem__(slice(2, None), v[2:]),
    "an axis of one": lambda np, x, v: x[:1].__setitem__(..., v[:1]),
    "no axes": lambda np, x, v: np.sum(v, out=x[0, 0, ...]),
}


def _spread(namespace: Any, rows: int, columns: int, kind: str) -> tuple[Any, Any, Any]:
    """Return an array, a view that repeats it, and values for that."""
    x = namespace.asarray(np.arange(float(columns)))
    v = namespace.asarray(np.random.default_rng(0).random((rows, columns)))
    if kind == "as_strided":
        return x, namespace.lib.stride_tricks.as_strided(x, (rows, columns), (0, 8)), v
    if kind == "broadcast_arrays":
        view = namespace.broadcast_arrays(x, v)[0]
        with pytest.warns(FutureWarning):
            assert view.flags.writeable
    else:
        view = namespace.broadcast_to(x, (rows, columns))
    view.flags.writeable = True
    return x, view, v


@pytest.mark.parametrize("kind", ["as_strided", "broadcast_arrays", "broadcast_to"])
@pytest.mark.parametrize(("rows", "columns"), [(4, 3), (300, 1000), (100_000, 3)])
@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_last_stays(name: str, rows: int, columns: int, kind: str) -> None:
    found = []
    for namespace in (jujunp, np):
        x, view, v = _spread(namespace, rows, columns, kind)
        WRITES[name](namespace, view, v)
        found.append(np.asarray(x))
    np.testing.assert_allclose(*found, rtol=1e-15)


def test_writes_by_masks_and_index_arrays_are_refused() -> None:
    """NumPy makes them, in an order of its own."""
    x, view, v = _spread(jujunp, 4, 3, "as_strided")
    for write in (
        lambda: view.__setitem__(v > 0.5, 1.0),
        lambda: view.__setitem__([0, 2], 1.0),
        lambda: jujunp.copyto(view, v, where=v > 0.5),
        lambda: jujunp.add(v, v, out=view, where=v > 0.5),
        lambda: jujunp.putmask(view, v > 0.5, v),
    ):
        with pytest.raises(ValueError, match="several places"):
            write()
    np.testing.assert_array_equal(x, np.arange(3.0))


def test_who_writes_to_what_broadcast_arrays_gives_is_warned_once() -> None:
    for namespace in (jujunp, np):
        a, b = namespace.arange(2), namespace.arange(4).reshape(2, 2)
        view, same = namespace.broadcast_arrays(a, b)
        with pytest.warns(DeprecationWarning, match="overlapping memory from np.broadcast_arrays"):
            view += same
        view += same
        same += 1
        assert not namespace.broadcast_to(a, (3, 2)).flags.writeable
        np.testing.assert_array_equal(a, [4, 7])


def test_flags_that_warn() -> None:
    for namespace in (jujunp, np):
        x = namespace.arange(4)
        x.flags._warn_on_write = True
        with pytest.warns(DeprecationWarning, match="WRITEABLE"):
            x[1] = 10
        x[2] = 10
        np.testing.assert_array_equal(x, [0, 10, 10, 3])
        with pytest.raises(ValueError, match="_warn_on_write"):
            x.flags._warn_on_write = False


def test_memory_of_numpys_that_is_seen_at_several_places() -> None:
    for rows in (4, 100_000):
        theirs = np.arange(3.0)
        seen = jujunp.asarray(np.lib.stride_tricks.as_strided(theirs, (rows, 3), (0, 8)))
        seen[...] = np.arange(3.0 * rows).reshape(rows, 3)
        np.testing.assert_array_equal(theirs, np.arange(3.0 * rows)[-3:])


@pytest.mark.filterwarnings("ignore:Setting the strides")
def test_strides_that_are_set_to_0() -> None:
    for size in (4, 300_000):
        x, theirs = jujunp.zeros(size), np.zeros(size)
        for array in (x, theirs):
            array.strides = (0,)
            array[...] = np.arange(float(size))
        np.testing.assert_array_equal(x, theirs)


def test_imports_do_not_ask_numpy_to_warn(recwarn: pytest.WarningsRecorder) -> None:
    jujunp.asarray(np.broadcast_arrays(np.arange(3), np.zeros((2, 3)))[0])
    assert not recwarn


@pytest.mark.parametrize("dtype", ["q", "Q", "l", "p"])
def test_other_names_of_dtypes_over_memory_of_bytes(dtype: str) -> None:
    found = []
    for namespace in (jujunp, np):
        memory = namespace.zeros(80, namespace.uint8)
        x = namespace.ndarray((3, 3), dtype, memory[8:])
        x[...] = np.arange(9).reshape(3, 3)
        found.append((np.asarray(namespace.dot(x, x)), np.asarray(x + 1), np.asarray(memory)))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


VIEWS: dict[str, Any] = {
    "all": lambda x: x,
    "rows": lambda x: x[3:],
    "turned": lambda x: x.T,
    "one in two": lambda x: x[::2, ::-2],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["?", "b", "H", "i", "l", "L", "e", "f", "d", "F", "D"])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_where_a_pending_mask_is_true(view: str, dtype: str) -> None:
    """Small masks are computed and followed; of large ones the write is a step."""
    for number in (
        0,
        2,
        -1,
        200,
        70_000,
        2**31,
        2**63,
        2**70,
        1.5,
        -np.inf,
        np.nan,
        1e39,
        True,
        1j,
    ):
        for rows in (4, 150):

            def program(library: Any, number: Any = number, rows: int = rows) -> Any:
                x = (library.arange(rows * 120) % 7).astype(dtype).reshape(rows, 120)
                seen = VIEWS[view](x)
                mask = seen != 3
                seen[mask] = number
                mask[0] = False  # after the write
                return x, mask

            check(program)


def test_no_python_for_numbers_where_a_large_mask_is_true() -> None:
    x, limits = jujunp.zeros((300, 100)), jujunp.arange(30_000.0).reshape(300, 100)
    jujunp.flush(limits > 1)  # the operator has learnt its loop

    def written() -> None:
        for k in range(5):
            x[limits > 1000 * k] = k

    machine.forget_calls()
    assert python_frames(written) == []
    assert x.sum() == sum(29_999.0 - 1000 * k for k in range(1, 5))


def _slice(chance: random.Random, length: int) -> slice:
    ends = (chance.choice([None, chance.randrange(-length, length + 1)]) for _ in range(2))
    return slice(*ends, chance.choice([1, 1, 2, -1, -2, None]))


@pytest.mark.parametrize("seed", range(300))
def test_a_part_is_written_to_another_part(seed: int) -> None:
    """As if it was copied before: NumPy itself does not, of vectors with strides of one sign."""
    chance = random.Random(seed)
    shape = chance.choice([(60,), (6, 10), (3, 4, 5), (30, 40)])
    theirs = np.arange(np.prod(shape)).astype(chance.choice("ldfh")).reshape(shape)
    ours: Any = jujunp.asarray(theirs.copy())
    jujunp.flush()
    for _ in range(6):
        target, source = (
            tuple(chance.choice([_slice(chance, n), chance.randrange(n)]) for n in shape)
            for _ in range(2)
        )
        try:
            theirs[target] = theirs[source].copy()
        except ValueError:
            with pytest.raises(ValueError, match=r"could not broadcast|setting an array element"):
                ours[target] = ours[source]
        else:
            ours[target] = ours[source]
    np.testing.assert_array_equal(ours, theirs)
