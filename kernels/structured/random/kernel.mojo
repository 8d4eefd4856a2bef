"""The kernel of random numbers, which is compiled apart: vm/random_part.mojo."""
from std.ffi import external_call

from structured.operands.operand import Call


def draw(call: Call) -> Int:
    """Random numbers, and the generator's words afterwards: `structured.random.draw`."""
    return external_call["jujunp_draw", Int](
        call.operands,
        call.count,
        call.params,
        call.param_count,
        call.threads,
        call.fault,
    )
