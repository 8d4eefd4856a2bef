"""JAX's random numbers under jujunp.jit: the same keys, bits and uniform numbers as JAX's.

    python examples/prng.py

Normal numbers may differ in the last bit. The work is so small that nothing is compiled.
"""

import jax
import jax.numpy as jnp
import numpy

import jujunp


def draw(key):
    """Return numbers of several kinds and a key for more."""
    key, first, second, third = jax.random.split(key, 4)
    return key, {
        "uniform": jax.random.uniform(first, (3,)),
        "integers": jax.random.randint(second, (4,), 0, 10),
        "coins": jax.random.bernoulli(third, 0.3, (4,)),
    }


@jujunp.jit
def noisy(key, x, scale):
    """Return x with normal noise."""
    return x + scale * jax.random.normal(key, x.shape, x.dtype)


def main():
    """Draw, and compare with JAX."""
    key = jax.random.key(7)
    compiled, plain = jujunp.jit(draw), jax.jit(draw)
    theirs = key
    for _ in range(3):
        key, found = compiled(key)
        theirs, wanted = plain(theirs)
        assert key == theirs  # keys come as JAX's arrays
        for name, numbers in wanted.items():
            numpy.testing.assert_array_equal(found[name], numbers)
            print(f"{name}: {found[name]}")

    x = numpy.zeros(1000, numpy.float32)
    noise = noisy(key, x, 0.5)
    wanted = 0.5 * jax.random.normal(key, x.shape, jnp.float32)
    numpy.testing.assert_allclose(noise, wanted, rtol=1e-5, atol=1e-7)
    print("standard deviation of the noise:", round(float(noise.to_numpy().std()), 3))

    # Keys of the older form are arrays of two words.
    old = jax.random.PRNGKey(7)
    words = jujunp.jit(lambda key: jax.random.split(key))(old)
    numpy.testing.assert_array_equal(words, jax.random.split(old))


if __name__ == "__main__":
    main()
