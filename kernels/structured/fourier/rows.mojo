"""Rows of numbers on their way into a Fourier transform and out of it."""
from std.sys import simd_width_of, size_of

from structured.fourier.butterflies import REAL
from structured.operands.operand import load, store


struct Pairs(TrivialRegisterPassable):
    """A row of pairs of real numbers in an array: complex numbers, or neighbours of a real row."""

    var address: Int
    var step: Int
    """Bytes from one pair to the next."""
    var second: Int
    """Bytes from the first number of a pair to the second; 0 where there is only a first one."""
    var count: Int

    def __init__(out self, address: Int, step: Int, second: Int, count: Int):
        self.address = address
        self.step = step
        self.second = second
        self.count = count

    @always_inline
    def adjacent(self, item: Int) -> Bool:
        """Whether all numbers lie beside each other."""
        return self.second == item and self.step == 2 * item


struct Lane(TrivialRegisterPassable):
    """The place of one row among those that are transformed together, in two planes."""

    var re: Int
    """Address of its first real part."""
    var plane: Int
    """Bytes from a real to an imaginary part."""
    var lanes: Int
    """Rows that are transformed together: numbers of one row are so many apart."""

    def __init__(out self, re: Int, plane: Int, lanes: Int):
        self.re = re
        self.plane = plane
        self.lanes = lanes


def read[dtype: DType](pairs: Pairs, lane: Lane):
    """Copies a row into its lane; where pairs have no second number, it is 0."""
    comptime source_item = size_of[Scalar[dtype]]()
    comptime item = size_of[Scalar[REAL]]()
    comptime width = simd_width_of[REAL]()
    var k = 0
    if lane.lanes == 1 and pairs.adjacent(source_item):
        while k + width <= pairs.count:
            var both = (
                load[dtype, 2 * width](pairs.address + k * pairs.step)
                .cast[REAL]()
                .deinterleave()
            )
            var at = lane.re + k * item
            store(at, rebind[SIMD[REAL, width]](both[0]))
            store(at + lane.plane, rebind[SIMD[REAL, width]](both[1]))
            k += width
    var step = lane.lanes * item
    while k < pairs.count:
        var at = pairs.address + k * pairs.step
        store(lane.re + k * step, load[dtype](at).cast[REAL]())
        var second = Scalar[REAL](0)
        if pairs.second != 0:
            second = load[dtype](at + pairs.second).cast[REAL]()
        store(lane.re + lane.plane + k * step, second)
        k += 1


def write[dtype: DType](pairs: Pairs, lane: Lane, scale: Scalar[REAL]):
    """Copies a row out of its lane, multiplied by a number."""
    comptime target_item = size_of[Scalar[dtype]]()
    comptime item = size_of[Scalar[REAL]]()
    comptime width = simd_width_of[REAL]()
    var k = 0
    if lane.lanes == 1 and pairs.adjacent(target_item):
        while k + width <= pairs.count:
            var at = lane.re + k * item
            var re = load[REAL, width](at) * scale
            var im = load[REAL, width](at + lane.plane) * scale
            store(
                pairs.address + k * pairs.step,
                re.interleave(im).cast[dtype](),
            )
            k += width
    var step = lane.lanes * item
    while k < pairs.count:
        var at = pairs.address + k * pairs.step
        var first = load[REAL](lane.re + k * step) * scale
        store(at, first.cast[dtype]())
        if pairs.second != 0:
            var second = load[REAL](lane.re + lane.plane + k * step) * scale
            store(at + pairs.second, second.cast[dtype]())
        k += 1


@always_inline
def _recombine[
    inverse: Bool, width: Int
](
    low: Int,
    high: Int,
    plane: Int,
    c: SIMD[REAL, width],
    d: SIMD[REAL, width],
    mirrored: Bool,
):
    """Recombines the numbers at k with those at n - k; `mirrored` where lanes run along k."""
    comptime V = SIMD[REAL, width]
    var a_re = load[REAL, width](low)
    var a_im = load[REAL, width](low + plane)
    var b_re = load[REAL, width](high)
    var b_im = load[REAL, width](high + plane)
    if mirrored:
        b_re = b_re.reversed()
        b_im = b_im.reversed()
    var sum_re = a_re + b_re
    var sum_im = a_im - b_im
    var gap_re = a_re - b_re
    var gap_im = a_im + b_im
    comptime if not inverse:
        sum_re *= V(0.5)
        sum_im *= V(0.5)
        gap_re *= V(0.5)
        gap_im *= V(0.5)
    # The factor is -i w, or i times the conjugate of w, for w = c + d i.
    var factor_im = c if inverse else -c
    var turned_re = gap_re * d - gap_im * factor_im
    var turned_im = gap_re * factor_im + gap_im * d
    b_re = sum_re - turned_re
    b_im = turned_im - sum_im
    if mirrored:
        b_re = b_re.reversed()
        b_im = b_im.reversed()
    store(low, sum_re + turned_re)
    store(low + plane, sum_im + turned_im)
    store(high, b_re)
    store(high + plane, b_im)


def recombine[
    inverse: Bool
](re: Int, plane: Int, n: Int, lanes: Int, halves: Int):
    """Makes the transform of 2 n real numbers of that of n pairs, in place; or goes back.

    With z[k] = x[2 k] + i x[2 k + 1] and Z its transform, X[k] = E[k] + w**k O[k], where E and O,
    the transforms of even and odd places, are the parts of Z that are symmetric and antisymmetric
    under k -> n - k with conjugation. The inverse leaves out the factor 1 / 2.

    Args:
        re: Address of the first real part, of n + 1 rows of `lanes` numbers.
        plane: Bytes from real to imaginary parts.
        n: Number of pairs.
        lanes: Transforms that are done together.
        halves: Address of w**k = exp(-pi i k / n) for k <= n / 2, all real parts first.
    """
    comptime item = size_of[Scalar[REAL]]()
    comptime width = simd_width_of[REAL]()
    var step = lanes * item
    var apart = (n // 2 + 1) * item
    _recombine_ends[inverse](re, plane, n * step, lanes)
    var k = 1
    if lanes == 1:
        while k + width <= n - k - width + 1:
            var c = load[REAL, width](halves + k * item)
            var d = load[REAL, width](halves + k * item + apart)
            var high = re + (n - k - width + 1) * item
            _recombine[inverse, width](re + k * item, high, plane, c, d, True)
            k += width
    while 2 * k <= n:
        var c = load[REAL](halves + k * item)
        var d = load[REAL](halves + k * item + apart)
        var low = re + k * step
        var high = re + (n - k) * step
        if lanes == 1:
            _recombine[inverse, 1](low, high, plane, c, d, False)
        else:
            _recombine[inverse, width](low, high, plane, c, d, False)
        k += 1


def _recombine_ends[inverse: Bool](re: Int, plane: Int, last: Int, lanes: Int):
    """Makes numbers 0 and n of number 0; or goes back, where their imaginary parts do not count."""
    comptime item = size_of[Scalar[REAL]]()
    for lane in range(lanes):
        var at = re + lane * item
        var a = load[REAL](at)
        comptime if inverse:
            var b = load[REAL](at + last)
            store(at, a + b)
            store(at + plane, a - b)
        else:
            var b = load[REAL](at + plane)
            store(at, a + b)
            store(at + plane, Scalar[REAL](0))
            store(at + last, a - b)
            store(at + last + plane, Scalar[REAL](0))


def extend(re: Int, plane: Int, n: Int, lanes: Int):
    """Completes n complex numbers, n odd, of which the first half is there: n - k by conjugation.

    The imaginary part of number 0 does not count.
    """
    comptime item = size_of[Scalar[REAL]]()
    var step = lanes * item
    for lane in range(lanes):
        store(re + plane + lane * item, Scalar[REAL](0))
    for k in range(1, n // 2 + 1):
        for lane in range(lanes):
            var low = re + k * step + lane * item
            var high = re + (n - k) * step + lane * item
            store(high, load[REAL](low))
            store(high + plane, -load[REAL](low + plane))
