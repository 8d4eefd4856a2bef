"""Numbers of twice the precision: what is rounded once, at the end of a formula."""

from elementwise.exponential import exp_sum
from elementwise.numbers.floats import (
    fast_two_sum,
    square_root,
    two_product,
    two_sum,
)


@fieldwise_init
struct Pair[width: SIMDLength](ImplicitlyCopyable, Movable):
    """An unevaluated sum of two float64, `low` at most a few units of `high`."""

    comptime Part = SIMD[DType.float64, Self.width]

    var high: Self.Part
    var low: Self.Part

    @implicit
    @always_inline
    def __init__(out self, value: Self.Part):
        self.high = value
        self.low = Self.Part(0)

    @staticmethod
    @always_inline
    def sum(a: Self.Part, b: Self.Part) -> Self:
        """`a + b`, exact."""
        var parts = two_sum(a, b)
        return Self(parts[0], parts[1])

    @always_inline
    def value(self) -> Self.Part:
        """The nearest float."""
        return self.high + self.low

    @always_inline
    def __add__(self, other: Self) -> Self:
        var sum = two_sum(self.high, other.high)
        var parts = fast_two_sum(sum[0], sum[1] + (self.low + other.low))
        return Self(parts[0], parts[1])

    @always_inline
    def __neg__(self) -> Self:
        return Self(-self.high, -self.low)

    @always_inline
    def __sub__(self, other: Self) -> Self:
        return self + (-other)

    @always_inline
    def __mul__(self, other: Self) -> Self:
        var whole = two_product(self.high, other.high)
        var rest = self.low.fma(other.high, self.high * other.low)
        return Self(whole[0], whole[1] + rest)

    @always_inline
    def __truediv__(self, other: Self) -> Self:
        var whole = self.high / other.high
        var rest = (-whole).fma(other.high, self.high)
        rest = (-whole).fma(other.low, rest + self.low)
        return Self(whole, rest / other.high)

    @always_inline
    def where(self, mask: SIMD[DType.bool, Self.width], other: Self) -> Self:
        """`other` where the mask is true."""
        return Self(
            mask.select(other.high, self.high),
            mask.select(other.low, self.low),
        )

    @always_inline
    def square_root(self) -> Self:
        var root = square_root(self.high)
        var rest = (-root).fma(root, self.high) + self.low
        var low = root.eq(0).select(Self.Part(0), rest / (2 * root))
        return Self(root, low)

    @always_inline
    def exp(self) -> Self:
        """e to this power."""
        var parts = exp_sum(self.high, self.low)
        return Self(parts[0], parts[1])
