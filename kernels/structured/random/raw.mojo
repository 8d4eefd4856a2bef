"""Bit generators that give 64 bits at a time: PCG64, PCG64DXSM, Philox and SFC64.

Each is a struct that is loaded from words and stored to them. The words are what NumPy's generator
of that name keeps, low halves of 128-bit numbers first.
"""
from std.bit import rotate_bits_left

from structured.operands.operand import load, store

comptime Wide = Scalar[DType.uint128]
comptime _MULTIPLIER = (Wide(2549297995355413924) << 64) | Wide(
    4865540595714422341
)
"""The multiplier of PCG64's linear congruential step."""
comptime _CHEAP = UInt64(0xDA942042E4DD58B5)
"""That of PCG64DXSM, which is also a part of its output function."""
comptime _LANES = 4
"""States of PCG that go on side by side, since each step waits for the one before it."""


trait Raw(Copyable, Deinitable, Movable):
    """A generator of 64-bit words."""

    comptime WORDS: Int
    """How many words it is kept as."""
    comptime JUMPS: Bool
    """Whether `skip` takes less time than the words that it skips."""

    def __init__(out self, words: Int):
        """Loads it from the words at an address."""
        ...

    def save(self, words: Int):
        """Stores it to the words at an address."""
        ...

    def next(mut self) -> UInt64:
        """The next word."""
        ...

    def fill(mut self, target: Int, count: Int):
        """Stores the next words to an address."""
        ...

    def skip(mut self, count: Int):
        """Goes on as if so many words had been taken."""
        ...


@always_inline
def _wide(words: Int) -> Wide:
    """A 128-bit number of the two words at an address."""
    return (load[DType.uint64](words + 8).cast[DType.uint128]() << 64) | load[
        DType.uint64
    ](words).cast[DType.uint128]()


@always_inline
def _put_wide(words: Int, number: Wide):
    store(words, number.cast[DType.uint64]())
    store(words + 8, (number >> 64).cast[DType.uint64]())


@always_inline
def _rotated_right(x: UInt64, bits: UInt64) -> UInt64:
    return (x >> bits) | (x << ((0 - bits) & 63))


struct PCG[dxsm: Bool](Raw):
    """PCG64, or PCG64DXSM: a linear congruential generator of 128 bits and its output function."""

    comptime WORDS = 4
    comptime JUMPS = True
    var state: Wide
    var increment: Wide

    @always_inline
    def __init__(out self, words: Int):
        self.state = _wide(words)
        self.increment = _wide(words + 16)

    @always_inline
    def save(self, words: Int):
        _put_wide(words, self.state)
        _put_wide(words + 16, self.increment)

    @staticmethod
    @always_inline
    def multiplier() -> Wide:
        """What a step multiplies the state with."""
        comptime if Self.dxsm:
            return _CHEAP.cast[DType.uint128]()
        else:
            return _MULTIPLIER

    @staticmethod
    @always_inline
    def output(state: Wide) -> UInt64:
        """The word of a state: PCG64 looks at the one after its step, PCG64DXSM at that before."""
        var low = state.cast[DType.uint64]()
        var high = (state >> 64).cast[DType.uint64]()
        comptime if Self.dxsm:
            low |= 1
            high ^= high >> 32
            high *= _CHEAP
            high ^= high >> 48
            return high * low
        else:
            return _rotated_right(high ^ low, high >> 58)

    @always_inline
    def next(mut self) -> UInt64:
        var before = self.state
        self.state = before * Self.multiplier() + self.increment
        comptime if Self.dxsm:
            return Self.output(before)
        else:
            return Self.output(self.state)

    def fill(mut self, target: Int, count: Int):
        var done = 0
        if count >= 2 * _LANES:
            var factor = Wide(1)
            var term = Wide(0)
            comptime for _ in range(_LANES):
                term = term * Self.multiplier() + self.increment
                factor = factor * Self.multiplier()
            var lanes = Array[Wide, _LANES](fill=self.state)
            comptime for lane in range(_LANES):
                comptime if not Self.dxsm or lane > 0:
                    _ = self.next()
                lanes[lane] = self.state
            while done + _LANES <= count:
                comptime for lane in range(_LANES):
                    store(target + 8 * (done + lane), Self.output(lanes[lane]))
                    lanes[lane] = lanes[lane] * factor + term
                done += _LANES
            # the first lane is where the words go on; PCG64's has made one step too many
            self.state = lanes[0]
            comptime if not Self.dxsm:
                self.state = self._before(lanes[0])
        while done < count:
            store(target + 8 * done, self.next())
            done += 1

    @always_inline
    def _before(self, state: Wide) -> Wide:
        """The state one step before another one."""
        return (state - self.increment) * Self._inverse()

    @staticmethod
    @always_inline
    def _inverse() -> Wide:
        """The inverse of the multiplier, by Newton's iteration."""
        comptime found = _inverse_of(Self.multiplier())
        return found

    def skip(mut self, count: Int):
        var left = count
        var factor = Wide(1)
        var term = Wide(0)
        var power = Self.multiplier()
        var step = self.increment
        while left > 0:
            if left & 1:
                factor *= power
                term = term * power + step
            step = (power + 1) * step
            power *= power
            left >>= 1
        self.state = factor * self.state + term


def _inverse_of(odd: Wide) -> Wide:
    """The inverse of an odd number modulo 2^128."""
    var found = odd
    for _ in range(7):
        found *= 2 - odd * found
    return found


comptime _PHILOX_FACTORS: Array[UInt64, 2] = [
    0xD2E7470EE14C6C93,
    0xCA5A826395121157,
]
comptime _PHILOX_BUMPS: Array[UInt64, 2] = [
    0x9E3779B97F4A7C15,
    0xBB67AE8584CAA73B,
]
"""What is added to the key after each round."""
comptime _PHILOX_ROUNDS = 10
comptime _FOUR = 4
"""Words that Philox makes of one counter."""


struct Philox(Raw):
    """Philox4x64: words of a counter and a key, four at a time."""

    comptime WORDS = 11
    comptime JUMPS = True
    var counter: Array[UInt64, _FOUR]
    var key: Array[UInt64, 2]
    var buffer: Array[UInt64, _FOUR]
    var place: Int

    @always_inline
    def __init__(out self, words: Int):
        self.counter = Array[UInt64, _FOUR](fill=0)
        self.key = Array[UInt64, 2](fill=0)
        self.buffer = Array[UInt64, _FOUR](fill=0)
        comptime for k in range(_FOUR):
            self.counter[k] = load[DType.uint64](words + 8 * k)
            self.buffer[k] = load[DType.uint64](words + 8 * (6 + k))
        comptime for k in range(2):
            self.key[k] = load[DType.uint64](words + 8 * (4 + k))
        self.place = Int(load[DType.uint64](words + 80) & 7)

    @always_inline
    def save(self, words: Int):
        comptime for k in range(_FOUR):
            store(words + 8 * k, self.counter[k])
            store(words + 8 * (6 + k), self.buffer[k])
        comptime for k in range(2):
            store(words + 8 * (4 + k), self.key[k])
        store(words + 80, UInt64(self.place))

    @always_inline
    def _count(mut self, blocks: UInt64):
        """Adds to the counter, of 256 bits."""
        self.counter[0] += blocks
        var wraps = self.counter[0] < blocks
        comptime for k in range(1, _FOUR):
            self.counter[k] += UInt64(Int(wraps))
            wraps = wraps and self.counter[k] == 0

    @always_inline
    def _refill(mut self):
        """Makes four words of the next counter."""
        self._count(1)
        var x = self.counter.copy()
        var key = self.key.copy()
        comptime for round in range(_PHILOX_ROUNDS):
            comptime if round > 0:
                comptime for k in range(2):
                    comptime bump = _PHILOX_BUMPS[k]
                    key[k] += bump
            comptime first = _PHILOX_FACTORS[0]
            comptime second = _PHILOX_FACTORS[1]
            var a = first.cast[DType.uint128]() * x[0].cast[DType.uint128]()
            var b = second.cast[DType.uint128]() * x[2].cast[DType.uint128]()
            x[0] = (b >> 64).cast[DType.uint64]() ^ x[1] ^ key[0]
            x[1] = b.cast[DType.uint64]()
            x[2] = (a >> 64).cast[DType.uint64]() ^ x[3] ^ key[1]
            x[3] = a.cast[DType.uint64]()
        self.buffer = x^
        self.place = 0

    @always_inline
    def next(mut self) -> UInt64:
        if self.place >= _FOUR:
            self._refill()
        self.place += 1
        return self.buffer[self.place - 1]

    def fill(mut self, target: Int, count: Int):
        var done = 0
        while done < count and self.place < _FOUR:
            store(target + 8 * done, self.next())
            done += 1
        while done + _FOUR <= count:
            self._refill()
            comptime for k in range(_FOUR):
                store(target + 8 * (done + k), self.buffer[k])
            self.place = _FOUR
            done += _FOUR
        while done < count:
            store(target + 8 * done, self.next())
            done += 1

    def skip(mut self, count: Int):
        var left = count
        while left > 0 and self.place < _FOUR:
            self.place += 1
            left -= 1
        if left > 0:
            # the last words are made, since they are kept
            var blocks = (left - 1) // _FOUR
            self._count(UInt64(blocks))
            for _ in range(left - _FOUR * blocks):
                _ = self.next()


struct SFC(Raw):
    """SFC64: three words that are mixed, and a counter."""

    comptime WORDS = 4
    comptime JUMPS = False
    var a: UInt64
    var b: UInt64
    var c: UInt64
    var counter: UInt64

    @always_inline
    def __init__(out self, words: Int):
        self.a = load[DType.uint64](words)
        self.b = load[DType.uint64](words + 8)
        self.c = load[DType.uint64](words + 16)
        self.counter = load[DType.uint64](words + 24)

    @always_inline
    def save(self, words: Int):
        store(words, self.a)
        store(words + 8, self.b)
        store(words + 16, self.c)
        store(words + 24, self.counter)

    @always_inline
    def next(mut self) -> UInt64:
        var found = self.a + self.b + self.counter
        self.counter += 1
        self.a = self.b ^ (self.b >> 11)
        self.b = self.c + (self.c << 3)
        self.c = rotate_bits_left[24](self.c) + found
        return found

    def fill(mut self, target: Int, count: Int):
        for k in range(count):
            store(target + 8 * k, self.next())

    def skip(mut self, count: Int):
        for _ in range(count):
            _ = self.next()
