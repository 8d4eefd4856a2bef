"""Why tests of NumPy's fail on purpose: by the test's name without parameters, or a part of it."""

from __future__ import annotations

REASONS: dict[str, str] = {}
"""Reasons by how the names of tests begin, such as `_core/tests/test_numeric.py::TestX::test_y`."""


def reason_of(name: str) -> str | None:
    """Return why a test fails on purpose; None if it does not."""
    return next((why for begin, why in REASONS.items() if name.startswith(begin)), None)
