"""A few numbers, which are drawn without a Python frame: NumPy's, and what is left to Python."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy
import pytest

import jujunp
from tests.calls.support import python_frames

NEWER = ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"]
SHARED = [
    "g.normal()",
    "g.normal(2, 3)",
    "g.normal(loc=1.0, scale=2)",
    "g.normal(0.5, size=3)",
    "g.normal(x[0], x[1], (2, 3))",
    "g.uniform()",
    "g.uniform(-1, 4, 5)",
    "g.uniform(high=3.5)",
    "g.exponential(2)",
    "g.exponential(scale=0.5, size=(2,))",
    "g.gamma(2.0)",
    "g.beta(2, 3, 4)",
    "g.lognormal(0.1, 0.2)",
    "g.laplace(size=2)",
    "g.standard_t(4.5)",
    "g.chisquare(3)",
    "g.weibull(2.0, 2)",
    "g.poisson(3)",
    "g.poisson(lam=0.0)",
    "g.poisson(1e3, 4)",
    "g.binomial(10, 0.25)",
    "g.binomial(5, 0.5, 6)",
    "g.geometric(0.3, 3)",
    "g.logseries(0.6)",
    "g.standard_normal()",
    "g.standard_normal(3)",
    "g.standard_normal(size=(1, 2))",
    "g.standard_exponential()",
    "g.standard_cauchy(2)",
    "g.standard_gamma(2.5)",
    "g.random()",
    "g.random(4)",
    "g.random((2, 2))",
    "g.random(())",
    "g.multinomial(3, [0.25, 0.75])",
    "g.multinomial(20, x[:2] / x[:2].sum())",
    "g.multinomial(4, p[1])",
    "g.multinomial(4, p[:, 1])",
    "g.multinomial(4, [0.5, 0.5], 2)",
    "g.permutation(6)",
    "g.permutation(x)",
    "g.choice(5)",
    "g.choice(5, 3)",
    "g.choice(5, (2, 2))",
    "g.choice(x)",
    "g.choice(x, 2)",
    "g.choice(2, p=[0.2, 0.8])",
    "g.choice(2, p=p[0])",
    "g.choice(x, p=[0.1, 0.2, 0.3, 0.4])",
    "g.choice(4, 3, False)",
    "g.choice(['a', 'b', 'c'])",
    "g.choice(['a', 'bc'], (2, 2))",
    "g.choice([1, 'a'], ())",
    "g.choice([1, 2, 3])",
    "g.choice((0.5, True), 3)",
    "g.choice([1.5, 2.5], p=[0.25, 0.75])",
    "g.choice(list(x), ())",
    "g.choice(n)",
    "g.choice([[1, 2], [3, 4]])",
    "g.choice(n.reshape(5, 1))",
    "g.choice(n[3, ...], 2)",
    "g.choice(n[::2], 2)",
]
BY_ARRAYS = [
    "g.normal(x, 2)",
    "g.normal(x, x)",
    "g.normal(0, x)",
    "g.normal([0, 1], [1, 2])",
    "g.normal([[0], [1]], x)",
    "g.normal(x, 1, size=(2, 4))",
    "g.normal(0, x, 4)",
    "g.uniform(x, 3)",
    "g.uniform(0, x)",
    "g.uniform(x, [4, 5, 6, 7])",
    "g.poisson(x)",
    "g.poisson([1, 2, 3])",
    "g.poisson(x * 1.0, (2, 4))",
    "g.binomial(i, 0.3)",
    "g.binomial(5, p)",
    "g.binomial(i, p[0, 0])",
    "g.binomial([3, 4], p)",
    "g.gamma(x)",
    "g.gamma(x, 2)",
    "g.beta(x, x + 1)",
    "g.beta(x, 1)",
    "g.exponential(x[::2])",
    "g.exponential(x.reshape(2, 2).T)",
    "g.chisquare(x)",
    "g.geometric(p)",
    "g.hypergeometric(i + 3, 4, 2)",
    "g.hypergeometric(3, 4, [1, 2])",
    "g.hypergeometric(5, 6, 3)",
    "g.hypergeometric(5, 6, 3, 4)",
    "g.negative_binomial(i + 1, 0.4)",
    "g.negative_binomial(3, 0.4)",
    "g.negative_binomial(2.5, p)",
    "g.triangular(0, p, 1)",
    "g.triangular(0, 0.2, 1)",
    "g.triangular(x - 9, x, x + 1)",
    "g.zipf(x + 1)",
    "g.zipf(2.5)",
    "g.zipf(3, 5)",
    "g.logseries(p)",
    "g.laplace(x, 2)",
    "g.vonmises(x, 1)",
    "g.wald(x, x)",
    "g.weibull(x)",
    "g.power(x)",
    "g.standard_t(x)",
    "g.f(x, x)",
    "g.noncentral_chisquare(x, 1)",
    "g.noncentral_f(x, 1, x)",
    "g.lognormal(x / 9, 0.3)",
    "g.rayleigh(x)",
    "g.pareto(x)",
    "g.gumbel(x, 1)",
    "g.logistic(x, x)",
    "g.binomial(s, 0.5)",
    "g.poisson(s)",
    "g.normal(s, i)",
    "g.exponential(s > 1)",
    "g.normal(x[:0], 1)",
    "g.normal(x[0, ...], 1)",
    "g.normal(n, 1)",
    "g.multinomial(5, x / x.sum())",
]
"""Calls in which each number has parameters of its own."""
OF_GENERATORS = [
    "g.integers(5)",
    "g.integers(2, 9)",
    "g.integers(low=2, high=9, size=3)",
    "g.integers(1, 6, endpoint=True)",
    "g.integers(1, 6, endpoint=False, size=(2, 2))",
    "g.integers(x.argmax() + 1, 10)",
    "g.integers(0, 2**40, 4)",
    "g.integers(-(2**62), 2**62, 2)",
    "g.integers(5, dtype='int8', size=3)",
    "g.random(3, dtype='float32')",
    "g.random(out=None)",
    "g.choice(p, axis=1)",
    "g.standard_exponential(2, method='inv')",
]
OF_OLDER = [
    "g.rand()",
    "g.rand(3)",
    "g.rand(2, 2)",
    "g.randn()",
    "g.randn(1, 3)",
    "g.random_sample(2)",
    "g.randint(5)",
    "g.randint(2, 9)",
    "g.randint(2, high=9, size=3)",
    "g.randint(0, 5, dtype='uint8')",
    "g.tomaxint()",
]
WRONG = [
    "g.normal(0, -1)",
    "g.normal(0, 1, -1)",
    "g.normal(0, 1, 2.5)",
    "g.normal(1, 2, 3, 4)",
    "g.normal(locus=1)",
    "g.normal(1, loc=2)",
    "g.uniform(0, float('inf'))",
    "g.exponential(-1)",
    "g.poisson(-1)",
    "g.binomial(-1, 0.5)",
    "g.binomial(10, 1.5)",
    "g.multinomial(2, [0.75, 0.75, 0.1])",
    "g.multinomial(-1, [0.5, 0.5])",
    "g.permutation('a')",
    "g.choice(0)",
    "g.choice([])",
    "g.choice([[1], [2, 3]])",
    "g.choice({1, 2})",
    "g.choice(2, p=[0.5, 0.6])",
    "g.choice(2, p=[1.5, -0.5])",
    "g.choice(3, p=[0.5, 0.5])",
    "g.uniform(x, x)",
    "g.normal(x, -1)",
    "g.poisson(-x)",
    "g.binomial(i, p * 9)",
    "g.normal(x, [1, 2])",
    "g.normal(x, 1, size=3)",
    "g.normal(x, 1, size=(4, 5))",
    "g.beta(0, x)",
    "g.hypergeometric(1, 1, 5)",
    "g.triangular(2, 1, 3)",
    "g.normal(x * 1j, 1)",
    "g.binomial(x, 0.5)",
    "g.zipf(1)",
]


def outcome(library: Any, generator: Any, line: str) -> Any:
    """Return what a line gives, read, or the type of its error."""
    known = {"g": generator, "x": library.array([0.5, 1.5, 2.0, 3.0])}
    known["n"] = numpy.arange(5)
    known |= {"i": library.arange(4), "s": library.arange(3, dtype="f4")}
    known["p"] = library.array([[0.25, 0.75], [0.5, 0.5]])
    try:
        found = eval(line, known)
    except Exception as error:
        return type(error)
    array = numpy.asarray(found)
    is_number = isinstance(found, (int, float)) and not isinstance(found, numpy.generic)
    return type(found) if is_number else None, array.dtype, array.shape, array.tolist()


def check(ours: Any, theirs: Any, lines: list[str]) -> None:
    for _ in range(3):
        for line in lines:
            assert outcome(jujunp, ours, line) == outcome(numpy, theirs, line), line
    assert outcome(jujunp, ours, "g.random(3)") == outcome(numpy, theirs, "g.random(3)")


@pytest.mark.parametrize("name", NEWER)
def test_generators_draw_what_numpy_draws(name: str) -> None:
    ours, theirs = (lib.random.Generator(getattr(lib.random, name)(3)) for lib in (jujunp, numpy))
    check(ours, theirs, SHARED + BY_ARRAYS + OF_GENERATORS + WRONG)


@pytest.mark.parametrize("name", NEWER)
def test_older_generators_draw_what_numpy_draws(name: str) -> None:
    ours, theirs = (lib.random.RandomState(getattr(lib.random, name)(3)) for lib in (jujunp, numpy))
    check(ours, theirs, SHARED + BY_ARRAYS + OF_OLDER + WRONG)


def test_a_pending_state_goes_on() -> None:
    ours, theirs = (lib.random.default_rng(5) for lib in (jujunp, numpy))
    many = [g.normal(size=5000) for g in (ours, theirs)]
    check(ours, theirs, BY_ARRAYS + SHARED)
    assert (numpy.asarray(many[0]) == many[1]).all()


def test_a_shared_state_goes_on() -> None:
    ours = jujunp.random.default_rng(5)
    theirs = numpy.random.default_rng(5)
    beside = numpy.random.Generator(ours.bit_generator)
    for _ in range(3):
        assert (ours.random(), beside.random(), ours.integers(9)) == (
            theirs.random(),
            theirs.random(),
            theirs.integers(9),
        )


def test_a_lock_of_another_thread_is_waited_for() -> None:
    g = jujunp.random.default_rng(1)
    found: list[float] = []
    with g.bit_generator.lock:
        thread = threading.Thread(target=lambda: found.append(g.random()))
        thread.start()
        thread.join(0.05)
        assert not found
    thread.join()
    assert found == [numpy.random.default_rng(1).random()]


@pytest.mark.parametrize("kind", ["list", "array"])
def test_shuffles(kind: str) -> None:
    ours, theirs = (
        list(range(20)) if kind == "list" else lib.arange(20) for lib in (jujunp, numpy)
    )
    jujunp.random.default_rng(2).shuffle(ours)
    numpy.random.default_rng(2).shuffle(theirs)
    assert list(ours) == list(theirs)


def test_methods_are_functions_of_their_classes() -> None:
    assert jujunp.random.Generator.random.__name__ == "random"
    bound = pickle.loads(pickle.dumps(jujunp.random.default_rng(4).normal))
    assert bound() == numpy.random.default_rng(4).normal()
    with pytest.raises(TypeError):
        jujunp.random.Generator.random()
    with pytest.raises(AttributeError):
        jujunp.random.Generator.random(5)


def test_parameters_that_are_scalars_need_no_python() -> None:
    """Pending ones are computed, and NumPy's own are read."""
    g, x = jujunp.random.default_rng(3), jujunp.arange(4.0) + 1
    for scale in (
        x[1] + x[2],
        numpy.float64(5),
        numpy.float32(5),
        numpy.int64(5),
        1 / (1 / x[:3].sum()) - 1,
    ):
        assert python_frames(lambda scale=scale: g.exponential(scale)) == []
        assert python_frames(lambda scale=scale: g.normal(scale, scale)) == []
    theirs = numpy.random.default_rng(3)
    for _ in range(5):
        theirs.exponential(5), theirs.normal(5, 5)
    assert g.random() == theirs.random()


def test_parameters_that_are_arrays_need_no_python() -> None:
    """Neither after many numbers, which leave the state pending until they are computed."""
    g, x = jujunp.random.default_rng(3), jujunp.arange(4.0) + 1
    many = g.normal(size=5000)
    for _ in range(3):
        g.normal(x, 2)
    for call in (
        lambda: g.normal(x, 2),
        lambda: g.poisson(x * 2),
        lambda: g.binomial(5, x / 9),
        lambda: g.multinomial(5, x / x.sum()),
        lambda: g.gamma([1.0, 2.0]),
    ):
        for _ in range(3):
            call()
        assert python_frames(call) == []
    assert many.shape == (5000,)
