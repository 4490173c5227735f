"""The tables and figures of the papers: published values beside obtained ones."""

from svmsieve.papers.cells import Cell
from svmsieve.papers.claims import ClaimResult, StatementResult
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.results import Result
from svmsieve.papers.runner import PAPERS, Only, collect, run, studies, views

__all__ = [
    "PAPERS",
    "Cell",
    "ClaimResult",
    "Measurements",
    "Only",
    "Result",
    "StatementResult",
    "collect",
    "run",
    "studies",
    "views",
]
