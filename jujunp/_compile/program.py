"""Programs: state and procedures that are compiled as a whole, saved and run elsewhere."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy import loader
from jujunp.lazy.compiled.ir.devices import CPU, Device
from jujunp.lazy.loader import BundleError, Global, LoadedProgram, Spec, Structure, describe
from jujunp.lazy.run import transfer
from jujunp.lazy.values.dtypes import code_of, native
from jujunp.lazy.values.value import leaf

from .._array.making import new_array
from .devices import device_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from .._array.handle import ndarray
    from .procedures import TracedProcedures

__all__ = ["BundleError", "Program", "export", "like", "load_program"]

_NUMBERS: dict[type, str] = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_OWN_NAMES = frozenset(("kernel", "like", "save"))
"""Attributes of programs that no global or procedure can be called by."""


def like(tree: Any) -> Any:
    """Return the signature of an argument: a tree of `Spec` with the shapes and dtypes of `tree`.

    Args:
        tree: An array of jujunp, NumPy or JAX, a `jax.ShapeDtypeStruct`, a Python number (int64,
            float64, bool or complex128, without axes), or dicts, lists and tuples of these.

    TypeError for anything else.
    """
    structure = describe(tree, _spec_of, "like()")
    return loader.rebuild(structure, iter(loader.specs(structure)))


def _spec_of(x: Any, where: str) -> Spec:
    """Return the spec of an array or number; TypeError for what is neither."""
    if type(x) in _NUMBERS:
        return Spec((), _NUMBERS[type(x)])
    if isinstance(x, Spec):
        return x
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise TypeError(f"{where} must be an array or a number, not {type(x).__name__}")
    found = Spec(tuple(int(length) for length in x.shape), str(x.dtype))
    try:
        code_of(native(np.dtype(found.dtype)))
    except TypeError:
        raise TypeError(f"{where}: the dtype {found.dtype} is not supported") from None
    return found


def _declared_spec(x: Any, where: str) -> Spec:
    """Return the spec that stands in a signature; arrays must be wrapped in `like`."""
    from jax import ShapeDtypeStruct

    if not isinstance(x, (Spec, ShapeDtypeStruct)):
        raise TypeError(f"{where} must be declared by like(...), not by {x!r}")
    return _spec_of(x, where)


def adopt(array: np.ndarray) -> ndarray:
    """Return a NumPy array that nobody else has as an array of ours; no element is copied."""
    code = code_of(native(array.dtype))
    return new_array(leaf(code, array.shape, transfer.adopt(array)), array.shape, code)


@dataclass(frozen=True, eq=False)
class Definition:
    """What a program consists of, before it is traced.

    `subject()` makes the `self` with which a procedure is traced, given how it sees the globals.
    `procedures` holds functions and their signatures.
    """

    name: str
    cells: tuple[Spec, ...]
    initial: tuple[np.ndarray, ...]
    globals: Mapping[str, Global]
    procedures: Mapping[str, tuple[Callable[..., Any], tuple[tuple[str, Structure], ...]]]
    subject: Callable[[Any], Any]
    device: Device = CPU

    @functools.cached_property
    def traced(self) -> TracedProcedures:
        """The traced procedures, compiled when the first of them is called."""
        from .procedures import TracedProcedures

        return TracedProcedures(self)


# -- classes of programs


class _Global:
    """A global as an attribute: of the class its initial value, of an instance its state."""

    def __init__(self, name: str, value: Any) -> None:
        self._name = name
        self.value = value

    def __get__(self, instance: Program | None, owner: type) -> Any:
        return self.value if instance is None else instance._globals.read(self._name)

    def __set__(self, instance: Program, value: Any) -> None:
        instance._globals.assign(self._name, value)


class _Procedure:
    """A public method: of an instance what runs its graph, while tracing the method itself."""

    def __init__(self, name: str, function: FunctionType) -> None:
        self._name = name
        self.function = function

    def __get__(self, instance: Program | None, owner: type) -> Any:
        if instance is None:
            return self.function
        return instance._globals.procedure(self._name, self.function.__get__(instance, owner))


class _Kernel:
    """A function that procedures call, traced once for each signature."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __get__(self, instance: Program | None, owner: type) -> Any:
        if instance is None or not isinstance(instance._globals, _Live):
            return self
        raise AttributeError(f"{self._function.__qualname__} is a kernel: procedures call it")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._traced(*args, **kwargs)

    @functools.cached_property
    def _traced(self) -> Callable[..., Any]:
        import jax

        return jax.jit(self._function)


class _Live:
    """The globals of an instance that runs."""

    def __init__(self, definition: Definition) -> None:
        self.state = loader.State(definition.initial, adopt)
        self._definition = definition
        self._procedures: dict[str, Callable[..., Any]] = {}

    def read(self, name: str) -> Any:
        return self.state.read(self._definition.globals[name])

    def assign(self, name: str, value: Any) -> None:
        where = f"the global {self._definition.name}.{name}"
        self.state.assign(where, self._definition.globals[name], value)

    def procedure(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        call = self._procedures.get(name)
        if call is None:
            traced = self._definition.traced
            procedure = traced.interface.procedures[name]
            call = self._procedures[name] = loader.bound(self.state, procedure, traced.executable)
            call.__doc__ = method.__doc__ or call.__doc__
        return call


class Program:
    """The base class of programs: state, and procedures that are compiled together.

    A class attribute that is an array, or a tree (dicts, lists, tuples) that holds arrays, is a
    *global*: a part of the state of each instance. One array in two places is one state cell.
    A method whose name does not begin with `_` is a *procedure*: each argument is declared by a
    default value or an annotation `like(x)`. It is traced by JAX when the first instance is made:
    it computes with `jax.numpy`, may assign to globals (`self.weights = ...`), and returns a tree
    of arrays. Other attributes are constants, and other methods are traced where they are called.
    `class Trainer(Program, device=gpu_engine())` runs its procedures on a GPU; the state is on the
    CPU between two calls.

    The first call compiles all procedures as one module, which takes 12 seconds or more, once for a
    machine. A procedure that raises changes no global. Results are arrays of jujunp.

    Making an instance raises TypeError or ValueError for a procedure that assigns a value of
    another shape or dtype than the global has, and what the procedure raises itself. Calls raise
    TypeError or ValueError for arguments that do not fit the declaration.
    """

    _definition: Definition
    _device: Device = CPU
    _globals: Any

    like = staticmethod(like)

    @staticmethod
    def kernel(function: Callable[..., Any]) -> Any:
        """Mark a function of a program as a kernel: private, without `self`, for procedures."""
        return _Kernel(function)

    def __init_subclass__(cls, *, device: Any = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if device is not None:
            cls._device = device_of(device)
        for name, value in list(vars(cls).items()):
            if name.startswith("__") and name.endswith("__"):
                continue
            if name in _OWN_NAMES:
                raise TypeError(f"{cls.__name__}.{name}: programs have an attribute of that name")
            if isinstance(value, FunctionType) and not name.startswith("_"):
                setattr(cls, name, _Procedure(name, value))
            elif _holds_arrays(value):
                setattr(cls, name, _Global(name, value))
        cls._definition = _define(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Program:
        """Return an instance with the initial state."""
        if cls is Program:
            raise TypeError("Program is a base class: programs are made of its subclasses")
        assert cls._definition.traced  # its errors are raised here
        return _with_globals(cls, _Live(cls._definition))

    def __init__(self) -> None:
        """Leave the state as it is; a class may have an `__init__` that assigns to globals."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(inspect.getattr_static(type(self), name, None), _Global):
            raise AttributeError(
                f"{type(self).__name__}.{name} is no global, which is a class attribute that is an"
                " array or a tree of arrays"
            )
        object.__setattr__(self, name, value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the program with its present state as a bundle, which `load_program` reads.

        Compiles what is not compiled yet. The file appears as a whole. Raises OSError when it
        cannot be written, and what the first call of a procedure raises.
        """
        self._definition.traced.save(path, self._globals.state.cells)

    def __repr__(self) -> str:
        return f"<{self._definition.traced.interface}>"


def _with_globals(cls: type[Program], globals_: Any) -> Program:
    program = object.__new__(cls)
    object.__setattr__(program, "_globals", globals_)
    return program


def _is_array(x: Any) -> bool:
    return hasattr(x, "__array__") and not isinstance(x, type)


def _holds_arrays(value: Any) -> bool:
    """Whether a value is an array or a tree with an array in it."""
    if isinstance(value, dict):
        return any(map(_holds_arrays, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_arrays, value))
    return _is_array(value)


class _Cells:
    """State cells as they are found in the globals of a class."""

    def __init__(self) -> None:
        self.specs: list[Spec] = []
        self.initial: list[np.ndarray] = []
        self._known: dict[int, int] = {}

    def globals_of(self, value: Any, where: str) -> Global:
        """Return a global, whose arrays become cells unless they are cells already."""
        structure = describe(value, _spec_of, where)
        leaves = loader.leaves(structure, value, where)
        return Global(structure, tuple(self._cell(spec, x) for spec, x, _ in leaves))

    def _cell(self, spec: Spec, x: Any) -> int:
        # Python numbers are often one object by chance, and NumPy's scalars are numbers, too.
        shared = _is_array(x) and not isinstance(x, np.generic)
        if shared and id(x) in self._known:
            return self._known[id(x)]
        self.specs.append(spec)
        self.initial.append(np.array(x, dtype=spec.dtype, order="C"))
        if shared:
            self._known[id(x)] = len(self.specs) - 1
        return len(self.specs) - 1


def _define(cls: type[Program]) -> Definition:
    attributes: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        attributes.update(vars(base))
    cells = _Cells()
    globals_ = {
        name: cells.globals_of(found.value, f"{cls.__name__}.{name}")
        for name, found in attributes.items()
        if isinstance(found, _Global)
    }
    procedures = {
        name: (found.function, _signature(found.function, f"{cls.__name__}.{name}"))
        for name, found in attributes.items()
        if isinstance(found, _Procedure)
    }
    subject = functools.partial(_with_globals, cls)
    specs, initial = tuple(cells.specs), tuple(cells.initial)
    return Definition(cls.__name__, specs, initial, globals_, procedures, subject, cls._device)


def _signature(function: FunctionType, where: str) -> tuple[tuple[str, Structure], ...]:
    """Return names and structures of a method's arguments, which its declaration gives."""
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise TypeError(f"the procedure {where} has no argument self")
    return tuple((x.name, _argument(x, where)) for x in parameters[1:])


def _argument(parameter: inspect.Parameter, where: str) -> Structure:
    place = f"argument {parameter.name} of {where}"
    if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
        raise TypeError(f"{place} must be an ordinary one: neither *args nor keyword-only")
    declared = parameter.default
    if declared is parameter.empty:
        declared = parameter.annotation
    if declared is parameter.empty or isinstance(declared, str):
        raise TypeError(f"{place} has no signature: give it as a default value, like(...)")
    return describe(declared, _declared_spec, place)


# -- single functions


class Exported:
    """A function compiled for one signature: callable, and saved by `save`."""

    def __init__(self, definition: Definition) -> None:
        (name,) = definition.procedures
        self._traced = definition.traced
        procedure = self._traced.interface.procedures[name]
        self._call = loader.bound(loader.State((), adopt), procedure, self._traced.executable)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function, compiled by the first call; errors are those of procedures."""
        return self._call(*args, **kwargs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the function as a bundle; what `load_program` makes of it can be called."""
        self._traced.save(path, ())

    def __repr__(self) -> str:
        return f"<{self._traced.interface}>"


def export(function: Callable[..., Any], *specs: Any, device: Any = None) -> Exported:
    """Return a JAX function compiled for one signature, to be called, or saved as a bundle.

    Args:
        function: Computes with `jax.numpy`; takes and returns trees of arrays.
        specs: For each argument what `like` takes: arrays, numbers, `jax.ShapeDtypeStruct`, trees.
        device: Where it runs: `cpu_engine()`, the default, or `gpu_engine()`.

    Raises what the function raises when it is traced, and TypeError for a bad spec or device.
    """
    name = getattr(function, "__name__", type(function).__name__)
    name = name if name.isidentifier() else "call"
    names = _argument_names(function, len(specs))
    arguments = tuple(
        (argument, describe(spec, _spec_of, f"argument {argument} of {name}"))
        for argument, spec in zip(names, specs, strict=True)
    )

    def procedure(_: Any, *args: Any) -> Any:
        return function(*args)

    procedures = {name: (procedure, arguments)}
    definition = Definition(name, (), (), {}, procedures, lambda _: None, device_of(device))
    return Exported(definition)


def _argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """Return the names of a function's first arguments, or others where it has none."""
    numbered = [f"argument{number}" for number in range(count)]
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a builtin function
        return numbered
    named = [x.name for x in parameters if x.kind is x.POSITIONAL_OR_KEYWORD][:count]
    return named + numbered[len(named) :]


def load_program(path: str | os.PathLike[str]) -> LoadedProgram:
    """Return the program that was saved in a bundle, with the state with which it was saved.

    Its procedures are methods, its globals attributes; results are arrays of jujunp. A bundle holds
    machine code: load those only whose origin you trust.

    Raises BundleError, a ValueError, for a file that is no bundle, is damaged, or was made for
    another MAX, CPU or GPU or by a newer jujunp, and OSError for one that cannot be read.
    """
    from jujunp.lazy.compiled import bundle

    return bundle.load(path, adopt)
