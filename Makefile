# Every target uses its own environment in .venv, rebuilt when pyproject.toml changes.
PYTHON ?= python3
PIP = .venv/bin/python -m pip --disable-pip-version-check -qq

.PHONY: demo test lint jitless clean

demo: .venv/.base
	.venv/bin/svmsieve demo

test: .venv/.test
	.venv/bin/python -m pytest -n 2

lint: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

jitless: .venv/.test
	NUMBA_DISABLE_JIT=1 .venv/bin/python -m pytest tests/engine -m jitless

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache

# The stamps form a chain, so that `make -j` never runs two installations at once.
.venv/.base: pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(PIP) install -e .
	@touch $@

.venv/.test: .venv/.base
	$(PIP) install -e ".[test]"
	@touch $@

.venv/.dev: .venv/.test
	$(PIP) install -e ".[dev]"
	@touch $@
