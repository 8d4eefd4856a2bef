"""Structured kernels: all that is not elementwise, as plain functions on raw addresses.

`table.run` is the door; the immediate tier and the graph ops both go through it, so that both
give equal bits.
"""
