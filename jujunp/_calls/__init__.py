"""Calls of public functions: recorded once by Python, and then again without it."""
