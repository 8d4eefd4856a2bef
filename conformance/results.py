"""What came out of a run: the lines of the recorder, as one result for each test, and counts."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from conformance.suite import module_name

OUTCOMES = ("passed", "failed", "skipped", "xfailed", "error")
BAD = ("failed", "error")

_WORST_LAST = ("skipped", "passed", "xfailed", "failed", "error")
_REASON_LENGTH = 200
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_BARE = re.compile(r"(AssertionError: )?assert .*")
_MARK = re.compile(r"^E\s+")
_EXCEPTION = re.compile(r"[\w.]+: ")


@dataclass(frozen=True)
class Result:
    """One test of the suite: its name, what came out, why, and what pytest printed of a failure."""

    name: str
    outcome: str
    reason: str = ""
    details: str = ""

    @property
    def module(self) -> str:
        """The short name of the module of the test."""
        return module_name(self.name.split("::")[0])

    @property
    def bad(self) -> bool:
        """Whether the test speaks against the library."""
        return self.outcome in BAD


def parse(text: str) -> list[Result]:
    """Return the results in the order of their names; of several for one test, the worst.

    The last line does not count while it is being written.
    """
    results: dict[str, Result] = {}
    for line in text.split("\n")[:-1]:
        new = _result(json.loads(line))
        old = results.get(new.name)
        if old is None or _WORST_LAST.index(new.outcome) > _WORST_LAST.index(old.outcome):
            results[new.name] = new
    return [results[name] for name in sorted(results)]


def count(results: list[Result]) -> dict[str, dict[str, int]]:
    """Return how many tests of each module had each outcome."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        counts.setdefault(result.module, Counter())[result.outcome] += 1
    return {
        module: {outcome: found[outcome] for outcome in OUTCOMES}
        for module, found in sorted(counts.items())
    }


def total(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return how many tests had each outcome."""
    return {outcome: sum(found[outcome] for found in counts.values()) for outcome in OUTCOMES}


def reason(cause: str) -> str:
    """Return what matters of the message of an exception, on one line that is not too long.

    That is the first line, what pytest has found out about an `assert` without a message, and the
    call that the suite names.
    """
    lines = [line.strip() for line in _ADDRESS.sub("", cause).splitlines() if line.strip()]
    if not lines:
        return ""
    parts = lines[:1]
    if _BARE.fullmatch(lines[0]):
        parts += [line.lstrip("+ ") for line in lines[1:] if line.startswith("+")][:1]
    parts += [line for line in lines[1:] if line.startswith("xp.")][:1]
    text = ", ".join(parts)
    if len(text) > _REASON_LENGTH:
        text = text[: _REASON_LENGTH - 4].rstrip() + " ..."
    return text


def last_words(details: str) -> str:
    """Return the last line of what pytest printed that names an exception, or else the last."""
    lines = [_MARK.sub("", line).strip() for line in details.splitlines() if line.strip()]
    named = [line for line in lines if _EXCEPTION.match(line)]
    return (named or lines or [""])[-1]


def read(path: Path) -> list[Result]:
    """Return the results in a file of the recorder, which there may not be yet."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []


def _result(line: dict[str, object]) -> Result:
    name, outcome, details = str(line["name"]), str(line["outcome"]), str(line["details"])
    if outcome not in BAD:
        return Result(name, outcome)
    found = line["causes"]
    causes = [str(cause) for cause in found] if isinstance(found, list) else []
    reasons = [reason(cause) for cause in causes] or [reason(last_words(details))]
    return Result(name, outcome, "; ".join(dict.fromkeys(reasons)), details)
