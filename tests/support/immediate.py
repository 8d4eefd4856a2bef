"""What the immediate tier makes of Jaxprs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jujunp.lazy.rules import template
from jujunp.lazy.rules.operand import Operand, constant, node
from jujunp.lazy.run import transfer
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.values.dtypes import kernel_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jax.extend.core import ClosedJaxpr


def computed(x: Operand) -> np.ndarray:
    """Return an operand's elements."""
    copied = node("copy", [x], x.shape, x.code)
    ensure(copied.value)
    return np.array(transfer.export(copied.value, x.code))


def results(closed: ClosedJaxpr, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return what a Jaxpr gives for arrays, recorded and run by the kernels."""
    given = [constant(x, kernel_code(x.dtype)) for x in arrays]
    constants = template.closed_constants(closed)
    return [computed(x) for x in template.replay(closed.jaxpr, constants, given)]
