"""The texts of fused loops."""

from __future__ import annotations

import pytest

from jujunp.lazy.fused.text import Group, Operand, Step, text_of
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import FLOAT32, FLOAT64

ADD = OPCODES["add"]


def sums(known: int, code: int) -> Group:
    """Return a group that reads so many operands, and then adds them all to the last one."""
    size = 8 if code == FLOAT64 else 4
    operands = [Operand(size, one=False, written=False) for _ in range(known)]
    doubled = [Step(ADD, code, code, k, (-1 - k, -1 - k)) for k in range(known)]
    added = [Step(ADD, code, code, 0, (0, k)) for k in range(1, known)]
    last = Step(ADD, code, code, -1 - known, (0, 0))
    return Group((*operands, Operand(size, one=False, written=True)), (*doubled, *added, last))


@pytest.mark.parametrize(
    ("known", "code", "many", "few"),
    [
        (1, FLOAT64, 32, 32),
        (3, FLOAT64, 32, 16),
        (7, FLOAT64, 32, 8),
        (8, FLOAT64, 16, 8),
        (15, FLOAT64, 16, 8),
        (16, FLOAT64, 8, 8),
        (7, FLOAT32, 64, 16),
        (15, FLOAT32, 32, 16),
    ],
)
def test_vectors_are_as_wide_as_what_is_known_allows(
    known: int, code: int, many: int, few: int
) -> None:
    """With 32 registers, and with 8: what is known at most is one result more than the operands."""
    function = text_of(sums(known, code), "loop").function
    assert f"comptime lanes = {many} if CompilationTarget.has_avx512f() else {few}\n" in function
