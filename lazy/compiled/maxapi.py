"""The one door to MAX: running executables, and building and compiling graphs.

Importing this module imports `max`, which takes as long as importing JAX; the package therefore
imports it when the first executable is wanted. Everything that depends on how MAX 26.7 behaves is
here and in `kernels/graph`.
"""

from __future__ import annotations

import functools
import io
import os
import re
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from max import engine  # type: ignore[import-untyped]
from max.driver import CPU, Buffer  # type: ignore[import-untyped]
from max.dtype import DType  # type: ignore[import-untyped]
from max.graph import DeviceRef, Graph, KernelLibrary, Module, TensorType, ops  # type: ignore[import-untyped]

from .door import open_door
from .program import Spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from max.engine import Model  # type: ignore[import-untyped]

CPU_REF = DeviceRef.CPU()


class ExecutableLost(RuntimeError):
    """MAX's threads do not survive `fork`: a child process cannot run what its parent loaded."""


class Executable:
    """A compiled graph that can be called."""

    __slots__ = ("_arity", "_model")

    def __init__(self, model: Model) -> None:
        self._model = model
        self._arity = len(model.input_metadata)

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the graph on C-contiguous arrays of exactly its input shapes and dtypes.

        The inputs are read in place, and may be read-only. The results are new arrays that own
        their memory and share none with an input or with each other.

        Raises IndexError in NumPy's words for an index that is out of bounds, ValueError for
        inputs of other shapes or dtypes, and ExecutableLost in a process that was forked from the
        one that loaded the graph.
        """
        if _forked:
            raise ExecutableLost("compiled graphs cannot run in a forked process")
        buffers = [_buffer(array) for array in inputs]
        if len(buffers) < self._arity:
            buffers.append(_anchor())
        # `execute` checks what the caller promised (4 us), and then calls this.
        try:
            results = self._model._execute_device_tensors(buffers)
        except ValueError as error:
            raise _in_numpys_words(error) from None
        arrays = [_to_array(result) for result in results]
        if len(results) > 1 and len({result._data_ptr() for result in results}) < len(results):
            # MAX merges equal ops, even those that make the memory of two outputs.
            return [array.copy() for array in arrays]
        return arrays

    @property
    def kernels(self) -> list[str]:
        """What MAX made of the graph: one text for each step, naming the ops fused in it."""
        return list(self._model.kernel_summaries)


_OUT_OF_BOUNDS = re.compile("jujunp: (index .* is out of bounds for axis .*)")
_to_array = np.from_dlpack
_forked = False


def _buffer(array: np.ndarray) -> Buffer:
    """Return an array's memory as MAX's buffer.

    Buffer.from_dlpack would copy an array that is read-only, and fails for bool arrays without
    axes; the function behind it checks nothing.
    """
    flags = array.flags
    if not flags.c_contiguous:
        raise ValueError("the inputs of a compiled graph must be C-contiguous")
    return Buffer._from_dlpack(array if flags.writeable else _Alias.of(array))


class _Alias:
    """An array's memory, for a second array that may be written; DLPack takes no other."""

    __slots__ = ("__array_interface__", "_array")
    __array_interface__: dict[str, Any]
    _array: np.ndarray

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = array.__array_interface__ | {"data": (address, False)}

    @classmethod
    def of(cls, array: np.ndarray) -> np.ndarray:
        """Return an array with the same elements; MAX does not write to inputs."""
        return np.asarray(cls(array))


def _in_numpys_words(error: ValueError) -> Exception:
    """Return what NumPy would raise for the error of a kernel."""
    found = _OUT_OF_BOUNDS.search(str(error))
    return error if found is None else IndexError(found[1])


@functools.cache
def _anchor() -> Buffer:
    return _buffer(np.zeros(1, np.int64))


@functools.cache
def _session() -> engine.InferenceSession:
    session = engine.InferenceSession(devices=[CPU()])
    os.register_at_fork(after_in_child=_lose)
    return session


def _lose() -> None:
    global _forked
    _forked = True


def usable() -> bool:
    """Whether executables can run in this process."""
    return not _forked


def load(mef: bytes) -> list[Executable]:
    """Return the executables of a module, in its order; RuntimeError if it is none of this MAX.

    Raises KernelBuildError if the structured kernels, which they call, cannot be built.
    """
    session = _session()
    open_door()
    return [Executable(model) for model in session.init_all(engine.read(io.BytesIO(mef))).values()]


Tensor = Any
"""A value of a graph under construction."""


class CompileFailed(RuntimeError):
    """MAX could not compile a module; the text is what it said."""


class ModuleBuilder:
    """Graphs that are compiled together, with the graph ops of the packages at `extensions`."""

    def __init__(self, extensions: Sequence[Path]) -> None:
        self._extensions = list(extensions)
        self._library = KernelLibrary(self._extensions)
        self._module = Module()
        self._count = 0

    @contextmanager
    def graph(self, inputs: Sequence[Spec]) -> Iterator[GraphBuilder]:
        """Add a graph with these inputs; the body builds it and calls `output`."""
        # Names are by position, because MAX's own cache gives a module back under the names under
        # which it was compiled first.
        name = f"g{self._count}"
        types = [_tensor_type(spec) for spec in inputs]
        with Graph(
            name, input_types=types, kernel_library=self._library, module=self._module
        ) as graph:
            yield GraphBuilder(graph)
        self._count += 1

    def compile(self) -> bytes:
        """Return the module as a MEF, its executables in the order in which they were added."""
        session = _session()
        session.debug.source_tracebacks = True
        try:
            compiled = session.compile(self._module, custom_extensions=self._extensions)
        except RuntimeError as error:
            raise CompileFailed(f"{error}\n{error.__cause__ or ''}") from error
        # In memory: MAX writes to a path only, and the disk may be full.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(prefix="jujunp-", dir=memory) as directory:
            path = os.path.join(directory, "module.mef")
            compiled.export_mef(path)
            with open(path, "rb") as file:
                return file.read()


class GraphBuilder:
    """The ops that the lowering rules are made of."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.inputs: list[Tensor] = [value.tensor for value in graph.inputs]

    def output(self, tensors: Sequence[Tensor]) -> None:
        """Say what the graph returns."""
        self._graph.output(*tensors)

    def custom(
        self, name: str, operands: Sequence[Tensor], results: Sequence[Spec]
    ) -> list[Tensor]:
        """Apply one of the graph ops."""
        types = [_tensor_type(spec) for spec in results]
        values = ops.custom(name, device=CPU_REF, values=list(operands), out_types=types)
        return [value.tensor for value in values]

    def dtype(self, tensor: Tensor) -> str:
        """Return the name of a tensor's dtype."""
        return str(tensor.dtype.name)

    def constant(self, array: np.ndarray) -> Tensor:
        """Return an array of one axis or more as a tensor."""
        return ops.constant(array, DType[array.dtype.name], device=CPU_REF)

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Return the elements in C order in another shape."""
        return tensor if _shape(tensor) == tuple(shape) else ops.reshape(tensor, shape)

    def broadcast(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """Repeat along axes of length 1."""
        return tensor if _shape(tensor) == tuple(shape) else ops.broadcast_to(tensor, shape)

    def transpose(self, tensor: Tensor, permutation: Sequence[int]) -> Tensor:
        """Return the tensor whose axis k is axis `permutation[k]` of the operand."""
        return ops.permute(tensor, list(permutation))

    def slice(
        self, tensor: Tensor, starts: Sequence[int], stops: Sequence[int], steps: Sequence[int]
    ) -> Tensor:
        """Return every `steps[k]`-th index of axis k from `starts[k]` to below `stops[k]`."""
        return tensor[tuple(slice(*bounds) for bounds in zip(starts, stops, steps, strict=True))]

    def reverse(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """Reverse the order along some axes."""
        whole = [slice(None)] * len(_shape(tensor))
        index: list[Any] = list(whole)
        for axis in axes:
            # MAX takes a negative step only as a tensor, with the length that results.
            last, before_first, step = (_index(n) for n in (-1, -(2**63), -1))
            index[axis] = (slice(last, before_first, step), _shape(tensor)[axis])
        return tensor[tuple(index)]

    def where(self, condition: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
        """Choose element by element; all three have one shape."""
        return ops.where(condition, on_true, on_false)


def _index(value: int) -> Tensor:
    return ops.constant(value, DType.int64, device=CPU_REF)


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(int(length) for length in tensor.shape)


def _tensor_type(spec: Spec) -> TensorType:
    return TensorType(DType[spec.dtype], spec.shape, device=CPU_REF)
