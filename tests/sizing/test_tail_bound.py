"""How often noise is chosen by both halves, at most."""

from __future__ import annotations

import numpy as np
import pytest

from svmsieve.sizing.tail_bound import noise_tail, tail_bound
from tests.naive_halves import largest_tail, random_concave


@pytest.mark.parametrize("n", [5, 20, 50])
@pytest.mark.parametrize("mean", [0.001, 0.1])
def test_no_concave_distribution_goes_beyond_it(n, mean):
    rng = np.random.default_rng(n)
    bound = np.array([tail_bound(mean, least, n) for least in range(n + 1)])
    for _ in range(30):
        p = random_concave(n, n * mean, rng)
        assert (np.cumsum(p[::-1])[::-1] <= bound + 1e-9).all()


@pytest.mark.parametrize(("mean", "least", "n"), [(0.05, 3, 6), (0.02, 2, 6), (0.1, 4, 7)])
def test_it_is_what_a_general_optimiser_finds(mean, least, n):
    found = largest_tail(mean, least, n, starts=6, rng=np.random.default_rng(0))
    assert found == pytest.approx(tail_bound(mean, least, n), rel=0.02)
    assert found <= tail_bound(mean, least, n) + 1e-6


def test_it_falls_with_the_threshold_and_grows_with_the_mean():
    falling = [tail_bound(0.01, least, 50) for least in range(51)]
    assert (np.diff(falling) <= 1e-12).all()
    growing = [tail_bound(mean, 15, 50) for mean in (1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.2, 1.0)]
    assert (np.diff(growing) >= 0.0).all()
    assert growing[-1] == 1.0
    assert tail_bound(0.01, 51, 50) == 0.0


@pytest.mark.parametrize(("n", "p", "chosen", "least"), [(100, 40, 6, 62), (60, 100, 9, 70)])
def test_what_is_known_of_independent_noise(n, p, chosen, least):
    """Noise that differs between classes by chance, and the halves that choose it for that."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], n // 2)
    counts = []
    for _ in range(400):
        X = rng.normal(size=(n, p))
        half = np.argsort(rng.random((200, 2, n // 2)), axis=2) < n // 4
        first = half.reshape(200, n)
        rows = np.concatenate([first, ~first])
        scores = np.abs((rows * y) @ X)
        ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
        counts.append(((ranks < chosen).sum(axis=0) >= 4 * least).sum())
    expected, error = p * noise_tail(chosen / p, least, 100), np.std(counts) / 20
    # Exactly so many are chosen, which leaves a little less to chance.
    assert 0.75 * expected - 2 * error <= np.mean(counts) <= expected + 2 * error
