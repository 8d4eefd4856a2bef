"""Functions and methods of libraries that get NumPy's arrays in place of ours, by their names."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np

from ..._array.handle import ndarray
from .numpys import Given, functions_given_numpys, methods_given_numpys
from .telling import when_imported

_OPERATORS = (
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__"
    " __lt__ __le__ __eq__ __ne__ __gt__ __ge__"
)
methods_given_numpys(
    {
        "polars.series.series.Series": (
            f"{_OPERATORS} __init__ __getitem__ __setitem__ filter gather scatter"
        ),
        "polars.dataframe.frame.DataFrame": "__init__ __getitem__ with_columns filter",
        "tables.attributeset.AttributeSet": "_g__setattr",
        "h5py._hl.dataset.Dataset": "__getitem__ __setitem__",
        "matplotlib.colors.LightSource": "hillshade shade",
        "matplotlib.transforms.Affine2D": "__init__",
        "netCDF4._netCDF4.Variable": "__getitem__ __setitem__",
        "networkx.readwrite.graphml.GraphMLWriter": "attr_type",
        "xarray.core.dataarray.DataArray": "interp",
        "xarray.core.dataset.Dataset": "interp",
    }
)
functions_given_numpys(
    {
        "polars._utils.construction.series": "sequence_to_pyseries",
        "polars.functions.lit": "lit",
        "pyarrow.lib": "array infer_type scalar",
        "awkward.operations.ak_from_numpy": "from_numpy",
        "scipy.linalg._linalg_pythran": "_funm_loops",
        "scipy.ndimage._ni_label": "_label",
        "scipy.sparse.linalg._interface": "aslinearoperator",
        "scipy.spatial.distance": "cdist",
    }
)

_DASK = {
    "dask.array.backends": "percentile_lookup",
    "dask.dataframe.backends": "meta_lib_from_array",
}
"""What dask looks types of arrays up in, where it has no entry for any type, by the module."""


def _tell_dask(name: str) -> None:
    lookup: Any = getattr(importlib.import_module(name), _DASK[name])
    lookup.register(ndarray, lookup.dispatch(np.ndarray))


for _name in _DASK:
    when_imported(_name, partial(_tell_dask, _name))


def _tell_f2py(name: str) -> None:
    """Give NumPy's arrays to a module that f2py has made.

    Its functions take for a copy of their own what they make of an argument that is none, and
    write to it, though it has our memory.
    """
    module: Any = importlib.import_module(name)
    for member, function in list(vars(module).items()):
        if type(function).__name__ == "fortran":
            setattr(module, member, Given(function))


for _name in ("_fblas", "_flapack", "_cblas", "_clapack"):
    when_imported(f"scipy.linalg.{_name}", partial(_tell_f2py, f"scipy.linalg.{_name}"))
