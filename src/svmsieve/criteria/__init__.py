"""One small class for each ranking criterion; knows the engine, nothing else."""

from svmsieve.criteria.answers import Replaced, predicted, probabilities
from svmsieve.criteria.contract import (
    CLASSIFICATION,
    EVERY_TASK,
    REGRESSION,
    Criterion,
    MomentCriterion,
    ResponseCriterion,
)
from svmsieve.criteria.density import SDGauss, SDLaplace
from svmsieve.criteria.filters import Correlation, FScore, SignalToNoise
from svmsieve.criteria.final_scores import final_scores
from svmsieve.criteria.forest import Forest
from svmsieve.criteria.fspp import FSPP1, FSPP2, FSPP3
from svmsieve.criteria.fspp4 import FSPP4
from svmsieve.criteria.hsic import HSIC
from svmsieve.criteria.lasso import Lasso
from svmsieve.criteria.loo_scaling import LOOScaling
from svmsieve.criteria.material import RANKING_TOL, Data, Fitted, Machines
from svmsieve.criteria.radius_margin import (
    RadiusMargin,
    RadiusMarginGradient,
    RadiusMarginRetrained,
)
from svmsieve.criteria.registry import CRITERIA, make_criterion, names_for
from svmsieve.criteria.span import SpanFixed, SpanGradient, SpanRetrained
from svmsieve.criteria.sv_gradient import SVGradient
from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained

__all__ = [
    "CLASSIFICATION",
    "CRITERIA",
    "EVERY_TASK",
    "FSPP1",
    "FSPP2",
    "FSPP3",
    "FSPP4",
    "HSIC",
    "RANKING_TOL",
    "REGRESSION",
    "Correlation",
    "Criterion",
    "Data",
    "FScore",
    "Fitted",
    "Forest",
    "LOOScaling",
    "Lasso",
    "Machines",
    "MomentCriterion",
    "RadiusMargin",
    "RadiusMarginGradient",
    "RadiusMarginRetrained",
    "Replaced",
    "ResponseCriterion",
    "SDGauss",
    "SDLaplace",
    "SVGradient",
    "SignalToNoise",
    "SpanFixed",
    "SpanGradient",
    "SpanRetrained",
    "Weight",
    "WeightGradient",
    "WeightRetrained",
    "final_scores",
    "make_criterion",
    "names_for",
    "predicted",
    "probabilities",
]
