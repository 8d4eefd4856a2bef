"""Linear algebra: NumPy's `numpy.linalg`, which has what the Array API calls its extension.

A factorization runs when it is called, and raises LinAlgError where it fails; within
`deferred_errors` it is recorded, and the error names the line that asked for it.
"""

from .._calls.functions import functions as _functions
from ._common import LinAlgError
from ._factorizations import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from ._norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from ._products import (
    cross,
    diagonal,
    matmul,
    matrix_power,
    matrix_transpose,
    multi_dot,
    outer,
    tensordot,
    trace,
    vecdot,
)
from ._solutions import det, inv, lstsq, pinv, slogdet, solve, tensorinv, tensorsolve

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

_functions(globals())
