"""Runs the suite, writes the page, and prints its summary."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.checkout import commit_of
from conformance.gradients import __doc__ as description
from conformance.gradients.page import as_markdown, reason_of
from conformance.results import Result, read
from conformance.variables import RESULTS

VARIABLE = "AUTOGRAD_DIR"
NOT_RUN = ("test_scipy.py", "test_performance.py")
"""What is about scipy, and what measures."""

_ROOT = Path(__file__).parents[2]
_PAGE = _ROOT / "docs" / "autograd.md"
_ENDED = (0, 1)
_LAST_LINES = 15


class SuiteError(Exception):
    """The suite cannot be run; the message says why."""


def find_suite() -> Path:
    """Return the checkout that the variable names."""
    named = os.environ.get(VARIABLE)
    if not named:
        raise SuiteError(f"{VARIABLE} must name a checkout of HIPS/autograd")
    folder = Path(named).absolute()
    if not (folder / "tests").is_dir() or not (folder / "autograd").is_dir():
        raise SuiteError(f"{VARIABLE} names {folder}, which has no folders tests and autograd")
    return folder


def run(suite: Path, files: list[str]) -> list[Result]:
    """Return what comes out of the suite's files, or of all."""
    with tempfile.TemporaryDirectory(prefix="jujunp-autograd-") as folder:
        lines = Path(folder, "results")
        kept = {k: x for k, x in os.environ.items() if not k.startswith("PYTEST_")}
        path = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        done = subprocess.run(
            command(suite, files),
            cwd=suite,
            env={
                **kept,
                "JUJUNP_STRICT": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": os.pathsep.join(path),
                VARIABLE: str(suite),
                RESULTS: str(lines),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        results = read(lines)
    if done.returncode not in _ENDED or not results:
        said = "\n".join(done.stdout.strip().splitlines()[-_LAST_LINES:])
        raise SuiteError(f"pytest did not run the tests (exit status {done.returncode}).\n{said}")
    return results


def command(suite: Path, files: list[str]) -> list[str]:
    """Return the command that runs the tests, without what the suite's own settings need."""
    paths = [f"tests/test_{name}.py" for name in files] or ["tests"]
    ignored = [f"--ignore={suite / 'tests' / name}" for name in NOT_RUN]
    return [
        *(sys.executable, "-m", "pytest", *paths, *ignored, "-c", os.devnull),
        *(f"--rootdir={suite}", "-q", "--tb=short", "--disable-warnings"),
        *("--continue-on-collection-errors", "-p", "no:cacheprovider"),
        *("-p", "conformance.gradients.standins", "-p", "conformance.recorder"),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names; the exit status tells what came out."""
    parser = argparse.ArgumentParser(
        prog="conformance.gradients",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", help="names of files, such as linalg; all if none")
    parser.add_argument("--markdown", type=Path, help="write the page to this file")
    chosen = parser.parse_args(arguments)
    try:
        suite = find_suite()
        results = run(suite, chosen.files)
    except SuiteError as error:
        print(f"autograd: {error}", file=sys.stderr)
        return 2
    page = chosen.markdown or (None if chosen.files else _PAGE)
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(as_markdown(results, commit_of(suite)), encoding="utf-8")
    unknown = [x for x in results if x.bad and reason_of(x) is None]
    for result in unknown:
        print(f"{result.name}\n    {result.reason}")
    bad = sum(x.bad for x in results)
    passed = sum(x.outcome == "passed" for x in results)
    print(f"autograd's tests: {passed} passed, {bad} failed, {len(unknown)} of these unexplained")
    return 1 if unknown else 0


if __name__ == "__main__":
    raise SystemExit(main())
