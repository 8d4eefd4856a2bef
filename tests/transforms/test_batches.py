"""`vmap` against a loop in Python, whose results are stacked."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp

TABLES_OF_NUMBERS = np.array([[0.1, 0.5, 0.5, 2.0], [-3.0, 0.0, 0.5, np.nan], [5.0, 6.0, 7.0, 8.0]])
NUMBERS = np.array([[0.5, 5.5, -1.0], [np.nan, 0.0, -0.0], [0.5, 7.0, 9.0]])


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_searchsorted(axes: tuple[int | None, int | None], side: str) -> None:
    tables = TABLES_OF_NUMBERS if axes[0] == 0 else TABLES_OF_NUMBERS[1]
    numbers = NUMBERS if axes[1] == 0 else NUMBERS[0]
    found = jujunp.vmap(lambda x, y: jujunp.searchsorted(x, y, side), axes)(tables, numbers)
    wanted = [
        np.searchsorted(x, y, side)
        for x, y in zip(
            np.broadcast_to(tables, (3, 4)), np.broadcast_to(numbers, (3, 3)), strict=True
        )
    ]
    np.testing.assert_array_equal(found, wanted)


def test_an_argument_that_is_the_same_for_all() -> None:
    def program(x: jujunp.ndarray, same: jujunp.ndarray) -> jujunp.ndarray:
        same[1:] *= x
        return same

    x, numbers = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    for same in (numbers, jujunp.asarray(numbers)):
        found = jujunp.vmap(program, (0, None))(x, same)
        np.testing.assert_array_equal(found, [[3, 4, 5], [3, 8, 10]])
        np.testing.assert_array_equal(same, [3, 4, 5])
