"""The Nyström machine against a general minimiser, scikit-learn and the exact machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import LinearSVC

from svmsieve.engine.kernels.kernel import RBF, Kernel, Linear, Polynomial, gram
from svmsieve.engine.machines.machine import train_squared_hinge
from svmsieve.scale.chunks import Chunk, RowChunks
from svmsieve.scale.descent import Solution
from svmsieve.scale.landmarks import LandmarkSpace, choose_landmarks
from svmsieve.scale.losses import Losses
from svmsieve.scale.nystroem import pair_batches, solve, solve_with_other_C
from tests import naive_scale
from tests.scale.problems import binary, classes, numbers


def _landmarks(X: Any, m: int = 30) -> Any:
    return choose_landmarks(Chunk(X, np.zeros(X.shape[0]), None, 0), m, 0)


def _decisions(solution: Solution, space: LandmarkSpace, X: Any) -> np.ndarray:
    return solution.expansion(space).decision_function(X)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_optimum_is_that_of_a_general_minimiser(C: float, task: str) -> None:
    X, y = binary() if task == "classes" else numbers()
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    epsilon = None if task == "classes" else 0.2
    losses = Losses(C, np.array([0, 1]) if epsilon is None else None, None, epsilon or 0.0)
    (found,) = solve(RowChunks(X, y, memory=2000), space, losses)
    assert found.converged
    kernel = naive_scale.kernel_rbf(0.2)
    K, K_LL = kernel(X, space.centers), kernel(space.centers, space.centers)
    target, bounds = (2.0 * y - 1.0 if epsilon is None else y), np.full(len(y), C)
    coef, b = naive_scale.nystroem(K, K_LL, target, bounds, epsilon)
    best = naive_scale.objective(coef, b, K, K_LL, target, bounds, epsilon)
    mine = found.expansion(space)
    value = naive_scale.objective(mine.coef, mine.intercept, K, K_LL, target, bounds, epsilon)
    assert value <= best * (1.0 + 1e-9)
    assert found.objective == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(_decisions(found, space, X), K @ coef + b, atol=2e-4)


def test_objective_is_below_that_of_scikit_learns_pipeline() -> None:
    """The same landmarks and penalty; LIBLINEAR also penalises the intercept, so it cannot be better."""
    X, y = binary()
    landmarks = _landmarks(X)
    space = LandmarkSpace.of(RBF(0.2), landmarks)
    (found,) = solve(RowChunks(X, y), space, Losses(2.0, np.array([0, 1])))
    approximation = Nystroem(gamma=0.2, n_components=len(landmarks)).fit(landmarks)
    features = approximation.transform(X)
    linear = LinearSVC(C=1.0, intercept_scaling=100.0, tol=1e-8, max_iter=100_000).fit(features, y)
    slack = np.maximum(0.0, 1.0 - (2 * y - 1) * linear.decision_function(features))
    theirs = 0.5 * float((linear.coef_**2).sum()) + 1.0 * float((slack**2).sum())
    assert found.objective <= theirs * (1.0 + 1e-9)
    assert found.objective == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("kernel", [RBF(0.3), Polynomial(2, 0.5, 1.0), Linear()])
@pytest.mark.parametrize("C", [0.5, 50.0])
def test_with_all_rows_as_landmarks_it_is_the_exact_machine(kernel: Kernel, C: float) -> None:
    X, y = binary(150)
    space = LandmarkSpace.of(kernel, X)
    (found,) = solve(RowChunks(X, y, memory=1500), space, Losses(C, np.array([0, 1])))
    exact = train_squared_hinge(gram(kernel, X, X), 2.0 * y - 1.0, C)
    assert found.objective == pytest.approx(exact.objective, rel=1e-6)
    np.testing.assert_allclose(_decisions(found, space, X), exact.decision, atol=1e-4)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_chunks_do_not_matter(task: str) -> None:
    X, y = classes() if task == "classes" else numbers()
    labels = np.array(["low", "middle", "top"]) if task == "classes" else None
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    losses = Losses(5.0, labels, None, 0.1)
    whole = solve(RowChunks(X, y), space, losses)
    for memory in (X.shape[1] * 8 * 37, X.shape[1] * 8 * 100):
        for one, other in zip(
            whole, solve(RowChunks(X, y, memory=memory), space, losses), strict=True
        ):
            np.testing.assert_allclose(
                _decisions(one, space, X), _decisions(other, space, X), rtol=1e-9, atol=1e-9
            )


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("factor", [4.0, 0.3, 100.0])
def test_another_C_starts_from_the_sums_of_the_last(task: str, factor: float) -> None:
    """The machine of the other C, without a pass that adds up whole matrices, kernel values given."""
    X, y = classes() if task == "classes" else numbers()
    labels = np.array(["low", "middle", "top"]) if task == "classes" else None
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    one, other = Losses(0.5, labels, None, 0.1), Losses(0.5 * factor, labels, None, 0.1)
    rows, given = RowChunks(space.kernel_values(X), y), replace(space, known=True)
    asked: list[str] = []

    class Heard(RowChunks):
        def total(self, function: Any, *broadcast: Any) -> Any:
            asked.extend(broadcast[3])
            return super().total(function, *broadcast)

    found = solve_with_other_C(Heard(rows.X, y), given, other, factor, solve(rows, given, one))
    assert asked
    assert asked[0] == "change"
    for ours, theirs in zip(found, solve(RowChunks(X, y), space, other), strict=True):
        assert ours.converged
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-8)
        np.testing.assert_allclose(
            _decisions(ours, space, X), _decisions(theirs, space, X), rtol=1e-6, atol=1e-6
        )


def test_pairs_in_one_pass_are_the_pairs_alone() -> None:
    X, y = classes()
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    losses = Losses(5.0, np.array(["low", "middle", "top"]))
    together = solve(RowChunks(X, y), space, losses)
    for pair, solution in zip(losses.pairs, together, strict=True):
        rows = losses.member(losses.codes(y), pair)
        two = Losses(5.0, losses.classes[list(pair)])
        (alone,) = solve(RowChunks(X[rows], y[rows]), space, two)
        np.testing.assert_allclose(
            _decisions(solution, space, X), _decisions(alone, space, X), rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_weights_are_numbers_of_copies(task: str) -> None:
    X, y = binary() if task == "classes" else numbers()
    copies = np.arange(len(y)) % 3
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    losses = Losses(2.0, np.array([0, 1]) if task == "classes" else None, None, 0.1)
    (weighted,) = solve(RowChunks(X, y, copies.astype(float), memory=1000), space, losses)
    repeated = RowChunks(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    (copied,) = solve(repeated, space, losses)
    np.testing.assert_allclose(
        _decisions(weighted, space, X), _decisions(copied, space, X), rtol=1e-8, atol=1e-8
    )


def test_class_weights_are_weights_of_the_rows() -> None:
    X, y = binary()
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    (by_class,) = solve(RowChunks(X, y), space, Losses(1.0, np.array([0, 1]), np.array([1.0, 4.0])))
    (by_row,) = solve(RowChunks(X, y, 1.0 + 3.0 * y), space, Losses(1.0, np.array([0, 1])))
    np.testing.assert_allclose(by_class.w, by_row.w, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(0.2), Polynomial(2, 0.3, 1.0), Linear()])
def test_sparse_is_dense(kernel: Kernel) -> None:
    X, y = binary()
    X = X * (np.abs(X) > 0.7)
    landmarks = _landmarks(X)
    found = []
    for made in (np.asarray, sp.csr_matrix):
        space = LandmarkSpace.of(kernel, made(landmarks))
        (solution,) = solve(RowChunks(made(X), y), space, Losses(1.0, np.array([0, 1])))
        found.append(_decisions(solution, space, made(X)))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("C", [1e-6, 1e6])
def test_extreme_penalties_converge(C: float) -> None:
    X, y = binary()
    space = LandmarkSpace.of(RBF(0.2), _landmarks(X))
    (found,) = solve(RowChunks(X, y), space, Losses(C, np.array([0, 1])))
    assert found.converged


def test_too_large_a_penalty_is_refused_in_one_sentence() -> None:
    X, y = binary()
    space = LandmarkSpace.of(Linear(), X)
    with pytest.raises(ValueError, match="lower C"):
        solve(RowChunks(X[:, :1] * np.ones(6), y), space, Losses(1e30, np.array([0, 1])))


def test_landmarks_are_spread_rows() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(500, 2)), rng.normal(size=(5, 2)) + 50.0])
    weight = np.ones(505)
    weight[:100] = 0.0
    found = choose_landmarks(Chunk(X, np.zeros(505), weight, 0), 10, 0)
    rows = [int(np.flatnonzero((each == X).all(axis=1))[0]) for each in found]
    assert len(set(rows)) == 10
    assert min(rows) >= 100  # no row of weight zero
    assert max(rows) >= 500  # a far group is found, however small
    everything = choose_landmarks(Chunk(X[:8], np.zeros(8), None, 0), 10, 0)
    np.testing.assert_array_equal(everything, X[:8])


def test_equal_landmarks_do_no_harm() -> None:
    X, y = binary()
    space = LandmarkSpace.of(RBF(0.2), np.concatenate([X[:20], X[:20]]))
    assert space.n_dimensions == 20
    (found,) = solve(RowChunks(X, y), space, Losses(1.0, np.array([0, 1])))
    (once,) = solve(
        RowChunks(X, y), LandmarkSpace.of(RBF(0.2), X[:20]), Losses(1.0, np.array([0, 1]))
    )
    assert found.objective == pytest.approx(once.objective, rel=1e-9)


def test_many_pairs_come_in_batches() -> None:
    losses = Losses(1.0, np.arange(30))
    batches = pair_batches(losses, 3000)
    assert [pair for batch in batches for pair in batch] == losses.pairs
    assert max(len(batch) for batch in batches) * 8 * 3001**2 <= 256 * 2**20
