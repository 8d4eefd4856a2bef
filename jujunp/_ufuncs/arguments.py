"""The arguments that calls of all kinds of ufuncs have, checked as NumPy checks them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.sites import warn_user

from .._array.arguments import NUMPY, check_order

NO_VALUE = np._NoValue
"""NumPy's mark of an argument that was not given."""

_CASTINGS = frozenset(("no", "equiv", "safe", "same_kind", "unsafe"))


def check_count(theirs: np.ufunc, args: tuple[Any, ...]) -> None:
    """Raise TypeError unless a call has an argument for each operand, and outputs at most."""
    if not theirs.nin <= len(args) <= theirs.nargs:
        raise TypeError(
            f"{theirs.__name__}() takes from {theirs.nin} to {theirs.nargs} positional arguments "
            f"but {len(args)} {'was' if len(args) == 1 else 'were'} given"
        )


def outputs_of(
    theirs: np.ufunc, args: tuple[Any, ...], out: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the operands and the outputs of a call, None for outputs that are to be new.

    A new one that is to be an array, even without axes, is an ellipsis.
    """
    given, outs = args[: theirs.nin], args[theirs.nin :]
    if outs:
        if any(one is ... for one in outs):
            raise TypeError("out=... is only allowed as a keyword argument.")
        if out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        return given, (*outs, *(None,) * (theirs.nout - len(outs)))
    if out is ... and NUMPY >= (2, 3):
        return given, (...,) * theirs.nout
    if not isinstance(out, tuple):
        if out is not None and theirs.nout != 1:
            raise TypeError("'out' must be a tuple of arrays")
        return given, (out,) if theirs.nout == 1 else (None,) * theirs.nout
    if len(out) != theirs.nout:
        raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
    if any(one is ... for one in out):
        raise TypeError("must use `...` as `out=...` and not per-operand/in a tuple")
    return given, out


_UNKNOWN = "uninitialized" if NUMPY >= (2, 5) else "unitialized"
"""As NumPy spells it."""


EXTREMA = frozenset((np.maximum, np.minimum)) if NUMPY >= (2, 4) else frozenset()
"""Ufuncs that warn of an output that has no name."""


def warn_of_places(theirs: np.ufunc, args: tuple[Any, ...]) -> None:
    """Warn as NumPy does where the output of a call may have been meant as an operand."""
    if len(args) > theirs.nin and theirs in EXTREMA:
        warn_user(
            "Passing more than 2 positional arguments to np.maximum and np.minimum is deprecated. "
            "The third one is the output, and better given as `out=`; to compare more than two "
            "arrays, stack them and reduce along the new axis.",
            DeprecationWarning,
        )


def warn_of_gaps(where: Any, out: Any) -> None:
    """Warn as NumPy does where a mask is given and nothing is said of an output."""
    if where is not True and out is NO_VALUE and NUMPY >= (2, 4):
        warn_user(
            f"'where' used without 'out', expect {_UNKNOWN} memory in output. "
            "If this is intentional, use out=None.",
            UserWarning,
        )


def check_arguments(casting: Any, order: Any, subok: Any) -> None:
    """Raise for what is no rule of casting, no memory order, and no bool."""
    if not isinstance(casting, str):
        raise TypeError(f"casting must be str, not {type(casting).__name__}")
    if casting not in _CASTINGS:
        raise ValueError(
            f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got {casting!r})"
        )
    if order != "K":
        check_order(order)
    if not isinstance(subok, bool):
        raise TypeError("'subok' must be a boolean")


def signature_from(theirs: np.ufunc, dtype: Any, signature: Any, sig: Any = None) -> Any:
    """Return the signature of a call, as NumPy's ufuncs take it: None for none.

    A dtype is that of the results. TypeError where a call says more than one thing.
    """
    if sig is not None and signature is not None:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    given = sig if signature is None else signature
    if dtype is None:
        return given
    if given is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    return (*(None,) * theirs.nin, *(np.dtype(dtype),) * theirs.nout)
