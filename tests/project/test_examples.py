"""The examples, in a reduced size: they check their own results against NumPy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from jujunp.lazy.compiled import comparison
from tests.support.tree.places import ROOT

PHOTO = ROOT / "examples" / "photo.py"
IMPORT = "import jujunp as np\n"
STAGES = ["grey", "blur", "edges", "sharpen", "equalise", "clean", "total"]


def test_vectorize_agrees_with_numpy():
    script = PHOTO.with_name("vectorize.py")
    done = subprocess.run(
        [sys.executable, str(script), "--size", "3000"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[4] == "the longest way to 1 begins at 2919: 216 steps"
    assert lines[5].startswith("mojo.swish.")


PRINTED = {
    "jit.py": "sin((x + y)^2): [-0.7568025  -0.93933464 -0.03317922  0.95781915  0.41211849]\n",
    "max_graph.py": "mo.graph @g0(%arg0: !mo.tensor<[2], f32>",
    "gradients.py": "gradient: [0.         0.6183698  0.9719379  0.90929743]\n",
    "prng.py": "coins: [",
}
"""How what an example prints begins."""


@pytest.mark.parametrize("name", PRINTED)
def test_functions_for_jax(name):
    done = subprocess.run(
        [sys.executable, str(PHOTO.with_name(name))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(PRINTED[name])


def run(name: str, *options: str) -> list[str]:
    """Run an example; returns the lines that it prints."""
    command = [sys.executable, str(PHOTO.with_name(name)), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_wave_is_recovered(tmp_path):
    picture = tmp_path / "heights.png"
    *_, last = run("shallow_water.py", "--size", "24", "--rounds", "40", "--picture", str(picture))
    found = re.fullmatch(r"the first heights are off by (.*)% of their own", last)
    assert float(found[1]) < 15
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_logistic_regression():
    weights, *_, right = run("logistic_regression.py")
    assert weights == "weights: [ 1.048 -1.303  0.375 -0.053  0.603]"
    assert right == "82.0% of the points are on their side"


def test_digits_are_learnt_alike():
    pytest.importorskip("sklearn")
    lines = run("digits.py", "--epochs", "3")
    assert [line.split()[0] for line in lines][:3] == ["jujunp", "jujunp.jit", "jax.jit"]
    assert len({line.split()[1] for line in lines}) == 1
    assert float(lines[0].split()[1].rstrip("%")) > 85


def test_digits_say_what_they_lack():
    code = "import sys, runpy; sys.modules['sklearn.datasets'] = None; runpy.run_path("
    code += f"{str(PHOTO.with_name('digits.py'))!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("the digits are scikit-learn's: pip install scikit-learn\n")


def run_photo(script: Path, out: Path, *options: str, scale: float = 0.25) -> list[str]:
    done = subprocess.run(
        [sys.executable, str(script), "--out", str(out), "--scale", str(scale), *options],
        env=dict(os.environ),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def numpy_photo(tmp_path):
    """Return the example with the other import."""
    text = PHOTO.read_text(encoding="utf-8")
    assert text.count(IMPORT) == 1
    script = tmp_path / "photo.py"
    script.write_text(text.replace(IMPORT, "import numpy as np\n"), encoding="utf-8")
    return script


def test_photo_gives_the_same_image_with_either_import(tmp_path, numpy_photo):
    printed = {}
    for script in (PHOTO, numpy_photo):
        out = tmp_path / f"{len(printed)}.png"
        printed[script] = run_photo(script, out, "--no-compile")
        assert [line.split()[0] for line in printed[script][2:9]] == STAGES
    assert [lines[0].split()[0] for lines in printed.values()] == ["jujunp", "numpy"]
    ours, theirs = (np.asarray(Image.open(tmp_path / f"{number}.png")) for number in (0, 1))
    assert ours.shape == (150, 7 * 128, 3)
    np.testing.assert_array_equal(ours, theirs)


def test_photo_waits_until_its_tiers_are_compared():
    assert f"\nSETTLING = {2 * comparison.ROUNDS}\n" in PHOTO.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.compile
def test_photo_compiled(tmp_path):
    printed = run_photo(PHOTO, tmp_path / "out.png")
    assert printed[1].startswith("compiling took")
    assert [line.split()[0] for line in printed[3:10]] == STAGES
    assert not any(" - " in line for line in printed[3:10])


@pytest.mark.slow
@pytest.mark.compile
def test_add_one():
    done = subprocess.run(
        [sys.executable, str(PHOTO.with_name("add_one.py"))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("computed: [[ 1.  3.  5.]\n [ 7.  9. 11.]]\n")


def test_photo_finds_a_wrong_stage(tmp_path, numpy_photo):
    """The comparison with NumPy would notice an error of one part in a billion."""
    text = numpy_photo.read_text(encoding="utf-8")
    assert text.count("in (first, second)") == 1
    wrong = text.replace("in (first, second)", "in (first, second * (1 + 1e-9))")
    numpy_photo.write_text(wrong, encoding="utf-8")
    with pytest.raises(AssertionError, match="grey: differs from NumPy by up to"):
        run_photo(numpy_photo, tmp_path / "out.png", "--no-compile")


@pytest.mark.long
@pytest.mark.compile
def test_trainer_goes_on_in_another_process(tmp_path):
    script = PHOTO.with_name("trainer.py")
    bundle = tmp_path / "trainer.jj"
    done = subprocess.run([sys.executable, script, bundle], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    here, elsewhere = done.stdout.splitlines()
    assert here.startswith("here: loss 2.9125, after 100 steps 0.0001")
    assert "after 200 steps; y = 2.499 x + -1.001" in elsewhere
