"""How fast jujunp is, against NumPy and JAX: `python -m benchmarks` prints one table."""
