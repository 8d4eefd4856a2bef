"""Error states in a word: what becomes of a division by zero, an overflow, an underflow, an invalid value.

Each of them has three bits, for a mode of NumPy's: 0 to ignore, 1 to warn, and others that must come
at once. A step keeps the state in which it was recorded; 0 says that it never warns.
"""

from structured.threads.ieee import DIVIDE, INVALID, OVERFLOW, UNDERFLOW

comptime MODE = 7
"""The bits of a mode; what follows is from which bit on each has its own."""
comptime DIVIDE_AT = 0
comptime OVER_AT = 3
comptime UNDER_AT = 6
comptime INVALID_AT = 9
comptime _WARN_ALL = (
    1 << DIVIDE_AT | 1 << OVER_AT | 1 << UNDER_AT | 1 << INVALID_AT
)
comptime SCALARS = 1 << 12
"""The step is an operator's on scalars, which NumPy names otherwise."""
comptime KEPT = 1 << 13
"""The step runs even if nobody refers to its result: a block collects warnings."""
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
    if errors >> DIVIDE_AT & MODE != 0:
        flags |= DIVIDE
    if errors >> OVER_AT & MODE != 0:
        flags |= OVERFLOW
    if errors >> UNDER_AT & MODE != 0:
        flags |= UNDERFLOW
    if errors >> INVALID_AT & MODE != 0:
        flags |= INVALID
    return flags


@always_inline
def comes_at_once(errors: Int) -> Bool:
    """Whether any mode is more than a warning."""
    return errors & (_WARN_ALL * 6) != 0
