"""The type of public functions and methods: each stands before a Python function.

A call of a signature that was seen before is recorded again as its transcript says. Any other is the
Python function's; when a signature has been seen a few times, the learner (a Python function, too)
makes the call and writes its transcript.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from std.python import PythonObject
from std.sys import size_of
from vm.base.objects import UNUSUAL, Objects, item
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    address_of,
    drop,
    int_of,
    kept,
    load,
    store,
)
from vm.base.types import (
    READ_ONLY,
    TP_CALL,
    TP_MEMBERS,
    Member,
    Slot,
    is_handle_type,
    members,
    new_object,
    new_type,
)
from vm.record.elements import computes_at_once
from vm.record.exchange import array_of
from vm.record.operands import operand_of
from vm.record.pinning import settled
from vm.calls.replay import MISSED, replayed
from vm.calls.signature import MAX_LEAVES, Signature, tuple_of
from vm.calls.transcript import (
    TRIES,
    Credit,
    Transcript,
    Transcripts,
    part_at,
    transcript_at,
)

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
comptime CONVERTING = 2
"""Of one argument, that is no handle, it makes an array."""
comptime SHARING = 4
"""The same, over the memory of a NumPy array."""
comptime FREE = 16
"""As an attribute of a class it is no method: it is of another type."""

comptime WARNING = 8
"""What it records warns as NumPy's function does."""
comptime ARRAY_LIKES = 5
"""From this bit on is how many of its first arguments it takes as arrays, 0 to 3."""
comptime NAMED = 8
"""From this bit on is the number of the name under which it warns, 0 for that of each operation."""
comptime NAME_BITS = 24
comptime NUMBERS = NAMED + NAME_BITS
"""From this bit on is, for each of its first arguments, whether all numbers in its place are treated alike."""

comptime HAS_VECTORCALL = 1 << 11
comptime IS_METHOD = 1 << 17
"""Calls of methods need no bound method."""
comptime TP_DESCR_GET = 54
comptime ARGUMENTS_OFFSET = 1 << 63

comptime Vectorcall = def(me: Int, args: Int, flags: Int, names: Int) thin abi(
    "C"
) -> Int
comptime Call = def(me: Int, args: Int, named: Int) thin abi("C") -> Int
comptime Get = def(me: Int, object: Int, type: Int) thin abi("C") -> Int


struct Calls(Movable):
    """What all functions share."""

    var objects: Pointer[Objects, MutUntrackedOrigin]
    var signature: Signature
    var transcripts: Transcripts
    var learner: Int
    """The Python function that makes a call and writes its transcript; 0 for none."""
    var checking: Bool
    """Whether all calls are learnt, and transcripts compared with what is learnt again."""
    var type: Int
    var free_type: Int
    """The type of functions that are no methods."""
    var others: Int
    """A tuple of the errors that say that arguments are not ours alone; 0 for none."""
    var maker: Int
    """The Python function that makes the call then."""

    def __init__(out self, objects: Int) raises:
        self.objects = Pointer[Objects, MutUntrackedOrigin](
            unsafe_from_address=objects
        )
        self.signature = Signature()
        self.transcripts = Transcripts()
        self.learner = 0
        self.checking = False
        self.type = function_type(True)
        self.free_type = function_type(False)
        self.others = 0
        self.maker = 0


comptime CallsPointer = Pointer[Calls, MutUntrackedOrigin]


def new_calls(objects: Int) raises -> Int:
    """The address of what all functions share, which lives as long as the process."""
    var made = CallsPointer(
        unsafe_from_address=external_call["malloc", Int](size_of[Calls]())
    )
    made.unsafe_write(Calls(objects))
    return Int(made)


def function_type(methods: Bool) raises -> Int:
    """The type of functions that are methods where a class has them, or not."""
    var numbers: List[Member] = [
        ("__vectorcalloffset__", CALL, READ_ONLY),
        ("__dictoffset__", DICTIONARY, READ_ONLY),
        ("__weaklistoffset__", WEAK, READ_ONLY),
    ]
    var call: Call = _called
    var get: Get = _bound
    var slots: List[Slot] = [
        (TP_MEMBERS, members("", 0, numbers)),
        (TP_CALL, Pointer(to=call).unsafe_bitcast[Int]()[]),
    ]
    var flags = HAS_VECTORCALL
    if methods:
        slots.append((TP_DESCR_GET, Pointer(to=get).unsafe_bitcast[Int]()[]))
        flags |= IS_METHOD
    return new_type("jujunp.function", END, flags, slots)


def new_function(
    calls: Int, function: PythonObject, ufuncs: PythonObject, traits: Int
) raises -> Int:
    """A function that stands before a Python function; ufuncs or None as in `UFUNCS`."""
    ref shared = CallsPointer(unsafe_from_address=calls)[]
    var made = new_object(
        shared.free_type if traits & FREE != 0 else shared.type
    )
    if made == 0:
        raise Error("a function cannot be made")
    var call: Vectorcall = _call
    store(made, CALL, Pointer(to=call).unsafe_bitcast[Int]()[])
    store(made, FUNCTION, kept(address_of(function)))
    store(made, CALLS, calls)
    store(made, DICTIONARY, 0)
    store(made, WEAK, 0)
    store(made, UFUNCS, 0)
    store(made, TRAITS, traits)
    store(made, CREDIT, 0)
    store(made, CREDIT + 1, 0)
    if ufuncs:
        store(made, UFUNCS, kept(address_of(ufuncs)))
    return made


@always_inline
def credit_of(function: Int) -> Pointer[Credit, MutUntrackedOrigin]:
    return Pointer[Credit, MutUntrackedOrigin](
        unsafe_from_address=function + 8 * CREDIT
    )


def _called(me: Int, args: Int, named: Int) abi("C") -> Int:
    """A call by a tuple and a dictionary."""
    return external_call["PyVectorcall_Call", Int](me, args, named)


def _bound(me: Int, object: Int, type: Int) abi("C") -> Int:
    """The method of an object; of a class, the function itself."""
    if object == 0:
        return kept(me)
    return external_call["PyMethod_New", Int](me, object)


def _call(me: Int, args: Int, flags: Int, names: Int) abi("C") -> Int:
    """A call by an array of arguments."""
    var made = _made_aloud(me, args, flags, names)
    if made == 0:
        ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
        if calls.others != 0 and _raised(calls.others):
            var none = calls.objects[].api.none
            return _made_by(calls.maker, me, args, flags, names, none)
        return made
    return settled(
        CallsPointer(unsafe_from_address=load(me, CALLS))[].objects, made
    )


def _raised(error: Int) -> Bool:
    """Whether an error of a type was raised, which is forgotten."""
    if external_call["PyErr_ExceptionMatches", Int32](error) == 0:
        return False
    external_call["PyErr_Clear", NoneType]()
    return True


def _made_by(
    maker: Int, me: Int, args: Int, flags: Int, names: Int, none: Int
) -> Int:
    """What a Python function makes of a call, given its function, arguments and names."""
    var count = flags & ~ARGUMENTS_OFFSET
    var named = load(names, TUPLE_SIZE) if names != 0 else 0
    var given = external_call["PyTuple_New", Int](count + named)
    for k in range(count + named):
        store(given, TUPLE_ITEMS + k, kept(load(args, k)))
    var call = external_call["PyTuple_New", Int](Int(3))
    store(call, TUPLE_ITEMS, kept(load(me, FUNCTION)))
    store(call, TUPLE_ITEMS + 1, given)
    store(call, TUPLE_ITEMS + 2, kept(names if names != 0 else none))
    var made = external_call["PyObject_Call", Int](maker, call, Int(0))
    drop(call)
    return made


@always_inline
def _made_aloud(me: Int, args: Int, flags: Int, names: Int) -> Int:
    """Makes a call whose steps warn if that is known of it, else without any warning."""
    var objects = CallsPointer(unsafe_from_address=load(me, CALLS))[].objects
    if objects[].errors_now() == 0:
        return _made(me, args, flags, names)
    var traits = load(me, TRAITS)
    if traits & WARNING == 0:
        objects[].quiet += 1
        var made = _made(me, args, flags, names)
        objects[].quiet -= 1
        return made
    var naming = objects[].naming
    var name = traits >> NAMED & ((1 << NAME_BITS) - 1)
    if name != 0:
        objects[].naming = name
    objects[].loud += 1
    var made = _made(me, args, flags, names)
    objects[].loud -= 1
    # a call of another thread may have begun meanwhile, and its name must not stay
    objects[].naming = naming if objects[].loud > 0 else 0
    return made


@always_inline
def _made(me: Int, args: Int, flags: Int, names: Int) -> Int:
    var likes = min(
        load(me, TRAITS) >> ARRAY_LIKES & 3, flags & ~ARGUMENTS_OFFSET
    )
    for k in range(likes):
        if not is_handle_type(load(load(args, k), TYPE)):
            return _made_of_arrays(me, args, likes, flags, names)
    return _made_of(me, args, flags, names)


@no_inline
def _made_of_arrays(
    me: Int, args: Int, likes: Int, flags: Int, names: Int
) -> Int:
    """Makes a call with arrays in place of the first arguments: of any numbers one transcript is written.

    What cannot be an array here stays what it is.
    """
    ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
    var all = flags & ~ARGUMENTS_OFFSET
    if names != 0:
        all += load(names, TUPLE_SIZE)
    if all > MAX_LEAVES:
        return _made_of(me, args, flags, names)
    var given = stack_allocation[MAX_LEAVES, Int]()
    for k in range(all):
        store(Int(given), k, load(args, k))
    for k in range(likes):
        var x = load(args, k)
        var is_ours = is_handle_type(load(x, TYPE))
        var array = 0 if is_ours else operand_of(calls.objects, x)
        store(Int(given), k, kept(x) if array == 0 else array)
    # without the word in front, which a callee could use
    var made = _made_of(me, Int(given), flags & ~ARGUMENTS_OFFSET, names)
    for k in range(likes):
        drop(load(Int(given), k))
    return made


@always_inline
def _made_of(me: Int, args: Int, flags: Int, names: Int) -> Int:
    ref calls = CallsPointer(unsafe_from_address=load(me, CALLS))[]
    var count = flags & ~ARGUMENTS_OFFSET
    if load(me, UFUNCS) != 0 and names == 0:
        var made = _handed_over(calls, me, args, count)
        if made != UNUSUAL:
            return made
    elif calls.learner != 0 and not calls.objects[].as_python():
        var traits = load(me, TRAITS)
        if traits & (CONVERTING | SHARING) != 0 and count == 1 and names == 0:
            var shares = traits & SHARING != 0
            var made = array_of(calls.objects[], load(args, 0), shares)
            if made != UNUSUAL:
                return made
        if traits & UNIFORM != 0:
            var made = _recorded[True](calls, me, args, count, names)
            if made != UNUSUAL:
                return made
        var made = _recorded[False](calls, me, args, count, names)
        if made != UNUSUAL:
            return made
    return _asked(me, args, flags, names)


@always_inline
def _recorded[
    general: Bool
](mut calls: Calls, me: Int, args: Int, count: Int, names: Int) -> Int:
    """What a call of a known signature records again, or what one gives that is learnt; else UNUSUAL."""
    var learns = True
    comptime if general:
        # whoever learns must not see what is called for samples
        learns = calls.objects[].learning == 0
    if not _describe(calls, me, args, count, names, general):
        return UNUSUAL
    ref signature = calls.signature
    learns = learns and not signature.is_pinned
    var hash = signature.hash()
    var found = calls.transcripts.find(hash, signature.words, signature.length)
    if found == 0 or calls.checking:
        if not learns:
            return UNUSUAL
        if calls.transcripts.pays(hash, credit_of(me)[]) or calls.checking:
            return _learnt(calls, me, hash, args, count, names, general)
        return UNUSUAL
    ref transcript = transcript_at(found)[]
    if transcript.is_of_use():
        return _replayed(calls, me, found, args, count, names)
    if learns and transcript.tries < TRIES:
        return _learnt(calls, me, hash, args, count, names, general)
    return UNUSUAL


@always_inline
def _asked(me: Int, args: Int, count: Int, names: Int) -> Int:
    """What the Python function gives."""
    return external_call["PyObject_Vectorcall", Int](
        load(me, FUNCTION), args, count, names
    )


@always_inline
def _same_text(a: Int, b: Int) -> Bool:
    return external_call["PyUnicode_Compare", Int32](a, b) == 0


def _is_plain(objects: Objects, x: Int) -> Bool:
    """Whether this is an array, a scalar or a number, of no derived type."""
    var type = load(x, TYPE)
    if objects.is_handle(x) or type == objects.numpy_array_type:
        return True
    if type == objects.int_type or type == objects.api.float_type:
        return True
    for k in range(len(objects.scalar_types)):
        if objects.scalar_types[k] == type:
            return True
    return False


def _handed_over(ref calls: Calls, me: Int, args: Int, count: Int) -> Int:
    """Calls our ufunc: of `x.__array_ufunc__(ufunc, "__call__", *operands)`."""
    # NumPy makes the text anew for each call
    if count < 4 or not _same_text(load(args, 2), calls.objects[].call_name):
        return UNUSUAL
    var ufunc = external_call["PyDict_GetItem", Int](
        load(me, UFUNCS), load(args, 1)
    )
    if ufunc == 0:
        return UNUSUAL
    for k in range(3, count):
        if not _is_plain(calls.objects[], load(args, k)):
            return UNUSUAL  # it may have an answer of its own
    var operands = external_call["PyTuple_New", Int](count - 3)
    for k in range(3, count):
        store(operands, TUPLE_ITEMS + k - 3, kept(load(args, k)))
    var made = external_call["PyObject_Call", Int](ufunc, operands, Int(0))
    drop(operands)
    return made


def _replayed(
    mut calls: Calls, me: Int, found: Int, args: Int, count: Int, names: Int
) -> Int:
    """Records a call again; UNUSUAL where the Python function is to make it."""
    ref transcript = transcript_at(found)[]
    var element = 0
    calls.transcripts.busy += 1
    var made = replayed(calls.objects, transcript, calls.signature, element)
    calls.transcripts.busy -= 1
    if made != MISSED:
        transcript.hits += 1
        credit_of(me)[].earn(calls.transcripts.age)
        if made > 0:
            computes_at_once(calls.objects, made)
        return made
    transcript.misses += 1
    if not _describe(calls, me, args, count, names, False) or (
        calls.signature.is_pinned
    ):
        return UNUSUAL
    var hash = transcript.hash
    # what comes after this element is learnt when it has come often
    if calls.transcripts.pays(
        hash ^ (element * 0x9E3779B1), credit_of(me)[]
    ) and _describe(calls, me, args, count, names, False):
        return _learnt(calls, me, hash, args, count, names, False)
    return UNUSUAL


def _describe(
    mut calls: Calls,
    me: Int,
    args: Int,
    count: Int,
    names: Int,
    general: Bool,
) -> Bool:
    ref signature = calls.signature
    signature.begin(me, general)
    var all = count
    if names != 0:
        all += load(names, TUPLE_SIZE)
    var loose = load(me, TRAITS) >> NUMBERS if general else 0
    for k in range(all):
        var described: Bool
        if k < count and loose >> k & 1 != 0:
            described = signature.describe_loosely(
                calls.objects[], load(args, k), k
            )
        else:
            described = signature.describe(calls.objects[], load(args, k))
        if not described:
            return False
    return signature.add_names(names)


def _learnt(
    mut calls: Calls,
    me: Int,
    hash: Int,
    args: Int,
    count: Int,
    names: Int,
    general: Bool,
) -> Int:
    """Lets the learner make a call, and keeps the transcript that it writes."""
    credit_of(me)[].spend(calls.transcripts.age)
    # before Python allocates anything: it may run code then, and describe other calls
    var leaves = calls.signature.copied(
        calls.signature.leaves, calls.signature.count
    )
    var transcript = Transcript(hash, calls.signature)
    var all = count
    if names != 0:
        all += load(names, TUPLE_SIZE)
    var given = external_call["PyTuple_New", Int](all)
    for k in range(all):
        store(given, TUPLE_ITEMS + k, kept(load(args, k)))
    var none = calls.objects[].api.none
    var loose = _tuple_of_integers(calls.signature.loose) if general else kept(
        none
    )
    var known = kept(none)
    if calls.checking:
        drop(known)
        known = _known(calls, hash)
    var asked: Array[Int, 6] = [
        load(me, FUNCTION),
        tuple_of(leaves),
        given,
        none if names == 0 else names,
        known,
        loose,
    ]
    # (result, parts, elements between them, what they refer to, fingerprints)
    var answer = external_call["PyObject_Vectorcall", Int](
        calls.learner, Int(Pointer(to=asked)), Int(6), Int(0)
    )
    drop(asked[1])
    drop(asked[2])
    drop(known)
    drop(loose)
    if answer == 0:
        transcript.forget()
        return 0
    var result = kept(item(answer, 0))
    var place = calls.transcripts.place_of(transcript^)
    if place != 0:
        ref known_one = transcript_at(place)[]
        # what has no general transcript never has one
        known_one.tries += TRIES if general else 1
        if item(answer, 1) != none:
            var parts = List[List[Int]]()
            for k in range(load(item(answer, 1), TUPLE_SIZE)):
                parts.append(_integers(list_item(item(answer, 1), k)))
            known_one.add(
                parts^,
                _integers(item(answer, 2)),
                item(answer, 3),
                _integers(item(answer, 4)),
            )
    drop(answer)
    return result


def _tuple_of_integers(numbers: List[Int]) -> Int:
    """A new tuple of Python ints."""
    var made = external_call["PyTuple_New", Int](len(numbers))
    for k in range(len(numbers)):
        var number = external_call["PyLong_FromSsize_t", Int](numbers[k])
        store(made, TUPLE_ITEMS + k, number)
    return made


def _integers(list: Int) -> List[Int]:
    """The numbers of a Python list."""
    var found = List[Int]()
    for k in range(load(list, TUPLE_SIZE)):
        found.append(int_of(list_item(list, k)))
    return found^


@always_inline
def list_item(list: Int, index: Int) -> Int:
    """A borrowed reference to an item of a list."""
    return load(load(list, LIST_ITEMS), index)


def _known(mut calls: Calls, hash: Int) -> Int:
    """The first part of a known transcript: (words, what they refer to), or None."""
    ref signature = calls.signature
    var found = calls.transcripts.find(hash, signature.words, signature.length)
    if found == 0 or transcript_at(found)[].first == 0:
        return kept(calls.objects[].api.none)
    ref first = part_at(transcript_at(found)[].first)[]
    var words = _tuple_of_integers(first.words)
    var made = external_call["PyTuple_New", Int](Int(2))
    store(made, TUPLE_ITEMS, words)
    store(made, TUPLE_ITEMS + 1, kept(first.objects))
    return made
