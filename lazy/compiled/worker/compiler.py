"""Compiles graphs in the background, many at a time, in one worker process."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...run import machine
from ..ir.devices import CPU
from . import wire
from .process import WorkerDied, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ir.devices import Device
    from ..ir.graph_ir import GraphIR
    from .snapshot import Snapshot

LARGEST_BATCH = 32
LARGEST_BATCH_STEPS = 4000
GATHER_SECONDS = 0.2
"""How long the first graph of a batch waits for others: they share most of the time."""
IDLE_SECONDS = 30.0
"""How long a worker without work keeps its gigabyte of memory."""

QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"
UNSUPPORTED = "unsupported"
"""What becomes of recorded steps that have no graph; neither counted nor warned of."""


@dataclass(eq=False)
class Job:
    """A graph on its way through the compiler, as an IR or the steps to make one of."""

    digest: str
    graph: GraphIR | Snapshot
    device: Device = CPU
    state: str = QUEUED
    error: str = ""
    awaited: bool = False
    """Whether somebody waits for it, who will say what went wrong."""
    deaths: int = 0
    """How often the worker died when it had this graph alone."""
    finished: threading.Event = field(default_factory=threading.Event)


class Compiler:
    """A queue of jobs and the thread that gives them to the worker.

    `deliver(mef, digests)` takes each finished module, in that thread, before its jobs finish.
    """

    def __init__(self, deliver: Callable[[bytes, Sequence[str]], None]) -> None:
        self._deliver = deliver
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._waiting: deque[Job] = deque()
        self._again: deque[list[Job]] = deque()
        """Parts of batches that failed as a whole."""
        self._thread: threading.Thread | None = None
        self._worker: WorkerProcess | None = None
        self._target = ""
        """The GPU that is not there and for which the worker compiles, if any."""
        self._unable = ""
        self._closed = False
        self._warned = False

    def submit(
        self, digest: str, graph: GraphIR | Snapshot, device: Device = CPU, *, urgent: bool = False
    ) -> Job:
        """Queue a graph, in front of all others if it is urgent; returns at once."""
        with self._changed:
            job = self._jobs.get(digest)
            if job is None:
                job = self._jobs[digest] = Job(digest, graph, device)
                self._enter(job, urgent)
            elif urgent and job.state == QUEUED and job in self._waiting:
                self._waiting.remove(job)
                self._waiting.appendleft(job)
            job.awaited |= urgent
            return job

    def _enter(self, job: Job, urgent: bool) -> None:
        if self._unable or self._closed:
            self._end(job, FAILED, self._unable or "the interpreter is about to exit")
            return
        if urgent:
            self._waiting.appendleft(job)
        else:
            self._waiting.append(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="jujunp-compile", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def counts(self) -> dict[str, int]:
        """Return how many jobs are in each state."""
        with self._changed:
            states = [job.state for job in self._jobs.values()]
        return {state: states.count(state) for state in (QUEUED, RUNNING, DONE, FAILED)}

    def worker_pid(self) -> int | None:
        """Return the number of the worker's process, None if none runs."""
        worker = self._worker
        return None if worker is None else worker.pid

    def close(self) -> None:
        """End the worker and the thread; jobs that are not done fail."""
        with self._changed:
            self._closed = True
            worker, thread = self._worker, self._thread
            self._changed.notify_all()
        if worker is not None:
            worker.stop()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=5)

    def forget_worker(self) -> None:
        """Let go of a worker that belongs to the process from which this one was forked."""
        if self._worker is not None:
            self._worker.forget()

    # What follows runs in the thread.

    def _run(self) -> None:
        while True:
            batch = self._next_batch()
            if batch is None:
                return
            self._compile(batch)

    def _next_batch(self) -> list[Job] | None:
        """Wait for work; returns None when there has been none for long, or the end has come."""
        with self._changed:
            self._changed.wait_for(self._has_work, timeout=IDLE_SECONDS)
            if not self._closed and self._waiting and not self._again:
                self._changed.wait_for(lambda: self._closed, timeout=GATHER_SECONDS)
            if self._closed or not self._has_work():
                self._retire()
                return None
            batch = self._again.popleft() if self._again else self._take()
            for job in batch:
                job.state = RUNNING
            return batch

    def _has_work(self) -> bool:
        return bool(self._closed or self._again or self._waiting)

    def _take(self) -> list[Job]:
        batch: list[Job] = []
        steps = 0
        libraries: frozenset[str] = frozenset()
        while self._waiting and len(batch) < LARGEST_BATCH and steps < LARGEST_BATCH_STEPS:
            # Kernels of two libraries may have one name.
            wanted = self._waiting[0].graph.libraries
            if libraries and wanted and wanted != libraries:
                break
            if batch and self._waiting[0].device != batch[0].device:
                break
            libraries |= wanted
            batch.append(self._waiting.popleft())
            steps += len(batch[-1].graph.steps)
        return batch

    def _retire(self) -> None:
        self._thread = None
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
        if self._closed:
            for job in self._jobs.values():
                if not job.finished.is_set():
                    self._end(job, FAILED, "the interpreter is about to exit")

    def _compile(self, batch: list[Job]) -> None:
        try:
            device = batch[0].device
            worker = self._worker_for(device)
            if not any(job.awaited for job in batch):
                worker.give_way()
            with machine.core_lent():
                reply = worker.ask(wire.Batch(tuple(job.graph for job in batch), device))
        except WorkerDied as error:
            self._worker = None
            self._after_death(batch, str(error))
        except OSError as error:
            if not self._closed:  # else `close` has taken the worker's files away
                self._give_up(batch, f"no compile worker can be started: {error}")
        else:
            self._after_reply(batch, reply)

    def _worker_for(self, device: Device) -> WorkerProcess:
        """Return a worker that can compile for a device: one pretends all its life or never."""
        if self._worker is not None and self._target != device.target:
            self._worker.stop()
            self._worker = None
        if self._worker is None:
            self._worker = WorkerProcess()
            self._target = device.target
        return self._worker

    def _after_reply(self, batch: list[Job], reply: wire.Reply) -> None:
        if isinstance(reply, wire.Unable):
            self._give_up(batch, reply.text)
        elif isinstance(reply, wire.Failed):
            if len(batch) == 1:
                self._fail_all(batch, reply.text)
            else:
                self._halve(batch)
        else:
            self._after_compilation(batch, reply)

    def _after_compilation(self, batch: list[Job], reply: wire.Compiled) -> None:
        done = [batch[number] for number in reply.numbers]
        if done:
            self._deliver(reply.mef, [job.digest for job in done])
        for job in done:
            job.state = DONE
            job.finished.set()
        for number, text in reply.refused.items():
            self._fail_all([batch[number]], text)
        for number, text in reply.unsupported.items():
            self._end(batch[number], UNSUPPORTED, text)

    def _after_death(self, batch: list[Job], text: str) -> None:
        if self._closed:
            return
        if len(batch) > 1:
            self._halve(batch)
            return
        batch[0].deaths += 1
        if batch[0].deaths == 1:
            self._retry(batch)
        else:
            self._fail_all(batch, text)

    def _halve(self, batch: list[Job]) -> None:
        """Try each half of a batch, as nobody knows which of its graphs is at fault."""
        middle = len(batch) // 2
        self._retry(batch[:middle])
        self._retry(batch[middle:])

    def _retry(self, batch: list[Job]) -> None:
        with self._changed:
            for job in batch:
                job.state = QUEUED
            self._again.append(batch)

    def _give_up(self, batch: list[Job], text: str) -> None:
        """Fail everything, now and from now on."""
        with self._changed:
            self._unable = text
            everything = [*batch, *self._waiting, *(job for part in self._again for job in part)]
            self._waiting.clear()
            self._again.clear()
        self._fail_all(everything, text)

    def _fail_all(self, jobs: list[Job], text: str) -> None:
        silent = all(job.awaited for job in jobs)
        for job in jobs:
            self._end(job, FAILED, text)
        if not self._warned and not silent:
            self._warned = True
            warnings.warn(
                f"jujunp: a graph could not be compiled and stays uncompiled: {text}",
                RuntimeWarning,
                stacklevel=2,
            )

    @staticmethod
    def _end(job: Job, state: str, text: str) -> None:
        job.state = state
        job.error = text
        job.finished.set()
