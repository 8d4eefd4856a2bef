"""`numpy.polynomial._polybase` over our functions."""

from .._adopted import adopt

adopt(globals())
