"""Rules of random keys: what JAX does with a key is traced from its implementation and recorded.

Keys are recorded as numbers (`shape_code`), so that they are sliced, gathered and selected as all
else.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.extend.core.primitives import random_gamma_p
from jax.extend.random import threefry_prng_impl as threefry

from ..values.dtypes import CODES, DTYPES, UINT64
from .operand import Operand, Rule, in_memory, node
from .shape_code import ShapeCode, Unrecordable
from .template import call

UINT32 = CODES[np.dtype(np.uint32)]


def _words(key: Operand) -> Operand:
    """Return keys as their words, along one more axis."""
    key = node("copy", [key], key.shape, key.code)
    seen = key.header()
    words = seen.reshape(*key.shape, 1).view(DTYPES[UINT32])
    return Operand(key.value, words, words.shape, UINT32)


def _keys(words: Operand) -> Operand:
    """Return words along the last axis as keys."""
    words = in_memory(words)
    if not words.header().flags.c_contiguous:
        words = node("copy", [words], words.shape, words.code)
    seen = words.header().view(DTYPES[UINT64])[..., 0]
    return Operand(words.value, seen, seen.shape, UINT64)


def _wrap(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [_keys(operands[0])]


def _unwrap(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    return [_words(operands[0])]


def _traced(name: str, function: Any, operands: list[Operand], static: Any) -> Operand:
    (found,) = call(f"random {name}", function, operands, static)
    return found


def _batched(function: Any, axes: int) -> Any:
    for _ in range(axes):
        function = jax.vmap(function)
    return function


def _bits(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (key,) = operands
    width, shape = params["bit_width"], tuple(params["shape"])
    config: Any = jax.config  # its attributes are made at run time
    if not key.shape and config.jax_threefry_partitionable:
        return [node("random_bits", [_words(key)], *results[0], operand=UINT32)]
    function = _batched(lambda k: threefry.random_bits(k, width, shape), len(key.shape))
    return [_traced("bits", function, [_words(key)], (width, shape))]


def _split(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (key,) = operands
    shape = tuple(params["shape"])
    function = _batched(lambda k: threefry.split(k, shape), len(key.shape))
    return [_keys(_traced("split", function, [_words(key)], shape))]


def _fold_in(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    key, data = operands
    function = _batched(threefry.fold_in, len(key.shape))
    return [_keys(_traced("fold_in", function, [_words(key), in_memory(data)], ()))]


def _seed(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    (seeds,) = operands
    if params["impl"] != threefry:
        raise Unrecordable(f"random keys of {params['impl']} have no kernels")
    function = _batched(threefry.seed, len(seeds.shape))
    return [_keys(_traced("seed", function, [in_memory(seeds)], ()))]


def _gamma(operands: list[Operand], params: Any, results: list[ShapeCode]) -> list[Operand]:
    key, alpha = operands
    log_space = params["log_space"]

    def function(words: Any, alpha: Any) -> Any:
        keys = jax.random.wrap_key_data(words)
        return random_gamma_p.impl(keys, alpha, log_space=log_space, use_vmap=True)

    return [_traced("gamma", function, [_words(key), in_memory(alpha)], log_space)]


RULES: dict[str, Rule] = {
    "random_wrap": _wrap,
    "random_unwrap": _unwrap,
    "random_bits": _bits,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "random_seed": _seed,
    "random_gamma": _gamma,
}
