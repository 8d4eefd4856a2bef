"""Programs: tracing, state, bundles, and running them where JAX and jujunp are not installed."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import os
import random
import re
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jujunp
from jujunp import like
from jujunp.lazy import compiled, loader
from jujunp.lazy.compiled import bundle as bundles
from jujunp.lazy.compiled.ir.graph_ir import Step
from jujunp.lazy.compiled.read.reader import from_jaxpr
from jujunp.lazy.jaxprs.primitives import require_p
from tests.support.tree.places import ROOT


class Point(NamedTuple):
    x: Any
    y: Any


SHARED = np.array([1.0, 2.0, 3.0])
BATCH = {"x": jnp.zeros((4, 2), "float32"), "at": [jax.ShapeDtypeStruct((), "int32")]}
MANY = 3000
FIVE = np.zeros(5)
NONE_BY_THREE = np.zeros((0, 3))
POINT = Point(np.arange(3), True)
A = {"a": (np.zeros(2), 1)}
X = np.arange(8, dtype="float32").reshape(4, 2)
LEFT, RIGHT = np.random.default_rng(0).random((40, 30)), np.random.default_rng(1).random((30, 20))


class Everything(jujunp.Program):
    """All kinds of globals, arguments and results."""

    tree = {"shared": SHARED, "pair": (SHARED, jnp.ones(2, "float32")), "no": None, "by": {7: [5]}}  # noqa: RUF012
    alias = SHARED
    point = Point(jujunp.arange(3), np.array(True))
    count = np.array(0)
    unused = np.ones(5)
    constant = 10.0
    z = jnp.ones(2, "complex64")

    def turn(self):
        self.z = self.z * 1j
        return self.z

    def length(self):
        return abs(self.z)

    def step(self, batch=like(BATCH), rate=like(0.5), on=like(True)):
        """Change some of the state."""
        total = self._total(batch["x"])
        self.alias = jnp.where(on, self.alias * rate + self.constant, 0.0)
        self.count += 1
        self.point = self.point._replace(y=~self.point.y)
        return {"total": total, "at": (batch["at"][0], None), "seen": self.tree["pair"][0]}

    def pick(self, index=like(0)):
        """Fail beyond the end, by a kernel: JAX's own indices stop there."""
        self.count = self.count + 1
        return require_p.bind(self.point.x[index], (index >= len(self.point.x)).astype("int32"))

    def get_tree(self):
        return self.tree

    def set_point(self, point=like(POINT)):
        self.point = point

    def product(self, a=like(LEFT), b=like(RIGHT)):
        return a @ b

    def many(self):
        return jnp.arange(float(MANY))

    def squares(self, x=like(FIVE)):
        return jax.lax.integer_pow(x, 2), x * x

    def empty(self, x=like(NONE_BY_THREE)):
        return x + 1

    def nothing(self, x=like(1.0)):
        return None

    def twice(self, index=like(0)):
        return self.pick(index) + self.pick(index)

    @jujunp.Program.kernel
    def _total(x):
        return x.sum()


class Quiet(jujunp.Program):
    """Nothing to compile."""

    weights = np.linspace(0, 1, 50).reshape(5, 10)
    flag = np.array(True)

    def nothing(self, x=like(A)):
        return None


def equal(found: Any, wanted: Any) -> None:
    """Compare trees: structure, dtypes, shapes and elements."""
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for x, y in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_array_equal(x, y)


# -- what needs no compiler


def test_signatures() -> None:
    found = repr(Everything())
    assert "step(batch: {'x': float32[4,2], 'at': [int32[]]}, rate: float64[], on: bool[])" in found
    assert "-> {'total': float32[], 'at': (int32[], None), 'seen': float64[3]}" in found
    assert "tree: {'shared': float64[3], 'pair': (float64[3], float32[2]), 'no': None" in found
    assert "set_point(point: Point(x=int64[3], y=bool[])) -> None" in found
    assert "_total" not in found
    assert Everything.step.__doc__ == Everything().step.__doc__ == "Change some of the state."


def test_globals_are_copies() -> None:
    program, other = Everything(), Everything()
    array = np.array([4.0, 5.0, 6.0])
    program.alias = array
    array[0] = 0.0
    read = program.tree
    read["shared"][1] = 0.0
    equal(program.tree["pair"][0], np.array([4.0, 5.0, 6.0]))
    equal(other.alias, SHARED)
    assert type(read["shared"]) is jujunp.ndarray
    assert type(program.point) is Point
    assert Everything.alias is SHARED


def test_one_array_is_one_cell() -> None:
    interface = Everything()._definition.traced.interface
    tree, alias = interface.globals["tree"], interface.globals["alias"]
    assert tree.cells[0] == tree.cells[1] == alias.cells[0]
    assert len(interface.cells) == 8
    step = interface.procedures["step"]
    point, count = interface.globals["point"].cells, interface.globals["count"].cells
    assert set(step.reads) == {*alias.cells, *count, point[1]}
    assert set(step.writes) == {*alias.cells, *count, point[1]}
    program = Everything()
    tree = program.tree
    with pytest.raises(ValueError, match=r"global Everything\.tree .* two places, .* two values"):
        program.tree = {**tree, "shared": np.zeros(3)}
    program.tree = {**tree, "shared": np.zeros(3), "pair": (np.zeros(3), tree["pair"][1])}
    equal(program.alias, np.zeros(3))


def test_equal_numbers_are_cells_of_their_own() -> None:
    class Numbers(jujunp.Program):
        pair = (np.zeros(1), 1, 1, np.float32(1))

    assert Numbers()._definition.traced.interface.globals["pair"].cells == (0, 1, 2, 3)


def test_inheritance() -> None:
    class More(Quiet):
        extra = np.zeros(2)
        weights = np.zeros(3)

        def again(self, x=like(A)):
            return self.nothing(x)

    program = More()
    assert program.again({"a": (np.zeros(2), 1)}) is None
    assert program.nothing(x={"a": (np.zeros(2), 1)}) is None
    equal(
        [program.weights, program.extra, program.flag], [np.zeros(3), np.zeros(2), np.array(True)]
    )
    equal(Quiet().weights, Quiet.weights)


def test_init_may_assign() -> None:
    class Started(Quiet):
        def __init__(self, scale):
            self.weights = Quiet.weights * scale

    equal(Started(3.0).weights, Quiet.weights * 3.0)
    with pytest.raises(TypeError):
        Quiet(3.0)


def traced(**attributes: Any) -> jujunp.Program:
    attributes = {"weights": jnp.ones((2, 3), "float32"), "pair": (np.zeros(2), 1.0), **attributes}
    return type("Trial", (jujunp.Program,), attributes)()


def assigns(value: Any, name: str = "weights") -> Any:
    def step(self):
        setattr(self, name, value() if callable(value) else value)

    return step


@pytest.mark.parametrize(
    ("step", "error", "text"),
    [
        (
            assigns(lambda: jnp.ones((3, 2), "float32")),
            ValueError,
            r"self\.weights, assigned in Trial\.step, must be float32\[2,3\], not float32\[3,2\]",
        ),
        (
            assigns(lambda: jnp.ones((2, 3))),
            TypeError,
            r"must be float32\[2,3\], not float64\[2,3\]",
        ),
        (assigns(1.0), ValueError, r"must be float32\[2,3\], not the number 1\.0"),
        (assigns("text"), TypeError, r"weights.* not an object of type str"),
        (assigns((np.zeros(2),), "pair"), TypeError, r"pair.* must be \(.*\), not a tuple of 1"),
        (
            assigns((np.zeros(2), 1j), "pair"),
            TypeError,
            r"pair.*\[1\] must be float64\[\], not the",
        ),
        (assigns(1, "more"), AttributeError, r"Trial\.more is no global"),
        (lambda self: "text", TypeError, r"the result of Trial\.step must be an array"),
        (lambda self: {2.5: 1.0}, TypeError, r"result of Trial\.step has the key 2\.5"),
        (lambda self: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_errors_of_tracing(step: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        traced(step=step)


def test_a_tree_changed_in_place_is_refused() -> None:
    def step(self):
        self.items["a"] = jnp.zeros(2)

    with pytest.raises(TypeError, match=r"Trial\.step changes self\.items in place"):
        traced(step=step, items={"a": np.ones(2)})

    def append(self):
        self.items.append(jnp.zeros(2))

    with pytest.raises(TypeError, match="in place"):
        traced(step=append, items=[np.ones(2)])


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda self, x: x, r"argument x of Trial\.step has no signature"),
        (lambda self, x=1.0: x, r"argument x of Trial\.step must be declared by like"),
        (lambda self, *x: x, "must be an ordinary one"),
        (lambda: 1, "no argument self"),
    ],
)
def test_errors_of_signatures(function: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        traced(step=function)


def test_names_of_programs_own_attributes_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Trial\.save: programs have an attribute of that name"):
        traced(save=np.zeros(2))
    with pytest.raises(TypeError, match="base class"):
        jujunp.Program()


def test_annotations_are_signatures() -> None:
    def step(self, x: like(np.zeros(3, "int8"))) -> None:  # type: ignore[valid-type]
        return None

    step.__annotations__["x"] = like(np.zeros(3, "int8"))  # not a text, as in this module
    assert "step(x: int8[3]) -> None" in repr(traced(step=step))


@pytest.mark.parametrize("device", ["gpu", 0, jujunp.gpu_engine])
def test_what_is_no_device_is_refused(device: Any) -> None:
    with pytest.raises(TypeError, match="device must be"):
        jujunp.export(lambda x: x, 1.0, device=device)
    with pytest.raises(TypeError, match="device must be"):

        class _(jujunp.Program, device=device):
            weights = A


def test_kernels_are_not_for_instances() -> None:
    with pytest.raises(AttributeError, match="_total is a kernel"):
        _ = Everything()._total


def test_like() -> None:
    tree = like({"a": [jujunp.zeros((2, 1)), True], "b": (1, 1.5, 1j, np.float32(2)), "c": None})
    assert [str(x) for x in jax.tree.leaves(tree)] == [
        *("float64[2,1]", "bool[]", "int64[]", "float64[]", "complex128[]", "float32[]")
    ]
    with pytest.raises(TypeError, match="must be an array or a number, not str"):
        like("text")
    with pytest.raises(TypeError, match="is not supported"):
        like(np.array(["text"]))


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        (
            (),
            {},
            TypeError,
            r"missing a required argument: 'x'; its signature is not.*\(x",
        ),
        ((A, A), {}, TypeError, "too many positional"),
        ((A,), {"x": A}, TypeError, "multiple values"),
        ((), {"y": A}, TypeError, "nothing"),
        ((None,), {}, TypeError, r"argument x of nothing must be \{'a': .* not None"),
        (({"b": 1},), {}, TypeError, r"not a dict with the keys \['b'\]"),
        (({"a": [np.zeros(2), 1]},), {}, TypeError, r"nothing\['a'\] must be .* not a list of 2"),
        (
            ({"a": (np.zeros(3), 1)},),
            {},
            ValueError,
            r"\[0\] must be float64\[2\], not float64\[3",
        ),
        (({"a": (np.zeros(2, "f"), 1)},), {}, TypeError, r"must be float64\[2\], not float32\[2\]"),
        (
            ({"a": (np.zeros(2), 1.5)},),
            {},
            TypeError,
            r"\[1\] must be int64\[\], not the float",
        ),
        (({"a": (np.zeros(2), 1 << 70)},), {}, ValueError, r"\['a'\]\[1\] must be int64\[\]: "),
        (
            ({"a": ([0.0, 0.0], 1)},),
            {},
            TypeError,
            r"\[0\] must be float64\[2\], not an object",
        ),
    ],
)
def test_errors_of_arguments(args: Any, kwargs: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        Quiet().nothing(*args, **kwargs)


def test_the_page_on_programs() -> None:
    page = ROOT / "docs" / "programs.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    until_first_call, _, _ = code[0].partition("loss = trainer.step(")
    found: dict[str, Any] = {}
    exec(until_first_call, found)
    assert "step(batch: {'x': float32[4,2]," in repr(found["trainer"])
    exec(code[1].replace('.save("hypot.jj")', ""), found)


# -- bundles


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "quiet.jj"
    program = Quiet()
    program.flag = False
    program.save(path)
    return path


def changed(source: Path, path: Path, **changes: Any) -> Path:
    """Write a bundle with another manifest."""
    bundle = loader.Bundle(source)
    loader.write(path, {**bundle.manifest, **changes}, bundle.members)
    return path


def test_state_is_kept(quiet: Path, tmp_path: Path) -> None:
    program = jujunp.load_program(quiet)
    equal([program.weights, program.flag], [Quiet.weights, np.array(False)])
    program.weights = Quiet.weights + 1
    program.save(tmp_path / "again.jj")
    equal(jujunp.load_program(tmp_path / "again.jj").weights, Quiet.weights + 1)
    equal(jujunp.load_program(quiet).weights, Quiet.weights)
    assert "weights" in dir(program)
    assert "nothing" in dir(program)
    for name in ("other", "_other"):
        with pytest.raises(AttributeError, match="program Quiet has no"):
            getattr(program, name)
        with pytest.raises(AttributeError, match="program Quiet has no global"):
            setattr(program, name, 1)
    with pytest.raises(ValueError, match="the global weights must be"):
        program.weights = np.zeros(3)


def test_equal_programs_are_equal_files(quiet: Path, tmp_path: Path) -> None:
    program = Quiet()
    program.flag = False
    program.save(tmp_path / "same.jj")
    assert (tmp_path / "same.jj").read_bytes() == quiet.read_bytes()


def test_manifest_is_plain(quiet: Path) -> None:
    manifest = json.loads(zipfile.ZipFile(quiet).read("manifest.json"))
    assert manifest["format"] == "jujunp program"
    assert manifest["versions"]["jujunp"] == importlib.metadata.version("jujunp")
    assert manifest["procedures"]["nothing"]["arguments"][0][0] == "x"
    assert set(manifest["members"]) == set(zipfile.ZipFile(quiet).namelist()) - {"manifest.json"}


def test_writing_replaces_as_a_whole(quiet: Path, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "bundle.jj"
    path.write_bytes(quiet.read_bytes())

    def fail(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(loader.os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        Quiet().save(path)
    monkeypatch.undo()
    assert path.read_bytes() == quiet.read_bytes()
    assert os.listdir(tmp_path) == ["bundle.jj"]
    with pytest.raises(FileNotFoundError):
        Quiet().save(tmp_path / "none" / "bundle.jj")


def test_truncated_bundles_are_refused(quiet: Path, tmp_path: Path) -> None:
    content = quiet.read_bytes()
    path = tmp_path / "short.jj"
    for length in (0, 1, 30, 5000, len(content) // 2, len(content) - 700, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(jujunp.BundleError, match=r"short\.jj is "):
            jujunp.load_program(path)


def test_a_flipped_bit_is_found(quiet: Path, tmp_path: Path) -> None:
    bundle = loader.Bundle(quiet)
    state = {name: x for name, x in bundle.members.items() if name.startswith("state/")}
    path = tmp_path / "flipped.jj"
    loader.write(path, bundle.manifest, {**state, loader.KERNELS: b"no library" * 30})
    content = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        inside = set()
        for info in file.infolist():
            if info.compress_type == zipfile.ZIP_STORED:
                start = info.header_offset + 30 + len(info.filename)
                inside.update(range(start, start + info.compress_size))
    numbers = random.Random(0)
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1 << numbers.randrange(8)
        path.write_bytes(flipped)
        try:
            program = jujunp.load_program(path)
        except jujunp.BundleError:
            continue
        # What zip files hold beside the contents, such as dates and padding, may be anything.
        assert place not in inside
        equal([program.weights, program.flag], [Quiet.weights, np.array(False)])


def test_foreign_files_are_refused(quiet: Path, tmp_path: Path) -> None:
    path = tmp_path / "foreign.jj"
    path.write_text("some text\n")
    with pytest.raises(jujunp.BundleError, match=r"foreign\.jj is no bundle"):
        jujunp.load_program(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme", "text")
    with pytest.raises(jujunp.BundleError, match=r"has no manifest\.json"):
        jujunp.load_program(path)
    for text in ("{}", "[]", "3", "{", '"jujunp program"'):
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("manifest.json", text)
        with pytest.raises(jujunp.BundleError, match=r"foreign\.jj is "):
            jujunp.load_program(path)
    with pytest.raises(FileNotFoundError):
        jujunp.load_program(tmp_path / "none.jj")
    assert issubclass(jujunp.BundleError, ValueError)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"version": 1}, "has version 1 of the format, and this loader reads version 2"),
        ({"versions": {"max": "25.1.0"}}, r"compiled for MAX 25\.1\.0, and this is MAX 26"),
        ({"cpu": {"machine": "sparc", "features": []}}, "compiled for a CPU with sparc,"),
        ({"gpu": [0, "sm_0"]}, "compiled for GPU number 0, sm_0, and MAX finds"),
        ({"gpu": ["x"]}, "is damaged"),
        ({"cells": [{"shape": [1], "dtype": "bool"}] * 2}, "is damaged: the state is not as"),
        ({"procedures": {"f": {}}}, "is damaged"),
    ],
)
def test_incompatible_bundles_are_refused(
    quiet: Path, tmp_path: Path, changes: Any, text: str
) -> None:
    path = changed(quiet, tmp_path / "other.jj", **changes)
    with pytest.raises(jujunp.BundleError, match=text):
        jujunp.load_program(path)


def test_a_cpu_with_less_is_refused(quiet: Path, tmp_path: Path) -> None:
    cpu = loader.cpu()
    more = {**cpu, "features": [*cpu["features"], "avx4096"]}
    path = changed(quiet, tmp_path / "more.jj", cpu=more)
    with pytest.raises(jujunp.BundleError, match=f"CPU with {cpu['machine']} avx4096,"):
        jujunp.load_program(path)
    less = {**cpu, "features": cpu["features"][:2]}
    jujunp.load_program(changed(quiet, tmp_path / "less.jj", cpu=less))


def test_the_instructions_of_a_cpu_are_told_from_other_flags() -> None:
    words = {"avx2", "avx512_bf16", "fma", "sse4_1", "ssse3", "bmi2", "f16c", "sha_ni", "popcnt"}
    others = {"fpu", "constant_tsc", "hypervisor", "nx", "rep_good", "ibrs", "smep"}
    found = {flag for flag in words | others if loader._INSTRUCTIONS.fullmatch(flag)}
    assert found == words


def test_only_programs_that_need_blas_take_it_along() -> None:
    def needs(function: Any, *arguments: Any) -> bool:
        return loader.BLAS in bundles._libraries([from_jaxpr(jax.make_jaxpr(function)(*arguments))])

    x = np.ones((3, 3), "float32")
    assert not needs(lambda x: jnp.sort(x).sum(), x)
    assert needs(lambda x: x @ x, x)
    assert needs(lambda x: jax.jit(jnp.linalg.cholesky)(x), x)
    inner = from_jaxpr(jax.make_jaxpr(jnp.dot)(x, x))
    step = Step("while", (0, 0), (("body", (inner,)),), (1,))
    assert bundles._calls_blas(dataclasses.replace(inner, steps=(step,)))
    kernel = Step("jj_kernel", (0,), (("kernel", "solve"),), (1,))
    assert bundles._calls_blas(dataclasses.replace(inner, steps=(kernel,)))


def test_what_cannot_be_compiled_says_why() -> None:
    def step(self):
        jax.debug.print("text")
        return 1.0

    with pytest.raises(NotImplementedError, match=r"Trial\.step cannot be compiled: effects"):
        traced(step=step).step()


# -- compiled programs


GIVEN = {"x": X, "at": [np.int32(3)]}


def use(program: Any) -> list[Any]:
    """Run all procedures; every result has a known value."""
    first = program.step(GIVEN, rate=0.25, on=True)
    second = program.step({"x": X.T.copy().T, "at": [np.asarray(3, "int32")]}, 1, False)
    return [
        *(first, second, program.pick(2), program.twice(1)),
        *(program.get_tree(), program.set_point(Point(np.arange(4, 7), True)), program.pick(0)),
        *(program.product(LEFT, RIGHT), program.many(), program.squares(np.arange(5.0))),
        *(program.empty(np.zeros((0, 3))), program.nothing(2.0)),
        *(program.tree, program.alias, program.point, program.count, program.unused),
    ]


def expected() -> list[Any]:
    total = {"total": np.float32(28), "at": (np.int32(3), None)}
    zeros, pair = np.zeros(3), np.ones(2, "float32")
    tree = {"shared": zeros, "pair": (zeros, pair), "no": None, "by": {7: [np.array(5)]}}
    squares = np.arange(5.0) ** 2
    return [
        *({**total, "seen": SHARED * 0.25 + 10}, {**total, "seen": zeros}),
        *(np.array(2), np.array(2), tree, None, np.array(4), LEFT @ RIGHT, np.arange(float(MANY))),
        *((squares, squares), np.zeros((0, 3)), None, tree, zeros),
        *(Point(np.arange(4, 7), np.array(True)), np.array(6), np.ones(5)),
    ]


def close(found: list[Any], wanted: list[Any]) -> None:
    """Compare results; the product may be summed in another order."""
    for x, y in zip(found, wanted, strict=True):
        if getattr(y, "shape", None) == (40, 20):
            np.testing.assert_allclose(np.asarray(x), y, rtol=1e-13)
        else:
            assert str(x).startswith("Point(") == isinstance(y, Point)
            equal(tuple(x) if isinstance(y, Point) else x, tuple(y) if isinstance(y, Point) else y)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("programs") / "everything.jj"
    Everything().save(path)
    return path


@pytest.mark.compile
def test_in_process(saved: Path) -> None:
    found = use(Everything())
    close(found, expected())
    assert type(found[2]) is jujunp.ndarray
    with zipfile.ZipFile(saved) as file:
        modules = [name for name in file.namelist() if name.startswith("modules/")]
    assert len(modules) == 1
    before = compiled.stats()["done"]
    use(Everything())
    assert compiled.stats()["done"] == before


@pytest.mark.compile
def test_complex_state(saved: Path, tmp_path: Path) -> None:
    program = Everything()
    found = program.turn()
    assert (found.dtype, found.tolist()) == (np.complex64, [1j, 1j])
    assert (program.z.dtype, program.z.shape) == (np.complex64, (2,))
    program.save(tmp_path / "turned.jj")
    for other in (program, jujunp.load_program(tmp_path / "turned.jj")):
        assert other.z.tolist() == [1j, 1j]
        assert other.turn().tolist() == [-1, -1]
        assert other.length().tolist() == [1, 1]


@pytest.mark.compile
def test_results_and_state_share_no_memory(saved: Path) -> None:
    for program in (Everything(), jujunp.load_program(saved)):
        result = program.step(GIVEN, 0.25, True)
        kept = np.array(result["seen"])
        result["seen"][:] = -1.0
        program.get_tree()["pair"][0][:] = -1.0
        one, two = program.squares(np.arange(5.0))
        one[:] = -1.0
        equal(program.alias, kept)
        equal(two, np.arange(5.0) ** 2)


@pytest.mark.compile
def test_arguments_of_other_libraries(saved: Path) -> None:
    for program in (Everything(), jujunp.load_program(saved)):
        for kind in (jujunp.asarray, jnp.asarray):
            batch = {"x": kind(X), "at": [kind(np.int32(3))]}
            equal(program.step(batch, 0.5, True)["total"], np.float32(28))
        view = jujunp.arange(10.0)[::-2]
        equal(program.squares(view)[0], np.arange(9.0, 0.0, -2) ** 2)


@pytest.mark.compile
def test_what_raises_changes_nothing(saved: Path) -> None:
    for program in (Everything(), jujunp.load_program(saved)):
        program.pick(0)
        with pytest.raises(RuntimeError, match=r"^jujunp: kernel \d+ failed$"):
            program.pick(3)
        equal(program.count, np.array(1))
        with pytest.raises(TypeError, match="argument index of pick"):
            program.pick(0.5)
        equal(program.count, np.array(1))


@pytest.mark.compile
def test_threads_lose_no_update(saved: Path) -> None:
    program = Everything()
    threads = [
        threading.Thread(target=lambda: [program.pick(0) for _ in range(200)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(program.count, np.array(800))


@pytest.mark.compile
def test_loaded(saved: Path, tmp_path: Path) -> None:
    program = jujunp.load_program(saved)
    found = use(program)
    close(found, expected())
    assert type(found[2]) is jujunp.ndarray
    program.save(tmp_path / "later.jj")
    equal(jujunp.load_program(tmp_path / "later.jj").count, np.array(6))
    with pytest.raises(TypeError, match="called by its procedures"):
        program()


@pytest.mark.compile
def test_exported_function(saved: Path, tmp_path: Path) -> None:
    def squares(x, *more):
        return jax.lax.integer_pow(x, 2), x * x

    exported = jujunp.export(squares, jax.ShapeDtypeStruct((5,), "float64"))
    assert repr(exported).endswith("squares(x: float64[5]) -> (float64[5], float64[5])>")
    before = compiled.stats()["done"]
    x = np.arange(5.0)
    equal(exported(x), (x**2, x**2))
    assert compiled.stats()["done"] == before  # the graph is that of the procedure `squares`
    exported.save(tmp_path / "squares.jj")
    loaded = jujunp.load_program(tmp_path / "squares.jj")
    equal(loaded(x=x), (x**2, x**2))
    equal(loaded.squares(x), (x**2, x**2))
    with pytest.raises(ValueError, match=r"argument x of squares must be float64\[5\]"):
        loaded(np.zeros(4))


@pytest.mark.compile
def test_kernels_of_another_version_are_refused(saved: Path, tmp_path: Path) -> None:
    jujunp.load_program(saved)
    path = changed(saved, tmp_path / "kernels.jj", kernels="others")
    with pytest.raises(jujunp.BundleError, match="needs other kernels than this process"):
        jujunp.load_program(path)


@pytest.mark.compile
def test_damaged_code_is_refused(saved: Path, tmp_path: Path) -> None:
    bundle = loader.Bundle(saved)
    path = tmp_path / "damaged.jj"
    for name, content in bundle.members.items():
        if name.startswith("modules/"):
            loader.write(path, bundle.manifest, {**bundle.members, name: content[:1000]})
    with pytest.raises(jujunp.BundleError, match="MAX cannot load modules/"):
        jujunp.load_program(path)


@pytest.mark.compile
def test_a_forked_process_is_told(saved: Path, run_python: Any) -> None:
    code = f"""
import os, sys
sys.path.insert(0, {os.fspath(saved)!r})
import jujunp_program_loader
program = jujunp_program_loader.load()
child = os.fork()
if child == 0:
    try:
        program.many()
    except RuntimeError as error:
        os._exit(0 if "fork" in str(error) else 2)
    os._exit(3)
assert os.waitpid(child, 0)[1] == 0
"""
    run_python(code)


ALONE = """
import re
import sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("jax", "jaxlib", "jujunp", "scipy_openblas32", "ml_dtypes"):
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Refusal())
sys.path.insert(0, sys.argv[1])
import numpy as np
import jujunp_program_loader as loader

program = loader.load()
batch = {"x": np.arange(8, dtype="float32").reshape(4, 2), "at": [np.int32(3)]}
for rate, on in ((0.25, True), (1, False)):
    result = program.step(batch, rate=rate, on=on)
    assert type(result["total"]) is np.ndarray and result["total"] == 28, result
    print(result["seen"].tolist(), result["at"][0].item(), result["at"][1])
print(program.pick(2), program.twice(1))
program.set_point(program.point._replace(x=np.arange(4, 7), y=True))
print(program.point, program.pick(0), program.count)
a, b = np.load(sys.argv[2]), np.load(sys.argv[3])
np.testing.assert_allclose(program.product(a, b), a @ b, rtol=1e-13)
assert (program.many() == np.arange(3000.0)).all()
assert [x.tolist() for x in program.squares(np.arange(5.0))] == [[0, 1, 4, 9, 16]] * 2
assert program.empty(np.zeros((0, 3))).shape == (0, 3) and program.nothing(1.0) is None
try:
    program.pick(9)
except RuntimeError as error:
    print(re.sub("[0-9]+", "N", str(error)))
try:
    program.squares(np.zeros(4))
except ValueError as error:
    print(error)
print(program.tree)
program.save(sys.argv[4])
print(loader.load(sys.argv[4]).count)
assert not {"jax", "jujunp", "ml_dtypes"} & set(sys.modules)
"""
PRINTED = """\
[10.25, 10.5, 10.75] 3 None
[0.0, 0.0, 0.0] 3 None
2 2
Point(x=array([4, 5, 6]), y=array(True)) 4 6
jujunp: kernel N failed
argument x of squares must be float64[5], not float64[4]
{'shared': array([0., 0., 0.]), 'pair': (array([0., 0., 0.]), array([1., 1.], dtype=float32)), \
'no': None, 'by': {7: [array(5)]}}
6
"""


def run_alone(python: str, saved: Path, folder: Path) -> None:
    files = [folder / name for name in ("left.npy", "right.npy", "later.jj")]
    np.save(files[0], LEFT)
    np.save(files[1], RIGHT)
    command = [python, "-c", ALONE, *map(str, (saved, *files))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == PRINTED
    equal(jujunp.load_program(files[2]).count, np.array(6))


@pytest.mark.compile
def test_without_jax_and_jujunp(saved: Path, tmp_path: Path) -> None:
    run_alone(sys.executable, saved, tmp_path)


@pytest.mark.slow
@pytest.mark.compile
def test_in_an_environment_with_max_only(saved: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = str(environment / "bin" / "python")
    packages = [f"max=={loader.max_version()}", "numpy"]
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *packages], capture_output=True, text=True
    )
    if re.search("connection|Temporary failure|timed out", done.stderr, re.IGNORECASE):
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    run_alone(python, saved, tmp_path)
