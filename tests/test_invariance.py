"""Units, names, order and the way samples are written down mean nothing to a ranking or a selection."""

from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import KFold
from sklearn.svm import SVC, SVR, LinearSVR

from svmsieve import SVMSieve, rank, response
from svmsieve.criteria import CRITERIA, names_for
from svmsieve.criteria.forest import Forest
from svmsieve.evaluation import nested_evaluate
from svmsieve.ranking.filters import rank_by_filter
from svmsieve.scale.chunks import RowChunks
from svmsieve.search import SEARCHES
from tests.criteria.cases import problem

TASKS = ("binary", "multiclass", "regression")
EVERY = [(name, task) for task in TASKS for name in names_for(task)]
UNITS = [(1e-9, 0.0), (1e-9, 5e-3), (-1e-3, 0.0), (1.0, 1e6), (-1e9, 1e12)]
"""Factor and offset of a numeric target."""
SMALL = {"n": 30, "d": 4}
TUNED = 1e-2
"""Relative error of scores by machines of scikit-learn's default tolerance."""


def machine(task, **options):
    options = {"C": 2.0, "gamma": 0.2, "tol": 1e-9} | options
    return SVR(**options) if task == "regression" else SVC(**options)


def named(name):
    return Forest(n_trees=20) if name == "forest" else name


def same(scores, expected, rtol=1e-5):
    assert np.max(expected) > 0.0
    np.testing.assert_allclose(scores, expected, rtol=rtol, atol=rtol * np.max(expected))


def folds_of(n):
    return list(KFold(3, shuffle=True, random_state=1).split(np.zeros(n)))


def sieve_of(search, task, estimator="given", **options):
    estimator = machine(task) if estimator == "given" else estimator
    options = {"criterion": "weight", "cv": folds_of(SMALL["n"]), "step": 1} | options
    return SVMSieve(estimator, search=search, n_features_to_select="best", **options)


def same_selection(one, other, rtol=1e-5):
    """The same order, sizes and scores; one score for each column."""
    assert one.order_.tolist() == other.order_.tolist()
    assert one.n_features_ == other.n_features_
    np.testing.assert_allclose(one.path_.fold_scores, other.path_.fold_scores, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=rtol, atol=rtol)


# The target's units -------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "offset"), UNITS)
@pytest.mark.parametrize("name", names_for("regression"))
def test_a_ranking_does_not_know_the_units_of_the_target(name, factor, offset):
    X, y = problem("regression", **SMALL)
    expected = rank(X, y, named(name), machine("regression")).scores
    same(rank(X, factor * y + offset, named(name), machine("regression")).scores, expected)


@pytest.mark.parametrize("machine_kind", ["exact", "nystroem"])
@pytest.mark.parametrize("scale", [True, False])
def test_a_tuned_ranking_does_not_know_the_units_of_the_target(machine_kind, scale):
    X, y = problem("regression", **SMALL)
    expected = rank(X, y, machine=machine_kind, scale=scale, n_landmarks=20)
    for factor, offset in UNITS:
        ranking = rank(X, factor * y + offset, machine=machine_kind, scale=scale, n_landmarks=20)
        same(ranking.scores, expected.scores, TUNED)
        assert ranking.machine == expected.machine


@pytest.mark.parametrize(
    ("estimator", "rtol"),
    [
        (SVR(C=2.0, tol=1e-9), 1e-5),
        (LinearSVR(C=2.0, epsilon=0.1, tol=1e-8, max_iter=1_000_000, random_state=0), TUNED),
    ],
)
@pytest.mark.parametrize(("factor", "offset"), UNITS)
def test_what_a_sieve_says_is_in_the_units_of_the_target(estimator, rtol, factor, offset):
    """Predictions and errors follow the target, C and ε of the machine do not."""
    X, y = problem("regression", **SMALL)
    options = {"scoring": "neg_mean_squared_error", "criterion": "weight"}
    expected = sieve_of("rfe", "regression", estimator, **options).fit(X, y)
    sieve = sieve_of("rfe", "regression", estimator, **options).fit(X, factor * y + offset)
    assert sieve.order_.tolist() == expected.order_.tolist()
    assert sieve.n_features_ == expected.n_features_
    same(-sieve.path_.fold_scores / factor**2, -expected.path_.fold_scores, rtol)
    predictions = (sieve.predict(X) - offset) / factor
    np.testing.assert_allclose(predictions, expected.predict(X), atol=rtol)
    assert sieve.score(X, factor * y + offset) == pytest.approx(expected.score(X, y), abs=rtol)
    assert sieve.estimator_.get_params() == estimator.get_params()
    alone = sieve.at_size(1, X, factor * y + offset).predict(X)
    expected_alone = expected.at_size(1, X, y).predict(X)
    np.testing.assert_allclose((alone - offset) / factor, expected_alone, atol=rtol)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_does_not_know_the_units_of_the_target(search):
    X, y = problem("regression", **SMALL)
    expected = sieve_of(search, "regression").fit(X, y)
    for factor, offset in UNITS:
        same_selection(sieve_of(search, "regression").fit(X, factor * y + offset), expected)


@pytest.mark.parametrize(("factor", "offset"), UNITS)
def test_a_selection_by_landmarks_answers_in_the_units_of_the_target(factor, offset):
    X, y = problem("regression", **SMALL)
    options = {"criterion": "sd-gauss", "machine": "nystroem", "n_landmarks": 20}
    expected = sieve_of("rfe", "regression", **options).fit(X, y)
    sieve = sieve_of("rfe", "regression", **options).fit(X, factor * y + offset)
    same_selection(sieve, expected)
    predictions = (sieve.predict(X) - offset) / factor
    np.testing.assert_allclose(predictions, expected.predict(X), atol=1e-5)


@pytest.mark.parametrize(("factor", "offset"), UNITS)
def test_a_nested_error_is_in_the_units_of_the_target(factor, offset):
    X, y = problem("regression", **SMALL)
    sieve = sieve_of("rfe", "regression", cv=3)
    expected = nested_evaluate(sieve, X, y, 3, scoring="mse")
    found = nested_evaluate(sieve, X, factor * y + offset, 3, scoring="mse")
    for fold, own in zip(found.folds, expected.folds, strict=True):
        assert fold.selected.tolist() == own.selected.tolist()
        assert fold.score == pytest.approx(factor**2 * own.score, rel=1e-5)
        same(fold.size_scores / factor**2, own.size_scores)


def test_tuned_parameters_and_their_errors_are_in_the_units_of_the_target():
    X, y = problem("regression", **SMALL)
    expected = SVMSieve(n_features_to_select=2, step=1).fit(X, y)
    for factor, offset in UNITS:
        sieve = SVMSieve(n_features_to_select=2, step=1).fit(X, factor * y + offset)
        assert sieve.estimator_.get_params() == expected.estimator_.get_params()
        grid, own = sieve.tuning_, expected.tuning_
        assert (grid.best_C, grid.best_gamma) == (own.best_C, own.best_gamma)
        assert grid.best_epsilon == pytest.approx(abs(factor) * own.best_epsilon)
        assert grid.best_score == pytest.approx(own.best_score, rel=TUNED)  # R²
        in_units = sieve.estimator_.epsilon * sieve.target_deviation_
        assert grid.best_epsilon == pytest.approx(in_units)


@pytest.mark.parametrize(("estimator", "atol"), [(SVR(C=2.0, tol=1e-9), 1e-5), (None, TUNED)])
def test_response_curves_are_in_the_units_of_the_target(estimator, atol):
    X, y = problem("regression", **SMALL)
    expected = response(X, y, grid=3, estimator=estimator).individual
    for factor, offset in UNITS:
        curves = response(X, factor * y + offset, grid=3, estimator=estimator).individual
        np.testing.assert_allclose((curves - offset) / factor, expected, atol=atol)


def test_a_given_machine_without_scale_gets_the_numbers_as_they_are():
    X, y = problem("regression", **SMALL)
    y = 10.0 * y + 3.0
    sieve = sieve_of("once", "regression", scale=False).fit(X, y)
    selected = sieve.transform(X)
    own = machine("regression").fit(selected, y)
    np.testing.assert_array_equal(sieve.predict(X), own.predict(selected))
    assert (sieve.target_mean_, sieve.target_deviation_) == (0.0, 1.0)


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_a_target_without_squares_is_refused(factor):
    X, y = problem("regression", **SMALL)
    for call in (
        lambda: rank(X, factor * y),
        lambda: rank(X, factor * y, "correlation"),
        lambda: rank(X, factor * y, machine="nystroem"),
        lambda: response(X, factor * y),
        lambda: SVMSieve(SVR(), scale=False).fit(X, factor * y),
    ):
        with pytest.raises(ValueError, match=r"y has values from .* give it another unit\.$"):
            call()


# The columns' units -------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_a_ranking_does_not_know_the_units_of_the_columns(name, task):
    X, y = problem(task, **SMALL)
    factors, offsets = np.array([1e-9, 1e9, -1e3, 1.0]), np.array([0.0, 1e10, 5.0, 1e4])
    if name == "forest":  # turned over, a column gives a tree its equal splits in another order
        factors = np.abs(factors)
    expected = rank(X, y, named(name), machine(task)).scores
    same(rank(factors * X + offsets, y, named(name), machine(task)).scores, expected)


POWERS = [-300, -299, -200, -170, -161, -150, -100, -20, 20, 100, 149]
"""Units as far as there are numbers: squares vanish below 1e-162."""


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("power", POWERS)
def test_a_column_that_varies_is_never_constant(power, weighted, form):
    X, y = problem("binary", **SMALL)
    if form is not np.asarray:
        X = np.where(X > 0.0, X, 0.0)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X)) if weighted else None
    factors = 10.0 ** np.array([power, 0, power / 2, power])
    for name in ("f-score", "weight", "fspp2"):
        expected = rank(form(X), y, name, machine("binary"), sample_weight=weight)
        found = rank(form(X * factors), y, name, machine("binary"), sample_weight=weight)
        same(found.scores, expected.scores)
    for search in SEARCHES if form is np.asarray and not weighted else ["rfe"]:
        one, other = (sieve_of(search, "binary").fit(form(t), y) for t in (X * factors, X))
        same_selection(one, other)
        np.testing.assert_array_equal(one.predict(form(X * factors)), other.predict(form(X)))


def test_a_column_whose_values_are_constant_stays_so():
    X, y = problem("binary", **SMALL)
    for value in (1e-300, 2.0**-500, 0.0, 1.0, 1e100):
        X[:, 1] = value
        assert rank(X, y, "weight", machine("binary")).scores[1] == 0.0
    X[:, 1] = np.where(y == y[0], 2.0**-500, -(2.0**-500))  # one unit around its mean
    assert rank(X, y, "f-score").order[0] == 1


@pytest.mark.parametrize("power", [-300, 160])
def test_columns_without_squares_in_chunks_are_named(power):
    X, y = problem("binary", **SMALL)
    X[:, 2] *= 10.0**power
    for call in (
        lambda: rank(X, y, machine="nystroem"),
        lambda: rank_by_filter(RowChunks(X, y, memory=1000), "f-score"),
    ):
        with pytest.raises(ValueError, match=r"^column ('.*2'|2) holds values"):
            call()


@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_does_not_know_the_units_of_the_columns(search):
    X, y = problem("binary", **SMALL)
    factors, offsets = np.array([1e-9, 1e9, -1e3, 1.0]), np.array([0.0, 1e10, 5.0, 1e4])
    expected = sieve_of(search, "binary").fit(X, y)
    sieve = sieve_of(search, "binary").fit(factors * X + offsets, y)
    same_selection(sieve, expected)
    assert (sieve.predict(factors * X + offsets) == expected.predict(X)).all()


# The names of the classes -------------------------------------------------------------------------

NAMES = {
    "reversed": {"a": "z", "b": "y", "c": "x"},
    "numbers": {"a": 1, "b": -1, "c": 0},
    "rotated": {"a": 2.0, "b": 3.0, "c": 1.0},
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize(("name", "task"), [each for each in EVERY if each[1] != "regression"])
def test_a_ranking_does_not_know_the_names_of_the_classes(name, task, names):
    X, y = problem(task, **SMALL)
    expected = rank(X, y, named(name), machine(task)).scores
    renamed = np.array([names[label] for label in y])
    same(rank(X, renamed, named(name), machine(task)).scores, expected)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_does_not_know_the_names_of_the_classes(search, names):
    # Two classes: of three with a vote each the first wins, as in scikit-learn.
    X, y = problem("binary", **SMALL)
    renamed = np.array([names[label] for label in y])
    expected = sieve_of(search, "binary", criterion="fspp2").fit(X, y)
    sieve = sieve_of(search, "binary", criterion="fspp2").fit(X, renamed)
    same_selection(sieve, expected)
    assert sieve.predict(X).tolist() == [names[label] for label in expected.predict(X)]


# The order of rows and columns --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "task"), [e for e in EVERY if not CRITERIA[e[0]].randomised])
def test_a_ranking_does_not_know_the_order_of_the_columns(name, task):
    X, y = problem(task, **SMALL)
    order = np.array([2, 0, 3, 1])
    expected = rank(X, y, named(name), machine(task)).scores
    same(rank(X[:, order], y, named(name), machine(task)).scores, expected[order])


@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_does_not_know_the_order_of_the_columns(search):
    X, y = problem("binary", **SMALL)
    order = np.array([2, 0, 3, 1])
    expected = sieve_of(search, "binary").fit(X, y)
    sieve = sieve_of(search, "binary").fit(X[:, order], y)
    assert order[sieve.order_].tolist() == expected.order_.tolist()
    np.testing.assert_allclose(sieve.path_.fold_scores, expected.path_.fold_scores)


def of_rows(name):
    """The criterion where it draws nothing, so that samples may come in any order; None: it must draw."""
    kind = CRITERIA[name]
    if (
        kind.needs_probabilities or kind.randomised
    ):  # Platt's folds and trees go by the rows' numbers
        return None
    permutes = "n_permutations" in signature(kind).parameters
    return kind(n_permutations="all") if permutes else kind()


OF_ROWS = [(name, task) for name, task in EVERY if of_rows(name) is not None]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", range(3))
def test_the_default_does_not_see_columns_that_never_vary(task, seed):
    rng = np.random.default_rng(seed)
    n, d = 60, int(rng.integers(5, 13))
    X = rng.normal(size=(n, d))
    f = X[:, 0] + 0.7 * X[:, 1] * X[:, 2] + 0.5 * X[:, 3] + 0.8 * rng.normal(size=n)
    y = {"binary": f > 0, "multiclass": np.digitize(f, [-0.7, 0.7]), "regression": f}[task]
    places = np.sort(rng.integers(0, d + 1, size=int(rng.integers(1, 4))))
    wide = np.insert(X, places, rng.normal(size=len(places)), axis=1)
    (varying,) = np.nonzero(wide.std(axis=0) > 1e-12)
    alone, beside = (SVMSieve(random_state=0).fit(Z, y) for Z in (X, wide))
    assert (
        varying[alone.get_support(indices=True)].tolist()
        == beside.get_support(indices=True).tolist()
    )
    assert varying[alone.order_].tolist() == [i for i in beside.order_ if i in set(varying)]
    skills = dict(zip(alone.path_.n_features, alone.path_.fold_skills.mean(axis=1), strict=True))
    others = dict(zip(beside.path_.n_features, beside.path_.fold_skills.mean(axis=1), strict=True))
    common = [size for size in skills if size in others and size < d]
    np.testing.assert_allclose(
        [skills[size] for size in common], [others[size] for size in common], atol=0.01
    )  # machines are trained to a tolerance, from where the size before ended


@pytest.mark.parametrize(("name", "task"), OF_ROWS)
def test_a_ranking_does_not_know_the_order_of_the_rows(name, task):
    X, y = problem(task, **SMALL)
    order = np.random.default_rng(5).permutation(len(y))
    expected = rank(X, y, of_rows(name), machine(task)).scores
    same(rank(X[order], y[order], of_rows(name), machine(task)).scores, expected, 1e-4)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_does_not_know_the_order_of_the_rows(search):
    X, y = problem("regression", **SMALL)
    order = np.random.default_rng(5).permutation(len(y))
    place = np.argsort(order)
    folds = [tuple(np.sort(place[part]) for part in fold) for fold in folds_of(len(y))]
    expected = sieve_of(search, "regression").fit(X, y)
    same_selection(sieve_of(search, "regression", cv=folds).fit(X[order], y[order]), expected)


# What is written down twice, or needlessly ---------------------------------------------------------

TELL_TWINS_APART = {
    "radius-margin": "each sample has its own 1/C in the kernel of the squared hinge",
    "span": "each sample has its own 1/C in the kernel of the squared hinge",
    "loo-scaling": "a sample that is left out still has its twin",
    "sv-gradient": "twins share a dual variable as they like: one of them need not be a support vector",
}
"""Families of criteria that go by the number of samples, not by their weight."""


@pytest.mark.parametrize(
    ("name", "task"),
    [each for each in OF_ROWS if not each[0].startswith(tuple(TELL_TWINS_APART))],
)
def test_a_row_twice_is_a_row_of_weight_two(name, task):
    X, y = problem(task, **SMALL)
    twice = np.arange(len(y)) % 3 == 0
    rows = np.concatenate([np.arange(len(y)), np.flatnonzero(twice)])
    written = rank(X[rows], y[rows], of_rows(name), machine(task)).scores
    weighed = rank(X, y, of_rows(name), machine(task), sample_weight=1.0 + twice).scores
    same(weighed, written, 1e-4)


@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_takes_a_row_twice_for_a_row_of_weight_two(search, task):
    X, y = problem(task, **SMALL)
    twice = np.arange(len(y)) % 3 == 0
    rows = np.concatenate([np.arange(len(y)), np.flatnonzero(twice)])
    folds = [tuple(np.flatnonzero(np.isin(rows, part)) for part in f) for f in folds_of(len(y))]
    written = sieve_of(search, task, cv=folds).fit(X[rows], y[rows])
    weighed = sieve_of(search, task).fit(X, y, sample_weight=1.0 + twice)
    same_selection(weighed, written, 1e-4)


def with_explicit_zeros(X):
    """The same sparse matrix with every third of its zeros stored."""
    rows, columns = np.nonzero(X == 0.0)
    stored = sp.coo_matrix(X)
    data = np.concatenate([stored.data, np.zeros(len(rows[::3]))])
    places = [
        np.concatenate(pair) for pair in ((stored.row, rows[::3]), (stored.col, columns[::3]))
    ]
    return sp.csr_matrix((data, places), shape=X.shape)


@pytest.mark.parametrize(("name", "task"), EVERY)
def test_a_stored_zero_is_a_zero(name, task):
    X, y = problem(task, **SMALL)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    expected = rank(sp.csr_matrix(X), y, named(name), machine(task)).scores
    stored = with_explicit_zeros(X)
    assert stored.nnz > np.count_nonzero(X)
    same(rank(stored, y, named(name), machine(task)).scores, expected)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_selection_takes_a_stored_zero_for_a_zero(search):
    X, y = problem("binary", **SMALL)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    expected = sieve_of(search, "binary").fit(sp.csr_matrix(X), y)
    same_selection(sieve_of(search, "binary").fit(with_explicit_zeros(X), y), expected)


# Scores that are all zero -------------------------------------------------------------------------

NOTHING = SVR(epsilon=100.0)


@pytest.mark.parametrize("kind", ["exact", "nystroem"])
def test_a_ranking_says_when_all_scores_are_zero(kind):
    X, y = problem("regression", **SMALL)
    with pytest.warns(UserWarning, match="All scores of 'sd-gauss' are zero.*lower its epsilon"):
        rank(X, y, "sd-gauss", NOTHING, machine=kind)
    with pytest.warns(UserWarning, match="All scores of 'correlation' are zero.*another criterion"):
        rank(X[:, :1] * 0.0 + [[1.0, 2.0]], y, "correlation")


@pytest.mark.parametrize("search", [name for name in SEARCHES if SEARCHES[name].uses_criterion])
def test_a_selection_says_when_all_scores_are_zero(search):
    X, y = problem("regression", **SMALL)
    with pytest.warns(UserWarning, match="All scores of 'weight' are zero.*lower its epsilon"):
        sieve_of(search, "regression", NOTHING).fit(X, y)
