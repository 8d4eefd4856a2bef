"""Averages, quantiles, covariances, and what leaves nan out."""
