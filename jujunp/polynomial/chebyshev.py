"""`numpy.polynomial.chebyshev` over our functions."""

from .._adopted import adopt

adopt(globals())
