"""Two functions that NumPy lacks, written in Mojo and used like NumPy's own.

    python examples/vectorize.py [--size ELEMENTS]

checks both against NumPy code, and prints how long each took. The first run builds the functions
for this CPU, which takes some seconds.
"""

import argparse
import time

import numpy

import jujunp as np

SOURCE = """
from elementwise.exponential import exp


def swish[
    dtype: DType, width: SIMDLength
](x: SIMD[dtype, width]) -> SIMD[dtype, width]:
    return x / (1 + exp(-x))


def collatz[dtype: DType](start: Scalar[dtype]) -> Scalar[dtype]:
    var n = start
    var steps: Scalar[dtype] = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 == 1 else n // 2
        steps += 1
    return steps
"""

swish = np.vectorize_mojo(SOURCE, "swish", doc="The product of x and its logistic function.")
collatz = np.vectorize_mojo(SOURCE, "collatz", "int64", doc="Halve or triple until 1: how often?")


def swish_in_numpy(x):
    """Return the same with NumPy."""
    return x / (1 + numpy.exp(-x))


def collatz_in_numpy(n):
    """Return the same with NumPy: a step at a time, for the elements that go on."""
    n, steps = n.copy(), numpy.zeros_like(n)
    while (going := n > 1).any():
        n[going] = numpy.where(n[going] % 2 == 1, 3 * n[going] + 1, n[going] // 2)
        steps[going] += 1
    return steps


def timed(function, x):
    """Return a function's result, and the seconds that computing it took."""
    started = time.perf_counter()
    result = numpy.asarray(function(x))
    return result, time.perf_counter() - started


def compare(name, ours, theirs, x, tolerance):
    """Check a function against NumPy's and print a line of times."""
    array = np.array(x)
    found, seconds = timed(ours, array)
    expected, numpy_seconds = timed(theirs, x)
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, err_msg=name)
    print(f"{name:<28} {numpy_seconds * 1e3:10.1f} ms {seconds * 1e3:10.1f} ms")


def main():
    """Compare the functions by themselves, as parts of larger expressions, and their methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=200_000)
    size = parser.parse_args().size
    x, n = numpy.linspace(-20, 20, size), numpy.arange(1, size + 1)

    print(f"{size:<28,} {'NumPy':>10}    {'jujunp':>10}")
    compare("swish(x)", swish, swish_in_numpy, x, 1e-14)
    compare("2 * swish(x) ** 2 + 1", *squared(), x, 1e-14)
    compare("collatz(n)", collatz, collatz_in_numpy, n, 0)
    longest = int(np.argmax(collatz(n)))
    print(f"the longest way to 1 begins at {n[longest]}: {int(collatz(n[longest]))} steps")
    print(np.jaxpr(2 * swish(np.array(x))).jaxpr.eqns[0].primitive)


def squared():
    """Return an expression with `swish` inside, for either library."""
    return (lambda x: 2 * swish(x) ** 2 + 1), (lambda x: 2 * swish_in_numpy(x) ** 2 + 1)


if __name__ == "__main__":
    main()
