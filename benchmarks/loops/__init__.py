"""Hot groups of elementwise steps against NumPy, `jax.jit`, Numba and numexpr."""
