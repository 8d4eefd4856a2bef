"""What distributions draw from: 64 bits, 32 bits, or a number between 0 and 1 at a time.

`Stream` makes the words of a generator of 64 bits some hundred at a time; `Twister` is MT19937,
which gives 32 bits at a time. Both are loaded from words, and stored to the same words when all is
drawn. `Source` adds what older distributions keep.
"""
from std.sys import simd_width_of

from structured.operands.operand import load, store
from structured.random.raw import Raw

comptime _MOST = 512
"""Words that are made at a time."""
comptime _FEW = 4
"""The same when those that were expected did not suffice, at first; then twice as many each time."""
comptime UNIT = 1.0 / 9007199254740992.0
"""What 53 bits are multiplied with."""


trait Bits(Deinitable, Movable):
    """A generator as distributions use it."""

    comptime WORDS: Int
    """How many words it is kept as."""
    comptime JUMPS: Bool
    """Whether `skip` takes less time than the words that it skips."""

    def __init__(out self, words: Int, expected: Int):
        """Loads it from the words at an address; about so many numbers will be drawn."""
        ...

    def save(mut self):
        """Stores it to its words."""
        ...

    def next64(mut self) -> UInt64:
        """The next 64 bits."""
        ...

    def next32(mut self) -> UInt32:
        """The next 32 bits."""
        ...

    def next_double(mut self) -> Float64:
        """The next number, at least 0 and less than 1."""
        ...

    def skip(mut self, count: Int):
        """Goes on as if so many times 64 bits had been taken; only at the start."""
        ...

    def is_fresh(self) -> Bool:
        """Whether nothing was taken since it was loaded, and no half of a word is left."""
        ...

    def taken(self) -> Int:
        """How many words were taken since it was loaded, but for those that were skipped."""
        ...

    def ready(mut self) -> Int:
        """How many words lie at `ahead`, of which the next numbers are made; at least one. 0 if
        words are not made ahead, or half of one is left."""
        ...

    def ahead(self) -> Int:
        """The address of these words."""
        ...

    def take(mut self, words: Int):
        """Goes on behind so many of these words."""
        ...

    def take_halves(mut self, halves: Int):
        """Goes on behind so many halves of these words, of which 32 bits were taken."""
        ...


struct Stream[R: Raw](Bits):
    """The words of a generator, which are made ahead of their use."""

    comptime WORDS = Self.R.WORDS + 2
    comptime JUMPS = Self.R.JUMPS
    var words: Int
    var raw: Self.R
    """The generator behind the words of the buffer."""
    var start: Self.R
    """The generator before them."""
    var buffer: Array[UInt64, _MOST]
    var before: Int
    """How many words were taken before those of the buffer."""
    var place: Int
    """How many halves of words of the buffer were taken."""
    var filled: Int
    """How many there are."""
    var expected: Int
    var few: Int
    """How many words are made when no more are expected."""
    var has_half: Bool
    var half: UInt32
    """The upper half of the last word of which halves were taken, before the buffer's."""
    var split: Int
    """A place in the last such word of the buffer, or -1."""

    @always_inline
    def __init__(out self, words: Int, expected: Int):
        self.words = words
        self.raw = Self.R(words)
        self.start = self.raw.copy()
        self.buffer = Array[UInt64, _MOST](uninitialized=True)
        self.before = 0
        self.place = 0
        self.filled = 0
        self.expected = expected
        self.few = _FEW
        self.has_half = load[DType.uint64](words + 8 * Self.R.WORDS) != 0
        self.half = load[DType.uint64](words + 8 * (Self.R.WORDS + 1)).cast[
            DType.uint32
        ]()
        self.split = -1

    def save(mut self):
        self._note_half()
        if self.place % 2 == 1:
            self._keep_half()
        if self.place < self.filled:
            self.start.skip(self.place // 2)
            self.start.save(self.words)
        else:
            self.raw.save(self.words)
        var half = self.words + 8 * Self.R.WORDS
        store(half, UInt64(Int(self.has_half)))
        store(half + 8, self.half.cast[DType.uint64]())

    @no_inline
    def _refill(mut self):
        """Makes as many words as are still expected, or a few."""
        self._note_half()
        var count = min(max(self.expected, self.few), _MOST)
        self.few = min(2 * self.few, _MOST)
        self.expected = max(self.expected - count, 0)
        self.start = self.raw.copy()
        self.raw.fill(Int(self.buffer.unsafe_ptr()), count)
        self.before += self.place // 2
        self.place = 0
        self.filled = 2 * count

    def _note_half(mut self):
        """Keeps the upper half of the last word of which halves were taken, as NumPy does."""
        if self.split >= 0:
            self.half = load[DType.uint32](self._at(self.split | 1))
            self.split = -1

    @no_inline
    def _keep_half(mut self):
        """Puts the upper half of a word aside, as more words are taken before it."""
        self._note_half()
        self.has_half = True
        self.place += 1

    @always_inline
    def _at(self, place: Int) -> Int:
        """The address of half a word."""
        return Int(self.buffer.unsafe_ptr()) + 4 * place

    @always_inline
    def next64(mut self) -> UInt64:
        if self.place % 2 == 1:
            self._keep_half()
        if self.place == self.filled:
            self._refill()
        self.place += 2
        return load[DType.uint64](self._at(self.place - 2))

    @always_inline
    def next32(mut self) -> UInt32:
        if self.has_half:
            self.has_half = False
            return self.half
        if self.place == self.filled:
            self._refill()
        self.split = self.place
        self.place += 1
        return load[DType.uint32](self._at(self.split))

    @always_inline
    def next_double(mut self) -> Float64:
        return (self.next64() >> 11).cast[DType.float64]() * UNIT

    def skip(mut self, count: Int):
        self.raw.skip(count)
        self.start = self.raw.copy()

    def is_fresh(self) -> Bool:
        return self.filled == 0 and not self.has_half

    @always_inline
    def taken(self) -> Int:
        return self.before + self.place // 2

    @always_inline
    def ready(mut self) -> Int:
        if self.place % 2 == 1 or self.has_half:
            return 0
        if self.place == self.filled:
            self._refill()
        return (self.filled - self.place) // 2

    @always_inline
    def ahead(self) -> Int:
        return self._at(self.place)

    @always_inline
    def take(mut self, words: Int):
        self.place += 2 * words

    @always_inline
    def take_halves(mut self, halves: Int):
        if halves > 0:
            self.split = self.place + halves - 1
            self.place += halves


comptime _KEYS = 624
comptime _MIDDLE = 397
comptime _MATRIX = UInt32(0x9908B0DF)
comptime _UPPER = UInt32(0x80000000)
comptime _LOWER = UInt32(0x7FFFFFFF)
comptime _VECTOR = simd_width_of[DType.uint32]()


struct Twister(Bits):
    """MT19937. Its words are the 624 keys of 32 bits, two in a word, and the place of the next."""

    comptime WORDS = _KEYS // 2 + 1
    comptime JUMPS = False
    var words: Int
    var place: Int
    var tempered: Array[UInt32, _KEYS]
    """What is given of the keys, from the place on."""
    var known: Int
    """The place up to which it is."""
    var expected: Int
    var few: Int
    """How many are worked out when no more are expected."""

    @always_inline
    def __init__(out self, words: Int, expected: Int):
        self.words = words
        self.place = Int(load[DType.uint32](words + 4 * _KEYS) & 0x3FF)
        self.place = min(self.place, _KEYS)
        self.tempered = Array[UInt32, _KEYS](uninitialized=True)
        self.known = self.place
        self.expected = 2 * expected
        self.few = _FEW

    @always_inline
    def save(mut self):
        store(self.words + 4 * _KEYS, UInt32(self.place))

    @always_inline
    def _twist[width: Int](self, index: Int, next: Int, other: Int):
        """Makes new keys from `index` on, where the keys behind are at `next`."""
        comptime V = SIMD[DType.uint32, width]
        var y = (
            load[DType.uint32, width](self.words + 4 * index) & V(_UPPER)
        ) | (load[DType.uint32, width](self.words + 4 * next) & V(_LOWER))
        var mixed = (y >> 1) ^ ((V(0) - (y & 1)) & V(_MATRIX))
        store(
            self.words + 4 * index,
            load[DType.uint32, width](self.words + 4 * other) ^ mixed,
        )

    def _twist_range(self, start: Int, end: Int, shift: Int):
        var i = start
        while i + _VECTOR <= end:
            self._twist[_VECTOR](i, i + 1, i + shift)
            i += _VECTOR
        while i < end:
            self._twist[1](i, i + 1, i + shift)
            i += 1

    def _twist_all(self):
        """Makes all keys anew."""
        self._twist_range(0, _KEYS - _MIDDLE, _MIDDLE)
        self._twist_range(_KEYS - _MIDDLE, _KEYS - 1, _MIDDLE - _KEYS)
        self._twist[1](_KEYS - 1, 0, _MIDDLE - 1)

    @always_inline
    def _temper[width: Int](self, index: Int):
        """Works out what is given of some keys."""
        comptime V = SIMD[DType.uint32, width]
        var y = load[DType.uint32, width](self.words + 4 * index)
        y ^= y >> 11
        y ^= (y << 7) & V(0x9D2C5680)
        y ^= (y << 15) & V(0xEFC60000)
        y ^= y >> 18
        store(Int(self.tempered.unsafe_ptr()) + 4 * index, y)

    @no_inline
    def _refill(mut self):
        """Works out as many as are still expected, or a few."""
        if self.place == _KEYS:
            self._twist_all()
            self.place = 0
        var end = min(self.place + max(self.expected, self.few), _KEYS)
        self.expected = max(self.expected - (end - self.place), 0)
        self.few = min(2 * self.few, _KEYS)
        var i = self.place
        while i + _VECTOR <= end:
            self._temper[_VECTOR](i)
            i += _VECTOR
        while i < end:
            self._temper[1](i)
            i += 1
        self.known = end

    @always_inline
    def next32(mut self) -> UInt32:
        if self.place == self.known:
            self._refill()
        self.place += 1
        return load[DType.uint32](
            Int(self.tempered.unsafe_ptr()) + 4 * (self.place - 1)
        )

    @always_inline
    def next64(mut self) -> UInt64:
        var high = self.next32().cast[DType.uint64]()
        return (high << 32) | self.next32().cast[DType.uint64]()

    @always_inline
    def next_double(mut self) -> Float64:
        var high = (self.next32() >> 5).cast[DType.float64]()
        var low = (self.next32() >> 6).cast[DType.float64]()
        return (high * 67108864.0 + low) / 9007199254740992.0

    def skip(mut self, count: Int):
        for _ in range(count):
            _ = self.next64()

    def is_fresh(self) -> Bool:
        return False

    def taken(self) -> Int:
        return 0

    def ready(mut self) -> Int:
        return 0

    def ahead(self) -> Int:
        return 0

    def take(mut self, words: Int):
        pass

    def take_halves(mut self, halves: Int):
        pass


struct Source[B: Bits]:
    """A generator, and the second of two normal numbers that older distributions make at once."""

    comptime WORDS = Self.B.WORDS + 2
    var words: Int
    var bits: Self.B
    var has_gauss: Bool
    var gauss: Float64
    var kept: Int
    """The address of the last two words, which are those of older distributions."""

    def __init__(out self, words: Int, expected: Int, kept: Int = 0):
        """Loads it from words, of which the last two may lie elsewhere."""
        self.words = words
        self.bits = Self.B(words, expected)
        self.kept = kept if kept != 0 else words + 8 * Self.B.WORDS
        self.has_gauss = load[DType.uint64](self.kept) != 0
        self.gauss = load[DType.float64](self.kept + 8)

    def save(mut self):
        """Stores all to the words that it was loaded from."""
        self.bits.save()
        store(self.kept, UInt64(Int(self.has_gauss)))
        store(self.kept + 8, self.gauss)

    @always_inline
    def next64(mut self) -> UInt64:
        """The next 64 bits."""
        return self.bits.next64()

    @always_inline
    def next32(mut self) -> UInt32:
        """The next 32 bits."""
        return self.bits.next32()

    @always_inline
    def next_double(mut self) -> Float64:
        """The next number, at least 0 and less than 1."""
        return self.bits.next_double()

    @always_inline
    def next_float(mut self) -> Float32:
        """The same in float32."""
        return (self.bits.next32() >> 8).cast[DType.float32]() * (
            1.0 / 16777216.0
        )
