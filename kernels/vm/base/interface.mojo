"""Where the planner finds things: types and singletons of the Python side."""

from vm.base.raw import INT_TAG, TYPE, first_digit, int_of, load


struct Interface(Copyable, Defaultable, Movable):
    """Addresses and word offsets, all set once by `bind` (vm/python/types.mojo)."""

    var value_type: Int
    var buffer_type: Int
    var float_type: Int
    var int_type: Int
    var one_digit: Int
    """What says of an int that it has one digit, and is not negative: see `INT_TAG`."""
    var none: Int
    var empty: Int
    """The empty tuple."""
    var region: Int
    """Address at which every layout array pretends its base to begin."""
    var in_place: List[Int]
    """By kernel: 1 if it updates its first input."""
    var several: List[Int]
    """By kernel: 1 if steps that name its results come after it."""

    var dtypes: List[Int]
    """By dtype code: the address of NumPy's dtype."""

    def __init__(out self):
        self.dtypes = List[Int]()
        self.value_type = 0
        self.buffer_type = 0
        self.float_type = 0
        self.int_type = 0
        self.one_digit = -1
        self.none = 0
        self.empty = 0
        self.region = 0
        self.in_place = List[Int]()
        self.several = List[Int]()

    def know_ints(mut self, type: Int, five: Int):
        """Takes over the type of ints, and how they lie in memory, from the number 5."""
        self.int_type = type
        if first_digit(five) == 5:
            self.one_digit = load(five, INT_TAG)

    @always_inline
    def small_int(self, object: Int) -> Int:
        """An int or the like as two's complement, at once if it has one digit."""
        if (
            load(object, TYPE) == self.int_type
            and load(object, INT_TAG) == self.one_digit
        ):
            return first_digit(object)
        return int_of(object)
