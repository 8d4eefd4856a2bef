"""Eigenvalues, singular values and Schur forms of matrices by LAPACK."""
from std.sys import size_of

from structured.linalg.lapack import (
    FLOAT64,
    INT32,
    MOST_ELEMENTS,
    NOT_FINITE,
    complex_of,
    is_complex,
    is_lapack,
    real_of,
)
from structured.linalg.matrices import Batch, Frame, Job
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    item_size,
    load,
    store,
)
from structured.linalg.scratch import finite, identity


comptime _SVD_ALONE = 1 << 26
"""The size below which threads make singular values slower: some 400 rows."""
comptime _GENERAL_ALONE = 1 << 30
"""The same for eigenvalues of general matrices, some 1,000 rows: QR iterations gain nothing."""


def _countable(k: Int) -> Bool:
    """Whether the routines, which count in 32 bits, can number their workspaces."""
    return 6 * k * k <= MOST_ELEMENTS


def _finite_triangle(address: Int, code: Int, n: Int, lower: Bool) -> Bool:
    """Whether one triangle of a column-major matrix is finite."""
    var item = item_size(code)
    for column in range(n):
        var top = address + column * n * item
        var count = n - column if lower else column + 1
        if lower:
            top += column * item
        if not finite(top, code, count):
            return False
    return True


def eigh(call: Call) -> Int:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices; one triangle of a is read.

    Operands: values (n, real), vectors (n, n, in columns), status, a (n, n). Params: 1 for the
    lower triangle; 1 for vectors, which are no operand otherwise. Statuses: > 0 did not converge,
    -4 not finite.
    """
    var vectors = call.param_count > 1 and call.param(1) != 0
    var batch = Batch(call, 3 if vectors else 2, 1, 2)
    var n = batch.m
    if (
        not batch.square()
        or not _countable(n)
        or not batch.vector(0, real_of(batch.code), n)
        or (vectors and not batch.matrix(1, batch.code, n, n))
        or not batch.status(batch.first - 1)
    ):
        return UNSUPPORTED
    var lower = call.param(0) != 0
    var whole = is_complex(batch.code)
    var job = Job(batch, "syevd", "heevd", status=batch.first - 1)
    var a = job.routine.matrix(n, n)
    var values = job.routine.matrix(n)
    job.routine.choose(vectors, "V", "N")
    job.routine.choose(lower, "L", "U")
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.give(values)
    job.routine.workspace(batch.code)
    if whole:
        job.routine.workspace(real_of(batch.code))
    job.routine.workspace(INT32)
    job.routine.info()
    job.load(batch.first, a, n)
    job.save(0, values)
    if vectors:
        job.save(1, a, n)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        var status = NOT_FINITE
        if _finite_triangle(frame.base + a, batch.code, n, lower):
            status = job.run(frame)
        job.finish(frame, status)

    return job.each(turn, n * n * n, 9 if vectors else 3)


def svd(call: Call) -> Int:
    """`a = u diag(s) vt` with s descending, u and vt of orthogonal columns and rows.

    Operands: s (k, real), u (m, m or k), vt (n or k, n), status, a (m, n), k = min(m, n). Params: 1
    for the full u (m, m) and vt (n, n); 1 for u and vt, which are no operands otherwise. Statuses:
    > 0 did not converge, -4 not finite.
    """
    var vectors = call.param_count > 1 and call.param(1) != 0
    var batch = Batch(call, 4 if vectors else 2, 1, 2)
    var m = batch.m
    var n = batch.n
    var k = min(m, n)
    var full = batch.fits and call.param(0) != 0
    var wide = m if full else k
    var high = n if full else k
    var right = (
        batch.fits
        and is_lapack(batch.code)
        and _countable(k)
        and batch.vector(0, real_of(batch.code), k)
        and batch.status(batch.first - 1)
    )
    if right and vectors:
        right = batch.matrix(1, batch.code, m, wide) and batch.matrix(
            2, batch.code, high, n
        )
    if not right:
        return UNSUPPORTED
    if not vectors:
        wide = 0
        high = 0
    var job = Job(batch, "gesdd", status=batch.first - 1)
    job.alone = _SVD_ALONE
    var a = job.routine.matrix(m, n)
    var s = job.routine.matrix(k)
    var u = job.routine.matrix(m, wide)
    var vt = job.routine.matrix(high, n)
    if vectors:
        job.routine.choose(full, "A", "S")
    else:
        job.routine.flag("N")
    job.routine.number(m)
    job.routine.number(n)
    job.routine.give_matrix(a, m)
    job.routine.give(s)
    job.routine.give_matrix(u, m)
    job.routine.give_matrix(vt, high)
    job.routine.workspace(batch.code)
    if is_complex(batch.code):
        var reals = max(5 * k * k + 7 * k, 2 * max(m, n) * k + 2 * k * k + k)
        job.routine.give(job.routine.matrix(reals // 2 + 1))
    job.routine.give(job.routine.reserve(4 * 8 * k))
    job.routine.info()
    job.load(batch.first, a, m)
    job.save(0, s)
    if vectors:
        job.save(1, u, m)
        job.save(2, vt, high)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        if job.idle:
            identity(frame.base + u, batch.code, m, wide, m)
            identity(frame.base + vt, batch.code, high, n, high)
        job.finish(frame, job.run_if_finite(frame, a, m * n))

    return job.each(turn, m * n * k, 20 if vectors else 6)


struct Pairs(TrivialRegisterPassable):
    """Where the results of `geev` on real matrices lie in a frame, and where to make them complex.

    Eigenvalues come as real and imaginary parts, conjugate ones in turn. Of their eigenvectors come
    the real and the imaginary part of the first.
    """

    var n: Int
    var real: Int
    var imaginary: Int
    var values: Int

    def __init__(out self, n: Int, real: Int, imaginary: Int, values: Int):
        self.n = n
        self.real = real
        self.imaginary = imaginary
        self.values = values

    def join[dtype: DType](self, frame: Int):
        """Makes the eigenvalues complex."""
        comptime item = size_of[Scalar[dtype]]()
        for i in range(self.n):
            var to = frame + self.values + 2 * i * item
            store(to, load[dtype](frame + self.real + i * item))
            store(to + item, load[dtype](frame + self.imaginary + i * item))

    def unpack[dtype: DType](self, frame: Int, packed: Int, vectors: Int):
        """Makes eigenvectors complex."""
        comptime item = size_of[Scalar[dtype]]()
        var bytes = self.n * item
        var i = 0
        while i < self.n:
            var single = (
                load[dtype](frame + self.imaginary + i * item) == 0
                or i + 1 == self.n
            )
            for row in range(self.n):
                var frm = frame + packed + i * bytes + row * item
                var to = frame + vectors + 2 * (i * bytes + row * item)
                var part = Scalar[dtype](0)
                if not single:
                    part = load[dtype](frm + bytes)
                    store(to + 2 * bytes, load[dtype](frm))
                    store(to + 2 * bytes + item, -part)
                store(to, load[dtype](frm))
                store(to + item, part)
            i += 1 if single else 2


def eig(call: Call) -> Int:
    """Eigenvalues and eigenvectors of general matrices: `a vr = vr w`, `vl^H a = w vl^H`.

    Operands: w (n), vl (n, n), vr (n, n), all complex, vectors in columns; status, a (n, n). Params:
    1 for vl, 1 for vr, which are no operands otherwise. Statuses: > 0 did not converge, -4 not
    finite.
    """
    var left = call.param_count > 0 and call.param(0) != 0
    var right = call.param_count > 1 and call.param(1) != 0
    var kinds = Int(left) + Int(right)
    var batch = Batch(call, 2 + kinds, 1, 2)
    var n = batch.m
    var code = complex_of(batch.code)
    if (
        not batch.square()
        or not batch.vector(0, code, n)
        or not batch.status(1 + kinds)
        or (kinds > 0 and not batch.matrix(1, code, n, n))
        or (kinds > 1 and not batch.matrix(2, code, n, n))
    ):
        return UNSUPPORTED
    var whole = is_complex(batch.code)
    var item = item_size(code)
    var job = Job(batch, "geev", status=1 + kinds)
    job.alone = _GENERAL_ALONE
    var a = job.routine.matrix(n, n)
    var values = job.routine.reserve(n * item)
    var real = job.routine.matrix(n)
    var imaginary = job.routine.matrix(n)
    var places = Array[Int, 2](fill=0)
    var packed = Array[Int, 2](fill=0)
    for side in range(2):
        if left if side == 0 else right:
            places[side] = job.routine.reserve(n * n * item)
            packed[side] = places[side]
            if not whole:
                packed[side] = job.routine.matrix(n, n)
    job.routine.choose(left, "V", "N")
    job.routine.choose(right, "V", "N")
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    if whole:
        job.routine.give(values)
    else:
        job.routine.give(real)
        job.routine.give(imaginary)
    for side in range(2):
        job.routine.give_matrix(packed[side], n)
    job.routine.workspace(batch.code)
    if whole:
        job.routine.give(job.routine.matrix(n))
    job.routine.info()
    job.load(batch.first, a, n)
    job.save(0, values)
    var out_ = 1
    for side in range(2):
        if places[side] != 0:
            job.save(out_, places[side], n)
            out_ += 1
    var ready = job.prepare()
    if ready != OK:
        return ready
    var pairs = Pairs(n, real, imaginary, values)

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        var status = job.run_if_finite(frame, a, n * n)
        if not whole and status == 0:
            if batch.code == FLOAT64:
                _unpack_all[DType.float64](pairs, frame.base, packed, places)
            else:
                _unpack_all[DType.float32](pairs, frame.base, packed, places)
        job.finish(frame, status)

    return job.each(turn, n * n * n, 25 if kinds > 0 else 10)


def _unpack_all[
    dtype: DType
](pairs: Pairs, frame: Int, packed: Array[Int, 2], places: Array[Int, 2]):
    """Makes eigenvalues and those eigenvectors that there are complex."""
    pairs.join[dtype](frame)
    for side in range(2):
        if places[side] != 0:
            pairs.unpack[dtype](frame, packed[side], places[side])


def schur(call: Call) -> Int:
    """`a = z t z^H` with t upper triangular; for real a with 2 by 2 blocks on the diagonal.

    Operands: t (n, n), z (n, n), status, a (n, n). Params: 1 for z, which is no operand otherwise.
    Statuses: > 0 did not converge, -4 not finite.
    """
    var vectors = call.param_count > 0 and call.param(0) != 0
    var batch = Batch(call, 3 if vectors else 2, 1, 1)
    var n = batch.m
    if (
        not batch.square()
        or not batch.matrix(0, batch.code, n, n)
        or (vectors and not batch.matrix(1, batch.code, n, n))
        or not batch.status(batch.first - 1)
    ):
        return UNSUPPORTED
    var job = Job(batch, "gees", status=batch.first - 1)
    job.alone = _GENERAL_ALONE
    var a = job.routine.matrix(n, n)
    var z = job.routine.matrix(n, n if vectors else 0)
    var values = job.routine.matrix(n)
    job.routine.choose(vectors, "V", "N")
    job.routine.flag("N")
    # What would choose eigenvalues, and their number; neither is used.
    job.routine.number(0)
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.number(0)
    job.routine.give(values)
    if not is_complex(batch.code):
        job.routine.give(job.routine.matrix(n))
    job.routine.give_matrix(z, n)
    job.routine.workspace(batch.code)
    if is_complex(batch.code):
        job.routine.give(job.routine.matrix(n))
    job.routine.give(job.routine.reserve(4 * n))
    job.routine.info()
    job.load(batch.first, a, n)
    job.save(0, a, n)
    if vectors:
        job.save(1, z, n)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        job.finish(frame, job.run_if_finite(frame, a, n * n))

    return job.each(turn, n * n * n, 25)
