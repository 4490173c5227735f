"""``svmsieve.rank`` from the user's side."""

from __future__ import annotations

import tracemalloc
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC

import svmsieve
from svmsieve import Ranking, rank
from svmsieve.criteria import CRITERIA
from svmsieve.criteria.forest import Forest
from svmsieve.criteria.fspp import FSPP2
from tests import naive_criteria as naive
from tests.criteria.cases import TASKS, each_kernel, problem, svc_options

X, Y = problem("binary", n=40)
X_R, Y_R = problem("regression", n=40)
NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]


# Input ---------------------------------------------------------------------------------------


def tables():
    return {
        "array": X,
        "list": X.tolist(),
        "fortran": np.asfortranarray(X),
        "pandas": pd.DataFrame(X, columns=NAMES),
        "polars": pl.DataFrame(X, schema=NAMES),
    }


@pytest.mark.parametrize("kind", tables())
@pytest.mark.parametrize("target", ["array", "list", "pandas", "polars", "category"])
def test_every_kind_of_table_gives_the_same_ranking(kind, target):
    y = {
        "array": Y,
        "list": Y.tolist(),
        "pandas": pd.Series(Y, index=range(5, 45)),
        "polars": pl.Series(Y),
        "category": pd.Series(Y, dtype="category"),
    }[target]
    ranking = rank(tables()[kind], y, "fspp2", SVC())
    expected = rank(X, Y, "fspp2", SVC())
    np.testing.assert_allclose(ranking.scores, expected.scores, rtol=1e-12)
    assert ranking.order.tolist() == expected.order.tolist()
    assert ranking.names == (NAMES if kind in ("pandas", "polars") else [f"x{i}" for i in range(5)])


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.coo_array])
def test_sparse_tables(kind):
    ranking = rank(kind(X), Y, "weight", SVC(tol=1e-9), scale=False)
    expected = rank(X, Y, "weight", SVC(tol=1e-9), scale=False)
    np.testing.assert_allclose(ranking.scores, expected.scores, rtol=1e-6)
    assert ranking.names == expected.names


@pytest.mark.parametrize("name", CRITERIA)
def test_sparse_tables_for_every_criterion(name):
    """Divided by the deviations, not centred; the criteria see the same as with dense input."""
    criterion = Forest(n_trees=5) if name == "forest" else name
    task = "binary" if "binary" in CRITERIA[name].tasks else "regression"
    table, y = (X, Y) if task == "binary" else (X_R, Y_R)
    table = np.where(np.abs(table) < 0.5, 0.0, table)
    estimator = (SVC if task == "binary" else SVR)(tol=1e-9, gamma=0.2)
    sparse = rank(sp.csr_matrix(table), y, criterion, estimator).scores
    assert np.isfinite(sparse).all()
    if name != "forest":
        if task == "regression":
            y = (y - y.mean()) / y.std()
        dense = rank(table / table.std(axis=0), y, criterion, estimator, scale=False).scores
        np.testing.assert_allclose(sparse, dense, rtol=1e-4, atol=1e-5 * dense.max())


def test_scaling_is_standardisation():
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    scaled = rank(100.0 + 7.0 * X, Y, "weight", SVC(tol=1e-8)).scores
    unscaled = rank(standardised, Y, "weight", SVC(tol=1e-8), scale=False).scores
    np.testing.assert_allclose(scaled, unscaled, rtol=1e-5)


@pytest.mark.parametrize(
    ("estimator", "task"),
    [
        (SVC(C=3.0), "binary"),
        (SVC(kernel="linear", class_weight="balanced"), "multiclass"),
        (LinearSVC(), "binary"),
        (LinearSVC(loss="hinge"), "multiclass"),
        (SVR(kernel="poly", degree=2, coef0=1.0), "regression"),
        (LinearSVR(), "regression"),
        (None, "binary"),
        (None, "multiclass"),
        (None, "regression"),
    ],
    ids=str,
)
def test_estimators(estimator, task):
    """The two columns that matter lead; a linear machine does not see the second, which is squared."""
    kernel = getattr(estimator, "kernel", "rbf" if estimator is None else "linear")
    words = {"rbf": "RBF", "linear": "Linear", "poly": "Polynomial"}[kernel]
    for seed in range(1 if estimator is None else 5):
        ranking = rank(*problem(task, n=150, seed=seed), estimator=estimator)
        assert ranking.criterion == ("sd-gauss" if task == "regression" else "fspp2")
        assert len(ranking) == 5
        assert ranking.machine.startswith(f"{words}, C=")
        leading = ranking.order[:1] if kernel == "linear" else ranking.order[:2]
        assert set(leading.tolist()) == ({0} if kernel == "linear" else {0, 1})


@each_kernel
def test_weight_from_scikit_learns_own_machine(kernel):
    """From beginning to end without the package's machines."""
    svc = SVC(C=2.0, tol=1e-8, **svc_options(kernel))
    scores = rank(X, Y, "weight", svc, scale=False).scores
    svc.fit(X, Y)
    machine = naive.Machine(svc.support_, None, None, svc.dual_coef_[0], svc.intercept_[0])
    expected = naive.weight(kernel, X, [machine], naive.singles(X))
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-6 * max(expected))


def test_the_estimator_is_not_touched():
    svc = SVC(C=2.0)
    rank(X, Y, "radius-margin", svc)
    assert not hasattr(svc, "support_")
    assert svc.get_params() == SVC(C=2.0).get_params()


# The task ------------------------------------------------------------------------------------


def test_a_target_with_decimals_is_a_regression():
    assert rank(X_R, Y_R, estimator=None).criterion == "sd-gauss"
    assert rank(X_R, Y_R, "correlation").scores[0] == pytest.approx(
        abs(np.corrcoef(X_R[:, 0], Y_R)[0, 1])
    )


def test_many_whole_numbers_are_a_regression_unless_the_criterion_knows_better():
    counts = np.arange(40) % 25
    numeric = rank(X, counts, "correlation").scores[0]
    assert numeric == pytest.approx(abs(np.corrcoef(X[:, 0], counts)[0, 1]))
    few = rank(X, counts % 3, "correlation").scores[0]
    assert few != pytest.approx(abs(np.corrcoef(X[:, 0], counts % 3)[0, 1]))
    classes = rank(X, counts % 20, "s2n")
    assert rank(X, counts, "s2n").scores.shape == classes.scores.shape


def test_a_regression_criterion_makes_labels_numbers():
    labels = (Y == "b").astype(int)
    assert rank(X, labels, "sd-gauss", SVR()).scores.max() > 0.0
    assert rank(X, labels, "sd-gauss").criterion == "sd-gauss"


# The ranking ---------------------------------------------------------------------------------


def test_order_is_strict_and_stable():
    table = np.column_stack([X[:, 1], X[:, 0], X[:, 1], X[:, 0], np.ones(40), np.ones(40)])
    ranking = rank(table, Y, "f-score")
    first = [1, 3, 0, 2] if ranking.scores[1] > ranking.scores[0] else [0, 2, 1, 3]
    assert ranking.order.tolist() == [*first, 4, 5]


def test_permuting_the_columns_permutes_the_ranking():
    order = [3, 0, 4, 1, 2]
    ranking = rank(pd.DataFrame(X, columns=NAMES), Y, "fspp2", SVC(tol=1e-8))
    permuted = rank(pd.DataFrame(X, columns=NAMES).iloc[:, order], Y, "fspp2", SVC(tol=1e-8))
    np.testing.assert_allclose(permuted.scores, ranking.scores[order], rtol=1e-5)
    assert [ranking.names[i] for i in ranking.order] == [permuted.names[i] for i in permuted.order]


def test_repr_of_few_features():
    table = pd.DataFrame(X, columns=["a", "bb", "a long name", "d", "e"])
    lines = repr(rank(table, Y, "f-score")).split("\n")
    assert lines[0] == "Ranking of 5 features by f-score (no machine)"
    assert len(lines) == 6
    assert all(line.startswith(f"    {place}  ") for place, line in enumerate(lines[1:], start=1))


def test_repr_of_many_features():
    table = np.random.default_rng(0).normal(size=(40, 13))
    lines = repr(rank(table, Y, "weight", SVC(C=3.0, gamma=0.25))).split("\n")
    assert lines[0] == "Ranking of 13 features by weight (RBF, C=3, gamma=0.25)"
    assert len(lines) == 12
    assert lines[-1] == "       … 3 more"


def test_repr_of_awkward_names():
    names = ["line\nbreak", "escape\x1b[31m", "x" * 100, "", "tab\t"]
    text = repr(rank(pd.DataFrame(X, columns=names), Y, "f-score"))
    assert len(text.split("\n")) == 6
    assert "\x1b" not in text
    assert "\t" not in text
    assert max(map(len, text.split("\n"))) < 70
    assert "x" * 39 + "…" in text


def test_frame():
    ranking = rank(pd.DataFrame(X, columns=NAMES), Y, "f-score")
    frame = ranking.to_frame()
    assert frame.index.tolist() == [1, 2, 3, 4, 5]
    assert frame.index.name == "rank"
    assert frame["score"].is_monotonic_decreasing
    assert frame["feature"].tolist() == [NAMES[i] for i in frame["column"]]
    assert frame["column"].tolist() == ranking.order.tolist()


def test_the_public_names():
    assert svmsieve.Ranking is Ranking
    assert "rank" in dir(svmsieve)
    with pytest.raises(AttributeError, match="has no attribute 'rang'"):
        svmsieve.rang  # noqa: B018


# Random state, groups, weights, memory -------------------------------------------------------


def test_random_states():
    def scores(random_state):
        return rank(X, Y, "fspp2", SVC(), random_state=random_state).scores.tolist()

    assert scores(None) == scores(0) == scores(np.int64(0))
    assert scores(1) != scores(0)
    assert scores(np.random.RandomState(3)) == scores(np.random.RandomState(3))
    assert scores(np.random.default_rng(3)) == scores(np.random.default_rng(3))
    generator = np.random.default_rng(3)
    assert scores(generator) != scores(generator)


def test_groups():
    table = pd.DataFrame(X, columns=NAMES)
    ranking = rank(table, Y, "f-score", groups=[[4, 0], [1], [3, 2]])
    alone = rank(table, Y, "f-score").scores
    assert ranking.names == ["alpha+epsilon", "beta", "gamma+delta"]
    assert ranking.scores.tolist() == [max(alone[[0, 4]]), alone[1], max(alone[[2, 3]])]
    assert len(ranking) == 3


@pytest.mark.parametrize("name", CRITERIA)
def test_one_group_of_everything(name):
    criterion = Forest(n_trees=5) if name == "forest" else name
    task = "binary" if "binary" in CRITERIA[name].tasks else "regression"
    table, y = (X, Y) if task == "binary" else (X_R, Y_R)
    for kernel in ("linear", "rbf"):
        estimator = (SVC if task == "binary" else SVR)(kernel=kernel)
        ranking = rank(table, y, criterion, estimator, groups=[range(5)])
        assert ranking.scores.shape == (1,)
        assert np.isfinite(ranking.scores).all()
        sparse = rank(sp.csr_matrix(table), y, criterion, estimator, groups=[range(5)])
        assert np.isfinite(sparse.scores).all()


@pytest.mark.parametrize("name", CRITERIA)
def test_one_feature_alone(name):
    criterion = Forest(n_trees=5) if name == "forest" else name
    task = "binary" if "binary" in CRITERIA[name].tasks else "regression"
    table, y = (X, Y) if task == "binary" else (X_R, Y_R)
    for kernel in ("linear", "rbf", "poly"):
        estimator = (SVC if task == "binary" else SVR)(kernel=kernel)
        ranking = rank(table[:, :1], y, criterion, estimator)
        assert np.isfinite(ranking.scores).all()


@pytest.mark.parametrize("task", TASKS)
def test_a_sample_of_weight_zero_is_absent(task):
    table, y = problem(task)
    weights = np.ones(len(y))
    weights[[1, 8, 20]] = 0.0
    there = weights > 0.0
    estimator = (SVR if task == "regression" else SVC)(gamma=0.2, tol=1e-9)
    names = [n for n in CRITERIA if task in CRITERIA[n].tasks]
    for name in set(names) - {"forest", "fspp1", "fspp2", "fspp3", "fspp4"}:
        criterion = CRITERIA[name]("all") if name.startswith("sd-") else name
        weighted = rank(table, y, criterion, estimator, sample_weight=weights).scores
        absent = rank(table[there], y[there], criterion, estimator).scores
        np.testing.assert_allclose(
            weighted, absent, rtol=1e-4, atol=1e-5 * absent.max(), err_msg=name
        )


def test_weights_matter():
    weights = np.linspace(0.1, 2.0, 40)
    for name in ("f-score", "hsic", "weight", "fspp2", "span-gradient"):
        plain = rank(X, Y, name, SVC()).scores
        assert not np.allclose(rank(X, Y, name, SVC(), sample_weight=weights).scores, plain)
    even = rank(X, Y, "fspp2", SVC(), sample_weight=np.ones(40)).scores
    np.testing.assert_allclose(even, rank(X, Y, "fspp2", SVC()).scores, rtol=1e-9)


def test_a_kernel_matrix_over_the_budget_is_refused_before_it_is_made():
    with pytest.raises(ValueError, match="The kernel matrix of 40 samples would need 25"):
        rank(X, Y, "weight", SVC(), memory=1000)


# Refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X, Y, "fspp5"), r"criterion 'fspp5' is not known; did you mean .*'fspp[1-4]'"),
        ((X, Y, "zzz"), "criterion 'zzz' is not known; known are: correlation, s2n"),
        ((X_R, Y_R, "fspp2"), "'fspp2' is for binary and multiclass targets, not for regression"),
        ((X_R, Y_R, "f-score", SVR()), "for regression use one of: correlation, forest, hsic"),
        ((X, Y, "sd-gauss"), "y must be numeric"),
        ((X, Y, "sd-gauss", SVC()), "'sd-gauss' is for regression targets, not for binary; for"),
        ((X_R, Y_R, "auto", SVC()), "y holds continuous values .* use an SVR"),
        ((X, Y, "auto", SVR()), "y must be numeric"),
        ((X, Y, "auto", NuSVC()), "estimator must be a scikit-learn SVC.* got NuSVC"),
        ((X, Y, "auto", make_pipeline(StandardScaler(), SVC())), "got Pipeline"),
        ((X, Y, "auto", SVC(kernel="sigmoid")), "kernel must be one of .* got 'sigmoid'"),
        ((X, Y, "auto", SVC(kernel="precomputed")), "kernel must be one of .*'precomputed'"),
        ((X, Y, "auto", SVC(C=-1.0)), "C must be a positive number, got -1"),
        ((X, Y, "auto", SVC(gamma=-1.0)), "gamma must be a positive number, got -1"),
        ((X_R, Y_R, "auto", SVR(epsilon=-1.0)), "epsilon must be finite and not negative"),
        ((X, np.ones(40, int), "f-score"), "y must hold at least two classes, got only 1"),
        ((X, Y[:-1], "f-score"), r"y must have shape \(40,\), one target for each row of X, got"),
        ((X[:, 0], Y), "X must have two dimensions"),
        ((X[:1], Y[:1]), "at least two samples"),
        ((np.where(X[3, 2] == X, np.nan, X), Y), "column 2 has 1 missing or infinite value, first"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        rank(*arguments)


def test_refusals_name_the_column():
    table = pd.DataFrame(X.copy(), columns=NAMES)  # below pandas 3 a frame is a view of the array
    table["beta"] = "text"
    with pytest.raises(ValueError, match="column 'beta' must hold numbers; encode it"):
        rank(table, Y)
    table["beta"] = X[:, 1]
    table.loc[[7, 9], "delta"] = np.nan
    with pytest.raises(
        ValueError, match=r"column 'delta' has 2 missing .*, first in row 7; impute"
    ):
        rank(table, Y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(40, -1.0), "sample_weight must not be negative"),
        (np.zeros(40), "nor zero for all"),
        (np.ones(39), r"sample_weight must have shape \(40,\)"),
        ((Y == "a").astype(float), "must not be zero for a whole class: that of class 'b' is"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        rank(X, Y, "f-score", sample_weight=weights)


@pytest.mark.parametrize("random_state", [-1, 2**32, "seed", 1.5])
def test_bad_random_states_are_refused(random_state):
    with pytest.raises(ValueError, match="random_state must be a whole number from 0"):
        rank(X, Y, "fspp2", SVC(), random_state=random_state)


def test_too_few_samples_of_a_class():
    y = np.array(["a"] * 39 + ["b"])
    with pytest.raises(ValueError, match="at least two samples of each class; the smallest class"):
        rank(X, y)
    with pytest.raises(ValueError, match="probabilities need at least two samples of each class"):
        rank(X, y, "fspp2", SVC())
    with pytest.raises(ValueError, match="folds need at least 5 samples of each class"):
        rank(X, ["a"] * 36 + ["b"] * 4, FSPP2(evaluate_on="held-out"), SVC())


# Large sparse data ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dorothea(shared_data):
    with np.load(shared_data / "dorothea.npz") as file:
        parts = (file["train_data"].astype(float), file["train_indices"], file["train_indptr"])
        table = sp.csr_matrix(parts, shape=tuple(file["train_shape"]))
        return table[:, ::5], file["y_train"]


@pytest.mark.parametrize("criterion", ["f-score", "weight", "fspp2", "fspp4"])
def test_dorothea_is_never_densified(dorothea, criterion):
    table, y = dorothea
    assert table.shape == (800, 20_000)
    tracemalloc.start()
    try:
        ranking = rank(table, y, criterion, SVC(kernel="linear", C=0.1))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.isfinite(ranking.scores).all()
    assert peak < 70e6, f"{peak / 1e6:.0f} MB, of 128 MB for the dense table"


def test_a_notebook_shows_the_ranking_with_names_as_text():
    rng = np.random.default_rng(0)
    names = ["<script>alert(1)</script>", *(f"x{i}" for i in range(24))]
    X = pd.DataFrame(rng.normal(size=(40, 25)), columns=names)
    found = rank(X, X.iloc[:, 0] > 0, "f-score")
    page = found._repr_html_()
    root = ElementTree.fromstring(page)
    cells = [[cell.text for cell in row] for row in root.iter("tr")]
    assert cells[0][:3] == ["rank", "feature", "score"]
    shown = found.to_frame().head(20)
    assert [row[1] for row in cells[1:]] == list(shown.feature)
    assert [float(row[2]) for row in cells[1:]] == pytest.approx(list(shown.score), rel=1e-3)
    assert "<script>" not in page
    assert "5 more" in page


def test_the_ranking_is_plotted_best_on_top():
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    X = np.random.default_rng(0).normal(size=(40, 6))
    found = rank(X, X[:, 2] > 0, "f-score")
    ax = found.plot(top=4)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == [found.names[i] for i in found.order[:4][::-1]]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_array_equal(widths, found.scores[found.order[:4][::-1]])
    assert ax.get_xlabel() == "score by f-score"
    assert ax.get_ylabel() == "feature"
    ax.figure.canvas.draw()
    mpl.pyplot.close(ax.figure)
