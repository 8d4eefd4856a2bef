"""Functions of users: groups call their loops, which lie in libraries of their own.

A function is known by its opcode. The table of all functions is shared by whatever checks or runs
bytecode; it is written to while none runs.
"""

from elementwise.numbers.dtypes import DTYPE_COUNT
from std.ffi import external_call
from std.sys import size_of
from vm.base.bytecode import FIRST_FUNCTION, FUNCTIONS

comptime Loop = def(dtype: Int, n: Int, dst: Int, a: Int, b: Int) thin abi(
    "C"
) -> Int
"""Writes `n` results for operands of a dtype code; answers 0, or 1 for a dtype that it is not for.

`dst` may be the address of an operand of the result's dtype; `b` is ignored for one operand."""


struct Function(TrivialRegisterPassable):
    """What is known of one function."""

    var loop: Int
    """The address of its loop; 0 if there is no such function."""
    var arity: Int
    var dtypes: Int
    """The dtypes of operands, a bit mask over their codes."""
    var predicate: Bool
    """True if the result is bool, whatever the operands are."""

    def __init__(out self, loop: Int, arity: Int, dtypes: Int, predicate: Bool):
        self.loop = loop
        self.arity = arity
        self.dtypes = dtypes
        self.predicate = predicate

    @always_inline
    def result(self, dtype: Int) -> Int:
        """The dtype code of the result for operands of a dtype code; -1 if refused."""
        if self.loop == 0 or not 0 <= dtype < DTYPE_COUNT:
            return -1
        if (self.dtypes >> dtype) & 1 == 0:
            return -1
        return 0 if self.predicate else dtype

    @always_inline
    def run(self, dtype: Int, dst: Int, a: Int, b: Int, n: Int) -> Bool:
        """Calls the loop; False when it is not for the dtype."""
        var address = self.loop
        var loop = Pointer(to=address).unsafe_bitcast[Loop]()[]
        return loop(dtype, n, dst, a, b) == 0


struct Functions(TrivialRegisterPassable):
    """The table of functions, which lives as long as the process."""

    var table: Pointer[Function, MutUntrackedOrigin]

    def __init__(out self):
        self = Self(
            external_call["calloc", Int](FUNCTIONS, size_of[Function]())
        )

    def __init__(out self, address: Int):
        """The table at an address; 0 where no group has functions of users."""
        self.table = Pointer[Function, MutUntrackedOrigin](
            unsafe_from_address=address
        )

    @always_inline
    def __getitem__(self, opcode: Int) -> Function:
        """The function of an opcode from FIRST_FUNCTION on."""
        if opcode >= FIRST_FUNCTION + FUNCTIONS:
            return Function(0, 0, 0, False)
        return self.table[unsafe_offset=opcode - FIRST_FUNCTION]

    def add(self, opcode: Int, function: Function):
        """Makes a function known under an opcode of this range."""
        self.table[unsafe_offset=opcode - FIRST_FUNCTION] = function
