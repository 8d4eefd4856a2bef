"""Runs programs that jujunp saved. Needs Python, NumPy and MAX, but neither JAX nor jujunp.

A bundle is a zip file that holds this module too, so that it runs where jujunp is not installed:

    import sys
    sys.path.insert(0, "trainer.jj")
    import jujunp_program_loader
    program = jujunp_program_loader.load()
    loss = program.step(batch, lr=0.1)

Members of a bundle: `manifest.json` (what the program is, and the SHA-256 of every other member),
`modules/*.mef` (compiled graphs), `state/<cell>.npy`, `lib/*.so` (kernels that the graphs call) and
this module. A bundle holds machine code: run those only whose origin you trust.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import inspect
import io
import json
import os
import platform
import re
import struct
import threading
import zlib
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["BundleError", "LoadedProgram", "load"]

FORMAT = "jujunp program"
VERSION = 2
"""Of the format: a loader reads bundles of this version only."""
MANIFEST = "manifest.json"
LOADER = "jujunp_program_loader.py"
KERNELS = "lib/jjvm.so"
"""The member that holds the kernels, which graphs call by name."""
BLAS = "lib/openblas.so"
"""The member that holds BLAS and LAPACK, for programs whose kernels call them."""
BLAS_NEEDS = "lib/openblas-needs-"
"""The members that hold what that library needs, but for a number from 0 on: they are loaded first.
"""
BLAS_NAME = "libscipy_openblas.so"
"""The name that the library of BLAS and LAPACK bears, by which the kernels find it."""

_BLAS_TIMEOUT = "OPENBLAS_THREAD_TIMEOUT"
_BLAS_TICKS = 21
"""The logarithm of the clock ticks, about 1 ms of them, for which a thread of BLAS looks for work
before it sleeps. Its own 0.1 s would take a core from the kernels that follow.
"""

_INSTRUCTIONS = re.compile(
    "(s?sse|avx|amx|fma|f16c|bmi|abm|popcnt|movbe|v?aes|v?pclmul|sha|gfni|adx|cx16|pni).*"
)
"""The CPU flags of x86 that name instructions; the others say what the kernel makes of the CPU."""


class BundleError(ValueError):
    """A file is no bundle, is damaged, or was made for another MAX, CPU, GPU or loader."""


# -- signatures


@dataclass(frozen=True)
class Spec:
    """Shape and dtype (NumPy's name) of an array."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    def check(self, x: Any, where: str) -> None:
        """Raise for an array or a Python number that is not of this spec.

        TypeError for another dtype, ValueError for another shape; `where` names `x` in the text. A
        Python number may be of a lower kind than the dtype: an int is taken for a float.
        """
        if type(x) in _KINDS:
            if _KINDS.index(type(x)) > _KIND_OF_DTYPE[np.dtype(self.dtype).kind]:
                raise TypeError(f"{where} must be {self}, not the {type(x).__name__} {x!r}")
            if self.shape:
                raise ValueError(f"{where} must be {self}, not the number {x!r}")
            return
        if not hasattr(x, "shape") or not hasattr(x, "dtype"):
            raise TypeError(f"{where} must be {self}, not an object of type {type(x).__name__}")
        given = Spec(tuple(x.shape), str(x.dtype))
        if given.dtype != self.dtype:
            raise TypeError(f"{where} must be {self}, not {given}")
        if given.shape != self.shape:
            raise ValueError(f"{where} must be {self}, not {given}")


_KINDS = (bool, int, float, complex)
_KIND_OF_DTYPE = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


@dataclass(frozen=True)
class Tree:
    """A dict, list, tuple, named tuple or None ("none") of structures.

    `keys` are those of a dict, or the fields of a named tuple, whose class is called `name`.
    """

    kind: str
    items: tuple[Structure, ...] = ()
    keys: tuple[str | int, ...] = ()
    name: str = ""
    made_by: Callable[..., Any] | None = field(default=None, compare=False)
    """The class of a named tuple, in the process that declared it."""

    def __str__(self) -> str:
        items = [str(item) for item in self.items]
        if self.kind == "none":
            return "None"
        if self.kind == "list":
            return f"[{', '.join(items)}]"
        if self.kind == "tuple":
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if self.kind == "dict":
            keyed = zip(map(repr, self.keys), items, strict=True)
            return "{" + ", ".join(f"{key}: {item}" for key, item in keyed) + "}"
        keyed = zip(map(str, self.keys), items, strict=True)
        return f"{self.name}({', '.join(f'{key}={item}' for key, item in keyed)})"


Structure: TypeAlias = Spec | Tree
"""What a tree of arrays looks like without its elements."""


def describe(value: Any, spec: Callable[[Any, str], Spec], where: str) -> Structure:
    """Return the structure of a tree, given that of its leaves; `where` names it in errors."""
    if value is None:
        return Tree("none")
    if isinstance(value, dict):
        for key in value:
            if type(key) not in (str, int):
                raise TypeError(f"{where} has the key {key!r}; keys are strings or integers")
        kind, keys, children, name = "dict", tuple(value), list(value.values()), ""
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        kind, keys, children = "namedtuple", value._fields, list(value)
        name = type(value).__name__
    elif isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        keys, children, name = (), list(value), ""
    else:
        return spec(value, where)
    places = _places(where, kind, keys or range(len(children)))
    items = tuple(describe(x, spec, place) for x, place in zip(children, places, strict=True))
    return Tree(kind, items, keys, name, type(value) if kind == "namedtuple" else None)


def leaves(structure: Structure, value: Any, where: str) -> Iterator[tuple[Spec, Any, str]]:
    """Yield spec, leaf and name of each leaf of a tree.

    TypeError when the tree has another structure; the leaves themselves are not checked.
    """
    if isinstance(structure, Spec):
        yield structure, value, where
        return
    children = _children(structure, value)
    if children is None:
        raise TypeError(f"{where} must be {structure}, not {_outline(value)}")
    places = _places(where, structure.kind, structure.keys or range(len(children)))
    for item, child, place in zip(structure.items, children, places, strict=True):
        yield from leaves(item, child, place)


def rebuild(structure: Structure, values: Iterator[Any]) -> Any:
    """Return a tree of this structure whose leaves are the next values."""
    if isinstance(structure, Spec):
        return next(values)
    if structure.kind == "none":
        return None
    children = [rebuild(item, values) for item in structure.items]
    if structure.kind == "dict":
        return dict(zip(structure.keys, children, strict=True))
    if structure.kind == "list":
        return children
    if structure.kind == "tuple":
        return tuple(children)
    return (structure.made_by or _named_tuple(structure.name, structure.keys))(*children)


def specs(structure: Structure) -> list[Spec]:
    """Return the specs of the leaves."""
    if isinstance(structure, Spec):
        return [structure]
    return [spec for item in structure.items for spec in specs(item)]


def _children(tree: Tree, value: Any) -> list[Any] | None:
    """Return the children of a value in the order of the tree, None if they are others."""
    if tree.kind == "none":
        return [] if value is None else None
    if tree.kind == "dict":
        same = isinstance(value, dict) and value.keys() == set(tree.keys)
        return [value[key] for key in tree.keys] if same else None
    kind = list if tree.kind == "list" else tuple
    same = isinstance(value, kind) and getattr(value, "_fields", ()) == tree.keys
    return list(value) if same and len(value) == len(tree.items) else None


def _places(where: str, kind: str, keys: Iterable[str | int]) -> list[str]:
    return [f"{where}.{key}" if kind == "namedtuple" else f"{where}[{key!r}]" for key in keys]


def _outline(value: Any) -> str:
    """Return in a few words what a value is that was expected to be a tree."""
    if value is None:
        return "None"
    if isinstance(value, dict):
        return f"a dict with the keys {list(value)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"an object of type {type(value).__name__}"


@functools.cache
def _named_tuple(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    return namedtuple(name, fields)


@dataclass(frozen=True)
class Global:
    """The structure of a global, and the state cell that each of its leaves is."""

    structure: Structure
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Procedure:
    """What a public procedure takes and returns, and which state cells it reads and writes.

    Its graph takes the cells that it reads, then the leaves of the arguments; it returns the
    leaves of the results, then the cells that it writes.
    """

    name: str
    arguments: tuple[tuple[str, Structure], ...]
    results: Structure
    reads: tuple[int, ...]
    writes: tuple[int, ...]

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}: {structure}" for name, structure in self.arguments)
        return f"{self.name}({arguments}) -> {self.results}"

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[np.ndarray]:
        """Return the leaves of a call's arguments as arrays in C order.

        Raises TypeError for missing, unknown and doubled arguments, for other structures and
        dtypes, and ValueError for other shapes.
        """
        if kwargs or len(args) != len(self.arguments):
            args = self._in_order(args, kwargs)
        return [
            array
            for (name, structure), value in zip(self.arguments, args, strict=True)
            for array in arrays(structure, value, f"argument {name} of {self.name}")
        ]

    def _in_order(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name, _ in self.arguments]
        try:
            given = inspect.Signature(parameters).bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}; its signature is {self}") from None
        return [given[name] for name, _ in self.arguments]


def arrays(structure: Structure, value: Any, where: str) -> list[np.ndarray]:
    """Return the leaves of a tree, which must fit the structure, as NumPy arrays in C order."""
    found = []
    for spec, leaf, place in leaves(structure, value, where):
        spec.check(leaf, place)
        try:
            found.append(np.asarray(leaf, dtype=spec.dtype, order="C"))
        except OverflowError as error:  # a Python integer that the dtype cannot hold
            raise ValueError(f"{place} must be {spec}: {error}") from None
    return found


@dataclass(frozen=True)
class Interface:
    """What a program is, without its code and its state."""

    name: str
    cells: tuple[Spec, ...]
    globals: dict[str, Global]
    procedures: dict[str, Procedure]

    def __str__(self) -> str:
        lines = [f"{name}: {item.structure}" for name, item in self.globals.items()]
        return "\n    ".join([f"program {self.name}", *lines, *map(str, self.procedures.values())])


# -- state

Executable = Any
"""A function from the inputs of a graph to its outputs, both lists of NumPy arrays."""


class State:
    """The state cells of one instance of a program; arrays in cells are never written to.

    `adopt` makes what users get of an array that nobody else has.
    """

    def __init__(self, cells: Sequence[np.ndarray], adopt: Callable[[np.ndarray], Any]) -> None:
        self.cells = tuple(cells)
        self._adopt = adopt
        self._lock = threading.Lock()

    def read(self, item: Global) -> Any:
        """Return the value of a global: a tree of copies."""
        cells = self.cells
        copies = (self._adopt(cells[cell].copy()) for cell in item.cells)
        return rebuild(item.structure, copies)

    def assign(self, name: str, item: Global, value: Any) -> None:
        """Give a global a new value, which is copied.

        TypeError for another structure or dtype, ValueError for another shape, or for two values
        of one cell.
        """
        new = [array.copy() for array in arrays(item.structure, value, name)]
        with self._lock:
            self.cells = updated(self.cells, item.cells, new, name, _same_bytes)

    def call(
        self,
        procedure: Procedure,
        executable: Executable | None,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Run a procedure; when it raises, the state is as before.

        Errors are those of `Procedure.bind`, RuntimeError of a kernel that fails, and ValueError of
        one of the user's.
        """
        given = procedure.bind(args, kwargs)
        with self._lock:
            inputs = [*(self.cells[cell] for cell in procedure.reads), *given]
            outputs = [] if executable is None else executable(inputs)
            count = len(outputs) - len(procedure.writes)
            cells = list(self.cells)
            for cell, array in zip(procedure.writes, outputs[count:], strict=True):
                cells[cell] = array
            self.cells = tuple(cells)
        return rebuild(procedure.results, map(self._adopt, outputs[:count]))


def _same_bytes(x: np.ndarray, y: np.ndarray) -> bool:
    return x.tobytes() == y.tobytes()


def updated(
    cells: Sequence[Any],
    places: Sequence[int],
    values: Sequence[Any],
    name: str,
    same: Callable[[Any, Any], bool],
) -> tuple[Any, ...]:
    """Return cells with new values in some places.

    ValueError when a place, which is named twice where a global holds one array twice, would get
    two values that are not the `same`.
    """
    new: dict[int, Any] = {}
    for place, value in zip(places, values, strict=True):
        if place in new and not same(new[place], value):
            raise ValueError(
                f"{name} holds one array in two places, and is given two values for it"
            )
        new[place] = value
    return tuple(new.get(place, old) for place, old in enumerate(cells))


# -- bundles


@dataclass(frozen=True)
class Code:
    """Where the graph of a procedure is: a member of the bundle, and a position in it."""

    module: str
    position: int


@dataclass(frozen=True)
class Gpu:
    """The GPU that the graphs of a program were compiled for: its number, and MAX's name of it."""

    number: int
    architecture: str


def write(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], members: Mapping[str, bytes]
) -> None:
    """Write a bundle; whoever reads the path sees what was there before, or all of the new one."""
    import zipfile

    path = Path(path)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in members.items()}
    text = json.dumps({**manifest, "members": digests}, indent=1).encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with open(temporary, "xb") as file, zipfile.ZipFile(file, "w") as bundle:
            for name, content in {MANIFEST: text, **members}.items():
                # Without a date: equal programs are equal files.
                compressed = zipfile.ZIP_DEFLATED if name.startswith("lib/") else zipfile.ZIP_STORED
                bundle.writestr(zipfile.ZipInfo(name), content, compressed, compresslevel=1)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def state_members(cells: Sequence[np.ndarray]) -> dict[str, bytes]:
    """Return the members of a bundle that hold the state."""
    members = {}
    for number, array in enumerate(cells):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=False)
        members[f"state/{number}.npy"] = file.getvalue()
    return members


def manifest_of(
    interface: Interface,
    code: Mapping[str, Code],
    versions: Mapping[str, str],
    kernels: str,
    gpu: Gpu | None = None,
) -> dict[str, Any]:
    """Return a manifest; `kernels` says which ones are in the bundle, `gpu` where graphs run."""
    globals_ = {
        name: {"structure": _plain(item.structure), "cells": item.cells}
        for name, item in interface.globals.items()
    }
    procedures = {
        name: {
            "arguments": [[name, _plain(structure)] for name, structure in item.arguments],
            "results": _plain(item.results),
            "reads": item.reads,
            "writes": item.writes,
            "code": [code[name].module, code[name].position] if name in code else None,
        }
        for name, item in interface.procedures.items()
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "versions": dict(versions),
        "cpu": cpu(),
        "gpu": None if gpu is None else [gpu.number, gpu.architecture],
        "kernels": kernels,
        "name": interface.name,
        "cells": [_plain(spec) for spec in interface.cells],
        "globals": globals_,
        "procedures": procedures,
    }


def _plain(structure: Structure) -> dict[str, Any]:
    if isinstance(structure, Spec):
        return {"kind": "array", "shape": structure.shape, "dtype": structure.dtype}
    plain: dict[str, Any] = {"kind": structure.kind, "items": [_plain(x) for x in structure.items]}
    if structure.keys:
        plain["keys"] = structure.keys
    if structure.name:
        plain["name"] = structure.name
    return plain


def _structure(plain: Mapping[str, Any]) -> Structure:
    if plain["kind"] == "array":
        return Spec(tuple(plain["shape"]), plain["dtype"])
    items = tuple(_structure(item) for item in plain["items"])
    return Tree(plain["kind"], items, tuple(plain.get("keys", ())), plain.get("name", ""))


def _interface(manifest: Mapping[str, Any]) -> tuple[Interface, dict[str, Code]]:
    code = {}
    procedures = {}
    for name, item in manifest["procedures"].items():
        arguments = tuple((argument, _structure(plain)) for argument, plain in item["arguments"])
        reads, writes = tuple(item["reads"]), tuple(item["writes"])
        procedures[name] = Procedure(name, arguments, _structure(item["results"]), reads, writes)
        if item["code"] is not None:
            code[name] = Code(*item["code"])
    globals_ = {
        name: Global(_structure(item["structure"]), tuple(item["cells"]))
        for name, item in manifest["globals"].items()
    }
    cells = tuple(Spec(tuple(cell["shape"]), cell["dtype"]) for cell in manifest["cells"])
    return Interface(manifest["name"], cells, globals_, procedures), code


def cpu() -> dict[str, Any]:
    """Return what decides whether machine code runs here: the architecture and its features."""
    features: set[str] = set()
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                features.update(value.split())
                break
    machine = platform.machine()
    if machine == "x86_64":
        features = {feature for feature in features if _INSTRUCTIONS.fullmatch(feature)}
    return {"machine": machine, "features": sorted(features)}


def _damage() -> tuple[type[Exception], ...]:
    """Return what reading raises for files that are damaged in one place or another."""
    import lzma
    import zipfile

    return (
        *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, KeyError, IndexError),
        *(NotImplementedError, RuntimeError, ValueError, OverflowError, AttributeError, TypeError),
        *(OSError, lzma.LZMAError),
    )


class Bundle:
    """A bundle that was read, with all its members whole; BundleError for any other file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import zipfile

        self.path = os.fspath(path)
        content = Path(path).read_bytes()
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as file:
                self.manifest = self._read_manifest(file)
                digests = self.manifest["members"]
                self.members = {name: file.read(name) for name in digests}
        except BundleError:
            raise
        except _damage() as error:
            begins = content[:2] == b"PK"
            what = f"is damaged ({error})" if begins else "is no bundle of a jujunp program"
            raise BundleError(f"{self.path} {what}") from error
        for name, member in self.members.items():
            if hashlib.sha256(member).hexdigest() != digests[name]:
                raise BundleError(f"{self.path} is damaged: {name} is not what was written")

    def _read_manifest(self, file: zipfile.ZipFile) -> dict[str, Any]:
        if MANIFEST not in file.namelist():
            raise BundleError(f"{self.path} is no bundle of a jujunp program: it has no {MANIFEST}")
        manifest = json.loads(file.read(MANIFEST))
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise BundleError(f"{self.path} is no bundle of a jujunp program")
        if manifest.get("version") != VERSION:
            raise BundleError(
                f"{self.path} has version {manifest.get('version')} of the format, and this loader"
                f" reads version {VERSION}"
            )
        return manifest

    def check_host(self) -> None:
        """Raise BundleError when the code of the bundle cannot run on this CPU and GPU."""
        wanted, found = self.manifest["versions"]["max"], max_version()
        if wanted != found:
            raise BundleError(f"{self.path} was compiled for MAX {wanted}, and this is MAX {found}")
        target, here = self.manifest["cpu"], cpu()
        lacking = {*target["features"]} - {*here["features"]}
        if target["machine"] != here["machine"] or lacking:
            needs = " ".join([target["machine"], *sorted(lacking)])
            raise BundleError(f"{self.path} was compiled for a CPU with {needs}, unlike this one")
        if self.gpu is not None:
            self._check_gpu(self.gpu)

    @property
    def gpu(self) -> Gpu | None:
        """The GPU on which the graphs run, None if they run on the CPU."""
        found = self.manifest.get("gpu")
        if found is None:
            return None
        try:
            number, architecture = found
            return Gpu(int(number), str(architecture))
        except (TypeError, ValueError) as error:
            raise BundleError(f"{self.path} is damaged: {error!r}") from error

    def _check_gpu(self, gpu: Gpu) -> None:
        from max.driver import Accelerator, accelerator_count  # type: ignore[import-untyped]

        here = [Accelerator(number).architecture_name for number in range(accelerator_count())]
        if gpu.architecture not in here[gpu.number : gpu.number + 1]:
            found = f"finds {', '.join(here)}" if here else "finds no accelerator"
            raise BundleError(
                f"{self.path} was compiled for GPU number {gpu.number}, {gpu.architecture},"
                f" and MAX {found} here"
            )

    def state(self, cells: Sequence[Spec]) -> list[np.ndarray]:
        """Return the arrays of the state."""
        found = []
        for number, spec in enumerate(cells):
            file = io.BytesIO(self.members[f"state/{number}.npy"])
            array = np.load(file, allow_pickle=False)
            if Spec(array.shape, str(array.dtype)) != spec:
                raise BundleError(f"{self.path} is damaged: the state is not as declared")
            found.append(array)
        return found


def max_version() -> str:
    """Return the version of MAX; ImportError if it is not installed."""
    import importlib.metadata

    try:
        return importlib.metadata.version("max")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError("a jujunp program runs on the package max, which is not here") from None


# -- running


class _Graph:
    """A graph of a loaded module as a function of NumPy arrays."""

    def __init__(self, model: Any, results: Sequence[Spec], gpu: Gpu | None) -> None:
        self._model = model
        self._results = results
        self._gpu = gpu
        self._inputs = [(x.dtype, tuple(map(int, x.shape))) for x in model.input_metadata]
        self._process = os.getpid()

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        if os.getpid() != self._process:
            raise RuntimeError("MAX does not survive fork: load the program in the child process")
        if len(inputs) < len(self._inputs):
            # The anchor, an input that keeps MAX from computing constants in advance.
            inputs = [*inputs, np.zeros(1, np.int64)]
        given = [
            _to_max(array, dtype, shape)
            for array, (dtype, shape) in zip(inputs, self._inputs, strict=True)
        ]
        try:
            buffers = self._execute(given)
        except ValueError as error:
            found = re.search(r"jujunp: kernel -?\d+ failed", str(error))
            raise (error if found is None else RuntimeError(found[0])) from None
        made = list(map(_from_max, buffers, self._results))
        # MAX merges equal ops, even those that make the memory of two outputs.
        distinct = {array.ctypes.data for array in made}
        return made if len(distinct) == len(made) else [array.copy() for array in made]

    def _execute(self, given: list[Any]) -> list[Any]:
        if self._gpu is None:
            return list(self._model.execute(*given))
        from max.driver import CPU

        there = zip(given, self._model.input_devices, strict=True)
        made = self._model.execute(*(x.to(device) for x, device in there))
        host = CPU()
        return [x.to(host) for x in made]


def _to_max(array: np.ndarray, dtype: Any, shape: tuple[int, ...]) -> Any:
    """Return an array's memory as MAX sees it.

    MAX has no complex numbers, whose parts are then an axis, and takes no bool without axes from
    NumPy: whatever the graph takes, it is the same bytes.
    """
    from max.driver import Buffer

    return Buffer.from_numpy(array.reshape(-1).view(np.uint8)).view(dtype, shape)


def _from_max(buffer: Any, spec: Spec) -> np.ndarray:
    """Return the memory of a result as an array."""
    from max.dtype import DType  # type: ignore[import-untyped]

    count = buffer.num_elements * buffer.element_size
    content: np.ndarray = buffer.view(DType.uint8, (count,)).to_numpy()
    return content.view(spec.dtype).reshape(spec.shape)


@functools.cache
def _session(gpu: Gpu | None) -> Any:
    from max import engine  # type: ignore[import-untyped]
    from max.driver import CPU, Accelerator

    accelerators = [] if gpu is None else [Accelerator(gpu.number)]
    return engine.InferenceSession(devices=[*accelerators, CPU()])


def _load_module(bundle: Bundle, name: str) -> list[Any]:
    """Return the models of a module, in its order."""
    from max import engine

    try:
        module = engine.read(io.BytesIO(bundle.members[name]))
        return list(_session(bundle.gpu).init_all(module).values())
    except RuntimeError as error:
        raise BundleError(f"{bundle.path}: MAX cannot load {name}: {error}") from error


_loading = threading.Lock()
_loaded_kernels = ""
"""Which structured kernels the process has loaded, as manifests name them."""


def kernels_are_loaded(kernels: str) -> None:
    """Say that the process has these structured kernels among its global symbols, and BLAS."""
    global _loaded_kernels
    _loaded_kernels = kernels


def _open_libraries(bundle: Bundle) -> None:
    """Load what graphs call by name; MAX must have been imported, whose libraries this needs.

    The names of the kernels are global, so that all programs of a process share those of the first.
    """
    kernels = bundle.manifest["kernels"]
    with _loading:
        if BLAS in bundle.members and not _blas_is_loaded():
            for name in sorted(name for name in bundle.members if name.startswith(BLAS_NEEDS)):
                _open(bundle.members[name], "needed.so")
            with brief_waits():
                _open(bundle.members[BLAS], "openblas.so")
        if not _loaded_kernels and not hasattr(ctypes.CDLL(None), "jujunp_run_kernel"):
            _open(bundle.members[KERNELS], "jjvm.so", ctypes.RTLD_GLOBAL)
            kernels_are_loaded(kernels)
    if kernels != _loaded_kernels:
        raise BundleError(
            f"{bundle.path} needs other kernels than this process has loaded, as another version of"
            " jujunp saved it: run it in a process of its own, without jujunp"
        )


def _blas_is_loaded() -> bool:
    try:
        ctypes.CDLL(BLAS_NAME, mode=os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


def _open(library: bytes, name: str, mode: int = ctypes.RTLD_LOCAL) -> None:
    import tempfile

    # The file may go once it is loaded.
    with tempfile.TemporaryDirectory(prefix="jujunp-") as folder:
        path = Path(folder, name)
        path.write_bytes(library)
        ctypes.CDLL(str(path), mode=mode)


@contextlib.contextmanager
def brief_waits() -> Iterator[None]:
    """Have a library of BLAS and LAPACK, loaded meanwhile, start threads that sleep soon."""
    if _BLAS_TIMEOUT in os.environ:
        yield
        return
    os.environ[_BLAS_TIMEOUT] = str(_BLAS_TICKS)
    try:
        yield
    finally:
        del os.environ[_BLAS_TIMEOUT]


def _executables(
    bundle: Bundle, interface: Interface, code: Mapping[str, Code]
) -> dict[str, Executable]:
    if not code:
        return {}
    _session(bundle.gpu)
    _open_libraries(bundle)
    modules = {name: _load_module(bundle, name) for name in {x.module for x in code.values()}}
    executables = {}
    for name, place in code.items():
        procedure = interface.procedures[name]
        written = [interface.cells[cell] for cell in procedure.writes]
        results = [*specs(procedure.results), *written]
        model = modules[place.module][place.position]
        executables[name] = _Graph(model, results, bundle.gpu)
    return executables


class LoadedProgram:
    """A program read from a bundle, with its own state.

    Procedures are methods. Globals are attributes: reading one gives a copy of its value, assigning
    to one changes the state. A program with a single procedure can itself be called.
    """

    _bundle: Bundle
    _interface: Interface
    _state: State

    def __init__(self, bundle: Bundle, adopt: Callable[[np.ndarray], Any]) -> None:
        bundle.check_host()
        try:
            interface, code = _interface(bundle.manifest)
            executables = _executables(bundle, interface, code)
            state = State(bundle.state(interface.cells), adopt)
        except (AttributeError, KeyError, TypeError, IndexError) as error:
            raise BundleError(f"{bundle.path} is damaged: {error!r}") from error
        vars(self).update(
            {name: bound(state, x, executables.get) for name, x in interface.procedures.items()},
            _bundle=bundle,
            _interface=interface,
            _state=state,
        )

    def __getattr__(self, name: str) -> Any:
        if name in self._interface.globals:
            return self._state.read(self._interface.globals[name])
        raise AttributeError(f"the program {self._interface.name} has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._interface.globals:
            raise AttributeError(f"the program {self._interface.name} has no global {name!r}")
        self._state.assign(f"the global {name}", self._interface.globals[name], value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the only procedure; TypeError if there are more."""
        if len(self._interface.procedures) != 1:
            raise TypeError(f"the program {self._interface.name} is called by its procedures")
        (name,) = self._interface.procedures
        return vars(self)[name](*args, **kwargs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a bundle of the same program with the state as it is now."""
        members = {**self._bundle.members, **state_members(self._state.cells)}
        write(path, self._bundle.manifest, members)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._interface.globals})

    def __repr__(self) -> str:
        return f"<{self._interface}>"


def bound(
    state: State, procedure: Procedure, executable_of: Callable[[str], Executable | None]
) -> Callable[..., Any]:
    """Return a procedure as a function that runs on a state, on the executable of its name."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return state.call(procedure, executable_of(procedure.name), args, kwargs)

    call.__name__ = call.__qualname__ = procedure.name
    call.__doc__ = str(procedure)
    return call


def load(path: str | os.PathLike[str] | None = None) -> LoadedProgram:
    """Return the program in a bundle, with the state with which it was saved.

    Results are NumPy arrays, also those without axes. Without a path it is the bundle from which
    this module was imported.

    Raises BundleError for files that are no bundle, damaged or incompatible with this MAX, CPU or
    GPU, OSError for those that cannot be read, and ImportError without MAX.
    """
    if path is None:
        path = getattr(globals().get("__loader__"), "archive", None)
    if path is None:
        raise TypeError("this module was not imported from a bundle: name one")
    return LoadedProgram(Bundle(path), lambda array: array)
