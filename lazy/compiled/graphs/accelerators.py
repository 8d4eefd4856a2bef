"""The GPUs of this machine, as devices."""

from __future__ import annotations

from ..ir.devices import Device


class NoAccelerator(RuntimeError):
    """There is no GPU that MAX could use."""


def gpu(number: int = 0) -> Device:
    """Return a GPU of this machine; raises NoAccelerator if MAX finds none with this number."""
    from . import maxapi  # takes as long as importing JAX

    architectures = maxapi.accelerators()
    if number < 0 or number >= len(architectures):
        found = f"finds only {len(architectures)}" if architectures else "finds no accelerator"
        raise NoAccelerator(f"there is no GPU number {number}: MAX {found} on this machine")
    return Device("gpu", number, architectures[number])
