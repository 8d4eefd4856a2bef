"""Templates: what JAX derives for a kind of step, as steps that are recorded without JAX.

A kind of step is derived once. That of a step on elements is derived for one element, so that it
serves all shapes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from ..jaxprs.recording import identity
from ..rules.operand import Operand, aside
from ..rules.shape_code import Unrecordable, shape_code
from ..rules.template import closed_constants, replay
from ..run.machine import COPIES, OPCODES
from ..values.dtypes import DTYPES
from ..values.layout import whole
from ..values.value import Value, leaf, opcode, record

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from ..values.types import Scalar, Shape
    from .steps import Layout, Source

_COPY, _PROJECT = OPCODES["copy"], OPCODES["project"]
KEPT = 4096
"""Templates remembered, least recently used out."""


class _Made(NamedTuple):
    """A step of a template. Its operands are named by their places, as results are."""

    code: int
    shape: Shape
    places: tuple[int, ...]
    layouts: tuple[Layout, ...] | None
    params: tuple[int, ...] | None


class _Result(NamedTuple):
    place: int
    layout: Layout
    shape: Shape
    code: int


class Template:
    """Steps on inputs: operands of a step, its results, and what else the derived function takes.

    Places count the inputs, constants, and steps.
    """

    def __init__(
        self,
        count: int,
        constants: Sequence[Value | Scalar],
        steps: Sequence[_Made],
        results: Sequence[_Result | None],
        specs: Sequence[tuple[Shape, int]],
    ) -> None:
        self._constants = tuple(constants)
        self._steps = tuple(steps)
        self._results = tuple(results)
        self.specs = tuple(specs)
        """Shapes and dtype codes of the results."""
        used = {place for step in steps for place in step.places}
        used.update(found.place for found in results if found is not None)
        self.needs = frozenset(place for place in used if place < count)
        """Places of the inputs that are used."""
        self.is_zero = all(found is None for found in results)
        self.is_plain = all(step.layouts is None for step in steps) and all(
            found is None or found.layout is None for found in results
        )
        """Whether nothing is read through a layout, so that it may be spread."""

    def __call__(self, inputs: Sequence[Any]) -> list[Operand | None]:
        """Record the steps, given whole values; None is a result that is zero."""
        values = [*inputs, *self._constants]
        for code, shape, places, layouts, params in self._steps:
            given = tuple([values[place] for place in places])
            values.append(record(code, shape, given, layouts, params))
        return [
            found and Operand(values[found.place], found.layout, found.shape, found.code)
            for found in self._results
        ]

    def spread(self, inputs: Sequence[Operand | None], shape: Shape) -> list[Operand | None]:
        """Record the steps of a template for one element, for all elements of a shape."""
        values: list[Any] = [x and x.value for x in inputs] + [*self._constants]
        layouts: list[Layout] = [x and x.layout for x in inputs]
        layouts += [None] * (len(self._constants) + len(self._steps))
        for code, _, places, _, params in self._steps:
            given = tuple([values[place] for place in places])
            seen = tuple([layouts[place] for place in places])
            through = None if all(x is None for x in seen) else seen
            values.append(record(code, shape, given, through, params))
        return [found and self._spread(found, inputs, values, shape) for found in self._results]

    @staticmethod
    def _spread(
        found: _Result, inputs: Sequence[Operand | None], values: Sequence[Any], shape: Shape
    ) -> Operand:
        if found.place < len(inputs):
            given = inputs[found.place]
            assert given is not None
            if given.shape == shape and isinstance(given.value, Value):
                return given
            layouts = None if given.layout is None else (given.layout,)
            copy = record(COPIES[found.code], shape, (given.value,), layouts)
            return Operand(copy, None, shape, found.code)
        value = values[found.place]
        if not isinstance(value, Value):
            value = record(COPIES[found.code], shape, (value,))
        return Operand(value, None, shape, found.code)


class Interpreted:
    """A Jaxpr with loops or branches, which is looked at whenever it is recorded."""

    is_zero = is_plain = False

    def __init__(self, closed: Any, inputs: Sequence[Operand], outputs: int) -> None:
        self._closed = closed
        self._inputs = inputs
        self._outputs = outputs
        self.specs = tuple([shape_code(atom) for atom in closed.jaxpr.outvars[:outputs]])
        self.needs = frozenset(range(len(inputs)))

    def __call__(self, inputs: Sequence[Any]) -> list[Operand | None]:
        """Record the Jaxpr; loops read what they depend on."""
        given = [x._replace(value=y) for x, y in zip(self._inputs, inputs, strict=True)]
        found = replay(self._closed.jaxpr, closed_constants(self._closed), given)
        return list(found[: self._outputs])


_templates: OrderedDict[Hashable, Any] = OrderedDict()


def remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """Return the template of a key, which is made if there is none."""
    found = _templates.get(key)
    if found is None:
        found = _templates[key] = make()
        if len(_templates) > KEPT:
            _templates.popitem(last=False)
    else:
        _templates.move_to_end(key)
    return found


def template(
    function: Callable[..., tuple[Sequence[Any], Sequence[Any]]],
    inputs: Sequence[Source],
    outputs: Sequence[tuple[Shape, int]] = (),
) -> Template | Interpreted:
    """Return the steps of a derived function.

    Args:
        function: Takes arrays of JAX, and returns derived ones and results of the step itself. The
            latter are known when the template is used: they are inputs behind the others.
        inputs: How those of the function lie.
        outputs: Shapes and dtype codes of the results.
    """
    structs = [jax.ShapeDtypeStruct(*source.given) for source in inputs]
    counts = []

    def flat(*arrays: Any) -> list[Any]:
        derived, known = function(*arrays)
        counts.append(len(derived))
        return [*derived, *known]

    with jax.enable_x64(True):
        closed = jax.make_jaxpr(flat)(*structs)
    given = [_operand(source) for source in inputs]
    try:
        with aside(calls=False) as made:
            found = replay(closed.jaxpr, closed_constants(closed), given)
    except Unrecordable:
        return Interpreted(closed, given, counts[0])
    derived, known = found[: counts[0]], found[counts[0] :]
    results = [leaf(code, shape, None) for shape, code in outputs]
    return _numbered([x.value for x in given], made, derived, known, results)


def _operand(source: Source) -> Operand:
    base = leaf(source.code, source.base, None)
    layout = source.layout if source.outside else None
    return Operand(base, layout, source.given[0], source.code)


def _numbered(
    inputs: Sequence[Any],
    made: Sequence[Value],
    derived: Sequence[Operand],
    known: Sequence[Operand],
    results: Sequence[Value],
) -> Template:
    """Number what the derived values need. What gives a known result is not recorded again."""
    places: dict[Any, int] = {identity(x): k for k, x in enumerate((*inputs, *results))}
    count = first = len(places)
    for place, x in enumerate(known, len(inputs)):
        if x.layout is None and isinstance(x.value, Value):
            places.setdefault(identity(x.value), place)
    steps = {id(x): x for x in made}
    wanted = [None if _is_zero(x, steps) else x for x in derived]
    needed: set[int] = set()
    waiting: list[Any] = [x.value for x in wanted if x is not None]
    while waiting:
        value = waiting.pop()
        if id(value) in steps and id(value) not in places and id(value) not in needed:
            needed.add(id(value))
            waiting.extend(value.inputs)
    # a kernel has all of its results right behind it
    needed.update(
        id(step) for step in made if opcode(step) == _PROJECT and id(step.inputs[0]) in needed
    )
    used = [step for step in made if id(step) in needed]
    if any(opcode(step) == _PROJECT and id(step.inputs[0]) not in needed for step in used):
        # results of a kernel come together with it
        return _numbered(inputs, made, derived, (), results)
    constants: dict[Any, Any] = {}
    read: list[Any] = [value for step in used for value in step.inputs]
    read += [x.value for x in wanted if x is not None]
    for value in read:
        if identity(value) not in places and id(value) not in needed:
            constants.setdefault(identity(value), value)
    for key in (*constants, *map(id, used)):
        places[key] = count
        count += 1
    numbered = [
        _Made(
            step.code,
            step.shape,
            tuple(places[identity(value)] for value in step.inputs),
            step.layouts,
            step.params,
        )
        for step in used
    ]
    found = [
        None if x is None else _Result(places[identity(x.value)], x.layout, x.shape, x.code)
        for x in wanted
    ]
    specs = [(x.shape, x.code) for x in derived]
    return Template(first, list(constants.values()), numbered, found, specs)


def _is_zero(x: Operand, steps: dict[int, Value]) -> bool:
    """Whether a derived value is zero whatever the inputs are."""
    value: Any = x.value
    while id(value) in steps and opcode(value) == _COPY:
        (value,) = value.inputs
    return not isinstance(value, Value) and value == 0


def whole_operand(x: Operand) -> Operand:
    """Return an operand as a value in C order; records a copy of one that is not."""
    if x.layout is None and isinstance(x.value, Value) and x.value.shape == x.shape:
        return x
    layouts = None if x.layout is None else (x.layout,)
    return Operand(record(COPIES[x.code], x.shape, (x.value,), layouts), None, x.shape, x.code)


def zeros(shape: Shape, code: int) -> Operand:
    """Return zeros."""
    zero = DTYPES[code].type(0).item()
    return Operand(record(COPIES[code], shape, (zero,)), None, shape, code)


def layout_of(x: Operand) -> Any:
    """Return the layout of an operand, also of a whole one."""
    return whole(x.shape, DTYPES[x.code]) if x.layout is None else x.layout
