"""Runs the suite in a process of its own, and shows on a terminal how far it is."""

from __future__ import annotations

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from conformance.results import Result, read
from conformance.suite import TESTS, SuiteError
from conformance.variables import NO_SHRINKING, RESULTS

PACKAGES = ("pytest", "hypothesis", "ndindex", "pytest_jsonreport", "xdist")
"""What the suite imports, and what runs it in several processes."""

_ROOT = Path(__file__).parents[1]
_TICK_SECONDS = 0.5
_LAST_LINES = 15
_ENDED = (0, 1)
"""The exit statuses of a pytest that has run all tests."""
_OTHERS_VARIABLES = ("ARRAY_API_TESTS_", "PYTEST_")
"""What these variables choose is chosen here, so that two runs mean the same."""


@dataclass(frozen=True)
class Options:
    """What to run, and how."""

    library: str
    api_version: str
    examples: int
    workers: int
    policy: str
    shrink: bool = True


@dataclass(frozen=True)
class Run:
    """What came out, and the seconds of processor time that it took in all processes."""

    results: list[Result]
    cpu_seconds: float


def run(suite: Path, path: str, options: Options) -> Run:
    """Run one path of the suite; SuiteError when pytest could not run its tests."""
    before = _cpu_seconds()
    with tempfile.TemporaryDirectory(prefix="jujunp-conformance-") as folder:
        lines, output = Path(folder, "results"), Path(folder, "output")
        process_environment = environment(options, Path(folder), lines)
        with output.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                command(suite, path, options),
                cwd=suite,
                env=process_environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
            status = _wait(process, lines)
        results = read(lines)
        if status not in _ENDED or not results:
            raise SuiteError(_explanation(status, output.read_text("utf-8", errors="replace")))
    return Run(results, _cpu_seconds() - before)


def command(suite: Path, path: str, options: Options) -> list[str]:
    """Return the command that runs the tests below a path of the suite."""
    workers = ["-n", str(options.workers)] if options.workers else []
    return [
        *(sys.executable, "-m", "pytest", path, f"--rootdir={suite}", *workers),
        *("-q", "--tb=short", "--disable-warnings", "--continue-on-collection-errors"),
        *("-p", "no:cacheprovider", "-p", "conformance.recorder"),
        *(f"--max-examples={options.examples}", "--disable-deadline", "--derandomize"),
        *("--skips-file=", "--xfails-file="),
    ]


def environment(options: Options, folder: Path, lines: Path) -> dict[str, str]:
    """Return the environment of the tests, which write into a folder and not into the suite."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(_OTHERS_VARIABLES)
    }
    path = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        "ARRAY_API_TESTS_MODULE": options.library,
        "ARRAY_API_TESTS_VERSION": options.api_version,
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
        "JUJUNP_POLICY": options.policy,
        "JUJUNP_STRICT": "1",
        "PYTHONPATH": os.pathsep.join(path),
        RESULTS: str(lines),
        NO_SHRINKING: "" if options.shrink else "1",
    }


def _wait(process: subprocess.Popen[bytes], lines: Path) -> int:
    """Return the exit status, and stop the process if this one is told to stop."""
    shown, started = sys.stderr.isatty(), time.monotonic()
    try:
        while True:
            try:
                return process.wait(_TICK_SECONDS if shown else None)
            except subprocess.TimeoutExpired:
                done = read(lines)
                bad = sum(result.bad for result in done)
                seconds = time.monotonic() - started
                _show(f"conformance: {len(done)} tests, {bad} failed, {seconds:.0f} s")
    finally:
        if shown:
            _show("")
        if process.poll() is None:
            process.terminate()
            process.wait()


def _show(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _explanation(status: int, output: str) -> str:
    """Return why a run came to nothing: what is not installed, and what pytest said last."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    lines = [f"pytest did not run the tests of {TESTS} (exit status {status})."]
    if missing:
        lines.append(f"Not installed: {', '.join(missing)}; the extra `conformance` has them.")
    return "\n".join([*lines, *output.strip().splitlines()[-_LAST_LINES:]])
