"""Blocks of `warnings.catch_warnings`: they see the warnings of their own steps, and no others.

Steps run later than they are recorded. So what may warn is computed when a block begins, when
somebody looks at what it has collected, and when it ends. Nothing but the class itself knows when
that is: it gets other methods for that, which NumPy's and pytest's classes use that are derived
from it.
"""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

from . import errors, machine
from .flush import flush

if TYPE_CHECKING:
    from collections.abc import Callable

_CAUGHT = "_jujunp_caught"
"""An attribute of blocks that collect warnings: what they have collected."""
_LOOKS = (
    *("__len__", "__iter__", "__reversed__", "__contains__", "__eq__", "__repr__", "__getitem__"),
    *("__delitem__", "pop", "clear", "copy", "count", "index"),
)
"""Methods of lists that tell what is in them, or take something out."""
_computed = 0
"""How many steps that may warn had been recorded when a block began or ended last."""


def _compute() -> None:
    """Compute what is pending if any of it may warn.

    A step that fails is no business of the block: who reads its result gets the error.
    """
    global _computed
    recorded = machine.warning_steps()
    if recorded == _computed:
        return
    _computed = recorded
    try:
        flush()
    except (Warning, FloatingPointError):
        raise
    except Exception:
        pass


def _looking(look: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(look)
    def computed(self: _Caught, *args: Any) -> Any:
        if self.is_open:
            _compute()
        return look(self, *args)

    return computed


class _Caught(list[Any]):
    """Warnings that a block collects: who looks at them while it goes on has all of them."""

    is_open = True


for _name in _LOOKS:
    setattr(_Caught, _name, _looking(getattr(list, _name)))


def watch_blocks() -> None:
    """Let all blocks compute what may warn when they begin and end.

    In a block that collects warnings (`record=True`) steps run, too, whose results are not kept.
    """
    block = warnings.catch_warnings
    begin, end = block.__enter__, block.__exit__

    @functools.wraps(begin)
    def begin_computed(self: Any) -> Any:
        _compute()
        if begin(self) is None:
            return None
        errors.collect(1)
        caught = _Caught()
        self._module._showwarnmsg_impl = caught.append
        setattr(self, _CAUGHT, caught)
        return caught

    @functools.wraps(end)
    def end_computed(self: Any, *error: Any) -> None:
        try:
            if not any(error):
                _compute()
        finally:
            caught = vars(self).pop(_CAUGHT, None)  # it may have begun before this was here
            if caught is not None:
                caught.is_open = False
                errors.collect(-1)
            end(self, *error)

    block.__enter__ = begin_computed  # type: ignore[method-assign]
    block.__exit__ = end_computed  # type: ignore[method-assign]
