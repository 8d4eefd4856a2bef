"""A pytest plugin: the array-API tests that SciPy and scikit-learn bring along, on our arrays.

Their lists of namespaces are fixed, so that it puts ours in the place of all others. Tests that
take no namespace do not run. `make test-integration` says how it is called.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported; scikit-learn asks for it too
os.environ.setdefault("JUJUNP_POLICY", "never")  # nothing there is worth a compile
os.environ.setdefault("JUJUNP_STRICT", "0")  # before tests/conftest.py, which pytest finds nearby

import jujunp

NAME = jujunp.__name__
SKIPPED = {
    "TestContainsNaN::test_array_api_lazy": "of namespaces that have no values, by their names",
}
"""Tests that cannot know of us, by the ends of their names, and why."""


def pytest_configure(config: Any) -> None:
    """Give scikit-learn's tests our namespace, before they are collected."""
    try:
        from sklearn.utils import _array_api
    except ImportError:
        return

    def namespaces(**_: Any) -> Any:
        yield NAME

    def combinations(**_: Any) -> Any:
        for dtype in ("float64", "float32"):
            yield NAME, None, dtype

    _array_api.yield_namespaces = namespaces
    _array_api.yield_namespace_device_dtype_combinations = combinations


def pytest_ignore_collect(collection_path: Any) -> bool | None:
    """Leave out SciPy's data sets: they are fetched, by a package that SciPy does not ask for."""
    return True if "scipy/datasets/" in collection_path.as_posix() else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: Any) -> None:
    """Give SciPy's fixture `xp` our namespace."""
    if "xp" not in metafunc.fixturenames or not metafunc.module.__name__.startswith("scipy."):
        return
    from scipy import conftest

    conftest.xp_known_backends.add(NAME)
    ours = pytest.param(jujunp, id=NAME, marks=pytest.mark.array_api_backends)
    metafunc.definition.add_marker(pytest.mark.parametrize("xp", [ours], indirect=True))


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out what takes no namespace."""
    taken = [item for item in items if _is_about_ours(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(taken)])
    items[:] = taken
    for item in taken:
        for name, why in SKIPPED.items():
            if f"{name}[" in item.nodeid:
                item.add_marker(pytest.mark.skip(reason=why))


def _is_about_ours(item: Any) -> bool:
    given = getattr(item, "callspec", None)
    if given is None:
        return False
    return any(
        value is jujunp or value == NAME
        for value in given.params.values()
        if isinstance(value, (str, type(jujunp)))
    )
