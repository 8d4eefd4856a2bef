"""Transcripts that another process has written: calls need no Python from the first one on."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp
from jujunp import _rehearsal
from jujunp._array.handle import ndarray, scalar
from jujunp._array.outputs import Writable
from jujunp._calls import codec, kept
from jujunp._calls.entries import Entries, as_file, entry, hash_of
from jujunp.lazy.run import machine
from jujunp.lazy.values import layout as layouts
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.value import dtype_code

if TYPE_CHECKING:
    from pathlib import Path

# -- what a process keeps, and another finds

_PROGRAM = """
import json, sys
import numpy
import jujunp
from jujunp.lazy.run import machine
from tests.calls.support import python_frames
from tests.calls.test_general import CALLS, _arrays

seeds = json.loads(sys.argv[1])
found = {}
for name, call in CALLS.items():
    frames = []
    for seed in seeds:
        given = _arrays(jujunp, seed)
        numpy.asarray(given[1]), numpy.asarray(given[0])
        machine.forget_habits()  # few elements are steps, however many ran before
        results = []
        frames.append(python_frames(lambda: results.append(call(jujunp, *given))))
        expected = call(numpy, *_arrays(numpy, seed))
        numpy.testing.assert_allclose(numpy.asarray(results[0]), expected, 1e-12, err_msg=name)
        assert results[0].dtype == expected.dtype
    found[name] = [len([one for one in several if one != "<lambda>"]) for several in frames]
print(json.dumps(found))
"""

_OFTEN = [1, 2, 3, 4, 5, 5, 5, 5, 5]


def _run(cache: Path, seeds: list[int], **variables: str) -> dict[str, Any]:
    """Make calls in a new process; return through how many Python functions each went."""
    found: dict[str, Any] = json.loads(
        _started(cache, _PROGRAM, json.dumps(seeds), **variables).stdout
    )
    return found


def _started(
    cache: Path, program: str, argument: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process, with the kernels of this one and a cache of its own."""
    kernels = cache / "kernels"
    with contextlib.suppress(FileExistsError):
        kernels.symlink_to(os.path.join(os.environ["JUJUNP_CACHE_DIR"], "kernels"))
    environment = {**os.environ, "JUJUNP_CACHE_DIR": str(cache), **variables}
    command = [sys.executable, "-c", program, argument]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not result.returncode, result.stderr
    return result


def test_first_calls_are_recorded_as_in_the_process_before(tmp_path: Path) -> None:
    """A signature is looked for once; the second call goes through no Python at all."""
    before = _run(tmp_path, _OFTEN)
    learnt = {name for name, frames in before.items() if frames[1] and not frames[-1]}
    assert len(learnt) > 50
    (file,) = (tmp_path / "calls").iterdir()
    written = file.stat().st_mtime_ns
    after = _run(tmp_path, _OFTEN[-2:])
    assert {name for name in learnt if after[name][-1]} == set()
    assert file.stat().st_mtime_ns == written  # nothing was learnt again


_UFUNCS = """
import sys
import numpy
import jujunp
from tests.calls.support import python_frames

x = jujunp.array([1.5, 2.5])
i = jujunp.array([1, 2])
numpy.asarray(x), numpy.asarray(i)
calls = [
    lambda: x * 2.5,
    lambda: 2 - x,
    lambda: jujunp.exp(x),
    lambda: i % 2,
    lambda: x[0] + i[1],  # computed at once
    lambda: jujunp.maximum(i, 1),
    lambda: x > 2,
]
by_python = [k for k, call in enumerate(calls) if python_frames(call) != ["<lambda>"]]
assert by_python == ([0, 1, 2, 3, 5, 6] if sys.argv[1] == "first" else [])
numpy.testing.assert_array_equal(x * 2.5, [3.75, 6.25])
"""


def test_the_loops_of_ufuncs_are_known(tmp_path: Path) -> None:
    for times in ("first", "again"):
        assert not _started(tmp_path, _UFUNCS, times).stderr


_USERS = """
import jujunp

third = jujunp.vectorize_mojo({source!r}, "third")
x = jujunp.array([1.5, 3.0])
assert (x * third(x) + x[0] // 1)[1] == 4
from jujunp._array.native import LEARNT
print([name for name, *_ in LEARNT])
"""


def test_the_loops_of_users_ufuncs_are_not_kept(tmp_path: Path) -> None:
    source = tmp_path / "third.mojo"
    source.write_text(
        "def third[dtype: DType](x: Scalar[dtype]) -> Scalar[dtype]:\n    return x / 3\n"
    )
    program = _USERS.format(source=str(source))
    assert "multiply" in _started(tmp_path, program, "").stdout
    assert _started(tmp_path, program, "").stdout == "[]\n"  # nothing but third is learnt again


def test_what_is_kept_is_what_would_be_learnt(tmp_path: Path) -> None:
    """With the variable each call is learnt and compared with its transcript."""
    _run(tmp_path, _OFTEN)
    _run(tmp_path, _OFTEN[-2:], JUJUNP_CHECK_TRANSCRIPTS="1")


def test_damaged_files_are_written_anew(tmp_path: Path) -> None:
    before = _run(tmp_path, _OFTEN)
    (file,) = (tmp_path / "calls").iterdir()
    whole = file.read_bytes()
    broken = bytearray(whole)
    broken[len(whole) // 3 :: 97] = bytes(len(broken[len(whole) // 3 :: 97]))
    for content in (b"", b"x" * 5000, whole[: len(whole) // 2], whole[:20], bytes(broken)):
        file.write_bytes(content)
        assert _run(tmp_path, _OFTEN).keys() == before.keys()
        assert len(Entries(file).all()) >= 0.9 * len(_entries_of(whole, tmp_path))


def _entries_of(content: bytes, folder: Path) -> dict[int, bytes]:
    """Return the entries of a file's content."""
    place = folder / "copy"
    place.write_bytes(content)
    return Entries(place).all()


def test_processes_that_end_together_leave_a_whole_file(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: _run(tmp_path, [1] * 5), range(4)))
    (file,) = (tmp_path / "calls").iterdir()
    entries = Entries(file)
    assert len(entries.all()) > 100
    assert all(map(entries.is_whole, range(len(entries.all()))))


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "calls").write_text("no folder")
    _run(tmp_path, [1] * 5)
    assert (tmp_path / "calls").read_text() == "no folder"


# -- the file


def test_entries_are_found_by_their_keys(tmp_path: Path) -> None:
    data = {f"{n}".encode(): list(range(n)) for n in range(100)}
    (tmp_path / "file").write_bytes(
        as_file({hash_of(key): entry(key, one) for key, one in data.items()})
    )
    entries = Entries(tmp_path / "file")
    for key, one in data.items():
        assert entries.find(key) == (one,)
    assert entries.find(b"another") is None
    assert len(entries.all()) == len(data)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 24, 100])
def test_a_file_that_ends_early_has_no_entries(tmp_path: Path, size: int) -> None:
    whole = as_file({hash_of(b"%d" % n): entry(b"%d" % n, n) for n in range(20)})
    (tmp_path / "file").write_bytes(whole[:size])
    assert Entries(tmp_path / "file").find(b"1") is None


def test_an_entry_of_another_key_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(as_file({hash_of(b"wanted"): entry(b"other", 1)}))
    assert Entries(tmp_path / "file").find(b"wanted") is None


def test_files_of_other_users_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(as_file({hash_of(b"1"): entry(b"1", 1)}))
    assert Entries(tmp_path / "file").find(b"1") == (1,)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert Entries(tmp_path / "file").find(b"1") is None


# -- what is kept


@pytest.mark.parametrize(
    "one",
    [
        *(None, True, 3, -1.5, "text", 1j, ..., (1, (2.5, "a")), b"x"),
        *(float, np.float32, ndarray, scalar, jujunp.add, np.dtype("int16")),
        *((np.dtype(bool), (None, ndarray)), Writable.WARNING),
    ],
)
def test_objects_come_back(one: Any) -> None:
    again = codec.decoded(codec.encoded(one))
    assert type(again) is type(one)
    assert again == one
    if not isinstance(one, (tuple, float, str, complex, bytes)):
        assert again is one


def test_layouts_and_values_come_back() -> None:
    layout = layouts.whole((4, 6), np.dtype("float32"))[1:, ::-2]
    again = codec.decoded(codec.encoded(layout))
    assert again.__array_interface__ == layout.__array_interface__
    x = jujunp.array([1.5, 2.5])
    value = codec.decoded(codec.encoded(x._value))
    assert (value.shape, DTYPES[dtype_code(value)]) == ((2,), np.dtype(float))


def test_what_others_bring_is_not_kept() -> None:
    for one in (lambda x: x, object(), np.dtype("M8[s]"), np.dtype(">f8"), 1 << 16 | 65535):
        with pytest.raises(codec.Unkeepable):
            codec.encoded(one)


def test_functions_that_are_made_later_have_no_name() -> None:
    """So nothing of users' functions is kept, whose names may mean another one next time."""
    keeper = kept.Kept(kept.file())
    from jujunp._calls.functions import function

    recorded = function(lambda x: x + 1.0)
    assert keeper.find((id(recorded),), ()) is False


# -- the rehearsal


_REHEARSED = """
import numpy
import jujunp
from tests.calls.support import python_frames

rng = numpy.random.default_rng(0)
x, y = jujunp.array(rng.random(31)), jujunp.array(rng.random(31))
A, S = jujunp.array(rng.random((6, 31))), jujunp.array(rng.random((6, 6)))
for one in (x, y, A, S):
    numpy.asarray(one)
calls = [
    lambda: x.sum(),
    lambda: jujunp.mean(A, axis=0),
    lambda: A.std(axis=1, keepdims=True),
    lambda: jujunp.concatenate((x, y)),
    lambda: jujunp.where(x > 0.5, x, 0),
    lambda: A.T @ S,
    lambda: jujunp.sort(S, axis=1),
    lambda: jujunp.linalg.norm(x),
    lambda: jujunp.zeros((40, 40)),
    lambda: jujunp.argmax(A, axis=1),
]
for call in calls:
    call()
    assert python_frames(call) == ["<lambda>"], calls.index(call)
"""


def test_programs_find_what_was_rehearsed(tmp_path: Path) -> None:
    """Also for extents that were not among them; the second call shows it.

    A process that has ended before is no rehearsal.
    """
    _started(tmp_path, "import jujunp; x = jujunp.ones(3); [x.sum() for _ in range(9)]", "")
    _started(tmp_path, "from jujunp._rehearsal import main; main()", "")
    (file,) = (tmp_path / "calls").iterdir()
    before = file.stat().st_mtime_ns
    assert len(Entries(file).all()) > 4000
    _started(tmp_path, "from jujunp._rehearsal import main; main()", "")
    assert file.stat().st_mtime_ns == before
    _started(tmp_path, _REHEARSED, "")


@pytest.mark.parametrize("status", [0, 1])
def test_an_import_that_has_built_the_library_rehearses(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    started: list[list[str]] = []

    def run(command: list[str], check: bool) -> subprocess.CompletedProcess[str]:
        started.append(command)
        return subprocess.CompletedProcess(command, status)

    monkeypatch.setattr(kept, "file", lambda: tmp_path / "file")
    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setattr(kept.machine, "set_keeper", lambda keeper: None)
    monkeypatch.setattr(kept.atexit, "register", lambda function: None)
    kept.begin()
    assert not started
    monkeypatch.setattr(kept.build, "is_new", lambda: True)
    kept.begin()
    assert [command[0] for command in started] == [sys.executable]
    assert ["could not rehearse" in str(one.message) for one in recwarn] == [True] * status
    kept.Kept(tmp_path / "file").save(rehearsed=True)
    kept.begin()
    assert len(started) == 1


def test_the_calls_that_are_rehearsed_are_numpys() -> None:
    """All calls of the table but those that a function does not take."""
    machine.forget_calls()
    calls = list(_rehearsal.calls())
    assert len(calls) > 5000
    known = {"np": jujunp, "numpy": np, **_rehearsal.operands()}
    expected = {"np": np, "numpy": np}
    expected |= {name: np.asarray(one) for name, one in _rehearsal.operands().items()}
    for call in [one for one in calls if "empty" not in one][::17]:
        try:
            theirs = eval(call, expected)
        except Exception as error:
            with pytest.raises(type(error)):
                eval(call, known)
        else:
            pairs = [(eval(call, known), theirs)]
            if isinstance(theirs, (list, tuple)):
                pairs = list(zip(*pairs[0], strict=True))
            for one, other in pairs:
                bound = 1e-6 if np.asarray(other).dtype == np.float32 else 1e-12
                np.testing.assert_allclose(one, other, bound)
    machine.forget_calls()
