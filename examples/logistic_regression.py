"""Logistic regression by Newton's method, with derivatives of an ordinary NumPy function.

    python examples/logistic_regression.py

finds the weights by gradients and Hessians, and again without a Hessian: by products of it with
vectors. The weights must be those at which the gradient's formula gives zero. The work is so small
that nothing is compiled.
"""

import jax
import numpy

import jujunp as np

POINTS, FEATURES = 400, 5
PENALTY = 0.01


def loss(weights, x, labels):
    """Return the mean loss for labels of 0 and 1, with a penalty for large weights."""
    scores = x @ weights
    losses = np.logaddexp(0, scores)
    losses -= labels * scores
    return np.mean(losses) + PENALTY * np.sum(weights**2)


def by_hessian(weights, x, labels):
    """Take steps of Newton's method until the gradient is small."""
    slope = np.grad(loss)(weights, x, labels)
    while np.max(np.abs(slope)) > 1e-12:  # an element that is read
        weights = weights - np.linalg.solve(np.hessian(loss)(weights, x, labels), slope)
        slope = np.grad(loss)(weights, x, labels)
    return weights


def by_products(weights, x, labels):
    """Take steps of Newton's method, each by conjugate gradients."""
    for _ in range(10):
        # The gradient, and as a function of directions how it changes along them.
        slope, change = np.linearize(lambda w: np.grad(loss)(w, x, labels), weights)
        weights = weights - solved(change, slope)
    return weights


def solved(product, wanted):
    """Return the vector whose product with a matrix is wanted, by conjugate gradients."""
    found = np.zeros_like(wanted)
    rest = wanted.copy()
    direction = rest.copy()
    for _ in range(len(wanted)):
        square = rest @ rest
        if square < 1e-30:
            break
        image = product(direction)
        step = square / (direction @ image)
        found += step * direction
        rest -= step * image
        direction = rest + (rest @ rest) / square * direction
    return found


def formula(weights, x, labels):
    """Return the gradient of the loss, by NumPy."""
    chances = 1 / (1 + numpy.exp(-(x @ weights)))
    return x.T @ (chances - labels) / len(x) + 2 * PENALTY * weights


def main():
    """Make points, fit them in both ways, and compare."""
    random = numpy.random.default_rng(0)
    x = random.standard_normal((POINTS, FEATURES))
    truth = numpy.array([1.5, -2.0, 0.5, 0.0, 1.0])
    labels = (random.random(POINTS) < 1 / (1 + numpy.exp(-(x @ truth)))).astype(float)

    start = numpy.zeros(FEATURES)
    numpy.testing.assert_allclose(
        np.grad(loss)(start, x, labels), formula(start, x, labels), rtol=1e-12
    )
    weights = numpy.asarray(by_hessian(start, x, labels))
    numpy.testing.assert_allclose(formula(weights, x, labels), 0, atol=1e-11)
    print("weights:", weights.round(3))
    numpy.testing.assert_allclose(by_products(start, x, labels), weights, rtol=1e-9, atol=1e-12)

    # The gradient of each point's loss, mapped over the points.
    each = np.vmap(np.grad(loss), (None, 0, 0))(weights, x[:, None], labels[:, None])
    numpy.testing.assert_allclose(np.mean(each, 0), 0, atol=1e-11)
    print("the point that pulls most:", int(np.argmax(np.sum(each**2, 1))))

    # JAX's own transformations take the function, too; jit runs what comes of it.
    theirs = np.jit(jax.grad(loss))(start, x, labels)
    numpy.testing.assert_allclose(theirs, formula(start, x, labels), rtol=1e-12)
    right = float(np.mean((x @ weights > 0) == labels))
    print(f"{right:.1%} of the points are on their side")


if __name__ == "__main__":
    main()
