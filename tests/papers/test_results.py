"""Cells, verdicts and claims from measurements."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from svmsieve.papers.results import Measurements, Result
from svmsieve.papers.studies import RankingStudy
from svmsieve.papers.views import Claim, Place, Published, View, printed

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.30, 0.05, 40), RNG.normal(0.33, 0.05, 40)


def by_trial(values) -> dict[int, float]:
    return dict(enumerate(map(float, values)))


def measurements(**methods) -> Measurements:
    values = {"c": {name: {"error@2": by_trial(v)} for name, v in methods.items()}}
    return Measurements("paper", "study", values, {}, 12.34, "2026-01-01", "0", 7)


def view(published=None, trials=100, statistic="mean", **options) -> View:
    study = RankingStudy("study", trials, {}, {})
    return View(
        "table 1", "title", study, ("a", "b"), ("2",),
        lambda row, column: Place("c", row, f"error@{column}"),
        published or {}, statistic=statistic, **options,
    )  # fmt: skip


def test_cell_holds_mean_and_standard_error():
    cell = Result.of(view(), measurements(a=A)).cell("a", "2")
    assert cell.obtained == pytest.approx(sum(A) / 40)
    variance = sum((x - sum(A) / 40) ** 2 for x in A) / 39
    assert cell.standard_error == pytest.approx(math.sqrt(variance / 40))
    assert (cell.n_trials, cell.verdict) == (40, "unpublished")


@pytest.mark.parametrize("deviation", [0.05, 0.2, None])
def test_verdict_is_that_of_two_standard_errors_of_the_difference(deviation):
    mean, spread = A.mean(), A.std(ddof=1)
    error = math.sqrt((spread if deviation is None else deviation) ** 2 / 100 + spread**2 / 40)
    for distance, verdict in ((1.99, "agrees"), (2.01, "differs")):
        for sign in (-1, 1):
            published = {("a", "2"): Published(mean + sign * distance * error, deviation)}
            result = Result.of(view(published, remarks={"a": "because."}), measurements(a=A))
            cell = result.cell("a", "2")
            assert cell.verdict == verdict
            assert cell.remark == ("because." if verdict == "differs" else "")


def test_counts_are_compared_at_the_common_rate():
    hits = [1.0] * 29 + [0.0]
    published = {("a", "2"): Published(30.0)}
    cell = Result.of(view(published, 30, "count"), measurements(a=hits)).cell("a", "2")
    rate = 59 / 60
    assert cell.obtained == 29.0
    assert cell.standard_error == pytest.approx(math.sqrt(30 * rate * (1 - rate)))
    assert cell.verdict == "agrees"
    few = Result.of(view(published, 30, "count"), measurements(a=[1.0] * 22 + [0.0] * 8))
    assert few.cell("a", "2").verdict == "differs"


def test_count_of_fewer_trials_is_scaled_to_those_of_the_paper():
    cell = Result.of(view(None, 30, "count"), measurements(a=[1.0] * 9 + [0.0])).cell("a", "2")
    assert cell.obtained == pytest.approx(27.0)
    assert cell.n_trials == 10


@pytest.mark.parametrize("statistic", ["mean", "count"])
@pytest.mark.parametrize("deviation", [None, 0.1])
@pytest.mark.parametrize("obtained", [0.0, 1.0])
def test_a_single_trial_has_no_verdict_and_none_is_not_run(statistic, deviation, obtained):
    published = {("a", "2"): Published(19.0, deviation)}
    result = Result.of(view(published, 30, statistic), measurements(a=[obtained]))
    assert result.cell("a", "2").verdict == "no spread"
    assert result.cell("a", "2").standard_error is None
    assert result.cell("b", "2").verdict == "not run"
    assert result.cell("b", "2").obtained is None


def claim(lower="a", higher="b", **options) -> Claim:
    return Claim("text", Place("c", lower, "error@2"), Place("c", higher, "error@2"), **options)


def test_claims_are_tested_with_the_paired_t_test():
    claims = (claim(), claim("b", "a"), claim(says="equal"), claim("a", "a", says="equal"))
    tested = Result.of(view(claims=claims), measurements(a=A, b=B)).claims
    assert tested[0].p == pytest.approx(ttest_rel(A, B).pvalue)
    assert tested[0].p < 0.05
    assert [t.verdict for t in tested] == ["holds", "does not hold", "does not hold", "holds"]


def test_a_claim_of_no_decrease_is_tested_on_one_side():
    says = {"says": "not above"}
    claims = (claim(**says), claim("b", "a", **says), claim("a", "a", **says))
    tested = Result.of(view(claims=claims), measurements(a=A, b=B)).claims
    assert [t.verdict for t in tested] == ["holds", "does not hold", "holds"]
    assert tested[1].p == pytest.approx(ttest_rel(A, B, alternative="less").pvalue)
    assert tested[0].p == pytest.approx(1.0 - tested[1].p)


def test_several_claims_of_no_decrease_are_one_family():
    says = {"says": "not above"}
    lost = claim("b", "a", **says)
    (alone,) = Result.of(view(claims=(lost,)), measurements(a=A, b=B)).claims
    assert alone.holm_p is None
    family = (lost, claim("a", "a", **says), claim("a", "d", **says), claim("b", "a"), lost)
    tested = Result.of(view(claims=family), measurements(a=A, b=B)).claims
    assert [t.holm_p for t in tested] == [
        pytest.approx(3 * alone.p),
        0.5,
        None,  # not run
        None,  # another claim
        pytest.approx(3 * alone.p),
    ]
    says["level"] = 1.5 * alone.p  # above the p of one claim, below that of one of two
    family = (claim("b", "a", **says), claim("a", "a", **says))
    for claims, verdict in ((family[:1], "does not hold"), (family, "holds")):
        tested = Result.of(view(claims=claims), measurements(a=A, b=B)).claims
        assert {t.verdict for t in tested} == {verdict}


def test_a_ratio_is_taken_trial_by_trial():
    made = measurements(a=[1.0, 2.0, 3.0], b=[2.0, 8.0])
    assert made.at(Place("c", "a / b", "error@2")) == {0: 0.5, 1: 0.25}


def test_claims_over_splits_of_one_data_set_show_the_corrected_test_too():
    (tested,) = Result.of(view(claims=(claim(overlap=0.5),)), measurements(a=A, b=B)).claims
    assert tested.corrected_p > tested.p


def test_claims_use_the_trials_that_both_have():
    (tested,) = Result.of(view(claims=(claim(),)), measurements(a=A, b=B[:30])).claims
    assert tested.p == pytest.approx(ttest_rel(A[:30], B[:30]).pvalue)
    (missing,) = Result.of(view(claims=(claim(),)), measurements(a=A)).claims
    assert missing.verdict == "not run"


def test_measurements_survive_a_file_with_trials_missing():
    made = measurements(a=A, b=B)
    made.values["c"]["b"]["error@2"].pop(3)
    again = Measurements.from_json(made.to_json())
    assert again.at(Place("c", "a", "error@2")) == pytest.approx(by_trial(A), rel=1e-5)
    assert sorted(again.at(Place("c", "b", "error@2"))) == [t for t in range(40) if t != 3]
    assert (again.seed, again.date, again.seconds) == (7, "2026-01-01", 12.3)
    with pytest.raises(ValueError, match="format"):
        Measurements.from_json(made.to_json().replace('"format": 1', '"format": 9'))


def test_result_as_frame_and_json(tmp_path):
    result = Result.of(view({("a", "2"): Published(0.3)}), measurements(a=A, b=B))
    frame = result.to_frame()
    assert frame["verdict"].tolist() == [cell.verdict for cell in result.cells]
    text = result.to_json(tmp_path / "result.json")
    content = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert json.loads(text) == content
    assert content["cells"][0]["obtained"] == pytest.approx(A.mean())
    assert {"published", "obtained", "standard_error", "verdict"} <= set(content["cells"][0])


@pytest.mark.parametrize("kind", ["table", "curves", "bars"])
def test_result_can_be_drawn(kind):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    result = Result.of(view({("a", "2"): Published(0.3)}, kind=kind), measurements(a=A, b=B))
    ax = result.plot()
    assert ax.lines or ax.patches
    plt.close(ax.figure)


def test_printed_tables_must_fit():
    with pytest.raises(ValueError, match="1 lines of 2 values"):
        printed(("a",), ("1", "2"), "3.5")
