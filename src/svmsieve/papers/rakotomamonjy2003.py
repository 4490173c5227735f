"""Rakotomamonjy (2003): Variable selection using SVM-based criteria."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from svmsieve.criteria.contract import MachineKind
from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained
from svmsieve.datasets import make_weston_linear, make_weston_nonlinear
from svmsieve.engine.arrays import FloatArray
from svmsieve.papers.problems import Drawn, Resampled
from svmsieve.papers.remarks.rakotomamonjy2003 import (
    _ARRAY_NOTES,
    _ARRAY_REMARKS,
    _LINEAR_REMARKS,
    _NONLINEAR_REMARKS,
    _TOY_NOTES,
    _TOY_TIME,
)
from svmsieve.papers.studies import Method, RankingStudy, Setting
from svmsieve.papers.trainers import SVM
from svmsieve.papers.views import Place, Published, View, printed
from svmsieve.search import HalveThenOneByOne


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


SETTLED_ROWS = ("SVM", "Corr", "‖w‖²", "‖w_i‖²", "∇‖w‖²", "∇R²w²")

# Figs. 2 and 3: Rätsch's parameters; Tables 3 and 4: linear, C = 10⁶.
_SIX = ("Corr", "R_i²w_i²", "S_pi²", "∇‖w‖²", "∇R²w²", "∇S_p²")
_CURVES = {name: METHODS[name] for name in ("‖w_i‖²", *_SIX[1:])}


def _ratsch(name: str, data: str, n_train: int, n_test: int, d: int, machine: SVM) -> RankingStudy:
    problem = Resampled(data, n_train, n_test, original=True)
    return RankingStudy(
        name, TRIALS, {name: Setting(problem, machine, tuple(range(1, d + 1)))}, _CURVES
    )


def _width(sigma: float) -> float:
    return 1.0 / (2.0 * sigma**2)


BREAST = _ratsch(
    "breast-cancer", "ratsch_breast_cancer", 200, 77, 9, SVM("squared_hinge", 15.0, _width(5.0))
)
HEART = _ratsch("heart", "ratsch_heart", 170, 100, 13, SVM("squared_hinge", 3.16, _width(7.7)))


def _intensities(data: Any) -> tuple[FloatArray, Any]:
    return data.X.astype(np.float64), data.y


def _malignant(data: Any) -> tuple[FloatArray, Any]:
    return data.X, data.extras["y_malignant62"].astype(np.intp)


_ARRAYS = {
    "colon": (Resampled("colon", 50, 12, prepare=_intensities), (20, 50, 100, 250, 500, 1000)),
    "lymphoma": (Resampled("lymphoma", 60, 36, prepare=_malignant), (20, 50, 100, 250, 1000, 2000)),
}
ARRAYS = {
    name: RankingStudy(
        name,
        TRIALS,
        {name: Setting(problem, SVM("squared_hinge", 1e6), sizes)},
        {method: METHODS[method] for method in ("SVM", *_SIX)},
        step=HalveThenOneByOne(100),
    )
    for name, (problem, sizes) in _ARRAYS.items()
}
_TABLE_3 = """
21.58±11 22.08±10 20.83±11 17.83±9 18.42±9 16.75±9
19.67±11 17.33±9 16.17±9 16.66±9 16.53±8 15.91±8
22.66±12 34.25±14 30.50±12 23.83±10 18.91±9 17.67±9
17.67±9 15.66±9 15.17±10 16.50±9 16.08±9 16.25±9
20.33±13 17.83±10 16.41±9 15.58±9 16.16±9 16.16±8
20.50±11 17.00±10 16.33±9 16.75±8 16.66±8 16.41±9
"""
_TABLE_4 = """
21.58±11 13.30±5.7 9.11±5.0 7.50±4.8 6.89±4.6 6.92±4.4
8.83±4.4 6.86±4.3 6.44±4.1 6.33±4 6.58±4.1 6.94±4.2
28.58±8.3 27.25±8.2 19.94±7.4 11.47±5.4 6.94±3.9 6.39±4.2
7.72±4.0 6.58±4.6 6.11±4.6 6.67±4.2 6.97±4.2 7.22±4.2
12.25±5.4 8.08±5.0 6.36±4.4 6.16±4.2 6.91±4.1 7.14±4.2
12.05±5.5 7.64±4.6 6.13±4.0 5.58±4.1 6.63±4.0 7.00±4.3
"""
_ALL_VARIABLES = {"colon": Published(0.164, 0.08), "lymphoma": Published(0.0725, 0.041)}


def _microarray(table: int, name: str) -> View:
    sizes = tuple(str(size) for size in _ARRAYS[name][1])
    published = printed(_SIX, sizes, _TABLE_3 if table == 3 else _TABLE_4, 0.01)
    return View(
        f"table {table}",
        f"Test error by number of variables, {name}",
        ARRAYS[name],
        ("SVM", *_SIX),
        (*sizes, "all"),
        lambda row, column: (
            Place(name, row, f"error@{column}") if (row == "SVM") == (column == "all") else None
        ),
        {**published, ("SVM", "all"): _ALL_VARIABLES[name]},
        unit="%",
        notes=(_ARRAY_NOTES[name],),
        remarks=_ARRAY_REMARKS[name],
    )


def _benchmark(figure: int, study: RankingStudy) -> View:
    (condition,) = study.conditions
    return View(
        f"figure {figure}",
        f"Test error against the number of variables, {condition}",
        study,
        tuple(_CURVES),
        tuple(str(size) for size in study.settings[condition].sizes),
        lambda row, column: Place(condition, row, f"error@{column}"),
        unit="%",
        kind="curves",
        notes=("Ten original splits, then stratified random ones of the same sizes.",),
    )


_THREE = ("‖w_i‖²", "∇‖w‖²", "R_i²w_i²")
STOPPING = RankingStudy(
    "stopping",
    TRIALS,
    {
        "50 samples": Setting(
            Drawn(make_weston_nonlinear, 52, 50, 10_000), NONLINEAR_MACHINE, tuple(range(1, 53))
        )
    },
    {name: METHODS[name] for name in _THREE},
    removal=True,
)
_STOPPING = {
    "a": ("error", "validation error"),
    "b": ("bound", "R²‖w‖²/n"),
    "c": ("removed", "criterion of the variable that leaves"),
}


def _stopping(letter: str) -> View:
    measure, label = _STOPPING[letter]
    return View(
        f"figure 4{letter}",
        f"How many variables: {label}, nonlinear problem",
        STOPPING,
        _THREE,
        tuple(str(size) for size in range(1, 53)),
        lambda row, column: Place("50 samples", row, f"{measure}@{column}"),
        kind="curves",
        y_label=label,
        notes=("The paper does not say how many training samples it had; 50 here.",),
    )


_C_VALUES = ("0.1", "1", "10", "100", "1000", "10000")
_WIDTHS = ("0.5", "1", "2", "3", "5", "10", "20")
_DRAWS = Drawn(make_weston_nonlinear, 52, 50, 10_000)
INFLUENCE = RankingStudy(
    "influence",
    TRIALS,
    {
        **{
            f"C = {C}": Setting(_DRAWS, SVM("squared_hinge", float(C), _width(3.0)), (2,))
            for C in _C_VALUES
        },
        **{
            f"σ = {sigma}": Setting(_DRAWS, SVM("squared_hinge", 100.0, _width(float(sigma))), (2,))
            for sigma in _WIDTHS
        },
    },
    {name: METHODS[name] for name in _THREE},
)


def _influence(letter: str) -> View:
    name, values = ("C", _C_VALUES) if letter == "a" else ("σ", _WIDTHS)
    return View(
        f"figure 5{letter}",
        f"Test error with the two best variables against {name}, nonlinear problem, 50 samples",
        INFLUENCE,
        _THREE,
        values,
        lambda row, column: Place(f"{name} = {column}", row, "error@2"),
        unit="%",
        kind="curves",
        x_label=name,
    )


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
        notes=(*_TOY_NOTES, _TOY_TIME),
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
        notes=(*_TOY_NOTES, _TOY_TIME),
        remarks=_NONLINEAR_REMARKS,
    ),
    *(_microarray(table, name) for table, name in ((3, "colon"), (4, "lymphoma"))),
    *(_benchmark(figure, study) for figure, study in ((2, BREAST), (3, HEART))),
    *(_stopping(letter) for letter in _STOPPING),
    *(_influence(letter) for letter in "ab"),
)
