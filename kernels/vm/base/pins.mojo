"""Memory that somebody outside of our arrays holds: NumPy's arrays over it, a library, its owner.

It is *pinned*: others may read and write it at any time. So a step that reads it runs at once, and what
is written to its array goes to this memory (`vm.record.pinning`).
"""

from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_GRANTED,
    BUFFER_OWNER,
    BUFFER_PINS,
    BUFFER_SHARING,
    BUFFER_SIZE,
    VALUE_BUFFER,
)
from vm.base.raw import TYPE, load, refcount

comptime ALONE = 0
"""Of memory that is the pool's, or of an owner who does not use it."""
comptime READ = 1
"""Of memory that others read, and nobody writes."""
comptime SHARED = 2
"""Of memory that others read and write, as long as they refer to its owner."""
comptime FIXED = 3
"""The same of memory that we may not write."""
comptime FOR_GOOD = 1 << 40
"""Added to the pins of memory whose address was told: nobody knows who uses that."""


@always_inline
def exports(buffer: Int) -> Int:
    """How many views of a buffer's memory are held outside; each has a reference to the buffer."""
    return load(buffer, BUFFER_PINS) & (FOR_GOOD - 1)


@always_inline
def is_pinned(buffer: Int) -> Bool:
    """Whether others may read and write a buffer's memory."""
    if load(buffer, BUFFER_PINS) != 0:
        return True
    return (
        load(buffer, BUFFER_SHARING) >= SHARED
        and refcount(load(buffer, BUFFER_OWNER)) > 1
    )


@always_inline
def has_pinned(value: Int, buffer_type: Int) -> Bool:
    """Whether a value is computed, in memory that is pinned."""
    var buffer = load(value, VALUE_BUFFER)
    return load(buffer, TYPE) == buffer_type and is_pinned(buffer)


@always_inline
def overlap(a: Int, b: Int) -> Bool:
    """Whether two buffers are over memory that others hold, of which a part is in both."""
    if a == b or not is_pinned(a) or not is_pinned(b):
        return False
    var first = load(a, BUFFER_ADDRESS)
    var second = load(b, BUFFER_ADDRESS)
    return first < second + load(b, BUFFER_SIZE) and second < first + load(
        a, BUFFER_SIZE
    )


@always_inline
def shares_memory(a: Int, b: Int) -> Bool:
    """Whether two computed values are over the same memory, or parts of it."""
    return a == b or overlap(load(a, VALUE_BUFFER), load(b, VALUE_BUFFER))


@always_inline
def is_seen_by_others(buffer: Int) -> Bool:
    """Whether more than one refers to a buffer, or to its memory, and a write would change what they see."""
    var granted = load(buffer, BUFFER_GRANTED)
    if granted > 0:  # the write is one to the array that the others look at
        return refcount(buffer) - granted > 1
    return refcount(buffer) > 1 or load(buffer, BUFFER_SHARING) != ALONE
