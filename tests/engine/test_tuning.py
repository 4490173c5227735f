"""The grid search equals nested loops over scikit-learn's machines."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold

from svmsieve.engine.kernels.kernel import RBF, Linear, Polynomial
from svmsieve.engine.machines import growing_c
from svmsieve.engine.machines import tuning as module
from svmsieve.engine.machines.fit import fit_svc
from svmsieve.engine.machines.folds import stratified_folds
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.tuned_grid import Grid, Tuning
from svmsieve.engine.machines.tuning import SVC_GRID, SVR_GRID, tune_svc, tune_svr
from tests import naive
from tests.engine.problems import many_classes, numbers, separable, two_classes

C_GRID = [0.1, 1.0, 10.0]
GAMMA_GRID = [0.05, 0.5]
GRID = Grid(C_GRID, GAMMA_GRID)
TIGHT = Machine(tol=1e-8, max_iter=10_000_000)
TIGHT_SVR = replace(TIGHT, loss="epsilon")


def _labels(n=48, d=3):
    X, y = two_classes(n, d)
    return X, (y > 0).astype(int)


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "accuracy", "f1", "roc_auc"])
def test_two_classes(scoring):
    X, y = _labels()
    folds = stratified_folds(y, 4, 3)
    tuning = tune_svc(X, y, GRID, TIGHT, validation=Validation(4, 3, scoring))
    kernels = [RBF(gamma) for gamma in GAMMA_GRID]
    expected = naive.svc_fold_scores(X, y, kernels, C_GRID, folds, scoring)
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)
    np.testing.assert_allclose(tuning.scores, expected.mean(axis=-1), atol=1e-12)
    assert tuning.best_score == pytest.approx(tuning.scores.max(), rel=1e-12)
    assert tuning.converged.all()


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "accuracy", "f1_macro"])
def test_four_classes(scoring):
    X, y = many_classes(60, 3, 4)
    folds = stratified_folds(y, 3)
    tuning = tune_svc(X, y, GRID, TIGHT, validation=Validation(3, scoring=scoring))
    kernels = [RBF(gamma) for gamma in GAMMA_GRID]
    expected = naive.svc_fold_scores(X, y, kernels, C_GRID, folds, scoring)
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)


@pytest.mark.jitless
def test_a_small_grid():
    X, y = _labels(16, 2)
    folds = stratified_folds(y, 2)
    tuning = tune_svc(
        X,
        y,
        Grid([0.5, 5.0], [0.3]),
        Machine(tol=1e-6),
        validation=Validation(2, scoring="accuracy"),
    )
    expected = naive.svc_fold_scores(X, y, [RBF(0.3)], [0.5, 5.0], folds, "accuracy")
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "members"),
    [
        (Linear(), [Linear()]),
        (Polynomial(2, 9.0, 1.0), [Polynomial(2, 0.1, 1.0), Polynomial(2, 0.4, 1.0)]),
        (RBF(9.0), [RBF(0.1), RBF(0.4)]),
    ],
    ids=["linear", "poly", "rbf"],
)
def test_kernels(family, members):
    X, y = _labels()
    folds = stratified_folds(y, 3)
    grid = Grid([0.1, 1.0], [0.1, 0.4], kernel=family)
    tuning = tune_svc(X, y, grid, TIGHT, validation=Validation(3, scoring="accuracy"))
    expected = naive.svc_fold_scores(X, y, members, [0.1, 1.0], folds, "accuracy")
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)
    assert len(tuning.gamma) == len(members)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights(n_classes):
    X, y = many_classes(60, 3, n_classes, spread=0.8)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, size=60)
    class_weight = {0: 3.0, 1: 0.5}
    folds = stratified_folds(y, 3)
    machine = replace(TIGHT, class_weight=class_weight)
    options = {"validation": Validation(3), "sample_weight": weight}
    tuning = tune_svc(X, y, Grid(C_GRID, [0.2]), machine, **options)
    expected = naive.svc_fold_scores(
        X,
        y,
        [RBF(0.2)],
        C_GRID,
        folds,
        "balanced_accuracy",
        sample_weight=weight,
        class_weight=class_weight,
    )
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_samples_without_weight_play_no_part(n_classes):
    X, y = many_classes(90, 3, n_classes, spread=0.8)
    weight = np.repeat([1.0, 0.0], [60, 30])
    other = np.r_[y[:60], (y[60:] + 1) % n_classes]
    folds = [np.arange(20), np.arange(20, 40), np.r_[40:60, 60:75], np.arange(75, 90)]
    options = {"validation": Validation(folds), "sample_weight": weight}
    grid = Grid(C_GRID, [0.2])
    tunings = [tune_svc(X, labels, grid, TIGHT, **options) for labels in (y, other)]
    np.testing.assert_array_equal(tunings[0].fold_scores, tunings[1].fold_scores)
    assert tunings[0].fold_scores.shape[-1] == 3  # nothing of the last fold has any weight


def test_numbers_without_weight_play_no_part():
    X, y = numbers(60, 3)
    weight = np.repeat([1.0, 0.0], [40, 20])
    grid = Grid([1.0, 10.0], [0.2], [0.1])
    other = np.r_[y[:40], y[40:] + 100.0]
    tunings = [tune_svr(X, values, grid, sample_weight=weight) for values in (y, other)]
    np.testing.assert_array_equal(tunings[0].fold_scores, tunings[1].fold_scores)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_squared_hinge(n_classes):
    X, y = many_classes(60, 3, n_classes, spread=0.8)
    folds = stratified_folds(y, 3)
    grid, validation = replace(GRID, kernel=Linear()), Validation(3, scoring="accuracy")
    tuning = tune_svc(X, y, grid, Machine("squared_hinge"), validation=validation)
    expected = np.empty((1, 1, len(C_GRID), 3))
    for c, C in enumerate(C_GRID):
        for f, held_out in enumerate(folds):
            train = np.setdiff1d(np.arange(60), held_out)
            machine = fit_svc(X[train], y[train], Linear(), Machine("squared_hinge", C))
            expected[0, 0, c, f] = np.mean(machine.predict(X[held_out]) == y[held_out])
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)
    hinge = tune_svc(X, y, grid, validation=validation)
    assert not np.array_equal(tuning.fold_scores, hinge.fold_scores)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_balanced_weights_are_those_of_the_training_part(n_classes):
    X, y = many_classes(90, 3, n_classes, spread=1.5)
    few = np.flatnonzero(y == 0)[:5]  # 3 or 4 of them train
    rows = np.sort(np.r_[few, np.flatnonzero(y > 0)])
    X, y = X[rows], y[rows]
    folds = stratified_folds(y, 3)
    C = np.geomspace(
        1.0, 30.0, 20
    )  # for a small C all α are at their bounds, and b is any of a range
    machine = replace(TIGHT, class_weight="balanced")
    tuning = tune_svc(X, y, Grid(C, [0.2]), machine, validation=Validation(3))
    expected = naive.svc_fold_scores(
        X, y, [RBF(0.2)], C, folds, "balanced_accuracy", class_weight="balanced"
    )
    np.testing.assert_allclose(tuning.fold_scores, expected, atol=1e-12)


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_mean_absolute_error", "r2"])
def test_numbers(scoring):
    X, y = numbers(40, 3)
    folds = [held for _, held in KFold(4, shuffle=True, random_state=5).split(X)]
    grid = replace(GRID, epsilon=[0.05, 0.3])
    tuning = tune_svr(X, y, grid, TIGHT_SVR, validation=Validation(4, 5, scoring))
    kernels = [RBF(gamma) for gamma in GAMMA_GRID]
    expected = naive.svr_fold_scores(X, y, kernels, C_GRID, [0.05, 0.3], folds, scoring)
    np.testing.assert_allclose(tuning.fold_scores, expected, rtol=1e-5, atol=1e-6)
    assert tuning.best_score == pytest.approx(tuning.scores.max(), rel=1e-12)


def test_numbers_with_weights_and_a_linear_kernel():
    X, y = numbers(40, 3)
    weight = np.random.default_rng(0).uniform(0.2, 3.0, size=40)
    folds = np.array_split(np.arange(40), 4)
    scoring = "neg_mean_squared_error"
    grid = replace(SVR_GRID, C=[0.1, 1.0], epsilon=[0.1], kernel=Linear())
    options = {"validation": Validation(folds), "sample_weight": weight}
    tuning = tune_svr(X, y, grid, TIGHT_SVR, **options)
    expected = naive.svr_fold_scores(
        X, y, [Linear()], [0.1, 1.0], [0.1], folds, scoring, sample_weight=weight
    )
    np.testing.assert_allclose(tuning.fold_scores, expected, rtol=1e-5, atol=1e-6)


def test_sparse_equals_dense():
    X, y = _labels()
    X = X * (np.random.default_rng(1).random(X.shape) < 0.6)
    dense, sparse = (
        tune_svc(matrix, y, GRID, Machine(tol=1e-6), validation=Validation(3))
        for matrix in (X, sp.csr_array(X))
    )
    np.testing.assert_allclose(sparse.fold_scores, dense.fold_scores, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_chain_along_C_equals_separate_fits(n_classes):
    X, y = many_classes(45, 3, n_classes, spread=2.0)
    grid = [1e-2, 0.3, 1.0, 30.0, 1e3, 1e5]
    chain = tune_svc(X, y, Grid(grid, [0.3]), Machine(tol=1e-6), validation=Validation(3))
    for c, value in enumerate(grid):
        alone = tune_svc(X, y, Grid([value], [0.3]), Machine(tol=1e-6), validation=Validation(3))
        np.testing.assert_array_equal(chain.fold_scores[:, :, [c]], alone.fold_scores)


def test_the_chain_of_numbers_equals_separate_fits():
    X, y = numbers(30, 2)
    grid = [0.1, 1.0, 10.0, 100.0]
    options = {"machine": TIGHT_SVR, "validation": Validation(3)}
    chain = tune_svr(X, y, Grid(grid, [0.3], [0.2]), **options)
    for c, value in enumerate(grid):
        alone = tune_svr(X, y, Grid([value], [0.3], [0.2]), **options)
        np.testing.assert_allclose(chain.fold_scores[:, :, [c]], alone.fold_scores, rtol=1e-4)


def test_a_larger_C_is_not_trained_once_no_variable_is_at_its_bound(monkeypatch):
    X, y = separable(30, 3)
    trained = []
    solve = growing_c.train_svc

    def record(K, signs, bounds, **options):
        trained.append(bounds.max())
        return solve(K, signs, bounds, **options)

    monkeypatch.setattr(growing_c, "train_svc", record)
    tuning = tune_svc(
        X,
        y,
        replace(SVC_GRID, C=[0.01, 1e3, 1e4, 1e5, 1e6], kernel=Linear()),
        Machine(tol=1e-6),
        validation=Validation(2),
    )
    assert sorted(set(trained)) == [0.01, 1e3]
    assert tuning.fold_scores.shape == (1, 1, 5, 2)
    np.testing.assert_array_equal(tuning.fold_scores[0, 0, 1], tuning.fold_scores[0, 0, 4])


class _CountedRBF(RBF):
    n_bases = 0

    def base(self, X, Z):
        type(self).n_bases += 1
        return super().base(X, Z)


def test_all_gammas_share_the_base_of_a_fold():
    X, y = _labels()
    _CountedRBF.n_bases = 0
    tune_svc(X, y, Grid(C_GRID, [0.1, 0.2, 0.3], kernel=_CountedRBF(1.0)), validation=Validation(3))
    assert _CountedRBF.n_bases == 3 * 2  # training samples with themselves, held-out ones with them


def test_the_whole_grid_is_returned_in_order():
    X, y = _labels()
    tuning = tune_svc(
        X, y, Grid([10.0, 0.1, 0.1], [0.5, 0.05, 0.2]), validation=Validation(np.int64(3))
    )
    np.testing.assert_array_equal(tuning.C, [0.1, 10.0])
    np.testing.assert_array_equal(tuning.gamma, [0.05, 0.2, 0.5])
    np.testing.assert_array_equal(tuning.epsilon, [0.0])
    assert tuning.fold_scores.shape == (3, 1, 2, 3)
    assert tuning.converged.shape == tuning.scores.shape == (3, 1, 2)
    g, e, c = tuning.best_index
    assert (tuning.best_gamma, tuning.best_epsilon, tuning.best_C) == (
        tuning.gamma[g],
        tuning.epsilon[e],
        tuning.C[c],
    )


def test_the_papers_grids_are_the_default():
    np.testing.assert_allclose(np.log2(module.SVC_C), np.arange(-5, 16, 2))
    np.testing.assert_allclose(np.log2(module.SVC_GAMMA), np.arange(-15, 4, 2))
    X, y = _labels(12, 2)
    tuning = tune_svc(X, y, validation=Validation(2))
    assert tuning.scores.shape == (10, 1, 11)


def _tuning(scores):
    scores = np.asarray(scores, dtype=float)
    grids = [2.0 ** np.arange(size) for size in (scores.shape[2], scores.shape[0], scores.shape[1])]
    return Tuning(*grids, scores[..., None], np.ones(scores.shape, dtype=bool))


def test_ties_go_to_the_smoother_model():
    # Axes γ, ε, C: the smallest C, then the smallest γ, then the largest ε.
    assert _tuning(np.full((3, 2, 4), 0.7)).best_index == (0, 1, 0)
    scores = np.full((3, 2, 4), 0.7)
    scores[2, 0, 1] = scores[1, 1, 2] = 0.9
    assert _tuning(scores).best_index == (2, 0, 1)
    scores[1, 0, 1] = 0.9 - 1e-15  # equal but for rounding
    assert _tuning(scores).best_index == (1, 0, 1)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_ties_do_not_depend_on_the_unit_of_the_score(unit):
    scores = -unit * np.array([[[3.0, 2.0, 2.5]]])
    assert _tuning(scores).best_index == (0, 0, 1)


def test_undefined_scores_cannot_win():
    scores = np.array([[[np.nan, 0.5, 0.6]]])
    assert _tuning(scores).best_index == (0, 0, 2)
    assert _tuning(np.full((2, 1, 2), np.nan)).best_index == (0, 0, 0)


def test_the_smoothest_point_within_one_standard_error():
    rng = np.random.default_rng(0)
    for _ in range(50):
        folds = rng.normal(0.7, 0.02, size=(4, 2, 5, 5)) + rng.normal(0.0, 0.02, size=(4, 2, 5, 1))
        tuning = Tuning(np.arange(1.0, 6), np.arange(1.0, 5), np.arange(1.0, 3), folds, None)
        means = folds.mean(axis=-1)
        best = max(np.ndindex(means.shape), key=lambda point: means[point])
        error = np.sqrt(((folds[best] - means[best]) ** 2).sum() / 4 / 5)
        near = [point for point in np.ndindex(means.shape) if means[point] >= means[best] - error]
        smallest_C = min(point[2] for point in near)
        near = [point for point in near if point[2] == smallest_C]
        smallest_gamma = min(point[0] for point in near)
        near = [point for point in near if point[0] == smallest_gamma]
        assert tuning.smoothest_index == max(near, key=lambda point: point[1])
        assert tuning.index("1se") == tuning.smoothest_index
        assert tuning.index("best") == tuning.best_index == best


def test_one_fold_has_no_standard_error():
    tuning = _tuning(np.linspace(0.0, 1.0, 8).reshape(2, 1, 4))
    assert tuning.fold_scores.shape[-1] == 1
    assert tuning.smoothest_index == tuning.best_index


def test_without_any_score_the_smoothest_point_is_taken():
    tuning = _tuning(np.full((2, 1, 4), np.nan))
    assert tuning.smoothest_index == tuning.best_index == (0, 0, 0)


def test_separable_classes_give_the_smallest_C_that_separates_them():
    X, y = separable(40, 2, margin=0.8)
    tuning = tune_svc(
        X, y, replace(SVC_GRID, C=[1.0, 10.0, 100.0], kernel=Linear()), validation=Validation(4)
    )
    assert tuning.best_C == 1.0
    assert tuning.best_score == 1.0


def test_progress_is_reported_for_each_gamma_of_each_fold():
    X, y = _labels()
    seen = []
    tune_svc(
        X,
        y,
        Grid([1.0], [0.1, 0.2, 0.3]),
        validation=Validation(2),
        progress=lambda *step: seen.append(step),
    )
    assert seen == [(done, 6) for done in range(1, 7)]


def _repeated_folds(y, n_repeats=3):
    return [fold for seed in range(n_repeats) for fold in stratified_folds(y, 5, seed)]


@pytest.mark.parametrize("kept", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_later_folds_judge_the_best_points_of_the_first_five_and_these_as_ever(seed, kept):
    rng = np.random.default_rng(seed)
    X, y = _labels(60 + 10 * seed)
    X, folds = X + rng.normal(size=X.shape), _repeated_folds(y)
    every = tune_svc(X, y, GRID, TIGHT, validation=Validation(folds))
    raced = tune_svc(X, y, GRID, TIGHT, validation=Validation(folds, kept={5: kept / 6}))
    np.testing.assert_array_equal(raced.fold_scores[..., :5], every.fold_scores[..., :5])
    later = ~np.isnan(raced.fold_scores[..., 5:])
    assert (later.all(axis=-1) == later.any(axis=-1)).all()
    assert later[..., 0].sum() == kept
    np.testing.assert_array_equal(
        raced.fold_scores[..., 5:][later], every.fold_scores[..., 5:][later]
    )
    first = every.fold_scores[..., :5].mean(axis=-1)
    assert first[later[..., 0]].min() >= first[~later[..., 0]].max()
    assert later[..., 0][raced.best_index]


def test_as_many_points_as_there_are_leave_none_out():
    X, y = numbers(60, 3)
    folds = [held for s in range(2) for _, held in KFold(5, shuffle=True, random_state=s).split(X)]
    grid = Grid(C_GRID, GAMMA_GRID, [0.05, 0.2])
    every = tune_svr(X, y, grid, TIGHT_SVR, validation=Validation(folds))
    raced = tune_svr(X, y, grid, TIGHT_SVR, validation=Validation(folds, kept={2: 1.0, 5: 1.0}))
    np.testing.assert_array_equal(raced.fold_scores, every.fold_scores)
    fewer = tune_svr(X, y, grid, TIGHT_SVR, validation=Validation(folds, kept={2: 0.5, 5: 0.25}))
    judged = np.isfinite(fewer.fold_scores).reshape(-1, 10).sum(axis=0)
    assert judged.tolist() == [12] * 2 + [6] * 3 + [3] * 5
    assert fewer.best_score <= every.best_score


def test_of_equal_points_the_smoothest_are_judged_further():
    tuning = Tuning(
        np.array([1.0, 2.0]), np.array([0.1, 0.2]), np.zeros(1), np.ones((2, 1, 2, 5)), None
    )
    assert tuning.best_points(2)[:, 0].tolist() == [[True, False], [True, False]]
    tuning.fold_scores[0, 0, 0] = np.nan
    assert tuning.best_points(4)[:, 0].tolist() == [[False, True], [True, True]]


def test_progress_counts_what_is_judged_in_later_folds():
    X, y = _labels(60)
    calls = []
    tune_svc(
        X,
        y,
        GRID,
        validation=Validation(_repeated_folds(y, 2), kept={5: 0.1}),
        progress=lambda *call: calls.append(call),
    )
    assert [done for done, _ in calls] == list(range(1, 16))
    assert calls[-1][1] == 15


def test_folds_given_as_indices():
    X, y = _labels()
    given = tune_svc(X, y, GRID, validation=Validation(stratified_folds(y, 3, 7)))
    made = tune_svc(X, y, GRID, validation=Validation(3, 7))
    np.testing.assert_array_equal(given.fold_scores, made.fold_scores)


def test_a_scorer_object():
    X, y = _labels()
    scorer = make_scorer(lambda truth, guess: float(np.mean(truth == guess)))
    ours, named = (
        tune_svc(X, y, GRID, validation=Validation(3, scoring=scoring))
        for scoring in (scorer, "accuracy")
    )
    np.testing.assert_array_equal(ours.fold_scores, named.fold_scores)


def test_text_labels():
    X, y = _labels()
    text, codes = (
        tune_svc(X, labels, GRID, validation=Validation(3, scoring="accuracy"))
        for labels in (np.array(["no", "yes"])[y], y)
    )
    np.testing.assert_array_equal(text.fold_scores, codes.fold_scores)


def test_the_user_is_told_when_the_best_point_did_not_converge():
    X, y = _labels()
    with pytest.warns(ConvergenceWarning, match="The best point of the grid, C=100, did not conv"):
        tuning = tune_svc(X, y, Grid([100.0], [0.5]), Machine(max_iter=3), validation=Validation(3))
    assert not tuning.converged.any()
    X, y = numbers(40, 2)
    with pytest.warns(ConvergenceWarning, match="The best point of the grid"):
        tune_svr(
            X,
            y,
            Grid([100.0], [0.5], [0.01]),
            Machine("epsilon", max_iter=3),
            validation=Validation(3),
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": replace(GRID, C=[])}, "C must hold at least one value"),
        ({"grid": replace(GRID, C=[1.0, 0.0])}, "C must be a positive number, got 0.0"),
        ({"grid": replace(GRID, C=[np.nan])}, "C must be a positive number"),
        ({"grid": replace(GRID, gamma=[])}, "gamma must hold at least one value"),
        ({"grid": replace(GRID, gamma=[-1.0])}, "gamma must be a positive number, got -1.0"),
        ({"validation": Validation(1)}, "cv must be at least 2 folds"),
        ({"sample_weight": -np.ones(48)}, "sample_weight must not be negative"),
        ({"sample_weight": [1.0]}, r"sample_weight must have shape \(48,\)"),
    ],
)
def test_bad_options(options, message):
    X, y = _labels()
    for tune in (tune_svc, tune_svr):
        with pytest.raises(ValueError, match=message):
            tune(X, y, **options)


def test_one_kernel_matrix_at_a_time_is_as_good_as_two():
    X, y = _labels()
    grid, validation = replace(GRID, gamma=[0.05, 0.2, 0.5, 1.0, 2.0]), Validation(3)
    expected = tune_svc(X, y, grid, validation=validation)
    tight = tune_svc(X, y, grid, validation=validation, memory=16.0 * len(y) ** 2)
    np.testing.assert_array_equal(tight.fold_scores, expected.fold_scores)
    assert len(np.unique(expected.fold_scores.sum(axis=(1, 2, 3)))) > 1  # the order of γ shows


@pytest.mark.parametrize("epsilon", [[], [-0.1], [np.nan], [np.inf]])
def test_bad_epsilon(epsilon):
    X, y = numbers(20, 2)
    with pytest.raises(ValueError, match="epsilon must"):
        tune_svr(X, y, replace(SVR_GRID, epsilon=epsilon))


def test_too_many_folds():
    X, y = _labels(12, 2)
    with pytest.raises(ValueError, match="cv=9 folds need at least 9 samples of each class"):
        tune_svc(X, y, validation=Validation(9))
    with pytest.raises(ValueError, match="cv=13 folds need at least 13 samples, got 12"):
        tune_svr(X, y, validation=Validation(13))


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[np.nan]] * 10, [0, 1] * 5, "X must be finite: row 0, column 0"),
        ([[1.0]] * 10, [0, 1] * 4, r"y must have shape \(10,\)"),
        ([[1.0]] * 10, [np.inf] * 10, "y must be finite: entry 0"),
    ],
)
def test_bad_samples(X, y, message):
    for tune in (tune_svc, tune_svr):
        with pytest.raises(ValueError, match=message):
            tune(X, y)


def test_one_class():
    with pytest.raises(ValueError, match="y must hold at least two classes"):
        tune_svc(np.ones((10, 1)), np.ones(10))


def test_a_machine_of_another_loss_is_refused():
    X, y = _labels(12, 2)
    with pytest.raises(ValueError, match="loss must be 'hinge' or 'squared_hinge', got 'epsilon'"):
        tune_svc(X, y, machine=Machine("epsilon"))
    with pytest.raises(ValueError, match="loss must be 'epsilon', got 'hinge'"):
        tune_svr(X, y, machine=Machine())
