"""The class `matrix`: two axes always, `*` and `**` are products and powers of matrices.

Matrices of dtypes that are not ours (objects, text, dates) are NumPy's.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.sites import package, user_frame
from jujunp.lazy.values.dtypes import CODES

from .._array.handle import Array, ndarray, scalar
from .._functions.host import COUNTERPARTS
from .._members.derived import as_class, inherited, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["asmatrix", "bmat", "matrix"]

_ADVICE = (
    "the matrix subclass is not the recommended way to represent matrices or deal with linear "
    "algebra (see https://docs.scipy.org/doc/numpy/user/numpy-for-matlab-users.html). Please "
    "adjust your code to use regular ndarray."
)
_PUBLIC: Any = package()
"""Where functions ask the classes of their arguments."""
_ARRAYS = (Array, np.ndarray)


class _Kind(type(ndarray)):  # type: ignore[misc]
    """The type of matrix classes, which knows the matrices of NumPy.

    They are instances of `matrix`. A class that is derived from a class of NumPy's arrays and from
    `matrix` is derived from NumPy's matrix, since no class has both kinds of arrays as its bases.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **named: Any
    ) -> Any:
        if not any(issubclass(base, np.ndarray) for base in bases):
            return super().__new__(cls, name, bases, members, **named)
        theirs = tuple(np.matrix if base is matrix else base for base in bases)
        return type(name, theirs, members, **named)

    def __instancecheck__(cls, x: Any) -> bool:
        return super().__instancecheck__(x) or (cls is matrix and isinstance(x, np.matrix))

    def __subclasscheck__(cls, kind: type) -> bool:
        return super().__subclasscheck__(kind) or (cls is matrix and issubclass(kind, np.matrix))


def _total(name: str) -> Callable[..., Any]:
    """Return a reduction that keeps both axes, or gives one number; it may be told a dtype."""
    reduce = getattr(ndarray, name)

    def method(self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return _collapsed(reduce(self, axis, dtype, out, keepdims=True), axis)

    return _named(method, name)


def _spread(name: str) -> Callable[..., Any]:
    """Return such a reduction that has degrees of freedom."""
    reduce = getattr(ndarray, name)

    def method(
        self: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0
    ) -> Any:
        return _collapsed(reduce(self, axis, dtype, out, ddof, keepdims=True), axis)

    return _named(method, name)


def _logical(name: str) -> Callable[..., Any]:
    """Return such a reduction without a dtype."""
    reduce = getattr(ndarray, name)

    def method(self: Any, axis: Any = None, out: Any = None) -> Any:
        return _collapsed(reduce(self, axis, out, keepdims=True), axis)

    return _named(method, name)


def _upright(name: str, find: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reduction of what gives a row, which stands up where it is along rows."""

    def method(self: Any, axis: Any = None, out: Any = None) -> Any:
        return _aligned(find(self, axis, out), axis)

    return _named(method, name)


def _named(method: Any, name: str) -> Callable[..., Any]:
    method.__name__, method.__qualname__ = name, f"matrix.{name}"
    method.__doc__ = (
        f"Return what `ndarray.{name}` gives, as a matrix of one row (axis 0) or one column "
        "(axis 1);\none element for no axis. ValueError for other axes."
    )
    return method  # type: ignore[no-any-return]


def _collapsed(found: Any, axis: Any) -> Any:
    return found[0, 0] if axis is None else found


def _aligned(found: Any, axis: Any) -> Any:
    if axis is None:
        return found
    if axis not in (0, 1):
        raise ValueError("unsupported axis")
    return found.transpose() if axis == 1 else found


def _range(x: Any, axis: Any, out: Any) -> Any:
    found = _PUBLIC.ptp(plain(x), axis, out)
    return found if out is not None or axis is None else as_class(found, type(x), x)


_UPRIGHT = {"argmax": inherited("argmax"), "argmin": inherited("argmin"), "ptp": _range}


class matrix(ndarray, metaclass=_Kind):
    """A matrix of an array_like, or of a text: rows between semicolons, numbers between spaces.

    It has two axes: a number has shape (1, 1), a vector of n elements (1, n). ValueError for more
    axes, and for rows of other lengths. With `copy=False` the memory of an array is shared, unless
    it is of another dtype than the one that is given. A matrix of a dtype that is not ours is
    NumPy's.
    """

    __module__ = _PUBLIC.__name__
    __array_priority__ = 10.0
    _getitem = False
    _gives_plain = True
    """Whether some functions give plain arrays, though the methods of their names give matrices."""
    _baseclass = np.matrix
    """What masked arrays of NumPy's have as the class of their elements."""

    def __new__(cls, data: Any, dtype: Any = None, copy: bool = True) -> Any:
        """Return a new matrix, or with `copy=False` one over the same memory."""
        warnings.warn(_ADVICE, PendingDeprecationWarning, stacklevel=2)
        return _made(cls, data, dtype, copy=copy)

    def __array_finalize__(self, obj: Any) -> None:
        """Give an array two axes: without axes of length 1, or with one in front.

        ValueError where more are left.
        """
        self._getitem = False
        if self.ndim == 2 or getattr(obj, "_getitem", False):
            return
        shape = self.shape if self.ndim < 2 else tuple(n for n in self.shape if n > 1)
        if len(shape) > 2:
            raise ValueError("shape too large to be a matrix.")
        _stand(self, (1,) * (2 - len(shape)) + shape)

    def __getitem__(self, index: Any) -> Any:
        """Return an element, or a part: a column where the index names one, else rows."""
        self._getitem = True
        try:
            found = _part(self, index)
        finally:
            self._getitem = False
        if isinstance(found, scalar) or not isinstance(found, _ARRAYS):
            return found
        axes = found.ndim
        if not axes:
            return found[()]
        if axes == 1:
            names_one = isinstance(index, (tuple, list)) and len(index) > 1
            is_column = names_one and _is_one(index[1])
            _stand(found, (found.size, 1) if is_column else (1, found.size))
        return found

    def __mul__(self, other: Any) -> Any:
        """Return the product of matrices, or of a matrix and a number."""
        if type(other) is type(self):
            return _PUBLIC.dot(self, other)
        if isinstance(other, (*_ARRAYS, list, tuple)) and not isinstance(other, scalar):
            return _PUBLIC.dot(self, asmatrix(other))
        if _is_one(other) or not hasattr(other, "__rmul__"):
            return _PUBLIC.dot(self, other)
        return NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return _PUBLIC.dot(other, self)

    def __imul__(self, other: Any) -> Any:
        self[:] = self * other
        return self

    def __pow__(self, other: Any) -> Any:
        """Return a power of a square matrix, whose exponent is an integer."""
        return _PUBLIC.linalg.matrix_power(self, other)

    def __ipow__(self, other: Any) -> Any:
        self[:] = self**other
        return self

    def __rpow__(self, other: Any) -> Any:
        return NotImplemented

    def tolist(self) -> list[list[Any]]:
        """Return the elements as a list of rows."""
        found: list[list[Any]] = plain(self).tolist()
        return found

    def squeeze(self, axis: Any = None) -> Any:
        """Return the matrix, a column as a row."""
        return inherited("squeeze")(self, axis=axis)

    def flatten(self, order: str = "C") -> Any:
        """Return a copy of the elements as one row."""
        return inherited("flatten")(self, order=order)

    def ravel(self, order: str = "C") -> Any:
        """Return the elements as one row: over the same memory where that can be."""
        return inherited("ravel")(self, order=order)

    sum, mean, prod = map(_total, ("sum", "mean", "prod"))
    std, var = map(_spread, ("std", "var"))
    any, all, max, min = map(_logical, ("any", "all", "max", "min"))
    argmax, argmin, ptp = (_upright(*pair) for pair in _UPRIGHT.items())

    def getT(self) -> Any:
        """Return the transposed matrix; a view."""
        return self.transpose()

    def getH(self) -> Any:
        """Return the transposed matrix of the conjugates; a view if the elements are real."""
        return self.transpose().conjugate() if self.dtype.kind == "c" else self.transpose()

    def getI(self) -> Any:
        """Return the inverse; of what is not square, the pseudoinverse.

        LinAlgError if it is singular.
        """
        rows, columns = self.shape
        linalg = _PUBLIC.linalg
        return (linalg.inv if rows == columns else linalg.pinv)(self)

    def getA(self) -> ndarray:
        """Return the elements as an array of two axes over the same memory."""
        return plain(self)  # type: ignore[no-any-return]

    def getA1(self) -> ndarray:
        """Return the elements as an array of one axis, over the same memory where that can be."""
        return plain(self).ravel()  # type: ignore[no-any-return]

    T, H, I, A, A1 = map(property, (getT, getH, getI, getA, getA1))  # noqa: E741


_part = ndarray.__getitem__


def _stand(x: Any, shape: tuple[int, ...]) -> None:
    """Give a new matrix two axes."""
    x._layout = x._header = layout = x._layout.reshape(shape)
    x._shape = layout.shape


def _is_one(x: Any) -> bool:
    """Whether an operand or index is a number, or text: no array, list or slice."""
    return bool(np.isscalar(x)) or isinstance(x, scalar)


def _made(cls: Any, data: Any, dtype: Any, *, copy: bool) -> Any:
    """Return a matrix of what the class is given."""
    if isinstance(data, str):
        data = _numbers_of(data)
    if isinstance(data, Array) and isinstance(data, matrix):
        is_wanted = dtype is None or np.dtype(dtype) == data.dtype
        return data if is_wanted and not copy else data.astype(data.dtype if is_wanted else dtype)
    is_copied = copy and isinstance(data, _ARRAYS) and dtype in (None, data.dtype)
    order = "C" if is_copied else "K"
    found = _PUBLIC.array(data, dtype=dtype, copy=True if copy else None, order=order)
    if found.dtype not in CODES:
        return np.asarray(found).view(np.matrix)
    if found.ndim > 2 and not isinstance(data, _ARRAYS):
        raise ValueError("matrix must be 2-dimensional")
    return as_class(found, cls, None)


def _numbers_of(text: str) -> list[list[Any]]:
    """Return the rows of a text; ValueError where they are of several lengths."""
    rows = [
        [ast.literal_eval(word) for word in re.split(r"[\s,]+", row.strip()) if word]
        for row in re.sub(r"[\[\]]", "", text).split(";")
    ]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("Rows not the same size.")
    return rows


def asmatrix(data: Any, dtype: Any = None) -> Any:
    """Return a matrix over the memory of an array, or of what `matrix` takes."""
    return matrix(data, dtype=dtype, copy=False)


def bmat(
    obj: Any, ldict: Mapping[str, Any] | None = None, gdict: Mapping[str, Any] | None = None
) -> Any:
    """Return a matrix that is made of blocks: nested sequences, an array, or a text.

    A text has the names of arrays, with commas in rows and semicolons between them. They are looked
    up in `ldict` and `gdict`, or where this is called; NameError for one that is not there.
    """
    if isinstance(obj, str):
        frame = user_frame()
        if gdict is None and frame is not None:
            ldict, gdict = frame.f_locals, frame.f_globals
        return matrix(_blocks_of(obj, ldict, gdict))
    if isinstance(obj, _ARRAYS):
        return matrix(obj)
    if not isinstance(obj, (tuple, list)):
        return None
    if any(isinstance(row, _ARRAYS) for row in obj):
        return matrix(_PUBLIC.concatenate(obj, axis=-1))
    return matrix(_PUBLIC.concatenate([_PUBLIC.concatenate(row, axis=-1) for row in obj], axis=0))


def _blocks_of(text: str, *places: Any) -> Any:
    """Return the arrays whose names a text has, joined."""

    def block(name: str) -> Any:
        place = next((place for place in places if name in place), None)
        if place is None:
            raise NameError(f"name {name!r} is not defined")
        return place[name]

    rows = [map(block, re.findall(r"[^\s,]+", row)) for row in text.split(";")]
    joined = [_PUBLIC.concatenate([*row], axis=-1) for row in rows]
    return _PUBLIC.concatenate(joined, axis=0)


COUNTERPARTS[matrix] = np.matrix
