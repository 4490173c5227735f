"""Every criterion to 1e-6 of its twin in extended precision, whatever γ, C, offset and duplicates.

The error is measured beside the largest score.  The dual variables are taken as the machine has them, so
that only the criterion's own arithmetic is compared.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from svmsieve.criteria import CRITERIA
from tests import naive_criteria as naive
from tests import naive_extended as extended
from tests.criteria import cases
from tests.criteria.rounding_cases import NO_SUMS, TWINS, loss_of

pytestmark = [
    pytest.mark.skipif(not extended.IS_LONGER, reason="long double is no longer than double here"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

KINDS = ["plain", "duplicates", "few values", "near duplicates", "mixed", "offset", "wide"]
OFFSETS = {"rbf": 1e6, "linear": 50.0, "poly": 30.0}
"""Deviations that a column's mean may be from zero.  An RBF kernel knows differences only; values of the
others are squares of the offset (to the power of the degree), beside which the columns' own digits are lost:
at 1000 deviations a linear kernel's errors are up to 5e-5, at 100 those of degree 3 up to 3e-3.  Columns are
centred where ``scale`` is True."""
TOL = 1e-6
NOTHING = 1e-290
"""Scores below this are nothing in double precision."""


def problem(task, kind, rng, n, d=5, offset=1e6):
    X = rng.normal(size=(n, d))
    if kind == "duplicates":  # half of them with another label
        X[n // 2 :] = X[: n - n // 2]
    elif kind == "near duplicates":
        X[n // 2 :] = X[: n - n // 2] + 1e-7 * rng.normal(size=(n - n // 2, d))
    elif kind == "few values":
        X = np.round(X)
    elif kind == "mixed":
        X[:, 2], X[:, 3], X[:, 4] = np.round(X[:, 2]), X[:, 3] > 0.0, 0.01 * X[:, 4]
    signal = 1.5 * X[:, 0] + X[:, 1] ** 2 - 1.0
    if kind == "offset":
        X = X + offset * np.array([0.0, 1.0, -1.0, 0.3, 0.0])
    elif kind == "wide":
        X[:, 2] *= 1e4
    if task == "regression":
        return X, signal + 0.2 * rng.normal(size=n)
    noisy = signal + 0.8 * rng.normal(size=n)
    edges = [0.0] if task == "binary" else np.quantile(noisy, [0.35, 0.7])
    return X, np.array(["a", "b", "c"])[np.digitize(noisy, edges)]


def random_cases(kernel_name, kind, seed, n, sparse=False):
    """The two machines of a random problem, γ from 1e-6 to 1e3 and C from 1e-4 to 1e6."""
    rng = np.random.default_rng([seed, n])
    gamma, C = 10.0 ** rng.uniform(-6.0, 3.0), 10.0 ** rng.uniform(-4.0, 6.0)
    if kind == "near duplicates":  # with other labels their coefficients, up to C, nearly cancel
        C = min(C, 1e3)
    task = cases.TASKS[rng.integers(3)]
    groups = cases.GROUPS if rng.random() < 0.4 else None
    degree, coef0 = (3, 1.0) if kernel_name == "poly" else (1, 0.0)
    kernel = naive.Kernel(kernel_name, gamma, degree, coef0)
    data = problem(task, kind, rng, n, offset=OFFSETS[kernel_name])
    for loss in [None] if task == "regression" else [None, "squared_hinge"]:
        platt = task != "regression" and loss is None
        options = {"loss": loss, "C": C, "groups": groups, "probabilities": platt}
        yield task, loss, cases.make_case(task, kernel, problem_of=data, sparse=sparse, **options)


def attainable(name, kind, case, expected):
    """What rounding of the input alone may do, where a criterion is ill-conditioned.

    Neighbours on a grid and near duplicates with other labels cancel but for their last digits.

    The scores of spans and of machines with a polynomial kernel follow the last digits of the samples:
    inverses of K + diag(1/C) whose condition is up to ‖K‖C, sums of powers that cancel.  fspp4 is what
    is left when the machine has made up for a scaling.  A column 10 000 times as wide as the others has the
    digits of a linear kernel to itself, and an RBF kernel without it, γ large, is off by ε γ times the square
    of its range, up to 2e-5.
    """
    made_up_for = 0.0
    if case.kernel.name == "rbf":  # an exponent without a column is the difference of two distances
        spread = float(np.ptp(case.X, axis=0).max()) ** 2
        made_up_for = (
            16.0 * np.finfo(float).eps * case.kernel.gamma * spread * float(expected.max())
        )
    if name == "fspp4":
        args = case.kernel, case.X, case.machines, case.fitted.sigmoids, case.groups
        made_up_for += 1e-10 * float(extended.fspp4_fixed(*args).max())
    delicate = name.startswith("span") or case.kernel.name == "poly"
    delicate |= kind in ("few values", "near duplicates")
    delicate |= kind == "wide" and case.kernel.name == "linear"
    if not delicate:
        return made_up_for
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(3):
        noise = rng.uniform(-1.0, 1.0, size=case.X.shape)
        moved = replace(case, X=case.X * (1.0 + np.finfo(float).eps * noise))
        largest = max(largest, float(np.abs(TWINS[name](moved) - expected).max()))
    return (
        made_up_for + 1e4 * largest
    )  # each of n² terms is rounded a few times, not each value once


def is_undecided(case):
    """Whether some decision value is zero but for rounding, which fspp1's threshold would show.

    Far from all samples it is the intercept.
    """
    machines, K = case.machines, case.trained.gram.matrix
    values = [K[:, m.rows] @ m.coef + m.intercept for m in machines]
    sizes = [np.abs(K[:, m.rows]) @ np.abs(m.coef) + abs(m.intercept) for m in machines]
    near = any((np.abs(f) < 1e-9 * s).any() for f, s in zip(values, sizes, strict=True))
    return near or any(abs(m.intercept) < 1e-9 * np.abs(m.coef).sum() for m in machines)


def is_singular(case):
    """Whether K + diag(1/C) has lost the digits that :mod:`svmsieve.criteria.span` says it has."""
    return np.abs(case.trained.gram.matrix).max() * case.trained.machine.C > 1e10


def check(kernel_name, kind, seed, n, sparse=False):
    for task, loss, case in random_cases(kernel_name, kind, seed, n, sparse):
        for name, criterion in CRITERIA.items():
            if name in NO_SUMS or task not in criterion.tasks or loss_of(name) != loss:
                continue
            if name == "fspp1" and is_undecided(case):
                continue
            if name == "fspp4" and kind == "near duplicates":
                continue  # a singular system to working precision, and its minimum-norm solution
            if name.startswith("span") and is_singular(case):
                continue
            scores, expected = case.scores(criterion()), np.asarray(TWINS[name](case))
            error, largest = float(np.abs(scores - expected).max()), float(np.abs(expected).max())
            if largest < NOTHING:
                assert scores.max() < NOTHING, (name, kind, task, case.kernel)
            elif error > TOL * largest:
                allowed = TOL * largest + attainable(name, kind, case, expected)
                about = name, kind, task, case.kernel, case.trained.machine.C, error / largest
                assert error <= allowed, about


@pytest.fixture(autouse=True)
def _coarse(monkeypatch):
    """Machines as a user has them: short of the optimum where C is huge."""
    monkeypatch.setattr(cases, "TOL", 1e-3)


def test_every_criterion_has_a_twin():
    assert set(TWINS) | NO_SUMS == set(CRITERIA)


KERNEL_KINDS = [
    (kernel, kind)
    for kernel in ("rbf", "linear", "poly")
    for kind in KINDS
    if kind != "wide" or kernel != "poly"  # its powers are the digits of all kernel values
]


@pytest.mark.parametrize(("kernel", "kind"), KERNEL_KINDS)
def test_criteria_in_extended_precision(kernel, kind):
    for seed in range(5 if kernel == "rbf" else 2):
        check(kernel, kind, seed, n=24)


SPARSE_KINDS = ["plain", "duplicates", "few values", "mixed"]


@pytest.mark.parametrize("kind", SPARSE_KINDS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_criteria_of_a_sparse_matrix_in_extended_precision(kernel, kind):
    for seed in range(20, 22):
        check(kernel, kind, seed, n=24, sparse=True)


@pytest.mark.paper
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("kernel", "kind"), KERNEL_KINDS)
def test_criteria_in_extended_precision_on_many_problems(kernel, kind, sparse):
    if sparse and kind not in SPARSE_KINDS:
        pytest.skip("few zeros, or distances that sparse rows are not near enough for")
    for seed in range(60):
        check(kernel, kind, seed, n=40, sparse=sparse)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_scores_are_finite_whatever_is_left_of_their_digits(kernel, monkeypatch):
    """Columns a million deviations from zero, unscaled: noise, but no NaN and nothing below zero."""
    monkeypatch.setitem(OFFSETS, kernel, 1e6)
    for seed, kind in product(range(4), ["offset", "near duplicates", "wide"]):
        for task, loss, case in random_cases(kernel, kind, seed, n=24):
            for name, criterion in CRITERIA.items():
                if name not in NO_SUMS and task in criterion.tasks and loss_of(name) == loss:
                    case.scores(criterion())  # refuses what is not finite


@pytest.mark.parametrize("name", ["hsic", "weight", "weight-gradient"])
def test_an_offset_is_nothing_to_what_a_linear_kernel_makes_of_differences(name, monkeypatch):
    monkeypatch.setitem(OFFSETS, "linear", 1e6)
    for seed in range(8):
        for task, loss, case in random_cases("linear", "offset", seed, n=24):
            if loss_of(name) == loss and task in CRITERIA[name].tasks:
                scores, expected = case.scores(CRITERIA[name]()), np.asarray(TWINS[name](case))
                np.testing.assert_allclose(scores, expected, atol=TOL * expected.max(), rtol=0)


def test_a_support_vector_far_from_all_others():
    """γ = 1.5 and 110 samples: the own terms' rounding was 6 % of a score."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(110, 6))
    X[0] *= 6.0
    y = np.where(X[:, 0] + X[:, 1] > 0.0, "a", "b")
    case = cases.make_case("binary", naive.Kernel("rbf", 1.5), problem_of=(X, y))
    expected = np.asarray(TWINS["sv-gradient"](case), dtype=float)
    np.testing.assert_allclose(case.scores(CRITERIA["sv-gradient"]()), expected, rtol=1e-9)
