"""Flushing what is pending: the machine, its memory, counts, errors."""
