"""Transcripts that go out of the process and come back: what Python keeps of them (`jujunp/_calls/kept.py`).

A transcript is a tuple: words of its signature, what these refer to, a list of its parts. A part is a tuple: its
words, the place of the part that it follows (-1 for none), the element that was read between the two,
its fingerprint, and what its words refer to.
"""

from std.ffi import external_call
from vm.base.objects import item
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_SIZE,
    drop,
    int_of,
    kept,
    load,
)
from vm.calls.shared import TRAITS, UNKEPT, UNKEPT_GENERAL, Calls
from vm.calls.transcript import (
    TRIES,
    Transcript,
    new_part,
    part_at,
    transcript_at,
)
from vm.base.tuples import integer, integers, numbers_of, tuple_of


def look_for_kept(
    mut calls: Calls, me: Int, hash: Int, is_general: Bool
) -> Bool:
    """Puts back what is kept for the signature at hand, if anything; False if Python has raised."""
    # before Python allocates anything, as in `learnt`
    var key = calls.signature.key()
    var objects = calls.signature.known_objects()
    var none = calls.objects[].api.none
    var asked: Array[Int, 2] = [integers(key), objects]
    var answer = external_call["PyObject_Vectorcall", Int](
        calls.keeper, Int(Pointer(to=asked)), Int(2), Int(0)
    )
    drop(asked[0])
    if answer == 0:
        drop(objects)
        return False
    if answer == calls.objects[].no:
        # nothing is kept of this function
        var words = Pointer[Int, MutUntrackedOrigin](unsafe_from_address=me)
        words[unsafe_offset=TRAITS] |= UNKEPT_GENERAL if is_general else UNKEPT
        drop(objects)
    elif answer == none:
        drop(objects)
    else:
        var transcript = Transcript(hash, key^, objects)
        _put_back(transcript, answer)
        transcript.tries = TRIES if is_general else 1
        _ = calls.transcripts.place_of(transcript^)
    drop(answer)
    return True


def all_known(mut calls: Calls) -> Int:
    """A new list of all transcripts that say anything, or that nothing can be said."""
    ref transcripts = calls.transcripts
    var places = transcripts.places.copy()
    var found = external_call["PyList_New", Int](Int(0))
    transcripts.busy += 1  # none is freed meanwhile
    for address in places:
        if address == 0:
            continue
        if transcript_at(address)[].is_worth_keeping():
            var one = _described(address)
            _ = external_call["PyList_Append", Int32](found, one)
            drop(one)
    transcripts.busy -= 1
    return found


def _described(address: Int) -> Int:
    ref transcript = transcript_at(address)[]
    var key = transcript.key.copy()
    var objects = kept(transcript.objects)
    var parts = external_call["PyList_New", Int](Int(0))
    var left = List[Int]()  # addresses, places of the parts before, elements
    if transcript.first != 0:
        left.extend([transcript.first, -1, 0])
    var count = 0
    while len(left) > 0:
        var element = left.pop()
        var before = left.pop()
        ref part = part_at(left.pop())[]
        for k in range(len(part.parts)):
            left.extend([part.parts[k], count, part.elements[k]])
        count += 1
        var fingerprint = part.fingerprint
        var referred = kept(part.objects)
        var made = tuple_of(
            [
                integers(part.words.copy()),
                integer(before),
                integer(element),
                integer(fingerprint),
                referred,
            ]
        )
        _ = external_call["PyList_Append", Int32](parts, made)
        drop(made)
    return tuple_of([integers(key), objects, parts])


def _put_back(mut transcript: Transcript, parts: Int):
    """Gives a transcript its parts, a list as above."""
    var made = List[Int]()
    for k in range(load(parts, TUPLE_SIZE)):
        var one = load(load(parts, LIST_ITEMS), k)
        var part = new_part(
            numbers_of(item(one, 0)), item(one, 4), int_of(item(one, 3))
        )
        var before = int_of(item(one, 1))
        if before < 0:
            transcript.first = part
        else:
            ref last = part_at(made[before])[]
            last.elements.append(int_of(item(one, 2)))
            last.parts.append(part)
        made.append(part)
