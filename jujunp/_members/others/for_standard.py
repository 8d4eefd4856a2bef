"""Results of functions, where Python's own library looks for a `float` in the object.

An element of float64 is a float (`vm.record.floats`). What a function gives is none, and may be
pending, so that `json` and `sqlite3`, which ask nobody, are told how to get its number.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from jujunp.lazy.values.dtypes import FLOAT64

from ..._array.handle import SCALARS, element, float_scalar, scalar
from .telling import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable


def _tell_json() -> None:
    """Give the encoders, which are made for each text, a `default` that knows our scalars."""
    encoder: Any = importlib.import_module("json.encoder")
    in_c, in_python = encoder.c_make_encoder, encoder._make_iterencode

    def make_in_c(markers: Any, default: Any, *rest: Any) -> Any:
        return in_c(markers, _or_number(default), *rest)

    def make_in_python(
        markers: Any, default: Any, text: Any, indent: Any, of_float: Any, *rest: Any
    ) -> Any:
        def of_any(x: Any) -> Any:
            return of_float(x if type(x) is float else float(x))

        return in_python(markers, _or_number(default), text, indent, of_any, *rest)

    if in_c is not None:
        encoder.c_make_encoder = make_in_c
    encoder._make_iterencode = make_in_python


def _or_number(default: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function for what `json` does not know: a float, or what it was given for it."""

    def found(x: Any) -> Any:
        return element(x) if isinstance(x, scalar) and x._code == FLOAT64 else default(x)

    return found


def _tell_sqlite() -> None:
    """Let the database have numbers of Python's."""
    register = importlib.import_module("sqlite3").register_adapter
    for kind in (*SCALARS, float_scalar):
        register(kind, element)


when_imported("json.encoder", _tell_json)
when_imported("sqlite3", _tell_sqlite)
