"""Runs the suite, writes the report, and prints its summary."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from conformance import __doc__ as description
from conformance.checkout import CheckoutError, commit_of
from conformance.page import as_json, as_markdown, report, summary
from conformance.run import Options, run
from conformance.suite import TESTS, find_suite, module_file
from jujunp.lazy.policy.policy import MODES

JUJUNP = "jujunp"
API_VERSION = "2025.12"
EXAMPLES = 100

_ROOT = Path(__file__).parents[1]
_MARKDOWN = _ROOT / "docs" / "conformance.md"
_JSON = _ROOT / "build" / "conformance.json"


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return what the command line says; files are chosen where it names none."""
    parser = argparse.ArgumentParser(
        prog="conformance",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit status: 0 all passed, 1 something failed, 2 the suite could not be run.",
    )
    cores = len(os.sched_getaffinity(0))
    add = parser.add_argument
    add("--examples", type=_positive, default=EXAMPLES, help=f"examples a test ({EXAMPLES})")
    add("--workers", type=_natural, default=cores, help=f"processes; 0: all in one ({cores})")
    add("--policy", choices=MODES, default="auto", help="when jujunp compiles (auto)")
    add("--module", help="one module of the suite, such as linalg")
    add("--api-version", default=API_VERSION, help=f"version of the standard ({API_VERSION})")
    add("--library", default=JUJUNP, help=f"what is tested ({JUJUNP}), such as numpy")
    add("--no-shrink", action="store_true", help="show the example that failed first: fast")
    add("--json", type=Path, help="write the report to this file, as JSON")
    add("--markdown", type=Path, help="write the report to this file, as Markdown")
    options = parser.parse_args(arguments)
    if options.library == JUJUNP and options.module is None:
        options.json = options.json or _JSON
        options.markdown = options.markdown or _MARKDOWN
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names; the exit status tells what came out."""
    chosen = parse_arguments(arguments)
    options = Options(
        library=chosen.library,
        api_version=chosen.api_version,
        examples=chosen.examples,
        workers=chosen.workers,
        policy=chosen.policy,
        shrink=not chosen.no_shrink,
    )
    try:
        suite = find_suite()
        path = TESTS if chosen.module is None else module_file(suite, chosen.module)
        finished = run(suite, path, options)
    except CheckoutError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    result = report(finished, options, commit_of(suite))
    _write(chosen.json, as_json(result))
    _write(chosen.markdown, as_markdown(result))
    for failure in result["failures"]:
        print(f"{failure['test']}\n    {failure['reason']}")
    print(summary(result))
    return 1 if result["failures"] else 0


def _write(path: Path | None, text: str) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _natural(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number


def _positive(text: str) -> int:
    number = _natural(text)
    if number == 0:
        raise ValueError("0 is not positive")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
