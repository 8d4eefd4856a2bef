"""Worker threads of our own: a team of them shares the tasks of one caller, who takes part.

A caller holds a team as long as its tasks run, and publishes them by one word, the ticket: the
number of the job, how many tasks it has, and which is next. Who replaces a ticket by that with the
next task has claimed the task. The replacement fails on a ticket that is no longer there, so what a
slow thread has read of an earlier job does no harm.

Threads that find no task look for one for a while, in which a program often has more, then sleep
until a bell rings. They live as long as the process.
"""
from std.atomic import Atomic
from std.ffi import _Global, external_call
from std.sys import CompilationTarget, size_of
from std.sys._assembly import inlined_assembly
from std.time import perf_counter_ns

from structured.threads.affinity import NOWHERE, Cores, current_core
from structured.threads.ieee import (
    enter_ieee,
    leave_ieee,
    lower_flags,
    raise_flags,
    raised,
)
from structured.operands.memory import allocate, release
from structured.threads.sleep import Bell

comptime Shared = Pointer[NoneType, ImmUnsafeAnyOrigin]
"""What the tasks of a job share."""
comptime Task = def(shared: Shared, index: Int) abi("C") thin -> None
comptime Share = def(task: Task, shared: Shared, count: Int, threads: Int) abi(
    "C"
) thin -> None
"""What runs all tasks of a job: `share_out`."""
comptime _MOST_TASKS = 0xFFFF
"""Tasks of a job, by the bits of a ticket."""
comptime _TEAMS = 4
"""Callers at a time that have help; any other works alone."""
comptime _PATIENCE = 500_000
"""Nanoseconds that a thread looks before it sleeps: to wake it takes up to 100,000."""
comptime _ANYBODY = -1
"""The number of a caller, who takes part in each job; those of workers count from 0."""
comptime _SET_NAME = 15
"""What `prctl` of Linux calls it: PR_SET_NAME."""
comptime _Main = def(worker: Int) abi("C") thin -> Int


@always_inline
def _pause():
    """Lets the other thread of this core work."""
    comptime if CompilationTarget.is_x86():
        inlined_assembly["pause", NoneType, constraints="~{memory}"]()


struct Ticket(TrivialRegisterPassable):
    """The number of a job, the count of its tasks and the next of them: 32, 16 and 16 bits."""

    var word: UInt64

    @always_inline
    def __init__(out self, word: UInt64):
        self.word = word

    @always_inline
    def count(self) -> Int:
        return Int((self.word >> 16) & _MOST_TASKS)

    @always_inline
    def next(self) -> Int:
        return Int(self.word & _MOST_TASKS)

    @always_inline
    def claimed(self) -> UInt64:
        """The word when the next task is claimed."""
        return self.word + 1

    @always_inline
    def successor(self, count: Int) -> UInt64:
        """The word of the next job, of `count` tasks."""
        return (((self.word >> 32) + 1) << 32) | UInt64(count << 16)


struct _State:
    """What a team and its caller share, at an address that they keep."""

    var busy: Atomic[Int64]
    var ticket: Atomic[UInt64]
    var done: Atomic[Int64]
    """Tasks of the job that have run."""
    var task: Task
    var shared: Int
    """The address of what the tasks share."""
    var helpers: Int
    """How many workers may take part in the job."""
    var hired: Int
    """How many workers there are."""
    var newest: Int
    """The address of the worker hired last, 0 if there is none."""
    var avoided: Int
    """The core that workers leave to the caller."""
    var flags: Atomic[Int64]
    """Flags that workers have raised for the job."""
    var posted: Bell
    var finished: Bell


struct Team(TrivialRegisterPassable):
    """Worker threads, or none. It is a pointer: what others change must be read each time."""

    var state: Pointer[_State, MutUntrackedOrigin]

    def __init__(out self, address: Int):
        self.state = {unsafe_from_address = address}

    @staticmethod
    def form() -> Int:
        """The address of a team without workers, 0 if there is no memory."""
        var address = external_call["calloc", Int](size_of[_State](), Int(1))
        if address != 0:
            var team = Team(address)
            team.state[].avoided = NOWHERE
            team.state[].posted = Bell()
            team.state[].finished = Bell()
        return address

    def hold(self) -> Bool:
        """Takes the team, unless somebody has it."""
        var free = Int64(0)
        return self.state[].busy.compare_exchange(free, 1)

    def run(self, task: Task, shared: Shared, count: Int, helpers: Int):
        """Runs the tasks of a job on this thread and some workers; gives the team back."""
        self._hire(helpers)
        self._leave_core(current_core())
        self.state[].task = task
        self.state[].shared = Int(shared)
        self.state[].helpers = helpers
        self.state[].done.store(0)
        var last = Ticket(self.state[].ticket.load())
        self.state[].ticket.store(last.successor(count))
        self.state[].posted.ring()
        while self._take(_ANYBODY):
            pass
        self._wait(count)
        var flags = Int(self.state[].flags.load())
        if flags != 0:
            self.state[].flags.store(0)
            raise_flags(flags)
        self.state[].busy.store(0)

    def _hire(self, helpers: Int):
        """Starts threads until there are so many, or the system gives no more."""
        while self.state[].hired < helpers:
            var address = allocate(size_of[_Worker]())
            if address == 0:
                return
            var worker = _WorkerPointer(unsafe_from_address=address)
            worker.unsafe_write(
                _Worker(self, self.state[].hired, 0, self.state[].newest)
            )
            var thread = 0
            var main: _Main = _serve
            if external_call["pthread_create", Int32](
                Pointer(to=thread), Int(0), main, address
            ):
                release(address)
                return
            worker[].thread = thread
            self.state[].newest = address
            self.state[].hired += 1
            self.state[].avoided = NOWHERE

    def _leave_core(self, core: Int):
        """Has the workers run on the other cores that this thread may run on, if there are any."""
        if core == self.state[].avoided:
            return
        self.state[].avoided = core
        var others = Cores()
        others.remove(core)
        if others.is_empty():
            return
        var next = self.state[].newest
        while next != 0:
            var worker = _WorkerPointer(unsafe_from_address=next)
            others.confine(worker[].thread)
            next = worker[].older

    def _offers(self, number: Int) -> Bool:
        """Whether there is a task for a worker."""
        var ticket = Ticket(self.state[].ticket.load())
        return ticket.next() < ticket.count() and number < self.state[].helpers

    def _take(self, number: Int) -> Bool:
        """Runs a task, if nobody else claims it first; returns whether there was one."""
        var word = self.state[].ticket.load()
        var ticket = Ticket(word)
        if ticket.next() >= ticket.count() or number >= self.state[].helpers:
            return False
        var task = self.state[].task
        var shared = self.state[].shared
        if self.state[].ticket.compare_exchange(word, ticket.claimed()):
            task(Shared(unsafe_from_address=shared), ticket.next())
            if number != _ANYBODY:
                self._hand_over(raised())
            if Int(self.state[].done.fetch_add(1)) + 1 == ticket.count():
                self.state[].finished.ring()
        return True

    @always_inline
    def _hand_over(self, flags: Int):
        """Lets the caller raise the flags that a task of a worker has raised."""
        if flags == 0:
            return
        lower_flags()
        var known = self.state[].flags.load()
        while not self.state[].flags.compare_exchange(
            known, known | Int64(flags)
        ):
            pass

    def _all_done(self, count: Int) -> Bool:
        return Int(self.state[].done.load()) == count

    def _wait(self, count: Int):
        """Waits until all tasks have run."""
        var since = perf_counter_ns()
        while perf_counter_ns() - since < _PATIENCE:
            if self._all_done(count):
                return
            _pause()
        self.state[].finished.enter()
        while not self._all_done(count):
            self.state[].finished.sleep()
        self.state[].finished.leave()

    def serve(self, number: Int):
        """What a worker does all its life."""
        var since = perf_counter_ns()
        while True:
            if self._take(number):
                since = perf_counter_ns()
            elif perf_counter_ns() - since < _PATIENCE:
                _pause()
            else:
                self.state[].posted.enter()
                while not self._offers(number):
                    self.state[].posted.sleep()
                self.state[].posted.leave()


@fieldwise_init
struct _Worker(TrivialRegisterPassable):
    """What a thread is told, and the team knows of it."""

    var team: Team
    var number: Int
    var thread: Int
    """What the system calls it."""
    var older: Int
    """The address of the worker hired before it, 0 for the first."""


comptime _WorkerPointer = Pointer[_Worker, MutUntrackedOrigin]


def _name_thread():
    """Calls this thread `jujunp`, for who looks at the threads of the process."""
    comptime if CompilationTarget.is_linux():
        var name = StaticString("jujunp")
        _ = external_call["prctl", Int32](
            Int32(_SET_NAME), Int(name.unsafe_ptr()), Int(0), Int(0), Int(0)
        )


def _serve(worker: Int) abi("C") -> Int:
    """The main function of a thread."""
    var me = _WorkerPointer(unsafe_from_address=worker)[]
    _name_thread()
    _ = enter_ieee()
    me.team.serve(me.number)
    return 0


def _form_teams() -> List[Int]:
    var teams = List[Int]()
    for _ in range(_TEAMS):
        teams.append(Team.form())
    return teams^


comptime _FORMED = _Global["jujunp_teams", _form_teams]
"""The addresses of the teams."""


def _free_team() -> Optional[Team]:
    """A team that its caller holds until `Team.run` ends, if one is free."""
    try:
        for address in _FORMED.get_or_create_ptr()[]:
            if address != 0 and Team(address).hold():
                return Team(address)
    except:
        pass
    return None


@no_inline
def share_out(task: Task, shared: Shared, count: Int, threads: Int) abi("C"):
    """Runs the tasks 0 to `count - 1` of a job on this thread and up to `threads - 1` others."""
    var helpers = min(count, threads) - 1
    var saved = enter_ieee()
    var team = _free_team() if helpers > 0 and count <= _MOST_TASKS else None
    if team:
        team.value().run(task, shared, count, helpers)
    else:
        for index in range(count):
            task(shared, index)
    leave_ieee(saved)


def forget_workers() raises:
    """In a forked process, which has none of the threads: forms teams anew."""
    _FORMED.get_or_create_ptr()[] = _form_teams()
