"""Fresh processes, with stores of their own that start empty; the built kernels are the user's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jujunp.kernels.cache import user_cache


@contextmanager
def own_cache() -> Iterator[Path]:
    """Give a folder for caches, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="jujunp-bench-") as folder:
        Path(folder, "kernels").symlink_to(user_cache() / "kernels", target_is_directory=True)
        yield Path(folder)


def output_of(arguments: list[str], cache: Path, policy: str, seconds: float) -> str:
    """Return what a module prints, which is named with its arguments.

    Raises RuntimeError with its last words if it fails, or takes longer than so many seconds.
    """
    environment = {
        **os.environ,
        "JUJUNP_CACHE_DIR": str(cache),
        "MODULAR_CACHE_DIR": str(cache / "modular"),
        "JUJUNP_POLICY": policy,
        "JUJUNP_STRICT": "1",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=Path(__file__).parents[1],
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"took longer than {seconds:g} s") from error
    if done.returncode != 0:
        raise RuntimeError(done.stderr or f"exit status {done.returncode}")
    return done.stdout
