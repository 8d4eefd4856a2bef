"""`grad` and `jvp` of every function, against differences that NumPy computes."""

from __future__ import annotations

import pytest

from tests.support.derivatives import Case, check_derivatives, check_second_derivatives
from tests.transforms.cases import CASES


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_against_differences(case: Case) -> None:
    check_derivatives(case)


@pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])
def test_second_derivatives(case: Case) -> None:
    check_second_derivatives(case)
