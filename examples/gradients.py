"""JAX's transformations under jujunp.jit: gradients, Jacobians, mapping, derivatives of one's own.

    python examples/gradients.py

compares each with the formula, or with JAX. The work is so small that nothing is compiled.
"""

import jax
import jax.numpy as jnp
import numpy

import jujunp


def energy(x):
    """Return the sum of sin(x)^2."""
    return (jnp.sin(x) ** 2).sum()


@jax.custom_jvp
def log1pexp(x):
    """Return log(1 + e^x)."""
    return jnp.log(1 + jnp.exp(x))


@log1pexp.defjvp
def log1pexp_jvp(primals, tangents):
    """The derivative in a form that does not overflow."""
    (x,), (dx,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * dx


def main():
    """Transform, call and compare."""
    x = numpy.linspace(0.0, 1.0, 4)

    slope = jujunp.jit(jax.grad(energy))(x)
    numpy.testing.assert_allclose(slope, numpy.sin(2 * x), rtol=1e-12, atol=1e-15)
    print("gradient:", slope)

    value, same = jujunp.jit(jax.value_and_grad(energy))(x)
    numpy.testing.assert_allclose(value, (numpy.sin(x) ** 2).sum(), rtol=1e-14)
    numpy.testing.assert_array_equal(same, slope)

    third = jax.grad(jax.grad(jax.grad(jnp.sin)))
    curve = jujunp.jit(jax.vmap(third))(x)
    numpy.testing.assert_allclose(curve, -numpy.cos(x), rtol=1e-12)
    print("third derivative of sin, mapped:", curve)

    second = jujunp.jit(jax.hessian(energy))(x)
    numpy.testing.assert_allclose(second, numpy.diag(2 * numpy.cos(2 * x)), rtol=1e-12, atol=1e-15)
    print("Hessian:\n", second, sep="")

    at = jujunp.jit(jax.vmap(jax.grad(log1pexp)))(numpy.array([0.0, 1000.0]))
    numpy.testing.assert_array_equal(at, [0.5, 1.0])
    print("a derivative of one's own:", at)

    # A compiled function may itself be transformed: it is then part of what JAX computes.
    inner = jax.grad(jujunp.jit(energy))(jnp.float32(0.5))
    numpy.testing.assert_allclose(inner, numpy.sin(1.0), rtol=1e-6)
    outer = jujunp.jit(jax.grad(jujunp.jit(energy)))(numpy.float32(0.5))
    numpy.testing.assert_allclose(outer, inner, rtol=1e-6)


if __name__ == "__main__":
    main()
