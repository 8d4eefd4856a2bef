"""Where the suite is: a folder that the user names, or a checkout in the user's cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from jujunp.kernels.cache import user_cache
from jujunp.kernels.progress import progress

URL = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
"""The commit of the suite, which itself names the one of its submodule, data-apis/array-api."""
VARIABLE = "ARRAY_API_TESTS_DIR"
TESTS = "array_api_tests"

_TIMEOUT_SECONDS = 600


class SuiteError(Exception):
    """The suite, or the part of it that was asked for, cannot be run; the message says why."""


def find_suite() -> Path:
    """Return the folder of the suite, cloned when the user has none; SuiteError without one."""
    if named := os.environ.get(VARIABLE):
        suite = Path(named).absolute()
        if not (suite / TESTS).is_dir():
            raise SuiteError(f"{VARIABLE} names {suite}, which has no folder {TESTS}")
        return suite
    suite = user_cache() / f"array-api-tests-{COMMIT}"
    if not suite.is_dir():
        try:
            _clone(suite)
        except (OSError, subprocess.SubprocessError) as error:
            raise SuiteError(
                f"the Array API test suite cannot be cloned from {URL}: {_words(error)}\n"
                f"Set {VARIABLE} to a checkout of it at {COMMIT}, with its submodule."
            ) from error
    return suite


def commit_of(suite: Path) -> str:
    """Return the commit that the suite is a checkout of, or "unknown"."""
    command = ["git", f"--git-dir={suite / '.git'}", "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def module_files(suite: Path) -> dict[str, str]:
    """Return the modules of the suite: short names, and paths below its folder."""
    paths = sorted((suite / TESTS).glob("test_*.py"))
    return {module_name(path.name): f"{TESTS}/{path.name}" for path in paths}


def module_name(path: str) -> str:
    """Return the short name of a module: "linalg" for "array_api_tests/test_linalg.py"."""
    return Path(path).stem.removeprefix("test_")


def module_file(suite: Path, name: str) -> str:
    """Return the path of the module that a full or short name, or a part of one, means."""
    files = module_files(suite)
    short = module_name(name)
    if short in files:
        return files[short]
    matches = [path for known, path in files.items() if short in known]
    if len(matches) != 1:
        raise SuiteError(f"{name!r} means {len(matches)} modules of {', '.join(files)}")
    return matches[0]


def _clone(suite: Path) -> None:
    """Make a checkout, which appears under its name when it is whole."""
    suite.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".new-suite-", dir=suite.parent))
    try:
        new = folder / "suite"
        with progress(f"conformance: cloning {URL} (once)"):
            _git("clone", "--quiet", "--no-checkout", URL, str(new))
            _git("-C", str(new), "checkout", "--quiet", COMMIT)
            _git("-C", str(new), "submodule", "--quiet", "update", "--init")
        try:
            new.rename(suite)
        except OSError:
            if not suite.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
