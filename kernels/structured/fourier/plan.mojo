"""Plans of Fourier transforms: the stages of one length, and tables of roots of unity."""
from std.ffi import external_call
from std.sys import simd_width_of, size_of

from structured.fourier.butterflies import REAL
from structured.fourier.stages import MAX_RADIX, Share, Stage, run_stage
from structured.operands.memory import allocate, release
from structured.operands.operand import load, store
from structured.fourier.roots import roots, write_roots
from structured.threads.threads import parallel_for, part

comptime _MAX_STAGES = 48
comptime _STAGE_WORDS = 5
comptime _HEAD = 16
"""Words before those of the stages."""
comptime _LINE = 64
"""Bytes of a cache line: tables begin at multiples of it."""
comptime _GAP = 5 * _LINE
"""Bytes between planes, so that equal places of both do not compete for the same cache lines."""
comptime PARALLEL_LENGTH = 1 << 19
"""Numbers from which on the stages of one transform are shared among threads."""

# Places of words in a plan.
comptime _BYTES = 0
comptime _LENGTH = 1
comptime _LANES = 2
comptime _PACKED = 3
comptime _STAGES = 4
comptime _SIZE = 5
comptime _CHIRP = 6
comptime _FILTER = 7
comptime _HALVES = 8


struct Factors(Copyable):
    """The radices of a length, in the order of the stages."""

    var count: Int
    var radices: Array[Int, _MAX_STAGES]
    var rest: Int
    """What is left of the length: 1 unless it has a prime factor above MAX_RADIX."""

    def __init__(out self, length: Int):
        self.count = 0
        self.radices = Array[Int, _MAX_STAGES](fill=1)
        self.rest = length
        while self.rest % 8 == 0 and self.rest != 16:
            self._push(8)
        if self.rest % 4 == 0:
            self._push(4)
        if self.rest % 4 == 0:
            self._push(4)
        if self.rest % 2 == 0:
            self._push(2)
        var prime = 3
        while prime <= MAX_RADIX and self.rest > 1:
            if self.rest % prime == 0:
                self._push(prime)
            else:
                prime += 2

    def _push(mut self, radix: Int):
        self.radices[self.count] = radix
        self.count += 1
        self.rest //= radix


def _convolution_length(least: Int) -> Int:
    """The smallest length from `least` on that is 16 times a power of two, times 1, 3, 5, 9 or 15."""
    comptime odd: Array[Int, 5] = [1, 3, 5, 9, 15]
    var best = 0
    comptime for index in range(len(odd)):
        comptime factor = odd[index]
        var length = 16 * factor
        while length < least:
            length *= 2
        if best == 0 or length < best:
            best = length
    return best


def _aligned(bytes: Int) -> Int:
    """The next multiple of a cache line."""
    return (bytes + _LINE - 1) // _LINE * _LINE


struct Plan(TrivialRegisterPassable):
    """A plan at an address: one block of memory, of words and then tables.

    A plan does not change once it is made, so threads may share it.
    """

    var address: Int

    def __init__(out self, address: Int):
        self.address = address

    @always_inline
    def _word(self, index: Int) -> Int:
        return Int(load[DType.int64](self.address + 8 * index))

    @always_inline
    def _set(self, index: Int, value: Int):
        store(self.address + 8 * index, Int64(value))

    @always_inline
    def bytes(self) -> Int:
        """Bytes of memory."""
        return self._word(_BYTES)

    @always_inline
    def length(self) -> Int:
        """Complex numbers in and out."""
        return self._word(_LENGTH)

    @always_inline
    def lanes(self) -> Int:
        """Transforms that are done together."""
        return self._word(_LANES)

    @always_inline
    def size(self) -> Int:
        """The length of what the stages transform: that of a convolution if it is not `length`."""
        return self._word(_SIZE)

    @always_inline
    def halves(self) -> Int:
        """Address of exp(-2 pi i k / (2 length)) for k <= length / 2, all real parts first; 0 if
        the plan is for complex numbers only."""
        return self._table(_HALVES)

    @always_inline
    def _table(self, index: Int) -> Int:
        var offset = self._word(index)
        return self.address + offset if offset != 0 else 0

    @always_inline
    def fits(self, length: Int, lanes: Int, packed: Bool) -> Bool:
        """Whether the plan is that of a transform."""
        return (
            self.length() == length
            and self.lanes() == lanes
            and self._word(_PACKED) == Int(packed)
        )

    def plane(self) -> Int:
        """Bytes between the real and the imaginary parts of the numbers that are worked on."""
        comptime item = size_of[Scalar[REAL]]()
        var numbers = max(self.size(), self.length() + 1) * self.lanes()
        return _aligned(numbers * item) + _GAP

    def stage(self, index: Int) -> Stage:
        """One stage, without the addresses of its numbers."""
        var at = _HEAD + _STAGE_WORDS * index
        return Stage(
            self._word(at),
            self._word(at + 1),
            self._word(at + 2),
            self.address + self._word(at + 3),
            self.address + self._word(at + 4),
        )

    def _run_stages(
        self, source: Int, spare: Int, plane: Int, threads: Int
    ) -> Int:
        """Transforms planes of numbers; returns the address of the result, one of the two."""
        var here = source
        var there = spare
        for index in range(self._word(_STAGES)):
            var stage = self.stage(index)
            stage.source = here
            stage.target = there
            stage.plane = plane
            _run_shared(stage, threads)
            here, there = there, here
        return here

    def run(self, source: Int, spare: Int, plane: Int, threads: Int) -> Int:
        """Transforms planes of numbers, without a factor; returns where the result is.

        Args:
            source: Address of the first real part, of `length` rows of `lanes` numbers.
            spare: Address of memory like it; both are overwritten, and the result is in one.
            plane: Bytes from real to imaginary parts, `self.plane()`; or with the imaginary parts at
                the addresses and its negative here, for the inverse transform.
            threads: Threads that a long transform may use.

        Returns:
            `source` or `spare`.
        """
        var size = self.size()
        var used = threads if size >= PARALLEL_LENGTH else 1
        if size == self.length():
            return self._run_stages(source, spare, plane, used)
        comptime item = size_of[Scalar[REAL]]()
        var lanes = self.lanes()
        var n = self.length()
        self._multiply(source, plane, self._table(_CHIRP), n)
        for at in [source, source + plane]:
            _ = external_call["memset", Int](
                at + n * lanes * item, Int32(0), (size - n) * lanes * item
            )
        var result = self._run_stages(source, spare, plane, used)
        var other = spare if result == source else source
        self._multiply(result, plane, self._table(_FILTER), size)
        # The parts change places, which makes the second transform an inverse one.
        result = self._run_stages(result + plane, other + plane, -plane, used)
        result -= plane
        self._multiply(result, plane, self._table(_CHIRP), n)
        return result

    def _multiply(self, re: Int, plane: Int, table: Int, count: Int):
        """Multiplies rows of numbers by those of a table, whose imaginary parts follow the real."""
        comptime item = size_of[Scalar[REAL]]()
        comptime width = simd_width_of[REAL]()
        var apart = count * item
        var lanes = self.lanes()
        if lanes == 1:
            var k = 0
            while k + width <= count:
                var c = load[REAL, width](table + k * item)
                var d = load[REAL, width](table + k * item + apart)
                _turn[width](re + k * item, plane, c, d)
                k += width
            while k < count:
                var c = load[REAL](table + k * item)
                var d = load[REAL](table + k * item + apart)
                _turn[1](re + k * item, plane, c, d)
                k += 1
            return
        for k in range(count):
            var c = SIMD[REAL, width](load[REAL](table + k * item))
            var d = SIMD[REAL, width](load[REAL](table + k * item + apart))
            _turn[width](re + k * lanes * item, plane, c, d)


@always_inline
def _turn[
    width: Int
](re: Int, plane: Int, c: SIMD[REAL, width], d: SIMD[REAL, width]):
    """Multiplies a vector of numbers in memory by c + d i."""
    var x = load[REAL, width](re)
    var y = load[REAL, width](re + plane)
    store(re, x * c - y * d)
    store(re + plane, x * d + y * c)


def _run_shared(stage: Stage, threads: Int):
    """Runs a stage on several threads: ranges of p, or of q where there are few p."""
    if threads <= 1:
        run_stage(stage, Share(0, stage.m, 0, stage.s))
        return
    comptime width = simd_width_of[REAL]()
    var by_p = stage.m >= stage.s
    # Whole vectors for each thread.
    var blocks = (stage.m if by_p else stage.s) // width

    def share(index: Int) {imm}:
        var last = index == threads - 1
        var start = part(blocks, index, threads) * width
        var end = part(blocks, index + 1, threads) * width
        if by_p:
            end = stage.m if last else end
            run_stage(stage, Share(start, end, 0, stage.s))
        else:
            end = stage.s if last else end
            run_stage(stage, Share(0, stage.m, start, end))

    parallel_for(share, threads)


struct Layout:
    """Where the tables of a plan lie, as they are laid out one after the other."""

    var end: Int

    def __init__(out self, start: Int):
        self.end = _aligned(start)

    def add(mut self, bytes: Int) -> Int:
        """The offset of a new table."""
        var offset = self.end
        self.end = _aligned(offset + bytes)
        return offset


def _lay_out(plan: Plan, factors: Factors, size: Int, mut layout: Layout):
    """Writes the words of the stages."""
    comptime item = size_of[Scalar[REAL]]()
    var m = size
    var s = plan.lanes()
    for index in range(factors.count):
        var radix = factors.radices[index]
        m //= radix
        var at = _HEAD + _STAGE_WORDS * index
        plan._set(at, radix)
        plan._set(at + 1, m)
        plan._set(at + 2, s)
        plan._set(at + 3, layout.add(2 * (radix - 1) * m * item))
        plan._set(at + 4, layout.add(2 * radix * item))
        s *= radix


def _write_stage(stage: Stage):
    """Writes the tables of a stage."""
    comptime item = size_of[Scalar[REAL]]()
    var radix = stage.radix
    var n = radix * stage.m
    for k in range(1, radix):
        var at = stage.twiddles + 2 * (k - 1) * item
        var apart = item
        var stride = 2 * (radix - 1) * item
        if stage.s == 1:
            apart = stage.m * item
            at = stage.twiddles + 2 * (k - 1) * apart
            stride = item
        write_roots(at, at + apart, stride, stage.m, k, n)
    var imaginary = stage.roots + radix * item
    write_roots(stage.roots, imaginary, item, radix, 1, radix)


def _write_chirp(address: Int, n: Int):
    """Writes exp(-pi i k**2 / n) for k < n, all real parts first."""
    comptime item = size_of[Scalar[REAL]]()
    comptime width = 8
    var square = 0
    for start in range(0, n, width):
        var index = SIMD[DType.int64, width](0)
        comptime for lane in range(width):
            index[lane] = Int64(square)
            square = (square + 2 * (start + lane) + 1) % (2 * n)
        var values = roots(index, 2 * n)
        comptime for lane in range(width):
            if start + lane < n:
                var at = address + (start + lane) * item
                store(at, values[0][lane])
                store(at + n * item, values[1][lane])


def _write_filter(plan: Plan, address: Int, chirp: Int) -> Bool:
    """Writes the transform of the conjugate chirp, in the first lane of the plan's stages.

    Returns False where there is no memory.
    """
    comptime item = size_of[Scalar[REAL]]()
    var n = plan.length()
    var size = plan.size()
    var step = plan.lanes() * item
    var plane = size * step
    var scratch = allocate(4 * plane)
    if scratch == 0:
        return False
    _ = external_call["memset", Int](scratch, Int32(0), 2 * plane)
    var scale = 1 / Scalar[REAL](size)
    for k in range(n):
        var re = load[REAL](chirp + k * item) * scale
        var im = -load[REAL](chirp + (n + k) * item) * scale
        for at in [k, (size - k) % size]:
            store(scratch + at * step, re)
            store(scratch + at * step + plane, im)
    var result = plan._run_stages(scratch, scratch + 2 * plane, plane, 1)
    for k in range(size):
        store(address + k * item, load[REAL](result + k * step))
        store(
            address + (size + k) * item,
            load[REAL](result + k * step + plane),
        )
    release(scratch)
    return True


def make_plan(length: Int, lanes: Int, packed: Bool) -> Int:
    """The address of a new plan, to be released; 0 if there is no memory.

    Args:
        length: Complex numbers of one transform, 1 or more.
        lanes: Transforms that are done together: 1 or the SIMD width.
        packed: Whether the numbers are pairs of neighbours of real arrays of twice the length.
    """
    comptime item = size_of[Scalar[REAL]]()
    var factors = Factors(length)
    var size = length
    if factors.rest > 1:
        size = _convolution_length(2 * length - 1)
        factors = Factors(size)
    # The words are written to a first block, which tells the size of the plan.
    comptime head = 8 * (_HEAD + _STAGE_WORDS * _MAX_STAGES)
    var words = Array[Int64, _HEAD + _STAGE_WORDS * _MAX_STAGES](fill=0)
    var draft = Plan(Int(Pointer(to=words[0])))
    draft._set(_LENGTH, length)
    draft._set(_LANES, lanes)
    draft._set(_PACKED, Int(packed))
    draft._set(_STAGES, factors.count)
    draft._set(_SIZE, size)
    var layout = Layout(head)
    _lay_out(draft, factors, size, layout)
    if size != length:
        draft._set(_CHIRP, layout.add(2 * length * item))
        draft._set(_FILTER, layout.add(2 * size * item))
    if packed:
        draft._set(_HALVES, layout.add(2 * (length // 2 + 1) * item))
    draft._set(_BYTES, layout.end)
    var plan = Plan(allocate(layout.end))
    if plan.address == 0:
        return 0
    _ = external_call["memcpy", Int](plan.address, draft.address, head)
    _ = words^
    if not _write_tables(plan):
        release(plan.address)
        return 0
    return plan.address


def _write_tables(plan: Plan) -> Bool:
    """Writes all tables of a plan; False where there is no memory."""
    comptime item = size_of[Scalar[REAL]]()
    for index in range(plan._word(_STAGES)):
        _write_stage(plan.stage(index))
    if plan.halves() != 0:
        var count = plan.length() // 2 + 1
        write_roots(
            plan.halves(),
            plan.halves() + count * item,
            item,
            count,
            1,
            2 * plan.length(),
        )
    if plan.size() == plan.length():
        return True
    _write_chirp(plan._table(_CHIRP), plan.length())
    return _write_filter(plan, plan._table(_FILTER), plan._table(_CHIRP))
