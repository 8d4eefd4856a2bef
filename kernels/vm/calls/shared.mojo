"""What the functions that record calls have, and what they share."""

from std.ffi import external_call
from std.sys import size_of
from vm.base.objects import Objects
from vm.calls.signature import Signature
from vm.calls.transcript import Credit, Transcripts

# what a function has
comptime CALL = 2
"""Its C function, for Python's vectorcall."""
comptime FUNCTION = 3
comptime CALLS = 4
"""The address of what all functions share: no reference."""
comptime DICTIONARY = 5
comptime WEAK = 6
comptime UFUNCS = 7
"""Of `__array_ufunc__`: a dictionary of ufuncs, by NumPy's; else 0."""
comptime TRAITS = 8
"""What it is, a sum of some of these."""
comptime CREDIT = 9
"""Two words: a `Credit`."""
comptime END = 11

comptime UNIFORM = 1
"""It records the same steps for arrays of any extents."""
comptime FREE = 16
"""As an attribute of a class it is no method: it is of another type."""

comptime WARNING = 8
"""What it records warns as NumPy's function does."""
comptime ORDERED = 1 << 7
"""It records the same steps for arrays of any extents of which the same ones are larger than others."""
comptime ARRAY_LIKES = 5
"""From this bit on is how many of its first arguments it takes as arrays, 0 to 3."""
comptime NAMED = 8
"""From this bit on is the number of the name under which it warns, 0 for that of each operation."""
comptime NAME_BITS = 24
comptime ONE_ARGUMENT = 1 << 56
"""They are only if it has no other argument."""
comptime AT_ONCE = 50
"""From this bit on is, of six bits, what it makes at once, if anything (`at_once.mojo`)."""
comptime AT_ONCE_BITS = 6
comptime UNKEPT = 1 << 59
"""No transcript of it is kept, but for general ones."""
comptime UNKEPT_GENERAL = 1 << 60
"""No general transcript of it is kept."""
comptime NUMBERS = NAMED + NAME_BITS
"""From this bit on is, for each of its first arguments, whether all numbers in its place are treated alike."""


struct Calls(Movable):
    """What all functions share."""

    var objects: Pointer[Objects, MutUntrackedOrigin]
    var signature: Signature
    var transcripts: Transcripts
    var learner: Int
    """The Python function that makes a call and writes its transcript; 0 for none."""
    var keeper: Int
    """The Python function that looks for a transcript that is kept; 0 for none."""
    var checking: Bool
    """Whether all calls are learnt, and transcripts compared with what is learnt again."""
    var type: Int
    var free_type: Int
    """The type of functions that are no methods."""
    var others: Int
    """A tuple of the errors that say that arguments are not ours alone; 0 for none."""
    var maker: Int
    """The Python function that makes the call then."""
    var kinds: Int
    """A dictionary: by type, what it says of arguments (`handing_over.mojo`); 0 for none."""
    var names_of_dtypes: Int
    """A dictionary whose keys stand for dtypes that NumPy alone has."""
    var host: Int
    """The Python function that hands a call over to NumPy."""
    var left: Int
    """What it returns for a call that is not NumPy's."""
    var finishing: Int
    """A dictionary: by a Python function, how what it gives is finished (`of_class.mojo`)."""

    def __init__(out self, objects: Int, type: Int, free_type: Int):
        self.objects = Pointer[Objects, MutUntrackedOrigin](
            unsafe_from_address=objects
        )
        self.signature = Signature()
        self.transcripts = Transcripts()
        self.learner = 0
        self.keeper = 0
        self.checking = False
        self.type = type
        self.free_type = free_type
        self.others = 0
        self.maker = 0
        self.kinds = 0
        self.names_of_dtypes = 0
        self.host = 0
        self.left = 0
        self.finishing = 0


comptime CallsPointer = Pointer[Calls, MutUntrackedOrigin]


def new_calls(objects: Int, type: Int, free_type: Int) -> Int:
    """The address of what all functions share, which lives as long as the process."""
    var made = CallsPointer(
        unsafe_from_address=external_call["malloc", Int](size_of[Calls]())
    )
    made.unsafe_write(Calls(objects, type, free_type))
    return Int(made)


@always_inline
def credit_of(function: Int) -> Pointer[Credit, MutUntrackedOrigin]:
    return Pointer[Credit, MutUntrackedOrigin](
        unsafe_from_address=function + 8 * CREDIT
    )
