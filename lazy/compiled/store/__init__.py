"""Compiled graphs on disk."""
