"""array-api-compat: what libraries ask about an array before they use it."""

import array_api_compat as compat
import numpy
import pytest

import jujunp

ARRAYS = {
    "matrix": lambda xp: xp.asarray([[1.5, 2.0], [3.0, 4.0]]),
    "pending": lambda xp: xp.asarray([1.0, 2.0, 3.0]) + 1.0,
    "view": lambda xp: xp.asarray([1, 2, 3, 4])[::2],
    "scalar": lambda xp: xp.sum(xp.asarray([1.0, 2.0])),
    "empty": lambda xp: xp.zeros((0, 3)),
    "complex": lambda xp: xp.asarray([1j, 2.0]),
    "booleans": lambda xp: xp.asarray([True, False]),
}

CALLS = {
    "is_array_api_obj": compat.is_array_api_obj,
    "is_writeable_array": compat.is_writeable_array,
    "is_lazy_array": compat.is_lazy_array,
    "device": lambda x: compat.device(x) == "cpu",
    "size": compat.size,
    "to_device": lambda x: compat.to_device(x, "cpu"),
    "to its own device": lambda x: compat.to_device(x, compat.device(x)),
    "namespace's asarray": lambda x: compat.array_namespace(x).asarray(x),
    "namespace and numbers": lambda x: compat.array_namespace(x, 1.0, None).zeros_like(x),
    "namespace of two": lambda x: compat.array_namespace(x, x[None, ...]).expand_dims(x, axis=0),
    "dtype's kind": lambda x: compat.array_namespace(x).isdtype(x.dtype, "real floating"),
    "sum": lambda x: compat.array_namespace(x).sum(x),
}


# array-api-compat takes every array that is not NumPy's for writeable.
CASES = [(n, a) for n in CALLS for a in ARRAYS if (n, a) != ("is_writeable_array", "scalar")]


@pytest.mark.parametrize(("name", "array"), CASES)
def test_calls(name, array, same):
    """Each question has NumPy's answer."""
    same(lambda xp: CALLS[name](ARRAYS[array](xp)))


@pytest.mark.parametrize("use_compat", [None, False])
@pytest.mark.parametrize("version", [None, "2021.12", "2023.12", "2024.12", "2025.12"])
def test_namespace_is_jujunp(version, use_compat):
    """The namespace comes as it is, unwrapped."""
    x = jujunp.asarray([1.0]) + 1.0
    xp = compat.array_namespace(x, api_version=version, use_compat=use_compat)
    assert xp is jujunp


def test_namespace_of_mixed_arrays_is_refused():
    """Arrays of two libraries have no common namespace."""
    with pytest.raises(TypeError, match="Multiple namespaces"):
        compat.array_namespace(jujunp.zeros(2), numpy.zeros(2))


@pytest.mark.parametrize("kind", ["numpy", "jax", "torch", "cupy", "dask", "pydata_sparse"])
def test_no_other_library(kind):
    """The arrays and their namespace are mistaken for no other library's."""
    assert not getattr(compat, f"is_{kind}_array")(jujunp.zeros(2))
    assert not getattr(compat, f"is_{kind}_namespace")(jujunp)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    "record",
    [
        lambda x: x + 1.0,
        lambda x: (x * 2.0).reshape(5, 2),
        lambda x: (x + 1.0).sum(),
        lambda x: x > 3.0,
        lambda x: (x + 1.0)[:1],
    ],
    ids=["array", "matrix", "scalar", "booleans", "one element"],
)
def test_questions_run_nothing(name, record):
    """Asking neither runs nor compiles what is pending."""
    jujunp.flush()
    x = record(jujunp.arange(10.0))
    runs = ("flushes", "immediate runs", "compiled runs", "compiles queued")
    before = jujunp.stats()
    CALLS[name](x)
    after = jujunp.stats()
    assert after["pending"] >= before["pending"] > 0
    assert [after[key] for key in runs] == [before[key] for key in runs]
    expected = record(numpy.arange(10.0))
    numpy.testing.assert_array_equal(numpy.asarray(x), expected)
