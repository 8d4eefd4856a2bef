"""NumPy's bit generators, of which our kernels draw: their state may be pending (`State`).

They are subclasses of NumPy's, with NumPy's seeding, jumps and state dictionaries. What gives
others their memory (`capsule`, `ctypes`, `cffi`) has the state put there, and from then on every
draw leaves it there, so that NumPy's generators and C code can draw from them too.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import random as _numpy
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence

from jujunp.lazy.values.dtypes import UINT64

from .._array.arguments import NUMPY
from .._array.array_likes import as_handle
from .._array.handle import Handle
from ._draws.arguments import exported, shape_of
from ._draws.library import KINDS
from ._draws.state import Source, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ALL_32 = 0xFFFFFFFF


def _with_arrays(state: Any, made: Callable[[Any], Any]) -> Any:
    """Return a dictionary of states with other arrays in it, ours or NumPy's."""
    if isinstance(state, dict):
        return {name: _with_arrays(x, made) for name, x in state.items()}
    return made(state) if isinstance(state, (np.ndarray, Handle)) else state


class SeedSequence(_numpy.SeedSequence):
    __doc__ = _numpy.SeedSequence.__doc__

    def __init__(
        self,
        entropy: Any = None,
        *,
        spawn_key: Any = (),
        pool_size: int = 4,
        n_children_spawned: int = 0,
    ) -> None:
        super().__init__(
            _words(entropy),
            spawn_key=spawn_key,
            pool_size=pool_size,
            n_children_spawned=n_children_spawned,
        )


def _copied(entropy: Any) -> Any:
    if isinstance(entropy, (list, tuple)):
        return type(entropy)(map(_copied, entropy))
    return exported(entropy)


class _Foreign(ISeedSequence):
    """Another library's seed sequence, whose words may be arrays of ours."""

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        return np.asarray(self.theirs.generate_state(n_words, dtype))


class _Spawnable(_Foreign, ISpawnableSeedSequence):
    def spawn(self, n_children: int) -> Any:
        return self.theirs.spawn(n_children)


def _seed_sequence(seed: Any) -> Any:
    """Return what seeds NumPy's bit generators with a seed, or with a seed sequence."""
    if isinstance(seed, _numpy.SeedSequence):
        return seed
    if isinstance(seed, ISeedSequence):
        return (_Spawnable if isinstance(seed, ISpawnableSeedSequence) else _Foreign)(seed)
    return SeedSequence(seed)


def _words(entropy: Any) -> Any:
    """Return seeds with NumPy's arrays in them; lists in lists are NumPy's to refuse.

    Before 2.5 it takes them, and crashes on a list in itself, which has no end for us either.
    """
    if NUMPY < (2, 5):
        return _copied(entropy)
    if isinstance(entropy, (list, tuple)):
        ours = any(isinstance(x, Handle) for x in entropy)
        return (
            entropy if not ours else [exported(x) if isinstance(x, Handle) else x for x in entropy]
        )
    return exported(entropy)


class Pending:
    """What our bit generators do in another way than NumPy's, from which they derive too."""

    _state: State | None = None
    _private = False
    """Whether a generator of ours is being made, which may have the memory."""
    lock: Any

    def __init__(self, seed: Any = None) -> None:
        self._begin(_seed_sequence(seed))

    def _begin(self, seed: Any, **more: Any) -> None:
        """Seed the generator; `more` is what else NumPy's is seeded with."""
        super().__init__(seed, **more)  # type: ignore[call-arg]
        self._state = State(type(self).__name__, super().capsule, self.lock, shared=False)  # type: ignore[misc]

    def _settle(self) -> None:
        """Have the state in NumPy's memory."""
        if self._state is not None:
            with self.lock:
                self._state.settle()

    def _share(self) -> None:
        """Have the state in NumPy's memory from now on."""
        self._settle()
        if self._state is not None and not self._private:
            self._state.shared = True

    @property
    def seed_seq(self) -> Any:
        """What has seeded it."""
        found = super().seed_seq  # type: ignore[misc]
        return found.theirs if isinstance(found, _Foreign) else found

    @property
    def capsule(self) -> Any:
        """The C structure from which NumPy's generators draw."""
        self._share()
        return super().capsule  # type: ignore[misc]

    @property
    def ctypes(self) -> Any:
        """The functions that draw, for ctypes."""
        self._share()
        return super().ctypes  # type: ignore[misc]

    @property
    def cffi(self) -> Any:
        """The functions that draw, for CFFI."""
        self._share()
        return super().cffi  # type: ignore[misc]

    @property
    def state(self) -> Any:
        """The state as NumPy has it: a dictionary, with the name of the generator."""
        self._settle()
        return _with_arrays(super().state, as_handle)  # type: ignore[misc]

    @state.setter
    def state(self, value: Any) -> None:
        self._settle()  # what NumPy refuses leaves it as it is
        given = _with_arrays(value, exported)
        super(Pending, type(self)).state.__set__(self, given)  # type: ignore[misc]

    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """Return what the generator gives, as uint64; None without `output`."""
        assert self._state is not None
        source, shape = Source(self._state), () if size is None else shape_of(size)
        if isinstance(self, _numpy.MT19937):
            found = source.integers(KINDS["integers"], UINT64, shape, 0, _ALL_32)
        else:
            found = source.numbers(KINDS["raw"], UINT64, shape)
        if not output:
            return None
        return found.item() if size is None else found

    def _legacy_seeding(self, seed: Any) -> None:
        self._settle()
        super()._legacy_seeding(seed)  # type: ignore[misc]

    def _benchmark(self, cnt: int, method: str = "uint64") -> Any:
        self._settle()
        return super()._benchmark(cnt, method)  # type: ignore[misc]


class Advancing(Pending):
    """The same, of those that can be told to go on."""

    def advance(self, delta: int) -> Any:
        """Go on as if so many numbers had been drawn; returns the generator."""
        self._settle()
        return super().advance(delta)  # type: ignore[misc]


class PCG64(Advancing, _numpy.PCG64):
    __doc__ = _numpy.PCG64.__doc__


class PCG64DXSM(Advancing, _numpy.PCG64DXSM):
    __doc__ = _numpy.PCG64DXSM.__doc__


class MT19937(Pending, _numpy.MT19937):
    __doc__ = _numpy.MT19937.__doc__


class Philox(Advancing, _numpy.Philox):
    __doc__ = _numpy.Philox.__doc__

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        given = _seed_sequence(seed) if key is None else seed
        self._begin(given, counter=exported(counter), key=exported(key))


class SFC64(Pending, _numpy.SFC64):
    __doc__ = _numpy.SFC64.__doc__


_KINDS = {kind.__name__: kind for kind in (PCG64, PCG64DXSM, MT19937, Philox, SFC64)}


def named(bit_generator: Any) -> Any:
    """Return a new bit generator, given its name, which is all that old pickles hold; or itself."""
    return _KINDS[bit_generator]() if isinstance(bit_generator, str) else bit_generator


def source_of(bit_generator: Any, *, older: bool = False) -> Source:
    """Return what a generator draws from, given a bit generator, ours or NumPy's."""
    if isinstance(bit_generator, Pending):
        assert bit_generator._state is not None
        return Source(bit_generator._state, older=older)
    name = next(
        (
            kind.__name__
            for kind in (
                _numpy.PCG64,
                _numpy.PCG64DXSM,
                _numpy.MT19937,
                _numpy.Philox,
                _numpy.SFC64,
            )
            if isinstance(bit_generator, kind)
        ),
        type(bit_generator).__name__,
    )
    state = State(name, bit_generator.capsule, bit_generator.lock, shared=True)
    return Source(state, older=older)


@contextmanager
def made_for(bit_generator: Any) -> Iterator[None]:
    """Let a generator of ours have the memory of a bit generator, without it being shared."""
    if not isinstance(bit_generator, Pending):
        yield
        return
    bit_generator._private = True
    try:
        yield
    finally:
        bit_generator._private = False
