"""Rakotomamonjy (2003): Variable selection using SVM-based criteria."""

from __future__ import annotations

from typing import ClassVar

from svmsieve.criteria.contract import MachineKind
from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained
from svmsieve.datasets import make_weston_linear, make_weston_nonlinear
from svmsieve.papers.machines import SVM
from svmsieve.papers.problems import Drawn
from svmsieve.papers.studies import Method, RankingStudy, Setting
from svmsieve.papers.views import Place, View, printed


class QuadraticSlackWeight(Weight):
    """‖w_i‖² of the paper's machine, whose slack counts squared."""

    machine: ClassVar[MachineKind] = "squared-hinge"


class QuadraticSlackWeightGradient(WeightGradient):
    """∇‖w‖² of the paper's machine, whose slack counts squared."""

    machine: ClassVar[MachineKind] = "squared-hinge"


class QuadraticSlackWeightRetrained(WeightRetrained):
    """‖w‖² of the paper's machine, retrained; its slack counts squared."""

    machine: ClassVar[MachineKind] = "squared-hinge"


METHODS = {
    "SVM": Method(None),
    "Corr": Method("correlation", "once"),
    "‖w‖²": Method(QuadraticSlackWeightRetrained()),
    "R²w²": Method("radius-margin-retrained"),
    "S_p²": Method("span-retrained"),
    "‖w_i‖²": Method(QuadraticSlackWeight()),
    "R_i²w_i²": Method("radius-margin"),
    "S_pi²": Method("span"),
    "∇‖w‖²": Method(QuadraticSlackWeightGradient()),
    "∇R²w²": Method("radius-margin-gradient"),
    "∇S_p²": Method("span-gradient"),
}
RETRAINED = ("‖w‖²", "R²w²", "S_p²")
ROWS = tuple(METHODS)
TRIALS = 100
NONLINEAR_MACHINE = SVM("squared_hinge", 1000.0, 1.0 / 18.0)  # σ = 3

LINEAR_SIZES = ("10", "20", "30", "40", "50")
LINEAR = RankingStudy(
    "linear",
    TRIALS,
    {
        n: Setting(Drawn(make_weston_linear, 202, int(n), 10_000), SVM("squared_hinge", 1e5), (2,))
        for n in LINEAR_SIZES
    },
    METHODS,
)
NONLINEAR_SIZES = (*LINEAR_SIZES, "100")
NONLINEAR = RankingStudy(
    "nonlinear",
    TRIALS,
    {
        n: Setting(Drawn(make_weston_nonlinear, 52, int(n), 10_000), NONLINEAR_MACHINE, (2,))
        for n in NONLINEAR_SIZES
    },
    METHODS,
)

_TABLE_1 = """
36.58±2 30.89±2 25.46±2 22.22±2 19.40±2
32.33±13 17.00±7 14.30±4 14.69±2 14.76±2
35.63±15 14.79±13 5.99±5 4.40±3 4.19±3
32.83±15 13.60±12 5.82±5 4.53±3 4.04±2
38.92±13 21.14±15 14.22±12 10.68±9 7.34±6
32.39±15 13.05±11 7.14±6 6.30±5 5.11±4
31.21±15 19.13±12 14.55±9 14.10±9 13.13±9
50.02±0.5 50.02±0.5 49.44±2 49.83±2 49.49±2
32.39±15 13.05±11 7.14±6 6.30±5 5.11±4
33.50±15 36.87±16 43.69±17 46.28±10 46.81±9
41.51±12 23.85±13 15.91±10 13.76±9 13.16±7
"""
_TABLE_2 = """
49.20±1 48.39±1 47.84±1 47.52±1 46.81±1 45.54±1
49.43±3 49.45±4 49.07±5 48.80±6 48.78±6 49.48±5
49.24±3 43.12±13 33.31±18 20.82±19 9.56±10 4.21±0.7
49.22±3 42.78±14 32.46±19 20.39±19 8.71±10 *
48.82±4 44.08±12 33.15±17 20.86±17 11.26±12 *
48.29±5 37.18±15 24.42±19 17.75±18 8.79±12 6.08±8
48.58±4 34.59±18 21.50±19 13.64±16 8.61±11 4.21±0.7
49.86±2 49.96±0.5 49.21±4 48.67±6 49.37±4 47.07±10
48.62±5 32.62±17 18.57±16 12.53±13 9.43±12 9.41±12
48.22±6 33.67±17 19.15±17 13.61±15 11.62±14 17.75±19
48.92±5 43.65±12 44.91±12 44.42±12 46.12±15 50.00±1
"""


def _toy_place(row: str, column: str) -> Place:
    return Place(column, row, "error@all" if row == "SVM" else "error@2")


_TOY_NOTES = (
    "One pool of 10 000 samples; training samples are drawn from it in each trial, as many of one class as "
    "of the other, the rest judges. The paper does not say so, but its SVM row does: "
    "with 10 samples balanced draws deviate by 1.9 %, free ones by 5 %; the paper prints 2 %.",
    "Quadratic slack throughout, machine and predictor, as in the paper, solved exactly by finite Newton.",
    "The paper leaves R_i²w_i² with α and β fixed open; here it is R_i²·|‖w‖² − ‖w_i‖²|.",
)

_SPAN_GRADIENT = (
    "The paper's derivative of the span estimate has a factor 2 before its first term; finite differences "
    "say 1, which is used here, and the ranking is another one."
)
_CHANCE = "A lone cell a little beyond two standard errors, as one in twenty is by chance."
_LINEAR_REMARKS: dict[tuple[str, str] | str, str] = {
    (
        "SVM",
        "20",
    ): "About 4 standard errors, while 10, 30, 40 and 50 samples agree to 0.5 %; a second, "
    "independent set of 60 draws gave 29.7 % too, so it is not chance here. Not explained.",
    "R_i²w_i²": "The paper leaves open what is computed with α and β fixed. |Δ(R²‖w‖²)| was tried and misses "
    "this row by far more; the form used here agrees with the nonlinear table.",
    (
        "S_pi²",
        "30",
    ): "Both are chance level; ours never finds a relevant variable here, the paper's now and then.",
    "∇S_p²": _SPAN_GRADIENT,
}
_NONLINEAR_REMARKS: dict[tuple[str, str] | str, str] = {
    ("SVM", "40"): _CHANCE,
    ("‖w_i‖²", "40"): _CHANCE,
    (
        "S_pi²",
        "40",
    ): "Both are chance level; ours never finds the relevant variables in these trials.",
    "∇S_p²": _SPAN_GRADIENT,
}

VIEWS: tuple[View, ...] = (
    View(
        "table 1",
        "Test error with the two best variables, linear problem, by number of training samples",
        LINEAR,
        ROWS,
        LINEAR_SIZES,
        _toy_place,
        printed(ROWS, LINEAR_SIZES, _TABLE_1, 0.01),
        unit="%",
        notes=_TOY_NOTES,
        remarks=_LINEAR_REMARKS,
    ),
    View(
        "table 2",
        "Test error with the two best variables, nonlinear problem, by number of training samples",
        NONLINEAR,
        ROWS,
        NONLINEAR_SIZES,
        _toy_place,
        printed(ROWS, NONLINEAR_SIZES, _TABLE_2, 0.01),
        unit="%",
        notes=_TOY_NOTES,
        remarks=_NONLINEAR_REMARKS,
    ),
)
