"""Normal and exponential numbers by the ziggurat method, in float64 and float32."""
from std.builtin.globals import global_constant
from std.memory import bitcast

from structured.operands.operand import load
from structured.random.bits import Bits, Source
from structured.libm import exp, log1p
from structured.random.tables import (
    EXPONENTIAL_F,
    EXPONENTIAL_F32,
    EXPONENTIAL_K,
    EXPONENTIAL_K32,
    EXPONENTIAL_W,
    EXPONENTIAL_W32,
    NORMAL_F,
    NORMAL_F32,
    NORMAL_K,
    NORMAL_K32,
    NORMAL_W,
    NORMAL_W32,
)

comptime _NORMAL_END = 3.6541528853610087963519472518
"""Where the tail of normal numbers begins."""
comptime _NORMAL_INVERSE = 0.27366123732975827203338247596
comptime _EXPONENTIAL_END = 7.6971174701310497140446280481


@always_inline
def _double[table: Array[UInt64, 256]](index: Int) -> Float64:
    """A number of a table of floats."""
    return load[DType.float64](
        Int(Pointer(to=global_constant[table]())) + 8 * index
    )


@always_inline
def _word[table: Array[UInt64, 256]](index: Int) -> UInt64:
    return load[DType.uint64](
        Int(Pointer(to=global_constant[table]())) + 8 * index
    )


@always_inline
def _float[table: Array[UInt32, 256]](index: Int) -> Float32:
    return load[DType.float32](
        Int(Pointer(to=global_constant[table]())) + 4 * index
    )


@always_inline
def _half[table: Array[UInt32, 256]](index: Int) -> UInt32:
    return load[DType.uint32](
        Int(Pointer(to=global_constant[table]())) + 4 * index
    )


struct Try(TrivialRegisterPassable):
    """What a word gives: a number, and whether it is within a layer, as nearly all are."""

    var number: Float64
    var fits: Bool
    var index: Int
    var magnitude: UInt64

    @always_inline
    def __init__(
        out self, number: Float64, fits: Bool, index: Int, magnitude: UInt64
    ):
        self.number = number
        self.fits = fits
        self.index = index
        self.magnitude = magnitude


@always_inline
def try_normal(r: UInt64) -> Try:
    """A normal number of one word."""
    var index = Int(r & 0xFF)
    var magnitude = (r >> 9) & 0x000FFFFFFFFFFFFF
    # it is positive, and so are the factors: a conversion of signed numbers is the faster one
    var x = magnitude.cast[DType.int64]().cast[DType.float64]() * _double[
        NORMAL_W
    ](index)
    x = bitcast[DType.float64](
        bitcast[DType.uint64](x) | (((r >> 8) & 1) << 63)
    )
    return Try(x, magnitude < _word[NORMAL_K](index), index, magnitude)


@always_inline
def standard_normal[B: Bits, //](mut source: Source[B]) -> Float64:
    """A normal number."""
    var found = try_normal(source.next64())
    if found.fits:
        return found.number
    return _rare_normal(source, found.index, found.magnitude, found.number)


@no_inline
def _rare_normal[
    B: Bits, //
](
    mut source: Source[B], first: Int, first_magnitude: UInt64, first_x: Float64
) -> Float64:
    """A normal number whose first try is not within a layer."""
    var index = first
    var magnitude = first_magnitude
    var x = first_x
    while True:
        if index == 0:
            while True:
                var xx = -_NORMAL_INVERSE * log1p(-source.next_double())
                var yy = -log1p(-source.next_double())
                if yy + yy > xx * xx:
                    var far = _NORMAL_END + xx
                    return -far if ((magnitude >> 8) & 1) != 0 else far
        var high = _double[NORMAL_F](index - 1)
        var low = _double[NORMAL_F](index)
        if (high - low) * source.next_double() + low < exp(-0.5 * x * x):
            return x
        var found = try_normal(source.next64())
        if found.fits:
            return found.number
        index = found.index
        magnitude = found.magnitude
        x = found.number


@always_inline
def standard_normal_32[B: Bits, //](mut source: Source[B]) -> Float32:
    """A normal number in float32."""
    while True:
        var r = source.next32()
        var index = Int(r & 0xFF)
        var magnitude = (r >> 9) & 0x0007FFFFF
        var x = magnitude.cast[DType.float32]() * _float[NORMAL_W32](index)
        if ((r >> 8) & 1) != 0:
            x = -x
        if magnitude < _half[NORMAL_K32](index):
            return x
        if index == 0:
            return _far_normal_32(source, magnitude)
        var high = _float[NORMAL_F32](index - 1)
        var low = _float[NORMAL_F32](index)
        var limit = (high - low) * source.next_float() + low
        var wide = x.cast[DType.float64]()
        if limit.cast[DType.float64]() < exp(-0.5 * wide * wide):
            return x


@no_inline
def _far_normal_32[
    B: Bits, //
](mut source: Source[B], magnitude: UInt32) -> Float32:
    """A number of the tail."""
    comptime inverse = Float32(_NORMAL_INVERSE)
    comptime end = Float32(_NORMAL_END)
    while True:
        var xx = -inverse * log1p(-source.next_float())
        var yy = -log1p(-source.next_float())
        if yy + yy > xx * xx:
            return -(end + xx) if ((magnitude >> 8) & 1) != 0 else end + xx


@always_inline
def try_exponential(word: UInt64) -> Try:
    """An exponential number of one word."""
    var index = Int((word >> 3) & 0xFF)
    var r = word >> 11
    var x = r.cast[DType.int64]().cast[DType.float64]() * _double[
        EXPONENTIAL_W
    ](index)
    return Try(x, r < _word[EXPONENTIAL_K](index), index, r)


@always_inline
def standard_exponential[B: Bits, //](mut source: Source[B]) -> Float64:
    """An exponential number."""
    var found = try_exponential(source.next64())
    if found.fits:
        return found.number
    return _rare_exponential(source, found.index, found.number)


@no_inline
def _rare_exponential[
    B: Bits, //
](mut source: Source[B], first: Int, first_x: Float64) -> Float64:
    """An exponential number whose first try is not within a layer."""
    var index = first
    var x = first_x
    while True:
        if index == 0:
            return _EXPONENTIAL_END - log1p(-source.next_double())
        var high = _double[EXPONENTIAL_F](index - 1)
        var low = _double[EXPONENTIAL_F](index)
        if (high - low) * source.next_double() + low < exp(-x):
            return x
        var found = try_exponential(source.next64())
        if found.fits:
            return found.number
        index = found.index
        x = found.number


@always_inline
def standard_exponential_32[B: Bits, //](mut source: Source[B]) -> Float32:
    """An exponential number in float32."""
    comptime end = Float32(_EXPONENTIAL_END)
    while True:
        var r = source.next32() >> 1
        var index = Int(r & 0xFF)
        r >>= 8
        var x = r.cast[DType.float32]() * _float[EXPONENTIAL_W32](index)
        if r < _half[EXPONENTIAL_K32](index):
            return x
        if index == 0:
            return end - log1p(-source.next_float())
        var high = _float[EXPONENTIAL_F32](index - 1)
        var low = _float[EXPONENTIAL_F32](index)
        if (high - low) * source.next_float() + low < exp(-x):
            return x
