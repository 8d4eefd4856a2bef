"""Threads that share the work of a call."""
