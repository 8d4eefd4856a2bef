"""Where the fields of values, buffers and handles lie: words of objects whose types `types.mojo` makes."""

# what a value has, behind its count and its type
comptime VALUE_CODE = 2
comptime VALUE_SHAPE = 3
comptime VALUE_INPUTS = 4
comptime VALUE_LAYOUTS = 5
comptime VALUE_PARAMS = 6
comptime VALUE_BUFFER = 7
comptime VALUE_SITE = 8
comptime VALUE_WITHIN = 9
comptime VALUE_END = 10
"""Here the references end."""
comptime VALUE_PLACE = 10
"""Its place among the entries of a plan, if that has the value there: a number, perhaps an old one."""
comptime VALUE_MARK = 11
"""The number by which a transformation knows it, or 0."""
comptime VALUE_ERRORS = 12
"""The error state in which the step was recorded (`vm.base.errors`), 0 if it never warns; then its site
is the user's code, and how far into that its instruction is stands above the state."""
comptime VALUE_WORDS = 13

# what a buffer has
comptime BUFFER_ADDRESS = 2
comptime BUFFER_SIZE = 3
"""Its bytes."""
comptime BUFFER_POOL = 4
"""The address of the pool that the memory goes back to, 0 for memory of another owner: a number."""
comptime BUFFER_OWNER = 5
"""What keeps memory alive that is not the pool's, or 0."""
comptime BUFFER_PINS = 6
"""How many views of the memory are held outside (`vm.base.pins`): a number."""
comptime BUFFER_SHARING = 7
"""Who else uses memory of another owner: one of the numbers there."""
comptime BUFFER_GRANTED = 8
"""References to the buffer that do not keep a step from writing to its memory: a number."""
comptime BUFFER_END = 9
comptime BUFFER_INSIDE = 8 * BUFFER_END
"""Bytes of a buffer, behind which the memory lies that is inside of it."""

# what a handle has
comptime HANDLE_NUMBER = 2
"""The number of an element of float64, where a float of Python's has its own; unused in other scalars."""
comptime HANDLE_ORIGIN = HANDLE_NUMBER
"""Of an array of a derived class: the array that it was seen from (`vm.record.derived`), or 0."""
comptime HANDLE_OPERATORS = 3
"""The address of the table of operators (`vm.record.slots`): no reference."""
comptime OPERATORS = 88
"""Room in that table."""
comptime NONE_PLACE = OPERATORS - 1
"""Where the table has Python's None."""
comptime SCALARS_PLACE = OPERATORS - 2
"""Where the table has the last scalar that was put away (`vm.base.scalars`), 0 if there is none."""
comptime COUNT_PLACE = OPERATORS - 3
"""How many are put away."""
comptime BOOLS_PLACE = OPERATORS - 5
"""The same of scalars of one byte."""
comptime BOOL_COUNT_PLACE = OPERATORS - 6
comptime ARRAY_TYPE_PLACE = OPERATORS - 7
comptime VIEWS_PLACE = OPERATORS - 12
"""Where the table has the last view of each rank that was put away (`vm.base.views`)."""
comptime VIEW_COUNT_PLACE = OPERATORS - 17
"""How many there are of each rank."""
comptime SCALAR_TYPE_PLACE = OPERATORS - 4
comptime HANDLE_VALUE = 4
comptime HANDLE_BASE = 5
comptime HANDLE_LAYOUT = 6
comptime HANDLE_HEADER = 7
comptime HANDLE_SHAPE = 8
comptime HANDLE_CODE = 9
comptime HANDLE_READONLY = 10
comptime HANDLE_KEY = 11
comptime HANDLE_WEAK = 12
"""The list of weak references, which is Python's."""
comptime HANDLE_VIEWS = 13
"""How many views have the handle as their base: a number."""
comptime HANDLE_END = 14
