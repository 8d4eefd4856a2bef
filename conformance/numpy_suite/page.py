"""What came out, counted, and the page docs/numpy-suite.md."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.numpy_suite.reasons import reason_of
from conformance.page import table, versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.numpy_suite.running import Ended

MISSING = "not collected: a parameter or an import that we lack or name otherwise"


@dataclass(frozen=True)
class Test:
    """A test that passes with NumPy: with us, too, or why not."""

    name: str
    passed: bool
    reason: str

    @property
    def file(self) -> str:
        """The file of the test, below NumPy's folder."""
        return self.name.partition("::")[0]

    @property
    def function(self) -> str:
        """The test without its parameters."""
        return self.name.partition("[")[0]


def compared(numpys: Iterable[Ended], ours: Iterable[Ended]) -> list[Test]:
    """Return the tests that count: those that pass with NumPy and are in scope."""
    found = {each.name: each for each in ours}
    tests = []
    for each in numpys:
        if each.outcome != "passed" or each.left_out:
            continue
        mine = found.get(each.name) or found.get(each.file)
        outcome = mine.outcome if mine is not None else "missing"
        why = mine.reason if mine is not None else MISSING
        passed = outcome == "passed"
        tests.append(Test(each.name, passed, "" if passed else why or outcome))
    return tests


def as_markdown(tests: list[Test], left_out: Counter[str]) -> str:
    """Return the page."""
    known = versions("jujunp")
    passed = sum(test.passed for test in tests)
    share = f"{100 * passed / max(len(tests), 1):.1f} %"
    whole = _whole(tests)
    introduction = (
        f"jujunp passes {passed:,} of the {len(tests):,} tests of NumPy {known['numpy']} that are\n"
        f"about what it is ({share}), and {sum(whole.values()):,} of {len(whole):,} test functions"
        " with all their\nparameters. The tests are those that are installed with NumPy, with"
        " `import jujunp` in the\nplace of `import numpy`; `numpy.testing` judges. What passes with"
        f" NumPy counts. Written by\n`make numpy-suite`, with Python {known['python']}."
    )
    scope = (
        "Files and tests are left out by what stands in their text and their parameters\n"
        "(`conformance/numpy_suite/scope.py`)."
    )
    parts = [
        "# NumPy's tests with jujunp",
        introduction,
        _files(tests),
        "## Out of scope",
        scope,
        table(["about", "tests"], [[why, f"{n:,}"] for why, n in left_out.most_common()]),
        "## Failures",
        _failures(tests),
    ]
    return "\n\n".join(parts) + "\n"


def _whole(tests: list[Test]) -> dict[str, bool]:
    """Return of each test function whether all its tests pass."""
    found: dict[str, bool] = {}
    for test in tests:
        found[test.function] = found.get(test.function, True) and test.passed
    return found


def _files(tests: list[Test]) -> str:
    counts: dict[str, list[int]] = {}
    for test in tests:
        count = counts.setdefault(test.file, [0, 0])
        count[0] += 1
        count[1] += test.passed
    rows = [
        [name, f"{all_:,}", f"{good:,}", f"{100 * good / all_:.1f} %"]
        for name, (all_, good) in sorted(counts.items())
    ]
    return table(["file", "in scope", "passed", "share"], rows)


def _failures(tests: list[Test]) -> str:
    """Return a row for each function and reason, with how many of its tests fail so."""
    times: Counter[tuple[str, str, str]] = Counter()
    for test in tests:
        if not test.passed:
            wanted = reason_of(test.name)
            times[test.function, wanted or "", _short(test.reason)] += 1
    rows = [
        [f"`{name}`", str(n), wanted or _escaped(why)] for (name, wanted, why), n in times.items()
    ]
    return table(["test", "times", "reason"], rows)


def _short(reason: str) -> str:
    return reason if len(reason) <= 120 else reason[:116].rstrip() + " ..."


def _escaped(text: str) -> str:
    return "`" + text.replace("`", "'").replace("|", "\\|") + "`"
