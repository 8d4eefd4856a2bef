"""Our arrays and scalars beside tensors of PyTorch, whose C code asks for NumPy's own types.

Operators, indices and functions of tensors ask arrays what to do (`__torch_function__`); scalars
have no such method, since PyTorch would no longer take them for sizes and axes. What makes tensors
asks nobody, and reads buffers as float32, whatever is in them.
"""

from __future__ import annotations

import importlib
from typing import Any

from .numpys import given_numpys, numpys, replace
from .telling import when_imported

_MAKING = "asarray tensor as_tensor from_numpy full arange"


def _torch_function(
    cls: type, function: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """Make a call of PyTorch's with what is NumPy's in the place of what is ours."""
    named = {name: numpys(x) for name, x in (kwargs or {}).items()}
    return function(*map(numpys, args), **named)


OF_ARRAYS: dict[str, Any] = {"__torch_function__": classmethod(_torch_function)}


def _tell_torch() -> None:
    """Change what makes tensors, and say so to the compiler of scripts, which knows functions."""
    torch: Any = importlib.import_module("torch")
    builtins: Any = importlib.import_module("torch.jit._builtins")
    found = [getattr(torch, name) for name in _MAKING.split()]
    changed = {function: given_numpys(function) for function in found}
    for function, other in changed.items():
        name = builtins._find_builtin(function)
        if name is not None:
            builtins._register_builtin(other, name)
    replace("torch", changed)


when_imported("torch", _tell_torch)
