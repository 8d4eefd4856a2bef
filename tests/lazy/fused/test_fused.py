"""Fused loops: the same bits as blocks and as NumPy, and what can go wrong on the way to them."""

from __future__ import annotations

import contextlib
import random
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.kernels import build
from jujunp.lazy.fused import fusing, text
from jujunp.lazy.policy import policy
from jujunp.lazy.run import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 5003  # leaves a rest for vectors of every length
PROGRAMS = 24


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[fusing.Fusing]:
    """Every group is hot at once; loops are in a folder of this test's, by a queue of its own."""
    monkeypatch.setattr(fusing, "_root", lambda: tmp_path / "loops")
    monkeypatch.setattr(fusing, "_NICENESS", 0)
    monkeypatch.setattr(fusing, "FUSING", fusing.Fusing())
    jj.flush()
    with jj.compile_policy("never"):
        machine.hot_groups()
        machine.forget_groups()
        machine.set_fusing(0, 0)
        yield fusing.FUSING
    fusing.FUSING.close()
    machine.forget_groups()


def run(program: Callable[..., Any], *args: Any) -> np.ndarray:
    result = program(jj, *args)
    jj.flush()
    return np.asarray(result)


def same(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes()


def arrays(dtype: str, layout: str, chance: np.random.Generator) -> list[np.ndarray]:
    """Return three operands of one shape, or which are broadcast to one."""
    shapes: dict[str, list[tuple[int, ...]]] = {
        "whole": [(SIZE,)] * 3,
        "every other": [(2 * SIZE,)] * 3,
        "reversed": [(SIZE,)] * 3,
        "rows": [(67, 77), (77,), (67, 1)],
        "columns": [(77, 67), (67, 77), (67, 77)],
        "one": [(SIZE,), (1,), (SIZE,)],
    }
    made = []
    for shape in shapes[layout]:
        whole = chance.random(shape) * 20 - 8
        made.append((whole > 0) if dtype == "?" else whole.astype(dtype))
    cut: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "every other": lambda x: x[::2],
        "reversed": lambda x: x[::-1],
    }
    made = [cut.get(layout, lambda x: x)(x) for x in made]
    if layout == "columns":
        made[0] = made[0].T
    return made


FLOATS: list[Callable[..., Any]] = [
    lambda xp, a, b: a + b,
    lambda xp, a, b: a - b * a,
    lambda xp, a, b: a * b,
    lambda xp, a, b: a / (b * b + 1),
    lambda xp, a, b: xp.where(a > b, a, b - a),
    lambda xp, a, b: xp.minimum(a, b) * 0.5,
    lambda xp, a, b: xp.sqrt(abs(a)) + 1.5,
    lambda xp, a, b: xp.floor(a) - b,
    lambda xp, a, b: xp.where(xp.isnan(a) | (b < a), b, -a),
]
INTS: list[Callable[..., Any]] = [
    lambda xp, a, b: a + b,
    lambda xp, a, b: a - b,
    lambda xp, a, b: a * b,
    lambda xp, a, b: a // (b | 1),
    lambda xp, a, b: a % (b | 1),
    lambda xp, a, b: (a & 7) ^ b,
    lambda xp, a, b: a << (b & 3),
    lambda xp, a, b: a >> (b & 3),
    lambda xp, a, b: xp.where(a < b, a, b),
]
BOOLS: list[Callable[..., Any]] = [
    lambda xp, a, b: a & b,
    lambda xp, a, b: a | ~b,
    lambda xp, a, b: a ^ b,
    lambda xp, a, b: xp.where(a, b, ~a),
]
CASES = [
    (dtype, layout, seed)
    for seed, (dtype, layout) in enumerate(
        (dtype, layout)
        for dtype in ("f8", "f4", "f2", "i8", "i2", "u1", "?")
        for layout in ("whole", "every other", "reversed", "rows", "columns", "one")
    )
]


def random_program(dtype: str, seed: int) -> Callable[..., Any]:
    chance = random.Random(seed)
    steps = {"f": FLOATS, "i": INTS, "u": INTS, "?": BOOLS}[dtype[0]]
    chosen = [(chance.choice(steps), chance.randrange(3)) for _ in range(9)]

    def program(xp: Any, *args: Any) -> Any:
        found = args[0]
        for step, k in chosen:
            found = step(xp, found, args[k])
        return found

    return program


def test_random_groups(own: fusing.Fusing) -> None:
    """Loops give the bits of blocks, and NumPy's; all are compiled together."""
    chance = np.random.default_rng(5)
    work = []
    for dtype, layout, seed in CASES:
        program, args = random_program(dtype, seed), arrays(dtype, layout, chance)
        with np.errstate(all="ignore"):
            expected = program(np, *args)
        ours = [jj.array(x) for x in args]
        work.append((program, ours, expected))
        same(run(program, *ours), expected)
    fusing.wait()
    assert own.counts["failed"] == 0
    assert own.counts["compiled"] > 30
    for case, (program, ours, expected) in zip(CASES, work, strict=True):
        before = machine.fused_counts()["runs"]
        same(run(program, *ours), expected)
        assert machine.fused_counts()["runs"] > before, case


def test_steps_of_several_dtypes_and_many_results(own: fusing.Fusing) -> None:
    def program(xp: Any, x: Any, i: Any) -> Any:
        y = x.astype("f4") * 2
        mask = (y > 1) & (i < 4)
        z = xp.where(mask, x, i + 0.5)
        count = mask.astype("i8") + i
        half = (z * 0.25).astype("f2")
        return xp.exp(z), count, half.astype("f8") * z, mask

    def results(xp: Any, *args: Any) -> list[np.ndarray]:
        found = program(xp, *args)
        if xp is jj:
            jj.flush()
        return [np.asarray(x) for x in found]

    x = np.random.default_rng(1).random(SIZE) * 4
    i = np.arange(SIZE) % 9
    ours = jj.array(x), jj.array(i)
    first = results(jj, *ours)
    fusing.wait()
    assert machine.fused_counts()["used"] > 0
    again = results(jj, *ours)
    assert machine.fused_counts()["runs"] > 0
    for a, b, c in zip(first, again, program(np, x, i), strict=True):
        same(a, b)
        np.testing.assert_allclose(b, c, rtol=1e-15)


COMPLEX: list[Callable[..., Any]] = [
    lambda xp, a, b: a + b,
    lambda xp, a, b: a * b - a,
    lambda xp, a, b: xp.where(a.real > b.imag, a, b),
    lambda xp, a, b: xp.conj(a) * 2j,
    lambda xp, a, b: xp.exp(1j * a.real) + b,
    lambda xp, a, b: xp.sqrt(a) / (1.5 + xp.abs(b)),
    lambda xp, a, b: xp.abs(a) * b - a.imag,
    lambda xp, a, b: xp.where((a == b) | xp.isnan(a), a.real + 0, b),
    lambda xp, a, b: xp.maximum(a, b) + (b != 0).astype(a.dtype),
    lambda xp, a, b: a**2 - xp.sin(b),
]


def test_complex_numbers(own: fusing.Fusing) -> None:
    """Loops give the bits of blocks, of numbers with gaps between them, too."""
    chance = np.random.default_rng(7)
    choose = random.Random(3)
    work = []
    for dtype in ("c16", "c8"):
        for cut in (slice(None), slice(None, None, 2), slice(None, None, -1)):
            steps = [(choose.choice(COMPLEX), choose.randrange(2)) for _ in range(7)]
            x, y = (
                jj.array((chance.random((2, 2 * SIZE)) - 0.5).view("c16").astype(dtype)[:, cut])
                for _ in range(2)
            )

            def program(xp: Any, x: Any, y: Any, steps: Any = steps) -> Any:
                for step, k in steps:
                    x = step(xp, x, (x, y)[k])
                return x

            work.append((program, x, y, run(program, x, y)))
    fusing.wait()
    assert own.counts["failed"] == 0
    assert own.counts["compiled"] >= 6
    for program, x, y, expected in work:
        before = machine.fused_counts()["runs"]
        same(run(program, x, y), expected)
        assert machine.fused_counts()["runs"] > before


CUBED = """
def cubed[dtype: DType, width: SIMDLength, //](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    return x * x * x
"""


def test_functions_of_users(own: fusing.Fusing) -> None:
    cubed = jj.vectorize_mojo(CUBED, "cubed", ["float64"])
    x = np.random.default_rng(1).random(SIZE)
    ours = jj.array(x)
    for _ in range(2):
        found = run(lambda xp, x: cubed(x + 1) * 0.5 - cubed(x), ours)
        same(found, (x + 1) * (x + 1) * (x + 1) * 0.5 - x * x * x)
        fusing.wait()
    assert own.counts == {"compiled": 1, "found": 0, "failed": 0}
    assert machine.fused_counts()["runs"] == 1


STRICT = """
import pathlib
import numpy, jujunp
from jujunp.lazy.fused import fusing
from jujunp.lazy.run import machine

fusing._root = lambda: pathlib.Path(FOLDER)
SOURCE = '''
from std.os import abort

def share(n: Int64) -> Int64:
    if n == 0:
        abort()
    return 5040 // n
'''
with jujunp.compile_policy("never"):
    machine.set_fusing(0, 0)
    share = jujunp.vectorize_mojo(SOURCE, "share", ["int64"])
    n = numpy.arange(1, 5004)
    ours = jujunp.array(n)
    for _ in range(2):
        found = share(ours * 7) * 3 + ours - 1
        assert (numpy.asarray(found) == 5040 // (n * 7) * 3 + n - 1).all()
        fusing.wait()
    print(machine.fused_counts()["runs"])
"""


def test_functions_of_users_see_no_other_numbers(
    tmp_path: Path, run_python: Callable[..., Any]
) -> None:
    """Where a vector is not full, its lanes have none that the function may not be for."""
    code = f"FOLDER = {str(tmp_path)!r}\n{STRICT}"
    assert run_python(code).stdout == "1\n"


def test_transposed_operands(own: fusing.Fusing) -> None:
    """They are packed as panels, for loops too, and results go through panels to views."""

    def program(x: Any, y: Any) -> Any:
        target = jj.zeros(x.shape)
        jj.flush()
        target.T[...] = (x.T * y + 0.5) * y - x.T
        return target

    for shape in ((131, 257), (70, 300)):
        x, y = np.random.default_rng(0).random(shape), np.random.default_rng(1).random(shape[::-1])
        ours = jj.array(x), jj.array(y)
        expected = ((x.T * y + 0.5) * y - x.T).T
        for _ in range(2):
            same(np.asarray(program(*ours)), expected)
            fusing.wait()
    assert own.counts["compiled"] == 1
    assert machine.fused_counts()["runs"] == 3


def test_reductions(own: fusing.Fusing) -> None:
    """Loops give what is folded the bits that blocks give it."""

    def folds(x: Any, y: Any) -> list[Any]:
        found = []
        for axis in (None, 0, 1):
            z = jj.exp(-x) * y + 0.5 * (1 if axis is None else axis + 2)
            found += [z.sum(axis=axis), z.max(axis=axis), (z < 1).any(axis=axis)]
        count = (x > y).sum(axis=1)
        z = x - y
        return [*found, count, z, (z * z).mean()]

    chance = np.random.default_rng(4)
    for shape in ((70, 600), (600, 70), (9, 5003)):
        x, y = (jj.array(chance.random(shape)) for _ in range(2))
        first = [np.asarray(z) for z in folds(x, y)]
        fusing.wait()
        before = machine.fused_counts()["runs"]
        for a, b in zip(first, [np.asarray(z) for z in folds(x, y)], strict=True):
            same(b, a)
        assert machine.fused_counts()["runs"] >= before + 3
    assert own.counts["failed"] == 0


def test_one_loop_for_all_lengths(own: fusing.Fusing) -> None:
    def program(xp: Any, x: Any) -> Any:
        return (x[1:] - x[:-1]) * 0.5 + x[1:] * x[:-1] - 3

    for n in (9001, 8000, 20000, 4101):
        x = np.random.default_rng(n).random(n)
        same(run(program, jj.array(x)), program(np, x))
        fusing.wait()
    assert own.counts["compiled"] == 1
    assert machine.fused_counts()["runs"] == 3


def test_writes_to_views(own: fusing.Fusing) -> None:
    def program(xp: Any, x: Any) -> Any:
        y = x.copy()
        y[1:-1:2] = (x[1:-1:2] + x[2::2] * 2) * x[:-2:2]
        y[::-2] *= 0.5
        return y

    x = np.random.default_rng(0).random(30001)
    for _ in range(3):
        same(run(program, jj.array(x)), program(np, x))
        fusing.wait()
    assert machine.fused_counts()["runs"] > 0


def hot_program(xp: Any, x: Any) -> Any:
    return ((x * 2 + 1) * x - 3) * x + 4


def test_loops_are_found_on_disk(own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch) -> None:
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    fusing.wait()
    assert own.counts == {"compiled": 1, "found": 0, "failed": 0}
    another = fusing.Fusing()
    monkeypatch.setattr(fusing, "FUSING", another)
    machine.forget_groups()
    monkeypatch.setattr(build, "compile_texts", None)
    run(hot_program, x)
    fusing.wait()
    assert another.counts == {"compiled": 0, "found": 1, "failed": 0}
    same(run(hot_program, x), hot_program(np, np.arange(float(SIZE))))
    assert machine.fused_counts()["runs"] == 1
    another.close()


def test_a_damaged_loop_is_compiled_again(own: fusing.Fusing, tmp_path: Path) -> None:
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    fusing.wait()
    (library,) = tmp_path.glob("loops/*/loops.so")
    content = library.read_bytes()
    library.unlink()  # it is in use, and mapped
    library.write_bytes(content[: len(content) // 2])
    machine.forget_groups()
    run(hot_program, x)
    fusing.wait()
    assert own.counts["compiled"] == 2
    same(run(hot_program, x), hot_program(np, np.arange(float(SIZE))))


def test_a_text_that_does_not_compile(
    own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its group stays as it is, others that wait with it have loops; it is not tried again."""
    good = fusing.text_of

    def bad(group: text.Group, name: str) -> text.Text:
        made = good(group, name)
        if len(group.steps) != 6:
            return made
        return replace(made, function=made.function.replace("return done", "return nothing"))

    monkeypatch.setattr(fusing, "text_of", bad)
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    run(lambda xp, x: (x + 1) * x - x + x * x, x)
    fusing.wait()
    assert own.counts == {"compiled": 1, "found": 0, "failed": 1}
    assert "nothing" in caplog.text
    same(run(hot_program, x), hot_program(np, np.arange(float(SIZE))))
    machine.forget_groups()
    monkeypatch.setattr(build, "compile_texts", None)
    run(hot_program, x)
    fusing.wait()
    assert own.counts == {"compiled": 1, "found": 1, "failed": 2}


def test_a_compiler_that_is_killed(own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch) -> None:
    lent: list[int] = [0]

    @contextlib.contextmanager
    def core_lent(*, always: bool = False) -> Iterator[None]:
        assert always
        lent.append(lent[-1] + 1)
        yield
        lent.append(lent[-1] - 1)

    def note(process: subprocess.Popen[str]) -> None:
        assert lent == [0, 1]  # a core is left to it
        process.kill()

    own_note = own._note
    monkeypatch.setattr(own, "_note", note)
    monkeypatch.setattr(machine, "core_lent", core_lent)
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    fusing.wait()
    assert own.counts["failed"] == 1
    assert lent == [0, 1, 0]
    monkeypatch.setattr(own, "_note", own_note)
    machine.forget_groups()  # another process tries again
    run(hot_program, x)
    fusing.wait()
    assert own.counts["compiled"] == 1
    same(run(hot_program, x), hot_program(np, np.arange(float(SIZE))))


def test_a_folder_that_cannot_be_written(
    own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusing, "_root", lambda: Path("/dev/null/loops"))
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    with pytest.warns(RuntimeWarning, match="cannot keep"):
        fusing.wait()
    same(run(hot_program, x), hot_program(np, np.arange(float(SIZE))))
    assert machine.fused_counts()["runs"] == 1


def test_the_policy_decides() -> None:
    x = jj.arange(float(SIZE))
    with jj.compile_policy("never"):
        run(hot_program, x)
        assert machine.hot_groups() == []
    with jj.compile_policy("auto", after=1e6):
        run(hot_program, x)
        assert machine.hot_groups() == []
    with jj.compile_policy("auto", after=0):
        run(hot_program, x)
        (group,) = machine.hot_groups()
        assert (group.told, len(text.Group.of_words(group.words).steps)) == (2, 6)


def _other_program(xp: Any, x: Any) -> Any:
    return (x + 1) * x - x + x * x


def test_groups_are_compiled_together_by_what_their_loops_promise() -> None:
    """What takes long for other reasons than its many steps promises little."""
    x = jj.arange(float(SIZE))
    promise = SIZE * 6 // 7 * 1e-9
    machine.set_fusing(0, 3.5 * promise)
    run(hot_program, x)
    assert [group.told for group in machine.hot_groups()] == [1]
    run(_other_program, x)
    assert [group.told for group in machine.hot_groups()] == [1]
    run(hot_program, x)
    assert machine.hot_groups() == []
    run(hot_program, x)
    assert [group.told for group in machine.hot_groups()] == [2, 2]
    run(hot_program, jj.arange(float(3 * SIZE)))
    assert machine.hot_groups() == []  # those are being compiled


def test_later_groups_have_to_promise_more() -> None:
    x = jj.arange(float(SIZE))
    promise = SIZE * 6 // 7 * 1e-9
    machine.set_fusing(0, 0.9 * promise)
    run(hot_program, x)
    assert [group.told for group in machine.hot_groups()] == [2]
    for told in ([1], [], [2]):
        run(_other_program, x)
        assert [group.told for group in machine.hot_groups()] == told


@pytest.mark.parametrize(("fusible", "counted"), [(0.0, 10), (4.0, 6), (6.0, 0), (10.0, 0)])
def test_what_is_for_loops_needs_no_graph(
    fusible: float, counted: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run of ten seconds, those in groups do not count, nor others where these are most."""
    candidate = policy.Candidate(b"")
    monkeypatch.setattr(policy, "_running", candidate)
    monkeypatch.setattr(policy, "_started", 5.0)
    monkeypatch.setattr(policy.time, "perf_counter", lambda: 15.0)
    monkeypatch.setattr(machine, "fusible_seconds", lambda: fusible)
    policy.settle()
    assert candidate.spent == counted


def test_what_is_for_loops() -> None:
    """Groups are, but for those that have none after all."""
    x = jj.arange(float(SIZE))
    run(hot_program, x)
    groups = machine.hot_groups()
    assert machine.fusible_seconds() > 0
    run(lambda xp, x: xp.sort(x), x)
    assert machine.fusible_seconds() == 0
    for group in groups:
        machine.set_fused(group.place, 0)
    run(hot_program, x)
    assert machine.fusible_seconds() == 0


def test_an_element_that_is_written_while_it_is_read_by_all(own: fusing.Fusing) -> None:
    def program(xp: Any, x: Any) -> Any:
        y = x.copy()
        y *= y[0] * 0.5 + y[:1] - y[-1:]
        y[:] = y + y[3:4] * y - y[7]
        return y

    x = np.random.default_rng(3).random(50003)
    for _ in range(3):
        same(run(program, jj.array(x)), program(np, x))
        fusing.wait()
    assert machine.fused_counts()["runs"] > 0


def test_a_loop_that_is_slower_is_not_used(
    own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two groups, one has a loop that does everything five hundred times."""
    good = fusing.text_of

    def slow(group: text.Group, name: str) -> text.Text:
        made = good(group, name)
        if len(group.steps) != 6:
            return made
        head, _, rest = made.function.partition("    for i in range(0, done, lanes):\n")
        body, _, end = rest.partition("    return done")
        indented = "".join(f"    {line}\n" for line in body.splitlines())
        loops = "    for _ in range(500):\n        for i in range(0, done, lanes):\n"
        return replace(made, function=f"{head}{loops}{indented}    return done{end}")

    monkeypatch.setattr(fusing, "text_of", slow)
    x = jj.arange(float(SIZE))
    for _ in range(2):
        run(hot_program, x)
        run(_other_program, x)
        fusing.wait()
    assert machine.fused_counts()["used"] == 2

    def used_when_declined(times: int, rounds: int) -> int:
        """Return how many loops are used as soon as one has been declined so often."""
        for _ in range(rounds):
            run(hot_program, x)
            found = machine.fused_counts()
            if found["declined"] >= times:
                return int(found["used"])
            run(hot_program, jj.arange(float(SIZE - 8)))  # says nothing: not timed as blocks
            run(_other_program, x)
        return -1

    assert used_when_declined(1, rounds=6) == 1
    assert used_when_declined(2, rounds=5000) == 1  # what it costs grows: it is tried again


def test_always_waits(own: fusing.Fusing, monkeypatch: pytest.MonkeyPatch) -> None:
    x = jj.arange(float(SIZE))
    monkeypatch.setattr(policy, "mode", "always")  # with the thresholds of `never`: no graphs
    run(hot_program, x)
    run(hot_program, x)
    assert machine.fused_counts()["used"] == 1


FULL = f"""
import resource
import numpy
import jujunp as np
from jujunp.lazy.fused import fusing
from jujunp.lazy.run import machine
np.compile_policy("never")
machine.set_fusing(0, 0)

def run():
    machine.forget_groups()
    x = np.arange({SIZE}.0)
    found = (x * 2 + 1) * x - 5.25 * x
    np.flush()
    fusing.fuse_hot()
    fusing.wait()
    x = numpy.arange({SIZE}.0)
    assert numpy.array_equal(found, (x * 2 + 1) * x - 5.25 * x)

_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
for least in (0, 1000, hard):
    resource.setrlimit(resource.RLIMIT_FSIZE, (least, hard))
    run()
print(fusing.FUSING.counts)
"""


def test_no_room_on_disk(run_python: Any, tmp_path: Path) -> None:
    """Files can have no byte, then a thousand; once there is room, the loop is made."""
    done = run_python(
        "from pathlib import Path\n"
        "from jujunp.lazy.fused import fusing\n"
        f"fusing._root = lambda: Path({str(tmp_path / 'loops')!r})\n"
        f"{FULL}",
        timeout=120,
    )
    assert done.stdout == "{'compiled': 1, 'found': 0, 'failed': 2}\n"


ENDS = f"""
import time
import jujunp as np
from jujunp.lazy.fused import fusing
from jujunp.lazy.run import machine
np.compile_policy("never")
machine.set_fusing(0, 0)
x = np.arange({SIZE}.0)
y = (x * 2 + 1) * x - 5.25 * x
np.flush()
fusing.fuse_hot()
while fusing.FUSING._process is None:
    time.sleep(0.01)
print("compiling")
"""


def test_the_interpreter_ends_while_a_loop_is_compiled(run_python: Any, tmp_path: Path) -> None:
    """At once, without a word, and nothing is left of the compiler."""
    (tmp_path / "places").mkdir()
    done = run_python(
        "from pathlib import Path\n"
        "from jujunp.lazy.fused import fusing\n"
        f"fusing._root = lambda: Path({str(tmp_path / 'loops')!r})\n"
        f"{ENDS}",
        TMPDIR=str(tmp_path / "places"),
        timeout=60,
    )
    assert (done.stdout.split(), done.stderr) == (["compiling"], "")
    assert list((tmp_path / "places").iterdir()) == []
    assert not (tmp_path / "loops").exists()  # the compiler was ended, not waited for
