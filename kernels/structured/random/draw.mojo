"""Drawing: the kernel `draw`, and the same at once from NumPy's own generators."""
from std.sys import size_of

from elementwise.numbers.dtypes import dtype_code
from structured.operands.memory import move_bytes, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    BOOL,
    FLOAT32,
    INT64,
    NO_MEMORY,
    OK,
    SIGNED,
    UNSIGNED,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
    valid,
    wrapping,
)
from structured.random.bits import Bits, Source
from structured.random.bounded import Pieces, large, small, truth
from structured.random.continuous import drawn, drawn_32
from structured.random.generators import GENERATORS, BitsOf
from structured.random.older import drawn_older
from structured.random.quick import (
    in_parallel,
    is_quick,
    is_tried,
    quick_floats,
    quick_floats_32,
    quick_integers,
    quick_large,
)
from structured.random.rows import (
    Line,
    choose,
    count_up,
    dirichlet,
    hypergeometric_count,
    hypergeometric_marginals,
    list_colors,
    multinomial,
    shuffle,
    sparse_dirichlet,
)
from structured.random.table import (
    BOUNDED,
    DISTRIBUTIONS,
    FLOAT,
    Distribution,
    MASKED,
    OLDER_FLOAT,
    OLDER_WHOLE,
    ORDER,
    ROWS,
    WHOLE,
    is_older,
)
from structured.random.whole import Kept, drawn_whole

comptime _FLOAT64 = dtype_code(DType.float64)
comptime _UINT64 = dtype_code(DType.uint64)
comptime PARAMETERS = 3
comptime _IN_FLOAT32: Array[StaticString, 5] = [
    "random",
    "standard_normal",
    "standard_exponential",
    "standard_exponential_inv",
    "standard_gamma",
]


struct Parameters(Copyable):
    """Parameters of a line of numbers: an address each, and bytes from one number to the next."""

    var lines: Array[Line, PARAMETERS]
    var steps: Array[Int, PARAMETERS]
    """Bytes from one row to the next."""

    def __init__(out self):
        self.lines = Array[Line, PARAMETERS](fill=Line(0, 0))
        self.steps = Array[Int, PARAMETERS](fill=0)

    @always_inline
    def vary(self) -> Bool:
        """Whether not all numbers have the same."""
        return (
            self.lines[0].stride != 0
            or self.lines[1].stride != 0
            or self.lines[2].stride != 0
        )


struct Wish(Copyable):
    """What is to be drawn: where to, of which dtype, how many, and by which integers."""

    var target: Int
    var dtype: Int
    var count: Int
    var threads: Int
    """How many threads may take part."""
    var rows: Int
    """How many rows of so many there are, of a distribution of rows."""
    var low: UInt64
    """Of integers, the least; of a choice, the number of all."""
    var range: UInt64
    """Of integers, how many more there are; of a choice, whether it is shuffled."""

    def __init__(
        out self,
        target: Int,
        dtype: Int,
        count: Int,
        threads: Int,
        low: UInt64,
        range: UInt64,
    ):
        self.target = target
        self.dtype = dtype
        self.count = count
        self.threads = threads
        self.rows = 1
        self.low = low
        self.range = range


def _has_float32[name: StaticString]() -> Bool:
    """Whether a distribution has numbers in float32."""
    var found = False
    comptime for k in range(len(_IN_FLOAT32)):
        comptime if _IN_FLOAT32[k] == name:
            found = True
    return found


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
    elif row.family == FLOAT:
        return drawn[row.name](
            source,
            a.cast[DType.float64](),
            b.cast[DType.float64](),
            c.cast[DType.float64](),
        ).cast[dtype]()
    else:
        return drawn_older[row.name](
            source,
            a.cast[DType.float64](),
            b.cast[DType.float64](),
            c.cast[DType.float64](),
        ).cast[dtype]()


@always_inline
def _quickly[
    B: Bits, //, kind: Int, dtype: DType
](
    mut source: Source[B],
    target: Int,
    count: Int,
    a: Scalar[dtype],
    b: Scalar[dtype],
) -> Int:
    """Stores floats of words that lie ahead; returns how many, as many as nothing rare happens."""
    comptime if dtype == DType.float64:
        return quick_floats[DISTRIBUTIONS[kind].name](
            source,
            target,
            count,
            a.cast[DType.float64](),
            b.cast[DType.float64](),
        )
    else:
        return quick_floats_32(source, target, count)


def _shared_floats[
    B: Bits, //, kind: Int, dtype: DType
](mut source: Source[B], wish: Wish, a: Scalar[dtype], b: Scalar[dtype]) -> Int:
    """Has threads store floats, where each is made of as many words; returns how many."""
    comptime item = size_of[Scalar[dtype]]()
    comptime halves = item // 4
    comptime if is_tried[DISTRIBUTIONS[kind].name]():
        return 0
    else:

        def quick(mut own: Source[B], at: Int, count: Int) {imm} -> Int:
            return _quickly[kind, dtype](
                own, wish.target + item * at, count, a, b
            )

        return in_parallel[halves](source, wish.count, wish.threads, quick)


def _floats[
    B: Bits, //, kind: Int, dtype: DType
](mut source: Source[B], wish: Wish, given: Parameters):
    """A line of floats."""
    comptime count = DISTRIBUTIONS[kind].parameters
    comptime item = size_of[Scalar[dtype]]()
    var now = Array[Scalar[dtype], PARAMETERS](fill=0)
    comptime for k in range(count):
        now[k] = load[dtype](given.lines[k].address)
    comptime name = DISTRIBUTIONS[kind].name
    comptime quick = DISTRIBUTIONS[kind].family == FLOAT and (
        is_quick[name]() if dtype == DType.float64 else name == "random"
    )
    var i = 0
    comptime if quick:
        if not given.vary():
            i = _shared_floats[kind, dtype](source, wish, now[0], now[1])
        while i < wish.count and not given.vary():
            i += _quickly[kind, dtype](
                source,
                wish.target + item * i,
                wish.count - i,
                now[0],
                now[1],
            )
            if i < wish.count:
                store(
                    wish.target + item * i,
                    _drawn[kind, dtype](source, now[0], now[1], now[2]),
                )
                i += 1
    while i < wish.count:
        comptime for k in range(count):
            now[k] = load[dtype](
                given.lines[k].address + i * given.lines[k].stride
            )
        store(
            wish.target + item * i,
            _drawn[kind, dtype](source, now[0], now[1], now[2]),
        )
        i += 1


def _wholes[
    B: Bits, //, kind: Int
](mut source: Source[B], wish: Wish, given: Parameters):
    """A line of int64."""
    comptime row = DISTRIBUTIONS[kind]
    comptime older = is_older(row.family)
    var kept = Kept[older]()
    var now = Array[Float64, PARAMETERS](fill=0)
    for i in range(wish.count):
        comptime for k in range(row.parameters):
            now[k] = given.lines[k].at(i)
        store(
            wish.target + 8 * i,
            drawn_whole[row.name, older](source, kept, now[0], now[1], now[2]),
        )


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
    if more < 0xFFFFFFFF:
        return quick_integers[dtype](source, target, count, low, more)
    comptime if dtype == DType.uint64:
        if more > 0xFFFFFFFF and more < UInt64.MAX:
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


def _integers_of[
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


def _row[
    B: Bits, //, name: StaticString
](mut source: Source[B], wish: Wish, given: Parameters) -> Int:
    """One row; returns a status."""
    var first = given.lines[0]
    var second = given.lines[1]
    comptime if name == "multinomial":
        multinomial[False](source, wish.target, wish.count, first, second)
    elif name == "older_multinomial":
        multinomial[True](source, wish.target, wish.count, first, second)
    elif name == "dirichlet":
        dirichlet[False](source, wish.target, wish.count, first)
    elif name == "older_dirichlet":
        dirichlet[True](source, wish.target, wish.count, first)
    elif name == "sparse_dirichlet":
        sparse_dirichlet(source, wish.target, wish.count, first)
    else:
        comptime assert name == "hypergeometric_marginals", "no such rows"
        hypergeometric_marginals(source, wish.target, wish.count, first, second)
    return OK


def _order[
    B: Bits, //, name: StaticString
](mut source: Source[B], wish: Wish) -> Int:
    """One row of places; returns a status."""
    comptime if name == "chosen":
        if wish.count > Int(wish.low):
            return UNSUPPORTED
        return choose(
            source, wish.target, wish.count, Int(wish.low), wish.range != 0
        )
    else:
        count_up(wish.target, wish.count)
        shuffle(source, wish.target, wish.count)
        return OK


struct Drawing[B: Bits]:
    """A generator that draws lines of numbers of one distribution."""

    var source: Source[Self.B]
    var pieces: Pieces
    var colors: Int
    """Memory with the color of each item, once it is needed."""

    def __init__(out self, words: Int, expected: Int):
        self.source = Source[Self.B](words, expected)
        self.pieces = Pieces()
        self.colors = 0

    def draw(mut self, kind: Int, wish: Wish, given: Parameters) -> Int:
        """Draws a line of a distribution; returns a status."""
        comptime for known in range(len(DISTRIBUTIONS)):
            if kind == known:
                return self._line[known](wish, given)
        return UNSUPPORTED

    @no_inline
    def _line[kind: Int](mut self, wish: Wish, given: Parameters) -> Int:
        """Draws a line; returns a status."""
        comptime row = DISTRIBUTIONS[kind]
        comptime if row.family == FLOAT or row.family == OLDER_FLOAT:
            if wish.dtype == _FLOAT64:
                _floats[kind, DType.float64](self.source, wish, given)
                return OK
            comptime if row.family == FLOAT and _has_float32[row.name]():
                if wish.dtype == FLOAT32:
                    _floats[kind, DType.float32](self.source, wish, given)
                    return OK
            return UNSUPPORTED
        elif row.family == WHOLE or row.family == OLDER_WHOLE:
            if wrapping(wish.dtype) != _UINT64:
                return UNSUPPORTED
            _wholes[kind](self.source, wish, given)
            return OK
        elif row.family == BOUNDED:
            return _integers_of[False](self.source, self.pieces, wish, given)
        elif row.family == MASKED:
            return _integers_of[True](self.source, self.pieces, wish, given)
        elif row.name == "hypergeometric_count":
            if self.colors == 0:
                self.colors = list_colors(given.lines[0], wish.count)
            if self.colors == 0:
                return NO_MEMORY
            for k in range(wish.rows):
                hypergeometric_count(
                    self.source,
                    wish.target + 8 * wish.count * k,
                    wish.count,
                    given.lines[0],
                    given.lines[1],
                    self.colors,
                )
            return OK
        elif row.family == ROWS:
            return self._rows[row.name](wish, given)
        else:
            return self._orders[row.name](wish)

    def _rows[
        name: StaticString
    ](mut self, wish: Wish, given: Parameters) -> Int:
        """Draws rows; returns a status."""
        var own = wish.copy()
        var parameters = given.copy()
        for _ in range(wish.rows):
            var status = _row[name](self.source, own, parameters)
            if status != OK:
                return status
            own.target += 8 * wish.count
            for k in range(PARAMETERS):
                parameters.lines[k].address += given.steps[k]
        return OK

    def _orders[name: StaticString](mut self, wish: Wish) -> Int:
        """Draws rows of places; returns a status."""
        var own = wish.copy()
        for _ in range(wish.rows):
            var status = _order[name](self.source, own)
            if status != OK:
                return status
            own.target += 8 * wish.count
        return OK

    def finish(mut self):
        """Stores the generator, and gives memory back."""
        self.source.save()
        release(self.colors)


def _row_of(kind: Int) -> Distribution:
    """The row of a distribution, or one that nothing fits."""
    comptime for known in range(len(DISTRIBUTIONS)):
        if kind == known:
            comptime row = DISTRIBUTIONS[known]
            return materialize[row]()
    return Distribution("", -1, -1)


def _reads(row: Distribution, call: Call) -> Bool:
    """Whether the operands of a kernel are those of a distribution."""
    var out_ = call.operand(0)
    var bounded = row.family == BOUNDED or row.family == MASKED
    for k in range(3, call.count):
        var operand = call.operand(k)
        if operand.rank != 0 and not operand.same_shape(out_):
            return False
        var wanted = out_.dtype if row.family == FLOAT else _FLOAT64
        if bounded:
            wanted = _UINT64
        if (wrapping(operand.dtype) if bounded else operand.dtype) != wanted:
            return False
    var given = call.count - 3
    return given == row.parameters or (bounded and given == 0)


def _nest_of(call: Call, joined: Bool) -> Nest[4]:
    """The axes of the numbers, and of their parameters."""
    var out_ = call.operand(0)
    var bases = Array[Int, 4](fill=0)
    bases[0] = out_.address
    for k in range(3, call.count):
        bases[k - 2] = call.operand(k).address
    var nest = Nest[4](bases)
    for axis in range(out_.rank):
        var strides = Array[Int, 4](fill=0)
        strides[0] = out_.stride(axis)
        for k in range(3, call.count):
            if call.operand(k).rank != 0:
                strides[k - 2] = call.operand(k).stride(axis)
        if joined:
            nest.push(out_.size(axis), strides)
        else:
            nest.keep(out_.size(axis), strides)
    if joined and not nest.empty:
        nest.coalesce()
    if nest.rank == 0:
        nest.keep(1, Array[Int, 4](fill=0))
    return nest^


def _run[B: Bits, //](mut drawing: Drawing[B], call: Call) -> Int:
    """Draws all numbers of a call, line by line."""
    var kind = call.param(1)
    var row = _row_of(kind)
    if not _reads(row, call):
        return UNSUPPORTED
    var joined = row.family != ROWS and row.family != ORDER
    var nest = _nest_of(call, joined)
    if nest.empty:
        return OK
    var inner = nest.rank - 1
    # of rows, those along one axis are drawn together
    var outer = inner if joined else max(inner - 1, 0)
    var cursor = Cursor[4](nest, outer)
    var given = Parameters()
    for _ in range(nest.count(outer)):
        for k in range(PARAMETERS):
            given.lines[k] = Line(cursor.at[k + 1], nest.stride(k + 1, inner))
            if outer < inner:
                given.steps[k] = nest.stride(k + 1, outer)
        var wish = Wish(
            cursor.at[0],
            call.operand(0).dtype,
            nest.sizes[inner],
            call.threads,
            UInt64(call.param(2)),
            UInt64(call.param(3)),
        )
        if outer < inner:
            wish.rows = nest.sizes[outer]
        var status = drawing.draw(kind, wish, given)
        if status != OK:
            return status
        cursor.advance(nest)
    return OK


def _draw_from[B: Bits](call: Call) -> Int:
    """Draws from a generator whose words are the second result."""
    var after = call.operand(1)
    var before = call.operand(2)
    if before.size(0) != Source[B].WORDS:
        return UNSUPPORTED
    move_bytes(after.address, before.address, 8 * Source[B].WORDS)
    var drawing = Drawing[B](after.address, call.operand(0).count())
    var status = _run(drawing, call)
    drawing.finish()
    return status


def _is_state(operand: Operand) -> Bool:
    """Whether an operand can be the words of a generator."""
    return (
        operand.dtype == _UINT64 and operand.rank == 1 and operand.contiguous()
    )


def draw(call: Call) -> Int:
    """`out, after = numbers of a distribution, drawn from a generator`.

    Operands: the numbers, in C order; the generator's words afterwards, and before, uint64; up to
    three parameters, each of the shape of the numbers, broadcast by strides of 0, or without axes.
    Params: the generator, an index of `DISTRIBUTIONS`, and two integers: the least and the range of
    bounded integers without parameters, or, for `chosen`, the number of all and whether they are
    shuffled.
    """
    if not valid(call, 3, 4) or call.count > 3 + PARAMETERS:
        return UNSUPPORTED
    var before = call.operand(2)
    var after = call.operand(1)
    if not _is_state(before) or not before.same_shape(after):
        return UNSUPPORTED
    if not _is_state(after) or not call.operand(0).contiguous():
        return UNSUPPORTED
    comptime for generator in range(GENERATORS):
        if call.param(0) == generator:
            return _draw_from[BitsOf[generator]](call)
    return UNSUPPORTED


def draw_at_once(
    generator: Int, words: Int, kind: Int, wish: Wish, given: Parameters
) -> Int:
    """Draws one line from a generator, whose words go on; returns a status."""
    comptime for known in range(GENERATORS):
        if generator == known:
            var drawing = Drawing[BitsOf[known]](words, wish.count)
            var status = drawing.draw(kind, wish, given)
            drawing.finish()
            return status
    return UNSUPPORTED
