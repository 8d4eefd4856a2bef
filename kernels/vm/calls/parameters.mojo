"""Parameters of distributions: by which they are known to be allowed, and those that are arrays."""

from std.memory import bitcast
from std.utils.numerics import isinf
from elementwise.numbers.dtypes import COMPLEX64
from structured.random.wish import PARAMETERS
from vm.base.bytecode import itemsize
from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.numbers import FIRST_FLOAT, FLOAT64
from vm.base.objects import ObjectsPointer, broadcast, item
from vm.base.raw import ARRAY_STRIDES, TUPLE_SIZE, drop, kept, load
from vm.record.element import start_of
from vm.record.operands import array_given
from vm.run.flush import computed
from vm.run.look import number

comptime CHECKS = (
    "none positive scaled chance range mean trials order failures urn steep"
)
"""How parameters are checked: not at all; all positive; the second one positive; the first one between 0 and 1;
the second one larger than the first one, of which the difference is taken; a mean that is not too large; a
number of trials and a chance; three in order; a number of successes and a chance; what is in an urn, and how
much is taken out; an exponent above 1."""
comptime _POSITIVE = 1
comptime _SCALED = 2
comptime _CHANCE = 3
comptime _RANGE = 4
comptime _MEAN = 5
comptime _TRIALS = 6
comptime _ORDER = 7
comptime _FAILURES = 8
comptime _URN = 9
comptime _STEEP = 10

comptime _MOST = Float64(1e15)
"""A mean up to which Poisson numbers are surely drawn."""


def are_fine(
    mut numbers: Array[Float64, PARAMETERS], check: Int, count: Int
) -> Bool:
    """Whether the parameters of a number are surely allowed; makes a difference of the bounds of a range."""
    var a = numbers[0]
    var b = numbers[1]
    if check == _POSITIVE:
        for k in range(count):
            if not numbers[k] > 0:
                return False
        return True
    if check == _SCALED:
        return b > 0 and a == a
    if check == _CHANCE:
        return a > 0 and a < 1
    if check == _RANGE:
        numbers[1] = b - a
        return b - a > 0 and not isinf(b - a)
    if check == _MEAN:
        return a >= 0 and a < _MOST
    if check == _TRIALS:
        return a >= 0 and b > 0 and b < 1
    var c = numbers[2]
    if check == _ORDER:
        return a <= b and b <= c and a < c
    if check == _FAILURES:
        return a > 0 and a < _MOST and b > 1e-9 and b < 1
    if check == _URN:
        var fits = a >= 0 and a < 1e9 and b >= 0 and b < 1e9
        return fits and c >= 1 and c <= a + b
    if check == _STEEP:
        return a > 1
    return True


struct Arrays:
    """The parameters that are arrays."""

    var objects: ObjectsPointer
    var given: List[Int]
    """New references, 0 for those that are numbers."""
    var shape: Int
    """The shape that all are spread to, a new reference; 0 if there are none, or none is found."""

    def __init__(out self, objects: ObjectsPointer):
        self.objects = objects
        self.given = List[Int]()
        self.shape = 0

    def __del__(deinit self):
        for x in self.given:
            if x != 0:
                drop(x)
        if self.shape != 0:
            drop(self.shape)

    def take(mut self, x: Int, must_be_whole: Bool) -> Bool:
        """Takes the next parameter; False if it is no array with axes, or one of other numbers than it must be."""
        var found = array_given(self.objects, x)
        if found != 0 and (
            load(load(found, HANDLE_SHAPE), TUPLE_SIZE) == 0
            or (must_be_whole and not is_whole(self.objects, found))
        ):
            drop(found)
            found = 0
        self.given.append(found)
        if found == 0:
            return False
        var shape = load(found, HANDLE_SHAPE)
        if self.shape == 0:
            self.shape = kept(shape)
            return True
        var whole = broadcast(self.shape, shape)
        if whole == 0:
            return False
        drop(self.shape)
        self.shape = whole
        return True

    def holds_integers(self, k: Int) -> Bool:
        return is_whole(self.objects, self.given[k])


def is_whole(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether the elements of an array are integers."""
    return 0 < objects[].dtype(x) < FIRST_FLOAT


def spread(
    objects: ObjectsPointer, x: Int, shape: Int, mut numbers: List[Float64]
) -> Bool:
    """Appends the elements of an array of real numbers along the axes of a shape, which its own is spread to.

    False for complex numbers, and where Python must compute it.
    """
    var dtype = objects[].dtype(x)
    if dtype >= COMPLEX64:
        return False
    var value = kept(objects[].value_of(x))
    var buffer = computed(objects[], value)
    drop(value)
    if buffer == 0 or objects[].value_of(x) != value:
        return False  # a finalizer may have written to the array
    var start = start_of(objects[], buffer, load(x, HANDLE_LAYOUT))
    var missing = load(shape, TUPLE_SIZE) - load(
        load(x, HANDLE_SHAPE), TUPLE_SIZE
    )
    _append(
        objects, start, dtype, _strides(objects, x), shape, 0, missing, numbers
    )
    return True


def _strides(objects: ObjectsPointer, x: Int) -> List[Int]:
    """The steps in bytes along the axes of an array, 0 along those of one element."""
    var shape = load(x, HANDLE_SHAPE)
    var layout = load(x, HANDLE_LAYOUT)
    var rank = load(shape, TUPLE_SIZE)
    var strides = List[Int](length=rank, fill=0)
    var stride = itemsize(objects[].dtype(x))
    for axis in reversed(range(rank)):
        var extent = objects[].api.small_int(item(shape, axis))
        if extent != 1:
            strides[axis] = stride
            if layout != objects[].api.none:
                strides[axis] = load(load(layout, ARRAY_STRIDES), axis)
        stride *= extent
    return strides^


def _append(
    objects: ObjectsPointer,
    address: Int,
    dtype: Int,
    strides: List[Int],
    shape: Int,
    axis: Int,
    missing: Int,
    mut numbers: List[Float64],
):
    """Appends the elements from an axis of the shape on, of which the first ones are missing in the array."""
    var rank = load(shape, TUPLE_SIZE)
    if axis == rank:
        numbers.append(number(dtype, address, 0))
        return
    var stride = strides[axis - missing] if axis >= missing else 0
    var extent = objects[].api.small_int(item(shape, axis))
    if dtype == FLOAT64 and axis == rank - 1:
        for k in range(extent):
            var one = load(address + k * stride, 0)
            numbers.append(bitcast[DType.float64](Int64(one)))
        return
    for k in range(extent):
        _append(
            objects,
            address + k * stride,
            dtype,
            strides,
            shape,
            axis + 1,
            missing,
            numbers,
        )
