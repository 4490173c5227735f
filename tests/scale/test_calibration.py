"""Sigmoids of the Nyström machine: from machines that had not seen the rows, one Newton step away."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.folds import stratified_folds
from svmsieve.engine.kernels import RBF
from svmsieve.engine.platt import fit_sigmoid
from svmsieve.engine.threads import one_blas_thread
from svmsieve.scale.calibration import calibrate, held_out_theta
from svmsieve.scale.chunks import Chunk, RowChunks
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.nystroem import Losses, solve
from tests.scale.problems import binary, classes


def _without(
    X: np.ndarray, y: np.ndarray, held: np.ndarray, C: float
) -> tuple[np.ndarray, np.ndarray]:
    """Decision values of held-out rows: by one Newton step, and by training without them."""
    space, losses = LandmarkSpace.of(RBF(0.2), X[:40]), Losses(C, np.array([0, 1]))
    (whole,) = solve(RowChunks(X, y), space, losses)
    coef, intercept = held_out_theta(whole, Chunk(X[held], y[held], None, 0), space, losses, (0, 1))
    left = np.setdiff1d(np.arange(len(y)), held)
    (really,) = solve(RowChunks(X[left], y[left]), space, losses)
    step = space.kernel_values(X[held]) @ coef + intercept
    return step, really.expansion(space).decision_function(X[held])


def test_one_step_is_the_retrained_machine_while_every_row_has_a_loss() -> None:
    X, y = binary()
    with one_blas_thread():
        step, really = _without(X, y, np.arange(0, 240, 5), 1e-3)
    np.testing.assert_allclose(step, really, rtol=1e-9, atol=1e-12)


def test_one_step_is_near_the_retrained_machine_elsewhere() -> None:
    X, y = binary()
    with one_blas_thread():
        step, really = _without(X, y, np.arange(0, 240, 5), 1.0)
    seen = np.abs(really).mean()
    assert np.abs(step - really).mean() < 0.1 * seen


def test_sigmoids_are_fitted_to_held_out_decisions() -> None:
    X, y = classes()
    space = LandmarkSpace.of(RBF(0.2), X[:40])
    losses = Losses(1e-3, np.array(["low", "middle", "top"]))
    with one_blas_thread():
        solutions = solve(RowChunks(X, y), space, losses)
        found = calibrate(solutions, losses.pairs, Chunk(X, y, None, 0), space, losses, seed=3)
        assert len(found) == 3
        for pair, sigmoid in zip(losses.pairs, found, strict=True):
            rows = np.flatnonzero(np.isin(y, losses.classes[list(pair)]))
            labels = np.where(y[rows] == losses.classes[pair[1]], 1.0, -1.0)
            decisions = np.empty(len(rows))
            for fold in stratified_folds((labels > 0).astype(np.intp), 5, 3):
                left = np.delete(rows, fold)
                two = Losses(1e-3, losses.classes[list(pair)])
                (machine,) = solve(RowChunks(X[left], y[left]), space, two)
                decisions[fold] = machine.expansion(space).decision_function(X[rows[fold]])
            wanted = fit_sigmoid(decisions, labels)
            np.testing.assert_allclose(sigmoid, wanted, rtol=1e-6, atol=1e-9)
