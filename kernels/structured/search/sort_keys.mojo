"""Keys for sorting, with the indices of their elements where there is room for them."""
from elementwise.numbers.dtypes import COMPLEX128, COMPLEX64, DTYPES
from std.memory import bitcast
from std.sys import simd_width_of, size_of
from std.utils.numerics import isnan

from structured.search.quick import HAS_QUICKSORT, Places, quicksort
from structured.search.keys import cell_of, key_of, top_bit, value_of_key
from structured.search.complex_search import (
    decode_nothing,
    encode_complex,
    encode_complex_by,
)
from structured.operands.operand import (
    BOOL,
    load,
    plain,
    store,
)

comptime INDEX_BITS = 32
"""Low bits of a word that hold the element's index, where the key leaves room for them."""


@always_inline
def _hides[
    dtype: DType, width: SIMDLength
](value: SIMD[dtype, width]) -> SIMD[DType.bool, width]:
    """Whether an element is lost when its key replaces it."""
    comptime if dtype.is_floating_point():
        comptime cell = cell_of[dtype]()
        return isnan(value) | bitcast[cell, width](value).eq(top_bit[dtype])
    else:
        return SIMD[DType.bool, width](fill=False)


def _encode[
    dtype: DType, word: DType, shift: Int
](words: Int, source: Int, stride: Int, count: Int) -> Bool:
    """`Keys.encode` for one dtype, with keys shifted above an index, or alone."""
    comptime item = size_of[Scalar[dtype]]()
    comptime size = size_of[Scalar[word]]()
    comptime width = simd_width_of[word]()
    var hidden = SIMD[DType.bool, width](fill=False)
    var i = 0
    if stride == item:
        while i + width <= count:
            var value = load[dtype, width](source + i * item)
            hidden = hidden | _hides(value)
            var key = key_of(value).cast[word]() << Scalar[word](shift)
            comptime if shift > 0:
                comptime for lane in range(width):
                    key[lane] |= Scalar[word](i + lane)
            store(words + i * size, key)
            i += width
    var lost = hidden.reduce_or()
    while i < count:
        var value = load[dtype](source + i * stride)
        lost = lost or Bool(_hides(value))
        var key = key_of(value).cast[word]() << Scalar[word](shift)
        comptime if shift > 0:
            key |= Scalar[word](i)
        store(words + i * size, key)
        i += 1
    return not lost


def _encode_by[
    dtype: DType
](words: Int, source: Int, stride: Int, order: Int, count: Int) -> Bool:
    """`Keys.encode_by` for one dtype."""
    comptime item = size_of[Scalar[dtype]]()
    var lost = False
    for i in range(count):
        var index = Int(load[DType.uint32](order + i * 4))
        var value = load[dtype](source + index * stride)
        lost = lost or Bool(_hides(value))
        var key = key_of(value).cast[DType.uint64]()
        comptime if item < 8:
            key = (key << INDEX_BITS) | UInt64(i)
        store(words + i * 8, key)
    return not lost


def _decode[
    dtype: DType, word: DType, shift: Int
](target: Int, stride: Int, words: Int, count: Int):
    """`Keys.decode` for one dtype."""
    comptime item = size_of[Scalar[dtype]]()
    comptime size = size_of[Scalar[word]]()
    comptime cell = cell_of[dtype]()
    comptime width = simd_width_of[word]()
    var i = 0
    if stride == item:
        while i + width <= count:
            var key = load[word, width](words + i * size) >> Scalar[word](shift)
            store(target + i * item, value_of_key[dtype](key.cast[cell]()))
            i += width
    while i < count:
        var key = load[word](words + i * size) >> Scalar[word](shift)
        store(target + i * stride, value_of_key[dtype](key.cast[cell]()))
        i += 1


struct LoneRow(TrivialRegisterPassable):
    """A row to be sorted alone: where its elements are and where they go, with byte strides."""

    var source: Int
    var stride: Int
    var target: Int
    var target_stride: Int
    var count: Int
    var scratch: Int
    """Room for two words of each element."""
    var places: Places
    var threads: Int

    def __init__(
        out self,
        source: Int,
        stride: Int,
        target: Int,
        target_stride: Int,
        count: Int,
        scratch: Int,
        places: Places,
        threads: Int,
    ):
        self.source = source
        self.stride = stride
        self.target = target
        self.target_stride = target_stride
        self.count = count
        self.scratch = scratch
        self.places = places
        self.threads = threads


def _sort_alone[dtype: DType](row: LoneRow) -> Bool:
    """`Keys.sort_alone` for one dtype."""
    comptime item = size_of[Scalar[dtype]]()
    comptime if not HAS_QUICKSORT:
        return False
    comptime word = DType.uint64 if item == 8 else DType.uint32
    # Whole rows of long or short words are sorted as well with what is known of their bits.
    if item != 4 and row.places.count == 0:
        return False
    var words = row.scratch
    if not _encode[dtype, word, 0](words, row.source, row.stride, row.count):
        return False
    var spare = words + row.count * size_of[Scalar[word]]()
    quicksort[word](words, spare, row.count, row.places, row.threads)
    _decode[dtype, word, 0](row.target, row.target_stride, words, row.count)
    return True


def _sort_nothing(row: LoneRow) -> Bool:
    """`Keys.sort_alone` where keys do not give elements back."""
    return False


struct Keys(TrivialRegisterPassable):
    """The compiled loops of one dtype's keys.

    A word is a key of 64 bits, or a shorter key above `INDEX_BITS` bits of index.
    """

    var low: Int
    """The first bit of the key in a word."""
    var encode: def(
        words: Int, source: Int, stride: Int, count: Int
    ) thin -> Bool
    """Writes the words of a strided row; returns whether `decode` gives all elements back."""
    var encode_by: def(
        words: Int, source: Int, stride: Int, order: Int, count: Int
    ) thin -> Bool
    """As `encode`, the elements taken in the order of 32-bit indices; word i has index i."""
    var decode: def(
        target: Int, stride: Int, words: Int, count: Int
    ) thin -> None
    """Writes the elements of words."""
    var sort_alone: def(row: LoneRow) thin -> Bool
    """Sorts a row by keys without indices; returns whether it has, else nothing is written."""

    def __init__[dtype: DType](out self, *, of: Scalar[dtype]):
        comptime shift = 0 if size_of[Scalar[dtype]]() == 8 else INDEX_BITS
        self.low = shift
        self.encode = _encode[dtype, DType.uint64, shift]
        self.encode_by = _encode_by[dtype]
        self.decode = _decode[dtype, DType.uint64, shift]
        self.sort_alone = _sort_alone[dtype]

    def __init__[
        part: DType, word: Int
    ](out self, *, of: ComplexWord[part, word]):
        self.low = 0
        self.encode = encode_complex[part, word]
        self.encode_by = encode_complex_by[part, word]
        self.decode = decode_nothing
        self.sort_alone = _sort_nothing


struct ComplexWord[part: DType, word: Int](TrivialRegisterPassable):
    """Names one word of the keys of complex numbers, 0 being the first to decide."""

    def __init__(out self):
        pass


def key_words(code: Int) -> Int:
    """How many words the key of an element has; the last is sorted by first."""
    return 2 if code == COMPLEX128 else 1


def keys_of(code: Int, word: Int = 0) -> Optional[Keys]:
    """The loops of one word of the keys of a dtype code."""
    if code == COMPLEX64:
        return Keys(of=ComplexWord[DType.float32, 0]())
    if code == COMPLEX128:
        if word == 0:
            return Keys(of=ComplexWord[DType.float64, 0]())
        return Keys(of=ComplexWord[DType.float64, 1]())
    comptime for index in range(len(DTYPES)):
        comptime dtype = DTYPES[index]
        comptime if index != BOOL:
            if plain(code) == index:
                return Keys(of=Scalar[dtype](0))
    return None
