"""Hot groups as fused loops: what each group has cost, and the compiled loop that runs instead of it.

A fused loop is a group as a text in Mojo, compiled for its steps: intermediate results stay in
registers of the processor. Python writes and compiles the text, in the background (`lazy/fused`); here
it is counted which groups are worth that. A loop is for blocks of any length, so that all groups of
the same steps on operands of the same kinds share one, whatever their shapes are.
"""

from std.time import perf_counter_ns

comptime FusedLoop = def(places: Int, n: Int) thin abi("C") -> Int
"""Does all steps on as many of `n` elements as make whole vectors, and returns how many; on one vector
if `n` is negative. `places` are the addresses of the operands."""
comptime WORTH_COUNTING = 1 << 14
"""Work, in elements times steps, below which a group is not counted: it takes some 5 us."""
comptime BUCKETS = 1 << 12
comptime MOST_GROUPS = BUCKETS // 2
"""Groups that are known; no others are counted then."""
comptime TRIALS = 4
"""Runs of a loop before it is compared with the blocks."""
comptime FASTER = 0.95
"""The share of the blocks' time that a loop may take to be used."""
comptime AGAIN = 8
"""How many times as much a group must have cost as blocks, until a loop that was no faster is tried
again: on more elements it may be, or where nothing else runs."""
comptime SAVED = 7
"""Elements times steps of which a loop saves a nanosecond on each core: results of steps stay in registers.
Measured: 4 to 10 where there are many steps."""
comptime MOST_PATIENCE = 8
"""How many times as much as at first loops must promise, at most, to be compiled later."""
comptime NEVER = Int.MAX


struct HotGroup(Copyable, Movable):
    """What is known of one group."""

    var words: List[Int64]
    """What its text depends on."""
    var spent: Int
    """Nanoseconds that it has cost as blocks."""
    var promised: Int
    """Those of them that a loop could have saved."""
    var told: Int
    """What Python was told: 1 to look for a loop, 2 to compile one or that there is one; 0 for nothing yet."""
    var loop: Int
    """The address of its loop, 0 if there is none."""
    var refused: Bool
    """Whether it is to have none."""
    var resumes: Int
    """Nanoseconds as blocks from which on the loop is used; what it has cost until then is more."""
    var runs: Int
    """Of the loop."""
    var size: Int
    """The elements of the last run as blocks: times are compared for as many only."""
    var trials: Int
    """Runs of the loop on that many."""
    var as_blocks: Int
    """The least time for them, in nanoseconds."""
    var as_loop: Int

    def __init__(out self, var words: List[Int64]):
        self.words = words^
        self.spent = 0
        self.promised = 0
        self.told = 0
        self.loop = 0
        self.refused = False
        self.resumes = 0
        self.runs = 0
        self.size = 0
        self.trials = 0
        self.as_blocks = NEVER
        self.as_loop = NEVER

    @always_inline
    def steps(self) -> Int:
        return Int(self.words[1])

    @always_inline
    def used(self) -> Int:
        """The address of the loop that runs next, 0 for blocks."""
        return self.loop if self.spent >= self.resumes else 0

    @always_inline
    def is_fusible(self) -> Bool:
        """Whether a loop runs, or may do so when it has been made."""
        return not self.refused and (self.loop == 0 or self.used() != 0)


struct HotGroups(Movable):
    """All groups that are counted."""

    var groups: List[HotGroup]
    var buckets: List[Int]
    """One more than the place of a group, by the hash of its words; 0 where there is none."""
    var hot: List[Int]
    """Places of those that Python is to be told of."""
    var first: Int
    """Nanoseconds after which a loop is looked for on disk."""
    var second: Int
    """Nanoseconds that loops could have saved of all groups without one when they are compiled, the first time."""
    var patience: Int
    """The same for the next time."""
    var waiting: Int
    """What those could have saved that are to be compiled next."""
    var declined: Int
    """Loops that have proved to be slower than the blocks."""
    var fusible: Int
    """Nanoseconds that fusible groups have taken since somebody asked."""

    def __init__(out self):
        self.groups = List[HotGroup]()
        self.buckets = List[Int](length=BUCKETS, fill=0)
        self.hot = List[Int]()
        self.first = NEVER
        self.second = NEVER
        self.patience = NEVER
        self.waiting = 0
        self.declined = 0
        self.fusible = 0

    @always_inline
    def is_counting(self) -> Bool:
        """Whether loops are wanted."""
        return self.first != NEVER

    def place_of(mut self, var words: List[Int64]) -> Int:
        """The place of a group, which is made known; -1 if there are too many."""
        var hash = len(words)
        for word in words:
            hash = (hash ^ Int(word)) * 0x9E3779B97F4A7C1
            hash ^= hash >> 29
        var bucket = hash & (BUCKETS - 1)
        while self.buckets[bucket] != 0:
            var place = self.buckets[bucket] - 1
            if self.groups[place].words == words:
                return place
            bucket = (bucket + 1) & (BUCKETS - 1)
        if len(self.groups) == MOST_GROUPS:
            return -1
        self.groups.append(HotGroup(words^))
        self.buckets[bucket] = len(self.groups)
        return len(self.groups) - 1

    def count(mut self, place: Int, elements: Int, cores: Int, since: Int):
        """Counts a run on some cores that began at a time."""
        var spent = Int(perf_counter_ns()) - since
        ref group = self.groups[place]
        if group.is_fusible():
            self.fusible += spent
        if group.used() != 0:
            group.runs += 1
            if elements != group.size:
                return
            group.trials += 1
            group.as_loop = min(group.as_loop, spent)
            if group.trials == TRIALS and (
                Float64(group.as_loop) > FASTER * Float64(group.as_blocks)
            ):
                group.resumes = AGAIN * group.spent + 1
                group.trials = 0
                group.as_loop = NEVER
                self.declined += 1
            return
        group.spent += spent
        var saved = min(spent, elements * group.steps() // (SAVED * cores))
        group.promised += saved
        if elements != group.size:
            group.size = elements
            group.as_blocks = NEVER
        group.as_blocks = min(group.as_blocks, spent)
        self._mind(place, saved)

    def _mind(mut self, place: Int, saved: Int):
        """Tells Python what is to be done about a group that has run as blocks."""
        ref group = self.groups[place]
        if group.told == 0 and group.spent >= self.first:
            group.told = 1
            self.hot.append(place)
            self.waiting += group.promised
        elif group.told == 1:
            self.waiting += saved
        if group.told == 1 and self.waiting >= self.patience:
            self._compile_waiting()

    def _compile_waiting(mut self):
        """Has all loops compiled that were not found: together, since each time takes the compiler's start."""
        for place in range(len(self.groups)):
            if self.groups[place].told == 1:
                self.groups[place].told = 2
                if place not in self.hot:
                    self.hot.append(place)
        self.waiting = 0
        self.patience = min(2 * self.patience, MOST_PATIENCE * self.second)

    def set_limits(mut self, first: Int, second: Int):
        """Sets after how many nanoseconds of a group its loop is looked for, and after how many that loops could
        have saved they are compiled."""
        self.first = first
        self.second = second
        self.patience = second

    def set_loop(mut self, place: Int, loop: Int):
        """Gives a group the address of its loop; 0 for a group that is to have none."""
        ref group = self.groups[place]
        if group.told == 1:
            self.waiting -= group.promised
        group.loop = loop
        group.refused = loop == 0
        group.told = 2


comptime HotGroupsPointer = Pointer[HotGroups, MutUntrackedOrigin]
