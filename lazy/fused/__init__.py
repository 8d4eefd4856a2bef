"""Fused loops: hot groups as texts in Mojo, compiled in the background."""
