"""The open group: elementwise steps over one shape, evaluated together block by block."""

from elementwise.numbers.dtypes import part_of
from structured.threads.threads import PARALLEL_WORK
from vm.plan.entry import Entry
from vm.base.fields import (
    VALUE_SHAPE,
)
from vm.base.interface import Interface
from vm.base.memory import elements
from vm.base.parts import folds_columns
from vm.base.bytecode import (
    CONSTANT,
    COPY_STEP,
    FOLD,
    Fold,
    FoldShape,
    GROUP,
    GROUP_HEADER,
    MAX_FOLDS,
    MAX_OPERANDS,
    MAX_STEPS,
    OPERAND_HEADER,
    READ,
    STEP_LENGTH,
    WRITE,
    itemsize,
)
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    array_rank,
    load,
    store,
)

comptime MAX_ADDED = 8
"""Steps or operands that one value needs at most: three inputs, each put together of two."""
comptime UNUSED = -(1 << 30)
"""A step's missing input or output."""
comptime LARGE = PARALLEL_WORK // 2
"""Elements from which a group may be run by several threads."""
comptime WIDE = 512
"""Columns from which threads can share a reduction of rows into one row."""


struct Step(Copyable, Movable):
    """One elementwise operation. Inputs are steps (>= 0) or operands (-1 - k)."""

    var node: Int
    """The entry it computes, -1 for a step of the planner's own."""
    var opcode: Int
    var dtype: Int
    var result: Int
    var a: Int
    var b: Int
    var c: Int
    var out: Int
    """Operand the result is stored through, or -1: it stays in a register."""
    var elided: Bool

    def __init__(out self, node: Int, opcode: Int, dtype: Int, result: Int):
        self.node = node
        self.opcode = opcode
        self.dtype = dtype
        self.result = result
        self.a = UNUSED
        self.b = UNUSED
        self.c = UNUSED
        self.out = -1
        self.elided = False

    @always_inline
    def reads(self, reference: Int) -> Bool:
        return self.a == reference or self.b == reference or self.c == reference


struct Operand(Copyable, Movable):
    """Memory (or a number) that the group reads or writes; its strides lie in the group's list."""

    var entry: Int
    """The entry read, -1 for constants and for memory that is written."""
    var slot: Int
    var offset: Int
    var itemsize: Int
    var role: Int
    var whole: Bool
    """One element after another in the group's order, from the start of the slot."""
    var last: Int
    """The last step that reads it, -1 when none does."""
    var object: Int
    """Of a constant: the address of its object."""
    var dtype: Int

    def __init__(
        out self,
        entry: Int,
        slot: Int,
        offset: Int,
        itemsize: Int,
        role: Int,
        whole: Bool,
    ):
        self.entry = entry
        self.slot = slot
        self.offset = offset
        self.itemsize = itemsize
        self.role = role
        self.whole = whole
        self.last = -1
        self.object = 0
        self.dtype = 0


struct Group(Movable):
    var open: Bool
    var tuple: Int
    """The address of the tuple that has the shape, 0 if there is none."""
    var shape: List[Int]
    var size: Int
    var steps: List[Step]
    var operands: List[Operand]
    var strides: List[Int]
    """Byte strides of operand k at k * rank."""
    var spent: List[Int]
    """Slots to free behind the group."""
    var last_use: List[Int]
    """By step, while the group is written: the step that uses its register last."""
    var place: List[Int]
    """By step: its register or operand."""
    var free: List[Int]
    """Registers that may be used again."""

    def __init__(out self):
        self.tuple = 0
        self.last_use = List[Int]()
        self.place = List[Int]()
        self.free = List[Int]()
        self.spent = List[Int]()
        self.open = False
        self.shape = List[Int]()
        self.size = 0
        self.steps = List[Step]()
        self.operands = List[Operand]()
        self.strides = List[Int]()

    def reset(mut self):
        self.open = False
        self.shape.clear()
        self.steps.clear()
        self.operands.clear()
        self.strides.clear()

    # -- the iteration shape

    def start(mut self, api: Interface, object: Int):
        """Opens the group over the shape of a value."""
        self.open = True
        self.size = 1
        var shape = load(object, VALUE_SHAPE)
        self.tuple = shape
        for d in range(load(shape, TUPLE_SIZE)):
            var extent = api.small_int(load(shape, TUPLE_ITEMS + d))
            self.shape.append(extent)
            self.size = elements(self.size, extent)

    def start_layout(mut self, layout: Int):
        """Opens the group over the shape of a view."""
        self.open = True
        self.tuple = 0
        self.size = 1
        for d in range(array_rank(layout)):
            var extent = load(load(layout, ARRAY_SHAPE), d)
            self.shape.append(extent)
            self.size = elements(self.size, extent)

    def reopen(mut self, var shape: List[Int]):
        self.open = True
        self.tuple = 0
        self.shape = shape^

    @always_inline
    def fits(self, api: Interface, object: Int) -> Bool:
        """Whether the value has the group's shape."""
        if not self.open:
            return False
        var shape = load(object, VALUE_SHAPE)
        return shape == self.tuple or self._has(api, shape)

    def _has(self, api: Interface, shape: Int) -> Bool:
        if load(shape, TUPLE_SIZE) != len(self.shape):
            return False
        for d in range(len(self.shape)):
            var extent = api.small_int(load(shape, TUPLE_ITEMS + d))
            if extent != self.shape[d]:
                return False
        return True

    def fits_layout(self, layout: Int) -> Bool:
        if array_rank(layout) != len(self.shape):
            return False
        for d in range(len(self.shape)):
            if load(load(layout, ARRAY_SHAPE), d) != self.shape[d]:
                return False
        return True

    def full(self) -> Bool:
        return (
            len(self.steps) + MAX_ADDED >= MAX_STEPS
            or len(self.operands) + MAX_ADDED >= MAX_OPERANDS
        )

    # -- steps and operands

    def add_step(
        mut self, node: Int, opcode: Int, dtype: Int, result: Int
    ) -> Int:
        self.steps.append(Step(node, opcode, dtype, result))
        return len(self.steps) - 1

    @always_inline
    def set_input(mut self, step: Int, k: Int, reference: Int):
        if reference < 0:
            self.operands[-1 - reference].last = step
        if k == 0:
            self.steps[step].a = reference
        elif k == 1:
            self.steps[step].b = reference
        else:
            self.steps[step].c = reference

    def constant(mut self, bits: Int, dtype: Int, object: Int) -> Int:
        """A number, once for all steps that have the same object.

        Not once for equal ones: the steps would then depend on the numbers that a program has.
        """
        for k in range(len(self.operands)):
            ref other = self.operands[k]
            if (
                other.slot == CONSTANT
                and other.object == object
                and other.offset == bits
                and other.dtype == dtype
            ):
                return -1 - k
        var operand = Operand(-1, CONSTANT, bits, itemsize(dtype), READ, False)
        operand.object = object
        operand.dtype = dtype
        self.operands.append(operand^)
        for _ in range(len(self.shape)):
            self.strides.append(0)
        return -len(self.operands)

    def joined(
        mut self, opcode: Int, first: Int, second: Int, dtype: Int
    ) -> Int:
        """A step that puts two constants together, once for all steps that have both."""
        for k in range(len(self.steps)):
            ref step = self.steps[k]
            if step.opcode == opcode and step.a == first and step.b == second:
                return k
        var step = self.add_step(-1, opcode, part_of(dtype), dtype)
        self.set_input(step, 0, first)
        self.set_input(step, 1, second)
        return step

    def whole_operand(
        mut self,
        api: Interface,
        entry: Int,
        slot: Int,
        object: Int,
        itemsize: Int,
    ) -> Int:
        """The whole value, broadcast to the group's shape."""
        var shape = load(object, VALUE_SHAPE)
        if shape == self.tuple:
            self._append_strides(itemsize)
            return self._register(Operand(entry, slot, 0, itemsize, READ, True))
        var rank = len(self.shape)
        var missing = rank - load(shape, TUPLE_SIZE)
        var first = len(self.strides)
        self.strides.resize(first + rank, 0)
        var stride = itemsize
        var whole = True
        for d in reversed(range(rank)):
            var extent = 1 if d < missing else api.small_int(
                load(shape, TUPLE_ITEMS + d - missing)
            )
            if extent != self.shape[d]:
                whole = False
            self.strides[first + d] = 0 if extent == 1 else stride
            stride *= extent
        return self._register(Operand(entry, slot, 0, itemsize, READ, whole))

    def view_operand(
        mut self,
        api: Interface,
        entry: Int,
        slot: Int,
        layout: Int,
        itemsize: Int,
    ) -> Int:
        """A view, broadcast to the group's shape."""
        var rank = len(self.shape)
        var missing = rank - array_rank(layout)
        for d in range(rank):
            if d < missing or load(load(layout, ARRAY_SHAPE), d - missing) == 1:
                self.strides.append(0)
            else:
                self.strides.append(
                    load(load(layout, ARRAY_STRIDES), d - missing)
                )
        var offset = load(layout, ARRAY_DATA) - api.region
        return self._register(
            Operand(entry, slot, offset, itemsize, READ, False)
        )

    def slot_operand(mut self, slot: Int, itemsize: Int) -> Int:
        """The whole of a slot that holds elements in the group's shape."""
        self._append_strides(itemsize)
        return self._register(Operand(-1, slot, 0, itemsize, READ, True))

    def _append_strides(mut self, itemsize: Int):
        """Strides of elements in the group's order."""
        var rank = len(self.shape)
        var first = len(self.strides)
        self.strides.resize(first + rank, 0)
        var stride = itemsize
        for d in reversed(range(rank)):
            self.strides[first + d] = 0 if self.shape[d] == 1 else stride
            stride *= self.shape[d]

    def _register(mut self, var operand: Operand) -> Int:
        """Appends the operand whose strides were just appended, or finds the same one."""
        var rank = len(self.shape)
        var new = len(self.operands)
        for k in range(new):
            ref other = self.operands[k]
            if (
                other.slot == operand.slot
                and other.offset == operand.offset
                and other.itemsize == operand.itemsize
                and other.role == operand.role
                and self._same_strides(k, new)
            ):
                self.strides.shrink(new * rank)
                return -1 - k
        self.operands.append(operand^)
        return -1 - new

    def _same_strides(self, k: Int, other: Int) -> Bool:
        var rank = len(self.shape)
        for d in range(rank):
            if self.strides[k * rank + d] != self.strides[other * rank + d]:
                return False
        return True

    # -- results in memory

    def store_whole(mut self, step: Int, slot: Int, itemsize: Int):
        """The step's result goes to a slot of its own."""
        self._append_strides(itemsize)
        self.operands.append(Operand(-1, slot, 0, itemsize, WRITE, True))
        self.steps[step].out = len(self.operands) - 1

    def store_through(
        mut self,
        api: Interface,
        step: Int,
        slot: Int,
        layout: Int,
        itemsize: Int,
    ):
        """The step's result goes to a view of a slot."""
        for d in range(len(self.shape)):
            self.strides.append(load(load(layout, ARRAY_STRIDES), d))
        var offset = load(layout, ARRAY_DATA) - api.region
        self.operands.append(Operand(-1, slot, offset, itemsize, WRITE, False))
        self.steps[step].out = len(self.operands) - 1

    def fold(mut self, fold: Fold, reduced: List[Bool]) -> Bool:
        """Adds a result that is reduced along some axes; False if the group cannot end in it."""
        if self.full() or self.size == 0:
            return False
        var rank = len(self.shape)
        var first = len(self.strides)
        self.strides.resize(first + rank, 0)
        var stride = itemsize(fold.result)
        for d in reversed(range(rank)):
            if not reduced[d] and self.shape[d] != 1:
                self.strides[first + d] = stride
                stride *= self.shape[d]
        var shape = self._fold_shape(first)
        var folds = 1
        var fits = shape.length > 0
        if shape.inner > 1 and shape.inner < WIDE and self.size >= LARGE:
            fits = False
        if shape.inner > 1 and not folds_columns(fold):
            fits = False
        for k in range(len(self.operands)):
            if self.operands[k].role == FOLD:
                folds += 1
                fits = fits and self._fold_shape(k * rank).agrees(shape)
        if not fits or folds > MAX_FOLDS:
            self.strides.shrink(first)
            return False
        var size = itemsize(fold.source)
        self.operands.append(Operand(-1, -1, fold.word(), size, FOLD, False))
        return True

    def _fold_shape(self, strides: Int) -> FoldShape:
        """What is folded by the strides that begin at a place in the list."""
        return FoldShape(
            Int(self.shape.unsafe_ptr()),
            Int(self.strides.unsafe_ptr()) + 8 * strides,
            len(self.shape),
        )

    def fold_into(
        mut self, slot: Int, node: Int, source: Int, dtype: Int
    ) -> Int:
        """Folds what a step computes into a slot; returns the step that gives it there."""
        self.operands[len(self.operands) - 1].slot = slot
        var step = self.add_step(node, COPY_STEP, dtype, dtype)
        self.set_input(step, 0, source)
        self.steps[step].out = len(self.operands) - 1
        return step

    def overlaps(self, api: Interface, slot: Int, layout: Int) -> Bool:
        """Whether the group reads the slot in any other way than through this view."""
        var offset = load(layout, ARRAY_DATA) - api.region
        var rank = len(self.shape)
        for k in range(len(self.operands)):
            ref operand = self.operands[k]
            if operand.slot != slot or operand.role != READ:
                continue
            if operand.offset != offset:
                return True
            for d in range(rank):
                if (
                    self.strides[k * rank + d]
                    != load(load(layout, ARRAY_STRIDES), d)
                    and self.shape[d] != 1
                ):
                    return True
        return False

    def reads(self, entry: Int) -> Bool:
        """Whether an entry is among the operands."""
        for operand in self.operands:
            if operand.entry == entry:
                return True
        return False

    def last_reader(self, slot: Int) -> Int:
        """The last step that reads the slot, -1 when none does."""
        var last = -1
        for operand in self.operands:
            if operand.slot == slot and operand.role == READ:
                last = max(last, operand.last)
        return last

    def only_reader_until(self, slot: Int, operand: Int, step: Int) -> Bool:
        """Whether the slot is read only through `operand`, never after `step`, and not written."""
        for k in range(len(self.operands)):
            if k != operand and self.operands[k].slot == slot:
                return False
        return self.last_reader(slot) <= step

    def retarget_stores(mut self, entries: List[Entry]):
        """Lets the step that computes a stored value write it, where that is the same."""
        for k in range(len(self.steps)):
            if (
                self.steps[k].opcode != COPY_STEP
                or self.steps[k].a < 0
                or self.steps[k].out < 0
            ):
                continue
            var source = self.steps[k].a
            var node = self.steps[source].node
            if (
                node < 0
                or entries[node].is_wanted()
                or self.steps[source].out >= 0
            ):
                continue
            if self.last_reader(self.operands[self.steps[k].out].slot) > source:
                continue
            var only = True
            for other in range(source + 1, len(self.steps)):
                if other != k and self.steps[other].reads(source):
                    only = False
            if only:
                self.steps[source].out = self.steps[k].out
                self.steps[k].elided = True

    # -- the instruction

    def write(mut self, mut words: List[Int64], mut constants: List[Int]):
        """Appends the GROUP instruction; results not stored are given registers."""
        var rank = len(self.shape)
        var live = 0
        for step in self.steps:
            live += 0 if step.elided else 1
        var start = len(words)
        var count = len(self.operands)
        var length = GROUP_HEADER + rank + count * (OPERAND_HEADER + rank)
        words.resize(start + length + live * STEP_LENGTH, Int64(0))
        var to = Int(words.unsafe_ptr()) + 8 * start
        store(to, 0, GROUP)
        store(to, 1, length + live * STEP_LENGTH)
        store(to, 2, rank)
        store(to, 3, count)
        store(to, 4, live)
        for d in range(rank):
            store(to, GROUP_HEADER + d, self.shape[d])
        var at = GROUP_HEADER + rank
        for k in range(count):
            ref operand = self.operands[k]
            if operand.slot == CONSTANT:
                constants.append(start + at + 1)
            store(to, at, operand.slot)
            store(to, at + 1, operand.offset)
            store(to, at + 2, operand.itemsize)
            store(to, at + 3, operand.role)
            at += OPERAND_HEADER
            for d in range(rank):
                store(to, at + d, self.strides[k * rank + d])
            at += rank
        store(to, 5, self._write_steps(to + 8 * length))

    def list_owners(self, start: Int, mut owners: List[Int]):
        """Lists places in the GROUP instruction at `start`, and their nodes: of steps, and of operands that
        are reductions."""
        var rank = len(self.shape)
        var first = start + GROUP_HEADER + rank
        var at = first + len(self.operands) * (OPERAND_HEADER + rank)
        for step in self.steps:
            if not step.elided:
                owners.append(at)
                owners.append(step.node)
                at += STEP_LENGTH
            var target = step.out
            if step.opcode == COPY_STEP and target >= 0:
                if self.operands[target].role == FOLD:
                    owners.append(first + target * (OPERAND_HEADER + rank))
                    owners.append(step.node)

    def _write_steps(mut self, to: Int) -> Int:
        """Writes the steps to an address; returns how many registers they use."""
        self._find_last_uses()
        self.free.clear()
        var at = to
        var registers = 0
        for k in range(len(self.steps)):
            ref step = self.steps[k]
            if step.elided:
                continue
            var place = -1 - step.out
            if step.out < 0:
                if len(self.free) > 0:
                    place = self.free.pop()
                else:
                    place = registers
                    registers += 1
            self.place[k] = place
            store(at, 0, step.opcode)
            store(at, 1, step.dtype)
            store(at, 2, step.result)
            store(at, 3, place)
            store(at, 4, self._placed(step.a))
            store(at, 5, self._placed(step.b))
            store(at, 6, self._placed(step.c))
            at += 8 * STEP_LENGTH
            var inputs: Array[Int, 3] = [step.a, step.b, step.c]
            for i in range(3):
                self._release(inputs[i], k)
            if self.last_use[k] == -1 and place >= 0:
                self.free.append(place)
        return registers

    def _find_last_uses(mut self):
        var count = len(self.steps)
        self.place.resize(count, 0)
        self.last_use.clear()
        self.last_use.resize(count, -1)
        for k in range(count):
            ref step = self.steps[k]
            if step.elided:
                continue
            if step.a >= 0:
                self.last_use[step.a] = k
            if step.b >= 0:
                self.last_use[step.b] = k
            if step.c >= 0:
                self.last_use[step.c] = k

    @always_inline
    def _placed(self, reference: Int) -> Int:
        return self.place[reference] if reference >= 0 else reference

    @always_inline
    def _release(mut self, source: Int, step: Int):
        """Lets the register of an input be used again, if a step is the last to use it."""
        if source >= 0 and self.last_use[source] == step:
            if self.place[source] >= 0:
                self.free.append(self.place[source])
            self.last_use[source] = -2
