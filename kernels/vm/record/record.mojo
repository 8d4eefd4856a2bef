"""Recording without a Python frame: operators of the usual operands.

Each function does what the Python function that it stands before would do, for operands that need
no conversion, and answers UNUSUAL for all others. Python would take five times as long, which
programs of many small steps would notice.
"""

from std.ffi import external_call
from std.memory import bitcast, stack_allocation
from std.python import PythonObject
from std.sys import size_of
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    VALUE_ERRORS,
)
from vm.base.bytecode import itemsize
from vm.base.errors import SCALARS
from vm.base.objects import (
    UNUSUAL,
    ObjectsPointer,
    broadcast,
    item,
    pair,
    same_shape,
    single,
)
from vm.base.raw import (
    COMPLEX_VALUE,
    FLOAT_VALUE,
    TUPLE_SIZE,
    TYPE,
    address_of,
    drop,
    int_of,
    kept,
    load,
    owned,
    store,
)

from structured.operands.operand import MAX_RANK
from vm.base.types import is_handle_type
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.numbers import (
    FIRST_FLOAT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT64,
    LARGEST,
)
from vm.record.pinning import bind
from vm.record.exchange import ANY
from vm.record.operands import array_of_list, taken_over
from vm.record.elements import is_number
from vm.record.layouts import AXES, Axes, all_axes
from vm.record.scalars import computed_scalar, divides_quietly
from vm.record.taking_over import order_axes
from vm.record.few import (
    chain_was_computed,
    is_of_few,
    is_small,
    made_of_few,
)
from vm.record.updating import updated
from vm.record.viewing import view_of

comptime SIMPLE_POWERS: List[Float64] = [1, 2, 0.5, -1]
"""Exponents for which NumPy computes another function; `Objects.powers` has their ufuncs."""

comptime Method = def(me: Int, args: Int, count: Int) thin abi("C") -> Int
comptime METH_FASTCALL = 0x80

comptime BOOL_NUMBER = 16
comptime INT_NUMBER = 17
comptime FLOAT_NUMBER = 18
comptime COMPLEX_NUMBER = 19
comptime KINDS = COMPLEX_NUMBER + 1
"""Kinds of operands: a dtype code, or one of these Python types."""


struct Loop(TrivialRegisterPassable):
    """How an operator is recorded for operands of two kinds: references to Python ints."""

    var code: Int
    """What a value's `code` is; 0 where the Python function decides."""
    var known: Int
    """The same for known scalars and numbers, which are converted to its dtype."""
    var result: Int
    """The dtype code of the result."""
    var low: Int
    var high: Int
    """Python ints outside of these do not fit."""

    def __init__(
        out self, code: Int, known: Int, result: Int, low: Int, high: Int
    ):
        self.code = code
        self.known = known
        self.result = result
        self.low = low
        self.high = high


comptime Loops = Pointer[List[Loop], MutUntrackedOrigin]
"""By the kinds of the first operand and of the second, 0 if there is none.

The list is empty until the first loop is added, since most functions are never called."""


def new_loops() -> Int:
    """The address of an empty list of loops, which lives as long as the process."""
    var made = Loops(
        unsafe_from_address=external_call["malloc", Int](size_of[List[Loop]]())
    )
    made.unsafe_write(List[Loop]())
    return Int(made)


def add_loop(loops: Int, x: Int, y: Int, loop: Loop):
    """Makes a loop known."""
    ref list = Loops(unsafe_from_address=loops)[]
    if len(list) == 0:
        list.resize(KINDS * KINDS, Loop(0, 0, 0, 0, 0))
    list[x * KINDS + y] = loop


struct Operator(Movable):
    """One method: what it knows and the Python function that it stands before."""

    var objects: ObjectsPointer
    var loops: Loops
    var otherwise: Int
    var reflected: Int
    """The function of `y` and `x`, where only `y` is a handle: 0 for what is no operator."""

    def __init__(
        out self, objects: Int, loops: Int, otherwise: Int, reflected: Int
    ):
        self.objects = ObjectsPointer(unsafe_from_address=objects)
        self.loops = Loops(unsafe_from_address=loops)
        self.otherwise = otherwise
        self.reflected = reflected

    @always_inline
    def loop(self, x: Int, y: Int) -> Loop:
        ref list = self.loops[]
        if len(list) == 0:
            return Loop(0, 0, 0, 0, 0)
        return list[x * KINDS + y]


comptime OperatorPointer = Pointer[Operator, MutUntrackedOrigin]


@always_inline
def operator_at(address: Int) -> OperatorPointer:
    return OperatorPointer(unsafe_from_address=address)


def new_operator(
    objects: Int,
    loops: Int,
    otherwise: PythonObject,
    reflected: PythonObject,
) -> Int:
    """The address of a new operator, which lives as long as the process."""
    var made = OperatorPointer(
        unsafe_from_address=external_call["malloc", Int](size_of[Operator]())
    )
    made.unsafe_write(
        Operator(
            objects,
            loops,
            kept(address_of(otherwise)),
            kept(address_of(reflected)),
        )
    )
    return Int(made)


def new_function(
    function: Method, address: Int, name: StringLiteral
) -> PythonObject:
    """A function that calls another with an address."""
    var pointer = function
    var definition = external_call["calloc", Int](Int(1), Int(64))
    store(definition, 0, external_call["strdup", Int](name.ptr()))
    store(definition, 1, Pointer(to=pointer).unsafe_bitcast[Int]()[])
    store(definition, 2, METH_FASTCALL)
    var me = external_call["PyLong_FromSsize_t", Int](address)
    var made = external_call["PyCFunction_NewEx", Int](definition, me, Int(0))
    drop(me)
    return owned(made)


# -- steps


struct Step:
    """A step with one operand or two, ready to be recorded."""

    var loop: Loop
    var shape: Int
    """An owned reference; 0 if the operands are not the usual ones."""
    var inputs: Int
    """The tuple of the values or numbers, an owned reference."""
    var layouts: Int
    """The same of their layouts."""

    def __init__(out self, ref operator: Operator, x: Int):
        var objects = operator.objects
        self.loop = Loop(0, 0, 0, 0, 0)
        self.shape = 0
        self.inputs = 0
        self.layouts = 0
        if not objects[].is_handle(x) or objects[].full():
            return
        self.loop = operator.loop(objects[].dtype(x), 0)
        if self.loop.code == 0 or not objects[].in_c_order(x):
            return
        var layout = load(x, HANDLE_LAYOUT)
        self.shape = kept(load(x, HANDLE_SHAPE))
        self.inputs = single(objects[].value_of(x))
        self.layouts = kept(layout) if layout == objects[].api.none else single(
            layout
        )

    def __init__(out self, ref operator: Operator, x: Int, y: Int):
        var objects = operator.objects
        self.loop = Loop(0, 0, 0, 0, 0)
        self.shape = 0
        self.inputs = 0
        self.layouts = 0
        var first = _kind(objects, x)
        var second = _kind(objects, y)
        if first < 0 or second < 0 or objects[].full():
            return
        self.loop = operator.loop(first, second)
        if (
            self.loop.code == 0
            or not _is_usual(objects, x, first, self.loop)
            or not _is_usual(objects, y, second, self.loop)
        ):
            return
        var none = objects[].api.none
        if first >= BOOL_NUMBER:
            if second >= BOOL_NUMBER:
                return
            self.shape = kept(load(y, HANDLE_SHAPE))
            self.inputs = pair(x, objects[].value_of(y))
            self.layouts = objects[].layouts_of(none, load(y, HANDLE_LAYOUT))
        elif second >= BOOL_NUMBER:
            self.shape = kept(load(x, HANDLE_SHAPE))
            self.inputs = pair(objects[].value_of(x), y)
            self.layouts = objects[].layouts_of(load(x, HANDLE_LAYOUT), none)
        else:
            self.shape = broadcast(load(x, HANDLE_SHAPE), load(y, HANDLE_SHAPE))
            if self.shape != 0:
                self.inputs = pair(objects[].value_of(x), objects[].value_of(y))
                self.layouts = objects[].layouts_of(
                    load(x, HANDLE_LAYOUT), load(y, HANDLE_LAYOUT)
                )


# -- functions of operands


# What is `of_operator` is no call of a ufunc: NumPy warns of it in other words if its operands are scalars.


def recorded_unary[
    of_operator: Bool = True
](ref operator: Operator, x: Int) -> Int:
    var objects = operator.objects
    if objects[].is_scalar(load(x, TYPE)):
        var loop = operator.loop(objects[].dtype(x), 0)
        if loop.known != 0:
            var known = computed_scalar[of_operator](
                objects, loop.known, loop.result, x, 0
            )
            if known != UNUSUAL:
                return known
    elif is_of_few(objects, x):
        var made = _at_once(operator, x, 0)
        if made != UNUSUAL:
            return made
    return _result[of_operator](objects, Step(operator, x), x, x)


def _at_once(ref operator: Operator, x: Int, y: Int) -> Int:
    """The result of few elements, if all are known; UNUSUAL where a step must be recorded."""
    var objects = operator.objects
    var loop = _loop_of_arrays(operator, x, y)
    if (
        loop.code == 0
        or not _is_plain(objects, x)
        or (y != 0 and not _is_plain(objects, y))
    ):
        return UNUSUAL
    return made_of_few(objects, int_of(loop.code), x, y)


def _loop_of_arrays(ref operator: Operator, x: Int, y: Int) -> Loop:
    """How a function of an array and of another one, of a number that fits, or of none (0) is computed
    where all elements are known; without a code for other operands."""
    var objects = operator.objects
    var first = _kind(objects, x)
    var second = _kind(objects, y) if y != 0 else 0
    if first < 0 or second < 0 or min(first, second) >= BOOL_NUMBER:
        return Loop(0, 0, 0, 0, 0)
    var loop = operator.loop(first, second)
    loop.code = loop.known
    if loop.code != 0 and (
        (first >= BOOL_NUMBER and not _fits(x, first, loop))
        or (second >= BOOL_NUMBER and not _fits(y, second, loop))
    ):
        loop.code = 0
    return loop


@always_inline
def _is_plain(objects: ObjectsPointer, x: Int) -> Bool:
    """Whether an operand is a number, or a handle in C order."""
    return not objects[].is_handle(x) or objects[].in_c_order(x)


def _result[
    of_operator: Bool
](objects: ObjectsPointer, step: Step, x: Int, y: Int) -> Int:
    """The handle of a new step's value, given the step's operands."""
    if step.shape == 0:
        return UNUSUAL
    var made = objects[].new_result(
        step.loop.code,
        step.loop.result,
        step.shape,
        step.inputs,
        step.layouts,
    )
    drop(step.shape)
    comptime if of_operator:
        if made != 0 and objects[].is_scalar(load(made, TYPE)):
            _note_scalars(objects, load(made, HANDLE_VALUE), x, y)
    return made


@no_inline
def _note_scalars(objects: ObjectsPointer, value: Int, x: Int, y: Int):
    """Notes of a step that neither operand is an array."""
    var errors = load(value, VALUE_ERRORS)
    var array = objects[].array_type
    if errors != 0 and load(x, TYPE) != array and load(y, TYPE) != array:
        store(value, VALUE_ERRORS, errors | SCALARS)


@always_inline
def _kind(objects: ObjectsPointer, y: Int) -> Int:
    """The kind of an operand, -1 for others than handles and Python numbers."""
    if objects[].is_handle(y):
        return objects[].dtype(y)
    var type = load(y, TYPE)
    if type == objects[].api.float_type:
        return FLOAT_NUMBER
    if type == objects[].int_type:
        return INT_NUMBER
    if type == objects[].complex_type:
        return COMPLEX_NUMBER
    return BOOL_NUMBER if type == objects[].bool_type else -1


@always_inline
def _kind_of_known(objects: ObjectsPointer, y: Int) -> Int:
    """The same where scalars of NumPy's are among the operands."""
    var kind = _kind(objects, y)
    return kind if kind >= 0 else objects[].scalar_dtype(load(y, TYPE))


@always_inline
def _is_usual(objects: ObjectsPointer, x: Int, kind: Int, loop: Loop) -> Bool:
    """Whether an operand is a number that fits, or a handle in C order."""
    if kind >= BOOL_NUMBER:
        return _fits(x, kind, loop)
    return objects[].in_c_order(x)


def _fits(number: Int, kind: Int, loop: Loop) -> Bool:
    if kind == FLOAT_NUMBER:
        return _is_small(load(number, FLOAT_VALUE), loop)
    if kind == COMPLEX_NUMBER:
        return _is_small(load(number, COMPLEX_VALUE), loop) and _is_small(
            load(number, COMPLEX_VALUE + 1), loop
        )
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    if not -_LARGEST_HALF <= value <= _LARGEST_HALF:
        # another one is infinite in half precision, of which is warned
        if int_of(loop.known) >> 16 & 0xFF == FLOAT16:
            return False
    return overflow == 0 and loop.low <= value <= loop.high


@always_inline
def _is_small(bits: Int, loop: Loop) -> Bool:
    """Whether a number stays finite in the dtype of a loop; of others is warned."""
    var size = abs(bitcast[DType.float64](Int64(bits)))
    if size <= Float64(_LARGEST_HALF):
        return True
    var dtype = int_of(loop.known) >> 16 & 0xFF
    if dtype == FLOAT32 or dtype == COMPLEX64:
        return size <= Float64(Float32.MAX_FINITE)
    return dtype != FLOAT16 and size <= LARGEST


comptime _LARGEST_HALF = 65504
"""The largest number in half precision."""


def simple_power(objects: ObjectsPointer, x: Int, exponent: Int) -> Int:
    """The ufunc that NumPy computes `x ** exponent` by, where that is not `power`; 0 for none. Borrowed."""
    var type = load(exponent, TYPE)
    var is_int = type == objects[].int_type
    if not is_int and type != objects[].api.float_type:
        return 0
    var power = external_call["PyFloat_AsDouble", Float64](exponent)
    if power == -1:
        external_call["PyErr_Clear", NoneType]()  # of an integer too large
    var dtype = objects[].dtype(x)
    if dtype < FIRST_FLOAT:
        var is_number = (
            dtype == 0 and load(load(x, HANDLE_SHAPE), TUPLE_SIZE) == 0
        )
        if not is_int or power != 2 or is_number:
            return 0
    comptime for k in range(len(SIMPLE_POWERS)):
        comptime simple = SIMPLE_POWERS[k]
        if power == simple:
            return item(objects[].powers, k)
    return 0


def recorded_binary[
    of_operator: Bool = True
](ref operator: Operator, x: Int, y: Int) -> Int:
    var made = _recorded_binary[of_operator](operator, x, y)
    if made != UNUSUAL:
        return made
    return _of_numpy[False, of_operator](operator, x, y)


@no_inline
def _of_numpy[
    augmented: Bool, of_operator: Bool = True
](ref operator: Operator, x: Int, y: Int) -> Int:
    """The result for operands of which any is a scalar or an array of NumPy's.

    The Python function is asked here, so that it learns how such operands are recorded.
    """
    var objects = operator.objects
    var a = taken_over(objects, x, y)
    var b = taken_over(objects, y, x)
    if a == 0 and b == 0:
        return UNUSUAL
    var first = a if a != 0 else kept(x)
    var second = b if b != 0 else kept(y)
    var made: Int
    comptime if augmented:
        made = _recorded_augmented(operator, first, second)
    else:
        made = _recorded_binary[of_operator](operator, first, second)
    if made == UNUSUAL:
        var saved = objects[].of_scalars
        comptime if of_operator:
            var array = objects[].array_type
            if load(first, TYPE) != array and load(second, TYPE) != array:
                objects[].of_scalars = SCALARS
        made = _asked(operator, first, second)
        objects[].of_scalars = saved
    drop(first)
    drop(second)
    return made


def _asked(ref operator: Operator, x: Int, y: Int) -> Int:
    """What the Python function of an operator gives."""
    var reflected = operator.reflected
    var args: Array[Int, 2] = [x, y]
    var function = operator.otherwise
    if reflected != operator.objects[].api.none and not is_handle_type(
        load(x, TYPE)
    ):
        function = reflected
        args = [y, x]
    var made = external_call["PyObject_Vectorcall", Int](
        function, Int(Pointer(to=args)), Int(2), Int(0)
    )
    _ = args  # is in use until here
    return made


def _recorded_binary[
    of_operator: Bool
](ref operator: Operator, x: Int, y: Int) -> Int:
    var objects = operator.objects
    if objects[].is_scalar(load(x, TYPE)) or objects[].is_scalar(load(y, TYPE)):
        var known = _computed[of_operator](operator, x, y)
        if known != UNUSUAL:
            return known
    if is_of_few(objects, x) or is_of_few(objects, y):
        var made = _at_once(operator, x, y)
        if made != UNUSUAL:
            return made
    return _result[of_operator](objects, Step(operator, x, y), x, y)


def _computed[of_operator: Bool](ref operator: Operator, x: Int, y: Int) -> Int:
    """The result of operands of which none is an array, UNUSUAL unless both are known."""
    var objects = operator.objects
    var first = _kind_of_known(objects, x)
    var second = _kind_of_known(objects, y)
    if (
        first < 0
        or second < 0
        or load(x, TYPE) == objects[].array_type
        or load(y, TYPE) == objects[].array_type
    ):
        return UNUSUAL
    var loop = operator.loop(first, second)
    if (
        loop.known == 0
        or (first >= BOOL_NUMBER and not _fits(x, first, loop))
        or (second >= BOOL_NUMBER and not _fits(y, second, loop))
    ):
        return UNUSUAL
    var made = computed_scalar[of_operator](
        objects, loop.known, loop.result, x, y
    )
    if made == UNUSUAL and chain_was_computed(objects):
        return computed_scalar[of_operator](
            objects, loop.known, loop.result, x, y
        )
    return made


def divided(
    ref quotient: Operator, ref remainder: Operator, x: Int, y: Int
) -> Int:
    """`divmod(x, y)` of known scalars of which nothing is to be warned; else UNUSUAL."""
    if not divides_quietly(quotient.objects, x, y):
        return UNUSUAL
    var first = _computed[True](quotient, x, y)
    if first == UNUSUAL or first == 0:
        return first
    var second = _computed[True](remainder, x, y)
    if second == UNUSUAL or second == 0:
        drop(first)
        return second
    var made = pair(first, second)
    drop(first)
    drop(second)
    return made


def array_beside(ref operator: Operator, list: Int, other: Int) -> Int:
    """A new array of a list or tuple of numbers that is an operand beside an array; 0 for anything else.

    Beside floats it has floats, unless the operator takes integers there: others convert these.
    """
    var objects = operator.objects
    var wanted = ANY
    if load(other, TYPE) != objects[].array_type:
        return 0  # integers repeat lists
    if (
        objects[].dtype(other) == FLOAT64
        and operator.loop(FLOAT64, INT64).code == 0
    ):
        wanted = FLOAT64
    return array_of_list(objects, list, wanted)


def recorded_augmented(ref operator: Operator, x: Int, y: Int) -> Int:
    var made = _recorded_augmented(operator, x, y)
    return made if made != UNUSUAL else _of_numpy[True](operator, x, y)


def _recorded_augmented(ref operator: Operator, x: Int, y: Int) -> Int:
    if load(x, TYPE) != operator.objects[].array_type:
        return UNUSUAL
    return recorded_into(operator, x, y, x)


def recorded_into(ref operator: Operator, x: Int, y: Int, target: Int) -> Int:
    """Records a function of two operands, or of one if `y` is 0, whose result is written to an array."""
    var objects = operator.objects
    if (
        load(target, TYPE) != objects[].array_type
        or load(target, HANDLE_READONLY) != objects[].no
    ):
        return UNUSUAL
    var base = load(target, HANDLE_BASE)
    var none = objects[].api.none
    var dtype = load(target, HANDLE_CODE)
    if base != none and load(base, HANDLE_CODE) != dtype:
        return UNUSUAL
    if is_small(objects, target) and _updated(operator, x, y, target):
        return kept(target)
    if base != none:
        var made = _recorded_in_order(operator, x, y, target)
        if made != UNUSUAL:
            return made
    var step = Step(operator, x, y) if y != 0 else Step(operator, x)
    if step.shape == 0:
        return UNUSUAL
    var shape = load(target, HANDLE_SHAPE)
    if step.loop.result != dtype or not same_shape(step.shape, shape):
        drop(step.shape)
        drop(step.layouts)
        drop(step.inputs)
        return UNUSUAL
    drop(step.shape)
    var value = objects[].new_value(
        step.loop.code, shape, step.inputs, step.layouts
    )
    if value == 0:
        return 0
    if base == none:
        var done = bind(objects, target, value)
        drop(value)
        if not done:
            return 0
    elif not write_part(
        objects, base, dtype, value, load(target, HANDLE_LAYOUT), none
    ):
        return 0
    return kept(target)


def _recorded_in_order(
    ref operator: Operator, x: Int, y: Int, target: Int
) -> Int:
    """Does the same with views whose axes are as those of the target lie in memory; UNUSUAL if they lie so.

    That is for operands of the target's shape, and numbers.
    """
    var objects = operator.objects
    var layout = load(target, HANDLE_LAYOUT)
    if load(layout, TYPE) != objects[].numpy_array_type:
        return UNUSUAL
    var order = Int(stack_allocation[MAX_RANK, Int64]())
    if not order_axes(layout, order):
        return UNUSUAL
    var first = _in_order(objects, x, target, order)
    var second = _in_order(objects, y, target, order) if y != 0 else 0
    var third = _in_order(objects, target, target, order)
    var made = UNUSUAL
    if first != 0 and (y == 0 or second != 0) and third != 0:
        made = recorded_into(operator, first, second, third)
    for view in [first, second, third]:
        if view != 0:
            drop(view)
    if made == UNUSUAL or made == 0:
        return made
    drop(made)
    return kept(target)


def _in_order(objects: ObjectsPointer, x: Int, target: Int, order: Int) -> Int:
    """A view of an operand with its axes in an order, or what has none, a new reference; 0 for another shape."""
    if is_number(objects, x) or objects[].is_scalar(load(x, TYPE)):
        return kept(x)
    if load(x, TYPE) != objects[].array_type:
        return 0
    var shape = load(x, HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if not same_shape(shape, load(target, HANDLE_SHAPE)):
        return 0
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    var room = Int(stack_allocation[AXES, Int64]())
    if not all_axes(objects, x, axes, room):
        return 0
    var turned = axes.fronted(order, rank, room)
    var base = load(x, HANDLE_BASE)
    if base != objects[].api.none and _is_all_of(objects, turned, base):
        return kept(base)
    var view = view_of(objects, x, turned)
    if view == 0:
        external_call["PyErr_Clear", NoneType]()
    return view


def _is_all_of(objects: ObjectsPointer, axes: Axes, array: Int) -> Bool:
    """Whether axes show the elements of an array as they lie in it, of its dtype."""
    var code = int_of(load(array, HANDLE_CODE))
    if (
        load(array, TYPE) != objects[].array_type
        or load(array, HANDLE_LAYOUT) != objects[].api.none
        or axes.data != objects[].api.region
        or axes.dtype != objects[].api.dtypes[code]
        or not axes.has_shape(load(array, HANDLE_SHAPE))
    ):
        return False
    var stride = itemsize(code)
    for axis in reversed(range(axes.rank)):
        if load(axes.strides, axis) != stride:
            return False
        stride *= load(axes.extents, axis)
    return True


def _updated(ref operator: Operator, x: Int, y: Int, target: Int) -> Bool:
    """Does the same at once, if all is known; False where a step must be recorded."""
    var loop = _loop_of_arrays(operator, x, y)
    return (
        loop.code != 0
        and loop.result == load(target, HANDLE_CODE)
        and updated(operator.objects, int_of(loop.code), x, y, target)
    )


def write_part(
    objects: ObjectsPointer,
    base: Int,
    dtype: Int,
    var source: Int,
    layout: Int,
    source_layout: Int,
) -> Bool:
    """Gives `base` the value with `source` written to a part; takes over that reference."""
    while True:
        var old = kept(load(base, HANDLE_VALUE))
        var value = objects[].new_value(
            item(objects[].stores, int_of(dtype)),
            load(base, HANDLE_SHAPE),
            pair(old, source),
            pair(layout, source_layout),
        )
        var same = load(base, HANDLE_VALUE) == old
        drop(old)
        if value == 0:
            drop(source)
            return False
        if same:
            var done = bind(objects, base, value)
            drop(value)
            drop(source)
            return done
        # another thread has written meanwhile
        drop(value)
