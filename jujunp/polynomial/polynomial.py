"""`numpy.polynomial.polynomial` over our functions."""

from .._adopted import adopt

adopt(globals())
