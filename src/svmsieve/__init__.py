"""Feature selection with support vector machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from svmsieve.runtime.hooks import provide
from svmsieve.runtime.lazy import lazy_names
from svmsieve.runtime.version import __version__

provide("report", "svmsieve.report")  # of SVMSieve.report: a layer far above it

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
    "Ranking": "svmsieve.ranking.rank",
    "ResponseCurves": "svmsieve.ranking.curves",
    "SVMSieve": "svmsieve.selection.selector",
    "Stable": "svmsieve.sizing",
    "Study": "svmsieve.studies.study",
    "compare": "svmsieve.evaluation",
    "nested_evaluate": "svmsieve.evaluation",
    "probe_report": "svmsieve.evaluation",
    "rank": "svmsieve.ranking.rank",
    "response": "svmsieve.ranking.curves",
    "study": "svmsieve.studies.study",
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
    "Stable",
    "Study",
    "__version__",
    "compare",
    "nested_evaluate",
    "probe_report",
    "rank",
    "response",
    "study",
]

if TYPE_CHECKING:  # a type checker cannot follow names that are looked up at run time
    from svmsieve.criteria import Criterion
    from svmsieve.evaluation import (
        Bootstrap,
        Comparison,
        NestedEvaluation,
        compare,
        nested_evaluate,
        probe_report,
    )
    from svmsieve.ranking.curves import ResponseCurves, response
    from svmsieve.ranking.rank import rank
    from svmsieve.ranking.result import Ranking
    from svmsieve.scale.estimators import NystroemSVC, NystroemSVR
    from svmsieve.selection.selector import SVMSieve
    from svmsieve.sizing import FDR, Stable
    from svmsieve.strategies import ForestRMBoundSVC, FScoreForestSVC, FScoreSVC, RMBoundSVC
    from svmsieve.studies.study import Study, study
else:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
