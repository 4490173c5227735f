"""The cells of a table: what was printed, what was obtained, whether they agree, differ, or neither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.rows import SPREAD
from svmsieve.papers.views import Published, View

STANDARD_ERRORS = 2.0
"""A cell differs from the paper beyond this many standard errors of the difference."""
QUARTER = 0.25
"""A window wider than this share of the value cannot tell whether the value was met."""
AGREES, DIFFERS, CANNOT_TELL = "agrees", "differs", "cannot tell"
GRADES = (AGREES, DIFFERS, CANNOT_TELL)
LEFT_OUT = "left out"
"""Printed, but there is nothing here to measure it with; the view says why."""


@dataclass(frozen=True)
class Cell:
    """One cell: what the paper printed, what was obtained, and whether the two agree.

    A part of a :class:`Result`.

    Parameters
    ----------
    row, column : str
        Labels of the cell.
    published : float or None
        The printed value; None where the paper has none.
    published_error : float or None
        Its standard error; where the paper prints no spread, ours stands for it.
    obtained : float or None
        Mean (or count, or deviation) over trials and seeds; None if not run.
    standard_error : float or None
        Standard error of ``obtained``; None where no spread was seen.
    n_trials : int
        Trials of each seed (the largest).
    n_seeds : int
        Runs from different seeds that were averaged.
    window : float or None
        How far apart the two may be: two standard errors of their difference.
    verdict : str
        ``"agrees"``; ``"differs"``: by more than the window; ``"cannot tell"``: within it, but it
        is wider than a quarter of the value, or there is no spread; ``"unpublished"``; ``"left
        out"``; ``"not run"``.
    remark : str
        A sentence about a cell that differs, cannot tell, or is left out.

    See Also
    --------
    svmsieve.papers.Result : A table or figure with published and obtained values.
    svmsieve.papers.run : Run the experiment behind a table or figure and put the obtained values
        beside the published.

    Examples
    --------
    >>> from svmsieve.papers import Cell
    >>> cell = Cell("FSPP2", "50", 5.0, 0.2, 5.1, 0.2, 100, 1, 0.57, "agrees", "")
    >>> abs(cell.obtained - cell.published) < cell.window
    True
    """

    row: str
    column: str
    published: float | None
    published_error: float | None
    obtained: float | None
    standard_error: float | None
    n_trials: int
    n_seeds: int
    window: float | None
    verdict: str
    remark: str


class _Estimate(NamedTuple):
    value: float
    error: float | None
    published_error: float | None


def make_cell(view: View, runs: Sequence[Measurements], row: str, column: str) -> Cell:
    """Fill one cell from the runs of the view's study, one for each seed."""
    printed = view.published.get((row, column))
    published = None if printed is None else printed.value
    place = view.place(row, column)
    samples = [] if place is None else [_values(run.at(place)) for run in runs]
    samples = [values for values in samples if len(values)]
    if view.is_exact(row, column):
        samples = samples[:1]  # a count of the data, of which other seeds tell nothing more
    if not samples or place is None:
        verdict = LEFT_OUT if place is None and printed is not None else "not run"
        reason = view.reason(row, column)
        return Cell(row, column, published, None, None, None, 0, 0, None, verdict, reason)
    spread = place._replace(measure=place.measure + SPREAD)
    rows = [_values(run.at(spread)) for run in runs]
    rows = [values for values in rows if len(values)]
    if view.statistic == "count":
        estimate = _count(samples, published, view.study.trials)
    elif view.statistic == "deviation":
        estimate = _deviation(samples, printed, view.study.trials)
    else:
        row_spread = float(np.mean(np.concatenate(rows))) if rows else None
        estimate = _mean(samples, printed, row_spread, view.study.trials)
    if view.is_exact(row, column):
        estimate = _Estimate(estimate.value, 0.0, 0.0)
    verdict, window, remark = _verdict(view, row, column, estimate, published)
    value, error, published_error = estimate
    most = max(len(values) for values in samples)
    if published is None:
        published_error = None
    return Cell(
        row, column, published, published_error, value, error, most, len(samples), window, verdict,
        remark or (view.remark(row, column) if verdict == DIFFERS else ""),
    )  # fmt: skip


def _values(by_trial: dict[int, float]) -> FloatArray:
    return np.array(list(by_trial.values()))


class _Combined(NamedTuple):
    """What seeds say together: the mean of their values, its variance, and the variance between seeds."""

    value: float
    variance: float
    between: float


def _combined(values: FloatArray, samples: Sequence[FloatArray], one: float) -> _Combined:
    """Combine a value of each seed, which a single trial would let vary by ``one``; seeds differ in trials.

    DerSimonian & Laird's moments: with ``v_s = one/n_s`` and weights ``1/v_s`` the variance between seeds is
    ``(Σ (x_s − x̄)²/v_s − (S − 1)) / (Σ 1/v_s − Σ v_s⁻²/Σ v_s⁻¹)``, at least 0; the seeds are then weighted
    by ``1/(between + v_s)``.  With equal numbers of trials this is the mean of the seeds, and what they vary
    by beyond what the trials of one explain.
    """
    if one <= 0.0:
        between = float(values.var(ddof=1)) if len(values) > 1 else 0.0
        return _Combined(float(values.mean()), between / len(values), between)
    within = np.array([one / len(trials) for trials in samples])
    weights = 1.0 / within
    between = 0.0
    if len(values) > 1:
        far = float(weights @ (values - np.average(values, weights=weights)) ** 2)
        spare = weights.sum() - float(weights @ weights) / weights.sum()
        between = max(0.0, (far - (len(values) - 1)) / spare)
    weights = 1.0 / (between + within)
    value = float(np.average(values, weights=weights))
    return _Combined(value, 1.0 / float(weights.sum()), between)


def _mean(
    samples: Sequence[FloatArray], printed: Published | None, rows: float | None, trials: int
) -> _Estimate:
    """Mean over trials and seeds, its error, and that of a printed mean over the paper's trials.

    ``rows`` is the spread over the rows that judged every trial.  A printed mean is one draw: it varies as
    the mean of one seed with the paper's number of trials does.
    """
    spreads = [float(values.std(ddof=1)) for values in samples if len(values) > 1]
    deviation = float(np.mean(spreads)) if spreads else None
    means = np.array([values.mean() for values in samples])
    found = _combined(means, samples, (deviation or 0.0) ** 2)
    seen = deviation is not None or len(means) > 1
    error = math.sqrt(found.variance) if seen else None
    published_error = _published_error(printed, deviation, found.between, rows, trials)
    if rows is not None:
        error = math.hypot(rows, error or 0.0)
    return _Estimate(found.value, error, published_error)


def _published_error(
    printed: Published | None,
    deviation: float | None,
    between: float,
    rows: float | None,
    trials: int,
) -> float | None:
    """Standard error of a printed value: by the paper's spread, else by ours, and by that between seeds."""
    if printed is not None and printed.error is not None:
        return printed.error
    if rows is not None:  # judged once, with one choice of folds
        return rows if deviation is None else deviation
    if printed is not None and printed.deviation is not None:
        deviation = printed.deviation
    if deviation is None:
        return math.sqrt(between) if between else None
    return math.sqrt(between + deviation**2 / trials)


def _count(samples: Sequence[FloatArray], published: float | None, trials: int) -> _Estimate:
    """Count, scaled to the paper's number of trials, with errors at the common rate and between seeds.

    With 30 of 30 on one side each side's own error would be zero; under the hypothesis that both
    come from one rate, the pooled rate is the estimate.  A single trial says nothing of its spread.
    """
    values = np.concatenate(samples)
    n, hits = len(values), float(values.sum())
    if n < 2:
        return _Estimate(hits * trials / n, None, None)
    rate = hits / n if published is None else (hits + published) / (n + trials)
    variance = max(rate * (1.0 - rate), 0.0)
    found = _combined(np.array([each.mean() for each in samples]), samples, variance)
    error = trials * math.sqrt(found.variance)
    if published is None:
        return _Estimate(trials * found.value, error, None)
    published_error = trials * math.sqrt(found.between + variance / trials)
    return _Estimate(trials * found.value, error, published_error)


def _deviation(samples: Sequence[FloatArray], printed: Published | None, trials: int) -> _Estimate:
    """Standard deviation over the trials, with its error by their fourth moment and between seeds.

    ``s²`` varies as ``(m₄ − s⁴)/n``, so ``s`` by ``√((m₄ − s⁴)/n)/2s``; a printed one is rounded besides.
    """
    many = [values for values in samples if len(values) > 1]
    if not many:
        return _Estimate(0.0, None, None)
    deviations = np.array([values.std(ddof=1) for values in many])
    n = sum(len(values) for values in many)
    pooled = float(sum(len(v) * s**2 for v, s in zip(many, deviations, strict=True))) / n
    fourth = float(np.concatenate([(values - values.mean()) ** 4 for values in many]).mean())
    one = max(fourth - pooled**2, 0.0) / (4.0 * pooled) if pooled else 0.0
    found = _combined(deviations, many, one)
    rounding = (printed.error or 0.0) if printed is not None else 0.0
    published_error = math.sqrt(found.between + one / trials + rounding**2)
    return _Estimate(found.value, math.sqrt(found.variance), published_error)


def _verdict(
    view: View, row: str, column: str, estimate: _Estimate, published: float | None
) -> tuple[str, float | None, str]:
    """Return the grade, the window, and why it cannot tell."""
    obtained, error, published_error = estimate
    if published is None:
        return "unpublished", None, ""
    distance = abs(obtained - published)
    equal = distance <= 1e-9 * max(1.0, abs(published))
    if error is None or published_error is None:
        if equal and view.study.trials == 1:  # the paper has no more of them
            return AGREES, None, ""
        return CANNOT_TELL, None, "One trial has no spread."
    window = STANDARD_ERRORS * math.hypot(error, published_error)
    if equal:
        return AGREES, window, ""
    if window == 0.0 and not view.is_exact(row, column):
        return CANNOT_TELL, window, "No trial differs from another: there is no spread to judge by."
    if distance > window:
        return DIFFERS, window, ""
    whole = view.whole_of(row, column)
    value = abs(published) if whole is None else min(abs(published), abs(whole - published))
    if window > QUARTER * value:
        return CANNOT_TELL, window, "Within the window, which is wider than a quarter of the value."
    return AGREES, window, ""
