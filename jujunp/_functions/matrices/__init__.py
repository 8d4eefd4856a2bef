"""Building matrices, and products of them."""
