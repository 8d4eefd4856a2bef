"""The array type: metadata, views, conversions. Computing methods come from the modules."""

from __future__ import annotations

import math
import numbers
import operator
import sys
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import machine
from jujunp.lazy.run.flush import flush
from jujunp.lazy.run.sites import warn_user
from jujunp.lazy.values.dtypes import (
    BOOL,
    CODES,
    COMPLEX128,
    DTYPES,
    FLOAT64,
    INT64,
    code_of,
    is_complex,
)
from jujunp.lazy.values.value import LIMIT, LOG, Value

from .handle import COPIES, COPY, Handle, assign, element, header, to_numpy, value_of, whole_value
from .promotion import convert_code, pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jujunp.lazy.values.types import Shape

    from .._members.flags import Flags

_NUMBER_CODES: dict[type, int] = {
    bool: BOOL,
    int: INT64,
    float: FLOAT64,
    complex: COMPLEX128,
}


class _Array(Handle):
    """What arrays and scalars have in common."""

    __slots__ = ()

    # -- metadata

    @property
    def shape(self) -> Shape:
        """Lengths of the axes."""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """NumPy dtype of the elements."""
        return DTYPES[self._code]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return DTYPES[self._code].itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis, as NumPy would have them."""
        return header(self).strides

    @property
    def base(self) -> Any:
        """The array that owns the memory of a view; None for an owner."""
        return self._base

    @property
    def flags(self) -> Flags:
        """Contiguity and writeability, as NumPy's."""
        from .._members.flags import Flags

        return Flags(self)

    @property
    def device(self) -> str:
        """Where the elements are: "cpu"."""
        return "cpu"

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    # -- views

    @property
    def T(self) -> Any:
        """The array with its axes in reverse order; a view."""
        return view(self, header(self).T)

    @property
    def mT(self) -> Any:
        """The array with its last two axes swapped; a view."""
        return view(self, header(self).mT)

    @property
    def real(self) -> Any:
        """The real part, a view: of a real array, the array."""
        return part(self, "real") if is_complex(self._code) else self

    @property
    def imag(self) -> Any:
        """The imaginary part, a view: of a real array, read-only zeros."""
        if is_complex(self._code):
            return part(self, "imag")
        zeros = Value(pack(COPY, self._code, self._code), self._shape, (0,))
        result = type(self)(zeros, None, None, self._shape, self._code)
        result._readonly = True
        return result

    def transpose(self, *axes: Any) -> Any:
        """Return a view with the axes permuted: in the order given, or reversed."""
        return view(self, header(self).transpose(*axes))

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """Return a view with two axes interchanged."""
        return view(self, header(self).swapaxes(axis1, axis2))

    def squeeze(self, axis: Any = None) -> Any:
        """Return a view without the axes of length one, or without those named."""
        seen = header(self)
        found = seen.squeeze(axis)
        return self if found.ndim == seen.ndim else view(self, found)

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
        """Return the elements in another shape: a view where NumPy gives one, else a copy.

        ValueError when the sizes differ, or when `copy=False` and a copy would be needed.
        """
        return reshape(self, shape[0] if len(shape) == 1 else shape, order, copy)

    def ravel(self, order: str = "C") -> Any:
        """Return the elements in one dimension; a view where NumPy gives one.

        It is one of an array without gaps, and in memory order (K) of any that can be seen so.
        """
        found, order = self._in_line(order)
        flags = header(self).flags
        kept = {"C": flags.c_contiguous, "F": flags.f_contiguous, "A": flags.forc, "K": True}
        if kept[order] or found._base is not (self if self._base is None else self._base):
            return found
        return copy(found)

    def flatten(self, order: str = "C") -> Any:
        """Return a copy of the elements in one dimension."""
        return copy(self._in_line(order)[0])

    def _in_line(self, order: str) -> tuple[Any, str]:
        """Return the elements in one dimension, a view where a layout can say so; and the order."""
        from .arguments import axes_in_memory, check_order

        order = check_order(order)
        axes = axes_in_memory(self, order)
        return reshape(self if axes is None else self.transpose(axes), (-1,)), order

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """Return a view of the same memory, with another dtype if one is given."""
        seen = header(self)
        if dtype is None:
            return view(self, seen[...])
        dtype = np.dtype(dtype)
        code = code_of(dtype)
        found = view(self, seen.view(DTYPES[code]), code)
        if isinstance(self, scalar):
            return wrap(whole_value(found), (), found._code)
        return found

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """Return a read-only view of the diagonal(s)."""
        result = view(self, header(self).diagonal(offset, axis1, axis2))
        result._readonly = True
        return result

    # -- copies and conversions

    def copy(self, order: str = "C") -> Any:
        """Return a copy; elements are copied only when one of the two is written."""
        return copy(self) if order == "C" else _in_order(self, order)

    def __copy__(self) -> Any:
        return copy(self)

    def __deepcopy__(self, memo: Any) -> Any:
        return copy(self)

    def __reduce__(self) -> Any:
        return _restore, (np.array(to_numpy(self)), not self._shape and isinstance(self, scalar))

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Return the elements converted to a dtype."""
        target = np.dtype(dtype)
        if not np.can_cast(self.dtype, target, casting):  # type: ignore[arg-type]
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {target!r} "
                f"according to the rule '{casting}'"
            )
        code = code_of(target)
        if code == self._code:
            return _in_order(self, order) if copy else self
        if len(LOG) > LIMIT:
            flush()
        return _in_order(self, order, code)

    def item(self, *args: Any) -> Any:
        """Return one element as a Python number; computes it.

        The element is named by an index for each axis, or by one in C order; ValueError when there
        is no index and not just one element, or another number of indices than axes.
        """
        if len(args) == 1 and isinstance(args[0], tuple):
            (args,) = args
        if not args:
            if self.size != 1:
                raise ValueError("can only convert an array of size 1 to a Python scalar")
            return element(self)
        indices = [operator.index(index) for index in args]
        if len(indices) == 1 and len(self._shape) != 1:
            indices = self._unraveled(indices[0])
        elif len(indices) != len(self._shape):
            raise ValueError("incorrect number of indices for array")
        return element(self[tuple(indices)])  # type: ignore[index]

    def _unraveled(self, index: int) -> list[int]:
        """Return the indices along the axes of an element in C order."""
        if not -self.size <= index < self.size:
            raise IndexError(f"index {index} is out of bounds for size {self.size}")
        return [int(k) for k in np.unravel_index(index % self.size, self._shape)]

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers; computes them."""
        return to_numpy(self).tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """Return the elements' memory in C or Fortran order."""
        return to_numpy(self).tobytes(order)  # type: ignore[arg-type]

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file: their memory in C order, or text with separators."""
        to_numpy(self).tofile(fid, sep, format)

    def to_numpy(self) -> np.ndarray:
        """Return a NumPy copy of the elements; computes them."""
        return np.array(to_numpy(self))

    def __jax_array__(self) -> Any:
        """Return the elements as an array of JAX's, for functions of JAX; computes them."""
        import jax.numpy

        with jax.enable_x64(True):
            return jax.numpy.array(to_numpy(self))

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """Return the array on a device, of which there is one: "cpu"."""
        if device != "cpu":
            raise ValueError(f"Unsupported device {device!r}")
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = to_numpy(self)
        if dtype is not None and np.dtype(dtype) != found.dtype:
            if copy is False:
                raise ValueError("a copy is needed to convert the dtype, and copy=False was given")
            return found.astype(dtype)
        return np.array(found) if copy else found

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule with a copy of the elements; computes them.

        With copy=False it shares the memory, which must not be written. It is marked read-only,
        unless the consumer's version of the protocol (`max_version`) is too old to know that.
        """
        found = to_numpy(self)
        if copy is not False:
            found = np.array(found)
        elif max_version is None or max_version < (1, 0):
            found = np.asarray(Unmarked(found))
        return found.__dlpack__(
            stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        import jujunp

        if api_version is not None and api_version not in VERSIONS:
            raise ValueError(f"jujunp does not implement version {api_version!r} of the Array API")
        return jujunp

    def __float__(self) -> float:
        return float(self._single())

    def __int__(self) -> int:
        return int(self._single())

    def __bool__(self) -> bool:
        if self._shape and self.size != 1:
            if not self.size:
                raise ValueError(
                    "The truth value of an empty array is ambiguous. "
                    "Use `array.size > 0` to check that an array is not empty."
                )
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        if value_of(self).buffer is None and sys._getframe(1).f_code.co_name == _PROBE:
            return True
        return bool(element(self))

    def __complex__(self) -> complex:
        if self._shape:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return complex(element(self))

    def __index__(self) -> int:
        if self._shape or not 1 <= self._code <= 8:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(element(self))

    def _single(self) -> Any:
        """Return the element, for a real number; the real part of a complex scalar."""
        if self._shape:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        found = element(self)
        if isinstance(found, complex) and isinstance(self, scalar):
            warn_of_cast(self._code, FLOAT64)
            return found.real
        return found

    def __iter__(self) -> Iterator[Any]:
        if not self._shape:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(self._shape[0]))  # type: ignore[index]

    def __contains__(self, item: Any) -> bool:
        found: Any = self == item
        return bool(found.any())

    def __str__(self) -> str:
        return str(self._printable())

    def __repr__(self) -> str:
        return repr(self._printable())

    def __format__(self, spec: str) -> str:
        return format(self._printable(), spec)

    def _printable(self) -> Any:
        return to_numpy(self)[()]


class ndarray(_Array):
    """An array that records what is done to it and computes when a value is needed.

    Made by `array`, `zeros` and the other functions of this module. Indexing, views, in-place
    operators and attributes are NumPy's.
    """

    __slots__ = ()
    __class_getitem__: Any = classmethod(GenericAlias)
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100.0

    @property
    def shape(self) -> Shape:
        """Lengths of the axes. Other ones may be assigned, which gives no new array."""
        return self._shape

    @shape.setter
    def shape(self, value: Any) -> None:
        seen = header(self)
        try:
            layout = seen.reshape(value, copy=False)
        except ValueError:
            if _size_mismatch(seen, value):
                raise
            message = (
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy "
                "with the desired shape."
            )
            raise AttributeError(message) from None
        if self._base is None:  # views see its memory, which stays as it is
            self._value = Value(COPIES[self._code], layout.shape, (self._value,), (layout,))  # type: ignore[arg-type]
            self._header = None
        else:
            self._layout = self._header = layout
        self._shape = layout.shape
        self._key = None

    def _write(self, source: Handle) -> None:
        """Replace all elements by those of another handle, converted and broadcast."""
        self._key = self._key  # a written view is still the view of its key
        assign(self, fitted(source, self._shape, self._code))

    @property
    def real(self) -> Any:
        """The real part, a view: of a real array, the array. It may be assigned to."""
        return super().real

    @real.setter
    def real(self, value: Any) -> None:
        super().real[...] = value

    @property
    def imag(self) -> Any:
        """The imaginary part, a view: of a real array, read-only zeros. It may be assigned to.

        TypeError for an assignment to that of a real array.
        """
        return super().imag

    @imag.setter
    def imag(self, value: Any) -> None:
        if not is_complex(self._code):
            raise TypeError("array does not have imaginary part to set")
        super().imag[...] = value

    def fill(self, value: Any) -> None:
        """Set all elements to one number."""
        self[...] = value  # type: ignore[index]

    def _printable(self) -> Any:
        return to_numpy(self)


class scalar(_Array):
    """An element or a result without axes: what NumPy gives as a scalar. It cannot be written."""

    __slots__ = ()
    __contains__ = None  # type: ignore[assignment]

    def __trunc__(self) -> int:
        whole: int = math.trunc(element(self))
        return whole

    def __floor__(self) -> int:
        whole: int = math.floor(element(self))
        return whole

    def __ceil__(self) -> int:
        whole: int = math.ceil(element(self))
        return whole

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return the number as a quotient of two integers, the second positive."""
        numerator, denominator = element(self).as_integer_ratio()
        return numerator, denominator

    def bit_count(self) -> int:
        """Return the number of ones in the binary form of an integer's absolute value."""
        return int(element(self).bit_count())

    def __hash__(self) -> int:
        return hash(element(self))

    def __round__(self, ndigits: int | None = None) -> Any:
        if self._code == BOOL:
            raise TypeError("type numpy.bool doesn't define __round__ method")
        number = element(self)
        return round(number, ndigits) if ndigits is not None else round(number)

    def is_integer(self) -> bool:
        """Whether the number has no fraction."""
        return float(element(self)).is_integer()


numbers.Real.register(scalar)  # also those that are complex, as there is one class


_PROBE = "is_lazy_array"
"""The function of array-api-compat that finds out whether `bool(x)` raises, and drops its value: it
must not compute what is pending."""
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Versions of the Array API that the namespace follows; the last one is its own."""


# -- making handles


def wrap(value: Value, shape: Shape, code: int) -> Any:
    """Return a handle of a new value: an array, or a scalar when there are no axes."""
    return (ndarray if shape else scalar)(value, None, None, shape, code)


def new_array(value: Value, shape: Shape, code: int) -> ndarray:
    """Return an array of a new value, also when it has no axes."""
    return ndarray(value, None, None, shape, code)


def view(x: Handle, layout: np.ndarray, code: int | None = None) -> ndarray:
    """Return a view of the memory of `x`, given the layout that NumPy worked out for it."""
    if isinstance(x, scalar):
        if not layout.shape and code is None:
            return x  # type: ignore[return-value]
        x = ndarray(value_of(x), None, None, (), x._code)
    owner = x if x._base is None else x._base
    result = ndarray(None, owner, layout, layout.shape, x._code if code is None else code)
    result._readonly = x._readonly
    return result


class Unmarked:
    """The memory of a read-only NumPy array without the mark."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array  # keeps the memory
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def part(x: Handle, name: str) -> Any:
    """Return a view of the real or imaginary parts of complex elements, by name."""
    layout = getattr(header(x), name)
    found = view(x, layout, CODES[layout.dtype])
    return wrap(whole_value(found), (), found._code) if isinstance(x, scalar) else found


def reshape(x: Handle, shape: Any, order: str = "C", copy: bool | None = None) -> Any:
    """Return the elements of a handle in another shape; a view where NumPy gives one."""
    seen = header(x)
    if copy is not True:
        try:
            return view(x, seen.reshape(shape, order=order, copy=False))  # type: ignore[call-overload]
        except ValueError:
            if copy is False or _size_mismatch(seen, shape):
                raise
    target = _resolved(seen, shape)
    if order == "F":
        source = new_array(whole_value(x.transpose()), x._shape[::-1], x._code)  # type: ignore[attr-defined]
        return reshape(source, target[::-1]).transpose()
    value = Value(pack(COPY, x._code, x._code), x._shape, (value_of(x),), (x._layout,))
    owner = new_array(value, x._shape, x._code)
    found = view(owner, header(owner).reshape(target))
    return found


def _resolved(seen: np.ndarray, shape: Any) -> Shape:
    """Return the new shape with -1 worked out."""
    compact = np.broadcast_to(np.empty((), seen.dtype), seen.shape)
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    wanted = tuple(int(n) for n in sizes)
    if -1 in wanted:
        known = math.prod(n for n in wanted if n != -1)
        if wanted.count(-1) > 1 or not known or compact.size % known:
            raise ValueError(f"cannot reshape array of size {compact.size} into shape {shape}")
        wanted = tuple(compact.size // known if n == -1 else n for n in wanted)
    if math.prod(wanted) != compact.size:
        raise ValueError(f"cannot reshape array of size {compact.size} into shape {shape}")
    return wanted


def _size_mismatch(seen: np.ndarray, shape: Any) -> bool:
    try:
        _resolved(seen, shape)
    except ValueError:
        return True
    return False


def copy(x: Handle) -> ndarray:
    """Return a copy. Values do not change, so a whole array's copy shares its value."""
    if isinstance(x, scalar):
        return x  # type: ignore[return-value]
    if len(LOG) > LIMIT:
        flush()
    return ndarray(whole_value(x), None, None, x._shape, x._code)


def _in_order(x: Handle, order: str, code: int | None = None) -> Any:
    """Return a copy, converted if a dtype code is given, whose axes lie in memory as is said."""
    from .arguments import check_order, laid_out

    if len(x._shape) > 1:
        return laid_out(x, check_order(order), code)
    check_order(order)
    return copy(x) if code is None else convert(x, code)


def warn_of_cast(source: int, target: int) -> None:
    """Warn as NumPy does when complex numbers are made real."""
    if is_complex(source) and target > BOOL and not is_complex(target):
        message = "Casting complex values to real discards the imaginary part"
        warn_user(message, np.exceptions.ComplexWarning)


def convert(x: Handle, code: int) -> Any:
    """Return the elements converted to a dtype code."""
    warn_of_cast(x._code, code)
    layouts = None if x._layout is None else (x._layout,)
    value = Value(convert_code(x._code, code), x._shape, (value_of(x),), layouts)
    return type(x)(value, None, None, x._shape, code)


def fitted(source: Handle, shape: Shape, code: int) -> Value:
    """Return a whole value with the source's elements converted and broadcast to a shape."""
    if source._code == code and source._shape == shape:
        return whole_value(source)
    layout = source._layout
    value = value_of(source)
    if source._code != code:
        warn_of_cast(source._code, code)
        layouts = None if layout is None else (layout,)
        value = Value(convert_code(source._code, code), source._shape, (value,), layouts)
        layout = None
    if source._shape == shape and layout is None:
        return value
    # copying into the shape broadcasts
    return Value(pack(COPY, code, code), shape, (value,), None if layout is None else (layout,))


def as_handle(x: Any, code: int | None = None) -> Handle:
    """Return an array_like as a handle: a copy of the elements, unless it is one already."""
    if isinstance(x, Handle):
        return x if code is None or x._code == code else convert(x, code)
    kind = type(x)
    if kind in _NUMBER_CODES and code is None:
        return _number(x, _NUMBER_CODES[kind])
    if isinstance(x, (list, tuple)) and _holds_handles(x):
        from .._functions.creation.arrays import stack_nested

        found = stack_nested(x)
        return found if code is None or found._code == code else convert(found, code)
    check_unmasked(x)
    array = np.asarray(x)
    target = code_of(array.dtype) if code is None else code
    if array.dtype != DTYPES[target]:
        array = array.astype(DTYPES[target])
    value = machine.import_array(array, target)
    return (scalar if isinstance(x, np.generic) else ndarray)(
        value, None, None, array.shape, target
    )


def check_unmasked(x: Any) -> None:
    """Raise TypeError for an array of NumPy's with masked elements, which would be taken."""
    if (
        type(x) is not np.ndarray
        and isinstance(x, np.ndarray)
        and np.any(getattr(x, "mask", False))
    ):
        raise TypeError("masked elements are not supported: use numpy.ma, x.filled() or x.data")


def _number(x: Any, code: int) -> Handle:
    if code == INT64 and not -(1 << 63) <= x < 1 << 63:
        raise OverflowError(f"Python integer {x} out of bounds for int64")
    return scalar(Value(pack(COPY, code, code), (), (x,)), None, None, (), code)


def _holds_handles(x: Any) -> bool:
    return any(
        isinstance(item, Handle) or (isinstance(item, (list, tuple)) and _holds_handles(item))
        for item in x
    )


def _restore(array: np.ndarray, is_scalar: bool) -> Handle:
    found = as_handle(array)
    return scalar(value_of(found), None, None, (), found._code) if is_scalar else found
