"""Methods of handles as C functions: those that give the elements to Python and NumPy.

What is odd is answered by the Python function that each stands before, errors among it.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from std.python import PythonObject
from vm.base.fields import (
    HANDLE_CODE,
    HANDLE_LAYOUT,
    HANDLE_OPERATORS,
    HANDLE_SHAPE,
)
from elementwise.numbers.dtypes import COMPLEX64
from vm.base.numbers import FIRST_FLOAT, FLOAT64
from vm.base.objects import UNUSUAL, Objects, ObjectsPointer, item
from vm.base.parts import convert
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    IN_C_ORDER,
    LIST_ITEMS,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import text
from vm.record.element import (
    BFLOAT16,
    COMPLEX,
    REAL,
    address_of_element,
    complex_at,
    computed_element,
    float_at,
    number_at,
    object_at,
    start_of,
)
from vm.record.elements import (
    address_inside,
    is_number,
    new_scalar,
    number_was_read,
)
from vm.record.derived import finished, is_derived, plain
from vm.record.exchange import exported
from vm.record.floats import be_no_float, is_result, show_number
from vm.record.indexing import set_part
from vm.record.layouts import AXES, Axes
from vm.record.pinning import settled
from vm.record.record import OperatorPointer, operator_at
from vm.record.scalars import float_of
from vm.record.shaping import copied, raveled, reshaped
from vm.record.texts import integer_as_text
from vm.record.turning import permuted, squeezed, swapped
from vm.run.flush import computed
from vm.base.bytecode import itemsize
from structured.operands.operand import MAX_RANK

comptime METHODS = (
    "tolist item __array__ reshape ravel fill flatten copy __complex__ __format__"
    " tobytes __copy__ __deepcopy__ transpose swapaxes squeeze"
)
comptime SIGNATURES = (
    "($self,/) ($self,/,*args) ($self,/,dtype=None,copy=None)"
    " ($self,/,*shape,order='C',copy=None) ($self,/,order='C') ($self,/,value)"
    " ($self,/,order='C') ($self,/,order='C') ($self,/) ($self,spec,/)"
    " ($self,/,order='C') ($self,/) ($self,memo,/)"
    " ($self,/,*axes) ($self,axis1,axis2,/) ($self,/,axis=None)"
)
comptime METH_FASTCALL = 0x80
comptime METH_KEYWORDS = 2
comptime TP_METHODS = 64
comptime DESCRIPTOR_METHOD = 5
"""What a method of a type refers to: its row in the table."""
comptime Function = def(x: Int, args: Int, count: Int, names: Int) thin abi(
    "C"
) -> Int


def table_of_methods[first: Int]() -> Int:
    """The methods as Python's type has them; `first` is the number of the first as an operator."""
    var names = String(METHODS).split()
    var functions: List[Function] = [
        tolist[first],
        item_of[first + 1],
        array_of[first + 2],
        reshape[first + 3],
        ravel[first + 4],
        fill[first + 5],
        flatten[first + 6],
        copy[first + 7],
        complex_of[first + 8],
        formatted[first + 9],
        tobytes[first + 10],
        copied_again[first + 11],
        copied_again[first + 12],
        transpose[first + 13],
        swapaxes[first + 14],
        squeeze[first + 15],
    ]
    var table = external_call["calloc", Int](len(functions) + 1, Int(32))
    for k in range(len(functions)):
        var function = functions[k]
        store(table, 4 * k, text(String(names[k])))
        store(table, 4 * k + 1, Pointer(to=function).unsafe_bitcast[Int]()[])
        store(table, 4 * k + 2, METH_FASTCALL | METH_KEYWORDS)
    return table


def set_doc(type: Int, method: Int, doc: PythonObject) raises:
    """Gives a method, by its place among them, the text that Python's `help` shows."""
    var name = String(String(METHODS).split()[method])
    var signature = String(String(SIGNATURES).split()[method])
    var shown = String(py=doc) if doc is not PythonObject(None) else String("")
    var found = external_call["PyObject_GetAttrString", Int](type, text(name))
    var definition = load(found, DESCRIPTOR_METHOD)
    store(definition, 3, text(name + signature + "\n--\n\n" + shown))
    drop(found)


@always_inline
def _operator[number: Int](x: Int) -> OperatorPointer:
    return operator_at(load(load(x, HANDLE_OPERATORS), number))


def _otherwise(function: Int, x: Int, args: Int, count: Int, names: Int) -> Int:
    """What the Python function answers."""
    var total = count + (0 if names == 0 else load(names, TUPLE_SIZE))
    var given = List[Int](capacity=total + 1)
    given.append(x)
    for k in range(total):
        given.append(load(args, k))
    var made = external_call["PyObject_Vectorcall", Int](
        function, Int(given.unsafe_ptr()), count + 1, names
    )
    _ = given^
    return made


comptime Body = def(
    operator: OperatorPointer, x: Int, args: Int, count: Int
) thin -> Int
"""What a method gives for arguments without names; UNUSUAL where Python is to answer."""


@always_inline
def _answered[
    number: Int, body: Body
](x: Int, args: Int, count: Int, names: Int) -> Int:
    """What a method that gives arrays answers, also for an array of a derived class: made of a plain one."""
    var operator = _operator[number](x)
    if not is_derived(operator[].objects, x):
        return _made(operator, body, x, args, count, names)
    var seen = plain(operator[].objects, x)
    if seen == 0:
        return 0
    var made = _made(operator, body, seen, args, count, names)
    if made == seen:
        drop(made)
        made = kept(x)
    drop(seen)
    return finished(operator[].objects, made, x)


@always_inline
def _made(
    operator: OperatorPointer,
    body: Body,
    x: Int,
    args: Int,
    count: Int,
    names: Int,
) -> Int:
    var made = body(operator, x, args, count) if names == 0 else UNUSUAL
    if made != UNUSUAL:
        return made
    return _otherwise(operator[].otherwise, x, args, count, names)


# -- other shapes, and all elements at once


def reshape[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.reshape(*shape)`."""
    return _answered[number, _reshape](x, args, count, names)


def _reshape(operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    if count == 0:
        return UNUSUAL
    return reshaped(operator[].objects, x, args, count)


def ravel[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.ravel()`."""
    return _answered[number, _ravel](x, args, count, names)


def _ravel(operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    return raveled(operator[].objects, x) if count == 0 else UNUSUAL


def transpose[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.transpose(*axes)`."""
    return _answered[number, _transpose](x, args, count, names)


def _transpose(operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    return permuted(operator[].objects, x, args, count)


def swapaxes[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.swapaxes(axis1, axis2)`."""
    return _answered[number, _swapaxes](x, args, count, names)


def _swapaxes(operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    return swapped(operator[].objects, x, args, count)


def squeeze[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.squeeze()`."""
    return _answered[number, _squeeze](x, args, count, names)


def _squeeze(operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    return squeezed(operator[].objects, x, count)


def flatten[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.flatten()`."""
    return _answered[number, _copy[True]](x, args, count, names)


def copy[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.copy()`."""
    return _answered[number, _copy[False]](x, args, count, names)


def _copy[
    is_flat: Bool
](operator: OperatorPointer, x: Int, args: Int, count: Int) -> Int:
    return copied(operator[].objects, x, is_flat) if count == 0 else UNUSUAL


def copied_again[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`copy.copy(x)` and `copy.deepcopy(x)`, in which the axes lie as in `x`."""
    ref operator = _operator[number](x)[]
    var objects = operator.objects
    if objects[].is_handle(x) and names == 0 and objects[].learning == 0:
        var made = UNUSUAL
        if objects[].is_scalar(load(x, TYPE)):
            made = _scalar_again(objects, x)
        else:
            made = copied[keeps_order=True](objects, x, False)
        if made != UNUSUAL:
            return made
    return _otherwise(operator.otherwise, x, args, count, names)


def _scalar_again(objects: ObjectsPointer, x: Int) -> Int:
    """A scalar of the same type with the same element, if that is known; else UNUSUAL."""
    var dtype = 0
    var address = address_of_element(objects[], x, dtype)
    if address == 0:
        return UNUSUAL
    var made = new_scalar(objects, load(x, HANDLE_CODE))
    if made != 0:
        copy_bytes(address_inside(objects, made), address, itemsize(dtype))
        show_number(objects[], made)
        if is_result(objects[], x):
            be_no_float(objects[], made)
    return made


def fill[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.fill(value)`: `x[...] = value`."""
    ref operator = _operator[number](x)[]
    ref objects = operator.objects[]
    if (
        names == 0
        and count == 1
        and load(x, TYPE) == objects.array_type
        and (
            objects.is_scalar(load(load(args, 0), TYPE))
            or is_number(operator.objects, load(args, 0))
        )
    ):
        var key = objects.ellipsis
        var made = set_part(operator.objects, x, key, load(args, 0))
        if made != UNUSUAL:
            return settled(operator.objects, made)
    return _otherwise(operator.otherwise, x, args, count, names)


# -- NumPy


def array_of[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.__array__(dtype=None, copy=None)`."""
    ref operator = _operator[number](x)[]
    ref objects = operator.objects[]
    if objects.is_scalar(load(x, TYPE)):
        var made = UNUSUAL
        if _shares(objects, x, args, count, names):
            made = exported(objects, x)
        elif count == 1 and names == 0:
            made = _converted(operator.objects, x, load(args, 0))
        if made != UNUSUAL:
            return made
    return _otherwise(operator.otherwise, x, args, count, names)


def _converted(objects: ObjectsPointer, x: Int, dtype: Int) -> Int:
    """An integer as a new array of NumPy's, of another integer dtype, or float64: `numpy.int64(x)` asks so."""
    var given = objects[].dtype(x)
    if given >= FIRST_FLOAT or objects[].learning > 0:
        return UNUSUAL
    var wanted = 0
    while objects[].api.dtypes[wanted] != dtype:
        wanted += 1
        if wanted > FLOAT64:
            return UNUSUAL
    if FIRST_FLOAT <= wanted < FLOAT64:
        return UNUSUAL
    var address = address_of_element(objects[], x, given)
    if address == 0:
        address = computed_element(objects[], x, given)
    if address == 0:
        return UNUSUAL
    objects[].reads += 1
    number_was_read(objects[])
    var bits: Array[Int, 2] = [0, 0]
    var room = Int(bits.unsafe_ptr())
    if not convert(given, wanted, room, address, 1):
        return UNUSUAL
    var axes = Axes(Int(stack_allocation[AXES, Int64]()))
    axes.dtype = dtype
    var made = axes.layout(objects)  # with memory of its own
    if made != 0:
        copy_bytes(load(made, ARRAY_DATA), room, itemsize(wanted))
    _ = bits  # is in use until here
    return made


def _shares(
    ref objects: Objects, x: Int, args: Int, count: Int, names: Int
) -> Bool:
    """Whether no other dtype and no copy is asked for."""
    if count > 2 or not objects.is_handle(x):
        return False
    if count > 0:
        var dtype = load(args, 0)
        var own = objects.api.dtypes[objects.dtype(x)]
        if dtype != objects.api.none and dtype != own:
            return False
    if count == 2 and not _is_no(objects, load(args, 1)):
        return False
    for k in range(0 if names == 0 else load(names, TUPLE_SIZE)):
        if count == 2 or not _is_copy(item(names, k)):
            return False
        if not _is_no(objects, load(args, count + k)):
            return False
    return True


@always_inline
def _is_no(ref objects: Objects, object: Int) -> Bool:
    return object == objects.api.none or object == objects.no


def _is_copy(name: Int) -> Bool:
    return (
        external_call["PyUnicode_CompareWithASCIIString", Int32](
            name, "copy".ptr()
        )
        == 0
    )


# -- Python's numbers


struct _Axes(TrivialRegisterPassable):
    """The axes of an array: addresses of their lengths and byte strides, and their number."""

    var extents: Int
    var strides: Int
    var rank: Int

    def __init__(out self, extents: Int, strides: Int, rank: Int):
        self.extents = extents
        self.strides = strides
        self.rank = rank

    @always_inline
    def inner(self) -> Self:
        """All axes but the first."""
        return Self(self.extents + 8, self.strides + 8, self.rank - 1)


@always_inline
def _axes_of(ref objects: Objects, x: Int, code: Int, space: Int) -> _Axes:
    """The axes of a handle; those of a whole one are written to the space."""
    var layout = load(x, HANDLE_LAYOUT)
    var shape = load(x, HANDLE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if layout != objects.api.none:
        return _Axes(
            load(layout, ARRAY_SHAPE), load(layout, ARRAY_STRIDES), rank
        )
    var stride = itemsize(code)
    for axis in reversed(range(rank)):
        var extent = int_of(item(shape, axis))
        store(space, axis, extent)
        store(space, rank + axis, stride)
        stride *= max(extent, 1)
    return _Axes(space, space + 8 * rank, rank)


def tolist[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.tolist()`."""
    ref operator = _operator[number](x)[]
    ref objects = operator.objects[]
    var made = UNUSUAL
    if count == 0 and names == 0:
        made = _listed(objects, x)
    if made != UNUSUAL:
        return made
    return _otherwise(operator.otherwise, x, args, count, names)


def _listed(mut objects: Objects, x: Int) -> Int:
    """The elements of a handle as nested lists."""
    var code = objects.dtype(x)
    if code == BFLOAT16:
        return UNUSUAL
    var value = kept(objects.value_of(x))
    var buffer = computed(objects, value)
    var made = UNUSUAL
    if buffer != 0:
        objects.reads += 1
        var space = Array[Int, 2 * MAX_RANK](uninitialized=True)
        var axes = _axes_of(objects, x, code, Int(Pointer(to=space)))
        var start = start_of(objects, buffer, load(x, HANDLE_LAYOUT))
        if axes.rank == 0:
            made = number_at(start, code)
        else:
            made = _nested(axes, start, code)
        _ = space
    drop(value)
    return made


def tobytes[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.tobytes(order)`."""
    ref operator = _operator[number](x)[]
    var made = UNUSUAL
    if count == 0 and names == 0:
        made = _bytes(operator.objects[], x)
    if made != UNUSUAL:
        return made
    return _otherwise(operator.otherwise, x, args, count, names)


def _bytes(mut objects: Objects, x: Int) -> Int:
    """The memory of a handle whose elements follow each other in C order."""
    var layout = load(x, HANDLE_LAYOUT)
    var is_whole = layout == objects.api.none
    if not is_whole and load(layout, ARRAY_FLAGS) & IN_C_ORDER == 0:
        return UNUSUAL
    var nbytes = itemsize(objects.dtype(x))
    var shape = load(x, HANDLE_SHAPE)
    for axis in range(load(shape, TUPLE_SIZE)):
        nbytes *= objects.api.small_int(item(shape, axis))
    var value = kept(objects.value_of(x))
    var buffer = computed(objects, value)
    var made = UNUSUAL
    if buffer != 0:
        objects.reads += 1
        made = external_call["PyBytes_FromStringAndSize", Int](
            start_of(objects, buffer, layout), nbytes
        )
    drop(value)
    return made


def _nested(axes: _Axes, start: Int, code: Int) -> Int:
    """Nested lists of the elements from an address on; 0 says that Python has raised."""
    var count = load(axes.extents, 0)
    var stride = load(axes.strides, 0)
    var list = external_call["PyList_New", Int](count)
    if list == 0:
        return 0
    var items = load(list, LIST_ITEMS)
    var done: Bool
    if axes.rank == 1:
        done = _fill_row(items, start, stride, count, code)
    else:
        done = True
        for k in range(count):
            var part = _nested(axes.inner(), start + k * stride, code)
            store(items, k, part)
            if part == 0:
                done = False
                break
    if not done:
        drop(list)
        return 0
    return list


def _fill_row(
    items: Int, start: Int, stride: Int, count: Int, code: Int
) -> Bool:
    """Makes the numbers of one row; False says that Python has raised."""
    comptime for k in range(len(REAL)):
        comptime pair = REAL[k]
        if code == pair[0]:
            for i in range(count):
                var made = object_at[pair[1]](start + i * stride)
                if made == 0:
                    return False
                store(items, i, made)
            return True
    comptime for k in range(len(COMPLEX)):
        comptime pair = COMPLEX[k]
        if code == pair[0]:
            for i in range(count):
                var made = complex_at[pair[1]](start + i * stride)
                if made == 0:
                    return False
                store(items, i, made)
            return True
    return True


def item_of[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`x.item(*indices)`."""
    ref operator = _operator[number](x)[]
    ref objects = operator.objects[]
    var made = UNUSUAL
    if names == 0 and objects.learning == 0 and objects.is_handle(x):
        made = _item(objects, x, args, count)
    if made != UNUSUAL:
        return made
    return _otherwise(operator.otherwise, x, args, count, names)


def complex_of[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`complex(x)` of a handle without axes."""
    ref operator = _operator[number](x)[]
    ref objects = operator.objects[]
    var dtype = 0
    var address = 0
    if count == 0 and objects.learning == 0:
        address = computed_element(objects, x, dtype)
    if address == 0:
        return _otherwise(operator.otherwise, x, args, count, names)
    number_was_read(objects)
    if dtype >= COMPLEX64:
        return number_at(address, dtype)
    var real = float_at(address, dtype)
    if real == 0:
        return 0
    var made = external_call["PyComplex_FromDoubles", Int](
        float_of(real), Float64(0)
    )
    drop(real)
    return made


def formatted[
    number: Int
](x: Int, args: Int, count: Int, names: Int) abi("C") -> Int:
    """`format(x, spec)`."""
    ref operator = _operator[number](x)[]
    var made = UNUSUAL
    if count == 1 and names == 0:
        made = integer_as_text(operator.objects[], x, load(args, 0))
    if made != UNUSUAL:
        return made
    return _otherwise(operator.otherwise, x, args, count, names)


def _item(mut objects: Objects, x: Int, args: Int, count: Int) -> Int:
    """The element at indices that are ints within bounds."""
    var code = objects.dtype(x)
    if code == BFLOAT16:
        return UNUSUAL
    var rank = load(load(x, HANDLE_SHAPE), TUPLE_SIZE)
    if rank == 0 and count == 0:
        var dtype = 0
        var address = computed_element(objects, x, dtype)
        if address == 0:
            return UNUSUAL
        objects.reads += 1
        return number_at(address, code)
    var space = Array[Int, 2 * MAX_RANK](uninitialized=True)
    var axes = _axes_of(objects, x, code, Int(Pointer(to=space)))
    var offset = _offset(objects, axes, args, count)
    _ = space
    if offset == NOWHERE:
        return UNUSUAL
    var value = kept(objects.value_of(x))
    var buffer = computed(objects, value)
    var made = UNUSUAL
    if buffer != 0:
        objects.reads += 1
        var start = start_of(objects, buffer, load(x, HANDLE_LAYOUT))
        made = number_at(start + offset, code)
    drop(value)
    return made


comptime NOWHERE = Int.MIN


def _offset(ref objects: Objects, axes: _Axes, args: Int, count: Int) -> Int:
    """How far from the first element that at some indices is, in bytes."""
    if count == 1 and axes.rank != 1:
        return _offset_in_order(objects, axes, load(args, 0))
    if count != axes.rank and count != 0:
        return NOWHERE
    var offset = 0
    for axis in range(axes.rank):
        var extent = load(axes.extents, axis)
        if count == 0:
            if extent != 1:
                return NOWHERE
            continue
        var index = _index(objects, load(args, axis), extent)
        if index < 0:
            return NOWHERE
        offset += index * load(axes.strides, axis)
    return offset


def _offset_in_order(ref objects: Objects, axes: _Axes, given: Int) -> Int:
    """How far that at an index in C order is."""
    var size = 1
    for axis in range(axes.rank):
        size *= load(axes.extents, axis)
    var rest = _index(objects, given, size)
    if rest < 0:
        return NOWHERE
    var offset = 0
    for axis in reversed(range(axes.rank)):
        var extent = load(axes.extents, axis)
        offset += rest % extent * load(axes.strides, axis)
        rest //= extent
    return offset


@always_inline
def _index(ref objects: Objects, given: Int, size: Int) -> Int:
    """A Python int as an index from the front, negative if it is none."""
    if load(given, TYPE) != objects.int_type:
        return -1
    var overflow = Int32(0)
    var index = external_call["PyLong_AsLongLongAndOverflow", Int](
        given, Pointer(to=overflow)
    )
    if overflow != 0 or index >= size or index < -size:
        return -1
    return index if index >= 0 else index + size
