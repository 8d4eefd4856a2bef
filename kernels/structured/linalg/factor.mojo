"""Factorizations of matrices by LAPACK: Cholesky, LU, QR, and reductions to condensed forms."""
from structured.linalg.lapack import INT32, is_complex, is_lapack, real_of
from structured.linalg.matrices import Batch, Frame, Job
from structured.operands.nest import Cursor
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    Operand,
    load,
    store,
)
from structured.linalg.scratch import zero_bytes


def _clear_triangle(address: Int, item: Int, n: Int, upper: Bool):
    """Zeroes what lies above, or below, the diagonal of a column-major matrix."""
    for column in range(n):
        var top = address + column * n * item
        if upper:
            zero_bytes(top, column * item)
        else:
            zero_bytes(top + (column + 1) * item, (n - column - 1) * item)


def cholesky(call: Call) -> Int:
    """`a = l l^H`, or `a = u^H u`, of Hermitian matrices; one triangle of a is read.

    Operands: l or u (n, n), status, a (n, n). Params: 1 for l, 0 for u. A status > 0 says that the
    leading minor of this order is not positive.
    """
    var batch = Batch(call, 2, 1, 1)
    var n = batch.m
    if (
        not batch.square()
        or not batch.matrix(0, batch.code, n, n)
        or not batch.status(1)
    ):
        return UNSUPPORTED
    var lower = call.param(0) != 0
    var job = Job(batch, "potrf", status=1)
    var a = job.routine.matrix(n, n)
    job.routine.choose(lower, "L", "U")
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.info()
    job.load(2, a, n)
    job.save(0, a, n)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        var status = job.run(frame)
        _clear_triangle(frame.base + a, job.routine.item, n, lower)
        job.finish(frame, status)

    return job.each(turn, n * n * n, 1)


def _permute(permutation: Int, m: Int, pivots: Int, k: Int):
    """Writes the permutation that k exchanges of m rows make, all int32 and adjacent."""
    for row in range(m):
        store(permutation + row * 4, Int32(row))
    for row in range(k):
        var other = Int(load[DType.int32](pivots + row * 4))
        var moved = load[DType.int32](permutation + row * 4)
        store(permutation + row * 4, load[DType.int32](permutation + other * 4))
        store(permutation + other * 4, moved)


def lu(call: Call) -> Int:
    """`a[permutation] = l u`, by partial pivoting.

    Operands: lu (m, n), pivots int32 (min(m, n)), permutation int32 (m), a (m, n). Row i was
    exchanged with row pivots[i] >= i. A singular matrix has a zero on the diagonal of u.
    """
    var batch = Batch(call, 3, 1, 0)
    var m = batch.m
    var n = batch.n
    var least = min(m, n)
    if (
        not batch.fits
        or not is_lapack(batch.code)
        or not batch.matrix(0, batch.code, m, n)
        or not batch.vector(1, INT32, least)
        or not batch.vector(2, INT32, m)
    ):
        return UNSUPPORTED
    var job = Job(batch, "getrf")
    var a = job.routine.matrix(m, n)
    var pivots = job.routine.reserve(4 * least)
    var permutation = job.routine.reserve(4 * m)
    job.routine.number(m)
    job.routine.number(n)
    job.routine.give_matrix(a, m)
    job.routine.give(pivots)
    job.routine.info()
    job.load(3, a, m)
    job.save(0, a, m)
    job.save(1, pivots)
    job.save(2, permutation)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        _ = job.run(frame)
        for row in range(least):
            var place = frame.base + pivots + row * 4
            var pivot = Int(load[DType.int32](place)) - 1
            # Among rows of nan the library may find none to be the largest.
            store(place, Int32(pivot if row <= pivot < m else row))
        _permute(frame.base + permutation, m, frame.base + pivots, least)
        job.finish(frame, 0)

    return job.each(turn, m * n * least, 1)


def _exchanges_fit(call: Call, batch: Batch, rows: Int) -> Int:
    """Whether all pivots are rows: a status."""
    var nest = batch.nest()
    var pivots = call.operand(1)
    var stride = pivots.stride(pivots.rank - 1)
    var cursor = Cursor(nest, nest.rank)
    for _ in range(nest.count(nest.rank)):
        for row in range(batch.m):
            var other = Int(load[DType.int32](cursor.at[1] + row * stride))
            if other < 0 or other >= rows:
                return call.out_of_bounds(pivots.rank - 1, other, rows)
        cursor.advance(nest)
    return OK


def _permute_strided(
    permutation: Operand, to: Int, pivots: Operand, frm: Int, k: Int
):
    """Writes one permutation of `lu_pivots_to_permutation`."""
    var last = permutation.rank - 1
    var stride = permutation.stride(last)
    for row in range(permutation.size(last)):
        store(to + row * stride, Int32(row))
    for row in range(k):
        var place = frm + row * pivots.stride(last)
        var other = to + Int(load[DType.int32](place)) * stride
        var moved = load[DType.int32](to + row * stride)
        store(to + row * stride, load[DType.int32](other))
        store(other, moved)


def lu_pivots_to_permutation(call: Call) -> Int:
    """The permutation of rows that the exchanges of `lu` make.

    Operands: permutation int32 (m), pivots int32 (k), k <= m. A pivot that is no row is out of
    bounds.
    """
    var batch = Batch(call, 1, 1, 0, core=1)
    if not batch.fits or batch.code != INT32:
        return UNSUPPORTED
    var permutation = call.operand(0)
    var rows = 0
    if permutation.rank == batch.axes + 1:
        rows = permutation.size(batch.axes)
    if not batch.vector(0, INT32, rows) or batch.m > rows:
        return UNSUPPORTED
    var checked = _exchanges_fit(call, batch, rows)
    if checked != OK:
        return checked
    var nest = batch.nest()
    var cursor = Cursor(nest, nest.rank)
    for _ in range(nest.count(nest.rank)):
        _permute_strided(
            permutation, cursor.at[0], call.operand(1), cursor.at[1], batch.m
        )
        cursor.advance(nest)
    return OK


def geqrf(call: Call) -> Int:
    """`a = q r` by Householder reflections: r, and below it the vectors that make q.

    Operands: a (m, n), taus (min(m, n)), a (m, n).
    """
    var batch = Batch(call, 2, 1, 0)
    var m = batch.m
    var n = batch.n
    if (
        not batch.fits
        or not is_lapack(batch.code)
        or not batch.matrix(0, batch.code, m, n)
        or not batch.vector(1, batch.code, min(m, n))
    ):
        return UNSUPPORTED
    var job = Job(batch, "geqrf")
    var a = job.routine.matrix(m, n)
    var taus = job.routine.matrix(min(m, n))
    job.routine.number(m)
    job.routine.number(n)
    job.routine.give_matrix(a, m)
    job.routine.give(taus)
    job.routine.workspace(batch.code)
    job.routine.info()
    job.load(2, a, m)
    job.save(0, a, m)
    job.save(1, taus)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(m * n * min(m, n), 2)


def geqp3(call: Call) -> Int:
    """`a[:, places - 1] = q r`: like `geqrf`, with columns exchanged so that r's diagonal falls.

    Operands: a (m, n), places int32 (n), taus (min(m, n)), a (m, n), fixed int32 (n). Columns with
    fixed != 0 come first. Places count from 1.
    """
    var batch = Batch(call, 3, 2, 0)
    var m = batch.m
    var n = batch.n
    var least = min(m, n)
    if (
        not batch.fits
        or not is_lapack(batch.code)
        or not batch.matrix(0, batch.code, m, n)
        or not batch.vector(1, INT32, n)
        or not batch.vector(2, batch.code, least)
        or not batch.vector(4, INT32, n)
    ):
        return UNSUPPORTED
    var job = Job(batch, "geqp3")
    var a = job.routine.matrix(m, n)
    var places = job.routine.reserve(4 * n)
    var taus = job.routine.matrix(least)
    job.routine.number(m)
    job.routine.number(n)
    job.routine.give_matrix(a, m)
    job.routine.give(places)
    job.routine.give(taus)
    job.routine.workspace(batch.code)
    if is_complex(batch.code):
        job.routine.give(job.routine.matrix(n))
    job.routine.info()
    job.load(3, a, m)
    job.load(4, places)
    job.save(0, a, m)
    job.save(1, places)
    job.save(2, taus)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(m * n * least, 4)


def householder_product(call: Call) -> Int:
    """The first n columns of q, which is the product of the reflections of `geqrf`.

    Operands: q (m, n), a (m, n), taus (k), k <= n <= m.
    """
    var batch = Batch(call, 1, 2, 0)
    var m = batch.m
    var n = batch.n
    var k = 0
    if batch.fits and call.operand(2).rank == batch.axes + 1:
        k = call.operand(2).size(batch.axes)
    if (
        not batch.fits
        or not is_lapack(batch.code)
        or not batch.matrix(0, batch.code, m, n)
        or not batch.vector(2, batch.code, k)
        or m < n
        or n < k
    ):
        return UNSUPPORTED
    var job = Job(batch, "orgqr", "ungqr")
    var a = job.routine.matrix(m, n)
    var taus = job.routine.matrix(k)
    job.routine.number(m)
    job.routine.number(n)
    job.routine.number(k)
    job.routine.give_matrix(a, m)
    job.routine.give(taus)
    job.routine.workspace(batch.code)
    job.routine.info()
    job.load(1, a, m)
    job.load(2, taus)
    job.save(0, a, m)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(m * n * k, 2)


def ormqr(call: Call) -> Int:
    """`q c`, `q^H c`, `c q` or `c q^H`, where q is the product of the reflections of `geqrf`.

    Operands: out (r, s), a (m, n), taus (k), c (r, s), k <= n. Params: 1 for q on the left, where
    r = m, 0 for the right, where s = m; 1 for q^H.
    """
    var batch = Batch(call, 1, 3, 2)
    if not batch.fits or not is_lapack(batch.code):
        return UNSUPPORTED
    var c = call.operand(3)
    var taus = call.operand(2)
    if c.rank != batch.axes + 2 or taus.rank != batch.axes + 1:
        return UNSUPPORTED
    var left = call.param(0) != 0
    var rows = c.size(batch.axes)
    var columns = c.size(batch.axes + 1)
    var k = taus.size(batch.axes)
    if (
        not batch.matrix(0, batch.code, rows, columns)
        or not batch.matrix(3, batch.code, rows, columns)
        or not batch.vector(2, batch.code, k)
        or batch.m != (rows if left else columns)
        or k > min(batch.m, batch.n)
    ):
        return UNSUPPORTED
    var whole = is_complex(batch.code)
    var job = Job(batch, "ormqr", "unmqr")
    var a = job.routine.matrix(batch.m, batch.n)
    var scales = job.routine.matrix(k)
    var out_ = job.routine.matrix(rows, columns)
    job.routine.choose(left, "L", "R")
    if call.param(1) == 0:
        job.routine.flag("N")
    else:
        job.routine.choose(whole, "C", "T")
    job.routine.number(rows)
    job.routine.number(columns)
    job.routine.number(k)
    job.routine.give_matrix(a, batch.m)
    job.routine.give(scales)
    job.routine.give_matrix(out_, rows)
    job.routine.workspace(batch.code)
    job.routine.info()
    job.idle = rows == 0 or columns == 0 or k == 0
    job.load(1, a, batch.m)
    job.load(2, scales)
    job.load(3, out_, rows)
    job.save(0, out_, rows)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(rows * columns * k, 4)


def hessenberg(call: Call) -> Int:
    """`a = q h q^H` with h zero below its first subdiagonal, where the vectors that make q lie.

    Operands: h (n, n), taus (n - 1), a (n, n), n >= 1.
    """
    var batch = Batch(call, 2, 1, 0)
    var n = batch.m
    if (
        not batch.square()
        or n == 0
        or not batch.matrix(0, batch.code, n, n)
        or not batch.vector(1, batch.code, n - 1)
    ):
        return UNSUPPORTED
    var job = Job(batch, "gehrd")
    var a = job.routine.matrix(n, n)
    var taus = job.routine.matrix(n - 1)
    job.routine.number(n)
    job.routine.number(1)
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.give(taus)
    job.routine.workspace(batch.code)
    job.routine.info()
    job.load(2, a, n)
    job.save(0, a, n)
    job.save(1, taus)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(n * n * n, 4)


def tridiagonal(call: Call) -> Int:
    """`a = q t q^H` of Hermitian matrices, t real and tridiagonal; one triangle of a is read.

    Operands: a with the vectors that make q (n, n), diagonal of t (n), the one beside it (n - 1),
    both real, taus (n - 1), a (n, n), n >= 1. Params: 1 for the lower triangle.
    """
    var batch = Batch(call, 4, 1, 1)
    var n = batch.m
    if (
        not batch.square()
        or n == 0
        or not batch.matrix(0, batch.code, n, n)
        or not batch.vector(1, real_of(batch.code), n)
        or not batch.vector(2, real_of(batch.code), n - 1)
        or not batch.vector(3, batch.code, n - 1)
    ):
        return UNSUPPORTED
    var job = Job(batch, "sytrd", "hetrd")
    var a = job.routine.matrix(n, n)
    var diagonal = job.routine.matrix(n)
    var beside = job.routine.matrix(n)
    var taus = job.routine.matrix(n)
    job.routine.choose(call.param(0) != 0, "L", "U")
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.give(diagonal)
    job.routine.give(beside)
    job.routine.give(taus)
    job.routine.workspace(batch.code)
    job.routine.info()
    job.load(4, a, n)
    job.save(0, a, n)
    job.save(1, diagonal)
    job.save(2, beside)
    job.save(3, taus)
    var ready = job.prepare()
    return ready if ready != OK else job.each_alone(n * n * n, 2)
