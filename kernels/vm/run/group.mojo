"""Runs a GROUP: shares its blocks among threads, counts it, and takes its fused loop if it has one."""

from std.math import ceildiv
from std.time import perf_counter_ns

from vm.base.functions import Functions
from vm.base.raw import Words, words
from vm.run.blocks import REGISTER, Blocks
from vm.run.folded import Folded
from vm.run.fused import HotGroupsPointer, WORTH_COUNTING
from structured.threads.threads import parallel_for, part, task_count

comptime FLAGS = 8
"""Words before the registers; the first tells that a step was refused."""


def run_group(
    group: Words,
    slots: List[Int],
    mut scratch: List[Int],
    threads: Int,
    functions: Functions,
    hot: Optional[HotGroupsPointer],
) -> Bool:
    """Runs the GROUP instruction at `group`; False when a kernel refuses a step.

    Args:
        group: The instruction's words.
        slots: Address of each slot.
        scratch: Memory kept between runs, one block of registers a thread.
        threads: Threads to use for large work.
        functions: The functions of users.
        hot: Where groups are counted, and their fused loops are, if that is wanted.
    """
    var blocks = Blocks(group, slots, functions)
    if blocks.size == 0:
        return True
    var tasks = task_count(blocks.size * blocks.steps, threads)
    var folded = Folded(blocks, tasks)
    var units = folded.units if len(blocks.folds) > 0 else blocks.count
    tasks = min(tasks, units)
    var behind = blocks.registers * REGISTER + blocks.room_of_fused()
    var span = behind + folded.room()
    if len(scratch) * 8 < FLAGS * 8 + tasks * span:
        scratch.resize(FLAGS + ceildiv(tasks * span, 8), 0)
    scratch[0] = 0
    var flag = Int(scratch.unsafe_ptr())
    var base = flag + FLAGS * 8
    var filling = blocks.fill_step()
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

    def share(task: Int) {imm}:
        var first = part(units, task, tasks)
        var end = part(units, task + 1, tasks)
        if filling:
            blocks.fill(filling.value(), first, end)
            return
        var mine = base + task * span
        if loop == 0:  # which reads one element for all where it is
            blocks.splat(mine)
        for unit in range(first, end):
            var done: Bool
            if len(blocks.folds) > 0:
                done = folded.run(blocks, loop, unit, mine, mine + behind)
            else:
                done = blocks.run_unit(loop, unit, mine)
            if not done:
                words(flag)[] = 1
                return

    parallel_for(share, tasks)
    folded.finish()
    if place >= 0:
        hot.value()[].count(place, blocks.size, since)
    return scratch[0] == 0
