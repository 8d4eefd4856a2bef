"""Steps of the log in words, and steps that are recorded by a table: for transformations."""

from std.ffi import external_call
from vm.base.fields import (
    VALUE_CODE,
    VALUE_INPUTS,
    VALUE_LAYOUTS,
    VALUE_PARAMS,
    VALUE_PLACE,
    VALUE_SHAPE,
)
from vm.base.objects import Objects, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_DTYPE,
    ARRAY_SHAPE,
    ARRAY_STRIDES,
    LIST_ITEMS,
    LIST_SIZE,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    array_rank,
    drop,
    int_of,
    kept,
    load,
    replace_slot,
    store,
)

# what stands before an operand
comptime OF_STEP = 0
comptime OF_OTHER = 1
comptime OF_NEW = 2
"""A value outside of the steps, the first time: its dtype code and shape follow."""
comptime OF_NUMBER = 3


struct Described(Movable):
    """Steps in words: equal words say that the same is done with the same kinds of operands.

    Numbers and values from outside are left out, in lists of their own.
    """

    var words: List[Int64]
    var others: List[Int]
    var numbers: List[Int]

    def __init__(out self, ref objects: Objects, log: Int, first: Int):
        self.words = List[Int64]()
        self.others = List[Int]()
        self.numbers = List[Int]()
        var items = load(log, LIST_ITEMS)
        var count = load(log, LIST_SIZE) - first
        for k in range(count):
            store(load(items, first + k), VALUE_PLACE, k)
        for k in range(count):
            self._describe(objects, items + 8 * first, k)

    def _add(mut self, word: Int):
        self.words.append(Int64(word))

    def _add_sizes(mut self, tuple: Int):
        var count = load(tuple, TUPLE_SIZE)
        self._add(count)
        for k in range(count):
            self._add(int_of(item(tuple, k)))

    def _describe(mut self, ref objects: Objects, steps: Int, k: Int):
        var none = objects.api.none
        var step = load(steps, k)
        self._add(int_of(load(step, VALUE_CODE)))
        self._add_sizes(load(step, VALUE_SHAPE))
        var params = load(step, VALUE_PARAMS)
        if params == none:
            self._add(-1)
        else:
            self._add_sizes(params)
        var inputs = load(step, VALUE_INPUTS)
        var layouts = load(step, VALUE_LAYOUTS)
        var count = load(inputs, TUPLE_SIZE)
        self._add(count)
        for place in range(count):
            self._add_operand(objects, steps, k, item(inputs, place))
            if layouts != none:
                self._add_layout(objects, item(layouts, place))

    def _add_operand(
        mut self, ref objects: Objects, steps: Int, k: Int, operand: Int
    ):
        if load(operand, TYPE) != objects.api.value_type:
            self._add(OF_NUMBER)
            self._add(load(operand, TYPE))
            self.numbers.append(operand)
            return
        var place = load(operand, VALUE_PLACE)
        if 0 <= place < k and load(steps, place) == operand:
            self._add(OF_STEP)
            self._add(place)
            return
        if 0 <= place < len(self.others) and self.others[place] == operand:
            self._add(OF_OTHER)
            self._add(place)
            return
        self._add(OF_NEW)
        self._add(int_of(load(operand, VALUE_CODE)) >> 24)
        self._add_sizes(load(operand, VALUE_SHAPE))
        store(operand, VALUE_PLACE, len(self.others))
        self.others.append(operand)

    def _add_layout(mut self, ref objects: Objects, layout: Int):
        if layout == objects.api.none:
            self._add(-1)
            return
        var rank = array_rank(layout)
        self._add(rank)
        self._add(load(layout, ARRAY_DTYPE))
        self._add(load(layout, ARRAY_DATA) - objects.api.region)
        for d in range(rank):
            self._add(load(load(layout, ARRAY_SHAPE), d))
            self._add(load(load(layout, ARRAY_STRIDES), d))

    def result(self) -> Int:
        """A tuple: the words as bytes, the values from outside, the numbers; 0 for an error."""
        var made = external_call["PyTuple_New", Int](Int(3))
        var text = external_call["PyBytes_FromStringAndSize", Int](
            Int(self.words.unsafe_ptr()), 8 * len(self.words)
        )
        store(made, TUPLE_ITEMS, text)
        store(made, TUPLE_ITEMS + 1, _tuple_of(self.others))
        store(made, TUPLE_ITEMS + 2, _tuple_of(self.numbers))
        return made


def _tuple_of(objects: List[Int]) -> Int:
    var made = external_call["PyTuple_New", Int](len(objects))
    for k in range(len(objects)):
        store(made, TUPLE_ITEMS + k, kept(objects[k]))
    return made


def record_table(ref objects: Objects, values: Int, steps: Int) -> Bool:
    """Records steps; False says that Python has raised.

    Args:
        objects: What to make them with.
        values: A list, to which each step's result is added.
        steps: A tuple: of each step the code, shape, places of its operands in the list, layouts
            and parameters.
    """
    for k in range(load(steps, TUPLE_SIZE)):
        var step = item(steps, k)
        var places = item(step, 2)
        var count = load(places, TUPLE_SIZE)
        var inputs = external_call["PyTuple_New", Int](count)
        if inputs == 0:
            return False
        for place in range(count):
            var operand = load(
                load(values, LIST_ITEMS), int_of(item(places, place))
            )
            store(inputs, TUPLE_ITEMS + place, kept(operand))
        var made = objects.new_value(
            item(step, 0),
            item(step, 1),
            inputs,
            kept(item(step, 3)),
            of_call=True,
        )
        if made == 0:
            return False
        replace_slot(made, VALUE_PARAMS, item(step, 4))
        var failed = external_call["PyList_Append", Int32](values, made)
        drop(made)
        if failed != 0:
            return False
    return True
