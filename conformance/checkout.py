"""Others' repositories: a folder that the user names, or a checkout in the user's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jujunp.kernels.cache import user_cache
from jujunp.kernels.progress import progress

_TIMEOUT_SECONDS = 600


class CheckoutError(Exception):
    """A repository, or the part of it that was asked for, is not there; the message says why."""


@dataclass(frozen=True)
class Repository:
    """A repository at a commit, with its submodules.

    `variable` names the environment variable by which users name a checkout of their own, and
    `holds` a folder that every checkout has.
    """

    name: str
    url: str
    commit: str
    variable: str
    holds: str

    def find(self) -> Path:
        """Return the folder, cloned when the user has none; CheckoutError without one."""
        if named := os.environ.get(self.variable):
            folder = Path(named).absolute()
            if not (folder / self.holds).is_dir():
                text = f"{self.variable} names {folder}, which has no folder {self.holds}"
                raise CheckoutError(text)
            return folder
        folder = user_cache() / f"{self.name}-{self.commit}"
        if not folder.is_dir():
            try:
                self._clone(folder)
            except (OSError, subprocess.SubprocessError) as error:
                raise CheckoutError(
                    f"{self.name} cannot be cloned from {self.url}: {_words(error)}\n"
                    f"Set {self.variable} to a checkout of it at {self.commit}, with submodules."
                ) from error
        return folder

    def _clone(self, checkout: Path) -> None:
        """Make a checkout, which appears under its name when it is whole."""
        checkout.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".new-checkout-", dir=checkout.parent))
        try:
            new = folder / "checkout"
            with progress(f"cloning {self.url} (once)"):
                _git("clone", "--quiet", "--no-checkout", self.url, str(new))
                _git("-C", str(new), "checkout", "--quiet", self.commit)
                _git("-C", str(new), "submodule", "--quiet", "update", "--init")
            try:
                new.rename(checkout)
            except OSError:
                if not checkout.is_dir():  # else another process was faster
                    raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def commit_of(checkout: Path) -> str:
    """Return the commit that a folder is a checkout of, or "unknown"."""
    command = ["git", f"--git-dir={checkout / '.git'}", "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def _git(*arguments: str) -> None:
    """Run git, which must succeed, and must not ask for a name and password."""
    subprocess.run(
        ["git", *arguments],
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=_TIMEOUT_SECONDS,
    )


def _words(error: Exception) -> str:
    """Return what git said was fatal, or else what the exception says."""
    said = getattr(error, "stderr", None)
    lines = said.splitlines() if isinstance(said, str) else []
    return next((line for line in lines if line.startswith("fatal: ")), str(error))
