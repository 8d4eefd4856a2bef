"""The queue in front of the compile worker, and the worker's failures."""

from __future__ import annotations

import contextlib
import os
import signal
import textwrap
import time
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

import jujunp as jj
from jujunp._array.handle import value_of
from jujunp.lazy.compiled.ir.devices import CPU, Device, virtual_gpu
from jujunp.lazy.compiled.ir.graph_ir import GraphIR, Step, TensorSpec, Unsupported
from jujunp.lazy.compiled.worker import batches, process, snapshots
from jujunp.lazy.compiled.worker import compiler as compilers
from jujunp.lazy.compiled.worker.compiler import DONE, FAILED, UNSUPPORTED, Compiler, Job
from jujunp.lazy.compiled.worker.process import WorkerDied
from jujunp.lazy.compiled.worker.wire import Batch, Compiled, Failed, Reply, Unable
from jujunp.lazy.jaxprs import from_values
from jujunp.lazy.jaxprs.from_values import trace
from jujunp.lazy.run.machine import OPERATIONS
from jujunp.lazy.values.value import opcode

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from jujunp.lazy.values.value import Value

    RunPython = Callable[..., subprocess.CompletedProcess[str]]


def ir(number: int, *libraries: str) -> GraphIR:
    """Return an IR that a fake worker can tell from others."""
    spec = TensorSpec((), "int64")
    steps = (Step("mojo_call", (), (("libraries", libraries),), (1,)),)
    return GraphIR(0, (np.array(number),), steps, (spec, spec), (0,))


class FakeWorker:
    """A worker that does what `answer` says; it gets the numbers of the IRs in a batch."""

    answer: ClassVar[Callable[[list[int]], Reply]]
    batches: ClassVar[list[list[int]]] = []
    started: ClassVar[int] = 0
    gave_way: ClassVar[list[int]] = []
    """How many batches there had been each time."""
    pid = -1

    def __init__(self) -> None:
        type(self).started += 1

    def ask(self, batch: Batch) -> Reply:
        numbers = [int(ir.constants[0]) for ir in batch.graphs]
        self.batches.append(numbers)
        return type(self).answer(numbers)

    def give_way(self) -> None:
        self.gave_way.append(len(self.batches))

    def stop(self) -> None:
        pass

    def forget(self) -> None:
        pass


class Fixture:
    """A compiler with a fake worker."""

    def __init__(self) -> None:
        self.delivered: list[str] = []
        self.compiler = Compiler(self.deliver)

    def deliver(self, mef: bytes, digests: Sequence[str]) -> None:
        self.delivered += digests

    def submit(self, *numbers: int, urgent: bool = False) -> list[Job]:
        return [self.compiler.submit(str(n), ir(n), urgent=urgent) for n in numbers]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fixture]:
    monkeypatch.setattr(compilers, "WorkerProcess", FakeWorker)
    monkeypatch.setattr(FakeWorker, "batches", [])
    monkeypatch.setattr(FakeWorker, "started", 0)
    monkeypatch.setattr(FakeWorker, "gave_way", [])
    monkeypatch.setattr(FakeWorker, "answer", staticmethod(success), raising=False)
    fixture = Fixture()
    yield fixture
    fixture.compiler.close()


def success(numbers: list[int]) -> Reply:
    return Compiled(b"module", tuple(range(len(numbers))), {})


def wait(jobs: list[Job]) -> list[str]:
    for job in jobs:
        assert job.finished.wait(20)
    return [job.state for job in jobs]


def answer(monkeypatch: pytest.MonkeyPatch, function: Callable[[list[int]], Reply]) -> None:
    monkeypatch.setattr(FakeWorker, "answer", staticmethod(function))


def test_programs_submitted_together_are_compiled_together(fake: Fixture) -> None:
    assert wait(fake.submit(1, 2, 3)) == [DONE] * 3
    assert FakeWorker.batches == [[1, 2, 3]]
    assert fake.delivered == ["1", "2", "3"]
    assert fake.compiler.counts() == {"queued": 0, "running": 0, "done": 3, "failed": 0}


def test_a_program_is_compiled_once(fake: Fixture) -> None:
    first = fake.submit(1)
    wait(first)
    assert fake.submit(1) == first
    assert FakeWorker.batches == [[1]]


def test_batches_are_bounded(fake: Fixture) -> None:
    wait(fake.submit(*range(70)))
    sizes = [len(batch) for batch in FakeWorker.batches]  # the first takes what is there by then
    assert max(sizes) <= compilers.LARGEST_BATCH
    assert sum(sizes) == 70


def test_programs_with_different_libraries_are_compiled_apart(fake: Fixture) -> None:
    libraries = [(), ("a",), (), ("a",), ("b",), (), ("a", "b")]
    wait([fake.compiler.submit(str(n), ir(n, *lib)) for n, lib in enumerate(libraries)])
    assert FakeWorker.batches == [[0, 1, 2, 3], [4, 5], [6]]


def test_each_batch_is_for_one_device_and_pretending_takes_another_worker(fake: Fixture) -> None:
    real, virtual = Device("gpu", 0, "sm_90a"), virtual_gpu("sm_90a")
    given = [CPU, CPU, real, virtual, virtual, CPU]
    wait([fake.compiler.submit(str(n), ir(n), device) for n, device in enumerate(given)])
    assert FakeWorker.batches == [[0, 1], [2], [3, 4], [5]]
    assert FakeWorker.started == 3  # the first worker has compiled for the CPU and the real GPU


def test_an_urgent_program_overtakes(fake: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "LARGEST_BATCH", 1)
    jobs = [*fake.submit(1, 2, 3), *fake.submit(2, 4, urgent=True)]
    wait(jobs)
    assert FakeWorker.batches == [[4], [2], [1], [3]]


def test_a_worker_gives_way_where_nobody_waits(fake: Fixture) -> None:
    wait(fake.submit(1, urgent=True))
    wait([*fake.submit(2), *fake.submit(3, urgent=True)])
    assert FakeWorker.gave_way == []
    wait(fake.submit(4))
    assert FakeWorker.gave_way == [len(FakeWorker.batches) - 1]


def test_a_core_is_lent_while_the_worker_is_at_work(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[int] = [0]
    seen: list[int] = []

    @contextlib.contextmanager
    def core_lent() -> Iterator[None]:
        lent[0] += 1
        yield
        lent[0] -= 1

    def looked(numbers: list[int]) -> Reply:
        seen.append(lent[0])
        return success(numbers)

    monkeypatch.setattr(compilers.machine, "core_lent", core_lent)
    answer(monkeypatch, looked)
    wait(fake.submit(1))
    assert (seen, lent) == ([1], [0])


def test_a_refused_program_fails_alone(fake: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, lambda numbers: Compiled(b"", (0, 2), {1: "no such op"}))
    with pytest.warns(RuntimeWarning, match="no such op"):
        assert wait(jobs := fake.submit(1, 2, 3)) == [DONE, FAILED, DONE]
    assert jobs[1].error == "no such op"
    assert fake.delivered == ["1", "3"]


def test_steps_that_have_no_graph_fail_in_silence(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    answer(monkeypatch, lambda numbers: Compiled(b"", (0,), {}, {1: "no rule for this"}))
    assert wait(jobs := fake.submit(1, 2)) == [DONE, UNSUPPORTED]
    assert jobs[1].error == "no rule for this"
    assert fake.compiler.counts() == {"queued": 0, "running": 0, "done": 1, "failed": 0}
    assert not recwarn.list


def test_the_culprit_of_a_failed_batch_is_found(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_with_5(numbers: list[int]) -> Reply:
        return Failed("Failed to compile") if 5 in numbers else success(numbers)

    answer(monkeypatch, fail_with_5)
    with pytest.warns(RuntimeWarning, match="Failed to compile"):
        states = wait(fake.submit(*range(8)))
    assert [n for n, state in enumerate(states) if state == FAILED] == [5]
    assert len(FakeWorker.batches) == 7


def test_a_program_that_kills_the_worker_is_tried_once_more_alone(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die_with_2(numbers: list[int]) -> Reply:
        if 2 in numbers:
            raise WorkerDied("the compile worker ended with status -9")
        return success(numbers)

    answer(monkeypatch, die_with_2)
    with pytest.warns(RuntimeWarning, match="status -9"):
        assert wait(fake.submit(1, 2, 3)) == [DONE, FAILED, DONE]
    assert FakeWorker.batches.count([2]) == 2


def test_a_worker_that_dies_once_does_no_harm(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die_first(numbers: list[int]) -> Reply:
        if FakeWorker.started == 1:
            raise WorkerDied("killed")
        return success(numbers)

    answer(monkeypatch, die_first)
    assert wait(fake.submit(1)) == [DONE]


def test_a_worker_that_can_do_nothing_fails_everything_at_once(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, lambda numbers: Unable("no compiler here"))
    with pytest.warns(RuntimeWarning, match="no compiler here"):
        assert wait(fake.submit(*range(40))) == [FAILED] * 40
    assert wait(fake.submit(99)) == [FAILED]
    assert len(FakeWorker.batches) == 1


def test_who_waits_for_a_program_is_told_instead_of_warned(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    answer(monkeypatch, lambda numbers: Unable("no compiler here"))
    jobs = fake.submit(1, urgent=True)
    assert wait(jobs) == [FAILED]
    assert jobs[0].error == "no compiler here"
    fake.compiler.close()
    assert not recwarn.list


def test_a_worker_that_cannot_be_started_fails_everything(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(compilers, "WorkerProcess", fail)
    with pytest.warns(RuntimeWarning, match="no more processes"):
        assert wait(fake.submit(1, 2)) == [FAILED, FAILED]


def test_an_idle_worker_ends_and_another_one_starts(
    fake: Fixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilers, "IDLE_SECONDS", 0.05)
    wait(fake.submit(1))
    deadline = time.monotonic() + 10
    while fake.compiler.worker_pid() is not None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert fake.compiler.worker_pid() is None
    assert wait(fake.submit(2)) == [DONE]
    assert FakeWorker.started == 2


def test_nothing_is_compiled_after_the_end(fake: Fixture) -> None:
    fake.compiler.close()
    assert wait(fake.submit(1)) == [FAILED]
    assert FakeWorker.batches == []


def test_a_worker_that_was_stopped_meanwhile() -> None:
    """The end may come between the choice of a worker and the request."""
    worker = process.WorkerProcess()
    worker.stop()
    with pytest.raises(WorkerDied):
        worker.ask(Batch((), CPU))


def test_the_cache_of_max_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("MODULAR_CACHE_DIR", raising=False)
    monkeypatch.setattr(process, "LARGEST_MAX_CACHE", 100)
    file = tmp_path / "max" / "some" / "file"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * 100)
    assert process._environment()["MODULAR_CACHE_DIR"] == str(tmp_path / "max")
    assert file.exists()
    file.write_bytes(b"x" * 101)
    process._environment()
    assert not file.exists()
    monkeypatch.setenv("MODULAR_CACHE_DIR", "/the/users")
    assert process._environment()["MODULAR_CACHE_DIR"] == "/the/users"


def test_the_worker_tells_what_it_cannot_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def traced(nodes: Sequence[Value], outputs: Sequence[Value], *, checked: bool) -> Any:
        name = OPERATIONS[opcode(nodes[-1])]
        if name == "mul":
            raise TypeError("no such step")
        if name == "sub":
            raise Unsupported("no such graph")
        return trace(nodes, outputs, checked=checked)

    monkeypatch.setattr(from_values, "trace", traced)
    x = jj.arange(9.0)
    jj.flush()
    steps = [value_of(x + 1), value_of(x * 2), value_of(x - 3)]
    sent = [snapshots.take([value], [value]) for value in steps]
    irs, refused, unsupported = batches._irs([ir(7), *sent])
    assert list(irs) == [0, 1]
    assert refused == {2: "TypeError: no such step"}
    assert unsupported == {3: "no such graph"}


# From here on with the real worker.

PREAMBLE = """
import os, signal, sys, time, warnings
import jax, numpy as np
from jujunp.lazy.compiled import TIER, Graph, stats
jax.config.update("jax_enable_x64", True)

def graph(number):
    x = jax.ShapeDtypeStruct((3,), np.float64)
    closed = jax.make_jaxpr(lambda x: x * 2 + float(number))(x)
    return Graph(closed)

def worker_pid():
    end = time.monotonic() + 60
    while (pid := TIER.compiler.worker_pid()) is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    return pid
"""


def script(code: str) -> str:
    return PREAMBLE + textwrap.dedent(code)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_gone(pid: int) -> bool:
    end = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_running(pid)


def test_a_process_ends_at_once_while_a_graph_is_queued(
    run_python: RunPython, tmp_path: Path
) -> None:
    done = run_python(
        script("""
        graph(1).queue()
        print(worker_pid())
        time.sleep(2)
        print(time.time())
        """),
        JUJUNP_CACHE_DIR=cache_with_kernels(tmp_path),
    )
    pid, ended = done.stdout.split()
    assert time.time() - float(ended) < 5
    assert is_gone(int(pid))
    assert done.stderr == ""


FAULTS = """
import sys, warnings
import jujunp as np
from jujunp.lazy.compiled.worker import worker
worker.command = lambda: {command}
with warnings.catch_warnings(record=True) as given, np.compile_policy("always"):
    warnings.simplefilter("always")
    for k in (2, 3):
        x = np.arange(100.0) * k
        np.flush(x)
        y = np.sin(x) + x.sum() + x[:k].sum()
        assert y.shape == (100,) and float(x[1]) == k
        np.flush(y)
print(len(given), *(f"{{w.filename}}: {{w.message}}" for w in given))
print(np.stats()["compiled runs"], np.stats()["compiles failed"] > 0, "jax" in sys.modules)
"""


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ('[sys.executable, "-c", "import os; os.kill(os.getpid(), 11)"]', "status -11"),
        ('["/nonexistent/python"]', "no compile worker can be started"),
    ],
)
def test_a_broken_worker_costs_one_warning(
    run_python: RunPython, tmp_path: Path, command: str, text: str
) -> None:
    done = run_python(FAULTS.format(command=command), JUJUNP_CACHE_DIR=cache_with_kernels(tmp_path))
    *warned, counts = done.stdout.splitlines()
    assert warned[0].startswith("1 <string>: a graph could not be compiled and runs on the immed")
    assert text in warned[0]
    assert counts == "0 True False"  # it is the worker that traces


def test_the_worker_gives_way_to_its_parent(run_python: RunPython, tmp_path: Path) -> None:
    """Niceness counts among the processes of a session only, and Ctrl-C goes to one group."""
    done = run_python(
        script("""
        def nicer(pid):
            return os.getpriority(os.PRIO_PROCESS, pid) - os.getpriority(os.PRIO_PROCESS, 0)

        graph(1).queue()
        pid, end = worker_pid(), time.monotonic() + 60
        while not nicer(pid) and time.monotonic() < end:
            time.sleep(0.01)
        print(nicer(pid), os.getsid(pid) == os.getsid(0), os.getpgid(pid) == os.getpgrp())
        """),
        JUJUNP_CACHE_DIR=cache_with_kernels(tmp_path),
    )
    assert done.stdout.split() == ["10", "True", "False"]


def test_the_worker_ends_when_its_parent_is_killed(run_python: RunPython, tmp_path: Path) -> None:
    done = run_python(
        script("""
        graph(1).queue()
        print(worker_pid(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """),
        check=False,
        JUJUNP_CACHE_DIR=cache_with_kernels(tmp_path),
    )
    assert done.returncode == -signal.SIGKILL
    assert is_gone(int(done.stdout))


def cache_with_kernels(tmp_path: Path) -> str:
    """Return a cache directory of its own that has the kernels of this run."""
    (tmp_path / "kernels").symlink_to(os.path.join(os.environ["JUJUNP_CACHE_DIR"], "kernels"))
    return str(tmp_path)


def test_killed_interrupted_forked_and_shared(run_python: RunPython, tmp_path: Path) -> None:
    """One process, to compile as little as possible; the parts depend on each other."""
    code = script("""
    # The worker is killed in the middle: the graph is compiled all the same.
    doubled = graph(1)
    doubled.queue()
    time.sleep(2)
    os.kill(worker_pid(), signal.SIGKILL)
    # Ctrl-C while waiting: the wait ends, the compilation goes on.
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.alarm(2)
    try:
        doubled.compile()
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted")
    executable = doubled.compile()
    x = np.array([1.0, -0.0, np.inf])
    print(executable([x])[0].tolist(), stats(), flush=True)  # or the fork prints it, too
    # A forked process cannot run it, and says so. (From 3.12 on Python warns of such forks.)
    warnings.simplefilter("ignore", DeprecationWarning)
    if not os.fork():
        print(graph(1).find())
        try:
            executable([x])
        except RuntimeError as error:
            print(type(error).__name__, flush=True)
        os._exit(0)
    os.wait()
    print(executable([x])[0].tolist())
    """)
    cache = cache_with_kernels(tmp_path)
    done = run_python(code, JUJUNP_CACHE_DIR=cache)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "interrupted",
        "[3.0, 1.0, inf] {'queued': 0, 'running': 0, 'done': 1, 'failed': 0, 'store_hits': 0}",
        "False",
        "ExecutableLost",
        "[3.0, 1.0, inf]",
    ]
    # Another process finds it in the store, without compiling, and quickly.
    again = run_python(
        script("""
        from jujunp.lazy.compiled.graphs import maxapi
        maxapi.load  # the import is not part of what is measured
        doubled = graph(1)
        start = time.perf_counter()
        assert doubled.find()
        print(doubled([np.ones(3)])[0].tolist(), stats()["store_hits"])
        print(time.perf_counter() - start)
        print(TIER.compiler.worker_pid())
        """),
        JUJUNP_CACHE_DIR=cache,
    )
    values, _, pid = again.stdout.splitlines()
    assert values == "[3.0, 3.0, 3.0] 1"
    assert pid == "None"
    # A module that is whole but nothing that MAX can read is replaced.
    forge = script("""
    doubled = graph(1)
    TIER.store.put(b"no module at all", [doubled.name])
    print(doubled.find())
    print(doubled.compile()([np.ones(3)])[0].tolist())
    """)
    forged = run_python(forge, JUJUNP_CACHE_DIR=cache)
    assert forged.stdout.splitlines() == ["False", "[3.0, 3.0, 3.0]"]
