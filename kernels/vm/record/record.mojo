"""Recording without a Python frame: operators, `x[key]` and `x[key] = y` of the usual operands.

Each function does what the Python function that it stands before would do, for operands that need
no conversion, and answers UNUSUAL for all others. Python would take five times as long, which
programs of many small steps would notice.
"""

from std.ffi import external_call
from std.memory import bitcast
from std.python import PythonObject
from std.sys import size_of
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_HEADER,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.objects import (
    Objects,
    broadcast,
    drop,
    extended,
    item,
    kept,
    pair,
    same_shape,
    shape_of,
    single,
)
from vm.base.raw import (
    FLOAT_VALUE,
    TUPLE_SIZE,
    TYPE,
    address_of,
    int_of,
    load,
    replace_slot,
    store,
)

comptime Method = def(me: Int, args: Int, count: Int) thin abi("C") -> Int
comptime METH_FASTCALL = 0x80

comptime DTYPES = 16
comptime KINDS = 32
"""Kinds of a second operand: a dtype code, or one of these Python types."""
comptime BOOL_NUMBER = 16
comptime INT_NUMBER = 17
comptime FLOAT_NUMBER = 18
comptime UNUSUAL = -1
"""The answer for operands that the Python function is for."""
comptime FLOAT32 = 11
comptime FLOAT64 = 12
comptime FIRST_FLOAT = 9
"""From this dtype code on an array takes any Python float as it is."""
comptime LARGEST = bitcast[DType.float64](UInt64(2046) << 52)
"""Two to the power of 1023: Python checks the few floats beyond it, and nan."""


struct Loop(TrivialRegisterPassable):
    """How an operator is recorded for operands of two kinds: references to Python ints."""

    var code: Int
    """What a value's `code` is; 0 where the Python function decides."""
    var result: Int
    """The dtype code of the result."""
    var low: Int
    var high: Int
    """Python ints outside of these do not fit."""

    def __init__(out self, code: Int, result: Int, low: Int, high: Int):
        self.code = code
        self.result = result
        self.low = low
        self.high = high


comptime Loops = Pointer[List[Loop], MutUntrackedOrigin]
"""By the dtype code of the first operand and the kind of the second, 0 if there is none.

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
        list.resize(DTYPES * KINDS, Loop(0, 0, 0, 0))
    list[x * KINDS + y] = loop


struct Operator(Movable):
    """One method: what it knows and the Python function that it stands before."""

    var objects: Pointer[Objects, MutUntrackedOrigin]
    var loops: Loops
    var otherwise: Int
    var reflected: Int
    """The function of `y` and `x`, where only `y` is a handle: 0 for what is no operator."""

    def __init__(
        out self, objects: Int, loops: Int, otherwise: Int, reflected: Int
    ):
        self.objects = Pointer[Objects, MutUntrackedOrigin](
            unsafe_from_address=objects
        )
        self.loops = Loops(unsafe_from_address=loops)
        self.otherwise = otherwise
        self.reflected = reflected

    @always_inline
    def loop(self, x: Int, y: Int) -> Loop:
        ref list = self.loops[]
        if len(list) == 0:
            return Loop(0, 0, 0, 0)
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


def owned(object: Int) -> PythonObject:
    """Takes over a reference."""
    var address = object
    var made = Pointer(to=address).unsafe_bitcast[PythonObject]()[]
    drop(object)
    return made^


# -- functions of one operand


def recorded_unary(ref operator: Operator, x: Int) -> Int:
    ref objects = operator.objects[]
    if not objects.is_handle(x) or objects.full():
        return UNUSUAL
    var loop = operator.loop(objects.dtype(x), 0)
    if loop.code == 0 or not objects.in_c_order(x):
        return UNUSUAL
    var layout = load(x, HANDLE_LAYOUT)
    return objects.new_result(
        loop.code,
        loop.result,
        load(x, HANDLE_SHAPE),
        single(objects.value_of(x)),
        kept(layout) if layout == objects.api.none else single(layout),
    )


# -- functions of two operands


struct Step:
    """A step with two operands, ready to be recorded."""

    var loop: Loop
    var shape: Int
    """An owned reference; 0 if the operands are not the usual ones."""
    var second: Int
    """The value or number that is the second operand, an owned reference."""
    var layouts: Int

    def __init__(out self, ref operator: Operator, x: Int, y: Int):
        ref objects = operator.objects[]
        self.loop = Loop(0, 0, 0, 0)
        self.shape = 0
        self.second = 0
        self.layouts = 0
        if not objects.is_handle(x) or objects.full():
            return
        var kind = _kind(objects, y)
        if kind < 0:
            return
        self.loop = operator.loop(objects.dtype(x), kind)
        if self.loop.code == 0 or not objects.in_c_order(x):
            return
        var shape = load(x, HANDLE_SHAPE)
        var none = objects.api.none
        var layout = none
        if kind >= BOOL_NUMBER:
            if not _fits(y, kind, self.loop):
                return
            self.shape = kept(shape)
        else:
            if not objects.in_c_order(y):
                return
            self.shape = broadcast(shape, load(y, HANDLE_SHAPE))
            layout = load(y, HANDLE_LAYOUT)
        if self.shape != 0:
            self.layouts = objects.layouts_of(load(x, HANDLE_LAYOUT), layout)
            self.second = kept(
                y if kind >= BOOL_NUMBER else objects.value_of(y)
            )


@always_inline
def _kind(ref objects: Objects, y: Int) -> Int:
    """The kind of a second operand, -1 for others than handles and Python numbers."""
    if objects.is_handle(y):
        return objects.dtype(y)
    var type = load(y, TYPE)
    if type == objects.api.float_type:
        return FLOAT_NUMBER
    if type == objects.int_type:
        return INT_NUMBER
    return BOOL_NUMBER if type == objects.bool_type else -1


def _fits(number: Int, kind: Int, loop: Loop) -> Bool:
    if kind == FLOAT_NUMBER:
        var value = bitcast[DType.float64](Int64(load(number, FLOAT_VALUE)))
        return abs(value) <= LARGEST
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    return overflow == 0 and loop.low <= value <= loop.high


def recorded_binary(ref operator: Operator, x: Int, y: Int) -> Int:
    ref objects = operator.objects[]
    var step = Step(operator, x, y)
    if step.shape == 0:
        return UNUSUAL
    var made = objects.new_result(
        step.loop.code,
        step.loop.result,
        step.shape,
        pair(objects.value_of(x), step.second),
        step.layouts,
    )
    drop(step.shape)
    drop(step.second)
    return made


def recorded_augmented(ref operator: Operator, x: Int, y: Int) -> Int:
    ref objects = operator.objects[]
    if (
        load(x, TYPE) != objects.array_type
        or load(x, HANDLE_READONLY) != objects.no
    ):
        return UNUSUAL
    var base = load(x, HANDLE_BASE)
    var none = objects.api.none
    var dtype = load(x, HANDLE_CODE)
    if base != none and load(base, HANDLE_CODE) != dtype:
        return UNUSUAL
    var step = Step(operator, x, y)
    if step.shape == 0:
        return UNUSUAL
    var shape = load(x, HANDLE_SHAPE)
    if step.loop.result != dtype or not same_shape(step.shape, shape):
        drop(step.shape)
        drop(step.layouts)
        drop(step.second)
        return UNUSUAL
    drop(step.shape)
    var value = objects.new_value(
        step.loop.code,
        shape,
        pair(objects.value_of(x), step.second),
        step.layouts,
    )
    drop(step.second)
    if value == 0:
        return 0
    if base == none:
        replace_slot(x, HANDLE_VALUE, value)
        drop(value)
    elif not _write(objects, base, dtype, value, load(x, HANDLE_LAYOUT), none):
        return 0
    return kept(x)


def _write(
    ref objects: Objects,
    base: Int,
    dtype: Int,
    var source: Int,
    layout: Int,
    source_layout: Int,
) -> Bool:
    """Gives `base` the value with `source` written to a part; takes over that reference."""
    while True:
        var old = kept(load(base, HANDLE_VALUE))
        var value = objects.new_value(
            item(objects.stores, int_of(dtype)),
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
            replace_slot(base, HANDLE_VALUE, value)
            drop(value)
            drop(source)
            return True
        # another thread has written meanwhile
        drop(value)


# -- indexing


def get_part(ref objects: Objects, x: Int, key: Int) -> Int:
    if load(x, TYPE) != objects.array_type or objects.full():
        return UNUSUAL
    var selection = _select(objects, x, key)
    if selection[0] <= 0:
        return selection[0]
    var layout = selection[0]
    var none = objects.api.none
    var made: Int
    if selection[1]:
        var code = load(x, HANDLE_CODE)
        made = objects.new_result(
            item(objects.copies, int_of(code)),
            code,
            objects.api.empty,
            single(objects.value_of(x)),
            single(layout),
        )
    else:
        var base = load(x, HANDLE_BASE)
        var shape = shape_of(layout)
        made = objects.new_handle(
            objects.array_type,
            kept(none),
            x if base == none else base,
            layout,
            shape,
            load(x, HANDLE_CODE),
        )
        drop(shape)
        if made != 0:
            replace_slot(made, HANDLE_READONLY, load(x, HANDLE_READONLY))
            if base == none:
                replace_slot(made, HANDLE_KEY, key)
    drop(layout)
    return made


def _select(ref objects: Objects, x: Int, key: Int) -> Tuple[Int, Bool]:
    """The layout of `x[key]`, owned, and whether it is a single element.

    It is UNUSUAL for a key with arrays or anything odd, 0 if Python has raised.
    """
    var header = load(x, HANDLE_HEADER)
    if header == 0 or header == objects.api.none:
        return UNUSUAL, False
    var rank = load(load(x, HANDLE_SHAPE), TUPLE_SIZE)
    var type = load(key, TYPE)
    var whole: Int
    var element = False
    if type == objects.int_type:
        element = rank == 1
        whole = pair(key, objects.ellipsis)
    elif _is_basic(objects, key):
        whole = kept(key)
    elif type == objects.tuple_type:
        var integers = 0
        var complete = False
        var count = load(key, TUPLE_SIZE)
        for k in range(count):
            var part = item(key, k)
            if load(part, TYPE) == objects.int_type:
                integers += 1
            elif not _is_basic(objects, part):
                return UNUSUAL, False
            if part == objects.ellipsis:
                complete = True
        element = integers == count and count == rank
        whole = kept(key) if complete else extended(key, objects.ellipsis)
    else:
        return UNUSUAL, False
    var layout = external_call["PyObject_GetItem", Int](header, whole)
    drop(whole)
    return layout, element


@always_inline
def _is_basic(ref objects: Objects, part: Int) -> Bool:
    return (
        load(part, TYPE) == objects.slice_type
        or part == objects.ellipsis
        or part == objects.api.none
    )


def set_part(ref objects: Objects, x: Int, key: Int, y: Int) -> Int:
    var none = objects.api.none
    if (
        load(x, TYPE) != objects.array_type
        or objects.full()
        or load(x, HANDLE_READONLY) != objects.no
    ):
        return UNUSUAL
    var base = load(x, HANDLE_BASE)
    if base == none:
        base = x
        if (
            load(y, TYPE) == objects.array_type
            and load(y, HANDLE_BASE) == x
            and load(y, HANDLE_KEY) == key
            and key != none  # other views have no key
        ):
            return kept(none)  # `x[key] += y` has written through the view
    var dtype = load(x, HANDLE_CODE)
    if load(base, HANDLE_CODE) != dtype:
        return UNUSUAL
    var selection = _select(objects, x, key)
    var layout = selection[0]
    if layout <= 0:
        return layout
    var source = _source(objects, y, dtype, layout)
    if source[0] == 0:
        drop(layout)
        return UNUSUAL
    var done = _write(objects, base, dtype, source[0], layout, source[1])
    drop(layout)
    return kept(none) if done else 0


def _int_fits(number: Int, dtype: Int) -> Bool:
    """Whether a Python int is an element of a dtype of real numbers but bool and halves."""
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    if overflow != 0 or dtype == 0:
        return False
    if dtype < FIRST_FLOAT:
        # the codes of signed integers, and then of unsigned ones, are in the order of their sizes
        var bits = 8 << ((dtype - 1) % 4)
        if dtype > 4:
            return value >= 0 and (bits == 64 or value >> bits == 0)
        return value >> (bits - 1) == 0 or value >> (bits - 1) == -1
    return dtype == FLOAT64 or dtype == FLOAT32


def _source(
    ref objects: Objects, y: Int, dtype: Int, layout: Int
) -> Tuple[Int, Int]:
    """What is written, owned, and its layout, borrowed; 0 if it must be converted first."""
    var none = objects.api.none
    var type = load(y, TYPE)
    if type == objects.api.float_type:
        if int_of(dtype) < FIRST_FLOAT:
            return 0, none
        return kept(y), none
    if type == objects.int_type:
        if not _int_fits(y, int_of(dtype)):
            return 0, none
        return kept(y), none
    if not objects.is_handle(y) or load(y, HANDLE_CODE) != dtype:
        return 0, none
    if type == objects.array_type:
        var shape = load(y, HANDLE_SHAPE)
        var wanted = shape_of(layout)
        var same = same_shape(shape, wanted)
        drop(wanted)
        if not same:
            return 0, none
    return kept(objects.value_of(y)), load(y, HANDLE_LAYOUT)
