"""The type of methods that draw random numbers: a few are drawn at once, without Python.

Each stands before a Python function, which makes all other calls: of many numbers, of parameters that
are arrays or not surely allowed, of a state that is pending or in use by another thread.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.random.wish import PARAMETERS
from vm.base.fields import (
    BUFFER_ADDRESS,
    HANDLE_SHAPE,
    HANDLE_VALUE,
)
from vm.base.numbers import FLOAT64, INT64
from vm.base.objects import (
    UNUSUAL,
    ObjectsPointer,
    broadcast,
    item,
    same_shape,
)
from vm.base.parts import (
    draw_each,
    draw_few,
    draw_float,
    draw_integers,
    draw_row,
    draw_whole,
)
from vm.base.raw import (
    LIST_ITEMS,
    LIST_SIZE,
    TUPLE_SIZE,
    TYPE,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import (
    READ_ONLY,
    TP_CALL,
    TP_MEMBERS,
    Member,
    Slot,
    members,
    new_object,
    new_type,
)
from vm.calls.function import (
    ARGUMENTS_OFFSET,
    HAS_VECTORCALL,
    IS_METHOD,
    TP_DESCR_GET,
    Call,
    Get,
    Vectorcall,
    bound,
    called,
)
from vm.calls.parameters import Arrays, are_fine, spread
from vm.record.elements import (
    address_inside,
    array_of_buffer,
    new_scalar,
    room_for,
)
from vm.record.gathering import remember
from vm.record.scalars import compute_number, float_of, real_number

# what a method has
comptime CALL = 2
"""Its C function, for Python's vectorcall."""
comptime FUNCTION = 3
comptime OBJECTS = 4
"""The address of what makes objects: no reference."""
comptime DICTIONARY = 5
comptime WEAK = 6
comptime NAMES = 7
"""A tuple: the names of its parameters, "size" behind them, and whatever else it takes."""
comptime COUNT = 8
"""How many parameters of the distribution there are: a number."""
comptime DEFAULTS = 9
"""A tuple of their values where they are not given; None where they must be."""
comptime KIND = 10
"""The number of the distribution of the newer generator, behind it that of the older one."""
comptime FAMILY = 12
comptime CHECK = 13
"""How parameters are checked, a number below."""
comptime WHOLE = 14
"""A bit for each parameter that must be an int."""
comptime ADDRESS = 15
"""The name of the attribute of a generator that has the address of its `Source`."""
comptime END = 16

comptime FAMILIES = "floats wholes integers axes order row"
"""How a method takes its arguments, and what it gives; the number of each is its place here."""
comptime FLOATS = 0
comptime WHOLES = 1
comptime INTEGERS = 2
"""Between bounds: two parameters that are no floats."""
comptime AXES = 3
"""Floats without parameters; all arguments are lengths of axes."""
comptime ORDER = 4
"""The integers below the first argument in a random order."""
comptime ROW = 5
"""How often things are found: of a number of trials and their chances."""

comptime MOST_NAMES = 8
comptime MOST_CHANCES = 64
comptime MOST_NUMBERS = 1 << 13
"""Numbers that are drawn at once, as recording them would take longer."""
comptime _EXACT = Float64(9007199254740992)
"""From here on float64 have not all integers."""

# words of a `Source` (jujunp/random/_draws/state.py)
comptime PENDING = 3
"""The address of a word that is not 0 while the state is pending."""
comptime OLDER = 4
comptime ACQUIRE = 5
"""The method that takes the lock: no reference."""
comptime RELEASE = 6
comptime SETTLE = 7
"""The method that has a computed state in memory."""


def drawing_type() raises -> Int:
    """The type of methods that draw."""
    var numbers: List[Member] = [
        ("__vectorcalloffset__", CALL, READ_ONLY),
        ("__dictoffset__", DICTIONARY, READ_ONLY),
        ("__weaklistoffset__", WEAK, READ_ONLY),
    ]
    var call: Call = called
    var get: Get = bound
    var slots: List[Slot] = [
        (TP_MEMBERS, members("", 0, numbers)),
        (TP_CALL, Pointer(to=call).unsafe_bitcast[Int]()[]),
        (TP_DESCR_GET, Pointer(to=get).unsafe_bitcast[Int]()[]),
    ]
    return new_type("jujunp.drawing", END, HAS_VECTORCALL | IS_METHOD, slots)


struct Drawn:
    """What a call asks for, once its arguments are read."""

    var given: Pointer[Int64, MutUntrackedOrigin]
    """The arguments by the place of their name, 0 for what is not given."""
    var numbers: Array[Float64, PARAMETERS]
    var shape: Int
    """The shape, a new reference; 0 for one number."""
    var count: Int
    var rows: List[Float64]
    """The parameters of each number, `PARAMETERS` of them, one number after another; none if all have `numbers`."""

    def __init__(out self, room: Int):
        self.given = Pointer[Int64, MutUntrackedOrigin](
            unsafe_from_address=room
        )
        self.numbers = Array[Float64, PARAMETERS](fill=0)
        self.shape = 0
        self.count = 1
        self.rows = List[Float64]()

    def __del__(deinit self):
        if self.shape != 0:
            drop(self.shape)

    @always_inline
    def argument(self, place: Int) -> Int:
        return Int(self.given[unsafe_offset=place])

    def place(mut self, me: Int, args: Int, count: Int, names: Int) -> Bool:
        """Puts each argument in its place; False if there are others, or one twice."""
        var known = load(me, NAMES)
        var places = load(known, TUPLE_SIZE)
        if count > places or places > MOST_NAMES:
            return False
        for k in range(places):
            self.given[unsafe_offset=k] = Int64(
                load(args, k) if k < count else 0
            )
        if names == 0:
            return True
        for k in range(load(names, TUPLE_SIZE)):
            var name = item(names, k)
            var found = -1
            for place in range(places):
                if item(known, place) == name:  # both are interned
                    found = place
            if found < 0 or self.argument(found) != 0:
                return False
            self.given[unsafe_offset=found] = Int64(load(args, count + k))
        return True

    def read_size(mut self, objects: ObjectsPointer, size: Int) -> Bool:
        """Reads a size; False for what is not of the usual types, or too large."""
        if size == 0 or size == objects[].api.none:
            return True
        if load(size, TYPE) == objects[].int_type:
            var made = external_call["PyTuple_New", Int](Int(1))
            store(made, 3, kept(size))
            return self.read_axes(objects, made)
        if load(size, TYPE) != load(objects[].api.empty, TYPE):
            return False
        return self.read_axes(objects, kept(size))

    def read_axes(mut self, objects: ObjectsPointer, var shape: Int) -> Bool:
        """Reads the lengths of axes; takes over the reference."""
        for axis in range(load(shape, TUPLE_SIZE)):
            var length = item(shape, axis)
            var extent = 0
            if load(length, TYPE) == objects[].int_type:
                extent = _small(length)
            if not 0 < extent <= MOST_NUMBERS:
                drop(shape)
                return False
            self.count = min(self.count * extent, MOST_NUMBERS + 1)
        if self.count > MOST_NUMBERS:
            drop(shape)
            return False
        self.shape = shape
        return True

    def read_numbers(mut self, objects: ObjectsPointer, me: Int) -> Bool:
        """Reads the parameters, and checks them; False unless they are surely allowed."""
        var arrays = Arrays(objects)
        for k in range(load(me, COUNT)):
            var given = self.argument(k)
            if given == 0:
                given = item(load(me, DEFAULTS), k)
            var is_whole = load(me, WHOLE) >> k & 1 == 1
            if arrays.take(given, is_whole):
                continue
            if is_whole and load(given, TYPE) != objects[].int_type:
                return False
            compute_number(objects, given)
            var value = real_number(objects, given)
            if load(given, TYPE) != objects[].api.float_type and not (
                abs(value) < _EXACT
            ):
                return False
            self.numbers[k] = value
        if arrays.shape != 0:
            return self._read_rows(objects, me, arrays)
        return are_fine(self.numbers, load(me, CHECK), load(me, COUNT))

    def _read_rows(
        mut self, objects: ObjectsPointer, me: Int, ref arrays: Arrays
    ) -> Bool:
        """Reads the parameters of each number, given those that are arrays; the size was read before."""
        if load(objects[].watches, LIST_SIZE) > 0:
            return False  # who follows arrays must see steps
        var shape = arrays.shape
        if self.shape == 0:
            if not self.read_axes(objects, kept(shape)):
                return False
        else:
            var whole = broadcast(self.shape, shape)
            if whole == 0:
                return False
            var fits = same_shape(whole, self.shape)
            drop(whole)
            if not fits:
                return False
        var places = load(me, COUNT)
        var columns = List[List[Float64]]()
        for k in range(places):
            columns.append(List[Float64]())
            if arrays.given[k] != 0 and not spread(
                objects, arrays.given[k], self.shape, columns[k]
            ):
                return False
        for j in range(self.count):
            for k in range(places):
                if arrays.given[k] != 0:
                    self.numbers[k] = columns[k][j]
                    if arrays.holds_integers(k) and not (
                        abs(columns[k][j]) < _EXACT
                    ):
                        return False
                elif j > 0:
                    self.numbers[k] = columns[k][0]
                else:
                    columns[k].append(self.numbers[k])  # a check may change it
            if not are_fine(self.numbers, load(me, CHECK), places):
                return False
            for k in range(PARAMETERS):
                self.rows.append(self.numbers[k])
        return True


def new_drawing(objects: Int, function: Int, facts: Int, type: Int) -> Int:
    """A method that stands before a Python function, given as `set_facts` takes them; 0 if Python has raised."""
    var made = new_object(type)
    if made == 0:
        return 0
    var call: Vectorcall = _call
    store(made, CALL, Pointer(to=call).unsafe_bitcast[Int]()[])
    store(made, FUNCTION, kept(function))
    store(made, OBJECTS, objects)
    store(made, DICTIONARY, 0)
    store(made, WEAK, 0)
    store(made, NAMES, kept(item(facts, 0)))
    store(made, DEFAULTS, kept(item(facts, 1)))
    store(made, COUNT, load(item(facts, 1), TUPLE_SIZE))
    store(made, KIND, int_of(item(facts, 2)))
    store(made, KIND + 1, int_of(item(facts, 3)))
    store(made, FAMILY, int_of(item(facts, 4)))
    store(made, CHECK, int_of(item(facts, 5)))
    store(made, WHOLE, int_of(item(facts, 6)))
    store(made, ADDRESS, kept(item(facts, 7)))
    return made


def _call(me: Int, args: Int, flags: Int, names: Int) abi("C") -> Int:
    """A call by an array of arguments."""
    var count = flags & ~ARGUMENTS_OFFSET
    if count > 0:
        var objects = ObjectsPointer(unsafe_from_address=load(me, OBJECTS))
        # whoever follows steps must see them
        if objects[].learning == 0 and not objects[].as_python():
            var made = _drawn(objects, me, args, count, names)
            if made != UNUSUAL:
                return made
    return external_call["PyObject_Vectorcall", Int](
        load(me, FUNCTION), args, flags, names
    )


def _drawn(
    objects: ObjectsPointer, me: Int, args: Int, count: Int, names: Int
) -> Int:
    """Numbers, or UNUSUAL where Python is to draw them."""
    var room = Int(stack_allocation[MOST_NAMES, Int64]())
    var wish = Drawn(room)
    var family = load(me, FAMILY)
    var integers = _Integers()
    var row = _Row()
    if family == AXES:
        if names != 0 or not _read_lengths(objects, args, count, wish):
            return UNUSUAL
    elif family == ORDER:
        if count != 2 or names != 0:
            return UNUSUAL
        var size = load(args, 1)
        if load(size, TYPE) != objects[].int_type:
            return UNUSUAL
        if not wish.read_size(objects, size):
            return UNUSUAL
        integers.low = wish.count
        integers.more = 1
    elif family == ROW:
        if count != 3 or names != 0:
            return UNUSUAL
        if not row.read(objects, load(args, 1), load(args, 2)):
            return UNUSUAL
        var size = external_call["PyLong_FromSsize_t", Int](len(row.chances))
        _ = wish.read_size(objects, size)
        drop(size)
    else:
        if not wish.place(me, args + 8, count - 1, names):
            return UNUSUAL
        if family == INTEGERS:
            if not integers.read(objects, me, wish):
                return UNUSUAL
        else:
            for k in range(
                load(me, COUNT) + 1, load(load(me, NAMES), TUPLE_SIZE)
            ):
                if wish.argument(k) != 0:
                    return UNUSUAL
        if not wish.read_size(objects, wish.argument(load(me, COUNT))):
            return UNUSUAL
        if family != INTEGERS and not wish.read_numbers(objects, me):
            return UNUSUAL
    var made = UNUSUAL
    var source = _source_of(me, load(args, 0))
    if source != 0 and _taken(source):
        made = _made(objects, me, source, wish, integers, row)
        drop(external_call["PyObject_CallNoArgs", Int](load(source, RELEASE)))
    return made


def _read_lengths(
    objects: ObjectsPointer, args: Int, count: Int, mut wish: Drawn
) -> Bool:
    """Reads a shape of which each length is an argument; none is one number."""
    if count == 1:
        return True
    var made = external_call["PyTuple_New", Int](count - 1)
    for k in range(count - 1):
        store(made, 3 + k, kept(load(args, 1 + k)))
    return wish.read_axes(objects, made)


def _source_of(me: Int, generator: Int) -> Int:
    """The address of a generator's source, 0 if it has none or its state is pending, and not computed."""
    var address = external_call["PyObject_GetAttr", Int](
        generator, load(me, ADDRESS)
    )
    if address == 0:
        external_call["PyErr_Clear", NoneType]()
        return 0
    var source = int_of(address)
    drop(address)
    if load(load(source, PENDING), 0) == 0:
        return source
    var done = external_call["PyObject_CallNoArgs", Int](load(source, SETTLE))
    if done == 0:
        external_call["PyErr_Clear", NoneType]()
        return 0
    drop(done)
    return 0 if load(load(source, PENDING), 0) != 0 else source


def _taken(source: Int) -> Bool:
    """Whether the lock was taken, which no other thread had; the state is not pending then."""
    var no = external_call["PyBool_FromLong", Int](Int(0))
    var taken = external_call["PyObject_CallOneArg", Int](
        load(source, ACQUIRE), no
    )
    if taken == 0:
        external_call["PyErr_Clear", NoneType]()
        return False
    var is_taken = taken != no
    drop(taken)
    drop(no)
    if is_taken and load(load(source, PENDING), 0) != 0:
        drop(external_call["PyObject_CallNoArgs", Int](load(source, RELEASE)))
        return False
    return is_taken


def _made(
    objects: ObjectsPointer,
    me: Int,
    source: Int,
    ref wish: Drawn,
    ref integers: _Integers,
    ref row: _Row,
) -> Int:
    """Draws; a new reference, 0 if Python has raised."""
    var kind = load(me, KIND + load(source, OLDER))
    var family = load(me, FAMILY)
    var a = wish.numbers[0]
    var b = wish.numbers[1]
    var c = wish.numbers[2]
    if wish.shape == 0:
        if family == INTEGERS:
            return integers.one(objects, source, kind)
        if family == WHOLES:
            var whole = draw_whole(source, kind, a, b, c)
            return external_call["PyLong_FromSsize_t", Int](whole)
        return external_call["PyFloat_FromDouble", Int](
            draw_float(source, kind, a, b, c)
        )
    var code = FLOAT64 if family == FLOATS or family == AXES else INT64
    var buffer = room_for(objects, 8 * wish.count)
    if buffer == 0:
        return 0
    var block = load(buffer, BUFFER_ADDRESS)
    var status: Int
    if family == ROW:
        status = draw_row(
            source,
            kind,
            block,
            len(row.chances),
            row.trials,
            Int(row.chances.unsafe_ptr()),
        )
    elif family == INTEGERS or family == ORDER:
        status = draw_integers(
            source, kind, code, block, wish.count, integers.low, integers.more
        )
    elif len(wish.rows) > 0:
        var rows = Int(wish.rows.unsafe_ptr())
        status = draw_each(source, kind, code, block, wish.count, rows)
    else:
        status = draw_few(source, kind, code, block, wish.count, a, b, c)
    if status != 0:
        drop(buffer)
        return external_call["PyErr_NoMemory", Int]()
    var made = array_of_buffer(objects[], code, wish.shape, buffer)
    if family == ORDER and made != 0:
        remember(load(made, HANDLE_VALUE), wish.count)
    return made


@always_inline
def _small(number: Int) -> Int:
    """A Python int that fits into 64 bits; -1 for another one."""
    var overflow = Int32(0)
    var value = external_call["PyLong_AsLongLongAndOverflow", Int](
        number, Pointer(to=overflow)
    )
    return value if overflow == 0 else -1


struct _Integers:
    """Bounds of integers."""

    var low: Int
    var more: Int
    """How many more there are than one."""
    var is_python: Bool
    """Whether one number is Python's."""

    def __init__(out self):
        self.low = 0
        self.more = 0
        self.is_python = False

    def read(
        mut self, objects: ObjectsPointer, me: Int, ref wish: Drawn
    ) -> Bool:
        """Reads bounds: `low`, or `low` and `high`; False unless they are ints that are surely allowed."""
        var none = objects[].api.none
        var first = wish.argument(0)
        var second = wish.argument(1)
        if first == 0 or wish.argument(3) != 0:
            return False
        var ends = True
        self.is_python = load(load(me, NAMES), TUPLE_SIZE) == 4
        if not self.is_python and wish.argument(4) != 0:
            # `endpoint`
            var given = wish.argument(4)
            if load(given, TYPE) != objects[].bool_type:
                return False
            ends = int_of(given) == 0
        var low = 0
        var high = 0
        if second == 0 or second == none:
            if not _bound(objects, first, high):
                return False
        elif not _bound(objects, first, low) or not _bound(
            objects, second, high
        ):
            return False
        self.low = low
        self.more = high - low - Int(ends)
        return self.more >= 0

    def one(self, objects: ObjectsPointer, source: Int, kind: Int) -> Int:
        """One number: Python's, or a scalar."""
        var found = Array[Int64, 1](fill=0)
        _ = draw_integers(
            source,
            kind,
            INT64,
            Int(found.unsafe_ptr()),
            1,
            self.low,
            self.more,
        )
        var number = Int(found[0])
        if self.is_python:
            return external_call["PyLong_FromSsize_t", Int](number)
        var code = external_call["PyLong_FromSsize_t", Int](INT64)
        var made = new_scalar(objects, code)
        drop(code)
        if made != 0:
            store(address_inside(objects, made), 0, number)
        return made


struct _Row:
    """A number of trials, and chances."""

    var trials: Float64
    var chances: List[Float64]

    def __init__(out self):
        self.trials = 0
        self.chances = List[Float64]()

    def read(mut self, objects: ObjectsPointer, n: Int, chances: Int) -> Bool:
        """Reads both; False unless they are surely allowed."""
        if load(n, TYPE) != objects[].int_type:
            return False
        self.trials = real_number(objects, n)
        if not (self.trials >= 0 and self.trials < _EXACT):
            return False
        if not self._read_chances(objects, chances):
            return False
        var sum = Float64(0)
        for k in range(len(self.chances)):
            var chance = self.chances[k]
            if not (chance >= 0 and chance <= 1):
                return False
            if k < len(self.chances) - 1:
                sum += chance
        return len(self.chances) > 0 and sum <= 1

    def _read_chances(mut self, objects: ObjectsPointer, x: Int) -> Bool:
        """Reads floats of a list or of an array."""
        if load(x, TYPE) == objects[].list_type:
            if load(x, LIST_SIZE) > MOST_CHANCES:
                return False
            for k in range(load(x, LIST_SIZE)):
                var number = load(load(x, LIST_ITEMS), k)
                if load(number, TYPE) != objects[].api.float_type:
                    return False
                self.chances.append(float_of(number))
            return True
        if load(x, TYPE) != objects[].array_type:
            return False
        var shape = load(x, HANDLE_SHAPE)
        return (
            load(shape, TUPLE_SIZE) == 1
            and objects[].dtype(x) == FLOAT64
            and _small(item(shape, 0)) <= MOST_CHANCES
            and load(objects[].watches, LIST_SIZE) == 0
            and spread(objects, x, shape, self.chances)
        )


def _bound(objects: ObjectsPointer, x: Int, mut value: Int) -> Bool:
    """Reads a bound that is an int, not so large that differences overflow."""
    var number = real_number(objects, x)
    if load(x, TYPE) == objects[].api.float_type or not abs(number) < _EXACT:
        return False
    value = Int(number)
    return Float64(value) == number
