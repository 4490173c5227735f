"""Scores of the Nyström machine to 1e-6 of the criteria's twins in extended precision.

All rows are landmarks, so that the machine is one over the samples, as the twins know it; the coefficients
are taken as the machine has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from svmsieve.criteria import CRITERIA
from svmsieve.engine.kernels.kernel import make_kernel
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale.driver import STREAMED, streamed_scores
from svmsieve.scale.stream import ColumnStream, NystroemMachines, Stream
from tests import naive_criteria as naive
from tests import naive_extended as extended
from tests import naive_scale
from tests.criteria.test_rounding import KINDS, NOTHING, OFFSETS, SPARSE_KINDS, TOL, problem

pytestmark = [
    pytest.mark.skipif(not extended.IS_LONGER, reason="long double is no longer than double here"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

N = 24
SEED = 7


def sv_gradient(kernel: Any, X: Any, y: Any, machines: NystroemMachines, groups: Any) -> Any:
    """Mean over the rows with a loss, of all machines, of each column's share of the squared gradient."""
    losses, target = machines.losses, machines.target
    codes = target.codes if isinstance(target, Classes) else target.values
    total, count = np.zeros(len(groups), dtype=extended.LONG), 0
    for pair, each in zip(losses.pairs, machines.expansions, strict=True):
        mine = losses.member(codes, pair)
        values = each.decision_function(X)
        lossy = mine & (losses.losses(losses.targets(codes, pair), values) > 0.0)
        plain = naive.Machine(np.arange(N), None, None, each.coef, each.intercept)
        squares = extended._directions(kernel, X, extended.net(X, plain).coef)[lossy] ** 2
        norms = squares.sum(axis=1)
        shares = squares[norms > 0] / norms[norms > 0, None]
        total += [shares[:, g].sum() for g in groups]
        count += int(lossy.sum())
    return total / max(count, 1)


def twin_of(name: str, kernel: Any, X: Any, y: Any, machines: NystroemMachines, groups: Any) -> Any:
    """The criterion by its definition; rows are replaced by those of their donors."""
    of_row = naive_scale.donors_of(N, np.arange(1, N + 1) / N, SEED, 0)
    plain = [
        naive.Machine(np.arange(N), None, None, each.coef, each.intercept)
        for each in machines.expansions
    ]
    if name == "sv-gradient":
        return sv_gradient(kernel, X, y, machines, groups)
    if name.startswith("sd-"):
        return extended.sd(kernel, X, y, plain[0], groups, [of_row], name.removeprefix("sd-"))
    assert isinstance(machines.target, Classes)
    k = len(machines.target.classes)

    def output(f: Any) -> Any:
        if name == "fspp1":
            return extended.winners(f, k)
        return extended.probabilities(f, machines.sigmoids, k)

    return extended.fspp(kernel, X, plain, groups, None if name == "fspp3" else [of_row], output)


def sizes_of_terms(X: Any, machines: NystroemMachines) -> float:
    """Largest sum of the sizes of a decision value's terms: what double precision is relative to."""
    return max(
        float(
            (
                np.abs(each.kernel.of_base(each.kernel.base(X, each.centers))) @ np.abs(each.coef)
            ).max()
        )
        for each in machines.expansions
    )


def is_undecided(name: str, X: Any, machines: NystroemMachines) -> bool:
    """Whether rounding decides: the sign of a decision value (fspp1), or who has a loss (sv-gradient).

    Or the direction of the gradient: landmarks of another class, next to which no other is, have
    coefficients whose squares are nothing.
    """
    near = 1e-9 * sizes_of_terms(X, machines)
    losses, target = machines.losses, machines.target
    for pair, each in zip(losses.pairs, machines.expansions, strict=True):
        f = each.decision_function(X)
        if name == "fspp1" and min(np.abs(f).min(), abs(each.intercept)) < near:
            return True
        if name == "sv-gradient":
            if np.abs(each.coef[each.coef != 0.0]).min() < 1e-150:
                return True
            edge = (
                0.0 if isinstance(target, Classes) else np.abs(target.values - f) - losses.epsilon
            )
            if isinstance(target, Classes):
                mine = losses.member(target.codes, pair)
                edge = (1.0 - losses.targets(target.codes, pair) * f)[mine]
            if np.abs(edge).min() < near:
                return True
    return False


def stream_of(table: Any, target: Target) -> ColumnStream:
    return Stream.of_matrix(table, target, None, N, 0).columns(np.arange(table.shape[1]))


def check(kernel_name: str, kind: str, seed: int, sparse: bool) -> None:
    rng = np.random.default_rng([seed, N])
    gamma, C = 10.0 ** rng.uniform(-6.0, 3.0), 10.0 ** rng.uniform(-4.0, 6.0)
    task = ["binary", "multiclass", "regression"][rng.integers(3)]
    X, y = problem(task, kind, rng, N, offset=OFFSETS[kernel_name])
    table = sp.csr_matrix(X) if sparse else X
    degree, coef0 = (3, 1.0) if kernel_name == "poly" else (1, 0.0)
    kernel = make_kernel(kernel_name, table, gamma=gamma, degree=degree, coef0=coef0)
    target: Target = Numbers.of(y) if task == "regression" else Classes.of(y)
    loss: Any = "epsilon" if task == "regression" else "hinge"
    plan = Plan(Machine(loss, C=C, epsilon=0.1), kernel)
    stream = stream_of(table, target)
    with one_blas_thread():
        machines = stream.train(plan, probabilities=task != "regression")
    groups = naive.singles(X)
    plain_kernel = naive.Kernel(kernel_name, gamma, degree, coef0)
    for name in STREAMED:
        criterion = CRITERIA[name]()
        if task not in criterion.tasks:
            continue
        if is_undecided(name, X, machines):
            continue
        scores = streamed_scores(criterion, stream, machines, None, SEED)
        expected = np.asarray(twin_of(name, plain_kernel, X, y, machines, groups), dtype=float)
        error, largest = float(np.abs(scores - expected).max()), float(expected.max())
        if largest < NOTHING:
            assert scores.max() < NOTHING
        else:
            about = name, kind, task, kernel, C, error / largest
            assert error <= TOL * largest, about


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [("rbf", kind) for kind in KINDS] + [("poly", kind) for kind in SPARSE_KINDS],
)
def test_nystroem_scores_in_extended_precision(kernel: str, kind: str) -> None:
    for seed in range(6):
        check(kernel, kind, seed, sparse=False)


@pytest.mark.parametrize("kind", SPARSE_KINDS)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_nystroem_scores_of_a_sparse_matrix_in_extended_precision(kernel: str, kind: str) -> None:
    for seed in range(10, 13):
        check(kernel, kind, seed, sparse=True)
