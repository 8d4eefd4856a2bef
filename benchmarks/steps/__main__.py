"""Measures the cases that the command line names, and prints the table."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from benchmarks.machine import machine, shown
from benchmarks.steps import __doc__ as description
from benchmarks.steps.case import Case
from benchmarks.steps.cases import CASES, OTHERS
from benchmarks.steps.measure import measure
from benchmarks.steps.operands import SIZES
from benchmarks.steps.report import Column, Results, as_json, report
from benchmarks.steps.ways import WAYS
from jujunp.kernels.progress import progress
from jujunp.lazy.policy import policy


def run(cases: list[Case], columns: list[Column], rounds: int) -> tuple[Results, list[str]]:
    """Return the times of each case in each column, and what failed."""
    results: Results = {}
    failures = []
    for case in cases:
        found = results.setdefault(case.code, {})
        with progress(f"{len(results)} of {len(cases)}: {case.code}", keep=False):
            for size, way in columns:
                try:
                    found[size, way] = measure(case, way, size, rounds)
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"
                    failures.append(f"{case.code}, {way} {size}: {text}")
    return results, failures


def main() -> int:
    """Run what the command line names; the exit status tells whether every case ran."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.steps",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("words", nargs="*", help="measure the cases whose code holds one of these")
    add("--rounds", type=int, default=5, help="turns of each library (5)")
    add("--size", type=int, choices=SIZES, action="append", help="elements (all sizes)")
    add("--others", action="store_true", help="all other functions instead, read at once")
    add("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()

    os.environ.setdefault("JUJUNP_STRICT", "1")
    mode = policy.mode
    policy.set_mode("never")
    words = options.words or [""]
    table, ways = (OTHERS, ["read"]) if options.others else (CASES, WAYS)
    cases = [case for case in table if any(word in case.code for word in words)]
    columns = [(size, way) for size in options.size or SIZES for way in ways]
    try:
        results, failures = run(cases, columns, options.rounds)
    finally:
        policy.set_mode(mode)
    print(shown(), end="\n\n")
    print(report(results, columns))
    print("\n2.00: jujunp takes twice as long as NumPy")
    for failure in failures:
        print(f"\n{failure}", file=sys.stderr)
    if options.json is not None:
        text = json.dumps({"machine": machine(), "results": as_json(results)}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
