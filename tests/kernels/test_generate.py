"""The graph ops that are written when the graph package is built."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from jujunp.kernels import generate
from jujunp.kernels.build import GRAPH_PACKAGE, LIBRARY, Kernels
from jujunp.kernels.facts import DTYPES, sources
from jujunp.kernels.operations import OPERATIONS, operations

REGISTERED = re.compile(r'@register\("jj\.(\w+)"\)\nstruct (\w+)')
NAMES = ("elementwise", "arities", "dense_arities")


def test_each_operation_that_max_fuses_is_an_op() -> None:
    text = generate.graph_ops(sources())["graph/elementwise.mojo"]
    names, structs = zip(*REGISTERED.findall(text), strict=True)
    fused = [name for name, operation in operations().items() if operation.trait]
    assert list(names) == ["convert_element_type", *fused]
    assert len(set(structs)) == len(structs)


def test_each_arity_has_an_op() -> None:
    texts = generate.graph_ops(sources())
    arities = [name for name, _ in REGISTERED.findall(texts["graph/arities.mojo"])]
    assert arities[0] == "call1_0"
    assert arities[-1] == f"call{generate.MOST_RESULTS}_{generate.MOST_INPUTS}"
    assert len(set(arities)) == generate.MOST_RESULTS * (generate.MOST_INPUTS + 1)
    dense = [name for name, _ in REGISTERED.findall(texts["graph/dense_arities.mojo"])]
    assert dense[-1] == f"dense{generate.MOST_DENSE_RESULTS}_{generate.MOST_DENSE_INPUTS}"


def test_the_package_imports_what_is_generated() -> None:
    """What no other source of the package is called."""
    committed = {path.stem for path in (sources() / "graph").glob("*.mojo")}
    assert committed.isdisjoint(NAMES)
    assert set(generate.graph_ops(sources())) == {f"graph/{name}.mojo" for name in NAMES}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of sources that has the table of operations."""
    copied = tmp_path / "sources"
    for name in (OPERATIONS, DTYPES):
        path = copied / name
        path.parent.mkdir(parents=True)
        path.write_text((sources() / name).read_text())
    return copied


def test_what_is_generated_is_part_of_the_name_of_the_package(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys() -> list[str]:
        kernels = Kernels(folder, tmp_path / "cache")
        return [kernels.key(artefact) for artefact in (GRAPH_PACKAGE, LIBRARY)]

    before = keys()
    monkeypatch.setattr(generate, "MOST_INPUTS", 2)
    after = keys()
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_sources_that_cannot_be_written_have_generated_ones_beside_them(
    folder: Path, tmp_path: Path
) -> None:
    kernels = Kernels(folder, tmp_path / "cache")
    found = sorted(path.relative_to(folder) for path in folder.rglob("*.mojo"))
    parents = {path.parent for path in folder.rglob("*.mojo")} | {folder}
    for parent in parents:
        os.chmod(parent, 0o555)
    try:
        with kernels.complete(GRAPH_PACKAGE) as place:
            assert {path.stem for path in (place / "graph").iterdir()} == set(NAMES)
            assert (place / OPERATIONS).read_text() == (folder / OPERATIONS).read_text()
        with kernels.complete(LIBRARY) as place:
            assert place == folder
    finally:
        for parent in parents:
            os.chmod(parent, 0o755)
    assert sorted(path.relative_to(folder) for path in folder.rglob("*.mojo")) == found
