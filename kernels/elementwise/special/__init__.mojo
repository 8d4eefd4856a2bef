"""The special functions, in float64."""
