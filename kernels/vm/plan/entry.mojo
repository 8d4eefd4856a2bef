"""What the planner knows of one value."""

comptime LEAF = -1
comptime NEVER = 1 << 60
comptime COMPUTED = 1 << 61
"""Instruction of a node that an interrupted flush has computed."""


struct Entry(Copyable, Movable):
    """A pending node, or a leaf: a value that has its buffer."""

    var object: Int
    var opcode: Int
    var dtype: Int
    """Of the operands (comparisons and conversions differ from the result)."""
    var result: Int
    var first_arg: Int
    var args: Int
    var layouts: Int
    """Address of the tuple of layouts, 0 when every operand is whole."""
    var holders: Int
    """References held by pending nodes."""
    var external: Bool
    var needed: Bool
    var uses: Int
    """Uses by needed nodes that the bytecode has not reached yet."""
    var slot: Int
    var step: Int
    """Its step in an open group, -1 outside of them."""
    var is_before: Bool
    """Whether that group goes before the other one."""
    var instruction: Int
    """Where the bytecode computes it; NEVER when not yet placed."""
    var freed: Int
    """Where the bytecode gives its memory up; NEVER when it does not."""
    var took: Int
    """The value whose memory it overwrites, or -1."""
    var taken: Bool
    var size: Int
    var nbytes: Int

    def __init__(out self, object: Int):
        self.object = object
        self.opcode = LEAF
        self.dtype = 0
        self.result = 0
        self.first_arg = 0
        self.args = 0
        self.layouts = 0
        self.holders = 0
        self.external = False
        self.needed = False
        self.uses = 0
        self.slot = -1
        self.step = -1
        self.is_before = False
        self.instruction = NEVER
        self.freed = NEVER
        self.took = -1
        self.taken = False
        self.size = 0
        self.nbytes = 0

    @always_inline
    def is_dead(self) -> Bool:
        """Whether nothing reads the value any more, in the plan or outside."""
        return self.uses == 0 and not self.external

    @always_inline
    def is_wanted(self) -> Bool:
        """Whether what a step computes is needed behind its group, or has its memory: another group reads it there."""
        return not self.is_dead() or self.slot >= 0

    @always_inline
    def survives(self, stopped: Int) -> Bool:
        """Whether the value has memory of its own after a run that stopped at a word."""
        return (
            self.needed
            and self.slot >= 0
            and self.instruction < stopped
            and self.freed >= stopped
        )
