"""Parameters of distributions that are arrays: each number that is drawn has parameters of its own."""

from elementwise.numbers.dtypes import COMPLEX64
from vm.base.bytecode import itemsize
from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.numbers import FIRST_FLOAT
from vm.base.objects import ObjectsPointer, item
from vm.base.raw import ARRAY_STRIDES, TUPLE_SIZE, drop, kept, load
from vm.record.element import start_of
from vm.run.flush import computed
from vm.run.look import number


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
    if axis == load(shape, TUPLE_SIZE):
        numbers.append(number(dtype, address, 0))
        return
    var stride = strides[axis - missing] if axis >= missing else 0
    for k in range(objects[].api.small_int(item(shape, axis))):
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
