"""Derivatives and batches of functions written with this module."""
