"""Batches of matrices: walked, copied to column-major scratch memory and back."""
from structured.product.blas import set_threads, use_threads
from structured.linalg.lapack import (
    INT32,
    MOST_ELEMENTS,
    NOT_FINITE,
    Routine,
    aligned,
    is_lapack,
)
from structured.operands.memory import allocate, release
from structured.operands.nest import Cursor, Nest
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Call,
    store,
    valid,
)
from structured.linalg.scratch import finite
from structured.threads.threads import parallel_for, part, task_count
from structured.linalg.transfer import Transfer

comptime MOST_OPERANDS = 7
comptime _CALL_WORK = 1 << 10
"""Element operations that one call of a routine costs whatever the size of the matrix."""
comptime _LIBRARY_SIZE = 1 << 24
"""Size of one matrix, as of `Job.each`, from which on the library's own threads mostly pay."""


struct Batch(TrivialRegisterPassable):
    """The operands of a call as matrices over common leading axes."""

    var call: Call
    var axes: Int
    """Number of the leading axes."""
    var code: Int
    """The dtype of the matrices."""
    var m: Int
    """Rows of the first input, or its length."""
    var n: Int
    """Columns of the first input, 1 for a vector."""
    var first: Int
    """Which operand is the first input."""
    var fits: Bool
    """Whether the number of operands and the first input are as they must be."""

    def __init__(
        out self,
        call: Call,
        outputs: Int,
        inputs: Int,
        params: Int,
        *,
        core: Int = 2,
    ):
        self.call = call
        self.first = outputs
        self.axes = 0
        self.code = 0
        self.m = 0
        self.n = 1
        self.fits = (
            valid(call, outputs + inputs, params)
            and call.count == outputs + inputs
        )
        if not self.fits:
            return
        var a = call.operand(outputs)
        self.axes = a.rank - core
        self.code = a.dtype
        self.fits = self.axes >= 0
        if not self.fits:
            return
        self.m = a.size(self.axes)
        if core == 2:
            self.n = a.size(self.axes + 1)
        self.fits = self.m * self.n <= MOST_ELEMENTS

    def square(self) -> Bool:
        """Whether the first input holds square matrices that LAPACK calculates with."""
        return self.fits and self.m == self.n and is_lapack(self.code)

    def _over_axes(self, index: Int, code: Int, core: Int) -> Bool:
        """Whether an operand has a dtype, the leading axes and `core` more."""
        var operand = self.call.operand(index)
        if operand.dtype != code or operand.rank != self.axes + core:
            return False
        for axis in range(self.axes):
            if operand.size(axis) != self.call.operand(self.first).size(axis):
                return False
        return True

    def scalar(self, index: Int, code: Int) -> Bool:
        """Whether an operand holds one number for each matrix."""
        return self._over_axes(index, code, 0)

    def status(self, index: Int) -> Bool:
        """Whether an operand holds one int32 for each matrix."""
        return self.scalar(index, INT32)

    def vector(self, index: Int, code: Int, size: Int) -> Bool:
        """Whether an operand holds one vector of a size for each matrix."""
        return (
            self._over_axes(index, code, 1)
            and self.call.operand(index).size(self.axes) == size
        )

    def matrix(self, index: Int, code: Int, rows: Int, columns: Int) -> Bool:
        """Whether an operand holds matrices of given sizes."""
        return (
            self._over_axes(index, code, 2)
            and self.call.operand(index).size(self.axes) == rows
            and self.call.operand(index).size(self.axes + 1) == columns
            and rows * columns <= MOST_ELEMENTS
        )

    def nest(self) -> Nest[MOST_OPERANDS]:
        """The nest of the leading axes of all operands."""
        var bases = Array[Int, MOST_OPERANDS](fill=0)
        for index in range(self.call.count):
            bases[index] = self.call.operand(index).address
        var nest = Nest[MOST_OPERANDS](bases)
        for axis in range(self.axes):
            var strides = Array[Int, MOST_OPERANDS](fill=0)
            for index in range(self.call.count):
                strides[index] = self.call.operand(index).stride(axis)
            nest.push(self.call.operand(self.first).size(axis), strides)
        nest.coalesce()
        return nest^


struct Frame(Copyable):
    """The scratch memory of a thread, and where the matrices of its turn lie."""

    var base: Int
    var at: Array[Int, MOST_OPERANDS]
    """Address of the first element of each operand's matrix."""

    def __init__(out self, base: Int, at: Array[Int, MOST_OPERANDS]):
        self.base = base
        self.at = at.copy()


struct Job(Copyable):
    """A routine that runs on each matrix of a batch, with what goes in and comes out."""

    var batch: Batch
    var routine: Routine
    var loads: List[Transfer]
    var saves: List[Transfer]
    var status: Int
    """Which operand gets the statuses, -1 for none."""
    var alone: Int
    """Size of one matrix, as of `each`, below which the library gets no threads of its own."""
    var idle: Bool
    """Whether the matrices are empty, so that the routine is not called."""

    def __init__(
        out self, batch: Batch, stem: StaticString, *, status: Int = -1
    ):
        """A job whose routine has the same name for real and complex numbers."""
        self = Self(batch, stem, stem, status=status)

    def __init__(
        out self,
        batch: Batch,
        stem: StaticString,
        complex_stem: StaticString,
        *,
        status: Int = -1,
    ):
        self.batch = batch
        self.routine = Routine(stem, complex_stem, batch.code)
        self.loads = List[Transfer]()
        self.saves = List[Transfer]()
        self.status = status
        self.alone = _LIBRARY_SIZE
        self.idle = batch.m == 0 or batch.n == 0

    def _transfer(
        self, operand: Int, region: Int, leading: Int, out_: Bool
    ) -> Transfer:
        """The copy of an operand to or from a region."""
        return Transfer(
            self.batch.call.operand(operand),
            operand,
            region,
            self.batch.axes,
            leading,
            out_,
        )

    def load(mut self, operand: Int, region: Int, leading: Int = 1):
        """Has an input copied to a region before the routine runs."""
        self.loads.append(self._transfer(operand, region, leading, False))

    def save(mut self, operand: Int, region: Int, leading: Int = 1):
        """Has an output copied from a region after the routine has run."""
        self.saves.append(self._transfer(operand, region, leading, True))

    def prepare(mut self) -> Int:
        """Asks for workspaces when all arguments are given; a status of `operand.mojo`."""
        if self.routine.address == 0:
            return UNSUPPORTED
        if not self.idle and not self.routine.ask():
            return UNSUPPORTED
        return OK

    def fetch(self, frame: Frame):
        """Copies the inputs of one turn."""
        for transfer in self.loads:
            transfer.run(
                frame.base + transfer.region, frame.at[transfer.operand]
            )

    def run(self, frame: Frame) -> Int:
        """Calls the routine, unless matrices are empty; returns its status."""
        return 0 if self.idle else self.routine.run(frame.base)

    def run_if_finite(self, frame: Frame, place: Int, count: Int) -> Int:
        """Like `run`, for routines that nan or inf among elements at a place may trap."""
        if finite(frame.base + place, self.batch.code, count):
            return self.run(frame)
        return NOT_FINITE

    def finish(self, frame: Frame, status: Int):
        """Writes status and outputs of one turn; nan unless the status is 0."""
        if self.status >= 0:
            store(frame.at[self.status], Int32(status))
        for transfer in self.saves:
            if status != 0:
                transfer.blank(frame.base)
            transfer.run(
                frame.at[transfer.operand], frame.base + transfer.region
            )

    def each[F: def(Frame) -> None](self, turn: F, size: Int, cost: Int) -> Int:
        """Runs a function for each matrix, each time with what lies where; a status.

        Args:
            turn: What to do.
            size: Multiplications of a product of matrices of these sizes.
            cost: How many times that the routine takes.
        """
        var nest = self.batch.nest()
        var count = nest.count(nest.rank)
        if count == 0:
            return OK
        var threads = self.batch.call.threads
        var work = count * (size * cost + _CALL_WORK)
        var tasks = 1
        if size < self.alone or count >= threads:
            tasks = min(task_count(work, threads), count)
        var library = threads if tasks == 1 and size >= self.alone else 1
        var bytes = aligned(self.routine.size)
        var scratch = allocate(bytes * (tasks + 1))
        if scratch == 0:
            return NO_MEMORY

        def share(index: Int) {imm}:
            var start = part(count, index, tasks)
            var cursor = Cursor[MOST_OPERANDS](nest, nest.rank, start)
            var base = aligned(scratch) + index * bytes
            self.routine.enter(base)
            for _ in range(start, part(count, index + 1, tasks)):
                turn(Frame(base, cursor.at))
                cursor.advance(nest)

        var had = use_threads(library)
        parallel_for(share, tasks)
        set_threads(had)
        release(scratch)
        return OK

    def each_alone(self, size: Int, cost: Int) -> Int:
        """Runs the routine for each matrix without steps before or after it; a status."""

        def turn(frame: Frame) {imm}:
            self.fetch(frame)
            self.finish(frame, self.run(frame))

        return self.each(turn, size, cost)
