"""Our functions take the arguments that NumPy's take."""

from __future__ import annotations

import inspect
import operator

import numpy as np
import pytest

import jujunp


def _parameters(function):
    """Return a function's parameters; none where NumPy hides them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


FUNCTIONS = [
    name
    for name, function in vars(jujunp).items()
    if inspect.isfunction(function)
    and not name.startswith("_")
    and name != "einsum"  # whose keyword arguments NumPy does not name
    and not isinstance(getattr(np, name, None), np.ufunc)
    and _parameters(getattr(np, name, None))
]


OTHERS = (
    *("errstate", "random.SeedSequence", "random.PCG64", "random.PCG64DXSM", "random.MT19937"),
    *("random.SFC64", "random.Philox", "random.Generator", "random.RandomState"),
    *(
        f"{name}.{method}"
        for name in ("add", "sin", "divmod", "isnat", "matmul")
        for method in ("reduce", "accumulate", "reduceat", "outer", "at", "resolve_dtypes")
    ),
    *("ufunc.reduce", "ufunc.accumulate", "ufunc.reduceat", "ufunc.outer", "ufunc.at"),
    *("errstate.__exit__", "matrix.__array_finalize__", "ndarray.__class_getitem__"),
)
"""Classes, methods of ufuncs, and members."""


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    found, wanted = (_parameters(operator.attrgetter(name)(library)) for library in (jujunp, np))
    if wanted:  # releases before 2.4 hide some
        found, wanted = (
            [(p.name, p.kind, p.default is p.empty) for p in each] for each in (found, wanted)
        )
        assert found == wanted


def test_what_numpy_says_to_be_given_by_place_alone():
    """NumPy takes it by name, too."""
    for library in (jujunp, np):
        assert library.empty_like(prototype=library.zeros((2, 3))).shape == (2, 3)
        assert library.add.reduce(array=library.ones(3)) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add.outer(1, B=2),
        lambda m: m.add.outer(a=1, b=2),
        lambda m: m.divmod.outer(a=1, b=2),
        lambda m: m.divmod.at(m.ones(2), indices=[0]),
        lambda m: m.random.PCG64(3, key=4),
        lambda m: m.random.SeedSequence(3, (1,)),
        lambda m: m.errstate(no_such="warn"),
    ],
)
def test_what_is_no_parameter(call):
    for library in (jujunp, np):
        with pytest.raises(TypeError):
            call(library)


OF_METHODS = (
    *("sum", "argsort", "clip", "astype", "reshape", "take", "std"),
    *("byteswap", "dump", "getfield", "resize", "setfield", "setflags", "__setstate__"),
)


@pytest.mark.parametrize("name", OF_METHODS)
def test_methods(name):
    found, wanted = (getattr(kind, name) for kind in (jujunp.ndarray, np.ndarray))
    if _parameters(wanted):
        assert inspect.signature(found) == inspect.signature(wanted)


@pytest.mark.parametrize("name", ["dot", "where", "can_cast", "shares_memory", "sum", "arange"])
def test_functions_tell_their_signatures(name):
    found = getattr(jujunp, name)
    assert hasattr(found, "__signature__") == hasattr(getattr(np, name), "__signature__")
    assert inspect.signature(found) == getattr(found, "__signature__", inspect.signature(found))


NEWER = {"sort": ["descending"], "argsort": ["descending"]}
"""What NumPy takes from 2.5 on, and jujunp always."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name):
    found, wanted = (_parameters(getattr(library, name)) for library in (jujunp, np))
    if name == "arange":  # NumPy takes more than it says: `start` by name, and `dtype` by place
        found = [p for p in found if p.name != "start"]
        assert [p.name for p in found] == [p.name for p in wanted]
        first = wanted[0].replace(default=None)
        wanted = [p.replace(kind=q.kind) for p, q in zip([first, *wanted[1:]], found, strict=True)]
    known = {p.name for p in wanted}
    found = [p for p in found if p.name in known or p.name not in NEWER.get(name, ())]
    assert [(p.name, p.kind) for p in found] == [(p.name, p.kind) for p in wanted]
    for ours, theirs in zip(found, wanted, strict=True):
        hidden = theirs.default is np._NoValue
        assert hidden or ours.default is theirs.default or ours.default == theirs.default


METHODS = [
    name
    for name, method in vars(np.ndarray).items()
    if not name.startswith("_") and callable(method) and hasattr(jujunp.ndarray, name)
]


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_numpys_keywords(name):
    found, wanted = (_parameters(getattr(library.ndarray, name)) for library in (jujunp, np))
    keywords = {p.name for p in wanted if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    assert keywords <= {p.name for p in found if p.kind is not p.POSITIONAL_ONLY}


DOCUMENTED = [
    name
    for name in jujunp.__all__
    if getattr(getattr(jujunp, name), "__module__", "").startswith("jujunp")
]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstrings(name):
    assert (getattr(jujunp, name).__doc__ or "").strip()


@pytest.mark.parametrize("name", METHODS)
def test_methods_tell_their_names(name):
    found, wanted = (getattr(library.arange(3.0), name) for library in (jujunp, np))
    assert found.__name__ == wanted.__name__
