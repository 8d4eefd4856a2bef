"""The machine: bytecode is checked and run."""
