"""The table of structured kernels and what runs them."""
from structured.search.arg import arg
from structured.movement.assemble import concatenate, iota, pad
from structured.reduce.combine import (
    AND,
    FMAX,
    FMIN,
    MAX,
    MIN,
    OR,
    PROD,
    SUM,
    XOR,
)
from structured.movement.bits import pack, unpack
from structured.product.conv import conv_general_dilated
from structured.movement.copy import copy, fill
from structured.product.dot import dot_general
from structured.fourier.fft import fft
from structured.linalg.determinant import det, slogdet
from structured.linalg.factor import (
    cholesky,
    geqp3,
    geqrf,
    hessenberg,
    householder_product,
    lu,
    lu_pivots_to_permutation,
    ormqr,
    tridiagonal,
)
from structured.index.count import bincount
from structured.index.index import gather, scatter
from structured.reduce.log_sum_exp import cumlogsumexp
from structured.operands.operand import UNSUPPORTED, Call, Operands, Words
from .precision import reduce_precision
from structured.reduce.reduce import reduce
from structured.reduce.reduceat import reduceat
from structured.operands.require import require
from structured.reduce.scan import scan
from structured.search.interp import interp
from structured.search.search import nonzero, searchsorted
from structured.linalg.solve import (
    least_squares,
    solve,
    triangular_solve,
    tridiagonal_solve,
)
from structured.search.sort import sort
from structured.random.kernel import draw
from .threefry import random_bits, threefry2x32
from structured.linalg.spectral import eig, eigh, schur, svd
from structured.search.top_k import top_k
from structured.index.updates import SET
from structured.index.windows import gather_windows, scatter_windows


struct Kernel(TrivialRegisterPassable):
    """A name and the function that runs a call."""

    var name: StaticString
    var run: def(Call) thin -> Int

    def __init__(out self, name: StaticString, run: def(Call) thin -> Int):
        self.name = name
        self.run = run


def _number[name: StaticString]() -> Int:
    """The number of a kernel, -1 if there is none of this name."""
    var found = -1
    comptime for index in range(len(KERNELS)):
        comptime if KERNELS[index].name == name:
            found = index
    return found


comptime KERNELS: Array[Kernel, 69] = [
    Kernel("copy", copy),
    Kernel("fill", fill),
    Kernel("reduce_sum", reduce[SUM]),
    Kernel("reduce_prod", reduce[PROD]),
    Kernel("reduce_max", reduce[MAX]),
    Kernel("reduce_min", reduce[MIN]),
    Kernel("reduce_and", reduce[AND]),
    Kernel("reduce_or", reduce[OR]),
    Kernel("reduce_xor", reduce[XOR]),
    Kernel("gather", gather),
    Kernel("scatter", scatter[SET]),
    Kernel("scatter_add", scatter[SUM]),
    Kernel("scatter_mul", scatter[PROD]),
    Kernel("scatter_max", scatter[MAX]),
    Kernel("scatter_min", scatter[MIN]),
    Kernel("iota", iota),
    Kernel("concatenate", concatenate),
    Kernel("pad", pad),
    Kernel("cumsum", scan[SUM]),
    Kernel("cumprod", scan[PROD]),
    Kernel("cummax", scan[MAX]),
    Kernel("cummin", scan[MIN]),
    Kernel("argmax", arg[MAX]),
    Kernel("argmin", arg[MIN]),
    Kernel("searchsorted", searchsorted),
    Kernel("nonzero", nonzero),
    Kernel("sort", sort),
    Kernel("dot_general", dot_general),
    Kernel("gather_windows", gather_windows),
    Kernel("scatter_windows", scatter_windows[SET]),
    Kernel("scatter_windows_add", scatter_windows[SUM]),
    Kernel("scatter_windows_mul", scatter_windows[PROD]),
    Kernel("scatter_windows_max", scatter_windows[MAX]),
    Kernel("scatter_windows_min", scatter_windows[MIN]),
    Kernel("top_k", top_k),
    Kernel("fft", fft),
    Kernel("threefry2x32", threefry2x32),
    Kernel("cumlogsumexp", cumlogsumexp),
    Kernel("reduce_precision", reduce_precision),
    Kernel("conv_general_dilated", conv_general_dilated),
    Kernel("cholesky", cholesky),
    Kernel("lu", lu),
    Kernel("lu_pivots_to_permutation", lu_pivots_to_permutation),
    Kernel("slogdet", slogdet),
    Kernel("det", det),
    Kernel("geqrf", geqrf),
    Kernel("geqp3", geqp3),
    Kernel("householder_product", householder_product),
    Kernel("ormqr", ormqr),
    Kernel("hessenberg", hessenberg),
    Kernel("tridiagonal", tridiagonal),
    Kernel("triangular_solve", triangular_solve),
    Kernel("solve", solve),
    Kernel("tridiagonal_solve", tridiagonal_solve),
    Kernel("least_squares", least_squares),
    Kernel("eigh", eigh),
    Kernel("svd", svd),
    Kernel("eig", eig),
    Kernel("schur", schur),
    Kernel("random_bits", random_bits),
    Kernel("require", require),
    Kernel("reduce_fmax", reduce[FMAX]),
    Kernel("reduce_fmin", reduce[FMIN]),
    Kernel("interp", interp),
    Kernel("packbits", pack),
    Kernel("unpackbits", unpack),
    Kernel("reduceat", reduceat),
    Kernel("bincount", bincount),
    Kernel("draw", draw),
]
"""All kernels; the opcode of a kernel is its index. Grows at the end only."""
comptime FIRST_REDUCTION = _number["reduce_sum"]()
"""The kernel that reduces by the first operation of `reduce/combine.mojo`; the others follow."""
comptime FIRST_IGNORING = _number["reduce_fmax"]()
"""The kernel that reduces by `FMAX`; that by `FMIN` follows."""
comptime FIRST_SEARCH = _number["argmax"]()
"""The kernel argmax; argmin follows."""


def run(
    kernel: Int,
    operands: Operands,
    count: Int,
    params: Words,
    nparams: Int,
    threads: Int,
    fault: Words,
) -> Int:
    """Runs one kernel; returns a status of `operand.mojo`.

    Args:
        kernel: Opcode, an index of `KERNELS`.
        operands: Outputs, then inputs.
        count: Number of operands.
        params: Integer parameters, in the order that the kernel's docstring gives.
        nparams: Number of parameters.
        threads: Threads that large work may use.
        fault: Three words, set to axis, index and size when an index is out of bounds.
    """
    var call = Call(operands, count, params, nparams, threads, fault)
    comptime for opcode in range(len(KERNELS)):
        comptime chosen = KERNELS[opcode]
        if kernel == opcode:
            return chosen.run(call)
    return UNSUPPORTED
