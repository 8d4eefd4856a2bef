"""Files of arrays that other libraries write and read, for our arrays and with our indices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy
import pytest

import jujunp

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("not_strict")
A = numpy.arange(12.0).reshape(3, 4) ** 1.5


def test_h5py(tmp_path: Path) -> None:
    """Files and parts of them are written and read."""
    h5py = importlib.import_module("h5py")
    a, back = jujunp.array(A), jujunp.zeros((3, 4))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a"] = a
        file.create_dataset("b", data=a[:, ::2])
        file["a"][1] = a[0]
        assert (file["a"][...] == numpy.vstack([A[:1], A[:1], A[2:]])).all()
        assert (jujunp.asarray(file["b"]) == a[:, ::2]).all()
        assert (file["a"][0, jujunp.array([1, 3])] == A[0, [1, 3]]).all()
        assert (file["a"][a > 3] == file["a"][...][A > 3]).all()
        file["b"][jujunp.array([0, 2])] = a[:2, :2]
        assert (file["b"][...][[0, 2]] == A[:2, :2]).all()
        file["a"].read_direct(numpy.asarray(back))
    assert (back[0] == a[0]).all()


def test_attributes_of_pytables(tmp_path: Path) -> None:
    """They are written by C code, which crashed, and may be scalars."""
    tables = importlib.import_module("tables")
    with tables.open_file(tmp_path / "x.h5", "w") as file:
        array = file.create_array("/", "a", jujunp.arange(4.0))
        array.attrs.z = jujunp.arange(3)
        array.attrs["y"] = jujunp.ones(3).sum()
        assert (array.attrs.z == numpy.arange(3)).all()
        assert array.attrs.y == 3
        assert (array[...] == numpy.arange(4.0)).all()


def test_netcdf(tmp_path: Path) -> None:
    """Variables are written and read."""
    netcdf = importlib.import_module("netCDF4")
    with netcdf.Dataset(tmp_path / "x.nc", "w") as file:
        file.createDimension("x", 4)
        variable = file.createVariable("v", "f8", ("x",))
        variable[...] = jujunp.arange(4.0)
        variable[jujunp.array([0, 3])] = jujunp.array([7.0, 8.0])
        assert variable[...].tolist() == [7, 1, 2, 8]
        assert variable[jujunp.array([1, 3])].tolist() == [1, 8]


def test_zarr(tmp_path: Path) -> None:
    """Chunks are written and read."""
    zarr = importlib.import_module("zarr")
    made = zarr.create_array(tmp_path / "x", shape=(3, 4), dtype="f8")
    made[:] = jujunp.array(A)
    made[1] = jujunp.array(A[0])
    assert (jujunp.asarray(made[:]) == numpy.vstack([A[:1], A[:1], A[2:]])).all()
