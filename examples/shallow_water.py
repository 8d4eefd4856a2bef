"""A wave's beginning, found from what was seen of it later: a NumPy solver, differentiated.

    python examples/shallow_water.py [--size CELLS] [--rounds COUNT] [--picture FILE]

Water of little depth moves in a square basin with walls. The solver writes into its arrays in
place, as NumPy programs do. Gauges at every second cell each way tell the height of the water at
some later times. From these the first heights are recovered: by gradient descent, with the gradient
of the whole run by the first heights. `--picture` draws them; for this matplotlib must be
installed.
"""

import argparse
import time

import numpy

import jujunp as np

GRAVITY, DEPTH = 9.81, 10.0  # m/s^2, m
CELL, STEP = 100.0, 4.0  # m, s
STEPS, BETWEEN = 90, 15
"""Time steps of a run, and between two looks at the gauges."""
RATE, MOMENTUM = 0.8, 0.9


def advance(height, east, north):
    """Take a time step, in place.

    Args:
        height: Of the water over its level at rest, in the cells, in m.
        east: Speeds through the walls between cells, along the second axis, in m/s.
        north: The same along the first axis.
    """
    east[:, 1:-1] -= STEP * GRAVITY / CELL * (height[:, 1:] - height[:, :-1])
    north[1:-1] -= STEP * GRAVITY / CELL * (height[1:] - height[:-1])
    across = np.zeros_like(east)  # what flows, in m^2/s
    across[:, 1:-1] = east[:, 1:-1] * (DEPTH + (height[:, 1:] + height[:, :-1]) / 2)
    along = np.zeros_like(north)
    along[1:-1] = north[1:-1] * (DEPTH + (height[1:] + height[:-1]) / 2)
    height -= STEP / CELL * (across[:, 1:] - across[:, :-1])
    height -= STEP / CELL * (along[1:] - along[:-1])


def observe(start):
    """Return what the gauges show of water that is at rest, but for its first heights."""
    height = start.copy()
    rows, columns = height.shape
    east, north = np.zeros((rows, columns + 1)), np.zeros((rows + 1, columns))
    seen = np.zeros((STEPS // BETWEEN, (rows + 1) // 2, (columns + 1) // 2))
    for k in range(STEPS):
        advance(height, east, north)
        if (k + 1) % BETWEEN == 0:
            seen[k // BETWEEN] = height[::2, ::2]
    return seen


def misfit(start, seen):
    """Return by how much other first heights would have shown something else."""
    return np.sum((observe(start) - seen) ** 2) / len(seen)


def hills(size):
    """Return the first heights that are to be found: two hills and a hollow."""
    y, x = np.meshgrid(np.linspace(0, 1, size), np.linspace(0, 1, size), indexing="ij")

    def hill(row, column, width):
        return np.exp(-((y - row) ** 2 + (x - column) ** 2) / width**2)

    return hill(0.3, 0.35, 0.12) + 0.7 * hill(0.7, 0.6, 0.15) - 0.5 * hill(0.3, 0.75, 0.1)


def check(start, seen):
    """Compare the gradient in a direction with the difference of two runs."""
    direction = numpy.random.default_rng(0).standard_normal(start.shape)
    slope = float(np.sum(np.grad(misfit)(start, seen) * direction))
    ahead, behind = (float(misfit(start + sign * 1e-4 * direction, seen)) for sign in (1, -1))
    numpy.testing.assert_allclose(slope, (ahead - behind) / 2e-4, rtol=1e-6)


def recover(seen, size, rounds):
    """Return the first heights, begun with water at rest."""
    found, speed = np.zeros((size, size)), np.zeros((size, size))
    descend = np.value_and_grad(misfit)
    for k in range(rounds):
        loss, slope = descend(found, seen)
        speed *= MOMENTUM
        speed -= RATE * slope
        found += speed
        if (k + 1) % max(1, rounds // 5) == 0:
            print(f"round {k + 1}: the gauges are missed by {float(loss):.2e}")
    return found


def draw(panels, path):
    """Write a picture of heights, by their titles."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise SystemExit("--picture needs matplotlib: pip install matplotlib") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(4 * len(panels), 4), layout="constrained"
    )
    for axis, (title, height) in zip(axes, panels.items(), strict=True):
        axis.imshow(numpy.asarray(height), cmap="RdBu_r", vmin=-1, vmax=1, origin="lower")
        axis.set_title(title)
        axis.set_axis_off()
    figure.savefig(path, dpi=100)


def main():
    """Run forward, look, recover and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=64, help="cells each way")
    parser.add_argument("--rounds", type=int, default=150, help="of gradient descent")
    parser.add_argument("--picture", metavar="FILE", help="draw the heights")
    options = parser.parse_args()

    truth = hills(options.size)
    seen = observe(truth)
    check(truth * 0.5, seen)
    began = time.perf_counter()
    found = recover(seen, options.size, options.rounds)
    off = float(np.sqrt(np.mean((found - truth) ** 2)))
    height = float(np.sqrt(np.mean(truth**2)))
    print(f"{time.perf_counter() - began:.1f} s for {options.rounds} gradients of {STEPS} steps")
    print(f"the first heights are off by {off / height:.1%} of their own")
    if options.picture:
        draw({"as it was": truth, "last gauges": seen[-1], "recovered": found}, options.picture)


if __name__ == "__main__":
    main()
