"""Expressions of sizes that are known at run time only.

An expression is in postfix notation, in 64-bit words: the number of its terms, then two words for each
term, the operator and its value.
"""

from structured.operands.operand import Words
from vm.routines.reader import Reader

# The operators; lazy/compiled/ir/sizes.py reads their names here.
comptime NUMBER = 0
comptime SYMBOL = 1
comptime ADD = 2
comptime MUL = 3
comptime FLOORDIV = 4
comptime MOD = 5
comptime MAX = 6
comptime MIN = 7


def value_of(mut words: Reader, sizes: Words) -> Int:
    """The value of the expression that comes next."""
    var stack = List[Int]()
    for _ in range(words.next()):
        var operator = words.next()
        var value = words.next()
        if operator == NUMBER:
            stack.append(value)
        elif operator == SYMBOL:
            stack.append(Int(sizes[unsafe_offset=value]))
        else:
            var right = stack.pop()
            var left = stack.pop()
            stack.append(combined(operator, left, right))
    return stack[0]


def combined(operator: Int, left: Int, right: Int) -> Int:
    """The value of an operator; quotients are rounded down."""
    if operator == ADD:
        return left + right
    if operator == MUL:
        return left * right
    if operator == FLOORDIV:
        return left // right
    if operator == MOD:
        return left % right
    if operator == MAX:
        return max(left, right)
    return min(left, right)
