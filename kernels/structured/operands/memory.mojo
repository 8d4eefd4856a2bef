"""Memory: scratch space and moving bytes, by address."""
from std.ffi import external_call

from structured.operands.operand import load, store


@always_inline
def _move_ends[width: Int](target: Int, source: Int, count: Int):
    """Copies `width` to `2 * width` bytes as two vectors that may overlap."""
    var first = load[DType.uint8, width](source)
    var last = load[DType.uint8, width](source + count - width)
    store(target, first)
    store(target + count - width, last)


@always_inline
def move_bytes(target: Int, source: Int, count: Int):
    """Copies `count` bytes between areas that do not overlap."""
    if count > 128:
        _ = external_call["memcpy", Int](target, source, count)
    elif count >= 64:
        _move_ends[64](target, source, count)
    elif count >= 32:
        _move_ends[32](target, source, count)
    elif count >= 16:
        _move_ends[16](target, source, count)
    elif count >= 8:
        _move_ends[8](target, source, count)
    else:
        for i in range(count):
            store(target + i, load[DType.uint8](source + i))


def allocate(count: Int) -> Int:
    """The address of `count` bytes to be released by the caller, 0 if there is no memory."""
    return external_call["malloc", Int](max(count, 1))


def release(address: Int):
    """Returns what `allocate` gave; 0 is allowed."""
    external_call["free", NoneType](address)
