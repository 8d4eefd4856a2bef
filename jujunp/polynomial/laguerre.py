"""`numpy.polynomial.laguerre` over our functions."""

from .._adopted import adopt

adopt(globals())
