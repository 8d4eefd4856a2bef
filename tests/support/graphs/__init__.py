"""Graphs for tests: compiled together, run without MAX, and the cases that rules are tried with."""
