"""From a program to a MAX graph: a table of rules, one for each primitive."""

from __future__ import annotations

from .lower import Lowering, reason

__all__ = ["Lowering", "reason"]
