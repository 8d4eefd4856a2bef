"""Warnings of what steps have raised: NumPy says which, and they name the line of the step.

The library tells of a step which flags it has raised, or operands of single elements whose results
look like it (kernels/vm/run/look.mojo). NumPy computes these elements once more, so that it is
NumPy who knows what is warned of, and how it is called.
"""

from __future__ import annotations

import operator
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..values.dtypes import DTYPES
from . import errors, machine
from .errors import KINDS, MODES, Kind
from .frames import PLACES
from .machine import CONSTANTS, OPCODES
from .sites import Site, note_warning, user_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

FINDINGS: list[tuple[Any, ...]] = []
"""What the library has found, and nobody was told of."""
UFUNCS: dict[int, np.ufunc] = {}
"""NumPy's ufunc by opcode; lazy is told which they are."""
NAMES: list[str] = [""]
"""Names under which NumPy reports what several operations do, by their numbers in words."""

_KERNELS = {
    OPCODES["reduce_sum"]: "reduce",
    OPCODES["reduce_prod"]: "reduce",
    OPCODES["cumsum"]: "accumulate",
    OPCODES["cumprod"]: "accumulate",
    OPCODES["reduceat"]: "reduceat",
    OPCODES["dot_general"]: "dot",
}
_CONVERT = OPCODES["convert_element_type"]
_SCALARS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "negative": operator.neg,
    "absolute": operator.abs,
}
_RAISED_IN = " encountered in "
"""In NumPy's texts between what was raised and what raised it."""
_SAMPLE = CONSTANTS["sample"]
_FLAGS = {kind: CONSTANTS[kind.key] for kind in KINDS}


def number_of(name: str) -> int:
    """Return the number of a name under which a function's steps are reported."""
    if name not in NAMES:
        NAMES.append(name)
    return NAMES.index(name)


class Finding(NamedTuple):
    """A finding as the library tells it (kernels/vm/run/report.mojo)."""

    code: int
    word: int
    site: CodeType | Site | None
    flags: int
    kinds: int
    samples: bytes

    @property
    def name(self) -> str:
        """The name under which the step is reported, "" if that is its own."""
        return NAMES[self.word >> CONSTANTS["names"] & 0xFFFF]

    @property
    def raised(self) -> int:
        """The flags of all that was raised, which functions are told of each of it."""
        return sum({kind.flag for kind, _ in self.messages()})

    def messages(self) -> Iterator[tuple[Kind, str]]:
        """Give what NumPy would warn of, in its order."""
        if self.flags:
            yield from self._of_flags()
            return
        said = self._said()
        for kind in KINDS:
            yield from ((kind, text) for text in said if text.startswith(kind.text))

    def _of_flags(self) -> Iterator[tuple[Kind, str]]:
        name = self.name or _KERNELS.get(self.code & 0xFFFF)
        for kind, flag in _FLAGS.items():
            if name and self.flags & flag:
                yield kind, f"{kind.text}{_RAISED_IN}{name}"

    def _said(self) -> dict[str, None]:
        """Return what NumPy says of the samples, each text once."""
        said: dict[str, None] = {}
        for place in range(CONSTANTS["samples"]):
            if self.kinds >> place & 1:
                sample = self.samples[place * _SAMPLE : (place + 1) * _SAMPLE]
                said |= dict.fromkeys(self._said_of(sample))
        return said

    def _said_of(self, sample: bytes) -> list[str]:
        dtype = DTYPES[self.code >> 16 & 0xFF]
        if self.code & 0xFFFF == _CONVERT:
            given = np.frombuffer(sample, dtype, 1)
            target = DTYPES[self.code >> 24 & 0xFF]
            if given.dtype.kind == "c" != target.kind:
                given = given.real  # that parts are lost was told
            return _asked(lambda: given.astype(target), self.name)
        known = UFUNCS.get(self.code & 0xFFFF)
        return [] if known is None else self._said_by(known, dtype, sample)

    def _said_by(self, ufunc: np.ufunc, dtype: np.dtype, sample: bytes) -> list[str]:
        """Return what a ufunc says of a sample, if not another one of the step's name."""
        name = self.name
        own = getattr(np, name, None) if name else None
        if isinstance(own, np.ufunc) and _is_alike(own, ufunc):
            ufunc, name = own, ""
        half = _SAMPLE // 2
        operands = [np.frombuffer(sample[k * half :], dtype, 1) for k in range(ufunc.nin)]
        if ufunc is np.ldexp:
            operands[1] = np.nan_to_num(operands[1]).astype(np.int64)
        scalar = _SCALARS.get(ufunc.__name__) if self.word & CONSTANTS["scalars"] else None
        if scalar is not None:
            return _asked(lambda: scalar(*(x[0] for x in operands)), name)
        return _asked(lambda: ufunc(*operands), name)


def _is_alike(own: np.ufunc, ufunc: np.ufunc) -> bool:
    """Whether a ufunc is one of elements with as many operands and results as another one."""
    return own.signature is None and (own.nin, own.nout) == (ufunc.nin, ufunc.nout)


def _renamed(text: str, name: str) -> str:
    """Return a text with the name of what is computed together; a scalar's stays one."""
    before, between, own = text.partition(_RAISED_IN)
    return f"{before}{between}{'scalar ' if own.startswith('scalar ') else ''}{name}"


class _Log:
    """What NumPy writes warnings to."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def write(self, text: str) -> None:
        self.texts.append(text.removeprefix("Warning: ").removesuffix("\n"))


def _asked(compute: Callable[[], Any], name: str) -> list[str]:
    """Return what NumPy would warn of where it computes something, under another name if given."""
    log = _Log()
    with np.errstate(all="log", call=log):
        compute()
    return [_renamed(text, name) for text in log.texts] if name else log.texts


def _taken() -> Iterator[Finding]:
    """Take what the library has found, of which another thread may take some meanwhile."""
    with suppress(IndexError):
        while True:
            yield Finding(*FINDINGS.pop(0))


class _Told:
    """What was told of the last call whose steps are reported under one name: each text once.

    Another finding of an operation that was told of is another call's. Known scalars are reported
    step by step, so what was told stays known from one report to the next.
    """

    def __init__(self) -> None:
        self._call: tuple[Any, ...] = ()
        self._codes: set[int] = set()
        self._texts: set[str] = set()

    def others(self, finding: Finding) -> Iterator[tuple[Kind, str]]:
        """Give the messages of a finding that no other step of its call had."""
        call = finding.name, finding.site, finding.word, finding.code >> 16
        if not finding.name or call != self._call or finding.code in self._codes:
            self._call, self._codes, self._texts = call, set(), set()
        self._codes.add(finding.code)
        for kind, text in finding.messages():
            if text not in self._texts:
                yield kind, text
            if finding.name:
                self._texts.add(text)


_OF_SCALARS = _Told()


def report() -> None:
    """Warn of all that was found; raises what a warning or a mode raises, once all was told.

    Of a step that raises no more is told, as NumPy does.
    """
    if not FINDINGS:
        return
    found = list(_taken())
    if not found:
        return
    foreign = errors.foreign()
    first: Exception | None = None
    told = _OF_SCALARS if found[0].word & CONSTANTS["scalars"] else _Told()
    for finding in found:
        word = finding.word if foreign is None else foreign
        for kind, text in told.others(finding):
            mode = MODES[errors.mode_in(word, kind)]
            try:
                _TELL[mode](kind, text, finding)
            except Exception as error:
                first = first or error
                break
    if first is not None:
        try:
            raise first
        finally:
            del first


def tell(key: str, name: str) -> None:
    """Tell at once of what nothing but Python has raised, as a kind of NumPy's and a name."""
    note_warning()
    word = errors.numpys() | number_of(name) << CONSTANTS["names"]
    FINDINGS.append((0, word, None, CONSTANTS[key], 0, b""))
    report()


# -- modes


def _ignore(kind: Kind, text: str, finding: Finding) -> None:
    pass


def _warn(kind: Kind, text: str, finding: Finding) -> None:
    file, line, namespace = _place_of(finding)
    registry = namespace.setdefault("__warningregistry__", {})
    module = namespace.get("__name__") or file.removesuffix(".py")
    warnings.warn_explicit(text, RuntimeWarning, file, line, module, registry)


def _place_of(finding: Finding) -> tuple[str, int, dict[str, Any]]:
    """Return the file and line that recorded a step, or use it now, and its module's names."""
    site = finding.site
    if site is None:
        frame = user_frame() or sys._getframe()
        return frame.f_code.co_filename, frame.f_lineno, frame.f_globals
    file, line = line_of(site, finding.word)
    return file, line, _namespace_of(file)


def line_of(site: CodeType | Site, word: int) -> tuple[str, int]:
    """Return the file and line of a step, from its site and the word with its error state."""
    if isinstance(site, Site):
        return site.file, site.line
    return site.co_filename, PLACES.line_of(site, word >> CONSTANTS["at"])


_namespaces: dict[str, dict[str, Any]] = {}
"""By file: the names of its module; those of a file without a module are for its warnings only."""


def _namespace_of(file: str) -> dict[str, Any]:
    found = _namespaces.get(file)
    if found is None:
        # what some put among the modules loads something when it is asked for an attribute
        every = [getattr(module, "__dict__", {}) for module in list(sys.modules.values())]
        named = (names for names in every if names.get("__file__") == file)
        found = _namespaces[file] = next(named, {})
    return found


def _raise(kind: Kind, text: str, finding: Finding) -> None:
    raise FloatingPointError(text)


def _call(kind: Kind, text: str, finding: Finding) -> None:
    function: Any = np.geterrcall()
    if function is None:
        place = f"(in  {_name_in(text)})"
        raise NameError(f"python callback specified for {kind.text} {place} but no function found.")
    function(kind.text, finding.raised)


def _name_in(text: str) -> str:
    """Return what raised, as a text calls it."""
    return text.partition(_RAISED_IN)[2]


def _print(kind: Kind, text: str, finding: Finding) -> None:
    print(f"Warning: {text}", file=sys.stderr)


def _log(kind: Kind, text: str, finding: Finding) -> None:
    log: Any = np.geterrcall()
    if log is None:
        place = f"(in {_name_in(text)})"
        raise NameError(
            f"log specified for {kind.text} {place} but no object with write method found."
        )
    log.write(f"Warning: {text}\n")


_TELL = dict(zip(MODES, (_ignore, _warn, _raise, _call, _print, _log), strict=True))

machine.set_reporting(FINDINGS, report)
