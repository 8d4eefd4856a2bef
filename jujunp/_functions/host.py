"""What NumPy does for us: functions that the namespace lacks, metadata, printing.

Such a function runs in NumPy on exported elements; it is counted, and refused under
JUJUNP_STRICT=1.
"""

from __future__ import annotations

import functools
import operator
import os
import re
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import sites
from jujunp.lazy.run.statistics import BY_DTYPE, FALLBACKS
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import CODES, SUPPORTED, Foreign

from .._array.array_likes import (
    answers_itself,
    array_given,
    check_like,
    converted,
    gives_ours,
)
from .._array.handle import Array, Handle, ndarray, to_numpy, value_of
from .._calls.functions import FUNCTION_TYPES, MAKERS, MEMBERS
from .._ufuncs.kind import Kind, Named, describe
from .sharing import shared_with_numpy, sharing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["HostFallbackError"]


METADATA = frozenset(
    (
        *("shape", "ndim", "size", "iscomplexobj", "isrealobj", "result_type", "can_cast"),
        *("min_scalar_type", "common_type", "may_share_memory", "shares_memory"),
        *("broadcast", "broadcast_arrays"),
        *("isfortran", "mintypecode"),
        *("array_repr", "array_str", "array2string", "save", "savez", "savetxt"),
        *("format_float_positional", "format_float_scientific"),
    )
)
"""NumPy functions that compute nothing from elements, or only print or store them."""


class HostFallbackError(NotImplementedError):
    """Raised under JUJUNP_STRICT=1 where NumPy would have computed."""


_ENVIRONMENT: dict[bytes, bytes] = os.environ._data  # type: ignore[attr-defined]
_STRICT = b"JUJUNP_STRICT"


def is_strict() -> bool:
    """Whether NumPy is to compute nothing."""
    # a look into the mapping under `os.environ`, which takes a sixth of its time
    return _ENVIRONMENT.get(_STRICT, b"") not in (b"", b"0")


def on_host(
    name: str, function: Callable[..., Any], args: Any, kwargs: Any, *, asked: bool = False
) -> Any:
    """Run a NumPy function on exported arrays, and import its results.

    With `asked` it is one that asks the types of its operands, which is never refused.
    """
    if name not in METADATA:
        if is_strict() and not asked:
            raise HostFallbackError(
                f"numpy.{name} has no counterpart here and JUJUNP_STRICT is set"
            )
        count(name, (*args, *kwargs.values()))
        for watch in WATCHES:
            for x in _handles((args, kwargs)):
                watch.leave(value_of(x), f"numpy.{name}")
    target = kwargs.get("out")
    if type(target) is tuple and len(target) == 1:
        (target,) = target
    if isinstance(target, Array):
        return _written(function, args, kwargs, target)
    return imported(called(function, args, kwargs))


def count(name: str, args: tuple[Any, ...]) -> None:
    """Note that a function of NumPy's has run, and what of its dtypes were the reason."""
    FALLBACKS[name] = FALLBACKS.get(name, 0) + 1
    for dtype in {_dtype_of_numpys(x) for x in args}:
        if dtype:
            name_and_dtype = f"{name} of {dtype}"
            BY_DTYPE[name_and_dtype] = BY_DTYPE.get(name_and_dtype, 0) + 1


def _dtype_of_numpys(x: Any) -> str:
    """Return the dtype of an argument, or of the first item of a list, if NumPy alone has it."""
    while type(x) in (list, tuple) and x:
        x = x[0]
    if isinstance(x, (str, bytes)):
        return type(x).__name__
    dtype = getattr(x, "dtype", None)
    return str(dtype) if isinstance(dtype, np.dtype) and dtype not in CODES else ""


_MAKERS = (np.array, np.asarray, np.asanyarray)


def _are_objects(x: Any = None, dtype: Any = None, **_: Any) -> bool:
    """Whether an array of objects is made of a sequence."""
    return isinstance(x, (list, tuple)) and dtype is not None and np.dtype(dtype) == object


def called(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function of NumPy with exported arrays.

    Objects that give NumPy an array of ours, which it refuses, come as arrays then. An array of
    objects that are arrays keeps those that are given.
    """
    if function in _MAKERS and _are_objects(*args, **kwargs):
        return function(*args, **kwargs)
    given, named = exported(tuple(args)), exported(kwargs)
    try:
        found = sites.from_user_line(function, given, named)
        return _as_given(found, (*args, *kwargs.values()), (*given, *named.values()))
    except ValueError as error:
        if not gives_ours(error):
            raise
    given = exported(tuple(map(array_given, args)))
    return sites.from_user_line(function, given, exported(kwargs))


def _as_given(found: Any, ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> Any:
    """Return an array of ours that a function has given back, or that was alone in a sequence."""
    if type(found) is np.ndarray:
        for x, y in zip(ours, theirs, strict=True):
            if y is found:
                return x
            if type(x) in (list, tuple) and len(x) == 1 and y[0] is found:
                return x[0]
    return found


def comparing(function: Any) -> Any:
    """Return a function of NumPy's tests as one that takes our arrays; what is none as it is."""
    if isinstance(function, type) or not callable(function):
        return function

    @functools.wraps(function)
    def check(*args: Any, **kwargs: Any) -> Any:
        return called(function, args, kwargs)

    return check


def _written(function: Callable[..., Any], args: Any, kwargs: Any, out: ndarray) -> Any:
    """Run a NumPy function that writes to the memory of `out`, which it is to return."""
    memory = shared_with_numpy(out)
    named = {**exported(kwargs), "out": memory}
    found = sites.from_user_line(function, exported(tuple(args)), named)
    return out if found is memory else imported(found)


def _handles(x: Any) -> Iterator[Handle]:
    """Return the handles in arguments."""
    if isinstance(x, Handle):
        yield x
    elif isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _handles(item)


def is_unanswered(error: TypeError) -> bool:
    """Whether no operand of a ufunc of NumPy's had an answer."""
    return "all returned NotImplemented" in str(error)


def _holds_ours(x: Any) -> bool:
    return next(_handles(x), None) is not None


def _operands(x: Any) -> Iterator[Any]:
    """Return what is in nested sequences and dictionaries, but for handles."""
    if isinstance(x, (list, tuple, dict)):
        for item in x.values() if isinstance(x, dict) else x:
            yield from _operands(item)
    elif not isinstance(x, Handle):
        yield x


NAMES_OF_DTYPES: dict[Any, None] = {}
"""What stands for dtypes that NumPy alone has; those with a length or a unit when they are met."""
_MOST_NAMES = 1000


_IS_NUMPYS = re.compile(r"[<>=|]?([USV]\d+|[Mm]8(\[\w+\])?)|(datetime|timedelta)64(\[\w+\])?")


def _made_by_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call with arrays of dtypes that are not ours: NumPy's function of that name does.

    Under JUJUNP_STRICT the error stays. What an array is compared with, or converted to, is so too.
    Operands that answer NumPy's functions themselves are asked, however strict.
    """
    asked = any(answers_itself(type(x)) for x in _operands((args, kwargs)))
    if is_strict() and not asked:
        return NotImplemented
    if kwargs.get("device") is not None:  # who names one wants arrays of the Array API's dtypes
        return NotImplemented
    first = args[0] if args else None
    method_of = getattr(first, "numpy", None)  # of a ufunc
    theirs = counterpart(function, type(first))
    name = getattr(theirs, "__name__", "")
    if method_of is not None and not isinstance(first, Handle):
        name, args = method_of.__name__, args[1:]
        theirs = getattr(method_of, function.__name__)
    if theirs is None:
        return NotImplemented
    for x in (*args, *kwargs.values()):
        if type(x) is str and len(NAMES_OF_DTYPES) < _MOST_NAMES and _IS_NUMPYS.fullmatch(x):
            NAMES_OF_DTYPES[x] = None
    try:
        return on_host(name, theirs, args, kwargs, asked=asked)
    except TypeError as error:
        if is_unanswered(error) and _holds_ours((args, kwargs)):
            return NotImplemented  # they may take arrays of ours
        raise


_MODULES = {"linalg": np.linalg, "fft": np.fft, "stride_tricks": np.lib.stride_tricks}
"""NumPy's, by the name of the module in which ours of the same name are."""


def counterpart(function: Any, first: type | None) -> Any:
    """Return NumPy's function, method or ufunc that one of ours stands for, None for none.

    It may be a method if the first argument is of a type of ours.
    """
    of_ufunc = getattr(getattr(function, "__self__", None), "numpy", None)
    if of_ufunc is not None:
        return of_ufunc
    parts = (getattr(function, "__module__", None) or "").split(".")
    module = next((_MODULES[name] for name in parts[:3] if name in _MODULES), np)
    kinds: list[Any] = [module]
    if first is not None and issubclass(first, Handle):
        kinds.insert(0 if function in MEMBERS else 1, np.ndarray)
    found = (getattr(kind, function.__name__, None) for kind in kinds)
    return next((x for x in found if x is not None), None)


def _public(x: Any) -> Any:
    """Return NumPy's function that a public function of ours stands for; None if there is none."""
    module = np
    package, *parts = (getattr(x, "__module__", None) or "").split(".")
    if package != _PACKAGE or parts not in ([], ["linalg"], ["fft"]):
        return None
    for part in parts:
        module = getattr(module, part)
    return getattr(module, x.__name__, None)


def _equals(x: Any, other: Any) -> bool:
    """Whether a function is another, or stands for it."""
    return x is other or (type(other) is not type(x) and other is not None and _public(x) is other)


def _hash(x: Any) -> int:
    return hash(_public(x)) if _public(x) is not None else id(x) >> 4


_PACKAGE = sites.package().__name__
for _type in FUNCTION_TYPES:
    _type.__eq__ = _equals
    _type.__hash__ = _hash


def _made_in_memory_of_numpy(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call that writes to arrays of NumPy's, with arrays of ours over their memory.

    Memory that cannot be shared is copied, and copied back if the copy was written: what is only
    read may be under what was written.
    """
    if function.__name__ in _IMPORTS:
        return NotImplemented
    given: dict[int, tuple[Any, np.ndarray]] = {}
    copies: list[tuple[Any, np.ndarray, bytes]] = []

    def ours(x: Any) -> Any:
        if type(x) is tuple:
            return tuple(map(ours, x))
        if type(x) not in (np.ndarray, np.memmap):
            return x
        found: Any = sharing(x)
        if found is None:
            found = converted(x)
            found._readonly = not x.flags.writeable
            copies.append((found, x, x.tobytes()))
        given[id(found)] = found, x
        return found

    def theirs(x: Any) -> Any:
        if type(x) is tuple:
            return tuple(map(theirs, x))
        return given[id(x)][1] if id(x) in given else x

    try:
        shared = [ours(x) for x in args], {name: ours(x) for name, x in kwargs.items()}
        if not given:
            return NotImplemented
        made = function(*shared[0], **shared[1])
    except Foreign:
        return NotImplemented
    for found, x, before in copies:
        after = to_numpy(found)
        if after.tobytes() != before:
            np.copyto(x, after)
    return theirs(made)


_IMPORTS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
"""Functions that write to no array, and give one of the dtype that they are given."""


def in_front_of(function: Any) -> Any:
    """Return the public function that stands before a Python function, if one does."""
    public = getattr(sites.package(), function.__name__, None)
    return public if getattr(public, "__wrapped__", None) is function else function


def made_like(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a call that asks for an array like one whose type makes arrays itself: the type does.

    It is told of our function. TypeError where it has no answer.
    """
    kind = type(kwargs.get("like"))
    answer = getattr(kind, "__array_function__", None)
    if answer is None or kind in (ndarray, np.ndarray, np.memmap):
        return NotImplemented
    left = {name: x for name, x in kwargs.items() if name != "like"}
    made = answer(kwargs["like"], in_front_of(function), (kind,), args, left)
    if made is NotImplemented:
        raise TypeError(
            f"no implementation found for 'numpy.{function.__name__}' on types that implement "
            f"__array_function__: [{kind!r}]"
        )
    return made


def answered_like(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what the type of `like` makes of a call; NotImplemented where that is left to us.

    Then the arguments are left without it.
    """
    if kwargs.get("like") is None:
        return NotImplemented
    made = made_like(function, args, kwargs)
    if made is NotImplemented:
        check_like(kwargs.pop("like"))
    return made


MAKERS.append(made_like)
MAKERS.append(_made_in_memory_of_numpy)
MAKERS.append(_made_by_numpy)


COUNTERPARTS: dict[type, type] = {}
"""Classes that are derived from ours, and those of NumPy's that stand for them there."""


def exported(x: Any) -> Any:
    """Return arguments of NumPy's, in which arrays are NumPy's."""
    if isinstance(x, Array):  # the function may write to it
        kind = COUNTERPARTS.get(type(x))
        return shared_with_numpy(x) if kind is None else shared_with_numpy(x).view(kind)
    if isinstance(x, Handle):
        return to_numpy(x)[()]
    if isinstance(x, (list, tuple)):
        items = [exported(item) for item in x]
        if all(map(operator.is_, items, x)):
            return x  # which the function may write to
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if isinstance(x, dict):
        return {key: exported(item) for key, item in x.items()}
    return x


def imported(x: Any) -> Any:
    """Return results of NumPy's, in which arrays are ours, but for those of other classes."""
    if type(x) in (np.ndarray, np.memmap) and CODES.get(x.dtype) in SUPPORTED:
        found = None if x.flags.c_contiguous else sharing(x)  # in the order that it has
        return converted(x) if found is None else found
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple(imported(item) for item in x)
    if isinstance(x, list):
        return [imported(item) for item in x]
    return x


def host_attribute(name: str) -> Any:
    """Return an attribute of NumPy; a function comes as one that is counted as a fallback.

    Of private names modules (`np._core`) and marks (`np._NoValue`) are there. AttributeError for
    others, which says what has come in the place of what NumPy had.
    """
    if name.startswith("__") and name != "__config__":
        raise AttributeError(f"module 'jujunp' has no attribute {name!r}")
    try:
        found = getattr(np, name)
    except AttributeError as error:
        text = str(error).replace("module 'numpy'", "module 'jujunp'", 1)
        raise AttributeError(text, name=name, obj=sites.package()) from None
    if isinstance(found, (type, ModuleType)) or not callable(found) or name in _AS_THEY_ARE:
        return found
    return _counted(name)


_AS_THEY_ARE = ("iterable", "base_repr", "binary_repr", "typename")
"""Functions that take arrays of ours as they take others, and look at no elements."""


@functools.cache
def _counted(name: str) -> Any:
    """Return a function of NumPy's as one that is counted."""
    found = getattr(np, name)

    @functools.wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = answered_like(call, args, kwargs)
        return on_host(name, found, args, kwargs) if made is NotImplemented else made

    return HostUfunc(found, call) if isinstance(found, np.ufunc) else call


class HostUfunc(Named, metaclass=Kind):
    """A ufunc of NumPy's whose dtypes are none of ours, as `isnat`; its calls are counted."""

    def __init__(self, numpy: np.ufunc, call: Callable[..., Any]) -> None:
        describe(self, numpy)
        self.__doc__ = numpy.__doc__
        self._call = call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Return a method of NumPy's, as one that is counted."""
        if name in _METHODS:
            method = getattr(self.numpy, name)

            @functools.wraps(method)
            def call(*args: Any, **kwargs: Any) -> Any:
                return on_host(self.__name__, method, args, kwargs)

            return call
        return super().__getattr__(name)


_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
