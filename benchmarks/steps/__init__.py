"""Every call on small arrays against NumPy: `python -m benchmarks.steps [WORDS]`.

A case is a line of code, which is measured in three ways, by turns in one process:

- `bulk`: recorded a thousand times, with all results kept, and then computed at once;
- `read`: its result is read at once, by `numpy.asarray`, or by `.item()` if it is a scalar;
- `loop`: the body of a loop whose next turn depends on it, with the result read after the loop.

A ratio says how many times as long jujunp takes; it is the median of those of the rounds.
"""
