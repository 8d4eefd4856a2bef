"""NumPy's arrays, however they lie in memory, as operands of ours and as memory that is shared."""

import copy
import itertools
import math

import numpy as np
import pytest

import jujunp

DTYPES = ("float64", "float32", "int64", "uint8", "int16", "complex128", "bool", "float16")


def layouts(dtype):
    """Yield arrays of a dtype that lie in many ways."""
    whole = (np.arange(120) % 7).reshape(4, 5, 6).astype(dtype)
    for axes in itertools.permutations(range(3)):
        turned = whole.transpose(axes)
        yield from (turned, turned[::2], turned[:, ::-1], turned[..., 1:3], turned[::-1, 1, ::-2])
        yield from (turned[1:1], turned[:1], turned[2, :, None])
    yield whole[:, 0, 0]
    yield whole[0, 0][::-3]
    yield np.broadcast_to(whole[0], (2, 5, 6))
    yield whole.T.copy(order="K")
    yield np.array(3).astype(dtype)


def steps(x):
    """Return the strides of axes that have more than one place."""
    return [stride for stride, extent in zip(x.strides, x.shape, strict=True) if extent > 1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies(dtype):
    for x in layouts(dtype):
        for copied in (jujunp.array(x), jujunp.positive(x) if dtype != "bool" else jujunp.copy(x)):
            assert copied.dtype == dtype
            np.testing.assert_array_equal(copied, x, strict=True)
            if x.size and 0 not in x.strides:
                assert steps(copied) == steps(np.copy(x, order="K"))
            if x.size:
                before = x.flat[0]
                copied[...] = 9 if dtype != "bool" else ~before
                assert x.flat[0] == before


@pytest.mark.parametrize("dtype", DTYPES)
def test_shared_memory(dtype):
    for given in layouts(dtype):
        x = given.copy()  # what the next ones see stays as it is
        x = np.lib.stride_tricks.as_strided(x, x.shape, x.strides)
        for taken in (given, x):
            shared = jujunp.asarray(taken)
            np.testing.assert_array_equal(shared, taken, strict=True)
            if not taken.size or 0 in taken.strides or not taken.flags.writeable:
                continue
            first = (0,) * taken.ndim
            kept = taken[first].copy()
            shared[first] = 9 if dtype != "bool" else ~kept
            assert taken[first] != kept
            taken[first] = kept
            assert shared[first] == kept
            assert np.shares_memory(np.asarray(shared), taken)
            jujunp.put(shared, [0], 4)
            assert taken[first] == True if dtype == "bool" else taken[first] == 4  # noqa: E712
            shared[...] = shared + shared
            assert (shared.tolist(), taken[first]) == (taken.tolist(), shared[first])


@pytest.mark.parametrize("extents", [(2, 3, 4), (20, 30, 40)])  # large ones are Python's to copy
def test_orders_of_elements(extents):
    x = np.arange(float(math.prod(extents))).reshape(extents).transpose(1, 2, 0)
    assert jujunp.sin(x).strides == np.sin(x).strides
    for order in "CFAK":
        np.testing.assert_array_equal(jujunp.ravel(x, order=order), np.ravel(x, order=order))
    for order in "CFA":
        found = jujunp.reshape(x.T, x.size, order=order)
        np.testing.assert_array_equal(found, np.reshape(x.T, x.size, order=order))


CALLS = {
    "where": lambda xp, x, y: xp.where(x > 3, x, y),
    "where numbers": lambda xp, x, y: xp.where(x > 3, x.astype("f4"), 1),
    "where lists": lambda xp, x, y: xp.where([True, False], [1, 2], 3.5),
    "zeros_like": lambda xp, x, y: xp.zeros_like(x.T),
    "full_like": lambda xp, x, y: xp.full_like(x, 3),
    "reshape": lambda xp, x, y: xp.reshape(x, (8, 2)),
    "transpose": lambda xp, x, y: xp.transpose(x, (1, 0)),
    "pad": lambda xp, x, y: xp.pad(x, 1),
    "compress": lambda xp, x, y: xp.compress([True, False, True, False], x, axis=0),
    "take_along_axis": lambda xp, x, y: xp.take_along_axis(x, xp.argsort(y, axis=1), 1),
    "split": lambda xp, x, y: xp.split(x, 2)[1],
    "einsum": lambda xp, x, y: xp.einsum("ij,jk->ik", x, y),
    "einsum of lists": lambda xp, x, y: xp.einsum("ij,jk", x.tolist(), y.tolist()),
    "einsum with labels": lambda xp, x, y: xp.einsum(x, [0, 1], y, [1, 2], [2, 0]),
    "fftshift": lambda xp, x, y: xp.fft.fftshift(x),
    "copy": lambda xp, x, y: xp.copy(x.T),
    "astype": lambda xp, x, y: xp.astype(x.T, "int64"),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    """The first calls, which are learnt, and those after them give the same for all layouts."""
    whole = np.arange(64.0).reshape(8, 8) % 11
    for _ in range(4):
        for x, y in ((whole[:4, :4], whole[4:, 4:].T), (whole.T[::2, ::2], whole[::-2, :4])):
            wanted = CALLS[name](np, x, y)
            found = CALLS[name](jujunp, x, y)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


def test_products_of_numpys_arrays():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    for _ in range(4):
        found = a @ jujunp.array(b)
        assert isinstance(found, jujunp.ndarray)
        np.testing.assert_array_equal(found, a @ b)
        np.testing.assert_array_equal(np.vecdot(a, jujunp.array(a)), np.vecdot(a, a))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: copy.deepcopy([x])[0]])
def test_copies_of_ours(copied):
    """They lie in memory as what they are of, and what is written to either is not seen."""
    for dtype, pending in itertools.product(DTYPES, (False, True)):
        for seen in layouts(dtype):
            x = jujunp.asarray(seen.copy()) if pending else jujunp.array(seen)
            x = jujunp.where(x == x, x, x) if pending else x
            found = copied(x)
            assert type(found) is type(x)
            np.testing.assert_array_equal(found, x, strict=True)
            if found.size and 0 not in seen.strides and not pending:
                assert steps(found) == steps(seen.copy(order="K"))
            if found.size and found.ndim:
                wanted = seen.copy()
                found[...] = 9
                np.testing.assert_array_equal(x, wanted)
                x[...] = 8
                assert bool((found == (9 if dtype != "bool" else True)).all())


def test_copies_of_scalars():
    x = jujunp.arange(4) + 0.5
    for one in (x[1], x.sum(), jujunp.arange(3)[2], (x * 1j)[3], x.astype("float32")[0], x[2] > 1):
        for copied in (copy.copy(one), copy.deepcopy(one)):
            assert type(copied) is type(one)
            assert copied.dtype == one.dtype
            assert copied == one
    written = x[1]
    kept = copy.deepcopy(written)
    written[...] = 7
    assert (float(written), float(kept)) == (7, 1.5)
