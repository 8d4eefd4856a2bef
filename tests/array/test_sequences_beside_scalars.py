"""Sequences times scalars, which integers repeat and others refuse; powers with a modulus."""

from __future__ import annotations

import pytest

from tests.support.differential import check, check_error

SEQUENCES = (["-"], [None], (None,), [("a", 1)], [1], [], (1, 2), [[1, 2]], bytearray(b"x"))
SCALARS = {
    "element": lambda x: x[1],
    "sum": lambda x: x.sum(),
    "product": lambda x: x[1] * x[1],
}
PRODUCTS = {"before": lambda x, y: x * y, "behind": lambda x, y: y * x}


@pytest.mark.parametrize("dtype", ["i8", "i2", "u1", "?", "f8", "f4", "f2", "c16"])
@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("product", PRODUCTS)
def test_products(product, scalar, dtype):
    def outcome(np, sequence):
        found = []
        for _ in range(6):
            try:
                made = PRODUCTS[product](sequence, SCALARS[scalar](np.asarray([1, 2], dtype)))
                found.append((type(made).__name__, repr(made)))
            except TypeError:
                found.append(("TypeError", ""))
        return found

    for sequence in SEQUENCES:
        check(lambda np, sequence=sequence: outcome(np, sequence))


def test_arrays_are_multiplied_with_sequences():
    for sequence in ([1], (1, 2), [[1, 2]], bytearray(b"x")):
        for _ in range(6):
            check(lambda np, sequence=sequence: np.asarray([1.0, 2.0]) * sequence)
            check(lambda np, sequence=sequence: sequence * np.asarray(2.0))


@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_powers_with_a_modulus(dtype):
    for _ in range(6):
        check(lambda np: pow(np.arange(3).astype(dtype)[2], 2, 5))
        check(lambda np: pow(np.arange(3).astype(dtype), 2, 5))
        check(lambda np: pow(2, np.arange(3).astype(dtype)[2], 5))
        check(lambda np: np.arange(3).astype(dtype).__pow__(2, 5) is NotImplemented)
        check(lambda np: np.arange(3).astype(dtype)[2].__pow__(2, 5) is NotImplemented)
        check_error(lambda np: pow(np.arange(3).astype(dtype)[2], 2, None))
