"""Solutions of linear systems by LAPACK: triangular, general and tridiagonal matrices, least squares."""
from std.memory import bitcast
from std.sys import size_of
from structured.linalg.lapack import (
    FLOAT32,
    INT32,
    is_complex,
    is_lapack,
    real_of,
)
from structured.linalg.matrices import Batch, Frame, Job
from structured.operands.operand import OK, UNSUPPORTED, Call, load, store
from structured.linalg.scratch import conjugate, store_one, zero_bytes


comptime _SMALL_PROBLEM = 25
"""Sizes of the problems at the bottom of LAPACK's tree of them (`ilaenv(9)`)."""
comptime _SOLVED_ALONE = 1 << 26
"""Size of a least-squares problem below which the library gets no threads of its own."""


def triangular_solve(call: Call) -> Int:
    """The solution x of `op(a) x = b` or `x op(a) = b`; only one triangle of a is read.

    Operands: x (r, s), a (n, n), b (r, s). Params: 1 for a on the left, where r = n, 0 for the
    right, where s = n; 1 for the lower triangle; 1 for op with a transposed; 1 for op with a
    conjugated; 1 for ones on the diagonal, which is not read then.
    """
    var batch = Batch(call, 1, 2, 5)
    if not batch.square() or call.operand(2).rank != batch.axes + 2:
        return UNSUPPORTED
    var left = call.param(0) != 0
    var n = batch.n
    var rows = call.operand(2).size(batch.axes)
    var columns = call.operand(2).size(batch.axes + 1)
    if (
        not batch.matrix(0, batch.code, rows, columns)
        or not batch.matrix(2, batch.code, rows, columns)
        or n != (rows if left else columns)
    ):
        return UNSUPPORTED
    var transposed = call.param(2) != 0
    var conjugated = call.param(3) != 0
    var job = Job(batch, "trsm")
    var a = job.routine.matrix(n, n)
    var x = job.routine.matrix(rows, columns)
    var one = job.routine.matrix(1)
    job.routine.choose(left, "L", "R")
    job.routine.choose(call.param(1) != 0, "L", "U")
    if transposed:
        job.routine.choose(conjugated, "C", "T")
    else:
        job.routine.flag("N")
    job.routine.choose(call.param(4) != 0, "U", "N")
    job.routine.number(rows)
    job.routine.number(columns)
    job.routine.give(one)
    job.routine.give_matrix(a, n)
    job.routine.give_matrix(x, rows)
    job.idle = rows == 0 or columns == 0
    job.load(1, a, n)
    job.load(2, x, rows)
    job.save(0, x, rows)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        if conjugated and not transposed:
            conjugate(frame.base + a, batch.code, n * n)
        store_one(frame.base + one, batch.code)
        job.finish(frame, job.run(frame))

    return job.each(turn, rows * columns * n, 1)


def solve(call: Call) -> Int:
    """The solution x of `a x = b`, by an LU factorization.

    Operands: x (n, r), status, a (n, n), b (n, r). A status > 0 says that a is singular.
    """
    var batch = Batch(call, 2, 2, 0)
    var n = batch.n
    if not batch.square() or call.operand(3).rank != batch.axes + 2:
        return UNSUPPORTED
    var columns = call.operand(3).size(batch.axes + 1)
    if (
        not batch.matrix(0, batch.code, n, columns)
        or not batch.status(1)
        or not batch.matrix(3, batch.code, n, columns)
    ):
        return UNSUPPORTED
    var job = Job(batch, "gesv", status=1)
    var a = job.routine.matrix(n, n)
    var x = job.routine.matrix(n, columns)
    job.routine.number(n)
    job.routine.number(columns)
    job.routine.give_matrix(a, n)
    job.routine.give(job.routine.reserve(4 * n))
    job.routine.give_matrix(x, n)
    job.routine.info()
    job.load(2, a, n)
    job.load(3, x, n)
    job.save(0, x, n)
    var ready = job.prepare()
    if ready != OK:
        return ready
    return job.each_alone(n * n * (n + columns), 1)


def tridiagonal_solve(call: Call) -> Int:
    """The solution x of `a x = b` with tridiagonal a.

    Operands: x (n, r), status, what lies left of the diagonal (n, the first is not read), the
    diagonal (n), what lies right of it (n, the last is not read), b (n, r). A status > 0 says that
    a is singular.
    """
    var batch = Batch(call, 2, 4, 0, core=1)
    var n = batch.m
    if (
        not batch.fits
        or not is_lapack(batch.code)
        or call.operand(5).rank != batch.axes + 2
    ):
        return UNSUPPORTED
    var columns = call.operand(5).size(batch.axes + 1)
    if (
        not batch.matrix(0, batch.code, n, columns)
        or not batch.status(1)
        or not batch.vector(3, batch.code, n)
        or not batch.vector(4, batch.code, n)
        or not batch.matrix(5, batch.code, n, columns)
    ):
        return UNSUPPORTED
    var job = Job(batch, "gtsv", status=1)
    var left = job.routine.matrix(n + 1)
    var diagonal = job.routine.matrix(n)
    var right = job.routine.matrix(n)
    var x = job.routine.matrix(n, columns)
    job.routine.number(n)
    job.routine.number(columns)
    job.routine.give(left + job.routine.item)
    job.routine.give(diagonal)
    job.routine.give(right)
    job.routine.give_matrix(x, n)
    job.routine.info()
    job.load(2, left)
    job.load(3, diagonal)
    job.load(4, right)
    job.load(5, x, n)
    job.save(0, x, n)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(n * (columns + 1), 8)


def least_squares(call: Call) -> Int:
    """The x of least norm for which the norm of `b - a x` is least, by singular values.

    Operands: x (n, r), singular values (k, real), the rank, int32, the sums of the squares of
    `b - a x` (r, real), which are meant where the rank is n; status, a (m, n), b (m, r), k =
    min(m, n). Params: the bits of the float64 that times the largest singular value is 0. Statuses:
    > 0 did not converge, -4 not finite.
    """
    var batch = Batch(call, 5, 2, 1)
    if not batch.fits or not is_lapack(batch.code):
        return UNSUPPORTED
    var m = batch.m
    var n = batch.n
    var least = min(m, n)
    var most = max(m, n)
    var real = real_of(batch.code)
    if call.operand(6).rank != batch.axes + 2:
        return UNSUPPORTED
    var columns = call.operand(6).size(batch.axes + 1)
    if (
        not batch.matrix(0, batch.code, n, columns)
        or not batch.vector(1, real, least)
        or not batch.scalar(2, INT32)
        or not batch.vector(3, real, columns)
        or not batch.status(4)
        or not batch.matrix(6, batch.code, m, columns)
    ):
        return UNSUPPORTED
    var job = Job(batch, "gelsd", status=4)
    job.alone = _SOLVED_ALONE
    var a = job.routine.matrix(m, n)
    var x = job.routine.matrix(most, max(columns, 1))
    var s = job.routine.matrix(least)
    var cut = job.routine.matrix(1)
    var rank = job.routine.matrix(1)
    var sums = job.routine.matrix(columns)
    var levels = 1
    while (_SMALL_PROBLEM + 1) << levels <= least:
        levels += 1
    job.routine.number(m)
    job.routine.number(n)
    job.routine.number(max(columns, 1))
    job.routine.give_matrix(a, m)
    job.routine.give_matrix(x, most)
    job.routine.give(s)
    job.routine.give(cut)
    job.routine.give(rank)
    job.routine.workspace(batch.code)
    if is_complex(batch.code):
        var small = _SMALL_PROBLEM + 1
        var reals = least * (10 + 2 * _SMALL_PROBLEM + 8 * levels)
        reals += 3 * _SMALL_PROBLEM * max(columns, 1)
        reals += max(small * small, least * (1 + columns) + 2 * columns)
        job.routine.give(job.routine.matrix(reals // 2 + 1))
    job.routine.give(job.routine.reserve(4 * least * (3 * levels + 11)))
    job.routine.info()
    job.load(5, a, m)
    job.load(6, x, most)
    job.save(0, x, most)
    job.save(1, s)
    job.save(3, sums)
    var ready = job.prepare()
    if ready != OK:
        return ready
    var bits = UInt64(call.param(0))

    def turn(frame: Frame) {imm}:
        if m == 0:
            zero_bytes(frame.base + x, n * columns * job.routine.item)
        job.fetch(frame)
        var given = bitcast[DType.float64, 1](bits)
        store(frame.base + rank, Int32(0))
        if real == FLOAT32:
            store(frame.base + cut, Float32(given))
        else:
            store(frame.base + cut, given)
        var status = job.run_if_finite(frame, a, m * n)
        store(frame.at[2], load[DType.int32](frame.base + rank))
        var rest = frame.base + x + n * job.routine.item
        var to = frame.base + sums
        if real == FLOAT32:
            _sum_squares[DType.float32](
                to, rest, m - n, columns, most, batch.code
            )
        else:
            _sum_squares[DType.float64](
                to, rest, m - n, columns, most, batch.code
            )
        job.finish(frame, status)

    return job.each(turn, m * n * (least + columns), 6)


def _sum_squares[
    dtype: DType
](target: Int, source: Int, rows: Int, columns: Int, leading: Int, code: Int):
    """The sums of the squared absolute values of the first rows of some columns, one term after the other."""
    comptime size = size_of[Scalar[dtype]]()
    var parts = 2 if is_complex(code) else 1
    for column in range(columns):
        var at = source + column * leading * parts * size
        var total = Scalar[dtype](0)
        for row in range(rows):
            var term = Scalar[dtype](0)
            for part in range(parts):
                var number = load[dtype](at + (row * parts + part) * size)
                term += number * number
            total += term
        store(target + column * size, total)
