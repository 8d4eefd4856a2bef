"""What differs between versions of NumPy is as in the installed one."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import jujunp as np
from jujunp._array.arguments import NUMPY


class Sorting(np.ndarray):
    def sort(self, *args: Any, **kwargs: Any) -> None:
        self.named = kwargs


def _matched(x: Any) -> str:
    match x:
        case [a, b]:
            return f"two: {a}, {b}"
        case _:
            return "none"


def _reshaped(m: Any) -> Any:
    x = m.arange(6)
    x.shape = (2, 3)
    return x


def _seen_as_integers(m: Any) -> Any:
    x = m.ones(2)
    x.dtype = m.int64
    return x


CALLS: dict[str, Callable[[Any], Any]] = {
    "shape": _reshaped,
    "dtype": _seen_as_integers,
    "fix": lambda m: m.fix(m.array([1.5, -2.7])),
    "tri": lambda m: m.tri(3.5, k=1.5),
    "triu": lambda m: m.triu(m.ones((3, 3)), 1.0),
    "tril_indices": lambda m: m.tril_indices(m.array(3.14)),
    "triu_indices": lambda m: m.triu_indices(m.float64(4.0), k=m.bool(0)),
    "pattern": lambda m: _matched(m.arange(2)),
    "seed of lists": lambda m: m.random.SeedSequence([[1, 2], [3]]),
    "seeds": lambda m: m.random.SeedSequence((3, 4)),
    "full_like": lambda m: m.full_like(m.ones(3, m.int8), m.int64(1000)),
}


def _outcome(call: Callable[[Any], Any], module: Any) -> tuple[str, list[str]]:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            found = str(call(module))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return found, [str(x.message) for x in seen]


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_those_of_the_installed_numpy(name: str) -> None:
    assert _outcome(CALLS[name], np) == _outcome(CALLS[name], numpy)


def test_seeds_are_numbers_of_ours() -> None:
    words = np.random.SeedSequence([np.arange(5)[3], 4]).generate_state(2)
    assert words.tolist() == numpy.random.SeedSequence([3, 4]).generate_state(2).tolist()


def test_a_list_in_itself_is_no_seed() -> None:
    """NumPy before 2.5 crashes."""
    entropy: list[Any] = []
    entropy.append(entropy)
    expected = TypeError if NUMPY >= (2, 5) else RecursionError
    with pytest.raises(expected):
        np.random.SeedSequence(entropy)


def test_as_strided_checks_the_memory_of_the_owner() -> None:
    part = np.arange(100)[:2]
    as_strided = np.lib.stride_tricks.as_strided
    assert as_strided(part, (2,), (400,), check_bounds=True).tolist() == [0, 50]
    with pytest.raises(ValueError, match="memory"):
        as_strided(part, (3,), (400,), check_bounds=True)


def test_copyto_wraps_integers() -> None:
    x = np.zeros(2, np.int8)
    np.copyto(x, np.int64(1000), casting="unsafe")
    assert x.tolist() == [-24, -24]


def test_scalars_have_no_items() -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        np.arange(2)[0][0] = 3


def test_sort_calls_the_method_of_a_class() -> None:
    x = np.array([3, 1, 2]).view(Sorting)
    assert np.sort(x).named == {"axis": -1, "kind": None, "order": None, "stable": None}
    assert np.sort(x, axis=0, stable=True).named["stable"] is True
    assert x.tolist() == [3, 1, 2]
