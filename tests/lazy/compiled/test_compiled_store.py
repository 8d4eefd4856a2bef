"""The store of compiled modules: what is damaged, foreign or unwritable never does harm."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jujunp.lazy.compiled import TIER, CompileError, Graph
from jujunp.lazy.compiled.store import store as stores
from jujunp.lazy.compiled.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

A, B, C = ("a" * 64, "b" * 64, "c" * 64)


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def module_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "store" / "modules").iterdir())


def entry(tmp_path: Path, digest: str) -> Path:
    return tmp_path / "store" / "graphs" / digest


def test_nothing_is_found_in_a_directory_that_does_not_exist(store: Store, tmp_path: Path) -> None:
    assert store.get(A) is None
    assert not (tmp_path / "store").exists()


def test_what_was_put_is_found_with_its_position(store: Store) -> None:
    store.put(b"module one", [A, B])
    store.put(b"module two", [C])
    for digest, mef, position in (
        (A, b"module one", 0),
        (B, b"module one", 1),
        (C, b"module two", 0),
    ):
        found = store.get(digest)
        assert found is not None
        assert (found.mef, found.position) == (mef, position)


def test_graphs_of_one_module_name_the_same_module(store: Store) -> None:
    store.put(b"module", [A, B])
    first, second = store.get(A), store.get(B)
    assert first is not None
    assert second is not None
    assert first.file == second.file


@pytest.mark.parametrize("damage", [b"", b"module on", b"module one and more", b"\0" * 10])
def test_a_damaged_module_counts_as_missing_and_is_replaced(
    store: Store, tmp_path: Path, damage: bytes
) -> None:
    store.put(b"module one", [A])
    (path,) = module_files(tmp_path)
    path.write_bytes(damage)
    assert store.get(A) is None
    assert not path.exists()
    store.put(b"module one", [A])
    found = store.get(A)
    assert found is not None
    assert found.mef == b"module one"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\xff\xfe garbage",
        b"jujunp graph 1 " + b"0" * 64,
        b"jujunp graph 2 " + b"0" * 64 + b" 0\n",
        b"jujunp graph 1 ../../../etc/passwd 0\n",
        b"jujunp graph 1 " + b"0" * 64 + b" -1\n",
    ],
)
def test_a_damaged_or_foreign_entry_counts_as_missing_and_is_removed(
    store: Store, tmp_path: Path, damage: bytes
) -> None:
    store.put(b"module", [A])
    entry(tmp_path, A).write_bytes(damage)
    assert store.get(A) is None
    assert not entry(tmp_path, A).exists()


def test_an_entry_whose_module_is_gone_counts_as_missing(store: Store, tmp_path: Path) -> None:
    store.put(b"module", [A])
    module_files(tmp_path)[0].unlink()
    assert store.get(A) is None


def test_a_discarded_graph_is_not_found_again(store: Store) -> None:
    store.put(b"module", [A, B])
    store.discard(A)
    store.discard(A)
    assert store.get(A) is None
    assert store.get(B) is not None


def test_the_modules_used_longest_ago_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", limit=250)
    for number, digest in enumerate((A, B)):
        store.put(bytes([number]) * 100, [digest])
        for path in module_files(tmp_path):
            os.utime(path, (time.time() - 100 + number,) * 2)
    assert store.get(A) is not None  # the older one is used now
    store.put(b"\3" * 100, [C])
    assert store.get(A) is not None
    assert store.get(B) is None
    assert store.get(C) is not None
    assert not entry(tmp_path, B).exists()


def test_a_module_beyond_the_limit_is_kept_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", limit=50)
    store.put(b"1" * 40, [A])
    store.put(b"2" * 100, [B])
    assert store.get(A) is None
    assert store.get(B) is not None


def test_what_a_killed_writer_left_is_swept(store: Store, tmp_path: Path) -> None:
    store.put(b"module", [A])
    old = tmp_path / "store" / "modules" / ".tmp-old"
    new = tmp_path / "store" / "modules" / ".tmp-new"
    for path in (old, new):
        path.write_bytes(b"half a mod")
    os.utime(old, (time.time() - 7200,) * 2)
    store.put(b"another", [B])
    assert not old.exists()
    assert new.exists()  # perhaps another process is writing it now


def failing(error: int) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    return fail


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("function", ["mkstemp", "replace"])
def test_a_store_that_cannot_be_written_warns_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, function: str
) -> None:
    where = "tempfile" if function == "mkstemp" else "os"
    monkeypatch.setattr(f"{where}.{function}", failing(error))
    with pytest.warns(RuntimeWarning, match=os.strerror(error)):
        store.put(b"module", [A])
    store.put(b"module", [B])  # warnings are errors here
    assert store.get(A) is None
    assert not list((tmp_path / "store").rglob(".tmp-*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_store_is_read(store: Store, tmp_path: Path) -> None:
    store.put(b"module", [A])
    directories = [tmp_path / "store", *(tmp_path / "store").iterdir()]
    for directory in directories:
        directory.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert store.get(A) is not None
        with pytest.warns(RuntimeWarning, match="cannot be kept"):
            store.put(b"another", [B])
    finally:
        for directory in directories:
            directory.chmod(stat.S_IRWXU)


def test_a_file_in_the_place_of_the_directory_warns_once(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("not a directory")
    store = Store(tmp_path / "store")
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        store.put(b"module", [A])
    store.put(b"module", [A])  # warnings are errors here
    assert store.get(A) is None


WRITER = """
import sys, warnings
from pathlib import Path
from jujunp.lazy.compiled.store.store import Store

warnings.simplefilter("error")
store = Store(Path(sys.argv[1]), limit=40_000)
digests = [f"{n:064x}" for n in range(8)]
for turn in range(200):
    n = turn % 8
    mef = bytes([n]) * 4096 * (n + 1)
    store.put(mef, [digests[n]])
    for k, digest in enumerate(digests):
        found = store.get(digest)
        try:
            mef = found and found.mef
        except FileNotFoundError:  # the other process has just removed it
            continue
        assert mef is None or mef == bytes([k]) * 4096 * (k + 1)
"""


def test_two_processes_share_a_store(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "store")]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
    assert not list((tmp_path / "store").rglob(".tmp-*"))


def test_a_module_that_vanishes_before_it_is_loaded_counts_as_missing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove it when it has just been found."""
    found = stores.Found(tmp_path / "gone.mef", 0)
    monkeypatch.setattr(store, "get", lambda digest: found)
    monkeypatch.setattr(TIER, "store", store)
    graph = Graph.of_key(b"gone")
    assert not graph.find()
    with pytest.raises(CompileError, match="not in the store"):
        graph.module()
