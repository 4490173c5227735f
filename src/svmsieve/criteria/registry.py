"""The criteria by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from svmsieve.criteria.contract import Criterion
from svmsieve.criteria.density import SDGauss, SDLaplace
from svmsieve.criteria.filters import Correlation, FScore, SignalToNoise
from svmsieve.criteria.forest import Forest
from svmsieve.criteria.fspp import FSPP1, FSPP2, FSPP3
from svmsieve.criteria.fspp4 import FSPP4
from svmsieve.criteria.hsic import HSIC
from svmsieve.criteria.lasso import Lasso
from svmsieve.criteria.loo_scaling import LOOScaling
from svmsieve.criteria.radius_margin import (
    RadiusMargin,
    RadiusMarginGradient,
    RadiusMarginRetrained,
)
from svmsieve.criteria.span import SpanFixed, SpanGradient, SpanRetrained
from svmsieve.criteria.sv_gradient import SVGradient
from svmsieve.criteria.weight import Weight, WeightGradient, WeightRetrained

CRITERIA: dict[str, type[Criterion]] = {
    criterion.name: criterion
    for criterion in (
        Correlation,
        SignalToNoise,
        FScore,
        Forest,
        HSIC,
        Lasso,
        LOOScaling,
        Weight,
        WeightGradient,
        WeightRetrained,
        RadiusMargin,
        RadiusMarginGradient,
        RadiusMarginRetrained,
        SpanFixed,
        SpanGradient,
        SpanRetrained,
        FSPP1,
        FSPP2,
        FSPP3,
        FSPP4,
        SVGradient,
        SDLaplace,
        SDGauss,
    )
}
"""Every criterion of the package, in the order of its documentation."""


def names_for(task: str) -> list[str]:
    """Return the names of the criteria that can rank for a task.

    Parameters
    ----------
    task : str
        ``"binary"``, ``"multiclass"`` or ``"regression"``.

    Returns
    -------
    list of str
        Names of criteria.
    """
    return [name for name, criterion in CRITERIA.items() if task in criterion.tasks]


def refuse_task(criterion: Criterion, task: str) -> None:
    """Raise a ValueError that says what would work if a criterion cannot rank for a task."""
    if task not in criterion.tasks:
        raise ValueError(
            f"criterion {criterion.name!r} is for {' and '.join(sorted(criterion.tasks))} targets, not "
            f"for {task}; for {task} use one of: {', '.join(names_for(task))}."
        )


def make_criterion(criterion: Any, task: str) -> Criterion:
    """Return a criterion from its name, an instance, or ``"auto"``.

    ``"auto"`` is ``fspp2`` for classes and ``sd-gauss`` for a numeric target.

    Parameters
    ----------
    criterion : str or Criterion
        Name, instance, or ``"auto"``.
    task : str
        ``"binary"``, ``"multiclass"`` or ``"regression"``.

    Returns
    -------
    Criterion
        The criterion.

    Examples
    --------
    >>> make_criterion("auto", "binary").name
    'fspp2'
    """
    if isinstance(criterion, Criterion):
        return criterion
    if criterion == "auto":
        criterion = "sd-gauss" if task == "regression" else "fspp2"
    if isinstance(criterion, str) and criterion in CRITERIA:
        return CRITERIA[criterion]()
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        raise ValueError(f"criterion must be an instance: {criterion.__name__}(), not the class.")
    near = get_close_matches(str(criterion).lower(), CRITERIA, n=3, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?"
        if near
        else (f"known are: {', '.join(CRITERIA)}.")
    )
    raise ValueError(f"criterion {criterion!r} is not known; {hint}")
