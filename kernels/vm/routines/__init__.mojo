"""Kernels, loops and branches as one op of a graph."""
