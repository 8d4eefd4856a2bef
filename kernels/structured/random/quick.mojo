"""Many numbers at once of the words that lie ahead, as long as nothing rare happens."""
from std.sys import simd_width_of, size_of

from structured.operands.operand import load, store
from structured.random.bits import UNIT, Bits, Source
from structured.random.ziggurat import Try, try_exponential, try_normal

comptime _LANES = simd_width_of[DType.float64]()
comptime _HALVES = simd_width_of[DType.uint32]()


def is_quick[name: StaticString]() -> Bool:
    """Whether floats of a distribution are made of a word each, but for rare ones."""
    return name == "random" or name == "uniform" or is_tried[name]()


def is_tried[name: StaticString]() -> Bool:
    """Whether a word may not be enough for a number."""
    return (
        name == "standard_normal"
        or name == "normal"
        or name == "standard_exponential"
        or name == "exponential"
    )


def notes_of[name: StaticString]() -> Int:
    """After how many numbers of a share it is surely known which are right (`in_shares`)."""
    if is_tried[name]():
        return 32
    return 1 if is_quick[name]() else 512


@always_inline
def _try[name: StaticString](word: UInt64) -> Try:
    comptime if name == "standard_normal" or name == "normal":
        return try_normal(word)
    else:
        return try_exponential(word)


@always_inline
def _scaled[name: StaticString](x: Float64, a: Float64, b: Float64) -> Float64:
    comptime if name == "normal":
        return a + b * x
    elif name == "exponential":
        return a * x
    else:
        return x


@always_inline
def quick_floats[
    B: Bits, //, name: StaticString
](
    mut source: Source[B], target: Int, count: Int, a: Float64, b: Float64
) -> Int:
    """Stores float64 of some words that lie ahead; returns how many."""
    var words = source.bits.ready()
    var most = min(words, count)
    var ahead = source.bits.ahead()
    var i = 0
    comptime if is_tried[name]():
        while i < most:
            var found = _try[name](load[DType.uint64](ahead + 8 * i))
            if not found.fits:
                break
            store(target + 8 * i, _scaled[name](found.number, a, b))
            i += 1
    else:
        while i + _LANES <= most:
            _store_units[name, _LANES](ahead + 8 * i, target + 8 * i, a, b)
            i += _LANES
        while i < most:
            _store_units[name, 1](ahead + 8 * i, target + 8 * i, a, b)
            i += 1
    source.bits.take(i)
    return i


@always_inline
def _store_units[
    name: StaticString, width: Int
](words: Int, target: Int, a: Float64, b: Float64):
    """Stores numbers between 0 and 1, or between bounds."""
    comptime V = SIMD[DType.float64, width]
    var x = (
        (load[DType.uint64, width](words) >> 11)
        .cast[DType.int64]()
        .cast[DType.float64]()
    ) * V(UNIT)
    comptime if name == "uniform":
        store(target, V(a) + V(b) * x)
    else:
        store(target, x)


@always_inline
def quick_floats_32[
    B: Bits, //
](mut source: Source[B], target: Int, count: Int) -> Int:
    """The same for float32 between 0 and 1, of half a word each."""
    var most = min(2 * source.bits.ready(), count)
    var ahead = source.bits.ahead()
    var i = 0
    comptime V = SIMD[DType.float32, _HALVES]
    while i + _HALVES <= most:
        var x = load[DType.uint32, _HALVES](ahead + 4 * i) >> 8
        store(
            target + 4 * i,
            x.cast[DType.int32]().cast[DType.float32]() * V(1.0 / 16777216.0),
        )
        i += _HALVES
    source.bits.take_halves(i)
    return i


@always_inline
def quick_integers[
    B: Bits, //, dtype: DType
](
    mut source: Source[B], target: Int, count: Int, low: UInt64, more: UInt64
) -> Int:
    """Stores integers of at most 2^32 different ones; of half a word each, but for rare ones."""
    comptime item = size_of[Scalar[dtype]]()
    comptime V = SIMD[DType.uint64, _HALVES]
    var most = min(2 * source.bits.ready(), count)
    var ahead = source.bits.ahead()
    var different = more + 1
    var threshold = ((1 << 32) - different) % different
    var i = 0
    while i + _HALVES <= most:
        var x = load[DType.uint32, _HALVES](ahead + 4 * i).cast[DType.uint64]()
        var m = x * V(different)
        if ((m & V(0xFFFFFFFF)).lt(V(threshold))).reduce_or():
            break
        store(target + item * i, ((m >> 32) + V(low)).cast[dtype]())
        i += _HALVES
    source.bits.take_halves(i)
    return i


@always_inline
def quick_large[
    B: Bits, //
](
    mut source: Source[B], target: Int, count: Int, low: UInt64, more: UInt64
) -> Int:
    """Stores integers of more different ones, of a word each."""
    var most = min(source.bits.ready(), count)
    var ahead = source.bits.ahead()
    var different = more + 1
    var threshold = (UInt64.MAX - more) % different
    var wide = different.cast[DType.uint128]()
    var i = 0
    while i < most:
        var m = load[DType.uint64](ahead + 8 * i).cast[DType.uint128]() * wide
        if m.cast[DType.uint64]() < threshold:
            break
        store(target + 8 * i, low + (m >> 64).cast[DType.uint64]())
        i += 1
    source.bits.take(i)
    return i


@always_inline
def quick_words[
    B: Bits, //
](mut source: Source[B], target: Int, count: Int, low: UInt64) -> Int:
    """Stores integers of which there are 2^64 different ones: a word each."""
    var most = min(source.bits.ready(), count)
    var ahead = source.bits.ahead()
    var i = 0
    while i + _LANES <= most:
        var words = load[DType.uint64, _LANES](ahead + 8 * i)
        store(target + 8 * i, words + SIMD[DType.uint64, _LANES](low))
        i += _LANES
    source.bits.take(i)
    return i
