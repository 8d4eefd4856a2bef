"""Those that are measured: NumPy, jujunp, `jax.jit`; Numba and numexpr where they are installed.

A contender takes a case and its arrays, and gives a call without arguments that computes the result
as its own array. It gives None where it cannot compute the case, as Numba and numexpr with some.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import jax
import numpy as np

import jujunp

from . import cases

Call = Callable[[], Any]
Maker = Callable[[str, np.ndarray, np.ndarray], "Call | None"]


def cases_in(namespace: Any) -> ModuleType:
    """Return a copy of the module of cases that is written in a namespace."""
    spec = importlib.util.spec_from_file_location("benchmarks.loops.cases", cases.__file__)
    if spec is None or spec.loader is None:
        raise ImportError(cases.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.xp = namespace  # type: ignore[attr-defined]
    return module


def _numpy(case: str, a: np.ndarray, b: np.ndarray) -> Call:
    function = cases.CASES[case]
    return lambda: function(a, b)


def _jujunp(case: str, a: np.ndarray, b: np.ndarray) -> Call:
    function = cases_in(jujunp).CASES[case]
    ours = jujunp.array(a), jujunp.array(b)  # its own memory, which nobody else writes to

    def call() -> Any:
        result = function(*ours)
        jujunp.flush()
        return result

    return call


def _jax(case: str, a: np.ndarray, b: np.ndarray) -> Call:
    function = jax.jit(cases_in(jax.numpy).CASES[case])
    theirs = jax.numpy.asarray(a), jax.numpy.asarray(b)
    return lambda: function(*theirs).block_until_ready()


def _numba(case: str, a: np.ndarray, b: np.ndarray) -> Call | None:
    """Return a call of the case compiled for all cores; None where Numba lacks what it uses."""
    import numba

    compiled = numba.njit(parallel=True, cache=False)
    module = cases_in(np)
    for name, function in vars(module).items():
        if isinstance(function, FunctionType):
            setattr(module, name, compiled(function))
    function = getattr(module, cases.CASES[case].__name__)
    # of functions in which it finds nothing to be done by several threads
    warnings.simplefilter("ignore", numba.core.errors.NumbaPerformanceWarning)
    try:
        function(a, b)
    except (
        numba.core.errors.NumbaError,
        AssertionError,
    ):  # its parallel loops do not broadcast all
        return None
    return lambda: function(a, b)


class _Text:
    """An expression of numexpr's that is being written, with the arrays that it names."""

    __array_ufunc__ = None
    LONGEST = 4000

    def __init__(self, text: str, arrays: dict[str, np.ndarray], shape: tuple[int, ...]) -> None:
        if len(text) > self.LONGEST:
            raise NotImplementedError("numexpr knows no names for parts of an expression")
        self.text, self.arrays, self.shape = text, arrays, shape

    @classmethod
    def of(cls, array: np.ndarray) -> _Text:
        name = f"x{id(array)}"
        return cls(name, {name: array}, array.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def _array(self) -> np.ndarray:
        """Return the array that this is; for an expression there is none."""
        if self.text not in self.arrays:
            raise NotImplementedError("numexpr has no views of expressions")
        return self.arrays[self.text]

    def __getitem__(self, key: Any) -> _Text:
        return _Text.of(self._array()[key])

    def reshape(self, *shape: int) -> _Text:
        return _Text.of(self._array().reshape(*shape))


def _writer(form: str) -> Callable[..., _Text]:
    def write(*operands: Any) -> _Text:
        arrays: dict[str, np.ndarray] = {}
        texts = []
        for operand in operands:
            if not isinstance(operand, (_Text, int, float)):
                raise NotImplementedError("only arrays and numbers")
            arrays |= operand.arrays if isinstance(operand, _Text) else {}
            texts.append(operand.text if isinstance(operand, _Text) else repr(operand))
        shapes = [operand.shape for operand in operands if isinstance(operand, _Text)]
        return _Text(form.format(*texts), arrays, np.broadcast_shapes(*shapes))

    return write


for _name, _form in {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "pow": "**"},
    **{"gt": ">", "lt": "<"},
}.items():
    setattr(_Text, f"__{_name}__", _writer(f"({{0}} {_form} {{1}})"))
    setattr(_Text, f"__r{_name}__", _writer(f"({{1}} {_form} {{0}})"))
_Text.__neg__ = _writer("(-{0})")  # type: ignore[attr-defined]


class _Writers:
    """NumPy's functions that numexpr has, too."""

    def __getattr__(self, name: str) -> Any:
        if name in ("abs", "sqrt", "log", "log1p", "exp", "tanh", "sin", "cos", "arcsin"):
            return _writer(f"{name}({{0}})")
        if name == "where":
            return _writer("where({0}, {1}, {2})")
        if name in ("minimum", "maximum"):
            order = "<" if name == "minimum" else ">"
            return _writer(f"where({{0}} {order} {{1}}, {{0}}, {{1}})")
        raise NotImplementedError(name)


def expression(case: str, a: np.ndarray, b: np.ndarray) -> tuple[str, dict[str, np.ndarray]] | None:
    """Return a case as an expression with the arrays that it names; None where it is none."""
    function = cases_in(_Writers()).CASES[case]
    try:
        written = function(_Text.of(a), _Text.of(b))
    except NotImplementedError:
        return None
    return written.text, written.arrays


def _numexpr(case: str, a: np.ndarray, b: np.ndarray) -> Call | None:
    """Return a call of the case as one expression, on all cores; None where it is none."""
    import numexpr

    found = expression(case, a, b)
    return found and (lambda: numexpr.evaluate(found[0], local_dict=found[1]))


CONTENDERS: dict[str, Maker] = {"jujunp": _jujunp, "NumPy": _numpy, "jax.jit": _jax}
"""Those that are measured, in the order of their turns."""
if importlib.util.find_spec("numba"):
    CONTENDERS["Numba"] = _numba
if importlib.util.find_spec("numexpr"):
    CONTENDERS["numexpr"] = _numexpr
