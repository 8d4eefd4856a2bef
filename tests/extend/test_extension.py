"""Primitives, kernels and calls of users; NumPy is the oracle.

All graphs of the module are compiled together: the cases are run once with stand-ins for the
executables, which tell what graphs they need, and then with the executables.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.interpreters import ad

import jujunp as jj
from jujunp._compile.dynamic_shapes import _symbolic as symbolic_arguments
from jujunp._compile.dynamic_shapes import pattern_of
from jujunp._compile.specialization import jaxpr_of
from jujunp.kernels.build import KernelBuildError
from jujunp.kernels.libraries import build_library
from jujunp.lazy.compiled import CompileError, Graph
from jujunp.lazy.compiled.graphs import maxapi
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.users import libraries
from jujunp.lazy.users import primitives as extension
from tests.support.graphs import compiled as compiled_support
from tests.support.tree.places import KERNELS_OF_USERS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from jax.extend.core import ClosedJaxpr

    from jujunp.lazy.compiled.ir.graph_ir import GraphIR

SOURCES = KERNELS_OF_USERS
X = np.arange(6.0).reshape(2, 3) - 2
Y = np.array([0.5, -1.5, 2.0])
LARGE = np.arange(extension.UNROLLED + 3.0)

pytestmark = pytest.mark.filterwarnings("error")


def like(x: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def add(x: Any, value: int = 7, **options: Any) -> Any:
    return jj.mojo_call("users.add_const", like(x), x, value=value, **options)


def row_sums(x: Any) -> Any:
    rows = x.shape[:-1]
    specs = [jax.ShapeDtypeStruct(rows, x.dtype), jax.ShapeDtypeStruct(rows, np.int32)]
    return jj.mojo_call("users.row_sums", specs, x)


def parameters(x: Any, **given: Any) -> Any:
    spec = jax.ShapeDtypeStruct((3,), np.float64)
    return jj.mojo_call("users.parameters", spec, x, **given)


@jax.custom_jvp
def cubed_by_kernel(x: Any) -> Any:
    """A function whose derivative only its rule knows."""
    return add(x**3, value=1)


@cubed_by_kernel.defjvp
def _cubed_tangent(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return cubed_by_kernel(x), 3 * add(x, value=0) ** 2 * dx


@jax.custom_vjp
def twice_by_kernel(x: Any) -> Any:
    """A function with a derivative of its own: 5, not 1."""
    return add(x, value=2)


twice_by_kernel.defvjp(lambda x: (twice_by_kernel(x), None), lambda _, ct: (5 * ct,))


# Lowering rules. They import MAX themselves: collecting the tests must not take that time.


def constant_added(x: Any, value: int) -> Any:
    from max.graph import DeviceRef, ops

    return ops.custom(
        "users.add_const",
        device=DeviceRef.CPU(),
        values=[x],
        out_types=[x.type],
        parameters={"value": value},
    )[0].tensor


def mixed_rule(x: Any, y: Any, *, value: int) -> Any:
    """Apply MAX's own ops and a kernel; the second result is a view, the third an operand."""
    from max.graph import ops

    turned = ops.permute(x, [1, 0])
    return [constant_added(turned, value) * y, turned, x]


def mixed_abstract(x: Any, y: Any, *, value: int) -> Any:
    turned = jax.ShapeDtypeStruct(x.shape[::-1], x.dtype)
    return [turned, turned, like(x)]


mixed = jj.Primitive("mixed", mixed_rule, mixed_abstract)


turned = jj.Primitive("turned", lambda z: (z[1], z[0]), like, multiple_results=False)
"""Real and imaginary parts change places."""


def counted_rule(x: Any) -> Any:
    """Add 1 until the first number is above 10: a loop of MAX's around a kernel."""
    from max.graph import ops

    return ops.while_loop([x], lambda y: y[0] <= 10, lambda y: [constant_added(y, 1)])[0].tensor


counted = jj.Primitive(
    "counted", counted_rule, jax_abstract_evaluation_rule=like, multiple_results=False
)

scaled: jj.Primitive = jj.Primitive(
    "scaled",
    lambda x, *, factor: x * factor,
    lambda x, *, factor: like(x),
    multiple_results=False,
    batching_rule=lambda xs, axes, **params: (scaled(*xs, **params), axes[0]),
    jvp_rule=lambda xs, dxs, **params: (scaled(*xs, **params), scaled(*dxs, **params)),
    transpose_rule=lambda ct, x, **params: [
        scaled(ct, **params) if ad.is_undefined_primal(x) else None
    ],
)


def staged(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is traced, compiled and run, as `jit` would."""

    def call(*arrays: np.ndarray) -> Any:
        with jax.enable_x64(True):
            closed = jax.make_jaxpr(function)(*arrays)
        graph = extension.Graph(closed)
        graph.compile()
        return graph([np.asarray(x, order="C") for x in arrays])

    return call


def mixed_then_more(x: Any, y: Any) -> Any:
    product, turned, same = mixed(x * 2, y, value=3)
    return [jnp.abs(product) + turned, turned, same]


def in_x64(function: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """Call a function of JAX arrays, outside of any compilation of ours."""
    with jax.enable_x64(True):
        return function(*map(jnp.asarray, arrays))


def pending() -> jj.ndarray:
    return jj.asarray(X) * 2


SELDOM = {
    *("of a view", "of a list", "of single precision", "parameters of NumPy's types"),
    *("a kernel of half precision", "a primitive twice", "a loop in a graph"),
    *("mapped in turn over the last axis", "mapped by JAX", "derivative by custom_jvp in JAX"),
    *("derivative by its rule", "derivative by its transpose"),
}
"""Cases that are not compiled by every run of the tests."""


CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "of a NumPy array": (lambda: add(X), lambda: X + 7),
    "of a pending array": (lambda: add(pending(), 8), lambda: X * 2 + 8),
    "of a view": (lambda: add(pending()[::-1, 1:], 9), lambda: (X * 2)[::-1, 1:] + 9),
    "of a list": (
        lambda: jj.mojo_call("users.add_const", like(Y.astype(int)), [1, 2, 3], value=1),
        lambda: np.array([2, 3, 4]),
    ),
    "of no elements": (lambda: add(X[:0]), lambda: X[:0]),
    "of single precision": (lambda: add(X.astype("f4")), lambda: X.astype("f4") + 7),
    "two results": (
        lambda: row_sums(pending()[1:].T),
        lambda: [(X * 2)[1], np.ones(3, np.int32)],
    ),
    "parameters of all kinds": (
        lambda: parameters(Y, flag=True, factor=0.1, text="word", between=np.dtype("int8")),
        lambda: np.array([1, 0, 4.0]),
    ),
    "parameters of NumPy's types": (
        lambda: parameters(Y, flag=np.False_, factor=np.float64(0.1), text="", between=jnp.float32),
        lambda: np.array([0, 0.5 * float(np.float32(0.1)), 0]),
    ),
    "a primitive of pending arrays": (
        lambda: mixed(pending(), jj.ones((3, 2)), value=4),
        lambda: [X.T * 2 + 4, X.T * 2, X * 2],
    ),
    "a primitive in a graph": (
        lambda: staged(mixed_then_more)(X, X.T + 1),
        lambda: [np.abs((X.T * 2 + 3) * (X.T + 1)) + X.T * 2, X.T * 2, X * 2],
    ),
    "a primitive of complex numbers": (
        lambda: turned(jj.asarray(Y + 3j)) * 2,
        lambda: 2 * (3 + 1j * Y),
    ),
    "a kernel of half precision": (lambda: add(X.astype("f2")), lambda: X.astype("f2") + 7),
    "a primitive twice": (
        lambda: staged(lambda x: scaled(scaled(x, factor=2.0), factor=3.0))(Y),
        lambda: [Y * 6],
    ),
    "a parameter of another type": (lambda: scaled(Y, factor=2), lambda: Y * 2),
    "a loop in a rule": (lambda: counted(Y), lambda: Y + 10),
    "a loop in a graph": (
        lambda: staged(lambda x: counted(x * 2) * 3)(Y),
        lambda: [(2 * Y + 10) * 3],
    ),
    "mapped in turn": (lambda: staged(jax.vmap(add))(X), lambda: [X + 7]),
    "mapped in turn over the last axis": (
        lambda: staged(jax.vmap(row_sums, in_axes=2, out_axes=1))(np.ones((2, 3, 4))),
        lambda: [np.full((2, 4), 3.0), np.full((2, 4), 3, np.int32)],
    ),
    "mapped at once": (
        lambda: staged(jax.vmap(lambda x: add(x, vectorized=True), in_axes=1))(X),
        lambda: [X.T + 7],
    ),
    "mapped over nothing": (lambda: staged(jax.vmap(add))(X[:0]), lambda: [X[:0]]),
    "mapped by its rule": (
        lambda: staged(jax.vmap(lambda x: scaled(x, factor=2.0), in_axes=1, out_axes=1))(X),
        lambda: [X * 2],
    ),
    "mapped by JAX": (lambda: in_x64(jax.vmap(add), X), lambda: X + 7),
    "mapped by JAX in a loop": (lambda: in_x64(jax.vmap(add), LARGE), lambda: LARGE + 7),
    "in JAX's jit": (
        lambda: in_x64(jax.jit(lambda x, y: mixed(x, y, value=4)[0] + 1), X * 2, X.T * 0 + 1),
        lambda: X.T * 2 + 5,
    ),
    "derivative by custom_jvp": (
        lambda: staged(jax.grad(lambda x: cubed_by_kernel(x).sum()))(Y),
        lambda: [3 * Y**2],
    ),
    "derivative by custom_jvp in JAX": (
        lambda: in_x64(jax.grad(lambda x: cubed_by_kernel(x).sum()), Y),
        lambda: 3 * Y**2,
    ),
    "derivative by custom_vjp": (
        lambda: staged(jax.grad(lambda x: twice_by_kernel(x).sum()))(Y),
        lambda: [np.full(3, 5.0)],
    ),
    "derivative by its rule": (
        lambda: staged(lambda x, dx: jax.jvp(lambda y: scaled(y, factor=2.0), (x,), (dx,)))(
            Y, X[0]
        ),
        lambda: [Y * 2, X[0] * 2],
    ),
    "derivative by its transpose": (
        lambda: staged(jax.grad(lambda x: (scaled(x, factor=2.0) ** 2).sum()))(Y),
        lambda: [8 * Y],
    ),
    "no negative numbers": (lambda: row_sums(np.abs(X)), lambda: [[3, 6.0], [3, 3]]),
}


def of_any_size(x: Any) -> Any:
    return add(x[1:]) * 2, scaled(x, factor=3.0), row_sums(abs(x)), turned(x + 0j)


def negative() -> Any:
    return row_sums(X)


@pytest.fixture(scope="module")
def library() -> Any:
    return jj.kernel_library(SOURCES / "plain")


class _NotCompiled(Graph):
    """A graph whose results are zeros."""

    def __init__(self, closed: ClosedJaxpr) -> None:
        super().__init__(closed)
        self._results = closed.out_avals

    def compile(self) -> Any:
        return None

    def __call__(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        return [np.zeros(aval.shape, aval.dtype) for aval in self._results]


class _StandIn:
    """Notes what graphs are made, in the place of `Graph`."""

    def __init__(self) -> None:
        self.irs: dict[str, GraphIR] = {}

    def __call__(self, closed: ClosedJaxpr) -> _NotCompiled:
        graph = _NotCompiled(closed)
        assert graph.reason == ""
        self.irs[graph.name] = graph.ir
        return graph


@pytest.fixture(scope="module")
def prepared(library: Any) -> Iterator[None]:
    """Compile what the frequent cases need, and a graph for all sizes."""
    leaves, tree = jax.tree.flatten(((X,), {}))
    closed, _ = jaxpr_of(of_any_size, symbolic_arguments(leaves, pattern_of(leaves)), tree)
    graph = Graph(closed)
    more = {graph.name: graph.ir}
    calls = [case[0] for name, case in CASES.items() if name not in SELDOM]
    yield from _prepare([*calls, results_of_each_kind], more)


@pytest.fixture(scope="module")
def seldom_prepared(library: Any) -> Iterator[None]:
    """Compile what the others need."""
    yield from _prepare([CASES[name][0] for name in sorted(SELDOM)], {})


def _prepare(calls: Sequence[Callable[[], Any]], more: Mapping[str, GraphIR]) -> Iterator[None]:
    stand_in = _StandIn()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extension, "Graph", stand_in)
        for call in calls:
            call()
    extension._graph.cache_clear()
    compiled_support.have_compiled(stand_in.irs | more)
    yield
    extension._graph.cache_clear()


@pytest.mark.compile
@pytest.mark.parametrize("name", [name for name in CASES if name not in SELDOM])
def test_values(prepared: None, name: str) -> None:
    check_values(name)


@pytest.mark.long
@pytest.mark.compile
@pytest.mark.parametrize("name", sorted(SELDOM))
def test_seldom_values(seldom_prepared: None, name: str) -> None:
    check_values(name)


def check_values(name: str) -> None:
    run, oracle = CASES[name]
    found, wanted = run(), oracle()
    several = isinstance(wanted, list)
    assert isinstance(found, list) is several
    for result, expected in zip(
        *((found, wanted) if several else ([found], [wanted])), strict=True
    ):
        array = np.asarray(result)
        expected = np.asarray(expected, array.dtype if isinstance(expected, list) else None)
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)


@pytest.mark.compile
def test_one_graph_of_users_kernels_serves_all_sizes(prepared: None) -> None:
    jitted = jj.jit(of_any_size, dynamic_shapes=True)
    before = jj.stats()
    for n, m in ((2, 3), (7, 4)):
        x = np.linspace(-1, 1, n * m).reshape(n, m)
        more, three, (sums, counts), quarter = jitted(x)
        np.testing.assert_array_equal(more, (x[1:] + 7) * 2)
        np.testing.assert_array_equal(three, x * 3)
        np.testing.assert_allclose(sums, abs(x).sum(1))
        np.testing.assert_array_equal(counts, np.full(n, m))
        np.testing.assert_array_equal(quarter, x * 1j)
    after = jj.stats()
    assert after["compiles done"] == before["compiles done"]
    assert after["compiled runs"] - before["compiled runs"] == 2


def test_a_loop_of_users_kernels_needs_exact_sizes(library: Any) -> None:
    def function(x: Any) -> Any:
        return jax.lax.fori_loop(0, x.shape[0], lambda _, y: add(y), x)

    leaves, tree = jax.tree.flatten(((X,), {}))
    closed, _ = jaxpr_of(function, symbolic_arguments(leaves, pattern_of(leaves)), tree)
    why = Graph(closed).reason
    assert re.fullmatch(r"a user's kernel in a loop .*, used at .*test_extension.py:\d+.*", why)


def results_of_each_kind() -> tuple[Any, Any, Any, Any]:
    """Of NumPy's arrays, in a function of JAX without and with vmap, and of pending arrays."""
    return (
        add(X),
        in_x64(lambda x: add(np.asarray(x)), X),
        in_x64(jax.vmap(add), X),
        mixed(pending(), jj.ones((3, 2)), value=4),
    )


@pytest.mark.compile
def test_where_the_results_belong(prepared: None) -> None:
    of_numpy, converted, mapped, several = results_of_each_kind()
    assert type(of_numpy) is jj.ndarray
    assert type(converted) is jj.ndarray
    assert isinstance(mapped, jax.Array)
    # what one result is does not change the other, or an operand
    first, second = several[1:]
    first += 1
    np.testing.assert_array_equal(second, X * 2)


@pytest.mark.compile
def test_an_error_of_a_kernel_is_raised(prepared: None) -> None:
    with pytest.raises(ValueError, match=r"users\.row_sums: a negative number"):
        negative()
    np.testing.assert_array_equal(row_sums(np.abs(X))[0], [3, 6])


def test_the_name_of_a_graph_says_what_its_kernels_are(library: Any, tmp_path: Path) -> None:
    def name(call: Callable[..., Any]) -> str:
        with jax.enable_x64(True):
            return Graph(jax.make_jaxpr(call)(X)).name

    edited = shutil.copytree(SOURCES / "plain", tmp_path / "plain")
    source = edited / "arithmetic.mojo"
    source.write_text(source.read_text().replace("Self.value)", "Self.value + 1)"))
    other = build_library(edited, maxapi.registered)
    assert name(add) == name(lambda x: add(x, kernels=library))
    assert name(add) != name(lambda x: add(x, 8))
    assert name(add) != name(lambda x: add(x, kernels=other))
    assert name(lambda x: scaled(x, factor=2)) == name(lambda x: scaled(x, factor=2))
    assert name(lambda x: scaled(x, factor=2)) != name(lambda x: scaled(x, factor=3))


def test_a_library_that_is_not_used_changes_no_name(
    library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name() -> str:
        return Graph(jax.make_jaxpr(lambda x, y: mixed(x, y, value=2))(X, X.T)).name

    before = name()
    monkeypatch.setattr(libraries, "_opened", dict(libraries._opened))
    edited = shutil.copytree(SOURCES / "plain", tmp_path / "plain")
    source = edited / "arithmetic.mojo"
    source.write_text(source.read_text().replace("users.", "others."))
    jj.kernel_library(edited)
    assert len(libraries.opened()) == 2
    assert name() == before


def test_a_program_knows_its_libraries(library: Any) -> None:
    def of(function: Callable[..., Any]) -> frozenset[str]:
        return from_jaxpr(jax.make_jaxpr(function)(X)).libraries

    here = {str(library.path)}
    assert of(add) == of(lambda x: mixed(x, x.T, value=1)) == here
    assert of(lambda x: scaled(x, factor=2)) == of(jnp.negative) == set()


def test_opening_a_library(library: Any, tmp_path: Path) -> None:
    assert library.ops == ("users.add_const", "users.parameters", "users.row_sums")
    assert library.path.is_file()
    assert library.folder == SOURCES / "plain"
    assert jj.kernel_library(str(SOURCES / "plain")) == library
    # the same sources elsewhere are another library of the same content
    copy = build_library(shutil.copytree(SOURCES / "plain", tmp_path / "plain"), maxapi.registered)
    assert copy.path == library.path


def test_a_library_that_cannot_be_opened(tmp_path: Path) -> None:
    broken = SOURCES / "broken"
    with pytest.raises(KernelBuildError, match="use of unknown declaration 'not_defined'") as info:
        jj.kernel_library(broken)
    assert f"{broken}/ops.mojo:2" in str(info.value)
    with pytest.raises(NotADirectoryError, match="nowhere"):
        jj.kernel_library(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r"no \.mojo files"):
        jj.kernel_library(tmp_path)


def test_a_folder_is_opened_again_when_it_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "_opened", {})
    folder = shutil.copytree(SOURCES / "plain", tmp_path / "plain")
    first = jj.kernel_library(folder)
    source = folder / "arithmetic.mojo"
    source.write_text(source.read_text().replace("users.add_const", "users.other"))
    second = jj.kernel_library(folder)
    assert libraries.opened() == (second,)
    assert second.path != first.path
    assert "users.other" in second.ops
    assert first.path.is_file()


def test_which_library_has_a_kernel(
    library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = like(X)
    with pytest.raises(
        ValueError, match=r"no kernel 'users\.none' in the kernel libraries: .*plain"
    ):
        jj.mojo_call("users.none", spec, X)
    monkeypatch.setattr(libraries, "_opened", dict(libraries._opened))
    jj.kernel_library(shutil.copytree(SOURCES / "plain", tmp_path / "copy"))
    with pytest.raises(ValueError, match=r"several kernel libraries have 'users\.add_const'"):
        jj.mojo_call("users.add_const", spec, X, value=1)
    monkeypatch.setattr(libraries, "_opened", {})
    with pytest.raises(ValueError, match="in the kernel libraries: none"):
        jj.mojo_call("users.add_const", spec, X, value=1)
    assert jax.make_jaxpr(lambda x: add(x, kernels=library))(X).eqns


def test_attributes_of_other_types(library: Any) -> None:
    for value in (None, 1j, [1], X, list):
        with pytest.raises(TypeError, match=r"attribute value is a .*, not bool|dtype object"):
            add(X, value=value)  # type: ignore[arg-type]


def failing(name: str, rule: Callable[..., Any], abstract: Callable[..., Any] = like) -> Any:
    return jj.Primitive(name, rule, abstract, multiple_results=False)


def test_lowering_rules_that_fail() -> None:
    def raising(x: Any) -> Any:
        raise KeyError("lost")

    with pytest.raises(RuntimeError, match="rule of primitive raises raised KeyError") as info:
        failing("raises", raising)(X)
    assert isinstance(info.value.__cause__, KeyError)
    wrong = (
        "primitive shape returned float64.3, 2. where its abstract evaluation says float64.2, 3."
    )
    with pytest.raises(RuntimeError, match=wrong):
        failing("shape", lambda x: x.transpose(0, 1))(X)
    single = like(X.astype("f4"))
    with pytest.raises(
        RuntimeError, match=r"returned float64\[2, 3\] where .* says float32\[2, 3\]"
    ):
        failing("dtype", lambda x: x, lambda x: single)(X)
    with pytest.raises(RuntimeError, match=r"primitive many returned float64.*, float64.* where"):
        failing("many", lambda x: [x, x])(X)
    with pytest.raises(RuntimeError, match="primitive none returned a value of type NoneType"):
        failing("none", lambda x: None)(X)


def test_arguments_of_other_types() -> None:
    spec = jax.ShapeDtypeStruct((3,), "float32")
    with pytest.raises(TypeError, match="a shape and a dtype, which 3 has not"):
        jj.mojo_call("kernel", (3,), X)
    with pytest.raises(TypeError, match="what kernel_library returns"):
        jj.mojo_call("kernel", spec, X, kernels="folder")
    with pytest.raises(TypeError, match="a text or a path, not 3"):
        jj.vectorize_mojo(3, "f")
    with pytest.raises(TypeError, match="integer"):
        jj.gpu_engine("first")


def test_abstract_evaluations_that_fail() -> None:
    single = jj.Primitive("single", lambda x: x, like)
    with pytest.raises(TypeError, match="primitive single has multiple results"):
        single(X)


def test_a_primitive_without_a_rule_is_named_with_its_line() -> None:
    unknown = extension.new_primitive("unheard_of", like, multiple_results=False)
    # the next line is the one that the message names
    line = test_a_primitive_without_a_rule_is_named_with_its_line.__code__.co_firstlineno + 4
    closed = jax.make_jaxpr(lambda x: unknown.bind(x) + 1)(X)
    why = Graph(closed).reason
    assert why.startswith("primitive unheard_of has no lowering rule, used at ")
    assert f"{__file__}:{line}" in why
    with pytest.raises(CompileError, match="primitive unheard_of has no lowering rule"):
        Graph(closed).compile()
    loop = jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 9, lambda _, y: unknown.bind(y), x))(X)
    assert Graph(loop).reason.count("used at") == 1


def test_the_line_of_a_user_is_not_ours(library: Any) -> None:
    from jax.extend.source_info_util import summarize

    (equation,) = jax.make_jaxpr(add)(X).eqns
    assert f"{__file__}:" in summarize(equation.source_info)


def test_importing_takes_neither_jax_nor_max(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    code = (
        "import sys, jujunp; jujunp.Primitive, jujunp.mojo_call, jujunp.kernel_library;"
        "import jujunp.lazy.compiled;"  # which the first hot steps import, while somebody waits
        "print('jax' in sys.modules, 'max' in sys.modules)"
    )
    assert run_python(code).stdout == "False False\n"


@pytest.mark.compile
def test_a_kernel_that_is_called_wrongly(library: Any) -> None:
    """What the Mojo compiler says is part of the error, also where only compiling finds it."""
    spec = like(X)
    with pytest.raises(RuntimeError, match="failed to infer parameter 'value'"):
        jj.mojo_call("users.add_const", spec, X)
    with pytest.raises(RuntimeError, match=r"'value' .* expected an integer type"):
        jj.mojo_call("users.add_const", spec, X, value="text")
    with pytest.raises(RuntimeError, match="missing operands starting from argument named 'x'"):
        jj.mojo_call("users.add_const", spec, value=1)


@pytest.mark.compile
def test_rules_for_transformations_of_ours() -> None:
    with jax.enable_x64(True):
        x = jj.asarray(X)
        gradient = jj.grad(lambda x: jj.sum(scaled(x, factor=3.0) * x))(x)
        np.testing.assert_allclose(gradient, 6 * X)
        change = jj.jvp(lambda x: scaled(x, factor=3.0), (x,), (x,))[1]
        np.testing.assert_allclose(change, 3 * X)
        np.testing.assert_allclose(jj.vmap(lambda row: scaled(row, factor=3.0))(x), 3 * X)
        other = jj.Primitive("other", lambda x: x * 3, like, multiple_results=False)
        other.def_jvp(lambda xs, dxs: (other.primitive.bind(*xs), 7 * dxs[0]))
        np.testing.assert_allclose(jj.jvp(other, (x,), (x,))[1], 7 * X)
        other.def_vjp(lambda x: (other(x), x), lambda x, ct: (ct * 100 * x,))
        np.testing.assert_allclose(jj.grad(lambda x: jj.sum(other(x)))(x), 100 * X)


@pytest.mark.compile
def test_transformations_of_ours_do_not_run_on_xla() -> None:
    cubed: jj.Primitive = jj.Primitive(
        "sin",  # a name says nothing
        lambda x: x * x * x,
        like,
        multiple_results=False,
        batching_rule=lambda xs, axes: (cubed(*xs), axes[0]),
        jvp_rule=lambda xs, dxs: (cubed(*xs), 3 * xs[0] * xs[0] * dxs[0]),
    )
    compiled: list[str] = []

    def listen(event: str, duration: float, **_: Any) -> None:
        if "backend_compile" in event:
            compiled.append(event)

    x = np.linspace(-1, 2, 7)  # of a shape for which XLA has compiled nothing yet
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        total = lambda x: jj.sum(cubed(x) * x)  # noqa: E731
        np.testing.assert_allclose(jj.grad(total)(x), 4 * x**3, rtol=1e-15)
        np.testing.assert_allclose(jj.hessian(total)(x), np.diag(12 * x**2), rtol=1e-14)
        np.testing.assert_allclose(jj.jvp(cubed, (x,), (x,))[1], 3 * x**3, rtol=1e-15)
        mapped = jj.vmap(jj.grad(lambda row: jj.sum(cubed(row) * row)))(x[:, None])
        np.testing.assert_allclose(mapped[:, 0], 4 * x**3, rtol=1e-15)
        np.testing.assert_allclose(
            jj.grad(lambda x: jj.sum(jj.vmap(cubed)(x)))(x[:, None]),
            3 * x[:, None] ** 2,
            rtol=1e-15,
        )
        assert not compiled
        jax.jit(lambda x: x + 7)(x)
        assert compiled  # what runs there is seen
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
