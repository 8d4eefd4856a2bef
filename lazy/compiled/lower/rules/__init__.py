"""The lowering rules, by families of primitives."""
