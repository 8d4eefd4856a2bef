"""Reducing axes, and what is cumulative along them."""
