"""Our functions take the arguments that NumPy's take."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import jujunp


def _parameters(function):
    """Return a function's parameters; none where NumPy hides them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


FUNCTIONS = [
    name
    for name, function in vars(jujunp).items()
    if inspect.isfunction(function)
    and not name.startswith("_")
    and name != "einsum"  # whose keyword arguments NumPy does not name
    and not isinstance(getattr(np, name, None), np.ufunc)
    and _parameters(getattr(np, name, None))
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name):
    found, wanted = (_parameters(getattr(library, name)) for library in (jujunp, np))
    assert [(p.name, p.kind) for p in found] == [(p.name, p.kind) for p in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        hidden = theirs.default is np._NoValue
        assert hidden or ours.default is theirs.default or ours.default == theirs.default
