"""Rules that choose how many features are enough."""

from svmsieve.sizing.fdr import FDR
from svmsieve.sizing.rules import (
    RULES,
    Best,
    Bound,
    Fixed,
    Fraction,
    OneStandardError,
    SizeRule,
    Threshold,
    make_rule,
)

__all__ = [
    "FDR",
    "RULES",
    "Best",
    "Bound",
    "Fixed",
    "Fraction",
    "OneStandardError",
    "SizeRule",
    "Threshold",
    "make_rule",
]
