"""What users add: JAX primitives with lowering rules of their own, and Mojo kernels.

Importing it takes neither JAX nor MAX, nor what only the functions need.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jujunp.lazy.run import transfer
from jujunp.lazy.run.watching import WATCHES
from jujunp.lazy.values.dtypes import NAMES, code_of, kernel_code, native
from jujunp.lazy.values.value import leaf

from .._array.array_likes import converted
from .._array.handle import Handle, to_numpy
from .._array.making import new_array

if TYPE_CHECKING:
    import jax.extend.core

    from jujunp.kernels.libraries import KernelLibrary

__all__ = ["Primitive", "kernel_library", "mojo_call"]


class Primitive:
    """A new JAX primitive, as a function that applies it.

    Args:
        name: Stands for the primitive in Jaxprs and messages.
        max_lowering_rule: Called with a `max.graph.TensorValue` for each operand and with the
            parameters as keywords; returns a TensorValue or a sequence of them. It must build the
            same graph whenever it is called with the same shapes, dtypes and parameters.
        jax_abstract_evaluation_rule: Called with a `jax.core.ShapedArray` for each operand and with
            the parameters; returns something with `shape` and `dtype`, like
            `jax.ShapeDtypeStruct`, for the result, or a sequence of these.
        multiple_results: Whether the primitive returns a list; else it returns one array.
        batching_rule: For `jax.vmap`, in JAX's form: `(operands, axes, **params)` to results and
            their axes; an axis is None for what is not mapped.
        jvp_rule: For derivatives, in JAX's form: `(primals, tangents, **params)` to results and
            their tangents. `jax.custom_jvp` around a call is the simpler way.
        transpose_rule: For `jax.grad` of linear primitives, in JAX's form: `(cotangents, *operands,
            **params)`.
        kernels: The library whose kernels the rule applies by `max.graph.ops.custom`; if it is not
            given, all libraries opened so far.

    It is called with arrays, and with parameters, which are hashable, as keywords. Inside of a JAX
    transformation, a call binds the primitive. Elsewhere it computes at once, and returns jujunp
    arrays, or JAX's if an operand is one. There is no kernel that could run without being compiled:
    the first call with new shapes, dtypes or parameters compiles a graph, which takes some 12
    seconds unless it is in the store.

    A lowering rule that raises, or returns other shapes or dtypes than the abstract evaluation
    says, is a RuntimeError that names the primitive.
    """

    def __init__(
        self,
        name: str,
        max_lowering_rule: Callable[..., Any],
        jax_abstract_evaluation_rule: Callable[..., Any],
        multiple_results: bool = True,
        *,
        batching_rule: Callable[..., Any] | None = None,
        jvp_rule: Callable[..., Any] | None = None,
        transpose_rule: Callable[..., Any] | None = None,
        kernels: KernelLibrary | None = None,
    ) -> None:
        from jujunp.lazy.users import primitives as extension
        from jujunp.lazy.users.libraries import opened
        from jujunp.lazy.users.rules import UserRule

        def libraries() -> Sequence[KernelLibrary]:
            return opened() if kernels is None else (kernels,)

        rule = UserRule(name, max_lowering_rule, libraries)
        self._primitive = extension.new_primitive(
            name, jax_abstract_evaluation_rule, multiple_results, rule
        )
        extension.add_rules(self._primitive, batching_rule, jvp_rule, transpose_rule)
        self._vjp: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    @property
    def primitive(self) -> jax.extend.core.Primitive:
        """The JAX primitive, for further rules."""
        return self._primitive

    def def_jvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Set the derivative on from operands, as `jvp_rule` does; returns the rule."""
        from jujunp.lazy.users import primitives as extension

        extension.add_rules(self._primitive, None, rule, None)
        return rule

    def def_vjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Set the derivative back from results, as that of a `custom_vjp`.

        `fwd(*operands, **params)` returns the results and what `bwd` needs; `bwd(needed,
        cotangents, **params)` the cotangent of each operand.
        """
        self._vjp = fwd, bwd

    def __call__(self, *args: Any, **params: Any) -> Any:
        if self._vjp is None:
            return _apply(self._primitive, args, params)
        from .._transforms.custom import custom_vjp

        function = custom_vjp(lambda *operands: _apply(self._primitive, operands, params))
        function.defvjp(*(functools.partial(rule, **params) for rule in self._vjp))
        return function(*args)

    def __repr__(self) -> str:
        return f"<jujunp.Primitive {self._primitive.name}>"


def kernel_library(folder: str | os.PathLike[str]) -> KernelLibrary:
    """Open a folder of Mojo kernels, which is built when this state of it never was.

    The folder is a Mojo package: all its `.mojo` files count, also in folders below, they import
    each other by relative imports (`from .other import f`), and an `__init__.mojo` is supplied if
    there is none. Every struct with `@register("name")` is a kernel. The build is kept in the
    user's cache.

    Returns an object with the kernels' names (`ops`), the package made of them (`path`) and the
    sources (`folder`). From then on `mojo_call` and `Primitive` find its kernels, also without
    `kernels=`; a folder that is opened again takes the place of its earlier state.

    Raises NotADirectoryError, ValueError for a folder without sources, and KernelBuildError, a
    RuntimeError, with the compiler's message.
    """
    from jujunp.lazy.users.libraries import open_library

    return open_library(folder)


def mojo_call(
    name: str,
    result_shape_dtypes: Any,
    /,
    *args: Any,
    vectorized: bool = False,
    kernels: KernelLibrary | None = None,
    **attributes: Any,
) -> Any:
    """Call a Mojo kernel, without a primitive of one's own, as `jax.ffi.ffi_call` does.

    Args:
        name: The name under which the kernel is registered.
        result_shape_dtypes: Something with `shape` and `dtype`, like `jax.ShapeDtypeStruct`, or a
            sequence of these, one for each result.
        args: The operands; the kernel gets them whole and in C order, behind the results.
        vectorized: What `jax.vmap` makes of it: one call, with a leading axis on all operands and
            results, instead of a call for each index.
        kernels: The library that has the kernel; it need not be given if only one of those opened
            has a kernel of that name.
        attributes: The kernel's compile-time parameters: bool, int, str, dtype, and float, which
            reaches it as Float32.

    Returns one array or a list, as `result_shape_dtypes` says. When it computes, and what that
    takes, is as for `Primitive`. There are no derivatives; `jax.custom_jvp` and `jax.custom_vjp`
    around a call define them.

    Raises ValueError for a kernel that is not found, TypeError for arguments of other types, and
    RuntimeError if the call cannot be compiled.
    """
    from jujunp.kernels.libraries import KernelLibrary
    from jujunp.lazy.users.libraries import library_of
    from jujunp.lazy.users.primitives import mojo_call_p

    several = isinstance(result_shape_dtypes, (list, tuple))
    wanted: Sequence[Any] = result_shape_dtypes if several else [result_shape_dtypes]
    for spec in wanted:
        if not (hasattr(spec, "shape") and hasattr(spec, "dtype")):
            raise TypeError(f"a result needs a shape and a dtype, which {spec!r} has not")
    if not isinstance(kernels, (KernelLibrary, type(None))):
        raise TypeError(f"kernels is what kernel_library returns, not {kernels!r}")
    params = {
        "kernel": name,
        "libraries": (str(library_of(name, kernels).path),),
        "results": tuple((_shape(x), np.dtype(x.dtype).name) for x in wanted),
        "attributes": tuple((key, *_attribute(key, x)) for key, x in sorted(attributes.items())),
        "vectorized": bool(vectorized),
    }
    found = _apply(mojo_call_p, args, params)
    return found if several else found[0]


def _shape(spec: Any) -> tuple[Any, ...]:
    from jax.export import is_symbolic_dim

    return tuple(length if is_symbolic_dim(length) else int(length) for length in spec.shape)


def _attribute(name: str, value: Any) -> tuple[str, Any]:
    """Return the kind of an attribute and its value in a plain form."""
    for kind, types in _KINDS.items():
        if isinstance(value, types):
            return kind, _PYTHON[kind](value)
    if isinstance(value, (np.dtype, type)):
        return "dtype", NAMES[kernel_code(np.dtype(value))]
    raise TypeError(
        f"attribute {name} is a {type(value).__name__}, not bool, int, float, str or a dtype"
    )


_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_),
    "int": (int, np.integer),
    "float": (float, np.floating),
    "str": (str,),
}
_PYTHON: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "str": str}


def _apply(primitive: jax.extend.core.Primitive, args: Sequence[Any], params: Any) -> Any:
    """Bind a primitive if the call is JAX's; else compute it, and return arrays of ours."""
    from jujunp.lazy.users import primitives as extension

    if extension.is_jaxs(args):
        return primitive.bind(*map(_operand, args), **params)
    if WATCHES:
        from .._transforms import of_jax

        if of_jax.is_followed(args):
            return of_jax.bound(primitive, args, params)
    arrays = [to_numpy(converted(x)) for x in args]
    made = [_adopted(array) for array in extension.run(primitive, arrays, params)]
    return made if primitive.multiple_results else made[0]


def _operand(x: Any) -> Any:
    """Return what JAX takes as an operand."""
    import jax.numpy

    return jax.numpy.asarray(to_numpy(x) if isinstance(x, Handle) else x)


def _adopted(array: np.ndarray) -> Any:
    code = code_of(native(array.dtype))
    return new_array(leaf(code, array.shape, transfer.adopt(array)), array.shape, code)
