"""Where the planner finds things: types and singletons of the Python side."""


struct Interface(Copyable, Defaultable, Movable):
    """Addresses and word offsets, all set once by `bind` (jjvm.mojo)."""

    var value_type: Int
    var buffer_type: Int
    var float_type: Int
    var none: Int
    var empty: Int
    """The empty tuple."""
    var region: Int
    """Address at which every layout array pretends its base to begin."""
    var in_place: List[Int]
    """By kernel: 1 if it updates its first input."""

    var dtypes: List[Int]
    """By dtype code: the address of NumPy's dtype."""

    def __init__(out self):
        self.dtypes = List[Int]()
        self.value_type = 0
        self.buffer_type = 0
        self.float_type = 0
        self.none = 0
        self.empty = 0
        self.region = 0
        self.in_place = List[Int]()
