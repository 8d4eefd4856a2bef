"""Moving elements: copies, fills, concatenation, padding."""
