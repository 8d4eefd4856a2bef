"""Solutions of linear systems by LAPACK: triangular, general and tridiagonal matrices."""
from structured.linalg.lapack import is_lapack
from structured.linalg.matrices import Batch, Frame, Job
from structured.operands.operand import OK, UNSUPPORTED, Call
from structured.linalg.scratch import conjugate, store_one


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
