"""Rehearses common calls, so that their transcripts are known in all processes that follow.

`python -m jujunp._rehearsal` makes each call of the table once, and its transcript is kept
(jujunp/_calls/kept.py). It takes some seconds, once for each state of the package.
"""

from __future__ import annotations

import functools
import itertools
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy

import jujunp
from jujunp.kernels.progress import progress
from jujunp.lazy.run import errors, machine, settling

from ._calls import kept
from ._calls.learning import learn

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOGETHER = 1000
"""Calls whose transcripts are kept together: no process knows of more than some thousand."""
_ROWS, _COLUMNS = 5, 4

_VECTORS = "x x[1:] x[::2] x[1:-1] f i b i[1:] b[1:]"
_MATRICES = "A S S>0.5 S[1:,1:] J A[1:] A[:,1:] A[1:-1,1:-1] x[:,None].copy() x[None].copy() F I B"
_CUBES = "C D I3"
_ALL = f"{_VECTORS} {_MATRICES} {_CUBES}"

_AXIS = (
    "|0|1|2|-1|axis=2|axis=0|axis=1|axis=-1|axis=1,keepdims=True|axis=0,keepdims=True|keepdims=True"
)

TABLE: list[tuple[str, str, str]] = [
    (
        "sum prod mean std var max min any all .sum .prod .mean .std .var .max .min .any .all",
        _ALL,
        f"{_AXIS}|axis=(0,1)|axis=(1,2)|(0,1)",
    ),
    (".std .var std var", "x A f", "ddof=1|axis=0,ddof=1|axis=1,ddof=1"),
    ("argmax argmin .argmax .argmin cumsum cumprod .cumsum .cumprod", _ALL, "|0|1|axis=0|axis=1"),
    ("count_nonzero", _ALL, "|axis=0|axis=1"),
    ("sort argsort .argsort", "x x[1:] f i A S I", "|axis=0|axis=1|0|1"),
    ("ptp nansum median", "x A S i I", "|axis=0|axis=1"),
    ("linalg.norm", "x x[1:] A S i", "|axis=0|axis=1|axis=1,keepdims=True"),
    ("zeros_like ones_like empty_like copy .copy array asarray", _ALL, ""),
    ("zeros_like ones_like empty_like", "x A S i I", "dtype=float|dtype=int|dtype=bool"),
    ("full_like", "x A S i I", "0|1.5|numpy.inf"),
    (".astype array asarray", _ALL, "float|int|bool|numpy.float32|numpy.int64|dtype=float"),
    (
        "zeros ones empty",
        "900 (900,) (30,40) (300,400) (90,90,2)",
        "|int|float|bool|dtype=int|dtype=float|dtype=bool",
    ),
    ("full", "9 900 (9,) (900,) (4,9) (300,400)", "0|0.5|1|numpy.inf|numpy.nan|-1|False|True"),
    ("arange", "9 900 9.0 2,9 1,9,2 0,9 0,900 0,9,2 0,1,0.125", ""),
    (
        "array asarray",
        "[0.5,1.5] [0.5,1.5,2.5] [0.5,1.5,2.5,3.5] [1,2] [1,2,3] [1,2,3,4] [x[0],x[1]]",
        "",
    ),
    ("array", "[x[0],x[1],x[2]] [i[0],i[1]] [x,x] [x,x,x] [x,x,x,x] [[0.5,1.5],[2.5,3.5]]", ""),
    (".transpose transpose ravel .ravel .flatten flip fliplr flipud squeeze .squeeze", _ALL, ""),
    ("flip", "x A S", "0|1|axis=0|axis=1"),
    ("swapaxes .swapaxes moveaxis", "A S C", "0,1|1,2|0,-1|-1,-2"),
    (".transpose transpose", "C", "(0,2,1)|(1,0,2)|(2,0,1)|(1,2,0)"),
    ("expand_dims", "x A S", "0|1|-1|axis=0|axis=1|axis=-1"),
    ("atleast_1d atleast_2d atleast_3d", "x A S", ""),
    (
        "concatenate hstack vstack stack column_stack dstack",
        # pending ones: those that are computed, and small, are joined without a transcript
        "(x+0,x+0) (x+0,y+0) [x+0,y+0] [x+0,x+0,x+0] (x+0,y+0,x+0) (i+0,i+0) [i+0,j+0] (A+0,A+0)"
        " [A+0,A+0] (S+0,S+0) [S+0,S+0] (A+0,S+0,A+0) ((x+0)[1:],(x+0)[:1]) [(x+0)[1:],(x+0)[:1]]",
        "|axis=0|axis=1|axis=-1",
    ),
    ("concatenate", "(x,[0.5]) ([0.5],x) ([0.5],x,[0.5]) [x[:2],y[2:]] (i[:2],j[2:])", ""),
    ("append", "x,0.5 x,y i,1 i,j", ""),
    ("tile repeat .repeat", "x i A S", "2|3|axis=0"),
    (
        "where",
        "x>0.5 A>0.5 S>0.5 i>2 I>2 J>2",
        "0,1|0.0,1.0|1,0|1.0,0.0|1,-1|1.0,-1.0|numpy.nan,0.0",
    ),
    ("where", "x>0.5,x A>0.5,A S>0.5,S i>2,i I>2,I J>2,J", "0|0.0|1|1.0|numpy.nan"),
    ("where", "x>0.5,0 x>0.5,0.0 x>0.5,y x>0.5,-x", "x"),
    ("where", "A>0.5,0 A>0.5,0.0 A>0.5,A", "A"),
    ("where", "S>0.5,0 S>0.5,0.0 S>0.5,S", "S"),
    ("where", "i>2,0 i>2,j", "i"),
    ("clip .clip", "x A S i I", "0,1|0.0,1.0|-1,1|-1.0,1.0|0.25,0.75|0,255|0,None|None,1|0.0,None"),
    ("round .round around", "x A S", "|1|2|3|4|decimals=2"),
    ("take .take", "x i", "i|j|[0,1]"),
    ("take take_along_axis", "A", "i%3,axis=0|i%3,axis=1|I%3,axis=1|I%3,axis=0"),
    ("searchsorted", "x,y x,0.5 i,j x,y,side='right' x,0.5,side='right'", ""),
    ("dot matmul inner outer vdot", "x,x x,y x[1:],y[1:] x[:-1],y[1:] i,j i,x f,f", ""),
    (
        "dot matmul",
        "S,v A,v v,S S,x[:4] A,A.T A.T,A S,S S,A.T A,S S.T,S x[:4],S F,F A[0],x[:4] A[:,0],A",
        "",
    ),
    ("linalg.inv linalg.det linalg.slogdet linalg.eigvals", "S2 S3 S S2.T S3.T S.T", ""),
    ("linalg.solve", "S2 S3 S", "x[:2]|x[:3]|v|S2|S3|S"),
    ("eye identity", "2 3 4 5", ""),
    ("einsum", "'ij,jk' 'ij,jk->ik'", "A,S|S,S"),
    ("einsum", "'ij,j' 'ij,j->i'", "A,v|S,v|A,x[:4]"),
    ("einsum", "'i,i' 'i,i->' 'i,j->ij'", "x,y"),
    (".dot", "S", "S|v|x[:4]|A.T"),
    (".dot", "x", "x|y"),
    ("tensordot", "A", "S,1|A,2|S,axes=1|S,([1],[0])"),
    ("trace .trace", "S", ""),
    (
        "convolve correlate",
        "x,[0.5,0.5] x,y x,x[:2] i,j",
        "|'same'|'valid'|mode='same'|mode='valid'",
    ),
    ("diff ediff1d gradient", "x i A S", "|axis=0|axis=1"),
    ("interp", "y,x,x 0.5,x,y x,x,y", ""),
    ("isclose allclose array_equal", "x,y A,A x,0.0 i,j", ""),
    ("nan_to_num", "x A S", ""),
    ("cov corrcoef", "x,y A A.T S", ""),
    ("meshgrid", "x,y i,j x,i", "|indexing='ij'"),
]
"""Functions, or methods with a dot in front; first arguments; and what may follow these."""

_OPERATORS = "+ - * / // % ** < <= > >= == !="
_PAIRS = (
    "x,i i,x b,x x,b i,b b,i f,x x,f f,i i,f A,x[:4] x[:4],A A,S[0] A,A[:,:1] A,A[0] I,A A,I"
    " B,A A,B S,i[:4] i[:4],S J,x[:4] x[:4],J S,x[:4] S,S[0] A,v v,A S,v v,S I,v v,I J,v v,J"
    " A,k k,A S,k k,S S,S[:,:1] J,S S,J"
)
"""Operands of different dtypes and shapes; those of one are known to the library."""
_NUMBERS = "i,0.5 0.5,i b,2 2,b b,0.5 0.5,b I,0.5 0.5,I f,2 f,0.5 2,f 0.5,f"
_UNARY = "x f i b x[0] i[0]"
_BINARY = (
    "x,y f,f i,j b,b x,2 2,x x,0.5 0.5,x i,2 2,i i,0.5 0.5,i f,2 2,f f,0.5 0.5,f"
    " x[0],y[0] x[0],2 2,x[0] x[0],0.5 0.5,x[0] i[0],j[0] i[0],2 2,i[0] i[0],0.5"
    " i[0],x[0] x[0],i[0]"
)
"""Operands of ufuncs, whose loops are kept."""
_FACTORS = "A S W c r v k F I J A.T S.T W.T A[1:] A[:-1] A[:1] x x[:4] x[1:5] i[:4]"
"""Factors of products: those that do not fit one another are left out."""


def calls() -> Iterator[str]:
    """Yield the calls as texts."""
    for functions, firsts, rests in TABLE:
        for function, first, rest in itertools.product(
            functions.split(), firsts.split(), rests.split("|")
        ):
            if function[0] == ".":
                yield f"({first}){function}({rest})"
            else:
                yield f"np.{function}({', '.join(filter(None, (first, rest)))})"
    for operator, pair in itertools.product(_OPERATORS.split(), f"{_PAIRS} {_NUMBERS}".split()):
        one, other = _halves(pair)
        yield f"{one} {operator} {other}"
    for name, one in vars(jujunp).items():
        if isinstance(one, jujunp.ufunc) and one.nout == 1:
            operands = _UNARY if one.nin == 1 else _BINARY
            yield from (f"np.{name}({operand})" for operand in operands.split())
    for one, other in itertools.product(_FACTORS.split(), repeat=2):
        yield f"{one} @ {other}"
    for parts in itertools.product(["x+0", "x[:1]+0", "x[:0]+0"], repeat=3):
        yield f"np.concatenate([{', '.join(parts)}])"
        yield f"np.concatenate(({', '.join(parts)}))"


def _halves(pair: str) -> tuple[str, str]:
    """Return two operands; a comma within brackets is part of one."""
    for k, letter in enumerate(pair):
        if letter == "," and pair[:k].count("[") == pair[:k].count("]"):
            return pair[:k], pair[k + 1 :]
    raise ValueError(pair)


def operands() -> dict[str, Any]:
    """Return the arrays by the names that the calls have for them; their elements are known."""
    reals = numpy.linspace(0.1, 0.9, 9)
    table = numpy.linspace(0.1, 0.9, _ROWS * _COLUMNS).reshape(_ROWS, _COLUMNS)
    square = table[:_COLUMNS] + numpy.eye(_COLUMNS)
    given = {
        "x": reals,
        "y": reals[::-1].copy(),
        "f": reals.astype(numpy.float32),
        "i": numpy.arange(9),
        "j": numpy.arange(9)[::-1].copy(),
        "b": numpy.arange(9) % 2 == 0,
        "A": table,
        "S": square,
        "S2": square[:2, :2].copy(),
        "S3": square[:3, :3].copy(),
        "W": table[:_COLUMNS, :3].copy(),
        "v": reals[:_COLUMNS].copy(),
        "k": numpy.arange(_COLUMNS),
        "c": reals[:_COLUMNS, None].copy(),
        "r": reals[None, :_COLUMNS].copy(),
        "J": numpy.arange(_COLUMNS * _COLUMNS).reshape(_COLUMNS, _COLUMNS),
        "F": square.astype(numpy.float32),
        "I": numpy.arange(_ROWS * _COLUMNS).reshape(_ROWS, _COLUMNS),
        "B": table > 0.5,
        "C": numpy.linspace(0.1, 0.9, 2 * table.size).reshape(2, *table.shape),
        "D": square[:, :, None] * reals[:3],
        "I3": numpy.arange(2 * table.size).reshape(2, *table.shape),
    }
    return {name: jujunp.array(one) for name, one in given.items()}


def rehearse() -> int:
    """Make all calls, keep their transcripts, and return how many calls there are.

    Not every function takes all arguments that the table has for several.
    """
    # each call is learnt at once
    machine.set_learner(functools.partial(learn, checking=False), settling.first_outside, True)
    known = {"np": jujunp, "numpy": numpy, **operands()}
    keeper = kept.Kept(kept.file())
    count = 0
    for k, call in enumerate(calls(), 1):
        if k % _TOGETHER == 0:
            keeper.save()
            machine.forget_calls()
        try:
            eval(call, known)
            count += 1
        except (TypeError, ValueError, IndexError):
            continue
        jujunp.flush()  # no general transcript is written while much is pending
    keeper.save(rehearsed=True)
    return count


def main() -> int:
    """Rehearse unless that was done for this state of the package; the exit status."""
    if not kept.Kept(kept.file()).is_rehearsed():
        with (
            progress("jujunp: rehearsing common calls, once"),
            errors.quiet(),
            warnings.catch_warnings(action="ignore"),
        ):
            rehearse()
    return 0


if __name__ == "__main__":
    sys.exit(main())
