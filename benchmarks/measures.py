"""Ways to measure a case. Each runs in a process of its own, and gives one number."""

from __future__ import annotations

import importlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.case import Case
    from benchmarks.contenders import Contender, Library

HOT_SECONDS = 1.0
HOT_WARM_UP = 3
RECORDED = 1000


def importing(case: Case, contender: Contender) -> float:
    """Return the seconds to import what a program with this contender imports."""
    start = time.perf_counter()
    for module in contender.modules:
        importlib.import_module(module)
    return time.perf_counter() - start


def first(case: Case, contender: Contender) -> float:
    """Return the seconds of the first call in this process, with its result."""
    call = _prepared(case, contender.load())
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def hot(case: Case, contender: Contender) -> float:
    """Return the seconds of the fastest of many calls, with their results."""
    call = _prepared(case, contender.load())
    for _ in range(HOT_WARM_UP):
        call()
    return _fastest(call)


def recording(case: Case, contender: Contender) -> float:
    """Return the seconds of one call among many whose results nobody wants."""
    library = contender.load()
    _prepared(case, library)()
    function, arguments = case.prepare(library.namespace, case.size)

    def call() -> None:
        for _ in range(RECORDED):
            function(*arguments)

    return _fastest(call) / RECORDED


def peak_memory(case: Case, contender: Contender) -> float:
    """Return by how many bytes the arguments and the first call raise the memory in use."""
    library = contender.load()
    ones = library.namespace.ones(1)
    library.finish(ones + ones)
    before = _memory("VmRSS")
    call = _prepared(case, library)
    # Linux forgets the peak so far when it is told so: what only the preparation needed.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    call()
    return _memory("VmHWM") - before


def _prepared(case: Case, library: Library) -> Callable[[], Any]:
    """Return a function that does the work of the case to its end."""
    function, arguments = case.prepare(library.namespace, case.size)
    for argument in arguments:
        library.finish(argument)
    function = library.wrap(function)
    return lambda: library.finish(function(*arguments))


def _fastest(call: Callable[[], Any]) -> float:
    fastest = float("inf")
    end = time.perf_counter() + HOT_SECONDS
    while (start := time.perf_counter()) < end:
        call()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def _memory(field: str) -> int:
    """Return a field of the process's status, in bytes; Linux gives it in KiB."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return 1024 * int(value.split()[0])
    raise LookupError(field)
