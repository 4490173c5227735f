"""Classes of very unequal numbers: curve, final machine and comparison count them the same."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svmsieve import SVMSieve
from svmsieve.datasets.frames import table_of_frame
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.studies.baselines import LINEAR
from svmsieve.studies.choices import Choices
from svmsieve.studies.data import prepare
from svmsieve.studies.running import make_sieve, run


def rare(seed, n=300, d=5, share=0.1):
    """Samples of which a tenth are ill: in truth as many as not at the same place, so that none is sure."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), np.where(np.arange(n) < share * n, "ill", "well")
    X[y == "ill", 1] += 1.5
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_few_of_a_class_are_found(seed):
    X, y = rare(seed)
    others, truth = rare(seed + 100, n=2000)
    sieve = SVMSieve(cv=3, random_state=0).fit(X, y)
    assert sieve.support_[1]
    plain = SVC(C=sieve.estimator_.C, gamma=sieve.estimator_.gamma)
    plain.fit(StandardScaler().fit_transform(X)[:, sieve.support_], y)
    scaled = StandardScaler().fit(X).transform(others)[:, sieve.support_]
    ours = balanced_accuracy_score(truth, sieve.predict(others))
    assert ours > 0.7
    assert ours > balanced_accuracy_score(truth, plain.predict(scaled)) + 0.1


def test_classes_are_counted_the_same_where_the_measure_does_and_nowhere_else():
    X, y = rare(0)
    assert SVMSieve(cv=3).fit(X, y).estimator_.class_weight == "balanced"
    assert SVMSieve(cv=3, scoring="accuracy").fit(X, y).estimator_.class_weight is None
    assert (
        SVMSieve(n_features_to_select=2, criterion="f-score", search="once")
        .fit(X, y)
        .estimator_.class_weight
        == "balanced"
    )
    half = np.where(np.arange(300) < 150, "ill", "well")
    assert SVMSieve(cv=3).fit(X, half).estimator_.class_weight is None
    asked = SVMSieve(cv=3, scoring="balanced_accuracy").fit(X, half)
    assert asked.estimator_.class_weight == "balanced"
    own = SVMSieve(SVC(), cv=3).fit(X, y).estimator_
    assert own.class_weight is None


def test_judged_machines_are_those_of_scikit_learn_with_balanced_classes():
    X, y = rare(1)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    sieve = SVMSieve(cv=folds, random_state=0).fit(X, y)
    ours = np.array(
        [
            step.point_scores
            for steps in sieve.record_.steps.values()
            for step in steps
            if step.size == 5 and step.point_scores
        ]
    )
    found = {weight: [] for weight in ("balanced", None)}
    for train, held_out in folds:
        scale = StandardScaler().fit(X[train])
        A, B = scale.transform(X[train]), scale.transform(X[held_out])
        for weight, scores in found.items():
            machines = [
                SVC(C=C, gamma=gamma / A.var(axis=0).sum(), class_weight=weight).fit(A, y[train])
                for C, gamma in GRID.points
            ]
            scores.append([balanced_accuracy_score(y[held_out], m.predict(B)) for m in machines])
    nearest = cdist(ours, np.array(found["balanced"]), "chebyshev").min(axis=1)
    assert nearest.max() < 0.02  # judged machines end a little before the optimum
    assert cdist(ours, np.array(found[None]), "chebyshev").min() > 0.05


@pytest.mark.parametrize("seed", range(2))
def test_samples_without_weight_are_as_if_they_were_not_there(seed):
    X, y = rare(seed)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    rng = np.random.default_rng(seed)
    more, labels = rng.normal(size=(100, 5)), rng.choice(["ill", "well"], 100)
    weight = rng.uniform(0.2, 2.0, len(y))
    few = SVMSieve(cv=folds, random_state=0).fit(X, y, sample_weight=weight)
    many = SVMSieve(
        cv=[(np.concatenate([train, 300 + np.arange(100)]), test) for train, test in folds],
        random_state=0,
    ).fit(np.vstack([X, more]), np.r_[y, labels], sample_weight=np.r_[weight, np.zeros(100)])
    np.testing.assert_array_equal(few.order_, many.order_)
    np.testing.assert_allclose(few.path_.fold_skills, many.path_.fold_skills, atol=1e-6)
    assert few.n_features_ == many.n_features_
    assert few.estimator_.class_weight == pytest.approx(many.estimator_.class_weight)
    totals = {label: weight[y == label].sum() for label in ("ill", "well")}
    for label, total in totals.items():
        assert few.estimator_.class_weight[label] == pytest.approx(weight.sum() / (2 * total))


@pytest.mark.parametrize(
    ("asked", "used"), [("accuracy", "accuracy"), ("ber", "balanced_accuracy")]
)
def test_a_study_decides_by_skill_when_its_measure_is_asked_for_by_name(asked, used):
    sieve = make_sieve(*prepared_by(asked))
    assert sieve.scoring == used
    assert callable(make_sieve(*prepared_by("auc")).scoring)


def test_the_line_that_a_study_compares_with_counts_the_classes_as_the_selection_does():
    prepared, choices = prepared_by(None)
    result = run(prepared, choices, None, quiet=True)
    predicted = np.concatenate([fold.predictions for fold in result.baselines[LINEAR].folds])
    assert np.mean(predicted == "ill") > 0.15  # a plain line hardly ever says the rare one


def prepared_by(scoring):
    import pandas as pd

    X, y = rare(0, n=200)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(target=y)
    choices = Choices(cv=3, scoring=scoring, criterion="f-score", search="once")
    table = table_of_frame(frame, "target", task="classification", groups=None, keep=())
    return prepare(table, choices), choices
