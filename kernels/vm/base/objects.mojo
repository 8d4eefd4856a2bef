"""Making and reading the Python side's objects: values, handles, tuples, layouts.

Their fields are written in place.
"""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_CODE,
    HANDLE_HEADER,
    HANDLE_KEY,
    HANDLE_LAYOUT,
    HANDLE_OPERATORS,
    OPERATORS,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    HANDLE_VALUE,
    HANDLE_VIEWS,
    HANDLE_WEAK,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_SHAPE,
    VALUE_SITE,
    VALUE_WITHIN,
)
from vm.base.interface import Interface
from vm.base.raw import (
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    address_of,
    array_rank,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import new_derived, new_object


comptime UNUSUAL = -1
"""The answer for operands that the Python function is for."""


# places in the table of NumPy's C functions
comptime ARRAY_TYPE = 2
comptime UPDATE_FLAGS = 92
comptime NEW_FROM_DESCR = 94


struct Objects(Defaultable, Movable):
    """Addresses of types, singletons and constant tuples."""

    var api: Interface
    var array_type: Int
    var scalar_type: Int
    var int_type: Int
    var bool_type: Int
    var tuple_type: Int
    var slice_type: Int
    var ellipsis: Int
    var no: Int
    """Python's False."""
    var copies: Int
    """A tuple: by dtype code, the code of a copy."""
    var stores: Int
    """A tuple: by dtype code, the code of a write through a view."""
    var log: Int
    var limit: Int
    var running: Bool
    """Whether a flush is under way, which may write to the memory of computed values."""
    var new_array: Int
    """The address of NumPy's function that makes an array (`vm.record.layouts`)."""
    var update_flags: Int
    """That of the one that finds an array's flags."""
    var array_of_numpy: Int
    """The type of NumPy's arrays."""
    var room: Int
    """Bytes of the address space that layouts lie in."""
    var one_element: Int
    """A Buffer of no memory, of which those of single elements are copies."""
    var operators: Int
    """The table that each handle refers to: by the number of an operator, its address."""

    def __init__(out self):
        self.api = Interface()
        self.array_type = 0
        self.scalar_type = 0
        self.int_type = 0
        self.bool_type = 0
        self.tuple_type = 0
        self.slice_type = 0
        self.ellipsis = 0
        self.no = 0
        self.copies = 0
        self.stores = 0
        self.log = 0
        self.limit = 0
        self.running = False
        self.new_array = 0
        self.update_flags = 0
        self.array_of_numpy = 0
        self.room = 0
        self.one_element = 0
        self.operators = external_call["calloc", Int](OPERATORS, Int(8))

    def bind(mut self, facts: PythonObject) raises:
        """Takes over what `lazy/run/machine.py` says of Python's and NumPy's side."""
        self.int_type = address_of(facts["int"])
        self.bool_type = address_of(facts["bool"])
        self.tuple_type = address_of(facts["tuple"])
        self.slice_type = address_of(facts["slice"])
        self.ellipsis = address_of(facts["ellipsis"])
        self.no = address_of(facts["false"])
        self.copies = address_of(facts["copies"])
        self.stores = address_of(facts["stores"])
        self.log = address_of(facts["log"])
        self.limit = Int(py=facts["limit"])
        self.room = Int(py=facts["room"])
        var functions = external_call["PyCapsule_GetPointer", Int](
            address_of(facts["numpy"]), Int(0)
        )
        self.new_array = load(functions, NEW_FROM_DESCR)
        self.update_flags = load(functions, UPDATE_FLAGS)
        self.array_of_numpy = load(functions, ARRAY_TYPE)

    # -- reading

    @always_inline
    def full(self) -> Bool:
        """Whether as much is pending as may be."""
        return load(self.log, TUPLE_SIZE) > self.limit

    @always_inline
    def is_handle(self, object: Int) -> Bool:
        var kind = load(object, TYPE)
        return kind == self.array_type or kind == self.scalar_type

    @always_inline
    def dtype(self, handle: Int) -> Int:
        """The dtype code of a handle."""
        return int_of(load(handle, HANDLE_CODE))

    @always_inline
    def value_of(self, handle: Int) -> Int:
        """The value whose elements a handle sees now."""
        var base = load(handle, HANDLE_BASE)
        return load(handle if base == self.api.none else base, HANDLE_VALUE)

    def in_c_order(self, handle: Int) -> Bool:
        """Whether the axes run from the largest stride to the smallest."""
        var layout = load(handle, HANDLE_LAYOUT)
        if layout == self.api.none:
            return True
        var extents = load(layout, ARRAY_SHAPE)
        var strides = load(layout, ARRAY_STRIDES)
        var before = Int.MAX
        for axis in range(array_rank(layout)):
            var stride = abs(load(strides, axis))
            if load(extents, axis) > 1 and stride > 0:
                if stride > before:
                    return False
                before = stride
        return True

    # -- making; a result of 0 says that Python has raised

    @always_inline
    def new_value(
        self, code: Int, shape: Int, var inputs: Int, var layouts: Int
    ) -> Int:
        """A pending value at the end of the log; takes over the references to the tuples."""
        ref api = self.api
        var made = new_object(api.value_type)
        if made == 0:
            return 0
        fill(made, VALUE_CODE, code)
        fill(made, VALUE_SHAPE, shape)
        store(made, VALUE_INPUTS, inputs)
        store(made, VALUE_LAYOUTS, layouts)
        fill(made, VALUE_PARAMS, api.none)
        fill(made, VALUE_BUFFER, api.none)
        store(made, VALUE_SITE, 0)
        store(made, VALUE_WITHIN, 0)
        if external_call["PyList_Append", Int32](self.log, made) != 0:
            drop(made)
            return 0
        return made

    @always_inline
    def new_handle(
        self,
        type: Int,
        var value: Int,
        base: Int,
        layout: Int,
        shape: Int,
        code: Int,
    ) -> Int:
        """A handle of a class; takes over the reference to the value."""
        var made = new_object(
            type
        ) if type == self.array_type or type == self.scalar_type else new_derived(
            type
        )
        if made == 0:
            drop(value)
            return 0
        var none = self.api.none
        store(made, HANDLE_VALUE, value)
        fill(made, HANDLE_BASE, base)
        fill(made, HANDLE_LAYOUT, layout)
        fill(made, HANDLE_HEADER, layout)
        fill(made, HANDLE_SHAPE, shape)
        fill(made, HANDLE_CODE, code)
        fill(made, HANDLE_READONLY, self.no)
        fill(made, HANDLE_KEY, none)
        store(made, HANDLE_OPERATORS, self.operators)
        store(made, HANDLE_WEAK, 0)
        store(made, HANDLE_VIEWS, 0)
        if base != none:
            store(base, HANDLE_VIEWS, load(base, HANDLE_VIEWS) + 1)
        return made

    @always_inline
    def new_result(
        self, code: Int, result: Int, shape: Int, inputs: Int, layouts: Int
    ) -> Int:
        """A new value and its handle, an array or a scalar; `result` is its dtype code."""
        var value = self.new_value(code, shape, inputs, layouts)
        if value == 0:
            return 0
        var none = self.api.none
        var type = (
            self.array_type if load(shape, TUPLE_SIZE) > 0 else self.scalar_type
        )
        return self.new_handle(type, value, none, none, shape, result)

    @always_inline
    def layouts_of(self, a: Int, b: Int) -> Int:
        """A tuple of two layouts, None if both are None."""
        if a == self.api.none and b == self.api.none:
            return kept(self.api.none)
        return pair(a, b)


comptime ObjectsPointer = Pointer[Objects, MutUntrackedOrigin]
"""How functions take them: the compiler would pass a struct field by field."""


@always_inline
def fill(object: Int, index: Int, value: Int):
    """Puts a borrowed reference into an empty field."""
    store(object, index, kept(value))


@always_inline
def item(tuple: Int, index: Int) -> Int:
    """A borrowed reference to an item of a tuple."""
    return load(tuple, TUPLE_ITEMS + index)


# Any allocation may run the garbage collector, thus Python code, thus other threads: what is
# borrowed from a field that changes is kept before.


@always_inline
def pair(a: Int, b: Int) -> Int:
    """A tuple of two borrowed references."""
    _ = kept(a)
    _ = kept(b)
    var made = external_call["PyTuple_New", Int](Int(2))
    store(made, TUPLE_ITEMS, a)
    store(made, TUPLE_ITEMS + 1, b)
    return made


@always_inline
def single(a: Int) -> Int:
    """A tuple of one borrowed reference."""
    _ = kept(a)
    var made = external_call["PyTuple_New", Int](Int(1))
    store(made, TUPLE_ITEMS, a)
    return made


def same_shape(a: Int, b: Int) -> Bool:
    """Whether two tuples of ints are equal."""
    if a == b:
        return True
    var rank = load(a, TUPLE_SIZE)
    if rank != load(b, TUPLE_SIZE):
        return False
    for axis in range(rank):
        if item(a, axis) != item(b, axis) and int_of(item(a, axis)) != int_of(
            item(b, axis)
        ):
            return False
    return True


def broadcast(a: Int, b: Int) -> Int:
    """A new reference to the shape that two broadcast to, 0 (not raised) if they do not."""
    if same_shape(a, b):
        return kept(a)
    var long = a
    var short = b
    if load(a, TUPLE_SIZE) < load(b, TUPLE_SIZE):
        long = b
        short = a
    var rank = load(long, TUPLE_SIZE)
    var missing = rank - load(short, TUPLE_SIZE)
    var made = external_call["PyTuple_New", Int](rank)
    for axis in range(rank):
        var extent = item(long, axis)
        if axis >= missing:
            var other = item(short, axis - missing)
            if int_of(extent) == 1:
                extent = other
            elif int_of(other) != 1 and int_of(other) != int_of(extent):
                drop(made)
                return 0
        fill(made, TUPLE_ITEMS + axis, extent)
    return made
