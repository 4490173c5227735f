"""Expansions, their decision functions and one-against-one votes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from svmsieve.engine.kernels.kernel import RBF, Linear, gram
from svmsieve.engine.machines import expansion as module
from svmsieve.engine.machines.expansion import Expansion, OneVsOne, vote
from svmsieve.engine.machines.fit import fit_svc, fit_svr
from svmsieve.engine.machines.machine import Machine, train_svc
from tests import naive
from tests.engine.problems import KERNELS, expansion, many_classes, two_classes


@pytest.mark.jitless
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_decision_function(kernel, kind):
    machine = expansion(kernel, 7, 4)
    X = np.random.default_rng(1).normal(size=(9, 4)) * (np.arange(4) != 2)
    sparse = Expansion(kernel, kind(machine.centers), machine.coef, machine.intercept)
    expected = naive.decision_function(machine, X)
    np.testing.assert_allclose(sparse.decision_function(kind(X)), expected, rtol=1e-11)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_row_chunks_give_the_same_values(kernel, monkeypatch):
    machine = expansion(kernel, 7, 4)
    X = np.random.default_rng(1).normal(size=(23, 4))
    whole = machine.decision_function(X)
    monkeypatch.setattr(module, "BLOCK_BUDGET", 16 * 7 * 3)
    np.testing.assert_allclose(machine.decision_function(X), whole, rtol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_linear_weights(kind):
    machine = expansion(Linear(), 6, 3)
    sparse = Expansion(Linear(), kind(machine.centers), machine.coef, machine.intercept)
    expected = sum(c * z for c, z in zip(machine.coef, machine.centers, strict=True))
    np.testing.assert_allclose(sparse.linear_weights(), expected)
    with pytest.raises(ValueError, match="weights of single features exist only for a linear"):
        expansion(RBF(1.0), 6, 3).linear_weights()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_only_support_vectors_are_kept(kind):
    X, y = two_classes(50, 3)
    dual = train_svc(gram(RBF(0.3), X, X), y, 1.0)
    machine = Expansion.of_dual(RBF(0.3), kind(X), dual)
    assert len(machine.coef) == len(dual.support) < 50
    assert (machine.coef != 0.0).all()
    np.testing.assert_allclose(machine.decision_function(X), dual.decision, atol=1e-10)


def test_a_constant_machine_has_one_idle_centre():
    X = np.random.default_rng(0).normal(size=(5, 2))
    machine = fit_svr(X, np.full(5, 3.0), RBF(1.0), Machine("epsilon", epsilon=0.5))
    assert machine.centers.shape == (1, 2)
    np.testing.assert_array_equal(machine.coef, [0.0])
    np.testing.assert_allclose(machine.decision_function(X), 3.0)


def test_wrong_number_of_features():
    with pytest.raises(ValueError, match="X must have 4 features, got 3"):
        expansion(RBF(0.4), 6, 4).decision_function(np.zeros((2, 3)))


@pytest.mark.jitless
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_votes(n_classes):
    rng = np.random.default_rng(0)
    n_pairs = n_classes * (n_classes - 1) // 2
    values = np.round(rng.normal(size=(60, n_pairs)))  # many exact zeros
    np.testing.assert_array_equal(vote(values, n_classes), naive.vote(values, n_classes))


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
def test_a_sample_on_the_boundary_gets_the_label_libsvm_gives(classes):
    X = np.array([[-1.0], [1.0], [5.0]])[: len(classes)]
    reference = SVC(kernel="linear", C=10.0).fit(X, classes)
    machine = fit_svc(X, classes, Linear(), Machine(C=10.0))
    assert machine.decision_values([[0.0]])[0, 0] == 0.0
    assert machine.predict([[0.0]]) == reference.predict([[0.0]])


def test_predictions_are_labels():
    X, y = many_classes(60, 3, 3)
    names = np.array(["red", "green", "blue"])[y]
    machine = fit_svc(X, names, RBF(0.3), Machine(C=5.0))
    assert isinstance(machine, OneVsOne)
    assert machine.pairs == [(0, 1), (0, 2), (1, 2)]
    assert machine.decision_values(X).shape == (60, 3)
    assert set(machine.predict(X)) <= set(names)
    assert np.mean(machine.predict(X) == names) > 0.8


@given(seed=st.integers(0, 10_000))
def test_permuting_rows_or_columns_permutes_the_machine(seed):
    rng = np.random.default_rng(seed)
    X, y = two_classes(30, 4, seed=seed)
    rows, columns = rng.permutation(30), rng.permutation(4)
    values = fit_svc(X, y, RBF(0.3), Machine(C=2.0, tol=1e-7)).decision_values(X)
    other = fit_svc(X[np.ix_(rows, columns)], y[rows], RBF(0.3), Machine(C=2.0, tol=1e-7))
    np.testing.assert_allclose(other.decision_values(X[:, columns]), values, atol=1e-4)


@given(seed=st.integers(0, 10_000), kernel=st.sampled_from(list(KERNELS)))
def test_sparse_equals_dense(seed, kernel):
    rng = np.random.default_rng(seed)
    X, y = two_classes(25, 4, seed=seed)
    X *= rng.random(X.shape) < 0.5
    for loss in ("hinge", "squared_hinge"):
        machine = Machine(loss, 0.5, tol=1e-7)
        dense = fit_svc(X, y, KERNELS[kernel], machine)
        sparse = fit_svc(sp.csc_matrix(X), y, KERNELS[kernel], machine)
        assert sp.issparse(sparse.expansions[0].centers)
        expected = dense.decision_values(X)
        np.testing.assert_allclose(sparse.decision_values(sp.csr_array(X)), expected, atol=1e-4)
        np.testing.assert_allclose(sparse.decision_values(X), expected, atol=1e-4)
