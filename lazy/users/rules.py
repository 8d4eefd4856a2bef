"""Lowering rules that users write, for primitives of theirs.

A rule is a Python function over MAX's graph values, which cannot travel to the compile worker. So
it is run where the Jaxpr is read, on a graph of its own, and what it has built travels as bytecode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..compiled.ir.graph_ir import Unsupported

if TYPE_CHECKING:
    from jujunp.kernels.libraries import KernelLibrary

    from ..compiled.ir.graph_ir import Plain, TensorSpec


@dataclass(frozen=True)
class UserRule:
    """How a user's primitive is lowered.

    `function(*tensors, **params)` returns one tensor or a sequence. A complex value is a pair of
    tensors, its real and imaginary parts. `libraries()` are those with the kernels that it may
    apply.
    """

    name: str
    function: Callable[..., Any]
    libraries: Callable[[], Sequence[KernelLibrary]]

    def params(
        self, operands: Sequence[TensorSpec], results: Sequence[TensorSpec], given: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the parameters of the step for one use; raises Unsupported if the rule fails."""
        from ..compiled.graphs import maxapi

        libraries = self.libraries()

        def build(tensors: Sequence[Any]) -> list[Any]:
            pairs = zip(tensors, operands, strict=True)
            parts = [maxapi.parts(x) if _is_complex(spec) else x for x, spec in pairs]
            made = self._results(parts, given)
            if len(results) == 1 and _is_complex(results[0]) and len(made) == 2:
                made = [tuple(made)]
            checked = zip(self._checked(made, results), results, strict=True)
            return [maxapi.joined(*x) if _is_complex(spec) else x for x, spec in checked]

        paths = [library.path for library in libraries]
        bytecode, kernels = maxapi.bytecode(operands, build, paths)
        used = [str(library.path) for library in libraries if not kernels.isdisjoint(library.ops)]
        return {"primitive": self.name, "bytecode": bytecode, "libraries": tuple(sorted(used))}

    def _results(self, tensors: Sequence[Any], given: dict[str, Any]) -> list[Any]:
        try:
            made = self.function(*tensors, **given)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise self._failure(f"raised {why}") from error
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def _checked(self, made: list[Any], results: Sequence[TensorSpec]) -> list[Any]:

        found = [_described(value) for value in made]
        wanted = [_wanted(spec) for spec in results]
        if found != wanted:
            texts = [", ".join(specs) or "nothing" for specs in (found, wanted)]
            raise self._failure(
                f"returned {texts[0]} where its abstract evaluation says {texts[1]}"
            )
        return made

    def _failure(self, what: str) -> Unsupported:
        return Unsupported(f"the lowering rule of primitive {self.name} {what}")


def _is_complex(spec: TensorSpec) -> bool:
    return spec.stored is not spec


def _described(value: Any) -> str:
    from ..compiled.graphs import maxapi

    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(maxapi.described, value))})"
    return maxapi.described(value)


def _wanted(spec: TensorSpec) -> str:
    from ..compiled.graphs import maxapi

    text = maxapi.text_of(spec)
    return f"({text}, {text})" if _is_complex(spec) else text
