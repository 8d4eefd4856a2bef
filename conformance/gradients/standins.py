"""A plugin for pytest: modules that stand for those of autograd, made of jujunp's functions."""

from __future__ import annotations

import builtins
import functools
import math
import os
import sys
import types
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

import jujunp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

VARIABLE = "AUTOGRAD_DIR"


class Missing(NotImplementedError):
    """Raised by what autograd has and jujunp has not."""


class Space:
    """What trees like one are: shapes and dtypes of their leaves, and vectors of this kind."""

    def __init__(self, value: Any) -> None:
        leaves, self.tree = jax.tree.flatten(value)
        self.specs = [(x.shape, x.dtype) for x in map(jujunp.asarray, leaves)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and (self.tree, self.specs) == (other.tree, other.specs)

    def __hash__(self) -> int:
        return hash(self.tree)

    def __repr__(self) -> str:
        return f"Space({self.tree}, {self.specs})"

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the one leaf."""
        ((shape, _),) = self.specs
        return shape

    @property
    def size(self) -> int:
        """The number of real numbers."""
        parts = [math.prod(shape) * (1 + (dtype.kind == "c")) for shape, dtype in self.specs]
        return sum(parts)

    @property
    def iscomplex(self) -> bool:
        """Whether there are complex numbers."""
        return any(dtype.kind == "c" for _, dtype in self.specs)

    def _of(self, make: Callable[[Any], Any]) -> Any:
        arrays = [make(shape) for shape, _ in self.specs]
        leaves = [
            jujunp.asarray(x, dtype=dtype) if np.shape(x) else dtype.type(x)
            for x, (_, dtype) in zip(arrays, self.specs, strict=True)
        ]
        return jax.tree.unflatten(self.tree, leaves)

    def zeros(self) -> Any:
        """Return zeros."""
        return self._of(np.zeros)

    def ones(self) -> Any:
        """Return ones, with imaginary parts of 1."""
        return self._of(lambda shape: np.full(shape, 1 + 1j if self.iscomplex else 1))

    def randn(self) -> Any:
        """Return random numbers."""

        def make(shape: Any) -> Any:
            real, imaginary = np.random.randn(2, *shape)
            return real + 1j * imaginary if self.iscomplex else real

        return self._of(make)

    def standard_basis(self) -> Iterator[Any]:
        """Return the vectors of which each has one element that is 1, or 1j."""
        for place, (shape, dtype) in enumerate(self.specs):
            for k in np.ndindex(shape):
                for one in (1, 1j) if dtype.kind == "c" else (1,):
                    leaves = [np.zeros(shape, dtype) for shape, dtype in self.specs]
                    leaves[place][k] = one
                    yield jax.tree.unflatten(self.tree, leaves)

    def add(self, x: Any, y: Any) -> Any:
        """Return the sum."""
        return jax.tree.map(lambda a, b: a + b, x, y)

    def scalar_mul(self, x: Any, a: Any) -> Any:
        """Return the product with a number."""
        return jax.tree.map(lambda b: b * a, x)

    def inner_prod(self, x: Any, y: Any) -> Any:
        """Return the inner product, the real part of complex ones."""
        parts = jax.tree.map(lambda a, b: jujunp.real(jujunp.sum(jujunp.conj(a) * b)), x, y)
        return sum(jax.tree.leaves(parts))

    def covector(self, x: Any) -> Any:
        """Return the conjugate."""
        return jax.tree.map(jujunp.conj, x)

    _add, _scalar_mul, _inner_prod, _covector = add, scalar_mul, inner_prod, covector


def make_vjp(function: Callable[..., Any], x: Any) -> tuple[Callable[..., Any], Any]:
    """Return what hands cotangents back to the argument, and the result."""
    result, pull = jujunp.vjp(function, x)

    def back(cotangent: Any) -> Any:
        return pull(cotangent)[0]

    return back, result


def make_jvp(function: Callable[..., Any], x: Any) -> Callable[..., Any]:
    """Return what gives the result and its change along a direction."""
    return lambda t: jujunp.jvp(function, (x,), (t,))


def _number(x: Any) -> Any:
    """Return the one element of a result."""
    leaves = jax.tree.leaves(x)
    if len(leaves) != 1 or np.size(leaves[0]) != 1:
        raise TypeError("grad is of functions that give one number")
    return jujunp.reshape(leaves[0], ())


def _of_number(derive: Callable[..., Any]) -> Callable[..., Any]:
    def of(function: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
        @functools.wraps(function)
        def derived(*args: Any, **kwargs: Any) -> Any:
            some = lambda *given: _number(function(*given, **kwargs))  # noqa: E731
            return derive(some, argnum)(*args)

        return derived

    return of


grad = _of_number(jujunp.grad)
value_and_grad = _of_number(jujunp.value_and_grad)
holomorphic_grad = _of_number(functools.partial(jujunp.grad, holomorphic=True))


def unary(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return an operator on functions of several arguments, given one of functions of one."""

    def of(function: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
        @functools.wraps(function)
        def derived(*args: Any, **kwargs: Any) -> Any:
            places = (argnum,) if isinstance(argnum, int) else tuple(argnum)

            def some(x: Any) -> Any:
                given = list(args)
                parts = (x,) if isinstance(argnum, int) else x
                for place, part in zip(places, parts, strict=True):
                    given[place] = part
                return function(*given, **kwargs)

            x = tuple(args[place] for place in places)
            return make(some, x[0] if isinstance(argnum, int) else x)

        return derived

    return of


@unary
def elementwise_grad(function: Callable[..., Any], x: Any) -> Any:
    """Return the cotangent for ones."""
    back, result = make_vjp(function, x)
    if Space(result).iscomplex:
        raise TypeError("elementwise_grad is of functions with real results")
    return back(Space(result).ones())


@unary
def deriv(function: Callable[..., Any], x: Any) -> Any:
    """Return the change along ones."""
    return make_jvp(function, x)(Space(x).ones())[1]


@unary
def jacobian(function: Callable[..., Any], x: Any) -> Any:
    """Return the Jacobian."""
    return jujunp.jacrev(function)(x)


@unary
def hessian(function: Callable[..., Any], x: Any) -> Any:
    """Return the second derivatives."""
    return jujunp.hessian(function)(x)


@unary
def grad_and_aux(function: Callable[..., Any], x: Any) -> Any:
    """Return the gradient of the first result, and the second."""
    return jujunp.grad(function, has_aux=True)(x)


@unary
def make_hvp(function: Callable[..., Any], x: Any) -> Any:
    """Return what multiplies the Hessian with a vector, and the gradient."""
    return make_vjp(jujunp.grad(function), x)


@unary
def make_jvp_reversemode(function: Callable[..., Any], x: Any) -> Any:
    """Return what gives the change along a direction."""
    return lambda t: make_jvp(function, x)(t)[1]


def hessian_tensor_product(function: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return what multiplies the Hessian with the last argument."""

    def product(*args: Any, **kwargs: Any) -> Any:
        *given, vector = args

        def some(x: Any) -> Any:
            return function(*given[:argnum], x, *given[argnum + 1 :], **kwargs)

        return jujunp.jvp(jujunp.grad(some), (given[argnum],), (vector,))[1]

    return product


def tensor_jacobian_product(function: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return what multiplies the last argument with the Jacobian, over all its axes."""

    def product(*args: Any, **kwargs: Any) -> Any:
        *given, tensor = args

        def some(x: Any) -> Any:
            result = function(*given[:argnum], x, *given[argnum + 1 :], **kwargs)
            return jujunp.tensordot(tensor, result, axes=np.ndim(tensor))

        return jujunp.jacrev(some)(given[argnum])

    return product


def _half_square(x: Any) -> Any:
    return jujunp.sum(x**2, axis=-1) / 2


def make_ggnvp(
    function: Callable[..., Any], loss: Callable[..., Any] = _half_square, f_argnum: int = 0
) -> Callable[..., Any]:
    """Return what multiplies the generalized Gauss-Newton matrix with a vector."""

    @functools.partial(unary)
    def make(some: Callable[..., Any], x: Any) -> Any:
        back, result = make_vjp(some, x)

        def product(t: Any) -> Any:
            change = jujunp.jvp(some, (x,), (t,))[1]
            return back(jujunp.jvp(jujunp.grad(loss), (result,), (change,))[1])

        return product

    made: Callable[..., Any] = make(function, f_argnum)
    return made


def grad_named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return the gradient by a named argument."""
    code: Any = function.__code__
    return grad(function, code.co_varnames.index(name))


def absent(name: str) -> Callable[..., Any]:
    """Return a function that says that jujunp has none of this name."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise Missing(f"autograd.{name}")

    return function


class Primitive:
    """A function whose derivatives its user gives, by each argument."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.fun = function
        self.vjps: dict[int, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result."""
        if not self.vjps:
            raise NotImplementedError(f"VJP of {self.__name__} not defined")  # type: ignore[attr-defined]
        called = jujunp.custom_vjp(lambda *given: self.fun(*given, **kwargs))

        def fwd(*given: Any) -> tuple[Any, Any]:
            result = self.fun(*given, **kwargs)
            return result, (result, given)

        def bwd(kept: Any, cotangent: Any) -> tuple[Any, ...]:
            result, given = kept
            return tuple(
                self.vjps[k](result, *given, **kwargs)(cotangent) if self.vjps.get(k) else None
                for k in range(len(given))
            )

        called.defvjp(fwd, bwd)
        return called(*args)


def defvjp(primitive: Primitive, *makers: Any, argnums: Sequence[int] | None = None) -> None:
    """Set what hands the cotangent back to each argument."""
    primitive.vjps.update(zip(argnums or range(len(makers)), makers, strict=False))


def _module(name: str, **items: Any) -> types.ModuleType:
    found = types.ModuleType(name)
    vars(found).update(items)
    sys.modules[name] = found
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, found)
    return found


def _put(name: str, module: types.ModuleType) -> None:
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    setattr(sys.modules[parent], last, module)


def install(checkout: str) -> None:
    """Put the modules into their places; others of autograd are the checkout's."""
    containers = {name: getattr(builtins, name) for name in ("isinstance", "tuple", "list", "dict")}
    operators = {
        **{"grad": grad, "value_and_grad": value_and_grad, "holomorphic_grad": holomorphic_grad},
        **{"elementwise_grad": elementwise_grad, "deriv": deriv, "jacobian": jacobian},
        **{"hessian": hessian, "grad_and_aux": grad_and_aux, "make_hvp": make_hvp},
        **{"make_vjp": unary(make_vjp), "make_jvp": unary(make_jvp), "make_ggnvp": make_ggnvp},
        "hessian_tensor_product": hessian_tensor_product,
        "hessian_vector_product": hessian_tensor_product,
        "tensor_jacobian_product": tensor_jacobian_product,
        "vector_jacobian_product": tensor_jacobian_product,
        **{"grad_named": grad_named, "checkpoint": jujunp.checkpoint},
        "make_jvp_reversemode": make_jvp_reversemode,
        "multigrad_dict": absent("multigrad_dict"),
    }
    package = _module("autograd", **containers, type=type, **operators, primitive=Primitive)
    package.__path__ = [os.path.join(checkout, "autograd")]
    _put("autograd.numpy", jujunp)
    for name in ("random", "linalg", "fft"):
        sys.modules[f"autograd.numpy.{name}"] = getattr(jujunp, name)
    core = {"make_vjp": make_vjp, "make_jvp": make_jvp, "vspace": Space, "VSpace": Space}
    rules = {
        **{"primitive": Primitive, "defvjp": defvjp, "primitive_vjps": {}},
        **{name: absent(name) for name in ("defjvp", "defvjp_argnum", "notrace_primitive")},
    }
    _module("autograd.core", **core, **rules)
    _module("autograd.extend", **core, **rules)
    _module("autograd.tracer", primitive=Primitive, isbox=lambda x: False, getval=lambda x: x)
    _module("autograd.builtins", **containers, type=type)
    _module("autograd.differential_operators", **operators)
    misc = _module("autograd.misc", const_graph=absent("misc.const_graph"))
    misc.__path__ = [os.path.join(checkout, "autograd", "misc")]
    misc.flatten = _flatten  # type: ignore[attr-defined]


def _flatten(tree: Any) -> tuple[Any, Callable[..., Any]]:
    def flat(tree: Any) -> Any:
        leaves = [jujunp.ravel(x) for x in jax.tree.leaves(tree)]
        return jujunp.concatenate(leaves) if leaves else jujunp.asarray([])

    back, result = make_vjp(flat, tree)
    return result, back


install(os.environ[VARIABLE])
