"""Graphs for a GPU: which op runs where, and what is moved for it.

Elementwise operations run on the GPU, as do views of what is there, products and some reductions.
The structured kernels are CPU code: their operands are moved to the CPU, and what they make stays
there until something on the GPU reads it. A value of a few elements never leaves the CPU if
elementwise operations on such values made it, so that the counter and the condition of a loop wait
for no GPU.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...functions.sources import PREFIX
from ..ir.graph_ir import TensorSpec
from ..lower.support import gpu
from . import maxapi
from .maxapi import CPU_REF, GraphBuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy as np

    from ..ir.graph_ir import Plain
    from .maxapi import Tensor

_STORE = "jj.store"


class GpuGraphBuilder(GraphBuilder):
    """The ops that the lowering rules are made of, for graphs that run on a GPU."""

    on_gpu = True

    def __init__(self, graph: Any, device: Any) -> None:
        super().__init__(graph, device)
        self._scopes: list[dict[tuple[int, bool], tuple[Tensor, Tensor]]] = [{}]
        """What has been moved, by identity and target, in each region around this place."""
        self._constants: dict[int, tuple[Tensor, np.ndarray]] = {}
        """Constants on the CPU, with their elements: what reads them on the GPU gets its own."""
        self._loose: dict[int, Tensor] = {}
        """Elementwise results on the CPU that no op has put into memory."""

    @staticmethod
    def home(spec: TensorSpec, device: Any) -> Any:
        """Keep what is large on the GPU."""
        return CPU_REF if spec.stored.size <= gpu.FEW else device

    def custom(
        self, name: str, operands: Sequence[Tensor], results: Sequence[TensorSpec]
    ) -> list[Tensor]:
        """Apply one of the graph ops where it runs."""
        if name == _STORE and not _on_cpu(operands[0]):
            return list(operands)  # a tensor on the GPU shares no memory with an array
        if _runs_there(name):
            placed = self._together(operands, results[0].size)
            device = placed[0].device
        else:
            # The last operand of a fold or a store is evaluated there: it needs no memory.
            placed, device = [self._on_cpu(x) for x in operands], CPU_REF
        made = self._apply(name, placed, results, device)
        if device == CPU_REF and (_runs_there(name) or _is_function(name)):
            self._note_loose(made)
        return made

    def kernel(
        self,
        name: str,
        operands: Sequence[Tensor],
        results: Sequence[TensorSpec],
        attributes: Sequence[tuple[str, str, Plain]],
    ) -> list[Tensor]:
        """Apply a user's kernel, on the CPU."""
        return super().kernel(name, [self._on_cpu(x) for x in operands], results, attributes)

    def inline(self, code: bytes, operands: Sequence[Tensor]) -> list[Tensor]:
        """Put the ops of a graph, which was made for the CPU, into this one."""
        return super().inline(code, [self._on_cpu(x) for x in operands])

    def where(self, condition: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
        """Choose element by element."""
        size = maxapi.spec_of(condition).size
        made = super().where(*self._together([condition, on_true, on_false], size))
        if _on_cpu(made):
            self._note_loose([made])
        return made

    def constant(self, array: np.ndarray) -> Tensor:
        """Return an array of one axis or more as a tensor."""
        made = super().constant(array)
        self._constants[id(made)] = made, array.reshape(-1)
        return made

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Return the elements in C order in another shape; a constant stays one."""
        made = super().reshape(tensor, shape)
        if id(tensor) in self._constants:
            self._constants[id(made)] = made, self._constants[id(tensor)][1]
        return made

    def broadcast(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Repeat along axes of length 1, after a move rather than before it."""
        if TensorSpec(tuple(shape), "bool").size > gpu.FEW:
            tensor = self._on_gpu(tensor)
        return super().broadcast(tensor, shape)

    def copied(self, tensor: Tensor) -> Tensor | None:
        """Return a view on the GPU as it is: MAX writes it to memory where it has to."""
        return None if _on_cpu(tensor) else tensor

    def product(self, a: Tensor, b: Tensor, result: TensorSpec) -> Tensor | None:
        """Return the products of two stacks of matrices, by a kernel of the GPU."""
        if result.dtype not in gpu.PRODUCTS:
            return None
        operands = [self._on_gpu(a), self._on_gpu(b)]
        return self._apply("jj.matmul", operands, [result], self._device)[0]

    def reduced(self, kernel: str, tensor: Tensor, axes: Sequence[int]) -> Tensor | None:
        """Reduce integers on the GPU."""
        spec = maxapi.spec_of(tensor)
        if _on_cpu(tensor) or not gpu.reduces(kernel, spec.dtype, spec.size):
            return None
        return maxapi.reduced(kernel, tensor, axes)

    def while_loop(
        self,
        initial: Sequence[Tensor],
        predicate: Callable[[list[Tensor]], Tensor],
        body: Callable[[list[Tensor]], list[Tensor]],
    ) -> list[Tensor]:
        """Repeat `body`; each carried tensor stays where it belongs by its size."""

        def going(carried: list[Tensor]) -> Tensor:
            with self._region():
                return self._on_cpu(predicate(carried))

        def turn(carried: list[Tensor]) -> list[Tensor]:
            with self._region():
                return [self._at_home(x) for x in body(carried)]

        return super().while_loop([self._at_home(x) for x in initial], going, turn)

    def cond(
        self,
        predicate: Tensor,
        results: Sequence[TensorSpec],
        on_true: Callable[[], list[Tensor]],
        on_false: Callable[[], list[Tensor]],
    ) -> list[Tensor]:
        """Choose between two functions, by a bool on the CPU."""

        def branch(build: Callable[[], list[Tensor]]) -> Callable[[], list[Tensor]]:
            def built() -> list[Tensor]:
                with self._region():
                    return [self._at_home(x) for x in build()]

            return built

        return super().cond(self._on_cpu(predicate), results, branch(on_true), branch(on_false))

    def _together(self, operands: Sequence[Tensor], size: int) -> list[Tensor]:
        """Return the operands of an elementwise op in one place."""
        if size <= gpu.FEW and all(map(_on_cpu, operands)):
            return list(operands)
        return [self._on_gpu(x) for x in operands]

    def _at_home(self, tensor: Tensor) -> Tensor:
        few = maxapi.spec_of(tensor).size <= gpu.FEW
        return self._on_cpu(tensor) if few else self._on_gpu(tensor)

    def _on_cpu(self, tensor: Tensor) -> Tensor:
        return tensor if _on_cpu(tensor) else self._moved(tensor, to_cpu=True)

    def _on_gpu(self, tensor: Tensor) -> Tensor:
        return self._moved(tensor, to_cpu=False) if _on_cpu(tensor) else tensor

    def _moved(self, tensor: Tensor, *, to_cpu: bool) -> Tensor:
        """Return a tensor in the other place; it is moved once in a region and those inside."""
        key = id(tensor), to_cpu
        for scope in self._scopes:
            if key in scope:
                return scope[key][1]
        if id(tensor) in self._constants:
            flat = maxapi.constant(self._constants[id(tensor)][1], self._device)
            made = self.reshape(flat, maxapi.spec_of(tensor).shape)
        else:
            made = maxapi.moved(self._stored(tensor), CPU_REF if to_cpu else self._device)
        # With the tensor, so that no other one gets its identity.
        self._scopes[-1][key] = tensor, made
        return made

    def _stored(self, tensor: Tensor) -> Tensor:
        """Return a tensor, in memory if it is the result of elementwise ops on the CPU."""
        if id(tensor) not in self._loose:
            return tensor
        spec = maxapi.spec_of(tensor)
        flat = self.reshape(tensor, (spec.size,))
        (made,) = self._apply(_STORE, [flat], [TensorSpec((spec.size,), spec.dtype)], CPU_REF)
        return self.reshape(made, spec.shape)

    def _note_loose(self, tensors: Sequence[Tensor]) -> None:
        self._loose |= {id(tensor): tensor for tensor in tensors}

    @contextmanager
    def _region(self) -> Iterator[None]:
        """Build the region of a loop or a branch: what is made in it is not seen outside."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()


def _on_cpu(tensor: Tensor) -> bool:
    return bool(tensor.device == CPU_REF)


def _runs_there(name: str) -> bool:
    """Whether a graph op is an elementwise operation that runs on the GPU."""
    return gpu.runs(name.removeprefix("jj."))


def _is_function(name: str) -> bool:
    """Whether an op is a user's elementwise function."""
    return name.startswith(f"jj.{PREFIX}")
