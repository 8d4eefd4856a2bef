"""JAX primitives and kernel libraries that users bring."""
