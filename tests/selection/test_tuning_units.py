"""The grid of the final machine says its scores in the measure of the selection, in the target's units."""

import numpy as np
import pytest

from svmsieve import SVMSieve


@pytest.mark.parametrize(
    ("scoring", "power"),
    [(None, 0), ("r2", 0), ("neg_mean_squared_error", 2), ("neg_mean_absolute_error", 1)],
)
def test_the_grid_s_scores_have_the_units_of_the_selection_s(scoring, power):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(32, 2))
    # Few digits and powers of two: standardised, both targets are the same bit by bit.
    y = np.round((X[:, 0] + 0.3 * rng.normal(size=32)) * 256.0) / 256.0
    grids = []
    for factor in (1.0, 128.0):
        sieve = SVMSieve(scoring=scoring, cv=3).fit(X, factor * y)
        assert sieve.tuning_.scored
        grids.append(sieve.tuning_)
        near = sieve.path_.mean_score.max()
        assert sieve.tuning_.best_score == pytest.approx(near, rel=0.3)
    np.testing.assert_allclose(grids[1].scores, 128.0**power * grids[0].scores, rtol=1e-6)
    np.testing.assert_allclose(grids[1].epsilon, 128.0 * grids[0].epsilon)


def test_a_machine_of_a_size_that_was_given_is_tuned_by_the_measure_of_the_selection():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    sieve = SVMSieve(n_features_to_select=2).fit(X, X[:, 0] > 0)
    assert sieve.tuning_.scored
    assert sieve.tuning_.best_C == sieve.estimator_.C
    assert sieve.tuning_.best_gamma == pytest.approx(sieve.estimator_.gamma)
    assert 0.5 < sieve.tuning_.best_score <= 1.0
