"""The planner and the machine on complex numbers and half precision: values recorded by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import jujunp as jj
from jujunp.lazy.run import machine, transfer
from jujunp.lazy.run.flush import flush
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values import layout
from jujunp.lazy.values.dtypes import CODES, DTYPES
from jujunp.lazy.values.value import Value, dtype_code, pack, record
from jujunp.lazy.values.value import leaf as loaded

C64, C128 = DTYPES[13:]
F16, BF16, F32, F64 = DTYPES[9:13]
BLOCK = 256
"""Elements of complex128 that are evaluated together."""
SIZES = [1, 5, BLOCK, BLOCK + 3, 5 * BLOCK + 1]


@pytest.fixture(autouse=True)
def nothing_pending():
    jj.flush()


def leaf(x: np.ndarray) -> Value:
    # NumPy's array interface has no bfloat16: its bits are imported
    bits = np.ascontiguousarray(x).view("u2") if x.dtype == BF16 else np.ascontiguousarray(x)
    value = transfer.import_array(bits, CODES[bits.dtype])
    return loaded(CODES[x.dtype], x.shape, value.buffer)


def step(
    name: str,
    inputs: Sequence[Any],
    dtype: np.dtype,
    result: np.dtype | None = None,
    shape: tuple[int, ...] | None = None,
) -> Value:
    """Record one elementwise operation on operands of `dtype`."""
    if shape is None:
        shape = next(x.shape for x in inputs if isinstance(x, Value))
    code = pack(OPCODES[name], CODES[dtype], CODES[dtype if result is None else result])
    return record(code, shape, tuple(inputs))


def computed(value: Value) -> np.ndarray:
    flush()
    code = dtype_code(value)
    if DTYPES[code] == BF16:
        return transfer.export(value, CODES[np.dtype("u2")]).view(BF16)
    return transfer.export(value, code).copy()


def gauss(size: int | tuple[int, ...], dtype: np.dtype, seed: int = 0) -> np.ndarray:
    """Whole numbers, on which arithmetic is exact."""
    rng = np.random.default_rng(seed)
    z = rng.integers(-9, 9, size) + 1j * rng.integers(-9, 9, size)
    return np.asarray(z if dtype.kind == "c" else z.real).astype(dtype)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [C64, C128], ids=str)
def test_chains(dtype: np.dtype, size: int) -> None:
    part = DTYPES[CODES[dtype] - 2]
    x, y = gauss(size, dtype), gauss(size, dtype, 1)
    a, b = leaf(x), leaf(y)
    product = step("mul", [a, b], dtype)
    total = step("add", [product, a], dtype)
    mirrored = step("conj", [total], dtype)
    real = step("real", [mirrored], dtype, part)
    twice = step("add", [real, real], part)
    joined = step("complex", [twice, real], part, dtype)
    chosen = step("select_n", [step("eq", [a, b], dtype, DTYPES[0]), joined, a], dtype)
    narrow = step("convert_element_type", [chosen], dtype, C64)
    z = np.conj(x * y + x)
    expected = np.where(x == y, x, 2 * z.real + 1j * z.real)
    assert (computed(narrow) == expected.astype(C64)).all()
    assert (computed(chosen) == expected.astype(dtype)).all()
    assert (computed(total) == x * y + x).all()


@pytest.mark.parametrize("dtype", [C64, C128], ids=str)
def test_strided_and_repeated_operands(dtype: np.dtype) -> None:
    x, row = gauss((300, 70), dtype), gauss(70, dtype, 1)
    a, b = leaf(x), leaf(row)
    column = leaf(gauss((300, 1), dtype, 2))
    total = step("add", [a, b], dtype, shape=x.shape)
    total = step("sub", [total, column], dtype, shape=x.shape)
    expected = x + row - gauss((300, 1), dtype, 2)
    assert (computed(total) == expected).all()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [C64, C128], ids=str)
def test_python_numbers(dtype: np.dtype, size: int) -> None:
    x = gauss(size, dtype)
    a = leaf(x)
    results = [
        (step("mul", [a, 2 - 3j], dtype), x * dtype.type(2 - 3j)),
        (step("sub", [2.5, a], dtype), 2.5 - x),
        (step("add", [a, 7], dtype), x + 7),
        (step("add", [a, True], dtype), x + 1),
        (step("clamp", [-1j, a, 3 + 0.5j], dtype), np.minimum(np.maximum(x, -1j), 3 + 0.5j)),
        (step("ne", [a, 1 + 1j], dtype, DTYPES[0]), x != 1 + 1j),
        (step("copy", [1e-3 + 1e300j if dtype == C128 else 2j], dtype, shape=(size,)), None),
    ]
    for value, expected in results:
        found = computed(value)
        if expected is None:
            expected = np.full(size, 1e-3 + 1e300j if dtype == C128 else 2j, dtype)
        assert (found == expected).all()
        assert found.dtype == expected.dtype


def test_many_complex_numbers_in_one_group() -> None:
    value = leaf(np.zeros(10, C128))
    for k in range(200):
        value = step("add", [value, complex(k, -k)], C128)
    assert (computed(value) == sum(complex(k, -k) for k in range(200))).all()


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_half_precision_numbers(dtype: np.dtype) -> None:
    numbers = [0.1, -2.5, 1e-7, 65504.0, 65519.99, 1e30, 3, 1 + 2**-11 + 2**-30, 1e-40, True]
    zero = leaf(np.zeros(3, dtype))
    for number in numbers:
        with np.errstate(over="ignore"):
            expected = np.asarray(number).astype(dtype)
        found = computed(step("add", [zero, number], dtype))
        assert (found == expected).all(), (number, found, expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_elements_are_python_numbers(dtype: np.dtype) -> None:
    x = gauss(4, dtype) if dtype.kind != "u" else gauss(4, F64).astype("i8").astype(dtype)
    value = leaf(x)
    kind = {"b": bool, "i": int, "u": int, "c": complex}.get(dtype.kind, float)
    for k in range(4):
        place = layout.whole((4,), dtype)[k:]
        found = machine.element(machine.STATE, value.buffer, place, CODES[dtype])
        assert type(found) is kind
        assert found == x[k].item()
    assert machine.element(machine.STATE, value.buffer, None, CODES[dtype]) == x[0].item()


@pytest.mark.parametrize("dtype", [C64, C128], ids=str)
def test_stores(dtype: np.dtype) -> None:
    x = gauss((6, 5), dtype)
    view = layout.whole(x.shape, dtype)[1::2, ::-2]
    store = pack(OPCODES["store"], CODES[dtype], CODES[dtype])
    for new in [3 - 4j, leaf(gauss((3, 3), dtype, 4))]:
        value = record(store, x.shape, (leaf(x), new), (view, None))
        expected = x.copy()
        expected[1::2, ::-2] = new if isinstance(new, complex) else gauss((3, 3), dtype, 4)
        assert (computed(value) == expected).all()


@pytest.mark.parametrize("dtype", [C64, C128], ids=str)
def test_parts_are_views(dtype: np.dtype) -> None:
    """A layout may show the parts of complex memory as real arrays."""
    x = gauss((4, 300), dtype)
    part = DTYPES[CODES[dtype] - 2]
    shown = layout.whole(x.shape, dtype)
    code = pack(OPCODES["add"], CODES[part], CODES[part])
    total = record(code, x.shape, (leaf(x), 1), (shown.imag, None))
    assert (computed(total) == x.imag + 1).all()


def test_large_work_on_all_threads() -> None:
    x, y = gauss(1 << 20, C128), gauss(1 << 20, C128, 1)
    a, b = leaf(x), leaf(y)
    value = step("add", [step("mul", [a, b], C128), 1j], C128)
    assert (computed(value) == x * y + 1j).all()


def test_kernels_take_no_constants_of_complex128() -> None:
    """There is no room for one in the bytecode: it must be an array of shape ()."""
    fill = pack(OPCODES["fill"], CODES[C64], CODES[C64])
    assert (computed(record(fill, (5,), (1 - 2j,))) == np.full(5, 1 - 2j, C64)).all()
    fill = pack(OPCODES["fill"], CODES[C128], CODES[C128])
    value = record(fill, (5,), (leaf(np.array(1 - 2j)),))
    assert (computed(value) == np.full(5, 1 - 2j)).all()
    refused = record(fill, (5,), (1 - 2j,))
    with pytest.raises(RuntimeError, match="no constant of this dtype"):
        flush()
    assert refused.buffer is not None
