"""Our scalars and arrays in polars, pyarrow and xarray, where they look for NumPy's types."""

from __future__ import annotations

from .numpys import functions_given_numpys, methods_given_numpys

_OPERATORS = (
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__"
    " __lt__ __le__ __eq__ __ne__ __gt__ __ge__"
)
methods_given_numpys(
    {
        "polars.series.series.Series": _OPERATORS,
        "polars.dataframe.frame.DataFrame": "__init__ __getitem__ with_columns",
        "xarray.core.dataarray.DataArray": "interp",
        "xarray.core.dataset.Dataset": "interp",
    }
)
functions_given_numpys(
    {"polars._utils.construction.series": "sequence_to_pyseries", "pyarrow.lib": "array scalar"}
)
