"""The floating-point state of a thread: IEEE arithmetic, in which subnormals survive, and the flags
that the processor raises."""
from std.sys import CompilationTarget
from std.sys._assembly import inlined_assembly

comptime _IEEE_MXCSR = UInt32(0x1F80)
"""All exceptions masked, round to nearest, subnormals kept; no flag is raised."""

# the flags
comptime INVALID = 1
comptime DIVIDE = 4
comptime OVERFLOW = 8
comptime UNDERFLOW = 16
comptime _FLAGS = UInt32(0x3F)
"""All of them: nearly every sum raises that it is not exact, of which nobody wants to know."""
comptime _TELLING = UInt32(INVALID | DIVIDE | OVERFLOW | UNDERFLOW)


@always_inline
def _state() -> UInt32:
    # The word goes through memory by volatile accesses: the instructions take an address, and the
    # optimizer must not think that the word is unused.
    var word = Array[UInt32, 1](fill=0)
    var address = Pointer(to=word[0])
    inlined_assembly["stmxcsr ($0)", NoneType, constraints="r,~{memory}"](
        address
    )
    return address.unsafe_load[volatile=True](0)


@always_inline
def _set_state(state: UInt32):
    var word = Array[UInt32, 1](fill=0)
    var address = Pointer(to=word[0])
    address.unsafe_store[volatile=True](0, state)
    inlined_assembly["ldmxcsr ($0)", NoneType, constraints="r,~{memory}"](
        address
    )


@always_inline
def enter_ieee() -> UInt32:
    """Turns flush-to-zero off on this thread; returns the state to restore."""
    var saved = UInt32(0)
    comptime if CompilationTarget.is_x86():
        saved = _state()
        if saved & ~_FLAGS != _IEEE_MXCSR:
            _set_state(_IEEE_MXCSR | saved & _FLAGS)
    return saved


@always_inline
def leave_ieee(saved: UInt32):
    """Restores what `enter_ieee` found, but for the flags that were raised since."""
    comptime if CompilationTarget.is_x86():
        if saved & ~_FLAGS != _IEEE_MXCSR:
            _set_state(saved & ~_FLAGS | _state() & _FLAGS)


@always_inline
def raised() -> Int:
    """The flags that this thread has raised since they were lowered."""
    comptime if CompilationTarget.is_x86():
        return Int(_state() & _TELLING)
    return 0


@always_inline
def lower_flags():
    """Lowers all flags of this thread, if any is up that `raised` tells of."""
    comptime if CompilationTarget.is_x86():
        var state = _state()
        if state & _TELLING != 0:
            _set_state(state & ~_FLAGS)


@always_inline
def raise_flags(flags: Int):
    """Raises flags of this thread."""
    comptime if CompilationTarget.is_x86():
        _set_state(_state() | UInt32(flags))
