"""Error states in a word: what becomes of a division by zero, an overflow, an underflow, an invalid value.

Each of them has three bits, for a mode of NumPy's: 0 to ignore, 1 to warn, and others that must come
at once. A step keeps the state in which it was recorded; 0 says that it never warns.
"""

from structured.threads.ieee import DIVIDE, INVALID, OVERFLOW, UNDERFLOW

comptime _MODE = 7
comptime _OVER = 3
comptime _UNDER = 6
comptime _INVALID = 9
comptime MODES = 12
"""Bits of the modes."""
comptime WARN_ALL = 0b001_001_001_001
comptime SCALARS = 1 << MODES
"""The step is an operator's on scalars, which NumPy names otherwise."""
comptime NAMES = 16
"""From this bit on is the number of the name under which NumPy reports it, 0 for its own."""
comptime AT = 32
"""From this bit on is where the step's instruction is in the user's code."""

# what an operation can raise
comptime NEVER = 0
comptime OF_FLOATS = 1
"""For floats and complex numbers; for integers if they are scalars."""
comptime OF_ALL = 2
"""For integers, too."""


@always_inline
def watched(errors: Int) -> Int:
    """The processor's flags that are not ignored."""
    var flags = 0
    if errors & _MODE != 0:
        flags |= DIVIDE
    if errors >> _OVER & _MODE != 0:
        flags |= OVERFLOW
    if errors >> _UNDER & _MODE != 0:
        flags |= UNDERFLOW
    if errors >> _INVALID & _MODE != 0:
        flags |= INVALID
    return flags


@always_inline
def comes_at_once(errors: Int) -> Bool:
    """Whether any mode is more than a warning."""
    return errors & (WARN_ALL * 6) != 0
