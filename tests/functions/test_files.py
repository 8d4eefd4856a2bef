"""What is read from files comes as arrays of ours, and NumPy's modules have our names."""

import importlib
import io

import numpy
import pytest

import jujunp as np
from jujunp._array.handle import value_of
from jujunp.lazy.run.machine import Sharing, is_pinned, sharing_of


def _saved(x: object) -> io.BytesIO:
    file = io.BytesIO()
    numpy.save(file, x)
    file.seek(0)
    return file


def test_load_gives_arrays_that_can_be_written() -> None:
    x = np.load(_saved(numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))))
    assert isinstance(x, np.ndarray)
    assert x.flags.f_contiguous
    x[0] = 7
    assert x.tolist() == [[7, 7, 7], [3, 4, 5]]


def test_memory_that_is_read_into_is_taken_over() -> None:
    x = np.load(_saved(numpy.arange(1000.0)))
    assert sharing_of(value_of(x)) == Sharing.WRITERS
    assert not is_pinned(value_of(x))


def test_reading_is_counted() -> None:
    before = np.stats()["host fallbacks"].get("load", 0)
    np.load(_saved(numpy.arange(3)))
    assert np.stats()["host fallbacks"]["load"] == before + 1


def test_archives_give_arrays() -> None:
    file = io.BytesIO()
    numpy.savez(file, numbers=numpy.arange(3), words=numpy.array(["a"]))
    file.seek(0)
    with np.load(file) as found:
        assert isinstance(found, np.lib.npyio.NpzFile)
        assert isinstance(found["numbers"], np.ndarray)
        assert isinstance(found.f.numbers, np.ndarray)
        assert type(found["words"]) is numpy.ndarray
        assert {name: x.tolist() for name, x in found.items()} == {
            "numbers": [0, 1, 2],
            "words": ["a"],
        }


@pytest.mark.parametrize("name", ["loadtxt", "genfromtxt"])
def test_texts_give_arrays(name: str) -> None:
    found = getattr(np, name)(io.StringIO("1,2\n3,4"), delimiter=",")
    assert isinstance(found, np.ndarray)
    assert found.tolist() == [[1, 2], [3, 4]]
    x, y = getattr(np, name)(io.StringIO("1,2\n3,4"), delimiter=",", unpack=True)
    assert (x * y).tolist() == [2, 12]


def test_structures_stay_numpys() -> None:
    found = np.genfromtxt(io.StringIO("a,b\n1,2"), delimiter=",", names=True)
    assert type(found) is numpy.ndarray
    assert found["a"] == 1


def test_columns_are_arrays() -> None:
    file = io.StringIO("a,b\n1,2\n3,4")
    found = np.genfromtxt(file, delimiter=",", names=True, unpack=True)
    assert [type(x) for x in found] == [np.ndarray, np.ndarray]
    assert (found[0] + found[1]).tolist() == [3, 7]


def test_reading_is_not_refused_in_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "1")
    assert np.load(_saved(numpy.arange(3))).tolist() == [0, 1, 2]
    assert np.fromstring("1 2", sep=" ").tolist() == [1, 2]


@pytest.mark.parametrize("name", ["typing", "char", "rec", "dtypes", "lib.npyio", "ma.core"])
def test_modules_of_numpy_have_our_name(name: str) -> None:
    known = importlib.import_module(f"numpy.{name}")
    assert importlib.import_module(f"jujunp.{name}") is known
    assert known.__spec__.name == f"numpy.{name}"


@pytest.mark.parametrize("name", ["nothing", "ma.nothing", "_core"])
def test_other_modules_are_not_found(name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"jujunp.{name}")


def test_masked_arrays_are_numpys() -> None:
    import jujunp.ma as ma
    from jujunp.ma.testutils import assert_equal

    assert ma.masked_array is numpy.ma.masked_array
    assert np.ma is ma
    assert_equal(np.arange(3), [0, 1, 2])
    with pytest.raises(AssertionError):
        assert_equal(np.arange(3), [0, 1, 3])
    assert np.testing.assert_equal is np.testing.assert_equal
