"""Sorting, and finding places."""
