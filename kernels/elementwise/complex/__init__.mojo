"""The functions of complex numbers."""
