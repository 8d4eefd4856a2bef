"""Making arrays."""
