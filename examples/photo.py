"""A photograph through six stages: an ordinary NumPy script, made lazy by its import.

    python examples/photo.py [PHOTO] [--out PNG] [--scale FACTOR]

writes the stages side by side, checks each against real NumPy, and prints how long each took. With
`import numpy as np` in the place of `import jujunp as np` the file runs unchanged.
"""

import argparse
import time
from typing import NamedTuple

import matplotlib.cbook
import numpy
from PIL import Image

import jujunp as np

REPEATS = 3
SETTLING = 8


def grey(photo):
    """Return the luminance of an RGB image of bytes, from 0 to 1."""
    red, green, blue = photo[..., 0], photo[..., 1], photo[..., 2]
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255.0


def blur(image, sigma=2.0):
    """Return the image under a Gaussian of `sigma` pixels, one axis after the other."""
    radius = int(3 * sigma)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    weights /= weights.sum()
    height, width = image.shape

    tall = np.pad(image, ((radius, radius), (0, 0)), mode="reflect")
    rows = np.zeros_like(image)
    for k in range(2 * radius + 1):
        rows += weights[k] * tall[k : k + height, :]

    wide = np.pad(rows, ((0, 0), (radius, radius)), mode="reflect")
    smooth = np.zeros_like(image)
    for k in range(2 * radius + 1):
        smooth += weights[k] * wide[:, k : k + width]
    return smooth


def edges(image):
    """Return the magnitude of the Sobel gradient, from 0 to 1."""
    across = np.zeros_like(image)
    across[1:-1, 1:-1] = 2 * (image[1:-1, 2:] - image[1:-1, :-2])
    across[1:-1, 1:-1] += image[:-2, 2:] - image[:-2, :-2]
    across[1:-1, 1:-1] += image[2:, 2:] - image[2:, :-2]

    down = np.zeros_like(image)
    down[1:-1, 1:-1] = 2 * (image[2:, 1:-1] - image[:-2, 1:-1])
    down[1:-1, 1:-1] += image[2:, :-2] - image[:-2, :-2]
    down[1:-1, 1:-1] += image[2:, 2:] - image[:-2, 2:]

    magnitude = np.sqrt(across**2 + down**2)
    return magnitude / magnitude.max()


def sharpen(image, smooth, amount=1.5):
    """Return the image with what its blur lacks added to it: an unsharp mask."""
    return np.clip(image + amount * (image - smooth), 0.0, 1.0)


def equalise(image):
    """Return the image with its 256 levels spread so that each range holds equally many pixels."""
    levels = (image * 255).astype(np.uint8)
    counts = np.bincount(levels.ravel(), minlength=256)
    cumulative = np.cumsum(counts)
    table = (cumulative - cumulative[0]) / (cumulative[-1] - cumulative[0])
    return table[levels]


def clean(image, outline):
    """Return the image without its grain: smooth wherever no outline of some length passes."""
    strong = outline > 0.1
    height, width = strong.shape
    padded = np.pad(strong, 1)
    company = np.zeros(strong.shape, dtype=np.uint8)
    for i in range(3):
        for j in range(3):
            company += padded[i : i + height, j : j + width]
    strong &= company > 2

    result = image.copy()
    result[~strong] = blur(image, sigma=1.0)[~strong]
    return result


# Each stage, and the names of the images that it takes.
STAGES = {
    grey: ("photo",),
    blur: ("grey",),
    edges: ("blur",),
    sharpen: ("grey", "blur"),
    equalise: ("sharpen",),
    clean: ("equalise", "edges"),
}


def in_numpy(function, *arguments):
    """Call a function of this file with real NumPy as its `np`."""
    global np
    ours, np = np, numpy
    try:
        return function(*arguments)
    finally:
        np = ours


def timed(function, *arguments):
    """Return what the function gives, once it is computed, and the seconds that took."""
    flush = getattr(np, "flush", lambda result: None)
    start = time.perf_counter()
    result = function(*arguments)
    flush(result)
    return result, time.perf_counter() - start


def best(function, *arguments):
    """Return what the function gives and the seconds of the fastest of a few calls."""
    return min((timed(function, *arguments) for _ in range(REPEATS)), key=lambda pair: pair[1])


def difference(name, result, expected):
    """Return the largest difference from what NumPy gives; stop where it is no rounding error."""
    result = numpy.asarray(result)
    if (result.dtype, result.shape) != (expected.dtype, expected.shape):
        raise SystemExit(
            f"{name}: {result.dtype}{result.shape}, in NumPy {expected.dtype}{expected.shape}"
        )
    largest = numpy.abs(result - expected).max()
    if not largest < 1e-12:
        raise SystemExit(f"{name}: differs from NumPy by up to {largest:.1e}")
    return largest


class Row(NamedTuple):
    """What one stage took, in seconds, and its largest difference from NumPy."""

    numpy: float
    first: float
    second: float
    hot: float | None
    difference: float


def measure(photo):
    """Run every stage in NumPy and in `np`; return the images and the table's rows."""
    images, rows = {"photo": photo}, {}
    for stage, inputs in STAGES.items():
        name = stage.__name__
        originals = [images[key] for key in inputs]
        images[name], numpy_seconds = in_numpy(best, stage, *originals)

        arguments = [np.array(original) for original in originals]
        first, first_seconds = timed(stage, *arguments)
        second, second_seconds = timed(stage, *arguments)
        largest = max(difference(name, result, images[name]) for result in (first, second))
        rows[name] = Row(numpy_seconds, first_seconds, second_seconds, None, largest)
    return images, rows


def measure_hot(images, rows):
    """Have all stages compiled together, run them until they are hot, and add that to their rows.

    A graph that is compiled is compared with the kernels that run at once, over `SETTLING` calls:
    what counts are the calls after them, on the faster of both. Returns the seconds that compiling
    took; graphs that were kept by an earlier run take none.
    """
    arguments = {
        stage: [np.array(images[key]) for key in inputs] for stage, inputs in STAGES.items()
    }
    start = time.perf_counter()
    with np.compile_policy("auto", after=0):
        for stage in STAGES:
            timed(stage, *arguments[stage])
        np.wait_for_compiles()
        compiling = time.perf_counter() - start
        for stage in STAGES:
            name = stage.__name__
            results = [timed(stage, *arguments[stage])[0] for _ in range(SETTLING)]
            result, seconds = best(stage, *arguments[stage])
            differences = [difference(name, each, images[name]) for each in (*results, result)]
            largest = max(rows[name].difference, *differences)
            rows[name] = rows[name]._replace(hot=seconds, difference=largest)
    return compiling


def total(rows):
    """Return the sum of the rows, with the largest of their differences."""
    *seconds, differences = zip(*rows, strict=True)
    sums = (None if None in column else sum(column) for column in seconds)
    return Row(*sums, max(differences))


def report(rows):
    """Print the table of all stages, with how many times faster than NumPy each call was."""
    everything = total(rows.values())
    calls = ("first call", "second call", "hot call")
    print(f"{'ms':10}{'NumPy':>9}{''.join(f'{call:>18}' for call in calls)}{'difference':>13}")
    for name, row in [*rows.items(), ("total", everything)]:
        print(f"{name:10}{1e3 * row.numpy:9.2f}", end="")
        for seconds in (row.first, row.second, row.hot):
            cell = "-" if seconds is None else f"{1e3 * seconds:.2f} ({row.numpy / seconds:5.1f}x)"
            print(f"{cell:>18}", end="")
        print(f"{row.difference:13.1e}")


def side_by_side(images):
    """Return one image of bytes with the photo and all stages beside one another."""
    tiles = [np.array(images["photo"])]
    for name in list(images)[1:]:
        levels = (255 * np.array(images[name]) + 0.5).astype(np.uint8)
        tiles.append(np.repeat(levels[:, :, np.newaxis], 3, axis=2))
    return np.concatenate(tiles, axis=1)


def main():
    """Read the photograph, run the stages, and write and print what came of them."""
    sample = matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("photo", nargs="?", default=sample, help="a photograph (default: a sample)")
    parser.add_argument("--out", default="photo-stages.png", help="the image to write")
    parser.add_argument("--scale", type=float, default=1.0, help="enlarge the photograph first")
    parser.add_argument("--no-compile", action="store_true", help="compile nothing")
    options = parser.parse_args()

    image = Image.open(options.photo).convert("RGB")
    size = [max(16, round(options.scale * pixels)) for pixels in image.size]
    photo = numpy.asarray(image.resize(size))
    print(f"{np.__name__} on {options.photo}, {size[0]} x {size[1]} pixels")
    images, rows = measure(photo)
    if hasattr(np, "compile_policy") and not options.no_compile:
        compiling = measure_hot(images, rows)
        print(f"compiling took {compiling:.0f} s in the background; the graphs are kept")
    report(rows)
    Image.fromarray(numpy.asarray(side_by_side(images))).save(options.out)
    print(f"every stage agrees with NumPy; all are in {options.out}")


if __name__ == "__main__":
    main()
