"""Plain data by keys in a file, of which only what is looked for is read.

The file has the number of entries, the sorted hashes of their keys, where each entry begins and
where the last one ends, and the entries. An entry is a digest of what follows, and the key and its
data as Python's `marshal` writes them. What is damaged, or another user's, counts as missing.
"""

from __future__ import annotations

import array
import bisect
import hashlib
import itertools
import marshal
import mmap
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MAGIC = b"jujunp calls 1\n\0"
_WORD = 8
"""Bytes of each number."""
_DIGEST = 16
_NOTHING = memoryview(b"").cast("Q")


def hash_of(key: bytes) -> int:
    """Return the hash by which an entry is found."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=_WORD).digest())


def entry(key: bytes, data: Any) -> bytes:
    """Return the bytes of an entry."""
    content = marshal.dumps((key, data))
    return _digest(content) + content


def as_file(entries: Mapping[int, bytes]) -> bytes:
    """Return the content of a file with entries, by their hashes."""
    hashes = sorted(entries)
    places = itertools.accumulate((len(entries[one]) for one in hashes), initial=0)
    head = array.array("Q", [len(hashes), *hashes, *places])
    return b"".join([_MAGIC, head.tobytes(), *(entries[one] for one in hashes)])


class Entries:
    """The entries of a file."""

    def __init__(self, file: Path) -> None:
        self._content: bytes | mmap.mmap = b""
        self._hashes, self._places, self._begin = _NOTHING, _NOTHING, 0
        try:
            with file.open("rb") as opened:
                if os.fstat(opened.fileno()).st_uid == os.geteuid():
                    self._content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # none, or an empty one
            return
        self._read_head()

    def _read_head(self) -> None:
        content, begin = self._content, len(_MAGIC) + _WORD
        if content[: len(_MAGIC)] != _MAGIC or len(content) < begin:
            return
        count = int.from_bytes(content[len(_MAGIC) : begin], sys.byteorder)
        end = begin + (2 * count + 1) * _WORD
        if end > len(content):
            return
        words = memoryview(content)[begin:end].cast("Q")
        self._hashes, self._places, self._begin = words[:count], words[count:], end

    def has(self, key: bytes) -> bool:
        """Whether there seems to be an entry of a key."""
        return self._place(key) is not None

    def _place(self, key: bytes) -> int | None:
        wanted = hash_of(key)
        place = bisect.bisect_left(self._hashes, wanted)
        found = place < len(self._hashes) and self._hashes[place] == wanted
        return place if found else None

    def find(self, key: bytes) -> Any:
        """Return a tuple of the data of a key; None if there is none."""
        place = self._place(key)
        if place is None:
            return None
        if not self.is_whole(place):
            return None
        found, data = marshal.loads(self._entry(place)[_DIGEST:])
        return (data,) if found == key else None

    def is_whole(self, place: int) -> bool:
        """Whether the entry at a place is what was written."""
        content = self._entry(place)
        return _digest(content[_DIGEST:]) == content[:_DIGEST]

    def _entry(self, place: int) -> bytes:
        begin, end = self._places[place], self._places[place + 1]
        return self._content[self._begin + begin : self._begin + end]

    def all(self) -> dict[int, bytes]:
        """Return all entries by their hashes."""
        return {one: self._entry(place) for place, one in enumerate(self._hashes)}


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
