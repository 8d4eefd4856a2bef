"""Functions and methods of libraries that get NumPy's arrays in place of ours, by their names."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..._array.handle import ndarray
from .numpys import functions_given_numpys, methods_given_numpys
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
        "pyarrow.lib": "array scalar",
        "awkward.operations.ak_from_numpy": "from_numpy",
        "scipy.linalg._linalg_pythran": "_funm_loops",
        "scipy.ndimage._ni_label": "_label",
        "scipy.sparse.linalg._interface": "aslinearoperator",
        "scipy.spatial.distance": "cdist",
    }
)

_DASK = "dask.array.backends"


def _tell_dask() -> None:
    """Have percentiles of our chunks be found, as all else is, which it has for any type."""
    lookup: Any = importlib.import_module(_DASK).percentile_lookup
    lookup.register(ndarray, lookup.dispatch(np.ndarray))


when_imported(_DASK, _tell_dask)
