"""Discrete Fourier transforms along the last axis."""
from elementwise.numbers.dtypes import dtype_code
from std.sys import simd_width_of, size_of

from structured.fourier.butterflies import REAL
from structured.fourier.cache import keep_plan, take_plan
from structured.fourier.plan import Plan, make_plan
from structured.fourier.rows import Lane, Pairs, extend, read, recombine, write
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    MAX_RANK,
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    valid,
)
from structured.threads.threads import parallel_for, part, task_count

# Kinds of transforms, numbered as jax.lax.FftType does.
comptime _FORWARD = 0
comptime _INVERSE = 1
comptime _REAL = 2
comptime _INVERSE_REAL = 3

comptime _REALS: Array[DType, 2] = [DType.float32, DType.float64]
comptime _COMPLEX: Array[Int, 2] = [13, 14]
"""The dtype codes of complex64 and complex128."""
comptime _SHORT = 64
"""The longest transforms of which several are always done together."""
comptime _TOGETHER = 512
"""The longest transforms of which several are done together where stages of one do not fill vectors,
so short that they stay in cache."""
comptime _WORK = 1
"""Element operations that one number is worth, for each factor of 2 of the length."""


struct Transform(TrivialRegisterPassable):
    """What is done with each row."""

    var kind: Int
    var length: Int
    """Real or complex numbers of the longer side."""
    var plan: Plan
    var in_stride: Int
    var out_stride: Int
    var threads: Int
    """Threads for the stages of one transform."""

    def __init__(out self, call: Call, plan: Plan, threads: Int):
        self.kind = call.param(0)
        self.length = call.param(1)
        self.plan = plan
        self.out_stride = call.operand(0).stride(call.operand(0).rank - 1)
        self.in_stride = call.operand(1).stride(call.operand(1).rank - 1)
        self.threads = threads

    @always_inline
    def inverse(self) -> Bool:
        """Whether real and imaginary parts change places."""
        return self.kind == _INVERSE or self.kind == _INVERSE_REAL

    @always_inline
    def packed(self) -> Bool:
        """Whether neighbours of the real side are taken as complex numbers."""
        return self.kind >= _REAL and self.length % 2 == 0

    @always_inline
    def complex_pairs(self, address: Int, stride: Int, item: Int) -> Pairs:
        """A row of complex numbers; half of them, where the other side is real."""
        var count = self.length
        if self.kind >= _REAL:
            count = self.length // 2 + 1
        return Pairs(address, stride, item, count)

    @always_inline
    def real_pairs(self, address: Int, stride: Int) -> Pairs:
        """A row of real numbers: neighbours, or numbers without imaginary parts."""
        if self.packed():
            return Pairs(address, 2 * stride, stride, self.length // 2)
        return Pairs(address, stride, 0, self.length)

    @always_inline
    def source(self, address: Int, item: Int) -> Pairs:
        """A row of the input."""
        if self.kind == _REAL:
            return self.real_pairs(address, self.in_stride)
        return self.complex_pairs(address, self.in_stride, item)

    @always_inline
    def target(self, address: Int, item: Int) -> Pairs:
        """A row of the output."""
        if self.kind == _INVERSE_REAL:
            return self.real_pairs(address, self.out_stride)
        return self.complex_pairs(address, self.out_stride, item)

    def run(self, scratch: Int) -> Int:
        """Transforms what lies in the first half of the scratch memory; returns where it then is."""
        var plan = self.plan
        var plane = plan.plane()
        var lanes = plan.lanes()
        var n = plan.length()
        if self.kind == _INVERSE_REAL:
            if self.packed():
                recombine[True](scratch, plane, n, lanes, plan.halves())
            else:
                extend(scratch, plane, n, lanes)
        if self.inverse():
            var result = plan.run(
                scratch + plane, scratch + 3 * plane, -plane, self.threads
            )
            return result - plane
        var result = plan.run(scratch, scratch + 2 * plane, plane, self.threads)
        if self.packed():
            recombine[False](result, plane, n, lanes, plan.halves())
        return result


def _transform_rows[
    dtype: DType
](transform: Transform, nest: Nest[2], start: Int, count: Int) -> Bool:
    """Transforms `count` rows of the nest of (output, input), from row `start` on.

    Returns False, before anything is written, where there is no memory.
    """
    comptime item = size_of[Scalar[dtype]]()
    comptime lane_item = size_of[Scalar[REAL]]()
    comptime width = simd_width_of[REAL]()
    var plane = transform.plan.plane()
    var lanes = transform.plan.lanes()
    var scratch = allocate(4 * plane)
    if scratch == 0:
        return False
    var scale = Scalar[REAL](1)
    if transform.inverse():
        scale = 1 / Scalar[REAL](transform.length)
    var cursor = Cursor[2](nest, nest.rank, start)
    var targets = Array[Int, width](fill=0)
    for row in range(0, count, lanes):
        var rows = min(lanes, count - row)
        var source = 0
        for lane in range(lanes):
            # Lanes without a row get the last one, whose result is not stored again.
            if lane < rows:
                targets[lane] = cursor.at[0]
                source = cursor.at[1]
                cursor.advance(nest)
            read[dtype](
                transform.source(source, item),
                Lane(scratch + lane * lane_item, plane, lanes),
            )
        var result = transform.run(scratch)
        for lane in range(rows):
            write[dtype](
                transform.target(targets[lane], item),
                Lane(result + lane * lane_item, plane, lanes),
                scale,
            )
    release(scratch)
    return True


def _fitting_plan(length: Int, lanes: Int, packed: Bool) -> Int:
    """A plan out of the cache or a new one; 0 if there is no memory."""
    var found = take_plan(length, lanes, packed)
    if found == 0:
        found = make_plan(length, lanes, packed)
    return found


def _transform[dtype: DType](call: Call) -> Int:
    """Transforms all rows."""
    comptime width = simd_width_of[REAL]()
    var out_ = call.operand(0)
    var x = call.operand(1)
    var nest = Nest[2]([out_.address, x.address])
    for axis in range(out_.rank - 1):
        nest.push(out_.size(axis), [out_.stride(axis), x.stride(axis)])
    if nest.empty:
        return OK
    var rows = nest.count(nest.rank)
    var length = call.param(1)
    var packed = call.param(0) >= _REAL and length % 2 == 0
    var numbers = length // 2 if packed else length
    var together = _SHORT if numbers % 8 == 0 else _TOGETHER
    var lanes = width if numbers <= together and rows > 1 else 1
    var address = _fitting_plan(numbers, lanes, packed)
    if address == 0:
        return NO_MEMORY
    var depth = 1
    while numbers >> depth > 0:
        depth += 1
    var blocks = (rows + lanes - 1) // lanes
    var tasks = task_count(rows * numbers * depth * _WORK, call.threads)
    var inner = 1
    if blocks < tasks:
        inner = tasks
        tasks = 1
    var transform = Transform(call, Plan(address), inner)
    var enough = Array[Bool, MAX_RANK * 8](fill=True)
    tasks = min(tasks, len(enough))

    def share(index: Int) {mut enough, imm}:
        var start = part(blocks, index, tasks) * lanes
        var end = min(part(blocks, index + 1, tasks) * lanes, rows)
        enough[index] = _transform_rows[dtype](
            transform, nest, start, end - start
        )

    parallel_for(share, tasks)
    keep_plan(address)
    for index in range(tasks):
        if not enough[index]:
            return NO_MEMORY
    return OK


def _sizes_agree(call: Call) -> Bool:
    """Whether the axes before the last agree, and the last ones are those of the transform."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    if out_.rank != x.rank or x.rank == 0:
        return False
    for axis in range(x.rank - 1):
        if x.size(axis) != out_.size(axis):
            return False
    var length = call.param(1)
    var half = length // 2 + 1
    var kind = call.param(0)
    var wanted = half if kind == _INVERSE_REAL else length
    var given = half if kind == _REAL else length
    return x.size(x.rank - 1) == wanted and out_.size(x.rank - 1) == given


def fft(call: Call) -> Int:
    """`out = x` transformed along the last axis; params: kind, as jax.lax.FftType, and length.

    Kinds: 0 forward and 1 inverse, of complex numbers; 2 forward, of real numbers; 3 inverse, to
    real numbers, which uses neither the imaginary part of number 0 nor, for an even length, that
    of the last one. The length is that of the longer side and 1 or more; the other one of a real
    array is `length // 2 + 1`. Inverse transforms are divided by the length. complex64 with float32
    and complex128 with float64, computed in double precision as NumPy does; any strides.
    """
    if not valid(call, 2, 2):
        return UNSUPPORTED
    var kind = call.param(0)
    if kind < _FORWARD or kind > _INVERSE_REAL or call.param(1) < 1:
        return UNSUPPORTED
    if not _sizes_agree(call):
        return UNSUPPORTED
    comptime for index in range(len(_REALS)):
        comptime dtype = _REALS[index]
        comptime complex_code = _COMPLEX[index]
        var wanted = dtype_code(dtype) if kind == _REAL else complex_code
        var given = dtype_code(dtype) if kind == _INVERSE_REAL else complex_code
        if call.operand(1).dtype == wanted and call.operand(0).dtype == given:
            return _transform[dtype](call)
    return UNSUPPORTED
