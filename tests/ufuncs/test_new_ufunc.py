"""A ufunc is added at the places that CONTRIBUTING.md names, and at no other.

Two ufuncs are taken out of a copy of the sources, and come back by those steps alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tree.places import ROOT
from tests.support.tree.sources import Sources

FUNCTION = "kernels/elementwise/"
OPERATION = "kernels/elementwise/dispatch/operations.mojo"
UFUNC = "jujunp/_ufuncs/table.py"
ORACLE = "tests/support/operations.py"
PLACES = [FUNCTION, OPERATION, UFUNC, ORACLE]
"""A name that ends in a stroke is a folder: any one of its modules."""

PATH = re.compile(r"`([\w./]+/[\w./]*)`")

CHECKS = (
    "tests/support/tree/added_ufuncs.py",
    "tests/kernels/elementwise/test_elementwise_kernels.py",
    "tests/kernels/test_generate.py::test_each_operation_that_max_fuses_is_an_op",
    "tests/lazy/compiled/test_compiled_lowering.py::test_every_operation_is_tested",
    "tests/lazy/compiled/test_lowering_rules.py::test_operations",
    "tests/ufuncs/test_ufunc.py",
)
"""Tests that run in the copy: what a new ufunc must do, and all that its rows are tested by."""


class New(NamedTuple):
    """A ufunc of floats.

    `module` has its function, and `neighbour` is imported from there, too. `known` is the path and
    the text of what else there is of it because JAX has it, and what it does without here.
    """

    name: str
    arity: int
    module: str
    neighbour: str
    oracle: str
    known: tuple[str, str] | None = None


NEW = (
    New("heaviside", 2, "arithmetic", "absolute", "Exact(numpy.heaviside, FLOATS, 2)"),
    New(
        "cbrt",
        1,
        "power",
        "hypot",
        "Ulp(numpy.cbrt, 1.0)",
        ("lazy/jaxprs/lax.py", '"cbrt": lax.cbrt, '),
    ),
)


class Text(NamedTuple):
    """A text of a source, and what it is written before when it is new: "" is the end."""

    path: str
    text: str
    before: str


def texts(new: New, function: str) -> list[Text]:
    """Return what is written for a new ufunc, given its function."""
    name, unary = new.name, new.arity == 1
    call = f"{name}(x)" if unary else f"{name}(a, b)"
    branch = f'    elif name == "{name}":\n        return {call}\n'
    exact = new.oracle.startswith("Exact")
    return [
        Text(f"{FUNCTION}{new.module}.mojo", function, ""),
        Text(OPERATION, f"    {name},\n", f"    {new.neighbour},\n"),
        Text(OPERATION, f'    Operation("{name}", {new.arity}, FLOATS),\n', "]\n\n\ndef _packed"),
        Text(OPERATION, branch, f'    elif name == "{"floor" if unary else "copysign"}":\n'),
        Text(UFUNC, f'    "{name}": Row("{name}"),\n', f'    "{"fabs" if unary else "divide"}": '),
        Text(ORACLE, f'    "{name}": {new.oracle},\n', f'    "{"neg" if exact else "rsqrt"}": '),
    ]


def function_of(sources: Sources, new: New) -> str:
    """Return the function of a ufunc, with the empty lines before it."""
    pattern = rf"\n\n@always_inline\ndef {new.name}\[\n(?:.*\n)+?(?=\n\n|\Z)"
    found = re.search(pattern, sources.read(f"{FUNCTION}{new.module}.mojo"))
    assert found is not None
    return found[0]


def take_out(sources: Sources, new: New, function: str) -> None:
    """Leave nothing of a ufunc in the sources, but for what tests use it for."""
    for path, text, _ in texts(new, function):
        sources.replace(path, text, "")
    if new.known is not None:
        sources.replace(*new.known, "")
    count(sources, -1)
    word = re.compile(rf"\b{new.name}\b")
    left = [path for path, text in sources.texts().items() if word.search(text)]
    left = [path for path in left if not path.startswith("tests/")]
    assert left in ([], ["lazy/jaxprs/derivatives.py"])


def add(sources: Sources, new: New, function: str) -> None:
    """Add a ufunc as CONTRIBUTING.md says."""
    for path, text, before in texts(new, function):
        if before:
            sources.replace(path, before, text + before)
        else:
            sources.append(path, text)
    count(sources, 1)


def count(sources: Sources, more: int) -> None:
    """Change the number of operations that the table has."""
    found = re.search(r"\ncomptime OPERATION_COUNT = (\d+)\n", sources.read(OPERATION))
    assert found is not None
    sources.replace(OPERATION, found[0], found[0].replace(found[1], f"{int(found[1]) + more}"))


def place_of(path: str) -> str:
    """Return which place a source is."""
    return path if path in PLACES else f"{os.path.dirname(path)}/"


@pytest.mark.parametrize("section", ["Add a function", "Add a primitive"])
def test_the_places_are_those_that_are_named(section: str) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    (block,) = [block for block in part.split("\n\n") if f"`{FUNCTION}`" in block]
    assert PATH.findall(block) == PLACES
    assert [path for path in PATH.findall(part) if not (ROOT / path).exists()] == []


@pytest.mark.slow
def test_ufuncs_are_added_at_these_places(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    functions = {new: function_of(sources, new) for new in NEW}
    for new in NEW:
        take_out(sources, new, functions[new])
    for new in NEW:
        before = sources.texts()
        add(sources, new, functions[new])
        changed = sources.texts().items() - before.items()
        assert sorted(place_of(path) for path, _ in changed) == sorted(PLACES)
    names = " or ".join(new.name for new in NEW)
    sources.test(*CHECKS, "-k", f"{names} or every or each or test_operations")
