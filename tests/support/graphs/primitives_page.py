"""The page docs/primitives.md, made of the tables that the code and the tests work with.

`python -m tests.support.graphs.primitives_page` prints it; with the word `own` behind, the table of
the elementwise primitives of our own, which are not on the page.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import linalg

from jujunp.kernels.operations import operations
from jujunp.lazy.compiled.lower import expand
from jujunp.lazy.compiled.lower.support import views
from jujunp.lazy.compiled.read import control as graph_control
from jujunp.lazy.jaxprs import primitives
from jujunp.lazy.jaxprs.primitives import ELEMENTWISE
from jujunp.lazy.rules import RULES, control, template
from jujunp.lazy.rules import random_keys as keys
from jujunp.lazy.rules import views as view_rules
from jujunp.lazy.rules.calls import IDENTITIES
from jujunp.lazy.rules.operand import Unrecordable, constant, node
from jujunp.lazy.run import machine
from jujunp.lazy.run.flush import ensure
from jujunp.lazy.run.machine import OPCODES
from jujunp.lazy.values.dtypes import DTYPES, NAMES, kernel_code
from jujunp.lazy.values.value import LOG
from tests.kernels.elementwise.test_complex_kernels import INEXACT as COMPLEX
from tests.support.operations import ULP
from tests.support.special_functions import SPECIAL

TITLE = """\
# Primitives

What JAX's functions are made of, and how each primitive runs here. The page is generated
(`python -m tests.support.graphs.primitives_page`), and a test compares it with the code.

- *Dtypes* are those of the operands: `b` bool, `i` all eight integers, `h` float16 and bfloat16,
  `f` float32 and float64, `c` complex64 and complex128, or single names.
- *Error* is the bound that tests hold an inexact operation to, in units in the last place of
  float32 and float64, and behind the stroke of the larger part of a complex number. Half precision
  is computed in float32 and rounded once. A dash: exact, correctly rounded, or bounded by what it
  is made of.
- *Kernel* is what runs at once: an *operation* is fused with its neighbours, a *view* costs
  nothing, and what is *inlined* is recorded step by step.
- *MAX* is what it becomes in a compiled graph: *fused* by MAX (of complex numbers and half
  precision: evaluated in *blocks* by the machine of the immediate tier), a *view*, a *rule* that
  writes it with others, a branch or loop of MAX (*control flow*), or the kernels that run at once.

NumPy's functions are made of more: an elementwise one for which JAX has no primitive (`hypot`,
`log2`, ...) is one of ours. Those are not listed here, so that a new one needs no line;
`python -m tests.support.graphs.primitives_page own` prints their table.

"""

HEAD = """\
| primitive | dtypes | error, ulp | kernel | MAX |
|---|---|---|---|---|
"""

GROUPS = (
    ("b", ("bool",)),
    ("i", ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")),
    ("h", ("float16", "bfloat16")),
    ("f", ("float32", "float64")),
    ("c", ("complex64", "complex128")),
)

OTHER_KERNELS = {
    "dynamic_slice": "gather_windows",
    "dynamic_update_slice": "scatter_windows",
    "gather": "gather_windows",
    "scatter": "scatter_windows",
    **{f"scatter-{how}": f"scatter_windows_{how}" for how in ("add", "mul", "min", "max")},
    "scatter-sub": "operation `neg`, scatter_windows_add",
    "qr": "geqrf or geqp3, householder_product",
    "symmetric_product": "dot_general",
    "cholesky_update": "operations, row by row",
    "reduce_window_sum": "reduce_sum of overlapping views",
    "reduce_window_max": "reduce_max of overlapping views",
    "reduce_window_min": "reduce_min of overlapping views",
    "approx_top_k": "top_k",
    "select_and_gather_add": "argmax or argmin, gather",
    "select_and_scatter_add": "argmax or argmin, scatter_add",
    "reduce": "the function's operations, on neighbours",
    "reduce_window": "the function's operations, on neighbours",
    "stack": "concatenate",
    "iota_2x32_shape": "iota",
    "tile": "operation `copy`",
    "bitcast_convert_type": "a view",
    "convert_element_type": "operation",
}


def _positive(a: Any) -> Any:
    return a @ a.conj().T + 9 * jnp.eye(4, dtype=a.dtype)


def _inexact(x: Any) -> Any:
    if x.dtype.kind in "biu":
        raise TypeError("JAX converts integers first")
    return x


def _pooled(x: Any) -> Any:
    return lax.reduce_window(x, _least(x.dtype), lax.max, (3, 2), (1, 2), "SAME")


_NORMAL = 2
"""The number of the standard normal distribution (kernels/structured/random/table.mojo)."""

SAMPLES: dict[str, Callable[[Any], Any]] = {
    **{
        f"reduce_{name}": partial(getattr(lax, f"reduce_{name}"), axes=(0,))
        for name in ("sum", "prod", "max", "min", "and", "or", "xor")
    },
    "argmax": lambda x: lax.argmax(x, 0, np.int64),
    "argmin": lambda x: lax.argmin(x, 0, np.int64),
    **{
        name: getattr(lax, name)
        for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
    },
    "iota": lambda x: lax.broadcasted_iota(x.dtype, (4, 4), 1),
    "concatenate": lambda x: lax.concatenate([x, x], 0),
    "stack": lambda x: jnp.stack([x, x]),
    "tile": lambda x: jnp.tile(x, (2, 2)),
    "pad": lambda x: lax.pad(x, x[0, 0], ((1, 1, 1), (0, -1, 0))),
    "sort": lambda x: lax.sort((x, x), num_keys=2),
    "top_k": lambda x: lax.top_k(x, 2),
    "approx_top_k": lambda x: (
        *lax.approx_max_k(_inexact(x), 2),
        *lax.approx_min_k(x, 3, reduction_dimension=0),
    ),
    "dot_general": lambda x: lax.dot(x, x),
    "conv_general_dilated": lambda x: lax.conv(x[None, None], x[None, None], (1, 1), "SAME"),
    "reduce_precision": lambda x: lax.reduce_precision(x, 5, 3),
    "threefry2x32": lambda x: jax.extend.random.threefry_2x32(x[0, :2], x[0]),
    "draw": lambda x: primitives.draw(
        jnp.arange(8, dtype=np.uint64), [], (0, _NORMAL, 0, 0), (3, 4), x.dtype
    ),
    "gather": lambda x: x[jnp.array([1, 2])],
    "scatter": lambda x: x.at[jnp.array([1, 2])].set(x[:2]),
    "scatter-add": lambda x: x.at[jnp.array([1, 2])].add(x[:2]),
    "scatter-sub": lambda x: x.at[jnp.array([1, 2])].subtract(x[:2]),
    "scatter-mul": lambda x: x.at[jnp.array([1, 2])].multiply(x[:2]),
    "scatter-min": lambda x: x.at[jnp.array([1, 2])].min(x[:2]),
    "scatter-max": lambda x: x.at[jnp.array([1, 2])].max(x[:2]),
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (1, 1), (2, 2)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, x[:2], (1, 0)),
    "select_and_gather_add": lambda x: jax.jvp(_pooled, (_inexact(x),), (x[::-1],))[1],
    "select_and_scatter_add": lambda x: jax.vjp(_pooled, _inexact(x))[1](x[:, :2])[0],
    "reduce_window_sum": lambda x: lax.reduce_window(
        x, np.zeros((), x.dtype)[()], lax.add, (2, 2), (1, 1), "VALID"
    ),
    "reduce_window_max": lambda x: lax.reduce_window(
        x, _least(x.dtype), lax.max, (2, 2), (1, 1), "VALID"
    ),
    "reduce_window_min": lambda x: lax.reduce_window(
        x, _most(x.dtype), lax.min, (2, 2), (1, 1), "VALID"
    ),
    "integer_pow": lambda x: lax.integer_pow(x, 3),
    "round": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "convert_element_type": lambda x: lax.convert_element_type(x, np.float32),
    "bitcast_convert_type": lambda x: lax.bitcast_convert_type(x, np.uint8),
    "fft": lambda x: lax.fft(_inexact(x), lax.FftType(0 if x.dtype.kind == "c" else 2), (4,)),
    "cholesky": lambda x: linalg.cholesky(_positive(x), symmetrize_input=False),
    "eigh": lambda x: linalg.eigh(_positive(x), symmetrize_input=False),
    "eig": linalg.eig,
    "svd": linalg.svd,
    "schur": linalg.schur,
    "qr": linalg.qr,
    "geqrf": lambda x: jnp.linalg.qr(_inexact(x), mode="raw"),
    "lu": linalg.lu,
    "lu_pivots_to_permutation": lambda x: linalg.lu_pivots_to_permutation(x[0] * 0 + 3, 4),
    "hessenberg": linalg.hessenberg,
    "tridiagonal": lambda x: linalg.tridiagonal(_positive(x), lower=True),
    "householder_product": lambda x: linalg.householder_product(x, x[0]),
    "ormqr": lambda x: linalg.ormqr(x, x[0], x),
    "triangular_solve": lambda x: linalg.triangular_solve(x, x, left_side=True),
    "tridiagonal_solve": lambda x: linalg.tridiagonal_solve(x[0], x[1], x[0], x),
    "symmetric_product": lambda x: linalg.symmetric_product(x, x),
    "cholesky_update": lambda x: linalg.cholesky_update(x, x[0]),
}
"""A call for each primitive that is no operation; it is tried with every dtype."""


def _least(dtype: np.dtype) -> Any:
    least = -np.inf if dtype.kind in "fV" else dtype.kind != "b" and np.iinfo(dtype).min
    return np.asarray(least, dtype)[()]


def _most(dtype: np.dtype) -> Any:
    most = np.inf if dtype.kind in "fV" else dtype.kind == "b" or np.iinfo(dtype).max
    return np.asarray(most, dtype)[()]


def takes(name: str, code: int) -> bool:
    """Whether the sample of a primitive runs for a dtype."""
    x = (np.eye(4) * 2 + np.arange(16).reshape(4, 4) % 3).astype(DTYPES[code])
    try:
        found = template.call(f"sample {name}", SAMPLES[name], [constant(x, kernel_code(x.dtype))])
        for result in found:
            copied: Any = node("copy", [result], result.shape, result.code).value
            ensure(copied)
    except (Unrecordable, TypeError, ValueError, NotImplementedError, RuntimeError):
        LOG.clear()
        return False
    return True


def _shown(names: set[str]) -> str:
    """Return dtypes in the words of the page."""
    words = []
    for word, group in GROUPS:
        if names >= set(group):
            words.append(f"`{word}`")
        else:
            words += [name for name in group if name in names]
    return " ".join(words)


def _dtypes(name: str) -> str:
    if name in SAMPLES:
        return _shown({NAMES[code] for code in range(len(NAMES)) if takes(name, code)})
    operation = OPCODES.get("add" if name == "add_any" else name, OPCODES["convert_element_type"])
    if operation < OPCODES["convert_element_type"]:
        codes = range(len(NAMES))
        return _shown({NAMES[code] for code in codes if machine.result_of(operation, code) >= 0})
    return "any"


def _error(name: str) -> str:
    found = "-"
    if name in ULP:
        found = f"{ULP[name].bound:g}"
    elif name in SPECIAL:
        found = f"{SPECIAL[name].bound:g}"
    return f"{found} / {COMPLEX[name].whole:g}" if name in COMPLEX else found


def _kernel(name: str) -> str:
    if name in OTHER_KERNELS:
        return OTHER_KERNELS[name]
    if name in view_rules.RULES:
        return "a view"
    if name in control.RULES:
        return "inlined"
    if name in keys.RULES:
        return "threefry2x32 and operations"
    if OPCODES.get(name, 0) > OPCODES["project"]:
        return name
    return "operation" if name in OPCODES and name not in RULES else "operations"


def _in_graphs(name: str) -> str:
    if name in ("cond", "while", "scan"):
        return "control flow"
    if name in graph_control.RULES or name in IDENTITIES:
        return "inlined"
    if name in views.VIEWS:
        return "view"
    operation = operations().get(name)
    if operation is not None and name not in expand.EXPANSIONS:
        return "fused" if operation.trait else "blocks"
    return "as it runs at once" if name in RULES and name not in expand.EXPANSIONS else "rule"


def table(names: Iterable[str]) -> str:
    """Return the rows of primitives, with their head."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [
            " | ".join(
                (f"| `{name}`", _dtypes(name), _error(name), _kernel(name), _in_graphs(name) + " |")
            )
            for name in sorted(names, key=str.lower)
        ]
    return HEAD + "\n".join(rows) + "\n"


def page() -> str:
    """Return the text of the page."""
    first_step = OPCODES["convert_element_type"]
    operations = {name for name, code in OPCODES.items() if code < first_step}
    return TITLE + table((RULES.keys() | operations) - ELEMENTWISE.keys())


if __name__ == "__main__":
    print(table(ELEMENTWISE) if sys.argv[1:] == ["own"] else page(), end="")
