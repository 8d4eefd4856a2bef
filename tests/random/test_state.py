"""The state of generators: carried from draw to draw, seen, set, pickled, shared with NumPy's."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence

import jujunp
from jujunp.lazy.values.value import LOG
from jujunp.random._draws.arguments import OLDER_ORACLE, ORACLE

from .cases import ALL, GENERATORS, ROWS, assert_same, assert_same_state, pair

LARGE = 20_000
"""Numbers that are recorded; fewer are drawn at once."""


def test_draws_are_recorded_and_nothing_is_computed() -> None:
    ours, theirs = pair("PCG64")
    before = jujunp.stats()["host fallbacks"]
    flushes = jujunp.stats()["flushes"]
    x = ours.normal(size=LARGE)
    y = ours.integers(0, 10, LARGE)
    z = y * 2
    assert len(LOG) >= 4
    assert jujunp.stats()["flushes"] == flushes
    assert_same(x, theirs.normal(size=LARGE))
    assert_same(z, theirs.integers(0, 10, LARGE) * 2)
    assert_same_state(ours, theirs)
    assert jujunp.stats()["host fallbacks"] == before


@pytest.mark.parametrize("older", [False, True])
def test_numpy_draws_nothing(older: bool) -> None:
    ours, _ = pair("PCG64", older=older)
    oracle = OLDER_ORACLE if older else ORACLE
    before = oracle._bit_generator.state
    for method, calls in (*ALL.items(), *ROWS.items()):
        for args in calls:
            getattr(ours, method)(*args, size=3)
            getattr(ours, method)(*args, size=LARGE)
            if method in ALL:
                getattr(ours, method)(*(np.full(3, x) for x in args), size=(2, 3))
    integers = ours.randint if older else ours.integers
    integers([0, 1], [5, 9], (3, 2))
    integers([0, 1], [5, 2**64], dtype="uint64")
    ours.multinomial(8, [0.3, 0.7], 100)
    ours.choice(9, 3, False, np.full(9, 1 / 9))
    ours.shuffle([1, 2, 3])
    ours.permutation(["a", "b"])
    if not older:
        ours.permuted(np.array(["a", "b"]))
        ours.multivariate_hypergeometric([3, 4], 5, 6)
    np.testing.assert_equal(oracle._bit_generator.state, before)


def test_numbers_that_nobody_wants_are_drawn_all_the_same() -> None:
    ours, theirs = pair("PCG64")
    ours.random(LARGE)
    theirs.random(LARGE)
    assert_same(ours.random(), theirs.random())
    ours.random(LARGE)
    theirs.random(LARGE)
    assert_same(ours.random(LARGE), theirs.random(LARGE))


_CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("random", ()),
    ("random", (3,)),
    ("random", (LARGE,)),
    ("normal", ()),
    ("normal", (0.0, 2.0, LARGE)),
    ("standard_normal", (LARGE,)),
    ("integers", (10,)),
    ("integers", (0, 10, 5, "uint8")),
    ("integers", (0, 10, LARGE + 1, "int32")),
    ("integers", (0, 2**40, LARGE)),
    ("exponential", (1.0, 3)),
    ("gamma", (2.0, 1.0, LARGE)),
    ("poisson", (5.0, LARGE)),
    ("binomial", (10, 0.3)),
    ("permutation", (7,)),
    ("permutation", (LARGE,)),
    ("choice", (100, 3, False)),
    ("choice", (10, LARGE)),
    ("beta", ([0.5, 2.0], 3.0)),
    ("bytes", (5,)),
]
_IN_FLOAT32 = [("random", (7, "f4")), ("standard_normal", (LARGE + 1, "f4")), ("random", (1, "f4"))]


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("seed", range(6))
def test_calls_in_any_order(name: str, seed: int) -> None:
    ours, theirs = pair(name, seed)
    order = np.random.default_rng(seed)
    calls = _CALLS + _IN_FLOAT32
    drawn = []
    for _ in range(30):
        method, args = calls[order.integers(len(calls))]
        drawn.append((getattr(ours, method)(*args), getattr(theirs, method)(*args)))
        if order.random() < 0.2:
            assert_same_state(ours, theirs)
    for found, wanted in drawn:
        assert_same(found, wanted)
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", ["MT19937", "PCG64"])
@pytest.mark.parametrize("seed", range(6))
def test_calls_of_the_older_generator_in_any_order(name: str, seed: int) -> None:
    ours, theirs = pair(name, seed, older=True)
    newer = [
        library.random.Generator(x._bit_generator) for library, x in ((jujunp, ours), (np, theirs))
    ]
    order = np.random.default_rng(seed)
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("rand", ()),
        ("randn", ()),
        ("randn", (3,)),
        ("randn", (LARGE + 1,)),
        ("standard_gamma", (2.0, LARGE + 1)),
        ("randint", (0, 10, LARGE)),
        ("exponential", (1.0,)),
        ("standard_normal", (LARGE + 1,)),
        ("permutation", (9,)),
    ]
    drawn = []
    for _ in range(30):
        method, args = calls[order.integers(len(calls))]
        drawn.append((getattr(ours, method)(*args), getattr(theirs, method)(*args)))
        if order.random() < 0.3:
            count = int(order.choice([3, LARGE]))
            drawn.append(tuple(x.normal(size=count) for x in newer))  # of the same bit generator
    for found, wanted in drawn:
        assert_same(found, wanted)
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", GENERATORS)
def test_states_are_seen_and_set(name: str) -> None:
    ours, theirs = pair(name)
    for generator in (ours, theirs):
        generator.random(LARGE, dtype="f4")
    before = ours.bit_generator.state
    first = ours.random(LARGE)
    ours.bit_generator.state = before
    assert_same(ours.random(LARGE), np.asarray(first))
    theirs.bit_generator.state = before
    assert_same(first, theirs.random(LARGE))
    if name != "SFC64":
        jumped = [generator.bit_generator.jumped(2) for generator in (ours, theirs)]
        assert type(jumped[0]) is type(ours.bit_generator)
        np.testing.assert_equal(jumped[0].state, jumped[1].state)
    if name not in ("MT19937", "SFC64"):
        for generator in (ours, theirs):
            assert generator.bit_generator.advance(10**6) is generator.bit_generator
    assert_same_state(ours, theirs)
    with pytest.raises((TypeError, ValueError)):
        ours.bit_generator.state = {"bit_generator": "Nobody"}
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", GENERATORS)
def test_states_hold_arrays_of_ours(name: str) -> None:
    ours, theirs = pair(name)
    found, wanted = ours.bit_generator.state["state"], theirs.bit_generator.state["state"]
    for key, value in wanted.items():
        kind = jujunp.ndarray if isinstance(value, np.ndarray) else type(value)
        assert type(found[key]) is kind
    again = getattr(jujunp.random, name)(1)
    again.state = ours.bit_generator.state
    assert_same(again.random_raw(9), theirs.bit_generator.random_raw(9))
    assert hasattr(again, "advance") == hasattr(theirs.bit_generator, "advance")


def test_seed_sequences() -> None:
    seeds = jujunp.random.SeedSequence(jujunp.arange(3))
    wanted = np.random.SeedSequence(np.arange(3))
    np.testing.assert_array_equal(seeds.generate_state(5), wanted.generate_state(5))
    assert type(jujunp.random.Philox(4).seed_seq) is jujunp.random.SeedSequence
    with pytest.raises(ValueError, match="seed and key cannot be both used"):
        jujunp.random.Philox(4, key=jujunp.arange(2))


def test_parameters_that_refuse_to_be_numbers() -> None:
    class Refuses(jujunp.ndarray):
        def __float__(self) -> float:
            raise TypeError("no number")

        __int__ = __float__  # type: ignore[assignment]

    x = jujunp.array(1).view(Refuses)
    for call in (jujunp.random.default_rng().uniform, jujunp.random.hypergeometric):
        with pytest.raises(TypeError, match="no number"):
            call(x, 1, *((1,) if call is jujunp.random.hypergeometric else ()))


def test_where_libraries_look_for_the_generator_of_the_module() -> None:
    kept = jujunp.random.get_bit_generator()
    bits = jujunp.random.PCG64(2)
    jujunp.random.set_bit_generator(bits)
    try:
        assert jujunp.random.default_rng(jujunp.random.mtrand._rand).bit_generator is bits
        assert jujunp.random.mtrand.normal(size=3).shape == (3,)
    finally:
        jujunp.random.set_bit_generator(kept)


def test_children() -> None:
    ours, theirs = pair("PCG64")
    for mine, other in zip(ours.spawn(2), theirs.spawn(2), strict=True):
        assert type(mine) is jujunp.random.Generator
        assert_same(mine.random(LARGE), other.random(LARGE))
    found = ours.bit_generator.spawn(1)[0]
    assert type(found) is jujunp.random.PCG64
    assert ours.bit_generator.seed_seq.entropy == 7
    seeds = jujunp.random.SeedSequence(5).spawn(2)
    assert_same(jujunp.random.PCG64(seeds[1]).random_raw(), np.random.PCG64(seeds[1]).random_raw())


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("older", [False, True])
def test_pickles_and_copies(name: str, older: bool) -> None:
    ours, theirs = pair(name, older=older)
    for generator in (ours, theirs):
        generator.standard_normal(LARGE + 1)
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        assert type(again) is type(ours)
        assert_same_state(again, theirs)
        assert_same(again.normal(size=LARGE), copy.deepcopy(theirs).normal(size=LARGE))
    assert_same_state(ours, theirs)
    make, (bits,), *_ = ours.__reduce__()
    assert type(make(name)._bit_generator) is type(bits)  # old pickles hold the name alone
    if not older:
        bits = pickle.loads(pickle.dumps(ours.bit_generator))
        assert type(bits) is type(ours.bit_generator)
        np.testing.assert_equal(bits.state, theirs.bit_generator.state)


@pytest.mark.parametrize("name", GENERATORS)
def test_numpys_bit_generators_are_drawn_from(name: str) -> None:
    theirs = np.random.Generator(getattr(np.random, name)(3))
    wanted = np.random.Generator(getattr(np.random, name)(3))
    ours = jujunp.random.Generator(theirs.bit_generator)
    for size in (None, 3, LARGE):
        assert_same(ours.normal(size=size), wanted.normal(size=size))
        np.testing.assert_array_equal(theirs.random(size), wanted.random(size))
    assert ours.bit_generator is theirs.bit_generator


@pytest.mark.parametrize("name", GENERATORS)
def test_numpys_generators_draw_from_ours(name: str) -> None:
    ours, wanted = pair(name)
    assert_same(ours.random(LARGE), wanted.random(LARGE))
    theirs = np.random.Generator(ours.bit_generator)
    for size in (None, 3, LARGE):
        np.testing.assert_array_equal(theirs.random(size), wanted.random(size))
        assert_same(ours.normal(size=size), wanted.normal(size=size))
    found = ours.random(LARGE)
    assert found._value.buffer is not None  # others may draw at any time
    assert ours.bit_generator.ctypes.state_address
    wanted.random(LARGE)
    assert_same_state(ours, wanted)


def test_what_default_rng_takes() -> None:
    ours = jujunp.random.default_rng(4)
    assert jujunp.random.default_rng(ours) is ours
    for seed in (None, 4, [1, 2], jujunp.random.SeedSequence(3), jujunp.asarray([1, 2])):
        assert type(jujunp.random.default_rng(seed).bit_generator) is jujunp.random.PCG64
    bits = np.random.PCG64(4)
    assert jujunp.random.default_rng(bits).bit_generator is bits
    theirs = np.random.default_rng(4)
    assert jujunp.random.default_rng(theirs).bit_generator is theirs.bit_generator
    older = jujunp.random.RandomState(4)
    assert jujunp.random.default_rng(older).bit_generator is older._bit_generator
    with pytest.raises(TypeError):
        jujunp.random.default_rng("four")
    assert isinstance(ours, np.random.Generator)
    assert isinstance(ours.bit_generator, np.random.BitGenerator)


def test_the_functions_of_the_module() -> None:
    wanted = np.random.RandomState(11)
    jujunp.random.seed(11)
    for name, args in (
        ("rand", (3,)),
        ("randn", (LARGE,)),
        ("randint", (5,)),
        ("normal", ()),
        ("choice", (9, 4)),
        ("permutation", (6,)),
        ("uniform", (0.0, 2.0, LARGE)),
        ("random_sample", ()),
    ):
        assert_same(getattr(jujunp.random, name)(*args), getattr(wanted, name)(*args))
    assert_same(jujunp.random.ranf(2), wanted.random_sample(2))
    assert_same(jujunp.random.sample(2), wanted.random_sample(2))
    state = jujunp.random.get_state()
    first = jujunp.random.randn()
    jujunp.random.set_state(state)
    assert jujunp.random.randn() == first == wanted.randn()
    assert jujunp.random.get_bit_generator().state["bit_generator"] == "MT19937"
    before = jujunp.random.get_bit_generator()
    try:
        jujunp.random.set_bit_generator(jujunp.random.PCG64(3))
        jujunp.random.seed(5)
        other = np.random.RandomState(np.random.PCG64(5))
        assert_same(jujunp.random.randn(3), other.randn(3))
    finally:
        jujunp.random.set_bit_generator(before)
    missing = {name for name in np.random.__all__ if not hasattr(jujunp.random, name)}
    assert missing == set()


@pytest.mark.parametrize("seed", [0, 5, [1, 2, 3], None, 2**32 - 1])
def test_older_seeds(seed: Any) -> None:
    ours, theirs = (library.random.RandomState(seed) for library in (jujunp, np))
    if seed is not None:
        assert_same_state(ours, theirs)
    for generator in (ours, theirs):
        generator.randn(3)
        generator.seed(9)
    assert_same_state(ours, theirs)
    assert_same(ours.randn(LARGE), theirs.randn(LARGE))
    with pytest.raises(ValueError, match="Seed must be between"):
        ours.seed(-1)
    with pytest.raises(TypeError, match="re-seed"):
        jujunp.random.RandomState(jujunp.random.PCG64(1)).seed(1)


def test_threads_draw_each_number_once() -> None:
    ours, theirs = pair("PCG64")
    drawn: list[Any] = []

    def draw() -> None:
        for _ in range(20):
            drawn.extend((ours.random(LARGE), ours.random(3), ours.random()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = np.concatenate([np.ravel(np.asarray(x)) for x in drawn])
    np.testing.assert_array_equal(np.sort(found), np.sort(theirs.random(found.size)))
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", GENERATORS)
def test_seeds_that_are_arrays(name: str) -> None:
    kinds = [(library, getattr(library.random, name)) for library in (jujunp, np)]
    for values in ([5], [1, 2, 3]):
        ours, theirs = (kind(library.asarray(values, "uint32")) for library, kind in kinds)
        np.testing.assert_equal(ours.state, theirs.state)
    if name == "Philox":
        ours, theirs = (
            kind(key=library.asarray([1, 2], "u8"), counter=library.asarray([1, 2, 3, 4], "u8"))
            for library, kind in kinds
        )
        np.testing.assert_equal(ours.state, theirs.state)


@pytest.mark.parametrize("spawns", [False, True])
def test_seed_sequences_of_others_may_give_our_arrays(spawns: bool) -> None:
    bases = (ISpawnableSeedSequence,) if spawns else (ISeedSequence,)

    def sequence(namespace: Any) -> Any:
        class Words(*bases):  # type: ignore[misc]
            def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
                return namespace.arange(n_words, dtype=dtype)

            def spawn(self, n_children: int) -> list[Any]:
                return [Words() for _ in range(n_children)]

        return Words()

    ours, theirs = sequence(jujunp), sequence(np)
    generator, expected = jujunp.random.default_rng(ours), np.random.default_rng(theirs)
    assert generator.bit_generator.seed_seq is ours
    assert generator.random() == expected.random()
    if spawns:
        child, other = generator.spawn(2)[1], expected.spawn(2)[1]
        assert child.random() == other.random()
    else:
        with pytest.raises(TypeError, match="does not implement spawning"):
            generator.spawn(2)


def test_numpys_generators_count_as_ours() -> None:
    theirs = np.random.default_rng(3), np.random.RandomState(3)
    kinds = jujunp.random.Generator, jujunp.random.RandomState
    for given, kind in zip(theirs, kinds, strict=True):

        class Derived(kind):  # type: ignore[misc, valid-type]
            pass

        assert isinstance(given, kind)
        assert [isinstance(given, other) for other in kinds].count(True) == 1
        assert not isinstance(given, Derived)
        assert not isinstance(given.random(), kind)
    assert type(jujunp.random.default_rng(theirs[0])) is jujunp.random.Generator
