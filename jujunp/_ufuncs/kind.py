"""What all kinds of ufuncs share: the type, and what they say of themselves, which is NumPy's."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.library import TYPES
from jujunp.lazy.run import sites

if TYPE_CHECKING:

    class Recorded:
        """What records its calls without Python, where it can (kernels/vm/calls/ufunc.mojo)."""

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

else:
    Recorded = TYPES["ufunc"]

_ATTRIBUTES = (
    *("__name__", "__qualname__", "nin", "nout", "nargs", "types", "ntypes"),
    *("identity", "signature"),
)


class Kind(type):
    """The type of the class of ufuncs, of which NumPy's ufuncs are instances, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether this is a ufunc: ours, with one result or two, a generalized one, or NumPy's."""
        if type.__instancecheck__(cls, instance):
            return True
        if cls.__dict__.get("is_any") is None or isinstance(instance, type):
            return False
        return isinstance(getattr(instance, "numpy", instance), np.ufunc)


class _Signature:
    """What a ufunc says of its parameters, worked out when it is asked for."""

    def __get__(self, made: Any, kind: Any) -> inspect.Signature:
        if made is None:
            raise AttributeError("__signature__")
        return signature_of(made.numpy)


class Named:
    """What ufuncs have beside the library's type, which must stay the base of their classes.

    A ufunc knows NumPy's of the same name, and is equal to it.
    """

    numpy: np.ufunc
    __signature__ = _Signature()

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __getattr__(self, name: str) -> Any:
        """Return what NumPy's ufuncs have of private attributes."""
        if name.startswith("_") and not name.startswith("__"):
            return getattr(self.numpy, name)
        raise AttributeError(f"{self!r} has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return self is other or self.numpy is other

    def __hash__(self) -> int:
        return hash(self.numpy)

    def __reduce__(self) -> str:
        """Return the name under which pickle finds the ufunc in its module."""
        return self.numpy.__name__

    def resolve_dtypes(
        self, /, dtypes: Any, *, signature: Any = None, casting: Any = None, reduction: bool = False
    ) -> tuple[np.dtype, ...]:
        """Return the dtypes of operands and results of a call, as NumPy chooses them."""
        given = {} if casting is None else {"casting": casting}
        if signature is not None:
            given["signature"] = signature
        return self.numpy.resolve_dtypes(dtypes, reduction=reduction, **given)


def describe(made: Any, numpy: np.ufunc) -> None:
    """Give a ufunc the attributes of NumPy's."""
    made.numpy = numpy
    for name in _ATTRIBUTES:
        setattr(made, name, getattr(numpy, name, numpy.__name__))
    made.__module__ = sites.package().__name__
    if not isinstance(made, Named):
        made.__signature__ = signature_of(numpy)


def signature_of(numpy: np.ufunc) -> inspect.Signature:
    """Return what NumPy's ufunc says of its parameters; releases before 2.4 say nothing."""
    found = getattr(numpy, "__signature__", None)
    if isinstance(found, inspect.Signature):
        return found
    return _written(numpy)


def _written(numpy: np.ufunc) -> inspect.Signature:
    kind = inspect.Parameter
    names = ["x"] if numpy.nin == 1 else [f"x{place + 1}" for place in range(numpy.nin)]
    out = None if numpy.nout == 1 else (None,) * numpy.nout
    own = {"where": True} if numpy.signature is None else _OF_GENERALIZED
    return inspect.Signature(
        [
            *(kind(name, kind.POSITIONAL_ONLY) for name in names),
            kind("out", kind.POSITIONAL_OR_KEYWORD, default=out),
            *(kind(name, kind.KEYWORD_ONLY, default=x) for name, x in {**own, **_COMMON}.items()),
        ]
    )


_OF_GENERALIZED: dict[str, Any] = {
    "axes": np._NoValue,
    "axis": np._NoValue,
    "keepdims": False,
}
_COMMON: dict[str, Any] = {
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "signature": None,
}
