"""Measures one kernel with one library: `python -m benchmarks.npbench.worker ...`."""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import time
from pathlib import Path

import numpy

from benchmarks.npbench.kernels import kernels
from benchmarks.npbench.running import WAIT, Runner, compare

LEAST = 2
"""Further runs, at least."""


def measured(runner: Runner, seconds: float) -> dict[str, float]:
    """Return the seconds of the first run, and the median of those that fit into some seconds."""
    time.sleep(WAIT)
    first = runner.run().seconds
    further: list[float] = []
    end = time.perf_counter() + seconds
    while len(further) < LEAST or time.perf_counter() < end:
        further.append(runner.run().seconds)
    return {"first": first, "repeated": statistics.median(further)}


def main() -> None:
    """Print the times as JSON; an exception tells what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="a checkout of NPBench")
    parser.add_argument("kernel")
    parser.add_argument("preset")
    parser.add_argument("library", help="numpy or jujunp")
    parser.add_argument("seconds", type=float, help="how long it is run again")
    parser.add_argument("--check", action="store_true", help="compare the results with NumPy's")
    options = parser.parse_args()

    kernel = kernels(options.root)[options.kernel]
    library = importlib.import_module(options.library)
    with numpy.errstate(all="ignore"):
        runner = Runner(kernel, options.preset, library)
        times = measured(runner, options.seconds)
        if options.check:
            theirs = Runner(kernel, options.preset, numpy).run().results
            compare(runner.run().results, theirs, kernel.tolerances)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
