"""The steps of a graph as plain data."""
