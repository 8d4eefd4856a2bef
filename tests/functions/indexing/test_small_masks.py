"""Masks of few elements, which are followed at once: NumPy's elements, and who sees writes."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import jujunp

NAMES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "int64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
SHAPES = [(1,), (7,), (64,), (600,), (3, 5), (5, 3), (2, 3, 4), (4, 1, 2), (40, 50)]
VIEWS = {
    "whole": lambda x: x,
    "part": lambda x: x[1:],
    "reversed": lambda x: x[::-1],
    "steps": lambda x: x[::2],
    "turned": lambda x: x.T,
    "columns": lambda x: x[..., :-1],
}
KNOWN = {"known": lambda x: x, "pending": lambda x: x & True, "view": None}


def given(library: Any, shape: tuple[int, ...], name: str) -> Any:
    random = numpy.random.default_rng(len(shape) + sum(shape))
    return library.array((random.random(shape) * 100).astype(name))


def mask_for(library: Any, shape: tuple[int, ...], kind: str, seed: int) -> Any:
    truth = numpy.random.default_rng(seed).random((shape[0] + 1, *shape[1:])) < 0.4
    if kind == "view":
        return library.array(truth)[1:]
    return KNOWN[kind](library.array(truth[1:]))


@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_picked(name: str, view: str, kind: str) -> None:
    for seed, shape in enumerate(SHAPES):
        ours, theirs = (VIEWS[view](given(lib, shape, name)) for lib in (jujunp, numpy))
        for axes in range(1, theirs.ndim + 1):
            of = theirs.shape[:axes]
            if not of[0]:
                continue
            found, expected = (
                x[mask_for(lib, of, kind, seed)] for lib, x in ((jujunp, ours), (numpy, theirs))
            )
            assert found.dtype == expected.dtype
            numpy.testing.assert_array_equal(numpy.asarray(found), expected, strict=True)


@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written(name: str, view: str, kind: str) -> None:
    for seed, shape in enumerate(SHAPES):
        for what in ("number", "elements", "pending", "turned", "one too many"):
            whole = [given(lib, shape, name) for lib in (jujunp, numpy)]
            errors = []
            for lib, memory in zip((jujunp, numpy), whole, strict=True):
                x = VIEWS[view](memory)
                if not x.shape[0]:
                    errors.append(None)
                    continue
                mask = mask_for(lib, x.shape, kind, seed)
                count = int(mask.sum())
                y: Any = 1
                if what != "number":
                    y = lib.arange(count + (what == "one too many")).astype(name)
                if what == "pending":
                    y = y * lib.ones(1, name)
                if what == "turned":
                    y = y[::-1]
                try:
                    x[mask] = y
                    errors.append(None)
                except ValueError as error:
                    errors.append(type(error))
            assert errors[0] == errors[1], (shape, what)
            numpy.testing.assert_array_equal(numpy.asarray(whole[0]), whole[1], strict=True)


def test_others_do_not_see_what_is_written() -> None:
    x = jujunp.arange(6.0)
    mask = x > 2
    mask.sum().item()
    kept, copied, taken = x[mask], x.copy(), x + 0
    x[mask] = -1.0
    assert x.tolist() == [0.0, 1.0, 2.0, -1.0, -1.0, -1.0]
    assert copied.tolist() == taken.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert kept.tolist() == [3.0, 4.0, 5.0]


def test_a_mask_of_itself() -> None:
    for library in (numpy, jujunp):
        flags = library.array([True, False, True])
        flags[flags] = False
        assert not flags.any()
        flags = library.array([True, False, True])
        flags[flags] = flags[:2]
        shifted = library.array([True, True, True, True])
        shifted[1:][shifted[:-1]] = False  # the mask is that of before
        assert numpy.asarray(shifted).tolist() == [True, False, False, False]
        assert numpy.asarray(flags).tolist() == [True, False, False]


def test_what_numpy_shares_is_seen() -> None:
    outside = numpy.arange(5.0)
    x = jujunp.asarray(outside)
    x[jujunp.array([True, False, True, False, True])] = 9.0
    assert outside.tolist() == [9.0, 1.0, 9.0, 3.0, 9.0]
    outside[1] = 7.0
    assert x[jujunp.array([False, True, False, False, False])].tolist() == [7.0]


def test_masks_that_do_not_fit() -> None:
    x = jujunp.zeros((3, 4))
    for shape in [(4,), (3, 3), (3, 4, 1)]:
        with pytest.raises(IndexError):
            x[jujunp.zeros(shape, bool)]
        with pytest.raises(IndexError):
            x[jujunp.zeros(shape, bool)] = 1.0
    frozen = jujunp.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen[jujunp.array([True, False, True])] = 1.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_numbers_and_pending_scalars_are_written_to_what_many_pick(name: str, share: float) -> None:
    for size in (100, 20_001):
        mask = numpy.random.default_rng(size).random(size) < share
        ours, theirs = given(jujunp, (size,), name), given(numpy, (size,), name)
        known = jujunp.array(mask)
        jujunp.flush()
        for y in (1, "pending"):
            ours[known] = jujunp.max(ours + 0) if y == "pending" else y
            theirs[mask] = numpy.max(theirs) if y == "pending" else y
            numpy.testing.assert_array_equal(numpy.asarray(ours), theirs, strict=True)
