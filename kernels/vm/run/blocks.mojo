"""A GROUP ready to run: its steps over one block of elements after another, in cache.

Intermediates live in registers (scratch memory of one block). An operand whose elements lie one
after another is used where it is; others are packed into scratch block by block.
"""

from std.math import align_up, ceildiv

from elementwise.dispatch.operations import opcode

from vm.base.functions import Functions
from vm.base.parts import convert, run_elementwise
from structured.operands.nest import Nest
from vm.base.bytecode import (
    CONSTANT,
    CONVERT,
    COPY_STEP,
    FIRST_FUNCTION,
    FOLD,
    Fold,
    FoldShape,
    GROUP_HEADER,
    OPERAND_HEADER,
    READ,
    STEP_LENGTH,
    WRITE,
    itemsize,
)
from vm.base.raw import Words, copy_bytes, words
from vm.run.shape import (
    DIRECT,
    FOLDED,
    PACKED,
    PANEL,
    ROWS,
    SPLAT,
    Shape,
    Source,
    stride_of,
)
from vm.run.findings import Findings, FindingsPointer
from vm.run.fused import FusedLoop
from vm.run.look import is_silent, look, mind
from structured.movement.copy import Plane
from vm.base.movement import (
    fill_run,
    move_plane,
    move_run,
    repeat_each,
    repeat_row,
)
from structured.operands.operand import MAX_RANK
from structured.threads.ieee import lower_flags, raised

comptime _COPY = opcode("copy")
"""What copies as a COPY_STEP does, as an operation on elements."""
comptime REGISTER = 4096
"""Bytes of a register of a group that has many: those of a few steps stay in the first-level cache."""
comptime CACHED = 1 << 14
"""Bytes of all registers of a group that has few: the longer a block, the less it costs to begin one."""
comptime LONGEST = 4096
"""Elements of a block of a group without registers."""
comptime VECTOR = 64
"""Blocks of rows have a multiple of this length, but for the last: elements of the longest vectors."""
comptime WIDEST = 16
"""Bytes of the widest element."""
comptime ROW = 1024
"""Bytes of rows that are never split across blocks, so that their parts need no packing."""
comptime PANELLED_ROW = 64
"""Elements of a row from which transposed operands are packed as panels."""

comptime LINE = 64
"""Bytes of a cache line."""
comptime SIDE = 8
"""Rows of a panel."""
comptime PANELLED = 1 << 13
"""Elements from which transposed operands are packed as panels."""


struct Blocks(Movable):
    """A group ready to run."""

    var group: Words
    var operands: Int
    var steps: Int
    var rank: Int
    """Of the group as written; `shape` has merged axes."""
    var shape: Shape
    var sources: List[Source]
    var registers: Int
    var register: Int
    """Bytes of a register."""
    var block: Int
    """Elements evaluated together."""
    var per_row: Int
    """Blocks in a row when blocks end with rows, 0 when they do not."""
    var size: Int
    var count: Int
    """Units of work: blocks, or panels of them."""
    var axis: Int
    """The axis of the rows of panels, -1 if there are none."""
    var functions: Functions
    var folds: List[Int]
    """The operands that are folded; all see the group in `fold_shape`, which is meaningless without."""
    var fold_shape: FoldShape
    var is_in_place: Bool
    """Whether the group writes to memory that it reads, as far as `find_overwritten` was asked."""
    var minds: Bool
    """Whether it has silent steps (`vm.run.look`), whose operands are minded, as far as `find_silent` was asked."""
    var overwritten: List[Int]
    """The operands that are read there where they lie."""

    def __init__(
        out self, group: Words, slots: List[Int], functions: Functions
    ):
        self.group = group
        self.functions = functions
        self.rank = Int(group[unsafe_offset=2])
        self.operands = Int(group[unsafe_offset=3])
        self.steps = Int(group[unsafe_offset=4])
        self.registers = Int(group[unsafe_offset=5])
        self.register = REGISTER
        self.shape = Shape(group)
        self.size = self.shape.size()
        self.folds = List[Int]()
        self.fold_shape = FoldShape(0, 0, 0)
        self.overwritten = List[Int]()
        self.is_in_place = False
        self.minds = False
        self.sources = List[Source](capacity=self.operands)
        self.block = LONGEST
        self.count = 1
        self.axis = -1
        self.per_row = 0
        self._find_folds()
        var inner = (
            self.shape.extents[self.shape.rank - 1] if self.shape.rank
            > 0 else 1
        )
        var is_long = inner * self._widest() >= ROW
        self.per_row = Int(self.shape.rank > 1 and is_long)
        if len(self.folds) > 0:
            self.per_row = Int(self._folds_in_rows(inner))
        else:
            self._find_panels()
        for k in range(self.operands):
            self.sources.append(self._source(k, slots))
        if self.registers > 0 and len(self.folds) == 0:
            var share = CACHED // self.registers // REGISTER * REGISTER
            self.register = max(REGISTER, share)
        if self.registers > 0:
            self.block = self.register // self._widest()
        if len(self.folds) > 0:
            return
        if self.per_row > 0:
            self.per_row = ceildiv(inner, self.block)
            self.block = align_up(ceildiv(inner, self.per_row), VECTOR)
            self.count = self.size // inner * self.per_row
            if self.axis >= 0:
                var rows = self.shape.extents[self.axis]
                self.count = self.count // rows * ceildiv(rows, SIDE)
        else:
            self.count = ceildiv(self.size, self.block)

    @always_inline
    def first_step(self) -> Words:
        return self.group.unsafe_offset(
            GROUP_HEADER
            + self.rank
            + self.operands * (OPERAND_HEADER + self.rank)
        )

    def _find_folds(mut self):
        for k in range(self.operands):
            var at = self.operand(k)
            if Int(self.group[unsafe_offset=at + 3]) == FOLD:
                self.folds.append(k)
                self.fold_shape = FoldShape(
                    Int(self.group.unsafe_offset(GROUP_HEADER)),
                    Int(self.group.unsafe_offset(at + OPERAND_HEADER)),
                    self.rank,
                )

    def fold(self, k: Int) -> Fold:
        """What an operand is folded by."""
        return Fold(word=Int(self.group[unsafe_offset=self.operand(k) + 1]))

    def _find_panels(mut self):
        """Looks for an operand of which along the innermost axis every element is in another line."""
        ref shape = self.shape
        var last = shape.rank - 1
        if (
            last < 1
            or self.size < PANELLED
            or shape.extents[last] < PANELLED_ROW
        ):
            return
        for k in range(self.operands):
            for axis in range(last):
                if shape.extents[axis] >= SIDE and self._is_panel(k, axis):
                    self.axis = axis
                    self.per_row = 1
                    return

    def _is_panel(self, k: Int, axis: Int) -> Bool:
        """Whether an operand's elements are closer to one another along an axis than the innermost."""
        var across = abs(self.stride(k, self.shape.rank - 1))
        return across >= LINE and 0 < abs(self.stride(k, axis)) < LINE

    def _folds_in_rows(self, inner: Int) -> Bool:
        """Whether no block of what is folded goes over the end of a row."""
        ref shape = self.fold_shape
        var block = REGISTER // self._widest()
        if shape.inner > 1:
            return shape.inner == inner and 2 * inner > block
        return shape.length == inner and inner > block

    @always_inline
    def operand(self, k: Int) -> Int:
        """Where an operand's words begin."""
        return GROUP_HEADER + self.rank + k * (OPERAND_HEADER + self.rank)

    def _widest(self) -> Int:
        """Bytes of the widest element that a step reads or makes."""
        var widest = 1
        for k in range(self.operands):
            var size = Int(self.group[unsafe_offset=self.operand(k) + 2])
            widest = max(widest, size)
        var step = self.first_step()
        for _ in range(self.steps):
            for word in range(1, 3):
                var dtype = Int(step[unsafe_offset=word])
                widest = max(widest, itemsize(dtype))
            step = step.unsafe_offset(STEP_LENGTH)
        return widest

    def _source(mut self, k: Int, slots: List[Int]) -> Source:
        var at = self.operand(k)
        var slot = Int(self.group[unsafe_offset=at])
        var role = Int(self.group[unsafe_offset=at + 3])
        var address = Int(self.group.unsafe_offset(at + 1))
        if role == FOLD:
            address = slots[slot]
        elif slot != CONSTANT:
            address = slots[slot] + Int(self.group[unsafe_offset=at + 1])
        var itemsize = Int(self.group[unsafe_offset=at + 2])
        var source = Source(address, itemsize, role != READ)
        if role == FOLD:
            source.mode = FOLDED
            source.scratch = self.registers
            self.registers += 1
            return source^
        if self.size == 1:
            return source^
        source.inner = self.stride(k, self.shape.rank - 1)
        source.mode = self._mode(k, itemsize)
        if source.mode == PANEL:
            source.scratch = self.registers
            self.registers += SIDE
        elif source.mode == PACKED or source.mode == SPLAT:
            source.scratch = self.registers
            self.registers += 1
        elif source.mode == ROWS and source.inner != itemsize:
            source.mode = PACKED
            source.scratch = self.registers
            self.registers += 1
        return source^

    @always_inline
    def stride(self, k: Int, axis: Int) -> Int:
        return stride_of(self.group, self.rank, k, self.shape.axes[axis])

    def _mode(self, k: Int, itemsize: Int) -> Int:
        var constant = True
        var adjacent = True
        var expected = itemsize
        for d in reversed(range(self.shape.rank)):
            var stride = self.stride(k, d)
            constant = constant and stride == 0
            adjacent = adjacent and stride == expected
            expected *= self.shape.extents[d]
        if constant:
            return SPLAT
        if self.axis >= 0 and self._is_panel(k, self.axis):
            return PANEL
        if adjacent:
            return DIRECT
        return ROWS if self.per_row > 0 else PACKED

    # -- a step that only copies

    def _copying(self) -> Optional[Words]:
        """The only step, if all that it does is to copy one operand to another."""
        if self.steps != 1:
            return None
        var step = self.first_step()
        var operation = Int(step[unsafe_offset=0])
        if operation != COPY_STEP and operation != _COPY:
            return None
        var is_between = step[unsafe_offset=3] < 0 and step[unsafe_offset=4] < 0
        return step if is_between else None

    def moving(self) -> Optional[Nest[2]]:
        """Where such a step copies to and from, if elements lie in several axes there that are no row."""
        var step = self._copying()
        if not step or self.shape.rank < 2 or len(self.folds) > 0:
            return None
        var target = -1 - Int(step.value()[unsafe_offset=3])
        var source = -1 - Int(step.value()[unsafe_offset=4])
        if self.sources[source].mode == SPLAT:
            return None
        var nest = Nest[2](
            [self.sources[target].address, self.sources[source].address]
        )
        for axis in range(self.shape.rank):
            nest.push(
                self.shape.extents[axis],
                [self.stride(target, axis), self.stride(source, axis)],
            )
        return nest^

    def fill_step(self) -> Optional[Words]:
        """Such a step, if it writes one element to a whole array."""
        var step = self._copying()
        if not step:
            return None
        var target = -1 - Int(step.value()[unsafe_offset=3])
        var source = -1 - Int(step.value()[unsafe_offset=4])
        var whole = self.sources[target].mode == DIRECT
        var one = self.sources[source].mode == SPLAT
        return step if whole and one else None

    def fill(self, step: Words, first: Int, end: Int):
        """Does a `fill_step` from one block to another."""
        ref target = self.sources[-1 - Int(step[unsafe_offset=3])]
        ref source = self.sources[-1 - Int(step[unsafe_offset=4])]
        var start = first * self.block
        var n = min(end * self.block, self.size) - start
        var address = target.address + start * target.itemsize
        fill_run(address, source.address, n, target.itemsize)

    # -- one block

    def bounds(self, block: Int) -> Tuple[Int, Int]:
        """The first element of a block and how many there are."""
        if self.per_row == 0:
            var start = block * self.block
            return start, min(self.block, self.size - start)
        var inner = self.shape.extents[self.shape.rank - 1]
        var column = block % self.per_row * self.block
        var start = block // self.per_row * inner + column
        return start, min(self.block, inner - column)

    def run_unit(self, loop: Int, unit: Int, scratch: Int, seen: Int) -> Bool:
        """Does all steps on a block, or on each row of a panel; False when a kernel refuses a step."""
        if self.axis < 0:
            var start, n = self.bounds(unit)
            return self.run(loop, start, n, scratch, seen)
        var panel = Panel(self, unit)
        self._move_panels(panel, scratch, written=False)
        for row in range(panel.rows):
            var start = panel.start + row * panel.step
            if not self.run(loop, start, panel.columns, scratch, seen, row):
                return False
        self._move_panels(panel, scratch, written=True)
        return True

    def _move_panels(self, panel: Panel, scratch: Int, *, written: Bool):
        """Packs what is read in panels, or writes the results where they belong."""
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode != PANEL or source.writes != written:
                continue
            var item = source.itemsize
            var here = (
                scratch + source.scratch * self.register,
                self.register,
                item,
            )
            var there = (
                Row(self, k, panel.start).address,
                self.stride(k, self.axis),
                self.stride(k, self.shape.rank - 1),
            )
            var target = there if written else here
            var origin = here if written else there
            move_plane(
                Plane(panel.rows, panel.columns, target=target, source=origin),
                item,
            )

    def run(
        self,
        loop: Int,
        start: Int,
        n: Int,
        scratch: Int,
        seen: Int,
        row: Int = 0,
    ) -> Bool:
        """Does all steps on some elements, by the fused loop at an address if there is one; False when
        a kernel refuses a step. `row` is that of panels.

        What the steps raise is found, if there is an address of findings in `seen`.
        """
        if seen != 0:
            return self._run_watched(loop, start, n, scratch, seen, row)
        self.pack_block(start, n, scratch)
        if not self._run_all(loop, start, n, scratch, row):
            return False
        self.unpack_block(start, n, scratch)
        return True

    @always_inline
    def _run_all(
        self, loop: Int, start: Int, n: Int, scratch: Int, row: Int
    ) -> Bool:
        if loop == 0:
            return self._run_steps(start, n, scratch, row)
        var address = loop
        var fused = Pointer(to=address).unsafe_bitcast[FusedLoop]()[]
        self._run_fused(fused, start, n, scratch, row)
        return True

    # -- what steps raise

    @no_inline
    def _run_watched(
        self, loop: Int, start: Int, n: Int, scratch: Int, seen: Int, row: Int
    ) -> Bool:
        """Does the steps of a block, and looks at them if they have raised anything."""
        self.pack_block(start, n, scratch)
        var kept = len(self.overwritten) > 0
        if kept:
            self._move_overwritten(start, n, scratch, row, back=False)
        if not self._run_all(loop, start, n, scratch, row):
            return False
        ref findings = FindingsPointer(unsafe_from_address=seen)[]
        if raised() & findings.watched != 0:
            if kept:
                self._move_overwritten(start, n, scratch, row, back=True)
            if not self._look(start, n, scratch, row, findings):
                return False
            lower_flags()
        self.unpack_block(start, n, scratch)
        return True

    def find_silent(mut self):
        """Finds out whether any step is silent."""
        var step = self.first_step()
        for _ in range(self.steps):
            if is_silent(
                Int(step[unsafe_offset=0]),
                Int(step[unsafe_offset=1]),
                Int(step[unsafe_offset=2]),
            ):
                self.minds = True
            step = step.unsafe_offset(STEP_LENGTH)

    def find_overwritten(mut self):
        """Finds the operands whose memory the group itself writes to: what it has read there is gone
        when somebody looks."""
        for k in range(self.operands):
            if self._role(k) == READ and self._is_written(self._slot(k)):
                self.is_in_place = True
                var mode = self.sources[k].mode
                if mode == DIRECT or mode == ROWS:
                    self.overwritten.append(k)

    @always_inline
    def _slot(self, k: Int) -> Int:
        return Int(self.group[unsafe_offset=self.operand(k)])

    @always_inline
    def _role(self, k: Int) -> Int:
        return Int(self.group[unsafe_offset=self.operand(k) + 3])

    def _is_written(self, slot: Int) -> Bool:
        for k in range(self.operands):
            if self._role(k) == WRITE and self._slot(k) == slot:
                return slot != CONSTANT
        return False

    def room_of_overwritten(self) -> Int:
        """Bytes that blocks of these operands need, behind those of a fused loop."""
        return len(self.overwritten) * self.block * WIDEST

    def _move_overwritten(
        self, start: Int, n: Int, scratch: Int, row: Int, *, back: Bool
    ):
        """Keeps what will be overwritten, or puts it where it was."""
        var room = (
            scratch + self.registers * self.register + self.room_of_fused()
        )
        for k in self.overwritten:
            var there = self.place(-1 - k, start, scratch, row)
            var count = n * self.sources[k].itemsize
            copy_bytes(there if back else room, room if back else there, count)
            room += self.block * WIDEST

    def _look(
        self,
        start: Int,
        n: Int,
        scratch: Int,
        row: Int,
        mut findings: Findings,
    ) -> Bool:
        """Does all steps once more, and looks at their results beside their operands; False when a
        kernel refuses a step."""
        findings.fruitless += 1
        var results = List[UInt8](length=n * WIDEST, fill=0)
        var made = Int(results.unsafe_ptr())
        var step = self.first_step()
        for _ in range(self.steps):
            var opcode = Int(step[unsafe_offset=0])
            var dtype = Int(step[unsafe_offset=1])
            var result = Int(step[unsafe_offset=2])
            var at = self._places(step, start, scratch, row)
            if opcode == COPY_STEP:
                copy_block(at[0], at[1], n, dtype)
            else:
                if not self._run_step(
                    opcode, dtype, result, made, at[1], at[2], at[3], n
                ):
                    return False
                var place = (Int(step) - Int(self.group)) // 8
                look(
                    opcode,
                    dtype,
                    result,
                    at[1],
                    at[2],
                    made,
                    n,
                    place,
                    findings,
                )
                copy_bytes(at[0], made, n * itemsize(result))
            step = step.unsafe_offset(STEP_LENGTH)
        _ = results^
        return True

    def pack_block(self, start: Int, n: Int, scratch: Int):
        """Packs what is read and does not lie in order."""
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode == PACKED and not source.writes:
                self.pack(k, start, n, scratch + source.scratch * self.register)

    def unpack_block(self, start: Int, n: Int, scratch: Int):
        """Writes results where they belong that do not lie in order there."""
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode == PACKED and source.writes:
                self.unpack(
                    k, start, n, scratch + source.scratch * self.register
                )

    def _run_fused(
        self, loop: FusedLoop, start: Int, n: Int, scratch: Int, row: Int
    ):
        """Does the same as `_run_steps`, by a fused loop.

        It is for whole vectors. What is left goes through memory behind the registers.
        """
        var places = words(scratch + self.registers * self.register)
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode == SPLAT:
                places[unsafe_offset=k] = Int64(source.address)
            else:
                var place = self.place(-1 - k, start, scratch, row)
                places[unsafe_offset=k] = Int64(place)
        var done = loop(Int(places), n)
        if done < n:
            self._run_rest(loop, places, done, n - done)

    def _run_rest(self, loop: FusedLoop, places: Words, first: Int, n: Int):
        """Runs a loop on the elements behind the last whole vector."""
        var inside = places.unsafe_offset(self.operands)
        var room = Int(inside.unsafe_offset(self.operands))
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode == SPLAT:
                inside[unsafe_offset=k] = places[unsafe_offset=k]
                continue
            inside[unsafe_offset=k] = Int64(room)
            var there = Int(places[unsafe_offset=k]) + first * source.itemsize
            # functions of users may not be for other numbers than those that there are
            var last = there + (n - 1) * source.itemsize
            fill_run(room, last, VECTOR, source.itemsize)
            copy_bytes(room, there, n * source.itemsize)
            room += VECTOR * source.itemsize
        _ = loop(Int(inside), -1)
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.writes:
                var there = (
                    Int(places[unsafe_offset=k]) + first * source.itemsize
                )
                var here = Int(inside[unsafe_offset=k])
                copy_bytes(there, here, n * source.itemsize)

    def room_of_fused(self) -> Int:
        """Bytes behind the registers that a fused loop needs."""
        return self.operands * (2 * 8 + VECTOR * WIDEST)

    def description(self) -> List[Int64]:
        """What a fused loop depends on: the steps, and of operands the size of an element, whether it
        is one for all, and whether it is written."""
        var words = List[Int64](
            capacity=2 + self.operands + self.steps * STEP_LENGTH
        )
        words.append(Int64(self.operands))
        words.append(Int64(self.steps))
        for k in range(self.operands):
            ref source = self.sources[k]
            var one = Int(source.mode == SPLAT)
            words.append(
                Int64(source.itemsize << 2 | one << 1 | Int(source.writes))
            )
        var step = self.first_step()
        for k in range(self.steps * STEP_LENGTH):
            words.append(step[unsafe_offset=k])
        return words^

    def _run_steps(self, start: Int, n: Int, scratch: Int, row: Int) -> Bool:
        var step = self.first_step()
        for _ in range(self.steps):
            var opcode = Int(step[unsafe_offset=0])
            var dtype = Int(step[unsafe_offset=1])
            var result = Int(step[unsafe_offset=2])
            var at = self._places(step, start, scratch, row)
            if opcode == COPY_STEP:
                copy_block(at[0], at[1], n, dtype)
            else:
                if self.minds and is_silent(opcode, dtype, result):
                    mind(opcode, dtype, result, at[1], at[2], n)
                if not self._run_step(
                    opcode, dtype, result, at[0], at[1], at[2], at[3], n
                ):
                    return False
            step = step.unsafe_offset(STEP_LENGTH)
        return True

    @always_inline
    def _run_step(
        self,
        opcode: Int,
        dtype: Int,
        result: Int,
        out_: Int,
        a: Int,
        b: Int,
        c: Int,
        n: Int,
    ) -> Bool:
        """Does a step that is no COPY_STEP on elements at addresses; False when a kernel refuses it."""
        if opcode == CONVERT:
            return convert(dtype, result, out_, a, n)
        if opcode >= FIRST_FUNCTION:
            return self.functions[opcode].run(dtype, out_, a, b, n)
        return run_elementwise(opcode, dtype, out_, a, b, c, n)

    @always_inline
    def _places(
        self, step: Words, start: Int, scratch: Int, row: Int
    ) -> Array[Int, 4]:
        """The addresses of a step's result and of its operands."""
        var at: Array[Int, 4] = [0, 0, 0, 0]
        comptime for k in range(4):
            var reference = Int(step[unsafe_offset=3 + k])
            at[k] = self.place(reference, start, scratch, row)
        return at^

    @always_inline
    def place(self, reference: Int, start: Int, scratch: Int, row: Int) -> Int:
        """Address of the current block of a register or operand; 0 for a missing input."""
        if reference >= 0:
            return scratch + reference * self.register
        var k = -1 - reference
        if k >= self.operands:
            return 0
        ref source = self.sources[k]
        if source.mode == DIRECT:
            return source.address + start * source.itemsize
        if source.mode == ROWS:
            return Row(self, k, start).address
        if source.mode == PANEL:
            return scratch + (source.scratch + row) * self.register
        return scratch + source.scratch * self.register

    def splat(self, scratch: Int):
        """Fills the scratch of operands with one element for all blocks."""
        var n = min(self.block, self.size)
        for k in range(self.operands):
            ref source = self.sources[k]
            if source.mode == SPLAT:
                fill_run(
                    scratch + source.scratch * self.register,
                    source.address,
                    n,
                    source.itemsize,
                )

    def pack(self, k: Int, start: Int, n: Int, target: Int):
        """Copies a block's elements of an operand one after another."""
        if self._pack_short_rows(k, start, n, target):
            return
        self._move_rows(k, start, n, target, written=False)

    def unpack(self, k: Int, start: Int, n: Int, scratch: Int):
        """Copies a block's results to their places."""
        self._move_rows(k, start, n, scratch, written=True)

    def _move_rows(
        self, k: Int, start: Int, n: Int, scratch: Int, *, written: Bool
    ):
        """Copies a block's elements to where they lie one after another, or to their places: many rows
        at once."""
        ref shape = self.shape
        var item = self.sources[k].itemsize
        var inner = self.sources[k].inner
        var last = shape.rank - 1
        var length = shape.extents[last]
        var outer = self.stride(k, last - 1) if last > 0 else 0
        var row = Row(self, k, start)
        var done = 0
        while done < n:
            var rows = 1
            var columns = min(n - done, row.left)
            if columns == length and last > 0:
                var before = row.index[last - 1]
                rows = (n - done) // length
                rows = min(rows, shape.extents[last - 1] - before)
                row.index[last - 1] = before + rows - 1
            var here = (scratch + done * item, columns * item, item)
            var there = (row.address, outer, inner)
            var target = there if written else here
            var origin = here if written else there
            move_plane(Plane(rows, columns, target=target, source=origin), item)
            done += rows * columns
            row.address += (rows - 1) * outer
            row.advance(self, k)

    def _pack_short_rows(self, k: Int, start: Int, n: Int, target: Int) -> Bool:
        """Packs an operand whose rows are short, many at once where they are repeated, repeat an
        element, or follow each other; False for others."""
        ref shape = self.shape
        ref source = self.sources[k]
        var last = shape.rank - 1
        if last == 0 or self.per_row > 0:
            return False
        var length = shape.extents[last]
        var inner = source.inner
        var outer = self.stride(k, last - 1)
        if outer != 0 and inner != 0 and outer != inner * length:
            return False
        var item = source.itemsize
        var rows = shape.extents[last - 1]
        var row = Row(self, k, start)
        var done = 0
        while done < n:
            var phase = row.index[last]
            var before = row.index[last - 1]
            var run = min(n - done, (rows - before) * length - phase)
            var to = target + done * item
            if outer == inner * length:
                move_run(to, item, row.address, inner, run, item)
            elif inner == 0:
                repeat_each(to, row.address, outer, length, phase, run, item)
            else:
                var begin = row.address - phase * inner
                repeat_row(to, begin, inner, length, phase, run, item)
            done += run
            row.address += (rows - 1 - before) * outer
            row.index[last - 1] = rows - 1
            row.advance(self, k)
        return True


struct Panel(TrivialRegisterPassable):
    """Some rows of blocks along the axis of panels."""

    var rows: Int
    var columns: Int
    var start: Int
    """The first element in the group's order."""
    var step: Int
    """Elements from a row to the next one."""

    def __init__(out self, ref blocks: Blocks, unit: Int):
        ref shape = blocks.shape
        var last = shape.rank - 1
        var high = shape.extents[blocks.axis]
        var wide = shape.extents[last]
        var down = ceildiv(high, SIDE)
        var across = blocks.per_row
        var column = unit % across * blocks.block
        var first = unit // across % down * SIDE
        # the axes between that of the rows and the innermost, and those outside of it
        var inside = 1
        for axis in range(blocks.axis + 1, last):
            inside *= shape.extents[axis]
        var outer = unit // (across * down)
        var line = outer // inside * high + first
        self.step = inside * wide
        self.start = line * self.step + outer % inside * wide + column
        self.rows = min(SIDE, high - first)
        self.columns = min(blocks.block, wide - column)


struct Row:
    """Where an operand's elements are from one on, row after row, without a division for each."""

    var address: Int
    var left: Int
    """Elements from there to the row's end."""
    var index: Array[Int, MAX_RANK]

    @always_inline
    def __init__(out self, ref blocks: Blocks, k: Int, start: Int):
        ref shape = blocks.shape
        self.address = blocks.sources[k].address
        self.index = Array[Int, MAX_RANK](uninitialized=True)
        var rest = start
        for d in reversed(range(shape.rank)):
            var quotient = rest // shape.extents[d]
            self.index[d] = rest - quotient * shape.extents[d]
            self.address += self.index[d] * blocks.stride(k, d)
            rest = quotient
        var last = shape.rank - 1
        self.left = shape.extents[last] - self.index[last]

    @always_inline
    def advance(mut self, ref blocks: Blocks, k: Int):
        """Goes to the start of the next row."""
        ref shape = blocks.shape
        var last = shape.rank - 1
        self.left = shape.extents[last]
        self.address -= self.index[last] * blocks.stride(k, last)
        self.index[last] = 0
        for d in reversed(range(last)):
            self.index[d] += 1
            self.address += blocks.stride(k, d)
            if self.index[d] < shape.extents[d]:
                return
            self.address -= self.index[d] * blocks.stride(k, d)
            self.index[d] = 0


@always_inline
def copy_block(target: Int, a: Int, n: Int, dtype: Int):
    if target != a:
        copy_bytes(target, a, n * itemsize(dtype))
