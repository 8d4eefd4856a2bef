"""Functions applied along axes, over axes and to parts of arrays, against NumPy."""

from __future__ import annotations

import pytest

import jujunp
from tests.support.differential import check


def grid(xp, *shape):
    return (xp.arange(24) * 7 % 11).reshape(shape or (2, 3, 4))


LINES = {
    "number": lambda x: x.sum(),
    "line": lambda x: x[::-1] * 2.5,
    "matrix": lambda x: x.reshape(-1, 1) + x[:2],
    "none": lambda x: x[:0],
    "python": lambda x: len(x),
}


@pytest.mark.parametrize("name", LINES)
def test_apply_along_axis(name):
    for axis in (0, 1, -1, 3):
        check(lambda xp, a=axis: xp.apply_along_axis(LINES[name], a, grid(xp)))
    check(lambda xp: xp.apply_along_axis(LINES[name], 0, xp.arange(4)))
    check(lambda xp: xp.apply_along_axis(LINES[name], 0, xp.zeros((4, 0))))
    check(lambda xp: xp.apply_along_axis(LINES[name], 0, 3))


def test_arguments_of_functions_along_axes():
    def weighted(x, weight, power=1):
        return weight * (x**power).sum()

    check(lambda xp: xp.apply_along_axis(weighted, 1, grid(xp), 3, power=2))


@pytest.mark.parametrize("axes", [0, [0, 2], (-1, 1), [], [5]], ids=str)
def test_apply_over_axes(axes):
    check(lambda xp: xp.apply_over_axes(xp.sum, grid(xp), axes))
    check(lambda xp: xp.apply_over_axes(xp.cumsum, grid(xp), axes))
    check(lambda xp: xp.apply_over_axes(lambda x, axis: x[0, 0], grid(xp), axes))


FUNCTIONS = [
    [lambda x: x * x, -1],
    [lambda x: -x, lambda x: x + 0.5],
    [7, lambda x: x * 2, lambda x: x - 100],
    [1],
    [1, 2, 3, 4],
]


@pytest.mark.parametrize("functions", FUNCTIONS, ids=len)
def test_piecewise(functions):
    def several(xp):
        x = grid(xp)
        return xp.piecewise(x, [x < 3, x > 1], functions)

    def one(xp):
        x = grid(xp)
        return xp.piecewise(x, x < 3, functions[:2])

    def without_axes(xp):
        x = xp.asarray(3.5)
        return xp.piecewise(x, [x < 3, x > 1], functions)

    for program in (several, one, without_axes):
        check(program)
    check(lambda xp: xp.piecewise(xp.arange(3.0), [[True, False, False]], functions[:2]))


def test_arguments_of_piecewise_functions():
    def shifted(x, by, factor=1):
        return (x + by) * factor

    check(lambda xp: xp.piecewise(xp.arange(4), [xp.arange(4) > 1], [shifted], 5, factor=3))


def test_only_piecewise_conditions_are_computed():
    x = jujunp.arange(10.0)
    seen = []
    found = jujunp.piecewise(x, [x < 0, x > 5], [seen.append, lambda part: part * 2])
    assert not seen
    assert found.tolist() == [0.0] * 6 + [12.0, 14.0, 16.0, 18.0]


def test_vectorize(monkeypatch):
    monkeypatch.delenv("JUJUNP_STRICT")
    add = jujunp.vectorize(lambda x, y=2: x + y, doc="Adds.")
    found = add(jujunp.arange(3), jujunp.ones((2, 1)))
    assert type(found) is jujunp.ndarray
    assert found.tolist() == [[1, 2, 3]] * 2
    assert add.__doc__ == "Adds."
    dot = jujunp.vectorize(lambda x, y: x @ y, signature="(n),(n)->()", otypes=["float32"])
    assert dot(jujunp.ones((2, 3)), jujunp.arange(3.0)).dtype == "float32"

    @jujunp.vectorize
    def double(x):
        return 2 * x

    assert double([1, 2]).tolist() == [2, 4]


def test_lists_that_numpy_writes_to_are_not_copied():
    class Lines(list):
        def write(self, text):
            self.extend(text.split(b"\n"))

    lines = Lines()
    jujunp.savetxt(lines, jujunp.arange(2.0), "%d")
    assert [line for line in lines if line] == [b"0", b"1"]
    assert jujunp.loadtxt(lines).tolist() == [0, 1]
    found = jujunp.linalg.slogdet(jujunp.eye(2))
    jujunp.testing.assert_equal(found, (1, 0))
