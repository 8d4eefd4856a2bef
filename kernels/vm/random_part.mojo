"""Random numbers as C functions: a part of the library, see `parts.mojo`.

Of NumPy's own generators numbers are drawn at once; `source` is the address of three integers: the
number of the generator, the address of NumPy's C structure, and that of two words which an older
generator keeps.
"""

from structured.operands.operand import Call, Operands, Words, load
from structured.random.draw import draw
from structured.random.drawing import draw_at_once
from structured.random.generators import (
    GENERATORS,
    MOST_WORDS,
    BitsOf,
    draws_in_place,
    pull,
    push,
)
from structured.random.bits import Source
from structured.random.rows import Line
from structured.random.table import DISTRIBUTIONS, family_name
from structured.random.wish import PARAMETERS, Parameters, Wish
from elementwise.numbers.dtypes import dtype_code
from vm.base.raw import copy_bytes


@export
def jujunp_draw(
    operands: Operands,
    count: Int,
    params: Words,
    nparams: Int,
    threads: Int,
    fault: Words,
) abi("C") -> Int:
    """Runs the kernel `draw`."""
    return draw(Call(operands, count, params, nparams, threads, fault))


@export
def jujunp_distributions(buffer: Int) abi("C") -> Int:
    """Writes family, name and number of parameters of all distributions, each with a space behind
    it, to an address if it is not 0; returns how many bytes they take."""
    var names = String()
    comptime for kind in range(len(DISTRIBUTIONS)):
        comptime row = DISTRIBUTIONS[kind]
        names += String(
            family_name(row.family), " ", row.name, " ", row.parameters, " "
        )
    var length = names.byte_length()
    if buffer != 0:
        copy_bytes(buffer, Int(names.unsafe_ptr()), length)
    _ = names^
    return length


@export
def jujunp_random_words(generator: Int) abi("C") -> Int:
    """How many words a generator has."""
    comptime for known in range(GENERATORS):
        if generator == known:
            return Source[BitsOf[known]].WORDS
    return 0


@always_inline
def _at(source: Int, place: Int) -> Int:
    return Int(load[DType.int64](source + 8 * place))


@export
def jujunp_random_pull(source: Int, words: Int) abi("C"):
    """Stores the words of a generator of NumPy's."""
    pull(_at(source, 0), _at(source, 1), _at(source, 2), words)


@export
def jujunp_random_push(source: Int, words: Int) abi("C"):
    """Sets a generator of NumPy's to words."""
    push(_at(source, 0), _at(source, 1), _at(source, 2), words)


def _draw(source: Int, kind: Int, wish: Wish, given: Parameters) -> Int:
    """Draws from a generator of NumPy's; returns a status."""
    var generator = _at(source, 0)
    if draws_in_place(generator):
        return draw_at_once(
            generator, _at(source, 1), _at(source, 2), kind, wish, given
        )
    var words = Array[UInt64, MOST_WORDS](uninitialized=True)
    var at = Int(words.unsafe_ptr())
    jujunp_random_pull(source, at)
    var status = draw_at_once(generator, at, 0, kind, wish, given)
    jujunp_random_push(source, at)
    _ = words^
    return status


@export
def jujunp_draw_many(
    source: Int,
    kind: Int,
    dtype: Int,
    target: Int,
    count: Int,
    threads: Int,
    a: Float64,
    b: Float64,
    c: Float64,
) abi("C") -> Int:
    """Draws numbers of one distribution, given its parameters; returns a status.

    Args:
        source: Where the generator is.
        kind: An index of `DISTRIBUTIONS`, but for bounded integers.
        dtype: The dtype code of the numbers.
        target: The address of the numbers.
        count: How many.
        threads: How many threads may take part.
        a: The first parameter.
        b: The second one.
        c: The third one.
    """
    var numbers: Array[Float64, 3] = [a, b, c]
    var halves: Array[Float32, 3] = [
        a.cast[DType.float32](),
        b.cast[DType.float32](),
        c.cast[DType.float32](),
    ]
    var given = Parameters()
    for k in range(3):
        var place = Int(numbers.unsafe_ptr()) + 8 * k
        if dtype == dtype_code(DType.float32):
            place = Int(halves.unsafe_ptr()) + 4 * k
        given.lines[k] = Line(place, 0)
    var wish = Wish(target, dtype, count, threads, 0, 0)
    var status = _draw(source, kind, wish, given)
    _ = numbers^
    _ = halves^
    return status


@export
def jujunp_draw_each(
    source: Int, kind: Int, dtype: Int, target: Int, count: Int, rows: Int
) abi("C") -> Int:
    """Draws numbers of which each has its own parameters, float64 side by side from an address on; returns a status."""
    var given = Parameters()
    for k in range(PARAMETERS):
        given.lines[k] = Line(rows + 8 * k, 8 * PARAMETERS)
    return _draw(source, kind, Wish(target, dtype, count, 1, 0, 0), given)


@export
def jujunp_draw_float(
    source: Int, kind: Int, a: Float64, b: Float64, c: Float64
) abi("C") -> Float64:
    """Draws one float64."""
    var found = Array[Float64, 1](fill=0)
    _ = jujunp_draw_many(
        source,
        kind,
        dtype_code(DType.float64),
        Int(found.unsafe_ptr()),
        1,
        1,
        a,
        b,
        c,
    )
    return load[DType.float64](Int(found.unsafe_ptr()))


@export
def jujunp_draw_whole(
    source: Int, kind: Int, a: Float64, b: Float64, c: Float64
) abi("C") -> Int:
    """Draws one int64."""
    var found = Array[Int64, 1](fill=0)
    _ = jujunp_draw_many(
        source,
        kind,
        dtype_code(DType.int64),
        Int(found.unsafe_ptr()),
        1,
        1,
        a,
        b,
        c,
    )
    return Int(load[DType.int64](Int(found.unsafe_ptr())))


@export
def jujunp_draw_row(
    source: Int,
    kind: Int,
    target: Int,
    count: Int,
    trials: Float64,
    chances: Int,
) abi("C") -> Int:
    """Draws how often each of some things is found in so many trials, given the address of their chances; returns a
    status."""
    var given = Parameters()
    var first = trials
    given.lines[0] = Line(Int(Pointer(to=first)), 0)
    given.lines[1] = Line(chances, 8)
    var wish = Wish(target, dtype_code(DType.int64), count, 1, 0, 0)
    var status = _draw(source, kind, wish, given)
    _ = first
    return status


@export
def jujunp_draw_integers(
    source: Int,
    kind: Int,
    dtype: Int,
    target: Int,
    count: Int,
    low: UInt64,
    range: UInt64,
) abi("C") -> Int:
    """Draws integers between bounds, or places; returns a status."""
    return _draw(
        source,
        kind,
        Wish(target, dtype, count, 1, low, range),
        Parameters(),
    )
