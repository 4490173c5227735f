"""The memory budget refuses before anything is allocated."""

from dataclasses import replace

import numpy as np
import pytest

from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import RBF, Linear
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import SVC_GRID, SVR_GRID, tune_svc, tune_svr
from svmsieve.runtime.memory import DEFAULT_BUDGET, MemoryBudgetError, human_size, require_memory


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (5 * 2**20, "5.0 MiB"),
        (2**41, "2048.0 GiB"),
    ],
)
def test_sizes_for_people(size, text):
    assert human_size(size) == text


def test_budget():
    require_memory(100.0, 100.0, "It")
    require_memory(DEFAULT_BUDGET, None, "It")
    with pytest.raises(MemoryBudgetError, match=r"It would need 2.0 KiB, over the memory budget"):
        require_memory(2048.0, 1024.0, "It")
    with pytest.raises(MemoryBudgetError, match=r"raise the budget .*or machine='nystroem'"):
        require_memory(DEFAULT_BUDGET + 2**30, None, "It")


def test_refusal_is_a_value_error():
    assert issubclass(MemoryBudgetError, ValueError)


class _MustNotRun(RBF):
    def base(self, X, Z):
        raise AssertionError("the kernel matrix was computed")


@pytest.mark.parametrize(
    "build",
    [
        lambda X, y, kernel: ActiveGram(X, kernel, memory=1000),
        lambda X, y, kernel: fit_svc(X, y, kernel, memory=1000),
        lambda X, y, kernel: fit_svr(X, y, kernel, memory=1000),
        lambda X, y, kernel: tune_svc(
            X, y, replace(SVC_GRID, kernel=kernel), validation=Validation(2), memory=1000
        ),
        lambda X, y, kernel: tune_svr(
            X, y, replace(SVR_GRID, kernel=kernel), validation=Validation(2), memory=1000
        ),
    ],
    ids=["ActiveGram", "fit_svc", "fit_svr", "tune_svc", "tune_svr"],
)
def test_kernel_matrices_over_the_budget_are_refused_before_they_are_computed(build):
    X, y = np.eye(10), np.arange(10) % 2
    with pytest.raises(MemoryBudgetError, match=r"of 10 samples would need 1\.6 KiB"):
        build(X, y, _MustNotRun(1.0))


def test_default_budget_refuses_a_hundred_thousand_samples():
    # One column, so that only the refusal keeps the test small.
    with pytest.raises(MemoryBudgetError, match=r"149\.0 GiB"):
        ActiveGram(np.zeros((100_000, 1)), Linear())
