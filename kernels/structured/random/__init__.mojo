"""Random numbers: the bit generators and distributions of numpy.random, with NumPy's bits."""
