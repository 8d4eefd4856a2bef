"""What all graphs of a process share: the store, the compiler, what is loaded."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from jujunp.kernels.build import KernelBuildError
from jujunp.kernels.cache import user_cache

from .store.store import Store
from .worker.compiler import Compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .graphs.maxapi import Executable
    from .ir.devices import Device

KEPT_EXECUTABLES = 4096

Entry = TypeVar("Entry")


class _Recent(Generic[Entry]):
    """A mapping that keeps what was used last."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Entry | None:
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def drop(self, key: str) -> None:
        with self._lock:
            self._entries.pop(key, None)

    def keep(self, key: str, entry: Entry) -> None:
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._limit:
                self._entries.popitem(last=False)


class _Module:
    """A compiled module; it is loaded when the first of its executables is wanted."""

    def __init__(self, mef: bytes | Path) -> None:
        self._mef: bytes | Path | None = mef
        self._executables: list[Executable] = []
        self._lock = threading.Lock()

    def executable(
        self, position: int, load: Callable[[bytes | Path], list[Executable]]
    ) -> Executable:
        """Return one executable; raises what `load` raises, and IndexError if there are fewer."""
        with self._lock:
            if self._mef is not None:
                self._executables = load(self._mef)
                self._mef = None
        return self._executables[position]


class Tier:
    """The compiled tier of a process. Its methods may be called from any thread."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.store = Store(user_cache() / "graphs")
        self.compiler = Compiler(self.deliver)
        self.store_hits = 0
        self.counted: set[str] = set()
        """Names of graphs whose kernels on the CPU have been counted."""
        self._places: _Recent[tuple[_Module, int]] = _Recent(KEPT_EXECUTABLES)
        self._modules: _Recent[_Module] = _Recent(KEPT_EXECUTABLES)

    def lookup(self, name: str, device: Device, *, read: bool) -> Executable | None:
        """Return the executable of this name, from memory or, with `read`, from the store."""
        place = self._place(name, read=read)
        if place is None or device.virtual:
            return None
        from .graphs import maxapi  # takes as long as importing JAX, so not before it is needed

        if not maxapi.usable():
            return None
        module, position = place
        try:
            return module.executable(position, lambda mef: maxapi.load(mef, device))
        except (KernelBuildError, OSError, RuntimeError, IndexError):
            # A file that is whole, but no module for this MAX.
            self.store.discard(name)
            self._places.drop(name)
            return None

    def knows(self, name: str, device: Device, *, read: bool) -> bool:
        """Whether `lookup` would try to load an executable."""
        return not device.virtual and self._place(name, read=read) is not None

    def _place(self, name: str, *, read: bool) -> tuple[_Module, int] | None:
        return self._places.get(name) or (self._stored(name) if read else None)

    def _stored(self, name: str) -> tuple[_Module, int] | None:
        found = self.store.get(name)
        if found is None:
            return None
        self.store_hits += 1
        module = self._modules.get(found.file.stem) or _Module(found.file)
        self._modules.keep(found.file.stem, module)
        self._places.keep(name, (module, found.position))
        return module, found.position

    def stored(self, name: str) -> tuple[bytes, int] | None:
        """Return the module in the store that has the executable of this name, and its place."""
        found = self.store.get(name)
        with contextlib.suppress(FileNotFoundError):  # another process may remove it just now
            if found is not None:
                return found.mef, found.position
        return None

    def deliver(self, mef: bytes, names: Sequence[str]) -> None:
        """Keep a module, whose executables have these names, in memory and in the store."""
        module = _Module(mef)
        for position, name in enumerate(names):
            self._places.keep(name, (module, position))
        self.store.put(mef, names)

    def start_anew(self) -> None:
        """In a forked process: leave the parent's worker alone, and what MAX has loaded unused."""
        self.compiler.forget_worker()
        self._begin()


TIER = Tier()

atexit.register(lambda: TIER.compiler.close())
os.register_at_fork(after_in_child=TIER.start_anew)
