"""All cases: what most programs are made of, and the others."""

from benchmarks.steps import calls, elements, numbers, others, ufuncs

CASES = [*calls.CASES, *elements.CASES, *numbers.CASES, *ufuncs.CASES]
OTHERS = others.CASES
