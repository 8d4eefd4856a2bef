"""The array type: metadata, views, conversions, and scalars against arrays without axes."""

from __future__ import annotations

import copy
import math
import operator
import pickle

import numpy as np
import pytest

import jujunp as jj
from tests.support.differential import DTYPES, FLOATS, INTEGERS, check, compare

SHAPES = ((), (1,), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4), (1, 1))


def filled(library, shape=(3, 4), dtype="float64"):
    size = math.prod(shape)
    return library.asarray(np.arange(size).reshape(shape).astype(dtype))


# -- metadata

VIEWS = {
    "whole": lambda x: x,
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "rows": lambda x: x[::2],
    "columns": lambda x: x[..., 1:3],
    "reversed": lambda x: x[::-1, ::-1],
    "row": lambda x: x[1],
    "new": lambda x: x[:, None],
    "empty": lambda x: x[2:1],
    "swapaxes": lambda x: x.swapaxes(0, -1),
    "transpose": lambda x: x.transpose(1, 0),
    "transpose tuple": lambda x: x.transpose((1, 0)),
    "squeeze": lambda x: x[:1].squeeze(0),
    "reshape": lambda x: x.reshape(2, -1),
    "reshape tuple": lambda x: x.reshape((2, 6)),
    "reshape F": lambda x: x.reshape(2, 6, order="F"),
    "reshape of T": lambda x: x.T.reshape(12),
    "ravel": lambda x: x.ravel(),
    "ravel K": lambda x: x.T.ravel("K"),
    "ravel F": lambda x: x.ravel("F"),
    "flatten": lambda x: x.flatten(),
    "diagonal": lambda x: x.diagonal(),
    "diagonal 1": lambda x: x.diagonal(1),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "view": lambda x: x.view(),
    "view of a view": lambda x: x[::2].T[1:],
    "copy": lambda x: x.copy(),
    "0-d": lambda x: x[1, 2, ...],
}


def described(x):
    return (
        tuple(x.shape),
        x.dtype,
        x.ndim,
        x.size,
        x.itemsize,
        x.nbytes,
        tuple(x.strides) if x.size else None,  # NumPy's depend on how an empty array was made
        x.base is None,
        *(bool(x.flags[name]) for name in ("C", "F", "O", "W")),
        x.flags.c_contiguous,
        x.flags.f_contiguous,
        x.flags.owndata,
        x.flags.writeable,
    )


NOT_OWNED = ("reshape F", "reshape of T", "ravel F")
"""Where a copy lies in NumPy is its own business: `base` and OWNDATA are not compared."""


@pytest.mark.parametrize("dtype", ["float64", "int16"])
@pytest.mark.parametrize("name", VIEWS)
def test_metadata(name, dtype):
    theirs, ours = (VIEWS[name](filled(library, dtype=dtype).copy()) for library in (np, jj))
    wanted, found = described(theirs), described(ours)
    if name in NOT_OWNED:
        wanted, found = (d[:7] + d[11:12] + d[-1:] for d in (wanted, found))
    assert found == wanted


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", ["float32", "uint8", "bool"])
def test_elements_of_views(name, dtype):
    check(lambda library: VIEWS[name](filled(library, dtype=dtype)))


@pytest.mark.parametrize("name", VIEWS)
def test_views_share_memory_as_in_numpy(name):
    def program(library):
        x = filled(library).copy()
        view = VIEWS[name](x)
        if view.flags.writeable:
            view[...] = 7
        x += 1
        return x, view

    check(program)


@pytest.mark.parametrize("shape", SHAPES)
def test_metadata_of_shapes(shape):
    assert described(filled(jj, shape).copy()) == described(filled(np, shape).copy())


def test_base_is_the_owner():
    x = jj.zeros((3, 4))
    assert x.base is None
    assert x[1:].base is x
    assert x[1:][::2].T.base is x


def test_device_and_namespace():
    x = jj.zeros(3)
    assert x.device == "cpu"
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match="Unsupported device"):
        x.to_device("gpu")


@pytest.mark.parametrize(
    "program",
    [
        lambda lib: filled(lib).reshape(5),
        lambda lib: filled(lib).reshape(5, -1),
        lambda lib: filled(lib).reshape(-1, -1),
        lambda lib: filled(lib).T.reshape(12, copy=False),
        lambda lib: filled(lib).reshape(2, 6, copy=True),
        lambda lib: filled(lib, (0, 3)).reshape(3, 0),
        lambda lib: filled(lib, (0, 3)).reshape(-1, 0),
        lambda lib: filled(lib, (0, 3)).reshape(-1, 3),
        lambda lib: filled(lib, ()).reshape(1, 1),
        lambda lib: filled(lib, (1,)).reshape(()),
        lambda lib: filled(lib).reshape(np.int64(4), np.int32(3)),
        lambda lib: filled(lib).reshape(4.0, 3),
        lambda lib: filled(lib).transpose(0),
        lambda lib: filled(lib).transpose(0, 0),
        lambda lib: filled(lib).transpose(0, 2),
        lambda lib: filled(lib).swapaxes(0, 2),
        lambda lib: filled(lib).squeeze(0),
        lambda lib: filled(lib, (1, 3, 1)).squeeze(),
        lambda lib: filled(lib, (1, 3, 1)).squeeze((0, 2)),
        lambda lib: filled(lib, (3,)).mT,
        lambda lib: filled(lib, (3,)).diagonal(),
        lambda lib: filled(lib, (2, 3, 4)).diagonal(1, 0, 2),
        lambda lib: filled(lib, (2, 3, 4)).transpose(2, 0, 1).ravel(),
        lambda lib: filled(lib, (2, 3, 4)).transpose(2, 0, 1).reshape(4, 6),
        lambda lib: filled(lib, (2, 3, 4)).transpose(2, 0, 1).reshape(6, 4, order="F"),
        lambda lib: filled(lib, (2, 3, 4)).flatten("F"),
    ],
)
def test_shapes_and_their_errors(program):
    check(program)


def test_reshape_gives_a_view_where_numpy_does():
    for axes in ((0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2)):
        for shape in ((24,), (6, 4), (4, 6), (2, 12), (2, 2, 6), (1, 24), (2, 3, 4)):
            theirs = filled(np, (2, 3, 4)).copy()
            ours = filled(jj, (2, 3, 4)).copy()
            view = ours.transpose(axes).reshape(shape)
            wanted = theirs.transpose(axes).reshape(shape)
            wanted[...] = -1
            view[...] = -1
            compare(ours.to_numpy(), theirs)


# -- dtypes


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_astype(source, target):
    check(lambda library: filled(library, (2, 50), source).astype(target))
    check(lambda library: filled(library, (50, 2), source).T[::-1].astype(target))


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("source", DTYPES)
def test_astype_casting(source, casting):
    for target in DTYPES:
        check(lambda library: filled(library, (3,), source).astype(target, casting=casting))  # noqa: B023


@pytest.mark.parametrize("target", ["float64", "float32", "int64", "uint8", "bool"])
def test_astype_of_special_values(target):
    values = [0.0, -0.0, 1.5, -1.5, 2.5, 100.7, 1e-300]
    if target.startswith("float"):
        values += [np.inf, -np.inf, np.nan, 1e300, 5e-324]
    if target == "bool":
        values += [np.inf, np.nan, 5e-324]
    if target == "uint8":
        values = [abs(value) for value in values]
    check(lambda library: library.asarray(np.array(values)).astype(target))


def test_integers_wrap_when_cast():
    values = np.array([-(2**63), -1, 255, 256, 2**31, 2**40 + 3, 2**63 - 1])
    for target in INTEGERS:
        check(lambda library: library.asarray(values).astype(target))  # noqa: B023


def test_astype_without_copy():
    x = filled(jj)
    assert x.astype("float64", copy=False) is x
    y = x.astype("float64")
    y[0] = 9
    assert x[0, 0] == 0


@pytest.mark.parametrize(
    ("source", "target", "shape"),
    [
        ("float64", "int64", (3, 4)),
        ("float64", "uint8", (3, 4)),
        ("int64", "uint64", (4,)),
        ("uint8", "int64", (2, 8)),
        ("uint8", "int64", (2, 9)),
        ("float32", "int8", ()),
        ("bool", "uint8", (5,)),
        ("int16", "int32", (3, 4)),
    ],
)
def test_view_of_another_dtype(source, target, shape):
    check(lambda library: filled(library, shape, source).view(target))

    def written(library):
        x = filled(library, shape, source).copy()
        x.view(target)[...] = 1
        return x

    check(written)


def test_view_of_another_dtype_of_a_strided_array():
    check(lambda library: filled(library, (4, 4), "int32")[::2, ::-1].view("uint32"))
    check(lambda library: filled(library, (4, 4), "int32").T.view("int8"))


@pytest.mark.parametrize("dtype", ["nonsense", "float65", object(), [1]])
def test_unknown_dtypes(dtype):
    with pytest.raises(TypeError):
        filled(jj).astype(dtype)


@pytest.mark.parametrize("dtype", ["U3", "O", "M8[s]"])
def test_dtypes_outside_numbers_are_refused(dtype):
    with pytest.raises(TypeError, match="not supported"):
        filled(jj).astype(dtype)


# -- conversions

CONVERSIONS = {
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "index": operator.index,
    "len": len,
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.item(),
    "item 0": lambda x: x.item(0),
    "item -1": lambda x: x.item(-1),
    "item 99": lambda x: x.item(99),
    "item (0, 0)": lambda x: x.item((0, 0)),
    "item 0, 0": lambda x: x.item(0, 0),
    "repr": repr,
    "str": str,
    "format": format,
    "format .2f": lambda x: format(x, ".2f"),
    "tobytes": lambda x: x.tobytes(),
    "tobytes F": lambda x: x.tobytes("F"),
    "contains 1": lambda x: 1 in x,
    "contains 99": lambda x: 99 in x,
    "hash": hash,
    "iter": lambda x: [str(part) for part in x],
    "round": lambda x: round(x),
    "range": lambda x: range(x),
    "abs": abs,
    "math.floor": math.floor,
    "math.sqrt": math.sqrt,
}


@pytest.mark.parametrize("name", CONVERSIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", SHAPES)
def test_conversions_of_arrays(name, dtype, shape):
    check(lambda library: CONVERSIONS[name](filled(library, shape, dtype)))


@pytest.mark.parametrize("name", sorted(set(CONVERSIONS) - {"contains 1", "contains 99"}))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
@pytest.mark.parametrize("value", [0, 1, 2])
def test_conversions_of_scalars(name, dtype, value):
    check(lambda library: CONVERSIONS[name](library.asarray(np.full(3, value, dtype))[1]))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e300, 5e-324, 0.1, 1e16])
@pytest.mark.parametrize("dtype", FLOATS)
def test_printing_of_special_values(value, dtype):
    with np.errstate(all="ignore"):
        array = np.array([value, 1.0]).astype(dtype)
    for show in (repr, str):
        assert show(jj.asarray(array)) == show(array)
        assert show(jj.asarray(array)[0]) == show(array[0])


@pytest.mark.parametrize("shape", [(2000,), (100, 100), (0, 3), (2, 2, 2)])
def test_printing_of_large_and_empty_arrays(shape):
    for dtype in ("float64", "int8", "bool"):
        assert repr(filled(jj, shape, dtype)) == repr(filled(np, shape, dtype))
        assert str(filled(jj, shape, dtype)) == str(filled(np, shape, dtype))


def test_printing_follows_the_print_options():
    with jj.printoptions(precision=2, suppress=True):
        assert str(jj.asarray([1 / 3, 1e-9])) == str(np.asarray([1 / 3, 1e-9]))


def test_elements_of_iteration():
    rows = list(filled(jj))
    assert all(type(row) is jj.ndarray for row in rows)
    assert rows[1].base is not None
    assert [float(x) for x in rows[1]] == [4, 5, 6, 7]
    x = filled(jj).copy()
    for row in x:
        row += 10
    compare(x.to_numpy(), filled(np) + 10)


# -- copies


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: x.copy()])
@pytest.mark.parametrize("name", VIEWS)
def test_copies_are_independent(duplicate, name):
    x = filled(jj).copy()
    view = VIEWS[name](x)
    before = view.to_numpy()
    twin = duplicate(view)
    assert not jj.shares_memory(twin, x)
    x[...] = -1
    compare(twin.to_numpy(), before)
    twin[...] = 3
    assert (x == -1).all()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("order", ["C", "F"])
def test_copies_keep_the_order(duplicate, order):
    check(lambda xp: duplicate(xp.asarray(np.ones((2, 3)), order=order)).flags.f_contiguous)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", VIEWS)
def test_pickle(name, protocol):
    x = VIEWS[name](filled(jj, dtype="float32"))
    restored = pickle.loads(pickle.dumps(x, protocol))
    assert type(restored) is type(x)
    compare(restored.to_numpy(), x.to_numpy())
    theirs = pickle.loads(pickle.dumps(VIEWS[name](filled(np, dtype="float32")), protocol))
    assert restored.flags.writeable == theirs.flags.writeable
    if theirs.flags.writeable:
        restored[...] = 1
        assert (restored == 1).all()


def test_pickle_of_scalars():
    x = filled(jj)[1, 2]
    restored = pickle.loads(pickle.dumps(x))
    assert type(restored) is type(x)
    assert restored == 6


def test_deepcopy_of_a_container():
    x = filled(jj).copy()
    twin = copy.deepcopy({"a": [x]})["a"][0]
    x += 1
    compare(twin.to_numpy(), filled(np))


# -- what cannot be written

READ_ONLY = {
    "diagonal": lambda x: x.diagonal(),
    "diagonal view": lambda x: x.diagonal()[1:],
    "imag": lambda x: x.imag,
}


def _set(x):
    x[0] = 1


def _set_mask(x):
    x[x > 0] = 1


def _set_indices(x):
    x[[0]] = 1


def _add(x):
    x += 1


def _out(x):
    np.add(x, 1, out=x)


def _fill(x):
    x.fill(1)


def _sort(x):
    x.sort()


WRITES = {
    "set": _set,
    "mask": _set_mask,
    "indices": _set_indices,
    "+=": _add,
    "out": _out,
    "fill": _fill,
    "sort": _sort,
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("name", READ_ONLY)
def test_writing_to_a_read_only_view(name, write):
    check(lambda library: WRITES[write](READ_ONLY[name](filled(library).copy())))


@pytest.mark.parametrize("write", WRITES)
def test_writing_to_a_broadcast_or_a_locked_array(write):
    check(lambda library: WRITES[write](library.broadcast_to(filled(library, (3,)), (2, 3))))

    def locked(library):
        x = filled(library, (4,)).copy()
        x.flags.writeable = False
        WRITES[write](x[1:])

    check(locked)


def test_unlocking():
    def program(library):
        x = filled(library, (4,)).copy()
        x.flags.writeable = False
        x.flags.writeable = True
        x[0] = 5
        return x

    check(program)

    def forbidden(library):
        x = filled(library, (4,)).copy()
        x.flags.writeable = False
        x[1:].flags.writeable = True

    check(forbidden)


# -- scalars and arrays without axes


def test_scalars_are_apart():
    x = filled(jj, (4,)).copy()
    first, total = x[0], x.sum()
    x += 5
    assert (first, total) == (0, 6)


def test_scalars_are_written_as_arrays_without_axes():
    """As the Array API has arrays in their place."""
    x = filled(jj, (4,)).copy()
    first, total, computed = x[0], x.sum(), x[1]
    again = first
    first[...] = 7
    total[total > 5] = 1.5
    computed[()] = np.nan
    assert (first, again, total, x[0]) == (7, 7, 1.5, 0)
    assert computed != computed
    with pytest.raises(TypeError, match="item assignment"):
        first[0] = 1


def test_augmented_operators_rebind_scalars():
    def program(library):
        x = filled(library, (4,)).copy()
        s = x[1]
        t = s
        s += 1
        s *= 3
        total = x.sum()
        total -= 0.5
        return x, s, t, total

    check(program)


def test_augmented_operators_write_arrays_without_axes():
    def program(library):
        x = library.asarray(np.array(2.0)).copy()
        y = x
        y += 1
        y[...] = y * 2
        y[()] -= 1
        return x, x[()], x[...], x.ndim

    check(program)


def test_hashes_are_those_of_numbers():
    x = jj.asarray([1.5, 2.0, 3.0])
    assert hash(x[1]) == hash(2.0)
    assert {x[1]: "two"}[2] == "two"
    assert len({x[0], 1.5, np.float64(1.5)}) == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match="unhashable"):
        hash(jj.asarray(np.array(1.0)))


def test_results_without_axes_are_scalars():
    programs = [
        lambda lib: filled(lib).sum(),
        lambda lib: filled(lib)[1, 2],
        lambda lib: filled(lib)[1, 2, ...],
        lambda lib: filled(lib)[1][2] + 1,
        lambda lib: lib.asarray(np.array(3.0)) + 1,
        lambda lib: lib.asarray(np.array(3.0))[()],
        lambda lib: lib.asarray(np.array(3.0))[...],
        lambda lib: lib.asarray(np.array(3.0)).T,
        lambda lib: -filled(lib)[1, 1],
        lambda lib: filled(lib)[1, 1] < 3,
        lambda lib: lib.sqrt(filled(lib)[1, 1]),
        lambda lib: lib.asarray(np.array(3.0)).reshape(()),
        lambda lib: filled(lib, (1,)).reshape(()),
        lambda lib: filled(lib, (1,)).squeeze(),
        lambda lib: filled(lib)[1, 1].astype("int8"),
        lambda lib: filled(lib)[1, 1].reshape(1, 1),
        lambda lib: filled(lib)[1, 1][None],
        lambda lib: filled(lib)[1, 1][()],
    ]
    for program in programs:
        check(program)


def test_indices_from_arrays_and_scalars():
    places = jj.asarray([2, 0, 1])
    letters = ["a", "b", "c"]
    assert letters[places[0]] == "c"
    assert list(range(places[2])) == [0]
    assert letters[jj.asarray(np.array(1))] == "b"
    with pytest.raises(TypeError):
        letters[jj.asarray(1.0)]
    with pytest.raises(TypeError):
        letters[places > 1]


def test_results_do_not_change_when_an_operand_is_written():
    x = filled(jj).copy()
    results = [x + 1, x[0] * 2, x.sum(), x.T @ x, x.copy(), x[[0, 1]], x[x > 3], x.astype("int8")]
    wanted = [r.to_numpy() for r in results]
    x = filled(jj).copy()
    results = [x + 1, x[0] * 2, x.sum(), x.T @ x, x.copy(), x[[0, 1]], x[x > 3], x.astype("int8")]
    x[...] = -7
    x[0] += 1
    for found, expected in zip(results, wanted, strict=True):
        compare(found.to_numpy(), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype):
    for value in (0, 1, True, 1.0):

        def program(library, value=value):
            x = filled(library, (3,), dtype).copy()
            x.fill(value)
            x[1:].fill(0)
            return x

        check(program)


def test_the_truth_of_arrays():
    for shape in ((0,), (2,), (1, 1), ()):
        check(lambda library: bool(filled(library, shape) + 1))  # noqa: B023


def test_unhashable_and_unsized():
    with pytest.raises(TypeError, match="unsized"):
        len(jj.asarray(np.array(1)))
    with pytest.raises(TypeError, match="0-d"):
        iter(jj.asarray(np.array(1)))


def test_scalars_hold_nothing():
    check(lambda library: 2 in filled(library)[0, 2])


def test_scalars_of_another_dtype():
    check(lambda library: filled(library, (3,), "int32")[1].view("float32"))


def test_squeezing_in_vain():
    for make in (lambda x: x, lambda x: x[0], lambda x: x.T):

        def program(library, make=make):
            x = make(filled(library))
            return x.squeeze() is x

        check(program)


def test_writing_to_files(tmp_path):
    path = tmp_path / "elements"

    def program(library, sep=""):
        filled(library).T.tofile(path, sep)
        return path.read_bytes()

    check(program)
    check(lambda library: program(library, ", "))


def test_types_in_annotations():
    check(lambda library: library.ndarray[tuple[int], np.dtype].__args__)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x.view("int32").sum(),
        lambda x: x.view("int32")[1::2].max(),
        lambda x: x.view("uint8").reshape(4, 8).argmax(1),
        lambda x: x.view("int32").reshape(2, 4).cumsum(1),
        lambda x: x.view(np.longlong).min(),
        lambda x: x.view("float32")[[1, 3]],
    ],
)
def test_kernels_read_views_of_another_dtype(program):
    x = np.arange(4) * 2**33 + 5
    np.testing.assert_array_equal(program(jj.asarray(x)), program(x))


@pytest.mark.parametrize("key", [(), int, (int,), (int, float), (int, float, str)], ids=str)
def test_type_arguments(key):
    check(lambda xp: xp.ndarray[key].__args__)


def test_too_much_memory():
    with pytest.raises(np._core._exceptions._ArrayMemoryError, match="Unable to allocate"):
        jj.empty(np.iinfo(np.intp).max, np.uint8)


@pytest.mark.parametrize("held", [type, np.asarray, memoryview], ids=["nothing", "array", "view"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "complex128", "bool", object])
@pytest.mark.parametrize("name", ["whole", "T", "rows", "columns", "row", "empty"])
def test_dtypes_that_are_set(name, dtype, held):
    def program(xp):
        x = filled(xp, (4, 6)).astype(float)
        view = VIEWS[name](x)
        other, kept = view[...], held(x)
        try:
            view.dtype = dtype
        except (TypeError, ValueError) as error:
            return isinstance(error, TypeError), x.dtype
        view[...] = view + 1
        del kept
        return view, other, x, view.sum()

    check(program)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("strides", [(8, 8), (-8, 8), (16, 8), (200, 8), (0, 8)], ids=str)
def test_setting_the_strides_of_views(strides):
    def program(library):
        x = library.arange(6.0)
        seen = x[1:5].reshape(2, 2)
        seen.strides = strides
        seen = seen + 1
        return seen, x

    check(program)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("strides", [(8, 16), (16, 8), (8, 8), (0, 8), (3, 1), (8,), 8], ids=str)
def test_setting_the_strides_of_owners(strides, pinned):
    def program(library):
        x = library.arange(4.0).reshape(2, 2).copy()
        x += 1  # pending
        kept = np.asarray(x) if pinned else None
        x.strides = strides
        doubled, flags = x * 2, (x.flags.aligned, x.flags.c_contiguous)
        x[1, 0] = 9
        rest = x.sum(), x.copy(), x[0]
        del kept
        x.strides = x.strides
        return x, x.strides, doubled, flags, *rest

    check(program)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_strides_of_an_owner_that_has_views():
    x = jj.ones((2, 2))
    row = x[0]
    with pytest.raises(AttributeError, match="that has views"):
        x.strides = (0, 8)
    del row
    x.strides = (0, 8)
    assert x.strides == (0, 8)
    with pytest.raises(ValueError, match="cannot resize"):
        x.base.resize(9)


def test_setting_strides_warns():
    x = jj.ones((2, 2))
    with pytest.warns(DeprecationWarning, match="Setting the strides"):
        x.strides = x.strides


def test_memory_of_what_is_no_array():
    class Holder:
        def __init__(self, x):
            self.x = x

        def __array__(self, dtype=None, copy=None):
            return self.x

    def program(library):
        x = library.arange(6)
        pairs = [(Holder(x[::2]), x[1::2]), (x[1::3], Holder(x[::2])), ([1, 2], x)]
        return [(library.may_share_memory(a, b), library.shares_memory(a, b)) for a, b in pairs]

    assert program(jj) == program(np)
