"""Derivatives of what was recorded, back from results and on from arguments."""
