"""Scalars that integers with a sign refuse: what is no number, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp as jj

REFUSED = ["x[1] = s", "x[1:2] = s", "x[...] = s", "x[[0]] = s", "x[:2] = [s, s]", "x.fill(s)"]
REFUSED += ["x.flat[1] = s", "x = xp.array([s], x.dtype)", "x = xp.array([[s], [s]], x.dtype)"]


@pytest.mark.parametrize("statement", REFUSED)
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "float32"])
def test_scalars_that_do_not_fit(dtype: str, statement: str) -> None:
    """Known or pending, and time and again: no call may be recorded without the question."""
    for number in (np.nan, np.inf, 300.0, -1.5, 1e300):
        for kind in ("float64", "float32"):
            for pending in (False, True, True):
                outcomes = []
                for xp in (np, jj):
                    x = xp.zeros(3, dtype)
                    given = xp.array([number, 0], kind)
                    s = given.sum() if pending else given[0]
                    names = {"xp": xp, "x": x, "s": s}
                    try:
                        with np.errstate(all="ignore"), jj.errstate(all="ignore"):
                            exec(statement, names)
                            outcomes.append(np.array(names["x"]).tolist())
                    except (OverflowError, ValueError) as error:
                        told = str(error)  # of elements of `flat` NumPy says less
                        outcomes.append("an error" if "flat" in statement else told)
                assert str(outcomes[1]) == str(outcomes[0])
