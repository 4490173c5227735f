"""How good a selection is, judged by samples it never saw: nested evaluation, tests, stability, probes."""

from svmsieve.evaluation.bootstrap import Bootstrap
from svmsieve.evaluation.comparison import Comparison, compare
from svmsieve.evaluation.fold_result import FoldResult
from svmsieve.evaluation.intervals import (
    HeldOut,
    Interval,
    fold_interval,
    loss_interval,
    mean_group_size,
    share_interval,
    why_no_interval,
)
from svmsieve.evaluation.metrics import (
    METRICS,
    Metric,
    balanced_error_rate,
    balanced_error_scorer,
    make_metric,
)
from svmsieve.evaluation.nested import nested_evaluate
from svmsieve.evaluation.pair_result import PairResult
from svmsieve.evaluation.paired_tests import PairedTest, corrected_t_test, holm, paired_t_test
from svmsieve.evaluation.probes import ProbeReport, probe_report, with_probes
from svmsieve.evaluation.results import NestedEvaluation
from svmsieve.evaluation.stability import (
    Stability,
    StabilityIndex,
    nogueira_index,
    rank_correlations,
)

__all__ = [
    "METRICS",
    "Bootstrap",
    "Comparison",
    "FoldResult",
    "HeldOut",
    "Interval",
    "Metric",
    "NestedEvaluation",
    "PairResult",
    "PairedTest",
    "ProbeReport",
    "Stability",
    "StabilityIndex",
    "balanced_error_rate",
    "balanced_error_scorer",
    "compare",
    "corrected_t_test",
    "fold_interval",
    "holm",
    "loss_interval",
    "make_metric",
    "mean_group_size",
    "nested_evaluate",
    "nogueira_index",
    "paired_t_test",
    "probe_report",
    "rank_correlations",
    "share_interval",
    "why_no_interval",
    "with_probes",
]
