"""Elements of computed arrays are read and written at once, and nobody sees it who should not."""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.making import new_array
from jujunp.lazy.run import machine
from jujunp.lazy.run.transfer import adopted
from jujunp.lazy.values.value import LOG
from tests.support.differential import check

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = ["?", *"bhilBHILefdFD"]


def computed(*shape: int, dtype: str = "d") -> Any:
    """Return a computed array, of no other reference to its value."""
    x = jj.asarray(np.arange(np.prod(shape)).reshape(shape).astype(dtype)).copy()
    jj.flush()
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_known_is_not_pending(dtype: str) -> None:
    x = computed(4, 6, dtype=dtype)
    views = [x, x.T, x[1:, ::-2], x[None, 2], x[..., 3], x[::-1].reshape(6, 4), x[2:2].T]
    jj.flush()
    for seen in views:
        whole = np.asarray(seen)
        for index in np.ndindex(seen.shape):
            for key in (index, tuple(k - n for k, n in zip(index, seen.shape, strict=True))):
                found = seen[key]
                assert found.dtype == whole.dtype
                assert np.asarray(found) == whole[key]
                assert found.tolist() == whole[key].tolist()
    assert not LOG
    x[1, 2] = x[0, 1]
    assert x[1, 2] == np.asarray(x)[0, 1]


@pytest.mark.parametrize("key", [4, -5, 2**70, (0, 6), (4, 0), (-5, 0), (0, -7), (0, 0, 0)])
def test_out_of_bounds(key: Any) -> None:
    def write(xp: Any) -> None:
        x = xp.asarray(np.zeros((4, 6)))
        x[key] = 1.0

    check(lambda xp: xp.asarray(np.zeros((4, 6)))[key])
    check(write)


def test_elements_are_values_like_others() -> None:
    x = computed(5)
    a, b = x[1], x[2]
    exported = np.asarray(a)
    c = jj.sqrt(a + x) * b
    del a, b
    assert c.tolist() == (np.sqrt(1 + np.arange(5.0)) * 2).tolist()
    assert exported == 1
    d = x[3]
    e = d + x[4]
    del d
    e = e * 2.0 + jj.exp(x[0])
    assert float(e) == 15
    assert jj.stack([x[k] for k in range(5)]).tolist() == list(range(5))
    assert [str(x[k]) for k in (1, 2)] == ["1.0", "2.0"]


def test_elements_outlive_their_array() -> None:
    kept = [v for _ in range(3) for v in computed(40)]
    assert [float(v) for v in kept] == [float(k) for k in range(40)] * 3
    whole = computed(40)
    seen = whole[7]
    whole[7] = 1.5
    assert float(seen) == 7
    assert float(whole[7]) == 1.5


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_keep_their_dtype(dtype: str) -> None:
    """Objects of scalars that are gone are used again: for other dtypes, too."""
    x, y = computed(3), computed(3, dtype=dtype)
    for _ in range(40):
        assert (float(x[2]), y[1].dtype, y[1].nbytes) == (2, y.dtype, y.itemsize)
        assert y[1].tolist() == np.asarray(y)[1].tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [0, 1, True, -1, 300, 2**31, 2.5, 1e300, float("nan"), -0.0])
def test_numbers_written(dtype: str, number: Any) -> None:
    def program(xp: Any) -> Any:
        x = xp.asarray(np.arange(6).astype(dtype)).copy()
        if xp is jj:
            jj.flush()
        x[4] = number
        x.reshape(2, 3)[0, -1] = number
        x[::-2][0] = number
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(program)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", DTYPES)
def test_scalars_of_numpy_written(dtype: str, given: str) -> None:
    def program(xp: Any) -> Any:
        x = xp.asarray(np.arange(6).astype(dtype)).copy()
        if xp is jj:
            jj.flush()
        for k, number in enumerate([0, 1, 100, 2.75, -3, 70000]):
            x[k] = np.array([number]).astype(given)[0]
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(program)


def test_a_write_at_once_records_nothing() -> None:
    x = computed(3, 4)
    before = x._value
    del before
    address = machine.address_of(x._value.buffer)
    x[1, 2] = 7.5
    x.T[0, 1] = np.float64(2)
    x[0][1] = x[2, 3]
    assert not LOG
    assert machine.address_of(x._value.buffer) == address
    assert x.tolist() == [[0, 11, 2, 3], [2, 5, 7.5, 7], [8, 9, 10, 11]]


def test_what_was_recorded_before_sees_the_old_elements() -> None:
    x = computed(4)
    doubled, copied, part = x * 2, x.copy(), x[1:]
    moved = part + 0
    x[1] = 50.0
    assert doubled.tolist() == [0, 2, 4, 6]
    assert copied.tolist() == [0, 1, 2, 3]
    assert moved.tolist() == [1, 2, 3]
    assert part.tolist() == [50, 2, 3]
    copied[2] = -1.0
    assert x.tolist() == [0, 50, 2, 3]
    del doubled, moved
    x[3] = 9.0
    assert x.tolist() == [0, 50, 2, 9]


def test_exported_arrays_see_elements() -> None:
    x = computed(4)
    for export in (np.asarray, np.from_dlpack, lambda x: x.T.__array__()):
        seen: Any = export(x)
        x[2] += 100.0
        x[3] = -5.0
        assert np.asarray(seen).tolist() == x.tolist()
        assert x[3] == -5


def test_writes_to_adopted_memory_are_recorded() -> None:
    value = adopted(np.arange(4.0), 12, (4,))
    x = new_array(value, (4,), 12)
    del value
    assert x[1] == 1
    x[1] = 9.0
    assert LOG
    assert x.tolist() == [0, 9, 2, 3]


def test_read_only_arrays_are_not_written() -> None:
    x = computed(4)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1.0
    assert x.tolist() == [0, 1, 2, 3]


def test_limits_of_integers_are_forgotten() -> None:
    indices, x = computed(3, dtype="l"), computed(5)
    assert x[indices].tolist() == [0, 1, 2]
    indices[1] = 5
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        x[indices]
    indices[1] = -5
    assert x[indices].tolist() == [0, 0, 2]


def test_functions_that_are_compiled_keep_what_they_saw() -> None:
    x = computed(4)
    function = jj.jit(lambda y: y + 1)
    found = function(x)
    x[0] = 10.0
    assert found.tolist() == [1, 2, 3, 4]
    assert function(x).tolist() == [11, 2, 3, 4]


@pytest.mark.parametrize("augment", [lambda x: x.__setitem__(1, x[1] + 1.5)])
def test_augmented_elements(augment: Callable[[Any], None]) -> None:
    def program(xp: Any) -> Any:
        x = xp.asarray(np.arange(4.0)).copy()
        for k in range(4):
            x[k] += 1.5
            x[k] *= x[k - 1]
            augment(x)
        A = x.reshape(2, 2)
        A[0, 1] -= A[1, 0]
        return x

    check(program)


def test_threads() -> None:
    """One writes elements while another one computes with all of them, large enough to unlock."""
    x = computed(1 << 19)
    x[:] = 0
    jj.flush()
    stop = threading.Event()
    wrong: list[Any] = []

    def read() -> None:
        while not stop.is_set():
            y = x + x
            z = y[::2] * 1.0
            least, most = float(z.min()), float(z.max())
            if least < 0 or most > 2 * 400:
                wrong.append((least, most))

    reader = threading.Thread(target=read)
    reader.start()
    for k in range(400):
        x[k] = float(k)
        assert float(x[k]) == k
        x[k + 1] += 0.0
    stop.set()
    reader.join()
    assert not wrong
    assert x[:400].tolist() == list(range(400))
    assert float(x.sum()) == 399 * 200


def test_elements_of_what_is_pending() -> None:
    """A few stay pending; from then on what is pending is computed, and all is known at once."""
    x = jj.arange(8.0)
    jj.flush()
    x = x + 1.0
    flushes = jj.stats()["flushes"]
    early = [x[k] for k in range(3)]
    assert jj.stats()["flushes"] == flushes
    late = x[3]
    assert jj.stats()["flushes"] == flushes + 1
    assert [float(one) for one in (*early, late)] == [1.0, 2.0, 3.0, 4.0]
    # rows, whose elements follow from each other, as in a Gauss-Seidel sweep
    theirs = np.arange(40.0).reshape(5, 8)
    ours = jj.asarray(theirs)
    longest = 0
    for xp_array in (ours, theirs):
        for i in range(1, 5):
            xp_array[i] += xp_array[i - 1]
            for j in range(1, 8):
                xp_array[i, j] += xp_array[i, j - 1]
                xp_array[i, j] /= 3.0
                longest = max(longest, len(LOG))
    assert longest < 24
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("number", [0, 3, 4, 5, 2**63 + 1, 2**64 - 1])
@pytest.mark.parametrize("ours", [False, True])
def test_indices_of_64_bits_without_a_sign(number: int, ours: bool) -> None:
    theirs = np.arange(5.0)
    x = jj.arange(5.0) + 0
    jj.flush()
    key = np.array([number], "u8")[0]
    mine = jj.array([number], "u8")[0] if ours else key
    for read in (lambda a, k: a[k], lambda a, k: a[k:], lambda a, k: a.__setitem__(k, 7.0)):
        assert _outcome(read, x, mine) == _outcome(read, theirs, key)
    assert x.tolist() == theirs.tolist()


def _outcome(read: Any, array: Any, key: Any) -> Any:
    try:
        found = read(array, key)
    except Exception as error:
        return type(error)
    return np.asarray(found).tolist()


@pytest.mark.parametrize("dtype", [*"bhilBHIL", "?", "d"])
@pytest.mark.parametrize("pending", [False, True])
def test_indices_that_are_arrays_without_axes(dtype: str, pending: bool) -> None:
    """They select elements as numbers do, but never a view."""
    theirs = [np.arange(12.0).reshape(3, 4), np.arange(5)]
    ours = [jj.arange(12.0).reshape(3, 4) + 0, jj.arange(5) + 0]
    jj.flush()
    for place in (0, 1, 2, 9):
        key = np.array(place, dtype)
        mine = jj.array(place, dtype)
        if pending and dtype != "?":
            mine = jj.asarray(mine * mine.dtype.type(1))
        for a, b in zip(ours, theirs, strict=True):
            for read in (
                lambda a, k: a[k],
                lambda a, k: a[(k,) * a.ndim],
                lambda a, k: a[k, ..., 1],
                lambda a, k: a[..., k],
                lambda a, k: a.__setitem__(k, 7),
                lambda a, k: a.__setitem__((k,) * a.ndim, -1),
                lambda a, k: a.ndim > 1 and a[k].__setitem__(..., 5),
            ):
                assert _outcome(read, a, mine) == _outcome(read, b, key)
            assert a.tolist() == b.tolist()
