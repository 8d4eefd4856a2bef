"""ufuncs of users: one elementwise function in Mojo, for both tiers."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.values.dtypes import CODES, DTYPES, SUPPORTED, is_complex, kernel_code

from .._array.handle import NUMBERS, Handle
from .._array.promotion import Loop, loop_of
from .._ufuncs.table import Row
from .._ufuncs.ufunc import kind_of, ufunc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jujunp.lazy.functions.table import Function

__all__ = ["vectorize_mojo"]


class MojoUfunc(ufunc):
    """An elementwise function in Mojo, with all that NumPy's ufuncs have."""

    is_everywhere = False

    def __init__(self, made: Function, function: np.ufunc, doc: str, *, associative: bool) -> None:
        super().__init__(made.key, Row(made.key), function, associative=associative)
        self._function = made
        self.__doc__ = doc

    def _loop(self, given: tuple[int | type, ...], operand: int, result: int) -> Loop:
        codes = tuple(kind if isinstance(kind, int) else None for kind in given)
        return loop_of(self.key, codes, operand, self._function.result(operand), result)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == self.nin and not kwargs and any(map(_is_traced, args)):
            return self._traced(*args)
        return super()._call(*args, **kwargs)

    def _traced(self, *operands: Any) -> Any:
        """Apply the function's primitive to operands of which JAX traces some."""
        from jujunp.lazy.jaxprs import primitives

        loop = self.loop(tuple(_kind(x) for x in operands))
        return primitives.apply_function(self._function, operands, DTYPES[loop.operand])


def _kind(x: Any) -> int | type:
    """Return what an operand, traced or not, is to NumPy's promotion."""
    if isinstance(x, Handle) or type(x) in NUMBERS:
        return kind_of(x)
    return kernel_code(x.dtype if _is_traced(x) else np.asarray(x).dtype)


def _is_traced(x: Any) -> bool:
    """Whether JAX traces an operand; nothing is traced unless it has been imported."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.core.Tracer)


def vectorize_mojo(
    source: str | os.PathLike[str],
    name: str,
    types: str | Iterable[Any] = "float32, float64",
    *,
    identity: Any = None,
    associative: bool = False,
    derivative: Callable[..., Any] | tuple[Callable[..., Any], ...] | None = None,
    doc: str = "",
) -> ufunc:
    """Return a ufunc that applies a function written in Mojo to each element.

    The function takes one operand or two of one dtype. It returns that dtype, or bool. It is
    generic over the dtype, and may be so over the width of SIMD vectors:

        def f[dtype: DType, width: SIMDLength](x: SIMD[dtype, width]) -> SIMD[dtype, width]
        def g[dtype: DType](x: Scalar[dtype], y: Scalar[dtype]) -> Bool

    It is built for this CPU on first use, which takes some seconds, and kept in the user's cache.

    Args:
        source: The text of a Mojo source, or the path of a `.mojo` file.
        name: The function's name in it, which becomes that of the ufunc.
        types: The dtypes of operands for which the function is compiled: bool, integers and floats.
            Other operands are converted as NumPy does for its own ufuncs.
        identity: The neutral element of the function, with which reductions start.
        associative: Whether elements may be grouped at will. Then reductions need as many steps as
            the length has binary digits, and may run along several axes.
        derivative: For JAX, the derivative of a function of floats: one function of all operands
            for each operand, in JAX's functions or itself a ufunc made here.
        doc: What the ufunc's `__doc__` says.

    Raises ValueError where the source has no such function, TypeError for types that it cannot be
    compiled for, OSError for a file that cannot be read, and KernelBuildError, with the compiler's
    message, where it does not compile.
    """
    from jujunp.lazy.functions.building import build

    from .numpy_ufunc import new_ufunc

    codes = _codes_of(types)
    derivatives = (derivative,) if callable(derivative) else derivative
    made = build(_text_of(source), name, codes, derivatives)
    loops = [[*[DTYPES[code]] * made.arity, DTYPES[made.result(code)]] for code in codes]
    function = new_ufunc(name, doc, loops, identity, reorderable=associative)
    return MojoUfunc(made, function, doc, associative=associative)


def _text_of(source: str | os.PathLike[str]) -> str:
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source is a text or a path, not {source!r}")
    is_path = isinstance(source, os.PathLike) or source.endswith(".mojo")
    return Path(source).read_text(encoding="utf-8") if is_path else str(source)


def _codes_of(types: str | Iterable[Any]) -> list[int]:
    """Return the codes of some dtypes, or of names with commas between, in the order of loops."""
    listed = types.split(",") if isinstance(types, str) else types
    codes = set()
    for given in listed:
        dtype = np.dtype(given.strip() if isinstance(given, str) else given)
        code = CODES.get(dtype)
        if code is None or code not in SUPPORTED or is_complex(code):
            raise TypeError(f"functions in Mojo cannot take elements of dtype {dtype}")
        codes.add(code)
    if not codes:
        raise ValueError("a function in Mojo needs at least one dtype")
    return sorted(codes, key=_order)


def _order(code: int) -> tuple[int, int, bool]:
    """Return the place of a dtype among a ufunc's loops, of which NumPy takes the first that fits.

    bool comes first, then integers and floats, narrow ones before wide ones, signed ones first.
    """
    dtype = DTYPES[code]
    return "biuf".index(dtype.kind) - (dtype.kind == "u"), dtype.itemsize, dtype.kind == "u"
