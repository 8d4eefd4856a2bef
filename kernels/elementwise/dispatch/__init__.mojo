"""The table of operations, and their loops over contiguous memory."""
