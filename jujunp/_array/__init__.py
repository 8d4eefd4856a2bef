"""Arrays: handles, how they are made, what is recorded of them, and indexing."""
