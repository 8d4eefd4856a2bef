"""Sorting one long row on several threads: parts, then merges of parts."""
from structured.operands.memory import move_bytes
from structured.search.radix import Sortable, merge, sort_rows
from structured.threads.threads import parallel_for, part

comptime _MOST_PARTS = 8


def _part_of(rows: Sortable, index: Int, parts: Int) -> Sortable:
    """Share `index` of the row."""
    var start = part(rows.count, index, parts)
    var paired = rows.companions != 0
    return Sortable(
        rows.words + start * 8,
        rows.spare_words + start * 8,
        rows.companions + start * 4 if paired else 0,
        rows.spare_companions + start * 4 if paired else 0,
        part(rows.count, index + 1, parts) - start,
    )


def _sort_in_place(rows: Sortable, low: Int):
    """Sorts a part of a row; the result stays where the words were."""
    var mine = rows
    sort_rows(mine, low)
    if mine.words != rows.words:
        move_bytes(rows.words, mine.words, 8 * rows.count)
        if rows.companions != 0:
            move_bytes(rows.companions, mine.companions, 4 * rows.count)


def _from_first(
    rows: Sortable, start: Int, middle: Int, end: Int, count: Int
) -> Int:
    """How many of the first `count` of two merged runs are of the first run."""
    var least = max(0, count - (end - middle))
    var most = min(count, middle - start)
    while least < most:
        var here = (least + most) // 2
        if rows.word(start + here) <= rows.word(middle + count - here - 1):
            least = here + 1
        else:
            most = here
    return least


def _merge_piece(
    rows: Sortable, start: Int, middle: Int, end: Int, first: Int, last: Int
):
    """Writes the elements from number `first` to `last` of two merged runs."""
    var a = _from_first(rows, start, middle, end, first)
    var a_end = start + _from_first(rows, start, middle, end, last)
    var b = middle + first - a
    var b_end = middle + last - (a_end - start)
    if rows.companions == 0:
        merge[False](rows, start + a, a_end, b, b_end, start + first)
    else:
        merge[True](rows, start + a, a_end, b, b_end, start + first)


def _merge_level(rows: Sortable, runs: Int, parts: Int):
    """Merges pairs of `runs` runs into the spare areas, in `parts` pieces altogether."""
    var pieces = parts * 2 // runs

    def share(index: Int) {imm}:
        var pair = index // pieces
        var piece = index % pieces
        var start = part(rows.count, 2 * pair, runs)
        var middle = part(rows.count, 2 * pair + 1, runs)
        var end = part(rows.count, 2 * pair + 2, runs)
        var first = part(end - start, piece, pieces)
        var last = part(end - start, piece + 1, pieces)
        _merge_piece(rows, start, middle, end, first, last)

    parallel_for(share, parts)


def sort_long_row(mut rows: Sortable, low: Int, threads: Int):
    """Sorts as `radix.sort_rows` does, on several threads."""
    var parts = 1
    while 2 * parts <= min(threads, _MOST_PARTS):
        parts *= 2
    if parts == 1:
        sort_rows(rows, low)
        return
    # The tasks capture a row that nobody changes.
    var whole = rows

    def share(index: Int) {imm}:
        _sort_in_place(_part_of(whole, index, parts), low)

    parallel_for(share, parts)
    var runs = parts
    while runs > 1:
        _merge_level(rows, runs, parts)
        rows.flip()
        runs //= 2
