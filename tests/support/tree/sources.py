"""A copy of the sources, in which a test may change them, and run tests on what comes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.tree.places import ROOT

COPIED = ("jujunp", "lazy", "kernels", "tests", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "fits")


class Sources:
    """The copy. Python finds it as it is installed, from the folder that it is in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.folder / name, ignore=LEFT_OUT)
            else:
                shutil.copy(ROOT / name, self.folder)
        for name in ("lazy", "kernels"):
            (self.folder / "jujunp" / name).symlink_to(self.folder / name)

    def texts(self) -> dict[str, str]:
        """Return the text of every source by its path."""
        paths = (path for name in COPIED for path in (self.folder / name).rglob("*.*"))
        return {
            str(path.relative_to(self.folder)): path.read_text(encoding="utf-8")
            for path in paths
            if path.suffix in (".py", ".mojo") and path.resolve() == path
        }

    def read(self, path: str) -> str:
        """Return the text of a source."""
        return (self.folder / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text that a source has once."""
        text = self.read(path)
        assert text.count(old) == 1, (path, old)
        (self.folder / path).write_text(text.replace(old, new), encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Write a text behind a source."""
        with open(self.folder / path, "a", encoding="utf-8") as file:
            file.write(text)

    def test(self, *arguments: str) -> None:
        """Run tests of the copy, which build its kernels first, into a cache of their own."""
        cache = self.folder / "cache"
        (cache / "kernels").mkdir(parents=True)
        kept = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--quiet", *arguments],
            cwd=self.folder,
            env={**kept, "JUJUNP_CACHE_DIR": str(cache), "MODULAR_CACHE_DIR": str(cache / "mojo")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        shutil.rmtree(cache)
        assert done.returncode == 0, done.stdout
