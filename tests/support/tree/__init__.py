"""The tree of sources: where it is, what imports what, a copy that may be changed."""
