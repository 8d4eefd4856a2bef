"""The generators by number, and their words in the memory of NumPy's own."""
from structured.operands.memory import move_bytes
from structured.operands.operand import load, store
from structured.random.bits import Source, Stream, Twister
from structured.random.raw import PCG, SFC, Philox

comptime GENERATORS = 5
"""PCG64, PCG64DXSM, MT19937, Philox and SFC64, numbered so."""
comptime _PCG64 = 0
comptime _PCG64DXSM = 1
comptime _MT19937 = 2
comptime _PHILOX = 3
comptime _SFC64 = 4
comptime MOST_WORDS = Source[Twister].WORDS
"""Words of the largest generator."""
comptime _KEY_BYTES = 4 * 624

comptime BitsOf[generator: Int] = (
    Stream[PCG[False]] if generator
    == _PCG64 else Stream[PCG[True]] if generator
    == _PCG64DXSM else Twister if generator
    == _MT19937 else Stream[Philox] if generator
    == _PHILOX else Stream[SFC]
)
"""The type of a generator."""


def draws_in_place(generator: Int) -> Bool:
    """Whether a generator's words, but for the last two, lie in NumPy's memory as they do here."""
    return generator == _MT19937


# NumPy keeps a generator in a C structure: pull copies it to words, push copies it back. The last
# two words are those of an older generator, which has no such structure: they lie apart.


def _pointed(address: Int) -> Int:
    """The address that lies at an address."""
    return Int(load[DType.int64](address))


def _halves_at(generator: Int, structure: Int) -> Int:
    """The address of whether half a word is kept, an int32, before that half."""
    if generator == _PHILOX:
        return structure + 56
    return structure + (32 if generator == _SFC64 else 8)


def _own_words(generator: Int) -> Int:
    """How many words a generator has before those of its half word."""
    return 11 if generator == _PHILOX else 4


def pull(generator: Int, structure: Int, kept: Int, words: Int):
    """Stores the words of a generator in NumPy's memory; `kept` is the address of the last two."""
    if generator == _MT19937:
        move_bytes(words, structure, _KEY_BYTES)
        var place = load[DType.int32](structure + _KEY_BYTES)
        store(words + _KEY_BYTES, place.cast[DType.uint64]())
        move_bytes(words + _KEY_BYTES + 8, kept, 16)
        return
    if generator == _PHILOX:
        move_bytes(words, _pointed(structure), 32)
        move_bytes(words + 32, _pointed(structure + 8), 16)
        move_bytes(words + 48, structure + 24, 32)
        var place = load[DType.int32](structure + 16)
        store(words + 80, place.cast[DType.uint64]())
    elif generator == _SFC64:
        move_bytes(words, structure, 32)
    else:
        move_bytes(words, _pointed(structure), 32)
    var halves = _halves_at(generator, structure)
    var end = words + 8 * _own_words(generator)
    store(end, load[DType.int32](halves).cast[DType.uint64]())
    store(end + 8, load[DType.uint32](halves + 4).cast[DType.uint64]())
    move_bytes(end + 16, kept, 16)


def push(generator: Int, structure: Int, kept: Int, words: Int):
    """Stores words where `pull` has them from."""
    if generator == _MT19937:
        move_bytes(structure, words, _KEY_BYTES)
        var place = load[DType.uint64](words + _KEY_BYTES)
        store(structure + _KEY_BYTES, place.cast[DType.int32]())
        move_bytes(kept, words + _KEY_BYTES + 8, 16)
        return
    if generator == _PHILOX:
        move_bytes(_pointed(structure), words, 32)
        move_bytes(_pointed(structure + 8), words + 32, 16)
        move_bytes(structure + 24, words + 48, 32)
        var place = load[DType.uint64](words + 80)
        store(structure + 16, place.cast[DType.int32]())
    elif generator == _SFC64:
        move_bytes(structure, words, 32)
    else:
        move_bytes(_pointed(structure), words, 32)
    var halves = _halves_at(generator, structure)
    var end = words + 8 * _own_words(generator)
    store(halves, load[DType.uint64](end).cast[DType.int32]())
    store(halves + 4, load[DType.uint64](end + 8).cast[DType.uint32]())
    move_bytes(kept, end + 16, 16)
