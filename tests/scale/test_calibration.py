"""Sigmoids of the Nyström machine: from machines that had not seen the rows, one Newton step away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.expansion import Expansion
from svmsieve.engine.machines.fit import balanced_weights
from svmsieve.engine.machines.folds import grouped_folds, stratified_folds
from svmsieve.engine.machines.platt import fit_sigmoid
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.scale import stream
from svmsieve.scale.calibration import CalibrationRows, calibrate, held_out_theta, taken_out
from svmsieve.scale.chunks import Chunk, RowChunks
from svmsieve.scale.landmarks import LandmarkSpace
from svmsieve.scale.losses import Losses
from svmsieve.scale.nystroem import solve
from tests.scale.problems import binary, classes


def _without(
    X: np.ndarray, y: np.ndarray, held: np.ndarray, C: float
) -> tuple[np.ndarray, np.ndarray]:
    """Decision values of held-out rows: by one Newton step, and by training without them."""
    space, losses = LandmarkSpace.of(RBF(0.2), X[:40]), Losses(C, np.array([0, 1]))
    (whole,) = solve(RowChunks(X, y), space, losses)
    base = np.append(space.coef(whole.base[:-1]), whole.base[-1])
    out = taken_out(Chunk(X[held], y[held], None, 0), space, losses, (0, 1), base)
    coef, intercept = held_out_theta(whole, out, space, losses, (0, 1))
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


def _retrained(
    X: np.ndarray,
    y: np.ndarray,
    two: np.ndarray,
    out: np.ndarray,
    space: LandmarkSpace,
    balanced: bool,
) -> Expansion:
    """The machine of two classes trained without some rows, classes weighed by the others."""
    left = np.setdiff1d(np.arange(len(y)), out)
    left_of_two = left[np.isin(y[left], two)]
    weights = None
    if balanced:
        labels, counts = np.unique(y[left], return_counts=True)
        weights = len(left) / (len(labels) * counts[np.searchsorted(labels, two)])
    chunks = RowChunks(X[left_of_two], y[left_of_two])
    (machine,) = solve(chunks, space, Losses(SMALL_C, two, weights))
    return machine.expansion(space)


SMALL_C = 1e-3
"""Every row has a loss: one Newton step from a machine is the machine without a fold."""


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("part", [1, 2], ids=["all", "a sample"])
def test_sigmoids_are_fitted_to_held_out_decisions(
    balanced: bool, grouped: bool, part: int
) -> None:
    X, y = classes()
    keep = np.flatnonzero((y != "top") | (np.arange(len(y)) % 3 == 0))  # one class is rarer
    X, y = X[keep], y[keep]
    groups = np.random.default_rng(0).integers(0, 30, len(y)) if grouped else None
    names, counts = np.unique(y, return_counts=True)
    space = LandmarkSpace.of(RBF(0.2), X[:40])
    losses = Losses(SMALL_C, names)
    if balanced:
        losses = Losses(SMALL_C, names, balanced_weights(counts), counts=counts)
    drawn = np.arange(0, len(y), part)
    sample = Chunk(X[drawn], y[drawn], None, 0)
    if groups is not None:
        sample = sample._replace(groups=groups[drawn])
    rows = CalibrationRows(RowChunks(X, y, memory=3000, groups=groups), sample, seed=3)
    with one_blas_thread():
        solutions = solve(RowChunks(X, y), space, losses)
        found = calibrate(solutions, losses.pairs, rows, space, losses)
        assert len(found) == 3
        for pair, sigmoid in zip(losses.pairs, found, strict=True):
            two = names[list(pair)]
            members = drawn[np.isin(y[drawn], two)]
            labels = np.where(y[members] == two[1], 1.0, -1.0)
            codes = (labels > 0).astype(np.intp)
            folds = (
                stratified_folds(codes, 5, 3)
                if groups is None
                else grouped_folds(groups[members], 5, 3, codes)
            )
            decisions = np.empty(len(members))
            for fold in folds:
                out = members[fold]
                if groups is not None:
                    out = np.flatnonzero(np.isin(groups, groups[out]) & np.isin(y, two))
                machine = _retrained(X, y, two, out, space, balanced)
                decisions[fold] = machine.decision_function(X[members[fold]])
            wanted = fit_sigmoid(decisions, labels)
            np.testing.assert_allclose(sigmoid, wanted, rtol=1e-6, atol=1e-9)


def test_groups_that_cannot_stay_whole_are_split_with_a_warning() -> None:
    X, y = binary()
    groups = y.astype(np.intp)  # each class is one group: a fold without it has one class
    space, losses = LandmarkSpace.of(RBF(0.2), X[:40]), Losses(SMALL_C, np.array([0, 1]))
    chunks, sample = RowChunks(X, y), Chunk(X, y, None, 0)
    solutions = solve(chunks, space, losses)
    rows = CalibrationRows(RowChunks(X, y, groups=groups), sample._replace(groups=groups))
    with pytest.warns(UserWarning, match="split groups"):
        split = calibrate(solutions, losses.pairs, rows, space, losses)
    alone = calibrate(solutions, losses.pairs, CalibrationRows(chunks, sample), space, losses)
    assert split == alone


def test_a_fitted_sieve_keeps_groups_whole_and_weighs_by_the_training_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What SVMSieve hands to the calibration: all rows' groups, and counts to balance by."""
    X, y = binary()
    groups = np.random.default_rng(0).integers(0, 20, len(y))
    seen = []
    real = stream.calibrate

    def spy(solutions: Any, pairs: Any, rows: CalibrationRows, space: Any, losses: Losses) -> Any:
        seen.append((rows, losses))
        return real(solutions, pairs, rows, space, losses)

    monkeypatch.setattr(stream, "calibrate", spy)
    monkeypatch.setattr(stream, "SAMPLE_ROWS", 100)
    machine = SVC(class_weight="balanced")
    sieve = SVMSieve(machine, criterion="fspp2", search="once", n_features_to_select=2)
    sieve.set_params(machine="nystroem", n_landmarks=30).fit(X, y, groups=groups)
    assert seen
    for rows, losses in seen:
        np.testing.assert_array_equal(losses.counts, np.bincount(y))
        # the sample's own rows, whose X tells where they come from
        every = rows.chunks.take(np.arange(len(y)))
        assert every.groups is not None
        assert len(every.groups) == len(y)
        places = [np.flatnonzero((row == every.X).all(axis=1))[0] for row in rows.sample.X]
        np.testing.assert_array_equal(rows.sample.groups, every.groups[places])
