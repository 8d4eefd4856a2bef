"""Transcripts: what a call has recorded, as words, and the table of all of them.

The words (`jujunp/_calls/writer.py` writes them; "object" is an address) are instructions:

    BUILD SHAPE leaf                                            objects of this call: a shape,
    BUILD INTS count form..                                     a tuple of integers,
    BUILD ITEMS count object..                                  a tuple of objects,
    BUILD SIZE kind form                                        an integer, as a float if FLOAT, below 0 if NEGATIVE,
    BUILD NUMBER is-float leaf                                  a number, as a float if so,
    BUILD SEEN leaf rank dtype-object delta-form shape-forms.. stride-forms..
                                                                a layout, from the begin of a leaf's
    CHECK value layout code low-object high-object
    MAKE leaf delta rank dtype-object shape.. strides..         a layout
    RECORD code-object shape-object params-object within-object
           inputs-object or 0 and inputs, layouts-object or 0 and layouts
    FLUSH
    READ value layout code
    FINISH rebinds, of each: leaf value
           handles, of each: type value base layout shape-object code-object readonly-object
                             header-object or 0
           result: HANDLE k, LEAF k, OBJECT object, or TUPLE or LIST of some of these, or NAMED_TUPLE,
           a class of tuples, and a TUPLE

Each list has its length in front. A value, layout, input or base is two words: what it is, and which.
In place of the address of an object may be the number of one that was built, from 1 on.
A form is an integer that follows from the arguments, a constant and a sum of products: constant, count of terms, of each:
coefficient, count of factors, of each: a leaf, and an axis for its extent, ITSELF for the number that it is, FIRST_STRIDE - axis for a stride.

A call that has read an element goes on by what it was. So the words are a tree: each part of them
ends with FINISH, or with READ, and is followed by a part for each element that was seen there.
"""

from std.ffi import external_call
from std.sys import size_of
from vm.base.raw import drop, kept, load
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
comptime NAMED_TUPLE = 10

# the instructions
comptime CHECK = 1
comptime MAKE = 2
comptime RECORD = 3
comptime FLUSH = 4
comptime READ = 5
comptime FINISH = 6
comptime BUILD = 7

# what is built
comptime SHAPE = 1
comptime INTS = 2
comptime SIZE = 3
comptime NUMBER = 4
comptime ITEMS = 5
comptime SEEN = 6

# what a form takes of a leaf, besides extents
comptime ITSELF = -1
comptime FIRST_STRIDE = -2

# what an integer is built as
comptime FLOAT = 1
comptime NEGATIVE = 2

comptime MAX_MADE = 48
"""Steps, layouts, handles or built objects of a transcript, each, at most."""
comptime CAPACITY = 1 << 14
"""Places of the table, at most half of which are taken."""
comptime GLIMPSES = 1 << 12
"""Signatures that are remembered when they were seen."""
comptime WAYS = 4
"""Signatures of equal hashes, but for their last bits, that are remembered: the last ones."""
comptime SIGHTS = 3
"""How often a call is left to Python before its transcript is written."""
comptime MANY = 32
"""Calls of one signature after which a transcript is written whatever others have earned."""
comptime SIGHTS_BITS = 6
comptime PRICE = 8
"""How many calls must have been recorded again for each transcript that is written.

So what a program spends on transcripts stays below what it saves by them, even if no two of its
calls have equal shapes. Each function must earn its own: one whose calls come again does not pay
for another whose never do.
"""
comptime PRICE_OF_NONE = 4 * PRICE
"""The same for a call that proves to have no transcript: others of its function have none either, mostly."""
comptime FIRST_CREDIT = 16 * PRICE
"""For the first ones, before any call was recorded again."""
comptime MOST_CREDIT = 128 * PRICE
comptime BRANCHES = 64
"""Elements that a READ is followed by, at most."""
comptime FEW_BRANCHES = 2
"""So many, as of a truth value, are learnt soon. More, as of counts, only when each has come MANY times: it
takes as long as twenty calls by Python, and of a call that Python makes the first part is followed anyway."""
comptime MISSES = 32
"""Elements that were not seen before, from which on a call must be recorded again more often."""
comptime TRIES = 4
"""How often a call is looked at before it is taken for one that cannot be recorded again."""


struct Part(Movable):
    """Words up to FINISH or READ, and those that follow."""

    var words: List[Int]
    var objects: Int
    """What the words refer to; an owned reference to a tuple."""
    var elements: List[Int]
    """The bits of elements that were read at the end."""
    var parts: List[Int]
    """The addresses of the parts that follow them."""
    var fingerprint: Int
    """A number that a part has which says the same."""

    def __init__(
        out self, var words: List[Int], objects: Int, fingerprint: Int
    ):
        self.words = words^
        self.fingerprint = fingerprint
        self.objects = kept(objects)
        self.elements = List[Int]()
        self.parts = List[Int]()

    def after(self, element: Int) -> Int:
        """The address of the part that follows an element, 0 if it is new."""
        for k in range(len(self.elements)):
            if self.elements[k] == element:
                return self.parts[k]
        return 0


comptime PartPointer = Pointer[Part, MutUntrackedOrigin]


@always_inline
def part_at(address: Int) -> PartPointer:
    return PartPointer(unsafe_from_address=address)


def new_part(var words: List[Int], objects: Int, fingerprint: Int) -> Int:
    """The address of a new part."""
    var made = PartPointer(
        unsafe_from_address=external_call["malloc", Int](size_of[Part]())
    )
    made.unsafe_write(Part(words^, objects, fingerprint))
    return Int(made)


def free_parts(first: Int):
    """Frees a part and all that follow."""
    var left = List[Int](length=1, fill=first)
    while len(left) > 0:
        var address = left.pop()
        ref part = part_at(address)[]
        left.extend(part.parts.copy())
        drop(part.objects)
        part.words = List[Int]()
        part.elements = List[Int]()
        part.parts = List[Int]()
        external_call["free", NoneType](address)


struct Transcript(Movable):
    """What a call of one signature records."""

    var hash: Int
    var key: List[Int]
    var first: Int
    """The address of the first part; 0 as long as nothing is known."""
    var objects: Int
    """What the key refers to; an owned reference to a tuple."""
    var tries: Int
    var hits: Int
    var misses: Int
    var branches: Int
    """How many parts follow others."""
    var failures: Int
    """How often what comes after an element could not be added."""

    def __init__(out self, hash: Int, var key: List[Int], objects: Int):
        """Nothing is known yet; `objects` is a reference that it takes over."""
        self.hash = hash
        self.key = key^
        self.first = 0
        self.tries = 0
        self.hits = 0
        self.misses = 0
        self.branches = 0
        self.failures = 0
        self.objects = objects

    def is_of(self, hash: Int, address: Int, length: Int) -> Bool:
        """Whether it is that of a key, `length` words at an address."""
        if self.hash != hash or len(self.key) != length:
            return False
        for k in range(length):
            if self.key[k] != load(address, k):
                return False
        return True

    def is_worth_keeping(self) -> Bool:
        """Whether it says what a call records, or that no general one can be written."""
        return self.first != 0 or (self.key[0] & 1 != 0 and self.tries >= TRIES)

    def is_of_use(self) -> Bool:
        """Whether calls are often enough as they were before."""
        return self.first != 0 and (
            self.misses < MISSES or self.misses < self.hits
        )

    def add(
        mut self,
        var parts: List[List[Int]],
        elements: List[Int],
        objects: Int,
        fingerprints: List[Int],
    ):
        """Adds the parts of one call, and the elements between them, or notes that they cannot be.

        What follows a part goes behind one that says the same only.
        """
        if self.first == 0:
            self.first = new_part(parts[0].copy(), objects, fingerprints[0])
        var at = self.first
        for k in range(len(elements)):
            ref part = part_at(at)[]
            var following = part.after(elements[k])
            if part.fingerprint != fingerprints[k] or (
                following == 0 and len(part.parts) >= BRANCHES
            ):
                self.failures += 1
                return
            if following == 0:
                following = new_part(
                    parts[k + 1].copy(), objects, fingerprints[k + 1]
                )
                self.branches += 1
                part.elements.append(elements[k])
                part.parts.append(following)
            at = following

    def forget(mut self):
        """Drops what it refers to; it is not used any more."""
        drop(self.objects)
        if self.first != 0:
            free_parts(self.first)


comptime TranscriptPointer = Pointer[Transcript, MutUntrackedOrigin]


struct Credit(TrivialRegisterPassable):
    """A function's calls that were recorded again and are not spent yet on transcripts."""

    var calls: Int
    var age: Int
    """The table's, for which this counts."""

    @always_inline
    def has(mut self, age: Int) -> Int:
        if self.age != age:
            self.age = age
            self.calls = FIRST_CREDIT
        return self.calls

    @always_inline
    def earn(mut self, age: Int):
        """Notes that a call was recorded again."""
        self.calls = min(self.has(age) + 1, MOST_CREDIT)

    @always_inline
    def spend(mut self, age: Int, price: Int = PRICE):
        """Pays for a transcript."""
        self.calls = max(self.has(age) - price, 0)


struct Transcripts(Movable):
    """All transcripts, by their signatures: a table of bounded size."""

    var places: List[Int]
    """Open addressing: the address of a transcript, 0 for a free place."""
    var count: Int
    var busy: Int
    """How many calls are being recorded again."""
    var age: Int
    """How often all was forgotten."""
    var glimpses: List[Int]
    """By a part of the hash: that of a call that was seen, and in its last bits how often."""

    def __init__(out self):
        self.places = List[Int](length=CAPACITY, fill=0)
        self.count = 0
        self.busy = 0
        self.age = 1
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

    def pays(self, sights: Int, mut credit: Credit) -> Bool:
        """Whether a call was seen often enough, and its function's too, that a transcript should pay.

        To write one takes as long as five to eight calls by Python.
        """
        return sights >= MANY or (
            sights > SIGHTS and credit.has(self.age) >= PRICE
        )

    def sights(mut self, hash: Int) -> Int:
        """How often a call was seen, with this time, MANY at most."""
        var first = (hash >> 20) % (GLIMPSES // WAYS) * WAYS
        var call = hash >> SIGHTS_BITS
        var way = 0
        while way < WAYS and self.glimpses[first + way] >> SIGHTS_BITS != call:
            way += 1
        var sights = 1
        if way < WAYS:
            sights += self.glimpses[first + way] & (1 << SIGHTS_BITS) - 1
            sights = min(sights, MANY)
        # the last one that was seen comes first
        for k in reversed(range(min(way, WAYS - 1))):
            self.glimpses[first + k + 1] = self.glimpses[first + k]
        self.glimpses[first] = call << SIGHTS_BITS | sights
        return sights

    def place_of(mut self, var transcript: Transcript) -> Int:
        """The address of the transcript of its signature: one that is known, or this one.

        Where too many are known, all others go; 0 says that they are in use.
        """
        var key = Int(transcript.key.unsafe_ptr())
        var found = self.find(transcript.hash, key, len(transcript.key))
        if found != 0:
            transcript.forget()
            return found
        if 2 * self.count >= CAPACITY:
            if self.busy > 0:
                transcript.forget()
                return 0
            self.clear()
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
        return Int(made)

    def forget(mut self):
        """Forgets all transcripts, and what was seen, as if no call had been made yet."""
        self.clear()
        self.age += 1
        for k in range(GLIMPSES):
            self.glimpses[k] = 0

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
                external_call["free", NoneType](address)


@always_inline
def transcript_at(address: Int) -> TranscriptPointer:
    return TranscriptPointer(unsafe_from_address=address)
