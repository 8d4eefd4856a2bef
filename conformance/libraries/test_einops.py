"""einops: its functions for the standard's arrays, and what works without a backend of its own."""

import einops.array_api as einops
import numpy
import pytest

import jujunp

IMAGES = numpy.arange(2 * 4 * 6 * 3, dtype=float).reshape(2, 4, 6, 3) % 17
WHOLE = IMAGES.astype(numpy.int32)


def _rearrange(pattern, **sizes):
    return lambda xp: einops.rearrange(xp.array(IMAGES), pattern, **sizes)


def _reduce(pattern, reduction, data=IMAGES, **sizes):
    return lambda xp: einops.reduce(xp.array(data), pattern, reduction, **sizes)


def _repeat(pattern, **sizes):
    return lambda xp: einops.repeat(xp.array(IMAGES[0, :, :, 0]), pattern, **sizes)


def _packed(pattern):
    """Return a call that packs three arrays and unpacks them again."""

    def call(xp):
        arrays = [xp.array(IMAGES[0]), xp.array(IMAGES[0, 0]) + 1.0, xp.array(IMAGES[:, 1])]
        packed, shapes = einops.pack(arrays, pattern)
        return packed, [tuple(shape) for shape in shapes], einops.unpack(packed, shapes, pattern)

    return call


CALLS = {
    "transpose": _rearrange("b h w c -> b c h w"),
    "flatten": _rearrange("b h w c -> b (h w c)"),
    "ellipsis": _rearrange("b ... c -> c ... b"),
    "space to depth": _rearrange("b (h x) (w y) c -> b h w (c x y)", x=2, y=3),
    "mosaic": _rearrange("b h w c -> h (b w) c"),
    "new axes": _rearrange("b h w c -> b () h w 1 c"),
    "list of arrays": lambda xp: einops.rearrange(
        [xp.array(image) for image in IMAGES], "b h w c -> h w (b c)"
    ),
    "same pattern": _rearrange("b h w c -> b h w c"),
    "mean": _reduce("b h w c -> b c", "mean"),
    "sum": _reduce("b h w c -> ", "sum"),
    "max": _reduce("b (h x) (w y) c -> b h w c", "max", x=2, y=2),
    "min": _reduce("b ... -> b 1", "min"),
    "prod": _reduce("b h w c -> h w", "prod"),
    "any": _reduce("b h w c -> w", "any", IMAGES > 15),
    "all": _reduce("b h w c -> c 1", "all", IMAGES > 0),
    "integers": _reduce("b h w c -> c b", "sum", WHOLE),
    "repeat": _repeat("h w -> h w c", c=3),
    "repeat inside": _repeat("h w -> (h x) (w y)", x=2, y=3),
    "repeat in front": _repeat("h w -> n w h", n=2),
    "pack": lambda xp: einops.pack([xp.array(IMAGES[0]), xp.array(IMAGES[1, :, :, 0])], "h w *")[0],
    "pack and unpack": _packed("* c"),
    "unpack": lambda xp: einops.unpack(xp.array(IMAGES), [(2,), (1, 4)], "b h * c"),
    "asnumpy": lambda xp: einops.asnumpy(xp.array(IMAGES) * 2.0).sum().item(),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name, same):
    """Each pattern gives what it gives for NumPy arrays, in our arrays."""
    same(CALLS[name])


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("asnumpy",)])
def test_calls_compute_nothing(name):
    """A pattern is recorded, not computed."""
    CALLS[name](jujunp)
    before = jujunp.stats()["flushes"]
    CALLS[name](jujunp)
    assert jujunp.stats()["flushes"] == before
