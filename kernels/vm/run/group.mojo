"""Runs a GROUP: shares its blocks among threads, counts it, and takes its fused loop if it has one."""

from std.math import ceildiv
from std.sys import size_of
from std.time import perf_counter_ns

from structured.movement.copy import copy_nest
from vm.base.functions import Functions
from vm.base.raw import Words, words
from vm.run.blocks import Blocks
from vm.run.folded import Folded
from vm.run.findings import Findings, FindingsPointer
from vm.run.fused import HotGroupsPointer, WORTH_COUNTING
from vm.run.look import flags_of_results
from structured.threads.ieee import lower_flags, raised
from structured.threads.threads import parallel_for, part, task_count

comptime FLAGS = 8
"""Words before the registers; the first tells that a step was refused."""
comptime TOGETHER = 16
"""Units after which the processor's flags are looked at: to read them takes as long as to add a hundred
numbers."""


def run_group(
    group: Words,
    slots: List[Int],
    mut scratch: List[Int],
    threads: Int,
    functions: Functions,
    hot: Optional[HotGroupsPointer],
    mut findings: Findings,
) -> Bool:
    """Runs the GROUP instruction at `group`; False when a kernel refuses a step.

    Args:
        group: The instruction's words.
        slots: Address of each slot.
        scratch: Memory kept between runs, one block of registers a thread.
        threads: Threads to use for large work.
        functions: The functions of users.
        hot: Where groups are counted, and their fused loops are, if that is wanted.
        findings: Takes what the steps raise, in places that count from the group's first word.
    """
    var blocks = Blocks(group, slots, functions)
    if blocks.size == 0:
        return True
    var moving = blocks.moving()
    if moving:
        var nest = moving.take()
        copy_nest(nest, blocks.sources[0].itemsize, threads)
        return True
    var tasks = task_count(blocks.size * blocks.steps, threads)
    var folded = Folded(blocks, tasks)
    var units = folded.units if len(blocks.folds) > 0 else blocks.count
    tasks = min(tasks, units)
    var filling = blocks.fill_step()
    var watched = 0 if filling else findings.watched
    if watched != 0:
        blocks.find_silent()
        blocks.find_overwritten()
    var behind = (
        blocks.registers * blocks.register
        + blocks.room_of_fused()
        + blocks.room_of_overwritten()
    )
    var span = behind + folded.room()
    if len(scratch) * 8 < FLAGS * 8 + tasks * span:
        scratch.resize(FLAGS + ceildiv(tasks * span, 8), 0)
    scratch[0] = 0
    var flag = Int(scratch.unsafe_ptr())
    var base = flag + FLAGS * 8
    var place = -1
    var loop = 0
    var since = 0
    if (
        hot
        and not filling
        and blocks.size * blocks.steps >= WORTH_COUNTING
        and hot.value()[].is_counting()
    ):
        ref groups = hot.value()[]
        place = groups.place_of(blocks.description())
        if place >= 0:
            loop = groups.groups[place].used()
            since = Int(perf_counter_ns())
    var each = List[Findings]()
    if watched != 0:
        for _ in range(tasks):
            each.append(Findings(watched))
    var notes = Int(each.unsafe_ptr())

    def share(task: Int) {imm}:
        var first = part(units, task, tasks)
        var end = part(units, task + 1, tasks)
        if filling:
            blocks.fill(filling.value(), first, end)
            return
        var mine = base + task * span
        # a loop reads one element for all where it is, but who looks does not
        if loop == 0 or watched != 0:
            blocks.splat(mine)
        var done: Bool
        if watched == 0:
            done = _run_units(blocks, folded, loop, first, end, mine, behind, 0)
        else:
            var seen = notes + task * size_of[Findings]()
            done = _run_watched(
                blocks, folded, loop, first, end, mine, behind, seen
            )
        if not done:
            words(flag)[] = 1

    parallel_for(share, tasks)
    folded.finish()
    if watched != 0:
        for k in range(len(each)):
            findings.join(each[k], 0)
        var folds = (findings.folds | raised()) & watched
        findings.folds = 0
        _find_folds(blocks, folded, folds, findings)
    if place >= 0:
        hot.value()[].count(place, blocks.size, max(tasks, 1), since)
    return scratch[0] == 0


@always_inline
def _run_units(
    ref blocks: Blocks,
    ref folded: Folded,
    loop: Int,
    first: Int,
    end: Int,
    scratch: Int,
    behind: Int,
    seen: Int,
) -> Bool:
    """Runs units from one to another; False when a kernel refuses a step."""
    for unit in range(first, end):
        var done: Bool
        if len(blocks.folds) > 0:
            done = folded.run(
                blocks, loop, unit, scratch, scratch + behind, seen
            )
        else:
            done = blocks.run_unit(loop, unit, scratch, seen)
        if not done:
            return False
    return True


def _run_watched(
    ref blocks: Blocks,
    ref folded: Folded,
    loop: Int,
    first: Int,
    end: Int,
    scratch: Int,
    behind: Int,
    seen: Int,
) -> Bool:
    """The same, and finds what is raised.

    Where the group keeps what it reads, units run once more that have raised something; else what is
    overwritten is kept, and each block looked at as it runs.
    """
    ref findings = FindingsPointer(unsafe_from_address=seen)[]
    lower_flags()
    var start = first
    while start < end:
        var until = min(start + TOGETHER, end)
        var looks = findings.goes_on()
        var at_once = seen if looks and blocks.is_in_place else 0
        if not _run_units(
            blocks, folded, loop, start, until, scratch, behind, at_once
        ):
            return False
        if looks and at_once == 0 and raised() & findings.watched != 0:
            lower_flags()
            if not _run_units(
                blocks, folded, 0, start, until, scratch, behind, seen
            ):
                return False
            lower_flags()
        start = until
    lower_flags()
    return True


def _find_folds(
    ref blocks: Blocks, ref folded: Folded, flags: Int, mut findings: Findings
):
    """Notes which reductions have raised flags, as their results tell."""
    if flags == 0:
        return
    for k in blocks.folds:
        var code = blocks.fold(k).result
        var address = blocks.sources[k].address
        var found = flags & flags_of_results(code, address, folded.size())
        if found != 0:
            findings.add_flags(blocks.operand(k), found)
