"""Drawing from a generator of any kind: lines of numbers, rows, and orders."""
from elementwise.numbers.dtypes import dtype_code
from structured.operands.memory import release
from structured.operands.operand import (
    FLOAT32,
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    wrapping,
)
from structured.random.bits import Bits, Source
from structured.random.bounded import Pieces
from structured.random.generators import GENERATORS, BitsOf
from structured.random.lines import draw_floats, draw_integers, draw_wholes
from structured.random.rows import (
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
    MASKED,
    OLDER_FLOAT,
    OLDER_WHOLE,
    ROWS,
    WHOLE,
)
from structured.random.wish import PARAMETERS, Parameters, Wish

comptime _FLOAT64 = dtype_code(DType.float64)
comptime _UINT64 = dtype_code(DType.uint64)
comptime _IN_FLOAT32: Array[StaticString, 5] = [
    "random",
    "standard_normal",
    "standard_exponential",
    "standard_exponential_inv",
    "standard_gamma",
]


def _has_float32[name: StaticString]() -> Bool:
    """Whether a distribution has numbers in float32."""
    var found = False
    comptime for k in range(len(_IN_FLOAT32)):
        comptime if _IN_FLOAT32[k] == name:
            found = True
    return found


def _row[
    B: Bits, //, name: StaticString
](mut source: Source[B], wish: Wish, given: Parameters) -> Int:
    """One row; returns a status."""
    var first = given.lines[0]
    var second = given.lines[1]
    comptime if name == "multinomial":
        multinomial[False, False](
            source, wish.target, wish.count, first, second
        )
    elif name == "corrected_multinomial":
        multinomial[False, True](source, wish.target, wish.count, first, second)
    elif name == "older_multinomial":
        multinomial[True, False](source, wish.target, wish.count, first, second)
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

    def __init__(out self, words: Int, expected: Int, kept: Int = 0):
        self.source = Source[Self.B](words, expected, kept)
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
                draw_floats[kind, DType.float64](self.source, wish, given)
                return OK
            comptime if row.family == FLOAT and _has_float32[row.name]():
                if wish.dtype == FLOAT32:
                    draw_floats[kind, DType.float32](self.source, wish, given)
                    return OK
            return UNSUPPORTED
        elif row.family == WHOLE or row.family == OLDER_WHOLE:
            if wrapping(wish.dtype) != _UINT64:
                return UNSUPPORTED
            draw_wholes[kind](self.source, wish, given)
            return OK
        elif row.family == BOUNDED:
            return draw_integers[False](self.source, self.pieces, wish, given)
        elif row.family == MASKED:
            return draw_integers[True](self.source, self.pieces, wish, given)
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


def draw_at_once(
    generator: Int,
    words: Int,
    kept: Int,
    kind: Int,
    wish: Wish,
    given: Parameters,
) -> Int:
    """Draws one line from a generator, whose words go on; returns a status.

    The last two words are at `kept` unless that is 0.
    """
    comptime for known in range(GENERATORS):
        if generator == known:
            var drawing = Drawing[BitsOf[known]](words, wish.count, kept)
            var status = drawing.draw(kind, wish, given)
            drawing.finish()
            return status
    return UNSUPPORTED
