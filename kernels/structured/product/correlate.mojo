"""Convolutions of one sequence: sums of products of a shorter one with its parts.

What is outside of the sequence is no number: it adds nothing, beside infinities and nan, too. A few floats
are multiplied and added one after another, as NumPy's `correlate` does; more as `dot_general` does.
"""
from std.sys import simd_width_of, size_of

from elementwise.numbers.dtypes import dtype_code
from structured.product.conv_window import Axis
from structured.product.dot import dot_general
from structured.product.products import Product, multiply_of
from structured.operands.operand import (
    OK,
    Call,
    Operand,
    Operands,
    Words,
    load,
    store,
)
from structured.threads.threads import parallel_for, part, task_count

comptime _FEW = 11
"""Up to so many products of floats are added one after another."""
comptime _VECTORS = 4
"""Vectors of adjacent places that are computed together."""
comptime _FLOATS: Array[DType, 2] = [DType.float32, DType.float64]


def is_sequence(call: Call) -> Bool:
    """Whether a convolution has one image, channel, feature and axis, and neither steps nor gaps."""
    if call.param(0) != 1:
        return False
    for operand in range(3):
        var x = call.operand(operand)
        if x.size(0) != 1 or x.size(1) != 1:
            return False
    var axis = Axis(call, 0)
    return axis.stride == 1 and axis.gap == 1 and axis.tap_step == 1


struct _Sequences(TrivialRegisterPassable):
    """Addresses of the first elements; all are adjacent."""

    var call: Call
    var axis: Axis
    var out_: Int
    var x: Int
    var kernel: Int
    var item: Int
    """Bytes of an element."""

    def __init__(out self, call: Call, out_: Int, x: Int, kernel: Int):
        self.call = call
        self.axis = Axis(call, 0)
        self.out_ = out_
        self.x = x
        self.kernel = kernel
        self.item = call.operand(0).item_size()

    def product(self, place: Int, count: Int, first: Int, last: Int) -> Product:
        """The sums of some taps at some places."""
        var p = Product(
            self.out_ + place * self.item,
            self.x + (place - self.axis.low + first) * self.item,
            self.kernel + first * self.item,
        )
        p.m = count
        p.n = 1
        p.k = last - first
        p.out_m = self.item
        p.a_m = self.item
        p.a_k = self.item
        p.b_k = self.item
        p.b_n = self.item
        return p^

    def add_up(self, place: Int, count: Int, first: Int, last: Int) -> Int:
        """Computes the sums of some taps at some places, as a matrix times a vector."""
        var p = self.product(place, count, first, last)
        var dtype = self.call.operand(0).dtype
        var words: List[Int64] = [
            Int64(p.m),
            Int64(p.out_m),
            Int64(p.m),
            Int64(p.k),
            Int64(p.a_m),
            Int64(p.a_k),
            Int64(p.k),
            Int64(p.b_k),
            0,  # axes of batches
            1,  # and one that is contracted: the last one of x, the first one of the kernel
            1,
            0,
        ]
        var at = Words(unsafe_from_address=Int(words.unsafe_ptr()))
        var operands: List[Operand] = [
            Operand(p.out_, dtype, 1, at, at.unsafe_offset(1)),
            Operand(p.a, dtype, 2, at.unsafe_offset(2), at.unsafe_offset(4)),
            Operand(p.b, dtype, 1, at.unsafe_offset(6), at.unsafe_offset(7)),
        ]
        var status = dot_general(
            Call(
                Operands(unsafe_from_address=Int(operands.unsafe_ptr())),
                3,
                at.unsafe_offset(8),
                4,
                self.call.threads,
                self.call.fault,
            )
        )
        _ = operands^  # they are in use until here
        _ = words^
        return status

    def few[dtype: DType](self, start: Int, end: Int):
        """Computes places that see elements only, by adding one product after another."""
        comptime width = simd_width_of[dtype]()
        comptime item = size_of[Scalar[dtype]]()
        comptime block = _VECTORS * width
        var place = start
        while place + block <= end:
            var p = self.product(place, 1, 0, self.axis.taps)
            var totals = Array[SIMD[dtype, width], _VECTORS](fill=0)
            for tap in range(p.k):
                var factor = load[dtype](p.b + tap * item)
                comptime for k in range(_VECTORS):
                    var seen = p.a + (tap + k * width) * item
                    totals[k] += load[dtype, width](seen) * factor
            comptime for k in range(_VECTORS):
                store(p.out_ + k * width * item, totals[k])
            place += block
        for one in range(place, end):
            var p = self.product(one, 1, 0, self.axis.taps)
            var total = Scalar[dtype](0)
            for tap in range(p.k):
                var seen = load[dtype](p.a + tap * item)
                total += seen * load[dtype](p.b + tap * item)
            store(p.out_, total)

    def covered(self, start: Int, end: Int) -> Int:
        """Computes places that see elements only."""
        var taps = self.axis.taps
        var work = (end - start) * taps
        var tasks = task_count(work, self.call.threads)
        comptime for index in range(len(_FLOATS)):
            comptime dtype = _FLOATS[index]
            if taps <= _FEW and self.call.operand(0).dtype == dtype_code(dtype):

                def share(index: Int) {imm}:
                    var first = start + part(end - start, index, tasks)
                    var last = start + part(end - start, index + 1, tasks)
                    self.few[dtype](first, last)

                parallel_for(share, tasks)
                return OK
        return self.add_up(start, end - start, 0, taps)

    def edge(self, start: Int, end: Int) -> Int:
        """Computes places of which some taps are outside."""
        var multiply = multiply_of(self.call.operand(0).dtype)
        for place in range(start, end):
            var at = place - self.axis.low
            var first = min(max(-at, 0), self.axis.taps)
            var last = max(min(self.axis.size - at, self.axis.taps), first)
            if multiply:
                multiply.value()(self.product(place, 1, first, last))
                continue
            var status = self.add_up(place, 1, first, last)
            if status != OK:
                return status
        return OK


def correlate(call: Call, out_: Int, x: Int, kernel: Int) -> Int:
    """A convolution for which `is_sequence`: `conv_general_dilated` tells operands and parameters.

    The addresses are those of all elements in C order: so strides decide no bits.
    """
    var pair = _Sequences(call, out_, x, kernel)
    ref axis = pair.axis
    var start = min(max(axis.low, 0), axis.places)
    var end = axis.size - axis.taps + 1 + axis.low
    end = max(min(end, axis.places), start)
    var status = pair.edge(0, start)
    if status == OK and end > start:
        status = pair.covered(start, end)
    if status == OK:
        status = pair.edge(end, axis.places)
    return status
