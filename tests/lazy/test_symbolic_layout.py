"""Layouts in symbols, against NumPy's own: the symbols are numbers here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.symbolic_layout import SymbolicLayout, symbolic

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = (4, 1, 6)

VIEWS: dict[str, Callable[[Any], Any]] = {
    "transpose": lambda x: x.transpose(2, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "moveaxis of several": lambda x: np.moveaxis(x, (0, 2), (1, 0)),
    "broadcast_to": lambda x: layouts.broadcast_to(x, (3, 4, 5, 6)),
    "expand_dims": lambda x: np.expand_dims(x, (0, -1)),
    "squeeze": lambda x: np.squeeze(x, (1,)),
    "flip": lambda x: np.flip(x, (0, 2)),
    "reshape": lambda x: np.reshape(x, (12, 2), copy=False),
    "flat": lambda x: np.reshape(x, -1, copy=False),
    "axes of length 1": lambda x: x.transpose(2, 1, 0).reshape(1, 6, 4, 1),
    "slice": lambda x: x[1:3, :, 2:],
    "steps": lambda x: x[::3, ..., 1:6:2],
    "steps beyond the end": lambda x: x[..., 0:6:4],
    "index": lambda x: x[2, ..., 3],
    "all indices": lambda x: x[2, 0, 3, ...],
    "new axes": lambda x: x[:, None, ..., None],
    "smaller elements": lambda x: x.view(np.dtype(np.int16)),
    "larger elements": lambda x: x.view(np.dtype(np.int64)),
    "elements of one size": lambda x: x.transpose(2, 1, 0).view(np.dtype(np.uint32)),
    "several": lambda x: np.flip(np.moveaxis(x[1:, 0], 1, 0)[::2], (1,))[:, 1:],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_numpys(name: str) -> None:
    whole = layouts.whole(SHAPE, np.dtype(np.float32))[..., :]
    found = VIEWS[name](SymbolicLayout.whole(SHAPE, whole.dtype))
    wanted = VIEWS[name](whole)
    assert isinstance(found, SymbolicLayout)
    assert (found.shape, found.dtype, found.nbytes) == (wanted.shape, wanted.dtype, wanted.nbytes)
    assert layouts.offset(found) == layouts.offset(wanted)
    longer = [k for k, length in enumerate(wanted.shape) if length > 1]
    assert [found.strides[k] for k in longer] == [wanted.strides[k] for k in longer]
    assert found.flags.c_contiguous == wanted.flags.c_contiguous


def test_a_reshape_that_moves_elements_is_refused() -> None:
    turned = SymbolicLayout.whole(SHAPE, np.dtype(np.float32)).transpose(2, 1, 0)
    with pytest.raises(ValueError, match="C order"):
        turned.reshape(24)
    with pytest.raises(ValueError, match="C order"):
        turned.view(np.dtype(np.int8))


def test_other_functions_of_numpy_do_not_take_them() -> None:
    with pytest.raises(TypeError, match="no implementation found"):
        np.roll(SymbolicLayout.whole(SHAPE, np.dtype(np.float32)), 1)


def test_layouts_of_known_sizes_become_symbolic() -> None:
    part = layouts.whole(SHAPE, np.dtype(np.int16))[1:, :, ::-1]
    found = symbolic(part)
    assert (found.shape, found.strides) == (part.shape, part.strides)
    assert found.offset == layouts.offset(part)
