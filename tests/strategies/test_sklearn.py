"""The strategies among scikit-learn's tools."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from svmsieve.strategies import FScoreSVC

GRID = {"C": [1.0], "gamma": [1.0]}
QUICK = [FScoreSVC(n_splits=1, **GRID)]


@parametrize_with_checks(QUICK)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)
