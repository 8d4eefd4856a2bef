"""Joining and splitting arrays, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import jujunp
from tests.support.differential import DTYPES, check


def grid(xp, *shape):
    size = int(np.prod(shape))
    return xp.arange(size).reshape(shape)


GROUPS = {
    "rows": lambda xp: [grid(xp, 2, 3), grid(xp, 4, 3)],
    "columns": lambda xp: [grid(xp, 3, 2), grid(xp, 3, 1)],
    "vectors": lambda xp: [xp.arange(3), xp.arange(3) * 2.5],
    "uneven": lambda xp: [xp.arange(3), xp.arange(2)],
    "numbers": lambda xp: [1, 2.5],
    "mixed": lambda xp: (grid(xp, 2, 2), [[1, 2], [3, 4]]),
    "strided": lambda xp: [grid(xp, 4, 4)[::2, ::-1], grid(xp, 4, 2).T],
    "empty": lambda xp: [xp.zeros((0, 3)), grid(xp, 2, 3)],
    "ranks": lambda xp: [xp.arange(3), grid(xp, 1, 3)],
    "one": lambda xp: [grid(xp, 2, 3)],
    "none": lambda xp: [],
    "array": lambda xp: grid(xp, 2, 3, 4),
    "cubes": lambda xp: [grid(xp, 2, 2, 2), grid(xp, 2, 2, 2).T],
    "bool": lambda xp: [xp.ones(2, bool), xp.zeros(3, bool)],
}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("axis", [0, 1, -1, 2, None])
def test_concatenate_and_stack(group, axis):
    check(lambda xp: xp.concatenate(GROUPS[group](xp), axis))
    check(lambda xp: xp.concat(GROUPS[group](xp), axis=axis, dtype="float32"))
    check(lambda xp: xp.concatenate(GROUPS[group](xp), axis=axis, dtype="int8", casting="safe"))
    check(lambda xp: xp.stack(GROUPS[group](xp), axis))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("name", ["vstack", "hstack", "dstack", "column_stack"])
def test_stacks(group, name):
    check(lambda xp: getattr(xp, name)(GROUPS[group](xp)))


def test_row_stack_is_vstack():
    with pytest.warns(DeprecationWarning, match="alias is deprecated"):
        found = jujunp.row_stack([[1, 2], [3, 4]])
    assert found.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_concatenate_promotes(left, right):
    check(lambda xp: xp.concatenate([xp.ones(2, left), xp.full(1, 3, right)]))
    check(lambda xp: xp.append(xp.ones(2, left), xp.full((1, 1), 3, right)))


def test_concatenate_flat_takes_numbers():
    check(lambda xp: xp.concatenate([xp.ones(2, "int8"), 5], None))
    check(lambda xp: xp.concatenate([xp.ones((2, 2), "float32"), 5.5], axis=None))
    check(lambda xp: xp.concatenate([1, 2], None))


def _into(xp, dtype, shape, **options):
    out = xp.zeros(shape, dtype)
    returned = xp.concatenate([xp.arange(2), xp.arange(3)], out=out, **options)
    assert returned is out
    return out


def test_concatenate_into_an_array():
    check(lambda xp: _into(xp, "float64", 5))
    check(lambda xp: _into(xp, "int32", 5))
    check(lambda xp: _into(xp, "uint8", 5))
    check(lambda xp: _into(xp, "uint8", 5, casting="unsafe"))
    check(lambda xp: _into(xp, "float64", 4))
    check(lambda xp: _into(xp, "float64", 5, dtype="int8"))
    check(lambda xp: xp.stack([[1, 2], [3, 4]], out=xp.zeros((2, 2))))
    check(lambda xp: xp.vstack([[1, 2], [3, 4]], dtype="uint8", casting="unsafe"))


def test_concatenate_takes_sequences_only():
    check(lambda xp: xp.concatenate(5))
    check(lambda xp: xp.vstack(x for x in ([1], [2])))
    check(lambda xp: xp.stack(x for x in ([1], [2])))
    check(lambda xp: xp.concatenate(list(xp.arange(3).reshape(3, 1)) * 100))


def test_append():
    for axis in (None, 0, 1, 5):
        check(lambda xp, axis=axis: xp.append(grid(xp, 2, 3), [[7, 8, 9]], axis))
        check(lambda xp, axis=axis: xp.append(grid(xp, 2, 3), 5, axis))


BLOCKS = {
    "rows": lambda xp: [grid(xp, 2, 2), grid(xp, 2, 1)],
    "matrix": lambda xp: [[grid(xp, 2, 2), grid(xp, 2, 1)], [grid(xp, 1, 2), xp.ones((1, 1))]],
    "vectors": lambda xp: [[xp.arange(2)], [[5, 6]], [xp.arange(2)]],
    "numbers": lambda xp: [[1, 2], [3, 4]],
    "deep": lambda xp: [[[1, 2]], [[3, 4]]],
    "cube": lambda xp: [[grid(xp, 2, 2, 2)], [grid(xp, 2, 2, 2)]],
    "alone": lambda xp: grid(xp, 2, 2),
    "number": lambda xp: 5,
    "empty": lambda xp: [],
    "inner_empty": lambda xp: [[1], []],
    "depths": lambda xp: [1, [2]],
    "tuple": lambda xp: [(1, 2)],
    "shapes": lambda xp: [[grid(xp, 2, 2)], [grid(xp, 1, 3)]],
}


@pytest.mark.parametrize("name", BLOCKS)
def test_block(name):
    if name != "numbers":
        check(lambda xp: xp.block(BLOCKS[name](xp)))
    check(lambda xp: xp.block(BLOCKS[name](xp)).shape)


SECTIONS = [1, 2, 3, 5, [1], [1, 3], [0, 5, 2], [], (1, 2), np.array([2]), 0, -1, 2.5]


@pytest.mark.parametrize("sections", SECTIONS, ids=repr)
@pytest.mark.parametrize("shape", [(6,), (4, 6), (2, 4, 6), (), (0, 3)])
def test_split(sections, shape):
    for name, axis in itertools.product(("split", "array_split"), (0, 1, -1)):
        check(lambda xp, n=name, a=axis: getattr(xp, n)(grid(xp, *shape), sections, a))
    for name in ("hsplit", "vsplit", "dsplit"):
        check(lambda xp, n=name: getattr(xp, n)(grid(xp, *shape), sections))


def test_split_at_places_of_an_array():
    check(lambda xp: xp.split(xp.arange(6), xp.asarray([1, 4])))
    check(lambda xp: xp.split(xp.arange(6), xp.arange(3).sum()))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4), (0, 2), ()])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_unstack(shape, axis):
    check(lambda xp: xp.unstack(grid(xp, *shape), axis=axis))


def test_block_keeps_fortran_order():
    def program(xp):
        x, y = xp.asfortranarray(grid(xp, 2, 3)), xp.asfortranarray(grid(xp, 2, 2))
        found = xp.block([[x, y], [2 * x, y]])
        return found, found.flags.f_contiguous, xp.block([[x, y.T]]).flags.f_contiguous

    check(program)
    check(lambda xp: xp.block([xp.ones((3, 2, 1)).T, xp.ones((3, 2, 2)).T]))
