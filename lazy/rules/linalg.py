"""Rules of factorizations and solutions of linear systems: one kernel, or two and some steps.

The kernels also give a status for each matrix, which JAX does not know: it gives nan for a matrix
that could not be factored, and so do they.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..values.dtypes import BOOL, FLOAT32, INT32, INT64, NAMES
from .operand import (
    Operand,
    Rule,
    constant,
    converted,
    elementwise,
    in_memory,
    node,
    nodes,
    number,
    seen_through,
)
from .shape_code import ShapeCode, Unrecordable
from .template import call


def _kernel(name: str, *flags: str) -> Rule:
    """A kernel with the results of the primitive, and its params as flags."""

    def rule(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        words = [int(params[flag]) for flag in flags]
        return nodes(name, [in_memory(x) for x in operands], results, words)

    return rule


def _with_status(
    name: str,
    operands: Sequence[Operand],
    results: list[ShapeCode],
    words: Sequence[int],
    axes: int = 2,
) -> list[Operand]:
    """Record a kernel whose last result is a status for each matrix; returns the others.

    The last `axes` axes of the last operand are those of one matrix.
    """
    status = ShapeCode(operands[-1].shape[:-axes], INT32)
    return nodes(name, [in_memory(x) for x in operands], [*results, status], words)[:-1]


def _cholesky(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return _with_status("cholesky", operands, results, [1])


def _eigh(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    vectors, values = results
    _whole(params, values.shape[-1] if values.shape else 0)
    words = [int(params["lower"]), 1]
    found = _with_status("eigh", operands, [values, vectors], words)
    return found[::-1]


def _whole(params: Any, count: int) -> None:
    wanted = params.get("subset_by_index")
    if wanted is not None and tuple(wanted) != (0, count):
        raise Unrecordable("a subset of the eigenvalues or singular values has no kernel")


def _svd(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    _whole(params, min(operands[0].shape[-2:]))
    words = [int(params["full_matrices"]), int(params["compute_uv"])]
    return _with_status("svd", operands, results, words)


def _eig(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    flags = ("compute_left_eigenvectors", "compute_right_eigenvectors")
    return _with_status("eig", operands, results, [int(params[flag]) for flag in flags])


def _schur(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    if params["sort_eig_vals"]:
        raise Unrecordable("a Schur form with sorted eigenvalues has no kernel")
    return _with_status("schur", operands, results, [int(params["compute_schur_vectors"])])


def _tridiagonal_solve(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    if params.get("perturb_singular"):
        raise Unrecordable("tridiagonal_solve with perturb_singular has no kernel")
    return _with_status("tridiagonal_solve", operands, results, [])


def _upper(x: Operand) -> Operand:
    """Return matrices with zeros below the diagonal."""
    *_, rows, columns = x.shape
    row = node("iota", [], (rows, columns), INT64, [0])
    column = node("iota", [], (rows, columns), INT64, [1])
    kept = elementwise("le", row, column, code=BOOL)
    spread = seen_through(kept, np.broadcast_to(kept.header(), x.shape))
    return node("select_n", [spread, number(0, x.code), x], x.shape, x.code)


def _part(x: Operand, rows: int, columns: int) -> Operand:
    return seen_through(x, x.header()[..., :rows, :columns])


def _qr(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    """`q r = a`, from the reflections that make `q` and a matrix that holds them below `r`."""
    x = in_memory(operands[0])
    *batch, rows, columns = x.shape
    packed = ShapeCode(x.shape, x.code)
    width = results[0].shape[-1]
    shorter = min(rows, columns) if params["full_matrices"] else width
    taus = ShapeCode((*batch, shorter), x.code)
    if params["pivoting"]:
        free = constant(np.zeros((*batch, columns), np.int32), INT32)
        places = ShapeCode((*batch, columns), INT32)
        made, order, reflections = nodes("geqp3", [x, free], [packed, places, taus], operand=x.code)
        order = elementwise("sub", order, number(1, INT32))
        pivots = [converted(order, results[2].code)]
    else:
        made, reflections = nodes("geqrf", [x], [packed, taus])
        pivots = []
    basis = _part(made, rows, shorter)
    if params["full_matrices"] and width > columns:  # the reflections make the other columns too
        edges = [0, 0, 0] * (len(batch) + 1) + [0, width - columns, 0]
        basis = node("pad", [basis, number(0, x.code)], results[0].shape, x.code, edges)
    q = node("householder_product", [basis, reflections], *results[0])
    upper = _upper(_part(made, results[1].shape[-2], columns))
    return [q, upper, *pivots]


def _symmetric_product(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """`alpha a a^T + beta c`."""
    a, c = (in_memory(x) for x in operands)
    axes = list(range(len(a.shape) - 2))
    last = len(a.shape) - 1
    words = [len(axes), 1, *axes, *axes, last, last]
    product = node("dot_general", [a, a], *results[0], words)
    scaled = elementwise("mul", product, number(params["alpha"], a.code))
    return [elementwise("add", scaled, elementwise("mul", c, number(params["beta"], a.code)))]


def _cholesky_update(
    operands: list[Operand], params: Any, results: list[ShapeCode]
) -> list[Operand]:
    """`R'^T R' = R^T R + z z^T`, by one rotation for each row: traced once, not a kernel."""
    return call("cholesky_update", _updated_factor, [in_memory(x) for x in operands])


def _updated_factor(factor: jax.Array, vector: jax.Array) -> jax.Array:
    def rotated(z: jax.Array, row: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        r, place = row
        x, y = r[place], z[place]
        # Divided by the larger, so that no square overflows; nothing is turned where y is 0.
        scale = jnp.maximum(jnp.abs(x), jnp.abs(y))
        x, y = (jnp.where(y == 0, t, v / scale) for t, v in ((1, x), (0, y)))
        length = jnp.sqrt(x * x + y * y)
        x, y = x / length, y / length
        return jnp.where(places == place, 0, x * z - y * r), x * r + y * z

    places = jnp.arange(len(vector))
    return lax.scan(rotated, vector, (factor, places))[1]


def _in_lapack(name: str, rule: Rule) -> Rule:
    """The rule, for the dtypes that LAPACK computes with."""

    def checked(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
        code = operands[0].code
        if code < FLOAT32 and code != INT32:  # of pivots
            raise Unrecordable(f"{name} of {NAMES[code]} has no kernel")
        return rule(operands, params, results)

    return checked


_RULES: dict[str, Rule] = {
    "cholesky": _cholesky,
    "eigh": _eigh,
    "eig": _eig,
    "svd": _svd,
    "schur": _schur,
    "qr": _qr,
    "geqrf": _kernel("geqrf"),
    "geqp3": _kernel("geqp3"),
    "lu": _kernel("lu"),
    "lu_pivots_to_permutation": _kernel("lu_pivots_to_permutation"),
    "hessenberg": _kernel("hessenberg"),
    "tridiagonal": _kernel("tridiagonal", "lower"),
    "householder_product": _kernel("householder_product"),
    "ormqr": _kernel("ormqr", "left", "transpose"),
    "triangular_solve": _kernel(
        "triangular_solve", "left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal"
    ),
    "tridiagonal_solve": _tridiagonal_solve,
    "symmetric_product": _symmetric_product,
    "cholesky_update": _cholesky_update,
}

RULES = {name: _in_lapack(name, rule) for name, rule in _RULES.items()}
