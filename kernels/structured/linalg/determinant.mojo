"""Determinants, from the diagonal and the exchanges of LU, added up as NumPy does."""
from std.sys import size_of
from std.utils.numerics import neg_inf

from structured.libm import exp, hypot, log
from structured.linalg.lapack import FLOAT32, is_complex, real_of
from structured.linalg.matrices import Batch, Frame, Job
from structured.operands.operand import (
    OK,
    UNSUPPORTED,
    Call,
    load,
    store,
)


struct _Determinant[part: DType](TrivialRegisterPassable):
    """A number of absolute value 1, and the logarithm of the absolute value."""

    var re: Scalar[Self.part]
    var im: Scalar[Self.part]
    var logarithm: Scalar[Self.part]

    def __init__(out self):
        self.re = 1
        self.im = 0
        self.logarithm = 0

    def multiply(mut self, x: Scalar[Self.part]):
        """Takes a real factor in."""
        if x < 0:
            self.re = -self.re
        self.logarithm += log(abs(x))

    def multiply_complex(mut self, x: SIMD[Self.part, 2]):
        """Takes a complex factor in."""
        var size = hypot(x[0], x[1])
        var re = x[0] / size
        var im = x[1] / size
        var turned = self.re * re - self.im * im
        self.im = self.re * im + self.im * re
        self.re = turned
        self.logarithm += log(size)

    def vanish(mut self):
        """That of a singular matrix."""
        self.re = 0
        self.im = 0
        self.logarithm = neg_inf[Self.part]()


def _add_up[
    part: DType, complex: Bool
](a: Int, pivots: Int, n: Int, status: Int) -> _Determinant[part]:
    """The determinant of a matrix of which there is LU, column-major; its status is not 0 if a zero is on
    the diagonal."""
    comptime item = size_of[Scalar[part]]() * (2 if complex else 1)
    var found = _Determinant[part]()
    if status > 0:
        found.vanish()
        return found
    for row in range(n):
        if Int(load[DType.int32](pivots + row * 4)) != row + 1:
            found.re = -found.re
    for row in range(n):
        var place = a + row * (n + 1) * item
        comptime if complex:
            found.multiply_complex(load[part, 2](place))
        else:
            found.multiply(load[part](place))
    return found


def _write[
    part: DType, complex: Bool, whole: Bool
](frame: Frame, found: _Determinant[part]):
    """Writes a determinant, or sign and logarithm."""
    var re = found.re
    var im = found.im
    comptime if whole:
        var size = exp(found.logarithm)
        comptime if complex:
            # a product of complex numbers, as NumPy has it
            im = found.re * 0 + found.im * size
            re = found.re * size - found.im * 0
        else:
            re *= size
    else:
        store(frame.at[1], found.logarithm)
    comptime if complex:
        store(frame.at[0], SIMD[part, 2](re, im))
    else:
        store(frame.at[0], re)


def _finish[
    whole: Bool
](code: Int, frame: Frame, a: Int, pivots: Int, n: Int, status: Int):
    comptime for single in range(2):
        comptime part = DType.float32 if single == 1 else DType.float64
        comptime for real in range(2):
            comptime complex = real == 0
            if (real_of(code) == FLOAT32) == (single == 1) and is_complex(
                code
            ) == complex:
                var found = _add_up[part, complex](a, pivots, n, status)
                _write[part, complex, whole](frame, found)


def _determinants[whole: Bool](call: Call) -> Int:
    """Runs LU on each matrix, and adds up."""
    comptime outputs = 1 if whole else 2
    var batch = Batch(call, outputs, 1, 0)
    var n = batch.m
    if not batch.square() or not batch.scalar(0, batch.code):
        return UNSUPPORTED
    comptime if not whole:
        if not batch.scalar(1, real_of(batch.code)):
            return UNSUPPORTED
    var job = Job(batch, "getrf")
    var a = job.routine.matrix(n, n)
    var pivots = job.routine.reserve(4 * n)
    job.routine.number(n)
    job.routine.number(n)
    job.routine.give_matrix(a, n)
    job.routine.give(pivots)
    job.routine.info()
    job.load(outputs, a, n)
    var ready = job.prepare()
    if ready != OK:
        return ready

    def turn(frame: Frame) {imm}:
        job.fetch(frame)
        var status = job.run(frame)
        var base = frame.base
        _finish[whole](batch.code, frame, base + a, base + pivots, n, status)

    return job.each(turn, n * n * n, 1)


def slogdet(call: Call) -> Int:
    """Signs and logarithms of the absolute values of determinants.

    Operands: signs, logarithms, real, a (n, n). A sign is a number of absolute value 1; 0 for a
    singular matrix, whose logarithm is -inf.
    """
    return _determinants[False](call)


def det(call: Call) -> Int:
    """Determinants. Operands: determinants, a (n, n)."""
    return _determinants[True](call)
