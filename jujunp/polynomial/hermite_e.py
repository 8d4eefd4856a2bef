"""`numpy.polynomial.hermite_e` over our functions."""

from .._adopted import adopt

adopt(globals())
