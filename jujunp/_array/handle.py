"""Handles: what users hold. A handle names a Value that changes when the array is written.

An owner holds its value itself and is whole, in C order. A view has an owner as its base and a
layout into the owner's memory; it never holds elements. A write through any of them gives the
owner a new Value, so that all of them see it.
"""

from __future__ import annotations

from abc import ABCMeta
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jujunp.lazy.library import TYPES
from jujunp.lazy.run import machine, transfer
from jujunp.lazy.run.flush import LOCK, ensure
from jujunp.lazy.run.machine import COPIES, STORES, bind, is_pinned
from jujunp.lazy.run.watching import WATCHES, note_element
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import DTYPES, NAMED
from jujunp.lazy.values.value import Value, pack, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jujunp.lazy.values.types import Shape

__all__ = ["ndarray"]


STORE = machine.OPCODES["store"]
COPY = machine.OPCODES["copy"]
NUMBERS = (float, int, bool, complex)
"""Types of Python numbers, which take the dtype of an array that they meet."""


def is_number(x: Any) -> bool:
    """Whether this is a Python number, or derived of one; scalars of ours only look like it."""
    return isinstance(x, NUMBERS) and not isinstance(x, Handle)


if TYPE_CHECKING:

    class Handle:
        """What arrays and scalars share: a value, perhaps seen through a layout.

        `_base` is None for an owner. `_layout` is None when the handle covers the whole value in
        order; `_header` caches the layout that NumPy is asked about, which an owner gets when it is
        needed. `_views` counts the views that have the handle as their base.

        The types are the immediate library's (kernels/vm/base/types.mojo), which has their
        operators (kernels/vm/record/slots.mojo); jujunp/_members gives them all else.
        """

        _value: Value | None
        _base: Handle | None
        _layout: np.ndarray | None
        _header: np.ndarray | None
        _shape: Shape
        _code: int
        _readonly: Any
        _key: Any
        _views: int
        shape: Shape
        dtype: np.dtype
        ndim: int
        size: int
        itemsize: int
        nbytes: int
        strides: tuple[int, ...]
        device: str

        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> Any: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __contains__(self, item: Any) -> bool: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray: ...

    class ndarray(Handle):
        """An array that records what is done to it."""

        __array_priority__: float

    Array = ndarray

    class scalar(Handle):
        """An element or a result without axes."""

    Kind = TypeVar("Kind", bound=Handle)

    SCALARS: list[type[scalar]]

    class float_scalar(scalar, float):
        """An element of a float64 array: Python's `float`, too, as NumPy's is."""

    def new_handle(
        kind: type[Kind],
        value: Value | None,
        base: Handle | None,
        layout: np.ndarray | None,
        shape: Shape,
        code: int,
        /,
    ) -> Kind:
        """Return an array or a scalar: of a value, or of a base seen through a layout."""
        ...

else:
    names = ("Handle", "Array", "ndarray", "scalar", "scalars", "float_scalar", "new_handle")
    Handle, Array, ndarray, scalar, SCALARS, float_scalar, new_handle = map(TYPES.get, names)


WHEN_CHANGED: list[Callable[[], None]] = []
"""What forgets how classes of arrays are, once one gets another member."""


class _ArrayType(ABCMeta):
    """The class of `ndarray`: NumPy's arrays count as its instances.

    Other libraries give them, and our functions where elements are no numbers. `Array` is the class
    of our own ones alone. ABCMeta, so that an abstract class can be another base of a derived one.
    """

    __slots__ = ()

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        for forget in WHEN_CHANGED:
            forget()

    def __delattr__(cls, name: str) -> None:
        super().__delattr__(name)
        for forget in WHEN_CHANGED:
            forget()

    def __instancecheck__(cls, x: Any) -> bool:
        return super().__instancecheck__(x) if cls is not ndarray else isinstance(x, _ARRAYS)

    def __subclasscheck__(cls, kind: type) -> bool:
        return super().__subclasscheck__(kind) if cls is not ndarray else issubclass(kind, _ARRAYS)


_ARRAYS = (Array, np.ndarray)
machine.set_class_of_type(ndarray, _ArrayType)

ndarray.__doc__ = """An array that records what is done to it and computes when a value is needed.

Made by `array`, `zeros` and the other functions of this module. Indexing, views, in-place
operators and attributes are NumPy's; jujunp/_members gives this class all of them.
"""
ndarray.__array_priority__ = 100.0


def _alias(kind: type, item: Any, /) -> GenericAlias:
    """Return the class with its type arguments, the shape's and the dtype's, for type checkers."""
    count = len(item) if isinstance(item, tuple) else 1
    if not 0 < count < 3:
        raise TypeError(f"Too {'many' if count else 'few'} arguments for {kind}")
    return GenericAlias(kind, item)


ndarray.__class_getitem__ = classmethod(_alias)  # type: ignore[attr-defined]
scalar.__doc__ = """An element or a result without axes: what NumPy gives as a scalar.

It has one element, which can be written.
"""


class _ScalarType(type):
    """The class of the types of scalars, one for each dtype: `np.zeros(3, type(x[0]))`.

    A type equals that of NumPy's scalars of its dtype, whose objects count as its instances. There
    are two of float64, which are equal.
    """

    __slots__ = ()

    @property
    def dtype(cls) -> np.dtype:
        """The dtype of the objects, for which NumPy asks where a dtype is wanted."""
        return DTYPES[NAMED[cls.__name__]]

    def __instancecheck__(cls, x: Any) -> bool:
        return type(x) == cls  # noqa: E721, as they are equal and not the same


machine.compare_by_dtype(_ScalarType)
for _type in (*SCALARS, float_scalar):
    machine.set_class_of_type(_type, _ScalarType)

NATIVE: frozenset[Any] = frozenset((ndarray, *SCALARS, float_scalar))
"""The types of handles that no Python code has derived."""


def is_derived(x: Any) -> bool:
    """Whether this is an array of a class derived from ours."""
    return isinstance(x, Array) and type(x) is not ndarray


def value_of(x: Handle) -> Value:
    """Return the value whose elements the handle sees now."""
    base = x._base
    return x._value if base is None else base._value  # type: ignore[return-value]


def header(x: Handle) -> np.ndarray:
    """Return the layout of a handle, also of a whole one."""
    found = x._header
    if found is None:
        found = x._header = layouts.whole(x._shape, DTYPES[x._code])
    return found


def whole_value(x: Handle) -> Value:
    """Return a value with just the handle's elements in C order, which does not change.

    Records a copy of a view, and of memory that others hold.
    """
    layout, value = x._layout, value_of(x)
    if layout is None and not is_pinned(value):
        return value
    layouts = None if layout is None else (layout,)
    return record(COPIES[x._code], x._shape, (value,), layouts)


def store_code(x: Handle, base: Handle) -> int:
    """Return the code of a write through a view, which may have another dtype than its base."""
    return STORES[x._code] if x._code == base._code else pack(STORE, x._code, base._code)


def assign(x: Handle, value: Value) -> None:
    """Give all elements of a handle the elements of a value of the same shape and dtype."""
    base = x._base
    if base is None:
        bind(x, value)
        return
    code = store_code(x, base)
    layout: Any = x._layout
    source = None
    if x._readonly:  # elements at several places
        kept = layouts.last_places(layout)
        layout, source = layout[kept], layouts.whole(x._shape, DTYPES[x._code])[kept]
    while True:
        old: Any = base._value
        written = record(code, base._shape, (old, value), (layout, source))
        if rebind(base, old, written):
            return


def rebind(owner: Handle, old: Value, written: Value) -> bool:
    """Give an owner a value that is the old one written; False when another thread was faster.

    No thread comes between the comparison and the assignment: the interpreter turns to others in
    loops and calls only.
    """
    if owner._value is not old:
        return False
    bind(owner, written)
    return True


def to_numpy(x: Handle) -> np.ndarray:
    """Compute a handle and return its elements as a read-only NumPy array; no copy is made."""
    value = value_of(x)
    ensure(value)
    layout = x._layout
    return transfer.export(value, x._code) if layout is None else transfer.seen(value, layout)


def element(x: Handle) -> Any:
    """Compute a handle with one element and return it as a Python number, of the dtype's kind."""
    base = x._base
    value: Any = x._value if base is None else base._value
    found = _element(value, x._layout, x._code)
    if WATCHES:
        note_element(value, x._layout, x._code, found)
    return found


def _element(value: Value, layout: np.ndarray | None, code: int) -> Any:
    if type(value.buffer) is not machine.Buffer:
        if value.code == COPIES[code] and layout is None:
            found = _copied_element(value, code)
            if found is not None:
                return found
        ensure(value)
    return machine.element(machine.STATE, value.buffer, layout, code)


def _copied_element(value: Value, code: int) -> Any:
    """Return the element that a pending copy would have, None unless its source is computed.

    Reading an element, `int(x[i, j])`, thus needs no flush. The lock keeps flushes of other threads
    from writing to the source meanwhile.
    """
    with LOCK:
        (source,) = value.inputs or (None,)
        if value.buffer is None and type(source) is Value and value.layouts is not None:
            layout, buffer = value.layouts[0], source.buffer
            if layout is not None and type(buffer) is machine.Buffer:
                return machine.element(machine.STATE, buffer, layout, code)
    return None
