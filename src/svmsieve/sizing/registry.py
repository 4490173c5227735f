"""The size rules by name."""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from svmsieve.sizing.enough import Enough
from svmsieve.sizing.rules import Fixed, Fraction, SizeRule
from svmsieve.sizing.scored_rules import Best, Bound, OneStandardError, Threshold
from svmsieve.sizing.stable import Stable

RULES: dict[str, type[SizeRule]] = {
    "auto": Enough,
    "best": Best,
    "1se": OneStandardError,
    "bound": Bound,
    "threshold": Threshold,
    "stable": Stable,
}


def make_rule(n_features_to_select: Any) -> SizeRule:
    """Return a rule from a number, a fraction, a name or a rule.

    Parameters
    ----------
    n_features_to_select : int, float, str or SizeRule
        A number, a fraction, a name or a rule.

    Returns
    -------
    SizeRule
        A rule from a number, a fraction, a name or a rule.
    """
    wish = n_features_to_select
    if isinstance(wish, SizeRule):
        return wish
    if isinstance(wish, Integral) and not isinstance(wish, bool):
        return Fixed(int(wish))
    if isinstance(wish, Real) and not isinstance(wish, bool):
        return Fraction(float(wish))
    if isinstance(wish, str) and wish in RULES:
        return RULES[wish]()
    near = get_close_matches(wish, RULES, n=1, cutoff=0.4) if isinstance(wish, str) else []
    hint = f"did you mean {near[0]!r}?" if near else f"known rules are: {', '.join(RULES)}."
    raise ValueError(
        f"n_features_to_select must be a number, a fraction or a rule, got {wish!r}; {hint}"
    )
