"""The floating-point control state of a thread: IEEE arithmetic, in which subnormals survive."""
from std.sys import CompilationTarget
from std.sys._assembly import inlined_assembly

comptime _IEEE_MXCSR = UInt32(0x1F80)
"""All exceptions masked, round to nearest, subnormals kept."""


@always_inline
def enter_ieee() -> UInt32:
    """Turns flush-to-zero off on this thread; returns the state to restore."""
    var saved = UInt32(0)
    comptime if CompilationTarget.is_x86():
        # Both words go through memory by volatile accesses: the instructions take an address,
        # and the optimizer must not think that the words are unused.
        var word = Array[UInt32, 1](fill=0)
        var address = Pointer(to=word[0])
        inlined_assembly["stmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )
        saved = address.unsafe_load[volatile=True](0)
        address.unsafe_store[volatile=True](0, _IEEE_MXCSR)
        inlined_assembly["ldmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )
    return saved


@always_inline
def leave_ieee(saved: UInt32):
    """Restores what `enter_ieee` found."""
    comptime if CompilationTarget.is_x86():
        var word = Array[UInt32, 1](fill=0)
        var address = Pointer(to=word[0])
        address.unsafe_store[volatile=True](0, saved)
        inlined_assembly["ldmxcsr ($0)", NoneType, constraints="r,~{memory}"](
            address
        )
