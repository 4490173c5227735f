"""Several methods on the same folds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.evaluation import (
    METRICS,
    Comparison,
    FoldResult,
    NestedEvaluation,
    compare,
    corrected_t_test,
    holm,
    nested_evaluate,
    paired_t_test,
)
from tests.evaluation.problems import two_matter

FOLDS = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)


def sieve(criterion="f-score", **options):
    options = {"search": "once", "n_features_to_select": 2, **options}
    return SVMSieve(SVC(), criterion=criterion, **options)


METHODS = {"f-score": sieve(), "correlation": sieve("correlation"), "all": SVC()}


@pytest.fixture(scope="module")
def data():
    return two_matter()


@pytest.fixture(scope="module")
def comparison(data):
    return compare(METHODS, *data, FOLDS, scoring="ber")


def made_up(scores, metric="mse", sizes=None):
    """A comparison of given scores: name → folds, and name → size → folds."""
    evaluations = {}
    for name, values in scores.items():
        at = {} if sizes is None else sizes[name]
        folds = tuple(
            FoldResult(
                n_train=80,
                test=np.arange(20),
                score=value,
                predictions=np.zeros(20),
                decisions=None,
                selected=None,
                order=None,
                sizes=np.array(sorted(at), dtype=int),
                size_scores=np.array([at[size][i] for size in sorted(at)]),
                reason="",
                seconds=1.0,
            )
            for i, value in enumerate(values)
        )
        evaluations[name] = NestedEvaluation(METRICS[metric], folds, np.zeros(20), None, ["a"])
    return Comparison(evaluations)


def test_all_methods_meet_the_same_folds(data):
    shuffled = StratifiedKFold(3, shuffle=True)  # other folds at each call
    found = compare(METHODS, *data, shuffled)
    rows = [[fold.test.tolist() for fold in e.folds] for e in found.evaluations.values()]
    assert rows[0] == rows[1] == rows[2]


def test_each_method_is_evaluated_as_alone(data, comparison):
    for name, method in METHODS.items():
        alone = nested_evaluate(method, *data, FOLDS, scoring="ber")
        np.testing.assert_array_equal(comparison.evaluations[name].scores, alone.scores)


def test_table_of_means(comparison):
    frame = comparison.to_frame()
    for name, evaluation in comparison.evaluations.items():
        assert frame.loc[name, "mean"] == evaluation.mean
        assert frame.loc[name, "se"] == evaluation.se
    assert frame.loc["f-score", "n_features"] == 2
    assert np.isnan(frame.loc["all", "n_features"])


def test_table_of_sizes(comparison):
    frame = comparison.sizes_frame()
    assert frame.index.tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert set(frame.columns.get_level_values(0)) == {"f-score", "correlation"}
    scores = comparison.evaluations["f-score"].scores_at(4)
    assert frame.loc[4, ("f-score", "mean")] == scores.mean()


def test_tests_of_all_pairs(comparison):
    results = comparison.tests()
    pairs = [(result.first, result.second) for result in results]
    assert pairs == [("f-score", "correlation"), ("f-score", "all"), ("correlation", "all")]
    for result in results:
        ours = comparison.evaluations[result.first].scores
        theirs = comparison.evaluations[result.second].scores
        gains = theirs - ours  # errors: lower is better
        assert result.gain == pytest.approx(gains.mean())
        assert result.p == paired_t_test(gains).p
        # Two times four folds of 60 samples: 15 test 45.
        assert result.p_corrected == pytest.approx(corrected_t_test(gains, 1 / 3).p)
    np.testing.assert_array_equal(
        [result.p_holm for result in results], holm([result.p_corrected for result in results])
    )


def test_a_reference_meets_every_other_method(comparison):
    results = comparison.tests(reference="correlation")
    assert [(r.first, r.second) for r in results] == [
        ("correlation", "f-score"),
        ("correlation", "all"),
    ]


def test_the_family_is_what_was_asked_for(comparison):
    results = comparison.tests(sizes="all")
    assert len(results) == 7
    np.testing.assert_array_equal(
        [r.p_holm for r in results], holm([r.p_corrected for r in results])
    )
    assert [r.size for r in comparison.tests(sizes=[4, 2])] == [4, 2]


def test_signs_of_wins_losses_and_ties():
    rng = np.random.default_rng(0)
    base = rng.normal(5.0, 1.0, size=10)
    noise = 0.01 * rng.normal(size=(3, 10))
    found = made_up(
        {"ours": base, "worse": base + 1 + noise[0], "better": base - 1 + noise[1], "same": base}
    )
    assert [result.sign for result in found.tests(reference="ours")] == ["+", "-", ""]
    assert [result.paper_sign for result in found.tests(reference="ours")] == ["+", "-", ""]
    assert "ours is better than worse" in repr(found)
    # What is an error in one measure is a merit in another.
    merits = made_up({"ours": base, "worse": base + 1 + noise[0]}, metric="accuracy")
    assert merits.tests()[0].sign == "-"


def test_overlap_and_number_of_comparisons_take_signs_away():
    gains = np.tile([0.02, 0.1, 0.05, -0.01], 3)
    base = np.full(12, 1.0)
    pair = made_up({"a": base, "b": base + gains}).tests()[0]
    assert pair.p < 0.05
    assert pair.paper_sign == "+"
    assert pair.p_corrected > 0.05
    assert pair.sign == ""


def test_table_of_signs(comparison):
    scores = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.1, 4.0], "c": [1.0, 2.0, 3.0]}
    sizes = {
        "a": {1: [5.0, 6.0, 7.0], 2: [1.0, 2.0, 3.0], 3: [0.0] * 3},
        "b": {1: [9.0, 10.1, 11.2], 2: [1.0, 2.0, 3.0]},
        "c": {1: [5.0, 6.0, 7.0], 2: [0.0, 0.9, 2.1]},
    }
    frame = made_up(scores, sizes=sizes).signs_frame()
    assert frame.index.tolist() == [1, 2, "chosen"]
    assert frame.loc[1, ("a", "mean")] == 6.0
    assert frame[("b", "sign")].tolist() == ["+", "", "+"]
    assert frame[("c", "sign")].tolist() == ["", "-", ""]
    # Six comparisons make one family.
    p = corrected_t_test([4.0, 4.1, 4.2], 0.25).p
    assert frame.loc[1, ("b", "p")] >= p
    assert comparison.signs_frame("all").index.tolist() == ["chosen"]


def test_frames_dict_and_words(comparison):
    frame = comparison.tests_frame(reference="all")
    assert frame["second"].tolist() == ["f-score", "correlation"]
    plain = json.loads(json.dumps(comparison.to_dict()))
    assert plain["lower_is_better"]
    assert len(plain["tests"]) == 3
    assert "lower is better" in repr(comparison)


def test_methods_share_a_record(data, tmp_path, comparison):
    file = tmp_path / "comparison.jsonl"
    compare(METHODS, *data, FOLDS, scoring="ber", checkpoint=file)
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3 * 8
    file.write_bytes(b"".join(lines[:10]))
    again = compare(METHODS, *data, FOLDS, scoring="ber", checkpoint=file, n_jobs=2)
    for name in METHODS:
        np.testing.assert_array_equal(
            again.evaluations[name].scores, comparison.evaluations[name].scores
        )


def test_what_cannot_be_compared_is_refused(data, comparison):
    X, y = data
    with pytest.raises(ValueError, match="at least two methods"):
        compare({"one": SVC()}, X, y)
    with pytest.raises(ValueError, match=r"all be classifiers or all be regressors.*: svr"):
        compare({"svc": SVC(), "svr": SVR()}, X, X[:, 0], KFold(3))
    with pytest.raises(ValueError, match="reference must be one of f-score, correlation, all"):
        comparison.tests(reference="fscore")
    with pytest.raises(ValueError, match="sizes must be ones that every method visited, 2, 3"):
        comparison.tests(sizes=[1])
    with pytest.raises(ValueError, match="sizes must be 'all'"):
        comparison.tests(sizes="some")
    with pytest.raises(ValueError, match="alpha"):
        comparison.tests(alpha=5)


def test_scores_that_are_not_defined_have_no_test():
    made = made_up({"a": [1.0, 2.0, 3.0], "b": [1.5, np.nan, 3.0], "c": [9.0, 8.5, 9.5]})
    pairs = {(test.first, test.second): test for test in made.tests()}
    assert np.isnan(pairs["a", "b"].p_holm)
    assert pairs["a", "b"].sign == ""
    assert pairs["a", "c"].p_holm == pairs["a", "c"].p_corrected  # the only one that is defined
    assert "nan" in repr(made).lower()
    made.to_dict()
    frame = made.signs_frame()
    assert np.isnan(frame.loc["chosen", ("b", "p")])
    assert frame.loc["chosen", ("b", "sign")] == ""
    assert frame.loc["chosen", ("c", "p")] == pairs["a", "c"].p_corrected
