"""The product of two vectors that are known: a scalar, computed at once as scalars of known operands are."""

from std.memory import stack_allocation
from structured.operands.operand import OK, Operand, Operands, Words
from structured.threads.ieee import UNDERFLOW
from vm.base.bytecode import itemsize
from vm.base.errors import watched
from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.numbers import FLOAT32, FLOAT64
from vm.base.objects import UNUSUAL, ObjectsPointer, item
from vm.base.parts import run_structured
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_STRIDES,
    LIST_SIZE,
    TUPLE_SIZE,
    TYPE,
    drop,
    load,
    store,
)
from vm.record.element import at
from vm.record.elements import (
    address_inside,
    goes_by_elements,
    memory_of,
    new_scalar,
)
from vm.record.floats import be_no_float
from vm.run.flush import compute_directly
from vm.run.state import state_at

comptime MOST = 1 << 14
"""Elements at most: more are worth a step that others may be computed with."""


struct Vector(TrivialRegisterPassable):
    """A vector of floats that is known, or an array without a layout as one."""

    var address: Int
    """Of the first element; 0 for any other operand."""
    var is_pending: Bool
    """Whether it is such a vector, but not computed."""
    var dtype: Int
    var length: Int
    var stride: Int

    def __init__(out self, objects: ObjectsPointer, x: Int, is_flat: Bool):
        self.address = 0
        self.is_pending = False
        self.dtype = 0
        self.length = 0
        self.stride = 0
        if load(x, TYPE) != objects[].array_type:
            return
        self.dtype = objects[].dtype(x)
        var shape = load(x, HANDLE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        var layout = load(x, HANDLE_LAYOUT)
        if self.dtype != FLOAT64 and self.dtype != FLOAT32:
            return
        if rank != 1 and not (is_flat and layout == objects[].api.none):
            return
        self.length = 1
        for axis in range(rank):
            var extent = objects[].api.small_int(item(shape, axis))
            self.length = min(self.length, MOST + 1) * extent
        self.stride = itemsize(self.dtype)
        var ahead = 0
        if layout != objects[].api.none:
            if load(layout, TYPE) != objects[].numpy_array_type:
                return
            ahead = load(layout, ARRAY_DATA) - objects[].api.region
            self.stride = load(load(layout, ARRAY_STRIDES), 0)
        var memory = memory_of(objects, objects[].value_of(x))
        if 0 < self.length <= MOST:
            self.is_pending = memory == 0
            self.address = memory + ahead if memory != 0 else 0


def product[
    is_flat: Bool
](objects: ObjectsPointer, args: Int, count: Int, names: Int) -> Int:
    """`dot(x, y)`, or `vdot(x, y)` of any shapes; UNUSUAL for all other operands, and where NumPy may warn."""
    if count != 2 or names != 0:
        return UNUSUAL
    var x = Vector(objects, load(args, 0), is_flat)
    var y = Vector(objects, load(args, 1), is_flat)
    if (x.is_pending or y.is_pending) and goes_by_elements(objects):
        compute_directly(state_at(objects[].state))
        x = Vector(objects, load(args, 0), is_flat)
        y = Vector(objects, load(args, 1), is_flat)
    if (
        x.address == 0
        or y.address == 0
        or x.dtype != y.dtype
        or x.length != y.length
        or load(objects[].watches, LIST_SIZE) > 0
        or watched(objects[].errors_now()) & UNDERFLOW != 0
    ):
        return UNUSUAL
    var made = new_scalar(objects, objects[].code_of(x.dtype))
    if made == 0:
        return 0
    var target = address_inside(objects, made)
    if not _multiply(objects, x, y, target) or not _is_finite(target, x.dtype):
        drop(made)
        return UNUSUAL
    be_no_float(objects[], made)
    return made


def _multiply(
    objects: ObjectsPointer, x: Vector, y: Vector, target: Int
) -> Bool:
    """Writes the product to a target by the kernel that a step has."""
    var words = stack_allocation[11, Int64]()
    var operands = stack_allocation[3, Operand]()
    var numbers = Words(unsafe_from_address=Int(words))
    var axes: List[Int] = [x.length, x.stride, y.length, y.stride]
    for k in range(4):
        store(Int(words), k, axes[k])
    store(Int(words), 4, 0)  # axes of batches
    store(Int(words), 5, 1)  # axes that are contracted, and which
    store(Int(words), 6, 0)
    store(Int(words), 7, 0)
    for k in range(3):
        store(Int(words), 8 + k, 0)
    operands[unsafe_offset=0] = Operand(target, x.dtype, 0, numbers, numbers)
    operands[unsafe_offset=1] = Operand(
        x.address, x.dtype, 1, numbers, numbers.unsafe_offset(1)
    )
    operands[unsafe_offset=2] = Operand(
        y.address,
        y.dtype,
        1,
        numbers.unsafe_offset(2),
        numbers.unsafe_offset(3),
    )
    var status = run_structured(
        objects[].product_kernel,
        Operands(unsafe_from_address=Int(operands)),
        3,
        numbers.unsafe_offset(4),
        4,
        state_at(objects[].state)[].machine.threads,
        numbers.unsafe_offset(8),
    )
    return status == OK


@always_inline
def _is_finite(address: Int, dtype: Int) -> Bool:
    if dtype == FLOAT32:
        return abs(at[DType.float32](address)) <= Float32.MAX_FINITE
    return abs(at[DType.float64](address)) <= Float64.MAX_FINITE
