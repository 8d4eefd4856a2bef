"""Functions and programs compiled from JAX."""
