"""Graphs for GPUs: what runs where, code for one that is not there, results of one that is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp.lazy import loader
from jujunp.lazy.compiled import TIER, CompileError, Graph, compile_together
from jujunp.lazy.compiled.graphs import (
    maxapi,
)
from jujunp.lazy.compiled.ir import devices
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.compiled.store import (
    digests,
)
from jujunp.lazy.compiled.worker import (
    process,
    wire,
)
from jujunp.lazy.compiled.worker.compiler import DONE, Job
from jujunp.lazy.run.statistics import CPU_KERNELS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jax.extend.core import ClosedJaxpr

VIRTUAL = devices.virtual_gpu("sm_90a")


def _chain(x: Any, y: Any) -> Any:
    return jnp.sin(x) * y + jnp.exp(-x)


def _choice(x: Any, y: Any) -> Any:
    return jnp.where(x > y, jnp.log1p(jnp.abs(x)), jnp.sqrt(jnp.abs(y)) / 3)


def _integers(x: Any, y: Any) -> Any:
    return (x // jnp.maximum(y, 1) + (x << 2)) ^ y


def _logic(x: Any, y: Any) -> Any:
    return ((x > 0) & ~y) | (x == 3)


def _views(x: Any) -> Any:
    return x[1:, ::2] - x[:-1, ::-2] + x.T[:1, :63].T


def _reshaped(x: Any) -> Any:
    return x.T.reshape(-1)[5:] * 2, x[::-1]


def _integer_sums(x: Any) -> Any:
    return jnp.sum(x * 2, axis=1), jnp.max(x, axis=0), jnp.sum(x)


def _float_sums(x: Any) -> Any:
    return jnp.sum(x * 2, axis=1), jnp.max(x, axis=0), jnp.mean(x * x)


def _product(a: Any, b: Any) -> Any:
    return jnp.tanh(a @ b.T)


def _stacked(a: Any, b: Any) -> Any:
    return jnp.einsum("bij,bjk->bik", a, b)


def _gradient(w1: Any, b1: Any, w2: Any, x: Any, y: Any) -> Any:
    def loss(w1: Any, b1: Any, w2: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 - y) ** 2)

    return jax.value_and_grad(loss, argnums=(0, 1, 2))(w1, b1, w2)


def _sorted(x: Any) -> Any:
    return jnp.sort(x * 2) + 1


def _spectrum(x: Any) -> Any:
    return jnp.abs(jnp.fft.fft(x)) * 2


def _repeated(x: Any) -> Any:
    def going(carry: Any) -> Any:
        return (carry[0] < 5) & (jnp.sum(carry[1]) < 1e6)

    return jax.lax.while_loop(going, lambda c: (c[0] + 1, c[1] * 1.5 + 1), (0, x))


def _branch(flag: Any, x: Any) -> Any:
    return jax.lax.cond(flag, jnp.sin, lambda x: x * 2, x)


def _scanned(x: Any, rows: Any) -> Any:
    return jax.lax.scan(lambda c, row: (c * 0.5 + row, jnp.tanh(c + row)), x, rows)


def _normal(key: Any) -> Any:
    return jax.random.normal(key, (1000,), dtype=np.float32) * 2 + 1


def _numbers(dtype: type, *shape: int) -> np.ndarray:
    values = np.random.default_rng(len(shape)).uniform(-5, 5, shape)
    return values > 0 if dtype is np.bool_ else values.astype(dtype)


CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...], dict[str, int]]] = {
    "chain": (_chain, (_numbers(np.float32, 64, 32), _numbers(np.float32, 32)), {}),
    "choice": (_choice, (_numbers(np.float64, 64, 32), _numbers(np.float64, 64, 1)), {}),
    "integers": (_integers, (_numbers(np.int32, 1000), _numbers(np.int32, 1000)), {}),
    "logic": (_logic, (_numbers(np.float32, 1000), _numbers(np.bool_, 1000)), {}),
    "views": (_views, (_numbers(np.float64, 64, 32),), {}),
    "reshaped": (_reshaped, (_numbers(np.float64, 64, 32),), {}),
    "integer sums": (_integer_sums, (_numbers(np.int64, 64, 32),), {}),
    "float sums": (
        _float_sums,
        (_numbers(np.float32, 64, 32),),
        {"reduce_sum": 2, "reduce_max": 1},
    ),
    "product": (_product, (_numbers(np.float32, 64, 32), _numbers(np.float32, 48, 32)), {}),
    "stacked": (_stacked, (_numbers(np.float64, 3, 64, 32), _numbers(np.float64, 3, 32, 16)), {}),
    "gradient": (
        _gradient,
        (
            *(_numbers(np.float32, 32, 64), _numbers(np.float32, 64), _numbers(np.float32, 64, 10)),
            *(_numbers(np.float32, 128, 32), _numbers(np.float32, 128, 10)),
        ),
        {"reduce_sum": 3},
    ),
    "sorted": (_sorted, (_numbers(np.float64, 1000),), {"sort": 1}),
    "spectrum": (
        _spectrum,
        (_numbers(np.float64, 256),),
        {"fft": 1, "copy": 2, "convert_element_type": 1, "abs": 1},
    ),
    "repeated": (_repeated, (_numbers(np.float64, 1000),), {"reduce_sum": 1}),
    "branch": (_branch, (np.array(True), _numbers(np.float64, 1000)), {}),
    "scanned": (_scanned, (_numbers(np.float32, 100), _numbers(np.float32, 90, 100)), {"scan": 1}),
    "normal": (
        _normal,
        (np.array([1, 2], np.uint32),),
        {"random_bits": 1, "copy": 2, "bitcast_convert_type": 1},
    ),
}
"""Functions, arguments, and the kernels that are expected on the CPU."""


def _closed(name: str) -> ClosedJaxpr:
    function, arguments, _ = CASES[name]
    with jax.enable_x64(True):
        return jax.make_jaxpr(function)(*arguments)


def _ops(name: str) -> Counter[str]:
    """Return how often each op stands in the text of the graph for a GPU; nothing is compiled."""
    text = str(Graph(_closed(name), VIRTUAL).max_graph())
    return Counter(
        {
            op: text.count(op)
            for op in ("mo.transfer", "jj.store", "jj.call", "jj.fold", "jj.matmul")
        }
    )


def test_a_machine_without_an_accelerator_says_so() -> None:
    from max.driver import accelerator_count

    if accelerator_count():
        pytest.skip("there is one")
    with pytest.raises(jujunp.NoAccelerator, match="MAX finds no accelerator"):
        jujunp.gpu_engine()
    assert issubclass(jujunp.NoAccelerator, RuntimeError)


def test_the_cpu_engine_is_the_default_device() -> None:
    assert jujunp.cpu_engine() == devices.CPU
    assert devices.CPU.name == "cpu"
    assert VIRTUAL.name == "gpu:0"


def test_digests_differ_by_device() -> None:
    ir = from_jaxpr(_closed("chain"))
    some = [
        devices.CPU,
        VIRTUAL,
        devices.virtual_gpu("sm_80"),
        devices.Device("gpu", 0, "sm_90a"),
        devices.Device("gpu", 1, "sm_90a"),
    ]
    assert len({digests.digest(ir, device) for device in some}) == len(some)
    assert digests.digest(ir) == digests.digest(ir, devices.CPU)
    assert Graph(_closed("chain"), VIRTUAL).name == digests.digest(ir, VIRTUAL)


@pytest.mark.parametrize("name", CASES)
def test_kernels_without_a_counterpart_run_on_the_cpu(name: str) -> None:
    assert Graph(_closed(name)).cpu_kernels() == CASES[name][2]


@pytest.mark.parametrize("name", ["chain", "choice", "integers", "logic", "views", "product"])
def test_what_runs_on_a_gpu_moves_nothing_and_needs_no_store(name: str) -> None:
    found = _ops(name)
    assert found["mo.transfer"] == found["jj.call"] == found["jj.store"] == found["jj.fold"] == 0
    assert (found["jj.matmul"] > 0) == (name == "product")


def test_a_kernel_is_given_its_operand_and_returns_its_result() -> None:
    assert _ops("sorted")["mo.transfer"] == 2  # to the sort, and to the sum after it


def test_loops_count_and_decide_on_the_cpu() -> None:
    found = _ops("repeated")
    assert found["jj.store"] > 0
    assert found["mo.transfer"] == 1  # what the condition adds up


def test_graphs_for_the_cpu_move_nothing() -> None:
    text = str(Graph(_closed("sorted")).max_graph())
    assert "mo.transfer" not in text
    assert "gpu" not in text
    assert "jj.store" in text


def test_a_graph_for_a_virtual_gpu_cannot_be_run_and_its_kernels_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = Graph(_closed("sorted"), VIRTUAL)
    job = Job(graph.name, graph.ir, graph.device, DONE)
    job.finished.set()
    monkeypatch.setattr(TIER.compiler, "submit", lambda *args, **kwargs: job)
    before = CPU_KERNELS.get("sort", 0)
    for _ in range(2):
        with pytest.raises(CompileError, match="no sm_90a is there"):
            graph.compile()
    assert jujunp.stats()["cpu kernels in gpu graphs"]["sort"] == before + 1


@pytest.mark.long
@pytest.mark.compile
def test_graphs_compile_for_a_gpu_that_is_not_there() -> None:
    irs = [from_jaxpr(_closed(name)) for name in CASES]
    worker = process.WorkerProcess()
    try:
        reply = worker.ask(wire.Batch(tuple(irs), VIRTUAL))
    finally:
        worker.stop()
    assert isinstance(reply, wire.Compiled), reply
    assert reply.refused == {}
    # what the assembler notes in each kernel
    assert reply.mef.count(b"-arch sm_90a") > 10


@pytest.mark.long
@pytest.mark.compile
def test_a_program_is_saved_for_a_gpu_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "product.jj"
    jujunp.export(_product, *CASES["product"][1], device=VIRTUAL).save(path)
    bundle = loader.Bundle(path)
    assert bundle.gpu == loader.Gpu(0, "sm_90a")
    (module,) = (content for name, content in bundle.members.items() if name.endswith(".mef"))
    assert b"-arch sm_90a" in module
    if VIRTUAL.architecture not in maxapi.accelerators():
        with pytest.raises(jujunp.BundleError, match="compiled for GPU number 0, sm_90a"):
            jujunp.load_program(path)


@pytest.mark.gpu
@pytest.mark.compile
def test_a_program_on_a_gpu(tmp_path: Path) -> None:
    x = _numbers(np.float32, 64, 32)
    like = jujunp.like(x)

    class Sum(jujunp.Program, device=jujunp.gpu_engine()):
        total = np.zeros((64, 32), np.float32)

        def add(self, x: Any = like) -> Any:
            self.total = self.total + jnp.sin(x)
            return self.total.T @ self.total

    program = Sum()
    program.add(x)
    program.save(tmp_path / "sum.jj")
    loaded = jujunp.load_program(tmp_path / "sum.jj")
    for one in (program, loaded):
        found = np.asarray(one.add(x))
        total = 2 * np.sin(x)
        np.testing.assert_allclose(found, total.T @ total, rtol=1e-4)
        np.testing.assert_allclose(np.asarray(one.total), total, rtol=1e-5)


@pytest.mark.gpu
@pytest.mark.compile
def test_a_gpu_gives_what_the_cpu_gives() -> None:
    device = jujunp.gpu_engine()
    closed = {name: _closed(name) for name in CASES}
    there = _executables(closed, device)
    here = _executables(closed, devices.CPU)
    for name, (_, arguments, _) in CASES.items():
        expected = here[name](arguments)
        found = there[name](arguments)
        for x, y in zip(found, expected, strict=True):
            assert (x.dtype, x.shape) == (y.dtype, y.shape), name
            # products are added up in another order, and what they add up to may be small
            rtol = 1e-5 if x.itemsize < 8 else 1e-12
            largest = np.abs(y).max(initial=0)
            np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * largest, err_msg=name)


def _executables(closed: dict[str, ClosedJaxpr], device: devices.Device) -> dict[str, Any]:
    graphs = {name: Graph(x, device) for name, x in closed.items()}
    compile_together(graphs.values())
    return dict(graphs)
