"""The functions of the library of structured kernels, which the process has loaded."""

from std.ffi import external_call

from structured.threads.workers import Share

comptime RoutineEntry = def(
    routine: Int, tensors: Int, threads: Int, fault: Int
) abi("C") thin -> Int
comptime DenseEntry = def(
    words: Int, sizes: Int, tensors: Int, threads: Int, fault: Int
) abi("C") thin -> Int
comptime SizeEntry = def(words: Int, sizes: Int) abi("C") thin -> Int
comptime KernelEntry = def(
    kernel: Int,
    operands: Int,
    count: Int,
    params: Int,
    nparams: Int,
    threads: Int,
    fault: Int,
) abi("C") thin -> Int


@no_inline
def address_of(var name: String) raises -> Int:
    """The address of a function of the library."""
    var found = external_call["dlsym", Int](
        Int(0), name.as_c_string_span().ptr()
    )
    if found == 0:
        raise Error("jujunp: the library of structured kernels is not loaded")
    return found


def routine_entry() raises -> RoutineEntry:
    """What runs a routine: see `vm.routines.routines`."""
    var address = address_of("jujunp_run_routine")
    return Pointer(to=address).unsafe_bitcast[RoutineEntry]()[]


def dense_entry() raises -> DenseEntry:
    """What runs a kernel on whole tensors: see `vm.routines.dense`."""
    var address = address_of("jujunp_run_dense")
    return Pointer(to=address).unsafe_bitcast[DenseEntry]()[]


def size_entry() raises -> SizeEntry:
    """What evaluates an expression of sizes: see `vm.routines.dense`."""
    var address = address_of("jujunp_size")
    return Pointer(to=address).unsafe_bitcast[SizeEntry]()[]


def kernel_entry() raises -> KernelEntry:
    """What runs one kernel: see `structured.table`."""
    var address = address_of("jujunp_run_kernel")
    return Pointer(to=address).unsafe_bitcast[KernelEntry]()[]


def share_entry() raises -> Share:
    """What runs tasks on several threads: see `structured.threads.workers`."""
    var address = address_of("jujunp_share_out")
    return Pointer(to=address).unsafe_bitcast[Share]()[]
