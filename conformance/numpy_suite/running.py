"""Runs the files of NumPy's tests, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.numpy_suite.plugin import LIBRARY, LIMIT, RESULTS
from conformance.numpy_suite.rewriting import NUMPY
from conformance.numpy_suite.scope import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ROOT = Path(__file__).parents[2]
_PATIENCE = LIMIT + 60
"""Seconds without a line after which a process hangs where no signal reaches it."""


@dataclass(frozen=True)
class Ended:
    """One test: its name, what came out, why it failed, and why it does not count."""

    name: str
    outcome: str
    reason: str = ""
    left_out: str = ""

    @property
    def file(self) -> str:
        """The file of the test, below NumPy's folder."""
        return self.name.partition("::")[0]


def files(chosen: Iterable[str]) -> list[str]:
    """Return the test files that count and whose paths hold one of the chosen words."""
    words = list(chosen) or [""]
    found = sorted(str(path.relative_to(NUMPY)) for path in NUMPY.glob("**/tests/test_*.py"))
    return [
        name
        for name in found
        if not name.startswith(tuple(FILES)) and any(word in name for word in words)
    ]


def run_all(
    names: list[str], library: str, folder: Path, ended: Callable[[str], None]
) -> list[Ended]:
    """Return what comes out of files with a library; as many run at once as there are cores."""

    def one(name: str) -> list[Ended]:
        lines = folder / f"{name.replace('/', '.')}.{library}"
        found = run(name, library, lines)
        ended(name)
        return found

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [each for found in pool.map(one, names) for each in found]


def run(name: str, library: str, lines: Path) -> list[Ended]:
    """Return what comes out of a file; it goes on behind a test that crashes."""
    while True:
        known = len(_read(lines))
        _process(name, library, lines)
        if _has_ended(lines, known):
            return _results(lines)


def _process(name: str, library: str, lines: Path) -> None:
    """Run a file's tests that have not begun before, and wait."""
    kept = {k: x for k, x in os.environ.items() if not k.startswith("PYTEST_")}
    environment = {k: x for k, x in kept.items() if k != "JUJUNP_STRICT"}
    path = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment |= {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(path),
        LIBRARY: library,
        RESULTS: str(lines),
    }
    process = subprocess.Popen(
        command(name),
        cwd=lines.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    size, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        now = lines.stat().st_size if lines.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > _PATIENCE:
            process.kill()


def command(name: str) -> list[str]:
    """Return the command that runs a file."""
    return [
        *(sys.executable, "-m", "pytest", str(NUMPY / name), "-c", os.devnull),
        *(f"--rootdir={NUMPY}", "-q", "--tb=no", "-W", "ignore::pytest.PytestWarning"),
        *("-p", "no:cacheprovider", "-p", "conformance.numpy_suite.plugin"),
    ]


def _read(lines: Path) -> list[dict[str, str]]:
    """Return the lines; the last does not count while it is being written."""
    if not lines.exists():
        return []
    return [json.loads(line) for line in lines.read_text(encoding="utf-8").split("\n")[:-1]]


def _has_ended(lines: Path, known: int) -> bool:
    """Whether the last test that has begun has ended, or nothing new has begun."""
    found = _read(lines)
    return len(found) == known or found[-1]["outcome"] != "crashed"


def _results(lines: Path) -> list[Ended]:
    """Return one result for each test: of several, the one that is worse."""
    order = ("crashed", "skipped", "passed", "xfailed", "failed", "error")
    found: dict[str, Ended] = {}
    for line in _read(lines):
        new = Ended(**line)
        old = found.get(new.name)
        if old is None or order.index(new.outcome) > order.index(old.outcome):
            found[new.name] = new
    return list(found.values())
