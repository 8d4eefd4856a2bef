"""Structured kernels against NumPy: moving data, sorting, searching, indexing, products."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest

from tests.support.concurrency import in_threads
from tests.support.structured import (
    FAILED,
    FLOATS,
    MOVED,
    NUMBERS,
    OK,
    OUT_OF_BOUNDS,
    SHAPES,
    THREADS,
    UNSUPPORTED,
    Array,
    Guarded,
    Kernels,
    beside,
    layouts,
    numbers,
    same,
    structured_kernels,
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    return structured_kernels()


pytestmark = pytest.mark.usefixtures("quiet")


# Moving data


@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize("shape", [*SHAPES, (70, 2, 40), (3, 300), (300, 3)], ids=str)
def test_copy_between_any_strides(kernels: Kernels, shape: tuple[int, ...], dtype: str) -> None:
    x = numbers(shape, dtype)
    for source, target in itertools.product(layouts(x), layouts(np.zeros_like(x))):
        assert kernels.status("copy", [target, source]) == OK
        assert same(target, x)
    for source in layouts(x[:1]) if shape else ():
        repeated = np.broadcast_to(source, (4, *source.shape))
        (found,) = kernels("copy", [(repeated.shape, dtype)], [repeated])
        assert same(found, repeated)


@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize("turned", [False, True])
def test_large_copy_on_threads(kernels: Kernels, dtype: str, turned: bool) -> None:
    x = numbers((1100, 1001), dtype)
    source = x.T if turned else x[::-1, 1:]
    (found,) = kernels("copy", [(source.shape, dtype)], [source], threads=2)
    assert same(found, source)


def test_callers_at_the_same_time(kernels: Kernels) -> None:
    """More of them than there are teams of workers, so that some work alone."""

    def work(number: int) -> None:
        source = (np.arange(200_000.0) + number)[::-1]
        for _ in range(100):
            (found,) = kernels("copy", [(source.shape, "float64")], [source], threads=2)
            assert np.array_equal(found, source)

    in_threads(work, 8)


@pytest.mark.parametrize("dtype", MOVED)
def test_fill_writes_only_what_strides_reach(kernels: Kernels, dtype: str) -> None:
    value = numbers((), dtype, seed=1)
    whole = numbers((9, 40), dtype)
    wanted = whole.copy()
    wanted[::2, 3:-3] = value
    assert kernels.status("fill", [whole[::2, 3:-3], value]) == OK
    assert same(whole, wanted)
    (found,) = kernels("fill", [((0, 3), dtype)], [value])
    assert found.size == 0


@pytest.mark.parametrize("dtype", [*NUMBERS, "f2"])
def test_iota_counts_along_a_dimension(kernels: Kernels, dtype: str) -> None:
    for shape in SHAPES[1:]:
        for axis, size in enumerate(shape):
            count = np.arange(size).astype(dtype).reshape(beside(size, axis, len(shape)))
            (found,) = kernels("iota", [(shape, dtype)], [], [axis])
            assert same(found, np.broadcast_to(count, shape))


@pytest.mark.parametrize("dtype", MOVED)
def test_concatenate(kernels: Kernels, dtype: str) -> None:
    for shape in SHAPES[1:]:
        for axis in range(len(shape)):
            sizes = [shape[axis], 0, 2]
            parts = [
                numbers([*shape[:axis], size, *shape[axis + 1 :]], dtype, seed=size)
                for size in sizes
            ]
            wanted = np.concatenate(parts, axis)
            for inputs in zip(*[layouts(part) for part in parts], strict=True):
                (found,) = kernels("concatenate", [(wanted.shape, dtype)], inputs, [axis])
                assert same(found, wanted)


def padded(x: Array, value: Array, config: Sequence[tuple[int, int, int]]) -> Array:
    """Return what jax.lax.pad does, axis by axis."""
    for axis, (low, high, interior) in enumerate(config):
        lines = list(np.moveaxis(x, axis, 0))
        fill = np.full_like(np.moveaxis(x, axis, 0).sum(0, x.dtype), value)
        spread = [part for line in lines for part in (line, *[fill] * interior)]
        spread = spread[: len(spread) - interior] if lines else []
        spread = [fill] * max(low, 0) + spread + [fill] * max(high, 0)
        spread = spread[max(-low, 0) : len(spread) - max(-high, 0)]
        stacked = np.stack(spread) if spread else np.empty((0, *fill.shape), x.dtype)
        x = np.moveaxis(stacked, 0, axis)
    return x


@pytest.mark.parametrize("shape", [(), (1,), (5,), (0,), (3, 4), (5, 6, 7), (4, 0)], ids=str)
def test_pad_with_negative_and_interior_padding(kernels: Kernels, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x = numbers(shape, "i4")
    value = np.array(7, "i4")
    for trial in range(40):
        config = [(*rng.integers(-4, 5, 2), rng.integers(0, 3) * (trial % 2)) for _ in shape]
        sizes = [
            size + low + high + interior * max(size - 1, 0)
            for size, (low, high, interior) in zip(shape, config, strict=True)
        ]
        if min(sizes, default=0) < 0:
            continue
        wanted = padded(x, value, config)
        for source in layouts(x):
            params = [int(param) for axis in config for param in axis]
            (found,) = kernels("pad", [(sizes, "i4")], [source, value], params)
            assert same(found, wanted)


# Sorting and searching

ROWS = [*SHAPES[1:], (12,), (17,), (64,), (65,), (300,), (3000,), (70000,), (9, 300), (300, 9)]


def orders(x: Array, axis: int) -> tuple[Array, Array]:
    """Return the places along an axis, and the places of the stably sorted elements."""
    places = np.arange(x.shape[axis]).reshape(beside(x.shape[axis], axis, x.ndim))
    return np.broadcast_to(places, x.shape), np.argsort(x, axis, kind="stable")


@pytest.mark.parametrize("dtype", ["?", *NUMBERS, "f2"])
@pytest.mark.parametrize("special", [0, 1])
def test_sort_and_argsort_are_stable(kernels: Kernels, dtype: str, special: int) -> None:
    for shape in ROWS:
        x = numbers(shape, dtype, special=special)
        if special and dtype not in FLOATS:
            x = x // np.asarray(100).astype(dtype) if dtype != "?" else x
        for source in layouts(x) if x.size < 10**4 else (x, x[::-1]):
            for axis in range(x.ndim):
                places, order = orders(source, axis)
                wanted = np.take_along_axis(source, order, axis)
                both = [(shape, dtype), (shape, "i8")]
                for threads in THREADS:
                    (found,) = kernels("sort", both[:1], [source], [axis, 1, 1], threads)
                    assert same(found, wanted), (source.strides, axis)
                    found, found_order = kernels(
                        "sort", both, [source, places], [axis, 2, 1], threads
                    )
                    assert same(found, wanted), (source.strides, axis)
                    assert same(found_order, order), (source.strides, axis)


@pytest.mark.parametrize("dtype", ["?", *NUMBERS])
def test_top_k_puts_nan_and_the_first_of_equals_first(kernels: Kernels, dtype: str) -> None:
    for shape in [*SHAPES[1:], (300,), (3, 5000)]:
        x = numbers(shape, dtype, special=1)
        places = np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1]
        places = shape[-1] - 1 - places
        for count, kind in itertools.product({0, 1, shape[-1] // 2, shape[-1]}, ("i4", "i8")):
            if count > shape[-1]:
                continue
            wanted = np.take_along_axis(x, places, -1)[..., :count]
            out = [(wanted.shape, dtype), (wanted.shape, kind)]
            for source in layouts(x):
                found, found_places = kernels("top_k", out, [source])
                assert same(found, wanted)
                assert same(found_places, places[..., :count].astype(kind))


@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_long_sort_on_any_number_of_threads(kernels: Kernels, dtype: str) -> None:
    few = np.random.default_rng(0).integers(0, 1000, 120001).astype(dtype)
    for x in (numbers((120001,), dtype), numbers((120001,), dtype, special=1), few):
        places, order = orders(x, 0)
        both = [(x.shape, dtype), (x.shape, "i8")]
        for threads in (1, 2, 3, 4, 8, 9):
            (found,) = kernels("sort", both[:1], [x], [0, 1, 1], threads)
            assert same(found, x[order])
            found, found_order = kernels("sort", both, [x, places], [0, 2, 1], threads)
            assert same(found, x[order])
            assert same(found_order, order)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u8", "i4", "i2", "u1", "?"])
@pytest.mark.parametrize("places", [(0,), (-1,), (1, 7), (-2, 500, -9, 501)])
def test_partition(kernels: Kernels, dtype: str, places: tuple[int, ...]) -> None:
    """The wanted places have their sorted elements, what is before is no larger; none is lost."""
    rng = np.random.default_rng(0)
    for size in (1, 9, 128, 129, 300, 5000, 70_000):
        for bound in (0, 2, 100, 60_000):
            x = rng.integers(0, bound, (2, size), endpoint=True).astype(dtype)
            at = sorted({place % size for place in places})
            for threads in (1, 3):
                (found,) = kernels("sort", [(x.shape, dtype)], [x], [1, 1, 1, *at], threads)
                wanted = np.sort(x)
                assert same(np.sort(found), wanted)
                assert same(found[:, at], wanted[:, at])
                for place in at:
                    assert (found[:, :place] <= found[:, [place]]).all()
                    assert (found[:, place:] >= found[:, [place]]).all()


@pytest.mark.parametrize("dtype", sorted(FLOATS))
def test_partition_of_nan_and_signed_zeros(kernels: Kernels, dtype: str) -> None:
    x = numbers((3, 300), dtype, special=1)
    (found,) = kernels("sort", [(x.shape, dtype)], [x], [1, 1, 1, 10, 290])
    assert same(found[:, [10, 290]] + 0, np.sort(x)[:, [10, 290]] + 0)


def test_sort_of_rows_in_order_and_in_reverse(kernels: Kernels) -> None:
    for size in (3, 70, 1000, 70000):
        ordered = np.arange(size)
        for x in (ordered, ordered[::-1], np.full(size, 2), ordered // 9, ordered[::-1] // 9):
            for dtype in ("i8", "f4", "f8", "i2", "u1", "?", "f2"):
                check_sorted(kernels, x.astype(dtype))


def check_sorted(kernels: Kernels, x: Array) -> None:
    """Check sorted elements, and their places, of a row and of a view of it."""
    for source in (x, x[::-1], np.repeat(x, 2)[::2]):
        places, order = orders(source, 0)
        both = [(x.shape, x.dtype), (x.shape, "i8")]
        for threads in (1, 3):
            (found,) = kernels("sort", both[:1], [source], [0, 1, 1], threads)
            assert same(found, source[order])
            found, found_order = kernels("sort", both, [source, places], [0, 2, 1], threads)
            assert same(found, source[order])
            assert same(found_order, order)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "F", "D"])
def test_sort_of_rows_that_are_nearly_in_order(kernels: Kernels, dtype: str) -> None:
    """One element is at another place, or nan, or a zero of the other sign."""
    for size in (2, 3, 9, 33, 64, 65, 200):
        for place in {0, 1, size // 2, size - 2, size - 1}:
            values = [0, 1, 100] if dtype in ("i8", "u1") else [0, 1, 100, np.nan, -0.0]
            for value in values:
                for start in (np.arange(size) // 2, np.arange(size)[::-1]):
                    x = start.astype(dtype)
                    x[place] = value
                    check_sorted(kernels, x)
                    if x.dtype.kind == "c":
                        x[place] = complex(x[place].real, value)
                        check_sorted(kernels, x)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_sort_by_several_keys_moves_all_arrays(kernels: Kernels, dtype: str) -> None:
    rng = np.random.default_rng(1)
    for shape in [*SHAPES[1:], (300,), (5000,)]:
        keys = [
            rng.integers(0, 3, shape),
            rng.integers(-2, 2, shape).astype("i2"),
            numbers(shape, dtype, special=1),
        ]
        arrays = [*keys, rng.random(shape).astype("f4"), rng.random(shape) + 1j]
        for axis in range(len(shape)):
            order = np.lexsort(keys[::-1], axis)
            outputs = [(shape, array.dtype) for array in arrays]
            found = kernels("sort", outputs, arrays, [axis, len(arrays), len(keys)])
            for one, array in zip(found, arrays, strict=True):
                assert same(one, np.take_along_axis(array, order, axis))


@pytest.mark.parametrize("dtype", ["?", *NUMBERS])
def test_searchsorted(kernels: Kernels, dtype: str) -> None:
    for size in (0, 1, 2, 3, 100, 1000):
        a = np.sort(numbers((size,), dtype, special=1))
        for shape in [*SHAPES, (300, 400)]:
            v = numbers(shape, dtype, seed=1, special=1)
            sides: list[Literal["left", "right"]] = ["left", "right"]
            for side, name in enumerate(sides):
                wanted = np.searchsorted(a, v, name)
                for values in layouts(v):
                    for threads in THREADS:
                        out = [(shape, "i8")]
                        (found,) = kernels("searchsorted", out, [a, values], [side], threads)
                        assert same(found, wanted)
    spread = np.repeat(a, 2)[::2]
    (found,) = kernels("searchsorted", [((3,), "i8")], [spread, a[[0, 5, 9]]], [0])
    assert same(found, np.searchsorted(a, a[[0, 5, 9]]))


TABLES = {
    "even": lambda size: np.linspace(-3, 7, size),
    "shaken": lambda size: np.linspace(0, 1, size) + np.random.default_rng(0).random(size) / size,
    "rough": lambda size: np.sort(np.random.default_rng(0).random(size)),
    "equal": lambda size: np.full(size, 0.5),
    "steps": lambda size: np.repeat(np.linspace(0, 1, size), 2)[:size],
    "far": lambda size: 1e9 + np.linspace(0, 1e-4, size),
    "infinite": lambda size: np.append(np.linspace(0, 1, size - 1), np.inf),
    "nan": lambda size: np.append(np.linspace(0, 1, size - 1), np.nan),
    "wide": lambda size: np.linspace(-1, 1, size) * np.finfo("f4").max,
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_places_in_even_tables(kernels: Kernels, dtype: str, name: str) -> None:
    """Where places are computed: elements, their neighbours, what is between and outside."""
    for size in (2, 3, 10, 101):
        a = np.asarray(TABLES[name](size)).astype(dtype)
        low, high = np.nextafter(a, -np.inf, dtype=dtype), np.nextafter(a, np.inf, dtype=dtype)
        between = np.random.default_rng(1).choice(a, 4 * size) + (a[1] - a[0]) / 3
        odd = [np.inf, -np.inf, np.nan, 0.0, np.finfo(dtype).max]
        v = np.concatenate([a, low, high, between, odd]).astype(dtype)
        for side, wanted in enumerate([np.searchsorted(a, v), np.searchsorted(a, v, "right")]):
            for table in (a, np.repeat(a, 2)[::2]):
                for values in (v, np.repeat(v, 2)[::2]):
                    (found,) = kernels("searchsorted", [(v.shape, "i8")], [table, values], [side])
                    assert same(found, wanted)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_places_of_rising_values(kernels: Kernels, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for size in (1, 15, 16, 17, 300):
        a = np.sort(rng.integers(0, size, size)).astype(dtype)
        for count in (3, size, 7 * size):
            v = np.sort(rng.uniform(-3, size + 3, count)).astype(dtype)
            jumping = np.where(rng.random(count) < 0.05, v[::-1], v)
            if dtype != "i4":
                jumping[rng.random(count) < 0.02] = np.nan
            for values in (v, v[::-1], jumping, jumping.repeat(3)[::3]):
                for side, wanted in enumerate(
                    [a.searchsorted(values), a.searchsorted(values, "right")]
                ):
                    (found,) = kernels("searchsorted", [(values.shape, "i8")], [a, values], [side])
                    assert same(found, wanted)


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_interp(kernels: Kernels, dtype: str) -> None:
    for size in (1, 2, 30):
        places = np.sort(numbers((size,), "f8"))
        values, left, right = (numbers(shape, dtype) for shape in ((size,), (), ()))
        for shape in [*SHAPES, (300, 400)]:
            x = numbers(shape, "f8", seed=1, special=1)
            wanted = np.interp(x, places, values, left[()], right[()])
            for given in layouts(x):
                for threads in THREADS:
                    operands = [given, places[::-1][::-1], values.repeat(2)[::2], left, right]
                    (found,) = kernels("interp", [(shape, dtype)], operands, [], threads)
                    assert same(found, wanted)


def test_bincount(kernels: Kernels) -> None:
    rng = np.random.default_rng(0)
    for size, most in ((1, 1), (7, 3), (1000, 60), (5000, 9000)):
        x, weights = rng.integers(0, most, size), rng.random(size)
        wanted = np.bincount(x, minlength=most)
        heavy = np.bincount(x, weights, minlength=most)
        for source in layouts(x):
            (found,) = kernels("bincount", [((most,), "i8")], [source])
            assert same(found, wanted)
            for given in layouts(weights):
                (found,) = kernels("bincount", [((most,), "f8")], [source, given])
                assert same(found, heavy)
    for bad in (-1, 3):
        out = np.zeros(3, "i8")
        assert kernels.status("bincount", [out, np.array([0, bad])], []) == OUT_OF_BOUNDS


@pytest.mark.parametrize("order", ["little", "big"])
def test_bits(kernels: Kernels, order: Literal["little", "big"]) -> None:
    big = int(order == "big")
    for shape in [(1,), (64,), (77,), (5, 130), (130, 5), (9, 20, 17), (300, 400)]:
        truth = np.random.default_rng(0).random(shape) < 0.5
        for axis in range(len(shape)):
            packed = np.packbits(truth, axis, order)
            for source in layouts(truth):
                for threads in THREADS:
                    out = [(packed.shape, "u1")]
                    (found,) = kernels("packbits", out, [source], [axis, big], threads)
                    assert same(found, packed)
            for count in (1, shape[axis], 8 * packed.shape[axis] + 3):
                wanted = np.unpackbits(packed, axis, count, order)
                for source in layouts(packed):
                    out = [(wanted.shape, "u1")]
                    (found,) = kernels("unpackbits", out, [source], [axis, big])
                    assert same(found, wanted)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_nonzero(kernels: Kernels, share: float) -> None:
    for shape in [*SHAPES, (64,), (65,), (3000,)]:
        x = np.asarray(np.random.default_rng(0).random(shape) < share)
        wanted = np.flatnonzero(x)
        for source in layouts(x):
            (found,) = kernels("nonzero", [(wanted.shape, "i8")], [source])
            assert same(found, wanted)
        for size in {wanted.size - 1, wanted.size + 1} - {-1}:
            wrong = Guarded((size,), "i8")
            assert kernels.status("nonzero", [wrong.array, x]) == FAILED
            wrong.check()


# Indexing

INDEXED = [((7,), 1), ((5, 6), 1), ((5, 6), 2), ((4, 5, 6), 2), ((300, 9), 1), ((3, 0), 1)]
POSITIONS = [(), (1,), (9,), (3, 4), (0,), (2, 3, 2), (700,), (30, 40)]


def indices(shape: tuple[int, ...], count: int, positions: tuple[int, ...]) -> list[Array]:
    """Return index arrays for the first axes, negative ones and broadcast ones among them."""
    rng = np.random.default_rng(2)
    found = [np.asarray(rng.integers(-size, size, positions)) for size in shape[:count]]
    if len(positions) == 2:
        found[-1] = np.broadcast_to(found[-1][:, :1], positions)
    return found


@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize(("shape", "count"), INDEXED)
def test_gather(kernels: Kernels, shape: tuple[int, ...], count: int, dtype: str) -> None:
    for positions in POSITIONS:
        found = indices(shape, count, positions)
        for x in layouts(numbers(shape, dtype)):
            for places in (found, [index.copy(order="F") for index in found]):
                wanted = x[tuple(found)]
                out = [(positions + shape[count:], dtype)]
                for threads in THREADS:
                    (result,) = kernels("gather", out, [x, *places], [count], threads)
                    assert same(result, wanted)


def test_large_gather_on_threads(kernels: Kernels) -> None:
    x = numbers((1000, 3), "f8")
    index = np.random.default_rng(0).integers(-1000, 1000, 400000)
    (found,) = kernels("gather", [((400000, 3), "f8")], [x, index], [1], 2)
    assert same(found, x[index])


UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "scatter": lambda old, new: new,
    "scatter_add": np.add,
    "scatter_mul": np.multiply,
    "scatter_min": np.minimum,
    "scatter_max": np.maximum,
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *[("scatter", dtype) for dtype in MOVED],
        *[(name, dtype) for name in UPDATES if name != "scatter" for dtype in NUMBERS],
    ],
)
def test_scatter_updates_in_order(kernels: Kernels, name: str, dtype: str) -> None:
    for (shape, count), positions in itertools.product(INDEXED, POSITIONS[:-2]):
        places = indices(shape, count, positions)
        new = numbers(positions + shape[count:], dtype, seed=1)
        for x in layouts(numbers(shape, dtype)):
            wanted = x.copy()
            for at in np.ndindex(positions):
                here = tuple(index[at] for index in places)
                wanted[here] = UPDATES[name](wanted[here], new[at])
            before = x.copy()
            for updates in layouts(new):
                x[...] = before
                assert kernels.status(name, [x, updates, *places], [count]) == OK
                assert same(x, wanted)


@pytest.mark.parametrize(
    "wrong",
    [
        ([0, 5, 1, 9], [0, 0, 0, 0]),
        ([0, 4, -5, -6], [0, 0, 0, 0]),
        ([0, 1, 2, 3], [0, 0, -7, 9]),
        ([0, 1, 2, 2**62], [0, 0, 0, 0]),
        ([0, 1, 2, -(2**63)], [0, 0, 0, 0]),
        ([0, 1, 2, 2**63 - 1], [0, 9, 0, 0]),
    ],
)
def test_bad_indices_are_reported_before_anything_is_written(
    kernels: Kernels, wrong: tuple[list[int], list[int]]
) -> None:
    x = numbers((5, 6), "f8")
    before = x.copy()
    places = [np.array(index) for index in wrong]
    with pytest.raises(IndexError) as error:
        x[tuple(places)]
    for repeat in (1, 300):
        tiled = [np.tile(index, repeat) for index in places]
        for name in ("gather", *UPDATES):
            other = np.full(4 * repeat, 7.0)
            arrays = [other, x] if name == "gather" else [x, other]
            fault: list[int] = []
            status = kernels.status(name, [*arrays, *tiled], [2], 1, fault)
            assert status == OUT_OF_BOUNDS
            axis, index, size = fault
            text = f"index {index} is out of bounds for axis {axis} with size {size}"
            assert str(error.value) == text
            assert same(x, before)
            assert (other == 7).all()


# Products

DOTS: list[tuple[tuple[int, ...], tuple[int, ...], str]] = [
    *[((5,), (5,), "a,a"), ((5,), (7,), "a,b"), ((0,), (0,), "a,a"), ((250,), (250,), "a,a")],
    *[((3, 4), (4, 5), "ab,bc"), ((33, 45), (45, 70), "ab,bc"), ((100, 90), (90, 60), "ab,bc")],
    *[((3, 4), (4,), "ab,b"), ((70, 300), (300,), "ab,b"), ((300,), (300, 70), "a,ab")],
    *[((7, 30, 40), (7, 40, 20), "zab,zbc"), ((3, 4, 5), (4, 5, 6), "abc,bcd")],
    *[((3, 4, 5), (5, 4, 6), "abc,cbd"), ((2, 3, 4, 5), (6, 2, 5, 3), "zabc,dzce")],
    *[((40, 30), (50, 30), "ab,cb"), ((30, 40), (30, 50), "ba,bc"), ((0, 4), (4, 5), "ab,bc")],
    *[((3, 0), (0, 5), "ab,bc"), ((60, 1), (1, 70), "ab,bc"), ((6,), (6,), "z,z")],
    *[((2, 3, 2, 3), (3, 2, 3, 2), "zabc,dbaz"), ((64, 1000), (1000, 3), "ab,bc")],
]


def dot_params(a: str, b: str) -> tuple[list[int], str]:
    """Return the parameters of dot_general for einsum letters, z for batch, and the result's."""
    batch = [letter for letter in a if letter == "z"]
    shared = [letter for letter in a if letter in b and letter != "z"]
    axes = [side.index(letter) for group in (batch, shared) for side in (a, b) for letter in group]
    free = [letter for letter in a + b if not (letter in a and letter in b)]
    return [len(batch), len(shared), *axes], "".join(batch + free)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("threads", THREADS)
def test_batches_of_large_products(kernels: Kernels, dtype: str, count: int, threads: int) -> None:
    """Of whole numbers, so that sums are exact: whole matrices, or parts, for each thread."""
    rng = np.random.default_rng(count)
    x = rng.integers(-9, 10, (count, 90, 80)).astype(dtype)
    y = rng.integers(-9, 10, (count, 80, 130)).astype(dtype)
    params = [1, 1, 0, 0, 2, 1]
    (found,) = kernels("dot_general", [((count, 90, 130), dtype)], [x, y], params, threads)
    assert same(found, x @ y)


@pytest.mark.parametrize("dtype", ["?", *NUMBERS])
def test_dot_general(kernels: Kernels, dtype: str) -> None:
    for left, right, letters in DOTS:
        params, result = dot_params(*letters.split(","))
        x, y = numbers(left, dtype), numbers(right, dtype, seed=1)
        wide = "f8" if dtype in FLOATS else "i8" if dtype == "?" else dtype
        wanted = np.einsum(f"{letters}->{result}", x.astype(wide), y.astype(wide)).astype(dtype)
        for a, b in itertools.product(layouts(x), layouts(y)):
            for threads in THREADS:
                (found,) = kernels("dot_general", [(wanted.shape, dtype)], [a, b], params, threads)
                if dtype in FLOATS:
                    bound = np.finfo(dtype).eps * 50**2 * max(1, math.prod(left))
                    assert np.abs(found - wanted).max(initial=0) < bound
                else:
                    assert same(found, wanted), (a.strides, b.strides, letters)


@pytest.mark.parametrize("dtype", ["?", "i4", *FLOATS])
def test_long_dot_does_not_depend_on_threads(kernels: Kernels, dtype: str) -> None:
    x, y = numbers((700000,), dtype), numbers((700000,), dtype, seed=1)
    out = [((), dtype)]
    results = [kernels("dot_general", out, [x, y], [0, 1, 0, 0], n)[0] for n in (1, 2, 5)]
    assert same(results[1], results[0])
    assert same(results[2], results[0])
    assert np.allclose(results[0], np.dot(x, y), rtol=1e-3)


# What is refused


def test_calls_that_make_no_sense_are_refused(kernels: Kernels) -> None:
    x = np.zeros((2, 3))
    flat = np.zeros(3)
    index = np.zeros(2, np.int64)
    calls: list[tuple[str, list[Array], list[int]]] = [
        ("copy", [x, flat], []),
        ("copy", [x, x.astype("f4")], []),
        ("copy", [x], []),
        ("iota", [x], [2]),
        ("iota", [x > 0], [0]),
        ("concatenate", [x, x, x], [0]),
        ("concatenate", [x, x], [2]),
        ("pad", [x, x, flat[0]], [0, 1, 0, 0, 0, 0]),
        ("pad", [x, x, flat[0]], [0, 0]),
        ("reduce_sum", [x, x], [0]),
        ("reduce_sum", [flat.astype("f4"), x], [0]),
        ("reduce_and", [flat, x], [0]),
        ("argmax", [flat, x], [0]),
        ("argmax", [np.zeros((), "i8"), np.zeros(0)], [0]),
        ("cumsum", [x, x], [2, 0]),
        ("cumsum", [x > 0, x > 0], [0, 0]),
        ("sort", [x, x], [0, 1, 2]),
        ("searchsorted", [np.zeros(3, "i8"), x, flat], [0]),
        ("bincount", [index, flat], []),
        ("bincount", [flat, index], []),
        ("bincount", [index, index, flat], []),
        ("bincount", [flat, index, flat], []),
        ("packbits", [flat[:1].astype("u1"), flat], [0, 1]),
        ("packbits", [flat.astype("u1"), flat > 0], [0, 1]),
        ("packbits", [flat[:1].astype("u1"), flat > 0], [1, 1]),
        ("unpackbits", [x.astype("u1"), flat.astype("u1")], [0, 1]),
        ("unpackbits", [flat > 0, flat.astype("u1")], [0, 1]),
        ("interp", [flat, flat, flat, flat, flat[0], flat], []),
        ("interp", [flat, flat, flat, flat[1:], flat[0], flat[0]], []),
        ("interp", [flat, flat, flat[:0], flat[:0], flat[0], flat[0]], []),
        ("interp", [flat, flat, flat, flat.astype("c16"), flat[0], flat[0]], []),
        ("gather", [flat, x, flat], [1]),
        ("gather", [flat, flat, index], [1]),
        ("scatter_add", [x > 0, x > 0, index], [1]),
        ("nonzero", [index, x], []),
        ("dot_general", [x, x, x], [0, 1, 1, 0]),
        ("dot_general", [x, x, x], [0, 1]),
        ("dot_general", [flat[0], flat, flat], [0, 1, 5, 0]),
    ]
    for name, arrays, params in calls:
        arrays = [np.asarray(array) for array in arrays]
        before = [array.copy() for array in arrays]
        assert kernels.status(name, arrays, params) == UNSUPPORTED, (name, params)
        for array, old in zip(arrays, before, strict=True):
            assert same(array, old)


def test_arrays_of_32_axes(kernels: Kernels) -> None:
    shape = [1] * 32
    shape[3] = shape[17] = shape[31] = 2
    x = numbers(shape, "f8").T
    (found,) = kernels("copy", [(x.shape, "f8")], [x])
    assert same(found, x)
    (found,) = kernels("reduce_sum", [((), "f8")], [x], range(32))
    assert same(found, x.sum())
