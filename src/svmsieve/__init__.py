"""Feature selection with support vector machines."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Bootstrap": "svmsieve.evaluation",
    "Comparison": "svmsieve.evaluation",
    "Criterion": "svmsieve.criteria",
    "FDR": "svmsieve.sizing",
    "FScoreForestSVC": "svmsieve.strategies",
    "FScoreSVC": "svmsieve.strategies",
    "ForestRMBoundSVC": "svmsieve.strategies",
    "NestedEvaluation": "svmsieve.evaluation",
    "NystroemSVC": "svmsieve.scale.estimators",
    "NystroemSVR": "svmsieve.scale.estimators",
    "RMBoundSVC": "svmsieve.strategies",
    "Ranking": "svmsieve.ranking",
    "ResponseCurves": "svmsieve.curves",
    "SVMSieve": "svmsieve.selector",
    "compare": "svmsieve.evaluation",
    "nested_evaluate": "svmsieve.evaluation",
    "probe_report": "svmsieve.evaluation",
    "rank": "svmsieve.ranking",
    "response": "svmsieve.curves",
}
"""Public names and where they live; imported on first use, so that ``import svmsieve`` is quick."""

__all__ = [
    "FDR",
    "Bootstrap",
    "Comparison",
    "Criterion",
    "FScoreForestSVC",
    "FScoreSVC",
    "ForestRMBoundSVC",
    "NestedEvaluation",
    "NystroemSVC",
    "NystroemSVR",
    "RMBoundSVC",
    "Ranking",
    "ResponseCurves",
    "SVMSieve",
    "__version__",
    "compare",
    "nested_evaluate",
    "probe_report",
    "rank",
    "response",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'svmsieve' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
