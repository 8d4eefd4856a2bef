"""What lowering rules are written with."""
