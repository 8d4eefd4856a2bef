"""opt_einsum: it finds `einsum`, `tensordot` and `transpose` by the module of the arrays' type."""

import functools

import numpy
import opt_einsum
import pytest

import jujunp

SIZES = dict(zip("abcdefgh", (2, 3, 4, 5, 2, 3, 4, 2), strict=True))
EXPRESSIONS = (
    *("ab,bc->ac", "ab,bc,cd->ad", "ab,cd->abcd", "ab,ab->", "ab->ba", "abc->b", "abc,cd,de->abe"),
    *("ab,bc,cd,de,ef->af", "abc,bcd,cda->", "abc,abd->acd", "a,ab,b->", "abc,bd,ce->ade"),
    *("ab,ac,ad->bcd", "ab,ab,ab->ab", "abcd,cdef,efgh->abgh", "a,b,c->abc", "ab,cb->ca", "aab->b"),
)


def _operands(expression, xp, dtype=float):
    """Return random arrays of the shapes that an expression asks for."""
    rng = numpy.random.default_rng(3)
    sizes = SIZES | ({"b": 3} if expression.startswith("aab") else {})
    for letters in expression.partition("->")[0].split(","):
        x = rng.normal(size=[sizes[letter] for letter in letters])
        yield xp.asarray((x + 1j * x if dtype is complex else 10 * x).astype(dtype))


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_contract(expression, dtype, same):
    """A contraction gives what it gives for NumPy arrays, in our arrays."""
    kind = complex if dtype == "complex128" else dtype
    same(lambda xp: opt_einsum.contract(expression, *_operands(expression, xp, kind)))


@pytest.mark.parametrize("optimize", ["optimal", "greedy", "branch-2", "dp", "auto-hq", False])
def test_paths(optimize, same):
    """Every way to find the order of contractions leads to the same result."""
    expression = "ab,bc,cd,de,ef->af"
    same(lambda xp: opt_einsum.contract(expression, *_operands(expression, xp), optimize=optimize))


def _expression(xp, constants=False):
    """Return what a prepared contraction gives, with one operand fixed or none."""
    a, b, c = _operands("ab,bc,cd->ad", xp)
    if constants:
        prepared = opt_einsum.contract_expression(
            "ab,bc,cd->ad", a, b.shape, c.shape, constants=[0]
        )
        return prepared(b, c)
    return opt_einsum.contract_expression("ab,bc,cd->ad", a.shape, b.shape, c.shape)(a, b, c)


def _shared(xp):
    """Return what two contractions give that share intermediate results."""
    operands = list(_operands("ab,bc,cd->ad", xp))
    with opt_einsum.shared_intermediates():
        return [opt_einsum.contract("ab,bc,cd->" + out, *operands) for out in ("ad", "a", "d")]


CALLS = {
    "named backend": lambda xp: opt_einsum.contract(
        "ab,bc->ac", *_operands("ab,bc->ac", xp), backend=xp.__name__
    ),
    "expression": _expression,
    "constants": functools.partial(_expression, constants=True),
    "shared intermediates": _shared,
    "interleaved": lambda xp: opt_einsum.contract(
        *(
            x
            for pair in zip(_operands("ab,bc->ac", xp), ([0, 1], [1, 2]), strict=True)
            for x in pair
        ),
        [0, 2],
    ),
    "ellipsis": lambda xp: opt_einsum.contract(
        "...ab,bc->...ac", xp.ones((2, 3, 4)), xp.asarray(numpy.arange(8.0).reshape(4, 2))
    ),
    "unicode": lambda xp: opt_einsum.contract("βδ,δλ->βλ", *_operands("ab,bc->ac", xp)),
    "memory limit": lambda xp: opt_einsum.contract(
        "ab,bc,cd->ad", *_operands("ab,bc,cd->ad", xp), memory_limit="max_input"
    ),
    "path": lambda xp: opt_einsum.contract_path("ab,bc,cd->ad", *_operands("ab,bc,cd->ad", xp))[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, same):
    """Each way to call it gives what it gives for NumPy arrays, in our arrays."""
    same(CALLS[name])


def test_contract_computes_nothing():
    """A contraction is recorded, not computed."""
    operands = list(_operands("abc,cd,de->abe", jujunp))
    before = jujunp.stats()["flushes"]
    opt_einsum.contract("abc,cd,de->abe", *operands)
    assert jujunp.stats()["flushes"] == before
