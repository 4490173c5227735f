"""Small problems for the tests of the criteria, trained tightly, and their facts for the oracles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.criteria import Data, Fitted, final_scores
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.kernels.kernel import make_kernel
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.platt import Sigmoid
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.engine.machines.trained import Trained, train
from tests import naive_criteria as naive

LINEAR = naive.Kernel("linear")
RBF = naive.Kernel("rbf", gamma=0.15)
POLY = naive.Kernel("poly", gamma=0.2, degree=3, coef0=1.0)
NARROW = naive.Kernel("rbf", gamma=1.5)
"""So narrow that the series of the RBF kernel gives way to the exact sums."""
KERNELS = {"linear": LINEAR, "rbf": RBF, "narrow-rbf": NARROW, "poly": POLY}
each_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
CLASS_TASKS = ["binary", "multiclass"]
TASKS = [*CLASS_TASKS, "regression"]
GROUPS = [[0, 3], [1], [2, 4]]
TOL = 1e-10
"""Tolerance of the machines."""


def problem(task: str, n: int = 30, d: int = 5, seed: int = 1) -> tuple[Any, Any]:
    """Standard normal columns, the first two of which matter; not separable."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signal = 1.5 * X[:, 0] + X[:, 1] ** 2 - 1.0
    if task == "regression":
        return X, signal + 0.2 * rng.normal(size=n)
    noisy = signal + 0.8 * rng.normal(size=n)
    edges = [0.0] if task == "binary" else np.quantile(noisy, [0.35, 0.7])
    return X, np.array(["a", "b", "c"])[np.digitize(noisy, edges)]


@dataclass(frozen=True)
class Case:
    """A trained problem: what a criterion gets, and the same as plain facts."""

    X: Any
    y: Any
    kernel: naive.Kernel
    data: Data
    fitted: Fitted | None
    groups: list[list[int]]

    def scores(self, criterion: Any) -> Any:
        """Scores as the package computes them."""
        return final_scores(criterion, self.fitted, self.data)

    @property
    def trained(self) -> Trained:
        assert self.fitted is not None
        return self.fitted.trained

    @property
    def machines(self) -> list[naive.Machine]:
        return plain_machines(self.trained)

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))

    @property
    def runs(self) -> list[tuple[list[naive.Machine], list[int]]]:
        """The machines and the samples they are evaluated on: all."""
        return [(self.machines, list(range(len(self.X))))]

    def with_data(self, **changes: Any) -> Case:
        """The same machines with other data: a seed, a memory budget, …"""
        return replace(self, data=replace(self.data, **changes))


def plain_machines(trained: Trained) -> list[naive.Machine]:
    return [
        naive.Machine(part.rows, part.y, part.bounds, part.dual.coef, part.dual.intercept)
        for part in trained.parts
    ]


def make_case(
    task: str,
    kernel: naive.Kernel,
    *,
    loss: str | None = None,
    C: float = 2.0,
    problem_of: tuple[Any, Any] | None = None,
    groups: list[list[int]] | None = None,
    sample_weight: Any = None,
    probabilities: bool = False,
    sigmoids: Any = None,
    sparse: bool = False,
    **sizes: int,
) -> Case:
    """Train the machines of a small problem; ``loss`` is by default the task's own."""
    X, y = problem(task, **sizes) if problem_of is None else problem_of
    table = sp.csr_matrix(X) if sparse else X
    engine_kernel = make_kernel(
        kernel.name, table, gamma=kernel.gamma, degree=kernel.degree, coef0=kernel.coef0
    )
    gram = ActiveGram(table, engine_kernel)
    target = Numbers.of(y) if task == "regression" else Classes.of(y)
    data = Data(
        gram,
        target,
        sample_weight=None if sample_weight is None else np.asarray(sample_weight, dtype=float),
        groups=None if groups is None else tuple(np.array(g, dtype=np.intp) for g in groups),
        seed=7,
    )
    loss = loss or ("epsilon" if task == "regression" else "hinge")
    machine: Any = Machine(loss, C=C, epsilon=0.1, tol=TOL)  # type: ignore[arg-type]
    trained = train(machine, gram, target, sample_weight=data.sample_weight)
    if probabilities:
        sigmoids = trained.calibrate(seed=data.seed)
    chosen = tuple(Sigmoid(*s) for s in sigmoids or ())
    columns = naive.singles(X) if groups is None else groups
    return Case(X, y, kernel, data, Fitted(trained, chosen), columns)


def assert_same(actual: Any, expected: Any, rtol: float = 1e-8) -> None:
    """Equal relative to each score; a score that is small beside the others, beside those."""
    expected = np.asarray(expected, dtype=float)
    atol = 1e-2 * rtol * float(np.abs(expected).max())
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


def svc_options(kernel: naive.Kernel) -> dict[str, Any]:
    """The kernel as arguments of scikit-learn's SVC and SVR."""
    options = kernel._asdict()
    return {"kernel": options.pop("name"), **options}
