"""Matrices, as `numpy.matrixlib` has them: arrays that have two axes whatever is done to them."""

from .defmatrix import asmatrix, bmat, matrix

__all__ = ["asmatrix", "bmat", "matrix"]
