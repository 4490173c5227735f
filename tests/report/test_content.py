"""The content of the report is what the selection and its evaluation say."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import confusion_matrix, get_scorer
from sklearn.model_selection import GroupKFold
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.evaluation import HeldOut, balanced_error_scorer, make_metric, nested_evaluate
from svmsieve.evaluation.shown import Shown, interval
from svmsieve.report import describe, to_html, to_json, to_markdown, write_report
from svmsieve.report.terminal import print_report
from tests.report.problems import PROBLEMS, classified, grouped, regressed


def _content(name):
    sieve, X, y, evaluation = PROBLEMS[name]()
    return describe(sieve, X, y, evaluation=evaluation, name="data")


@pytest.mark.parametrize("name", PROBLEMS)
def test_content_is_plain_json(name):
    content = _content(name)
    assert json.loads(to_json(content)) == content


def test_selection_and_ranking_are_the_sieve_s():
    sieve, X, _, _ = classified()
    content = _content("classes")
    names = list(X.columns[sieve.order_])
    assert content["ranking"]["names"] == names
    assert content["selection"]["features"] == names[: sieve.n_features_]
    told = content["selection"]["reason"]
    assert told.startswith("best error rate")
    assert told.endswith("% with 1 feature")


def test_stability_is_that_of_the_outer_folds():
    _, X, _, evaluation = classified()
    content = _content("classes")
    stability = evaluation.stability()
    frequency = dict(zip(content["ranking"]["names"], content["ranking"]["frequency"], strict=True))
    for name, expected in zip(X.columns, stability.frequency, strict=True):
        assert frequency[name] == pytest.approx(expected, abs=1e-5)
    assert content["stability"]["index"] == pytest.approx(stability.index.value, abs=1e-5)
    ranks = np.array([np.argsort(fold.order) + 1 for fold in evaluation.folds])
    first = X.columns.get_loc(content["ranking"]["names"][0])
    assert content["ranking"]["lowest_rank"][0] == 1  # its own
    assert content["ranking"]["highest_rank"][0] == ranks[:, first].max()


def test_every_view_says_what_its_p_and_its_ranks_are():
    sieve, X, y, evaluation = classified()
    content = describe(
        sieve, X, y, evaluation=evaluation, baselines={"all features": evaluation.at_size(4)}
    )
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(content, console)
    shown = console.export_text()
    for text in (shown, to_markdown(content)):
        assert "ranks, list and folds" in text
        assert "difference (Holm)" in text
    assert "difference (Holm)" in to_html(content)
    assert "adjusted by Holm" in content["paragraph"]


def test_error_is_one_minus_the_nested_accuracy():
    _, _, _, evaluation = classified()
    content = _content("classes")
    assert content["measure"]["name"] == "error rate"
    assert content["evaluation"]["value"] == pytest.approx(1.0 - evaluation.mean, abs=1e-5)
    lower, upper = evaluation.interval()
    assert content["evaluation"]["lower"] == pytest.approx(1.0 - upper, abs=1e-5)
    assert content["evaluation"]["upper"] == pytest.approx(1.0 - lower, abs=1e-5)
    at = content["curve"]["sizes"].index(2)
    expected = 1.0 - evaluation.scores_at(2).mean()
    assert content["curve"]["value"][at] == pytest.approx(expected, abs=1e-5)


def test_where_there_is_no_interval_every_view_says_why():
    content = _content("numbers")
    assert content["evaluation"]["lower"] is content["evaluation"]["upper"] is None
    reason = "none: fewer than 100 independent samples"
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(content, console)
    for text in (console.export_text(), to_markdown(content), content["paragraph"]):
        assert reason in text
    assert "fewer than 100 independent samples" in to_html(content)


def test_the_curve_of_a_sieve_s_own_folds_counts_groups():
    X, y = make_classification(60, 4, random_state=0)
    groups = np.arange(60) // 5
    widths = []
    for each in (None, groups):
        cv = list(GroupKFold(3).split(X, y, groups))
        sieve = SVMSieve(SVC(), criterion="f-score", cv=cv).fit(X, y, groups=each)
        curve = describe(sieve, X, y)["curve"]
        widths.append(np.array(curve["upper"]) - np.array(curve["lower"]))
    assert (widths[1] > 1.1 * widths[0]).all()


def test_confusion_matrices_are_of_the_held_out_samples():
    _, _, y, evaluation = classified()
    content = _content("classes")
    predictions = np.empty_like(y)
    for fold in evaluation.folds:
        predictions[fold.test] = fold.predictions
    assert content["confusion"]["matrix"] == confusion_matrix(y, predictions).tolist()
    for i, size in enumerate(content["curve"]["sizes"]):
        matrix = np.array(content["confusion"]["by_size"][i])
        wrong = 1.0 - np.trace(matrix) / matrix.sum()
        assert wrong == pytest.approx(1.0 - evaluation.scores_at(size).mean(), abs=1e-5)


def test_every_rule_s_choice_is_there():
    sieve, *_ = classified()
    choices = {each["rule"]: each for each in _content("classes")["choices"]}
    assert set(choices) == {"auto", "best", "1se", "threshold"}
    assert choices["auto"]["chosen"]
    assert choices["1se"]["size"] == sieve.n_features_
    asked = {each["rule"]: each for each in _content("groups")["choices"]}
    assert asked["asked for"]["size"] == 2


def test_redundant_features_are_named():
    clusters = [set(c["features"]) for c in _content("classes")["correlation"]["clusters"]]
    assert {"plain", "twin of plain"} in clusters


def test_groups_are_one_feature():
    sieve, X, _, _ = grouped()
    content = _content("groups")
    assert sorted(content["ranking"]["names"]) == ["colour", "noise", "size"]
    assert content["data"]["features"] == 3
    assert content["data"]["columns"] == 5
    category = next(f for f in content["responses"]["features"] if f["name"] == "colour")
    assert category["levels"] == ["r", "g", "b"]
    changed = X[list(X.columns[sieve.support_])].copy()
    changed[["colour=r", "colour=g", "colour=b"]] = [0.0, 1.0, 0.0]
    scaled = (changed.to_numpy() - sieve.scale_mean_) / sieve.scale_deviation_
    share = np.mean(sieve.estimator_.predict(scaled) == 1)
    assert category["means"][1][1] == pytest.approx(share, abs=1e-5)


def test_responses_of_numbers_are_those_of_the_machine():
    sieve, X, _, _ = regressed()
    feature = _content("numbers")["responses"]["features"][0]
    selected = list(X.columns[sieve.support_])
    at = feature["grid"][5]
    changed = X.assign(**{feature["name"]: at})
    assert feature["name"] in selected
    assert feature["mean"][0][5] == pytest.approx(sieve.predict(changed).mean(), abs=2e-3)


def test_predicted_against_true():
    content = _content("numbers")
    assert len(content["predictions"]["true"]) == 50
    assert content["confusion"] is None
    assert content["roc"] is None
    assert content["measure"]["name"] == "R²"


def test_without_samples_and_evaluation_the_sieve_s_own_folds_are_shown():
    sieve, *_ = classified()
    content = describe(sieve)
    assert content["evaluation"] is None
    assert content["responses"] is None
    assert content["ranking"]["folds"] == 3
    assert "folds that chose the size" in content["curve"]["source"]
    assert "optimistic" in content["paragraph"]
    assert sum(content["ranking"]["frequency"]) == pytest.approx(sieve.n_features_, abs=1e-4)
    assert "None" not in content["paragraph"]


def test_tuning_surface_is_the_sieve_s(tmp_path):
    _, X, y, _ = classified()
    sieve = SVMSieve(n_features_to_select=2, criterion="f-score", search="once").fit(X, y)
    tuning = describe(sieve)["tuning"]
    assert tuning["best"]["C"] == sieve.estimator_.C
    i, j = tuning["gamma"].index(tuning["best"]["gamma"]), tuning["C"].index(tuning["best"]["C"])
    values = np.array(tuning["values"], dtype=float)  # none where a point was ruled out
    assert values[i, j] == np.nanmin(values)


def test_forms_by_the_name_s_ending(tmp_path):
    sieve, X, y, evaluation = classified()
    for ending in ("html", "md", "json"):
        path = sieve.report(tmp_path / f"r.{ending}", X, y, evaluation=evaluation)
        assert path.stat().st_size > 1000
    with pytest.raises(ValueError, match=r"\.html"):
        sieve.report(tmp_path / "r.pdf")


def test_names_are_escaped_in_html_and_markdown():
    content = _content("classes")
    page = to_html(content)
    assert "<b>bold" not in page
    assert page.count("</script>") == 2
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    text = to_markdown(content)
    assert "<b>" not in text
    assert r"\<b\>bold" in text


def test_ten_thousand_features_fit(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 10_000)), np.repeat([0, 1], 12)
    X[:, 0] += 3 * y
    sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=5)
    sieve.set_params(step=0.5).fit(X, y)
    names = [f"gene {i} {'long ' * 60}" for i in range(10_000)]
    path = write_report(describe(sieve, X, y, column_names=names), tmp_path / "r.html")
    assert path.stat().st_size < 6_000_000
    assert "gene 0 long" in path.read_text()


def test_notebook_shows_the_report_inline():
    sieve, *_ = classified()
    bundle = sieve._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=")
    assert "Ranking" in bundle["text/html"]
    assert "iframe" not in SVMSieve()._repr_mimebundle_()["text/html"]


def test_negated_scorers_are_shown_as_errors():
    _, X, y, _ = regressed()
    sieve, *_ = regressed()
    evaluation = nested_evaluate(sieve, X, y, 3, scoring="neg_mean_absolute_error")
    shown = Shown.of(evaluation.metric)
    assert shown.name == "mean absolute error"
    assert shown.lower_is_better
    assert (shown.value(evaluation.scores) > 0.0).all()


def test_association_of_groups_is_root_rv():
    from svmsieve.report.columns import standardised
    from svmsieve.report.machine import _association

    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(50, 2)), rng.normal(size=(50, 3))
    B[:, 0] += A[:, 0]
    A, B = standardised(A), standardised(B)
    S, T = A @ A.T, B @ B.T  # the naive form, over samples
    rv = np.trace(S @ T) / np.sqrt(np.trace(S @ S) * np.trace(T @ T))
    assert _association(A, B) == pytest.approx(np.sqrt(rv))
    r = np.corrcoef(A[:, 0], B[:, 0])[0, 1]
    assert _association(A[:, :1], B[:, :1]) == pytest.approx(r)
    assert _association(A[:, :1], -B[:, :1]) == pytest.approx(-r)


@pytest.mark.parametrize("scale", [True, False])
def test_responses_and_tuning_are_in_the_units_of_the_target(scale):
    _, X, y, _ = regressed()
    # 32 values of few digits and powers of two: standardised, both targets are the same bit by bit, so
    # that points of the grid that are equally good up to the machines' tolerance cannot change places.
    X, y = X[:32], np.round(y[:32] * 1024.0) / 1024.0
    sieve = SVMSieve(None, n_features_to_select=2, scale=scale)
    content = [describe(clone(sieve).fit(X, target), X, target) for target in (y, 128.0 + 16.0 * y)]
    plain, scaled = (each["responses"]["features"][0]["mean"][0] for each in content)
    np.testing.assert_allclose(scaled, 128.0 + 16.0 * np.array(plain), rtol=1e-3)
    plain, scaled = (each["tuning"] for each in content)
    assert scaled["epsilon"] == pytest.approx(16.0 * plain["epsilon"], rel=1e-4)
    values = [
        np.array(each["values"], dtype=float) for each in (scaled, plain)
    ]  # R²; none: ruled out
    np.testing.assert_allclose(*values, rtol=1e-2)
    assert f"ε = {scaled['epsilon']:.4g}" in content[1]["used"]["machine"]
    assert "target" in content[1]["methods"][3]["text"]


@pytest.mark.parametrize(
    ("scoring", "scores"),
    [("r2", [0.1, 0.9]), ("mse", [1.0, 3.0]), ("neg_mean_absolute_error", [-1.0, -3.0])],
)
def test_an_interval_stays_where_the_measure_can_be(scoring, scores):
    shown = Shown.of(make_metric(scoring, regression=True))
    found = interval(scores, 1.0, shown, HeldOut(50.0))
    assert found["lower"] < found["value"] < found["upper"]
    assert found["upper"] < 1.0 if scoring == "r2" else found["lower"] > 0.0
    assert found["no_interval"] is None


def test_what_was_done_to_the_columns_is_what_was_done():
    _, X, y, _ = classified()
    texts = {}
    for scale, missing in ((True, "mean"), (True, "error"), (False, "mean"), (False, "error")):
        other = SVMSieve(SVC(), criterion="f-score", scale=scale, missing=missing)
        content = describe(other.set_params(n_features_to_select=1).fit(X, y))
        (texts[scale, missing],) = (
            m["text"] for m in content["methods"] if m["title"] == "Machine"
        )
    assert "Columns are standardised and missing numbers are filled" in texts[True, "mean"]
    assert "Columns are standardised, by" in texts[True, "error"]
    assert "Missing numbers are filled" in texts[False, "mean"]
    assert "Columns are taken as they are." in texts[False, "error"]


@pytest.mark.parametrize(
    ("options", "relative", "cited"),
    [
        ({}, True, False),
        ({"tuning": "1se"}, False, True),
        ({"retune": [4]}, False, True),
        ({"estimator": SVC()}, False, False),
    ],
)
def test_the_papers_are_cited_for_their_own_grids_only(options, relative, cited):
    _, X, y, _ = classified()
    sieve = SVMSieve(criterion="f-score", n_features_to_select=2, **options).fit(X, y)
    (machine,) = (m for m in describe(sieve)["methods"] if m["title"] == "Machine")
    assert ("relative to the number" in machine["text"]) == relative
    assert bool(machine["citations"]) == cited


def test_other_data_are_refused():
    sieve, X, y, _ = classified()
    d = sieve.n_features_in_
    with pytest.raises(ValueError, match=f"X must be what the sieve was fitted to, {d} columns"):
        describe(sieve, np.asarray(X)[:, :2], y)
    with pytest.raises(ValueError, match="X and y must have as many rows"):
        describe(sieve, X, y[:-1])
    other = nested_evaluate(SVC(), np.asarray(X)[:, :2], y, 3)
    with pytest.raises(ValueError, match=f"evaluation must be of the sieve's data, {d} columns"):
        describe(sieve, evaluation=other)
    rows = np.arange(len(y)) % 2 == 0
    other = nested_evaluate(SVC(), np.asarray(X)[rows], np.asarray(y)[rows], 3)
    with pytest.raises(ValueError, match="evaluation must be of the same rows as y"):
        describe(sieve, X, y, evaluation=other)


def test_curves_of_a_weighted_machine_are_left_out_and_it_is_said():
    _, X, y, _ = classified()
    weighted = SVMSieve(SVC(), criterion="f-score", n_features_to_select=1)
    weighted.fit(X, y, sample_weight=np.ones(len(y)))
    content = describe(weighted, X, y)
    assert content["responses"] is None
    assert "Response curves are left out: the samples had weights." in content["done"]["warnings"]


def test_choices_are_those_that_the_search_allows():
    _, X, y, _ = classified()
    grown = SVMSieve(SVC(), search="forward", n_features_to_select="best", cv=3).fit(X, y)
    assert "threshold" not in {each["rule"] for each in describe(grown)["choices"]}


@pytest.mark.parametrize("name", [*PROBLEMS, "alone"])
def test_every_warning_is_told_once(name):
    sentences = [
        "3 outer folds, not 5.",
        "Response curves are left out.",
        "All scores of 'x' are zero, the features are in the order of their columns.",
        "No half samples agree.",
        "Something else happened.",
    ]
    if name == "alone":
        sieve, X, y, _ = classified()
        fixed = SVMSieve(SVC(), criterion="f-score", n_features_to_select=1).fit(X, y)
        content = describe(fixed, warnings=sentences)
    else:
        sieve, X, y, evaluation = PROBLEMS[name]()
        content = describe(sieve, X, y, evaluation=evaluation, warnings=sentences)
    page = to_html(content).split('id="report-data"')[0]
    for sentence in sentences:
        assert page.replace("&#39;", "'").count(sentence) == 1
        assert to_markdown(content).count(sentence) == 1
    if name != "alone":
        sure = page.index('<section id="sure">')
        assert sure < page.index(sentences[0]) < page.index('<section id="machine">')
        assert page.index(sentences[-1]) < page.index("<main")


OWN = [
    (SVC(), "accuracy", "error rate"),
    (SVC(), "balanced_accuracy", "balanced error rate"),
    (SVC(), balanced_error_scorer, "balanced error rate"),
    (SVR(), "neg_mean_squared_error", "mean squared error"),
    (SVR(), get_scorer("neg_mean_absolute_error"), "mean absolute error"),
    (SVR(), "r2", "R²"),
]


@pytest.mark.parametrize(("machine", "scoring", "name"), OWN)
@pytest.mark.parametrize("size", ["auto", "best", "1se"])
def test_one_measure_throughout(machine, scoring, name, size):
    """An error is told as an error everywhere, never its negative, nor one minus it beside it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    y = y if isinstance(machine, SVR) else np.where(y > 0.0, "b", "a")
    criterion = "correlation"
    sieve = SVMSieve(machine, criterion=criterion, search="once", scoring=scoring, cv=3)
    sieve.set_params(n_features_to_select=size).fit(X, y)
    content = describe(sieve, X, y)
    own = np.mean(sieve.path_.fold_scores, axis=1)
    is_share = scoring in ("accuracy", "balanced_accuracy")
    expected = 1.0 - own if is_share else own if scoring == "r2" else -own
    assert content["measure"]["name"] == name
    np.testing.assert_allclose(content["curve"]["value"], expected, rtol=1e-5)
    reason = content["selection"]["reason"]
    assert name in reason
    assert "score" not in reason
    best = Shown.from_dict(content["measure"]).text(
        expected.min() if scoring != "r2" else expected.max()
    )
    if size != "auto":  # which averages a size with its neighbours
        assert best in reason
    for told in (reason, *(each["reason"] for each in content["choices"])):
        assert "best score" not in told
        assert "-" not in told.replace("cross-validated", "")
