"""Where the suite is, and which modules it has."""

from __future__ import annotations

from pathlib import Path

from conformance.checkout import CheckoutError, Repository

URL = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
"""The commit of the suite, which itself names the one of its submodule, data-apis/array-api."""
VARIABLE = "ARRAY_API_TESTS_DIR"
TESTS = "array_api_tests"


class SuiteError(CheckoutError):
    """The suite, or the part of it that was asked for, cannot be run; the message says why."""


def find_suite() -> Path:
    """Return the folder of the suite, cloned when the user has none; CheckoutError without one."""
    return Repository("array-api-tests", URL, COMMIT, VARIABLE, TESTS).find()


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
