"""Reads one element of an array as a Python number."""

from std.python import PythonObject
from .program import itemsize


def element_at(address: Int, code: Int) raises -> PythonObject:
    """The element of a dtype code at an address as a Python bool, int or float."""
    if code == 0:
        return PythonObject(at[DType.uint8](address) != 0)
    if code == 12:
        return PythonObject(at[DType.float64](address))
    if code == 11:
        return PythonObject(at[DType.float32](address).cast[DType.float64]())
    if code == 4:
        return PythonObject(Int(at[DType.int64](address)))
    if code == 8:
        return PythonObject(at[DType.uint64](address))
    comptime for k in range(6):
        comptime pair = SMALL[k]
        if code == pair[0]:
            return PythonObject(Int(at[pair[1]](address)))
    raise Error("no element of this dtype")


comptime SMALL: List[Tuple[Int, DType]] = [
    (1, DType.int8),
    (2, DType.int16),
    (3, DType.int32),
    (5, DType.uint8),
    (6, DType.uint16),
    (7, DType.uint32),
]


@always_inline
def at[dtype: DType](address: Int) -> Scalar[dtype]:
    return Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    )[]
