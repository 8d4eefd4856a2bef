"""Executables, and what of MAX 26.7 the compiled tier relies on."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jujunp.lazy.compiled.graphs import maxapi
from jujunp.lazy.compiled.read.reader import from_jaxpr
from tests.support.graphs.compiled import executables_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from jujunp.lazy.compiled.graphs.maxapi import Executable
    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

pytestmark = pytest.mark.compile

N = 1 << 18


def trace(function: Callable[..., Any], *arguments: Any) -> GraphIR:
    with jax.enable_x64(True):
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in map(np.asarray, arguments)]
        return from_jaxpr(jax.make_jaxpr(function)(*specs))


def take(x: Any, index: Any) -> Any:
    numbers = lax.GatherDimensionNumbers((), (0,), (0,))
    return lax.gather(x, index[:, None], numbers, (1,), mode="promise_in_bounds")


FIVE = np.arange(5.0)
GRAPHS: dict[str, GraphIR] = {
    "flags": trace(lambda p, q, f: (p & q, ~f), np.True_, np.True_, np.ones(3, bool)),
    "sum": trace(lambda x: x + 1.0, FIVE),
    "large": trace(lambda x, y: jnp.sqrt(x * 2 + y).sum(), np.ones(N), np.ones(N)),
    "stencil": trace(
        lambda a: 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]),
        np.ones((40, 50)),
    ),
    "take": trace(take, FIVE, np.arange(3)),
    "mean": trace(lambda x: ((x - 1.5) ** 2).sum(1), np.ones((30, 50))),
    "constant": trace(lambda: jnp.arange(3.0) * 2),
    "subnormal": trace(lambda x: (x / 3, x * 0.5), np.ones(1 << 17)),
    "equal": trace(lambda x: (lax.integer_pow(x, 2), x * x), FIVE),
}


@pytest.fixture(scope="module")
def executables() -> dict[str, Executable]:
    return executables_of(GRAPHS)


def test_flags_without_axes_go_in_and_out(executables: dict[str, Executable]) -> None:
    both, inverted = executables["flags"](
        [np.array(True), np.array(False), np.array([1, 0, 1], bool)]
    )
    assert (both.shape, both.dtype, both.item()) == ((), bool, False)
    assert inverted.tolist() == [False, True, False]


def test_inputs_may_be_read_only(executables: dict[str, Executable]) -> None:
    x = np.arange(5.0)
    x.flags.writeable = False
    assert executables["sum"]([x])[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_inputs_are_not_copied() -> None:
    x = np.arange(5.0)
    x.flags.writeable = False
    assert maxapi._buffer(x)._data_ptr() == x.ctypes.data


def test_inputs_may_lie_at_any_address(executables: dict[str, Executable]) -> None:
    memory = np.zeros(41, np.uint8)
    x = memory[1:].view(np.float64)
    x[...] = np.arange(5.0)
    assert executables["sum"]([x])[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    "bad", [np.ones(4), np.ones((5, 1)), np.ones(5, np.float32), np.ones(10)[::2]]
)
def test_other_inputs_are_refused(executables: dict[str, Executable], bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"."):
        executables["sum"]([bad])
    assert executables["sum"]([np.zeros(5)])[0].tolist() == [1.0] * 5


def test_an_index_out_of_bounds_is_an_index_error(executables: dict[str, Executable]) -> None:
    take = executables["take"]
    assert take([FIVE, np.array([4, -5, 0])])[0].tolist() == [4.0, 0.0, 0.0]
    with pytest.raises(IndexError, match=r"^index 7 is out of bounds for axis 0 with size 5$"):
        take([FIVE, np.array([4, 7, 0])])
    assert take([FIVE, np.array([1, 1, 1])])[0].tolist() == [1.0] * 3


def test_results_outlive_everything(executables: dict[str, Executable]) -> None:
    results = [executables["sum"]([np.full(5, float(n))])[0] for n in range(200)]
    assert all((result == n + 1).all() for n, result in enumerate(results))


def test_results_share_no_memory(executables: dict[str, Executable]) -> None:
    one, other = executables["equal"]([FIVE])
    one[...] = -1
    assert other.tolist() == [0.0, 1.0, 4.0, 9.0, 16.0]


def test_a_graph_without_inputs(executables: dict[str, Executable]) -> None:
    first, second = (executables["constant"]([])[0] for _ in range(2))
    first[...] = 9
    assert second.tolist() == [0.0, 2.0, 4.0]
    assert executables["constant"]([])[0].tolist() == [0.0, 2.0, 4.0]


def test_subnormals_are_kept_in_all_threads(executables: dict[str, Executable]) -> None:
    x = np.full(1 << 17, 3e-310)
    for result, want in zip(executables["subnormal"]([x]), (x / 3, x * 0.5), strict=True):
        np.testing.assert_array_equal(result, want)


def fused(executable: Executable) -> list[str]:
    """Return the kernels in which something is computed."""
    return [kernel for kernel in executable.kernels if "custom__jj" in kernel]


def test_a_stencil_is_one_kernel(executables: dict[str, Executable]) -> None:
    (kernel,) = fused(executables["stencil"])
    assert kernel.count("custom__jj.add") == 3
    assert "custom__jj.store" in kernel


def test_a_reduction_is_part_of_its_expression(executables: dict[str, Executable]) -> None:
    (kernel,) = fused(executables["mean"])
    assert "custom__jj.fold" in kernel


def test_threads_run_one_executable_at_once(executables: dict[str, Executable]) -> None:
    wrong = []

    def run(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(20):
            x, y = rng.random(N), rng.random(N)
            want = np.sqrt(x + x + y).sum()
            if executables["large"]([x, y])[0] != want:
                wrong.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_module_of_another_kind_is_refused() -> None:
    for mef in (b"", b"no module", b"\x7fELF" * 100):
        with pytest.raises(RuntimeError):
            maxapi.load(mef)
