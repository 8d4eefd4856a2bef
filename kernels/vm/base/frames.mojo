"""The user's line: the code that runs, and its instruction, read off the interpreter's frames.

A frame object would take longer to make than a step to record. Where the fields lie, Python finds out
and tries (lazy/run/frames.py); where it has not, nothing is known here.
"""

from std.ffi import external_call
from std.python import PythonObject
from vm.base.raw import TYPE, address_of, drop, kept, load, store

comptime _KNOWN = 64
"""Names of files that are remembered."""
comptime _DEEPEST = 64
"""Frames that are looked through."""


struct Frames(Movable):
    """Where the interpreter has its frames, in bytes from the object before."""

    var thread: Int
    """In a thread's state: the frame, or what has its address; 0 if nothing is known."""
    var inside: Int
    """In what that is, -1 if it is the frame."""
    var code: Int
    var previous: Int
    var instruction: Int
    var file: Int
    """In a code: the name of its file."""
    var code_type: Int
    """The type of codes: where C code calls a function, Python 3.13 has a frame of something else."""
    var roots: List[Int]
    """C strings: how the files of this package, and of the interpreter, begin."""
    var known: Int
    """The address of pairs: the name of a file, which is kept, so that its address is that of no other name;
    whether it is ours."""

    def __init__(out self):
        self.thread = 0
        self.inside = -1
        self.code = 0
        self.previous = 0
        self.instruction = 0
        self.file = 0
        self.code_type = 0
        self.roots = List[Int]()
        self.known = external_call["calloc", Int](Int(2 * _KNOWN), Int(8))

    def know(
        mut self, places: PythonObject, code_type: Int, roots: PythonObject
    ) raises:
        """Takes over what Python has found."""
        for root in roots:
            self.roots.append(
                external_call["PyBytes_AsString", Int](kept(address_of(root)))
            )
        self.inside = Int(py=places[1])
        self.code = Int(py=places[2])
        self.previous = Int(py=places[3])
        self.instruction = Int(py=places[4])
        self.file = Int(py=places[5])
        self.code_type = code_type
        self.thread = Int(py=places[0])

    @always_inline
    def find(self, mut at: Int) -> Int:
        """The code of the nearest frame outside of this package, borrowed, and how far into it the
        instruction is; 0 if there is none."""
        at = 0
        if self.thread == 0:
            return 0
        var state = external_call["PyThreadState_Get", Int]()
        var frame = load(state + self.thread, 0)
        if self.inside >= 0:
            frame = load(frame + self.inside, 0)
        for _ in range(_DEEPEST):
            if frame == 0:
                return 0
            var code = load(frame + self.code, 0)
            if load(code, TYPE) == self.code_type and not self._is_ours(
                load(code + self.file, 0)
            ):
                at = load(frame + self.instruction, 0) - code
                return code
            frame = load(frame + self.previous, 0)
        return 0

    @always_inline
    def _is_ours(self, file: Int) -> Bool:
        var entry = self.known + 16 * ((file >> 4) & (_KNOWN - 1))
        if load(entry, 0) == file:
            return load(entry, 1) != 0
        return self._looked_up(entry, file)

    @no_inline
    def _looked_up(self, entry: Int, file: Int) -> Bool:
        var name = external_call["PyUnicode_AsUTF8", Int](file)
        if name == 0:
            external_call["PyErr_Clear", NoneType]()
            return False
        var ours = False
        for root in self.roots:
            var length = external_call["strlen", Int](root)
            if external_call["strncmp", Int32](name, root, length) == 0:
                ours = True
        var old = load(entry, 0)
        store(entry, 0, kept(file))
        store(entry, 1, Int(ours))
        if old != 0:
            drop(old)
        return ours
