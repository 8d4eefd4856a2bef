"""Functions of arrays, by the chapters of NumPy's manual."""
