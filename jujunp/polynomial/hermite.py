"""`numpy.polynomial.hermite` over our functions."""

from .._adopted import adopt

adopt(globals())
