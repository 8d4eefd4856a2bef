"""Stages of a Fourier transform: many small transforms and the twiddle factors between them.

A transform of length n = radix * m takes one stage, which makes of it `radix` transforms of length m
that lie interleaved; so the stages bring the numbers into order as they go (Stockham's form). Real
and imaginary parts lie in planes of their own, and each element may be a row of `s` adjacent
numbers: those that earlier stages have interleaved, times the lanes, which are transforms of
several arrays done together.
"""
from std.memory import stack_allocation
from std.sys import simd_width_of, size_of

from structured.fourier.butterflies import REAL, Numbers, butterfly
from structured.operands.operand import load, store

comptime UNROLLED: Array[Int, 6] = [2, 3, 4, 5, 7, 8]
"""Radices with loops of their own; 8 is the only other radix that is no prime."""
comptime MAX_RADIX = 61
"""The largest radix. Larger primes cost less as a convolution."""


struct Stage(TrivialRegisterPassable):
    """One stage: `target[q + s (radix p + k)]` is the transform over j of `source[q + s (p + m j)]`,
    times exp(-2 pi i p k / (radix m)).

    Addresses are those of real parts.
    """

    var source: Int
    var target: Int
    var plane: Int
    """Bytes from a real part to its imaginary part; negative where the parts change places, which
    makes the transform an inverse one."""
    var radix: Int
    var m: Int
    var s: Int
    var twiddles: Int
    """Address of the twiddle factors: of number k > 0 and p at position k - 1 + (radix - 1) p, real
    and imaginary part beside each other. For s = 1, of all p beside each other: first the real
    parts for k = 1, then the imaginary ones, then those for k = 2, and so on."""
    var roots: Int
    """Address of exp(-2 pi i k / radix) for k < radix: the real parts, then the imaginary ones."""

    def __init__(
        out self, radix: Int, m: Int, s: Int, twiddles: Int, roots: Int
    ):
        self.source = 0
        self.target = 0
        self.plane = 0
        self.radix = radix
        self.m = m
        self.s = s
        self.twiddles = twiddles
        self.roots = roots


@always_inline
def _interleave[width: Int, count: Int, //](mut x: Numbers[width, count]):
    """Brings numbers into the order of memory, where those of one lane are adjacent.

    `count` is a power of two; each round is a riffle, as of a deck of cards.
    """
    comptime rounds = 1 if count == 2 else 2 if count == 4 else 3
    comptime for _ in range(rounds):
        var y = x.copy()
        comptime for k in range(count // 2):
            var both = y[k].interleave(y[k + count // 2])
            x[2 * k] = rebind[SIMD[REAL, width]](both.slice[width]())
            x[2 * k + 1] = rebind[SIMD[REAL, width]](
                both.slice[width, offset=width]()
            )


@always_inline
def _store_lanes[
    width: Int, count: Int, //
](address: Int, mut x: Numbers[width, count]):
    """Stores numbers so that those of one lane are adjacent."""
    comptime item = size_of[Scalar[REAL]]()
    comptime if width == 1:
        comptime for k in range(count):
            store(address + k * item, x[k])
    elif count == 2 or count == 4 or count == 8:
        _interleave(x)
        comptime for k in range(count):
            store(address + k * width * item, x[k])
    else:
        comptime for k in range(count):
            comptime for lane in range(width):
                store(address + (lane * count + k) * item, x[k][lane])


@always_inline
def _load_numbers[
    width: Int, count: Int
](address: Int, step: Int) -> Numbers[width, count]:
    """Loads vectors a step apart."""
    var x = Numbers[width, count](uninitialized=True)
    comptime for k in range(count):
        x[k] = load[REAL, width](address + k * step)
    return x^


@always_inline
def _roots[radix: Int](address: Int) -> Array[Scalar[REAL], radix]:
    """Loads adjacent numbers."""
    comptime item = size_of[Scalar[REAL]]()
    var x = Array[Scalar[REAL], radix](uninitialized=True)
    comptime for k in range(radix):
        x[k] = load[REAL](address + k * item)
    return x^


@always_inline
def _first[
    radix: Int, width: Int
](
    stage: Stage,
    start: Int,
    end: Int,
    cosines: Array[Scalar[REAL], radix],
    sines: Array[Scalar[REAL], radix],
) -> Int:
    """Transforms whole vectors of p from `start` on, for s = 1; returns where it stopped."""
    comptime item = size_of[Scalar[REAL]]()
    var jump = stage.m * item
    var p = start
    while p + width <= end:
        var source = stage.source + p * item
        var re = _load_numbers[width, radix](source, jump)
        var im = _load_numbers[width, radix](source + stage.plane, jump)
        butterfly(re, im, cosines, sines)
        comptime for k in range(1, radix):
            var at = stage.twiddles + 2 * (k - 1) * jump + p * item
            var c = load[REAL, width](at)
            var d = load[REAL, width](at + jump)
            var real = re[k] * c - im[k] * d
            im[k] = re[k] * d + im[k] * c
            re[k] = real
        var target = stage.target + radix * p * item
        _store_lanes(target, re)
        _store_lanes(target + stage.plane, im)
        p += width
    return p


@always_inline
def _rows[
    radix: Int, width: Int
](
    stage: Stage,
    p: Int,
    start: Int,
    end: Int,
    cosines: Array[Scalar[REAL], radix],
    sines: Array[Scalar[REAL], radix],
) -> Int:
    """Transforms whole vectors of q from `start` on, for one p; returns where it stopped."""
    comptime item = size_of[Scalar[REAL]]()
    var jump = stage.s * stage.m * item
    var step = stage.s * item
    var source = stage.source + p * step
    var target = stage.target + radix * p * step
    var c = Array[SIMD[REAL, width], radix](uninitialized=True)
    var d = Array[SIMD[REAL, width], radix](uninitialized=True)
    comptime for k in range(1, radix):
        var at = stage.twiddles + 2 * ((radix - 1) * p + k - 1) * item
        c[k] = SIMD[REAL, width](load[REAL](at))
        d[k] = SIMD[REAL, width](load[REAL](at + item))
    var q = start
    while q + width <= end:
        var re = _load_numbers[width, radix](source + q * item, jump)
        var im = _load_numbers[width, radix](
            source + q * item + stage.plane, jump
        )
        butterfly(re, im, cosines, sines)
        store(target + q * item, re[0])
        store(target + q * item + stage.plane, im[0])
        comptime for k in range(1, radix):
            var to = target + q * item + k * step
            store(to, re[k] * c[k] - im[k] * d[k])
            store(to + stage.plane, re[k] * d[k] + im[k] * c[k])
        q += width
    return q


struct Share(TrivialRegisterPassable):
    """The part of a stage that one thread does: ranges of p and of q."""

    var p: Int
    var p_end: Int
    var q: Int
    var q_end: Int

    def __init__(out self, p: Int, p_end: Int, q: Int, q_end: Int):
        self.p = p
        self.p_end = p_end
        self.q = q
        self.q_end = q_end


def _unrolled[radix: Int](stage: Stage, share: Share):
    """Runs a share of a stage of a known radix."""
    comptime width = simd_width_of[REAL]()
    comptime item = size_of[Scalar[REAL]]()
    var cosines = _roots[radix](stage.roots)
    var sines = _roots[radix](stage.roots + radix * item)
    if stage.s == 1:
        var p = _first[radix, width](
            stage, share.p, share.p_end, cosines, sines
        )
        _ = _first[radix, 1](stage, p, share.p_end, cosines, sines)
        return
    for p in range(share.p, share.p_end):
        var q = share.q
        q = _rows[radix, width](stage, p, q, share.q_end, cosines, sines)
        comptime if width >= 8:
            q = _rows[radix, width // 2](
                stage, p, q, share.q_end, cosines, sines
            )
        comptime if width >= 16:
            q = _rows[radix, width // 4](
                stage, p, q, share.q_end, cosines, sines
            )
        _ = _rows[radix, 1](stage, p, q, share.q_end, cosines, sines)


@always_inline
def _prime_block[width: Int](stage: Stage, p: Int, q: Int, work: Int):
    """Transforms one vector of q for one p, where the radix is any prime."""
    comptime item = size_of[Scalar[REAL]]()
    comptime size = width * item
    comptime V = SIMD[REAL, width]
    var radix = stage.radix
    var half = radix // 2
    var jump = stage.s * stage.m * item
    var source = stage.source + (p * stage.s + q) * item
    var zero_re = load[REAL, width](source)
    var zero_im = load[REAL, width](source + stage.plane)
    var total_re = zero_re
    var total_im = zero_im
    for j in range(1, half + 1):
        var low = source + j * jump
        var high = source + (radix - j) * jump
        var low_re = load[REAL, width](low)
        var low_im = load[REAL, width](low + stage.plane)
        var high_re = load[REAL, width](high)
        var high_im = load[REAL, width](high + stage.plane)
        store(work + (4 * j) * size, low_re + high_re)
        store(work + (4 * j + 1) * size, low_im + high_im)
        store(work + (4 * j + 2) * size, low_re - high_re)
        store(work + (4 * j + 3) * size, low_im - high_im)
        total_re += low_re + high_re
        total_im += low_im + high_im
    var target = stage.target + (radix * p * stage.s + q) * item
    store(target, total_re)
    store(target + stage.plane, total_im)
    for k in range(1, half + 1):
        var even_re = zero_re
        var even_im = zero_im
        var odd_re = V(0)
        var odd_im = V(0)
        var root = 0
        for j in range(1, half + 1):
            root += k
            if root >= radix:
                root -= radix
            var c = V(load[REAL](stage.roots + root * item))
            var s = V(load[REAL](stage.roots + (radix + root) * item))
            even_re = load[REAL, width](work + (4 * j) * size).fma(c, even_re)
            even_im = load[REAL, width](work + (4 * j + 1) * size).fma(
                c, even_im
            )
            odd_re = load[REAL, width](work + (4 * j + 2) * size).fma(s, odd_re)
            odd_im = load[REAL, width](work + (4 * j + 3) * size).fma(s, odd_im)
        _store_turned[width](
            stage, p, k, target, even_re - odd_im, even_im + odd_re
        )
        _store_turned[width](
            stage, p, radix - k, target, even_re + odd_im, even_im - odd_re
        )


@always_inline
def _store_turned[
    width: Int
](
    stage: Stage,
    p: Int,
    k: Int,
    target: Int,
    re: SIMD[REAL, width],
    im: SIMD[REAL, width],
):
    """Stores result k of one p, multiplied by its twiddle factor."""
    comptime item = size_of[Scalar[REAL]]()
    var apart = item
    var at = stage.twiddles + 2 * ((stage.radix - 1) * p + k - 1) * item
    if stage.s == 1:
        apart = stage.m * item
        at = stage.twiddles + 2 * (k - 1) * apart + p * item
    var c = SIMD[REAL, width](load[REAL](at))
    var d = SIMD[REAL, width](load[REAL](at + apart))
    var to = target + k * stage.s * item
    store(to, re * c - im * d)
    store(to + stage.plane, re * d + im * c)


def _prime(stage: Stage, share: Share):
    """Runs a share of a stage whose radix is any prime up to MAX_RADIX."""
    comptime width = simd_width_of[REAL]()
    var work = Int(stack_allocation[4 * (MAX_RADIX // 2 + 1) * width, REAL]())
    for p in range(share.p, share.p_end):
        var q = share.q
        while q + width <= share.q_end:
            _prime_block[width](stage, p, q, work)
            q += width
        comptime if width >= 8:
            while q + width // 2 <= share.q_end:
                _prime_block[width // 2](stage, p, q, work)
                q += width // 2
        while q < share.q_end:
            _prime_block[1](stage, p, q, work)
            q += 1


def run_stage(stage: Stage, share: Share):
    """Runs a share of a stage."""
    comptime for index in range(len(UNROLLED)):
        comptime radix = UNROLLED[index]
        if stage.radix == radix:
            _unrolled[radix](stage, share)
            return
    _prime(stage, share)
