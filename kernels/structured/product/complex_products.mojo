"""Products of matrices of complex numbers: the loops, without BLAS.

With v = (re, im) of the right side, sums of a.re * v and of a.im * v are kept apart, and put
together at the end: no shuffles are needed on the way.
"""
from elementwise.complex.number import Complex, load_complex, store_complex
from std.sys import simd_width_of, size_of

from structured.reduce.complex_folds import item_of
from structured.operands.operand import load, store
from structured.product.products import Product

comptime _ROWS = 2
"""Rows of the left matrix that share what is loaded of the right one."""
comptime _CHAINS = 4
"""Terms of one sum that are computed together."""


@always_inline
def _joined[
    part: DType, width: Int
](by_re: SIMD[part, width], by_im: SIMD[part, width]) -> SIMD[part, width]:
    """The products, given the sums of a.re * v and of a.im * v."""
    var x = by_re.deinterleave()
    var y = by_im.deinterleave()
    return rebind[SIMD[part, width]]((x[0] - y[1]).interleave(x[1] + y[0]))


@always_inline
def _tile[
    part: DType, rows: Int, width: Int
](p: Product, row: Int, column: Int):
    """The results of some rows in `width / 2` adjacent columns."""
    comptime half = size_of[Scalar[part]]()
    var by_re = Array[SIMD[part, width], rows](fill=0)
    var by_im = Array[SIMD[part, width], rows](fill=0)
    var a = p.a + row * p.a_m
    var b = p.b + column * p.b_n
    for _ in range(p.k):
        var right = load[part, width](b)
        comptime for r in range(rows):
            var re = SIMD[part, width](load[part](a + r * p.a_m))
            var im = SIMD[part, width](load[part](a + r * p.a_m + half))
            by_re[r] = re.fma(right, by_re[r])
            by_im[r] = im.fma(right, by_im[r])
        a += p.a_k
        b += p.b_k
    comptime for r in range(rows):
        store(
            p.out_ + (row + r) * p.out_m + column * item_of[part](),
            _joined[part, width](by_re[r], by_im[r]),
        )


@always_inline
def _strip[part: DType, width: Int](p: Product, column: Int):
    """The results of all rows in `width / 2` adjacent columns."""
    var row = 0
    while row + _ROWS <= p.m:
        _tile[part, _ROWS, width](p, row, column)
        row += _ROWS
    while row < p.m:
        _tile[part, 1, width](p, row, column)
        row += 1


@always_inline
def _dot_adjacent[part: DType](p: Product, row: Int, column: Int):
    """One result, the terms of both sides adjacent."""
    comptime width = simd_width_of[part]()
    comptime chains = 2
    comptime item = item_of[part]()
    var re = Array[SIMD[part, width], chains](fill=0)
    var im = Array[SIMD[part, width], chains](fill=0)
    var a = p.a + row * p.a_m
    var b = p.b + column * p.b_n
    var k = 0
    while k + chains * width <= p.k:
        comptime for chain in range(chains):
            var x = load_complex[part, width](a, k + chain * width)
            var y = load_complex[part, width](b, k + chain * width)
            re[chain] = x.re.fma(y.re, (-x.im).fma(y.im, re[chain]))
            im[chain] = x.re.fma(y.im, x.im.fma(y.re, im[chain]))
        k += chains * width
    comptime for chain in range(1, chains):
        re[0] += re[chain]
        im[0] += im[chain]
    var total = Complex[part, 1](re[0].reduce_add(), im[0].reduce_add())
    for at in range(k, p.k):
        var x = load_complex[part, 1](a, at)
        var y = load_complex[part, 1](b, at)
        total.re = x.re.fma(y.re, (-x.im).fma(y.im, total.re))
        total.im = x.re.fma(y.im, x.im.fma(y.re, total.im))
    store_complex(p.out_ + row * p.out_m + column * item, 0, total)


@always_inline
def _dot[part: DType](p: Product, row: Int, column: Int):
    """One result, several terms at a time."""
    comptime half = size_of[Scalar[part]]()
    var by_re = Array[SIMD[part, 2], _CHAINS](fill=0)
    var by_im = Array[SIMD[part, 2], _CHAINS](fill=0)
    var a = p.a + row * p.a_m
    var b = p.b + column * p.b_n
    var k = 0
    while k < p.k:
        comptime for chain in range(_CHAINS):
            if k + chain < p.k:
                var left = a + (k + chain) * p.a_k
                var right = load[part, 2](b + (k + chain) * p.b_k)
                by_re[chain] = SIMD[part, 2](load[part](left)).fma(
                    right, by_re[chain]
                )
                by_im[chain] = SIMD[part, 2](load[part](left + half)).fma(
                    right, by_im[chain]
                )
        k += _CHAINS
    comptime for chain in range(1, _CHAINS):
        by_re[0] += by_re[chain]
        by_im[0] += by_im[chain]
    store(
        p.out_ + row * p.out_m + column * item_of[part](),
        _joined[part, 2](by_re[0], by_im[0]),
    )


def multiply_complex[part: DType](product: Product):
    """Multiplies two matrices of any strides."""
    comptime item = item_of[part]()
    comptime width = 2 * simd_width_of[part]()
    var p = product.copy()
    if p.n == 1 and p.m > 1 and p.out_m == item:
        p = p.turned(item)
    var column = 0
    if p.b_n == item:
        while column + width // 2 <= p.n:
            _strip[part, width](p, column)
            column += width // 2
    while column < p.n:
        for row in range(p.m):
            if p.a_k == item and p.b_k == item:
                _dot_adjacent[part](p, row, column)
            else:
                _dot[part](p, row, column)
        column += 1
