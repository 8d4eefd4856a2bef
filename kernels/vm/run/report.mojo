"""What steps have raised, handed to Python, which warns of it (lazy/run/findings.py)."""

from std.ffi import external_call
from vm.base.fields import (
    VALUE_CODE,
    VALUE_ERRORS,
    VALUE_SITE,
)
from vm.base.objects import ALOUD, Objects
from vm.base.raw import TUPLE_ITEMS, drop, kept, load, store
from vm.run.findings import KINDS, SAMPLE, Finding


def hand_over(ref objects: Objects, value: Int, finding: Finding):
    """Adds what a step has raised to Python's list, if the step was recorded to warn."""
    var errors = load(value, VALUE_ERRORS)
    if errors == 0:
        return
    var site = load(value, VALUE_SITE)
    add_to_list(objects, load(value, VALUE_CODE), errors, site, finding)


def add_to_list(
    ref objects: Objects,
    code: Int,
    errors: Int,
    site: Int,
    finding: Finding,
):
    """Adds a tuple: the step's code, error state, site or None, flags, kinds of results, and
    samples as bytes."""
    var samples = finding.samples
    var made = external_call["PyTuple_New", Int](Int(6))
    if made == 0:
        external_call["PyErr_Clear", NoneType]()
        return
    store(made, TUPLE_ITEMS, kept(code))
    store(made, TUPLE_ITEMS + 1, _number(errors))
    store(made, TUPLE_ITEMS + 2, kept(site if site != 0 else objects.api.none))
    store(made, TUPLE_ITEMS + 3, _number(finding.flags))
    store(made, TUPLE_ITEMS + 4, _number(finding.kinds))
    var bytes = external_call["PyBytes_FromStringAndSize", Int](
        Int(Pointer(to=samples)), KINDS * SAMPLE
    )
    store(made, TUPLE_ITEMS + 5, bytes)
    if external_call["PyList_Append", Int32](objects.findings, made) != 0:
        external_call["PyErr_Clear", NoneType]()
    drop(made)
    objects.hurry(ALOUD)  # whoever returns to Python first has it warn


@always_inline
def _number(number: Int) -> Int:
    return external_call["PyLong_FromSsize_t", Int](number)
