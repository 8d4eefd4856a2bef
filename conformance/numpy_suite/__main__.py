"""Runs NumPy's tests, writes the page, and prints a summary."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from conformance.numpy_suite import __doc__ as description
from conformance.numpy_suite.page import as_markdown, compared
from conformance.numpy_suite.reasons import reason_of
from conformance.numpy_suite.running import files, run_all

_PAGE = Path(__file__).parents[2] / "docs" / "numpy-suite.md"


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names; the exit status tells what came out."""
    parser = argparse.ArgumentParser(
        prog="conformance.numpy_suite",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", help="parts of paths, such as test_umath; all if none")
    parser.add_argument("--markdown", type=Path, help="write the page to this file")
    parser.add_argument("--folder", type=Path, help="keep what came out there, and use it again")
    chosen = parser.parse_args(arguments)
    names = files(chosen.files)
    if not names:
        print("numpy-suite: no file is named so", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="jujunp-numpy-") as made:
        folder = (chosen.folder or Path(made)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        numpys = run_all(names, "numpy", folder, _progress)
        ours = run_all(names, "jujunp", folder, _progress)
    tests = compared(numpys, ours)
    left_out = Counter(x.left_out for x in numpys if x.outcome == "passed" and x.left_out)
    page = chosen.markdown or (None if chosen.files else _PAGE)
    if page is not None:
        page.write_text(as_markdown(tests, left_out), encoding="utf-8")
    unknown = [x for x in tests if not x.passed and reason_of(x.name) is None]
    for test in unknown:
        print(f"{test.name}\n    {test.reason}")
    passed = sum(x.passed for x in tests)
    print(f"NumPy's tests: {passed} of {len(tests)} passed, {len(unknown)} failures unexplained")
    return 1 if unknown else 0


def _progress(name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{name}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
