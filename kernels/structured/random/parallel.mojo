"""Numbers on several threads, of generators that skip words in little time."""
from std.ffi import external_call

from structured.operands.operand import store
from structured.random.bits import Bits, Source
from structured.random.wish import Wish
from structured.threads.threads import parallel_for, part, task_count

comptime _CHUNK = 1024
"""Threads begin at multiples of so many numbers, of which whole blocks of words are made."""


def in_parallel[
    B: Bits, F: def(mut Source[B], Int, Int) -> Int, //, halves: Int
](mut source: Source[B], count: Int, threads: Int, quick: F) -> Int:
    """Has threads store numbers as long as nothing rare happens; returns how many are stored.

    Parameters:
        halves: Halves of words that a number is made of.

    Args:
        source: What is drawn from; it goes on behind what is stored.
        count: How many numbers are wanted.
        threads: How many threads may take part.
        quick: Stores numbers from a source: of the numbers from a place on, so many; returns how
            many, of whole blocks all where nothing rare happens.
    """
    comptime if not B.JUMPS:
        return 0
    else:
        # the last numbers are left to the caller, who keeps the half of the last word
        var chunks = (count - 1) // _CHUNK
        var tasks = min(task_count(chunks * _CHUNK, threads), chunks)
        if tasks < 2 or not source.bits.is_fresh():
            return 0
        var stored = List[Int](length=tasks, fill=0)
        var places = Int(stored.unsafe_ptr())
        var words = source.words

        def share(index: Int) {imm}:
            var start = part(chunks, index, tasks) * _CHUNK
            var end = part(chunks, index + 1, tasks) * _CHUNK
            var own = Source[B](words, (end - start) * halves // 2)
            own.bits.skip(start * halves // 2)
            var at = start
            while at < end:
                var made = quick(own, at, end - at)
                if made == 0:
                    break
                at += made
            store(places + 8 * index, at - start)

        parallel_for(share, tasks)
        var done = 0
        for index in range(tasks):
            var wanted = part(chunks, index + 1, tasks) * _CHUNK - done
            done += stored[index]
            if stored[index] < wanted:
                break
        done -= done % 2
        source.bits.skip(done * halves // 2)
        return done


trait Numbers(Copyable, Deinitable, Movable):
    """What draws numbers of one distribution, all of the same parameters, of whole words."""

    comptime ITEM: Int
    """Bytes of a number."""
    comptime NOTES: Int
    """Of how many numbers of a share it is noted where they begin."""

    def draw[
        B: Bits, //
    ](mut self, mut source: Source[B], target: Int, count: Int):
        """Stores so many numbers to an address."""
        ...


comptime _LEAST = 1 << 11
comptime _MOST = 1 << 14
"""Words of a share, at least and at most."""


def in_shares[
    B: Bits, N: Numbers, //
](mut source: Source[B], wish: Wish, numbers: N) -> Int:
    """Has threads store numbers, whatever words each takes; returns how many are stored.

    A thread begins at a word as if a number began there. Whether one does is known when the numbers
    before it are drawn: they end where one of the thread's first numbers begins, nearly always, and
    from that one on its numbers are right, since nothing but the place among the words decides.

    Args:
        source: What is drawn from; it goes on behind what is stored.
        wish: Where to, how many, and how many threads may take part.
        numbers: What draws them.
    """
    comptime if not B.JUMPS:
        return 0
    else:
        var tasks = task_count(wish.count, wish.threads)
        if tasks < 2 or not source.bits.is_fresh():
            return 0
        var skipped = 0
        var done = 0
        while True:
            var words = min(_MOST, (wish.count - done) // tasks)
            if words < _LEAST:
                source.bits.skip(skipped)
                return done
            done += _round(
                source,
                skipped,
                wish.target + N.ITEM * done,
                tasks,
                words,
                numbers,
            )


def _round[
    B: Bits, N: Numbers, //
](
    source: Source[B],
    mut skipped: Int,
    target: Int,
    tasks: Int,
    words: Int,
    numbers: N,
) -> Int:
    """Has each task draw numbers of as many words; returns how many follow one another.

    A number takes a word at least, so each task has room for its numbers; they are then moved to
    where they belong.
    """
    var ends = List[Int](length=tasks, fill=0)
    var counts = List[Int](length=tasks, fill=0)
    var notes = List[Int](length=tasks * N.NOTES, fill=0)
    var end_at = Int(ends.unsafe_ptr())
    var count_at = Int(counts.unsafe_ptr())
    var note_at = Int(notes.unsafe_ptr())
    var origin = source.words
    var before = skipped

    def share(index: Int) {imm}:
        var own = Source[B](origin, words)
        own.bits.skip(before + index * words)
        var mine = numbers.copy()
        var place = target + N.ITEM * words * index
        var note = note_at + 8 * N.NOTES * index
        var taken = 0
        var count = 0
        while taken < words and count < words:
            var more = 1
            if count < N.NOTES:
                store(note + 8 * count, taken)
            else:
                # half of those that are to be expected, so that the last ones end near the share's end
                var expected = (words - taken) * count // max(taken, 1)
                more = min(max(expected // 2, 1), words - count)
            mine.draw(own, place + N.ITEM * count, more)
            count += more
            taken = own.bits.taken()
        store(end_at + 8 * index, taken)
        store(count_at + 8 * index, count)

    parallel_for(share, tasks)
    var done = 0
    var position = 0
    for index in range(tasks):
        var begin = position - index * words
        var known = min(counts[index], N.NOTES)
        var first = 0
        while first < known and notes[index * N.NOTES + first] < begin:
            first += 1
        if first == known or notes[index * N.NOTES + first] != begin:
            break
        var count = counts[index] - first
        _ = external_call["memmove", Int](
            target + N.ITEM * done,
            target + N.ITEM * (words * index + first),
            N.ITEM * count,
        )
        done += count
        position = index * words + ends[index]
    skipped += position
    return done
