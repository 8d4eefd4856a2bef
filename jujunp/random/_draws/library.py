"""The kernels' library of random numbers (kernels/vm/random_part.mojo): what Python calls of it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from jujunp.lazy.library import VM

from ..._array.arguments import NUMPY

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORT, _LONG = ctypes.PyDLL(VM.__file__), ctypes.CDLL(VM.__file__)
"""The library, for calls that are too short to let other threads run, and for all others."""
_ADDRESS, _INTEGER, _WORD, _FLOAT = (
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_uint64,
    ctypes.c_double,
)


def _function(
    library: ctypes.CDLL, name: str, result: type | None, *arguments: type
) -> Callable[..., int]:
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found  # type: ignore[no-any-return]


draw_float: Callable[[int, int, float, float, float], float] = VM.draw_float
"""Draws one float64: of a source's address, a kind, and three parameters."""
draw_whole: Callable[[int, int, float, float, float], int] = VM.draw_whole
"""Draws one int64, in the same way."""
draw_few: Callable[..., int] = VM.draw_few
"""Draws numbers into a buffer: a source, a kind, dtype code, buffer, how many, and parameters."""
_MANY = (_ADDRESS, _INTEGER, _INTEGER, _ADDRESS, _INTEGER)
draw_many = _function(_LONG, "jujunp_draw_many", _INTEGER, *_MANY, _INTEGER, _FLOAT, _FLOAT, _FLOAT)
"""Draws numbers: a source, kind, dtype code, address, how many, by how many threads; parameters."""
draw_integers = _function(_LONG, "jujunp_draw_integers", _INTEGER, *_MANY, _WORD, _WORD)
"""Draws bounded integers, or places: the same on one thread, of the least and the range."""
draw_integer = _function(_SHORT, "jujunp_draw_integers", _INTEGER, *_MANY, _WORD, _WORD)
"""The same of few."""
words_of = _function(_SHORT, "jujunp_random_words", _INTEGER, _INTEGER)
"""How many words the generator of a number has."""
pull = _function(_SHORT, "jujunp_random_pull", None, _ADDRESS, _ADDRESS)
"""Copies a source's generator to words at an address."""
push = _function(_SHORT, "jujunp_random_push", None, _ADDRESS, _ADDRESS)
"""Sets a source's generator to such words."""


def _kinds() -> tuple[dict[str, int], tuple[int, ...]]:
    """Return the numbers of all distributions, and how many parameters each has.

    Those of the older generator have names with `older_` in front. What NumPy 2.5 has corrected has
    its name there.
    """
    names = _function(_SHORT, "jujunp_distributions", _INTEGER, _ADDRESS)
    text = ctypes.create_string_buffer(names(None))
    names(text)
    words = text.raw.decode().split()
    found = {}
    for kind, (family, name) in enumerate(zip(words[::3], words[1::3], strict=True)):
        older = family.startswith("older") or family == "masked"
        found[f"older_{name}" if older else name] = kind
    corrected = {name: found.pop(f"corrected_{name}") for name in ("binomial", "multinomial")}
    if NUMPY >= (2, 5):
        found |= corrected
    else:  # both generators draw these in the same way
        found["older_multinomial"] = found["multinomial"]
    return found, tuple(map(int, words[2::3]))


KINDS, PARAMETERS = _kinds()
"""The number of each distribution, and by that how many parameters it has."""
GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
"""The generators that the library knows; the number of one is its index."""
