"""Operands and calls of the structured kernels, and the statuses they return."""

from elementwise.numbers.dtypes import DTYPES, dtype_code

comptime Words = Pointer[Int64, MutUntrackedOrigin]
comptime MAX_RANK = 64

# Statuses. A kernel that returns UNSUPPORTED or OUT_OF_BOUNDS has written nothing.
comptime OK = 0
comptime UNSUPPORTED = 1
"""The dtypes, ranks or parameters are not what the kernel accepts."""
comptime OUT_OF_BOUNDS = 2
"""An index is out of bounds; `Call.fault` holds axis, index and size."""
comptime NO_MEMORY = 3
comptime FAILED = 4

comptime BOOL = dtype_code(DType.bool)
comptime INT64 = dtype_code(DType.int64)
comptime UINT8 = dtype_code(DType.uint8)
comptime FLOAT32 = dtype_code(DType.float32)
comptime ITEM_SIZES: Array[Int, 15] = [
    1,
    1,
    2,
    4,
    8,
    1,
    2,
    4,
    8,
    2,
    2,
    4,
    8,
    8,
    16,
]
"""Bytes of one element of each dtype code."""
comptime UNSIGNED: Array[DType, 4] = [
    DType.uint8,
    DType.uint16,
    DType.uint32,
    DType.uint64,
]
comptime SIGNED: Array[DType, 4] = [
    DType.int8,
    DType.int16,
    DType.int32,
    DType.int64,
]
comptime NUMBERS: Array[DType, 10] = [
    DType.int8,
    DType.int16,
    DType.int32,
    DType.int64,
    DType.uint8,
    DType.uint16,
    DType.uint32,
    DType.uint64,
    DType.float32,
    DType.float64,
]
"""What kernels calculate and compare with."""
comptime HALVES: Array[DType, 2] = [DType.float16, DType.bfloat16]
"""What most kernels calculate with in float32."""
comptime PARTS: Array[DType, 2] = [DType.float32, DType.float64]
"""The dtype of the parts of each complex dtype code, from COMPLEX64 on."""
comptime CELLS: Array[DType, 5] = [
    DType.uint8,
    DType.uint16,
    DType.uint32,
    DType.uint64,
    DType.uint128,
]
"""What kernels that only move data load and store: one unsigned dtype per item size."""


def item_size(code: Int) -> Int:
    """Bytes of one element of a dtype code, 0 for an unknown one."""
    comptime for known in range(len(ITEM_SIZES)):
        comptime size = ITEM_SIZES[known]
        if code == known:
            return size
    return 0


def is_half(code: Int) -> Bool:
    """Whether a dtype code is that of float16 or bfloat16."""
    return code == dtype_code(DType.float16) or code == dtype_code(
        DType.bfloat16
    )


def plain(code: Int) -> Int:
    """The dtype code with bool seen as uint8."""
    return UINT8 if code == BOOL else code


def wrapping(code: Int) -> Int:
    """The dtype code with signed integers and bool seen as unsigned ones of their size.

    Addition, multiplication and bitwise operations give the same bits.
    """
    comptime for index in range(len(SIGNED)):
        comptime signed = dtype_code(SIGNED[index])
        comptime unsigned = dtype_code(UNSIGNED[index])
        if code == signed:
            return unsigned
    return plain(code)


@always_inline
def load[dtype: DType, width: Int = 1](address: Int) -> SIMD[dtype, width]:
    """Loads `width` adjacent elements from any byte address."""
    return Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    ).unsafe_load[width=width, alignment=1](0)


@always_inline
def store[
    dtype: DType, width: SIMDLength
](address: Int, value: SIMD[dtype, width]):
    """Stores `width` adjacent elements at any byte address."""
    Pointer[Scalar[dtype], MutUntrackedOrigin](
        unsafe_from_address=address
    ).unsafe_store[width=Int(width), alignment=1](0, value)


struct Operand(TrivialRegisterPassable):
    """A strided array: address of element [0, .., 0], dtype code, shape, strides in bytes.

    The layout is five 64-bit words, so a table of operands can be written by any language.
    """

    var address: Int
    var dtype: Int
    var rank: Int
    var shape: Words
    var strides: Words

    def __init__(
        out self,
        address: Int,
        dtype: Int,
        rank: Int,
        shape: Words,
        strides: Words,
    ):
        self.address = address
        self.dtype = dtype
        self.rank = rank
        self.shape = shape
        self.strides = strides

    @always_inline
    def size(self, axis: Int) -> Int:
        """Elements along one axis."""
        return Int(self.shape[unsafe_offset=axis])

    @always_inline
    def stride(self, axis: Int) -> Int:
        """Bytes from one element to the next along one axis."""
        return Int(self.strides[unsafe_offset=axis])

    def count(self) -> Int:
        """Elements in all."""
        var product = 1
        for axis in range(self.rank):
            product *= self.size(axis)
        return product

    def item_size(self) -> Int:
        """Bytes of one element, 0 for an unknown dtype code."""
        return item_size(self.dtype)

    def is_half(self) -> Bool:
        """Whether the elements are float16 or bfloat16."""
        return is_half(self.dtype)

    def contiguous(self) -> Bool:
        """Whether the elements lie in C order without gaps; true of no elements."""
        var expected = self.item_size()
        var result = True
        for axis in reversed(range(self.rank)):
            if self.size(axis) != 1 and self.stride(axis) != expected:
                result = False
            expected *= self.size(axis)
        return result or expected == 0

    def same_shape(self, other: Self) -> Bool:
        """Whether both have the same rank and sizes."""
        if self.rank != other.rank:
            return False
        for axis in range(self.rank):
            if self.size(axis) != other.size(axis):
                return False
        return True


comptime Operands = Pointer[Operand, MutUntrackedOrigin]


struct Call(TrivialRegisterPassable):
    """One call of a kernel: operands (outputs first), integer parameters, threads, fault words."""

    var operands: Operands
    var count: Int
    var params: Words
    var param_count: Int
    var threads: Int
    var fault: Words

    def __init__(
        out self,
        operands: Operands,
        count: Int,
        params: Words,
        param_count: Int,
        threads: Int,
        fault: Words,
    ):
        self.operands = operands
        self.count = count
        self.params = params
        self.param_count = param_count
        self.threads = threads
        self.fault = fault

    @always_inline
    def operand(self, index: Int) -> Operand:
        """Operand `index`; outputs come before inputs."""
        return self.operands[unsafe_offset=index]

    @always_inline
    def param(self, index: Int) -> Int:
        """Parameter `index`."""
        return Int(self.params[unsafe_offset=index])

    def out_of_bounds(self, axis: Int, index: Int, size: Int) -> Int:
        """Reports a bad index in the words of NumPy's IndexError."""
        self.fault[unsafe_offset=0] = Int64(axis)
        self.fault[unsafe_offset=1] = Int64(index)
        self.fault[unsafe_offset=2] = Int64(size)
        return OUT_OF_BOUNDS


def valid(call: Call, least: Int, params: Int) -> Bool:
    """Whether a call has at least `least` operands and `params` parameters, of known kinds."""
    if call.count < least or call.param_count < params:
        return False
    for index in range(call.count):
        var operand = call.operand(index)
        if (
            operand.rank < 0
            or operand.rank > MAX_RANK
            or operand.item_size() == 0
        ):
            return False
    return True
