"""What is refused: NumPy's exceptions, with its words, and nothing is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jujunp

from .cases import assert_same_state, check_call, pair

REFUSED: list[tuple[str, tuple[Any, ...]]] = [
    ("normal", (0.0, -1.0)),
    ("normal", (0.0, -0.0)),
    ("normal", ([0.0, 1.0], [1.0, -1.0])),
    ("normal", ("a",)),
    ("normal", (1j,)),
    ("normal", ([0.0, 1.0], [1.0, 1.0, 1.0])),
    ("normal", ([0.0, 1.0], 1.0, 3)),
    ("normal", (0.0, 1.0, -3)),
    ("normal", (0.0, 1.0, 2.5)),
    ("exponential", (-1.0,)),
    ("exponential", ([-1.0],)),
    ("gamma", (-1.0,)),
    ("gamma", (1.0, -1.0)),
    ("beta", (0.0, 1.0)),
    ("beta", (1.0, [1.0, 0.0])),
    ("chisquare", (0.0,)),
    ("noncentral_chisquare", (1.0, -1.0)),
    ("f", (0.0, 1.0)),
    ("noncentral_f", (1.0, 1.0, -1.0)),
    ("standard_t", (0.0,)),
    ("vonmises", (0.0, -1.0)),
    ("pareto", (0.0,)),
    ("weibull", (-1.0,)),
    ("power", (0.0,)),
    ("laplace", (0.0, -1.0)),
    ("lognormal", (0.0, -1.0)),
    ("rayleigh", (-1.0,)),
    ("wald", (0.0, 1.0)),
    ("triangular", (2.0, 1.0, 3.0)),
    ("triangular", (1.0, 4.0, 3.0)),
    ("triangular", (1.0, 1.0, 1.0)),
    ("triangular", ([1.0], 1.0, 1.0)),
    ("uniform", (0.0, np.inf)),
    ("uniform", (-1e308, 1e308)),
    ("uniform", ([0.0], np.inf)),
    ("poisson", (-1.0,)),
    ("poisson", (1e20,)),
    ("poisson", (np.nan,)),
    ("poisson", ([np.nan],)),
    ("binomial", (-1, 0.5)),
    ("binomial", (1, 1.5)),
    ("binomial", (1, np.nan)),
    ("binomial", (1.5, 0.5)),
    ("binomial", ([1, -1], 0.5)),
    ("negative_binomial", (0.0, 0.5)),
    ("negative_binomial", (1.0, -0.5)),
    ("geometric", (0.0,)),
    ("geometric", (1.1,)),
    ("hypergeometric", (1, 2, 10)),
    ("hypergeometric", (-1, 2, 1)),
    ("hypergeometric", ([1, 2], 2, 10)),
    ("zipf", (1.0,)),
    ("logseries", (1.0,)),
    ("standard_gamma", (-1.0,)),
    ("multinomial", (-1, [0.5, 0.5])),
    ("multinomial", (1, [0.5, 0.6, 0.1])),
    ("multinomial", (1, [-0.5, 1.0])),
    ("dirichlet", ([-1.0, 1.0],)),
    ("permutation", ("abc",)),
]


@pytest.mark.parametrize("older", [False, True])
def test_parameters_that_are_refused(older: bool, quiet: None) -> None:
    ours, theirs = pair("MT19937", older=older)
    for method, args in REFUSED:
        check_call(ours, theirs, method, *args)
    assert_same_state(ours, theirs)


def test_bounds_that_are_refused() -> None:
    for older, method in ((False, "integers"), (True, "randint")):
        ours, theirs = pair("MT19937", older=older)
        for args in (
            (0,),
            (5, 5),
            (5, 3),
            (0, 300, None, "uint8"),
            (-1, 3, None, "uint8"),
            (0, 2**70),
            (0, 10, 3, "float64"),
            (0, 10, 3, ">i4"),
            ([1, 5], [3, 4]),
            ([0], [300], None, "uint8"),
            (0, 10, -1),
        ):
            if not older or args[-1] != ">i4":
                check_call(ours, theirs, method, *args)
        assert_same_state(ours, theirs)
    ours, theirs = pair("PCG64")
    check_call(ours, theirs, "integers", 5, 4, endpoint=True)
    check_call(ours, theirs, "integers", 5, 5, endpoint=True)


def test_dtypes_and_arrays_that_are_refused() -> None:
    ours, theirs = pair("PCG64")
    for name in ("random", "standard_normal", "standard_exponential"):
        check_call(ours, theirs, name, dtype="int32")
        for size, dtype, shape, out in (
            (3, "float64", 4, "float64"),
            (None, "float64", 4, "float32"),
            (None, "float32", 4, "float64"),
        ):
            for library in (jujunp, np):
                errors = []
                for generator, kind in ((ours, library), (theirs, np)):
                    with pytest.raises((TypeError, ValueError)) as error:
                        getattr(generator, name)(size, dtype=dtype, out=kind.empty(shape, out))
                    errors.append((type(error.value), str(error.value)))
                assert errors[0] == errors[1]
    with pytest.raises(ValueError, match="contiguous"):
        ours.random(out=jujunp.empty((4, 4))[:, ::2])
    check_call(ours, theirs, "multivariate_normal", [0, 0], [[1]])
    check_call(ours, theirs, "multivariate_normal", [0], [[1]], method="qr")
    check_call(ours, theirs, "multivariate_normal", [0j], [[1]])
    check_call(ours, theirs, "multivariate_hypergeometric", [3, -4], 2)
    check_call(ours, theirs, "multivariate_hypergeometric", [3, 4], 20)
    check_call(ours, theirs, "multivariate_hypergeometric", [3, 4], 2, method="none")
    assert_same_state(ours, theirs)


PARAMETERS = {
    **dict.fromkeys(("chisquare", "exponential", "geometric", "logseries", "pareto", "poisson"), 1),
    **dict.fromkeys(("power", "rayleigh", "standard_gamma", "standard_t", "weibull", "zipf"), 1),
    **dict.fromkeys(("beta", "binomial", "f", "gamma", "gumbel", "laplace", "logistic"), 2),
    **dict.fromkeys(("lognormal", "negative_binomial", "noncentral_chisquare", "normal"), 2),
    **dict.fromkeys(("uniform", "vonmises", "wald"), 2),
    **dict.fromkeys(("hypergeometric", "noncentral_f", "triangular"), 3),
}
EXTREMES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, 5e-324, -1.0]


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("name", PARAMETERS)
def test_extreme_parameters(name: str, older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUJUNP_STRICT", "0")  # NumPy draws where numbers have no end
    for place in range(PARAMETERS[name]):
        for extreme in EXTREMES:
            given = [extreme if k == place else 1.0 for k in range(PARAMETERS[name])]
            for parameters in (given, [np.array([one]) for one in given]):
                ours, theirs = pair("MT19937" if older else "PCG64", older)
                check_call(ours, theirs, name, *parameters)
                assert_same_state(ours, theirs)
