"""The page docs/autograd.md."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.gradients.reasons import REASONS
from conformance.page import table, versions
from conformance.results import BAD, count, total

if TYPE_CHECKING:
    from conformance.results import Result

URL = "https://github.com/HIPS/autograd"
_SHOWN = ("passed", "failed", "skipped", "error")


def reason_of(result: Result) -> str | None:
    """Return why a test fails; None if that is not known."""
    return REASONS.get(_short(result))


def _short(result: Result) -> str:
    """Return the name of a test, without the values that it is called with."""
    return result.name.removeprefix("tests/").partition("[")[0]


def as_markdown(results: list[Result], commit: str) -> str:
    """Return the results as a page."""
    counts = count(results)
    every = total(counts)
    ran = sum(every[outcome] for outcome in ("passed", *BAD))
    rows = [[name, *(str(found[x]) for x in _SHOWN)] for name, found in counts.items()]
    rows.append(["all", *(str(every[x]) for x in _SHOWN)])
    bad = [x for x in results if x.bad]
    times = Counter(map(_short, bad))
    reasons = {_short(x): reason_of(x) or "unexplained" for x in bad}
    failures = [[f"`{name}`", str(times[name]), why] for name, why in reasons.items()]
    known = [[name, version] for name, version in versions("jujunp").items()]
    parts = [
        "# autograd's tests with jujunp",
        f"jujunp passes {every['passed']} of the {ran} tests that ran of [HIPS/autograd]({URL}),\n"
        "with jujunp in the place of `autograd.numpy`, and its `grad`, `vjp`, `jvp` and others in\n"
        "the place of autograd's. Most compare derivatives, forward and back, of the first and\n"
        "second order, with differences. Out of scope is `autograd.scipy`; its tests are not run.\n"
        "Written by `make autograd-suite`.",
        table(["file", *_SHOWN], rows),
        "## Failures",
        table(["test", "times", "reason"], failures) if failures else "None.",
        "## Made with",
        table(["what", "which"], [*known, ["autograd", commit]]),
    ]
    return "\n\n".join(parts) + "\n"
