"""Runs the benchmarks and prints the table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.machine import machine, shown
from benchmarks.processes import output_of, own_cache
from benchmarks.table import Results, table
from jujunp.kernels.progress import progress

TIMEOUT_SECONDS = 600


def measure(case: Case, contender: str, cache: Path) -> float:
    """Return what a fresh process measures; raises RuntimeError with its last words."""
    arguments = ["benchmarks.worker", case.name, contender]
    return float(output_of(arguments, cache, case.policy, TIMEOUT_SECONDS).split()[-1])


def run(cases: list[Case], rounds: int) -> tuple[Results, list[str]]:
    """Return the best of some rounds of every case and contender, and what failed.

    The contenders take turns, so that whatever else the machine does hits them alike. The run has
    stores of its own, which start empty; the built kernels are the user's.
    """
    results: Results = {case.name: {} for case in cases}
    pairs = [(case, contender) for case in cases for contender in case.contenders]
    failures: dict[tuple[str, str], str] = {}
    with own_cache() as cache:
        for number in range(rounds):
            for case, contender in pairs:
                if (case.name, contender) in failures or (case.once and number):
                    continue
                try:
                    text = f"round {number + 1} of {rounds}: {case.name}, {contender}"
                    with progress(text, keep=False):
                        value = measure(case, contender, cache)
                except RuntimeError as error:
                    failures[case.name, contender] = str(error)
                    continue
                best = results[case.name].get(contender, value)
                results[case.name][contender] = min(best, value)
    return results, [f"{' with '.join(key)}: {text}" for key, text in failures.items()]


def main() -> int:
    """Run what the command line names; the exit status tells whether every case ran."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("words", nargs="*", help="run the cases whose names hold one of these")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each number (3)")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    options = parser.parse_args()

    words = options.words or [""]
    cases = [case for name, case in CASES.items() if any(word in name for word in words)]
    results, failures = run(cases, options.rounds)
    print(shown(), end="\n\n")
    print(table(cases, results))
    print("\n(2.00x): takes twice as long, or as much memory, as jujunp")
    for failure in failures:
        print(f"\n{failure}", file=sys.stderr)
    if options.json is not None:
        text = json.dumps({"machine": machine(), "results": results}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
