"""The variables by which the command tells the recorder, in other processes, what to do."""

RESULTS = "CONFORMANCE_RESULTS"
"""The file to write."""
NO_SHRINKING = "CONFORMANCE_NO_SHRINKING"
"""While set, Hypothesis does not look for smaller examples, which takes it most of its time."""
