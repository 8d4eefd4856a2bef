"""The library of the kernels, which has no code of its own: its parts are linked (parts.mojo)."""
