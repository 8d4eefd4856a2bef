"""A small network that reads digits, trained by jujunp, jax.numpy and, if it is there, PyTorch.

    python examples/digits.py [--epochs COUNT] [--optax]

The pictures are scikit-learn's: 1797 digits of 8 x 8 pixels, written by hand. The network and its
training are the same text for all, all numbers are float64, and the weights begin alike. So they
end alike, too: that is checked. Printed is how many unseen digits are read right, and how long the
training took, with and without the first epoch. With `--optax`, which must be installed, the same
network is trained by one of its optimisers, too.
"""

import argparse
import functools
import importlib.util
import itertools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy

import jujunp

WIDTHS = [64, 64, 32, 10]
BATCH, SEEN = 100, 1500
RATE, MOMENTUM = 0.2, 0.9


def digits():
    """Return pictures, a row each, and their labels."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise SystemExit("the digits are scikit-learn's: pip install scikit-learn") from None
    pictures, labels = load_digits(return_X_y=True)
    order = numpy.random.default_rng(0).permutation(len(labels))
    return pictures[order] / 16, labels[order]


def first_weights():
    """Return a matrix and an offset for each layer."""
    random = numpy.random.default_rng(1)
    return [
        {"matrix": random.standard_normal((n, m)) / n**0.5, "offset": numpy.zeros(m)}
        for n, m in itertools.pairwise(WIDTHS)
    ]


def network(np, layers, x):
    """Return how well each picture fits each digit; `np` is the library that computes it."""
    for layer in layers[:-1]:
        x = np.tanh(x @ layer["matrix"] + layer["offset"])
    return x @ layers[-1]["matrix"] + layers[-1]["offset"]


def loss(np, layers, x, wanted):
    """Return the mean cross entropy; `wanted` has a 1 at each picture's digit."""
    scores = network(np, layers, x)
    scores = scores - np.amax(scores, 1)[:, None]
    chances = scores - np.log(np.sum(np.exp(scores), 1))[:, None]
    return -np.sum(chances * wanted) / len(x)


def step_with(np, grad):
    """Return a step of gradient descent with momentum, on trees of weights and speeds."""
    slopes_of = grad(functools.partial(loss, np))

    def step(layers, speeds, x, wanted):
        slopes = slopes_of(layers, x, wanted)
        speeds = jax.tree.map(lambda v, slope: MOMENTUM * v - RATE * slope, speeds, slopes)
        return jax.tree.map(lambda weight, v: weight + v, layers, speeds), speeds

    return step


def step_with_optax(optimiser):
    """Return a step by an optimiser of optax, whose state is a tree of our arrays."""
    import optax

    @jujunp.jit(wait=False)
    def step(layers, state, x, wanted):
        slopes = jujunp.grad(functools.partial(loss, jujunp))(layers, x, wanted)
        changes, state = optimiser.update(slopes, state, layers)
        return optax.apply_updates(layers, changes), state

    return step


def torch_grad(function):
    """Return what gives the gradient of a function of PyTorch by a tree of its arrays."""
    import torch

    def of(tree, *others):
        leaves, structure = jax.tree.flatten(tree)
        leaves = [leaf.detach().requires_grad_() for leaf in leaves]
        value = function(jax.tree.unflatten(structure, leaves), *others)
        return jax.tree.unflatten(structure, torch.autograd.grad(value, leaves))

    return of


class Library(NamedTuple):
    """How a library trains the network."""

    step: Callable[..., Any]
    array: Callable[..., Any]
    """Makes an array of it."""
    wait: Callable[..., Any]
    """Waits until the weights are computed."""
    state_of: Callable[..., Any] = functools.partial(jax.tree.map, lambda x: x * 0)
    """Makes the first state of the weights: speeds of 0, but for optax."""


def flush(layers):
    """Wait until our weights are computed."""
    jujunp.flush(*jax.tree.leaves(layers))


def libraries(with_optax):
    """Return those that are compared, by name."""
    ours = step_with(jujunp, jujunp.grad)
    theirs = jax.jit(step_with(jax.numpy, jax.grad))
    found = {
        "jujunp": Library(ours, jujunp.asarray, flush),
        "jujunp.jit": Library(jujunp.jit(ours, wait=False), jujunp.asarray, flush),
        "jax.jit": Library(theirs, jax.numpy.asarray, jax.block_until_ready),
    }
    if importlib.util.find_spec("torch"):
        import torch

        found["torch"] = Library(step_with(torch, torch_grad), torch.tensor, lambda layers: None)
    if with_optax:
        import optax

        adam = optax.adam(3e-3)
        start = jujunp.jit(adam.init)
        found["optax.adam"] = Library(step_with_optax(adam), jujunp.asarray, flush, start)
    return found


def train(library, pictures, labels, epochs):
    """Return the weights after some epochs, and the seconds of each."""
    layers = jax.tree.map(library.array, first_weights())
    state = library.state_of(layers)
    x, wanted = library.array(pictures), library.array(numpy.eye(10)[labels])
    seconds = []
    for _ in range(epochs):
        began = time.perf_counter()
        for k in range(0, len(labels), BATCH):
            layers, state = library.step(layers, state, x[k : k + BATCH], wanted[k : k + BATCH])
        library.wait(layers)
        seconds.append(time.perf_counter() - began)
    return jax.tree.map(numpy.asarray, layers), seconds


def main():
    """Train with each library, and compare what they have learnt."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=30, help="how often each picture is seen")
    parser.add_argument("--optax", action="store_true", help="also train with optax.adam")
    options = parser.parse_args()
    pictures, labels = digits()
    jax.config.update("jax_enable_x64", True)

    trained = {}
    for name, library in libraries(options.optax).items():
        layers, seconds = train(library, pictures[:SEEN], labels[:SEEN], options.epochs)
        trained[name] = layers
        read = network(numpy, layers, pictures[SEEN:]).argmax(1)
        right = (read == labels[SEEN:]).mean()
        first, *others = seconds
        print(f"{name:11}{right:7.1%} right, {first:.3f} s", end="")
        print(f" and then {sum(others):.3f} s for {len(others)} epochs")
    ours = jax.tree.leaves(trained["jujunp"])
    for name in set(trained) - {"optax.adam"}:
        for x, y in zip(ours, jax.tree.leaves(trained[name]), strict=True):
            numpy.testing.assert_allclose(y, x, rtol=1e-6, atol=1e-6, err_msg=name)


if __name__ == "__main__":
    main()
