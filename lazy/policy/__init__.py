"""When a graph is compiled, and which tier it runs on."""
