"""Calls of LAPACK in the library scipy-openblas32, put together at run time."""
from elementwise.numbers.dtypes import COMPLEX64, COMPLEX128, dtype_code
from std.memory import stack_allocation

from structured.product.blas import address_in_library, function
from structured.operands.memory import allocate, release
from structured.operands.operand import item_size, load, store

comptime FLOAT32 = dtype_code(DType.float32)
comptime FLOAT64 = dtype_code(DType.float64)
comptime INT32 = dtype_code(DType.int32)
comptime MOST_ELEMENTS = Int(Int32.MAX)
"""What the library, which counts in 32 bits, can number."""
comptime NOT_FINITE = -4
"""The status of a matrix with nan or inf that a routine would not return from."""

comptime _MOST = 20
"""Arguments of a routine, the hidden lengths of its strings included."""
comptime _SLOT = 8
"""Bytes of a scalar in a frame."""
comptime _STATUS = _MOST * _SLOT
"""The place of a routine's `info`: behind the scalars."""
comptime _ADDRESSES = _STATUS + _SLOT
"""The place of the addresses that the routine gets."""
comptime _HEAD = _ADDRESSES + _MOST * _SLOT
"""Bytes of a frame that all this takes."""
comptime _LINE = 64
"""Bytes that places in a frame are aligned to, as cache lines and vectors are."""
comptime _Fortran = def(
    a: Int,
    b: Int,
    c: Int,
    d: Int,
    e: Int,
    f: Int,
    g: Int,
    h: Int,
    i: Int,
    j: Int,
    k: Int,
    l: Int,
    m: Int,
    n: Int,
    o: Int,
    p: Int,
    q: Int,
    r: Int,
    s: Int,
    t: Int,
) thin abi("C") -> None
"""Any routine: it gets addresses, then the lengths of its strings, and reads what it needs."""


def is_complex(code: Int) -> Bool:
    """Whether a dtype code is that of complex numbers."""
    return code == COMPLEX64 or code == COMPLEX128


def is_lapack(code: Int) -> Bool:
    """Whether LAPACK calculates with a dtype."""
    return code >= FLOAT32 and code <= COMPLEX128


def real_of(code: Int) -> Int:
    """The dtype code of the parts of complex numbers; a real code as it is."""
    return code - 2 if is_complex(code) else code


def complex_of(code: Int) -> Int:
    """The dtype code of complex numbers with parts of a real code; a complex one as it is."""
    return code if is_complex(code) else code + 2


def aligned(size: Int) -> Int:
    """The next multiple of a cache line."""
    return (size + _LINE - 1) // _LINE * _LINE


def _routine(stem: StaticString, code: Int) -> Int:
    """The address of `scipy_<s, d, c or z><stem>_`, 0 if the library is not loaded."""
    comptime letters: StaticString = "sdcz"
    comptime prefix: StaticString = "scipy_"
    var name = stack_allocation[_LINE, DType.uint8]()
    var at = Int(name)
    for byte in prefix.as_bytes():
        store(at, byte)
        at += 1
    store(at, letters.as_bytes()[code - FLOAT32])
    at += 1
    for byte in stem.as_bytes():
        store(at, byte)
        at += 1
    store(at, UInt8(ord("_")))
    store(at + 1, UInt8(0))
    return address_in_library(name)


@always_inline
def _argument(frame: Int, index: Int) -> Int:
    """What a routine gets as one argument."""
    return Int(load[DType.int64](frame + _ADDRESSES + index * _SLOT))


struct Workspace(TrivialRegisterPassable):
    """A piece of scratch memory whose size the routine itself tells."""

    var argument: Int
    """Which argument it is; the next one is its length."""
    var code: Int
    """Of its elements."""

    def __init__(out self, argument: Int, code: Int):
        self.argument = argument
        self.code = code

    def length(self, place: Int) -> Int:
        """What the routine has written at the start of the piece: elements it wants."""
        var real = real_of(self.code)
        if real == FLOAT64:
            return Int(load[DType.float64](place))
        if real == FLOAT32:
            return Int(load[DType.float32](place))
        return Int(load[DType.int32](place))


struct Routine(Copyable):
    """A routine and its arguments, as places in a frame: scratch memory, one for each thread.

    Fortran takes every argument by its address, so scalars lie in the frame too. Arguments are
    given in the routine's order.
    """

    var address: Int
    var code: Int
    """The dtype that the routine calculates with."""
    var item: Int
    """Bytes of one element of it."""
    var size: Int
    """Bytes of a frame."""
    var count: Int
    var places: Array[Int, _MOST]
    var scalars: Array[Int, _MOST]
    var workspaces: List[Workspace]

    def __init__(
        out self, stem: StaticString, complex_stem: StaticString, code: Int
    ):
        if is_complex(code):
            self.address = _routine(complex_stem, code)
        else:
            self.address = _routine(stem, code)
        self.code = code
        self.item = item_size(code)
        self.size = aligned(_HEAD)
        self.count = 0
        self.places = Array[Int, _MOST](fill=0)
        self.scalars = Array[Int, _MOST](fill=0)
        self.workspaces = List[Workspace]()

    def reserve(mut self, bytes: Int) -> Int:
        """The place of a new region of a frame."""
        var place = self.size
        self.size += aligned(max(bytes, 2 * _SLOT))
        return place

    def matrix(mut self, rows: Int, columns: Int = 1) -> Int:
        """The place of a new region for a matrix in column-major order."""
        return self.reserve(rows * columns * self.item)

    def give(mut self, place: Int):
        """The next argument is what lies at a place."""
        self.places[self.count] = place
        self.count += 1

    def number(mut self, value: Int):
        """The next argument is an integer."""
        self.scalars[self.count] = value
        self.give(self.count * _SLOT)

    def give_matrix(mut self, place: Int, rows: Int):
        """The next arguments are the matrix at a place and its leading dimension."""
        self.give(place)
        self.number(max(rows, 1))

    def flag(mut self, letter: StaticString):
        """The next argument is a character."""
        self.number(Int(letter.as_bytes()[0]))

    def choose(mut self, yes: Bool, letter: StaticString, other: StaticString):
        """The next argument is one of two characters."""
        if yes:
            self.flag(letter)
        else:
            self.flag(other)

    def workspace(mut self, code: Int):
        """The next two arguments are scratch memory for elements of a dtype and its length."""
        self.workspaces.append(Workspace(self.count, code))
        self.give(self.reserve(2 * _SLOT))
        self.number(-1)

    def info(mut self):
        """The next argument is the routine's status."""
        self.give(_STATUS)

    def enter(self, frame: Int):
        """Writes scalars and addresses into a new frame."""
        for index in range(_MOST):
            # Behind its arguments Fortran expects the lengths of the strings among them.
            var address = 1
            if index < self.count:
                store(frame + index * _SLOT, Int64(self.scalars[index]))
                address = frame + self.places[index]
            store(frame + _ADDRESSES + index * _SLOT, Int64(address))

    def run(self, frame: Int) -> Int:
        """Calls the routine; returns its status, 0 for one that has none."""
        store(frame + _STATUS, Int64(0))
        function[_Fortran](self.address)(
            _argument(frame, 0),
            _argument(frame, 1),
            _argument(frame, 2),
            _argument(frame, 3),
            _argument(frame, 4),
            _argument(frame, 5),
            _argument(frame, 6),
            _argument(frame, 7),
            _argument(frame, 8),
            _argument(frame, 9),
            _argument(frame, 10),
            _argument(frame, 11),
            _argument(frame, 12),
            _argument(frame, 13),
            _argument(frame, 14),
            _argument(frame, 15),
            _argument(frame, 16),
            _argument(frame, 17),
            _argument(frame, 18),
            _argument(frame, 19),
        )
        return Int(load[DType.int32](frame + _STATUS))

    def ask(mut self) -> Bool:
        """Asks the routine for the sizes of its workspaces; False where it has no answer."""
        if len(self.workspaces) == 0:
            return True
        # Memory that the routine does not touch when it is asked is never mapped.
        var frame = allocate(self.size)
        if frame == 0:
            return False
        self.enter(frame)
        var answered = self.run(frame) == 0
        for workspace in self.workspaces:
            var place = self.places[workspace.argument]
            var length = workspace.length(frame + place)
            if length < 0 or length > MOST_ELEMENTS:
                answered = False
                continue
            length = max(length, 1)
            self.places[workspace.argument] = self.size
            self.scalars[workspace.argument + 1] = length
            self.size += aligned(length * item_size(workspace.code))
        release(frame)
        return answered
