"""Operands, the statuses of calls, scratch memory and loop nests."""
