"""Error states: which warnings come, when, in which words, and of which line."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.fused import fusing
from jujunp.lazy.run import frames, machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = [3, 100, 5000, 300_000]
"""Without a plan, in one block, in several, in several threads."""


@contextlib.contextmanager
def fused_at_once() -> Iterator[None]:
    machine.forget_groups()
    machine.set_fusing(0, 0)
    try:
        yield
    finally:
        machine.set_fusing(0.02, 0.5)
        machine.forget_groups()


@pytest.fixture
def found() -> Iterator[list[warnings.WarningMessage]]:
    jj.flush()
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        yield messages


def texts(found: list[warnings.WarningMessage]) -> list[str]:
    return [str(item.message) for item in found]


@pytest.mark.parametrize("size", SIZES)
def test_the_line_that_recorded_is_named(size: int, found: list[Any]) -> None:
    x = jj.linspace(-1.0, 1.0, size)
    y = jj.sqrt(x)  # this line
    line = _line_of("this line")
    z = y * 2 + x
    float(z[0])
    assert texts(found) == ["invalid value encountered in sqrt"]
    assert found[0].filename == __file__
    assert found[0].lineno == line
    assert found[0].category is RuntimeWarning


def _line_of(comment: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(k for k, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))


def test_scalars_name_their_line(found: list[Any]) -> None:
    x = jj.zeros(3)[0]
    kept = 1 / x  # the scalar's line
    assert jj.isinf(kept)
    line = _line_of("the scalar's line")
    assert texts(found) == ["divide by zero encountered in scalar divide"]
    assert (found[0].filename, found[0].lineno) == (__file__, line)


_FRAMES = """
import functools, warnings
import jujunp as np

def numbers():
    yield np.sqrt(x)  # line 6

class Number:
    def __rtruediv__(self, other):
        return other / x  # line 10

x = np.array([-1.0, 0.0])
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    kept = list(numbers())  # by C code, which the generator's frame is inside of
    kept += map(np.log, [x])  # line 16
    kept.append(functools.reduce(lambda _, x: np.log2(x), [0, x]))  # line 17
    kept.append(1 / Number())  # by an operator's
    exec(compile("kept.append(np.log10(x))", "typed", "exec"))
    np.flush()
for item in found:
    print(item.filename, item.lineno, str(item.message).split()[-1])
"""
"""The first calls of functions, which Python makes: C code calls it, and is called."""


def test_first_calls_name_their_lines(run_python: Callable[..., Any]) -> None:
    assert run_python(_FRAMES).stdout.splitlines() == [
        "<string> 6 sqrt",
        *["<string> 16 log"] * 2,
        *["<string> 17 log2"] * 2,
        "<string> 10 divide",
        *["typed 1 log10"] * 2,
    ]


def test_filters_see_the_module_that_recorded() -> None:
    x = jj.zeros(3)
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module=re.escape(__name__))
        (1 / x).tolist()
        assert messages == []
        warnings.filterwarnings("default", module=re.escape(__name__))
        for _ in range(3):
            (1 / x).tolist()
    assert texts(messages) == ["divide by zero encountered in divide"]


def test_frames_are_known() -> None:
    assert frames.PLACES.begin > 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("place", [0, -1, "middle"])
def test_one_element_among_many(size: int, place: int | str, found: list[Any]) -> None:
    at = size // 2 if place == "middle" else int(place)
    x = jj.ones(size)
    x[at] = 0
    y = (x + 1) * 3
    z = jj.log(x) + y / x
    assert jj.isnan(z[at])
    assert sorted(texts(found)) == [
        "divide by zero encountered in divide",
        "divide by zero encountered in log",
        "invalid value encountered in add",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_what_is_overwritten(size: int, found: list[Any]) -> None:
    x = jj.full(size, 2.0)
    x[size - 1] = 0
    jj.flush()
    x += 1
    x -= 1
    x[:] = 1 / x
    x *= 1e308
    x *= 10
    assert jj.isinf(x).all()
    assert sorted(texts(found)) == [
        "divide by zero encountered in divide",
        "overflow encountered in multiply",
    ]


@pytest.mark.parametrize("column", [11, 12])
def test_views_and_broadcasting(column: int, found: list[Any]) -> None:
    x = jj.ones((300, 400))
    x[7, column] = 0
    made = 1 / x.T[::3] + jj.ones(300)
    jj.flush()
    assert texts(found) == ["divide by zero encountered in divide"] * (column % 3 == 0)
    assert made.shape == (134, 300)


def test_panels_in_place(found: list[Any]) -> None:
    x = jj.full((300, 400), 0.5)
    x[7, 12] = 0
    y = jj.ones((400, 300))
    jj.flush()
    y += 2
    y /= x.T
    y *= 1e308
    assert jj.isinf(y).all()
    assert sorted(texts(found)) == [
        "divide by zero encountered in divide",
        "overflow encountered in multiply",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_what_raises_no_flag(size: int, found: list[Any]) -> None:
    x = jj.arange(size)
    last = jj.zeros(size)
    last[-1] = 1
    jj.flush()
    quotient = (x + 1) // (x - (size - 1))
    cast = (last * 1e30).astype("int32")
    half = (last * 1e5).astype("float16")
    assert (quotient + cast + half).shape == (size,)
    jj.flush()
    assert sorted(texts(found)) == [
        "divide by zero encountered in floor_divide",
        "invalid value encountered in cast",
        "overflow encountered in cast",
    ]


def test_what_ends_in_a_reduction(found: list[Any]) -> None:
    x = jj.full(100_000, 1e304)
    total = (x * 2).sum()
    assert jj.isinf(total)
    assert texts(found) == ["overflow encountered in reduce"]
    jj.flush()
    (x * 1e10).sum().item()
    assert texts(found)[1:] == ["overflow encountered in multiply"]


@pytest.mark.compile
def test_fused_loops(found: list[Any]) -> None:
    x = jj.linspace(1.0, 2.0, 200_000)
    bad = jj.linspace(0.0, 2.0, 200_000)

    def steps(x: Any) -> Any:
        return jj.log(x * 2) * (1 / x)

    with fused_at_once():
        for _ in range(3):
            jj.flush()
            kept = steps(x)
            jj.flush()
            fusing.wait()
        assert texts(found) == []
        before = fusing.counts()["runs"]
        kept = steps(bad)
        jj.flush()
        assert fusing.counts()["runs"] > before
    assert kept.shape == (200_000,)
    assert sorted(texts(found)) == [
        "divide by zero encountered in divide",
        "divide by zero encountered in log",
    ]


@pytest.mark.compile
def test_fused_loops_of_what_raises_no_flag(found: list[Any]) -> None:
    x, k = jj.linspace(1.0, 2.0, 200_003), jj.arange(200_003) % 5 + 1

    def steps(x: Any, k: Any) -> Any:
        return (x * 3).astype("int32") // k + (x + 1).astype("float16").astype("int64") % (k - 7)

    def fused() -> Any:
        """Let the steps run as blocks, and then as a loop that has had no trials before."""
        machine.forget_groups()
        for _ in range(2):
            kept = steps(x, k)
            jj.flush()
            fusing.wait()
        return kept

    with fused_at_once():
        kept = fused()
        assert texts(found) == []
        for place, number in ((3, 0), (200_002, 7)):
            bad, before = k.copy(), fusing.counts()["runs"]
            bad[place] = number
            jj.flush()
            kept = steps(x, bad)
            jj.flush()
            assert fusing.counts()["runs"] > before
        kept = fused()
        for place, number in ((3, 1e10), (200_002, 1e5)):
            bad, before = x.copy(), fusing.counts()["runs"]
            bad[place] = number
            jj.flush()
            kept = steps(bad, k)
            jj.flush()
            assert fusing.counts()["runs"] > before
    assert kept.shape == (200_003,)
    assert texts(found) == [
        "divide by zero encountered in floor_divide",
        "divide by zero encountered in remainder",
        "invalid value encountered in cast",
        "overflow encountered in cast",
        "invalid value encountered in cast",
        "overflow encountered in cast",
        "invalid value encountered in cast",
    ]


def test_a_step_keeps_its_state(found: list[Any]) -> None:
    x = jj.array([-1.0, 0.0])
    with jj.errstate(invalid="ignore"):
        quiet = jj.log(x)
    with jj.errstate(all="ignore"):
        silent = jj.log(x)
    loud = jj.log(x)
    with jj.errstate(all="ignore"):
        jj.flush()
    assert texts(found) == [
        "divide by zero encountered in log",
        "divide by zero encountered in log",
        "invalid value encountered in log",
    ]
    assert quiet.shape == silent.shape == loud.shape


def test_a_block_that_asks_is_told_at_its_end(found: list[Any]) -> None:
    x = jj.zeros(3)
    with jj.errstate(all="ignore"), jj.errstate(divide="warn"):
        y = 1 / x
    assert texts(found) == ["divide by zero encountered in divide"]
    assert y.shape == (3,)


@pytest.mark.parametrize("size", SIZES)
def test_raising(size: int) -> None:
    x = jj.zeros(size)
    with jj.errstate(all="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
            1 / x
        with pytest.raises(FloatingPointError, match="invalid value encountered in divide"):
            x / x
        with pytest.raises(FloatingPointError, match="overflow encountered in reduce"):
            jj.full(size, 1e308).sum()
        with pytest.raises(FloatingPointError, match="divide by zero encountered in scalar divide"):
            x[0].item() + 1 / x[0]
        assert (x + 1).sum() == size


def test_calls_prints_and_logs(capsys: pytest.CaptureFixture[str]) -> None:
    x = jj.array([0.0, 1.0])
    calls: list[tuple[str, int]] = []
    log = io.StringIO()
    with jj.errstate(divide="call", call=lambda *args: calls.append(args)):
        1 / x
        assert calls == [("divide by zero", 1)]
    with jj.errstate(divide="print"):
        1 / x
    assert capsys.readouterr().err == "Warning: divide by zero encountered in divide\n"
    with jj.errstate(divide="log", call=log):
        1 / x
    assert log.getvalue() == "Warning: divide by zero encountered in divide\n"


@pytest.mark.parametrize(
    "line",
    [
        "np.log(np.array([0.0, -1.0]))",
        "np.log(np.array([0.0, 1.0]))",
        "np.exp(np.array([1000.0, -1000.0]))",
        "np.array([1e308, 1.0, 0.0]) / np.array([1e-308, 1.0, 0.0])",
        "np.array([1e300, 1.0]).astype('f4')",
        "np.array([numpy.inf, -numpy.inf]).sum()",
        "np.log(np.linspace(-1.0, 1.0, 10001))",
    ],
)
def test_functions_are_called_with_all_flags_of_a_call(line: str) -> None:
    said = []
    for namespace in (np, jj):
        calls: list[tuple[str, int]] = []
        with namespace.errstate(all="call", call=lambda *args, calls=calls: calls.append(args)):
            eval(line, {"np": namespace, "numpy": np})
        said.append(calls)
    assert said[0] == said[1]


@pytest.mark.parametrize("mode", ["call", "log"])
def test_nobody_to_call(mode: Any) -> None:
    said = []
    for namespace in (np, jj):
        x = namespace.zeros(3)
        with (
            namespace.errstate(divide=mode, call=None),
            pytest.raises(NameError) as caught,
        ):
            1 / x
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_seterr_and_its_relatives(found: list[Any]) -> None:
    before = jj.seterr(divide="ignore")
    try:
        assert before == {**jj.geterr(), "divide": before["divide"]}
        kept = 1 / jj.zeros(3)
        jj.flush()
        assert texts(found) == []
    finally:
        jj.seterr(**before)
    old = jj.seterrcall(print)
    assert jj.geterrcall() is print
    jj.seterrcall(old)
    assert kept.shape == (3,)


def test_a_decorated_function(found: list[Any]) -> None:
    @jj.errstate(all="ignore")
    def compute(x: Any) -> Any:
        return jj.log(x)

    assert jj.isinf(compute(jj.zeros(3))).all()
    assert texts(found) == []


@pytest.mark.parametrize("namespace", [np, jj])
def test_a_block_is_entered_once(namespace: Any) -> None:
    state = namespace.errstate(all="raise")
    called = state(lambda n: namespace.geterr()["divide"] if n == 0 else called(n - 1))
    before = namespace.geterr()
    with state:
        assert called(2) == "raise"
        with pytest.raises(TypeError, match="twice"), state:
            pass
    with pytest.raises(TypeError, match="twice"), state:
        pass
    assert called(2) == "raise"
    assert namespace.geterr() == before


def test_numpys_own_block(found: list[Any]) -> None:
    with np.errstate(all="ignore"):
        assert jj.isinf(1 / jj.zeros(3)).all()
    assert texts(found) == []


def test_warnings_that_are_errors_lose_nothing() -> None:
    x = jj.array([-1.0, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, z = jj.sqrt(x), x + 1
        with pytest.raises(RuntimeWarning, match="invalid value encountered in sqrt"):
            jj.flush()
        assert y[1] == 2.0
        assert z.tolist() == [0.0, 5.0]
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in divide"):
            (1 / (z + 0)).tolist()


def test_underflow_where_it_is_asked_for(found: list[Any]) -> None:
    x = jj.array([1e-200, 1.0])
    assert (x * x)[0] == 0
    assert texts(found) == []
    with jj.errstate(under="warn"):
        assert (x * x)[0] == 0
        assert jj.exp(x - 1000)[0] == 0
    assert texts(found) == [
        "underflow encountered in multiply",
        "underflow encountered in exp",
    ]


def test_where_is_silent_of_what_it_leaves_out(found: list[Any]) -> None:
    x = jj.array([0.0, 2.0])
    assert jj.divide(1, x, where=x != 0, out=jj.zeros(2)).tolist() == [0.0, 0.5]
    assert texts(found) == []


@pytest.mark.parametrize("mode", ["ignore", "raise"])
def test_other_threads_have_their_own_state(mode: Any, found: list[Any]) -> None:
    inside, outside = threading.Event(), threading.Event()
    seen: list[str] = []

    def work() -> None:
        with jj.errstate(all=mode):
            inside.set()
            outside.wait()
            seen.append(jj.geterr()["divide"])
            with contextlib.suppress(FloatingPointError):
                (1 / jj.zeros(3)).tolist()
                seen.append("silent")

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    kept = 1 / jj.zeros(3)
    jj.flush()
    outside.set()
    thread.join()
    again = 1 / jj.zeros(3)
    jj.flush()
    assert seen == [mode, "silent"][: 2 if mode == "ignore" else 1]
    assert texts(found) == ["divide by zero encountered in divide"] * 2
    assert kept.shape == again.shape


def test_a_thread_ends_in_a_state_of_its_own(found: list[Any]) -> None:
    thread = threading.Thread(target=lambda: jj.seterr(all="ignore"))
    thread.start()
    thread.join()
    after: list[Any] = []
    thread = threading.Thread(target=lambda: after.append((1 / jj.zeros(3)).tolist()))
    thread.start()
    thread.join()
    assert len(after) == 1
    assert texts(found) == ["divide by zero encountered in divide"]


COMPOSED: dict[str, Callable[[Any], Any]] = {
    "nan_to_num": lambda x: jj.nan_to_num(x),
    "isclose": lambda x: jj.isclose(x, x),
    "nanmax": lambda x: jj.nanmax(x),
    "grad": lambda x: jj.grad(lambda y: jj.where(y > 0, jj.sqrt(jj.abs(y)), 0.0).sum())(x),
    "median": lambda x: jj.median(x),
    "sort": lambda x: jj.sort(x),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_what_is_composed_is_silent(name: str, found: list[Any]) -> None:
    COMPOSED[name](jj.array([jj.nan, jj.inf, -jj.inf, 0.5, 2.0]))
    jj.flush()
    assert texts(found) == []


def test_blocks_that_look_for_warnings() -> None:
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sqrt"):
        kept = jj.sqrt(jj.array([-1.0]))
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        kept = jj.log(jj.zeros(3))
    assert texts(messages) == ["divide by zero encountered in log"]
    jj.testing.assert_warns(RuntimeWarning, lambda: jj.sqrt(jj.array([-1.0])))
    with jj.testing.assert_warns(RuntimeWarning):
        kept = jj.sqrt(jj.array([-1.0, 1, 2]))
    with pytest.raises(AssertionError), jj.testing.assert_no_warnings():
        kept = jj.log(jj.zeros(3))
    assert kept.shape == (3,)


def test_a_block_sees_its_own_steps_alone(found: list[Any]) -> None:
    before = jj.log(jj.zeros(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside = jj.sqrt(jj.array([-1.0]))
    after = jj.array([1.0]) / 0.0
    jj.flush()
    assert texts(found) == [f"divide by zero encountered in {name}" for name in ("log", "divide")]
    assert len(before) == 3
    assert len(inside) == len(after) == 1


@pytest.mark.parametrize("size", [1, 3, 5_000])
def test_what_nobody_keeps_warns_where_warnings_are_collected(size: int) -> None:
    x = jj.zeros(size)
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        jj.log(x)
        jj.sqrt(x - 1.0) + 1.0
        jj.zeros(size)[:] = jj.array([1e300]).astype("float32")
        (x - 1.0) * jj.inf
    assert texts(messages) == [
        "divide by zero encountered in log",
        "invalid value encountered in sqrt",
        "overflow encountered in cast",
    ]


@pytest.mark.parametrize(("line", "status"), [("jj.log(x)", 0), ("y = jj.log(x)", 1)])
def test_what_nobody_keeps_does_not_run_elsewhere(line: str, status: int) -> None:
    begin = "import warnings, jujunp as jj; warnings.simplefilter('error'); x = jj.zeros(3)"
    command = [sys.executable, "-c", f"{begin}; {line}; jj.flush()"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == status


HALF: dict[str, Callable[[Any, Any], Any]] = {
    "spacing": lambda m, x: m.spacing(x),
    "up": lambda m, x: m.nextafter(x, m.float16(m.inf)),
    "down": lambda m, x: m.nextafter(x, m.float16(0)),
}


@pytest.mark.parametrize("name", HALF)
@pytest.mark.parametrize("sign", [1, -1])
def test_neighbours_of_half_precision(name: str, sign: int) -> None:
    every = np.copysign(np.arange(0x8000, dtype="uint16").view("float16"), np.float16(sign))
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        found = np.asarray(HALF[name](jj, jj.array(every)))
    with warnings.catch_warnings(record=True) as numpys:
        warnings.simplefilter("always")
        wanted = HALF[name](np, every)
    np.testing.assert_array_equal(found, wanted)
    assert texts(messages) == texts(numpys)


def test_errors_of_steps_stay_with_their_values() -> None:
    with jj.deferred_errors():
        with warnings.catch_warnings(record=True):
            y = (jj.array([1.0, 2.0]) / jj.array([0.0, 1.0]))[jj.array([5])]
        with pytest.raises(IndexError, match="index 5 is out of bounds"):
            y.tolist()


CASTS: dict[str, Callable[[Any, Any], Any]] = {
    "number": lambda m, x: x.__setitem__(0, 1e300),
    "slice": lambda m, x: x.__setitem__(slice(None), m.array([1.0, 1e300, 2.0])),
    "scalar": lambda m, x: x.__setitem__(1, m.float64(1e300)),
    "mask": lambda m, x: x.__setitem__(m.array([True, False, True]), m.array([1e300, 1.0])),
    "indices": lambda m, x: x.__setitem__([0, 2], m.array([1e300, 1.0])),
    "fill": lambda m, x: x.fill(1e300),
    "copyto": lambda m, x: m.copyto(x, m.array([1e300, 1.0, 1.0]), casting="unsafe"),
    "flat": lambda m, x: x.flat.__setitem__(slice(None), m.array([1e300, 1.0, 1.0])),
    "text": lambda m, x: x.flat.__setitem__(slice(None), np.array(["1e300"])),
    "array": lambda m, x: m.array([1e300], dtype="float32"),
}


@pytest.mark.parametrize("name", CASTS)
def test_casts_of_what_is_written(name: str) -> None:
    told = []
    for module in (np, jj):
        target = module.zeros(3, "float32")
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            CASTS[name](module, target)
        told.append((set(texts(messages)), target.tolist()))
    assert told[0] == told[1]
    with jj.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        CASTS[name](jj, jj.zeros(3, "float32"))


@pytest.mark.parametrize("place", [0, 5000, -1])
def test_one_quotient_that_overflows(found: list[Any], place: int) -> None:
    x = jj.ones(100_003, "int64")
    x[place] = np.iinfo("int64").min
    kept = jj.divmod(x, -1), x // -1
    jj.flush()
    assert set(texts(found)) == {f"overflow encountered in {n}" for n in ("divmod", "floor_divide")}
    assert len(kept) == 2


def test_calls_that_are_learnt_warn_of_nothing_else(found: list[Any]) -> None:
    for _ in range(8):
        product = (jj.zeros(5_000) - 1.0) * jj.inf
        jj.flush()
    assert texts(found) == []
    assert product.shape == (5_000,)


class Waiting:
    """An array_like that says when it is asked, and waits to be let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.asked.set()
        self.go.wait()
        return np.ones(2)


def test_names_of_calls_do_not_stay_where_threads_take_turns(found: list[Any]) -> None:
    first, second = Waiting(), Waiting()
    threads = [
        threading.Thread(target=call, args=(x,))
        for call, x in ((jj.add.reduce, first), (jj.add.accumulate, second))
    ]
    for thread, x in zip(threads, (first, second), strict=True):
        thread.start()
        x.asked.wait()
    for thread, x in zip(threads, (first, second), strict=True):
        x.go.set()
        thread.join()
    quotient = 1 / jj.zeros(3)
    jj.flush()
    assert texts(found) == ["divide by zero encountered in divide"]
    assert quotient.shape == (3,)


@pytest.mark.parametrize("exponent", [2, 0.5, -1])
def test_a_power_by_a_number_warns_as_power(exponent: float) -> None:
    x = jj.asarray([1e200, 0.0, -1.0])
    with pytest.warns(RuntimeWarning, match="encountered in power"):
        np.asarray(jj.power(x, exponent))
