"""The graph ops: what the compiled tier's MAX graphs call.

`elementwise` registers every elementwise operation in the form that MAX fuses, `store` evaluates
a fused expression into memory, `call` runs structured kernels of the immediate library, and
`anchor` keeps MAX from computing constants in advance.
"""
