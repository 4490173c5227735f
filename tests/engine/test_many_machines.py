"""Many classes: one kernel matrix for all machines gives what each machine by itself does."""

import numpy as np
import pytest
from sklearn.svm import SVC

from svmsieve import SVMSieve, rank
from svmsieve.criteria import pairs, replacement
from svmsieve.engine.machines import many_machines


def classes(n_classes, n_each, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_classes), n_each))
    centers = rng.normal(size=(n_classes, d))
    return 0.7 * centers[y] + rng.normal(size=(len(y), d)), y


MACHINES = [SVC(gamma=0.2), SVC(kernel="linear"), SVC(kernel="poly", coef0=1.0, degree=2)]


@pytest.mark.parametrize("criterion", ["weight", "fspp1", "fspp2", "fspp3"])
@pytest.mark.parametrize("machine", MACHINES, ids=["rbf", "linear", "poly"])
@pytest.mark.parametrize("groups", [None, [[0, 3], [1], [2], [4]]], ids=["columns", "groups"])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_machine_by_machine(monkeypatch, criterion, machine, groups, weighted):
    X, y = classes(10, 4)
    weight = np.linspace(0.5, 2.0, len(y)) if weighted else None
    options = {"groups": groups, "sample_weight": weight}
    together = rank(X, y, criterion, machine, **options).scores
    monkeypatch.setattr(many_machines, "MANY_MACHINES", 10**6)
    alone = rank(X, y, criterion, machine, **options).scores
    np.testing.assert_allclose(together, alone, rtol=2e-3, atol=1e-6 * alone.max())
    assert together.max() > 0.0


@pytest.mark.parametrize("criterion", ["weight", "fspp2"])
def test_no_machine_of_many_classes_is_called_upon_by_itself(monkeypatch, criterion):
    calls = []
    for module, name in ((replacement, "response_blocks"), (pairs, "removal_changes_of_each")):
        real = getattr(module, name)

        def spy(*args, real=real, **options):
            calls.append(args)
            return real(*args, **options)

        monkeypatch.setattr(module, name, spy)
    X, y = classes(20, 3)
    sieve = SVMSieve(SVC(), criterion=criterion, n_features_to_select=3).fit(X, y)
    assert sieve.n_features_ == 3
    assert calls == []
    rank(*classes(3, 10), criterion, SVC())  # few machines go their own way
    assert len(calls) == 3
