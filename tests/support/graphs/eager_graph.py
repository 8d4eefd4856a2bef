"""A graph that is computed while it is built, by NumPy's views and the kernels.

Lowering builds its graphs through the methods of `maxapi.GraphBuilder`. Here these compute, so that
all but MAX itself is run: routines, views, regions, branches and loops, in milliseconds a graph.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jujunp.lazy.compiled.graphs.door import kernel_numbers, open_door
from jujunp.lazy.compiled.ir import sizes
from jujunp.lazy.compiled.ir.graph_ir import GraphIR, KernelFailed, TensorSpec
from jujunp.lazy.compiled.lower import lowering_of
from jujunp.lazy.compiled.lower.support.calls import ANCHOR
from jujunp.lazy.rules.operand import constant, node
from jujunp.lazy.values.dtypes import DTYPES, NAMES, kernel_code
from tests.support.immediate import computed

Tensors = Sequence[np.ndarray]


def run(ir: GraphIR, arrays: Tensors) -> list[np.ndarray]:
    """Return what the graph of an IR gives for arrays."""
    lowering = lowering_of(ir)
    specs = ir.specs[: ir.inputs]
    pairs = list(zip(arrays, specs, strict=True))
    inputs = [_stored(x, spec.dtype) for x, spec in pairs]
    inputs += [np.zeros(ANCHOR.shape, ANCHOR.dtype)] * (len(lowering.inputs) - len(inputs))
    lengths = (pair for x, spec in pairs for pair in zip(spec.shape, x.shape, strict=True))
    symbols = {str(name): length for name, length in lengths if sizes.is_symbolic([name])}
    graph = EagerSymbolicGraph(inputs, symbols) if ir.symbolic else EagerGraph(inputs)
    lowering.build(graph, kernel_numbers())  # type: ignore[arg-type]
    outputs = [_sized(ir.specs[value], symbols) for value in ir.outputs]
    return [spec.seen(x) for spec, x in zip(outputs, graph.outputs, strict=True)]


def _stored(x: np.ndarray, dtype: str) -> np.ndarray:
    stored = TensorSpec(x.shape, dtype).stored
    return np.ascontiguousarray(x).reshape(-1).view(_dtype(stored)).reshape(stored.shape)


def _sized(spec: TensorSpec, symbols: Mapping[str, int]) -> TensorSpec:
    """Return a spec with the values of the symbols in its shape."""
    return TensorSpec(tuple(sizes.evaluated(length, symbols) for length in spec.shape), spec.dtype)


def _dtype(spec: TensorSpec) -> np.dtype:
    return DTYPES[NAMES.index(spec.dtype)]


class EagerGraph:
    """What lowering knows of `maxapi.GraphBuilder`, on arrays.

    It asserts that no op depends on constants alone: MAX would compile kernels to compute it.
    """

    on_gpu = False

    def __init__(self, inputs: Tensors) -> None:
        self.inputs = list(inputs)
        self.outputs: list[np.ndarray] = []
        self._kernels = {number: name for name, number in kernel_numbers().items()}
        self._constants: dict[int, np.ndarray] = {}

    def output(self, tensors: Tensors) -> None:
        self.outputs = list(tensors)

    def custom(
        self, name: str, operands: Tensors, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        assert not all(map(self._is_constant, operands)), name
        operands = [np.ascontiguousarray(x).reshape(x.shape) for x in operands]
        short = name.removeprefix("jj.")
        for several in ("call", "dense"):
            if short.startswith(several):
                made: list[np.ndarray] = getattr(self, f"_{several}")(operands, results)
                return made
        if hasattr(self, f"_{short}"):
            found: list[np.ndarray] = getattr(self, f"_{short}")(operands, results[0])
            return found
        (spec,) = results
        assert all(x.shape == spec.shape for x in operands), name
        given = [constant(x, kernel_code(x.dtype)) for x in operands]
        return [computed(node(short, given, spec.shape, NAMES.index(spec.dtype)))]

    def _call(self, operands: Tensors, results: Sequence[TensorSpec]) -> list[np.ndarray]:
        routine, *inputs = operands
        assert all(x.ndim == 1 for x in inputs)
        made = [np.empty(spec.shape, _dtype(spec)) for spec in results]
        _run_routine(routine, [x.ctypes.data for x in (*made, *inputs)])
        return made

    def _store(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        (x,) = operands
        assert (x.shape, x.dtype) == (result.shape, _dtype(result))
        assert x.ndim > 0
        return [x.copy()]

    def reduced(self, kernel: str, tensor: np.ndarray, axes: Sequence[int]) -> None:
        """Leave reductions to the structured kernels, as the builder for a CPU does."""

    def _fold(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        routine, x = operands
        assert x.ndim == 2
        given = constant(x, kernel_code(x.dtype))
        name, axis = self._kernels[int(routine[0])], int(routine[1])
        return [computed(node(name, [given], result.shape, given.code, [axis]))]

    def _anchor(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        return [operands[0].copy()]

    def _room(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        memory = np.empty(result.shape, _dtype(result))
        return [memory, np.array([memory.ctypes.data])]

    def _put(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        routine, address, row, place = operands
        _run_routine(routine, [int(address[0]), row.ctypes.data, place.ctypes.data])
        return [address]

    def _filled(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        memory, address = operands
        assert memory.ctypes.data == address[0]
        return [memory.copy()]

    def while_loop(
        self,
        initial: Tensors,
        predicate: Callable[[list[np.ndarray]], np.ndarray],
        body: Callable[[list[np.ndarray]], list[np.ndarray]],
    ) -> list[np.ndarray]:
        carried = [x.copy() for x in initial]
        while predicate(carried):
            made = body(carried)
            assert [(x.shape, x.dtype) for x in made] == [(x.shape, x.dtype) for x in carried]
            carried = made
        return carried

    def cond(
        self,
        predicate: np.ndarray,
        results: Sequence[TensorSpec],
        on_true: Callable[[], list[np.ndarray]],
        on_false: Callable[[], list[np.ndarray]],
    ) -> list[np.ndarray]:
        assert predicate.shape == ()
        wanted = [(spec.shape, _dtype(spec)) for spec in results]
        both = on_false(), on_true()
        for found in both:
            assert [(x.shape, x.dtype) for x in found] == wanted
        return [x.copy() for x in both[bool(predicate)]]

    def constant(self, array: np.ndarray) -> np.ndarray:
        assert array.ndim > 0
        made = array.copy()
        self._constants[id(made)] = made
        return made

    def _is_constant(self, tensor: np.ndarray) -> bool:
        root = tensor
        while isinstance(root.base, np.ndarray):
            root = root.base
        return id(root) in self._constants

    def reshape(self, tensor: np.ndarray, shape: Sequence[int]) -> np.ndarray:
        return tensor.reshape(tuple(shape))

    def broadcast(self, tensor: np.ndarray, shape: Sequence[int]) -> np.ndarray:
        return np.broadcast_to(tensor, tuple(shape))

    def transpose(self, tensor: np.ndarray, permutation: Sequence[int]) -> np.ndarray:
        assert not self._is_constant(tensor)
        return tensor.transpose(permutation)

    def slice(
        self, tensor: np.ndarray, starts: Sequence[int], stops: Sequence[int], steps: Sequence[int]
    ) -> np.ndarray:
        assert not self._is_constant(tensor)
        return tensor[tuple(slice(*bounds) for bounds in zip(starts, stops, steps, strict=True))]

    def reverse(self, tensor: np.ndarray, axes: Sequence[int]) -> np.ndarray:
        assert not self._is_constant(tensor)
        return np.flip(tensor, tuple(axes))

    def where(self, condition: np.ndarray, on_true: Any, on_false: Any) -> np.ndarray:
        assert not all(map(self._is_constant, (condition, on_true, on_false)))
        return np.where(condition, on_true, on_false)


class EagerSymbolicGraph(EagerGraph):
    """What symbolic lowering knows of `maxapi.SymbolicGraph`, for some values of the symbols."""

    def __init__(self, inputs: Tensors, symbols: Mapping[str, int]) -> None:
        super().__init__(inputs)
        self._symbols = symbols

    def with_symbols(self) -> EagerSymbolicGraph:
        return self

    def sizes(self, symbols: Sequence[str]) -> np.ndarray:
        return np.array([self._symbols[symbol] for symbol in symbols], np.int64)

    def custom(
        self, name: str, operands: Tensors, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        return super().custom(name, operands, [_sized(spec, self._symbols) for spec in results])

    def _dense(self, operands: Tensors, results: Sequence[TensorSpec]) -> list[np.ndarray]:
        routine, values, *inputs = operands
        made = [np.empty(spec.shape, _dtype(spec)) for spec in results]
        tensors = [*made, *inputs]
        words = [len(tensors)]
        for x in tensors:
            words += [x.ctypes.data, x.ndim, *x.shape]
        fault = np.zeros(4, np.int64)
        given = (routine, values, np.array(words, np.int64))
        run_dense = open_door().jujunp_run_dense
        run_dense.restype = ctypes.c_int64
        status = run_dense(*map(_address, given), ctypes.c_int64(1), _address(fault))
        if status:
            raise KernelFailed(f"kernel {fault[0]} failed: {status}")
        return made

    def _size(self, operands: Tensors, result: TensorSpec) -> list[np.ndarray]:
        return [np.array([size(*operands)])]

    def reshape(self, tensor: np.ndarray, shape: Sequence[int | str]) -> np.ndarray:
        return tensor.reshape(self._evaluated(shape))

    def broadcast(self, tensor: np.ndarray, shape: Sequence[int | str]) -> np.ndarray:
        return np.broadcast_to(tensor, self._evaluated(shape))

    def part(
        self, tensor: np.ndarray, bounds: Sequence[Sequence[Any]], shape: Sequence[int | str]
    ) -> np.ndarray:
        assert not self._is_constant(tensor)
        made = tensor[tuple(slice(*map(int, bound)) for bound in bounds)]
        assert made.shape[: len(bounds)] == self._evaluated(shape[: len(bounds)])
        return made

    def _evaluated(self, shape: Sequence[int | str]) -> tuple[int, ...]:
        return tuple(sizes.evaluated(length, self._symbols) for length in shape)


def size(words: np.ndarray, values: np.ndarray) -> int:
    """Evaluate an expression of sizes for some values of its symbols."""
    value = open_door().jujunp_size
    value.restype = ctypes.c_int64
    return int(value(_address(words), _address(values)))


def _address(x: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(x.ctypes.data)


def _run_routine(routine: np.ndarray, addresses: Sequence[int]) -> None:
    words = (ctypes.c_int64 * len(addresses))(*addresses)
    fault = (ctypes.c_int64 * 4)()
    run_routine = open_door().jujunp_run_routine
    run_routine.restype = ctypes.c_int64
    status = run_routine(ctypes.c_void_p(routine.ctypes.data), words, ctypes.c_int64(1), fault)
    if status:
        raise KernelFailed(f"kernel {fault[0]} failed: {status}")
