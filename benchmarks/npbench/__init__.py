"""NPBench (github.com/spcl/npbench) against NumPy: `python -m benchmarks.npbench [WORDS]`.

Each kernel is NPBench's own code for NumPy, with jujunp in place of NumPy. Its arguments are made
by NPBench with NumPy. A run ends when every array argument and every returned value has been read,
as NPBench's validation does; the results are compared with NumPy's by NPBench's tolerances. The
contenders take turns in processes of their own: the first run, and further ones on new arguments.
A ratio says how many times as long NumPy takes; it is the median of those of the rounds.
"""
