"""Platt's sigmoid minimises its log loss; coupling solves its equations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from svmsieve.engine.machines.platt import Sigmoid, couple, coupling_slopes, fit_sigmoid
from tests import naive


def _decisions(n=40, seed=0, scale=1.0, noise=1.0):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return scale * (y + noise * rng.normal(size=n) + 0.3), y


def _best_loss(decision, y, weight=None):
    """The smallest loss a generic solver finds from several starts."""
    scale = max(1e-12, abs(decision).max())
    losses = []
    for start in ([0.0, 0.0], [-1.0, 0.0], [-5.0, 1.0]):
        result = minimize(
            lambda v: naive.platt_loss(decision, y, v[0] / scale, v[1], weight),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000},
        )
        losses.append(result.fun)
    return min(losses)


@pytest.mark.jitless
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("noise", [0.1, 1.0, 10.0])
def test_loss_is_smallest(scale, noise):
    decision, y = _decisions(n=25, scale=scale, noise=noise)
    A, B = fit_sigmoid(decision, y)
    loss = naive.platt_loss(decision, y, A, B)
    assert loss <= _best_loss(decision, y) * (1.0 + 1e-7)
    assert noise > 1.0 or A < 0.0


def test_gradient_vanishes():
    decision, y = _decisions(n=200)
    A, B = fit_sigmoid(decision, y)
    for dA, dB in ((1e-5, 0.0), (0.0, 1e-5)):
        up = naive.platt_loss(decision, y, A + dA, B + dB)
        down = naive.platt_loss(decision, y, A - dA, B - dB)
        assert abs(up - down) / 2e-5 < 1e-6


def test_weights():
    decision, y = _decisions(n=30)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, size=30)
    sigmoid = fit_sigmoid(decision, y, weight)
    loss = naive.platt_loss(decision, y, *sigmoid, weight)
    assert loss <= _best_loss(decision, y, weight) * (1.0 + 1e-7)


def test_a_weight_of_two_is_a_sample_twice():
    decision, y = _decisions(n=30)
    weight = np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = np.append(np.arange(30), np.arange(10))
    np.testing.assert_allclose(
        fit_sigmoid(decision, y, weight), fit_sigmoid(decision[twice], y[twice]), rtol=1e-6
    )


def test_reversed_decisions_reverse_the_sigmoid():
    decision, y = _decisions()
    forward, backward = fit_sigmoid(decision, y), fit_sigmoid(-decision, -y)
    np.testing.assert_allclose(forward(decision), 1.0 - backward(-decision), atol=1e-7)


@pytest.mark.jitless
@pytest.mark.parametrize(
    "decision",
    [
        np.zeros(10),
        np.full(10, 3.0),
        np.full(10, 1e8),
        np.where(np.arange(10) % 2, 1.0, -1.0),
        np.where(np.arange(10) % 2, 1e9, -1e9),
        np.where(np.arange(10) % 2, 1e-9, -1e-9),
        np.where(np.arange(10) % 2, -1.0, 1.0),
    ],
    ids=["zero", "constant", "large", "separated", "far", "near", "wrong"],
)
def test_degenerate_decisions_give_probabilities(decision):
    y = np.where(np.arange(10) % 2, 1.0, -1.0)
    sigmoid = fit_sigmoid(decision, y)
    p = sigmoid(decision)
    assert np.isfinite(sigmoid).all()
    assert ((p >= 0.0) & (p <= 1.0)).all()
    assert naive.platt_loss(decision, y, *sigmoid) <= naive.platt_loss(decision, y, 0.0, 0.0) + 1e-9


@pytest.mark.jitless
def test_the_sigmoid_never_overflows():
    p = Sigmoid(-1.0, 0.0)(np.array([-1e308, -800.0, -1.0, 0.0, 1.0, 800.0, 1e308]))
    expected = [0.0, 0.0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1.0, 1.0]
    np.testing.assert_allclose(p, expected, atol=1e-300, rtol=1e-14)


@pytest.mark.jitless
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_coupling_solves_its_equations(n_classes):
    rng = np.random.default_rng(n_classes)
    pairwise = rng.uniform(0.02, 0.98, size=(12, n_classes * (n_classes - 1) // 2))
    p = couple(pairwise, n_classes)
    np.testing.assert_allclose(p, naive.couple(pairwise, n_classes), atol=1e-10)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p >= 0.0).all()


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 6))
def test_coupling_recovers_consistent_probabilities(seed, n_classes):
    p = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=5) * 0.98 + 0.02 / n_classes
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    pairwise = np.column_stack([p[:, j] / (p[:, i] + p[:, j]) for i, j in pairs])
    np.testing.assert_allclose(couple(pairwise, n_classes), p, atol=1e-8)


@given(seed=st.integers(0, 10_000))
def test_renaming_the_classes_renames_the_probabilities(seed):
    rng = np.random.default_rng(seed)
    pairwise = rng.uniform(0.05, 0.95, size=(6, 3))  # pairs (0,1), (0,2), (1,2)
    swapped = np.column_stack([1.0 - pairwise[:, 0], pairwise[:, 2], pairwise[:, 1]])  # 0 ↔ 1
    np.testing.assert_allclose(couple(swapped, 3)[:, [1, 0, 2]], couple(pairwise, 3), atol=1e-12)


def test_certain_pairs_stay_regular():
    pairwise = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    p = couple(pairwise, 3)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert p[0].argmax() == 0
    assert p[1].argmax() == 2
    np.testing.assert_allclose(p[2], 1.0 / 3.0, atol=1e-5)  # a circle: nobody wins


@pytest.mark.parametrize("n_classes", [2, 4])
def test_coupling_slopes(n_classes):
    rng = np.random.default_rng(0)
    pairwise = rng.uniform(0.05, 0.95, size=(5, n_classes * (n_classes - 1) // 2))
    slopes = coupling_slopes(pairwise, n_classes)
    for k in range(pairwise.shape[1]):
        step = np.zeros_like(pairwise)
        step[:, k] = 1e-5
        change = naive.couple(pairwise + step, n_classes) - naive.couple(pairwise - step, n_classes)
        np.testing.assert_allclose(slopes[:, :, k], change / 2e-5, atol=1e-6)


@pytest.mark.parametrize("pairwise", [np.full((2, 2), 0.5), np.full(3, 0.5)])
def test_wrong_number_of_pairs(pairwise):
    with pytest.raises(ValueError, match="pairwise must have 3 columns for 3 classes"):
        couple(pairwise, 3)
