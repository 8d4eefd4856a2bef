"""Builds the Mojo kernels for this machine on first use, and keeps them in the user's cache.

`python -m jujunp.kernels.build` builds everything and prints where it is.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import itertools
import json
import os
import platform
import re
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from . import generate
from .cache import content_of, files_below, provide, user_cache
from .progress import progress

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    Texts = Mapping[str, str]
    """Texts by path in a folder."""


class KernelBuildError(RuntimeError):
    """The Mojo compiler could not build the kernels; the message holds what it said."""


class CompilerDied(KernelBuildError):
    """The compiler was ended by a signal: that says nothing of the sources."""


@dataclass(frozen=True)
class Step:
    """One run of the compiler, which makes the file `output` of a file or folder of sources.

    It links the files `linked` of earlier steps, which then are no longer needed.
    """

    command: tuple[str, ...]
    source: str
    output: str
    linked: tuple[str, ...] = ()


def _nothing(sources: Path) -> Texts:
    return {}


@dataclass(frozen=True)
class Artefact:
    """What a few steps make of the sources: those of one group run at once, group after group.

    `output` is the file to use; those of the other steps lie beside it. `unused` names the only
    folder of sources on which nothing here depends, so that a change there builds nothing anew.
    `generated` makes further sources of those in a folder: texts by path in it.
    """

    title: str
    output: str
    unused: str
    groups: Callable[[Path], list[list[Step]]]
    generated: Callable[[Path], Texts] = _nothing


_PARTS = ("structured_part", "elementwise_part", "random_part", "jjvm")
"""The sources of the library in `vm`, those that take longest first."""
_COMPILER, _PACKAGE = "MODULAR_MOJO_MAX_DRIVER_PATH", "MODULAR_MAX_PACKAGE_ROOT"
"""Variables that say where the compiler is, and the package that has its libraries."""
_RUNTIME = ("libKGENCompilerRTShared.so", "libAsyncRTMojoBindings.so")
"""Libraries of Mojo's runtime that the parts use."""
EXACT = ("--fp-mode", "contract=off")
"""Products and sums are rounded as they are written: every build of a text gives the same bits."""
_ONE_THREAD = ("-j", "1")
"""The compiler's threads wait for one another: two make it slower, while two compilers do not."""
_OPTIONS = {"jjvm": ("-D", "ASSERT=none")}
"""Further options by part: lists would check each index, a quarter of the time of planning."""


def _library_steps(sources: Path) -> list[list[Step]]:
    objects = tuple(f"{part}.o" for part in _PARTS)
    compiled = [
        Step(
            ("build", *_ONE_THREAD, *EXACT, *_OPTIONS.get(part, ()), "--emit", "object"),
            f"vm/{part}.mojo",
            name,
        )
        for part, name in zip(_PARTS, objects, strict=True)
    ]
    link = Step(("build", "--emit", "shared-lib"), "vm/library.mojo", LIBRARY.output, objects)
    return [compiled, [link]]


def _graph_steps(sources: Path) -> list[list[Step]]:
    """Precompile every package: the graph compiler looks beside `graph` for what it imports."""
    return [
        [
            Step(("precompile",), name, f"{name}.mojoc")
            for name in sorted(path.parent.name for path in sources.glob("*/__init__.mojo"))
            if name != GRAPH_PACKAGE.unused
        ]
    ]


LIBRARY = Artefact("the immediate library", "jjvm.so", "graph", _library_steps)
GRAPH_PACKAGE = Artefact("the graph package", "graph.mojoc", "vm", _graph_steps, generate.graph_ops)

_NO_KERNELS = """jujunp needs kernels built for this CPU, and they cannot be built.
The Mojo compiler comes with the package max: `pip install --force-reinstall 'max==26.7.*'` repairs
it, `python -m jujunp.kernels.build` tries again, and JUJUNP_CACHE_DIR names a folder that has them.
What went wrong:"""

_CPU_FIELDS = frozenset(
    ("vendor_id", "cpu family", "model", "flags", "CPU implementer", "CPU part", "Features")
)


class Kernels:
    """The builds of the Mojo sources in one folder, kept in another."""

    def __init__(self, sources: Path, cache: Path) -> None:
        self._sources = sources
        self._cache = cache
        self._results: dict[Artefact, Path | KernelBuildError] = {}
        self.new: set[Artefact] = set()
        """What this process has built."""
        self._module: ModuleType | None = None
        self._lock = threading.RLock()

    def path(self, artefact: Artefact, *, again: bool = False) -> Path:
        """Return where the artefact is, built first when it is missing (or `again`).

        Raises KernelBuildError with the compiler's message, and for the rest of the process without
        another attempt.
        """
        with self._lock:
            if again or artefact not in self._results:
                self._results[artefact] = self._attempt(artefact, again)
            result = self._results[artefact]
        if isinstance(result, KernelBuildError):
            raise KernelBuildError(*result.args) from result
        return result

    def load(self) -> ModuleType:
        """Return the immediate library as a module; one that cannot be imported is built again."""
        with self._lock:
            if self._module is None:
                self._module = self._import_library()
            return self._module

    def _import_library(self) -> ModuleType:
        try:
            return import_extension(self.path(LIBRARY))
        except ImportError:
            path = self.path(LIBRARY, again=True)
        try:
            return import_extension(path)
        except ImportError as error:
            message = f"{LIBRARY.title} was built, but cannot be imported: {error}"
            raise KernelBuildError(message) from error

    def _attempt(self, artefact: Artefact, again: bool) -> Path | KernelBuildError:
        def make(folder: Path) -> None:
            with (
                progress(f"jujunp: building {artefact.title} for this CPU, once"),
                self.complete(artefact) as sources,
            ):
                for group in artefact.groups(self._sources):
                    run_mojo(group, sources, folder)
            self.new.add(artefact)

        try:
            folder = provide(self._cache, self.key(artefact), make, again=again)
        except KernelBuildError as error:
            return error
        except OSError as error:
            return KernelBuildError(f"{artefact.title} cannot be built here: {error}")
        return folder / artefact.output

    @contextmanager
    def complete(self, artefact: Artefact) -> Iterator[Path]:
        """Give the folder of the sources; a copy of it where some of them are generated.

        The folder itself may be read-only.
        """
        texts = artefact.generated(self._sources)
        if not texts:
            yield self._sources
            return
        own = {
            name: Path(self._sources, name).read_text(encoding="utf-8")
            for name in _mojo_files(self._sources, {artefact.unused})
        }
        with written({**own, **texts}) as folder:
            yield folder

    def key(self, artefact: Artefact) -> str:
        """Name the artefact by all that decides its content."""
        steps = [step for group in artefact.groups(self._sources) for step in group]
        content = _content(self._cache, self._sources, {artefact.unused})
        texts = artefact.generated(self._sources).items()
        return f"{Path(artefact.output).stem}-{_digest(steps, content, *texts)}"


@contextmanager
def written(texts: Texts) -> Iterator[Path]:
    """Give a folder, for as long as the body runs, that holds texts by path in it."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="jujunp-") as folder:
        for name, text in texts.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield Path(folder)


def build_sources(title: str, kind: str, sources: Texts, steps: Sequence[Step]) -> Path:
    """Build sources that are given as text by file name; returns the folder with the outputs.

    The sources may import the packages of kernels that the graph package has. Of each `kind` the
    cache keeps the last few builds. Raises KernelBuildError with the compiler's message.
    """
    cache = user_cache() / "kernels"

    def make(folder: Path) -> None:
        with progress(f"jujunp: building {title} for this CPU, once"):
            compile_texts(sources, steps, folder)

    try:
        return provide(cache, key_of(kind, sources, steps), make)
    except OSError as error:
        raise KernelBuildError(f"{title} cannot be built here: {error}") from error


def key_of(kind: str, sources: Texts, steps: Sequence[Step]) -> str:
    """Name what is built of texts by all that decides its content, the packages of kernels too."""
    own = Path(__file__).parent
    packages = _content(user_cache() / "kernels", own, {LIBRARY.unused, GRAPH_PACKAGE.unused})
    return f"{kind}-{_digest(steps, packages, *sources.items())}"


def compile_texts(
    sources: Texts,
    steps: Sequence[Step],
    folder: Path,
    imported: Iterable[Path] = (),
    note: Callable[[subprocess.Popen[str]], None] = lambda process: None,
) -> None:
    """Compile texts, by file name, into a folder.

    They may import the packages of kernels, and those in the folders `imported`. `note` is told of
    each process of the compiler. Raises KernelBuildError with what it says.
    """
    with written(sources) as place:
        run_mojo(steps, place, folder, Path(__file__).parent, *imported, note=note)


def _content(cache: Path, folder: Path, unused: set[str]) -> str:
    """Name the Mojo sources below a folder, without those of some packages, by their contents."""
    return content_of(folder, _mojo_files(folder, unused), cache.parent / "names")


def _mojo_files(folder: Path, unused: set[str]) -> list[str]:
    return [name for name in files_below(folder, ".mojo") if name.split(os.sep)[0] not in unused]


def _digest(steps: Sequence[Step], *sources: str | tuple[str, str]) -> str:
    """Name what is built by all that decides its content."""
    commands = [astuple(step) for step in steps]
    everything = json.dumps([compiler(), _cpu(), commands, sources])
    return hashlib.sha256(everything.encode()).hexdigest()[:32]


def library() -> Path:
    """Return the path of the immediate library, the Python extension module `jjvm`."""
    return _own().path(LIBRARY)


def graph_package() -> Path:
    """Return the path of the precompiled package of graph ops, for `custom_extensions=`."""
    return _own().path(GRAPH_PACKAGE)


def is_new() -> bool:
    """Whether this process has built the immediate library."""
    return LIBRARY in _own().new


def keys() -> tuple[str, str]:
    """Return the names of both builds: all that decides what the kernels are."""
    return _own().key(GRAPH_PACKAGE), _own().key(LIBRARY)


def load() -> ModuleType:
    """Return the immediate library as a module; ImportError says what to do if there is none."""
    try:
        return _own().load()
    except KernelBuildError as error:
        raise ImportError(f"{_NO_KERNELS}\n{error}") from None


def import_extension(path: Path) -> ModuleType:
    """Import an extension module written in Mojo, named like its file."""
    name = f"{__package__}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no extension module of this Python")
    with _kept_environment():
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def main() -> int:
    """Build everything, print where it is, and return the exit status."""
    try:
        load()
        for artefact in (LIBRARY, GRAPH_PACKAGE):
            print(f"{artefact.title}: {_own().path(artefact)}")
    except (KernelBuildError, ImportError) as error:
        print(f"jujunp: {error}", file=sys.stderr)
        return 1
    return 0


@functools.cache
def _own() -> Kernels:
    return Kernels(Path(__file__).parent, user_cache() / "kernels")


@contextmanager
def _kept_environment() -> Iterator[None]:
    """Keep Mojo's runtime from choosing a Python, and from telling child processes its choice.

    When it starts it runs the `python3` found on PATH, whatever Python it is in, takes that one's
    library, and sets variables that os.environ does not show but that child processes inherit: then
    they believe to be that other Python. An empty name for the library means that of the process.
    """
    os.putenv("MOJO_PYTHON_LIBRARY", "")
    try:
        yield
    finally:
        for name in ("MOJO_PYTHON_LIBRARY", "PYTHONEXECUTABLE", "PYTHONPATH"):
            if name in os.environ:
                os.putenv(name, os.environ[name])
            else:
                os.unsetenv(name)


def run_mojo(
    steps: Sequence[Step],
    sources: Path,
    folder: Path,
    *imported: Path,
    note: Callable[[subprocess.Popen[str]], None] = lambda process: None,
) -> None:
    """Run steps side by side, on every core, by the compiler that belongs to the installed `max`.

    Raises KernelBuildError with what the compiler says, if it fails.
    """
    searched = [part for place in (".", *imported) for part in ("-I", str(place))]
    runs: list[subprocess.Popen[str]] = []
    stopped = threading.Event()

    def run(step: Step) -> None:
        linked = _linker_arguments(folder, step.linked) if step.linked else []
        output = ("-o", str(folder / step.output))
        process = _started([*step.command, *searched, *linked, step.source, *output], sources)
        runs.append(process)
        note(process)
        if stopped.is_set():
            process.kill()
        try:
            _finish(process)
        except BaseException:  # the user interrupts, or it fails
            process.kill()
            raise

    def run_in_pool() -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            try:
                for _ in pool.map(run, steps):
                    pass
            except BaseException:  # one of them fails, or the user interrupts
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                for process in runs:
                    process.kill()
                raise

    if len(steps) == 1:  # in this thread: the interpreter's end would wait for those of a pool
        run(steps[0])
    else:
        run_in_pool()
    for name in itertools.chain.from_iterable(step.linked for step in steps):
        (folder / name).unlink()


def _linker_arguments(folder: Path, objects: Sequence[str]) -> list[str]:
    """Return the compiler's arguments that link objects, and behind them the libraries they need.

    The compiler names those libraries too, but before the objects, where the linker drops them.
    """
    runtime = Path(_environment()[_PACKAGE], "lib")
    libraries = [str(runtime / name) for name in _RUNTIME]
    everything = [*(str(folder / name) for name in objects), *libraries, "-lm"]
    return [part for argument in everything for part in ("-Xlinker", argument)]


def _environment() -> dict[str, str]:
    """Return the environment of the compiler that belongs to the installed `max`."""
    try:
        # The public function of that module waits for the compiler, where ours run side by side.
        from mojo.run import _mojo_env

        environment: dict[str, str] = _mojo_env()
    except ImportError as error:
        raise KernelBuildError(f"the Mojo compiler cannot be found: {error}") from error
    if missing := {_COMPILER, _PACKAGE} - environment.keys():
        raise KernelBuildError(
            f"the Mojo compiler cannot be found: no {' nor '.join(sorted(missing))}"
        )
    return environment


def _started(arguments: list[str], sources: Path) -> subprocess.Popen[str]:
    import subprocess

    environment = _environment()
    try:
        return subprocess.Popen(
            [environment[_COMPILER], *arguments],
            cwd=sources,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise KernelBuildError(f"the Mojo compiler cannot be started: {error}") from error


def _finish(run: subprocess.Popen[str]) -> None:
    with run:
        said, _ = run.communicate()
    if run.returncode != 0:
        assert isinstance(run.args, list)
        command = " ".join(["mojo", *map(str, run.args[1:])])
        kind = CompilerDied if run.returncode < 0 else KernelBuildError
        raise kind(f"exit status {run.returncode} from {command}\n{said}")


@functools.cache
def compiler() -> tuple[str, str]:
    """Return the version of the compiler and its folder, where what it links finds libraries."""
    for folder in sys.path:
        with suppress(OSError):  # an archive, or what may not be read
            for name in os.listdir(folder or "."):
                if found := _DISTRIBUTION.fullmatch(name):
                    return found[1], folder
    return _compiler_elsewhere()


_DISTRIBUTION = re.compile(r"mojo_compiler-(.+)\.dist-info")
"""Its folder: Python's own function takes 15 ms to import, which each program would wait for."""


def _compiler_elsewhere() -> tuple[str, str]:
    """Return the same of a compiler that is installed in another way."""
    import importlib.metadata

    try:
        found = importlib.metadata.distribution("mojo-compiler")
    except importlib.metadata.PackageNotFoundError as error:
        message = "the Mojo compiler is not installed; it comes with max==26.7.*"
        raise KernelBuildError(message) from error
    return found.version, str(found.locate_file(""))


@functools.cache
def _cpu() -> tuple[str, ...]:
    """Return what tells this CPU from one that may not run code built here."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return platform.machine(), platform.processor()
    found = []
    with cpuinfo.open() as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in _CPU_FIELDS:
                found.append(value.strip())
            elif not name.strip():
                break  # the end of the first of many cores
    return platform.machine(), *found


if __name__ == "__main__":
    # Importing jujunp has imported this module too, and that copy knows what is built and loaded.
    raise SystemExit(importlib.import_module(f"{__package__}.build").main())
