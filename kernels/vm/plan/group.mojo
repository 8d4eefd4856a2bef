"""The open group: elementwise steps over one shape, evaluated together block by block."""

from vm.plan.entry import Entry
from vm.base.fields import (
    VALUE_SHAPE,
)
from vm.base.interface import Interface
from vm.base.memory import elements
from vm.base.bytecode import (
    CONSTANT,
    COPY_STEP,
    GROUP,
    MAX_OPERANDS,
    MAX_STEPS,
    READ,
    WRITE,
)
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    array_rank,
    int_of,
    load,
)

comptime MAX_ADDED = 8
"""Steps or operands that one value needs at most: three inputs, each put together of two."""
comptime UNUSED = -(1 << 30)
"""A step's missing input or output."""


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


struct Group(Movable):
    var open: Bool
    var shape: List[Int]
    var size: Int
    var steps: List[Step]
    var operands: List[Operand]
    var strides: List[Int]
    """Byte strides of operand k at k * rank."""
    var spent: List[Int]
    """Slots to free behind the group."""

    def __init__(out self):
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
        for d in range(load(shape, TUPLE_SIZE)):
            var extent = int_of(load(shape, TUPLE_ITEMS + d))
            self.shape.append(extent)
            self.size = elements(self.size, extent)

    def start_layout(mut self, layout: Int):
        """Opens the group over the shape of a view."""
        self.open = True
        self.size = 1
        for d in range(array_rank(layout)):
            var extent = load(load(layout, ARRAY_SHAPE), d)
            self.shape.append(extent)
            self.size = elements(self.size, extent)

    def reopen(mut self, var shape: List[Int]):
        self.open = True
        self.shape = shape^

    def fits(self, api: Interface, object: Int) -> Bool:
        """Whether the value has the group's shape."""
        if not self.open:
            return False
        var shape = load(object, VALUE_SHAPE)
        if load(shape, TUPLE_SIZE) != len(self.shape):
            return False
        for d in range(len(self.shape)):
            if int_of(load(shape, TUPLE_ITEMS + d)) != self.shape[d]:
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

    def set_input(mut self, step: Int, k: Int, reference: Int):
        if k == 0:
            self.steps[step].a = reference
        elif k == 1:
            self.steps[step].b = reference
        else:
            self.steps[step].c = reference

    def constant(mut self, bits: Int, itemsize: Int) -> Int:
        self.operands.append(Operand(-1, CONSTANT, bits, itemsize, READ, False))
        for _ in range(len(self.shape)):
            self.strides.append(0)
        return -len(self.operands)

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
        var rank = len(self.shape)
        var missing = rank - load(shape, TUPLE_SIZE)
        var first = len(self.strides)
        self.strides.resize(first + rank, 0)
        var stride = itemsize
        var whole = True
        for d in reversed(range(rank)):
            var extent = 1 if d < missing else int_of(
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
        for step in reversed(range(len(self.steps))):
            for k in range(len(self.operands)):
                if (
                    self.operands[k].slot == slot
                    and self.operands[k].role == READ
                ):
                    if self.steps[step].reads(-1 - k):
                        return step
        return -1

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
                or not entries[node].is_dead()
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

    def write(self, mut words: List[Int64], mut constants: List[Int]):
        """Appends the GROUP instruction; results not stored are given registers."""
        var rank = len(self.shape)
        var live = 0
        for step in self.steps:
            live += 0 if step.elided else 1
        var start = len(words)
        for header in [GROUP, 0, rank, len(self.operands), live, 0]:
            words.append(Int64(header))
        for extent in self.shape:
            words.append(Int64(extent))
        for k in range(len(self.operands)):
            ref operand = self.operands[k]
            words.append(Int64(operand.slot))
            if operand.slot == CONSTANT:
                constants.append(len(words))
            words.append(Int64(operand.offset))
            words.append(Int64(operand.itemsize))
            words.append(Int64(operand.role))
            for d in range(rank):
                words.append(Int64(self.strides[k * rank + d]))
        var registers = self._write_steps(words)
        words[start + 5] = Int64(registers)
        words[start + 1] = Int64(len(words) - start)

    def _write_steps(self, mut words: List[Int64]) -> Int:
        """Appends the steps; returns how many registers they use."""
        var last_use = List[Int](length=len(self.steps), fill=-1)
        for k in range(len(self.steps)):
            ref step = self.steps[k]
            if step.elided:
                continue
            if step.a >= 0:
                last_use[step.a] = k
            if step.b >= 0:
                last_use[step.b] = k
            if step.c >= 0:
                last_use[step.c] = k
        var place = List[Int](length=len(self.steps), fill=0)
        var free = List[Int]()
        var registers = 0
        for k in range(len(self.steps)):
            ref step = self.steps[k]
            if step.elided:
                continue
            if step.out >= 0:
                place[k] = -1 - step.out
            elif len(free) > 0:
                place[k] = free.pop()
            else:
                place[k] = registers
                registers += 1
            words.append(Int64(step.opcode))
            words.append(Int64(step.dtype))
            words.append(Int64(step.result))
            words.append(Int64(place[k]))
            for reference in [step.a, step.b, step.c]:
                words.append(
                    Int64(place[reference] if reference >= 0 else reference)
                )
            for source in range(k + 1):
                if last_use[source] == k and place[source] >= 0 and source != k:
                    free.append(place[source])
                    last_use[source] = -2
            if last_use[k] == -1 and place[k] >= 0:
                free.append(place[k])
        return registers
