"""The report: the same as JSON and as a page in Markdown."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from typing import TYPE_CHECKING, Any

from conformance.results import BAD, OUTCOMES, count, total
from conformance.suite import URL

if TYPE_CHECKING:
    from conformance.run import Options, Run

LIBRARIES = ("jujunp", "numpy", "jax", "max")


def report(run: Run, options: Options, commit: str) -> dict[str, Any]:
    """Return everything that is known of a run, in what JSON has."""
    counts = count(run.results)
    return {
        "library": options.library,
        "api version": options.api_version,
        "examples": options.examples,
        "policy": options.policy,
        "suite": commit,
        "versions": versions(options.library),
        "cpu seconds": round(run.cpu_seconds, 1),
        "total": total(counts),
        "modules": counts,
        "failures": [
            {
                "test": result.name,
                "outcome": result.outcome,
                "reason": result.reason,
                "details": result.details,
            }
            for result in run.results
            if result.bad
        ],
    }


def versions(library: str) -> dict[str, str]:
    """Return the versions of what the result depends on."""
    found = {"python": platform.python_version()}
    for name in dict.fromkeys((library.split(".")[0], *LIBRARIES)):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found


def as_json(report: dict[str, Any]) -> str:
    """Return the report as the text of a file."""
    return json.dumps(report, indent=2) + "\n"


def summary(report: dict[str, Any]) -> str:
    """Return the counts of all tests in one line."""
    counts = ", ".join(f"{number} {name}" for name, number in report["total"].items() if number)
    return f"{report['library']}: {counts}"


def as_markdown(report: dict[str, Any]) -> str:
    """Return the report as a page."""
    library = report["library"]
    parts = [
        f"# Array API conformance of {library}",
        _introduction(report),
        table(["module", *OUTCOMES], [*_rows(report["modules"]), _row("all", report["total"])]),
        "## Failures",
        _failures(report),
        "## Made with",
        _conditions(report),
    ]
    return "\n\n".join(parts) + "\n"


def _introduction(report: dict[str, Any]) -> str:
    numbers = report["total"]
    ran = sum(numbers[outcome] for outcome in ("passed", *BAD))
    return (
        f"`{report['library']}` passes {numbers['passed']} of the {ran} tests that ran of the\n"
        f"[Array API test suite]({URL}), for version {report['api version']}\n"
        f"of the standard, with {report['examples']} examples a test. The suite alone decides what"
        " is\nskipped. Written by `python -m conformance`."
    )


def _rows(modules: dict[str, dict[str, int]]) -> list[list[str]]:
    return [_row(module, counts) for module, counts in modules.items()]


def _row(name: str, counts: dict[str, int]) -> list[str]:
    return [name, *(str(counts[outcome]) for outcome in OUTCOMES)]


def _failures(report: dict[str, Any]) -> str:
    failures = report["failures"]
    if not failures:
        return "None."
    rows = [[_code(failure["test"]), _code(failure["reason"])] for failure in failures]
    return table(["test", "reason"], rows)


def _conditions(report: dict[str, Any]) -> str:
    rows = [[name, version] for name, version in report["versions"].items()]
    rows += [["suite", report["suite"]], ["compile policy", report["policy"]]]
    rows += [["processor time", f"{report['cpu seconds']:.0f} s"]]
    return table(["what", "which"], rows)


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(text: str) -> str:
    """Return text that Markdown shows as it is, in the cell of a table."""
    plain = text.removeprefix("array_api_tests/").replace("`", "'").replace("|", "\\|")
    return f"`{plain}`"
