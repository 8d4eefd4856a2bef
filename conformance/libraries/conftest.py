"""Libraries that take any array namespace: the same call for jujunp's arrays and for NumPy's."""

from __future__ import annotations

import dataclasses
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import pytest

_SWITCHES = {
    "SCIPY_ARRAY_API": "1",  # read when SciPy is imported; scikit-learn asks for it too
    "JUJUNP_STRICT": "1",  # what NumPy would compute on our behalf raises instead
}

if "scipy" in sys.modules and os.environ.get("SCIPY_ARRAY_API") != "1":
    raise pytest.UsageError("SciPy was imported before; run conformance/libraries by itself")
os.environ.update(_SWITCHES)
os.environ.setdefault("JUJUNP_POLICY", "never")  # nothing here is worth a compile

import jujunp  # noqa: E402
from jujunp.lazy.run import machine  # noqa: E402

SCALAR = type(jujunp.asarray(0.0).sum()).__base__  # of all dtypes
OURS = (jujunp.ndarray, SCALAR)


@pytest.fixture(autouse=True)
def no_numbers_were_read() -> None:
    """Begin each test as programs begin: scalars are pending until a program reads numbers."""
    machine.flush_small()
    machine.forget_habits()


def compare(got: Any, expected: Any, *, ours: bool, rtol: float) -> None:
    """Check a result, which may be a tuple, a mapping or an object of some library's class."""
    if isinstance(expected, (numpy.ndarray, numpy.generic)):
        if ours:
            assert isinstance(got, OURS), f"{type(got)} is none of our arrays"
        found = numpy.asarray(got)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        numpy.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-12)
    elif isinstance(expected, Mapping):
        assert set(got) == set(expected)
        for key, value in expected.items():
            compare(got[key], value, ours=ours, rtol=rtol)
    elif dataclasses.is_dataclass(expected):
        assert type(got) is type(expected)
        compare(vars(got), vars(expected), ours=ours, rtol=rtol)
    elif isinstance(expected, (list, tuple)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(one, other, ours=ours, rtol=rtol)
    elif isinstance(expected, (float, complex)):
        assert complex(got) == pytest.approx(expected, rel=rtol, nan_ok=True)
    else:
        assert got == expected


@pytest.fixture
def same() -> Callable[..., None]:
    """Return a function that compares `call(jujunp)` with `call(numpy)`.

    With `ours`, every array among the results must be jujunp's.
    """

    def check(call: Callable[[Any], Any], *, ours: bool = True, rtol: float = 1e-9) -> None:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = call(numpy)
            got = call(jujunp)
        compare(got, expected, ours=ours, rtol=rtol)

    return check


@pytest.fixture
def not_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What libraries ask of NumPy, NumPy may do; pictures are drawn to memory."""
    monkeypatch.setenv("JUJUNP_STRICT", "0")
    monkeypatch.setenv("MPLBACKEND", "agg")
