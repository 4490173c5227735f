"""Criteria whose scores stay when the lowest leave: scored once, an elimination is what it was."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from svmsieve import rank
from svmsieve.criteria import make_criterion
from svmsieve.criteria.material import Data, RowsOnly
from svmsieve.criteria.registry import names_for
from svmsieve.search import Elimination
from tests.search.problems import numbers, problem_of, three_classes, two_classes

SETTLED = ("correlation", "f-score", "lasso", "s2n")


def drawn(seed):
    """A problem of some kind, shape and grouping, with a copied column now and then."""
    rng = np.random.default_rng(seed)
    kind = [two_classes, three_classes, numbers][seed % 3]
    X, y = kind(n=int(rng.integers(30, 70)), d=int(rng.integers(4, 13)), seed=seed)
    if rng.random() < 0.3:
        X = np.column_stack([X, X[:, 0]])
    groups = None
    if rng.random() < 0.3:
        groups = np.array_split(rng.permutation(X.shape[1]), X.shape[1] // 2)
        groups = [sorted(group) for group in groups]
    if rng.random() < 0.2:  # three columns in a plane
        X = np.column_stack([X, X[:, 1] + X[:, 2]])
        groups = None
    weight = rng.integers(0, 3, len(y)).astype(float) if rng.random() < 0.3 else None
    return X, y, groups, weight, int(rng.integers(1, 4))


def data_of(problem):
    samples = RowsOnly.of(problem.X, problem.plan.kernel)
    return Data(samples, problem.target, sample_weight=problem.sample_weight)


def test_which_they_are():
    X, y = two_classes()
    data = data_of(problem_of(X, y, SVC()))
    found = {name for name in names_for("binary") if make_criterion(name, "binary").settled(data)}
    assert found == set(SETTLED)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", SETTLED)
def test_scored_once_as_scored_at_every_step(name, seed, monkeypatch):
    X, y, groups, weight, step = drawn(seed)
    machine = SVR() if y.dtype.kind == "f" else SVC()
    if y.dtype.kind == "f" and name in ("f-score", "s2n"):
        y, machine = np.where(y > np.median(y), "high", "low"), SVC()
    problem = problem_of(X, y, machine, name, groups=groups, sample_weight=weight)
    if name != "lasso":
        assert problem.criterion.settled(data_of(problem))
    once = list(Elimination(step).run(problem))
    monkeypatch.setattr(type(problem.criterion), "settled", lambda self, data: False)
    anew = list(Elimination(step).run(problem))
    assert [sorted(each.moved) for each in once] == [sorted(each.moved) for each in anew]
    for a, b in zip(once, anew, strict=True):
        np.testing.assert_allclose(a.scores, b.scores, rtol=1e-7, atol=1e-9)
        assert a.largest == pytest.approx(b.largest)


def test_a_column_and_its_copy_are_scored_at_every_step():
    X, y = numbers(d=8)
    alone, twice = problem_of(X, y, SVR(), "lasso"), np.column_stack([X, X[:, 3]])
    assert alone.criterion.settled(data_of(alone))
    assert not alone.criterion.settled(data_of(problem_of(twice, y, SVR(), "lasso")))


def test_one_that_must_stay_has_its_score_of_each_step():
    X, y = numbers(d=8)
    kept = frozenset({int(np.abs(X.T @ y).argmin())})
    problem = problem_of(X, y, SVR(), "lasso", keep=kept)
    assert Elimination(1)._reranks(problem)


@pytest.mark.parametrize("name", ["correlation", "f-score", "s2n"])
def test_twin_columns_have_the_same_digits_wherever_they_stand(name):
    rng = np.random.default_rng(0)
    for _ in range(40):
        n, d = int(rng.integers(20, 90)), int(rng.integers(2, 40))
        X = rng.normal(size=(n, d))
        places = rng.choice(d, 2, replace=False)
        X[:, places[1]] = X[:, places[0]]
        weight = rng.uniform(0.5, 2.0, n) if rng.random() < 0.5 else None
        for y in (X[:, 0] > 0, np.digitize(X[:, 0], [-0.5, 0.5])):
            scores = rank(X, y, name, sample_weight=weight).scores
            assert scores[places[0]] == scores[places[1]]
