"""A scorer that cannot work is refused before a single machine is trained; one that can is not refused.

Every scorer of scikit-learn, with targets of each kind, in all that takes one.  Whether it can work is seen
from scikit-learn's own machine.
"""

import warnings

import numpy as np
import pytest
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve, compare, nested_evaluate
from svmsieve.engine.machines import machine as machines
from svmsieve.engine.machines.scoring import _judges_numbers
from svmsieve.engine.solvers import smo


class TrainedError(Exception):
    """A machine was to be trained."""


X = np.random.default_rng(0).normal(size=(40, 3))
TARGETS = {
    "0 and 1": (X[:, 0] > 0).astype(int),
    "text": np.where(X[:, 0] > 0, "yes", "no"),
    "three": np.digitize(X[:, 0], [-0.5, 0.5]),
    "three texts": np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])],
    "numbers": X[:, 0] + 5.0,
}
SCORERS = {name: get_scorer(name) for name in get_scorer_names()} | {
    "made: f1": make_scorer(f1_score),
    "made: AUC": make_scorer(roc_auc_score, response_method="predict_proba"),
}


@pytest.fixture(autouse=True)
def nothing_is_trained(monkeypatch):
    def training(*_, **__):
        raise TrainedError

    for module in (smo, machines):
        monkeypatch.setattr(module, "solve_qp", training)
    monkeypatch.setattr("svmsieve.engine.machines.pair_machines._solve", training)
    monkeypatch.setattr("svmsieve.engine.machines.machine.solve_squared_hinge", training)


def machine_for(kind, **options):
    return SVR() if kind == "numbers" else SVC(**options)


def outcome(run):
    """Whether something was refused, or came as far as training."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            run()
        except TrainedError:
            return "trains"
        except ValueError as error:
            return f"refused: {error}"
    raise AssertionError("nothing was trained")


def works(scorer, fitted, y):
    """Whether it judges the machine, by labels that it gets wrong now and then: ratios want errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(np.isfinite(scorer(fitted, X, np.roll(y, 1))))
        except Exception:  # whatever it raises
            return False


def wrappings(kind, **options):
    sieve = SVMSieve(machine_for(kind, **options), criterion="weight", n_features_to_select=2)
    return {
        "sieve": sieve,
        "pipeline": make_pipeline(sieve),
        "search": GridSearchCV(sieve, {"tuning": ["best"]}, cv=2, error_score="raise"),
        "machine": machine_for(kind, **options),
    }


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("probability", [False, True])
def test_an_evaluation_refuses_before_it_trains(kind, probability, monkeypatch):
    y = TARGETS[kind]
    options = {"probability": True} if probability and kind != "numbers" else {}
    if options:
        warnings.filterwarnings("ignore", category=FutureWarning)
    fitted = machine_for(kind, **options).fit(X, y)
    # a machine of scikit-learn's counts as one, too
    monkeypatch.setattr(type(fitted), "fit", lambda *_, **__: (_ for _ in ()).throw(TrainedError))
    for name, scorer in SCORERS.items():
        can = works(scorer, fitted, y) and (
            name.startswith("made") or _judges_numbers(name) == (kind == "numbers")
        )
        for what, selector in wrappings(kind, **options).items():
            if what != "sieve" and name not in ("accuracy", "roc_auc", "neg_log_loss", "f1", "r2"):
                continue
            scoring = scorer if name.startswith("made") else name
            found = outcome(lambda s=selector, c=scoring: nested_evaluate(s, X, y, 2, scoring=c))
            assert found.startswith("trains" if can else "refused"), (name, what, found)
            assert not can or found == "trains"
            assert can or "scoring" in found, found
    bad = {"three": "f1", "three texts": "roc_auc", "text": "f1"}.get(kind, "neg_log_loss")
    if not (probability and bad == "neg_log_loss"):
        methods = {"one": selector, "other": SVMSieve(machine_for(kind), criterion="weight")}
        assert outcome(lambda: compare(methods, X, y, 2, scoring=bad)).startswith("refused")


@pytest.mark.parametrize("search", ["rfe", "forward", "hill-climb", "default", "without folds"])
@pytest.mark.parametrize("kind", TARGETS)
def test_a_sieve_refuses_before_it_trains(kind, search):
    y = TARGETS[kind]
    fitted = machine_for(kind).fit(X, y)
    for name, scorer in SCORERS.items():
        scoring = scorer if name.startswith("made") else name
        can = works(scorer, fitted, y) and (
            name.startswith("made") or _judges_numbers(name) == (kind == "numbers")
        )
        if search == "without folds" and ("deviance" in name or "log_error" in name):
            continue  # its tuning trains another way, and finds answers that are not positive
        options = {"scoring": scoring, "cv": 2, "random_state": 0}
        if search == "default":
            sieve = SVMSieve(**options)
        elif search == "without folds":  # what tunes the machine is judged by it, too
            sieve = SVMSieve(n_features_to_select="threshold", **options)
        else:
            sieve = SVMSieve(
                machine_for(kind), criterion="weight", search=search, n_features_to_select="best"
            ).set_params(**options)
        found = outcome(lambda s=sieve: s.fit(X, y))
        assert found.startswith("trains" if can else "refused"), (name, found)
        assert can or "scoring" in found, found
