"""Jaxprs read as the steps of a graph."""
