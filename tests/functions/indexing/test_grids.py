"""mgrid, ogrid, r_ and c_ against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import check, check_error

GRIDS = [
    *[np.s_[0:3, 0:2.5:0.5], np.s_[0:3:2, 1:4], np.s_[0:1:5j, 0:3], np.s_[0:5, 0:5:2j]],
    *[np.s_[0:4:1j, 0:2], np.s_[:3], np.s_[1:2:3j], np.s_[0:1:0.3], np.s_[5:0:-1, 0:2]],
    *[np.s_[0:0, 0:2], np.s_[-1:1:3j, -1:1:4j], np.s_[:3, :4, :2], np.s_[1:1:1j], np.s_[0:10:0j]],
    *[np.s_[np.float32(0) : 3 : np.float32(0.5)], np.s_[np.int8(0) : np.int8(3), 1:5]],
    *[np.s_[()], np.s_[3], np.s_[0:3, 2], np.s_[::2], np.s_[0:3:2j,]],
]
PARTS = [
    *[(slice(1, 4), 0, 4), ([1, 2, 3], 0, 0, [4, 5, 6]), (slice(-1, 1, 6j), [0] * 3, 5, 6)],
    *[("-1", np.ones((2, 3)), np.ones((2, 3))), ("0,2", [1, 2, 3], [4, 5, 6])],
    *[("0,2,0", [1, 2, 3], [4, 5, 6]), ("1,2,0", [1, 2, 3], [4, 5, 6])],
    *[slice(0, 3), 5, (1.5, 2), (np.float32(1), 2), (np.arange(3.0), 1)],
    *[(np.arange(3), np.float32(2)), ("1,3,1", np.ones((2, 2)), [1, 2]), ("0,3,-1", [1], [3])],
    *[("0,3,-2", [1, 2], [3, 4]), (True, False), (1j, 2), ("x", 1), (1, "0"), ("1,a", [1]), ()],
    *[([1, 2], [3]), (np.ones((2, 2)), 1), (slice(3), slice(5, 1, -2))],
    *[(slice(0, 1, 0.25), np.zeros(2, "f4")), np.zeros(0), (np.zeros((2, 3)), np.ones((2, 1)))],
]


@pytest.mark.parametrize("key", GRIDS, ids=repr)
def test_grids(key):
    check_error(lambda xp: xp.mgrid[key])
    check_error(lambda xp: xp.ogrid[key])


@pytest.mark.parametrize("key", PARTS, ids=repr)
def test_joined(key):
    check_error(lambda xp: xp.r_[key])
    check_error(lambda xp: xp.c_[key])


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("key", [("r", [1, 2], [3, 4]), ("c", [1, 2], [3, 4]), ("c", 1)], ids=repr)
@pytest.mark.parametrize("name", ["r_", "c_"])
def test_matrices(name, key):
    found, wanted = (getattr(xp, name)[key] for xp in (jujunp, np))
    assert type(found) is jujunp.matrix
    assert found.tolist() == wanted.tolist()


def test_arrays_of_ours():
    """Arrays in the key stay pending, and the results are ours."""
    check(lambda xp: xp.r_[xp.arange(3) * 2, 7, xp.ones(2)])
    check(lambda xp: xp.r_[xp.arange(3) * 2, 1.5])
    check(lambda xp: xp.r_[1:7:2, 0, -3])
    check(lambda xp: xp.r_[5:1, xp.ones(2), 2**62])
    check(lambda xp: xp.r_[xp.ones(2, "f"), 7])
    check(lambda xp: xp.r_[xp.ones((1, 2)), xp.zeros((1, 2))])
    check(lambda xp: xp.c_[xp.arange(3), xp.ones((3, 2), "f"), xp.arange(3) > 1])
    check(lambda xp: xp.c_[xp.ones((2, 3, 1)), xp.zeros((2, 3, 2))])
    check(lambda xp: xp.mgrid[0:3, :4])
    check(lambda xp: xp.mgrid[0:3, 1:4])
    check(lambda xp: xp.mgrid[0:0, :4])
    check(lambda xp: xp.c_[xp.arange(3) * 2, xp.ones(3)])
    check(lambda xp: xp.r_[xp.arange(3)[1], xp.float32(2.5)])
    for found in (jujunp.mgrid[:2, :3], jujunp.r_[1:3, jujunp.zeros(2)], *jujunp.ogrid[:2, :3]):
        assert type(found) is jujunp.ndarray
