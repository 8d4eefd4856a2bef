"""Sorting, searching, sets and counts."""
