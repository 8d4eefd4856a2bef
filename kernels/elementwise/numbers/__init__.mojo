"""Dtypes, formats, vectors in memory, polynomials: what the functions are written with."""
