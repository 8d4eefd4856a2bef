"""Updates of arrays whose axes lie in memory in another order: they are made in that order."""

import itertools
import math

import numpy as np
import pytest

import jujunp


@pytest.mark.parametrize(
    "extents", [(40, 30), (30, 30), (9, 10, 11), (1, 700), (700, 1), (8, 1, 90)]
)
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64", "bool"])
def test_updates_of_axes_in_another_order(extents, dtype):

    def program(xp):
        results = []
        for axes in itertools.permutations(range(len(extents))):
            turned = [extents[axis] for axis in axes]
            back = np.argsort(axes)
            count = math.prod(extents)
            x = xp.array((np.arange(count) % 5).astype(dtype)).reshape(turned)
            whole = x
            x = x.transpose(*back)
            y = xp.array((np.arange(count) % 3).astype(dtype)).reshape(turned).transpose(*back)
            z = xp.array((np.arange(count) % 3).astype(dtype)).reshape(extents)
            before = x.copy()
            part = whole[..., :1]
            if dtype in ("int32", "bool"):
                x |= y
            if dtype != "bool":
                x += y
                x *= z
                x -= x
                x += 3
                x[::2] += y[::2]
                x *= xp.asarray(2, dtype=dtype)
            xp.add(x, y, out=x)
            xp.add(before, y, out=before)
            xp.multiply(y, z, out=z)
            x += x[:1].copy()
            results += [x, whole, before, part, y, z]
        return results

    for found, wanted in zip(program(jujunp), program(np), strict=True):
        assert found.strides == wanted.strides
        np.testing.assert_array_equal(found, wanted, strict=True)
