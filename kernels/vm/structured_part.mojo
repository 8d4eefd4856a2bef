"""The structured kernels as C functions: a part of the library, see `parts.mojo`.

Compiled graphs call them too.
"""

from std.sys import size_of

from structured.operands.operand import Operands, Words
from structured.blocks import ARGMAX, ARGMIN, NONE, BlockFold, folds_blocks
from structured.reduce.combine import FMAX
from structured.table import (
    FIRST_IGNORING,
    FIRST_REDUCTION,
    FIRST_SEARCH,
    KERNELS,
    run,
)
from vm.base.parts import FOLD_BYTES
from vm.base.raw import copy_bytes


@export
def jujunp_kernel_names(buffer: Int) abi("C") -> Int:
    """Writes the names of all kernels, each with a space behind it, to an address if it is not 0;
    returns how many bytes they take."""
    var names = String()
    for kernel in materialize[KERNELS]():
        names += kernel.name
        names += " "
    var length = names.byte_length()
    if buffer != 0:
        copy_bytes(buffer, Int(names.unsafe_ptr()), length)
    _ = names^
    return length


@export
def jujunp_kernel_count() abi("C") -> Int:
    """How many kernels there are."""
    return comptime (len(KERNELS))


@export
def jujunp_run_kernel(
    kernel: Int,
    operands: Operands,
    count: Int,
    params: Words,
    nparams: Int,
    threads: Int,
    fault: Words,
) abi("C") -> Int:
    """Runs one kernel: see `structured.table.run`."""
    return run(kernel, operands, count, params, nparams, threads, fault)


@export
def jujunp_folds_blocks(kernel: Int, source: Int, target: Int) abi("C") -> Bool:
    """Whether a kernel can reduce block by block: see `structured.blocks`."""
    return folds_blocks(_operation(kernel), source, target)


def _operation(kernel: Int) -> Int:
    """The operation by which a kernel reduces."""
    comptime assert min(FIRST_REDUCTION, FIRST_SEARCH, FIRST_IGNORING) >= 0
    if kernel == FIRST_SEARCH:
        return ARGMAX
    if kernel == FIRST_SEARCH + 1:
        return ARGMIN
    if kernel == FIRST_IGNORING or kernel == FIRST_IGNORING + 1:
        return FMAX + kernel - FIRST_IGNORING
    return kernel - FIRST_REDUCTION if kernel >= FIRST_REDUCTION else NONE


@export
def jujunp_folds_columns(kernel: Int) abi("C") -> Bool:
    """Whether a kernel that can reduce block by block can reduce columns so."""
    return _operation(kernel) >= 0


@export
def jujunp_prepare_fold(
    kernel: Int, source: Int, target: Int, prepared: Int
) abi("C"):
    """Writes the `BlockFold` of a kernel to an address."""
    comptime assert size_of[BlockFold]() <= FOLD_BYTES
    var fold = BlockFold(_operation(kernel), source, target)
    _fold(prepared)[] = fold


@export
def jujunp_fold_rows(
    prepared: Int, to: Int, address: Int, length: Int, rows: Int
) abi("C"):
    """Folds rows: see `BlockFold`."""
    _fold(prepared)[].rows(to, address, length, rows)


@export
def jujunp_fold_columns(
    prepared: Int, to: Int, address: Int, columns: Int, rows: Int, fresh: Bool
) abi("C"):
    """Folds columns: see `BlockFold`."""
    _fold(prepared)[].columns(to, address, columns, rows, fresh)


@export
def jujunp_fold_part(
    prepared: Int, partial: Int, address: Int, count: Int, place: Int
) abi("C"):
    """Folds a part of a row: see `BlockFold`."""
    _fold(prepared)[].part(partial, address, count, place)


@export
def jujunp_join_partials(
    prepared: Int, partial: Int, partials: Int, count: Int
) abi("C"):
    """Folds partials: see `BlockFold`."""
    _fold(prepared)[].join(partial, partials, count)


@export
def jujunp_fold_result(prepared: Int, to: Int, partial: Int) abi("C"):
    """Writes a result: see `BlockFold`."""
    _fold(prepared)[].result(to, partial)


@always_inline
def _fold(prepared: Int) -> Pointer[BlockFold, MutUntrackedOrigin]:
    return Pointer[BlockFold, MutUntrackedOrigin](unsafe_from_address=prepared)
