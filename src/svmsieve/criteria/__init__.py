"""One small class for each ranking criterion; knows the engine, nothing else."""

from svmsieve.criteria.contract import RANKING_TOL, Criterion, Data, Fitted, final_scores
from svmsieve.criteria.registry import CRITERIA, make_criterion, names_for

__all__ = [
    "CRITERIA",
    "RANKING_TOL",
    "Criterion",
    "Data",
    "Fitted",
    "final_scores",
    "make_criterion",
    "names_for",
]
