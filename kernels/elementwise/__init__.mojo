"""Elementwise numerics: the one SIMD function per operation that every tier uses.

`operations` lists the operations; `table` maps an opcode and SIMD operands to
the result; `loops` runs an operation or a dtype conversion over contiguous
memory. The other modules hold the numerics, one chapter each.
"""
