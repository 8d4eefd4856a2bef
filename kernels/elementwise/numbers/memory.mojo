"""Vectors in memory at raw addresses."""

comptime VECTOR_BYTES = 64
"""The vectors of the loops have this size in their widest operand."""

comptime Bytes = Pointer[UInt8, MutUntrackedOrigin]


@always_inline
def load[dtype: DType, lanes: Int](address: Int, at: Int) -> SIMD[dtype, lanes]:
    """`lanes` elements from element `at` on; bool is one byte each."""
    comptime stored = DType.uint8 if dtype == DType.bool else dtype
    var source = Pointer[Scalar[stored], MutUntrackedOrigin](
        unsafe_from_address=address
    )
    var vector = source.unsafe_load[width=lanes, alignment=1](at)
    comptime if dtype == DType.bool:
        return rebind[SIMD[dtype, lanes]](~vector.eq(0))
    else:
        return rebind[SIMD[dtype, lanes]](vector)


@always_inline
def store[
    dtype: DType, lanes: SIMDLength, //
](address: Int, at: Int, vector: SIMD[dtype, lanes]):
    """Writes a vector to elements `at` and on; bool is one byte each."""
    comptime stored = DType.uint8 if dtype == DType.bool else dtype
    var to = Pointer[Scalar[stored], MutUntrackedOrigin](
        unsafe_from_address=address
    )
    comptime if dtype == DType.bool:
        to.unsafe_store[width=lanes, alignment=1](at, vector.cast[stored]())
    else:
        to.unsafe_store[width=lanes, alignment=1](
            at, rebind[SIMD[stored, lanes]](vector)
        )


@no_inline
def copy_bytes(dst: Int, src: Int, count: Int):
    """Copies `count` bytes between places that do not overlap."""
    var to = Bytes(unsafe_from_address=dst)
    var source = Bytes(unsafe_from_address=src)
    for i in range(count):
        to[unsafe_offset=i] = source[unsafe_offset=i]
