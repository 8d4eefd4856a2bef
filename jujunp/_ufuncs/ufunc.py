"""ufuncs: elementwise functions recorded as one primitive, with NumPy's dtypes and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run.findings import UFUNCS as NUMPYS
from jujunp.lazy.run.findings import number_of
from jujunp.lazy.run.flush import room
from jujunp.lazy.run.machine import OPCODES, result_of
from jujunp.lazy.values.dtypes import (
    BOOL,
    DTYPES,
    INT64,
    UINT64,
    Foreign,
    code_of,
    is_complex,
    is_float,
    is_integer,
)
from jujunp.lazy.values.value import pack, record

from .._array.array_likes import as_array, as_handle, asked_operand, check_asked
from .._array.elementwise import frame_of, step
from .._array.handle import NUMBERS, Handle
from .._array.indexing import masked, where_mask
from .._array.making import convert, filled, unturned, wrap
from .._array.native import Recorder
from .._array.outputs import check_array, check_result, write_out
from .._array.promotion import WIDEST, Loop, as_held, limited, loop_of, resolve
from .._calls.functions import function
from .._calls.traits import uniform, warning
from .arguments import (
    EXTREMA,
    NO_VALUE,
    check_arguments,
    check_count,
    outputs_of,
    signature_from,
    warn_of_gaps,
    warn_of_places,
)
from .kind import Kind, Named, Recorded, describe
from .masking import calmed, may_warn
from .table import ASSOCIATIVE, BINARY, COMPARISONS, REVERSED, UNARY, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Scalar

__all__ = ["ufunc"]


class ufunc(Recorded, Named, metaclass=Kind):
    """An elementwise function with broadcasting, as NumPy's ufunc of the same name.

    Args of a call: one or two array_likes; `out` an array to write to; `where` a mask of the places
    to compute; `casting`, `dtype`, `signature` as in NumPy. `order` and `subok` have no effect.
    """

    is_any = True
    """The name of the class stands for all kinds of ufuncs."""
    is_everywhere = True
    """Every process has the function under the same key."""

    def __init__(self, key: str, row: Row, numpy: np.ufunc, *, associative: bool) -> None:
        """Take NumPy's ufunc for the dtypes, and the name that stands for it in tables."""
        describe(self, numpy)
        self.key = key
        self.associative = associative
        self._row = row
        self.__doc__ = f"{numpy.__doc__ or ''}".split("\n\n", 2)[1]
        self.loops: dict[Any, Loop] = {}
        usual = NUMPYS.setdefault(OPCODES[row.primitive], numpy)
        naming = 0 if usual is numpy else number_of(key)
        self.recorder = Recorder(key if self.is_everywhere else "")
        by_place = numpy not in EXTREMA
        self.recorder.ufunc(self, numpy.nin, function(self._call), naming, by_place=by_place)

    def loop(self, given: tuple[int | type, ...]) -> Loop:
        """Return the loop for dtype codes and Python number types, resolved on first use."""
        found = self.loops.get(given)
        if found is None:
            found = self.loops[given] = self._resolve(given)
            if not (self._row.primitive == "pow" and is_integer(found.operand)):
                self.recorder.learn(given, found)  # exponents of integers are checked in Python
        return found

    def _resolve(self, given: tuple[int | type, ...]) -> Loop:
        types = [DTYPES[kind] if isinstance(kind, int) else kind for kind in given]
        *operands, result = resolve(self.numpy, types)
        loop = self._loop(given, code_of(operands[0]), code_of(result))
        if self._row.logical is not None and loop.operand == BOOL and int in given:
            return limited(loop, INT64)  # NumPy makes an integer of it first
        if self._row.primitive == "ldexp" and given[1] is int:
            return limited(loop, code_of(operands[1]))
        return loop

    def _loop(self, given: tuple[int | type, ...], operand: int, result: int) -> Loop:
        row = self._row
        primitive: str | bool = row.primitive
        codes = tuple(kind if isinstance(kind, int) else None for kind in given)
        alike = given == (operand, operand) and (is_integer(operand) or is_float(operand))
        if row.logical is not None and not alike:
            primitive, operand = row.logical, BOOL
        elif operand == BOOL and row.boolean is not None:
            primitive = row.boolean
        elif is_integer(operand) and row.integer is not None:
            primitive = row.integer
        elif is_complex(operand) and row.complex is not None:
            primitive = row.complex
        answer = primitive if isinstance(primitive, bool) else None
        if isinstance(primitive, bool):
            primitive = "copy"
        produced = result_of(OPCODES[primitive], operand)
        loop = loop_of(primitive, codes, operand, produced, result)
        if answer is not None:
            copy = pack(OPCODES["copy"], BOOL, BOOL)
            return loop._replace(code=copy, direct=False, after=None, answer=answer)
        return loop

    # -- recording

    @warning
    def unary(self, x: Handle) -> Handle:
        """Record the function of one handle."""
        room()
        loop = self.loop((x._code,))
        return self.general(loop, [x])

    def binary(self, x: Any, y: Any) -> Handle:
        """Record the function of two operands, at least one of them a handle."""
        room()
        kinds = kind_of(x), kind_of(y)
        loop = self.loop(kinds)
        if self.key in COMPARISONS and BOOL not in kinds:
            limited = within(x, loop), within(y, loop)
            if limited[0] is not x or limited[1] is not y:
                return self.binary(*limited)
        return self.general(loop, [x, y])

    def loop_for(self, *operands: Any) -> Loop:
        """Return the loop for operands: handles, numbers or array_likes."""
        kinds = tuple(
            kind_of(x if isinstance(x, Handle) or type(x) in NUMBERS else as_handle(x))
            for x in operands
        )
        return self.loop(kinds)

    def general(self, loop: Loop, operands: list[Any]) -> Handle:
        """Record a call whose operands need converting, checking or another memory order."""
        handles = [x for x in operands if isinstance(x, Handle)]
        frame = frame_of(handles)
        if self._row.primitive == "pow" and 0 not in frame[0]:
            check_exponent(loop, operands[-1])
        if len(handles) == 2 and self.key in COMPARISONS:
            a, b = handles
            if UINT64 in (a._code, b._code) and DTYPES[min(a._code, b._code)].kind == "i":
                return self._of_mixed_signs(a, b)
        if loop.answer is not None:
            value = record(loop.code, frame[1], (loop.answer,))
        else:
            fitting = [x if isinstance(x, Handle) else checked(x, loop) for x in operands]
            value = step(loop.code, fitting, [loop.operand] * len(fitting), frame)
        if loop.after is not None:
            value = record(loop.after, frame[1], (value,))
        return unturned(wrap(value, frame[1], loop.result), frame[2])

    def _of_mixed_signs(self, a: Handle, b: Handle) -> Handle:
        """Compare uint64 with a signed dtype, exactly: no dtype holds all values of both."""
        if a._code == UINT64:
            return UFUNCS[REVERSED[self.key]].binary(b, a)
        negative = UFUNCS["less"].binary(a, 0)
        found = self.binary(convert(a, UINT64), b)
        if self.key in ("not_equal", "less", "less_equal"):
            return UFUNCS["logical_or"].binary(negative, found)
        return UFUNCS["greater"].binary(found, negative)

    # -- NumPy's call

    @warning
    @uniform
    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """Make a call that the library does not record by itself."""
        if len(args) != self.nin or kwargs:
            return self._full_call(args, **kwargs)
        if self.nin == 1:
            return self.unary(asked_operand(*args))
        x, y = (x if type(x) in NUMBERS else asked_operand(x) for x in args)
        if not isinstance(x, Handle) and not isinstance(y, Handle):
            x, y = self.numbers(x, y)
        return self.binary(x, y)

    def numbers(self, x: Any, y: Any) -> tuple[Handle, Any]:
        """Return two Python numbers of which it gives the same, the first as a handle.

        OverflowError for integers that are too large for NumPy.
        """
        if type(x) is not int or within_int64(x):
            return as_handle(x), y
        if type(y) is int and self.key in COMPARISONS:
            return as_handle((x > y) - (x < y)), 0
        loop = self.loop((int, type(y)))
        whole = loop.operand == BOOL or is_integer(loop.operand)
        return as_handle(checked(x, loop) if whole else float(x)), y

    def _full_call(
        self,
        args: tuple[Any, ...],
        out: Any = NO_VALUE,
        where: Any = True,
        casting: str = "same_kind",
        order: Any = "K",
        dtype: Any = None,
        subok: Any = True,
        signature: Any = None,
        sig: Any = None,
        **others: Any,
    ) -> Any:
        if others:
            raise TypeError(
                f"{self.__name__}() got an unexpected keyword argument {next(iter(others))!r}"
            )
        check_count(self.numpy, args)
        warn_of_places(self.numpy, args)
        said = NO_VALUE if out is NO_VALUE and len(args) == self.nin else None
        args, (out,) = outputs_of(self.numpy, args, None if out is NO_VALUE else out)
        check_asked((*args, where))
        new = out is None or out is ...
        if not new:
            check_asked((out,))
            check_array(out)
        check_arguments(casting, order, subok)
        wanted = signature_from(self.numpy, dtype, signature, sig)
        if not new and wanted is None:  # what is refused computes nothing
            args = tuple(x if type(x) in NUMBERS else as_handle(x) for x in args)
            self.check_out(args, out, casting)
        if where is not True:
            warn_of_gaps(where, said)
            mask = where_mask(where)
            result = self._computed(args, wanted, casting, mask)
            result = masked(self, result, None if new else out, mask, casting)
        else:
            result = self._computed(args, wanted, casting, None)
            if not new:
                if not isinstance(result, Handle):
                    raise Foreign(f"{self.__name__} gives what is no array of ours")
                return write_out(self, result, out, casting)
        return as_array(result) if out is ... else result

    def check_out(self, operands: Sequence[Any], out: Any, casting: str = "same_kind") -> None:
        """Raise as NumPy does when what it gives for handles and numbers cannot be written."""
        handles = [x for x in operands if isinstance(x, Handle)]
        shape = frame_of(handles)[0] if handles else ()
        check_result(self, self.loop_for(*operands).result, shape, out, casting)

    def _computed(
        self, args: tuple[Any, ...], signature: Any, casting: str, mask: Handle | None
    ) -> Any:
        if signature is not None or casting not in ("same_kind", "unsafe"):
            return self._with_signature(args, signature, casting, mask)
        if mask is None:
            return self(*args)
        given = [x if type(x) in NUMBERS else as_handle(x) for x in args]
        found = self._masked(self.loop_for(*given), given, mask)
        return self(*given) if found is None else found

    def _masked(self, loop: Loop, operands: list[Any], mask: Handle) -> Handle | None:
        """Record a call that warns only of what a mask takes; None where that needs no care."""
        given = self.calmed(loop, operands, mask)
        return None if given is None else self.general(loop, given)

    def calmed(self, loop: Loop, operands: list[Any], mask: Handle) -> list[Any] | None:
        """Return operands that raise nothing where a mask is false; None if none ever does.

        Exponents that are left out are not looked at either.

        It is None, too, for what does not broadcast, which is for others to refuse.
        """
        looks = self._row.primitive == "pow" and is_integer(loop.operand)
        if not may_warn(loop) and not looks:
            return None
        room()
        given = [
            x if isinstance(x, Handle) else filled((), checked(x, loop), loop.operand)
            for x in operands
        ]
        try:
            frame_of([*given, mask])
        except ValueError:
            return None
        return calmed(self.key, loop, given, mask)

    def _with_signature(
        self, args: tuple[Any, ...], signature: Any, casting: str, mask: Handle | None
    ) -> Handle:
        given = [x if type(x) in NUMBERS else as_handle(x) for x in args]
        if not any(isinstance(x, Handle) for x in given):
            given[0] = as_handle(given[0])
        kinds = tuple(kind_of(x) for x in given)
        types = [DTYPES[kind] if isinstance(kind, int) else kind for kind in kinds]
        if not all(isinstance(kind, int) for kind in kinds):
            wanted = signature[-1] if isinstance(signature, tuple) else None
            known = wanted not in (None, np.bool)
            usual = np.dtype(wanted) if known else DTYPES[self.loop(kinds).operand]
            types = [type_of(kind, usual) for kind in kinds]
        *operands, result = resolve(self.numpy, types, None, casting, signature)
        if signature is None and mask is None:
            return self(*given)  # type: ignore[no-any-return]
        room()
        loop = self._loop(kinds, code_of(operands[0]), code_of(result))
        if is_integer(loop.operand):
            given = [
                convert(as_handle(x), loop.operand) if type(x) in (float, complex) else x
                for x in given
            ]
        found = None if mask is None else self._masked(loop, given, mask)
        return self.general(loop, given) if found is None else found

    # -- methods

    @uniform
    def outer(self, a: Any, b: Any, /, **kwargs: Any) -> Any:
        """Apply the function to all pairs of an element of `a` and one of `b`."""
        return outer(self, a, b, **kwargs)


def outer(function: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    """Apply a ufunc to all pairs of an element of `a` and one of `b`."""
    if function.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    check_asked((a, b))
    x, y = as_handle(a), as_handle(b)
    return function(x.reshape(x._shape + (1,) * len(y._shape)), y, **kwargs)


def kind_of(x: Any) -> int | type:
    """Return what an operand is to NumPy's promotion: a dtype code, or a Python number's type."""
    return x._code if isinstance(x, Handle) else type(x)


def type_of(kind: int | type, dtype: np.dtype) -> np.dtype:
    """Return the dtype of an operand in a call; that of a Python number adapts to the one given."""
    return DTYPES[kind] if isinstance(kind, int) else np.result_type(dtype, kind(0))


def checked(x: Scalar, loop: Loop) -> Scalar:
    """Return a Python number that fits the loop's dtype; OverflowError as NumPy's otherwise."""
    if not isinstance(x, (float, complex)) and not loop.low <= x <= loop.high:
        if loop.high == WIDEST:
            raise OverflowError("int too large to convert to float")
        if not within_int64(x):
            raise OverflowError("Python int too large to convert to C long")
        dtype = DTYPES[loop.operand] if is_integer(loop.operand) else np.min_scalar_type(loop.low)
        raise OverflowError(f"Python integer {x} out of bounds for {dtype}")
    if loop.operand == BOOL:
        return bool(x)
    return as_held(x, loop.operand)


def within_int64(x: int) -> bool:
    """Whether a Python integer is one of int64, as which NumPy takes it first."""
    return -(1 << 63) <= x < 1 << 63


def within(x: Any, loop: Loop) -> Any:
    """Return an operand of a comparison; a Python integer no element can equal becomes infinite.

    Comparing with it is exact in NumPy, whatever the dtype of the array.
    """
    if isinstance(x, Handle) or not is_integer(loop.operand) or loop.low <= x <= loop.high:
        return x
    return as_handle(float("inf") if x > 0 else float("-inf"))


def check_exponent(loop: Loop, exponent: Any) -> None:
    """Raise ValueError for integers to negative integer powers; an array's are computed for it."""
    if not is_integer(loop.operand):
        return
    if isinstance(exponent, Handle):
        negative = DTYPES[exponent._code].kind == "i" and bool((exponent < 0).any())  # type: ignore[operator,attr-defined]
    else:
        negative = loop.low <= exponent < 0
    if negative:
        raise ValueError("Integers to negative integer powers are not allowed.")


UFUNCS: dict[str, ufunc] = {
    name: ufunc(name, row, getattr(np, name), associative=name in ASSOCIATIVE)
    for name, row in {**UNARY, **BINARY}.items()
}
"""The ufuncs by NumPy's name."""


def conjugated(x: Handle) -> Any:
    """Return the complex conjugates; of real numbers the handle itself."""
    return UFUNCS["conjugate"].unary(x) if is_complex(x._code) else x
