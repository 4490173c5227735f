"""Rakotomamonjy's experiments: two artificial problems, two benchmarks, two microarrays."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from svmsieve.criteria.contract import MachineKind
from svmsieve.criteria.radius_margin import RadiusMargin
from svmsieve.criteria.span import SpanGradient
from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained
from svmsieve.datasets import load, make_weston_linear, make_weston_nonlinear
from svmsieve.engine.arrays import FloatArray
from svmsieve.papers.problems import Drawn, Resampled
from svmsieve.papers.sizes import SizesStudy, class_sizes
from svmsieve.papers.studies import Method, RankingStudy, Setting
from svmsieve.papers.trainers import SVM
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


class RadiusMarginDifference(RadiusMargin):
    """Another reading of R_i²w_i²: ``|R_i²‖w_i‖² − R²‖w‖²|``."""

    def joined(
        self, before: tuple[float, float], changes: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Return the change of the bound."""
        after = (before[0] + changes[0]) * (before[1] + changes[1])
        return np.abs(after - before[0] * before[1])


class RadiusMarginProduct(RadiusMargin):
    """Another reading of R_i²w_i²: ``|R_i² − R²| · |‖w_i‖² − ‖w‖²|``."""

    def joined(
        self, before: tuple[float, float], changes: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Return the product of the two changes."""
        return np.abs(changes[0] * changes[1])


class SpanGradientAsPrinted(SpanGradient):
    """∇S_p² with the factor 2 that the paper prints before the first term of the derivative."""

    factor: ClassVar[float] = 2.0


class SpanGradientSecondTerm(SpanGradient):
    """∇S_p² without the first term of the derivative."""

    factor: ClassVar[float] = 0.0


VARIANTS = {
    "|Δ(R²w²)|": Method(RadiusMarginDifference()),
    "|ΔR²|·|Δw²|": Method(RadiusMarginProduct()),
    "∇S_p², factor 2": Method(SpanGradientAsPrinted()),
    "∇S_p², second term": Method(SpanGradientSecondTerm()),
}
VARIANT_TRIALS = 25
TRIED = {
    study.name: RankingStudy(f"{study.name} variants", VARIANT_TRIALS, study.settings, VARIANTS)
    for study in (LINEAR, NONLINEAR)
}


# Figs. 2 and 3: Rätsch's parameters; Tables 3 and 4: linear, C = 10⁶.
SIX = ("Corr", "R_i²w_i²", "S_pi²", "∇‖w‖²", "∇R²w²", "∇S_p²")
CURVES = {name: METHODS[name] for name in ("‖w_i‖²", *SIX[1:])}


def _ratsch(name: str, data: str, n_train: int, n_test: int, d: int, machine: SVM) -> RankingStudy:
    problem = Resampled(data, n_train, n_test, original=True, stratified=False)
    return RankingStudy(
        name, TRIALS, {name: Setting(problem, machine, tuple(range(1, d + 1)))}, CURVES
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


ARRAY_PROBLEMS = {
    "colon": (Resampled("colon", 50, 12, prepare=_intensities), (20, 50, 100, 250, 500, 1000)),
    "lymphoma": (Resampled("lymphoma", 60, 36, prepare=_malignant), (20, 50, 100, 250, 1000, 2000)),
}
ARRAYS = {
    name: RankingStudy(
        name,
        TRIALS,
        {name: Setting(problem, SVM("squared_hinge", 1e6), sizes)},
        {method: METHODS[method] for method in ("SVM", *SIX)},
        step=HalveThenOneByOne(100),
    )
    for name, (problem, sizes) in ARRAY_PROBLEMS.items()
}


COUNTS = SizesStudy(
    "sizes",
    {
        "colon": class_sizes(lambda: _intensities(load("colon"))),
        "lymphoma": class_sizes(lambda: _malignant(load("lymphoma"))),
    },
)


def _logarithms(data: Any) -> tuple[FloatArray, Any]:
    return np.log(data.X.astype(np.float64)), data.y


LOGARITHMS = RankingStudy(
    "colon logarithms",
    20,
    {
        "colon": Setting(
            Resampled("colon", 50, 12, prepare=_logarithms),
            SVM("squared_hinge", 1e6),
            ARRAY_PROBLEMS["colon"][1],
        )
    },
    {method: METHODS[method] for method in ("SVM", *SIX)},
    step=HalveThenOneByOne(100),
)

THREE = ("‖w_i‖²", "∇‖w‖²", "R_i²w_i²")
STOPPING = RankingStudy(
    "stopping",
    TRIALS,
    {
        "50 samples": Setting(
            Drawn(make_weston_nonlinear, 52, 50, 10_000), NONLINEAR_MACHINE, tuple(range(1, 53))
        )
    },
    {name: METHODS[name] for name in THREE},
    removal=True,
)

C_VALUES = ("0.1", "1", "10", "100", "1000", "10000")
WIDTHS = ("0.5", "1", "2", "3", "5", "10", "20")
_DRAWS = Drawn(make_weston_nonlinear, 52, 50, 10_000)
INFLUENCE = RankingStudy(
    "influence",
    TRIALS,
    {
        **{
            f"C = {C}": Setting(_DRAWS, SVM("squared_hinge", float(C), _width(3.0)), (2,))
            for C in C_VALUES
        },
        **{
            f"σ = {sigma}": Setting(_DRAWS, SVM("squared_hinge", 100.0, _width(float(sigma))), (2,))
            for sigma in WIDTHS
        },
    },
    {name: METHODS[name] for name in THREE},
)
