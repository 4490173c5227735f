"""The verdict: one sentence for each case, with its evidence and what to run next."""

from __future__ import annotations

import itertools

import pytest

from svmsieve.evaluation.giveaways import GiveAway
from svmsieve.evaluation.margins import Margin
from svmsieve.evaluation.next_step import NextStep
from svmsieve.evaluation.shown import Shown
from svmsieve.evaluation.verdict import Facts, Verdict, judge

ERROR = Shown("error rate", "accuracy", True, percent=True, flipped=True)
COMMAND = "svmsieve select data.csv --target kind"
STEP = NextStep("command line", COMMAND)
WELL = {
    "size": 5,
    "of": 30,
    "measure": ERROR,
    "folds": 5,
    "nested": True,
    "value": 0.05,
    "all_value": 0.04,
    "guess_value": 0.5,
    "against_all": Margin(-0.01, -0.02, 0.00),
    "against_guess": Margin(0.45, 0.40, 0.50),
    "fold_sizes": (5, 5, 5, 5, 5),
    "at_size": 0.05,
    "stability": 0.9,
    "agreed": 5,
}
LEAK = GiveAway("outcome code", 1.0, "alone predicts the target (100.0 % right)")

CASES = [
    # what differs from a good selection; kind; words of the sentence; words of the evidence; next command
    ({}, "good", "5 of 30 features do as well as all: error rate 5.0 % against 4.0 % with all 30",
     "A loss of more than 2.0 points is ruled out", f"{COMMAND} --out reduced.csv"),
    ({"against_all": Margin(-0.01, -0.06, 0.04), "folds": 3}, "good",
     "as far as 3 folds can tell", "3 folds cannot tell a loss of less than 6.0 points", "--out"),
    ({"size": 1}, "good", "1 of 30 features does as well", "", "--out"),
    ({"against_all": Margin(0.3, 0.2, 0.4), "all_value": 0.35}, "good",
     "5 of 30 features do better than all: error rate 5.0 % against 35.0 % with all 30",
     "A gain of at least 20.0 points (95 %).", "--out"),
    ({"against_all": Margin(-0.06, -0.09, -0.03), "value": 0.1}, "costs",
     "5 of 30 features cost accuracy: error rate 10.0 % against 4.0 % with all 30, a loss of 6.0 points "
     "(95 %: 3.0 points to 9.0 points)", "guessing: 50.0 %", f"{COMMAND} --size best"),
    ({"against_all": Margin(-0.06, -0.14, 0.02), "value": 0.1}, "undecided",
     "seem to cost accuracy, but 5 folds cannot tell", "more than 14.0 points is ruled out",
     f"{COMMAND} --repeats 5"),
    ({"against_guess": Margin(0.02, -0.05, 0.09), "value": 0.48}, "guessing",
     "Not told from guessing by 5 folds: error rate 48.0 %, guessing 50.0 %, all 30 features 4.0 %; the list "
     "may be chance", "Measured in", "--size stable"),
    ({"against_guess": Margin(-0.01, -0.05, 0.03), "value": 0.51, "all_value": None}, "guessing",
     "No better than guessing: error rate 51.0 %, guessing 50.0 %; the list is no finding", "Measured in",
     "--size stable"),
    ({"size": 1, "of": 1}, "all", "The only feature is kept", "Measured in", "--out"),
    ({"against_guess": Margin(0.2, -0.05, 0.45), "value": 0.3}, "doubtful",
     "Whether 5 of 30 features beat guessing 5 folds cannot tell: error rate 30.0 %, guessing 50.0 %", "",
     "--repeats 5"),
    ({"folds": 15, "repeats": 3}, "good", "do as well as all",
     "Measured in 15 outer folds (5, divided anew 3 times), the whole selection", "--out"),
    ({"stability": 0.3, "agreed": 4}, "good", "do as well as all", "0.30", "--out"),
    ({"stability": 0.2, "agreed": 1}, "unstable",
     "they are one of many lists that do: the 5 folds agree on 1 of the 5", "0.20", "--size stable"),
    ({"stability": 0.2, "agreed": 0}, "unstable", "agree on no feature", "", "--size stable"),
    ({"giveaways": (LEAK,)}, "leak", "Check for a leak: 'outcome code' alone predicts the target (100.0 %",
     "5 of 30 features are selected", f"{COMMAND} --drop 'outcome code'"),
    ({"giveaways": (LEAK,) * 5}, "leak", "; and 2 more.", "", "--drop"),
    ({"size": 0, "reason": "no half samples agree"}, "nothing",
     "No feature is selected: no half samples agree.", "", "--size best"),
    ({"size": 30, "fold_sizes": (30, 28, 30, 30, 30), "at_size": 0.04}, "all",
     "All 30 features are kept: on all rows no shorter list did as well (error rate 4.0 %)",
     "The procedure's own error rate is 5.0 %: the folds chose 28 to 30 features, the list, from all rows, "
     "has 30.", "--size 0.5"),
    ({"size": 6, "of": 6, "fold_sizes": (1,) * 5, "against_all": Margin(-0.06, -0.14, 0.02)}, "all",
     "All 6 features are kept", "the folds chose 1 feature, the list", "--size 0.5"),
    ({"size": 6, "of": 6, "fold_sizes": (2,) * 5, "against_all": Margin(-0.06, -0.09, -0.03)}, "all",
     "All 6 features are kept", "the folds chose 2 features, the list", "--size 0.5"),
    ({"fold_sizes": (3, 7, 4, 3, 5), "size": 13, "at_size": 0.041}, "good", "13 of 30 features",
     "The error rate is the procedure's: the folds chose 3 to 7 features, the list, from all rows, has 13; "
     "with 13 in each fold: 4.1 %", "--out"),
    ({"against_guess": None, "guess_value": None}, "unknown", "whether that beats guessing is not known",
     "", "--out"),
]  # fmt: skip


@pytest.mark.parametrize(("differs", "kind", "sentence", "evidence", "command"), CASES)
def test_cases(differs, kind, sentence, evidence, command):
    verdict = judge(Facts(**{**WELL, **differs}), STEP)
    assert verdict.kind == kind
    assert sentence in verdict.sentence
    assert evidence in " ".join(verdict.evidence)
    assert command in verdict.command
    assert Verdict.from_dict(verdict.to_dict()) == verdict
    shown = str(verdict)
    assert shown.startswith(verdict.sentence)
    assert shown.endswith(verdict.command)


def test_what_is_worse_comes_first():
    """With every fault at once the verdict names them one after the other, as each is mended."""
    faults = {
        "leak": {"giveaways": (LEAK,)},
        "nothing": {"size": 0, "reason": "none"},
        "guessing": {"against_guess": Margin(0.0, -0.1, 0.1)},
        "costs": {"against_all": Margin(-0.2, -0.3, -0.1)},
        "unstable": {"stability": 0.1, "agreed": 1},
    }
    names = list(faults)
    for first in range(len(names)):
        together = {k: v for name in names[first:] for k, v in faults[name].items()}
        assert judge(Facts(**{**WELL, **together}), STEP).kind == names[first]


def test_every_kind_has_a_next_step_wherever_it_was_asked():
    for (differs, *_), asked in itertools.product(CASES, ("command line", "study", "sieve")):
        step = NextStep(asked, COMMAND if asked == "command line" else "")
        verdict = judge(Facts(**{**WELL, **differs}), step)
        assert verdict.advice
        assert verdict.command
        assert ("svmsieve select" in verdict.command) == (asked == "command line")


def test_a_measure_that_is_no_rate_has_no_points():
    facts = {**WELL, "measure": Shown("R²", "r2", False), "against_all": Margin(-0.2, -0.3, -0.1)}
    assert "a loss of 0.2 (95 %: 0.1 to 0.3)" in judge(Facts(**facts), STEP).sentence


@pytest.mark.parametrize(
    ("command", "differs", "expected"),
    [
        (f"{COMMAND} --size=7", {"against_all": Margin(-0.2, -0.3, -0.1)}, f"{COMMAND} --size best"),
        (f"{COMMAND} --size best", {"against_all": Margin(-0.2, -0.3, -0.1)}, f"{COMMAND} --size 0.5"),
        (
            f"{COMMAND} --quick --cv 3",
            {"against_all": Margin(-0.06, -0.14, 0.02)},
            f"{COMMAND} --cv 3 --repeats 5",
        ),
        (
            f"{COMMAND} --repeats 5",
            {"against_all": Margin(-0.06, -0.14, 0.02)},
            f"{COMMAND} --repeats 10",
        ),
        (
            f"{COMMAND} --size stable",
            {"against_guess": Margin(0.0, -0.1, 0.1)},
            f"{COMMAND} --size stable --repeats 5",
        ),
        ("svmsieve demo", {}, "svmsieve select FILE --target COLUMN"),
        (f"{COMMAND} --model m.skops", {}, ""),
        ("svmsieve select 'my data.csv'", {}, "svmsieve select 'my data.csv' --out reduced.csv"),
    ],
)  # fmt: skip
def test_the_next_command_changes_the_one_that_was_run(command, differs, expected):
    verdict = judge(Facts(**{**WELL, **differs}), NextStep("command line", command))
    assert verdict.command == expected


def test_more_folds_in_place_of_a_first_look_are_told():
    step = NextStep("command line", f"{COMMAND} --quick")
    verdict = judge(Facts(**{**WELL, "against_all": Margin(-0.06, -0.14, 0.02)}), step)
    assert "in place of a first look" in verdict.advice
    assert "--quick" not in verdict.command


def test_a_stability_just_below_chance_has_no_sign():
    assert "folds: 0.00 (" in str(judge(Facts(**{**WELL, "stability": -0.0004}), STEP))


@pytest.mark.parametrize(
    ("guess", "kind"), [(Margin(-0.01, -0.1, 0.1), "guessing"), (None, "costs")]
)
def test_after_a_first_look_the_machine_is_to_be_tuned_first(guess, kind):
    """It says nothing of the data yet: machines that are not tuned can be at chance where others see much."""
    worse = (
        {"value": 0.49, "against_guess": guess}
        if guess
        else {"value": 0.2, "against_all": Margin(-0.16, -0.2, -0.1)}
    )
    facts = Facts(**{**WELL, **worse})
    for command in (f"{COMMAND} --quick --size 3", f"{COMMAND} --size 3"):
        verdict = judge(facts, NextStep("command line", command))
        assert verdict.kind == kind
        assert (verdict.command == f"{COMMAND} --size 3") == ("--quick" in command)
        assert ("tune the machine" in verdict.advice) == ("--quick" in command)
