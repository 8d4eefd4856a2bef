"""Changing shapes; joining, splitting and rearranging arrays."""
