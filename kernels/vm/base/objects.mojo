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
    VALUE_ERRORS,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_PLACE,
    VALUE_SHAPE,
    VALUE_MARK,
    VALUE_SITE,
    VALUE_WITHIN,
)
from vm.base.bytecode import FIRST_KERNEL
from vm.base.errors import AT, NAMES, NEVER, OF_ALL, comes_at_once
from vm.base.frames import Frames
from vm.base.interface import Interface
from vm.base.numbers import FIRST_FLOAT, FLOAT64, INT64
from vm.base.pins import has_pinned
from vm.base.raw import (
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    LIST_ITEMS,
    LOCK_OWNER,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    TYPE_BASE,
    address_of,
    array_rank,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import new_derived, new_object


comptime PINNED = 1
"""A step reads memory that is pinned."""
comptime ALOUD = 2
"""A step may raise, or one has, and Python is to say so."""
comptime UNUSUAL = -1
"""The answer for operands that the Python function is for."""


comptime PATIENCE = 4
"""Elements that may be pending before what is pending is computed for their sake."""

# places in the table of NumPy's C functions
comptime ARRAY_TYPE = 2
comptime UPDATE_FLAGS = 92
comptime NEW_FROM_DESCR = 94


struct Objects(Defaultable, Movable):
    """Addresses of types, singletons and constant tuples."""

    var api: Interface
    var one: Int
    """The int 1."""
    var dtype_codes: Int
    """A dictionary: the codes of dtypes by what stands for them."""
    var dtype_name: Int
    """The name of the argument that is a dtype."""
    var axis_name: Int
    """The text `axis`."""
    var minlength_name: Int
    """The text `minlength`."""
    var unique_names: Int
    """Names of arguments of `unique`: `vm.calls.distinct`."""
    var sort_kernel: Int
    """The number of the kernel that sorts."""
    var product_kernel: Int
    """The number of the kernel that multiplies arrays: `vm.calls.products`."""
    var bool_code: Int
    """The dtype code of truth values, an int; then that of int64, and of float64."""
    var int_code: Int
    var float_code: Int
    var array_type: Int
    var scalar_type: Int
    """What the types of scalars derive from, which no object is of."""
    var kinds: List[Int]
    """By dtype: the type of its scalars."""
    var float_scalar_type: Int
    """The type of known elements of float64 arrays, which derives from Python's float, too."""
    var ufunc_type: Int
    """What the type of our ufuncs derives from."""
    var int_type: Int
    var bool_type: Int
    var tuple_type: Int
    var list_type: Int
    var range_type: Int
    var memory_view_type: Int
    var text_type: Int
    var complex_type: Int
    var slice_type: Int
    var ellipsis: Int
    var no: Int
    """Python's False."""
    var yes: Int
    """Python's True."""
    var truths: Array[Int, 2]
    """The scalars of ours that are false and true, 0 until they are made."""
    var copies: Int
    """A tuple: by dtype code, the code of a copy."""
    var stores: Int
    """A tuple: by dtype code, the code of a write through a view."""
    var joins: Int
    """A tuple: by dtype code, the code of a concatenation."""
    var gathers: Int
    """A tuple: by dtype code, the code of a gather."""
    var scatters: Int
    """The same of a scatter."""
    var selects: Int
    """The same of a choice by a mask."""
    var one_index_array: Int
    """The parameters of both for one index array."""
    var index_error: Int
    """Python's IndexError."""
    var value_error: Int
    """Python's ValueError."""
    var formats: List[Int]
    """By dtype code: its letters in a buffer, a C string; 0 for a dtype that has none."""
    var log: Int
    var limit: Int
    var deferring: Int
    """How many blocks of deferred errors are open."""
    var learning: Int
    """How many calls are being made whose transcripts will be written."""
    var learner: Int
    """The thread that makes them."""
    var strange: Int
    """Where it is counted how many steps other threads have recorded meanwhile."""
    var first_outside: Int
    """The Python function that looks for an index out of bounds."""
    var flush: Int
    """The Python function that computes what is pending."""
    var ensure: Int
    """The Python function that computes a value."""
    var watches: Int
    """Python's list of all watches that are under way, as of transformations."""
    var unseen: Int
    """Where the error is that a view of memory has ended with, and the array: NumPy drops such errors."""
    var urgent: Int
    """Where it is noted why steps must run before a call returns: PINNED, ALOUD."""
    var learnt: Int
    """How many calls are under way, one within the other, that are learnt."""
    var unwritten: List[Int]
    """Owners of pinned memory to which such a call has given other values, each before its value of then."""
    var numpy_array_type: Int
    var lock: Int
    """The lock that is held while a flush is under way, which Python has begun."""
    var new_array: Int
    """The address of NumPy's function that makes an array (`vm.record.layouts`)."""
    var update_flags: Int
    """That of the one that finds an array's flags."""
    var room: Int
    """Bytes of the address space that layouts lie in."""
    var operators: Int
    """The table that each handle refers to: by the number of an operator, its address."""
    var state: Int
    """The address of the state that has these objects."""
    var probe: Int
    """The name of functions whose `bool(x)` computes nothing."""
    var dunder_name: Int
    """The text `__name__`, under which modules and functions have their names."""
    var code_name: Int
    """The text `co_name`."""
    var print_options: Int
    """The context variable of NumPy's print options."""
    var legacy_name: Int
    """The text `legacy`: the option that tells the release whose texts are wanted."""
    var newest: Int
    """What that option is unless somebody sets it."""
    var astype_name: Int
    """The text `astype`."""
    var scalar_types: List[Int]
    """By dtype code: the type of NumPy's scalars; None's address where NumPy has none."""
    var call_name: Int
    """The text `__call__`."""
    var out_name: Int
    """The text `out`."""
    var numpy: Int
    """The table of NumPy's C API."""
    var reads: Int
    """How often Python code was given elements of computed memory."""
    var flushes: Int
    var deferred: Int
    """Elements that were asked for, or written, since the last flush, while they were pending."""
    var patience: Int
    """From how many of them on what is pending is computed: `vm.record.elements`."""
    var asked: Int
    """How many more numbers were read of late than computed before they were asked for, to a limit."""
    var small_steps: Int
    """How many steps have run without a plan: `vm.record.few`."""
    var chain: Int
    """How many steps of the chain of scalars are pending that the log ends with."""
    var chain_end: Int
    """The length of the log behind that chain."""
    var runs: Int
    """How many plans have run here."""
    var errors: Int
    """The error state (`vm.base.errors`) in which threads record steps, but for some."""
    var other_errors: List[Int]
    """Pairs: the number of such a thread, and its error state."""
    var warning_steps: Int
    """The address of how many steps were recorded that may warn."""
    var quiet: Int
    """How many calls are being made whose steps never warn."""
    var loud: Int
    """How many are being made whose steps warn, whoever records them."""
    var naming: Int
    """The number of the name under which NumPy reports what a call does, 0 for the operation's."""
    var of_scalars: Int
    """What says that Python records an operator on scalars (`vm.base.errors`), else 0."""
    var warning: List[Int]
    """By opcode: for which operands an operation can warn."""
    var frames: Frames
    var findings: Int
    """Python's list of what is to be warned of."""
    var report: Int
    """The Python function that warns of it."""
    var askers: Int
    """A dictionary, by names of modules: whether arrays say to them that their class is NumPy's."""
    var classes: Int
    """A dictionary: by a class derived from arrays, what it has of its own (`vm.record.derived`)."""
    var flat_class: Int
    """The class of what `x.flat` gives."""
    var power: Int
    """The ufunc `power`."""
    var power_naming: Int
    """The number of the name under which its calls warn."""
    var powers: Int
    """A tuple of ufuncs: see `vm.record.record.SIMPLE_POWERS`."""

    def __init__(out self):
        self.api = Interface()
        self.array_type = 0
        self.scalar_type = 0
        self.kinds = List[Int]()
        self.float_scalar_type = 0
        self.ufunc_type = 0
        self.int_type = 0
        self.bool_type = 0
        self.tuple_type = 0
        self.list_type = 0
        self.range_type = 0
        self.memory_view_type = 0
        self.text_type = 0
        self.complex_type = 0
        self.slice_type = 0
        self.ellipsis = 0
        self.no = 0
        self.one = external_call["PyLong_FromSsize_t", Int](Int(1))
        self.dtype_codes = 0
        self.dtype_name = 0
        self.axis_name = 0
        self.minlength_name = 0
        self.unique_names = 0
        self.sort_kernel = 0
        self.product_kernel = 0
        self.bool_code = external_call["PyLong_FromSsize_t", Int](Int(0))
        self.truths = [0, 0]
        self.int_code = external_call["PyLong_FromSsize_t", Int](INT64)
        self.float_code = external_call["PyLong_FromSsize_t", Int](FLOAT64)
        self.yes = 0
        self.copies = 0
        self.stores = 0
        self.gathers = 0
        self.joins = 0
        self.scatters = 0
        self.selects = 0
        self.one_index_array = 0
        self.index_error = 0
        self.value_error = 0
        self.formats = List[Int]()
        self.log = 0
        self.limit = 0
        self.deferring = 0
        self.learning = 0
        self.learner = 0
        self.strange = external_call["calloc", Int](Int(1), Int(8))
        self.first_outside = 0
        self.flush = 0
        self.ensure = 0
        self.watches = 0
        self.unseen = external_call["calloc", Int](Int(2), Int(8))
        self.urgent = external_call["calloc", Int](Int(1), Int(8))
        self.learnt = 0
        self.unwritten = List[Int]()
        self.numpy_array_type = 0
        self.new_array = 0
        self.update_flags = 0
        self.room = 0
        self.operators = external_call["calloc", Int](OPERATORS, Int(8))
        # until there is one: a lock that nobody holds
        self.lock = external_call["calloc", Int](LOCK_OWNER + 1, Int(8))
        self.state = 0
        self.probe = 0
        self.print_options = 0
        self.legacy_name = 0
        self.newest = 0
        self.dunder_name = 0
        self.code_name = 0
        self.scalar_types = List[Int]()
        self.astype_name = 0
        self.call_name = 0
        self.out_name = 0
        self.numpy = 0
        self.reads = 0
        self.flushes = 0
        self.deferred = 0
        self.patience = PATIENCE
        self.asked = 0
        self.small_steps = 0
        self.chain = 0
        self.chain_end = 0
        self.runs = 0
        self.errors = 0
        self.other_errors = List[Int]()
        self.warning_steps = external_call["calloc", Int](Int(1), Int(8))
        self.quiet = 0
        self.loud = 0
        self.naming = 0
        self.of_scalars = 0
        self.warning = List[Int]()
        self.frames = Frames()
        self.findings = external_call["calloc", Int](LIST_ITEMS + 1, Int(8))
        self.report = 0
        self.power = 0
        self.power_naming = 0
        self.powers = 0
        self.flat_class = 0
        self.askers = 0
        self.classes = 0

    def set_reporting(mut self, findings: Int, report: Int):
        """Takes over Python's list of what is to be warned of, and the function that warns."""
        self.findings = kept(findings)
        self.report = kept(report)

    def bind(mut self, facts: PythonObject) raises:
        """Takes over what `lazy/run/machine.py` says of Python's and NumPy's side."""
        self.int_type = address_of(facts["int"])
        self.bool_type = address_of(facts["bool"])
        self.tuple_type = address_of(facts["tuple"])
        self.list_type = address_of(facts["list"])
        self.range_type = address_of(facts["range"])
        self.memory_view_type = address_of(facts["memoryview"])
        self.text_type = address_of(facts["str"])
        self.complex_type = address_of(facts["complex"])
        self.slice_type = address_of(facts["slice"])
        self.ellipsis = address_of(facts["ellipsis"])
        self.no = address_of(facts["false"])
        self.yes = address_of(facts["true"])
        self.copies = address_of(facts["copies"])
        self.stores = address_of(facts["stores"])
        self.gathers = kept(address_of(facts["gathers"]))
        self.joins = kept(address_of(facts["joins"]))
        self.scatters = kept(address_of(facts["scatters"]))
        self.selects = kept(address_of(facts["selects"]))
        self.dtype_codes = kept(address_of(facts["dtype_codes"]))
        self.dtype_name = kept(address_of(facts["dtype"]))
        self.axis_name = kept(address_of(facts["axis"]))
        self.minlength_name = kept(address_of(facts["minlength"]))
        self.unique_names = kept(address_of(facts["unique_names"]))
        self.sort_kernel = Int(py=facts["sort"]) - FIRST_KERNEL
        self.product_kernel = Int(py=facts["dot_general"]) - FIRST_KERNEL
        self.one_index_array = kept(address_of(facts["one_index_array"]))
        self.index_error = kept(address_of(facts["index_error"]))
        self.value_error = kept(address_of(facts["value_error"]))
        for letters in facts["formats"]:
            var given = kept(address_of(letters))
            self.formats.append(
                0 if given
                == self.api.none else external_call["PyBytes_AsString", Int](
                    given
                )
            )
        self.log = address_of(facts["log"])
        self.limit = Int(py=facts["limit"])
        self.room = Int(py=facts["room"])
        self.probe = address_of(facts["probe"])
        self.print_options = kept(address_of(facts["print options"]))
        self.legacy_name = kept(address_of(facts["legacy"]))
        self.newest = kept(address_of(facts["newest"]))
        self.astype_name = address_of(facts["astype"])
        self.dunder_name = address_of(facts["__name__"])
        self.code_name = address_of(facts["co_name"])
        self.call_name = address_of(facts["call"])
        self.out_name = address_of(facts["out"])
        for operands in facts["warning"]:
            self.warning.append(Int(py=operands))
        for type in facts["scalars"]:
            self.scalar_types.append(address_of(type))
        self.numpy = external_call["PyCapsule_GetPointer", Int](
            address_of(facts["numpy"]), Int(0)
        )
        self.new_array = load(self.numpy, NEW_FROM_DESCR)
        self.update_flags = load(self.numpy, UPDATE_FLAGS)
        self.numpy_array_type = load(self.numpy, ARRAY_TYPE)

    @always_inline
    def scalar_dtype(self, type: Int) -> Int:
        """The dtype code of a type of NumPy's scalars, -1 for other types."""
        for dtype in range(len(self.scalar_types)):
            if self.scalar_types[dtype] == type:
                return dtype
        return -1

    def watch(
        mut self, lock: Int, flush: Int, ensure: Int, watches: Int
    ) raises:
        """Takes over the lock of flushes, which the calling thread must hold, who flushes, and who watches."""
        self.flush = kept(flush)
        self.ensure = kept(ensure)
        self.watches = kept(watches)
        var thread = external_call["PyThread_get_thread_ident", Int]()
        if load(lock, LOCK_OWNER) != thread:
            raise Error("the owner inside a lock was not found")
        self.lock = kept(lock)

    # -- reading

    @always_inline
    def running(self) -> Bool:
        """Whether a flush is under way, in any thread, or somebody reads what it would change.

        A flush may write to the memory of computed values.
        """
        return load(self.lock, LOCK_OWNER) != 0

    @always_inline
    def full(self) -> Bool:
        """Whether as much is pending as may be."""
        return load(self.log, TUPLE_SIZE) > self.limit

    @always_inline
    def as_python(self) -> Bool:
        """Whether calls must be made by Python functions: they flush first, or raise later."""
        return self.full() or self.deferring > 0

    @always_inline
    def is_handle(self, object: Int) -> Bool:
        var kind = load(object, TYPE)
        return kind == self.array_type or self.is_scalar(kind)

    @always_inline
    def is_scalar(self, type: Int) -> Bool:
        """Whether a type is one of scalars."""
        return load(type, TYPE_BASE) == self.scalar_type

    @always_inline
    def type_of_known(self, code: Int) -> Int:
        """The type of a scalar whose element is known, given its dtype code."""
        if code == self.float_code:
            return self.float_scalar_type
        return self.kinds.unsafe_get(int_of(code))

    def code_of(self, dtype: Int) -> Int:
        """A dtype code as an object, which the interpreter keeps."""
        var code = external_call["PyLong_FromSsize_t", Int](dtype)
        drop(code)
        return code

    @always_inline
    def dtype(self, handle: Int) -> Int:
        """The dtype code of a handle."""
        return self.api.small_int(load(handle, HANDLE_CODE))

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

    def _note_thread(self):
        """Counts a step of another thread than that which makes the calls that are learnt."""
        var thread = external_call["PyThread_get_thread_ident", Int]()
        if thread != self.learner:
            store(self.strange, 0, load(self.strange, 0) + 1)

    @always_inline
    def _note_pinned(self, inputs: Int):
        """Notes if any operand's memory is pinned."""
        ref api = self.api
        for k in range(load(inputs, TUPLE_SIZE)):
            var operand = item(inputs, k)
            if load(operand, TYPE) == api.value_type and has_pinned(
                operand, api.buffer_type
            ):
                self.hurry(PINNED)

    @always_inline
    def hurry(self, reason: Int):
        """Notes why pending steps must run before others come."""
        store(self.urgent, 0, load(self.urgent, 0) | reason)

    def set_errors(mut self, errors: Int, usual: Int):
        """Sets the error state in which this thread records steps, and that of threads which set none.

        Those that have ended are forgotten.
        """
        self.errors = usual
        var mine = _this_thread()
        var others = List[Int]()
        var thread = external_call["PyInterpreterState_ThreadHead", Int](
            external_call["PyInterpreterState_Get", Int]()
        )
        while thread != 0:
            var its = errors if thread == mine else self._errors_of(thread)
            if its != usual:
                others.append(_number_of(thread))
                others.append(its)
            thread = external_call["PyThreadState_Next", Int](thread)
        self.other_errors = others^

    @always_inline
    def errors_now(self) -> Int:
        """The error state in which this thread records steps."""
        if len(self.other_errors) == 0:
            return self.errors
        return self._errors_of(_this_thread())

    @no_inline
    def _errors_of(self, thread: Int) -> Int:
        var number = _number_of(thread)
        for k in range(0, len(self.other_errors), 2):
            if self.other_errors[k] == number:
                return self.other_errors[k + 1]
        return self.errors

    @always_inline
    def errors_of(self, code: Int, rank: Int, of_call: Bool) -> Int:
        """The error state of a step that is recorded now, 0 if it never warns.

        What a call records by itself (`of_call`) warns if that is known of the call.
        """
        var errors = self.errors_now()
        if errors == 0 or self.quiet != 0 or (of_call and self.loud == 0):
            return 0
        var packed = self.api.small_int(code)
        var operation = packed & 0xFFFF
        if operation >= len(self.warning):
            return 0
        var warns = self.warning[operation]
        if warns == NEVER or not (
            warns == OF_ALL
            or packed >> 16 & 0xFF >= FIRST_FLOAT
            or rank == 0
            or packed >> 24 & 0xFF == FIRST_FLOAT
        ):
            return 0
        return errors | self.naming << NAMES | self.of_scalars

    @always_inline
    def _note_errors(self, made: Int, errors: Int):
        """Writes the error state of a step, and the user's line if it can warn."""
        var at = 0
        if errors != 0:
            store(self.warning_steps, 0, load(self.warning_steps, 0) + 1)
            if comes_at_once(errors):
                self.hurry(ALOUD)
            var code = self.frames.find(at)
            if code != 0:
                store(made, VALUE_SITE, kept(code))
        store(made, VALUE_ERRORS, errors | at << AT)

    @always_inline
    def new_value(
        self,
        code: Int,
        shape: Int,
        var inputs: Int,
        var layouts: Int,
        of_call: Bool = False,
    ) -> Int:
        """A pending value at the end of the log; takes over the references to the tuples.

        It is a step that a call records by itself if `of_call`, else an operator or a ufunc's.
        """
        ref api = self.api
        if self.learning > 0:
            self._note_thread()
        self._note_pinned(inputs)
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
        store(made, VALUE_MARK, 0)
        store(made, VALUE_PLACE, 0)
        var rank = load(shape, TUPLE_SIZE)
        self._note_errors(made, self.errors_of(code, rank, of_call))
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
        ) if type == self.array_type or self.is_scalar(type) else new_derived(
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
        var type = self.array_type if load(
            shape, TUPLE_SIZE
        ) > 0 else self.kinds.unsafe_get(int_of(result))
        return self.new_handle(type, value, none, none, shape, result)

    @always_inline
    def layouts_of(self, a: Int, b: Int) -> Int:
        """A tuple of two layouts, None if both are None."""
        if a == self.api.none and b == self.api.none:
            return kept(self.api.none)
        return pair(a, b)


comptime ObjectsPointer = Pointer[Objects, MutUntrackedOrigin]
"""How functions take them: the compiler would pass a struct field by field."""


def _this_thread() -> Int:
    return external_call["PyThreadState_Get", Int]()


def _number_of(thread: Int) -> Int:
    """The number of a thread, which no later one has."""
    return external_call["PyThreadState_GetID", Int](thread)


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
def triple(a: Int, b: Int, c: Int) -> Int:
    """A tuple of three borrowed references."""
    _ = kept(a)
    _ = kept(b)
    _ = kept(c)
    var made = external_call["PyTuple_New", Int](Int(3))
    store(made, TUPLE_ITEMS, a)
    store(made, TUPLE_ITEMS + 1, b)
    store(made, TUPLE_ITEMS + 2, c)
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
