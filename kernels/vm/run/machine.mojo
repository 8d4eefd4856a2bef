"""The machine: runs bytecode on a table of slots."""

from vm.run.findings import Findings
from vm.run.group import run_group
from vm.run.look import flags_of_kernel
from vm.run.fused import HotGroups, HotGroupsPointer
from vm.base.functions import Functions
from vm.base.memory import Pool
from vm.base.parts import run_structured
from vm.base.bytecode import (
    ALLOCATE,
    CONSTANT,
    COPY,
    FREE,
    GROUP,
    KERNEL,
    KERNEL_HEADER,
)
from vm.base.raw import Words, copy_bytes
from structured.operands.operand import (
    NO_MEMORY,
    OK,
    UNSUPPORTED,
    Operand,
    Words as OperandWords,
)
from structured.threads.ieee import lower_flags, raised
from structured.threads.threads import parallel_for, part, task_count

comptime LARGE_STEPS = 1 << 16
"""Work of a step, on average, from which a run takes all cores: a compiler gets less than its share of a
core that it has to leave every millisecond, and so takes long."""
comptime MALFORMED = 5
"""The bytecode would touch memory that is not its own: nothing of it has run."""


struct Machine(Movable):
    """Slots, scratch memory and the outcome of the last run."""

    var slots: List[Int]
    """Address of each slot; 0 while it has no memory."""
    var sizes: List[Int]
    """Bytes allocated for each slot by the bytecode, 0 for a leaf's."""
    var scratch: List[Int]
    var operands: List[Operand]
    var fault: List[Int64]
    """Axis, index and size of an index out of bounds."""
    var threads: Int
    var lent: Int
    """Cores that are left to compilers in the background, but for large steps."""
    var lent_always: Int
    """Cores that are left to them by large steps, too."""
    var team: Int
    """Threads of the run."""
    var functions: Functions
    var hot: HotGroups
    """What groups have cost, and the loops of those that have proved hot."""
    var findings: Findings
    """What the steps of the last run have raised, if that was watched."""
    var stopped: Int
    """Where in the bytecode the last run failed."""

    def __init__(out self, threads: Int, functions: Functions):
        self.slots = List[Int]()
        self.sizes = List[Int]()
        self.scratch = List[Int]()
        self.operands = List[Operand]()
        self.fault = List[Int64](length=3, fill=0)
        self.threads = threads
        self.lent = 0
        self.lent_always = 0
        self.team = threads
        self.functions = functions
        self.hot = HotGroups()
        self.findings = Findings(0)
        self.stopped = 0

    def run(mut self, mut bytecode: List[Int64], work: Int, pool: Pool) -> Int:
        """Runs bytecode of so much work a step on average; returns a status, `stopped` says where it
        failed."""
        var lent = self.lent_always
        if work < LARGE_STEPS:
            lent = max(lent, self.lent)
        self.team = max(self.threads - lent, 1)
        var base = Words(unsafe_from_address=Int(bytecode.unsafe_ptr()))
        var at = 0
        var end = len(bytecode)
        while at < end:
            var instruction = base.unsafe_offset(at)
            var status = self._run_one(instruction, at, pool)
            if status != OK:
                self.stopped = at
                return status
            at += Int(instruction[unsafe_offset=1])
        return OK

    @always_inline
    def _run_one(mut self, instruction: Words, at: Int, pool: Pool) -> Int:
        var kind = Int(instruction[unsafe_offset=0])
        if kind == GROUP:
            return self._group(instruction, at)
        if kind == ALLOCATE:
            return self._allocate(
                Int(instruction[unsafe_offset=2]),
                Int(instruction[unsafe_offset=3]),
                pool,
            )
        if kind == FREE:
            self.free(Int(instruction[unsafe_offset=2]), pool)
            return OK
        if kind == KERNEL:
            return self._watched_kernel(instruction, at)
        if kind == COPY:
            self._copy(
                self.slots[Int(instruction[unsafe_offset=2])],
                self.slots[Int(instruction[unsafe_offset=3])],
                Int(instruction[unsafe_offset=4]),
            )
            return OK
        return UNSUPPORTED

    def _group(mut self, instruction: Words, at: Int) -> Int:
        var findings = Findings(self.findings.watched)
        var done = run_group(
            instruction,
            self.slots,
            self.scratch,
            self.team,
            self.functions,
            HotGroupsPointer(unsafe_from_address=Int(Pointer(to=self.hot))),
            findings,
        )
        if len(findings.found) > 0:
            self.findings.join(findings, at)
        return OK if done else UNSUPPORTED

    @always_inline
    def _watched_kernel(mut self, instruction: Words, at: Int) -> Int:
        """Runs a kernel, and notes the flags that it raises."""
        if self.findings.watched == 0:
            return self._kernel(instruction)
        lower_flags()
        var status = self._kernel(instruction)
        var flags = raised() & self.findings.watched
        if flags != 0 and status == OK:
            flags &= flags_of_kernel(self.operands)
            if flags != 0:
                self.findings.add_flags(at, flags)
        return status

    def _allocate(mut self, slot: Int, nbytes: Int, pool: Pool) -> Int:
        var address = pool.allocate(nbytes)
        if address == 0:
            return NO_MEMORY
        self.slots[slot] = address
        self.sizes[slot] = max(nbytes, 1)
        return OK

    def free(mut self, slot: Int, pool: Pool):
        """Gives a slot's memory back, if the bytecode allocated it."""
        if self.slots[slot] != 0 and self.sizes[slot] != 0:
            pool.release(self.slots[slot], self.sizes[slot])
        self.slots[slot] = 0

    def _copy(self, target: Int, source: Int, nbytes: Int):
        var tasks = task_count(nbytes // 8, self.team)

        def share(task: Int) {imm}:
            var start = part(nbytes, task, tasks)
            var count = part(nbytes, task + 1, tasks) - start
            copy_bytes(target + start, source + start, count)

        parallel_for(share, tasks)

    def _kernel(mut self, instruction: Words) -> Int:
        var count = Int(instruction[unsafe_offset=4])
        self.operands.clear()
        var at = KERNEL_HEADER
        for _ in range(count):
            var slot = Int(instruction[unsafe_offset=at])
            var address = Int(instruction.unsafe_offset(at + 1))
            if slot != CONSTANT:
                address = self.slots[slot] + Int(
                    instruction[unsafe_offset=at + 1]
                )
            var rank = Int(instruction[unsafe_offset=at + 3])
            var shape = OperandWords(
                unsafe_from_address=Int(instruction.unsafe_offset(at + 4))
            )
            self.operands.append(
                Operand(
                    address,
                    Int(instruction[unsafe_offset=at + 2]),
                    rank,
                    shape,
                    shape.unsafe_offset(rank),
                )
            )
            at += 4 + 2 * rank
        return run_structured(
            Int(instruction[unsafe_offset=2]),
            Pointer[Operand, MutUntrackedOrigin](
                unsafe_from_address=Int(self.operands.unsafe_ptr())
            ),
            count,
            OperandWords(
                unsafe_from_address=Int(instruction.unsafe_offset(at))
            ),
            Int(instruction[unsafe_offset=5]),
            self.team,
            OperandWords(unsafe_from_address=Int(self.fault.unsafe_ptr())),
        )
