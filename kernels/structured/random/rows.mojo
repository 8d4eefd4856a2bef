"""Rows of numbers that belong together, and random orders."""
from structured.operands.memory import allocate, release
from structured.operands.operand import NO_MEMORY, OK, load, store
from structured.random.binomial import Binomial
from structured.random.bits import Bits, Source
from structured.random.bounded import large
from structured.random.continuous import beta
from structured.random.discrete import as_int, hypergeometric, interval, mask_of
from structured.random.standard import standard_gamma

comptime _NOBODY = UInt64.MAX
"""What a free place of a hash set holds."""


struct Line(TrivialRegisterPassable):
    """Numbers at an address, so many bytes apart."""

    var address: Int
    var stride: Int

    def __init__(out self, address: Int, stride: Int):
        self.address = address
        self.stride = stride

    @always_inline
    def at(self, index: Int) -> Float64:
        return load[DType.float64](self.address + index * self.stride)

    @always_inline
    def whole(self, index: Int) -> Int64:
        return as_int(self.at(index))


def multinomial[
    B: Bits, //, older_one: Bool, corrected: Bool
](mut source: Source[B], target: Int, count: Int, trials: Line, chances: Line):
    """How often each of `count` things is found in so many trials."""
    for k in range(count):
        store(target + 8 * k, Int64(0))
    if count == 0:
        return
    var remaining = 1.0
    var left = trials.whole(0)
    for k in range(count - 1):
        var binomial = Binomial[older_one](
            left, chances.at(k) / remaining, corrected=corrected
        )
        var found = binomial.draw_once(source)
        store(target + 8 * k, found)
        left -= found
        if left <= 0:
            break
        remaining -= chances.at(k)
    if left > 0:
        store(target + 8 * (count - 1), left)


def dirichlet[
    B: Bits, //, older_one: Bool
](mut source: Source[B], target: Int, count: Int, alpha: Line):
    """Gamma numbers, divided by their sum."""
    var sum = 0.0
    for k in range(count):
        var x = standard_gamma[older=older_one](source, alpha.at(k))
        store(target + 8 * k, x)
        sum = sum + x
    var factor = 1.0 / sum
    for k in range(count):
        store(target + 8 * k, load[DType.float64](target + 8 * k) * factor)


def sparse_dirichlet[
    B: Bits, //
](mut source: Source[B], target: Int, count: Int, alpha: Line):
    """The same for small parameters, by breaking a stick: beta numbers of the parts that are left."""
    for k in range(count):
        store(target + 8 * k, 0.0)
    # the sums from the back, in the order in which NumPy adds
    var sums = allocate(8 * count)
    if sums == 0:
        return
    var sum = 0.0
    for k in reversed(range(count)):
        sum += alpha.at(k)
        store(sums + 8 * k, sum)
    if sum > 0:
        var left = 1.0
        for k in range(count - 1):
            var rest = load[DType.float64](sums + 8 * (k + 1))
            var share = beta[older=False](source, alpha.at(k), rest)
            store(target + 8 * k, left * share)
            left *= 1.0 - share
            if rest == 0:
                break
        store(target + 8 * (count - 1), left)
    release(sums)


def hypergeometric_marginals[
    B: Bits, //
](mut source: Source[B], target: Int, count: Int, colors: Line, sample: Line):
    """How many of each color a sample has, color by color."""
    var total = Int64(0)
    for k in range(count):
        total += colors.whole(k)
        store(target + 8 * k, Int64(0))
    var wanted = sample.whole(0)
    if total == 0 or wanted == 0:
        return
    var turned = wanted > total // 2
    var left = total - wanted if turned else wanted
    var remaining = total
    var k = 0
    while left > 0 and k + 1 < count:
        remaining -= colors.whole(k)
        var found = hypergeometric(source, colors.whole(k), remaining, left)
        store(target + 8 * k, found)
        left -= found
        k += 1
    if left > 0:
        store(target + 8 * (count - 1), left)
    if turned:
        _turn(target, count, colors)


def _turn(target: Int, count: Int, colors: Line):
    """Makes the rest of a sample, of the sample."""
    for k in range(count):
        var found = load[DType.int64](target + 8 * k)
        store(target + 8 * k, colors.whole(k) - found)


def hypergeometric_count[
    B: Bits, //
](
    mut source: Source[B],
    target: Int,
    count: Int,
    colors: Line,
    sample: Line,
    choices: Int,
):
    """The same, by drawing each; `choices` has the color of each item and is reordered."""
    var total = Int64(0)
    for k in range(count):
        total += colors.whole(k)
        store(target + 8 * k, Int64(0))
    var wanted = sample.whole(0)
    if total == 0 or wanted == 0:
        return
    var turned = wanted > total // 2
    var left = Int(total - wanted) if turned else Int(wanted)
    for j in range(left):
        var k = j + Int(interval(source, UInt64(Int(total) - j - 1)))
        _swap(choices, j, k)
    for j in range(left):
        var place = target + 8 * Int(load[DType.int64](choices + 8 * j))
        store(place, load[DType.int64](place) + 1)
    if turned:
        _turn(target, count, colors)


def list_colors(colors: Line, count: Int) -> Int:
    """Memory with the color of each item, to be released; 0 if there is none."""
    var total = 0
    for k in range(count):
        total += Int(colors.whole(k))
    var choices = allocate(8 * total)
    if choices == 0:
        return 0
    var place = 0
    for k in range(count):
        for _ in range(Int(colors.whole(k))):
            store(choices + 8 * place, Int64(k))
            place += 1
    return choices


@always_inline
def _swap(places: Int, i: Int, j: Int):
    var kept = load[DType.int64](places + 8 * j)
    store(places + 8 * j, load[DType.int64](places + 8 * i))
    store(places + 8 * i, kept)


def count_up(places: Int, count: Int):
    """Stores 0, 1, 2 .. to an address."""
    for k in range(count):
        store(places + 8 * k, Int64(k))


def shuffle[B: Bits, //](mut source: Source[B], places: Int, count: Int):
    """Shuffles integers as NumPy shuffles an array."""
    for i in reversed(range(1, count)):
        _swap(places, i, Int(interval(source, UInt64(i))))


def _shuffle_down[
    B: Bits, //
](mut source: Source[B], places: Int, count: Int, first: Int):
    """Shuffles integers from the last one down to `first`, as NumPy's `choice` does."""
    for i in reversed(range(first, count)):
        _swap(places, i, Int(large[False](source, 0, UInt64(i))))


def choose[
    B: Bits, //
](
    mut source: Source[B],
    target: Int,
    count: Int,
    population: Int,
    shuffled: Bool,
) -> Int:
    """Stores `count` different integers below `population`; returns a status."""
    var cutoff = 50 if shuffled else 20
    if population > 10000 and count > population // cutoff:
        var places = allocate(8 * population)
        if places == 0:
            return NO_MEMORY
        count_up(places, population)
        _shuffle_down(source, places, population, max(population - count, 1))
        for k in range(count):
            var place = places + 8 * (population - count + k)
            store(target + 8 * k, load[DType.int64](place))
        release(places)
        return OK
    return _choose_few(source, target, count, population, shuffled)


def _choose_few[
    B: Bits, //
](
    mut source: Source[B],
    target: Int,
    count: Int,
    population: Int,
    shuffled: Bool,
) -> Int:
    """The same by Floyd's method: what is drawn twice gives way to the largest that was allowed."""
    var mask = mask_of(UInt64(Int(1.2 * Float64(count))))
    var size = Int(mask) + 1
    var places = allocate(8 * size)
    if places == 0:
        return NO_MEMORY
    for k in range(size):
        store(places + 8 * k, _NOBODY)
    for k in range(count):
        var j = UInt64(population - count + k)
        var found = large[False](source, 0, j)
        if not _insert(places, mask, found):
            found = j
            _ = _insert(places, mask, found)
        store(target + 8 * k, found)
    release(places)
    if shuffled:
        _shuffle_down(source, target, count, 1)
    return OK


def _insert(places: Int, mask: UInt64, number: UInt64) -> Bool:
    """Puts a number into a hash set; False if it is there."""
    var at = number & mask
    while True:
        var place = places + 8 * Int(at)
        var held = load[DType.uint64](place)
        if held == number:
            return False
        if held == _NOBODY:
            store(place, number)
            return True
        at = (at + 1) & mask
