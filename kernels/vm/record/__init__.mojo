"""Recording steps without a Python frame."""
