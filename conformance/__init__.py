"""How far a library conforms to the Array API: `python -m conformance` runs its test suite.

The suite is data-apis/array-api-tests. It is taken from the folder that ARRAY_API_TESTS_DIR names
(a checkout with its submodule), else cloned once, at one commit, into the user's cache. It needs
the packages of the extra `conformance`. No test is skipped or expected to fail but those that the
suite itself skips.

A run of the whole suite against jujunp writes docs/conformance.md and build/conformance.json. A run
of a part, or against another library, writes only the files that are asked for.
"""
