"""The strategies among scikit-learn's tools."""

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from svmsieve.strategies import ForestRMBoundSVC, FScoreForestSVC, FScoreSVC, RMBoundSVC

# Small grids, forests and minimisations, to be quick.  No check is expected to fail.
GRID = {"C": [1.0], "gamma": [1.0]}
FOREST = {"n_features_to_select": 3, "n_trees": 2}
BOUND = {"max_iter": 3, "thresholds": [0.0]}


@parametrize_with_checks(
    [FScoreSVC(n_splits=1, **GRID), ForestRMBoundSVC(n_splits=1, **FOREST, **BOUND)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.paper  # what the two above are made of, in other mixtures
@parametrize_with_checks(
    [FScoreForestSVC(n_splits=1, **FOREST, **GRID), RMBoundSVC(n_splits=1, **BOUND)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_checks_of_the_others(estimator, check):
    check(estimator)


@pytest.mark.paper
@pytest.mark.timeout(3000)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", [FScoreSVC, FScoreForestSVC, RMBoundSVC, ForestRMBoundSVC])
def test_scikit_learns_checks_with_the_papers_settings(strategy):
    check_estimator(strategy(), on_skip=None)
