"""What is known of an operation: arity, dtypes, and how its result depends on them."""

from elementwise.numbers.dtypes import CODE_COUNT

# How a result depends on the bits of the operands. Operations that agree on
# several dtypes are compiled for one of them (see loops).
comptime TYPED = 0
comptime MODULAR = 1  # signed and unsigned integers have the same result bits
comptime RAW = 2  # the bits are only moved
comptime FORMAT = 3  # the result depends on the float format of the operands


struct Facts(TrivialRegisterPassable):
    """What is known of an operation beside its name, packed: the compiler asks for some fact
    thousands of times, and takes it far more quickly from a table of numbers."""

    var packed: Int

    def __init__(out self, packed: Int):
        self.packed = packed

    def __init__(
        out self,
        arity: Int,
        dtypes: Int,
        bits: Int,
        predicate: Bool,
        part: Bool,
        joins: Bool,
    ):
        """Packs them; `dtypes` is a bit mask over the codes of those supported."""
        self.packed = (
            dtypes
            | arity << 16
            | bits << 18
            | Int(predicate) << 20
            | Int(part) << 21
            | Int(joins) << 22
        )

    @always_inline
    def supports(self, code: Int) -> Bool:
        """True if the operation takes operands of the dtype with this code."""
        return 0 <= code < CODE_COUNT and self.packed >> code & 1 == 1

    @always_inline
    def arity(self) -> Int:
        """The number of operands."""
        return self.packed >> 16 & 3

    @always_inline
    def bits(self) -> Int:
        """TYPED, MODULAR, RAW or FORMAT."""
        return self.packed >> 18 & 3

    @always_inline
    def predicate(self) -> Bool:
        """True if the result is bool, whatever the operands are."""
        return self.packed >> 20 & 1 == 1

    @always_inline
    def part(self) -> Bool:
        """True if the result for complex operands is real."""
        return self.packed >> 21 & 1 == 1

    @always_inline
    def joins(self) -> Bool:
        """True if the result is complex, of real operands."""
        return self.packed >> 22 & 1 == 1


struct Operation(ImplicitlyCopyable, Movable):
    """One row of the table."""

    var name: StaticString
    var facts: Facts

    def __init__(
        out self,
        name: StaticString,
        arity: Int,
        dtypes: Int,
        *,
        bits: Int = TYPED,
        predicate: Bool = False,
        part: Bool = False,
        joins: Bool = False,
    ):
        """A row whose last facts have their usual values."""
        self.name = name
        self.facts = Facts(arity, dtypes, bits, predicate, part, joins)
