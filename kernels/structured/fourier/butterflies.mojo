"""Discrete Fourier transforms of a few numbers each, in registers."""
from std.math import sqrt

comptime REAL = DType.float64
"""What Fourier transforms are computed in, as NumPy does for all precisions."""

comptime Numbers[width: Int, count: Int] = Array[SIMD[REAL, width], count]
"""Real or imaginary parts of `count` numbers in each of `width` lanes."""


@always_inline
def _two[
    width: Int, count: Int, //, a: Int, b: Int
](mut re: Numbers[width, count], mut im: Numbers[width, count]):
    """Replaces two numbers by their sum and difference."""
    var real = re[a] - re[b]
    var imaginary = im[a] - im[b]
    re[a] += re[b]
    im[a] += im[b]
    re[b] = real
    im[b] = imaginary


@always_inline
def _turn[
    width: Int, count: Int, //, a: Int
](mut re: Numbers[width, count], mut im: Numbers[width, count]):
    """Multiplies a number by -i."""
    var real = re[a]
    re[a] = im[a]
    im[a] = -real


@always_inline
def _swap[
    width: Int, count: Int, //, a: Int, b: Int
](mut re: Numbers[width, count], mut im: Numbers[width, count]):
    """Exchanges two numbers."""
    var real = re[a]
    var imaginary = im[a]
    re[a] = re[b]
    im[a] = im[b]
    re[b] = real
    im[b] = imaginary


@always_inline
def _four[
    width: Int,
    count: Int,
    //,
    a: Int,
    b: Int,
    c: Int,
    d: Int,
](mut re: Numbers[width, count], mut im: Numbers[width, count]):
    """Transforms four numbers in place, in natural order."""
    _two[a, c](re, im)
    _two[b, d](re, im)
    _turn[d](re, im)
    _two[a, b](re, im)
    _two[c, d](re, im)
    _swap[b, c](re, im)


@always_inline
def _eight[
    width: Int, count: Int, //
](mut re: Numbers[width, count], mut im: Numbers[width, count]):
    """Transforms eight numbers in place, in natural order."""
    comptime half_root = SIMD[REAL, width](sqrt(Float64(0.5)))
    _four[0, 2, 4, 6](re, im)
    _four[1, 3, 5, 7](re, im)
    var real = (re[3] + im[3]) * half_root
    im[3] = (im[3] - re[3]) * half_root
    re[3] = real
    _turn[5](re, im)
    real = (im[7] - re[7]) * half_root
    im[7] = -(re[7] + im[7]) * half_root
    re[7] = real
    # Even results lie at 0, 2, 4, 6 and odd ones at 1, 3, 5, 7: sums come first.
    _two[0, 1](re, im)
    _two[2, 3](re, im)
    _two[4, 5](re, im)
    _two[6, 7](re, im)
    var sums_re = re.copy()
    var sums_im = im.copy()
    comptime for k in range(4):
        re[k] = sums_re[2 * k]
        im[k] = sums_im[2 * k]
        re[k + 4] = sums_re[2 * k + 1]
        im[k + 4] = sums_im[2 * k + 1]


@always_inline
def _odd[
    width: Int, count: Int, //
](
    mut re: Numbers[width, count],
    mut im: Numbers[width, count],
    cosines: Array[Scalar[REAL], count],
    sines: Array[Scalar[REAL], count],
):
    """Transforms an odd number of numbers, given cos and sin of -2 pi k / count."""
    comptime half = count // 2
    var x = re.copy()
    var y = im.copy()
    comptime for j in range(1, half + 1):
        x[j] = re[j] + re[count - j]
        y[j] = im[j] + im[count - j]
        x[count - j] = re[j] - re[count - j]
        y[count - j] = im[j] - im[count - j]
        re[0] += x[j]
        im[0] += y[j]
    comptime for k in range(1, half + 1):
        var even_re = x[0]
        var even_im = y[0]
        var odd_re = SIMD[REAL, width](0)
        var odd_im = SIMD[REAL, width](0)
        comptime for j in range(1, half + 1):
            var c = SIMD[REAL, width](cosines[j * k % count])
            var s = SIMD[REAL, width](sines[j * k % count])
            even_re = x[j].fma(c, even_re)
            even_im = y[j].fma(c, even_im)
            odd_re = x[count - j].fma(s, odd_re)
            odd_im = y[count - j].fma(s, odd_im)
        re[k] = even_re - odd_im
        im[k] = even_im + odd_re
        re[count - k] = even_re + odd_im
        im[count - k] = even_im - odd_re


@always_inline
def butterfly[
    width: Int, count: Int, //
](
    mut re: Numbers[width, count],
    mut im: Numbers[width, count],
    cosines: Array[Scalar[REAL], count],
    sines: Array[Scalar[REAL], count],
):
    """Transforms 2, 4, 8 or an odd number of numbers in place.

    `cosines` and `sines` hold the real and imaginary parts of the roots exp(-2 pi i k / count);
    only odd counts read them.
    """
    comptime if count == 2:
        _two[0, 1](re, im)
    elif count == 4:
        _four[0, 1, 2, 3](re, im)
    elif count == 8:
        _eight(re, im)
    else:
        comptime assert count % 2 == 1, "2, 4, 8 or an odd number"
        _odd(re, im, cosines, sines)
