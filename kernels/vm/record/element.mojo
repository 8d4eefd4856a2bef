"""Reads one element of an array as a Python number."""

from std.ffi import external_call
from std.python import PythonObject
from vm.record.record import owned


def element_at(address: Int, code: Int) raises -> PythonObject:
    """The element of a dtype code at an address as a Python bool, int, float or complex."""
    if code == 0:
        return PythonObject(at[DType.uint8](address) != 0)
    if code == 12:
        return PythonObject(at[DType.float64](address))
    if code == 4:
        return PythonObject(Int(at[DType.int64](address)))
    if code == 8:
        return PythonObject(at[DType.uint64](address))
    comptime for k in range(6):
        comptime pair = SMALL[k]
        if code == pair[0]:
            return PythonObject(Int(at[pair[1]](address)))
    comptime for k in range(3):
        comptime pair = FLOATS[k]
        if code == pair[0]:
            return PythonObject(at[pair[1]](address).cast[DType.float64]())
    if code == 13:
        return complex_number(
            at[DType.float32](address).cast[DType.float64](),
            at[DType.float32](address + 4).cast[DType.float64](),
        )
    if code == 14:
        return complex_number(
            at[DType.float64](address), at[DType.float64](address + 8)
        )
    raise Error("no element of this dtype")


comptime SMALL: List[Tuple[Int, DType]] = [
    (1, DType.int8),
    (2, DType.int16),
    (3, DType.int32),
    (5, DType.uint8),
    (6, DType.uint16),
    (7, DType.uint32),
]
comptime FLOATS: List[Tuple[Int, DType]] = [
    (11, DType.float32),
    (9, DType.float16),
    (10, DType.bfloat16),
]


def complex_number(re: Float64, im: Float64) -> PythonObject:
    """A Python complex."""
    return owned(external_call["PyComplex_FromDoubles", Int](re, im))


@always_inline
def at[dtype: DType](address: Int) -> Scalar[dtype]:
    return Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    )[]
