"""A picture of time against size: one panel for each case, one line for each contender."""

from __future__ import annotations

import math
from pathlib import Path

ACROSS = 4
"""Panels in a row."""


def draw(seconds: dict[tuple[str, int], dict[str, float]], path: Path) -> None:
    """Write the picture: nanoseconds an element, both axes logarithmic.

    Args:
        seconds: The seconds of a call by contender, for each case and size.
        path: Where it goes; its suffix says in which format.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    cases = list(dict.fromkeys(case for case, _ in seconds))
    names = list(dict.fromkeys(name for found in seconds.values() for name in found))
    down = math.ceil(len(cases) / ACROSS)
    figure, axes = pyplot.subplots(
        down, ACROSS, figsize=(12, 2.6 * down), sharex=True, squeeze=False, layout="constrained"
    )
    for panel in axes.flat[len(cases) :]:
        panel.set_visible(False)
    for case, panel in zip(cases, axes.flat, strict=False):
        sizes = sorted(size for other, size in seconds if other == case)
        for name in names:
            line = [
                (size, 1e9 * seconds[case, size][name] / size)
                for size in sizes
                if name in seconds[case, size]
            ]
            if line:
                panel.loglog(*zip(*line, strict=True), marker=".", label=name)
        panel.set_title(case, fontsize=9)
        panel.tick_params(labelsize=7)
    axes[0][0].legend(fontsize=7)
    figure.supxlabel("elements")
    figure.supylabel("ns an element")
    figure.savefig(path, dpi=120)
