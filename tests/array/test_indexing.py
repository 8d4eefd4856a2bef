"""Reading and writing with keys: basic, integer arrays, masks and all of them together."""

from __future__ import annotations

import inspect

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import jujunp as jj
from tests.support.differential import DTYPES, check, compare


def cube(library, dtype="float64"):
    return library.asarray(np.arange(60).reshape(3, 4, 5).astype(dtype))


class Key:
    """Makes a key for either library: its arrays come from the library."""

    def __getitem__(self, key):
        return key if isinstance(key, tuple) else (key,)


K = Key()
A = np.array  # marks what becomes the library's own array
ROWS = A([True, False, True])
PLANE = np.arange(12).reshape(3, 4) % 3 == 0

KEYS = [
    # basic
    K[0],
    K[-1],
    K[...],
    K[()],
    K[None],
    K[1, 2],
    K[1, 2, 3],
    K[1, 2, 3, ...],
    K[..., 0],
    K[..., 0, :],
    K[1:, None, ::-2],
    K[::-1, 1:3, -1],
    K[5:],
    K[2:0],
    K[:, :, 4:0:-2],
    K[np.int64(1), np.uint8(2)],
    K[1 : np.int32(3)],
    K[A(1)],
    K[A(1), A(2), A(3)],
    K[3],
    K[-4],
    K[0, 4],
    K[0, 0, 0, 0],
    K[..., ...],
    K[1.0],
    K["a"],
    K[1.0:2],
    K[::0],
    # integer arrays
    K[A([0, 2])],
    K[A([-1, 0, 1, 1])],
    K[[0, 2]],
    K[[]],
    K[A([[0, 1], [2, 0]])],
    K[:, A([0, 3, 3])],
    K[..., A([4, 0])],
    K[A([0, 1]), A([2, 3])],
    K[A([[0], [1]]), A([2, 3])],
    K[A([0, 1]), :, A([2, 3])],
    K[:, A([0, 1]), A([2, 3])],
    K[A([0, 1]), A([2, 3]), A([4, 0])],
    K[A([0, 1]), None, A([2, 3])],
    K[None, A([0, 1]), A([2, 3])],
    K[A([0, 1]), 1],
    K[1, A([0, 1])],
    K[1, :, A([0, 1])],
    K[A([0, 1]), :, 2],
    K[1:, A([0, 1])],
    K[::-1, A([0, 1]), ::-2],
    K[A([0, 1]), ..., A([0, 1])],
    K[..., None, A([0, 1])],
    K[A([0, 1], "uint8")],
    K[A([0, -1], "int8"), A([1, 2], "uint64")],
    K[[0, 1], [2, 3]],
    K[[[0, 1]], :],
    K[A([0, 1, 2]), A([0, 1])],
    K[A([0.0, 1.0])],
    K[A([3])],
    K[A([0, -4])],
    K[:, A([4])],
    K[A([0]), A([0]), A([5])],
    K[A([0]), A([0]), A([0]), A([0])],
    K[A([], "int64")],
    K[A([], "int64"), 3],
    K[A([0, 1]), 7],
    # masks
    K[ROWS],
    K[ROWS, 1],
    K[ROWS, :, 1:3],
    K[1, PLANE[1]],
    K[PLANE],
    K[PLANE, 2],
    K[:, A([True, False, True, True])],
    K[..., A([True, False, True, True, False])],
    K[np.arange(60).reshape(3, 4, 5) % 7 == 0],
    K[np.zeros((3, 4, 5), bool)],
    K[np.ones((3, 4, 5), bool)],
    K[ROWS, A([0, 1])],
    K[ROWS, :, A([0, 1])],
    K[A([0, 1]), A([True, False, True, False])],
    K[A([[0], [1]]), A([True, False, True, False])],
    K[[True, False, True]],
    K[None, ROWS],
    K[ROWS, None],
    K[A([True, False])],
    K[A([True, False, True, True])],
    K[PLANE.T],
    K[np.ones((3, 4, 5, 1), bool)],
    K[np.zeros(0, bool)],
    K[np.zeros((0, 4, 5), bool)],
    K[np.zeros((3, 0), bool)],
    K[np.zeros((7, 0), bool)],
    K[:, np.zeros(0, bool)],
    K[ROWS, A([0, 1, 2])],
    K[True],
    K[False],
    K[A(True)],
    K[:, True],
    K[..., False],
    K[True, 1],
    K[A([0, 1]), True],
    K[np.bool_(True), :, A([0, 1])],
    K[A(1), ...],
    K[A(1), :, None],
]


def own(library, key):
    """Return the key with its arrays as the library's."""
    parts = tuple(library.array(part) if isinstance(part, np.ndarray) else part for part in key)
    return parts[0] if len(parts) == 1 else parts


def shown(key):
    return repr(key).replace("array", "").replace("\n", "")[:60]


@pytest.mark.parametrize("key", KEYS, ids=shown)
def test_reading(key):
    check(lambda library: cube(library)[own(library, key)])
    check(lambda library: cube(library, "int8")[own(library, key)])


@pytest.mark.parametrize("key", KEYS, ids=shown)
def test_reading_of_views(key):
    check(lambda library: cube(library).transpose(2, 0, 1)[::2, :, ::-1][own(library, key)])
    spread = (3, 4, 5)
    check(lambda library: library.broadcast_to(cube(library)[0, 0, 0], spread)[own(library, key)])
    check(lambda library: cube(library)[:, 0][own(library, key)])


@pytest.mark.parametrize("key", KEYS, ids=shown)
@pytest.mark.parametrize("item", [7, -1.5, True, "scalar", "array", "fitting", "list", "wrong"])
def test_writing(key, item):
    def program(library):
        x = cube(library).copy()
        items = {
            "scalar": lambda: library.asarray([3, 4])[1],
            "array": lambda: library.asarray(np.array([9])),
            "fitting": lambda: x[own(library, key)] * 2 + 1,
            "list": lambda: [8],
            "wrong": lambda: library.zeros((2, 7)),
        }
        x[own(library, key)] = items[item]() if isinstance(item, str) else item
        return x

    check(program)


@pytest.mark.parametrize("key", KEYS, ids=shown)
def test_writing_through_views(key):
    def program(library):
        x = cube(library).copy()
        view = x.transpose(2, 1, 0)[::-1, :, ::2].swapaxes(0, 2)
        view = x.T.T if view.shape != (3, 4, 5) else view
        kept = x + 0
        view[own(library, key)] = -3
        y = library.zeros((6, 8, 5))
        y[::2, 1::2, ::-1][own(library, key)] = 5
        return x, view, kept, y

    check(program)


@pytest.mark.parametrize("key", KEYS, ids=shown)
def test_augmented_writing(key):
    def program(library):
        x = cube(library, "int32").copy()
        x[own(library, key)] += 3
        x[own(library, key)] *= 2
        x[own(library, key)] //= 3
        return x

    check(program)


@pytest.mark.parametrize("dtype", DTYPES)
def test_writing_converts(dtype):
    for source in DTYPES:

        def program(library, source=source):
            x = library.zeros((4, 3), dtype)
            item = library.asarray(np.array([0, 1, 3]).astype(source))
            x[0] = item
            x[1, ::-1] = item
            x[[2]] = item
            x[3][library.asarray([True, True, False])] = item[1:]
            return x

        check(program)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("item", [300, -1, 2**40, 2**64, 1.7, 1e300, float("nan"), True])
def test_writing_python_numbers(dtype, item):
    for key in (0, [0], slice(None), Ellipsis):
        if np.dtype(dtype).kind in "iu" and item != item:
            continue  # NumPy gives an undefined integer for some keys and ValueError for others

        def program(library, key=key):
            x = library.ones(3, dtype)
            x[key] = item
            return x

        check(program)


def test_masked_numbers_out_of_range():
    def program(library):
        x = library.ones(3, "uint8")
        x[x > 0] = 300

    check(program)


def test_of_repeated_indices_the_last_wins():
    def program(library):
        x = library.zeros(5)
        x[library.asarray([1, 1, 2, 1])] = library.asarray([1.0, 2.0, 3.0, 4.0])
        x[library.asarray([3, 3])] += 1
        return x

    check(program)


def test_many_repeated_indices():
    places = np.random.default_rng(0).integers(0, 50, 100_000)

    def program(library):
        x = library.zeros(50, "int64")
        x[library.asarray(places)] = library.arange(100_000)
        return x

    check(program)


def test_overlapping_copies():
    programs = [
        lambda x: x.__setitem__(slice(1, None), x[:-1]),
        lambda x: x.__setitem__(slice(None, -1), x[1:]),
        lambda x: x.__setitem__(slice(None), x[::-1]),
        lambda x: x.__setitem__([0, 1, 2], x[[2, 1, 0]]),
        lambda x: x.__setitem__(x > 3, x[x > 3][::-1]),
        lambda x: x.__iadd__(x[::-1]),
        lambda x: x[1:].__iadd__(x[:-1]),
    ]
    for program in programs:

        def run(library, program=program):
            x = library.arange(10)
            program(x)
            return x

        check(run)

    x = jj.arange(10)
    x[::2] = x[:5]  # NumPy 2.4 overwrites what it has not read yet
    assert x.tolist() == [0, 1, 1, 3, 2, 5, 3, 7, 4, 9]

    def transposed(library):
        x = library.asarray(np.arange(16.0).reshape(4, 4)).copy()
        x[...] = x.T
        x += x.T
        return x

    check(transposed)


def test_large_arrays():
    rng = np.random.default_rng(1)
    values = rng.random((700, 900))
    rows, columns = rng.integers(-700, 700, 300_000), rng.integers(0, 900, 300_000)

    def program(library):
        x = library.asarray(values).copy()
        picked = x[library.asarray(rows), library.asarray(columns)]
        big = x[x > 0.5]
        x[x < 0.1] = 0
        x[library.asarray(rows[:500])] = 1
        return picked, big, x, x.T[library.asarray(columns)][:, ::3]

    check(program)


# -- random keys


@st.composite
def keys(draw, shape):
    """A key of basic parts, index arrays that broadcast together, and masks."""
    pattern = draw(st.sampled_from(((), (1,), (3,), (2, 1), (2, 3))))
    parts, used = [], 0
    while used < len(shape) and draw(st.booleans() | st.just(True)):
        extent = shape[used]
        kind = draw(st.sampled_from(("int", "slice", "array", "mask", "none", "ellipsis")))
        if kind == "none":
            parts.append(None)
            continue
        if kind == "ellipsis":
            break
        if kind == "int":
            parts.append(draw(st.integers(-extent, extent - 1)))
        elif kind == "slice":
            bound = st.none() | st.integers(-extent - 1, extent + 1)
            step = draw(st.sampled_from((None, 1, 2, -1, -2)))
            parts.append(slice(draw(bound), draw(bound), step))
        elif kind == "array":
            size = int(np.prod(pattern))
            numbers = draw(st.lists(st.integers(-extent, extent - 1), min_size=size, max_size=size))
            parts.append(np.array(numbers).reshape(pattern))
        else:
            count = draw(st.sampled_from((1, 3)))
            mask = np.zeros(extent, bool)
            mask[:count] = True
            parts.append(mask)
        used += 1
    if draw(st.booleans()):
        parts.append(Ellipsis)
    return tuple(parts)


@settings(max_examples=400)
@given(st.data())
def test_random_keys(data):
    shape = data.draw(st.lists(st.integers(3, 5), min_size=1, max_size=4).map(tuple))
    axes = data.draw(st.permutations(range(len(shape))))
    key = data.draw(keys([shape[axis] for axis in axes]))

    def program(library):
        x = library.asarray(np.arange(int(np.prod(shape))).reshape(shape)).copy()
        view = x.transpose(*axes)
        part = view[own(library, key)]
        view[own(library, key)] = -part
        view[own(library, key)] = 5 - view[own(library, key)]
        return part, x

    check(program)


# -- errors


@pytest.mark.parametrize(
    "key",
    [
        K[3],
        K[0, -5],
        K[0, 0, 0, 0],
        K[1.0],
        K["a"],
        K[..., ...],
        K[A([0.5])],
        K[A([True, False])],
        K[A([0, 1, 2]), A([0, 1])],
        K[PLANE.T],
        K[A([0]), 9],
    ],
    ids=shown,
)
def test_texts_of_errors_at_once(key):
    with pytest.raises(IndexError) as wanted:
        cube(np)[own(np, key)]
    for use in (lambda x: x[own(jj, key)], lambda x: x.__setitem__(own(jj, key), 0)):
        x = cube(jj).copy()
        with pytest.raises(IndexError) as found:
            use(x)
        assert str(found.value) == str(wanted.value)


def line():
    """Return the number of the caller's line."""
    return inspect.currentframe().f_back.f_lineno


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (K[A([0, 3])], "index 3 is out of bounds for axis 0 with size 3"),
        (K[A([0, -4])], "index -4 is out of bounds for axis 0 with size 3"),
        (K[:, A([4])], "index 4 is out of bounds for axis 1 with size 4"),
        (K[A([0, 1]), :, A([0, 77])], "index 77 is out of bounds for axis 2 with size 5"),
    ],
    ids=shown,
)
def test_deferred_errors_of_index_arrays_name_their_line(key, text):
    with pytest.raises(IndexError) as wanted:
        cube(np)[own(np, key)]
    assert str(wanted.value) == text
    x = cube(jj).copy()
    with pytest.raises(IndexError) as found, jj.deferred_errors():
        picked, recorded = x[own(jj, key)], line()
    assert str(found.value) == f"{text} (recorded at {__file__}, line {recorded})"
    for _ in range(2):  # the array that could not be computed says so each time
        with pytest.raises(IndexError) as again:
            picked.to_numpy()
        assert str(again.value) == str(found.value)
    with pytest.raises(IndexError):
        (picked + 1).to_numpy()


@pytest.mark.parametrize("key", [K[A([0, 3])], K[:, A([9, 1])], K[A([0, 1]), A([0, 4])]], ids=shown)
def test_a_failed_write_leaves_the_array_as_it_was(key):
    x = cube(jj).copy()
    x += 1
    with pytest.raises(IndexError, match=r"is out of bounds for axis \d with size \d$"):
        x[own(jj, key)] = -1
    with jj.deferred_errors():
        x[own(jj, key)], recorded = -1, line()
        x[0, 0, 0] = 100
        with pytest.raises(IndexError, match=f"line {recorded}"):
            jj.flush()
    wanted = cube(np) + 1
    wanted[0, 0, 0] = 100
    compare(x.to_numpy(), wanted)
    jj.flush()


def test_a_failed_write_to_a_computed_array_leaves_it():
    x = cube(jj).copy()
    jj.flush(x)
    with pytest.raises(IndexError), jj.deferred_errors():
        x[jj.asarray([2, 3])] = -1
    compare(x.to_numpy(), cube(np))


def test_other_pending_work_is_not_lost():
    x = cube(jj)
    with jj.deferred_errors():
        before = x * 2
        bad = x[jj.asarray([7])]
        after = x.sum() + 1
        dependent = bad.sum() + after
        with pytest.raises(IndexError):
            jj.flush()
    compare(before.to_numpy(), cube(np) * 2)
    assert after == cube(np).sum() + 1
    with pytest.raises(IndexError):
        float(dependent)
    compare((x + 1).to_numpy(), cube(np) + 1)


def test_several_failures_in_one_flush():
    x = cube(jj)
    with jj.deferred_errors():
        first, second = x[jj.asarray([8])], x[jj.asarray([9])]
        good = x + 1
        with pytest.raises(IndexError, match="index 8"):
            jj.flush()
    with pytest.raises(IndexError, match="index 8"):
        jj.flush(first)
    with pytest.raises(IndexError, match="index 9"):
        jj.flush(second)
    compare(good.to_numpy(), cube(np) + 1)


def test_a_failure_that_nobody_refers_to_stops_nothing():
    x = cube(jj)
    with jj.deferred_errors():
        x[jj.asarray([8])]
        assert float(x.sum()) == cube(np).sum()


def test_key_objects_are_read_when_indexing():
    x = jj.arange(10)
    places = [1, 2]
    numbers = np.array([3, 4])
    a, b = x[places], x[numbers]
    places[0] = 9
    numbers[0] = 9
    assert a.tolist() == [1, 2]
    assert b.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("shape", "key", "other"),
    [
        ((4, 3), slice(None), (3, 4)),
        ((4, 3), (slice(0, 3), slice(0, 2)), (2, 3)),
        ((2, 6), (slice(None),), (12,)),
        ((12,), slice(None), (3, 4)),
        ((2, 2, 3), ..., (2, 3, 2)),
    ],
)
def test_as_many_elements_of_another_shape_do_not_fit(shape, key, other):
    """Also where all elements are known, and are written at once."""
    for flushed in (False, True):
        x, y = jj.zeros(shape), jj.ones(other)
        if flushed:
            jj.flush()
        for written in (y, y.copy()[...], y.T.T):
            with pytest.raises(ValueError, match="broadcast"):
                x[key] = written
        assert not x.any()


@pytest.mark.parametrize(
    ("shape", "key"),
    [((), ()), (3, 0), ((2, 2), (1, 0)), (3, ...), (3, slice(None)), (3, [0])],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.filterwarnings("ignore:.*converting a masked element:UserWarning")
def test_masked_elements_refuse_to_be_numbers(dtype, shape, key):
    def program(xp):
        x = xp.zeros(shape, dtype)
        x[key] = np.ma.masked
        return x

    check(program)
