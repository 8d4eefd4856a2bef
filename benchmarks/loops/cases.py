"""The functions that are measured, written with a namespace that the module is given.

Each namespace has a copy of this module (contenders.py), in which `xp` is that namespace, so that
compilers of Python see plain functions of two arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

xp: Any = np


def _chain(a: Any, b: Any) -> Any:
    for _ in range(4):
        a = (a * b + 0.5) * 0.25 - b
    return a


def _long_chain(a: Any, b: Any) -> Any:
    for k in range(25):
        a = xp.where(a > b, a * 0.5, a + b) - 0.01 * k
    return a


def _black_scholes(spot: Any, strike: Any) -> Any:
    root = 0.3 * xp.sqrt(0.5 + spot)
    d = xp.log((spot + 1) / (strike + 1)) / root
    cdf = 0.5 * (1 + xp.tanh(0.7978845608 * (d + 0.044715 * d**3)))
    return spot * cdf - strike * xp.exp(-0.02 * spot) * (1 - cdf)


def _haversine(a: Any, b: Any) -> Any:
    square = xp.sin((a - b) / 2) ** 2 + xp.cos(a) * xp.cos(b) * xp.sin((b - 0.3) / 2) ** 2
    return 2 * 6371 * xp.arcsin(xp.sqrt(xp.minimum(square, 1.0)))


def _periodic(a: Any, b: Any) -> Any:
    distance = xp.abs(a - b)
    distance = xp.where(distance > 0.5, 1 - distance, distance)
    return distance * distance


def _mandelbrot_step(a: Any, b: Any) -> Any:
    x, y = a, b
    for _ in range(3):
        x, y = x * x - y * y + a, 2 * x * y + b
    return x * x + y * y


def _stencil(a: Any, b: Any) -> Any:
    side = int(len(a) ** 0.5)
    x = a[: side * side].reshape(side, side)
    return 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])


def _rows(a: Any) -> Any:
    """Return the elements as rows of a hundred."""
    return a[: len(a) // 100 * 100].reshape(-1, 100)


def _softmax(a: Any, b: Any) -> Any:
    x = _rows(a)
    shifted = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return shifted / xp.sum(shifted, axis=1, keepdims=True)


def _layer_norm(a: Any, b: Any) -> Any:
    x = _rows(a)
    centred = x - xp.mean(x, axis=1, keepdims=True)
    return centred / xp.sqrt(xp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def _root_mean_square(a: Any, b: Any) -> Any:
    x = _rows(a)
    return x / xp.sqrt(xp.mean(x * x, axis=1, keepdims=True) + 1e-5)


def _logistic_loss(a: Any, b: Any) -> Any:
    return xp.mean(xp.log1p(xp.exp(-(2 * b - 1) * (3 * a - 1))))


def _n_body(a: Any, b: Any) -> Any:
    count = int(len(a) ** 0.5)
    x, y = a[:count], b[:count]
    dx, dy = x - x[:, None], y - y[:, None]
    pull = (dx * dx + dy * dy + 0.01) ** -1.5
    return xp.sum(dx * pull, axis=1) + xp.sum(dy * pull, axis=1)


def _lab(a: Any, b: Any) -> Any:
    def linear(c: Any) -> Any:
        return xp.where(c > 0.04045, xp.exp(2.4 * xp.log((c + 0.055) / 1.055)), c / 12.92)

    def root(t: Any) -> Any:
        return xp.where(t > 0.008856, xp.cbrt(t), 7.787 * t + 0.13793)

    red, green, blue = linear(a), linear(b), linear(a * b)
    x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    y = root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    return (116 * y - 16) + 500 * (x - y) + 200 * (y - z)


def _state_equation(a: Any, b: Any) -> Any:
    """A quotient of polynomials in temperature, salt and a row of ten pressures: 300 steps."""
    count = len(a) // 10
    heat, salt = (x[: 10 * count].reshape(count, 10) for x in (30 * a, 35 * b))
    depth = 50 * (1 + b[:10])
    root = xp.sqrt(salt)
    above = below = 1.0
    for k in range(1, 12):
        term = heat * (0.1 / k) + salt * (0.02 * k) - depth * 1e-4 * k
        above = above + term * (k + root * heat * 1e-3) * 1e-2
        below = below + term * term * (1e-5 * k) + root * (1e-3 / k) * heat
        above = above - below * 1e-3 * (depth * 1e-4 + salt * heat * 1e-5 + k)
    return above / below


def _ocean(a: Any, b: Any) -> Any:
    """Finite differences on slices of two fields."""
    side = int(len(a) ** 0.5)
    u, v = (x[: side * side].reshape(side, side) for x in (a, b))
    total = 0.0
    for k in range(4):
        east = u[1:-1, 2:] - u[1:-1, 1:-1] * (1 + 0.1 * k)
        north = v[2:, 1:-1] - v[1:-1, 1:-1]
        flux = 0.5 * (u[1:-1, 1:-1] + u[1:-1, :-2]) * east + v[:-2, 1:-1] * north
        limited = xp.where(xp.abs(east) > xp.abs(north), east, north) * xp.maximum(flux, 0)
        total = total + limited / (1 + east * east + north * north) - 0.1 * flux
    return total


def _tridiagonal(a: Any, b: Any) -> Any:
    """Many systems of 16 equations at once, by elimination forwards and substitution back."""
    count = len(a) // 16
    right = b[: 16 * count].reshape(16, count)
    beside = 0.5 * a[: 16 * count].reshape(16, count)
    above = [beside[0] / 4]
    known = [right[0] / 4]
    for k in range(1, 16):
        pivot = 4 - beside[k] * above[k - 1]
        above.append(beside[k] / pivot)
        known.append((right[k] - beside[k] * known[k - 1]) / pivot)
    x = known[15]
    total = x
    for k in range(14, -1, -1):
        x = known[k] - above[k] * x
        total = total + x * x
    return total


CASES: dict[str, Callable[..., Any]] = {
    "chain of 12": _chain,
    "chain of 100": _long_chain,
    "Black-Scholes": _black_scholes,
    "haversine": _haversine,
    "periodic distance": _periodic,
    "Mandelbrot step": _mandelbrot_step,
    "stencil": _stencil,
    "softmax of rows": _softmax,
    "layer norm": _layer_norm,
    "root mean square": _root_mean_square,
    "logistic loss": _logistic_loss,
    "n-body": _n_body,
    "RGB to Lab": _lab,
    "equation of state": _state_equation,
    "ocean": _ocean,
    "tridiagonal sweep": _tridiagonal,
}
"""Functions of two arrays of numbers between 0 and 1, by name."""
