"""Elements in copies of array-api-compat and array-api-extra, as other libraries have them."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_COMPAT = """
def _cls_to_namespace(cls, version):
    return "none" if issubclass(cls, (int, float, complex)) else "array"

def array_namespace(x):
    return _cls_to_namespace(type(x), None)
"""
_EXTRA = """
def is_python_scalar(x):
    return isinstance(x, (int, float, complex))
"""
_USES_EXTRA = """
from ._helpers import is_python_scalar
"""


@pytest.fixture
def vendored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Return what imports a module of a package that has copies of both."""
    package = tmp_path / "a_package_with_copies"
    modules = {
        "array_api_compat/common/_helpers.py": _COMPAT,
        "array_api_extra/_lib/_helpers.py": _EXTRA,
        "array_api_extra/_lib/_funcs.py": _USES_EXTRA,
    }
    for path, text in modules.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name: importlib.import_module(f"{package.name}.{name}")
    for name in [name for name in sys.modules if name.startswith(package.name)]:
        del sys.modules[name]


def _scalars() -> list[Any]:
    x = jj.asarray([1.5, 2.5])
    return [x[0], x[0] + 1, x.sum(), jj.arange(3)[1], jj.ones(2, "complex64")[0]]


def test_elements_have_a_namespace(vendored: Callable[[str], Any]) -> None:
    namespace = vendored("array_api_compat.common._helpers").array_namespace
    assert [namespace(x) for x in _scalars()] == ["array"] * 5
    assert [namespace(x) for x in (1, 1.5, 1j, np.float64(1))] == ["none"] * 4


def test_elements_are_no_numbers_of_pythons(vendored: Callable[[str], Any]) -> None:
    for module in ("_helpers", "_funcs"):
        asks = vendored(f"array_api_extra._lib.{module}").is_python_scalar
        assert not any(map(asks, _scalars()))
        assert all(map(asks, (1, 1.5, 1j)))
        assert not asks(jj.ones(2))


_BEFORE = """
import sys
sys.path.insert(0, {folder!r})
from a_package_with_copies.array_api_compat.common._helpers import array_namespace
from a_package_with_copies.array_api_extra._lib import _funcs
import jujunp
x = jujunp.asarray([1.5, 2.5])[0]
assert array_namespace(x) == "array"
assert not _funcs.is_python_scalar(x)
"""


def test_libraries_that_were_imported_before(
    vendored: Any, tmp_path: Path, run_python: Callable[..., Any]
) -> None:
    run_python(_BEFORE.format(folder=str(tmp_path)))
