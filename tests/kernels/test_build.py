"""The build of the kernels: once, for all processes, whatever happens in between."""

from __future__ import annotations

import errno
import importlib.metadata
import io
import os
import runpy
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from jujunp.kernels import build, cache
from jujunp.kernels.build import GRAPH_PACKAGE, LIBRARY, KernelBuildError, Kernels
from jujunp.kernels.progress import progress
from tests.support.tree.places import ROOT

ENTRY = """
from std.os import abort
from std.python import PythonObject
from std.python.bindings import PythonModuleBuilder
from elementwise import twice

@export
def PyInit_jjvm() abi("C") -> PythonObject:
    try:
        var module = PythonModuleBuilder("jjvm")
        module.def_function[doubled]("doubled")
        return module.finalize()
    except error:
        abort(t"cannot create the module: {error}")

def doubled(x: PythonObject) raises -> PythonObject:
    return PythonObject(twice(Int(py=x)))
"""
SOURCES = {
    "vm/jjvm.mojo": ENTRY,
    "vm/library.mojo": "",
    "vm/structured_part.mojo": "",
    "vm/elementwise_part.mojo": "",
    "vm/random_part.mojo": "",
    "elementwise/__init__.mojo": "def twice(x: Int) -> Int:\n    return 2 * x\n",
    "graph/__init__.mojo": "from elementwise import twice\n",
}


def write_sources(folder: Path) -> Path:
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Return the builds of the sources above by the real compiler."""
    folder = tmp_path_factory.mktemp("real")
    return Kernels(write_sources(folder / "sources"), folder / "cache")


@pytest.fixture
def sources(tmp_path):
    return write_sources(tmp_path / "sources")


class Compiler:
    """Stands for the compiler: notes its arguments, then does what the test says."""

    def __init__(self, folder: Path, product: Path) -> None:
        self.path = folder / "mojo"
        self._log = folder / "log"
        self._product = product
        self.behave()

    def behave(self, commands: str = "", product: Path | None = None) -> None:
        """Run shell commands, then copy the product to where the last argument says."""
        self.path.unlink(missing_ok=True)  # one that still runs cannot be written
        self.path.write_text(
            f'#!/bin/sh\necho "$@" >> {self._log}\n{commands}\n'
            f'for last; do :; done\ncp {product or self._product} "$last"\n'
        )
        self.path.chmod(0o755)

    def runs(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []

    def builds(self) -> int:
        """How often the library was built, or begun."""
        return sum("vm/structured_part.mojo" in run for run in self.runs())


@pytest.fixture
def compiler(tmp_path, real, monkeypatch):
    stand_in = Compiler(tmp_path, real.path(LIBRARY))
    monkeypatch.setenv("MODULAR_MOJO_MAX_DRIVER_PATH", str(stand_in.path))
    return stand_in


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "lock")


def test_library_is_built_and_loaded(real):
    assert real.path(LIBRARY).name == "jjvm.so"
    assert real.load().doubled(21) == 42
    assert real.load() is real.load()


def test_child_processes_stay_what_they_were(real, run_python):
    """Mojo's runtime sets variables for its own choice of a Python; see `_kept_environment`."""
    code = f"""
import subprocess, sys
from pathlib import Path
from jujunp.kernels.build import import_extension
assert import_extension(Path({str(real.path(LIBRARY))!r})).doubled(4) == 8
child = "import os, sys; print(sys.prefix, sorted(os.environ.items()))"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stdout)
"""
    printed = run_python(code, PYTHONPATH="/a/folder").stdout
    assert printed.startswith(f"{sys.prefix} [")
    assert "('PYTHONPATH', '/a/folder')" in printed
    assert "PYTHONEXECUTABLE" not in printed
    assert "MOJO_PYTHON" not in printed


def test_graph_package_lies_beside_what_it_imports_and_far_from_its_source(real):
    package = real.path(GRAPH_PACKAGE)
    names = {path.name for path in package.parent.iterdir()}
    assert names == {"graph.mojoc", "elementwise.mojoc", "sha256"}


def test_a_message_of_the_real_compiler_reaches_the_user(sources, tmp_path):
    (sources / "vm/jjvm.mojo").write_text("def broken( -> Int:\n    return 1\n")
    with pytest.raises(KernelBuildError, match=r"exit status 1 from mojo build[^$]*jjvm\.mojo:1:"):
        Kernels(sources, tmp_path / "cache").path(LIBRARY)


def test_second_use_builds_nothing(sources, tmp_path, compiler):
    paths = {Kernels(sources, tmp_path / "cache").path(LIBRARY) for _ in range(3)}
    assert len(paths) == compiler.builds() == 1
    assert len(compiler.runs()) == 5  # four parts, which are linked


@pytest.mark.parametrize(
    ("changed", "rebuilt"),
    [
        ("vm/jjvm.mojo", [LIBRARY]),
        ("graph/__init__.mojo", [GRAPH_PACKAGE]),
        ("elementwise/__init__.mojo", [LIBRARY, GRAPH_PACKAGE]),
    ],
)
def test_a_changed_source_rebuilds_what_depends_on_it(
    sources, tmp_path, compiler, changed, rebuilt
):
    def paths() -> dict[build.Artefact, Path]:
        kernels = Kernels(sources, tmp_path / "cache")
        return {artefact: kernels.path(artefact) for artefact in (LIBRARY, GRAPH_PACKAGE)}

    before = paths()
    (sources / changed).write_text(SOURCES[changed] + "# changed\n")
    after = paths()
    assert [artefact for artefact in before if before[artefact] != after[artefact]] == rebuilt


@pytest.mark.parametrize("fact", ["_cpu", "compiler"])
def test_another_cpu_or_compiler_gets_its_own_build(sources, tmp_path, compiler, monkeypatch, fact):
    first = Kernels(sources, tmp_path / "cache").path(LIBRARY)
    monkeypatch.setattr(build, fact, lambda: ("another",))
    assert Kernels(sources, tmp_path / "cache").path(LIBRARY) != first
    assert first.exists()


def test_cpu_is_described():
    assert len([field for field in build._cpu() if field]) >= 2


def test_failing_build_raises_again_without_another_attempt(sources, tmp_path, compiler):
    compiler.behave("echo 'no such thing' >&2; exit 3")
    kernels = Kernels(sources, tmp_path / "cache")
    for _ in range(2):
        with pytest.raises(KernelBuildError, match=r"exit status 3 from mojo build[^$]*no such"):
            kernels.path(LIBRARY)
    assert compiler.builds() == 1
    assert entries(tmp_path / "cache") == []


def test_compiler_that_cannot_be_started(sources, tmp_path, compiler):
    compiler.path.write_text("#!/nonexistent/interpreter\n")
    with pytest.raises(KernelBuildError, match="cannot be started"):
        Kernels(sources, tmp_path / "cache").path(LIBRARY)


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b"\x7fELF"), Path.unlink])
def test_damaged_library_is_built_again_before_it_is_imported(sources, tmp_path, compiler, damage):
    damage(Kernels(sources, tmp_path / "cache").path(LIBRARY))
    kernels = Kernels(sources, tmp_path / "cache")
    kernels.path(LIBRARY)
    assert compiler.builds() == 2
    assert kernels.load().doubled(4) == 8


def test_library_that_cannot_be_imported_is_built_again_once(sources, tmp_path, compiler):
    useless = tmp_path / "useless"
    useless.write_text("not a library")
    compiler.behave(product=useless)
    with pytest.raises(KernelBuildError, match="cannot be imported"):
        Kernels(sources, tmp_path / "cache").load()
    assert compiler.builds() == 2
    compiler.behave()
    assert Kernels(sources, tmp_path / "cache").load().doubled(4) == 8
    assert compiler.builds() == 3


def test_cache_that_cannot_be_written_costs_a_warning_and_a_build(sources, tmp_path, compiler):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    kernels = Kernels(sources, blocked / "cache")
    with pytest.warns(RuntimeWarning, match="JUJUNP_CACHE_DIR names another"):
        assert kernels.load().doubled(4) == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernels.path(GRAPH_PACKAGE).exists()


def test_cache_that_is_full_does_not_waste_the_build(
    sources, tmp_path, compiler, monkeypatch, own_temporary_folder
):
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copy", no_space)
    with pytest.warns(RuntimeWarning, match="No space left"):
        path = Kernels(sources, tmp_path / "cache").path(LIBRARY)
    assert own_temporary_folder in path.parents
    assert compiler.builds() == 1
    assert entries(tmp_path / "cache") == []


def test_build_in_a_read_only_cache_is_used(sources, tmp_path, compiler, monkeypatch):
    first = Kernels(sources, tmp_path / "cache").path(LIBRARY)

    def read_only(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(cache.os, "utime", read_only)
    monkeypatch.setattr(cache, "_locked", read_only)
    assert Kernels(sources, tmp_path / "cache").path(LIBRARY) == first


def test_old_builds_and_leavings_are_removed(sources, tmp_path, compiler, monkeypatch):
    monkeypatch.setattr(cache, "KEPT_BUILDS", 2)
    folder = tmp_path / "cache"
    (folder / ".new-1").mkdir(parents=True)
    package = Kernels(sources, folder).path(GRAPH_PACKAGE)
    built = []
    for number in range(4):
        (sources / "vm/jjvm.mojo").write_text(f"# {number}\n")
        built.append(Kernels(sources, folder).path(LIBRARY).parent)
        os.utime(built[-1], (number, number))
    assert entries(folder) == sorted([package.parent.name, built[2].name, built[3].name])


CODE = """
import sys
from pathlib import Path
from jujunp.kernels.build import LIBRARY, Kernels
print(Kernels(Path(sys.argv[1]), Path(sys.argv[2])).path(LIBRARY))
"""


def start_build(sources: Path, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CODE, str(sources), str(folder)],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_a_run(compiler: Compiler) -> None:
    deadline = time.monotonic() + 60
    while not compiler.runs():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_parts_are_built_side_by_side(sources, tmp_path, compiler, monkeypatch):
    """Each part waits for another one, and fails where it is left alone."""
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    meet = f"""case "$@" in *_part.mojo*)
        touch {tmp_path}/arrived-$$
        for turn in $(seq 300); do
            [ "$(ls {tmp_path} | grep -c arrived)" -ge 2 ] && break
            [ "$turn" = 300 ] && exit 1
            sleep 0.1
        done
    esac"""
    compiler.behave(meet)
    assert Kernels(sources, tmp_path / "cache").path(LIBRARY).exists()


def test_a_failing_part_ends_the_others(sources, tmp_path, compiler, monkeypatch):
    """The other two begin before one fails, and would run for long by themselves."""
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    compiler.behave(f"""case "$@" in *structured_part.mojo*)
            until [ "$(ls {tmp_path} | grep -c begun)" = 2 ]; do sleep 0.1; done
            exit 3
    esac
    touch {tmp_path}/begun-$$
    turn=0
    while [ $turn -lt 20000000 ]; do turn=$((turn+1)); done
    touch {tmp_path}/ended""")
    with pytest.raises(KernelBuildError, match="exit status 3"):
        Kernels(sources, tmp_path / "cache").path(LIBRARY)
    assert not (tmp_path / "ended").exists()
    assert entries(tmp_path / "cache") == []


def test_compiler_that_is_not_installed(sources, tmp_path, monkeypatch):
    monkeypatch.setattr("mojo.run._mojo_env", dict)
    with pytest.raises(KernelBuildError, match="cannot be found: no MODULAR_MAX_PACKAGE_ROOT nor"):
        Kernels(sources, tmp_path / "cache").path(LIBRARY)


def test_two_processes_build_once(sources, tmp_path, compiler):
    compiler.behave("sleep 2")
    processes = [start_build(sources, tmp_path / "cache") for _ in range(2)]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    (path,) = {printed.strip() for printed, _ in outputs}
    assert Path(path).exists()
    assert compiler.builds() == 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_build_leaves_nothing_half_done(
    sources, tmp_path, compiler, own_temporary_folder, sent
):
    compiler.behave("exec sleep 60")
    process = start_build(sources, tmp_path / "cache")
    wait_for_a_run(compiler)
    process.send_signal(sent)
    process.communicate(timeout=30)
    assert process.returncode == -sent
    assert entries(tmp_path / "cache") == []
    if sent == signal.SIGINT:
        assert entries(own_temporary_folder) == []
    compiler.behave()
    assert Kernels(sources, tmp_path / "cache").load().doubled(4) == 8


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shown"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, stream, shown):
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("working"):
        pass
    assert ("working: 0 s\n" in stream.getvalue()) == shown
    assert bool(stream.getvalue()) == shown


def test_progress_that_is_not_kept_disappears(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress("working", keep=False):
        pass
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_progress_of_what_fails_disappears(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(KeyboardInterrupt), progress("working"):
        raise KeyboardInterrupt
    assert sys.stderr.getvalue().endswith("\r\x1b[K")


def test_command_builds_everything(real, monkeypatch, capsys):
    monkeypatch.setattr(build, "_own", lambda: real)
    assert build.main() == 0
    printed = capsys.readouterr().out
    assert str(real.path(LIBRARY)) in printed
    assert str(real.path(GRAPH_PACKAGE)) in printed


def test_command_tells_what_failed(sources, tmp_path, compiler, monkeypatch, capsys):
    compiler.behave("echo 'no such thing'; exit 3")
    monkeypatch.setattr(build, "_own", lambda: Kernels(sources, tmp_path / "cache"))
    assert build.main() == 1
    assert "no such thing" in capsys.readouterr().err


def test_import_without_kernels_says_what_to_do(tmp_path, compiler, run_python):
    compiler.behave("echo 'no such thing'; exit 3")
    code = """
for _ in range(2):
    try:
        import jujunp
    except ImportError as error:
        print(error)
"""
    printed = run_python(code, JUJUNP_CACHE_DIR=str(tmp_path / "cache")).stdout
    assert printed.count("python -m jujunp.kernels.build") == 2
    assert printed.count("no such thing") == 2
    assert compiler.builds() == 1


@pytest.mark.parametrize("said", [None, "true"])
def test_nothing_is_reported_to_modular_unless_the_user_says_so(said: str | None) -> None:
    name = "MODULAR_TELEMETRY_ENABLED"
    environment = {key: value for key, value in os.environ.items() if key != name}
    if said is not None:
        environment[name] = said
    code = f"import jujunp.kernels, os; print(os.environ[{name!r}])"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == (said or "false")


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"JUJUNP_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/jujunp"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/c"}, "/c/.cache/jujunp"),
        ({"HOME": "/c"}, "/c/.cache/jujunp"),
    ],
)
def test_user_cache(monkeypatch, environment, folder):
    for name in ("JUJUNP_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache.user_cache() == Path(folder)


def test_every_folder_of_code_is_a_package():
    """A folder of Python files without `__init__.py` would be missing from the wheel."""
    top = ROOT
    folders = {path.parent for name in ("jujunp", "lazy") for path in top.glob(f"{name}/**/*.py")}
    assert folders
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_command_uses_what_importing_jujunp_has_loaded(monkeypatch):
    monkeypatch.setattr(build, "main", lambda: 42)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runpy warns of a module that is imported already
        with pytest.raises(SystemExit) as end:
            runpy.run_module("jujunp.kernels.build", run_name="__main__")
    assert end.value.code == 42


def test_the_compiler_is_the_one_that_python_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.metadata.distribution("mojo-compiler")
    expected = found.version, str(found.locate_file(""))
    first = [str(tmp_path / "none"), __file__, ""]
    monkeypatch.setattr(sys, "path", [*first, *sys.path])
    assert build.compiler.__wrapped__() == expected
    assert build._compiler_elsewhere() == expected
    monkeypatch.setattr(sys, "path", first)
    with pytest.raises(KernelBuildError, match="not installed"):
        build.compiler.__wrapped__()
