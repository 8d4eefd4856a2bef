"""What arrays can do: their properties, methods, operators and protocols."""
