"""Lines of numbers of one distribution: floats, integers, and integers between bounds."""
from std.sys import size_of

from elementwise.numbers.dtypes import dtype_code
from structured.operands.operand import (
    BOOL,
    OK,
    UNSIGNED,
    UNSUPPORTED,
    load,
    store,
    wrapping,
)
from structured.random.bits import Bits, Source
from structured.random.bounded import Pieces, large, small, truth
from structured.random.continuous import drawn, drawn_32
from structured.random.parallel import Numbers, in_parallel, in_shares
from structured.random.quick import (
    is_quick,
    notes_of,
    quick_floats,
    quick_floats_32,
    quick_integers,
    quick_large,
    quick_words,
)
from structured.random.table import DISTRIBUTIONS, FLOAT, is_older
from structured.random.whole import Kept, drawn_whole
from structured.random.wish import PARAMETERS, Parameters, Wish


@always_inline
def _drawn[
    B: Bits, //, kind: Int, dtype: DType
](
    mut source: Source[B], a: Scalar[dtype], b: Scalar[dtype], c: Scalar[dtype]
) -> Scalar[dtype]:
    """One float."""
    comptime row = DISTRIBUTIONS[kind]
    comptime if dtype == DType.float32:
        return drawn_32[row.name](source, a.cast[DType.float32]()).cast[dtype]()
    else:
        return drawn[row.name, is_older(row.family)](
            source,
            a.cast[DType.float64](),
            b.cast[DType.float64](),
            c.cast[DType.float64](),
        ).cast[dtype]()


struct Floats[kind: Int, dtype: DType](Numbers):
    """Floats of the same parameters."""

    comptime NAME = DISTRIBUTIONS[Self.kind].name
    comptime NEWER = DISTRIBUTIONS[Self.kind].family == FLOAT
    comptime ITEM = size_of[Scalar[Self.dtype]]()
    comptime NOTES = notes_of[Self.NAME]()
    comptime QUICK = Self.NEWER and (
        is_quick[Self.NAME]() if Self.dtype
        == DType.float64 else Self.NAME
        == "random"
    )
    """Whether many are made of the words that lie ahead."""
    var a: Scalar[Self.dtype]
    var b: Scalar[Self.dtype]
    var c: Scalar[Self.dtype]

    def __init__(out self, given: Parameters):
        comptime count = DISTRIBUTIONS[Self.kind].parameters
        self.a = 0
        self.b = 0
        self.c = 0
        comptime if count > 0:
            self.a = load[Self.dtype](given.lines[0].address)
        comptime if count > 1:
            self.b = load[Self.dtype](given.lines[1].address)
        comptime if count > 2:
            self.c = load[Self.dtype](given.lines[2].address)

    @always_inline
    def quickly[
        B: Bits, //
    ](self, mut source: Source[B], target: Int, count: Int) -> Int:
        """Stores floats of words that lie ahead; returns how many, as many as nothing rare happens."""
        comptime if Self.dtype == DType.float64:
            return quick_floats[Self.NAME](
                source,
                target,
                count,
                self.a.cast[DType.float64](),
                self.b.cast[DType.float64](),
            )
        else:
            return quick_floats_32(source, target, count)

    @always_inline
    def draw[
        B: Bits, //
    ](mut self, mut source: Source[B], target: Int, count: Int):
        var i = 0
        while i < count:
            comptime if Self.QUICK:
                i += self.quickly(source, target + Self.ITEM * i, count - i)
                if i == count:
                    break
            store(
                target + Self.ITEM * i,
                _drawn[Self.kind, Self.dtype](source, self.a, self.b, self.c),
            )
            i += 1

    def draw_shared[
        B: Bits, //
    ](self, mut source: Source[B], wish: Wish) -> Int:
        """Has threads draw the first ones; returns how many."""
        comptime if not Self.NEWER:
            return 0  # half of their normal numbers are kept
        elif Self.dtype == DType.float64:
            return in_shares(source, wish, self)
        elif Self.QUICK:

            def quick(mut own: Source[B], at: Int, count: Int) {imm} -> Int:
                return self.quickly(own, wish.target + Self.ITEM * at, count)

            return in_parallel[1](source, wish.count, wish.threads, quick)
        else:
            return 0  # made of halves of words, and of whole ones


def draw_floats[
    B: Bits, //, kind: Int, dtype: DType
](mut source: Source[B], wish: Wish, given: Parameters):
    """A line of floats."""
    comptime item = size_of[Scalar[dtype]]()
    if not given.vary():
        var numbers = Floats[kind, dtype](given)
        var done = numbers.draw_shared(source, wish)
        numbers.draw(source, wish.target + item * done, wish.count - done)
        return
    var now = Array[Scalar[dtype], PARAMETERS](fill=0)
    for i in range(wish.count):
        comptime for k in range(DISTRIBUTIONS[kind].parameters):
            now[k] = load[dtype](
                given.lines[k].address + i * given.lines[k].stride
            )
        store(
            wish.target + item * i,
            _drawn[kind, dtype](source, now[0], now[1], now[2]),
        )


struct Wholes[kind: Int](Numbers):
    """Integers of the same parameters, or of others that are set."""

    comptime NAME = DISTRIBUTIONS[Self.kind].name
    comptime OLDER = is_older(DISTRIBUTIONS[Self.kind].family)
    comptime ITEM = 8
    comptime NOTES = notes_of[Self.NAME]()
    var kept: Kept[Self.OLDER]
    var now: Array[Float64, PARAMETERS]

    def __init__(out self):
        self.kept = Kept[Self.OLDER]()
        self.now = Array[Float64, PARAMETERS](fill=0)

    @always_inline
    def set(mut self, given: Parameters, index: Int):
        """Takes the parameters of a number."""
        comptime for k in range(DISTRIBUTIONS[Self.kind].parameters):
            self.now[k] = given.lines[k].at(index)

    @always_inline
    def draw[
        B: Bits, //
    ](mut self, mut source: Source[B], target: Int, count: Int):
        for i in range(count):
            store(
                target + 8 * i,
                drawn_whole[Self.NAME, Self.OLDER](
                    source, self.kept, self.now[0], self.now[1], self.now[2]
                ),
            )

    def draw_shared[
        B: Bits, //
    ](self, mut source: Source[B], wish: Wish) -> Int:
        """Has threads draw the first ones; returns how many."""
        comptime if Self.OLDER or Self.NAME == "hypergeometric":
            return 0  # made of halves of words, and of whole ones
        else:
            return in_shares(source, wish, self)


def draw_wholes[
    B: Bits, //, kind: Int
](mut source: Source[B], wish: Wish, given: Parameters):
    """A line of int64."""
    var numbers = Wholes[kind]()
    if not given.vary():
        numbers.set(given, 0)
        var done = numbers.draw_shared(source, wish)
        numbers.draw(source, wish.target + 8 * done, wish.count - done)
        return
    for i in range(wish.count):
        numbers.set(given, i)
        numbers.draw(source, wish.target + 8 * i, 1)


@always_inline
def _bounded[
    B: Bits, //, dtype: DType, masked: Bool, is_bool: Bool
](
    mut source: Source[B], mut pieces: Pieces, low: UInt64, range: UInt64
) -> Scalar[dtype]:
    """One integer."""
    comptime if is_bool:
        return truth(source, pieces, low, range).cast[dtype]()
    elif dtype == DType.uint64:
        return large[masked](source, low, range).cast[dtype]()
    else:
        return small[dtype, masked](source, pieces, low, range).cast[dtype]()


@always_inline
def _quick_integers[
    B: Bits, //, dtype: DType
](
    mut source: Source[B], target: Int, count: Int, low: UInt64, more: UInt64
) -> Int:
    """Stores integers of words that lie ahead; returns how many, as many as nothing rare happens."""
    if more == 0:
        return 0
    if more <= 0xFFFFFFFF:
        return quick_integers[dtype](source, target, count, low, more)
    comptime if dtype == DType.uint64:
        if more == UInt64.MAX:
            return quick_words(source, target, count, low)
        return quick_large(source, target, count, low, more)
    return 0


def _shared_integers[
    B: Bits, //, dtype: DType
](mut source: Source[B], wish: Wish) -> Int:
    """Has threads store integers as long as all words are taken; returns how many."""
    comptime item = size_of[Scalar[dtype]]()

    def quick(mut own: Source[B], at: Int, count: Int) {imm} -> Int:
        return _quick_integers[dtype](
            own, wish.target + item * at, count, wish.low, wish.range
        )

    comptime if dtype == DType.uint64:
        if wish.range > 0xFFFFFFFF:
            return in_parallel[2](source, wish.count, wish.threads, quick)
    return in_parallel[1](source, wish.count, wish.threads, quick)


def _integers[
    B: Bits, //, dtype: DType, masked: Bool, is_bool: Bool
](mut source: Source[B], mut pieces: Pieces, wish: Wish, given: Parameters):
    """A line of integers: of two bounds, or of parameters in int64."""
    comptime item = size_of[Scalar[dtype]]()
    var low = wish.low
    var more = wish.range
    if given.lines[0].address == 0:
        var i = 0
        comptime if not masked and size_of[Scalar[dtype]]() >= 4:
            i = _shared_integers[dtype](source, wish)
        while i < wish.count:
            comptime if not masked and size_of[Scalar[dtype]]() >= 4:
                i += _quick_integers[dtype](
                    source, wish.target + item * i, wish.count - i, low, more
                )
                if i == wish.count:
                    break
            store(
                wish.target + item * i,
                _bounded[dtype, masked, is_bool](source, pieces, low, more),
            )
            i += 1
        return
    for i in range(wish.count):
        low = load[DType.uint64](
            given.lines[0].address + i * given.lines[0].stride
        )
        more = load[DType.uint64](
            given.lines[1].address + i * given.lines[1].stride
        )
        store(
            wish.target + item * i,
            _bounded[dtype, masked, is_bool](source, pieces, low, more),
        )


def draw_integers[
    B: Bits, //, masked: Bool
](
    mut source: Source[B], mut pieces: Pieces, wish: Wish, given: Parameters
) -> Int:
    """A line of integers of any dtype; returns a status."""
    if wish.dtype == BOOL:
        _integers[DType.uint8, masked, True](source, pieces, wish, given)
        return OK
    comptime for k in range(len(UNSIGNED)):
        comptime dtype = UNSIGNED[k]
        if wrapping(wish.dtype) == dtype_code(dtype):
            _integers[dtype, masked, False](source, pieces, wish, given)
            return OK
    return UNSUPPORTED
