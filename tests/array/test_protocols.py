"""NumPy's protocols: export and import, its functions on our arrays, fallbacks to the host."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
import scipy.special

import jujunp as jj
from tests.support.differential import DTYPES, compare


def sample(dtype="float64"):
    return jj.asarray(np.arange(12).reshape(3, 4).astype(dtype))


VIEWS = {
    "whole": lambda x: x,
    "T": lambda x: x.T,
    "steps": lambda x: x[::-2, ::3],
    "row": lambda x: x[1],
    "empty": lambda x: x[2:1],
    "0-d": lambda x: x[1, 1, ...],
    "computed": lambda x: x + 1,
    "broadcast": lambda x: (np if isinstance(x, np.ndarray) else jj).broadcast_to(x[0], (2, 4)),
}

# -- export


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_array(name, dtype):
    x = VIEWS[name](sample(dtype))
    wanted = VIEWS[name](np.arange(12).reshape(3, 4).astype(dtype))
    compare(np.asarray(x), np.asarray(wanted))
    compare(np.array(x, "float32"), np.array(wanted, "float32"))


def test_copies_of_exported_arrays_are_writeable():
    x = sample()
    for made in (np.array(x), np.asarray(x, copy=True), x.to_numpy(), x.T.to_numpy()):
        made[...] = -1
    compare(x.to_numpy(), np.arange(12.0).reshape(3, 4))


def test_array_without_a_copy():
    x = sample()
    assert np.shares_memory(np.asarray(x), np.asarray(x, copy=False))
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, "float32", copy=False)


def test_the_buffer_is_shared_with_no_copy():
    x = sample() + 1
    assert np.shares_memory(np.asarray(x), np.asarray(x[1:]))


# -- import


def test_operands_are_copied():
    source = np.arange(6.0)
    made = [
        jj.array(source),
        jj.asarray(source, copy=True),
        jj.from_dlpack(source, copy=True),
        jj.array(source[::2]),
        jj.asarray(source) * 2,
        jj.ones(6) + source,
        source + jj.ones(6),
        jj.add(source, 1),
        jj.concatenate([source, source]),
        jj.where(source > 2, source, jj.zeros(6)),
    ]
    x = jj.zeros(6)
    x[...] = source
    y = jj.zeros(6)
    y += source
    z = jj.zeros(6)
    z[source > 2] = source[source > 2]
    again = np.arange(6.0)
    source[...] = -99
    wanted = [
        again,
        again,
        again,
        again[::2],
        again * 2,
        again + 1,
        again + 1,
        again + 1,
        np.concatenate([again, again]),
        np.where(again > 2, again, 0),
    ]
    for found, expected in zip(made, wanted, strict=True):
        compare(found.to_numpy(), expected)
    compare(x.to_numpy(), again)
    compare(y.to_numpy(), again)
    compare(z.to_numpy(), np.where(again > 2, again, 0))


@pytest.mark.parametrize("name", sorted(VIEWS))
@pytest.mark.parametrize("dtype", DTYPES)
def test_imports_of_any_layout(name, dtype):
    source = VIEWS[name](np.arange(12).reshape(3, 4).astype(dtype))
    compare(jj.asarray(source).to_numpy(), np.asarray(source))
    swapped = np.asarray(source).astype(source.dtype.newbyteorder())
    compare(jj.asarray(swapped, source.dtype).to_numpy(), np.asarray(source))


@pytest.mark.parametrize("values", [["a"], [None], np.array(["2020"], "M8[Y]"), [object()]])
def test_what_is_not_a_number_is_refused(values):
    with pytest.raises(TypeError, match="not supported"):
        jj.asarray(values)


def test_ragged_lists():
    with pytest.raises(ValueError, match="inhomogeneous"):
        jj.asarray([[1], [2, 3]])


# -- ufuncs and functions of NumPy


def test_numpy_ufuncs_are_ours():
    x, n = sample(), np.arange(12.0).reshape(3, 4)
    jj.flush(x)
    flushes = jj.stats()["flushes"]
    made = [
        np.add(n, x),
        np.add(x, n),
        n + x,
        x + n,
        n[0] * x,
        np.float64(3) * x,
        np.sin(x),
        np.maximum(x, 3),
        n < x,
        np.add.reduce(x),
        np.add.outer(x[0], x[1]),
        np.multiply(x, 2, dtype="float32"),
    ]
    assert all(type(found) is jj.ndarray for found in made)
    assert jj.stats()["flushes"] == flushes
    wanted = [
        n + n,
        n + n,
        n + n,
        n + n,
        n[0] * n,
        3 * n,
        None,
        np.maximum(n, 3),
        n < n,
        np.add.reduce(n),
        np.add.outer(n[0], n[1]),
        np.multiply(n, 2, dtype="float32"),
    ]
    for found, expected in zip(made, wanted, strict=True):
        if expected is not None:
            compare(found.to_numpy(), expected)


def test_numpy_out():
    x = sample().copy()
    assert np.multiply(x, 2, out=x) is x
    compare(x.to_numpy(), np.arange(12.0).reshape(3, 4) * 2)
    n = np.ones((3, 4))
    assert np.add(x, 1, out=n) is n
    compare(n, np.arange(12.0).reshape(3, 4) * 2 + 1)
    n -= x
    compare(n, np.ones((3, 4)))
    with pytest.raises(TypeError):
        np.add(x, 1, out=np.ones((3, 4), int))


def test_numpy_functions_are_ours():
    x, n = sample(), np.arange(12.0).reshape(3, 4)
    calls = [
        lambda a: np.sum(a, axis=0),
        lambda a: np.concatenate([a, a]),
        lambda a: np.where(a > 3, a, 0),
        lambda a: np.transpose(a),
        lambda a: np.mean(a, 1),
        lambda a: np.stack([a, a], axis=1),
        lambda a: np.sort(a, axis=0),
        lambda a: np.einsum("ij,kj->ik", a, a),
        lambda a: np.dot(a, a.T),
        lambda a: np.clip(a, 2, 5),
        lambda a: np.reshape(a, (4, 3)),
        lambda a: np.zeros_like(a),
        lambda a: np.pad(a, 1),
        lambda a: np.cumsum(a),
    ]
    for call in calls:
        found = call(x)
        assert type(found) is jj.ndarray
        compare(found.to_numpy(), call(n))
    assert np.shape(x) == (3, 4)
    assert np.ndim(x) == 2
    assert np.result_type(x, np.float32) == np.float64
    assert np.array2string(x) == np.array2string(n)


def test_assigning_to_numpy_arrays():
    n = np.zeros((3, 4))
    n[...] = sample()
    compare(n, np.arange(12.0).reshape(3, 4))
    n[jj.asarray([0, 1]), jj.asarray([2, 3])] = -1
    assert (n[0, 2], n[1, 3]) == (-1, -1)


def test_the_array_namespace():
    x = sample()
    assert x.__array_namespace__() is jj
    assert x.__array_namespace__(api_version="2024.12") is jj
    assert x[0, 0].__array_namespace__() is jj
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.12")


def test_other_types_answer_operators():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

        def __rmatmul__(self, other):
            return "rmatmul"

        def __lt__(self, other):
            return "lt"

    x = sample()
    assert x + Other() == "radd"
    assert x @ Other() == "rmatmul"
    assert (x > Other()) == "lt"
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        x + object()
    with pytest.raises(TypeError):
        x + None


# -- DLPack


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_dlpack_both_ways(name, dtype):
    x = VIEWS[name](sample(dtype))
    assert x.__dlpack_device__() == (1, 0)
    exported = np.from_dlpack(x)
    compare(exported, np.array(x))
    compare(jj.from_dlpack(exported).to_numpy(), np.array(x))
    compare(jj.from_dlpack(x).to_numpy(), np.array(x))


class Capsule:
    """What `from_dlpack` takes, given the capsule."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **arguments):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (2, 3)])
@pytest.mark.parametrize("copy", [None, True, False])
def test_dlpack_shares_memory_unless_a_copy_is_wanted(copy, version):
    for name in ("whole", "steps", "T", "0-d", "computed"):
        x = VIEWS[name](sample())
        exported = np.from_dlpack(Capsule(x.__dlpack__(copy=copy, max_version=version)))
        compare(np.array(exported), np.array(x))
        assert np.shares_memory(exported, np.asarray(x)) == (copy is not True)
    assert x.__dlpack__(stream=None, dl_device=(1, 0)) is not None
    with pytest.raises((BufferError, ValueError)):
        x.__dlpack__(dl_device=(2, 0))


def test_dlpack_of_jax():
    x = jax.numpy.arange(6, dtype="float32").reshape(2, 3)
    compare(jj.from_dlpack(x).to_numpy(), np.asarray(x))
    compare(np.asarray(jax.numpy.from_dlpack(sample("float32"))), np.asarray(sample("float32")))


@pytest.mark.parametrize("compiled", [False, True])
def test_index_arrays_of_jax(compiled):
    """Its arrays take ours as index arrays and masks, also while it traces."""
    calls = (
        lambda x, xp: x[xp.array([0, 2])],
        lambda x, xp: x[xp.array([True, False, True, False])],
        lambda x, xp: x.at[xp.array([1, 3])].set(7),
        lambda x, xp: x.at[xp.array([True, False, True, False])].multiply(3),
        lambda x, xp: x[xp.arange(4)[2]],
        lambda x, xp: x.reshape(2, 2)[:, xp.array([1])],
    )
    x = jax.numpy.arange(4.0)
    for call in calls:
        found = jax.jit(call, static_argnums=1)(x, jj) if compiled else call(x, jj)
        np.testing.assert_array_equal(found, call(x, np))


def test_index_arrays_that_are_traced():
    x = jax.numpy.arange(4.0)
    taken = jj.jit(lambda i: jj.asarray(x[i]))
    assert taken(jj.array([3, 1])).tolist() == [3, 1]


def test_dlpack_arguments():
    with pytest.raises(ValueError, match="device"):
        jj.from_dlpack(np.ones(3), device="tpu")
    x = sample()
    y = jj.from_dlpack(x, copy=True)
    y += 1
    assert x[0, 0] == 0


# -- fallbacks to the host

COUNTED = """
import numpy, jujunp as np
x, y = np.arange(4.0), np.ones(4)
for call in (
    lambda: numpy.sort_complex(x), lambda: np.sort_complex(x), lambda: numpy.polydiv(y, y)[0]
):
    before = dict(np.stats()["host fallbacks"])
    found = call()
    after = np.stats()["host fallbacks"]
    assert sum(after.values()) == sum(before.values()) + 1, (before, after)
    assert numpy.asarray(found).size
assert isinstance(np.sort_complex(x), np.ndarray)
numpy.testing.assert_array_equal(np.sort_complex(x), numpy.arange(4) + 0j)
print(sorted(np.stats()["host fallbacks"]))
"""


def test_fallbacks_are_counted(run_python):
    assert run_python(COUNTED, JUJUNP_STRICT="0").stdout.strip() == "['polydiv', 'sort_complex']"


REFUSED = """
import numpy, jujunp as np
x, y = np.arange(4.0), np.ones(4)
for call in (
    lambda: numpy.sort_complex(x), lambda: np.sort_complex(x), lambda: numpy.polydiv(y, y)[0]
):
    try:
        call()
    except np.HostFallbackError as error:
        assert isinstance(error, NotImplementedError)
        print(error)
assert not np.stats()["host fallbacks"]
print(numpy.sin(x).sum() > 0, np.shape(x), str(x))
"""


def test_fallbacks_are_refused_under_strict(run_python):
    lines = run_python(REFUSED, JUJUNP_STRICT="1").stdout.splitlines()
    assert len(lines) == 4
    assert all("sort_complex" in line or "polydiv" in line for line in lines[:3])
    assert lines[3] == "True (4,) [0. 1. 2. 3.]"


def test_names_that_numpy_lacks_too():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = jj.nonsense
    assert not hasattr(jj, "_private")


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_what_libraries_convert_with_gives_numpys_arrays(name: str) -> None:
    """As `numpy.asarray` does: over the same memory, that of a scalar a copy."""
    x = jj.arange(3.0) + 1
    found = getattr(np, name)(x)
    assert type(found) is np.ndarray
    assert np.shares_memory(found, np.asarray(x))
    assert found.ravel().tolist() == [1, 2, 3]
    assert getattr(np, name)(x[1]).ravel().tolist() == [2]
    if name != "atleast_1d":
        return
    both = np.atleast_1d(x, 5.0)
    assert [one.tolist() for one in both] == [[1, 2, 3], [5]]
    assert type(np.ravel(x)) is jj.ndarray  # others are ours


class _Compiled:
    """What calls `__array_ufunc__` as a ufunc of NumPy's does, and is none."""

    nin, nout = 1, 1
    __name__ = "sin"  # of a function of ours, which it is not

    def __call__(self, x: Any, **named: Any) -> Any:
        if isinstance(x, np.ndarray):
            return np.full_like(x, 7.0)
        return x.__array_ufunc__(self, "__call__", x, **named)


def test_ufuncs_of_others_are_given_numpys_arrays() -> None:
    found = _Compiled()(jj.arange(3.0))
    assert type(found) is jj.ndarray
    assert found.tolist() == [7, 7, 7]
    with pytest.raises(TypeError, match="takes a ufunc"):
        jj.arange(3.0).__array_ufunc__(3, "__call__")


def test_ufuncs_of_others_may_be_named_as_ours_are(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jj.stats()["host fallbacks"]
    found = scipy.special.expm1(jj.arange(3.0))
    assert type(found) is jj.ndarray
    np.testing.assert_allclose(found, np.expm1(np.arange(3.0)), rtol=1e-15)
    assert jj.stats()["host fallbacks"] == before  # SciPy's is NumPy's
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)
    transformed = np.fft._pocketfft_umath.fft(jj.ones(4, complex), 1.0, np.zeros(4, complex))
    assert transformed.tolist() == [4, 0, 0, 0]
    assert jj.stats()["host fallbacks"]["fft"] == before.get("fft", 0) + 1


@pytest.mark.parametrize("size", [3, 5000])
def test_ufuncs_write_to_arrays_of_numpys(size):
    """Few elements are copied, many written in place; what does not fit is NumPy's error."""
    x = np.arange(size) + 1.0
    for made in (x, jj.asarray(x)):
        whole, rows = np.ones(size, "float32"), np.zeros((2, size))
        assert np.add(made, made[0], out=whole) is whole
        assert np.sqrt(made, rows) is rows
        whole *= made
        assert whole.tolist() == ((x + 1) * x).astype("float32").tolist()
        assert rows.tolist() == [np.sqrt(x).tolist()] * 2
        with pytest.raises(TypeError, match="same_kind"):
            np.add(made, 1, out=np.zeros(size, int))
        with pytest.raises(ValueError, match="broadcast"):
            np.add(made, np.ones(size + 1), out=whole)
        with pytest.raises(ValueError, match="non-broadcastable"):
            np.add(made, np.ones((2, 1)), out=whole)
        fixed = np.zeros(size)
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            np.add(made, 1, out=fixed)
