"""Gradients of functions written like NumPy's, against JAX, autograd and PyTorch."""
