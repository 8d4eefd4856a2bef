"""Transformations of what is recorded: derivatives and batches, step by step."""
