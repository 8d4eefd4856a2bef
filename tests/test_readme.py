"""The README's tour runs as it stands, and what the pages name is there."""

from __future__ import annotations

import builtins
import functools
import re
from pathlib import Path

import jax
import numpy as np
import pytest

from tests.support.tree.places import ROOT

PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in ROOT.glob("docs/*.md"))]
CHAPTERS = ("jujunp", "lazy", "kernels", "tests", "conformance", "benchmarks", "examples", "docs")
_PATH = re.compile(r"[\w.<>-]+(/[\w.<>-]*)+|[\w-]+\.(py|mojo|md|toml|yml)")
_ELSEWHERE = frozenset(
    (
        *("libasan", "libstdc", "sanitize", "ASAN_OPTIONS", "LD_PRELOAD"),
        *("detect_leaks", "detect_container_overflow", "verify_asan_link_order"),
        *("taskset", "__del__"),
    )
)
"""Words of the sanitizer, of the system and of Python that no source of ours has."""


def python_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_tour(run_python):
    printed = run_python(python_of("README.md")[0]).stdout.splitlines()
    # sin(1e6 points) * 2 + 1, halved at even places, cleared above 1.5
    assert float(printed[1]) > 0
    assert printed[2] == "index 7 is out of bounds for axis 0 with size 3"


def test_deferred_errors(run_python):
    part, warns = python_of("docs/errors.md")
    error = "index 7 is out of bounds for axis 0 with size 3 (recorded at <string>, line 5)"
    assert run_python(part).stdout == f"{error}\n"
    warned = run_python(warns)
    assert "<string>:4: RuntimeWarning: divide by zero encountered in log" in warned.stderr


def test_functions_for_jax(run_python):
    _, section = python_of("README.md")
    shape, cost = run_python(section).stdout.splitlines()
    assert shape == "(2,) float64"
    assert "'bytes': " in cost


def test_jit_page(run_python):
    """Each part runs as it stands, after those before it; nothing is compiled."""
    parts = python_of("docs/jit.md")
    assert len(parts) >= 5
    ended = "print(jujunp.stats()['compiled runs'])"
    assert run_python("\n".join([*parts, ended])).stdout.splitlines()[-1] == "0"


def test_transformations_page(run_python):
    """Each part runs as it stands, after those before it; nothing is compiled."""
    parts = python_of("docs/transformations.md")
    assert len(parts) >= 10
    ended = "print(jujunp.stats()['compiled runs'])"
    code = "\n".join(["import jujunp", *parts, ended])
    assert run_python(code).stdout.splitlines()[-1] == "0"


def test_memory_page(run_python):
    (part,) = python_of("docs/memory.md")
    assert run_python(f"{part}\nprint(a, b)").stdout == "[10. 20.  2.  3.  4.  5.] [7. 7. 7.]\n"


@pytest.mark.parametrize("page", PAGES)
def test_links(page):
    for target in re.findall(r"\]\(([^):#]+)\)", without_code(page)):
        assert ((ROOT / page).parent / target).exists(), target


def snippets_of(page: str) -> list[str]:
    """Return what stands in backticks in a page, without whole blocks of code."""
    return re.findall(r"`([^`\n]+)`", without_code(page))


def without_code(page: str) -> str:
    return re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL)


@functools.cache
def files() -> frozenset[Path]:
    """Return the files and folders of the tree, without what is built or hidden."""
    top = [path for path in ROOT.iterdir() if path.is_file()]
    return frozenset((*top, *(path for name in CHAPTERS for path in (ROOT / name).rglob("*"))))


@functools.cache
def words() -> frozenset[str]:
    """Return the words of the sources, of NumPy's and JAX's names and of Python's."""
    sources = (*(path for path in files() if path.suffix in (".py", ".mojo", ".toml")),)
    texts = [path.read_text(encoding="utf-8") for path in (*sources, ROOT / "Makefile")]
    found = {word for text in texts for word in re.findall(r"\w+", text)}
    return frozenset((*found, *dir(np), *dir(np.linalg), *dir(jax), *dir(builtins)))


@pytest.mark.parametrize("page", PAGES)
def test_paths_are_there(page: str) -> None:
    """Those that begin at the top, or end what lies anywhere in the tree."""
    named = [text for text in snippets_of(page) if _PATH.fullmatch(text)]
    parents = [ROOT, *{path.parent for path in files()}]
    missing = [text for text in named if not any((parent / text).exists() for parent in parents)]
    assert missing == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != "docs/numpy-suite.md"])
def test_names_are_there(page: str) -> None:
    """Every word in backticks that is no path is one of the sources, NumPy's, JAX's or Python's.

    The page that is left out names NumPy's tests.
    """
    named = {text for text in snippets_of(page) if not _PATH.fullmatch(text)}
    missing = {
        text: absent
        for text in named
        if (absent := set(re.findall(r"[A-Za-z_]\w+", text)) - words() - _ELSEWHERE)
    }
    assert missing == {}


def test_functions_of_your_own(run_python):
    """What the page shows can be run."""
    parts = python_of("docs/vectorize.md")
    assert len(parts) == 2
    printed = run_python("\n".join([*parts, "print(y.tolist()[4], swish(0.0))"])).stdout
    assert printed == "1.0 0.0\n"
