"""Calls of public functions that are recorded again without a Python frame."""
