"""Drawing: states and their kernels, and what is drawn, given arguments that NumPy checks."""
