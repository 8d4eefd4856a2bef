"""Choosing, taking and putting elements."""
