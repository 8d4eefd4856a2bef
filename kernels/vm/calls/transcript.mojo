"""Transcripts: what a call has recorded, as words, and the table of all of them.

The words of a transcript (`jujunp/_calls/writer.py` writes them; "object" is an address):

    checks, of each: value layout code low high
    layouts, of each: leaf delta rank dtype-object shape.. strides..
    steps, of each: code-object shape-object params-object within-object
                    inputs-object or 0 and inputs, layouts-object or 0 and layouts
    rebinds, of each: leaf value
    handles, of each: type value base layout shape-object code-object readonly-object
                      header-object or 0
    result: HANDLE k, LEAF k, OBJECT object, or TUPLE or LIST of some of these

Each list has its length in front. A value, layout, input or base is two words: what it is, and which.
"""

from std.ffi import external_call
from std.sys import size_of
from vm.base.objects import drop, kept
from vm.base.raw import load
from vm.calls.signature import Signature

# what a reference refers to
comptime OBJECT = 0
"""An object that the transcript keeps."""
comptime LEAF = 1
"""An argument as it is."""
comptime VALUE = 2
"""The value of an argument as the call finds it."""
comptime STEP = 3
"""A value that the call has recorded."""
comptime LAYOUT = 4
"""The layout of an argument."""
comptime MADE = 5
"""A layout that the transcript makes."""
comptime OWNER = 6
"""The owner of an argument."""
comptime HANDLE = 7
"""A handle that the transcript makes."""
comptime TUPLE = 8
comptime LIST = 9

comptime CAPACITY = 1 << 14
"""Places of the table, at most half of which are taken."""
comptime GLIMPSES = 1 << 12
"""Signatures that are remembered when they were seen once."""
comptime TRIES = 4
"""How often a call is looked at before it is taken for one that cannot be recorded again."""


struct Transcript(Movable):
    """What a call of one signature records."""

    var hash: Int
    var key: List[Int]
    var words: List[Int]
    """Empty as long as nothing is known."""
    var objects: Int
    """What the key refers to; an owned reference to a tuple."""
    var kept: Int
    """What the words refer to; an owned reference to a tuple, 0 for none."""
    var tries: Int

    def __init__(out self, hash: Int, ref signature: Signature):
        self.hash = hash
        self.key = List[Int](capacity=signature.length)
        for k in range(signature.length):
            self.key.append(load(signature.words, k))
        self.words = List[Int]()
        self.tries = 0
        self.kept = 0
        self.objects = signature.known_objects()

    def is_of(self, hash: Int, address: Int, length: Int) -> Bool:
        """Whether it is that of a key, `length` words at an address."""
        if self.hash != hash or len(self.key) != length:
            return False
        for k in range(length):
            if self.key[k] != load(address, k):
                return False
        return True

    def forget(self):
        """Drops what it refers to; it is not used any more."""
        drop(self.objects)
        if self.kept != 0:
            drop(self.kept)


comptime TranscriptPointer = Pointer[Transcript, MutUntrackedOrigin]


struct Transcripts(Movable):
    """All transcripts, by their signatures: a table of bounded size."""

    var places: List[Int]
    """Open addressing: the address of a transcript, 0 for a free place."""
    var count: Int
    var glimpses: List[Int]
    """By a part of the hash: that of a call that was seen once."""

    def __init__(out self):
        self.places = List[Int](length=CAPACITY, fill=0)
        self.count = 0
        self.glimpses = List[Int](length=GLIMPSES, fill=0)

    @always_inline
    def find(self, hash: Int, key: Int, length: Int) -> Int:
        """The address of a transcript, 0 if there is none."""
        var k = hash & (CAPACITY - 1)
        while self.places[k] != 0:
            if transcript_at(self.places[k])[].is_of(hash, key, length):
                return self.places[k]
            k = (k + 1) & (CAPACITY - 1)
        return 0

    def glimpsed(mut self, hash: Int) -> Bool:
        """Whether a call was seen before, which it is from now on."""
        var place = (hash >> 20) & (GLIMPSES - 1)
        var before = self.glimpses[place] == hash
        self.glimpses[place] = hash
        return before

    def keep(mut self, var transcript: Transcript):
        """Adds a transcript; where too many are known, all others go."""
        var key = Int(transcript.key.unsafe_ptr())
        var found = self.find(transcript.hash, key, len(transcript.key))
        if found != 0:
            ref known = transcript_at(found)[]
            known.tries += 1
            if len(known.words) == 0:
                swap(known.words, transcript.words)
                swap(known.kept, transcript.kept)
            transcript.forget()
            return
        if 2 * self.count >= CAPACITY:
            self.clear()
        transcript.tries = 1
        var made = TranscriptPointer(
            unsafe_from_address=external_call["malloc", Int](
                size_of[Transcript]()
            )
        )
        var k = transcript.hash & (CAPACITY - 1)
        made.unsafe_write(transcript^)
        while self.places[k] != 0:
            k = (k + 1) & (CAPACITY - 1)
        self.places[k] = Int(made)
        self.count += 1

    def clear(mut self):
        """Forgets all transcripts."""
        var old = self.places.copy()
        for k in range(CAPACITY):
            self.places[k] = 0
        self.count = 0
        for address in old:
            if address != 0:
                ref transcript = transcript_at(address)[]
                transcript.forget()
                transcript.key = List[Int]()
                transcript.words = List[Int]()
                external_call["free", NoneType](address)


@always_inline
def transcript_at(address: Int) -> TranscriptPointer:
    return TranscriptPointer(unsafe_from_address=address)
