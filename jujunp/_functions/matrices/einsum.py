"""Einstein summation: subscripts are taken apart, operands contracted in pairs."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jujunp.lazy.run.flush import room
from jujunp.lazy.run.sites import package
from jujunp.lazy.values.dtypes import DTYPES, code_of

from ..._array.arguments import check_order, stand_in
from ..._array.array_likes import as_handle
from ..._array.handle import Handle, header
from ..._array.making import convert, laid_out, view
from ..._array.outputs import put_out
from ..._array.promotion import result_code
from ..._calls.traits import uniform_in_order
from ..._ufuncs.ufunc import UFUNCS
from ..reductions.reduce import fold_of, folded
from .products import contracted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jujunp.lazy.values.types import Shape

__all__ = [
    "einsum",
    "einsum_path",
]

Labels = tuple[str, ...]
"""A label for each axis: a letter, or a number for an axis that an ellipsis stands for."""


class Subscripts(NamedTuple):
    """The labels of the operands' axes, and those of the result's."""

    operands: tuple[Labels, ...]
    result: Labels


class Irregular(Exception):
    """The subscripts, or the operands' shapes, are not those of an Einstein summation."""


# -- subscripts


def _read(arguments: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return subscripts as one text, and the operands, of either form of the arguments."""
    if not arguments:
        raise Irregular
    if isinstance(arguments[0], str):
        return arguments[0].replace(" ", ""), list(arguments[1:])
    if len(arguments) < 2:
        raise Irregular
    pairs = len(arguments) // 2
    text = ",".join(_letters(sublist) for sublist in arguments[1 : 2 * pairs : 2])
    if len(arguments) % 2:
        text += "->" + _letters(arguments[-1])
    return text, list(arguments[: 2 * pairs : 2])


def _letters(sublist: Any) -> str:
    found = []
    for item in sublist:
        if item is not Ellipsis and not 0 <= item < len(string.ascii_letters):
            raise Irregular
        found.append("..." if item is Ellipsis else string.ascii_letters[item])
    return "".join(found)


def _parse(text: str, shapes: tuple[Shape, ...], sums_dots: bool) -> Subscripts:
    """Return the labels of all axes; `Irregular` when the text does not fit the shapes.

    Along a path NumPy sums over the axes of an ellipsis that the result lacks, else it raises.
    """
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise Irregular
    operands = tuple(_labels(term, len(shape)) for term, shape in zip(terms, shapes, strict=True))
    dots = max((_dots(labels) for labels in operands), key=len)
    letters = [label for labels in operands for label in labels if label not in dots]
    if arrow:
        result = _output(output, dots)
    else:
        result = (*dots, *sorted(label for label in set(letters) if letters.count(label) == 1))
    if len(set(result)) != len(result) or not set(result) <= {*letters, *dots}:
        raise Irregular
    if not sums_dots and not set(dots) <= set(result):
        raise Irregular
    return Subscripts(operands, result)


def _split(term: str) -> tuple[str, bool, str]:
    before, dots, after = term.partition("...")
    if not set(before + after) <= set(string.ascii_letters):
        raise Irregular
    return before, bool(dots), after


def _labels(term: str, rank: int) -> Labels:
    """Return the labels of an operand's axes; an ellipsis is numbered from the last axis on."""
    before, dots, after = _split(term)
    hidden = rank - len(before) - len(after)
    if hidden < 0 or (hidden and not dots):
        raise Irregular
    return (*before, *(str(k) for k in reversed(range(hidden))), *after)


def _dots(labels: Labels) -> Labels:
    return tuple(label for label in labels if label.isdigit())


def _output(term: str, dots: Labels) -> Labels:
    before, given, after = _split(term)
    return (*before, *(dots if given else ()), *after)


def _sizes(subscripts: Subscripts, shapes: tuple[Shape, ...]) -> dict[str, int]:
    """Return the length of each label; axes of length one broadcast."""
    sizes: dict[str, int] = {}
    for labels, shape in zip(subscripts.operands, shapes, strict=True):
        for label, extent in zip(labels, shape, strict=True):
            known = sizes.get(label, 1)
            if known == 1:
                sizes[label] = extent
            elif extent not in (1, known):
                raise Irregular
    return sizes


# -- operands


class Term(NamedTuple):
    """An operand with a different label for each axis."""

    x: Any
    labels: Labels


def _term(x: Handle, labels: Labels, sizes: dict[str, int]) -> Term:
    """Return an operand without repeated labels, and without axes that broadcast."""
    seen = header(x)
    lengths = dict.fromkeys(labels, 1)
    strides = dict.fromkeys(labels, 0)
    given = zip(labels, seen.shape, seen.strides, strict=True)
    for axis, (label, extent, stride) in enumerate(given):
        if label in labels[:axis] and extent != lengths[label]:
            raise Irregular  # a diagonal does not broadcast
        lengths[label] = extent
        strides[label] += stride
    kept = tuple(label for label in lengths if lengths[label] == sizes[label])
    if kept == labels:
        return Term(x, labels)
    layout = np.lib.stride_tricks.as_strided(
        seen, [lengths[label] for label in kept], [strides[label] for label in kept]
    )
    return Term(view(x, layout), kept)


def _summed(term: Term, labels: set[str]) -> Term:
    """Return a term summed over some of its labels, in its own dtype."""
    axes = tuple(axis for axis, label in enumerate(term.labels) if label in labels)
    if not axes:
        return term
    code = term.x._code
    found = folded(term.x, fold_of("add", code, DTYPES[code]), axes, False)
    return Term(found, tuple(label for label in term.labels if label not in labels))


def _arranged(term: Term, labels: Labels) -> Any:
    """Return a term's array with its axes in the order of some labels; others get length one."""
    seen = header(term.x)
    order = [term.labels.index(label) for label in labels if label in term.labels]
    key = tuple(slice(None) if label in term.labels else None for label in labels)
    if order == list(range(len(labels))):
        return term.x
    return view(term.x, seen.transpose(order)[key])


def _pair(a: Term, b: Term, wanted: set[str]) -> Term:
    """Return the contraction of two terms over all labels that are not wanted later."""
    shared = set(a.labels) & set(b.labels)
    a = _summed(a, set(a.labels) - shared - wanted)
    b = _summed(b, set(b.labels) - shared - wanted)
    batch = [label for label in a.labels if label in shared & wanted]
    summed = [label for label in a.labels if label in shared - wanted]
    free = [label for label in (*a.labels, *b.labels) if label not in shared]
    labels = (*batch, *free)
    if not summed:
        return Term(UFUNCS["multiply"](_arranged(a, labels), _arranged(b, labels)), labels)
    product = contracted(
        a.x,
        b.x,
        [a.labels.index(label) for label in summed],
        [b.labels.index(label) for label in summed],
        [a.labels.index(label) for label in batch],
        [b.labels.index(label) for label in batch],
    )
    return Term(product, labels)


def _contract(terms: list[Term], result: Labels, path: Sequence[Sequence[int]]) -> Term:
    """Return the contraction of all terms, following a path of positions."""
    for step in path:
        chosen = [terms[k] for k in sorted(step)]
        rest = [term for k, term in enumerate(terms) if k not in step]
        wanted = {*result, *(label for term in rest for label in term.labels)}
        found = chosen[0]
        for k, other in enumerate(chosen[1:], 1):
            later = {label for term in chosen[k + 1 :] for label in term.labels}
            found = _pair(found, other, wanted | later)
        terms = [*rest, found]
    if len(terms) > 1:
        raise RuntimeError(f"the path leaves {len(terms)} operands that are not contracted")
    (last,) = terms
    return _summed(last, set(last.labels) - set(result))


# -- paths


_paths: dict[Any, list[tuple[int, ...]]] = {}
_MOST_PATHS = 1000


def _path(text: str, arrays: list[Handle], optimize: Any) -> list[tuple[int, ...]]:
    """Return the order of contraction: NumPy's, which costs time once for each set of shapes."""
    count = len(arrays)
    if not isinstance(optimize, (bool, str)):
        return list(optimize)[1:] if optimize[0] == "einsum_path" else list(optimize)
    if count < 3:
        return [tuple(range(count))] if count > 1 else []
    method = "greedy" if isinstance(optimize, bool) else optimize
    key = (text, tuple(x._shape for x in arrays), method)
    found = _paths.get(key)
    if found is None:
        if len(_paths) >= _MOST_PATHS:
            _paths.clear()
        listed = np.einsum_path(text, *(stand_in(x) for x in arrays), optimize=method)[0]
        found = _paths[key] = listed[1:]
    return found


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """Return the order in which to contract operands, and a text about its cost: NumPy's own.

    Only the operands' shapes matter; nothing is computed.
    """
    if not operands or isinstance(operands[0], str):
        seen = [*operands[:1], *(stand_in(as_handle(x)) for x in operands[1:])]
    else:
        seen = list(operands)
        for k in range(0, len(seen) - len(seen) % 2, 2):
            seen[k] = stand_in(as_handle(seen[k]))
    arguments: Any = {"optimize": optimize, "einsum_call": einsum_call}
    return np.einsum_path(*seen, **arguments)


# -- einsum


@uniform_in_order  # which the path of three operands follows
def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
    optimize: Any = False,
) -> Any:
    """Return the sum over products of elements that subscripts describe.

    Args:
        operands: Subscripts as text and arrays, or each array with a list of its labels.
        out: Array to write to.
        dtype: Dtype to compute in, if not the operands' common one.
        order: "C" or "F" for that memory order; "A" for "F" where all operands have it, else "C".
        casting: Rule for converting the operands and to `out`.
        optimize: The path of contractions, as of `einsum_path`, or how to find one. Three or more
            operands always take one.

    Of one operand whose labels are only rearranged the result is a view, as in NumPy.
    """
    room()
    wanted = check_order(order)
    try:
        text, given = _read(operands)
        arrays = [as_handle(x) for x in given]
        usual = out is None and (dtype, order, casting, optimize) == (None, "K", "safe", False)
        if usual and not all(isinstance(x, Handle | str) for x in operands):
            return package().einsum(text, *arrays)  # one transcript is for all forms of a call
        shapes = tuple(x._shape for x in arrays)
        subscripts = _parse(text, shapes, bool(optimize))
        sizes = _sizes(subscripts, shapes)
        arrays = _in_one_dtype(arrays, dtype, casting)
        pairs = zip(arrays, subscripts.operands, strict=True)
        terms = [_term(x, labels, sizes) for x, labels in pairs]
    except Irregular:
        _raise_as_numpy(operands, optimize)
        raise ValueError("the subscripts do not fit the operands") from None
    found = _arranged(
        _contract(terms, subscripts.result, _path(text, arrays, optimize)), subscripts.result
    )
    if not found._shape:
        found = found[()]
    if out is None and wanted != "K":
        return _in_order(found, wanted, given)
    return put_out(found, out, _rule_for_out(subscripts, optimize, casting))


def _rule_for_out(subscripts: Subscripts, optimize: Any, casting: str) -> str:
    """Return the rule for converting to `out`: NumPy is lenient if it follows a path."""
    if not optimize or len(subscripts.operands) < 2:
        return casting
    if set().union(*subscripts.operands) - set(subscripts.result):
        return "unsafe"
    return "same_kind" if casting == "safe" else casting


def _in_order(found: Any, order: str, operands: list[Any]) -> Any:
    """Return a result whose axes lie in memory as an order says: "A" as those of all operands."""
    if order == "A":
        turned = all(header(as_handle(x)).flags.f_contiguous for x in operands)
        order = "F" if turned else "C"
    flags = header(found).flags
    fits = flags.f_contiguous if order == "F" else flags.c_contiguous
    return found if fits else laid_out(found, order)


def _in_one_dtype(arrays: list[Handle], dtype: Any, casting: str) -> list[Handle]:
    code = result_code(*(x._code for x in arrays)) if dtype is None else code_of(np.dtype(dtype))
    for number, x in enumerate(arrays):
        if not np.can_cast(DTYPES[x._code], DTYPES[code], casting):  # type: ignore[arg-type]
            raise TypeError(
                f"Iterator operand {number} dtype could not be cast from {DTYPES[x._code]!r} "
                f"to {DTYPES[code]!r} according to the rule '{casting}'"
            )
    return [x if x._code == code else convert(x, code) for x in arrays]


def _raise_as_numpy(operands: Sequence[Any], optimize: Any) -> None:
    """Raise the error that NumPy raises for irregular arguments."""
    seen = [stand_in(x) if isinstance(x, Handle) else x for x in operands]
    np.einsum(*seen, optimize=optimize)
