"""What steps are found to have raised: operands that say why, of which Python asks NumPy.

The processor's flags tell that something was raised. Then results are looked at beside their operands,
and of each kind of result the operands of one element are kept.
"""

from structured.threads.ieee import lower_flags, raised
from vm.base.raw import copy_bytes

# kinds of results
comptime UNDEFINED = 0
"""nan of operands that are not; also of casts, and a division of integers by zero."""
comptime INFINITE_AT_ZERO = 1
comptime INFINITE = 2
"""Of finite operands, none of which is zero; also what does not fit into integers."""
comptime TINY = 3
comptime KINDS = 4
comptime MOST_SAMPLES = 2
"""Operands of a sample that are kept."""
comptime SAMPLE = 16 * MOST_SAMPLES
"""Bytes of a sample."""
comptime FRUITLESS = 8
"""Looks without a new finding after which nothing more is looked at: flags are raised by nan, too."""


struct Finding(ImplicitlyCopyable, Movable, TrivialRegisterPassable):
    """What is known of one step."""

    var place: Int
    """Which step it is: where its words are, or the address of its value."""
    var flags: Int
    """The processor's flags, of a step that was not looked at."""
    var kinds: Int
    """A bit mask over the kinds of results that there is a sample of."""
    var samples: SIMD[DType.int64, KINDS * SAMPLE // 8]

    def __init__(out self, place: Int, flags: Int):
        self.place = place
        self.flags = flags
        self.kinds = 0
        self.samples = SIMD[DType.int64, KINDS * SAMPLE // 8](0)


struct Findings(Copyable, Movable):
    """All findings of a run, or of a thread."""

    var found: List[Finding]
    var fruitless: Int
    """Looks one after another that have found nothing new."""
    var folds: Int
    """The processor's flags that reductions of a group have raised."""
    var watched: Int
    """The processor's flags that are not ignored; 0 if nothing is looked at."""

    def __init__(out self, watched: Int):
        self.found = List[Finding]()
        self.fruitless = 0
        self.folds = 0
        self.watched = watched

    def _of(mut self, place: Int) -> Int:
        for k in range(len(self.found)):
            if self.found[k].place == place:
                return k
        self.found.append(Finding(place, 0))
        return len(self.found) - 1

    def has(self, place: Int, kind: Int) -> Bool:
        for finding in self.found:
            if finding.place == place:
                return finding.kinds >> kind & 1 == 1
        return False

    def add_flags(mut self, place: Int, flags: Int):
        """Notes flags that a step has raised."""
        var k = self._of(place)
        self.found[k].flags |= flags

    def add(mut self, place: Int, kind: Int, a: Int, b: Int, size: Int):
        """Notes a kind of result with its operands, at addresses, of so many bytes."""
        var k = self._of(place)
        ref finding = self.found[k]
        if finding.kinds >> kind & 1 == 1:
            return
        finding.kinds |= 1 << kind
        self.fruitless = 0
        var words: Array[Int64, SAMPLE // 8] = [0, 0, 0, 0]
        var room = Int(words.unsafe_ptr())
        copy_bytes(room, a, size)
        if b != 0:
            copy_bytes(room + 16, b, size)
        for word in range(SAMPLE // 8):
            finding.samples[kind * SAMPLE // 8 + word] = words[word]

    def join(mut self, other: Self, first: Int):
        """Takes over what another one has found, in places that begin at another one."""
        self.folds |= other.folds
        for finding in other.found:
            var k = self._of(finding.place + first)
            self.found[k].flags |= finding.flags
            for kind in range(KINDS):
                if (
                    finding.kinds >> kind & 1 == 1
                    and self.found[k].kinds >> kind & 1 == 0
                ):
                    self.found[k].kinds |= 1 << kind
                    for word in range(SAMPLE // 8):
                        var at = kind * SAMPLE // 8 + word
                        self.found[k].samples[at] = finding.samples[at]

    def goes_on(self) -> Bool:
        """Whether more is to be looked at."""
        return self.watched != 0 and self.fruitless < FRUITLESS


comptime FindingsPointer = Pointer[Findings, MutUntrackedOrigin]


@always_inline
def note_fold(seen: Int):
    """Notes what a reduction has raised just now, if there is an address of findings."""
    if seen != 0:
        var flags = raised()
        if flags != 0:
            lower_flags()
            FindingsPointer(unsafe_from_address=seen)[].folds |= flags
