"""Those that are measured: jujunp, `jax.jit`; autograd and PyTorch where they are installed.

A contender takes a case, and gives a call without arguments that computes what is wanted of it and
returns that, a tree of its own arrays. jujunp and PyTorch record the function anew in each call.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import jujunp

from .cases import Case

Call = Callable[[], Any]
Maker = Callable[[Case], Call]


def _derived(namespace: Any, function: Callable[..., Any], case: Case) -> Callable[..., Any]:
    """Return what is wanted of a function by transformations that have JAX's names."""
    if case.is_value:
        return function
    gradient = namespace.grad(function)
    if case.direction is None:
        found: Callable[..., Any] = gradient
        return found

    def times_hessian(x: Any, *others: Any) -> Any:
        return namespace.jvp(lambda x: gradient(x, *others), (x,), (case.direction,))[1]

    return times_hessian


def forward(case: Case) -> Call:
    """Return a call that computes the function itself with jujunp."""
    return _jujunp(case._replace(is_value=True))


def _jujunp(case: Case) -> Call:
    function = _derived(jujunp, functools.partial(case.function, jujunp), case)
    given = jax.tree.map(jujunp.asarray, case.arguments)

    def call() -> Any:
        result = function(*given)
        jujunp.flush()
        return result

    return call


def _jax(case: Case) -> Call:
    form = case.form_for_jax or case.function
    function = jax.jit(_derived(jax, functools.partial(form, jax.numpy), case))
    given = jax.tree.map(jax.numpy.asarray, case.arguments)
    return lambda: jax.block_until_ready(function(*given))


def _autograd(case: Case) -> Call:
    import autograd

    form = case.form_for_autograd or case.function
    function = functools.partial(form, autograd.numpy)
    if case.is_value:
        return lambda: function(*case.arguments)
    if case.direction is None:
        return functools.partial(autograd.grad(function), *case.arguments)
    product = autograd.hessian_vector_product(function)
    return functools.partial(product, *case.arguments, case.direction)


def _torch(case: Case) -> Call:
    import torch

    function = functools.partial(case.function, torch)
    first, *others = jax.tree.map(torch.tensor, case.arguments)
    if case.is_value:
        return lambda: function(first, *others)
    leaves, tree = jax.tree.flatten(first)
    for leaf in leaves:
        leaf.requires_grad_()

    def gradient() -> Any:
        found = torch.autograd.grad(function(first, *others), leaves)
        return jax.tree.unflatten(tree, found)

    def times_hessian() -> Any:
        (found,) = torch.autograd.grad(function(first, *others), leaves, create_graph=True)
        return torch.autograd.grad(found @ torch.tensor(case.direction), leaves)[0]

    return gradient if case.direction is None else times_hessian


CONTENDERS: dict[str, Maker] = {"jujunp": _jujunp, "jax.jit": _jax}
"""Those that are measured, in the order of their turns."""
if importlib.util.find_spec("autograd"):
    CONTENDERS["autograd"] = _autograd
if importlib.util.find_spec("torch"):
    CONTENDERS["torch"] = _torch


def arrays_of(result: Any) -> list[np.ndarray]:
    """Return the arrays of a contender's result as NumPy's."""
    return [np.asarray(x.detach() if hasattr(x, "detach") else x) for x in jax.tree.leaves(result)]
