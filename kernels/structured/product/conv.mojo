"""General convolutions: windows of the input copied into columns, which a matrix multiplies."""
from structured.product.blas import BLAS_WORK, Blas
from structured.product.conv_last import convolve_last, takes
from structured.product.correlate import correlate, is_sequence
from structured.movement.copy import copy_nest
from structured.product.conv_window import (
    HEAD,
    MAX_SPATIAL,
    PER_AXIS,
    Columns,
    Window,
)
from structured.operands.memory import allocate, release
from structured.operands.nest import Nest
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    Operands,
    Words,
    valid,
)
from structured.product.products import Multiply, Product, multiply_of
from structured.threads.threads import parallel_for, part, task_count

comptime _BLOCK_BYTES = 1 << 20
"""Bytes of columns that are copied before they are multiplied, so that they stay in cache."""


struct Convolution(TrivialRegisterPassable):
    """The sizes of a convolution, and contiguous arrays of the kernel and of the output."""

    var call: Call
    var kernel: Int
    """Address of the kernel, C-contiguous."""
    var out_: Int
    """Address of the output, C-contiguous."""
    var item: Int
    var images: Int
    """Images of the output."""
    var features: Int
    """Features of the output."""
    var groups: Int
    """Feature groups times batch groups, one of which is 1."""
    var batch_groups: Int
    var channels: Int
    """Input features of one group."""
    var taps: Int
    """Spatial elements of the kernel."""
    var places: Int
    """Spatial elements of the output."""

    def __init__(out self, call: Call):
        var out_ = call.operand(0)
        var kernel = call.operand(2)
        self.call = call
        self.kernel = kernel.address
        self.out_ = out_.address
        self.item = out_.item_size()
        self.images = out_.size(0)
        self.features = out_.size(1)
        self.batch_groups = call.param(2)
        self.groups = call.param(1) * call.param(2)
        self.channels = kernel.size(1)
        self.taps = 1
        self.places = 1
        for axis in range(2, out_.rank):
            self.taps *= kernel.size(axis)
            self.places *= out_.size(axis)

    def product(self, image: Int, group: Int, start: Int, end: Int) -> Product:
        """The product for some places of one image and one group, without the columns."""
        var per_group = self.features // self.groups
        var terms = self.channels * self.taps
        var first = group * per_group
        var row = (image * self.features + first) * self.places
        var p = Product(
            self.out_ + (row + start) * self.item,
            self.kernel + first * terms * self.item,
            0,
        )
        p.m = per_group
        p.k = terms
        p.n = end - start
        p.out_m = self.places * self.item
        p.a_m = terms * self.item
        p.a_k = self.item
        p.b_k = p.n * self.item
        p.b_n = self.item
        return p^

    def source(self, image: Int, group: Int) -> Int:
        """Address of the first channel of the input that one image and group reads."""
        var x = self.call.operand(1)
        if self.batch_groups > 1:
            return x.address + (group * self.images + image) * x.stride(0)
        return (
            x.address
            + image * x.stride(0)
            + group * self.channels * x.stride(1)
        )

    def block(self) -> Int:
        """Places that are computed together."""
        var bytes = max(self.channels * self.taps * self.item, 1)
        return min(max(_BLOCK_BYTES // bytes, 64), max(self.places, 1))


def _alone(
    conv: Convolution, window: Window, multiply: Multiply, start: Int, end: Int
) -> Bool:
    """Computes some of the pairs of image and group on this thread; False without memory."""
    var block = conv.block()
    var scratch = allocate(block * conv.channels * conv.taps * conv.item)
    if scratch == 0:
        return False
    for pair in range(start, end):
        var image = pair // conv.groups
        var group = pair % conv.groups
        for first in range(0, conv.places, block):
            var last = min(first + block, conv.places)
            var p = conv.product(image, group, first, last)
            p.b = scratch
            var columns = Columns(conv.source(image, group), scratch, first)
            window.copy(columns, p.n, 0, p.k)
            multiply(p)
    release(scratch)
    return True


def _together(
    conv: Convolution, window: Window, multiply: Multiply, threads: Int
) -> Bool:
    """Computes one pair of image and group after the other, each on all threads, by BLAS if it can."""
    var block = conv.block() * threads
    block = min(block, conv.places)
    var terms = conv.channels * conv.taps
    var scratch = allocate(block * terms * conv.item)
    if scratch == 0:
        return False
    var blas = Blas(conv.call.operand(0).dtype)
    for pair in range(conv.images * conv.groups):
        var image = pair // conv.groups
        var group = pair % conv.groups
        for first in range(0, conv.places, block):
            var last = min(first + block, conv.places)
            var p = conv.product(image, group, first, last)
            p.b = scratch
            var columns = Columns(conv.source(image, group), scratch, first)
            var tasks = min(task_count(p.n * terms, threads), terms)

            def copy(index: Int) {imm}:
                var start = part(terms, index, tasks)
                window.copy(columns, p.n, start, part(terms, index + 1, tasks))

            parallel_for(copy, tasks)
            if blas.takes(p):
                blas.multiply(p, threads)
                continue
            var by_rows = p.m >= p.n
            var shares = min(
                task_count(p.m * p.n * p.k, threads), p.m if by_rows else p.n
            )

            def share(index: Int) {imm}:
                multiply(p.part(by_rows, index, shares, conv.item))

            parallel_for(share, shares)
    release(scratch)
    return True


def _convolve(conv: Convolution, window: Window, multiply: Multiply) -> Bool:
    """Computes the output, in contiguous arrays; False where there is no memory."""
    var pairs = conv.images * conv.groups
    var terms = conv.channels * conv.taps
    var work = conv.features // conv.groups * conv.places * terms
    var threads = conv.call.threads
    if work >= BLAS_WORK:
        return _together(conv, window, multiply, threads)
    var tasks = min(task_count(pairs * work, threads), pairs)
    if tasks <= 1:
        return _alone(conv, window, multiply, 0, pairs)
    var enough = Array[Bool, 256](fill=True)
    tasks = min(tasks, len(enough))

    def share(index: Int) {mut enough, imm}:
        enough[index] = _alone(
            conv,
            window,
            multiply,
            part(pairs, index, tasks),
            part(pairs, index + 1, tasks),
        )

    parallel_for(share, tasks)
    for index in range(tasks):
        if not enough[index]:
            return False
    return True


struct Contiguous(TrivialRegisterPassable):
    """An operand in C order: as it lies, or a copy."""

    var operand: Operand
    var address: Int
    var scratch: Int
    """Address of the copy, 0 without one."""

    def __init__(out self, operand: Operand):
        self.operand = operand
        self.address = operand.address
        self.scratch = 0
        if not operand.contiguous():
            self.scratch = allocate(operand.count() * operand.item_size())
            self.address = self.scratch

    def copy(self, back: Bool, threads: Int):
        """Fills the copy, or writes it back."""
        if self.scratch == 0:
            return
        var item = self.operand.item_size()
        var left = self.operand.count() * item
        var bases: Array[Int, 2] = [self.scratch, self.operand.address]
        if back:
            bases = [self.operand.address, self.scratch]
        var nest = Nest[2](bases)
        for axis in range(self.operand.rank):
            var size = self.operand.size(axis)
            left //= max(size, 1)
            var stride = self.operand.stride(axis)
            if back:
                nest.push(size, [stride, left])
            else:
                nest.push(size, [left, stride])
        copy_nest(nest, item, threads)


def _sizes_agree(call: Call) -> Bool:
    """Whether parameters are in range and all sizes what they must be."""
    var out_ = call.operand(0)
    var x = call.operand(1)
    var kernel = call.operand(2)
    var spatial = call.param(0)
    if (
        spatial < 0
        or spatial > MAX_SPATIAL
        or call.param_count < HEAD + PER_AXIS * spatial
        or out_.rank != spatial + 2
        or x.rank != out_.rank
        or kernel.rank != out_.rank
    ):
        return False
    var features = call.param(1)
    var batches = call.param(2)
    if features < 1 or batches < 1 or (features > 1 and batches > 1):
        return False
    if (
        x.size(1) != kernel.size(1) * features
        or x.size(0) != out_.size(0) * batches
        or kernel.size(0) != out_.size(1)
        or kernel.size(0) % (features * batches) != 0
    ):
        return False
    var window = Window(call)
    for axis in range(spatial):
        if window.places_of(axis) != out_.size(axis + 2):
            return False
    return True


struct Turned(Movable):
    """An operand with its axes in another order."""

    var words: List[Int64]
    """The shape, then the strides."""
    var operand: Operand

    def __init__(out self, x: Operand, order: List[Int]):
        self.words = List[Int64](capacity=2 * len(order))
        for axis in order:
            self.words.append(Int64(x.size(axis)))
        for axis in order:
            self.words.append(Int64(x.stride(axis)))
        var shape = Words(unsafe_from_address=Int(self.words.unsafe_ptr()))
        var strides = shape.unsafe_offset(len(order))
        self.operand = Operand(x.address, x.dtype, x.rank, shape, strides)


def _features_first(x: Operand) -> Turned:
    """(N, spatial.., O) as (N, O, spatial..)."""
    var order: List[Int] = [0, x.rank - 1]
    for axis in range(1, x.rank - 1):
        order.append(axis)
    return Turned(x, order)


def _features_last(kernel: Operand) -> Turned:
    """(O, I, spatial..) as (spatial.., I, O)."""
    var order = List[Int]()
    for axis in range(2, kernel.rank):
        order.append(axis)
    order.append(1)
    order.append(0)
    return Turned(kernel, order)


def _convolve_last(call: Call, multiply: Multiply) -> Int:
    """Computes a convolution whose channels and features are adjacent."""
    var turned = _features_last(call.operand(2))
    var kernel = Contiguous(turned.operand)
    var enough = kernel.address != 0
    if enough:
        kernel.copy(False, call.threads)
        enough = convolve_last(call, kernel.address, multiply)
    release(kernel.scratch)
    _ = turned^
    return OK if enough else NO_MEMORY


def conv_general_dilated(call: Call) -> Int:
    """`out[n, o, place] = sum of x[n, c, place * stride + tap * dilation - low] * kernel[o, c, tap]`.

    Operands: out (N, O, spatial..), x (N, C, spatial..), kernel (O, I, spatial..), one dtype, any
    strides: dimension numbers are a matter of strides. Params: number of spatial axes, feature
    groups, batch groups (one of these two is 1), and 1 if out is (N, spatial.., O); then for each
    spatial axis stride, low and high padding (which may be negative), dilation of x and of the
    kernel, as jax.lax.conv_general_dilated has them. Numbers or bool; integers wrap, for booleans
    it is `any(a & b)`. Floats are added in any order.
    """
    if not valid(call, 3, HEAD) or call.operand(0).rank < 2:
        return UNSUPPORTED
    if call.param(3) == 0:
        return _convolution(call)
    var turned = _features_first(call.operand(0))
    var operands: List[Operand] = [
        turned.operand,
        call.operand(1),
        call.operand(2),
    ]
    var status = _convolution(
        Call(
            Operands(unsafe_from_address=Int(operands.unsafe_ptr())),
            3,
            call.params,
            call.param_count,
            call.threads,
            call.fault,
        )
    )
    _ = operands^
    _ = turned^
    return status


def _correlate(call: Call) -> Int:
    """Computes the convolution of a sequence, from contiguous arrays."""
    var result = Contiguous(call.operand(0))
    var x = Contiguous(call.operand(1))
    var kernel = Contiguous(call.operand(2))
    var status = NO_MEMORY
    if result.address != 0 and x.address != 0 and kernel.address != 0:
        x.copy(False, call.threads)
        kernel.copy(False, call.threads)
        status = correlate(call, result.address, x.address, kernel.address)
        result.copy(True, call.threads)
    release(result.scratch)
    release(x.scratch)
    release(kernel.scratch)
    return status


def _convolution(call: Call) -> Int:
    """`conv_general_dilated` with an output (N, O, spatial..)."""
    if not _sizes_agree(call):
        return UNSUPPORTED
    var out_ = call.operand(0)
    if (
        call.operand(1).dtype != out_.dtype
        or call.operand(2).dtype != out_.dtype
    ):
        return UNSUPPORTED
    if out_.count() == 0:
        return OK
    if is_sequence(call):
        return _correlate(call)
    var multiply = multiply_of(out_.dtype)
    if not multiply:
        return UNSUPPORTED
    if takes(call):
        return _convolve_last(call, multiply.value())
    var kernel = Contiguous(call.operand(2))
    var result = Contiguous(out_)
    var enough = kernel.address != 0 and result.address != 0
    if enough:
        kernel.copy(False, call.threads)
        var conv = Convolution(call)
        conv.kernel = kernel.address
        conv.out_ = result.address
        enough = _convolve(conv, Window(call), multiply.value())
        if enough:
            result.copy(True, call.threads)
    release(kernel.scratch)
    release(result.scratch)
    return OK if enough else NO_MEMORY
