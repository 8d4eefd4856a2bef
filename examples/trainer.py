"""A training program: compiled, saved, and run again by a process that has no JAX.

    python examples/trainer.py [BUNDLE]

fits a line to noisy points in two processes. The first trains for some steps and writes the program
with its state to BUNDLE (trainer.jj unless named). The second imports nothing but what is in the
bundle, NumPy and MAX, and goes on where the first one stopped.
"""

import subprocess
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy

import jujunp

SLOPE, OFFSET = 2.5, -1.0
STEPS, RATE = 100, 0.1

ELSEWHERE = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy
import jujunp_program_loader

program = jujunp_program_loader.load()
x, y = numpy.load(sys.argv[2])
for _ in range(int(sys.argv[3])):
    loss = program.step({"x": x, "y": y}, rate=float(sys.argv[4]))
params = program.params
assert "jax" not in sys.modules and "jujunp" not in sys.modules
print(params.slope, params.offset, loss, program.count)
"""

POINTS = {"x": jnp.zeros(200), "y": jnp.zeros(200)}


class Line(NamedTuple):
    """The parameters of y = slope * x + offset."""

    slope: Any
    offset: Any


class Trainer(jujunp.Program):
    """Fits a line to points by gradient descent."""

    params = Line(slope=jnp.zeros(()), offset=jnp.zeros(()))
    count = jnp.zeros((), int)

    def step(self, batch=jujunp.like(POINTS), rate=jujunp.like(0.1)):
        """Take one step down the gradient, and return the loss before it."""
        loss, slopes = jax.value_and_grad(self._loss)(self.params, batch)
        self.params = jax.tree.map(lambda p, d: p - (rate * d).astype(p.dtype), self.params, slopes)
        self.count = self.count + 1
        return loss

    def predict(self, x=jujunp.like(POINTS["x"])):
        """Return the heights of the line at many x."""
        return self.params.slope * x + self.params.offset

    @jujunp.Program.kernel
    def _loss(params, batch):
        error = params.slope * batch["x"] + params.offset - batch["y"]
        return jnp.mean(error**2)


def main(bundle):
    """Train here, save, train elsewhere, and check the line."""
    random = numpy.random.default_rng(0)
    x = random.uniform(-1, 1, 200).astype("float32")
    y = (SLOPE * x + OFFSET + random.normal(0, 0.01, 200)).astype("float32")

    trainer = Trainer()
    first = float(trainer.step({"x": x, "y": y}, RATE))
    for _ in range(STEPS - 1):
        loss = float(trainer.step({"x": x, "y": y}, RATE))
    error = float(numpy.abs(numpy.asarray(trainer.predict(x)) - y).max())
    print(f"here: loss {first:.4f}, after {STEPS} steps {loss:.6f}; off by {error:.3f} at most")
    trainer.save(bundle)

    points = f"{bundle}.npy"
    numpy.save(points, numpy.stack([x, y]))
    command = [sys.executable, "-c", ELSEWHERE, bundle, points, str(STEPS), str(RATE)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    slope, offset, later, count = map(float, done.stdout.split())
    print(f"elsewhere: loss {later:.6f} after {count:.0f} steps; y = {slope:.3f} x + {offset:.3f}")
    assert later <= loss
    assert count == 2 * STEPS
    assert abs(slope - SLOPE) < 0.01
    assert abs(offset - OFFSET) < 0.01


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "trainer.jj")
