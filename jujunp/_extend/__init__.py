"""What users bring: Mojo functions and kernels, primitives."""
