"""Steps on few elements, run one after another without a plan.

To plan them would take longer than they take. What is neither an elementwise step, nor a write to a
view, nor a kernel, is left to the planner. There is no bytecode for the checker: each
operand is looked at here, whether it lies within its memory.
"""

from std.ffi import external_call
from std.memory import stack_allocation
from elementwise.dispatch.operations import SELECT_N, opcode
from structured.operands.operand import (
    OK,
    Operand,
    Words as OperandWords,
)
from vm.base.buffers import new_buffer
from vm.base.bytecode import (
    CONVERT,
    FIRST_FUNCTION,
    FIRST_KERNEL,
    PROJECT,
    STORE,
    itemsize,
)
from vm.base.fields import (
    BUFFER_ADDRESS,
    BUFFER_GRANTED,
    BUFFER_POOL,
    BUFFER_SIZE,
    VALUE_BUFFER,
    VALUE_CODE,
    VALUE_ERRORS,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_PLACE,
    VALUE_SHAPE,
)
from elementwise.numbers.dtypes import COMPLEX128
from vm.base.errors import KEPT, SCALARS, watched
from vm.base.movement import fill_run, move_run
from vm.base.numbers import FIRST_FLOAT, bits_of
from vm.base.objects import item
from vm.base.parts import convert, run_elementwise, run_structured
from vm.base.pins import is_seen_by_others
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    LIST_ITEMS,
    LIST_SIZE,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    copy_bytes,
    drop,
    kept,
    load,
    refcount,
    store,
)
from vm.run.frame import (
    MOST_AXES,
    MOST_ELEMENTS,
    MOST_READ,
    ROOM,
    Frame,
    elements_of,
    fill_elements,
    fits,
    line_of,
    seen_by,
    size_of_shape,
    write_elements,
)
from vm.run.findings import Finding, Findings, FindingsPointer
from vm.run.look import (
    flags_of_kernel,
    is_silent,
    look,
    look_at_scalar,
    may_overflow,
    mind,
)
from vm.run.report import hand_over
from vm.run.state import StatePointer
from structured.threads.ieee import (
    DIVIDE,
    INVALID,
    OVERFLOW,
    lower_flags,
    raise_flags,
    raised,
)

comptime PLACES = 1 << 16
"""More than there can be references to a value in a log."""
comptime MOST_OPERANDS = 5
comptime MOST_RESULTS = 5
comptime MOST_PARAMS = 16
comptime _COPY = opcode("copy")
comptime _COPY_KERNEL = 0
"""The kernel that copies, the first one."""
comptime ANY = 1 << 40
"""More elements than memory holds."""
comptime WORK = MOST_ELEMENTS * (MOST_OPERANDS + 1)
"""What a step may cost, in the planner's measure."""
comptime READING = MOST_READ * (MOST_OPERANDS + 1)
"""What a step may cost that reads more elements."""
comptime WATCHED = 8
"""Steps after which the processor's flags are looked at."""
comptime FEW_STEPS = 2
"""Logs of no more steps run here with more elements: a plan would cost more than it saves."""


def run_directly(state: StatePointer) raises -> Bool:
    """Runs steps from the first one on, as long as it can; True if nothing is left to be planned.

    What has run is off the log. No Python code runs meanwhile: what is not needed any more is buried.
    """
    ref objects = state[].objects
    var count = load(objects.log, LIST_SIZE)
    if _asks(state, count * WORK, WORK):
        return False
    var most = MOST_READ
    if _asks(state, count * READING, READING):
        most = MOST_ELEMENTS
    var written = most // count if count <= FEW_STEPS else MOST_ELEMENTS
    state[].turn += 1
    state[].alone = count == 1
    var steps = load(objects.log, LIST_ITEMS)
    var done = 0
    try:
        while done < count:
            var step = steps + 8 * done
            var results = _results(state, step, count - done)
            if results > 1:
                if not _settle_several(state, step, results, most, written):
                    break
            elif not _settle(state, load(step, 0), most, written):
                break
            done += results
    except:
        external_call["PyErr_Clear", NoneType]()  # the planner raises it again
    _close_window(state)
    objects.runs += Int(done > 0)
    objects.small_steps += done
    for k in range(done):
        state[].graves.append(load(steps, k))
    for k in range(count - done):
        store(steps, k, load(steps, done + k))
    store(objects.log, LIST_SIZE, count - done)
    return done == count


@always_inline
def _asks(state: StatePointer, work: Int, step: Int) -> Bool:
    """Whether the policy asks about so much work, given that of a step."""
    return work >= state[].threshold and step >= state[].per_step


@always_inline
def _results(state: StatePointer, step: Int, count: Int) -> Int:
    """How many results a step has: behind a kernel with several are steps that name the others."""
    ref api = state[].objects.api
    var results = 1
    while (
        results < count
        and api.small_int(load(load(step, results), VALUE_CODE)) & 0xFFFF
        == PROJECT
    ):
        results += 1
    return results


def _settle(
    state: StatePointer, value: Int, most: Int, written: Int
) raises -> Bool:
    """Computes a value if somebody needs it, and buries its history; False if it must be planned.

    A kernel may read arrays of `most` elements; a result may have as many as may be written.
    """
    # the log refers to it
    if (
        refcount(value) - _released(state, value) > 1
        or load(value, VALUE_ERRORS) & KEPT != 0
    ):
        if not _is_small(state, value, written) or not _run(state, value, most):
            return False
    _forget(state, value)
    return True


def _settle_several(
    state: StatePointer, step: Int, results: Int, most: Int, written: Int
) raises -> Bool:
    """The same of a kernel and of the steps behind it that name its other results."""
    var kernel = load(step, 0)
    # the log and its other results refer to it
    var others = refcount(kernel) - _released(state, kernel) - results
    var is_wanted = others > 0 or load(kernel, VALUE_ERRORS) & KEPT != 0
    for k in range(1, results):
        var result = load(step, k)
        is_wanted |= refcount(result) - _released(state, result) > 1
    if is_wanted:
        if not _is_small(state, kernel, written):
            return False
        for k in range(1, results):
            var shape = load(load(step, k), VALUE_SHAPE)
            if not 0 < size_of_shape(state, shape) <= written:
                return False
        _close_window(state)
        if not _run_several(state, step, results, most):
            return False
    for k in range(results):
        _forget(state, load(step, k))
    return True


def _forget(state: StatePointer, value: Int):
    """Buries the history of a value that has been computed, or that nobody needs."""
    ref api = state[].objects.api
    _release(state, value)
    var inputs = load(value, VALUE_INPUTS)
    if refcount(inputs) == 1:
        for k in range(load(inputs, TUPLE_SIZE)):
            if load(item(inputs, k), TYPE) == api.value_type:
                _release(state, item(inputs, k))
    _bury(state, value, VALUE_INPUTS, api.empty)
    _bury(state, value, VALUE_LAYOUTS, api.none)
    _bury(state, value, VALUE_PARAMS, api.none)


@always_inline
def _bury(state: StatePointer, value: Int, field: Int, new: Int):
    var old = load(value, field)
    if old != new:
        store(value, field, kept(new))
        state[].graves.append(old)


# A value's place says how many of the references to it are buried, or the log's: they will go.


@always_inline
def _released(state: StatePointer, value: Int) -> Int:
    var place = load(value, VALUE_PLACE)
    return place % PLACES if place // PLACES == state[].turn else 0


def _release(state: StatePointer, value: Int):
    """Counts a reference that will go; if it was the last one, the memory goes at once."""
    var released = _released(state, value) + 1
    store(value, VALUE_PLACE, state[].turn * PLACES + released)
    var buffer = load(value, VALUE_BUFFER)
    ref api = state[].objects.api
    if (
        released == refcount(value)
        and load(buffer, TYPE) == api.buffer_type
        and load(buffer, BUFFER_POOL) != 0
    ):
        if state[].watching > 0:
            state[].late.append(value)
            return
        store(value, VALUE_BUFFER, kept(api.none))
        drop(buffer)


# -- what steps raise


def _watch(state: StatePointer, value: Int):
    """Keeps a step that has run until the flags are looked at."""
    var at = Int(state[].window.unsafe_ptr()) + 24 * state[].watching
    store(at, 0, value)
    store(at, 1, load(value, VALUE_INPUTS))
    store(at, 2, load(value, VALUE_LAYOUTS))
    state[].watching += 1
    if state[].watching == WATCHED or state[].alone:
        _look_at_window(state)


@always_inline
def _close_window(state: StatePointer):
    """Ends what is looked at together."""
    if state[].watching > 0:
        _look_at_window(state)


@no_inline
def _look_at_window(state: StatePointer):
    """Looks at the steps that have run, if a flag was raised, and releases what they have read."""
    var window = Int(state[].window.unsafe_ptr())
    var errors = 0
    for k in range(state[].watching):
        errors |= load(load(window, 3 * k), VALUE_ERRORS)
    if raised() & watched(errors) != 0:
        for k in range(0, 3 * state[].watching, 3):
            try:
                _look_at(
                    state,
                    load(window, k),
                    load(window, k + 1),
                    load(window, k + 2),
                )
            except:
                external_call["PyErr_Clear", NoneType]()
        lower_flags()
    state[].watching = 0
    ref api = state[].objects.api
    while len(state[].late) > 0:
        var value = state[].late.pop()
        drop(load(value, VALUE_BUFFER))
        store(value, VALUE_BUFFER, kept(api.none))


@no_inline
def _look_at(state: StatePointer, value: Int, inputs: Int, layouts: Int) raises:
    """Runs a step once more, and looks at its results."""
    ref api = state[].objects.api
    var code = api.small_int(load(value, VALUE_CODE))
    var size = size_of_shape(state, load(value, VALUE_SHAPE))
    var results = List[UInt8](length=16 * size + 64, fill=0)
    var findings = Findings(watched(load(value, VALUE_ERRORS)))
    var target = Int(results.unsafe_ptr())
    _ = _run_elementwise(
        state,
        value,
        inputs,
        layouts,
        code,
        size,
        target,
        Int(Pointer(to=findings)),
    )
    _ = results^
    for finding in findings.found:
        hand_over(state[].objects, value, finding)


def _is_small(state: StatePointer, value: Int, written: Int) -> Bool:
    """Whether a step may be one for here, as far as its operation and its result say."""
    ref api = state[].objects.api
    var operation = api.small_int(load(value, VALUE_CODE)) & 0xFFFF
    if load(value, VALUE_BUFFER) != api.none:
        return False
    if load(load(value, VALUE_INPUTS), TUPLE_SIZE) > MOST_OPERANDS:
        return False
    if operation == STORE:
        var layouts = load(value, VALUE_LAYOUTS)
        if layouts == api.none or item(layouts, 0) == api.none:
            return False
        return 0 < seen_by(item(layouts, 0)) <= MOST_ELEMENTS
    if _is_in_place(state, operation) and _takes_over(state, value):
        return True
    var size = size_of_shape(state, load(value, VALUE_SHAPE))
    if not 0 < size <= written:
        return False
    return operation <= CONVERT or FIRST_KERNEL <= operation < FIRST_FUNCTION


@always_inline
def _is_in_place(state: StatePointer, operation: Int) -> Bool:
    """Whether a step is that of a kernel which changes its first operand."""
    if not FIRST_KERNEL <= operation < FIRST_FUNCTION:
        return False
    return state[].objects.api.in_place[operation - FIRST_KERNEL] != 0


def _run(state: StatePointer, value: Int, most: Int) raises -> Bool:
    """Computes a value; False if it must be planned."""
    ref objects = state[].objects
    ref api = objects.api
    var code = api.small_int(load(value, VALUE_CODE))
    var result = (code >> 24) & 0xFF
    if code & 0xFFFF == STORE or code & 0xFFFF >= FIRST_KERNEL:
        _close_window(state)
    if code & 0xFFFF == STORE and _takes_over(state, value):
        return _write_part(state, value, code, 0)
    var in_place = _is_in_place(state, code & 0xFFFF)
    if in_place and _takes_over(state, value):
        return _change(state, value, code, most)
    var size = size_of_shape(state, load(value, VALUE_SHAPE))
    if size > MOST_ELEMENTS and code & 0xFFFF == STORE:
        return False
    var nbytes = size * itemsize(result)
    var block = state[].pool.allocate(nbytes)
    if block == 0:
        return False
    var done: Bool
    if code & 0xFFFF == STORE:
        done = _write_part(state, value, code, block)
    elif code & 0xFFFF <= CONVERT:
        done = size > MOST_ELEMENTS and _copy_axes(
            state, value, code, block, most
        )
        done = done or _run_watched(state, value, code, size, block)
    elif in_place:
        done = _change_copy(state, value, code, block, nbytes, most)
    else:
        done = _run_kernel(state, value, code, block, most)
    if not done:
        state[].pool.release(block, nbytes)
        return False
    _give(state, value, block, nbytes)
    return True


def _give(state: StatePointer, value: Int, block: Int, nbytes: Int) raises:
    """Makes a block the memory of a value."""
    ref api = state[].objects.api
    var buffer = new_buffer(
        api.buffer_type, block, nbytes, Int(Pointer(to=state[].pool))
    )
    if buffer == 0:
        raise Error("out of memory")
    store(value, VALUE_BUFFER, buffer)
    drop(api.none)


def _run_several(
    state: StatePointer, step: Int, results: Int, most: Int
) raises -> Bool:
    """Computes all results of a kernel; False if it must be planned."""
    ref api = state[].objects.api
    var code = api.small_int(load(load(step, 0), VALUE_CODE))
    if results > MOST_RESULTS or _is_in_place(state, code & 0xFFFF):
        return False
    var blocks = stack_allocation[MOST_RESULTS, Int64]()
    var sizes = stack_allocation[MOST_RESULTS, Int64]()
    var made = 0
    while made < results:
        var value = load(step, made)
        var dtype = (api.small_int(load(value, VALUE_CODE)) >> 24) & 0xFF
        var nbytes = size_of_shape(state, load(value, VALUE_SHAPE)) * itemsize(
            dtype
        )
        var block = state[].pool.allocate(nbytes)
        if block == 0:
            break
        store(Int(blocks), made, block)
        store(Int(sizes), made, nbytes)
        made += 1
    var done = made == results and _run_kernel_to(
        state, step, Int(blocks), results, code, most, False
    )
    for k in range(made):
        var block = load(Int(blocks), k)
        if done:
            _give(state, load(step, k), block, load(Int(sizes), k))
        else:
            state[].pool.release(block, load(Int(sizes), k))
    return done


@always_inline
def _run_watched(
    state: StatePointer, value: Int, code: Int, size: Int, target: Int
) raises -> Bool:
    var errors = load(value, VALUE_ERRORS)
    if errors != 0 and state[].watching == 0:
        lower_flags()
    var inputs = load(value, VALUE_INPUTS)
    var layouts = load(value, VALUE_LAYOUTS)
    if not _run_elementwise(
        state, value, inputs, layouts, code, size, target, 0
    ):
        return False
    if errors != 0:
        _watch(state, value)
    return True


def _run_elementwise(
    state: StatePointer,
    value: Int,
    inputs: Int,
    layouts: Int,
    code: Int,
    size: Int,
    target: Int,
    seen: Int,
) raises -> Bool:
    """Runs a step; its results are looked at if there is an address of findings in `seen`."""
    ref api = state[].objects.api
    var operation = code & 0xFFFF
    var dtype = (code >> 16) & 0xFF
    var errors = load(value, VALUE_ERRORS)
    var shape = load(value, VALUE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if rank > MOST_AXES:
        return False
    var extents = stack_allocation[MOST_AXES, Int64]()
    for axis in range(rank):
        store(Int(extents), axis, api.small_int(item(shape, axis)))
    var frame = Frame(rank, Int(extents), size)
    var rooms = stack_allocation[3 * ROOM, UInt8]()
    var found: Array[Int, 3] = [0, 0, 0]
    var steps: Array[Int, 3] = [0, 0, 0]
    var lines: Array[Int, 3] = [0, 0, 0]
    for k in range(load(inputs, TUPLE_SIZE)):
        var operand = item(inputs, k)
        var room = Int(rooms) + k * ROOM
        if load(operand, TYPE) == api.value_type:
            var is_mask = operation == SELECT_N and k == 0
            var layout = api.none if layouts == api.none else item(layouts, k)
            var read = 0 if is_mask else dtype
            found[k] = elements_of(state, operand, layout, read, frame, room)
            steps[k] = itemsize(read)
            if found[k] == 0 and size > MOST_ELEMENTS:
                # elements of a line are packed piece by piece
                found[k] = line_of(
                    state, operand, layout, read, frame, lines[k]
                )
                if found[k] != 0 and lines[k] == 0:
                    fill_run(room, found[k], MOST_ELEMENTS, steps[k])
                    found[k] = room
                    steps[k] = 0
            if found[k] == 0:
                return False
        else:
            if dtype == COMPLEX128:
                return False
            found[k] = room
            var is_float = load(operand, TYPE) == api.float_type
            var bits = bits_of(operand, is_float, dtype)
            fill_elements(room, bits, dtype, min(size, MOST_ELEMENTS))
    var goes_to = (code >> 24) & 0xFF
    for start in range(0, size, MOST_ELEMENTS):
        var n = min(size - start, MOST_ELEMENTS)
        var at: Array[Int, 3] = [0, 0, 0]
        for k in range(3):
            at[k] = found[k] + start * steps[k]
            if lines[k] != 0:
                var source = found[k] + start * lines[k]
                at[k] = Int(rooms) + k * ROOM
                move_run(at[k], steps[k], source, lines[k], n, steps[k])
        var part = target + start * itemsize(goes_to)
        if errors != 0:
            if is_silent(operation, dtype, goes_to):
                mind(operation, dtype, goes_to, at[0], at[1], n)
            elif errors & SCALARS != 0 and dtype < FIRST_FLOAT:
                if may_overflow(operation, dtype, at[0], at[1]):
                    raise_flags(INVALID | DIVIDE | OVERFLOW)
        if operation == CONVERT:
            if not convert(dtype, goes_to, part, at[0], n):
                return False
        elif not run_elementwise(
            operation, dtype, part, at[0], at[1], at[2], n
        ):
            return False
        if seen != 0:
            ref findings = FindingsPointer(unsafe_from_address=seen)[]
            if errors & SCALARS != 0:
                look_at_scalar(
                    operation, dtype, goes_to, at[0], at[1], part, 0, findings
                )
            else:
                look(
                    operation,
                    dtype,
                    goes_to,
                    at[0],
                    at[1],
                    part,
                    n,
                    0,
                    findings,
                )
    return True


# -- writes


def _takes_over(state: StatePointer, value: Int) -> Bool:
    """Whether a write may go to the memory of the old value, which nobody else refers to."""
    var inputs = load(value, VALUE_INPUTS)
    var old = item(inputs, 0)
    var buffer = load(old, VALUE_BUFFER)
    return (
        refcount(inputs) == 1
        and refcount(old) - _released(state, old) == 1
        and load(buffer, TYPE) == state[].objects.api.buffer_type
        and not is_seen_by_others(buffer)
        and (load(buffer, BUFFER_POOL) != 0 or load(buffer, BUFFER_GRANTED) > 0)
    )


def _write_part(
    state: StatePointer, value: Int, code: Int, block: Int
) raises -> Bool:
    """Writes to a part of a copy of the old value in a block; of itself if the block is 0."""
    ref api = state[].objects.api
    var dtype = (code >> 24) & 0xFF
    var inputs = load(value, VALUE_INPUTS)
    var old = item(inputs, 0)
    var source = item(inputs, 1)
    var layout = item(load(value, VALUE_LAYOUTS), 0)
    var buffer = load(old, VALUE_BUFFER)
    if (
        (code >> 16) & 0xFF != dtype
        or array_rank(layout) > MOST_AXES
        or load(buffer, TYPE) != api.buffer_type
        or not fits(state, layout, dtype, buffer)
        or dtype == COMPLEX128
    ):
        return False
    var count = seen_by(layout)
    var frame = Frame(array_rank(layout), load(layout, ARRAY_SHAPE), count)
    var room = stack_allocation[ROOM, UInt8]()
    var read = Int(room)
    var step = itemsize(dtype)
    if load(source, TYPE) == api.value_type:
        var seen = item(load(value, VALUE_LAYOUTS), 1)
        read = elements_of(state, source, seen, dtype, frame, Int(room))
        if read == 0:
            return False
    else:
        var is_float = load(source, TYPE) == api.float_type
        fill_elements(Int(room), bits_of(source, is_float, dtype), dtype, 1)
        step = 0
    var target = load(buffer, BUFFER_ADDRESS)
    if block != 0:
        copy_bytes(block, target, load(buffer, BUFFER_SIZE))
        target = block
    else:
        store(value, VALUE_BUFFER, buffer)
        store(old, VALUE_BUFFER, api.none)
    target += load(layout, ARRAY_DATA) - api.region
    var strides = load(layout, ARRAY_STRIDES)
    write_elements(frame, strides, target, read, step, itemsize(dtype))
    return True


# -- kernels


def _copy_axes(
    state: StatePointer, value: Int, code: Int, target: Int, most: Int
) raises -> Bool:
    """Copies what has several axes and lies in another order, by the kernel for that."""
    var layouts = load(value, VALUE_LAYOUTS)
    if code & 0xFFFF != _COPY or layouts == state[].objects.api.none:
        return False
    var kernel = code & ~0xFFFF | FIRST_KERNEL + _COPY_KERNEL
    return _run_kernel(state, value, kernel, target, most)


def _change(
    state: StatePointer, value: Int, code: Int, most: Int
) raises -> Bool:
    """Runs a kernel that changes its first operand, in the memory of that."""
    var old = item(load(value, VALUE_INPUTS), 0)
    var buffer = load(old, VALUE_BUFFER)
    var address = load(buffer, BUFFER_ADDRESS)
    if not _run_kernel(state, value, code, address, most, True):
        return False
    store(value, VALUE_BUFFER, buffer)
    store(old, VALUE_BUFFER, state[].objects.api.none)
    return True


def _change_copy(
    state: StatePointer,
    value: Int,
    code: Int,
    block: Int,
    nbytes: Int,
    most: Int,
) raises -> Bool:
    """Runs a kernel that changes its first operand, on a copy of that in a block."""
    var buffer = load(item(load(value, VALUE_INPUTS), 0), VALUE_BUFFER)
    if (
        load(buffer, TYPE) != state[].objects.api.buffer_type
        or load(buffer, BUFFER_SIZE) < nbytes
    ):
        return False
    copy_bytes(block, load(buffer, BUFFER_ADDRESS), nbytes)
    return _run_kernel(state, value, code, block, most, True)


def _run_kernel(
    state: StatePointer,
    value: Int,
    code: Int,
    target: Int,
    most: Int,
    in_place: Bool = False,
) raises -> Bool:
    """Runs a kernel with a result at a target, where its first operand lies if `in_place`."""
    var step = stack_allocation[1, Int64]()
    var block = stack_allocation[1, Int64]()
    store(Int(step), 0, value)
    store(Int(block), 0, target)
    return _run_kernel_to(
        state,
        Int(step),
        Int(block),
        Int(not in_place),
        code,
        most,
        in_place,
    )


def _run_kernel_to(
    state: StatePointer,
    step: Int,
    targets: Int,
    results: Int,
    code: Int,
    most: Int,
    in_place: Bool,
) raises -> Bool:
    """Runs a kernel.

    Args:
        state: The machine's.
        step: The address of its values, one for each result.
        targets: The address of where results go; of where the first operand lies if `in_place`.
        results: How many results there are beside that operand.
        code: The kernel's step.
        most: The elements that an operand may have.
        in_place: Whether it changes its first operand.
    """
    ref api = state[].objects.api
    var value = load(step, 0)
    var inputs = load(value, VALUE_INPUTS)
    var layouts = load(value, VALUE_LAYOUTS)
    var params = load(value, VALUE_PARAMS)
    var count = load(inputs, TUPLE_SIZE)
    comptime most_operands = MOST_OPERANDS + MOST_RESULTS
    var operands = stack_allocation[most_operands, Operand]()
    var axes = stack_allocation[2 * MOST_AXES * most_operands, Int64]()
    var numbers = stack_allocation[MOST_OPERANDS, Int64]()
    for k in range(results):
        var made = load(step, k)
        var dtype = (api.small_int(load(made, VALUE_CODE)) >> 24) & 0xFF
        var room = Int(axes) + 16 * MOST_AXES * k
        ref operand = operands[unsafe_offset=k]
        var address = load(targets, k)
        if _whole(state, made, address, dtype, room, most, operand) == 0:
            return False
    for k in range(count):
        var operand = item(inputs, k)
        var place = k + results
        if load(operand, TYPE) != api.value_type:
            var room = Int(numbers) + 8 * k
            operands[unsafe_offset=place] = _number(state, operand, code, room)
            if operands[unsafe_offset=place].dtype == COMPLEX128:
                return False
            continue
        var changed = in_place and k == 0
        if not _seen(
            state,
            operand,
            api.none if layouts == api.none else item(layouts, k),
            load(targets, 0) if changed else 0,
            Int(axes) + 16 * MOST_AXES * place,
            ANY if changed else most,
            operands[unsafe_offset=place],
        ):
            return False
    var nparams = 0
    var words = stack_allocation[MOST_PARAMS, Int64]()
    if params != api.none:
        nparams = load(params, TUPLE_SIZE)
        if nparams > MOST_PARAMS:
            return False
        for k in range(nparams):
            store(Int(words), k, api.small_int(item(params, k)))
    ref machine = state[].machine
    var errors = load(value, VALUE_ERRORS)
    if errors != 0:
        lower_flags()
    var status = run_structured(
        (code & 0xFFFF) - FIRST_KERNEL,
        Pointer[Operand, MutUntrackedOrigin](unsafe_from_address=Int(operands)),
        count + results,
        OperandWords(unsafe_from_address=Int(words)),
        nparams,
        machine.threads,
        OperandWords(unsafe_from_address=Int(machine.fault.unsafe_ptr())),
    )
    if errors != 0 and status == OK:
        var flags = raised() & watched(errors)
        if flags != 0:
            flags &= flags_of_kernel(
                [operands[unsafe_offset=k] for k in range(count + results)]
            )
        if flags != 0:
            hand_over(state[].objects, value, Finding(0, flags))
    return status == OK


def _seen(
    state: StatePointer,
    value: Int,
    layout: Int,
    copied: Int,
    room: Int,
    most: Int,
    mut operand: Operand,
) -> Bool:
    """Makes an operand of a computed value as a step reads it, given room for axes.

    False if there are no elements, or more than `most`. They are read from a copy if its address is
    given, else where the value has them.
    """
    ref api = state[].objects.api
    var buffer = load(value, VALUE_BUFFER)
    if load(buffer, TYPE) != api.buffer_type:
        return False
    var dtype = api.small_int(load(value, VALUE_CODE)) >> 24 & 0xFF
    var address = copied if copied != 0 else load(buffer, BUFFER_ADDRESS)
    if layout == api.none:
        var nbytes = _whole(state, value, address, dtype, room, most, operand)
        return 0 < nbytes <= load(buffer, BUFFER_SIZE)
    operand = Operand(
        address + load(layout, ARRAY_DATA) - api.region,
        dtype,
        array_rank(layout),
        OperandWords(unsafe_from_address=load(layout, ARRAY_SHAPE)),
        OperandWords(unsafe_from_address=load(layout, ARRAY_STRIDES)),
    )
    return fits(state, layout, dtype, buffer) and 0 < seen_by(layout) <= most


def _number(
    state: StatePointer, operand: Int, code: Int, room: Int
) raises -> Operand:
    """A number of the dtype that a step reads, which is written to eight bytes of room.

    One of complex128 does not fit there.
    """
    var dtype = (code >> 16) & 0xFF
    if dtype != COMPLEX128:
        ref api = state[].objects.api
        var is_float = load(operand, TYPE) == api.float_type
        fill_elements(room, bits_of(operand, is_float, dtype), dtype, 1)
    var none = OperandWords(unsafe_from_address=room)
    return Operand(room, dtype, 0, none, none)


def _whole(
    state: StatePointer,
    value: Int,
    address: Int,
    dtype: Int,
    room: Int,
    most: Int,
    mut operand: Operand,
) -> Int:
    """Makes an operand of all elements of a value, given room for axes; their bytes.

    0 if there are none, or more than `most`.
    """
    var shape = load(value, VALUE_SHAPE)
    var rank = load(shape, TUPLE_SIZE)
    if rank > MOST_AXES:
        return 0
    var stride = itemsize(dtype)
    for axis in reversed(range(rank)):
        var extent = state[].objects.api.small_int(item(shape, axis))
        store(room, axis, extent)
        store(room, MOST_AXES + axis, stride)
        stride *= extent
        if not 0 < stride <= most * itemsize(dtype):
            return 0
    operand = Operand(
        address,
        dtype,
        rank,
        OperandWords(unsafe_from_address=room),
        OperandWords(unsafe_from_address=room + 8 * MOST_AXES),
    )
    return stride
