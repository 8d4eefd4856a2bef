"""Calls of known signatures: recorded again as their transcripts say, or learnt.

When a signature has been seen a few times, the learner (a Python function) makes the call and writes
its transcript.
"""

from std.ffi import external_call
from vm.base.fields import VALUE_BUFFER
from vm.base.objects import UNUSUAL, item
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    drop,
    kept,
    load,
    store,
)
from vm.calls.kept import look_for_kept
from vm.calls.replay import MISSED, replayed
from vm.calls.shared import (
    ONE_ARGUMENT,
    FUNCTION,
    NUMBERS,
    ORDERED,
    TRAITS,
    UNKEPT,
    UNKEPT_GENERAL,
    Calls,
    credit_of,
)
from vm.calls.transcript import (
    FEW_BRANCHES,
    MANY,
    PRICE_OF_NONE,
    TRIES,
    Transcript,
    part_at,
    transcript_at,
)
from vm.base.pins import has_pinned, overlap
from vm.base.tuples import integers, numbers_of, tuple_of
from vm.record.elements import computes_at_once
from vm.record.floats import be_float_again, be_no_float
from vm.record.pinning import write_unwritten


@always_inline
def recorded[
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
    var hash = signature.hash()
    var found = calls.transcripts.find(hash, signature.words, signature.length)
    if found == 0 or calls.checking:
        if not learns:
            return UNUSUAL
        var sights = calls.transcripts.sights(hash)
        if sights == 1 and _may_be_kept(calls, me, general):
            if not look_for_kept(calls, me, hash, general):
                return 0
            # Python may have described other calls, and changed this one's arguments
            if not _describe(calls, me, args, count, names, general):
                return UNUSUAL
            hash = signature.hash()
            found = calls.transcripts.find(
                hash, signature.words, signature.length
            )
        if found == 0 or calls.checking:
            var credit = credit_of(me)
            if calls.transcripts.pays(sights, credit[]) or calls.checking:
                return _learnt(calls, me, hash, args, count, names, general)
            return UNUSUAL
    ref transcript = transcript_at(found)[]
    if transcript.is_of_use():
        return _replayed(calls, me, found, args, count, names)
    if learns and transcript.tries < TRIES:
        return _learnt(calls, me, hash, args, count, names, general)
    return UNUSUAL


@always_inline
def _may_be_kept(ref calls: Calls, me: Int, is_general: Bool) -> Bool:
    var none = UNKEPT_GENERAL if is_general else UNKEPT
    return (
        calls.keeper != 0
        and load(me, TRAITS) & none == 0
        and calls.objects[].learning == 0
    )


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
    if transcript.failures >= TRIES:
        return UNUSUAL
    if not _describe(calls, me, args, count, names, False):
        return UNUSUAL
    var hash = transcript.hash
    # what comes after this element is learnt when it has come often
    var sights = calls.transcripts.sights(hash ^ (element * 0x9E3779B1))
    var pays = sights >= MANY
    if transcript.branches < FEW_BRANCHES:
        pays = calls.transcripts.pays(sights, credit_of(me)[])
    if pays and _describe(calls, me, args, count, names, False):
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
    var traits = load(me, TRAITS)
    signature.begin(me, general, traits & ORDERED != 0)
    var all = count
    if names != 0:
        all += load(names, TUPLE_SIZE)
    var is_loose = general and (traits & ONE_ARGUMENT == 0 or all == 1)
    var loose = traits >> NUMBERS if is_loose else 0
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
    """Lets the learner make a call, and keeps the transcript that it writes; UNUSUAL if it cannot."""
    if _overlap(calls):
        return UNUSUAL
    credit_of(me)[].spend(calls.transcripts.age)
    # before Python allocates anything: it may run code then, and describe other calls
    var leaves = calls.signature.copied(
        calls.signature.leaves, calls.signature.count
    )
    var transcript = Transcript(
        hash, calls.signature.key(), calls.signature.known_objects()
    )
    var floats = List[Int]()
    for leaf in leaves:
        if load(leaf, TYPE) == calls.objects[].float_scalar_type:
            floats.append(leaf)
            be_no_float(calls.objects[], leaf)  # C code must not read it unseen
    var all = count
    if names != 0:
        all += load(names, TUPLE_SIZE)
    var given = external_call["PyTuple_New", Int](all)
    for k in range(all):
        store(given, TUPLE_ITEMS + k, kept(load(args, k)))
    var none = calls.objects[].api.none
    var loose = integers(calls.signature.loose.copy()) if general else kept(
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
    calls.objects[].learnt += 1
    var answer = external_call["PyObject_Vectorcall", Int](
        calls.learner, Int(Pointer(to=asked)), Int(6), Int(0)
    )
    calls.objects[].learnt -= 1
    if calls.objects[].learnt == 0 and len(calls.objects[].unwritten) > 0:
        if not write_unwritten(calls.objects) and answer != 0:
            drop(answer)
            answer = 0
    for leaf in floats:
        be_float_again(calls.objects[], leaf)
    drop(asked[1])
    drop(asked[2])
    drop(known)
    drop(loose)
    if answer == 0:
        transcript.forget()
        return 0
    var result = kept(item(answer, 0))
    if item(answer, 1) == none:
        credit_of(me)[].spend(calls.transcripts.age, PRICE_OF_NONE)
    var place = calls.transcripts.place_of(transcript^)
    if place != 0:
        ref known_one = transcript_at(place)[]
        # what has no general transcript never has one
        known_one.tries += TRIES if general else 1
        if item(answer, 1) != none:
            var parts = List[List[Int]]()
            for k in range(load(item(answer, 1), TUPLE_SIZE)):
                parts.append(
                    numbers_of(load(load(item(answer, 1), LIST_ITEMS), k))
                )
            known_one.add(
                parts^,
                numbers_of(item(answer, 2)),
                item(answer, 3),
                numbers_of(item(answer, 4)),
            )
    drop(answer)
    return result


def _overlap(ref calls: Calls) -> Bool:
    """Whether arrays are over parts of the same memory that others hold.

    To write to one would change the other at once; in a call that is learnt, writes wait.
    """
    ref objects = calls.objects[]
    var held = List[Int]()
    for k in range(calls.signature.count):
        var leaf = load(calls.signature.leaves, k)
        if objects.is_handle(leaf):
            var value = objects.value_of(leaf)
            if has_pinned(value, objects.api.buffer_type):
                held.append(load(value, VALUE_BUFFER))
    for k in range(len(held)):
        for other in range(k):
            if overlap(held[k], held[other]):
                return True
    return False


def _known(mut calls: Calls, hash: Int) -> Int:
    """The first part of a known transcript: (words, what they refer to), or None."""
    ref signature = calls.signature
    var found = calls.transcripts.find(hash, signature.words, signature.length)
    if found == 0 or transcript_at(found)[].first == 0:
        return kept(calls.objects[].api.none)
    ref first = part_at(transcript_at(found)[].first)[]
    var objects = kept(first.objects)
    return tuple_of([integers(first.words.copy()), objects])
