# Each target works alone on a fresh machine: it makes a virtual environment for the interpreter,
# installs the project and its dependencies there, and builds the kernels into the user's cache, all
# of it once.
#
#   make demo     the photograph: examples/photo.py writes photo-stages.png and prints its times
#   make test     all tests, on every core (PYTEST_ARGS="-m 'not slow' tests/kernels/test_build.py" chooses)
#   make lint     ruff, mypy and mblack
#   make docs     the pages of docs/ with a reference, in build/site
#   make bench    the table of benchmarks/ (BENCH_ARGS="--json FILE" keeps it as JSON)
#   make bench-kernels    every kernel against NumPy (BENCH_ARGS="float64 sort" chooses)
#   make bench-jit        `jujunp.jit` against `jax.jit` (BENCH_ARGS="MLP" chooses)
#   make bench-loops      hot groups against NumPy, jax.jit, Numba and numexpr
#                         (BENCH_ARGS="--size 100000 --picture FILE.png" chooses, and draws)
#   make bench-grad       gradients against jax.jit, autograd and PyTorch (BENCH_ARGS="MLP" chooses)
#   make bench-steps      every call on small arrays against NumPy (BENCH_ARGS="--others" has more)
#   make bench-npbench    NPBench's kernels against NumPy (BENCH_ARGS="--preset M" chooses)
#   make conformance      the Array API test suite, into docs/conformance.md
#                         (CONFORMANCE_ARGS="--module fft --examples 20" chooses)
#   make conformance-tiers    compiled graphs against the kernels, over the Array API's functions
#   make numpy-suite      NumPy's own tests with jujunp in its place, into docs/numpy-suite.md
#                         (NUMPY_SUITE_ARGS="test_umath fft" chooses files)
#   make autograd-suite    the tests of HIPS/autograd, whose checkout AUTOGRAD_DIR names, into
#                         docs/autograd.md (AUTOGRAD_ARGS="linalg fft" chooses files)
#   make test-integration     other libraries with our arrays, and the suites of SciPy and scikit-learn
#   make clean    removes what the other targets wrote into this folder
#
# PYTHON=... chooses the interpreter, each with an environment of its own.

PYTHON ?= python3
VERSION := $(shell $(PYTHON) -c 'import sys; v = sys.version_info; \
	print(f"{v[0]}.{v[1]}" if v >= (3, 11) else "")' 2>/dev/null)
ifeq ($(VERSION),)
$(error jujunp needs Python 3.11 or newer, which '$(PYTHON)' is not; make PYTHON=... names another)
endif

VENV := .venv-$(VERSION)
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TYPED := build/typed/jujunp
# Python compiles what is imported, and no more.
PIP_OPTIONS := --disable-pip-version-check --no-compile $(if $(MAKE_TERMOUT),,--quiet)

.PHONY: demo test lint docs bench bench-kernels bench-jit bench-loops bench-grad bench-steps bench-npbench \
	conformance conformance-tiers numpy-suite autograd-suite test-integration clean kernels

demo: kernels
	$(BIN)/python examples/photo.py --out photo-stages.png

test: kernels
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder \
		$(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find kernels tests examples -name '*.mojo' -exec $(BIN)/mblack --check {} +
	rm -rf $(TYPED) && mkdir -p $(TYPED)
	ln -s $(CURDIR)/jujunp/* $(CURDIR)/lazy $(CURDIR)/kernels $(TYPED)
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[docs]'
	$(BIN)/mkdocs build --strict

bench: kernels
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

bench-kernels: kernels
	$(BIN)/python -m benchmarks.kernels $(BENCH_ARGS)

bench-jit: kernels
	$(BIN)/python -m benchmarks.jit $(BENCH_ARGS)

bench-loops: kernels
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[bench]'
	$(BIN)/python -m benchmarks.loops $(BENCH_ARGS)

bench-grad: kernels
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[bench]'
	$(BIN)/python -m benchmarks.grad $(BENCH_ARGS)

bench-steps: kernels
	$(BIN)/python -m benchmarks.steps $(BENCH_ARGS)

bench-npbench: kernels
	$(BIN)/python -m benchmarks.npbench $(BENCH_ARGS)

test-integration: kernels
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[integration]'
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile conformance/libraries $(PYTEST_ARGS)
	PYTHONPATH=$(CURDIR) $(BIN)/python -m pytest -c conformance/library_suites.ini --rootdir=$(BIN) \
		--numprocesses=auto --pyargs scipy sklearn

conformance: kernels
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[conformance]'
	$(BIN)/python -m conformance $(CONFORMANCE_ARGS)

conformance-tiers: kernels
	$(BIN)/python -m conformance.tiers $(CONFORMANCE_ARGS)

numpy-suite: kernels
	$(BIN)/python -m conformance.numpy_suite $(NUMPY_SUITE_ARGS)

autograd-suite: kernels
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[conformance]'
	$(BIN)/python -m conformance.gradients $(AUTOGRAD_ARGS)

# runpy would warn that importing jujunp has already imported the module.
kernels: $(STAMP)
	@$(BIN)/python -W ignore::RuntimeWarning:runpy -m jujunp.kernels.build
	@$(BIN)/python -m jujunp._rehearsal

$(STAMP): pyproject.toml setup.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[examples,test,lint]'
	touch $(STAMP)

clean:
	rm -rf .venv-* build dist *.egg-info photo-stages.png
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find jujunp lazy kernels tests examples benchmarks conformance -name __pycache__ -exec rm -rf {} +
