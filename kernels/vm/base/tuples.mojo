"""Python's tuples, and the numbers of tuples and lists."""

from std.ffi import external_call
from vm.base.raw import (
    LIST_ITEMS,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    int_of,
    load,
    store,
)


def tuple_of(references: List[Int]) -> Int:
    """A new tuple, which takes over the references."""
    var made = external_call["PyTuple_New", Int](len(references))
    for k in range(len(references)):
        store(made, TUPLE_ITEMS + k, references[k])
    return made


def integer(number: Int) -> Int:
    """A new Python int."""
    return external_call["PyLong_FromSsize_t", Int](number)


def integers(numbers: List[Int]) -> Int:
    """A new tuple of Python ints."""
    var made = List[Int](capacity=len(numbers))
    for number in numbers:
        made.append(integer(number))
    return tuple_of(made^)


def numbers_of(list: Int) -> List[Int]:
    """The numbers of a Python list."""
    var found = List[Int]()
    for k in range(load(list, TUPLE_SIZE)):
        found.append(int_of(load(load(list, LIST_ITEMS), k)))
    return found^
