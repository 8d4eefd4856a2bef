"""Runs of functions whose derivatives are asked, and what is asked of their arguments."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from jujunp.lazy.rules.operand import Operand
from jujunp.lazy.run.watching import watched
from jujunp.lazy.transforms.derivatives.plans import Deriving
from jujunp.lazy.values.dtypes import DTYPES
from jujunp.lazy.values.value import Value, dtype_code

from .._array.handle import Handle, whole_value
from .trees import alias, flatten, own, unflatten, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Kind = TypeVar("Kind", bound=Deriving)


class Run(Generic[Kind]):
    """A run of a function on arrays of its own, and the steps between them and its results.

    Args:
        kind: What keeps the steps.
        function: Takes and returns trees of arrays and numbers.
        primals: Its arguments.
        has_aux: Whether it returns a pair, of which the second is not differentiated.
    """

    def __init__(
        self,
        kind: type[Kind],
        function: Callable[..., Any],
        primals: Sequence[Any],
        has_aux: bool,
    ) -> None:
        leaves, self.in_tree = flatten(tuple(primals))
        self.inputs = [alias(own(x)) for x in leaves]
        self.starts = values_of(self.inputs)
        with watched(lambda: kind([x for x in self.starts if is_inexact(x)])) as self.steps:
            found = function(*unflatten(self.in_tree, self.inputs))
            self.aux: Any = None
            if has_aux:
                found, self.aux = found
            outputs, self.out_tree = flatten(found)
            self.outputs = [own(x) for x in outputs]
            self.ends = values_of(self.outputs)
        self.result = unflatten(self.out_tree, self.outputs)


def is_inexact(value: Value) -> bool:
    """Whether a value can be differentiated by."""
    return DTYPES[dtype_code(value)].kind in "fc"


def operand_like(x: Handle, like: Handle, what: str, whose: str) -> Operand:
    """Return a cotangent or tangent, which must have the shape of an array, in its dtype."""
    if x._shape != like._shape:
        raise ValueError(f"{what} has the shape {x._shape}, {whose} {like._shape}")
    if x._code != like._code:
        x = x.astype(like.dtype)
    return Operand(whole_value(x), None, x._shape, x._code)


def value_in(x: Operand) -> Value:
    """Return the value of a whole operand."""
    assert isinstance(x.value, Value)
    return x.value


def numbers_of(argnums: int | Sequence[int]) -> tuple[tuple[int, ...], bool]:
    """Return which arguments are meant, and whether it is one, not a sequence."""
    single = hasattr(argnums, "__index__")
    some: Any = (argnums,) if single else argnums
    try:
        return tuple(map(operator.index, some)), single
    except TypeError:
        raise TypeError(f"argnums must be an integer or some, not {argnums!r}") from None


def chosen_arguments(numbers: Sequence[int], count: int) -> list[int]:
    """Return which arguments are meant; TypeError, as JAX has it, if there are too few."""
    if not numbers or not all(-count <= k < count for k in numbers):
        raise TypeError(
            f"differentiating with respect to argnums={tuple(numbers)} of a call with {count}"
            " positional arguments"
        )
    return [k % count for k in numbers]


def check_input(x: Handle, name: str, holomorphic: bool, allow_int: bool) -> None:
    """Raise TypeError for an argument that cannot be differentiated by."""
    kind = DTYPES[x._code].kind
    if holomorphic and kind != "c":
        raise TypeError(f"{name} with holomorphic=True requires complex inputs, not {x.dtype}")
    if kind not in "fc" and not allow_int:
        raise TypeError(
            f"{name} requires real- or complex-valued inputs, not {x.dtype}; for integers use vjp,"
            " or allow_int=True"
        )
