"""All cases: what most programs are made of, and the others."""

from benchmarks.steps import calls, elements, others, ufuncs

CASES = [*calls.CASES, *elements.CASES, *ufuncs.CASES]
OTHERS = others.CASES
