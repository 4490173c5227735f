"""The tables and figures of the papers: published values beside obtained ones."""

from svmsieve.papers.results import Cell, ClaimResult, Measurements, Result
from svmsieve.papers.runner import PAPERS, collect, run, studies, views

__all__ = [
    "PAPERS",
    "Cell",
    "ClaimResult",
    "Measurements",
    "Result",
    "collect",
    "run",
    "studies",
    "views",
]
