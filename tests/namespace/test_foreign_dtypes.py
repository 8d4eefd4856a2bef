"""Dtypes that are not ours: NumPy makes their arrays, and its functions take them."""

from __future__ import annotations

import datetime
import fractions
from typing import Any

import numpy
import pytest

import jujunp
from tests.calls.support import python_frames

CALLS = """
np.array(["a","b"])
np.array([None,1])
np.array("2020-01-01",dtype="M8[D]")
np.sort(numpy.array(["b","a"]))
np.unique(numpy.array(["b","a"]))
np.concatenate([numpy.array(["b","a"]), ["c"]])
np.char.upper(np.array(["a"]))
np.zeros(3,dtype=[("a",int)])
np.array([1,2],dtype=object)
np.arange(3).astype(str)
np.arange(3)==numpy.array(["a","b","c"])
np.where(np.arange(2)>0, "a","b")
np.where(np.arange(2)>0, np.array(["x","y"]),"b")
np.add(numpy.array([1,2],dtype=object), np.arange(2))
np.full(2,"x")
np.empty(2,object)
np.longdouble(1)+np.arange(2)
np.sum(numpy.array([1,2],dtype=object))
np.asarray(numpy.array(["a"]))
np.isin(["a"],["a","b"])
np.arange(2)+numpy.array([1,2],dtype=object)
numpy.array([1,2],dtype=object)*np.arange(2)
np.ones(2,dtype=np.longdouble)
np.array(["a","b","a"])[np.array([0,2])]
np.array(["a","b","a"])[np.arange(3)>0]
np.arange("2020-01","2020-04",dtype="M8[M]")
np.arange(3)*numpy.timedelta64(1,"D")
D("2020-01-01")+np.arange(3)
np.array([D("2020-01-01")])-D("2019-01-01")
np.argsort(np.array(["b","a"]))
np.array([fractions.Fraction(1,2)])*np.arange(2)
np.vstack([["a","b"],["c","d"]])
np.repeat("ab",3)
np.stack([np.array(["a"]),np.array(["b"])])
np.unique(["b","a","b"], return_counts=True)
np.dot(numpy.array([1,2],dtype=object), np.arange(2))
np.array([[1,"a"],[2.5,None]],dtype=object).T
np.frompyfunc(lambda a: str(a),1,1)(np.arange(3))
np.fromstring("1 2",sep=" ")
np.rec.array([(1,"a")],dtype=[("x",int),("y","U1")]).x
np.array([(1,2.)],dtype=[("x",int),("y",float)])["y"]
np.arange(3)==None
np.array("abc")
np.arange(2).astype("M8[s]")
np.pad(np.array(["a"]),1)
list(np.ndenumerate(np.array(["a","b"])))
list(np.ndenumerate(numpy.array([1,None])))
np.require(numpy.array(["a"]),None,["C"])
np.require(["a"])
np.require(numpy.array([1,None]),object,"W")
np.astype(numpy.array(["1"]),float)
np.astype(numpy.array(["1"]),"U5")
np.divmod.outer(np.ones(2,"g"),[1])
[np.divmod.outer(numpy.ones(2,"g"), [1]) for _ in range(3)]
np.linalg.norm(numpy.array([3,4],dtype=object).astype(float))
np.max(np.array([D("2020"),D("2021")]))
np.searchsorted(np.array(["a","c"]),"b")
np.broadcast_to(np.array(["a"]),(2,1))
np.tile(["a"],2)
np.loadtxt(["1 2"],dtype=str)
np.zeros_like(np.array(["a"]))
np.result_type("U3","f8")
np.copy(np.array(["a"]))
np.nonzero(np.array(["","a"]))
np.any(np.array([None,1]))
np.cumsum(numpy.array([1,2],dtype=object))
np.lexsort((["b","a"],[1,1]))
np.array2string(np.array(["a"]))
np.interp(numpy.array([1],dtype=object),[0,2],[0,4])
np.select([np.arange(2)>0],[np.array(["x","y"])],default="z")
np.take(np.array(["x","y"]),[1,0])
np.insert(np.array(["x","y"]),1,"q")
np.append(np.array(["x"]),"y")
np.array_equal(np.array(["x"]),["x"])
np.setdiff1d(["a","b"],["a"])
np.count_nonzero(["a",""])
np.einsum("i,i",numpy.array([1,2],dtype=object),numpy.array([1,2],dtype=object))
""".strip().splitlines()

OPERATORS = """
x+o
o+x
x==s
s==x
x!=s
x*o
x/o
x-o
x<o
o<x
x==o
x**o
x@o
-o
x//o
x+numpy.longdouble(1)
numpy.longdouble(1)+x
x+fractions.Fraction(1,2)
fractions.Fraction(1,2)+x
x==fractions.Fraction(1,1)
x+None
x<s
x&o
divmod(x,o)
x+datetime.timedelta(1)
x.astype(object)
x.astype('U3')
x.dot(o)
x.tolist()+[1]
x.searchsorted(o)
np.add.reduce(o)
np.maximum.accumulate(o)
x.view('V8')
x.choose([o,o,o])
""".strip().splitlines()
NAMES = {
    "D": numpy.datetime64,
    "datetime": datetime,
    "fractions": fractions,
    "numpy": numpy,
    "o": numpy.array([1, 2, 3], dtype=object),
    "s": numpy.array(["a", "b", "c"]),
}


def outcome(code: str, namespace: Any, x: Any) -> Any:
    """Return what an expression gives, or its error."""
    try:
        return eval(code, {**NAMES, "np": namespace, "x": x})
    except Exception as error:
        return error


def check(code: str) -> None:
    found, wanted = outcome(code, jujunp, jujunp.arange(3)), outcome(code, numpy, numpy.arange(3))
    if isinstance(wanted, Exception):
        assert isinstance(found, type(wanted).__mro__[-4])  # Python's own
        return
    assert str(found) == str(wanted)
    if isinstance(wanted, numpy.ndarray):
        assert found.dtype == wanted.dtype


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JUJUNP_STRICT", raising=False)


HANDED_OVER = """
np.array(["a","b"])
np.array([None,1],dtype=object)
np.asarray(s)
np.asarray([["1"],["2"]],float)
np.sort(s)
np.concatenate([s,["c"]])
np.zeros(3,dtype=[("a",int)])
np.zeros(3,dtype=object)
np.ones(2,"U7")
np.where(x>0,"a",s)
np.add(o,x)
np.add(o,1)
np.sum(o)
np.diff(numpy.array(["2020","2021"],"M8[Y]"))
np.sqrt(numpy.ma.masked_array([1.,4],[0,1]))
x.astype(str)
""".strip().splitlines()


@pytest.mark.parametrize("code", HANDED_OVER)
@pytest.mark.usefixtures("lenient")
def test_simple_calls_are_handed_over_without_ado(code: str) -> None:
    x = jujunp.arange(3)
    call = eval(f"lambda: {code}", {**NAMES, "np": jujunp, "x": x})
    call()  # a dtype's name is learnt
    frames = python_frames(call)
    assert "made_at_once" in frames
    assert not {"learn", "on_host"} & set(frames)
    check(code)


def test_what_numpy_makes_is_counted_unless_it_is_made_of_text() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JUJUNP_STRICT", raising=False)
        before, dtypes = (dict(jujunp.stats()[name]) for name in ("host fallbacks", "host dtypes"))
        jujunp.asarray(["1", "2"], float)
        assert jujunp.stats()["host fallbacks"] == before
        jujunp.sort(["b", "a"])
        for given in (jujunp.array(["b", "a"]), numpy.array(["2020"], "M8[D]")):
            jujunp.sort(given)
        assert jujunp.stats()["host fallbacks"]["sort"] == before.get("sort", 0) + 3
        for name in ("sort of str", "sort of <U1", "sort of datetime64[D]"):
            assert jujunp.stats()["host dtypes"][name] == dtypes.get(name, 0) + 1
        patch.setenv("JUJUNP_STRICT", "1")
        with pytest.raises(TypeError):
            jujunp.sort(["b", "a"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", CALLS)
@pytest.mark.usefixtures("lenient")
def test_calls(code: str) -> None:
    check(code)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", OPERATORS)
@pytest.mark.usefixtures("lenient")
def test_operators(code: str) -> None:
    check(code)


@pytest.mark.usefixtures("lenient")
def test_writes() -> None:
    x = jujunp.arange(3.0)
    x[:] = numpy.array([5, 6, 7], dtype=object)
    assert x.tolist() == [5, 6, 7]
    with pytest.raises(ValueError, match="could not convert"):
        x[0] = "a"
    objects = numpy.array([None] * 3)
    objects[:] = jujunp.arange(3)
    assert list(objects) == [0, 1, 2]


@pytest.mark.usefixtures("lenient")
def test_they_are_counted() -> None:
    before = jujunp.stats()["host fallbacks"].get("sort", 0)
    assert list(jujunp.sort(["b", "a"])) == ["a", "b"]
    assert jujunp.stats()["host fallbacks"]["sort"] == before + 1


@pytest.mark.parametrize("code", ["np.array(['a'])", "np.sort(s)", "x + o", "x.astype(object)"])
def test_strict_mode_refuses_them(code: str) -> None:
    error = outcome(code, jujunp, jujunp.arange(3))
    assert isinstance(error, TypeError)


@pytest.mark.usefixtures("lenient")
def test_derivatives_do_not_go_through() -> None:
    with pytest.raises(TypeError, match="has no derivative"):
        jujunp.grad(lambda x: jujunp.sum(x * NAMES["o"]))(jujunp.ones(3))


@pytest.mark.usefixtures("lenient")
def test_arguments_of_a_new_type_are_no_reason_to_ask_numpy() -> None:
    class Derived(jujunp.ndarray):
        pass

    class Item:
        def __init__(self, value: float) -> None:
            self.value = value

        def __float__(self) -> float:
            return self.value

    before = dict(jujunp.stats()["host fallbacks"])
    x = jujunp.arange(3.0)
    for _ in range(2):
        assert type(x.view(Derived)) is Derived
        assert jujunp.array([Item(1.0), Item(2.0)], float).tolist() == [1, 2]
    assert jujunp.stats()["host fallbacks"] == before
    assert jujunp.array([Item(1.0), 2]).dtype == object


@pytest.mark.usefixtures("lenient")
def test_who_names_a_device_wants_no_text() -> None:
    for _ in range(3):
        with pytest.raises(TypeError, match="not supported"):
            jujunp.asarray(["yes", "no"], device="cpu")
        assert type(jujunp.asarray(["yes", "no"], device=None)) is numpy.ndarray
    assert jujunp.asarray([1, 2], device="cpu").tolist() == [1, 2]
