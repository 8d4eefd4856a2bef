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
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from max import engine, mlir  # type: ignore[import-untyped]
from max._core import Operation  # type: ignore[import-untyped]
from max._core import Value as CoreValue
from max._core.dialects import kgen  # type: ignore[import-untyped]
from max._mlir_context import default_mlir_context  # type: ignore[import-untyped]
from max.driver import (  # type: ignore[import-untyped]
    CPU,
    Accelerator,
    Buffer,
    accelerator_count,
    set_virtual_device_api,
    set_virtual_device_count,
    set_virtual_device_target_arch,
)
from max.dtype import DType  # type: ignore[import-untyped]
from max.graph import (  # type: ignore[import-untyped]
    DeviceRef,
    Dim,
    Graph,
    KernelLibrary,
    Module,
    TensorType,
    TensorValue,
    Value,
    ops,
)
from max.graph.dim import AlgebraicDim  # type: ignore[import-untyped]

from ..ir import devices, sizes
from ..ir.graph_ir import KernelFailed, TensorSpec
from .door import open_door

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from max.engine import Model  # type: ignore[import-untyped]

    from ..ir.devices import Device
    from ..ir.graph_ir import Plain

CPU_REF = DeviceRef.CPU()


class ExecutableLost(RuntimeError):
    """MAX's threads do not survive `fork`: a child process cannot run what its parent loaded."""


class Executable:
    """A compiled graph that can be called."""

    __slots__ = ("_arity", "_execute", "_model")

    def __init__(self, model: Model) -> None:
        self._model = model
        self._arity = len(model.input_metadata)
        self._execute: Callable[[list[Buffer]], list[Buffer]] = model._execute_device_tensors

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Run the graph on C-contiguous arrays of exactly its input shapes and dtypes.

        The inputs are read in place, and may be read-only. Complex results come as arrays of their
        parts, with one more axis, and bfloat16 as its words, uint16. The results are new arrays
        that own their memory and share none with an input or with each other.

        Raises IndexError in NumPy's words for an index that is out of bounds, KernelFailed for a
        matrix that could not be factored, ValueError for inputs of other shapes or dtypes, and
        ExecutableLost in a process that was forked from the one that loaded the graph.
        """
        if _forked:
            raise ExecutableLost("compiled graphs cannot run in a forked process")
        buffers = [_buffer(array) for array in inputs]
        if len(buffers) < self._arity:
            buffers.append(_anchor())
        # `execute` checks what the caller promised (4 us), and then calls this.
        try:
            results = self._execute(buffers)
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


class GpuExecutable(Executable):
    """A compiled graph that runs on a GPU, called with the same arrays as one for the CPU."""

    __slots__ = ("_devices", "_host")

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._host = CPU()
        self._devices = model.input_devices
        self._execute = self._execute_there

    def _execute_there(self, buffers: list[Buffer]) -> list[Buffer]:
        there = [x.to(device) for x, device in zip(buffers, self._devices, strict=True)]
        return [x.to(self._host) for x in self._model._execute_device_tensors(there)]


_FAILED = re.compile(r"jujunp: kernel (-?\d+) failed")
_OUT_OF_BOUNDS = re.compile("jujunp: (index .* is out of bounds for axis .*)")


def _to_array(result: Buffer) -> np.ndarray:
    if result.dtype == DType.bfloat16:
        result = result.view(DType.uint16, result.shape)
    return np.from_dlpack(result)


_forked = False


def _buffer(array: np.ndarray) -> Buffer:
    """Return an array's memory as MAX's buffer.

    Buffer.from_dlpack would copy an array that is read-only, and fails for bool arrays without
    axes; the function behind it checks nothing.
    """
    flags = array.flags
    if not flags.c_contiguous:
        raise ValueError("the inputs of a compiled graph must be C-contiguous")
    kind = array.dtype.kind
    if kind == "c":
        parts = np.float32 if array.dtype.itemsize == 8 else np.float64
        array = array.reshape(-1).view(parts).reshape(*array.shape, 2)
    elif kind == "V":  # bfloat16
        words = array.reshape(-1).view(np.uint16).reshape(array.shape)
        return _buffer(words).view(DType.bfloat16, words.shape)
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
    text = str(error)
    if found := _OUT_OF_BOUNDS.search(text):
        return IndexError(found[1])
    return KernelFailed(found[0]) if (found := _FAILED.search(text)) else error


@functools.cache
def _anchor() -> Buffer:
    return _buffer(np.zeros(1, np.int64))


@functools.cache
def _session(device: Device = devices.CPU) -> engine.InferenceSession:
    _pretend(device)
    accelerators = [] if device.is_cpu else [Accelerator(device.number)]
    session = engine.InferenceSession(devices=[*accelerators, CPU()])
    os.register_at_fork(after_in_child=_lose)
    return session


def _pretend(device: Device) -> None:
    """Let MAX compile for a GPU that is not there; for a process that does nothing else."""
    if device.target:
        set_virtual_device_api("cuda" if device.target.startswith("sm_") else "hip")
        set_virtual_device_target_arch(device.target)
        set_virtual_device_count(device.number + 1)


def accelerators() -> list[str]:
    """Return the architectures of the GPUs that MAX finds, by number."""
    return [Accelerator(number).architecture_name for number in range(accelerator_count())]


def _lose() -> None:
    global _forked
    _forked = True


def usable() -> bool:
    """Whether executables can run in this process."""
    return not _forked


def open_session(device: Device = devices.CPU) -> engine.InferenceSession:
    """Return what executables are loaded into, with the library of kernels that they call.

    Raises KernelBuildError if the kernels cannot be built.
    """
    open_door()
    return _session(device)


def load(mef: bytes | Path, device: Device = devices.CPU) -> list[Executable]:
    """Return the executables of a module, in its order; RuntimeError if it is none of this MAX.

    A file is mapped, not copied. `device` is what it was compiled for. Raises KernelBuildError if
    the structured kernels, which they call, cannot be built.
    """
    session = open_session(device)
    kind = Executable if device.is_cpu else GpuExecutable
    artefact = engine.read(mef if isinstance(mef, Path) else io.BytesIO(mef))
    return [kind(model) for model in session.init_all(artefact).values()]


Tensor = Any
"""A value of a graph under construction."""


class CompileFailed(RuntimeError):
    """MAX could not compile a module; the text is what it said."""


class ModuleBuilder:
    """Graphs that are compiled together, with the graph ops of the packages at `extensions`.

    `builder` is what builds them for the device. A process that builds for a virtual device has
    done nothing with MAX before.
    """

    def __init__(
        self,
        extensions: Sequence[Path],
        device: Device = devices.CPU,
        builder: type[GraphBuilder] | None = None,
    ) -> None:
        self._device = device
        self._ref = CPU_REF if device.is_cpu else DeviceRef.GPU(device.number)
        self._builder = builder or GraphBuilder
        self._extensions = list(extensions)
        self._library = KernelLibrary(self._extensions)
        self._module = Module()
        self._count = 0

    @contextmanager
    def graph(self, inputs: Sequence[TensorSpec]) -> Iterator[GraphBuilder]:
        """Add a graph with these inputs; the body builds it and calls `output`."""
        # Names are by position, because MAX's own cache gives a module back under the names under
        # which it was compiled first.
        name = f"g{self._count}"
        types = [tensor_type(spec, self._builder.home(spec, self._ref)) for spec in inputs]
        with Graph(
            name, input_types=types, kernel_library=self._library, module=self._module
        ) as graph:
            yield self._builder(graph, self._ref)
        self._count += 1

    def compile(self) -> bytes:
        """Return the module as a MEF, its executables in the order in which they were added."""
        session = _session(self._device)
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


_PARAMETERS: dict[str, Callable[[Plain], Any]] = {
    "bool": bool,
    "int": int,
    "str": str,
    "float": float.fromhex,
    "dtype": lambda name: DType[name],
}
"""What MAX takes as a kernel's parameter, by the kind of an attribute."""


def registered(package: Path) -> list[str]:
    """Return the names of the ops in a package; ValueError if MAX cannot load it."""
    return sorted({*KernelLibrary([package])} - {*KernelLibrary()})


def bytecode(
    inputs: Sequence[TensorSpec],
    build: Callable[[Sequence[Tensor]], Sequence[Tensor]],
    libraries: Sequence[Path],
) -> tuple[bytes, set[str]]:
    """Return what `build` makes of inputs as a graph by itself, for `GraphBuilder.inline`.

    The second result are the names of the kernels that it applies; ValueError for libraries that
    MAX cannot load together.
    """
    module = Module()
    library = KernelLibrary(libraries)
    types = [tensor_type(spec, CPU_REF) for spec in inputs]
    with Graph("rule", input_types=types, kernel_library=library, module=module) as graph:
        graph.output(*build([value.tensor for value in graph.inputs]))
    whole = _operation(module.mlir_module)
    (made,) = whole.regions[0].blocks[0].operations
    # It names all libraries, also those that are not used.
    del made.attributes["_kernel_library_paths"]
    return module.mlir_module.bytecode, _kernels_in(whole)


def parts(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Return the real and imaginary parts of a complex value, which lie along the last axis."""
    shape = tensor.shape[:-1]
    real, imag = ops.split(tensor, [1, 1], axis=-1)
    return ops.reshape(real, shape), ops.reshape(imag, shape)


def joined(real: Tensor, imag: Tensor) -> Tensor:
    """Return a complex value of its parts."""
    return ops.stack([real, imag], axis=-1)


def _kernels_in(operation: mlir.Operation) -> set[str]:
    """Return the names of the kernels that an operation is, or applies in its regions."""
    inside = (
        _kernels_in(inner.operation)
        for region in operation.regions
        for block in region.blocks
        for inner in block.operations
    )
    own = {operation.attributes["symbol"].value} if operation.name == "mo.custom" else set()
    return own.union(*inside)


def described(value: Any) -> str:
    """Return dtype and shape of a tensor as text, the type of anything else."""
    if not isinstance(value, TensorValue):
        return f"a value of type {type(value).__name__}"
    return _text(value.dtype.name, value.shape)


def text_of(spec: TensorSpec) -> str:
    """Return what `described` says of a tensor, and of each of the two of a complex value."""
    return _text(spec.stored.dtype, map(_dim, spec.shape))


def _text(dtype: str, shape: Iterable[Dim]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


class GraphBuilder:
    """The ops that the lowering rules are made of, for graphs that run on the CPU."""

    on_gpu = False

    def __init__(self, graph: Graph, device: DeviceRef = CPU_REF) -> None:
        self._graph = graph
        self._device = device
        self.inputs: list[Tensor] = [value.tensor for value in graph.inputs]

    @property
    def whole(self) -> Graph:
        """The graph itself."""
        return self._graph

    @staticmethod
    def home(spec: TensorSpec, device: DeviceRef) -> DeviceRef:
        """Return where a graph for a device keeps what it is given, and what it repeats."""
        return device

    def with_symbols(self) -> SymbolicGraph:
        """Return the same graph with the ops for tensors of symbolic sizes."""
        return SymbolicGraph(self._graph)

    def output(self, tensors: Sequence[Tensor]) -> None:
        """Say what the graph returns."""
        self._graph.output(*tensors)

    def custom(
        self, name: str, operands: Sequence[Tensor], results: Sequence[TensorSpec]
    ) -> list[Tensor]:
        """Apply one of the graph ops."""
        return self._apply(name, operands, results, CPU_REF)

    def _apply(
        self,
        name: str,
        operands: Sequence[Tensor],
        results: Sequence[TensorSpec],
        device: DeviceRef,
        parameters: Mapping[str, Any] | None = None,
    ) -> list[Tensor]:
        types = [tensor_type(spec, device) for spec in results]
        values = ops.custom(
            name, device=device, values=list(operands), out_types=types, parameters=parameters
        )
        return [value.tensor for value in values]

    def copied(self, tensor: Tensor) -> Tensor | None:
        """Return a tensor that is a view in C order; None where a structured kernel copies it."""
        return None

    def product(self, a: Tensor, b: Tensor, result: TensorSpec) -> Tensor | None:
        """Return the matrix products of two stacks; None where a structured kernel makes them."""
        return None

    def reduced(self, kernel: str, tensor: Tensor, axes: Sequence[int]) -> Tensor | None:
        """Reduce along axes, which stay; None where a structured kernel does it."""
        return None

    def while_loop(
        self,
        initial: Sequence[Tensor],
        predicate: Callable[[list[Tensor]], Tensor],
        body: Callable[[list[Tensor]], list[Tensor]],
    ) -> list[Tensor]:
        """Repeat `body` on some tensors, one or more, while a bool without axes is true."""
        with self._graph._pause_verification():  # it refuses what an outer region made (max.md)
            return list(
                ops.while_loop(
                    list(initial), lambda *xs: predicate(list(xs)), lambda *xs: body(list(xs))
                )
            )

    def cond(
        self,
        predicate: Tensor,
        results: Sequence[TensorSpec],
        on_true: Callable[[], list[Tensor]],
        on_false: Callable[[], list[Tensor]],
    ) -> list[Tensor]:
        """Return the tensors that one of two functions makes, by a bool without axes."""
        types = [tensor_type(spec, self.home(spec, self._device)) for spec in results]
        with self._graph._pause_verification():
            return list(ops.cond(predicate, types, on_true, on_false))

    def kernel(
        self,
        name: str,
        operands: Sequence[Tensor],
        results: Sequence[TensorSpec],
        attributes: Sequence[tuple[str, str, Plain]],
    ) -> list[Tensor]:
        """Apply a user's kernel; attributes are its parameters, as name, kind and value."""
        parameters = {key: _PARAMETERS[kind](value) for key, kind, value in attributes}
        return self._apply(name, operands, results, CPU_REF, parameters)

    def inline(self, code: bytes, operands: Sequence[Tensor]) -> list[Tensor]:
        """Put the ops of a graph of `bytecode` into this one; returns its results."""
        module = Operation.from_bytecode(code, default_mlir_context())
        (graph,) = _operation(module).regions[0].blocks[0].operations
        body = graph.regions[0].blocks[0]
        for argument, operand in zip(body.arguments, operands, strict=True):
            argument.replace_all_uses_with(mlir.Value._CAPICreate(operand.to_mlir()._CAPIPtr))
        end = mlir.InsertionPoint(self._graph._current_block)
        *steps, output = [operation.operation for operation in body.operations]
        for step in steps:
            step.detach_from_parent()
            end.insert(step)
        return [Value.from_mlir(CoreValue._from_cmlir(x)).tensor for x in output.operands]

    def dtype(self, tensor: Tensor) -> str:
        """Return the name of a tensor's dtype."""
        return str(tensor.dtype.name)

    def constant(self, array: np.ndarray) -> Tensor:
        """Return an array of one axis or more as a tensor."""
        return constant(array, CPU_REF)

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


class SymbolicGraph(GraphBuilder):
    """The ops for tensors whose sizes are known at run time; shapes hold expressions as text."""

    def sizes(self, symbols: Sequence[str]) -> Tensor:
        """Return the values of symbols."""
        return ops.shape_to_tensor([Dim(symbol) for symbol in symbols])

    def reshape(self, tensor: Tensor, shape: Sequence[int | str]) -> Tensor:
        """Return the elements in C order in another shape."""
        wanted = [_dim(length) for length in shape]
        return tensor if list(tensor.shape) == wanted else ops.reshape(tensor, wanted)

    def broadcast(self, tensor: Tensor, shape: Sequence[int | str]) -> Tensor:
        """Repeat along axes of length 1."""
        wanted = [_dim(length) for length in shape]
        return tensor if list(tensor.shape) == wanted else ops.broadcast_to(tensor, wanted)

    def part(
        self,
        tensor: Tensor,
        bounds: Sequence[tuple[int | Tensor, int | Tensor, int]],
        shape: Sequence[int | str],
    ) -> Tensor:
        """Return a slice of the first axes: start, stop and step of each, and the shape of all."""
        index = [
            (slice(*(_index(n) if isinstance(n, int) else n for n in bound)), _dim(length))
            for bound, length in zip(bounds, shape, strict=True)
        ]
        return tensor[tuple(index)]

    def reverse(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """Reverse the order along some axes."""
        index: list[Any] = [slice(None)] * tensor.rank
        for axis in axes:
            last, before_first, step = (_index(n) for n in (-1, -(2**63), -1))
            index[axis] = (slice(last, before_first, step), tensor.shape[axis])
        return tensor[tuple(index)]


_DIM_OPERATORS = {
    "mul": kgen.POC.mul,
    "add": kgen.POC.add,
    "floordiv": kgen.POC.div,
    "mod": kgen.POC.mod,
    "max": kgen.POC.max,
    "min": kgen.POC.min,
}


def _dim(length: int | str) -> Dim:
    """Return the length of an axis, a number or an expression, as MAX's."""
    return sizes.folded(
        length, Dim, Dim, lambda name, x, y: AlgebraicDim.apply(_DIM_OPERATORS[name], x, y)
    )


def _operation(operation: Operation) -> mlir.Operation:
    """Return the same operation in the other of MAX's two bindings, which can take it apart."""
    return mlir.Operation._CAPICreate(operation._CAPIPtr)


def _index(value: int) -> Tensor:
    return ops.constant(value, DType.int64, device=CPU_REF)


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(int(length) for length in tensor.shape)


def tensor_type(spec: TensorSpec, device: DeviceRef) -> TensorType:
    """Return the type of the tensor that holds a value, on a device."""
    stored = spec.stored
    shape: Sequence[Any] = stored.shape
    if sizes.is_symbolic(stored.shape):
        shape = [_dim(length) for length in stored.shape]
    return TensorType(DType[stored.dtype], shape, device=device)


def spec_of(tensor: Tensor) -> TensorSpec:
    """Return shape and dtype of a tensor."""
    return TensorSpec(_shape(tensor), tensor.dtype.name)


def constant(array: np.ndarray, device: DeviceRef) -> Tensor:
    """Return an array of one axis or more as a tensor on a device."""
    if array.dtype.name == "bfloat16":  # not known to the protocol by which arrays are taken
        wide = ops.constant(array.astype(np.float32), DType.float32, device=device)
        return ops.cast(wide, DType.bfloat16)
    return ops.constant(array, DType[array.dtype.name], device=device)


def moved(tensor: Tensor, device: DeviceRef) -> Tensor:
    """Return a tensor on a device, if need be by a transfer when the graph runs."""
    with warnings.catch_warnings():
        # MAX advises against moving single elements: it takes them for weights.
        warnings.simplefilter("ignore")
        return ops.transfer_to(tensor, device)


_REDUCTIONS = {"reduce_sum": ops.sum, "reduce_prod": ops.prod}
_REDUCTIONS |= {"reduce_max": ops.max, "reduce_min": ops.min}


def reduced(kernel: str, tensor: Tensor, axes: Sequence[int]) -> Tensor:
    """Reduce integers along axes, which stay with length 1, by MAX's own ops."""
    for axis in axes:
        tensor = _REDUCTIONS[kernel](tensor, axis=axis)
    return tensor
