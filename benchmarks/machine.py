"""What the numbers depend on."""

from __future__ import annotations

import importlib.metadata
import os
import platform

VERSIONS = ("jujunp", "numpy", "jax", "max")


def machine() -> dict[str, str]:
    """Return the number of cores, and versions."""
    versions = {name: importlib.metadata.version(name) for name in VERSIONS}
    return {"cores": str(os.cpu_count()), "python": platform.python_version(), **versions}


def shown() -> str:
    """Return the same as a line."""
    return ", ".join(f"{name} {value}" for name, value in machine().items())
