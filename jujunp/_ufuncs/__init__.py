"""Elementwise functions: NumPy's ufuncs and the operators made of them."""
