"""The MAX graph and the Jaxpr of a function.

    python examples/max_graph.py

prints both, and what a call costs. A graph is built, not compiled.
"""

import jax
import jax.numpy as jnp
import numpy
from max.graph import Graph

import jujunp


def layer(params, x):
    """Return tanh(x w + b)."""
    return jnp.tanh(x @ params["w"] + params["b"])


def main():
    """Show the layer in its forms."""
    like = jax.ShapeDtypeStruct  # a shape and a dtype do for an argument
    params = {"w": like((3, 2), numpy.float32), "b": numpy.zeros(2, numpy.float32)}
    x = like((4, 3), numpy.float32)

    graph = jujunp.make_max_graph(layer)(params, x)
    assert isinstance(graph, Graph)
    assert [tuple(map(int, t.shape)) for t in graph.output_types] == [(4, 2)]
    print(graph)

    lowered = jujunp.lower(layer, params, x)
    names = [eqn.primitive.name for eqn in lowered.jaxpr.eqns]
    assert names[0] == "dot_general"
    assert names[-1] == "tanh"
    print(lowered.jaxpr)
    cost = lowered.cost()
    assert cost["bytes"] == 4 * (3 * 2 + 2 + 4 * 3 + 4 * 2)
    print("a call costs:", cost)


if __name__ == "__main__":
    main()
