"""Blocks of `warnings.catch_warnings`: they see the warnings of their own steps, and no others.

Steps run later than they are recorded. So what may warn is computed when a block begins, and when
it ends. Nothing but the class itself knows when that is: it gets other methods for that, which
NumPy's and pytest's classes use that are derived from it.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any

from . import errors, machine
from .flush import flush

_COLLECTS = "_jujunp_collects"
"""An attribute of blocks that collect warnings."""
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


def watch_blocks() -> None:
    """Let all blocks compute what may warn when they begin and end.

    In a block that collects warnings (`record=True`) steps run, too, whose results are not kept.
    """
    block = warnings.catch_warnings
    begin, end = block.__enter__, block.__exit__

    @functools.wraps(begin)
    def begin_computed(self: Any) -> Any:
        _compute()
        made = begin(self)
        if made is not None:
            errors.collect(1)
            setattr(self, _COLLECTS, True)
        return made

    @functools.wraps(end)
    def end_computed(self: Any, *error: Any) -> None:
        try:
            if not any(error):
                _compute()
        finally:
            if vars(self).pop(_COLLECTS, False):  # it may have begun before this was here
                errors.collect(-1)
            end(self, *error)

    block.__enter__ = begin_computed  # type: ignore[method-assign]
    block.__exit__ = end_computed  # type: ignore[method-assign]
