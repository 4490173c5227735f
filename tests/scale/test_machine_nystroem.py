"""machine="nystroem" through rank, SVMSieve and as scikit-learn estimators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score, get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from svmsieve import SVMSieve, rank
from svmsieve.criteria.fspp import FSPP2
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.expansion import vote
from svmsieve.engine.machines.machine import Machine
from svmsieve.engine.machines.plan import Plan
from svmsieve.engine.machines.target import Classes, Numbers
from svmsieve.inputs.scaling import Standardising
from svmsieve.ranking.chunks import rank_chunks
from svmsieve.runtime.memory import MemoryBudgetError
from svmsieve.scale import tuning
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.estimators import NystroemSVC, NystroemSVR
from svmsieve.scale.parquet_chunks import ParquetChunks
from tests.scale.problems import binary, classes, numbers

MACHINE: dict[str, Any] = {"machine": "nystroem", "n_landmarks": 60}


# With a given γ: "scale" does not look at weights, in scikit-learn's own SVC neither.
CHECKED = [NystroemSVC(gamma=0.5, n_landmarks=200), NystroemSVR(gamma=0.5, n_landmarks=200)]


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_estimators_in_a_pipeline_and_a_grid() -> None:
    X, y = classes()
    pipe = make_pipeline(StandardScaler(), NystroemSVC(n_landmarks=50, gamma=0.3))
    grid = GridSearchCV(pipe, {"nystroemsvc__C": [0.01, 10.0]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"nystroemsvc__C": 10.0}
    assert grid.score(X, y) > 0.85
    assert pipe.fit(X, y).decision_function(X).shape == (len(X), 3)


def test_balanced_class_weights() -> None:
    X, y = binary(600)
    some = np.flatnonzero((y == 0) | (np.arange(600) % 8 == 0))
    X, y = X[some], y[some]
    share = {
        weight: (
            NystroemSVC(0.1, class_weight=weight, n_landmarks=50).fit(X, y).predict(X) == 1
        ).mean()
        for weight in (None, "balanced")
    }
    assert share["balanced"] > 1.5 * share[None]
    by_hand = {0: len(y) / (2 * (y == 0).sum()), 1: len(y) / (2 * (y == 1).sum())}
    machines = [
        NystroemSVC(0.1, class_weight=weight, n_landmarks=50).fit(X, y)
        for weight in ("balanced", by_hand)
    ]
    np.testing.assert_allclose(*(each.decision_function(X) for each in machines), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["fspp1", "fspp2", "fspp3", "sv-gradient"])
def test_rank_finds_the_features_that_matter(criterion: str) -> None:
    X, y = binary(1500, 10)
    ranking = rank(X, y, criterion, SVC(C=1.0, gamma=0.1), **MACHINE)
    assert set(ranking.order[:3].tolist()) == {0, 1, 2}
    assert "60 landmarks" in ranking.machine


@pytest.mark.parametrize("criterion", ["sd-gauss", "sd-laplace", "auto"])
def test_rank_of_a_regression(criterion: str) -> None:
    X, y = numbers(1500, 10)
    ranking = rank(X, y, criterion, SVR(C=10.0, gamma=0.1), machine="nystroem", n_landmarks=150)
    assert set(ranking.order[:3].tolist()) == {0, 1, 2}


def test_columns_in_another_order_rank_the_same() -> None:
    X, y = binary(400)
    order = np.array([3, 0, 5, 1, 4, 2])
    one, other = (
        rank(matrix, y, "fspp2", SVC(gamma=0.2), **MACHINE) for matrix in (X, X[:, order])
    )
    np.testing.assert_allclose(one.scores[order], other.scores, rtol=1e-6)


def test_a_filter_needs_no_kernel_matrix() -> None:
    """More rows than the budget allows for a kernel matrix, whatever the machine."""
    X, y = binary(500)
    small = {"memory": 8 * 500.0}
    exact = rank(X, y, "f-score", SVC(), **small)
    np.testing.assert_array_equal(exact.scores, rank(X, y, "f-score", SVC(), **MACHINE).scores)


def test_the_exact_machine_refuses_and_names_this_one() -> None:
    X, y = binary(500)
    with pytest.raises(MemoryBudgetError, match="machine='nystroem'"):
        rank(X, y, "fspp2", SVC(), memory=1e5)
    ranking = rank(X, y, "fspp2", SVC(), memory=2e5, **MACHINE)
    assert len(ranking) == 6
    with pytest.raises(MemoryBudgetError, match=r"60 landmarks .* use fewer landmarks"):
        rank(X, y, "fspp2", SVC(), memory=1e5, **MACHINE)


@pytest.mark.parametrize("sparse", [False, True])
def test_elimination(sparse: bool) -> None:
    X, y = binary(400, 8)
    made = sp.csr_matrix(X) if sparse else X
    sieve = SVMSieve(SVC(gamma="scale"), n_features_to_select=3, step=2, **MACHINE).fit(made, y)
    assert sorted(np.flatnonzero(sieve.support_)) == [0, 1, 2]
    assert isinstance(sieve.estimator_, NystroemSVC)
    assert sieve.estimator_.gamma == "scale"
    assert sieve.score(made, y) > 0.85
    assert sieve.decision_function(made).shape == (400,)
    other = sieve.at_size(5, made, y)
    assert isinstance(other.estimator_, NystroemSVC)
    assert other.estimator_.n_features_in_ == 5


def test_sizes_are_cross_validated() -> None:
    X, y = numbers(400, 7)
    sieve = SVMSieve(
        SVR(C=10.0, gamma=0.3), criterion="sd-gauss", n_features_to_select="1se", cv=3, **MACHINE
    ).fit(X, y)
    assert sorted(np.flatnonzero(sieve.support_)) == [0, 1, 2]
    assert isinstance(sieve.estimator_, NystroemSVR)


def test_groups_weights_and_missing_values() -> None:
    X, y = binary(400, 8)
    X[::11, 2] = np.nan
    sieve = SVMSieve(
        SVC(gamma=0.2),
        groups=[[0, 1], [6, 7]],
        n_features_to_select=2,
        missing="mean",
        **MACHINE,
    ).fit(X, y, sample_weight=np.linspace(0.5, 1.5, 400))
    assert sorted(np.flatnonzero(sieve.support_)) == [0, 1, 2]
    assert sieve.score(X, y) > 0.8


def test_one_hot_columns_as_a_group() -> None:
    X, y = binary(400, 4)
    level = np.random.default_rng(1).integers(0, 3, 400)
    y = np.where(level == 2, 1 - y, y)
    X = np.column_stack([X, np.eye(3)[level]])
    groups = [[0], [1], [2], [3], [4, 5, 6]]
    ranking = rank(X, y, "fspp2", SVC(C=10.0, gamma=0.2), groups=groups, **MACHINE)
    assert ranking.order[-1] == 3  # of no use
    assert len(ranking) == 5


def test_the_same_run_again_and_resumed(tmp_path: Path) -> None:
    X, y = binary(300, 6)
    options: dict[str, Any] = {"step": 1, "n_features_to_select": 2, **MACHINE}
    sieve = SVMSieve(SVC(gamma=0.2), **options)
    whole = clone(sieve).fit(X, y)
    steps = []

    def stop(step: Any) -> None:
        steps.append(step)
        if len(steps) == 2:
            raise KeyboardInterrupt

    path = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        clone(sieve).set_params(checkpoint=path, callback=stop).fit(X, y)
    resumed = clone(sieve).set_params(checkpoint=path).fit(X, y)
    np.testing.assert_array_equal(resumed.scores_, whole.scores_)
    np.testing.assert_array_equal(resumed.order_, whole.order_)


def test_tuned_for_its_own_loss_on_samples_that_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    judged = tuning._judged

    def look(plan: Any, rows: Any, seed: int) -> Any:
        seen.append(len(rows.target))
        return judged(plan, rows, seed)

    monkeypatch.setattr(tuning, "_judged", look)
    monkeypatch.setattr(tuning, "FIRST_ROWS", 100)
    monkeypatch.setattr(tuning, "C_GRID", (0.25, 8.0))
    monkeypatch.setattr(tuning, "GAMMAS", (0.25, 1.0))
    X, y = binary(600, 4)
    sieve = SVMSieve(search="once", n_features_to_select=3, **MACHINE).fit(X, y)
    first = seen.index(100, 1)  # where the selected columns are tuned
    for sizes in (seen[:first], seen[first:]):
        assert sizes == [100, 200, 400, 600][: len(sizes)]
        assert len(sizes) >= 2  # one choice is not known to be stable
    assert sieve.estimator_.C in (0.25, 8.0)
    assert sieve.tuning_.fold_scores.shape == (2, 1, 2, 5)


def _score(pipe: Any, X: Any, y: Any) -> float:
    """Score as the tuning does; equal votes go to the first class, as in LIBSVM; ``predict`` weighs them."""
    if isinstance(pipe[-1], NystroemSVR):
        return float(get_scorer("neg_mean_squared_error")(pipe, X, y))
    pairs = pipe[-1]._decisions(pipe[:-1].transform(X))
    return float(balanced_accuracy_score(y, pipe.classes_[vote(pairs, len(pipe.classes_))]))


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_tuned_grid_is_that_of_estimators_trained_fold_by_fold(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow twin: a pipeline of scikit-learn's for each point and fold, all rows as landmarks."""
    monkeypatch.setattr(tuning, "_LANDMARKS", 1000)
    monkeypatch.setattr(tuning, "C_GRID", (0.25, 8.0))
    monkeypatch.setattr(tuning, "GAMMAS", (0.25, 1.0))
    monkeypatch.setattr(tuning, "EPSILONS", (0.1, 0.3))
    X, y = classes(120, 4) if kind == "classes" else numbers(120, 4)
    target: Any = Classes.of(y) if kind == "classes" else Numbers.of(y)
    X[::7, 1] = np.nan
    rows = tuning.TuningRows(X, target, None, Standardising(impute=True))
    plan = Plan(Machine("hinge" if kind == "classes" else "epsilon"), RBF(1.0))
    found = tuning._judged(plan, rows, 0)
    for g, gamma in enumerate(found.gamma):
        for e, epsilon in enumerate(found.epsilon):
            for c, C in enumerate(found.C):
                options = {"gamma": gamma, "n_landmarks": 1000}
                machine: Any = NystroemSVC(C, **options)
                if kind == "numbers":
                    machine = NystroemSVR(C, epsilon=epsilon, **options)
                for f, held_out in enumerate(rows.folds(0)):
                    train = np.delete(np.arange(120), held_out)
                    pipe = make_pipeline(SimpleImputer(), StandardScaler(), machine)
                    wanted = _score(pipe.fit(X[train], y[train]), X[held_out], y[held_out])
                    assert found.fold_scores[g, e, c, f] == pytest.approx(wanted, rel=1e-5)


def test_rank_of_parquet_files_is_that_of_the_matrix(tmp_path: Path) -> None:
    X, y = classes(300)
    X[5, 1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    frame[:100].to_parquet(paths[0])
    frame[100:].to_parquet(paths[1])
    options: dict[str, Any] = {"missing": "mean", "n_landmarks": 40}
    files = ParquetChunks(paths, "y", memory=3000)
    found = rank_chunks(files, "fspp2", SVC(gamma=0.2), **options)
    wanted = rank_chunks(RowChunks(X, y, names=list("abcde")), "fspp2", SVC(gamma=0.2), **options)
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=1e-7)
    assert found.names == list("abcde")
    with pytest.raises(ValueError, match=r"'b' has 1 missing value, first in row 5"):
        rank_chunks(files, "fspp2", SVC(gamma=0.2), n_landmarks=40)


def test_rank_in_memory_is_rank_of_chunks() -> None:
    X, y = classes(300)
    weight = np.linspace(0.5, 2.0, 300)
    found = rank(X, y, "fspp2", SVC(gamma=0.2), sample_weight=weight, **MACHINE)
    chunks = RowChunks(X, y, weight, memory=2000)
    wanted = rank_chunks(chunks, "fspp2", SVC(gamma=0.2), n_landmarks=60)
    np.testing.assert_allclose(found.scores, wanted.scores, rtol=1e-7)


@pytest.mark.parametrize("name", ["correlation", "s2n", "f-score"])
def test_a_filter_ranks_chunks_without_a_machine(name: str) -> None:
    X, y = classes(300)
    found = rank_chunks(RowChunks(X, y, memory=2000), name)
    np.testing.assert_allclose(found.scores, rank(X, y, name).scores, rtol=1e-7)


@pytest.mark.parametrize("criterion", ["fspp2", "f-score"])
def test_chunks_without_rows_are_refused(criterion: str) -> None:
    chunks = RowChunks(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ValueError, match=r"^chunks must hold at least two rows, got 0"):
        rank_chunks(chunks, criterion)


@pytest.mark.parametrize("criterion", ["fspp2", "f-score"])
def test_an_infinite_value_is_refused_by_name(criterion: str) -> None:
    X, y = classes(300)
    X[200, 1] = np.inf
    chunks = RowChunks(X, y, names=list("abcde"), memory=2000)
    with pytest.raises(ValueError, match=r"^column 'b' has an infinite value in row 200"):
        rank_chunks(chunks, criterion)


def test_few_landmarks_rank_and_predict_as_the_exact_machine() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 8))
    value = np.sin(1.5 * X) @ np.geomspace(2.0, 0.1, 8) + 0.2 * rng.normal(size=1200)
    y = (value > 0.0).astype(int)
    train, test = X[:800], X[800:]
    estimator, fspp2 = SVC(C=1.0, gamma=0.1), FSPP2(n_permutations=10)
    exact = rank(train, y[:800], fspp2, estimator)
    found = rank(train, y[:800], fspp2, estimator, machine="nystroem", n_landmarks=150)
    assert spearmanr(exact.scores, found.scores).statistic >= 0.95
    machines = estimator, NystroemSVC(1.0, gamma=0.1, n_landmarks=150)
    accuracies = [each.fit(train, y[:800]).score(test, y[800:]) for each in machines]
    assert abs(accuracies[0] - accuracies[1]) <= 0.01


def test_linear_machine_at_scale() -> None:
    X, y = binary(500, 5)
    y = (X[:, 3] + 0.5 * X[:, 4] > 0).astype(int)
    ranking = rank(X, y, "weight", LinearSVC(), machine="nystroem")
    assert ranking.order[:2].tolist() == [3, 4]


def test_report(tmp_path: Path) -> None:
    X, y = binary(200, 5)
    sieve = SVMSieve(SVC(gamma=0.2), n_features_to_select=3, **MACHINE).fit(X, y)
    text = Path(sieve.report(tmp_path / "report.md", X, y)).read_text(encoding="utf-8")
    assert "NystroemSVC" in text
    assert "landmarks = 60" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"machine": "nystrom"}, "machine must be 'exact' or 'nystroem', got 'nystrom'"),
        ({"n_landmarks": 0}, "n_landmarks must be a whole number of at least 1, got 0"),
        ({"n_landmarks": 2.5}, "n_landmarks must be"),
        ({"search": "forward"}, "search 'forward' cross-validates kernel matrices"),
        ({"search": "hill-climb"}, "search 'hill-climb'"),
        ({"n_features_to_select": "bound"}, "'bound' needs the radius"),
        ({"criterion": "radius-margin"}, r"'radius-margin' .*machine='nystroem'"),
    ],
)
def test_errors_name_the_argument(options: dict[str, Any], message: str) -> None:
    X, y = binary(60)
    with pytest.raises(ValueError, match=message):
        SVMSieve(SVC(), **{**MACHINE, **options}).fit(X, y)


def test_epsilon_is_checked() -> None:
    X, y = numbers(60)
    with pytest.raises(ValueError, match="epsilon must be finite"):
        NystroemSVR(epsilon=-1.0).fit(X, y)


def test_classes_that_are_too_rare_to_calibrate_are_named() -> None:
    X, y = binary(100)
    y[0] = 7
    with pytest.raises(ValueError, match="class 7 has 1 of 100 rows: use criterion 'fspp1'"):
        rank(X, y, "fspp2", SVC(gamma=0.2), **MACHINE)
