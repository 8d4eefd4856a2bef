"""`numpy.polynomial.legendre` over our functions."""

from .._adopted import adopt

adopt(globals())
