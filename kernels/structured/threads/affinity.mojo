"""Where threads run: not on the core of the thread that they work for.

Linux often wakes a thread on the core of the thread that wakes it, even if another core is idle,
and leaves both there for tens of milliseconds.
"""
from std.ffi import external_call
from std.sys import CompilationTarget

comptime NOWHERE = -1
"""No core in particular."""
comptime _BYTES = 128
"""Of a set of cores; calls fail where a system has more than 1024."""


def current_core() -> Int:
    """The core that this thread runs on, NOWHERE if the system does not tell."""
    comptime if CompilationTarget.is_linux():
        return Int(external_call["sched_getcpu", Int32]())
    return NOWHERE


struct Cores:
    """A set of cores."""

    var words: Array[UInt64, _BYTES // 8]

    def __init__(out self):
        """The cores that this thread may run on."""
        self.words = Array[UInt64, _BYTES // 8](fill=0)
        comptime if CompilationTarget.is_linux():
            _ = external_call["sched_getaffinity", Int32](
                Int32(0), Int(_BYTES), Pointer(to=self.words[0])
            )

    def remove(mut self, core: Int):
        self.words[core // 64] &= ~(UInt64(1) << UInt64(core % 64))

    def is_empty(self) -> Bool:
        var some = UInt64(0)
        for word in range(_BYTES // 8):
            some |= self.words[word]
        return some == 0

    def confine(self, thread: Int):
        """Has a thread of the process run on these cores only."""
        comptime if CompilationTarget.is_linux():
            _ = external_call["pthread_setaffinity_np", Int32](
                thread, Int(_BYTES), Pointer(to=self.words[0])
            )
