"""An integer of the distribution of a name."""
from structured.random import older
from structured.random.binomial import Binomial
from structured.random.bits import Bits, Source
from structured.random.discrete import (
    Poisson,
    as_int,
    geometric,
    hypergeometric,
    logseries,
    poisson,
    zipf,
)
from structured.random.standard import standard_gamma


struct Kept[older: Bool](Copyable):
    """What was worked out for the numbers before, which serves those with the same parameters."""

    var binomial: Binomial[Self.older]
    var poisson: Poisson

    def __init__(out self):
        self.binomial = Binomial[Self.older](0, 0.0, corrected=False)
        self.poisson = Poisson(0.0)


@always_inline
def drawn_whole[
    B: Bits, //, name: StaticString, older_one: Bool
](
    mut source: Source[B],
    mut kept: Kept[older_one],
    a: Float64,
    b: Float64,
    c: Float64,
) -> Int64:
    """An integer; what is worked out for it is kept for the next one."""
    comptime if name == "poisson":
        if kept.poisson.lam != a:
            kept.poisson = Poisson(a)
        return kept.poisson.draw(source)
    elif name == "binomial" or name == "corrected_binomial":
        if not kept.binomial.fits(as_int(a), b):
            kept.binomial = Binomial[older_one](
                as_int(a), b, corrected=name == "corrected_binomial"
            )
        return kept.binomial.draw(source)
    elif name == "negative_binomial":
        var scale = (1 - b) / b
        return poisson(
            source, scale * standard_gamma[older=older_one](source, a)
        )
    elif name == "geometric":
        comptime if older_one:
            return older.geometric(source, a)
        else:
            return geometric(source, a)
    elif name == "hypergeometric":
        comptime if older_one:
            return older.hypergeometric(source, as_int(a), as_int(b), as_int(c))
        else:
            return hypergeometric(source, as_int(a), as_int(b), as_int(c))
    elif name == "zipf":
        return zipf[older=older_one](source, a)
    elif name == "logseries":
        return logseries[older=older_one](source, a)
    elif name == "positive":
        return (source.next64() >> 1).cast[DType.int64]()
    else:
        comptime assert name == "raw", "no such distribution"
        return source.next64().cast[DType.int64]()
