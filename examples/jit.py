"""JAX functions on MAX: trees of arguments, dtypes, loops.

    python examples/jit.py

checks what each function computes against NumPy. The work is so small that it is recorded on the
kernels that run at once: nothing is compiled.
"""

import jax.numpy as jnp
import numpy
from jax import lax

import jujunp


@jujunp.jit
def sin_of_square(x, y):
    """Return sin((x + y)^2)."""
    return jnp.sin((x + y) ** 2)


@jujunp.jit
def step(state, *, rate=0.5):
    """Move all positions by their velocities."""
    position, velocity = state["position"], state["velocity"]
    return {"position": position + rate * velocity, "velocity": velocity}


@jujunp.jit(static_argnames="degree")
def powers(x, degree):
    """Return 1, x, x^2, ...: the degree decides the shape, so it is no array."""
    return jnp.stack([x**k for k in range(degree + 1)], axis=-1)


@jujunp.jit
def running_mean(xs):
    """Return the mean of the elements so far, by a loop."""

    def add(carry, x):
        total, count = carry
        return (total + x, count + 1), (total + x) / (count + 1)

    return lax.scan(add, (0.0, 0), xs)[1]


def main():
    """Call each function and compare."""
    x, y = numpy.linspace(0, 1, 5), numpy.float64(2)
    found = sin_of_square(x, y)
    numpy.testing.assert_allclose(found, numpy.sin((x + y) ** 2), rtol=1e-14)
    print("sin((x + y)^2):", found)

    # Arrays of NumPy, JAX and jujunp may be mixed; results are jujunp's.
    mixed = sin_of_square(jujunp.asarray(x)[::2] * 1, jnp.float32(2))
    numpy.testing.assert_allclose(mixed, numpy.sin((x[::2] + 2) ** 2), rtol=1e-14)
    assert type(mixed) is jujunp.ndarray
    assert isinstance(mixed.to_numpy(), numpy.ndarray)

    # 32-bit arguments give 32-bit results, as in jax.jit; 64-bit ones are not narrowed.
    assert sin_of_square(numpy.float32(x), 2).dtype == numpy.float32
    assert found.dtype == numpy.float64

    state = {"position": numpy.zeros(2), "velocity": numpy.array([1.0, -2.0])}
    for _ in range(4):
        state = step(state, rate=0.25)
    numpy.testing.assert_array_equal(state["position"], [1, -2])
    print("a tree of arrays:", state)

    table = powers(x, degree=3)
    numpy.testing.assert_allclose(table, numpy.vander(x, 4, increasing=True), rtol=1e-14)
    print("powers:", table.shape)

    means = running_mean(x)
    numpy.testing.assert_allclose(means, numpy.cumsum(x) / numpy.arange(1, 6), rtol=1e-14)
    print("running mean:", means)


if __name__ == "__main__":
    main()
