"""NumPy's own tests with jujunp in its place: `python -m conformance.numpy_suite`.

The tests are those that are installed with NumPy; nothing is copied. When a file of them is loaded,
its imports of NumPy's public modules become imports of jujunp's (`rewriting.py`); private modules
stay NumPy's. `numpy.testing` judges: `jujunp.testing` hands our arrays to its functions as NumPy's.
Each file runs in a process of its own, with a limit for each test. It runs with NumPy first: what
passes there counts, but for what `scope.py` leaves out by the test alone.

It writes docs/numpy-suite.md, and exits with 1 if a test fails for a reason that is not in
`reasons.py`, with 2 if the tests cannot be run.
"""
