"""The planner: pending values in recording order -> bytecode and a table of slots.

One pass counts references, one goes backwards to find what is needed, one goes forwards and writes
the bytecode. Runs of elementwise steps over one shape are collected in the open group (group.mojo),
which is written out when a step does not fit, or when a value it computes is needed in memory. Small
steps that do not fit, and do not need it, are collected in another group, which is written before it.
"""

from vm.base.fields import (
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_ERRORS,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_PLACE,
    VALUE_SHAPE,
)
from vm.base.errors import KEPT
from vm.base.memory import elements
from vm.base.numbers import bits_of
from vm.base.parts import folds_blocks
from vm.base.pins import is_seen_by_others
from vm.base.bytecode import (
    ALLOCATE,
    CONSTANT,
    CONVERT,
    COPY,
    COPY_STEP,
    FIRST_FUNCTION,
    FIRST_KERNEL,
    FREE,
    Fold,
    KERNEL,
    PROJECT,
    STORE,
    itemsize,
)
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    int_of,
    load,
    refcount,
    store,
)
from vm.plan.entry import COMPUTED, NEVER, Entry
from vm.plan.group import UNUSED, Group
from vm.base.interface import Interface
from elementwise.numbers.dtypes import COMPLEX128, part_of
from elementwise.dispatch.operations import SELECT_N, opcode
from std.ffi import external_call
from std.memory import bitcast


comptime USUAL = 1 << 10
"""Values that are planned together at most, as a rule."""
comptime MOST_AHEAD = 1 << 22
"""Bytes of what is computed ahead of an open group at most, or else it ends: until it runs, these and what it
reads are all in memory."""
comptime SMALLER = 4
"""How many times as many elements as a step has the open group has at least, to let the step go ahead: what
it gives is then read from memory."""
comptime JOIN = opcode("complex")


struct Plan(Movable):
    """A plan in the making, and the bytecode once `build` has returned."""

    var api: Interface
    var entries: List[Entry]
    var nodes: Int
    """Entries below this index are the pending nodes; leaves follow."""
    var args: List[Int]
    """Entry of each operand in turn, CONSTANT for a Python number."""
    var words: List[Int64]
    var constants: List[Int]
    """Places of constants in `words`."""
    var slots: List[Int]
    """The leaf entry that supplies the slot's memory, or -1."""
    var group: Group
    """The open group."""
    var other: Group
    """Another one that is open: what goes before the open group is collected there."""
    var is_before: Bool
    """Whether `group` is the one that goes before, for as long as steps are placed there."""
    var ahead: Int
    """Bytes of the results that are in memory before the open group runs, since it was opened."""
    var errors: Int
    """The error states of all steps, one or the other."""
    var owners: List[Int]
    """Of each step of a group: where its words are, and its node; if any step can warn."""
    var work: Int
    """Elements touched, a measure of what running costs."""
    var shape: Int
    """The tuple of lengths that was last looked at, or 0."""
    var size: Int
    """How many elements it has."""

    def __init__(out self, var api: Interface):
        self.api = api^
        self.entries = List[Entry]()
        self.nodes = 0
        self.args = List[Int]()
        self.words = List[Int64]()
        self.constants = List[Int]()
        self.slots = List[Int]()
        self.group = Group()
        self.other = Group()
        self.is_before = False
        self.ahead = 0
        self.errors = 0
        self.owners = List[Int]()
        self.work = 0
        self.shape = 0
        self.size = 0
        self._touch()

    def _touch(mut self):
        """Makes room for as much as is pending at most, as a rule.

        The system gives memory page by page when it is first written to, which would take longer
        than the rest of the first flush.
        """
        for _ in range(USUAL):
            self.entries.append(Entry(0))
        self.entries.clear()
        self.args.resize(2 * USUAL, 0)
        self.args.clear()
        self.words.resize(64 * USUAL, Int64(0))
        self.words.clear()

    def build(mut self, log: Int, count: Int) raises:
        """Plans the `count` values whose references lie at address `log`."""
        self._collect(log, count)
        self._mark_needed()
        for node in range(count):
            if (
                self.entries[node].needed
                and self.entries[node].instruction != COMPUTED
            ):
                self._place(node)
        self.close_group()

    # -- counting

    def _collect(mut self, log: Int, count: Int) raises:
        self.entries.clear()
        self.args.clear()
        self.words.clear()
        self.constants.clear()
        self.slots.clear()
        self.work = 0
        self.errors = 0
        self.owners.clear()
        self.nodes = count
        # a plan that was given up half way leaves its groups open
        self.group.reset()
        self.group.spent.clear()
        self.other.reset()
        self.other.spent.clear()
        self.is_before = False
        self.ahead = 0
        self.shape = 0
        for node in range(count):
            var object = load(log, node)
            self.entries.append(Entry(object))
            store(object, VALUE_PLACE, node)
        for node in range(count):
            self._read_node(node)

    def _read_node(mut self, node: Int) raises:
        ref api = self.api
        var object = self.entries[node].object
        var buffer = load(object, VALUE_BUFFER)
        if buffer != api.none:
            # a flush was interrupted after this one was computed
            if load(buffer, TYPE) != api.buffer_type:
                raise Error("a step of the log has failed")
            self.entries[node].instruction = COMPUTED
            self.entries[node].result = (
                self.api.small_int(load(object, VALUE_CODE)) >> 24
            ) & 0xFF
            self.entries[node].size = self._size(object)
            self.entries[node].nbytes = self.entries[node].size * itemsize(
                self.entries[node].result
            )
            return
        self.errors |= load(object, VALUE_ERRORS)
        var code = api.small_int(load(object, VALUE_CODE))
        var inputs = load(object, VALUE_INPUTS)
        var layouts = load(object, VALUE_LAYOUTS)
        var count = load(inputs, TUPLE_SIZE)
        var first = len(self.args)
        for k in range(count):
            var operand = load(inputs, TUPLE_ITEMS + k)
            if load(operand, TYPE) == api.value_type:
                var entry = self._find(operand)
                self.entries[entry].holders += 1
                self.args.append(entry)
            else:
                self.args.append(CONSTANT)
        var size = self._size(object)
        ref entry = self.entries[node]
        entry.opcode = code & 0xFFFF
        entry.dtype = (code >> 16) & 0xFF
        entry.result = (code >> 24) & 0xFF
        entry.first_arg = first
        entry.args = count
        entry.layouts = 0 if layouts == api.none else layouts
        entry.size = size
        entry.nbytes = size * itemsize(entry.result)

    @always_inline
    def _size(mut self, object: Int) -> Int:
        var shape = load(object, VALUE_SHAPE)
        if shape != self.shape:
            self.shape = shape
            self.size = self._count(shape)
        return self.size

    def _count(self, shape: Int) -> Int:
        var size = 1
        for k in range(load(shape, TUPLE_SIZE)):
            var extent = self.api.small_int(load(shape, TUPLE_ITEMS + k))
            size = elements(size, extent)
        return size

    @always_inline
    def _find(mut self, object: Int) raises -> Int:
        """The entry of a value; a value outside the log is a leaf."""
        var place = load(object, VALUE_PLACE)
        if (
            0 <= place < len(self.entries)
            and self.entries[place].object == object
        ):
            return place
        return self._add_leaf(object)

    def _add_leaf(mut self, object: Int) raises -> Int:
        var buffer = load(object, VALUE_BUFFER)
        if load(buffer, TYPE) != self.api.buffer_type:
            raise Error("a pending value is missing from the log")
        var place = len(self.entries)
        var leaf = Entry(object)
        var code = self.api.small_int(load(object, VALUE_CODE))
        leaf.result = (code >> 24) & 0xFF
        leaf.size = self._size(object)
        leaf.nbytes = leaf.size * itemsize(leaf.result)
        self.entries.append(leaf^)
        store(object, VALUE_PLACE, place)
        return place

    def _mark_needed(mut self):
        """A value is needed if someone outside the log refers to it, or a needed value uses it."""
        for node in reversed(range(self.nodes)):
            ref entry = self.entries[node]
            # one reference is the log's own
            entry.external = refcount(entry.object) - 1 - entry.holders > 0 or (
                not entry.needed
                and load(entry.object, VALUE_ERRORS) & KEPT != 0
            )
            if entry.instruction == COMPUTED:
                entry.external = True
                continue
            if entry.external:
                entry.needed = True
            if not entry.needed:
                continue
            for k in range(entry.first_arg, entry.first_arg + entry.args):
                var operand = self.args[k]
                if operand >= 0:
                    self.entries[operand].needed = True
                    self.entries[operand].uses += 1
        for leaf in range(self.nodes, len(self.entries)):
            ref entry = self.entries[leaf]
            var buffer = load(entry.object, VALUE_BUFFER)
            entry.external = refcount(
                entry.object
            ) > entry.holders or is_seen_by_others(buffer)

    # -- writing the bytecode

    def _place(mut self, node: Int) raises:
        if self._goes_before(node):
            self._swap_groups()
            self._place_here(node)
            self._swap_groups()
        else:
            self._place_here(node)

    def _place_here(mut self, node: Int) raises:
        var opcode = self.entries[node].opcode
        if opcode == STORE:
            self._place_store(node)
        elif self._is_elementwise(node):
            self._place_elementwise(node)
        elif opcode >= FIRST_KERNEL:
            if not self._place_fold(node):
                self._place_kernel(node)
        # a projection is placed by its kernel

    def _goes_before(self, node: Int) -> Bool:
        """Whether a step that does not fit into the open group can be done ahead of it, and is no large one.

        The group then goes on. It would end with every `weights[k]` of loops like `rows += weights[k] *
        image[k:]`, and with every step on a row that is broadcast.
        """
        if not self.group.open or self.entries[node].opcode == PROJECT:
            return False
        ref entry = self.entries[node]
        if FIRST_KERNEL <= entry.opcode < FIRST_FUNCTION:
            if self.ahead + entry.nbytes > MOST_AHEAD:
                return False
        elif (
            SMALLER * self._written(node) > self.group.size
            or self.ahead > MOST_AHEAD
        ):
            return False
        for k in range(entry.args):
            if self._in_group(node, k):
                return False
        # what the open group reads must stay until it has run
        return not self._overwrites(node) or not self.group.reads(
            self.args[entry.first_arg]
        )

    def _written(self, node: Int) -> Int:
        """Elements that an elementwise step or a write gives."""
        if self.entries[node].opcode == STORE:
            return self._read_size(node, self._layout(node, 0))
        return self.entries[node].size

    def _overwrites(self, node: Int) -> Bool:
        """Whether a step may write to its first operand's memory."""
        var opcode = self.entries[node].opcode
        if opcode == STORE:
            return True
        return (
            FIRST_KERNEL <= opcode < FIRST_FUNCTION
            and self.api.in_place[opcode - FIRST_KERNEL] != 0
        )

    def _swap_groups(mut self):
        swap(self.group, self.other)
        self.is_before = not self.is_before

    def _place_elementwise(mut self, node: Int) raises:
        self._make_room(node)
        for k in range(self.entries[node].args):
            if self._in_group(node, k) and not self._same_place(node, k):
                self.close_group()
        if not self.group.fits(self.api, self.entries[node].object):
            self.close_group()
        if not self.group.open:
            self.group.start(self.api, self.entries[node].object)
        # the parts of a complex constant are put together before the step
        var references = Array[Int, 3](fill=UNUSED)
        for k in range(self.entries[node].args):
            references[k] = self._reference(node, k, self.entries[node].dtype)
        var step = self.group.add_step(
            node,
            self.entries[node].opcode,
            self.entries[node].dtype,
            self.entries[node].result,
        )
        for k in range(self.entries[node].args):
            self.group.set_input(step, k, references[k])
        self._join(node, step)
        self.work += self.entries[node].size

    @always_inline
    def _is_elementwise(self, entry: Int) -> Bool:
        var opcode = self.entries[entry].opcode
        return opcode <= CONVERT or opcode >= FIRST_FUNCTION

    def _make_room(mut self, node: Int) raises:
        if self.group.open and self.group.full():
            self.close_group()

    @always_inline
    def _in_group(self, node: Int, k: Int) -> Bool:
        """Whether the open group computes the k-th operand."""
        var operand = self.args[self.entries[node].first_arg + k]
        return operand >= 0 and self._is_open(operand, self.is_before)

    @always_inline
    def _is_open(self, entry: Int, is_before: Bool) -> Bool:
        """Whether an entry is computed by an open group: that which goes before, or the other."""
        ref value = self.entries[entry]
        return value.step >= 0 and value.is_before == is_before

    @always_inline
    def _join(mut self, node: Int, step: Int):
        self.entries[node].step = step
        self.entries[node].is_before = self.is_before

    def _close_other(mut self) raises:
        self._swap_groups()
        self.close_group()
        self._swap_groups()

    @always_inline
    def _in_register(self, node: Int, k: Int) -> Bool:
        """Whether the open group computes the k-th operand and has its elements where they are used: not
        what it writes to a view or reduces."""
        return self._in_group(node, k) and self._is_elementwise(
            self.args[self.entries[node].first_arg + k]
        )

    def _same_place(self, node: Int, k: Int) raises -> Bool:
        """Whether the k-th operand, computed in the open group, is used element by element."""
        if not self._in_register(node, k) or self._layout(node, k) != 0:
            return False
        ref operand = self.entries[self.args[self.entries[node].first_arg + k]]
        return self.group.fits(self.api, operand.object) and self.group.fits(
            self.api, self.entries[node].object
        )

    @always_inline
    def _layout(self, node: Int, k: Int) -> Int:
        """The NumPy array that describes the k-th operand's view, 0 for the whole value."""
        var layouts = self.entries[node].layouts
        if layouts == 0:
            return 0
        var layout = load(layouts, TUPLE_ITEMS + k)
        return 0 if layout == self.api.none else layout

    def _reference(mut self, node: Int, k: Int, dtype: Int) raises -> Int:
        """A register (its step) or operand reference for the k-th operand in the open group."""
        var operand = self.args[self.entries[node].first_arg + k]
        if operand == CONSTANT:
            var inputs = load(self.entries[node].object, VALUE_INPUTS)
            var number = load(inputs, TUPLE_ITEMS + k)
            if dtype == COMPLEX128:
                return self._pair(number)
            return self.group.constant(
                self.number(number, dtype), dtype, number
            )
        self.entries[operand].uses -= 1
        if self._is_open(operand, self.is_before):
            return self.entries[operand].step
        if self.entries[operand].step >= 0 and self.entries[operand].slot < 0:
            # it will be there when the group that goes before has run
            _ = self.allocate(operand)
            self.ahead += self.entries[operand].nbytes
        var slot = self.slot_of(operand)
        var layout = self._layout(node, k)
        # a view may give the memory another dtype; only a mask has one that is not the step's
        var mask = self.entries[node].opcode == SELECT_N and k == 0
        var size = 1 if mask else itemsize(dtype)
        if layout == 0:
            return self.group.whole_operand(
                self.api, operand, slot, self.entries[operand].object, size
            )
        return self.group.view_operand(self.api, operand, slot, layout, size)

    def _pair(mut self, object: Int) -> Int:
        """A Python number as complex128, which no constant has room for: a step makes it of two."""
        comptime part = part_of(COMPLEX128)
        var re = external_call["PyComplex_RealAsDouble", Float64](object)
        var im = external_call["PyComplex_ImagAsDouble", Float64](object)
        var bits = Int(bitcast[DType.int64](re))
        var first = self.group.constant(bits, part, object)
        bits = Int(bitcast[DType.int64](im))
        var second = self.group.constant(bits, part, object)
        return self.group.joined(JOIN, first, second, COMPLEX128)

    def number(self, object: Int, dtype: Int) raises -> Int:
        """The bits of a Python number as an element of `dtype`, which is not complex128."""
        return bits_of(object, load(object, TYPE) == self.api.float_type, dtype)

    def slot_of(mut self, entry: Int) raises -> Int:
        """The slot of a value in memory; a leaf gets its slot at first use."""
        if self.entries[entry].slot < 0:
            if (
                entry < self.nodes
                and self.entries[entry].instruction != COMPUTED
            ):
                raise Error("a value is used before it was stored")
            self.entries[entry].slot = len(self.slots)
            self.slots.append(entry)
        return self.entries[entry].slot

    def allocate(mut self, entry: Int) -> Int:
        self.entries[entry].slot = self.temporary(self.entries[entry].nbytes)
        return self.entries[entry].slot

    def emit(mut self, kind: Int, operands: Int):
        self.words.append(Int64(kind))
        self.words.append(Int64(operands + 2))

    def free_if_dead(mut self, entry: Int):
        """Frees a dead intermediate's memory; a leaf's belongs to its Buffer."""
        ref value = self.entries[entry]
        if (
            entry >= self.nodes
            or value.slot < 0
            or value.taken
            or value.freed != NEVER
            or not self._is_spent(entry)
        ):
            return
        var slot = value.slot
        self.entries[entry].freed = len(self.words)
        # memory that came from a leaf goes back with its Buffer
        if self.slots[slot] < 0:
            self._free(slot)

    @always_inline
    def _is_spent(self, entry: Int) -> Bool:
        """Whether nothing reads a value any more, nor the open group that the one being written goes before."""
        return self.entries[entry].is_dead() and not self.other.reads(entry)

    def _free(mut self, slot: Int):
        self.emit(FREE, 1)
        self.words.append(Int64(slot))

    def _place_store(mut self, node: Int) raises:
        """A write through a view: in place when the old value dies here, else into a copy."""
        var old = self.args[self.entries[node].first_arg]
        if self.entries[old].step >= 0:
            self.close_group()
        self._make_room(node)
        var layout = self._layout(node, 0)
        var slot = self._target(node, old)
        var joined = False
        # a written value is not in a register: the group must end before it is read
        if self._in_register(node, 1) and self._layout(node, 1) == 0:
            joined = self.group.fits_layout(layout) and not self.group.overlaps(
                self.api, slot, layout
            )
        if not joined:
            self.close_group()
            self.group.start_layout(layout)
        var dtype = self.entries[node].dtype
        var size = itemsize(dtype)
        var source = self._reference(node, 1, dtype)
        if self.group.overlaps(self.api, slot, layout):
            var copy = self.group.add_step(-1, COPY_STEP, dtype, dtype)
            self.group.set_input(copy, 0, source)
            source = self._copy_out(copy, size)
        var step = self.group.add_step(node, COPY_STEP, dtype, dtype)
        self.group.set_input(step, 0, source)
        self.group.store_through(self.api, step, slot, layout, size)
        self._join(node, step)
        self.work += self.group.size

    def _copy_out(mut self, step: Int, size: Int) raises -> Int:
        """The elements to store are another view of the memory written: copies them out first.

        Returns the operand that holds the copy, in a group opened anew.
        """
        var slot = self.temporary(self.group.size * size)
        self.group.store_whole(step, slot, size)
        var shape = self.group.shape.copy()
        self.close_group()
        self.group.reopen(shape^)
        self.group.spent.append(slot)
        return self.group.slot_operand(slot, size)

    def temporary(mut self, nbytes: Int) -> Int:
        """A new slot with memory of its own."""
        if self.is_before:
            self.ahead += nbytes
        var slot = len(self.slots)
        self.slots.append(-1)
        self.emit(ALLOCATE, 2)
        self.words.append(Int64(slot))
        self.words.append(Int64(nbytes))
        return slot

    def _target(mut self, node: Int, old: Int) raises -> Int:
        """The slot to write into; holds the old value's elements when the write runs."""
        var source = self.slot_of(old)
        self.entries[old].uses -= 1
        var again = 0
        if self.entries[node].opcode == STORE:
            again = (
                1 if self.args[self.entries[node].first_arg + 1] == old else 0
            )
        if self.entries[old].uses == again and not self.entries[old].external:
            self._take(node, old)
            return source
        var slot = self.allocate(node)
        self.emit(COPY, 3)
        self.words.append(Int64(slot))
        self.words.append(Int64(source))
        self.words.append(Int64(self.entries[node].nbytes))
        self.work += self.entries[node].size
        return slot

    def close_group(mut self) raises:
        """Writes the open group and gives memory to those of its values that are used later."""
        if not self.group.open:
            return
        if not self.is_before and self.other.open:
            self._close_other()
        self.group.retarget_stores(self.entries)
        for step in range(len(self.group.steps)):
            var node = self.group.steps[step].node
            if node < 0:
                continue
            self.entries[node].step = -1
            if not self._is_elementwise(node):
                continue
            if self.entries[node].is_wanted():
                if self.entries[node].slot < 0:
                    self._find_memory(node, step)
                var size = itemsize(self.entries[node].result)
                self.group.store_whole(step, self.entries[node].slot, size)
        var start = len(self.words)
        self.group.write(self.words, self.constants)
        if self.errors != 0:
            self.group.list_owners(start, self.owners)
        for step in range(len(self.group.steps)):
            if self.group.steps[step].node >= 0:
                self.entries[self.group.steps[step].node].instruction = start
        if not self.is_before:
            self.ahead = 0
        while len(self.group.spent) > 0:
            self._free(self.group.spent.pop())
        for operand in self.group.operands:
            if operand.entry >= 0:
                self.free_if_dead(operand.entry)
        self.group.reset()

    def _find_memory(mut self, node: Int, step: Int):
        """Gives a step's result the memory of a dead value, or else its own."""
        var source = self._reusable(step, self.entries[node].nbytes)
        if source >= 0:
            self._take(node, source)
        else:
            _ = self.allocate(node)

    def _reusable(mut self, step: Int, nbytes: Int) -> Int:
        """A dead value whose memory the step's result may overwrite as it goes, or -1."""
        for k in range(len(self.group.operands)):
            ref operand = self.group.operands[k]
            if operand.entry < 0 or not operand.whole:
                continue
            ref value = self.entries[operand.entry]
            if value.nbytes != nbytes or value.taken:
                continue
            if not self._is_spent(operand.entry):
                continue
            if self.group.only_reader_until(operand.slot, k, step):
                return operand.entry
        return -1

    def _take(mut self, node: Int, source: Int):
        """The node's result overwrites the memory of a dead value."""
        self.entries[node].slot = self.entries[source].slot
        self.entries[node].took = source
        self.entries[source].taken = True

    def _place_fold(mut self, node: Int) raises -> Bool:
        """Lets the open group end in a reduction of what it computes; False if it cannot."""
        if not self.group.open or self.entries[node].args != 1:
            return False
        var operand = self.args[self.entries[node].first_arg]
        if (
            not self._in_register(node, 0)
            or self._layout(node, 0) != 0
            or not self.group.fits(self.api, self.entries[operand].object)
        ):
            return False
        var kernel = self.entries[node].opcode - FIRST_KERNEL
        var source = self.entries[operand].result
        var fold = Fold(kernel, source, self.entries[node].result)
        if not folds_blocks(fold):
            return False
        var params = load(self.entries[node].object, VALUE_PARAMS)
        var reduced = List[Bool](length=len(self.group.shape), fill=False)
        for k in range(load(params, TUPLE_SIZE)):
            var axis = self.api.small_int(load(params, TUPLE_ITEMS + k))
            if axis < 0:  # a search through all elements
                reduced = List[Bool](length=len(self.group.shape), fill=True)
            else:
                reduced[axis] = True
        if not self.group.fold(fold, reduced):
            return False
        var slot = self.allocate(node)
        var step = self.entries[operand].step
        self._join(node, self.group.fold_into(slot, node, step, source))
        self.entries[operand].uses -= 1
        self.work += self.entries[operand].size + self.entries[node].size
        return True

    def _place_kernel(mut self, node: Int) raises:
        self.close_group()
        ref api = self.api
        var kernel = self.entries[node].opcode - FIRST_KERNEL
        var updates = api.in_place[kernel] != 0
        var outputs = 1
        while (
            node + outputs < self.nodes
            and self.entries[node + outputs].opcode == PROJECT
            and self.args[self.entries[node + outputs].first_arg] == node
        ):
            outputs += 1
        if updates:
            _ = self._target(node, self.args[self.entries[node].first_arg])
        else:
            for k in range(outputs):
                _ = self.allocate(node + k)
        var params = load(self.entries[node].object, VALUE_PARAMS)
        var nparams = 0 if params == api.none else load(params, TUPLE_SIZE)
        var first_input = 1 if updates else 0
        var inputs = self.entries[node].args - first_input
        var start = len(self.words)
        self.emit(KERNEL, 5)
        self.words.append(Int64(kernel))
        self.words.append(Int64(outputs))
        self.words.append(Int64(outputs + inputs))
        self.words.append(Int64(nparams))
        self.words.append(Int64(node))
        for k in range(outputs):
            var layout = self._layout(node, 0) if updates else 0
            self._write_operand(node + k, layout)
        for k in range(first_input, first_input + inputs):
            var operand = self.args[self.entries[node].first_arg + k]
            if operand == CONSTANT:
                self._write_constant(node, k)
            else:
                self.entries[operand].uses -= 1
                _ = self.slot_of(operand)
                self._write_operand(operand, self._layout(node, k))
                self.work += self._read_size(operand, self._layout(node, k))
        for k in range(nparams):
            var param = api.small_int(load(params, TUPLE_ITEMS + k))
            self.words.append(Int64(param))
        self.words[start + 1] = Int64(len(self.words) - start)
        for k in range(outputs):
            self.entries[node + k].instruction = start
            self.work += 0 if updates else self.entries[node + k].size
        for k in range(1, outputs):
            self.entries[node].uses -= 1 if self.entries[node + k].needed else 0
        for k in range(self.entries[node].args):
            var operand = self.args[self.entries[node].first_arg + k]
            if operand >= 0:
                self.free_if_dead(operand)
        for k in range(outputs):
            self.free_if_dead(node + k)

    def _read_size(self, entry: Int, layout: Int) -> Int:
        """Elements that an operand gives to read."""
        if layout == 0:
            return self.entries[entry].size
        var size = 1
        for d in range(array_rank(layout)):
            size *= load(load(layout, ARRAY_SHAPE), d)
        return size

    def _write_constant(mut self, node: Int, k: Int) raises:
        var inputs = load(self.entries[node].object, VALUE_INPUTS)
        var dtype = self.entries[node].dtype
        self.words.append(Int64(CONSTANT))
        self.constants.append(len(self.words))
        self.words.append(
            Int64(self.number(load(inputs, TUPLE_ITEMS + k), dtype))
        )
        self.words.append(Int64(dtype))
        self.words.append(Int64(0))

    def _seen_as(self, layout: Int, dtype: Int) -> Int:
        """The dtype code of a layout, which may be another one than its value's."""
        var seen = load(layout, ARRAY_DTYPE)
        if seen == self.api.dtypes[dtype]:
            return dtype
        for code in range(len(self.api.dtypes)):
            if seen == self.api.dtypes[code]:
                return code
        return dtype

    def _write_operand(mut self, entry: Int, layout: Int):
        """Slot, offset, dtype, rank, shape and byte strides of a value or of a view of it."""
        self.words.append(Int64(self.entries[entry].slot))
        var dtype = self.entries[entry].result
        if layout != 0:
            var rank = array_rank(layout)
            dtype = self._seen_as(layout, dtype)
            self.words.append(Int64(load(layout, ARRAY_DATA) - self.api.region))
            self.words.append(Int64(dtype))
            self.words.append(Int64(rank))
            for d in range(rank):
                self.words.append(Int64(load(load(layout, ARRAY_SHAPE), d)))
            for d in range(rank):
                self.words.append(Int64(load(load(layout, ARRAY_STRIDES), d)))
            return
        var shape = load(self.entries[entry].object, VALUE_SHAPE)
        var rank = load(shape, TUPLE_SIZE)
        self.words.append(Int64(0))
        self.words.append(Int64(dtype))
        self.words.append(Int64(rank))
        var start = len(self.words)
        for d in range(rank):
            var extent = self.api.small_int(load(shape, TUPLE_ITEMS + d))
            self.words.append(Int64(extent))
        var stride = itemsize(dtype)
        self.words.resize(start + 2 * rank, Int64(0))
        for d in reversed(range(rank)):
            self.words[start + rank + d] = Int64(stride)
            stride *= max(Int(self.words[start + d]), 1)
