"""What other libraries ask of our arrays, and are told of them."""
