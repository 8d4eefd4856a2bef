"""Normal numbers of several variables, given their covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from jujunp.lazy.run.sites import warn_user

from ..._array.array_likes import as_array
from ..._array.handle import to_numpy
from ..._functions.mathematics.logic import allclose
from ..._functions.matrices.products import dot, matmul
from ..._ufuncs.ufunc import UFUNCS
from ...linalg import cholesky, eigh, svd
from .arguments import exported, refuse

_INDEFINITE = "covariance is not symmetric positive-semidefinite."


class Covariance:
    """A covariance, factored: normal numbers times the factor have it.

    Args:
        oracle: A generator of NumPy's that is asked what it refuses.
        mean: The mean, of one axis.
        cov: The covariance.
        check_valid: Whether a matrix that is none is warned of, refused, or ignored.
        tol: How far it may be from one.
        method: How it is factored: "svd", "eigh" or "cholesky".
        older: Whether the factor is that of the older generator.
    """

    def __init__(
        self,
        oracle: Any,
        mean: Any,
        cov: Any,
        check_valid: str,
        tol: float,
        method: str,
        *,
        older: bool,
    ) -> None:
        names = {} if older else {"method": method}
        self.mean = np.array(exported(mean))
        given = np.array(exported(cov))
        fine = method in ("eigh", "svd", "cholesky") and self.mean.ndim == 1
        fine = fine and given.shape == 2 * self.mean.shape
        fine = fine and not any(np.iscomplexobj(x) and not older for x in (self.mean, given))
        checked = check_valid in ("ignore", "warn", "raise") or method == "cholesky"
        if not fine or not checked:
            refuse(oracle.multivariate_normal, self.mean, given, 0, check_valid, tol, **names)
        self._tolerance = tol
        self.cov = as_array(given.astype(np.float64))
        self.factor = getattr(self, f"_{method}")(check_valid, older)

    def _svd(self, check_valid: str, older: bool) -> Any:
        u, s, vh = svd(self.cov)
        if check_valid != "ignore":
            again = dot(vh.T * s, vh)
            tolerance = self._tolerance
            self._check(check_valid, bool(allclose(again, self.cov, tolerance, tolerance)))
        root = UFUNCS["sqrt"](s)
        return root[:, None] * vh if older else (u * root).T

    def _eigh(self, check_valid: str, older: bool) -> Any:
        s, u = eigh(self.cov)
        if check_valid != "ignore":
            self._check(check_valid, not (to_numpy(s) < -self._tolerance).any())
        return (u * UFUNCS["sqrt"](abs(s))).T

    def _cholesky(self, check_valid: str, older: bool) -> Any:
        return cholesky(self.cov).T

    def _check(self, check_valid: str, fine: bool) -> None:
        if not fine:
            if check_valid == "raise":
                raise ValueError(_INDEFINITE)
            warn_user(_INDEFINITE, RuntimeWarning)

    def normals(self, units: Any) -> Any:
        """Return rows of normal numbers, given rows of independent ones."""
        shape = units.shape
        rows = units.reshape(-1, shape[-1])
        return (matmul(rows, self.factor) + as_array(self.mean)).reshape(shape)
