"""Cells, verdicts and claims from measurements."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.results import Result
from svmsieve.papers.studies import RankingStudy
from svmsieve.papers.views import Claim, Finding, Published, Statement, View, printed, remark

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
            because = (remark("a", "2", "because."),)
            result = Result.of(view(published, remarks=because), measurements(a=A))
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
def test_a_single_trial_cannot_tell_and_none_is_not_run(statistic, deviation, obtained):
    published = {("a", "2"): Published(19.0, deviation)}
    result = Result.of(view(published, 30, statistic), measurements(a=[obtained]))
    assert result.cell("a", "2").verdict == "cannot tell"
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
    first, second = Result.of(view(claims=family), measurements(a=A, b=B)).claims
    assert (first.verdict, first.holm_verdict) == (
        "does not hold",
        "holds",
    )  # the paper's test, Holm's
    assert (second.verdict, second.holm_verdict) == ("holds", "holds")


def test_a_claim_of_a_gain_may_be_tested_on_one_side():
    two, one = (
        Result.of(view(claims=(claim(one_tailed=side),)), measurements(a=A, b=B)).claims[0]
        for side in (False, True)
    )
    assert one.p == pytest.approx(two.p / 2)
    assert one.p == pytest.approx(ttest_rel(A, B, alternative="less").pvalue)
    (wrong,) = Result.of(
        view(claims=(claim("b", "a", one_tailed=True),)), measurements(a=A, b=B)
    ).claims
    assert wrong.p == pytest.approx(1.0 - one.p)
    assert wrong.verdict == "does not hold"


WIDE = RNG.normal(0.30, 0.40, 20)


def test_a_window_wider_than_a_quarter_of_the_value_cannot_tell():
    mean, error = WIDE.mean(), WIDE.std(ddof=1) * math.sqrt(1 / 20 + 1 / 20)
    assert 2.0 * error > abs(mean) / 4.0
    inside = {("a", "2"): Published(mean + error)}
    cell = Result.of(view(inside, 20), measurements(a=WIDE)).cell("a", "2")
    assert cell.verdict == "cannot tell"
    assert cell.window == pytest.approx(2.0 * error)
    assert "wider than a quarter" in cell.remark
    outside = {("a", "2"): Published(mean + 3.0 * error)}
    assert Result.of(view(outside, 20), measurements(a=WIDE)).cell("a", "2").verdict == "differs"


def test_the_window_of_a_share_is_judged_by_the_smaller_part():
    near_one = 0.999 + 0.02 * (
        A - A.mean()
    )  # a window narrower than the value, wider than the rest
    published = {("a", "2"): Published(0.99905)}
    plain = Result.of(view(published), measurements(a=near_one)).cell("a", "2")
    share = Result.of(view(published, unit="%"), measurements(a=near_one)).cell("a", "2")
    assert plain.window > 0.25 * 0.00095
    assert (plain.verdict, share.verdict) == ("agrees", "cannot tell")


def test_no_spread_over_trials_cannot_tell_but_counts_of_the_data_are_exact():
    published = {("a", "2"): Published(5.0)}
    same = measurements(a=[4.5] * 10)
    assert Result.of(view(published), same).cell("a", "2").verdict == "cannot tell"
    assert (
        Result.of(view(published, exact=frozenset("2")), same).cell("a", "2").verdict == "differs"
    )
    equal = measurements(a=[5.0])
    assert (
        Result.of(view(published, exact=frozenset("2")), equal).cell("a", "2").verdict == "agrees"
    )


def test_the_spread_of_the_rows_that_judge_is_added():
    values = {
        "c": {"a": {"error@2": by_trial([0.20, 0.22]), "error@2 spread": by_trial([0.04, 0.04])}}
    }
    made = Measurements("paper", "study", values, {}, 1.0, "2026-01-01", "0", 0)
    cell = Result.of(view({("a", "2"): Published(0.2)}), made).cell("a", "2")
    deviation = math.sqrt(2) * 0.01
    assert cell.window == pytest.approx(2.0 * math.sqrt(0.04**2 + deviation**2 / 2 + deviation**2))


def test_seeds_are_averaged_and_their_deviation_is_the_error():
    runs = [measurements(a=A + shift) for shift in (-0.03, 0.0, 0.03)]
    cell = Result.of(view({("a", "2"): Published(0.3)}), runs[0], runs[1:]).cell("a", "2")
    assert cell.obtained == pytest.approx(A.mean())
    assert cell.standard_error == pytest.approx(0.03 / math.sqrt(3))
    beyond = 0.03**2 - A.var(ddof=1) / 40  # of the deviation, what the trials do not explain
    one_draw = math.sqrt(beyond + A.var(ddof=1) / 100)  # as a printed mean of 100 trials is
    assert cell.published_error == pytest.approx(one_draw)
    assert cell.n_seeds == 3
    (tested,) = Result.of(
        view(claims=(claim(),)), measurements(a=A, b=B), [measurements(a=B, b=A)]
    ).claims
    assert (tested.held, tested.seeds) == (1, 2)


def test_errors_are_those_of_seeds_with_different_numbers_of_trials():
    rng = np.random.default_rng(1)
    sizes, deviation, apart = (100, 5, 5), 0.05, 0.02
    seen, claimed, printed_errors = [], [], []
    for _ in range(1000):
        levels = rng.normal(0.3, apart, 3)
        drawn = zip(levels, sizes, strict=True)
        runs = [measurements(a=rng.normal(level, deviation, n)) for level, n in drawn]
        cell = Result.of(view({("a", "2"): Published(0.3)}), runs[0], runs[1:]).cell("a", "2")
        seen.append(cell.obtained)
        claimed.append(cell.standard_error**2)
        printed_errors.append(cell.published_error**2)
    assert np.mean(claimed) == pytest.approx(np.var(seen), rel=0.25)
    assert np.mean(printed_errors) == pytest.approx(apart**2 + deviation**2 / 100, rel=0.3)


def test_seeds_with_few_trials_count_less_unless_seeds_differ_more_than_trials():
    many, few = np.tile([0.2, 0.4], 50), np.tile([0.2, 0.4], 2) + 0.01
    alike = Result.of(view(), measurements(a=many), [measurements(a=few)]).cell("a", "2")
    assert alike.obtained == pytest.approx((100 * 0.3 + 4 * 0.31) / 104)
    spread = (many.std(ddof=1) + few.std(ddof=1)) / 2
    assert alike.standard_error == pytest.approx(spread / math.sqrt(104))
    apart = Result.of(view(), measurements(a=many), [measurements(a=few + 5.0)]).cell("a", "2")
    assert apart.obtained == pytest.approx(0.3 + 5.01 / 2, rel=1e-3)


def test_counts_vary_between_seeds_too():
    low, high = [1.0] * 6 + [0.0] * 24, [1.0] * 24 + [0.0] * 6
    published = {("a", "2"): Published(15.0)}
    runs = [measurements(a=each) for each in (low, high, low, high)]
    cell = Result.of(view(published, 30, "count"), runs[0], runs[1:]).cell("a", "2")
    beyond = 4 / 3 * 0.3**2 - 0.25 / 30
    assert cell.obtained == 15.0
    assert cell.standard_error == pytest.approx(30 * math.sqrt(beyond / 4 + 0.25 / 120))
    assert cell.published_error == pytest.approx(30 * math.sqrt(beyond + 0.25 / 30))
    alike = Result.of(view(published, 30, "count"), measurements(a=low * 4)).cell("a", "2")
    assert alike.standard_error < cell.standard_error


def test_deviations_over_the_trials_are_judged_by_the_fourth_moment_and_their_rounding():
    rng = np.random.default_rng(2)
    seen, claimed = [], []
    for _ in range(
        500
    ):  # of two levels, as errors of a criterion that finds the variables or does not
        drawn = rng.choice([0.04, 0.5], 100, p=[0.8, 0.2]) + rng.normal(0, 0.01, 100)
        published = {("a", "2"): Published(0.18, None, 0.003)}
        made = Result.of(view(published, statistic="deviation"), measurements(a=drawn))
        cell = made.cell("a", "2")
        seen.append(cell.obtained)
        claimed.append(cell.standard_error**2)
        assert cell.published_error >= 0.003
    assert np.mean(claimed) == pytest.approx(np.var(seen), rel=0.2)
    (alone,) = Result.of(view(published, statistic="deviation"), measurements(a=A)).cells[:1]
    assert alone.obtained == pytest.approx(A.std(ddof=1))
    varies = np.sqrt((np.mean((A - A.mean()) ** 4) - A.std(ddof=1) ** 4) / 4) / A.std(ddof=1)
    assert alone.standard_error == pytest.approx(varies / math.sqrt(40))
    assert alone.published_error == pytest.approx(math.hypot(varies / 10, 0.003))
    assert alone.verdict == "differs"


def test_statements_are_judged_by_the_measurements_and_missing_ones_are_not_run():
    def judge(made):
        return Finding("so much", made.mean(Place("c", "a", "error@2")) < 0.5)

    made = view(statements=(Statement("little", judge),))
    (judged,) = Result.of(made, measurements(a=A)).statements
    assert (judged.found, judged.verdict) == ("so much", "holds")
    (missing,) = Result.of(made, measurements(b=B)).statements
    assert missing.verdict == "not run"


def test_an_equal_value_agrees_where_the_paper_has_one_trial_too():
    published = {("a", "2"): Published(0.5)}
    for trials, verdict in ((1, "agrees"), (30, "cannot tell")):
        assert (
            Result.of(view(published, trials), measurements(a=[0.5])).cell("a", "2").verdict
            == verdict
        )


def test_what_is_printed_but_not_measured_has_its_reason():
    made = view({("a", "2"): Published(1.0)}, reasons=(remark("a", "2", "no data"),))
    nowhere = View("table 1", "title", made.study, ("a",), ("2",), lambda row, column: None,
                   made.published, reasons=made.reasons)  # fmt: skip
    cell = Result.of(nowhere, measurements(a=A)).cell("a", "2")
    assert (cell.verdict, cell.remark) == ("left out", "no data")


def test_few_trials_are_warned_of():
    published = {("a", "2"): Published(0.3)}
    assert "2 trials of 100" in Result.of(view(published), measurements(a=A[:2])).warning()
    assert Result.of(view(published), measurements(a=A)).warning() == ""
    assert Result.of(view(published, trials=2), measurements(a=A[:2])).warning() == ""


def test_a_ratio_is_taken_trial_by_trial():
    made = measurements(a=[1.0, 2.0, 3.0], b=[2.0, 8.0])
    assert made.at(Place("c", "a / b", "error@2")) == {0: 0.5, 1: 0.25}
    made.values["d"] = {"a": {"error@2": {0: 4.0, 1: 1.0}}}
    assert made.at(Place("c / d", "a", "error@2")) == {0: 0.25, 1: 2.0}


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
