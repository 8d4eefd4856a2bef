"""Recording a call again, as its transcript says: without a Python frame."""

from std.ffi import external_call
from std.memory import stack_allocation
from structured.operands.operand import MAX_RANK
from vm.base.bytecode import itemsize
from vm.base.fields import (
    HANDLE_BASE,
    HANDLE_HEADER,
    HANDLE_LAYOUT,
    HANDLE_READONLY,
    HANDLE_SHAPE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_PARAMS,
    VALUE_SHAPE,
    VALUE_WITHIN,
)
from vm.base.objects import UNUSUAL, Objects, item
from vm.base.pins import has_pinned
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    copy_bytes,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)
from vm.calls.signature import MAX_LEAVES, Signature
from vm.calls.transcript import (
    BUILD,
    CHECK,
    FINISH,
    FIRST_STRIDE,
    FLOAT,
    FLUSH,
    HANDLE,
    INTS,
    ITEMS,
    ITSELF,
    LAYOUT,
    LIST,
    NAMED_TUPLE,
    MADE,
    MAKE,
    MAX_MADE,
    NEGATIVE,
    OBJECT,
    OWNER,
    RECORD,
    SEEN,
    SHAPE,
    SIZE,
    STEP,
    TUPLE,
    VALUE,
    Transcript,
    part_at,
)
from vm.record.element import start_of
from vm.record.layouts import NewArray
from vm.record.pinning import bind, copied_leaf
from vm.run.outside import Range, first_outside, nest_of_layout
from vm.run.flush import computed, flush_small
from vm.run.state import state_at

comptime MISSED = -2
"""The answer for a call that has read an element like no call before."""


struct Replay:
    """One call that is recorded again."""

    var objects: Pointer[Objects, MutUntrackedOrigin]
    var at: Int
    """The address of the next word."""
    var leaves: Int
    """The address of the arguments."""
    var values: Int
    """The address of their values, as far as they were asked for; else 0. Owned references."""
    var count: Int
    var layouts: Int
    var made_layouts: Int
    var steps: Int
    var made_steps: Int
    var handles: Int
    var made_handles: Int
    var built: Int
    var made_built: Int
    var is_unusual: Bool
    """Whether the Python function is to answer."""
    var has_raised: Bool
    """Whether Python has raised where an array was written."""

    def __init__(
        out self,
        objects: Pointer[Objects, MutUntrackedOrigin],
        words: Int,
        leaves: Int,
        values: Int,
        count: Int,
        scratch: Int,
    ):
        self.objects = objects
        self.at = words
        self.leaves = leaves
        self.values = values
        self.count = count
        self.layouts = scratch
        self.steps = scratch + 8 * MAX_MADE
        self.handles = scratch + 16 * MAX_MADE
        self.built = scratch + 24 * MAX_MADE
        self.made_built = 0
        self.is_unusual = False
        self.has_raised = False
        self.made_layouts = 0
        self.made_steps = 0
        self.made_handles = 0

    @always_inline
    def next(mut self) -> Int:
        var word = load(self.at, 0)
        self.at += 8
        return word

    def drop_all(self):
        """Drops what is not part of the result."""
        for k in range(self.count):
            if load(self.values, k) != 0:
                drop(load(self.values, k))
        for k in range(self.made_layouts):
            drop(load(self.layouts, k))
        for k in range(self.made_steps):
            drop(load(self.steps, k))
        for k in range(self.made_handles):
            drop(load(self.handles, k))
        for k in range(self.made_built):
            drop(load(self.built, k))

    # -- references: what they refer to, borrowed

    @always_inline
    def referred(self, kind: Int, which: Int) -> Int:
        if kind == VALUE:
            var known = load(self.values, which)
            if known == 0:
                known = kept(self.objects[].value_of(load(self.leaves, which)))
                store(self.values, which, known)
            return known
        if kind == STEP:
            return load(self.steps, which)
        if kind == OBJECT:
            return self.object(which)
        if kind == LAYOUT:
            return load(load(self.leaves, which), HANDLE_LAYOUT)
        if kind == MADE:
            return load(self.layouts, which)
        if kind == OWNER:
            var leaf = load(self.leaves, which)
            var base = load(leaf, HANDLE_BASE)
            return leaf if base == self.objects[].api.none else base
        if kind == HANDLE:
            return load(self.handles, which)
        return load(self.leaves, which)

    @always_inline
    def object(self, word: Int) -> Int:
        """The object of an address or of the number of one that was built."""
        return load(self.built, word - 1) if 0 < word <= MAX_MADE else word

    @always_inline
    def reference(mut self) -> Int:
        var kind = self.next()
        return self.referred(kind, self.next())

    def several(mut self) -> Int:
        """A tuple of references, owned; 0 if Python has raised."""
        var ready = self.next()
        if ready != 0:
            return kept(self.object(ready))
        var count = self.next()
        var made = external_call["PyTuple_New", Int](count)
        if made == 0:
            return 0
        for k in range(count):
            store(made, TUPLE_ITEMS + k, kept(self.reference()))
        return made

    # -- the parts of a transcript; False says that Python has raised, or is to answer

    def build(mut self) -> Bool:
        """Makes an object that is another one in each call."""
        var kind = self.next()
        var made: Int
        if kind == SHAPE:
            made = kept(load(load(self.leaves, self.next()), HANDLE_SHAPE))
        elif kind == INTS:
            made = self._integers()
        elif kind == ITEMS:
            made = external_call["PyTuple_New", Int](self.next())
            if made != 0:
                for k in range(load(made, TUPLE_SIZE)):
                    var part = self.object(self.next())
                    store(made, TUPLE_ITEMS + k, kept(part))
        elif kind == SIZE:
            made = self._size()
        elif kind == SEEN:
            made = self._layout()
        else:
            made = self._number()
        store(self.built, self.made_built, made)
        self.made_built += Int(made != 0)
        return made != 0 and not self.is_unusual

    def _integers(mut self) -> Int:
        """A tuple of integers, owned."""
        var made = external_call["PyTuple_New", Int](self.next())
        if made != 0:
            for k in range(load(made, TUPLE_SIZE)):
                var number = external_call["PyLong_FromSsize_t", Int](
                    self.extent()
                )
                store(made, TUPLE_ITEMS + k, number)
        return made

    @always_inline
    def extent(mut self) -> Int:
        """A form, as an extent: one that changes must not become 0 or 1, of which functions may record other steps."""
        var is_constant = load(self.at, 1) == 0
        var found = self.form()
        self.is_unusual |= found < 2 and not is_constant
        return found

    @always_inline
    def form(mut self) -> Int:
        """An integer that follows from the arguments."""
        var found = self.next()
        for _ in range(self.next()):
            var term = self.next()
            for _ in range(self.next()):
                term *= self._measure(self.next())
            found += term
        return found

    @always_inline
    def _measure(mut self, which: Int) -> Int:
        """An extent or a stride of a leaf, or the number that it is."""
        var leaf = load(self.leaves, which)
        var axis = self.next()
        if axis >= 0:
            return int_of(item(load(leaf, HANDLE_SHAPE), axis))
        if axis == ITSELF:
            return int_of(leaf)
        var strides = load(load(leaf, HANDLE_LAYOUT), ARRAY_STRIDES)
        return load(strides, FIRST_STRIDE - axis)

    def _size(mut self) -> Int:
        """An integer as a Python int or float, owned."""
        var kind = self.next()
        var size = self.form()
        self.is_unusual |= (-size if kind & NEGATIVE != 0 else size) < 2
        if kind & FLOAT != 0:
            return external_call["PyFloat_FromDouble", Int](Float64(size))
        return external_call["PyLong_FromSsize_t", Int](size)

    def _layout(mut self) -> Int:
        """A layout that begins by so many bytes behind that of a leaf, or in the region; owned."""
        var leaf = self.next()
        var rank = self.next()
        var dtype = self.next()
        var data = self._begin(leaf) + self.form()
        var axes = Int(stack_allocation[2 * MAX_RANK, Int]())
        for k in range(rank):
            store(axes, k, self.extent())
        for k in range(rank, 2 * rank):
            store(axes, k, self.form())
        return self._array(rank, dtype, data, axes)

    @always_inline
    def _begin(self, which: Int) -> Int:
        """Where a leaf's first element is, in the address space of layouts; the first place for -1."""
        ref api = self.objects[].api
        if which < 0:
            return api.region
        var layout = load(load(self.leaves, which), HANDLE_LAYOUT)
        return api.region if layout == api.none else load(layout, ARRAY_DATA)

    @always_inline
    def _array(self, rank: Int, dtype: Int, data: Int, axes: Int) -> Int:
        """A new layout, given the address of its extents and strides."""
        ref objects = self.objects[]
        var address = objects.new_array
        var make = Pointer(to=address).unsafe_bitcast[NewArray]()[]
        return make(
            objects.numpy_array_type,
            kept(dtype),
            Int32(rank),
            axes,
            axes + 8 * rank,
            data,
            Int32(0),
            Int(0),
        )

    def _number(mut self) -> Int:
        """A number among the leaves, an int as a float if that is wanted, owned."""
        var is_float = self.next()
        var number = load(self.leaves, self.next())
        if is_float == 0 or load(number, TYPE) != self.objects[].int_type:
            return kept(number)
        return external_call["PyNumber_Float", Int](number)

    def check(mut self) raises -> Bool:
        """Looks through an index array; False where the Python function is to answer."""
        var value = self.reference()
        var layout = self.reference()
        var code = self.next()
        var low = int_of(self.object(self.next()))
        var within = Range(low, int_of(self.object(self.next())))
        return self._inside(value, layout, code, within)

    def read(mut self, mut element: Int) -> Bool:
        """Reads an element; False where it cannot be computed here."""
        var value = self.reference()
        var layout = self.reference()
        var size = itemsize(self.next())
        var buffer = computed(self.objects[], value)
        if buffer == 0:
            return False
        element = 0
        var address = start_of(self.objects[], buffer, layout)
        copy_bytes(Int(Pointer(to=element)), address, size)
        return True

    def _inside(
        self, value: Int, layout: Int, code: Int, limits: Range
    ) raises -> Bool:
        ref objects = self.objects[]
        var within = load(value, VALUE_WITHIN)
        var dtype = int_of(load(value, VALUE_CODE)) >> 24
        if within != 0 and dtype == code:
            var low = int_of(item(within, 0))
            var high = int_of(item(within, 1))
            if limits.low <= low and high <= limits.high:
                return True
        var buffer = load(value, VALUE_BUFFER)
        if load(buffer, TYPE) != objects.api.buffer_type:
            return self._asked(value, layout, code, limits)
        var at = start_of(objects, buffer, layout)
        var seen = layout
        var count = 1
        if layout == objects.api.none:
            seen = 0
            var shape = load(value, VALUE_SHAPE)
            for axis in range(load(shape, TUPLE_SIZE)):
                count *= int_of(item(shape, axis))
        var nest = nest_of_layout(at, seen, itemsize(code), count)
        if first_outside(
            nest, code, limits, state_at(objects.state)[].machine.threads
        ):
            return False
        if seen == 0 and not has_pinned(value, objects.api.buffer_type):
            self._remember(value, limits)
        return True

    def _remember(self, value: Int, limits: Range):
        """Notes that all integers of a value lie within limits."""
        var low = external_call["PyLong_FromSsize_t", Int](limits.low)
        var high = external_call["PyLong_FromSsize_t", Int](limits.high)
        var made = external_call["PyTuple_New", Int](Int(2))
        store(made, TUPLE_ITEMS, low)
        store(made, TUPLE_ITEMS + 1, high)
        replace_slot(value, VALUE_WITHIN, made)
        drop(made)

    def _asked(self, value: Int, layout: Int, code: Int, limits: Range) -> Bool:
        """What Python says of a pending value: it may be computed for that."""
        var args: Array[Int, 5] = [
            kept(value),
            kept(layout),
            external_call["PyLong_FromSsize_t", Int](code),
            external_call["PyLong_FromSsize_t", Int](limits.low),
            external_call["PyLong_FromSsize_t", Int](limits.high),
        ]
        var found = external_call["PyObject_Vectorcall", Int](
            self.objects[].first_outside, Int(Pointer(to=args)), Int(5), Int(0)
        )
        for k in range(5):
            drop(args[k])
        if found == 0:
            external_call["PyErr_Clear", NoneType]()  # it will be raised again
            return False
        var inside = found == self.objects[].api.none
        drop(found)
        return inside

    def make_layout(mut self) -> Bool:
        var data = self._begin(self.next()) + self.next()
        var rank = self.next()
        var made = self._array(rank, self.next(), data, self.at)
        self.at += 16 * rank
        store(self.layouts, self.made_layouts, made)
        self.made_layouts += Int(made != 0)
        return made != 0

    def record(mut self) -> Bool:
        ref objects = self.objects[]
        var code = self.next()
        var shape = self.object(self.next())
        var params = self.object(self.next())
        var within = self.next()
        var inputs = self.several()
        var layouts = self.several()
        if inputs == 0 or layouts == 0:
            return False
        var made = objects.new_value(code, shape, inputs, layouts, of_call=True)
        if made == 0:
            return False
        if params != objects.api.none:
            replace_slot(made, VALUE_PARAMS, params)
        if within != 0:
            store(made, VALUE_WITHIN, kept(self.object(within)))
        store(self.steps, self.made_steps, made)
        self.made_steps += 1
        return True

    def finish(mut self) -> Int:
        """Writes arrays and makes handles; the result, owned, or 0 if Python has raised."""
        if not self.rebind():
            return UNUSUAL
        if self.has_raised:
            return 0
        return self.result() if self.make_handles() else 0

    def rebind(mut self) -> Bool:
        """Gives owners their new values; False if another thread has written to one meanwhile."""
        var count = self.next()
        for k in range(count):
            var leaf = load(self.at, 3 * k)
            var read = load(self.values, leaf)
            if read != 0 and read != self._now(leaf):
                return False
        for _ in range(count):
            var owner = self.referred(OWNER, self.next())
            if not bind(self.objects, owner, self.reference()):
                self.has_raised = True
        return True

    @always_inline
    def _now(self, leaf: Int) -> Int:
        """The value that the owner of an argument has by now."""
        return self.objects[].value_of(load(self.leaves, leaf))

    def make_handles(mut self) -> Bool:
        ref objects = self.objects[]
        for _ in range(self.next()):
            var type = self.next()
            var value = self.reference()
            var base = self.reference()
            var layout = self.reference()
            var shape = self.object(self.next())
            var code = self.next()
            var readonly = self.next()
            var header = self.next()
            var own = kept(value)
            if base == objects.api.none and has_pinned(
                value, objects.api.buffer_type
            ):
                drop(own)
                own = copied_leaf(self.objects, value)
                if own == 0:
                    return False
            var made = objects.new_handle(type, own, base, layout, shape, code)
            if made == 0:
                return False
            if readonly != objects.no:
                replace_slot(made, HANDLE_READONLY, readonly)
            if header != 0:
                replace_slot(made, HANDLE_HEADER, header)
            store(self.handles, self.made_handles, made)
            self.made_handles += 1
        return True

    def result(mut self) -> Int:
        """What the call gives, owned; 0 if Python has raised."""
        var kind = self.next()
        var which = self.next()
        if kind == NAMED_TUPLE:
            var items = self.result()
            if items == 0:
                return 0
            var named = external_call["PyObject_Call", Int](
                self.object(which), items, Int(0)
            )
            drop(items)
            return named
        if kind != TUPLE and kind != LIST:
            return kept(self.referred(kind, which))
        var made: Int
        if kind == TUPLE:
            made = external_call["PyTuple_New", Int](which)
        else:
            made = external_call["PyList_New", Int](which)
        if made == 0:
            return 0
        for k in range(which):
            var part = self.result()
            if part == 0:
                drop(made)
                return 0
            if kind == TUPLE:
                store(made, TUPLE_ITEMS + k, part)
            else:
                store(load(made, TUPLE_ITEMS), k, part)
        return made


def replayed(
    objects: Pointer[Objects, MutUntrackedOrigin],
    ref transcript: Transcript,
    ref signature: Signature,
    mut element: Int,
) -> Int:
    """Records a call again.

    It is UNUSUAL where the Python function is to answer, 0 if Python has raised, and MISSED if an
    element was read that no call has seen.
    """
    var scratch = stack_allocation[4 * MAX_MADE, Int]()
    # Python code may run meanwhile, and describe other calls
    var leaves = stack_allocation[MAX_LEAVES, Int]()
    var values = stack_allocation[MAX_LEAVES, Int]()
    for k in range(signature.count):
        store(Int(leaves), k, load(signature.leaves, k))
        store(Int(values), k, 0)
    var words = Int(part_at(transcript.first)[].words.unsafe_ptr())
    var replay = Replay(
        objects,
        words,
        Int(leaves),
        Int(values),
        signature.count,
        Int(scratch),
    )
    var made = UNUSUAL
    try:
        made = _followed(replay, transcript.first, element)
    except:
        pass
    replay.drop_all()
    return made


def _followed(mut replay: Replay, first: Int, mut element: Int) raises -> Int:
    """Follows the instructions from a part on."""
    ref objects = replay.objects[]
    var part = first
    while True:
        var instruction = replay.next()
        if instruction == RECORD:
            if not replay.record():
                return 0
        elif instruction == FINISH:
            return replay.finish()
        elif instruction == BUILD:
            if not replay.build():
                return UNUSUAL if replay.is_unusual else 0
        elif instruction == MAKE:
            if not replay.make_layout():
                return 0
        elif objects.learning > 0:
            return UNUSUAL  # the learner must see what is asked
        elif instruction == CHECK:
            if not replay.check():
                return UNUSUAL
        elif instruction == FLUSH:
            if not flush_small(state_at(objects.state)):
                return UNUSUAL
        else:
            if not replay.read(element):
                return UNUSUAL
            part = part_at(part)[].after(element)
            if part == 0:
                return MISSED
            replay.at = Int(part_at(part)[].words.unsafe_ptr())
