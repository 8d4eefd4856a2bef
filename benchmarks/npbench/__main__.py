"""Measures the kernels that the command line names, and prints the table."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.machine import machine, shown
from benchmarks.npbench import __doc__ as description
from benchmarks.npbench.kernels import INFORMATION, Kernel, kernels
from benchmarks.npbench.report import RUNS, Results, median, report
from benchmarks.processes import output_of, own_cache
from conformance.checkout import CheckoutError, Repository
from jujunp.kernels.progress import progress
from jujunp.lazy.policy.policy import MODES

NPBENCH = Repository(
    "npbench",
    "https://github.com/spcl/npbench",
    "f2d7f27d87ba4881991e62c18a607aa6ba52b260",
    "NPBENCH_DIR",
    INFORMATION,
)
LIBRARIES = ("numpy", "jujunp")


def measure(
    kernel: Kernel, root: Path, cache: Path, options: argparse.Namespace
) -> Iterator[list[dict[str, float]]]:
    """Give the times of NumPy and jujunp in each round; raises RuntimeError when one fails."""
    for number in range(options.rounds):
        times = []
        for library in LIBRARIES:
            words = [str(root), kernel.name, options.preset, library, str(options.seconds)]
            check = ["--check"] if number == 0 and library != "numpy" else []
            arguments = ["benchmarks.npbench.worker", *words, *check]
            try:
                text = output_of(arguments, cache, options.policy, options.limit)
            except RuntimeError as error:
                raise RuntimeError(f"{library}: {_last_line(str(error))}") from error
            times.append(json.loads(text.splitlines()[-1]))
        yield times


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no message")


def run(
    chosen: list[Kernel], root: Path, options: argparse.Namespace
) -> tuple[Results, dict[str, str]]:
    """Return the times of each kernel, and what failed."""
    results: Results = {}
    failures = {}
    with own_cache() as cache:
        for number, kernel in enumerate(chosen, 1):
            with progress(f"{number} of {len(chosen)}: {kernel.name}", keep=False):
                try:
                    rounds = list(measure(kernel, root, cache, options))
                except RuntimeError as error:
                    failures[kernel.name] = str(error)
                    continue
            results[kernel.name] = {
                each: median([(theirs[each], ours[each]) for theirs, ours in rounds])
                for each in RUNS
            }
    return results, failures


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.npbench",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("words", nargs="*", help="run the kernels whose names hold one of these")
    add("--preset", default="S", help="sizes: S, M, L or paper (S)")
    add("--rounds", type=int, default=3, help="processes of each library (3)")
    add("--seconds", type=float, default=1.0, help="how long a process runs a kernel again (1)")
    add("--limit", type=float, default=120.0, help="the most seconds of a process (120)")
    add("--policy", choices=MODES, default="never", help="when jujunp compiles (never)")
    add("--json", type=Path, help="also write the numbers to this file")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names; exit status: 0 all ran, 1 some failed, 2 no kernels."""
    options = parse_arguments(arguments)
    try:
        root = NPBENCH.find()
    except CheckoutError as error:
        print(f"npbench: {error}", file=sys.stderr)
        return 2
    words = options.words or [""]
    chosen = [each for name, each in kernels(root).items() if any(word in name for word in words)]
    results, failures = run(chosen, root, options)
    print(f"{shown()}, preset {options.preset}, policy {options.policy}", end="\n\n")
    print(report(results, [kernel.name for kernel in chosen]))
    print("\n2.00: NumPy takes twice as long as jujunp")
    for name, text in failures.items():
        print(f"\n{name}, {text}", file=sys.stderr)
    if options.json is not None:
        found = {
            name: {each: times._asdict() for each, times in by_run.items()}
            for name, by_run in results.items()
        }
        numbers = {"machine": machine(), "preset": options.preset, "policy": options.policy}
        text = json.dumps({**numbers, "results": found, "failures": failures}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
