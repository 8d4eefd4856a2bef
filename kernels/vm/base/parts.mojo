"""The parts of the library that are compiled apart, so that they are compiled at once.

Each is a source file of its own, whose C functions are declared here: `elementwise_part.mojo` and
`structured_part.mojo`; `random_part.mojo` has others that Python calls (jujunp/random/_draws/library.py), and a kernel. The Mojo compiler makes an object file of each, and of `jjvm.mojo`, and links
them (build.py).
"""

from std.ffi import external_call
from structured.operands.operand import Operands, Words
from vm.base.bytecode import Fold

comptime FOLD_BYTES = 160
"""Room for a prepared fold."""


@always_inline
def run_elementwise(
    op: Int, dtype: Int, dst: Int, a: Int, b: Int, c: Int, n: Int
) -> Bool:
    """Runs an elementwise operation: see `elementwise.dispatch.loops.run`."""
    return external_call["jujunp_run_elementwise", Bool](
        op, dtype, dst, a, b, c, n
    )


@always_inline
def convert(src_dtype: Int, dst_dtype: Int, dst: Int, src: Int, n: Int) -> Bool:
    """Converts to another dtype: see `elementwise.dispatch.loops.convert`."""
    return external_call["jujunp_convert", Bool](
        src_dtype, dst_dtype, dst, src, n
    )


@always_inline
def run_structured(
    kernel: Int,
    operands: Operands,
    count: Int,
    params: Words,
    nparams: Int,
    threads: Int,
    fault: Words,
) -> Int:
    """Runs one structured kernel: see `structured.table.run`."""
    return external_call["jujunp_run_kernel", Int](
        kernel, operands, count, params, nparams, threads, fault
    )


@always_inline
def folds_blocks(fold: Fold) -> Bool:
    """Whether a reduction can be made of blocks: see `structured.blocks`."""
    return external_call["jujunp_folds_blocks", Bool](
        fold.kernel, fold.source, fold.result
    )


@always_inline
def prepare_fold(fold: Fold, prepared: Int):
    """Writes what folds blocks to an address with room for `FOLD_BYTES`."""
    external_call["jujunp_prepare_fold", NoneType](
        fold.kernel, fold.source, fold.result, prepared
    )


@always_inline
def fold_rows(prepared: Int, to: Int, address: Int, length: Int, rows: Int):
    """Folds rows by what was prepared: see `structured.blocks`."""
    external_call["jujunp_fold_rows", NoneType](
        prepared, to, address, length, rows
    )


@always_inline
def fold_columns(
    prepared: Int, to: Int, address: Int, columns: Int, rows: Int, fresh: Bool
):
    """Folds columns by what was prepared: see `structured.blocks`."""
    external_call["jujunp_fold_columns", NoneType](
        prepared, to, address, columns, rows, fresh
    )


@always_inline
def folds_columns(fold: Fold) -> Bool:
    """Whether what `folds_blocks` can fold rows into one row, too."""
    return external_call["jujunp_folds_columns", Bool](fold.kernel)


@always_inline
def fold_part(
    prepared: Int, partial: Int, address: Int, count: Int, place: Int
):
    """Folds a part of a row into a partial: see `structured.blocks`."""
    external_call["jujunp_fold_part", NoneType](
        prepared, partial, address, count, place
    )


@always_inline
def join_partials(prepared: Int, partial: Int, partials: Int, count: Int):
    """Folds adjacent partials into one: see `structured.blocks`."""
    external_call["jujunp_join_partials", NoneType](
        prepared, partial, partials, count
    )


@always_inline
def fold_result(prepared: Int, to: Int, partial: Int):
    """Writes the result that a partial is: see `structured.blocks`."""
    external_call["jujunp_fold_result", NoneType](prepared, to, partial)


def kernel_names() -> String:
    """The names of the structured kernels in the order of their numbers, a space behind each."""
    var length = external_call["jujunp_kernel_names", Int](0)
    var bytes = List[UInt8](length=length, fill=0)
    _ = external_call["jujunp_kernel_names", Int](Int(bytes.unsafe_ptr()))
    return String(unsafe_from_utf8=bytes)


def kernel_count() -> Int:
    """How many structured kernels there are."""
    return external_call["jujunp_kernel_count", Int]()


@always_inline
def draw_float(
    source: Int, kind: Int, a: Float64, b: Float64, c: Float64
) -> Float64:
    """Draws one float64 at once: see `random_part.mojo`."""
    return external_call["jujunp_draw_float", Float64](source, kind, a, b, c)


@always_inline
def draw_whole(
    source: Int, kind: Int, a: Float64, b: Float64, c: Float64
) -> Int:
    """Draws one int64 at once."""
    return external_call["jujunp_draw_whole", Int](source, kind, a, b, c)


@always_inline
def draw_row(
    source: Int,
    kind: Int,
    target: Int,
    count: Int,
    trials: Float64,
    chances: Int,
) -> Int:
    """Draws how often each of a few things is found; returns a status."""
    return external_call["jujunp_draw_row", Int](
        source, kind, target, count, trials, chances
    )


@always_inline
def draw_integers(
    source: Int,
    kind: Int,
    dtype: Int,
    target: Int,
    count: Int,
    low: Int,
    more: Int,
) -> Int:
    """Draws a few integers between bounds at once; returns a status."""
    return external_call["jujunp_draw_integers", Int](
        source, kind, dtype, target, count, low, more
    )


@always_inline
def draw_each(
    source: Int, kind: Int, dtype: Int, target: Int, count: Int, rows: Int
) -> Int:
    """Draws numbers of which each has its own parameters, in rows from an address on; returns a status."""
    return external_call["jujunp_draw_each", Int](
        source, kind, dtype, target, count, rows
    )


@always_inline
def draw_few(
    source: Int,
    kind: Int,
    dtype: Int,
    target: Int,
    count: Int,
    a: Float64,
    b: Float64,
    c: Float64,
) -> Int:
    """Draws a few numbers at once; returns a status."""
    return external_call["jujunp_draw_many", Int](
        source, kind, dtype, target, count, 1, a, b, c
    )
