"""The engine: the log and its bound, memory, failures, threads, templates and Jaxprs."""

from __future__ import annotations

import gc
import os
import weakref

import jax
import numpy as np
import pytest
from jax import lax
from jax.extend.core import Primitive
from jax.scipy.special import betainc

import jujunp as jj
from jujunp._array import making
from jujunp._array.handle import value_of
from jujunp._array.making import wrap
from jujunp._inspection import _history
from jujunp.lazy.compiled import Graph
from jujunp.lazy.jaxprs.from_values import trace
from jujunp.lazy.policy import policy
from jujunp.lazy.rules import template
from jujunp.lazy.run import machine, transfer
from jujunp.lazy.run.flush import LOCK
from jujunp.lazy.values.dtypes import DTYPES, INT64, code_of
from jujunp.lazy.values.value import LIMIT, LOG, Value, dtype_code, pack, record
from tests.support.concurrency import in_threads, in_turns
from tests.support.differential import compare

MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def nothing_pending():
    jj.flush()
    gc.collect()


# -- recording and flushing


def test_stats_count_flushes_and_what_is_pending():
    x = jj.ones(4)
    jj.flush(x)
    before = jj.stats()
    y = x + 1
    z = y * 2
    assert jj.stats()["pending"] == 2
    assert jj.stats()["flushes"] == before["flushes"]
    assert float(z[0]) == 4
    after = jj.stats()
    assert after["pending"] == 0
    assert after["flushes"] == before["flushes"] + 1
    assert after["immediate runs"] == before["immediate runs"] + 1
    assert y.tolist() == [2] * 4
    assert jj.stats()["flushes"] == after["flushes"]


def test_stats_have_what_they_promise():
    counts = jj.stats()
    assert all(name in jj.stats.__doc__ for name in counts)
    assert [*counts] == [
        *("templates traced", "flushes", "immediate runs", "compiled runs"),
        *(f"compiles {state}" for state in ("queued", "running", "done", "failed")),
        *(
            "store hits",
            "fused loops",
            "pending",
            "memory",
            "cpu kernels in gpu graphs",
            "host fallbacks",
            "host dtypes",
        ),
    ]


def test_an_empty_flush_counts_nothing():
    before = jj.stats()["flushes"]
    jj.flush()
    jj.flush(3, None, jj.stats)
    assert jj.stats()["flushes"] == before


def test_stats_are_a_copy():
    jj.stats()["host fallbacks"]["nothing"] = 1
    assert "nothing" not in jj.stats()["host fallbacks"]


def test_the_pending_log_is_bounded():
    x = jj.ones(3)
    kept = []
    for _ in range(5 * LIMIT):
        x = x + 1
        kept.append(x.sum())
        assert len(LOG) <= LIMIT + 2
    assert float(x[0]) == 5 * LIMIT + 1
    assert float(kept[7]) == 3 * 9


@pytest.mark.parametrize(
    "step",
    [
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.__setitem__([0], 1.0),
        lambda x: x.__iadd__(1),
        lambda x: jj.add(x, 1, out=x),
        lambda x: x[::2].fill(2),
        lambda x: jj.concatenate([x, x]),
        lambda x: jj.sort(x),
        lambda x: jj.where(x > 0, x, 1),
        lambda x: x.astype("int8"),
        lambda x: x @ x,
        lambda x: jj.full(3, 2.0),
        lambda x: jj.arange(3.0),
        lambda x: x[0] + x[1],
        lambda x: x[[1, 2]],
        lambda x: x.copy(),
        lambda x: x.T.ravel(),
        lambda x: jj.mean(x),
        lambda x: jj.sin(x),
    ],
)
def test_every_way_of_recording_is_bounded(step):
    x = jj.ones(3)
    for _ in range(3 * LIMIT):
        step(x)
        assert len(LOG) < 2 * LIMIT


def test_a_chain_of_a_hundred_thousand_steps():
    x = jj.zeros(())
    y = jj.zeros(2)
    for _ in range(100_000):
        x = x + 1
        y += x
    assert float(x) == 100_000
    assert y.tolist() == [100_000 * 100_001 / 2] * 2
    del x, y


def test_a_deep_pending_graph_is_dropped_without_recursion():
    x = jj.ones(2)
    values = [x]
    for _ in range(LIMIT - 100):
        values.append(values[-1] * 1.0)
    del values
    assert jj.jaxpr(x + 1).eqns
    assert x.tolist() == [1, 1]


def test_dropped_results_are_not_computed():
    x = jj.ones(1000)
    jj.flush(x)
    for _ in range(50):
        x + 1
    y = x * 3
    jj.flush()
    assert len(machine.planned()[0]) == 1
    assert float(y[0]) == 3


# -- memory


def memory():
    gc.collect()
    return jj.stats()["memory"]


def test_writes_reuse_the_buffer():
    n = 1000
    a = jj.zeros((n, n))
    jj.flush(a)
    before = memory()
    assert before >= 8 * n * n
    peak = 0
    for i in range(5 * n):
        a[i % n, :] += 1.0
        if not i % 100:
            peak = max(peak, jj.stats()["memory"])
    jj.flush(a)
    peak = max(peak, jj.stats()["memory"])
    assert (a == 5).all()
    assert peak - before < 8 * n * n


def test_stencil_sweeps_reuse_their_buffers():
    n = 500
    a = jj.zeros((n, n))
    a[0] = 1.0
    jj.flush(a)
    before = memory()
    for _ in range(20):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        jj.flush(a)
        assert jj.stats()["memory"] - before <= 8 * n * n + MEGABYTE


def test_a_write_keeps_what_others_still_see():
    a = jj.zeros(MEGABYTE)
    jj.flush(a)
    b = a.copy()
    a[0] = 1
    jj.flush()
    assert (float(a[0]), float(b[0])) == (1, 0)


def test_memory_is_freed_with_the_arrays():
    before = memory()
    x = jj.ones(MEGABYTE)
    y = x + 1
    jj.flush(y)
    assert memory() - before >= 8 * MEGABYTE
    del x, y
    assert memory() <= before


def test_history_is_freed_after_a_flush():
    before = memory()
    x = jj.ones(MEGABYTE)
    leaf = weakref.ref(x)
    y = x
    for _ in range(30):
        y = y + 1
    del x
    assert float(y[0]) == 31
    assert leaf() is None
    assert memory() - before <= 8 * MEGABYTE + 4096
    value = value_of(y)
    assert value.inputs == ()
    assert value.layouts is None


def test_intermediate_results_need_no_memory_of_their_own():
    x = jj.ones(4 * MEGABYTE)
    jj.flush(x)
    before = memory()
    y = x
    for _ in range(12):
        y = y * 1.5 + 1
    jj.flush(y)
    assert jj.stats()["memory"] - before <= 32 * MEGABYTE + 4096


def test_pending_work_keeps_a_bounded_part_of_what_is_imported(monkeypatch):
    monkeypatch.setattr(transfer, "LARGEST_IMPORTS", 32 * MEGABYTE)
    before = memory()
    flushes = jj.stats()["flushes"]
    x = np.ones(MEGABYTE)
    total = jj.zeros(MEGABYTE)
    for _ in range(40):
        total = total + jj.array(x)
        assert jj.stats()["memory"] - before <= 56 * MEGABYTE
    assert jj.stats()["flushes"] >= flushes + 7
    assert (total == 40).all()


def test_imports_without_pending_work_flush_nothing(monkeypatch):
    monkeypatch.setattr(transfer, "LARGEST_IMPORTS", 100)
    flushes = jj.stats()["flushes"]
    arrays = [jj.array(np.arange(50)) for _ in range(20)]
    total = arrays[0] + arrays[1]
    assert jj.stats()["flushes"] == flushes
    assert total[7].tolist() == 14


def test_a_failure_keeps_nothing_alive():
    def fail():
        x = jj.ones(MEGABYTE)
        with pytest.raises(IndexError), jj.deferred_errors():
            bad = x[jj.array([MEGABYTE])]
        return bad

    before = memory()
    gc.disable()
    try:
        kept = fail()
        assert jj.stats()["memory"] <= before + 4096
    finally:
        gc.enable()
    with pytest.raises(IndexError, match="out of bounds"):
        kept.tolist()


def test_exported_arrays_keep_their_memory():
    x = jj.arange(MEGABYTE)
    exported = np.asarray(x)
    x += 1
    del x
    gc.collect()
    filler = [jj.zeros(MEGABYTE) + k for k in range(4)]
    jj.flush(*filler)
    assert exported[-1] == MEGABYTE


def test_too_large_arrays_raise_memory_error():
    with pytest.raises(MemoryError):
        jj.flush(jj.zeros(1 << 50))
    x = jj.ones(3)
    with pytest.raises((MemoryError, ValueError)):
        jj.flush(jj.zeros((1 << 20, 1 << 20)) + 1)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("extent", [1 << 23, 1 << 31])
def test_too_large_results_leave_the_rest_alone(extent):
    before = jj.arange(4.0) * 2
    column = jj.broadcast_to(jj.ones(1), (extent, 1))
    outer = column + jj.broadcast_to(jj.ones(1), (1, extent))
    after = before + 1
    with pytest.raises(MemoryError):
        jj.flush(outer)
    assert before.tolist() == [0, 2, 4, 6]
    assert after.tolist() == [1, 3, 5, 7]
    with pytest.raises((MemoryError, ValueError)):
        outer.sum().item()


def test_arrays_refused_record_nothing():
    with pytest.raises(ValueError, match="too big") as refused:
        jj.ones((1 << 62, 8))
    assert (jj.ones(3) + 1).tolist() == [2, 2, 2]
    del refused  # until here it has kept alive what the call has made


# -- interrupts, threads and processes

INTERRUPTED = """
import os, signal, threading, time
import jujunp as np
x = np.random.default_rng(0).random(3_000_000)
x = np.asarray(x)
np.flush(x)
wanted = float(np.sort(x)[12345])
caught = 0
for delay in (0.001, 0.01, 0.03, 0.1, 0.3):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    y = x + 0
    try:
        timer.start()
        for _ in range(20):
            y[1:] = np.sort(y)[1:]
            np.flush(y)
        time.sleep(1)
    except KeyboardInterrupt:
        caught += 1
    timer.join()
    z = x + 0
    z.sort()
    assert float(z[12345]) == wanted
    assert float(y.sum()) > 0
    assert np.stats()["pending"] == 0
print("caught", caught)
"""


def test_interrupts_leave_everything_usable(run_python):
    assert run_python(INTERRUPTED).stdout.split() == ["caught", "5"]


def test_a_signal_handler_may_record_but_not_read_what_is_pending(monkeypatch):
    plan = machine.plan
    computed, handled = jj.ones(3), []
    jj.flush()

    def handler():
        handled.append(computed[:2].tolist())
        computed[0] = 5
        jj.flush()
        with pytest.raises(RuntimeError, match="interrupted"):
            float(computed[0])

    def interrupted(*args):
        work = plan(*args)
        if not handled:
            handler()
        return work

    monkeypatch.setattr(machine, "plan", interrupted)
    x = jj.arange(3) + 1
    with LOCK:  # so that it is Python that flushes
        assert x.tolist() == [1, 2, 3]
    assert handled == [[1, 1]]
    assert computed.tolist() == [5, 1, 1]


def test_threads_free_large_arrays_while_another_flushes():
    def work(number):
        x = np.arange(300_000.0) + number
        mine = jj.array(x)
        for step in range(60):
            assert np.array_equal(np.asarray(mine * step + 1), x * step + 1)

    in_threads(work, 8)


def test_threads_record_and_flush_shared_arrays():
    shared = jj.arange(1000.0)
    total = jj.zeros(8)

    def work(number):
        x = shared
        for step in range(300):
            x = x + 1
            if step % 7 == number % 7:
                assert float(x[3]) == 4 + step
            if step % 50 == 0:
                jj.flush()
        assert float(x.sum()) == 1000 * 999 / 2 + 300 * 1000
        total[number] = x[0]

    in_threads(work, 8)
    compare(shared.to_numpy(), np.arange(1000.0))
    assert total.tolist() == [300.0] * 8


THREAD_WRITES = {
    "element": lambda out, row, i, j: out.__setitem__((i, j), 1),
    "element of a view": lambda out, row, i, j: row.__setitem__(j, 1.0),
    "slice": lambda out, row, i, j: row[j : j + 1].fill(1),
    "out": lambda out, row, i, j: jj.add(row[j : j + 1], 1, out=row[j : j + 1]),
    "arrays": lambda out, row, i, j: out.__setitem__(([i], [j]), 1),
    "put": lambda out, row, i, j: jj.put(row, [j], 1),
    "at": lambda out, row, i, j: jj.add.at(row, [j], 1),
}


@pytest.mark.parametrize("name", THREAD_WRITES)
def test_threads_write_elements_of_their_own(name):
    out = jj.zeros((4, 200))

    def work(i):
        row = out[i]
        for j in range(200):
            THREAD_WRITES[name](out, row, i, j)

    in_turns(work, 4)
    assert (out == 1).all()


def test_threads_with_failing_steps():
    def work(number):
        x = jj.arange(10)
        for _ in range(50):
            with pytest.raises(IndexError), jj.deferred_errors():
                x[jj.array([number + 20])].to_numpy()

    in_threads(work, 4)


FORKED = """
import os, warnings
warnings.simplefilter("ignore")
import jujunp as np
big = np.ones(4_000_000) * 2
np.flush(big)
pending = big + 1
child = os.fork()
if not child:
    ok = float(pending.sum()) == 12e6 and float((big * 3).sum()) == 24e6
    os._exit(0 if ok else 1)
assert os.waitpid(child, 0)[1] == 0
assert float(pending.sum()) == 12e6
print("both")
"""


FORKED_IN_THE_BACKGROUND = """
import os, threading, time, warnings
warnings.simplefilter("ignore")
import jujunp
from jujunp.lazy.policy import policy
ended = []
def load():
    time.sleep(0.3)
    ended.append(True)
    policy._background.add("loading", -1)
policy._background.add("loading", 1)
threading.Thread(target=load).start()
child = os.fork()
if not child:
    os._exit(0 if ended and not policy._background.loading else 1)
assert os.waitpid(child, 0)[1] == 0
print("both")
"""


def test_a_fork_waits_for_threads_that_load(run_python):
    assert run_python(FORKED_IN_THE_BACKGROUND, timeout=30).stdout.split() == ["both"]


def test_a_forked_process_goes_on(run_python):
    assert run_python(FORKED, timeout=30).stdout.split() == ["both"]


WORKERS = """
import os
import jujunp as np
from jujunp.lazy.run import machine

def threads():
    return {int(thread) for thread in os.listdir("/proc/self/task")}

def started_for_small_steps():
    before = threads()
    x = np.arange(40_000.0)
    assert float((((x * 2 + 1) * 3 - 1) * 2)[-1]) == 479992
    return threads() - before

def started():
    before = threads()
    total = float((np.arange(4_000_000.0) * 2).sum())
    assert total == 4e6 * (4e6 - 1), total
    return threads() - before

cores = os.sched_getaffinity(0)
with machine.core_lent(always=True):  # one core is left to a compiler
    workers = started()
    assert len(workers) == len(cores) - 2, workers
with machine.core_lent():  # but by large steps
    workers |= started_for_small_steps()
    assert len(workers) == len(cores) - 2, workers
    workers |= started()
assert len(workers) == len(cores) - 1, workers
for worker in workers:
    left = cores - os.sched_getaffinity(worker)
    assert len(left) == 1, left  # the core of their caller
assert not started()  # once is enough
child = os.fork()
if not child:
    os._exit(0 if len(started()) == len(cores) - 1 else 1)
assert os.waitpid(child, 0)[1] == 0
print("all")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux's list of threads")
@pytest.mark.skipif(os.cpu_count() == 1, reason="one core has no workers")
def test_workers_start_once_leave_the_callers_core_and_start_again_after_a_fork(run_python):
    done = run_python(WORKERS, timeout=60, JUJUNP_POLICY="never")
    assert done.stdout.split() == ["all"]


BLAS_TIMEOUT = """
import os
import jujunp
print(os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
"""


def test_the_timeout_of_blas_is_not_left_to_other_processes(run_python, monkeypatch):
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    assert run_python(BLAS_TIMEOUT).stdout.split() == ["None"]
    given = run_python(BLAS_TIMEOUT, OPENBLAS_THREAD_TIMEOUT="24")
    assert given.stdout.split() == ["24"]


FORKED_IN_A_FLUSH = """
import os, threading, time, warnings
warnings.simplefilter("ignore")
import jujunp as np
from jujunp.lazy.run.flush import LOCK
held = threading.Event()
def hold():
    with LOCK:
        held.set()
        time.sleep(0.5)
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if not child:
    os._exit(0 if float(np.ones(3).sum()) == 3 else 1)
assert os.waitpid(child, 0)[1] == 0
assert float(np.ones(3).sum()) == 3
print("both")
"""


def test_a_process_forked_while_another_thread_flushes(run_python):
    assert run_python(FORKED_IN_A_FLUSH, timeout=30).stdout.split() == ["both"]


# -- templates


def operand(x):
    return template.Operand(value_of(x), x._layout, x._shape, x._code)


def array_of(found):
    x = making.new_array(found.value, found.shape, found.code)
    return making.view(x, found.layout) if found.layout is not None else x


def _softmax(x):
    shifted = lax.exp(x - lax.stop_gradient(x.max(axis=-1, keepdims=True)))
    return shifted / shifted.sum(axis=-1, keepdims=True)


TEMPLATES = {
    "softmax": (
        _softmax,
        lambda x: (
            np.exp(x - x.max(-1, keepdims=True))
            / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)
        ),
    ),
    "views": (lambda x: (x.T[::-1] + 1).reshape(2, -1)[:, 1:], None),
    "where": (lambda x: jax.numpy.where(x > 3, x, -x), lambda x: np.where(x > 3, x, -x)),
    "products": (lambda x: x @ x.T + x.sum(), None),
    "scan": (lambda x: jax.numpy.cumsum(x, axis=1), lambda x: np.cumsum(x, axis=1)),
    "concatenate": (
        lambda x: jax.numpy.concatenate([x, x[:1] * 2]),
        lambda x: np.concatenate([x, x[:1] * 2]),
    ),
    "constant": (lambda x: x * np.arange(6.0), None),
    "pad": (lambda x: jax.numpy.pad(x, 1), lambda x: np.pad(x, 1)),
    "clip": (lambda x: jax.numpy.clip(x, 2, 7), lambda x: np.clip(x, 2, 7)),
    "integer power": (lambda x: x**3, None),
    "argmax": (lambda x: x.argmax(1), None),
    "special functions": (
        lambda x: (
            lax.exp(lax.lgamma(x + 2) - lax.lgamma(x + 1)) + lax.igamma(lax.full_like(x, 1), x)
        ),
        lambda x: x + 1 - np.expm1(-x),
    ),
    "three operands": (lambda x: betainc(x, lax.full_like(x, 1), x / 9), lambda x: (x / 9) ** x),
    "nothing": (lambda x: x, None),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates(name):
    function, oracle = TEMPLATES[name]
    values = np.random.default_rng(3).random((4, 6)) * 9
    base = jj.array(np.repeat(values, 2, 0))
    for x, wanted in ((jj.array(values), values), (base[::2], values)):
        before = jj.stats()["templates traced"]
        for _ in range(3):
            (found,) = template.call(f"test {name}", function, [operand(x)])
            result = array_of(found).to_numpy()
        assert jj.stats()["templates traced"] <= before + 1
        expected = (oracle or function)(wanted)
        np.testing.assert_allclose(result, expected, rtol=1e-14, strict=True)


def test_templates_are_traced_once_for_a_signature():
    x = jj.ones((3, 5))
    before = jj.stats()["templates traced"]
    for _ in range(4):
        template.call("test once", lambda x: x + 1, [operand(x)])
    assert jj.stats()["templates traced"] == before + 1
    template.call("test once", lambda x: x + 1, [operand(x[:2])])
    template.call("test once", lambda x: x + 1, [operand(x.astype("float32"))])
    template.call("test once", lambda x: x + 2, [operand(x)], static=2)
    assert jj.stats()["templates traced"] == before + 4


def test_templates_of_primitives_without_a_kernel_say_so():
    unknown = Primitive("unknown")
    unknown.def_abstract_eval(lambda x: x)

    def function(x):
        return unknown.bind(x)

    with pytest.raises(template.Unrecordable, match="unknown has no kernel"):
        template.call("test no kernel", function, [operand(jj.ones((3, 3)))])


def test_tracing_leaves_the_configuration_of_jax():
    before = jax.config.jax_enable_x64
    template.call("test x64", lambda x: x * 2.5, [operand(jj.ones(3))])
    jj.jaxpr(jj.ones(3) + 1)
    assert jax.config.jax_enable_x64 == before


# -- Jaxprs: JAX itself, op by op, must compute what the kernels compute

M = np.random.default_rng(5).integers(-9, 9, (6, 8)).astype("float64")


def _views(x):
    return x[1:4, ::-2].T + 1


def _after_many_steps(x):
    """Return what is pending: where fewer steps are, updates compute them."""
    y = x * 1
    for _ in range(9):
        y = y + 0 - 0
    return y


def _store(x):
    y = _after_many_steps(x)
    y[1:-1, 2:5] = x[:4, :3]
    y[::2, ::-3] *= 2
    y.T[0] = 7
    y[:, 1] = y[:, 2]
    y[3] = x[0][::-1]
    return y


def _odd_store(x):
    y = _after_many_steps(x)
    y.reshape(-1)[3:40:7] = -1
    y.ravel()[::-5] += 3
    return y


def _scatter(x):
    y = x * 1
    y[[0, 2, 4], [1, 1, -1]] = 5
    y[:, [0, 7]] = x[:, [7, 0]]
    y[::-1][[1, 2]] = 3
    y.T[[3]] += 1
    return y


def _masked(x):
    y = jj.tile(x, (20, 20))  # what has fewer elements is written at once
    y[y > 2] = -1
    return y


JAXPRS = {
    "arithmetic": lambda x: (x + 2) * x - x / 3,
    "numbers": lambda x: 1 - x * 2.5 + 1,
    "functions": lambda x: jj.exp(x / 9) + jj.sin(x) + jj.sqrt(jj.abs(x)),
    "comparison": lambda x: (x > 1) & (x <= 4) | ~(x == 2),
    "where": lambda x: jj.where(x > 0, x, -1.0),
    "casts": lambda x: x.astype("int8") * 2 + x.astype("int64"),
    "views": _views,
    "row": lambda x: x[2] * x[:, :1],
    "element": lambda x: x + x[1, 2],
    "negative steps": lambda x: x[::-1, ::-1] - x[::-2][0],
    "transposed": lambda x: x.T + 1,
    "reshaped": lambda x: x.reshape(4, 12)[1:, ::5] + 1,
    "reshaped view": lambda x: x.T.reshape(12, 4) + x.reshape(12, 4),
    "flat steps": lambda x: x.reshape(-1)[3:40:7] * 2,
    "diagonal": lambda x: x.diagonal() + x.diagonal(2)[0],
    "broadcast": lambda x: jj.broadcast_to(x[0], (3, 6, 8)) + x,
    "broadcast column": lambda x: jj.broadcast_to(x[:, 1:2], (6, 8)) * 2,
    "new axes": lambda x: x[:, None] + x[None, :, :],
    "size one": lambda x: x[2:3] + x[:, 3:4] + x[5:6, 7:8],
    "empty": lambda x: x[3:3] + 1,
    "view of bits": lambda x: x.view("int64") ^ 3,
    "view of smaller": lambda x: x.view("uint8")[:, ::2] + 1,
    "view of larger": lambda x: x.astype("int32").view("int64") + 1,
    "store": _store,
    "odd store": _odd_store,
    "scatter": _scatter,
    "masked": _masked,
    "gather": lambda x: x[[0, -1, 2]] + 1,
    "gather of columns": lambda x: x[:, [0, -1, 2]].T,
    "gather of points": lambda x: x[[[0], [1]], [2, -3, 4]],
    "gather of a view": lambda x: x[::-2, 1:][[0, -1], [[1], [2]]],
    "gather by results": lambda x: x[jj.argsort(x[:, 0], stable=True)] + 1,
    "bincount": lambda x: jj.bincount(jj.abs(x).astype("int64").ravel(), minlength=20000),
    "bincount with weights": lambda x: jj.bincount(
        jj.abs(x).astype("int64").ravel(), x.ravel().astype("float64"), minlength=20000
    ),
    "sum": lambda x: x.sum(),
    "sum of an axis": lambda x: x.sum(0) + x[::-1].sum(axis=0, keepdims=True),
    "reductions": lambda x: x.max(1) - x.min(1) + x.prod(1),
    "truth": lambda x: (x > 8).any(0) | (x > -9).all(0),
    "arg": lambda x: x.argmax(0) + x.argmin(),
    "mean": lambda x: x.mean(1) + x.T.std(0),
    "scans": lambda x: x.cumsum(1) + x.T.cumsum(0).T,
    "sort": lambda x: jj.sort(x, axis=0) + jj.sort(x),
    "argsort": lambda x: jj.argsort(x, axis=0, stable=True),
    "concatenate": lambda x: jj.concatenate([x, x[:2] + 1, x[:1]]),
    "stack": lambda x: jj.stack([x, x.T.reshape(6, 8)], 1),
    "pad": lambda x: jj.pad(x, ((1, 2), (0, 3)), constant_values=4),
    "matmul": lambda x: x @ x.T,
    "matmul of views": lambda x: x[::2, :5] @ x.T[1:6],
    "batched": lambda x: x.reshape(2, 3, 8) @ x.reshape(2, 8, 3),
    "vectors": lambda x: jj.dot(x[0], x[1]) + jj.outer(x[0], x[1]),
    "einsum": lambda x: jj.einsum("ij,kj->ik", x, x),
    "iota": lambda x: jj.arange(8) + x,
    "roll and repeat": lambda x: jj.roll(x, 3, 1) + jj.tile(x[:, :4], 2),
    "diff": lambda x: jj.diff(x, axis=0),
    "constant": lambda x: jj.full((6, 8), 2.5) + jj.zeros((6, 1)) + x,
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
@pytest.mark.parametrize("name", JAXPRS)
def test_jax_computes_the_same_from_the_jaxpr(name, dtype):
    x = jj.array(M.astype(dtype))
    result = JAXPRS[name](x)
    owner = result if result.base is None else result.base
    value = value_of(owner)
    assert value.buffer is None, "nothing is pending"
    closed, leaves = trace(_history(value), [value])
    arguments = [
        np.array(transfer.export(leaf, dtype_code(leaf)))
        if isinstance(leaf, Value)
        else np.asarray(leaf[0], DTYPES[leaf[1]])
        for leaf in leaves
    ]
    found = owner.to_numpy()
    with jax.enable_x64(True):
        (wanted,) = jax.extend.core.jaxpr_as_fun(closed)(*arguments)
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(found, np.asarray(wanted), rtol=tolerance, strict=True)


def test_the_jaxpr_shows_what_is_pending():
    x = jj.ones((3, 4))
    jj.flush(x)
    closed = jj.jaxpr(jj.sin(x[1:]) * 2)
    names = {equation.primitive.name for equation in closed.eqns}
    assert {"sin", "mul", "slice"} <= names
    assert [v.aval.shape for v in closed.jaxpr.outvars] == [(2, 4)]
    assert all(v.aval.dtype == np.float64 for v in closed.jaxpr.outvars)


def test_the_jaxpr_of_a_computed_array_is_empty():
    x = jj.ones(3)
    jj.flush(x)
    closed = jj.jaxpr(x)
    assert not closed.eqns
    assert closed.jaxpr.outvars == closed.jaxpr.invars


def test_the_jaxpr_of_a_view_has_its_shape():
    x = jj.ones((3, 4)) + 1
    assert [v.aval.shape for v in jj.jaxpr(x[1:].T).jaxpr.outvars] == [(4, 2)]


def test_the_jaxpr_of_what_is_no_array():
    assert [v.aval.shape for v in jj.jaxpr(np.ones((2, 3))).jaxpr.outvars] == [(2, 3)]
    for bad in (None, "a"):
        with pytest.raises(TypeError):
            jj.jaxpr(bad)


def test_the_jaxpr_of_what_failed():
    with pytest.raises(IndexError), jj.deferred_errors():
        bad = jj.ones(3)[jj.array([7])]
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        jj.jaxpr(bad)


def test_the_jaxpr_does_not_depend_on_numbers():
    x = jj.ones(3)
    jj.flush(x)
    assert str(jj.jaxpr(x * 2.0)) == str(jj.jaxpr(x * 3.0))


def test_codes_are_those_of_numpys_dtypes():
    for code in (*range(9), 11, 12):
        assert code_of(DTYPES[code]) == code


def test_a_step_that_makes_no_sense_harms_no_other():
    x = jj.arange(3)
    kept, written = jj.arange(1000) + 1, jj.zeros(1000)  # fewer elements are written at once
    jj.flush()
    add = machine.OPCODES["add"]
    bad = wrap(record(pack(add, INT64, INT64), (3,), (value_of(x), 1.5)), (3,), INT64)
    lost = kept + 1
    written[1:] = kept[1:]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cannot run"):
            bad.tolist()
    with pytest.raises(RuntimeError, match="cannot run"):
        lost.tolist()
    del bad
    assert not written.any()
    assert (kept + 1)[:3].tolist() == [2, 3, 4]


def test_steps_that_cannot_be_sent_still_run(monkeypatch):
    """Nobody has to know that a graph cannot be compiled but for one warning."""

    def refused(*arguments):
        raise TypeError("no such step in JAX")

    monkeypatch.setattr(Graph, "describe", refused)
    monkeypatch.setattr(policy, "_warned", False)
    x = jj.array(np.arange(5.0))
    with jj.compile_policy("always"), pytest.warns(RuntimeWarning, match="no such step in JAX"):
        assert (x * 3 + 0.25).tolist() == [0.25, 3.25, 6.25, 9.25, 12.25]
