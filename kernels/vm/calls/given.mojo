"""Small arrays whose elements a call must know, to tell how large its result is."""

from vm.base.fields import HANDLE_LAYOUT, HANDLE_SHAPE
from vm.base.numbers import BOOL, FLOAT64, INT64
from vm.base.objects import ObjectsPointer, item
from vm.base.raw import (
    ARRAY_DATA,
    ARRAY_FLAGS,
    IN_C_ORDER,
    TUPLE_SIZE,
    TYPE,
    drop,
    kept,
    load,
)
from vm.record.elements import goes_by_elements, memory_of
from vm.run.flush import computed

comptime MOST_AXES = 8
comptime MOST_ELEMENTS = 1 << 14


struct Given:
    """An array of truth values, int64 or float64 in C order, which is computed now if it must be known."""

    var value: Int
    """Holds the memory; 0 without one."""
    var address: Int
    """Of the first element; 0 for any other array, and for what is none."""
    var dtype: Int
    var size: Int
    var rank: Int

    def __init__(
        out self, objects: ObjectsPointer, x: Int, must_be_known: Bool = True
    ):
        self.value = 0
        self.address = 0
        self.dtype = 0
        self.size = 1
        self.rank = 0
        if load(x, TYPE) != objects[].array_type or objects[].learning > 0:
            return
        self.dtype = objects[].dtype(x)
        var shape = load(x, HANDLE_SHAPE)
        self.rank = load(shape, TUPLE_SIZE)
        for axis in range(self.rank):
            var extent = objects[].api.small_int(item(shape, axis))
            self.size = min(self.size, MOST_ELEMENTS + 1) * extent
        if (
            self.dtype not in (BOOL, INT64, FLOAT64)
            or not 0 < self.rank <= MOST_AXES
            or not 0 < self.size <= MOST_ELEMENTS
        ):
            return
        var layout = load(x, HANDLE_LAYOUT)
        var ahead = 0
        if layout != objects[].api.none:
            if load(layout, ARRAY_FLAGS) & IN_C_ORDER == 0:
                return
            ahead = load(layout, ARRAY_DATA) - objects[].api.region
        self.value = kept(objects[].value_of(x))
        if must_be_known or goes_by_elements(objects):
            _ = computed(objects[], self.value)
        var memory = memory_of(objects, self.value)
        self.address = memory + ahead if memory != 0 else 0

    def __del__(deinit self):
        if self.value != 0:
            drop(self.value)
