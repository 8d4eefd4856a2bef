"""A plugin for pytest: runs a file of NumPy's tests with a library, and writes what comes out.

A line of JSON says that a test begins, and one that it has ended, so that the process that waits
knows which test has crashed or hangs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.numpy_suite import scope
from conformance.numpy_suite.rewriting import Finder
from conformance.recorder import CAUSE, outcome_of
from conformance.recorder import pytest_runtest_makereport as pytest_runtest_makereport
from conformance.results import reason

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

RESULTS = "NUMPY_SUITE_RESULTS"
"""The file to write, with the lines of what has ended before."""
LIBRARY = "NUMPY_SUITE_LIBRARY"
"""`numpy` or `jujunp`."""
LIMIT = 60
"""Seconds for a test."""


class TooSlow(BaseException):
    """A test has not ended in time."""


def pytest_configure(config: pytest.Config) -> None:
    """Change imports, if it is jujunp that is tested, and begin to write."""
    if os.environ[LIBRARY] != "numpy":
        sys.meta_path.insert(0, Finder)
    signal.signal(signal.SIGALRM, _stop)
    config.pluginmanager.register(Writer(Path(os.environ[RESULTS])))


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {LIMIT} s")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give a test its limit."""
    signal.alarm(LIMIT)
    try:
        return (yield)
    finally:
        signal.alarm(0)


class Writer:
    """Writes lines as tests begin and end; leaves out those that have begun before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        self._begun = {json.loads(line)["name"] for line in text.splitlines()}
        self._scope: dict[str, str] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what has begun before, and look what tests are about."""
        items[:] = [item for item in items if item.nodeid not in self._begun]
        self._scope = {item.nodeid: scope.left_out(item) for item in items}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write that a file could not be imported."""
        if report.failed:
            last = str(report.longrepr).strip().splitlines()[-1]
            self._write(name=report.nodeid, outcome="error", reason=last.removeprefix("E").strip())

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write that a test begins."""
        self._write(name=nodeid, outcome="crashed")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write what came out of one phase of a test, if it decides anything."""
        outcome = outcome_of(report)
        if outcome is not None:
            found = [reason(str(x)) for name, x in report.user_properties if name == CAUSE]
            self._write(
                name=report.nodeid,
                outcome=outcome,
                reason="; ".join(found),
                left_out=self._scope.get(report.nodeid, ""),
            )

    def _write(self, **line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
