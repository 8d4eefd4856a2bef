"""Flushes of little work, which the library does without Python, and which it leaves to Python."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import flush, machine
from jujunp.lazy.run.flush import LOCK, POLICY
from jujunp.lazy.values.value import LOG
from tests.support.concurrency import in_turns


@pytest.fixture(autouse=True)
def nothing_pending():
    jj.flush()
    gc.collect()
    machine.forget_calls()  # a call that is learnt flushes by Python


@pytest.fixture
def by_python(monkeypatch):
    """Count the flushes that are left to Python."""
    found = []
    way = flush._flush

    def counted():
        found.append(len(LOG))
        way()

    monkeypatch.setattr(flush, "_flush", counted)
    return found


READS = {
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "bool": lambda x: bool(x[0]),
    "complex": lambda x: complex(x[0]),
    "index": lambda x: "abc"[x.astype(int)[0]],
    "item": lambda x: x.item(0),
    "item of one": lambda x: x[:1].item(),
    "tolist": lambda x: x.tolist(),
    "asarray": np.asarray,
    "to_numpy": lambda x: x.to_numpy(),
    "flush": lambda x: jj.flush(),
    "text": str,
}


@pytest.mark.parametrize("name", READS)
def test_little_work_is_not_left_to_python(name, by_python):
    x = jj.arange(3.0) + 1
    before = jj.stats()
    READS[name](x)
    after = jj.stats()
    assert by_python == []
    assert after["pending"] == 0
    assert after["flushes"] == before["flushes"] + 1 == machine.flushes()
    assert after["immediate runs"] == before["immediate runs"] + 1 == machine.runs()


@pytest.mark.parametrize("policy", ["auto", "never"])
def test_much_work_is_planned_once_and_left_to_python(policy, by_python):
    with jj.compile_policy(policy):
        x = jj.ones(1 << 20) + 1
        before = jj.stats()
        assert float(x[5]) == 2
        after = jj.stats()
    assert by_python == [3]
    assert after["flushes"] == before["flushes"] + 1
    assert after["immediate runs"] == before["immediate runs"] + 1


def test_the_policy_says_what_is_left_to_python(by_python):
    threshold, per_step = POLICY.threshold, POLICY.per_step
    few, many = jj.ones(8), jj.ones(1)
    jj.flush()
    POLICY.ask_from(16, 8)
    try:
        assert (few[:7] + 1).tolist() == [2] * 7
        for _ in range(20):
            many = many + 1
        assert many.tolist() == [21]  # less than 8 a step
        assert by_python == []
        assert ((few + 1) * 2).tolist() == [4] * 8
        assert by_python == [2]
    finally:
        POLICY.ask_from(threshold, per_step)


def test_what_is_held_by_a_lock_is_left_to_python(by_python):
    x = jj.arange(3.0) + 1
    with LOCK:
        assert not machine.flush_small()
        assert x.tolist() == [1, 2, 3]
    assert by_python == [1]
    assert (x + 1).tolist() == [2, 3, 4]
    assert len(by_python) == 1


def test_a_flush_of_another_thread_is_waited_for():
    x = jj.arange(3) + 1
    entered, release = threading.Event(), threading.Event()

    def hold():
        with LOCK:
            entered.set()
            release.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    assert not machine.flush_small()
    assert not np.shares_memory(np.ones(3), np.ones(3))
    threading.Timer(0.05, release.set).start()
    assert x.tolist() == [1, 2, 3]
    holder.join()
    assert (x + 1).tolist() == [2, 3, 4]
    assert machine.flush_small()


def test_a_flush_within_a_flush_of_python_is_refused(monkeypatch):
    plan, refused = machine.plan, []
    x = jj.arange(3) + 1

    def planned(*args):
        refused.append(not machine.flush_small())
        return plan(*args)

    monkeypatch.setattr(machine, "plan", planned)
    with LOCK:
        assert x.tolist() == [1, 2, 3]
    assert refused == [True]


class Memory(np.ndarray):
    """Memory whose end is known: arrays of NumPy can be referred to weakly."""


def over(memory):
    from jujunp.lazy.run.transfer import adopted

    return jj._array.making.new_array(adopted(memory, 12, memory.shape), memory.shape, 12)


def test_finalizers_may_read_and_record_in_the_middle_of_a_flush():
    done = []
    pending = jj.arange(4) * 2
    jj.flush()
    memory = np.ones(4).view(Memory)
    other = jj.arange(4) + 1

    def finalizer():
        later = other * 3
        done.append((len(LOG) > 0, later.tolist(), float(pending[1] + 0.5)))
        done.append(pending + 7)

    weakref.finalize(memory, finalizer)
    x = over(memory) > 0
    del memory
    before = machine.flushes()
    assert x.tolist() == [True] * 4
    assert done[0] == (True, [3, 6, 9, 12], 2.5)
    assert done[1]._value.buffer is not None  # what was recorded meanwhile is computed, too
    assert done[1].tolist() == [7, 9, 11, 13]
    assert machine.flushes() >= before + 2
    assert jj.stats()["pending"] == 0


def test_a_finalizer_may_write_to_what_is_read():
    memory = np.ones(4).view(Memory)
    x = over(memory).astype("int32")
    weakref.finalize(memory, lambda: x.fill(5))
    del memory
    assert x.tolist() == [1] * 4
    assert x.tolist() == [5] * 4
    memory = np.ones(1).view(Memory)
    x = over(memory).astype("int32").reshape(())
    weakref.finalize(memory, lambda: x.fill(5))
    del memory
    assert int(x) in (1, 5)
    assert int(x) == 5


def test_long_histories_are_dropped_without_recursion():
    x = jj.ones(3)
    for _ in range(990):
        x = x + 1
    assert x.tolist() == [991] * 3


def test_memory_goes_back():
    jj.flush()
    gc.collect()
    before = jj.stats()["memory"]
    for _ in range(50):
        x = jj.ones((5, 6)) + 1
        y = x[1:] * 2
        assert float(y.sum()) == 4 * 6 * 4
    del x, y
    jj.flush()
    assert jj.stats()["memory"] == before


@pytest.mark.parametrize("read", ["tolist", "float", "asarray"])
def test_failures_are_raised_where_the_value_is_read(read, by_python):
    x = jj.arange(3)
    places = jj.asarray([7])
    jj.flush()
    by_python.clear()
    with jj.deferred_errors():
        good = x + 1
        bad = x[places]
        after = bad + 1
        fine = good * 2
        read = {
            "tolist": after.tolist,
            "float": lambda: float(after[0]),
            "asarray": lambda: np.asarray(after),
        }[read]
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
            read()
        assert len(by_python) == 1
        assert fine.tolist() == [2, 4, 6]
        with pytest.raises(IndexError):
            after.tolist()
        with pytest.raises(IndexError):
            (after + 1).tolist()
        assert jj.stats()["pending"] == 0


def test_writes_are_not_done_twice_when_a_later_step_fails():
    x = jj.zeros(3)
    places = jj.asarray([7])
    jj.flush()
    with jj.deferred_errors():
        x += 1
        x[1:] += 1
        bad = jj.arange(3)[places]
        y = x * 10
        x *= 2
        with pytest.raises(IndexError):
            jj.flush()
        assert x.tolist() == [2, 4, 4]
        assert y.tolist() == [10, 20, 20]
        with pytest.raises(IndexError):
            bad.tolist()


def test_a_step_that_makes_no_sense_is_told_by_python(by_python):
    from jujunp.lazy.values.value import pack, record

    record(pack(machine.OPCODES["add"], 12, 12), (3,), (1.0, object()))
    kept = record(pack(machine.OPCODES["add"], 4, 4), (3,), (1.5, 2))
    with pytest.raises(RuntimeError, match="cannot run"):
        jj.flush()
    assert len(by_python) == 1
    assert kept.buffer is not None
    assert jj.stats()["pending"] == 0
    assert (jj.ones(3) + 1).tolist() == [2] * 3


def test_what_an_interrupted_flush_left_in_the_log_is_left_to_python(by_python):
    x = jj.arange(3.0) + 1
    y, z = x * 2, jj.ones(3) + 1
    flush._fail(x._value, ValueError("interrupted"))  # still in the log
    assert z.tolist() == [2] * 3
    assert len(by_python) == 1
    with pytest.raises(ValueError, match="interrupted"):
        y.tolist()
    w = jj.arange(3.0) + 1
    w._value.buffer = jj.asarray(np.full(3, 7.0))._value.buffer
    assert (w * 2).tolist() == [14] * 3
    assert jj.stats()["pending"] == 0


def test_threads_flush_little_work():
    def work(number):
        for step in range(400):
            x = jj.arange(8) + number
            assert x.tolist() == [k + number for k in range(8)]
            assert float((x * step)[3]) == (3 + number) * step
            assert int(x.sum()) == 28 + 8 * number

    in_turns(work, 4)


def test_reads_are_counted():
    row = jj.arange(6.0) + 0
    x = row.reshape(2, 3)
    s = x.sum()
    flags = x > 1
    jj.flush()
    for read in (
        lambda: float(s),
        lambda: int(s),
        lambda: bool(s),
        lambda: "abcdefghijklmnop"[s.astype(int)],
        lambda: complex(s),
        lambda: s.item(),
        lambda: x.item(3),
        lambda: x.tolist(),
        lambda: x[0].tolist(),
        lambda: np.asarray(x),
        lambda: np.asarray(x.T),
        lambda: np.array(x),
        lambda: x.to_numpy(),
        lambda: bool(flags[0, 1]),
        lambda: machine.address_of(row._value.buffer),
        lambda: hash(s),
    ):
        before = machine.reads()
        read()
        assert machine.reads() > before
    before = machine.reads()
    jj.asarray(np.ones(3)) + 1
    jj.asarray(np.ones((3, 3)).T) + 1
    jj.flush()
    repr(x.shape)
    assert machine.reads() == before


def is_lazy_array(x):
    return bool(x)


def test_the_probe_of_array_api_compat_computes_nothing():
    x = jj.arange(3.0)
    jj.flush()
    y = (x + 1).sum() * 0
    assert is_lazy_array(y) is True
    assert jj.stats()["pending"] > 0
    assert bool(y) is False
    assert is_lazy_array(y) is False
