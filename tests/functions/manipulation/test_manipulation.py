"""Views: the axes, shapes and directions of arrays, against NumPy."""

from __future__ import annotations

import itertools

import pytest

import jujunp
from tests.support.differential import check

SHAPES = [(), (1,), (3,), (0,), (2, 3), (1, 3), (3, 1, 1), (2, 0, 3), (2, 3, 4)]


def cube(xp, shape=(2, 3, 4)):
    size = 1
    for extent in shape:
        size *= extent
    return xp.arange(size).reshape(shape)


def written(xp, function):
    """Return an array after a write to what a function makes of it: is that a view?"""
    x = cube(xp)
    made = function(xp, x)
    for part in made if isinstance(made, (tuple, list)) else [made]:
        part[...] = -1
    return x


VIEWS = {
    "transpose": lambda xp, x: xp.transpose(x),
    "transpose_axes": lambda xp, x: xp.transpose(x, (1, 0, 2)),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (2, 0, 1)),
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, -1),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, -1),
    "moveaxis_two": lambda xp, x: xp.moveaxis(x, (0, 1), (-1, 0)),
    "rollaxis": lambda xp, x: xp.rollaxis(x, 2),
    "expand_dims": lambda xp, x: xp.expand_dims(x, 1),
    "expand_dims_two": lambda xp, x: xp.expand_dims(x, (0, -1)),
    "squeeze": lambda xp, x: xp.squeeze(x[:, :1]),
    "squeeze_axis": lambda xp, x: xp.squeeze(x[:1, :, :1], 0),
    "reshape": lambda xp, x: xp.reshape(x, (4, -1)),
    "reshape_int": lambda xp, x: xp.reshape(x, 24),
    "reshape_copies": lambda xp, x: xp.reshape(x.T, (4, 6)),
    "reshape_order": lambda xp, x: xp.reshape(x, (6, 4), order="F"),
    "reshape_copy": lambda xp, x: xp.reshape(x, (6, 4), copy=True),
    "ravel": lambda xp, x: xp.ravel(x),
    "ravel_copies": lambda xp, x: xp.ravel(x.T),
    "ravel_f": lambda xp, x: xp.ravel(x.T, "F"),
    "ravel_k": lambda xp, x: xp.ravel(x.T, "K"),
    "ravel_part": lambda xp, x: xp.ravel(x[:, 0, ::2]),
    "flip": lambda xp, x: xp.flip(x),
    "flip_axis": lambda xp, x: xp.flip(x, 1),
    "flip_two": lambda xp, x: xp.flip(x, (0, 2)),
    "fliplr": lambda xp, x: xp.fliplr(x),
    "flipud": lambda xp, x: xp.flipud(x[1:]),
    "rot90": lambda xp, x: xp.rot90(x),
    "rot90_twice": lambda xp, x: xp.rot90(x, -2, (1, 2)),
    "atleast_1d": lambda xp, x: xp.atleast_1d(x),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x[0]),
    "atleast_2d": lambda xp, x: xp.atleast_2d(x[0, 0], x[1]),
    "split": lambda xp, x: xp.split(x, 3, 1)[1:],
    "hsplit": lambda xp, x: xp.hsplit(x, [1])[1:],
    "unstack": lambda xp, x: xp.unstack(x, axis=2)[:2],
    "real": lambda xp, x: xp.real(x),
    "trim_zeros": lambda xp, x: xp.trim_zeros(x),
    "asarray": lambda xp, x: xp.asarray(x[0]),
    "copy": lambda xp, x: xp.copy(x),
    "array": lambda xp, x: xp.array(x),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_views_where_numpys_are(name):
    check(lambda xp: written(xp, VIEWS[name]))
    check(lambda xp: VIEWS[name](xp, cube(xp)))


@pytest.mark.parametrize("name", VIEWS)
def test_views_see_later_writes(name):
    def program(xp):
        x = cube(xp)
        made = VIEWS[name](xp, x)
        x[...] = x * 10
        return made

    check(program)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "name",
    [
        *("transpose", "matrix_transpose", "flip", "fliplr", "flipud", "rot90"),
        *("squeeze", "ravel", "atleast_1d", "atleast_2d", "atleast_3d"),
    ],
)
def test_any_shape(name, shape):
    check(lambda xp: getattr(xp, name)(cube(xp, shape)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, 1, -1, 3, -4, (0, 1), (0, 0), None, 1.5])
def test_axes(shape, axis):
    for name in ("expand_dims", "squeeze", "flip"):
        check(lambda xp, name=name: getattr(xp, name)(cube(xp, shape), axis))
    check(lambda xp: xp.moveaxis(cube(xp, shape), axis, 0))
    check(lambda xp: xp.swapaxes(cube(xp, shape), axis, 0))
    check(lambda xp: xp.rollaxis(cube(xp, shape), axis))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("target", [(), 1, 6, -1, (3, -1), (-1, -1), (2, 3), (0, -1), (1, 1), 2.5])
def test_reshape(shape, target):
    for order in "CF":
        check(lambda xp, o=order: xp.reshape(cube(xp, shape), target, o))
        check(lambda xp, o=order: xp.reshape(cube(xp, shape).T, target, o))
    check(lambda xp: xp.reshape(cube(xp, shape).T, target, copy=False))


def test_scalars_become_arrays():
    for name in ("reshape", "broadcast_to"):
        check(lambda xp, name=name: getattr(xp, name)(2.5, (1, 1)))
    for name in ("transpose", "ravel", "squeeze", "atleast_1d", "atleast_2d", "atleast_3d"):
        check(lambda xp, name=name: getattr(xp, name)(7))
    check(lambda xp: xp.expand_dims(xp.arange(3).sum(), 0))
    check(lambda xp: xp.atleast_1d(1, [2], [[3]]))
    check(lambda xp: xp.atleast_2d())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "target", [(), (3,), (2, 3), (4, 2, 3), (0,), (2, 2, 3, 4), 3, (-1,), None]
)
def test_broadcast_to(shape, target):
    check(lambda xp: xp.broadcast_to(cube(xp, shape), target))
    check(lambda xp: xp.broadcast_to(cube(xp, shape).T, target))


def test_broadcast_views_are_read_only():
    x = jujunp.broadcast_to(jujunp.arange(3), (2, 3))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x[0][0] = 1


def test_broadcast_arrays_and_shapes():
    for a, b in itertools.product(SHAPES, SHAPES):
        check(lambda xp, a=a, b=b: xp.broadcast_shapes(a, b))
        check(lambda xp, a=a, b=b: xp.broadcast_arrays(cube(xp, a), cube(xp, b)))
    check(lambda xp: xp.broadcast_shapes())
    check(lambda xp: xp.broadcast_shapes(3, (2, 1)))
    check(lambda xp: xp.broadcast_arrays())
    check(lambda xp: xp.broadcast_arrays(1, [2, 3]))


@pytest.mark.parametrize("offset", [-2, 0, 1, 9])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 0), (0, 0), (0, 5)])
def test_diagonal(offset, axes):
    check(lambda xp: xp.diagonal(cube(xp), offset, *axes))
    check(lambda xp: xp.diagonal(cube(xp, (3,))))


def test_trim_zeros():
    for data in ([0, 0, 1, 2, 0, 3, 0], [0, 0], [], [1], [[0, 0, 0], [0, 5, 0]], 0.0):
        for ends in ("fb", "f", "B", "x"):
            check(lambda xp, d=data, e=ends: xp.trim_zeros(xp.asarray(d), e))
    check(lambda xp: xp.trim_zeros(xp.asarray([[0, 0, 0], [0, 5, 0]]), axis=1))


def test_broadcasting_a_number_gives_an_array():
    check(lambda xp: xp.broadcast_to(xp.asarray([2])[0], ()))


def test_raveling_in_any_order():
    def grid(xp):
        return xp.arange(24).reshape(2, 3, 4)

    views = [
        lambda x: x.transpose(1, 0, 2),
        lambda x: x.transpose(2, 0, 1),
        lambda x: x.T,
        lambda x: x[::-1, :, ::2].swapaxes(0, 1),
    ]
    for view, order in itertools.product(views, "CFAK"):
        check(lambda xp, v=view, o=order: v(grid(xp)).ravel(o))
        check(lambda xp, v=view, o=order: v(grid(xp)).flatten(o))
