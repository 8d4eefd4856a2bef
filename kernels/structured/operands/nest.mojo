"""Loop nests: the axes that several strided operands share, simplified and walked."""
from structured.operands.operand import MAX_RANK, Operand


struct Nest[N: Int](Copyable):
    """Sizes and byte strides of the axes of N operands, outermost axis first.

    Axes of size 1 are dropped as they are added. Nothing is allocated: copies are cheap enough
    for one per thread, not for one per row.
    """

    var rank: Int
    var empty: Bool
    """Whether an axis of size 0 was added."""
    var bases: Array[Int, Self.N]
    """Address of the first element of each operand."""
    var sizes: Array[Int, MAX_RANK]
    var strides: Array[Int, MAX_RANK * Self.N]

    def __init__(out self, bases: Array[Int, Self.N]):
        self.rank = 0
        self.empty = False
        self.bases = bases.copy()
        self.sizes = Array[Int, MAX_RANK](uninitialized=True)
        self.strides = Array[Int, MAX_RANK * Self.N](uninitialized=True)

    @always_inline
    def stride(self, operand: Int, axis: Int) -> Int:
        """Bytes from one element of an operand to the next along an axis."""
        return self.strides[axis * Self.N + operand]

    def push(mut self, size: Int, strides: Array[Int, Self.N]):
        """Adds an innermost axis, unless its size is 1."""
        if size != 1:
            self.keep(size, strides)

    def keep(mut self, size: Int, strides: Array[Int, Self.N]):
        """Adds an innermost axis of any size."""
        if size == 0:
            self.empty = True
        self.sizes[self.rank] = size
        comptime for operand in range(Self.N):
            self.strides[self.rank * Self.N + operand] = strides[operand]
        self.rank += 1

    def count(self, axes: Int) -> Int:
        """Iterations of the outermost `axes` axes."""
        var product = 1
        for axis in range(axes):
            product *= self.sizes[axis]
        return product

    def flip(mut self, operand: Int):
        """Reverses the axes along which an operand runs backwards."""
        for axis in range(self.rank):
            if self.stride(operand, axis) < 0:
                comptime for other in range(Self.N):
                    var stride = self.stride(other, axis)
                    self.bases[other] += stride * (self.sizes[axis] - 1)
                    self.strides[axis * Self.N + other] = -stride

    def swap(mut self, a: Int, b: Int):
        """Exchanges two axes."""
        self.sizes[a], self.sizes[b] = self.sizes[b], self.sizes[a]
        comptime for operand in range(Self.N):
            var stride = self.stride(operand, a)
            self.strides[a * Self.N + operand] = self.stride(operand, b)
            self.strides[b * Self.N + operand] = stride

    def sink(mut self, axis: Int, place: Int):
        """Moves an axis inwards to `place`; those between move out by one."""
        for at in range(axis, place):
            self.swap(at, at + 1)

    def sort(mut self, operand: Int):
        """Orders the axes by one operand's strides, the smallest innermost; stable."""
        for axis in range(1, self.rank):
            var at = axis
            while at > 0 and abs(self.stride(operand, at - 1)) < abs(
                self.stride(operand, at)
            ):
                self.swap(at - 1, at)
                at -= 1

    def mergeable(self, axis: Int) -> Bool:
        """Whether `axis` and the one inside it are one axis to every operand."""
        comptime for operand in range(Self.N):
            var inner = self.stride(operand, axis + 1) * self.sizes[axis + 1]
            if self.stride(operand, axis) != inner:
                return False
        return True

    def merge(mut self, axis: Int):
        """Makes `axis` and the one inside it one axis."""
        self.sizes[axis] *= self.sizes[axis + 1]
        comptime for operand in range(Self.N):
            self.strides[axis * Self.N + operand] = self.stride(
                operand, axis + 1
            )
        self.rank -= 1
        for at in range(axis + 1, self.rank):
            self.sizes[at] = self.sizes[at + 1]
            comptime for operand in range(Self.N):
                self.strides[at * Self.N + operand] = self.stride(
                    operand, at + 1
                )

    def coalesce(mut self):
        """Merges adjacent axes wherever every operand allows it."""
        for axis in reversed(range(self.rank - 1)):
            if self.mergeable(axis):
                self.merge(axis)

    def share(self, axis: Int, start: Int, end: Int) -> Self:
        """The part of the nest with `start <= index < end` along one axis."""
        var result = self.copy()
        result.sizes[axis] = end - start
        comptime for operand in range(Self.N):
            result.bases[operand] += start * self.stride(operand, axis)
        return result^

    def longest(self) -> Int:
        """The first of the axes with the most elements, -1 for rank 0."""
        var best = -1
        for axis in range(self.rank):
            if best < 0 or self.sizes[axis] > self.sizes[best]:
                best = axis
        return best


struct Cursor[N: Int]:
    """A position in the outermost `axes` axes of a nest, and the operands' addresses there."""

    var at: Array[Int, Self.N]
    var axes: Int
    var index: Array[Int, MAX_RANK]

    def __init__(out self, nest: Nest[Self.N], axes: Int, flat: Int = 0):
        """Starts at position `flat` of the C-order walk."""
        self.at = nest.bases.copy()
        self.axes = axes
        self.index = Array[Int, MAX_RANK](uninitialized=True)
        var rest = flat
        for axis in reversed(range(axes)):
            var here = 0
            if rest > 0:
                here = rest % nest.sizes[axis]
                rest //= nest.sizes[axis]
            self.index[axis] = here
            comptime for operand in range(Self.N):
                self.at[operand] += here * nest.stride(operand, axis)

    @always_inline
    def advance(mut self, nest: Nest[Self.N]):
        """Steps to the next position; the first one follows the last."""
        for axis in reversed(range(self.axes)):
            self.index[axis] += 1
            comptime for operand in range(Self.N):
                self.at[operand] += nest.stride(operand, axis)
            if self.index[axis] < nest.sizes[axis]:
                return
            self.index[axis] = 0
            comptime for operand in range(Self.N):
                self.at[operand] -= (
                    nest.stride(operand, axis) * nest.sizes[axis]
                )


def nest_of_two(a: Operand, b: Operand) -> Nest[2]:
    """The nest of two operands of the same shape."""
    var nest = Nest[2]([a.address, b.address])
    for axis in range(a.rank):
        nest.push(a.size(axis), [a.stride(axis), b.stride(axis)])
    return nest^


def nest_of(operand: Operand, axes: Int) -> Nest[1]:
    """The nest of the first axes of an operand."""
    var nest = Nest[1]([operand.address])
    for axis in range(axes):
        nest.push(operand.size(axis), [operand.stride(axis)])
    return nest^


struct RowWalk:
    """The positions `start .. start + count - 1` of a nest in C order, row by row."""

    var nest: Nest[1]
    var cursor: Cursor[1]
    var skip: Int
    var left: Int
    var address: Int
    """Address of the first position of the row."""
    var stride: Int
    """Bytes between its positions."""
    var count: Int
    """Number of its positions."""

    def __init__(out self, var nest: Nest[1], start: Int, count: Int):
        nest.coalesce()
        if nest.rank == 0:
            nest.keep(1, [0])
        var inner = nest.rank - 1
        var row = max(nest.sizes[inner], 1)
        self.cursor = Cursor[1](nest, inner, start // row)
        self.skip = start % row
        self.left = count
        self.stride = nest.stride(0, inner)
        self.address = 0
        self.count = 0
        self.nest = nest^

    @always_inline
    def next(mut self) -> Bool:
        """Steps to the next row; False when all positions were seen."""
        if self.left == 0:
            return False
        self.address = self.cursor.at[0] + self.skip * self.stride
        var row = self.nest.sizes[self.nest.rank - 1]
        self.count = min(row - self.skip, self.left)
        self.left -= self.count
        self.skip = 0
        self.cursor.advance(self.nest)
        return True
