"""Rules that choose how many features are enough."""

from svmsieve.sizing.enough import Enough
from svmsieve.sizing.fdr import FDR
from svmsieve.sizing.registry import RULES, make_rule
from svmsieve.sizing.rules import Fixed, Fraction, SizeRule
from svmsieve.sizing.scored_rules import Best, Bound, OneStandardError, Threshold
from svmsieve.sizing.stable import Stable

__all__ = [
    "FDR",
    "RULES",
    "Best",
    "Bound",
    "Enough",
    "Fixed",
    "Fraction",
    "OneStandardError",
    "SizeRule",
    "Stable",
    "Threshold",
    "make_rule",
]
