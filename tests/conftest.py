"""What all tests share: their own store, strictness, Hypothesis profiles, fresh processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

# Before JAX is imported: it is an oracle, and compiles most tests' functions just to run them once.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")

import hypothesis
import numpy as np
import pytest

from jujunp.kernels.cache import user_cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a store of its own, which starts empty; built kernels stay the user's."""
    kernels = user_cache() / "kernels"
    own = Path(tempfile.mkdtemp(prefix="jujunp-tests-"))
    (own / "kernels").symlink_to(kernels, target_is_directory=True)
    os.environ["JUJUNP_CACHE_DIR"] = str(own)
    # Work that NumPy would do in secret raises instead.
    os.environ.setdefault("JUJUNP_STRICT", "1")
    config.add_cleanup(lambda: shutil.rmtree(own, ignore_errors=True))
    # A shell's background jobs ignore Ctrl-C, and so would the processes that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def nothing_is_pending() -> None:
    """Begin each test as programs begin: with the same patience for what is pending."""
    from jujunp.lazy.run import machine

    machine.flush_small()
    machine.forget_habits()


@pytest.fixture(autouse=True)
def programs_collect_no_warnings() -> Iterator[None]:
    """Undo that pytest collects the warnings of a test, so that what is dropped is not computed."""
    from jujunp.lazy.run import errors

    errors.collect(-1)
    yield
    errors.collect(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files whose tests take long, so that every core is busy to the end.

    Skip the tests marked `gpu` where MAX finds no accelerator.
    """
    slow = {item.path for item in items if any(map(item.get_closest_marker, ("compile", "slow")))}
    items.sort(key=lambda item: item.path not in slow)
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    from max.driver import accelerator_count

    if accelerator_count() == 0:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="MAX finds no accelerator"))


@pytest.fixture
def quiet() -> Iterator[None]:
    """Let NumPy, as an oracle, compute nan and infinities without a warning."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a fresh process, with changes to the environment; return what it printed.

    The process must succeed unless `check=False`.
    """

    def run(
        code: str, *, check: bool = True, timeout: float = 300, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    return run
