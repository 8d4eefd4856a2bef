"""Engines: where what is compiled runs."""

from __future__ import annotations

import operator
from typing import Any

from jujunp.lazy.compiled.graphs.accelerators import NoAccelerator, gpu
from jujunp.lazy.compiled.ir.devices import CPU, Device

__all__ = ["NoAccelerator", "cpu_engine", "gpu_engine"]


def cpu_engine() -> Device:
    """Return the engine for the CPU, which is the default everywhere."""
    return CPU


def gpu_engine(number: int = 0) -> Device:
    """Return the engine for a GPU of this machine.

    Args:
        number: Which one, where there are several.

    Raises NoAccelerator, a RuntimeError, if MAX finds no GPU with this number, and TypeError for
    what is no number.
    """
    return gpu(operator.index(number))


def device_of(engine: Any) -> Device:
    """Return the device of an engine, the CPU for None; TypeError for what is none."""
    if engine is None:
        return CPU
    if not isinstance(engine, Device):
        raise TypeError(f"device must be cpu_engine() or gpu_engine(), not {engine!r}")
    return engine
