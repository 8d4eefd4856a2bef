"""What is to be drawn: where to, how many, and by which parameters."""
from structured.random.rows import Line

comptime PARAMETERS = 3
"""How many parameters a distribution has at most."""


struct Parameters(Copyable):
    """Parameters of a line of numbers: an address each, and bytes from one number to the next."""

    var lines: Array[Line, PARAMETERS]
    var steps: Array[Int, PARAMETERS]
    """Bytes from one row to the next."""

    def __init__(out self):
        self.lines = Array[Line, PARAMETERS](fill=Line(0, 0))
        self.steps = Array[Int, PARAMETERS](fill=0)

    @always_inline
    def vary(self) -> Bool:
        """Whether not all numbers have the same."""
        return (
            self.lines[0].stride != 0
            or self.lines[1].stride != 0
            or self.lines[2].stride != 0
        )


struct Wish(Copyable):
    """What is to be drawn: where to, of which dtype, how many, and by which integers."""

    var target: Int
    var dtype: Int
    var count: Int
    var threads: Int
    """How many threads may take part."""
    var rows: Int
    """How many rows of so many there are, of a distribution of rows."""
    var low: UInt64
    """Of integers, the least; of a choice, the number of all."""
    var range: UInt64
    """Of integers, how many more there are; of a choice, whether it is shuffled."""

    def __init__(
        out self,
        target: Int,
        dtype: Int,
        count: Int,
        threads: Int,
        low: UInt64,
        range: UInt64,
    ):
        self.target = target
        self.dtype = dtype
        self.count = count
        self.threads = threads
        self.rows = 1
        self.low = low
        self.range = range
