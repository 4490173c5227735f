# Every target uses its own environment in .venv, rebuilt when pyproject.toml changes.
PYTHON ?= python3
PIP = .venv/bin/python -m pip --disable-pip-version-check -qq

# Where Python may not keep what it compiles, every process that a test starts compiles every import again: seconds.
unexport PYTHONDONTWRITEBYTECODE

# Our own environments are editable: nothing is compiled while they are installed (hatch_build.py), nor fetched for it.
export SVMSIEVE_PURE = 1

# uv takes a fifth of pip's time, but does not read pip's settings (a mirror, say): where it fails, pip is asked.
UV = .venv/bin/uv pip install -q --system-certs --python
INSTALL = install() { $(UV) .venv/bin/python -e "$$1" || $(PIP) install -e "$$1"; }; install

# Tests that meet every dependency, for a quick look at the floor: no Dask cluster, no type checker, nothing that
# compiles twice.
FLOOR_QUICK = tests/selection/test_plots.py tests/inputs/test_table.py tests/selection/test_missing.py tests/inputs/test_estimators.py \
	tests/datasets/test_read_table.py tests/datasets/test_encoding.py tests/cli/test_outputs.py \
	tests/scale/test_dask_collections.py::test_rows_in_memory_give_the_same_ranking \
	tests/scale/test_dask_collections.py::test_a_numeric_target \
	tests/scale/test_parquet_chunks.py tests/report/test_content.py \
	tests/runtime/test_threads.py tests/engine/test_cholesky.py \
	tests/search/test_forward.py tests/evaluation/test_metrics.py

# What old versions deprecate of one another is not ours to repair. Their compiled code lies apart, for numba's
# versions overwrite one another's. In CI they have what the other tests leave of two cores, and compile for minutes.
FLOOR_PYTEST = NUMBA_CACHE_DIR=$(CURDIR)/.venv-floor/compiled .venv-floor/bin/python -m pytest -n 2 --timeout 1800 \
	-W ignore::DeprecationWarning

.PHONY: demo test compiled faults lint jitless docs gallery floor floor-quick release-check clean

demo: .venv/.base
	.venv/bin/svmsieve demo

# Two workers share two cores: a BLAS that takes both for each of them slows the suite down. tests/conftest.py says which
# files one of them runs together.
test: .venv/.test
	OPENBLAS_NUM_THREADS=1 .venv/bin/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Compiles what most tests need, once for both of their workers.
compiled: .venv/.test
	.venv/bin/python -c 'import numpy as np; from svmsieve import SVMSieve; \
		X = np.random.default_rng(0).normal(size=(60, 6)); \
		[SVMSieve(cv=3).fit(X, y) for y in (X[:, 0] > 0, np.digitize(X[:, 0], [-1, 1]), X[:, 0])]'

# Kills, damages, bombs and Ctrl-C in numbers; the other tests try a few of each. Some 20 minutes.
faults: .venv/.test
	FAULTS=many .venv/bin/python -m pytest tests/faults -s -v

lint: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

jitless: .venv/.test
	NUMBA_DISABLE_JIT=1 .venv/bin/python -m pytest tests/engine -m jitless

WHOLE = docs/gallery/whole-build-seconds.txt

# The site, in docs/_build/html, without network; warnings are errors. Examples that did not change are not run again
# (docs/gallery is their cache), `gallery` runs them all.
docs: .venv/.docs
	.venv/bin/python -m sphinx -W --keep-going -q -j auto -d docs/_build/doctrees docs docs/_build/html
	.venv/bin/python docs/_ext/crawl.py docs/_build/html

gallery: .venv/.docs
	rm -rf docs/gallery docs/_build && mkdir docs/gallery && echo '?' > $(WHOLE)
	start=$$(date +%s) && $(MAKE) docs && echo $$(($$(date +%s) - start)) > $(WHOLE)

# Builds wheel and source archive, checks both, and tests each in an environment of its own.
release-check: .venv/.release
	.ci/release-check

floor: .venv-floor/.test
	$(FLOOR_PYTEST)

floor-quick: .venv-floor/.test
	$(FLOOR_PYTEST) $(FLOOR_QUICK)

clean:
	rm -rf .venv .venv-floor .mypy_cache .pytest_cache .ruff_cache docs/_build docs/reference/generated dist

# The stamps form a chain, so that `make -j` never runs two installations at once.
.venv/.base: pyproject.toml
	$(PYTHON) -m venv --clear .venv
	$(PIP) install uv
	@$(INSTALL) .
	@touch $@

.venv/.test: .venv/.base
	@$(INSTALL) ".[test]"
	@touch $@

.venv/.dev: .venv/.test
	@$(INSTALL) ".[dev]"
	@touch $@

.venv/.docs: .venv/.dev
	@$(INSTALL) ".[docs]"
	@touch $@

.venv/.release: .venv/.docs
	@$(INSTALL) ".[release]"
	@touch $@

# The lowest versions that pyproject.toml allows, with the lowest Python: later ones lack them. uv can choose them, pip
# cannot; it finds Python 3.11 or fetches it.
.venv-floor/.test: .venv/.dev
	.venv/bin/uv venv -q --system-certs --clear --python 3.11 .venv-floor
	$(UV) .venv-floor/bin/python --resolution lowest-direct -e ".[test]"
	@touch $@
