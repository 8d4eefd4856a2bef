"""einsum and einsum_path, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import jujunp
from tests.support.differential import check, check_error

SIZES = {"i": 2, "j": 3, "k": 4, "l": 5, "m": 2, "b": 3}
SUBSCRIPTS = [
    "ij->ji",
    "ij",
    "ji",
    "ij->i",
    "ij->j",
    "ij->",
    "ijk->kji",
    "ijk->k",
    "i,i",
    "i,j",
    "i,j->ji",
    "ij,jk",
    "ij,jk->ki",
    "ij,ij->ij",
    "ij,ij->",
    "ij,jk,kl",
    "ij,jk,kl,lm->im",
    "i,j,k->ijk",
    "ij,ij,ij->i",
    "ij,k->",
    "bij,bjk->bik",
    "bij,bjk->bi",
    "ij,ik->jk",
    "bij,bij->b",
    "ij,j,i->",
    "i,ij,j",
    "ijk,jkl,li->",
    "ij,jk,ki->j",
]


def operands(subscripts, dtype):
    """Return small arrays that fit subscripts."""
    random = np.random.default_rng(0)
    terms = subscripts.partition("->")[0].split(",")
    shapes = [tuple(SIZES[label] for label in term) for term in terms]
    return [(random.random(shape) * 5).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64"])
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_contractions(subscripts, dtype):
    given = operands(subscripts, dtype)
    rtol = 1e-5 if dtype.startswith("float") else 0
    check(lambda xp: xp.einsum(subscripts, *map(xp.asarray, given)), rtol=rtol)
    if dtype != "bool":  # the products that NumPy takes then sum bool otherwise
        for optimize in (True, "optimal"):
            check(
                lambda xp, o=optimize: xp.einsum(subscripts, *map(xp.asarray, given), optimize=o)[
                    ()
                ],
                rtol=rtol,
            )


@pytest.mark.parametrize("subscripts", [",i...->", "i...,->i", "i...->", "i...,i...->"])
def test_paths_sum_over_an_ellipsis_that_the_result_lacks(subscripts):
    terms = subscripts.partition("->")[0].split(",")
    given = [CUBE if term else 300 for term in terms]
    check(lambda xp: xp.einsum(subscripts, *given, optimize=True)[()], rtol=1e-12)
    check_error(lambda xp: xp.einsum(subscripts, *given))


RANDOM = np.random.default_rng(0).random
MATRIX, SQUARE, CUBE = RANDOM((2, 3)), RANDOM((3, 3)), RANDOM((2, 3, 4))
OTHERS = [
    ("ii", SQUARE),
    ("ii->i", SQUARE),
    ("iij->ij", RANDOM((2, 2, 3))),
    ("ijij->ij", RANDOM((2, 3, 2, 3))),
    ("ii,ij->j", SQUARE, SQUARE),
    ("...", CUBE),
    ("...->...", CUBE),
    ("i...->...", CUBE),
    ("...ij->...ji", CUBE),
    ("...j,j", MATRIX, np.ones(3)),
    ("...,...", CUBE, 2.0),
    ("ij...,jk...->ik...", MATRIX, SQUARE),
    ("...ij,...jk->...ik", CUBE, RANDOM((5, 1, 4, 2))),
    ("i...,i...->...", MATRIX, np.ones((2, 1))),
    ("a...a->...", RANDOM((3, 4, 3))),
    ("i j, jk", MATRIX, SQUARE),
    ("", 3.0),
    ("->", 3),
    (",", 3, 4.0),
    ("i,i->", np.ones(1), np.ones(3)),
    ("ij,ij->j", np.ones((1, 3)), MATRIX),
    ("ij,ij->ij", np.ones((1, 3)), np.ones((2, 1))),
    ("i->", np.zeros(0)),
    ("ij,jk", np.zeros((2, 0)), np.zeros((0, 3))),
    (MATRIX, [0, 1], SQUARE, [1, 2]),
    (MATRIX, [0, 1], SQUARE, [1, 2], [2, 0]),
    (CUBE, [0, ...], [...]),
    (MATRIX, [0, 40], [40, 0]),
]


@pytest.mark.parametrize("arguments", OTHERS, ids=lambda a: str(a[0])[:20])
def test_other_forms(arguments):
    def program(xp):
        made = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
        return xp.einsum(*made)

    check(program, rtol=1e-12)


ERRORS = [
    (),
    ("ij",),
    ("ij,jk->ik", MATRIX, MATRIX),
    ("ii", MATRIX),
    ("ijk", MATRIX),
    ("ij->ijk", MATRIX),
    ("ij->ii", MATRIX),
    ("ij->k", MATRIX),
    ("", MATRIX),
    ("ij,,", MATRIX, MATRIX),
    ("ij,jk", MATRIX),
    ("ij,jk->i$", MATRIX, SQUARE),
    ("i.j", MATRIX),
    ("ij->i..", MATRIX),
    ("ij...->", CUBE),
    ("i..., j", MATRIX, np.ones((2, 2))),
]


@pytest.mark.parametrize("arguments", ERRORS, ids=lambda a: str(a[:1])[:20])
def test_errors(arguments):
    check_error(lambda xp: xp.einsum(*arguments))


def test_dtype_out_and_casting():
    whole = (MATRIX * 9).astype("int32")
    check(lambda xp: xp.einsum("ij,kj", whole, MATRIX), rtol=1e-12)
    check(lambda xp: xp.einsum("ij,kj", whole, whole, dtype="float64"))
    check(lambda xp: xp.einsum("ij,kj", whole, whole, dtype="float32"))
    check(lambda xp: xp.einsum("ij,kj", whole, whole, dtype="int8", casting="unsafe"))
    check(lambda xp: xp.einsum("ij,kj", whole, whole, out=xp.zeros((2, 2))))
    check(lambda xp: xp.einsum("ij,kj", whole, whole, out=xp.zeros((3, 3))))
    check(lambda xp: xp.einsum("ij,kj", MATRIX, MATRIX, out=xp.zeros((2, 2), int)))
    check(lambda xp: xp.einsum("i->", np.asarray([100, 100], "int8")))


def test_a_diagonal_is_a_view():
    x = jujunp.zeros((3, 3))
    jujunp.einsum("ii->i", x)[:] = [1, 2, 3]
    assert np.array_equal(np.asarray(x), np.diag([1.0, 2, 3]))
    assert jujunp.einsum("ij->ji", x).base is x


def test_paths():
    given = operands("ij,jk,kl,lm->im", "float64")
    for optimize in ("greedy", "optimal", True, False, ["einsum_path", (0, 1), (0, 1, 2)]):
        check(
            lambda xp, o=optimize: xp.einsum_path(
                "ij,jk,kl,lm->im", *map(xp.asarray, given), optimize=o
            )
        )
        check(
            lambda xp, o=optimize: xp.einsum(
                "ij,jk,kl,lm->im", *map(xp.asarray, given), optimize=o
            ),
            rtol=1e-12,
        )
    check(lambda xp: xp.einsum_path(xp.asarray(MATRIX), [0, 1], xp.asarray(SQUARE), [1, 2]))


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "a", "W", 1])
@pytest.mark.parametrize("given", ["C", "F"])
def test_orders(given, order):
    def program(xp):
        a, b = xp.ones((2, 3, 5), order=given), xp.ones((4, 3), order=given)
        found = xp.einsum("...ft,mf->...mt", a, b, order=order)
        if order == "K":  # NumPy has its own
            return found
        return found, found.flags.c_contiguous, found.flags.f_contiguous

    check(program)


def test_lengths_of_one():
    shapes = (1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1), (3, 1, 3, 1, 1, 1, 1, 2)
    x, y = (np.arange(np.prod(shape), dtype=float).reshape(shape) for shape in shapes)
    check(lambda xp: xp.einsum("jhcabhijaci,dfijejgh->fgje", xp.asarray(x), xp.asarray(y)))
    check(lambda xp: xp.einsum("ii", xp.ones((1, 3))))
    check(lambda xp: xp.einsum("ii", xp.ones((3, 1))))


def test_a_path_that_leaves_operands():
    for path in (["einsum_path", (0, 1)], ["einsum_path", (2, 3), (0, 1)]):
        check(lambda xp, p=path: xp.einsum("a,a,a,a->a", *[xp.ones(2)] * 4, optimize=p))


@pytest.mark.parametrize("text", ["i,i->", "i,i->i", "i,i,i->", "i->"])
@pytest.mark.parametrize("optimize", [False, "optimal"])
def test_casting_to_out(text, optimize):
    def program(xp):
        out = xp.zeros(7 if text[-1] == "i" else (), int)
        operands = [xp.ones(7)] * (text.count(",") + 1)
        return xp.einsum(text, *operands, out=out, optimize=optimize)

    if np.__version__ >= "2.4.6" or not optimize:
        check(lambda xp: _either(program, xp))


def _either(program, xp):
    """NumPy's errors are of two types, one derived from the other."""
    try:
        return program(xp)
    except TypeError:
        return "no"
