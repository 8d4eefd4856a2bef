"""A Mojo kernel as a primitive, with a derivative and under vmap.

    python examples/add_one.py

builds the kernel in add_one_kernels/, defines a primitive by a rule that applies it, and checks
what it computes against real NumPy. One graph is compiled, for 12 seconds or more; the second time,
it is found on disk.
"""

from pathlib import Path

import jax
import numpy
from max.graph import DeviceRef, ops

import jujunp as np

library = np.kernel_library(Path(__file__).parent / "add_one_kernels")


def add_one_rule(x):
    """Lower the primitive: apply the kernel to MAX's graph value."""
    made = ops.custom("add_one", DeviceRef.CPU(), values=[x], out_types=[x.type])
    return made[0].tensor


add_one_primitive = np.Primitive(
    "add_one",
    max_lowering_rule=add_one_rule,
    jax_abstract_evaluation_rule=lambda x: x,
    multiple_results=False,
    # The kernel takes any shape, so that many arrays are one.
    batching_rule=lambda operands, axes: (add_one_primitive(*operands), axes[0]),
    kernels=library,
)


@jax.custom_jvp
def add_one(x):
    """Return x + 1."""
    return add_one_primitive(x)


@add_one.defjvp
def add_one_jvp(primals, tangents):
    """Return x + 1 and its tangent: that of x."""
    return add_one(*primals), tangents[0]


def add_one_by_name(x):
    """Return x + 1 without a primitive of its own."""
    return np.mojo_call("add_one", jax.ShapeDtypeStruct(x.shape, x.dtype), x, vectorized=True)


@np.jit
def together(x):
    """Return what each way gives: the primitive, a call by name, a derivative and a mapped call."""
    slope = jax.grad(lambda x: (add_one(x) ** 2).sum())
    mapped = jax.vmap(add_one_by_name, in_axes=1)
    return add_one_primitive(x), add_one_by_name(x), slope(x), mapped(x)


def main():
    """Compute, differentiate and map, and compare with NumPy."""
    x = numpy.arange(6.0).reshape(2, 3)

    lazy = np.asarray(x) * 2
    computed, named, slope, mapped = together(lazy)
    numpy.testing.assert_array_equal(computed, x * 2 + 1)
    numpy.testing.assert_array_equal(named, x * 2 + 1)
    numpy.testing.assert_array_equal(slope, 2 * (x * 2 + 1))
    numpy.testing.assert_array_equal(mapped, x.T * 2 + 1)
    print("computed:", computed)
    print("derivative of its square:", slope)
    print("mapped over the columns:", mapped)


if __name__ == "__main__":
    main()
