"""Outer folds in several processes: what comes out does not depend on how many."""

import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.evaluation.nested import Running, evaluating
from tests.evaluation.problems import two_matter


@pytest.mark.parametrize("n_processes", [pytest.param(2, marks=pytest.mark.paper), 3])
def test_an_evaluation_does_not_know_how_many_processes_made_it(n_processes, tmp_path):
    X, y = two_matter(n=60, d=6)
    methods = {
        "sieve": SVMSieve(SVC(), criterion="weight", n_features_to_select="1se", cv=3),
        "default": SVMSieve(cv=2),
        "each": [SVMSieve(SVC(C=C), n_features_to_select=2) for C in (1, 2, 3)],
    }
    options = {"groups": None, "scoring": None, "random_state": 0}

    def found(n, checkpoint=None):
        with evaluating(methods, X, y, 3, Running(None, checkpoint, 0, n), **options) as folds:
            return {name: same_each_time(each) for name, each in folds.end().items()}

    one = found(1)
    file = tmp_path / "folds.jsonl"
    assert found(n_processes, file) == one
    assert [path.name for path in tmp_path.iterdir()] == ["folds.jsonl"]
    assert found(n_processes, file) == one  # from what the processes wrote
    assert found(1, file) == one


def same_each_time(evaluation):
    """What an evaluation came to, without the time it took."""
    folds = evaluation.to_dict()["folds"]
    return [{key: value for key, value in fold.items() if key != "seconds"} for fold in folds]
