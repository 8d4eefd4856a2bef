"""The door to the immediate tier: the Mojo extension module, its opcodes and buffers."""

from __future__ import annotations

import contextlib
import ctypes
import enum
import functools
import math
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]
from numpy._core.printoptions import default_format_options_dict, format_options

from .. import library
from ..values import address_space
from ..values.dtypes import DTYPES, SPELLINGS
from ..values.value import LIMIT, LOG, Value, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_vm = library.VM
STATE = library.STATE
run_routine = ctypes.CDLL(_vm.__file__).jujunp_run_routine
"""Carries out a routine (kernels/vm/routines/routines.mojo), given the addresses of its words, its
tensors, and a fault."""
run_routine.restype = ctypes.c_int64
threads = library.THREADS
"""Threads that large work may use."""
OPCODES: dict[str, int] = _vm.opcodes()
"""Opcode by name: elementwise operations, kernels, and the machine's own."""
OPERATIONS: dict[int, str] = {code: name for name, code in OPCODES.items()}
"""Name by opcode."""

_SCATTERS = (
    "scatter",
    "scatter_add",
    "scatter_mul",
    "scatter_min",
    "scatter_max",
    "scatter_windows",
    "scatter_windows_add",
    "scatter_windows_mul",
    "scatter_windows_min",
    "scatter_windows_max",
)
WRITES = ("store", *_SCATTERS)
"""Steps that change a part of their first input."""
IN_PLACE = (*_SCATTERS, "require")
"""Kernels that return their first input, changed or not."""

SEVERAL = (
    *("sort", "top_k", "lu", "svd", "eigh", "eig", "schur", "geqrf", "geqp3", "cholesky"),
    *("slogdet", "least_squares"),
    *("solve", "tridiagonal_solve", "tridiagonal", "hessenberg", "threefry2x32", "draw"),
)
"""All kernels that may have several results, which steps of the machine's own (`project`) name."""

CONSTANTS: dict[str, int] = _vm.constants()
"""Numbers of the machine's by name: kinds of Python numbers, and these statuses."""
OUT_OF_BOUNDS = CONSTANTS["out of bounds"]
NO_MEMORY = CONSTANTS["no memory"]
MALFORMED = CONSTANTS["malformed"]

PROBE = sys.intern("is_lazy_array")
"""The function of array-api-compat that finds out whether `bool(x)` raises, and drops its value: it
must not compute what is pending."""

result_of = _vm.result_of
arity_of = _vm.arity_of
is_silent = _vm.is_silent
plan = _vm.plan
execute = _vm.execute
unfinished = _vm.unfinished
element = _vm.element
outside = _vm.outside
new_loops = _vm.loops
learn = _vm.learn
set_operator = _vm.set_operator
function_type = _vm.function_type(STATE)
"""The type of the functions that `function` makes."""
Buffer = library.TYPES["Buffer"]
flush_small = library.TYPES["flush_small"]
"""Computes what is pending if it is little work; returns whether nothing is pending now."""
array_over = library.TYPES["array_over"]
"""Returns a NumPy array over a buffer, given a layout or None, shape, dtype code, writeable."""
bind = library.TYPES["bind"]
"""Gives an owner another value: where its memory is pinned, the elements are written there."""
is_pinned = library.TYPES["is_pinned"]
"""Returns whether a value is computed, in memory that others may read and write at any time."""
sharing_of = library.TYPES["sharing_of"]
"""Returns who else uses the memory of a value (`Sharing`): nobody, if it is pending."""
pin_for_good = library.TYPES["pin_for_good"]
"""Pins the memory of an owner, as it is seen by an array, as long as the owner lives: its address
has been told."""
arrow_capsules = library.TYPES["arrow_capsules"]
"""Returns Arrow's capsules of a type and of elements: kernels/vm/record/arrow.mojo."""
holds_handles = library.TYPES["holds_handles"]
"""Returns whether a list or tuple has a handle in it, or in a list or tuple of it, and so on."""
stacked = library.TYPES["stacked"]
"""Returns an array of the arrays in a list, or in nested ones, that are small; else None."""
is_urgent = library.TYPES["is_urgent"]
"""Returns whether a pending step reads memory which is pinned."""
imported = library.TYPES["imported"]
"""Returns a buffer with a copy of a NumPy array, given its dtype code and bytes; None for an array
that is not in C order, or in another byte order."""
flushes = library.TYPES["flushes"]
"""Returns how many flushes there were."""
flushed = library.TYPES["flushed"]
"""Counts one that was done here."""
forget_habits = library.TYPES["forget_habits"]
"""Forgets that numbers were read of late, for whose sake scalars are computed at once, and that
many steps of few elements have run, for whose sake the next are."""
runs = library.TYPES["runs"]
"""Returns how many plans have run on the immediate tier."""
strange_steps = library.TYPES["strange_steps"]
"""Returns how many steps other threads have recorded while a call was learnt."""
reads = library.TYPES["reads"]
"""Returns how often the elements of computed memory were read, or how to read them was told."""


def _codes(name: str) -> tuple[int, ...]:
    """Return the code of a step on one dtype, by dtype code."""
    return tuple(pack(OPCODES[name], code, code) for code in range(len(DTYPES)))


COPIES = _codes("copy")
"""The code of a copy, by dtype code."""
STORES = _codes("store")
"""The code of a write through a view, by dtype code."""


def _format(dtype: np.dtype) -> bytes | None:
    """Return the letters of a dtype in Python's buffers, None for one that has none."""
    if dtype.type.__module__ != "numpy":
        return None
    return memoryview(np.empty(0, dtype)).format.encode()  # type: ignore[arg-type]


_WARN_OF_FLOATS = (
    *("sqrt", "square", "deg2rad", "rad2deg", "spacing", "add", "sub", "mul", "div"),
    *("neg", "abs", "nextafter", "ldexp", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("atan", "hypot", "logaddexp", "logaddexp2", "pow", "convert_element_type"),
    *("reduce_sum", "reduce_prod", "cumsum", "cumprod", "reduceat", "dot_general"),
    *("scatter_add", "scatter_mul"),
)
_WARN_OF_ALL = ("floor_divide", "remainder", "rem", "reciprocal")


def warning_operations() -> list[int]:
    """Return, by opcode, for which operands NumPy warns of what an operation does."""
    table = [CONSTANTS["warns never"]] * (max(OPCODES.values()) + 1)
    for kind, names in (("of floats", _WARN_OF_FLOATS), ("of all", _WARN_OF_ALL)):
        for name in names:
            table[OPCODES[name]] = CONSTANTS[f"warns {kind}"]
    return table


_UNIQUE_NAMES = "return_index", "return_inverse", "return_counts"
"""Arguments of `unique`, in the order of what they add (kernels/vm/calls/distinct.mojo)."""


def _bind() -> None:
    """Tell the library what it must know of Python's side."""
    types = (bool, int, float, complex, str, tuple, list, range, slice, memoryview, np.ndarray)
    facts: dict[str, Any] = {kind.__name__: kind for kind in types}
    facts |= {
        "ellipsis": ...,
        "false": False,
        "true": True,
        "region": address_space.ADDRESS,
        "dtypes": DTYPES,
        "in_place": [OPCODES[name] for name in IN_PLACE],
        "several": [OPCODES[name] for name in SEVERAL],
        "copies": COPIES,
        "stores": STORES,
        "gathers": _codes("gather"),
        "joins": _codes("concatenate"),
        "scatters": _codes("scatter"),
        "selects": _codes("select_n"),
        "dtype_codes": SPELLINGS,
        "dtype": sys.intern("dtype"),
        "one_index_array": (1,),
        "index_error": IndexError,
        "value_error": ValueError,
        "formats": [_format(dtype) for dtype in DTYPES],
        "log": LOG,
        "limit": LIMIT,
        "probe": PROBE,
        "print options": format_options,
        "legacy": sys.intern("legacy"),
        "newest": default_format_options_dict["legacy"],
        "__name__": sys.intern("__name__"),
        "co_name": sys.intern("co_name"),
        "numpy": _multiarray_umath._ARRAY_API,
        "room": len(address_space.MEMORY),
        "scalars": [None if dtype.type.__module__ != "numpy" else dtype.type for dtype in DTYPES],
        "warning": warning_operations(),
        "call": sys.intern("__call__"),
        "out": sys.intern("out"),
        "astype": sys.intern("astype"),
        "axis": sys.intern("axis"),
        "minlength": sys.intern("minlength"),
        "unique_names": tuple(map(sys.intern, _UNIQUE_NAMES)),
        "sort": OPCODES["sort"],
        "dot_general": OPCODES["dot_general"],
    }
    _vm.bind(STATE, facts)


_bind()


def add_function(opcode: int, loop: int, arity: int, dtypes: int, predicate: bool) -> None:
    """Make an elementwise function of the user's known (kernels/vm/base/functions.mojo).

    Args:
        opcode: From CONSTANTS["first function"] on.
        loop: The address of its loop.
        arity: The number of operands, 1 or 2.
        dtypes: The dtypes of operands, a bit mask over their codes.
        predicate: Whether the result is bool.
    """
    _vm.add_function(STATE, opcode, loop, arity, dtypes, predicate)


def function(otherwise: Callable[..., Any], ufuncs: dict[Any, Any] | None, traits: int) -> Any:
    """Return a function that stands before a Python function (kernels/vm/calls/function.mojo).

    One that is given ufuncs, by NumPy's, is `__array_ufunc__`. The traits are a sum of constants.
    """
    return _vm.function(STATE, otherwise, ufuncs, traits)


def set_learner(
    learner: Callable[..., Any] | None, first_outside: Callable[..., Any], checking: bool = False
) -> None:
    """Tell how transcripts of calls are written (jujunp/_calls/writer.py); None: not at all.

    `first_outside` is `settling.first_outside`. With `checking`, each call is learnt.
    """
    _vm.set_learner(STATE, learner, first_outside, checking)


def set_keeper(keeper: Callable[..., Any]) -> None:
    """Tell how transcripts of earlier processes are found (jujunp/_calls/kept.py).

    It is given the words of a signature and what these refer to.
    """
    _vm.set_keeper(STATE, keeper)


def known_calls() -> list[tuple[tuple[int, ...], tuple[Any, ...], list[tuple[Any, ...]]]]:
    """Return all transcripts: the words of signatures, what these refer to, parts.

    A part is its words, the place of the part before it (-1 for none), the element that was read
    between the two, its fingerprint, and what its words refer to.
    """
    return _vm.known_calls(STATE)  # type: ignore[no-any-return]


def set_flat_class(kind: type) -> None:
    """Tell the class of what `x.flat` gives (kernels/vm/record/flat.mojo)."""
    _vm.set_flat_class(STATE, kind)


def set_askers(askers: dict[str, bool]) -> None:
    """Tell, by the name of a module that asks, whether `x.__class__` of an array is NumPy's."""
    _vm.set_askers(STATE, askers)


def set_classes(classes: dict[type, tuple[int, Any, frozenset[str]]]) -> None:
    """Tell what classes that are derived from arrays have of their own.

    The numbers are those of kernels/vm/record/derived.mojo.
    """
    _vm.set_classes(STATE, classes)


def set_simple_powers(power: Any, naming: int, ufuncs: tuple[Any, ...]) -> None:
    """Tell by which ufuncs `x ** 1`, `x ** 2`, `x ** 0.5` and `x ** -1` are computed.

    `power` is the ufunc for all others, which makes its calls by these, too; they warn under the
    name that has a number.
    """
    _vm.set_simple_powers(STATE, power, naming, ufuncs)


def set_other_calls(errors: tuple[type[Exception], ...], maker: Callable[..., Any]) -> None:
    """Tell which errors of a function say that its arguments are not ours alone.

    `maker(function, args, names)` makes the call then; the last arguments have these names.
    """
    _vm.set_other_calls(STATE, errors, maker)


def set_host(
    host: Callable[..., Any], kinds: dict[type, int], names_of_dtypes: dict[Any, None]
) -> None:
    """Tell what hands calls over to NumPy.

    `host(function, args, names)` returns NotImplemented for a call that is not NumPy's. It is asked
    where an argument may be: `kinds` says so of types (kernels/vm/calls/handing_over.mojo), and
    `host` adds those that are not there.
    """
    _vm.set_host(STATE, host, kinds, names_of_dtypes)


def set_finishing(finishing: dict[Any, int]) -> None:
    """Tell, by a Python function, how what it makes of derived classes is finished.

    The numbers are those of kernels/vm/calls/of_class.mojo.
    """
    _vm.set_finishing(STATE, finishing)


def class_of(number: float) -> int:
    """Return a number for all ints or floats that functions treat alike; 0 for one of its own."""
    return int(_vm.class_of(STATE, number))


def described(first: int) -> tuple[bytes, tuple[Value, ...], tuple[Any, ...]]:
    """Return the steps of the log from a place on, in words, without values and numbers.

    Then come the values that they use and that are no such steps, and numbers, by their first use.
    Equal words are of steps that do the same with operands of the same kinds.
    """
    return _vm.described(STATE, first)  # type: ignore[no-any-return]


def record_steps(values: list[Any], steps: tuple[Any, ...]) -> None:
    """Record steps, whose results are added to the values.

    Each step is a tuple: its code, its shape, the places of its operands among the values, its
    layouts and its parameters.
    """
    _vm.record_steps(STATE, values, steps)


def forget_calls() -> None:
    """Forget all transcripts of calls, so that each is made by Python at first."""
    _vm.forget_calls(STATE)


def set_class_of_type(kind: type, metaclass: type) -> None:
    """Make a native type one of a class of types that has no fields of its own."""
    _vm.set_class_of_type(kind, metaclass)


def compare_by_dtype(metaclass: type) -> None:
    """Have the types of a class of types be equal where they are of one dtype, ours and NumPy's."""
    _vm.compare_by_dtype(metaclass)


def set_ufunc(
    ufunc: Any,
    arity: int,
    loops: int | None,
    otherwise: Callable[..., Any],
    naming: int = 0,
    *,
    by_place: bool = True,
) -> None:
    """Tell a new ufunc, of a class that derives from TYPES["ufunc"], what records its calls.

    Args:
        ufunc: The ufunc.
        arity: The number of its operands.
        loops: What `new_loops` has given; None if all calls are those of `otherwise`.
        otherwise: The function that makes all other calls.
        naming: The number of the name under which it warns, 0 for that of its operation.
        by_place: Whether an output may come without its name, as one more argument; else
            `otherwise` makes such calls.
    """
    _vm.set_ufunc(STATE, ufunc, arity, loops, otherwise, naming, by_place)


def set_deferring(blocks: int) -> None:
    """Tell how many blocks of deferred errors are open, in all threads."""
    _vm.set_deferring(STATE, blocks)


def set_errors(errors: int, usual: int) -> None:
    """Set the error state in which this thread records steps, and that of threads which set none.

    They are words: see lazy/run/errors.py.
    """
    _vm.set_errors(STATE, errors, usual)


def warning_steps() -> int:
    """Return how many steps were recorded that may warn."""
    return _vm.warning_steps(STATE)  # type: ignore[no-any-return]


def add_quiet(change: int) -> None:
    """Count the blocks in which nothing that is recorded warns: 1 more, or -1."""
    _vm.add_quiet(STATE, change)


def set_reporting(findings: list[Any], report: Callable[[], None]) -> None:
    """Tell the list to which what steps raise is added, and what warns of it."""
    _vm.set_reporting(STATE, findings, report)


def set_frames(places: tuple[int, ...], code: type, roots: Sequence[bytes]) -> None:
    """Tell where the interpreter has its frames, the type of codes, and how files begin that are no
    user's."""
    _vm.set_frames(STATE, places, code, roots)


def set_learning(calls: int, thread: int) -> None:
    """Tell how many calls are being made whose transcripts will be written, and by which thread.

    The thread is 0 if there are several.
    """
    _vm.set_learning(STATE, calls, thread)


def address_of(buffer: Any) -> int:
    """Return where the memory of a buffer begins."""
    return int(_vm.address(STATE, buffer))


def holder_of(buffer: Any) -> Any:
    """Return the object that the memory of a buffer belongs to; None if that is ours."""
    return _vm.holder(STATE, buffer)


class Sharing(enum.IntEnum):
    """Who else uses memory of another owner (kernels/vm/base/pins.mojo)."""

    NOBODY = CONSTANTS["used by nobody"]
    READERS = CONSTANTS["used by readers"]
    """Others read it, and nobody writes."""
    WRITERS = CONSTANTS["used by writers"]
    """Others read and write it as long as they refer to the owner."""
    FIXED = CONSTANTS["used and fixed"]
    """The same of memory that we may not write."""


def buffer_over(address: int, nbytes: int, owner: object, sharing: Sharing = Sharing.NOBODY) -> Any:
    """Return a buffer over memory, which the owner keeps."""
    return _vm.adopt(STATE, address, nbytes, owner, int(sharing))


def watch(
    lock: Any, flush: Callable[[], None], ensure: Callable[[Any], None], watches: list[Any]
) -> None:
    """Tell the library who flushes, who computes a value, who watches, and which lock is held.

    The caller holds the lock.
    """
    _vm.watch(STATE, lock, flush, ensure, watches)


def set_policy(threshold: int, per_step: int) -> None:
    """Tell the library for how much work, in all and on average, a flush asks the policy."""
    _vm.set_policy(STATE, threshold, per_step)


def set_fusing(first: float, second: float) -> None:
    """Set after how many seconds of a group its loop is looked for, and when loops are compiled.

    That is when they could have saved `second` seconds.
    """
    _vm.set_fusing(
        STATE,
        *(int(sys.maxsize if limit == math.inf else limit * 1e9) for limit in (first, second)),
    )


class HotGroup(NamedTuple):
    """A group that has become hot (kernels/vm/run/fused.mojo).

    `place` is its number; `told` is 1 when its loop is to be looked for, 2 when it is to be
    compiled; `words` are what the text of its loop depends on.
    """

    place: int
    told: int
    words: list[int]


def hot_groups() -> list[HotGroup]:
    """Return the groups that have become hot since the last call."""
    return [HotGroup(*group) for group in _vm.hot_groups(STATE)]


def set_fused(place: int, loop: int) -> None:
    """Give a group the address of its loop, which stays there for good; 0 if it is to have none."""
    _vm.set_fused(STATE, place, loop)


def forget_groups() -> None:
    """Forget all groups: what they have cost, and their loops. For tests."""
    _vm.forget_groups(STATE)


def fusible_seconds() -> float:
    """Return the seconds since the last call in groups that have a fused loop, or may have one."""
    nanoseconds: int = _vm.fusible_time(STATE)
    return nanoseconds * 1e-9


def fused_counts() -> dict[str, int]:
    """Return how often fused loops have run, are in use, and were slower than blocks."""
    runs, used, declined = _vm.fused_counts(STATE)
    return {"runs": runs, "used": used, "declined": declined}


def set_threads(count: int) -> None:
    """Let large work use this many threads; 1 starts none."""
    global threads
    threads = count
    _vm.set_threads(STATE, count)


@contextlib.contextmanager
def core_lent(*, always: bool = False) -> Iterator[None]:
    """Leave a core to a compiler meanwhile; where steps are large only if `always`."""
    _vm.lend_cores(STATE, 1, always)
    try:
        yield
    finally:
        _vm.lend_cores(STATE, -1, always)


os.register_at_fork(after_in_child=functools.partial(_vm.forget_threads, STATE))


def allocate(nbytes: int) -> Any:
    """Return a new buffer, not initialised."""
    return _vm.allocate(STATE, nbytes)


def planned() -> tuple[list[int], list[int]]:
    """Return which values of the log the plan computes, and which of them are results."""
    nodes, outputs = _vm.planned(STATE)
    return list(nodes), list(outputs)


def bytecode() -> tuple[bytes, list[int]]:
    """Return the planned bytecode and the places of its constants."""
    address, length, constants = _vm.bytecode(STATE)
    return ctypes.string_at(address, 8 * length), list(constants)


def name() -> tuple[bytes, list[int]]:
    """Return what names the plan, and the opcodes of users' functions, which no name may have."""
    found: tuple[bytes, list[int]] = _vm.name(STATE)
    return found


def run_words(words: np.ndarray, sizes: Sequence[int], limit: int) -> int:
    """Check and run any bytecode (int64 words) on zeroed slots of these sizes; returns its status.

    A negative size is a slot without memory. Bytecode that looks at more than `limit` elements is
    not run: -1. MALFORMED is bytecode that would touch memory that is not its own.
    """
    return int(_vm.run_words(STATE, (words.ctypes.data, len(words)), list(sizes), limit))


def memory_in_use() -> int:
    """Return the bytes of array memory now allocated."""
    return int(_vm.memory_in_use(STATE))
