"""A plugin for pytest: writes a line of JSON for every test of the suite as soon as it has ended.

With pytest-xdist the workers add what went wrong to their reports, and the main process writes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings

from conformance.variables import NO_SHRINKING, RESULTS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

CAUSE = "conformance cause"
"""The name under which a report has the messages of exceptions."""


@pytest.hookimpl(trylast=True)  # the suite chooses the settings of Hypothesis before
def pytest_configure(config: pytest.Config) -> None:
    """Let the main process write, and choose what Hypothesis does in all of them."""
    if os.environ.get(NO_SHRINKING):
        phases = [phase for phase in Phase if phase not in (Phase.shrink, Phase.explain)]
        settings.register_profile("no shrinking", settings(), phases=phases)
        settings.load_profile("no shrinking")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(os.environ[RESULTS])))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failure the messages of its exceptions."""
    report = yield
    if report.failed and call.excinfo is not None:
        report.user_properties += [(CAUSE, text) for text in causes(call.excinfo.value)]
    return report


def causes(error: BaseException) -> Iterator[str]:
    """Return type and message of an exception, with its notes, or of each in a group.

    Notes are how Hypothesis tells the arguments of the call that failed.
    """
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from causes(each)
        return
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    yield "\n".join([message, *getattr(error, "__notes__", ())])


class Recorder:
    """Writes results as they come: the line of a test that fails in two phases comes twice."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write that a module could not be imported."""
        if report.failed:
            self._write(report.nodeid, "error", 0.0, [], str(report.longrepr))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what came out of one phase of a test, if it decides anything."""
        outcome = outcome_of(report)
        if outcome is not None:
            found = [str(text) for name, text in report.user_properties if name == CAUSE]
            details = str(report.longrepr) if report.failed else ""
            self._write(report.nodeid, outcome, report.duration, found, details)

    def _write(
        self, name: str, outcome: str, seconds: float, found: list[str], details: str
    ) -> None:
        line = {
            "name": name,
            "outcome": outcome,
            "seconds": round(seconds, 3),
            "causes": found,
            "details": details,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def outcome_of(report: pytest.TestReport) -> str | None:
    """Return what a phase of a test decides: nothing when it only prepares or cleans up."""
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.failed:
        return "error" if report.when in ("setup", "teardown") else "failed"
    return "passed" if report.when == "call" else None
