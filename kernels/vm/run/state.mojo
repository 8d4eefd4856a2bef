"""What the library knows between its calls."""

from vm.base.functions import Functions
from vm.base.interface import Interface
from vm.base.memory import Pool
from vm.base.objects import Objects
from vm.plan.planner import Plan
from vm.run.check import Checker
from vm.run.machine import Machine
from structured.operands.operand import OK


struct State(Movable):
    var plan: Plan
    var machine: Machine
    var pool: Pool
    var objects: Objects
    var checker: Checker
    var functions: Functions
    var calls: Int
    """The address of what public functions share, 0 before types are made."""
    var threshold: Int
    """Work from which Python's policy is asked who runs it."""
    var per_step: Int
    """The least work of a step, on average, for which it is asked."""
    var planned: Int
    """How many values of the log are planned and wait for Python to run them; 0 for a new plan."""
    var status: Int
    """What a small flush has failed with, of which Python does not know yet; else OK."""
    var turn: Int
    """Which flush it is, of those that run steps without a plan."""
    var window: List[Int]
    """Room for steps that have run without a plan since the processor's flags were looked at: of each a
    value, its inputs and its layouts."""
    var watching: Int
    """How many there are."""
    var alone: Bool
    """Whether there is only one step to be run."""
    var late: List[Int]
    """Values whose memory goes when they were looked at."""
    var graves: List[Int]
    """References to drop when nothing is under way: that may run any Python code."""

    def __init__(out self, threads: Int):
        self.functions = Functions()
        self.checker = Checker(self.functions)
        self.objects = Objects()
        self.plan = Plan(Interface())
        self.machine = Machine(threads, self.functions)
        self.pool = Pool()
        self.calls = 0
        self.threshold = 0
        self.per_step = 0
        self.planned = 0
        self.status = OK
        self.turn = 0
        self.window = List[Int](length=64, fill=0)
        self.watching = 0
        self.alone = False
        self.late = List[Int]()
        self.graves = List[Int]()


comptime StatePointer = Pointer[State, MutUntrackedOrigin]


@always_inline
def state_at(address: Int) -> StatePointer:
    return StatePointer(unsafe_from_address=address)
