"""What the planner makes of pending steps."""

from __future__ import annotations

import numpy as np

from jujunp.kernels.facts import BYTECODE, numbers
from jujunp.lazy.run import machine
from jujunp.lazy.values.value import LOG

_FACTS = numbers(BYTECODE)
GROUP, KERNEL = _FACTS["GROUP"], _FACTS["KERNEL"]
ALLOCATE, FREE = _FACTS["ALLOCATE"], _FACTS["FREE"]


def planned() -> list[np.ndarray]:
    """Return the instructions that would compute what is pending, a row of words each."""
    machine.plan(machine.STATE, LOG)
    words = np.frombuffer(machine.bytecode()[0], np.int64)
    found, at = [], 0
    while at < len(words):
        found.append(words[at : at + words[at + 1]].copy())
        at += int(words[at + 1])
    return found


def work() -> list[int]:
    """Return the kinds of those that compute something, groups and kernels."""
    return [int(words[0]) for words in planned() if words[0] in (GROUP, KERNEL)]
