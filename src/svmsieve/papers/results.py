"""What was obtained: the measurements of a study, and the cells of a table or figure made of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.evaluation.paired_tests import PairedTest, corrected_t_test, holm, paired_t_test
from svmsieve.papers.views import Claim, Place, View

FORMAT = 1
DIGITS = 6
"""Significant digits of a measurement in a file."""
STANDARD_ERRORS = 2.0
"""A cell agrees with the paper within this many standard errors of the difference."""


@dataclass(frozen=True)
class Measurements:
    """The measurements of a study, trial by trial, and how they came about.

    Attributes
    ----------
    paper, study : names
    values : condition, method, measure to trial to value; only trials that were run are there
    chosen : parameters that were tuned, by condition
    seconds : time that the units took, added up over the workers
    date, version, seed : when, with which version of svmsieve, from which seed
    """

    paper: str
    study: str
    values: Mapping[str, Mapping[str, Mapping[str, Mapping[int, float]]]]
    chosen: Mapping[str, Mapping[str, float]]
    seconds: float
    date: str
    version: str
    seed: int

    def at(self, place: Place) -> dict[int, float]:
        """Return the values of a place by trial."""
        if " / " in place.method:
            above, below = (self.at(place._replace(method=m)) for m in place.method.split(" / "))
            return {trial: above[trial] / below[trial] for trial in above if trial in below}
        methods = self.values.get(place.condition, {})
        return dict(methods.get(place.method, {}).get(place.measure, {}))

    def to_json(self) -> str:
        """Return all of it; values are rounded to six digits."""
        values = {
            condition: {
                method: {name: _packed(by_trial) for name, by_trial in measures.items()}
                for method, measures in methods.items()
            }
            for condition, methods in self.values.items()
        }
        content = {
            "format": FORMAT,
            "paper": self.paper,
            "study": self.study,
            "date": self.date,
            "svmsieve": self.version,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "chosen": self.chosen,
            "values": values,
        }
        return _lines(content)

    @classmethod
    def from_json(cls, text: str) -> Measurements:
        """Read what :meth:`to_json` wrote."""
        content = json.loads(text)
        if content.get("format") != FORMAT:
            raise ValueError(f"the file must have format {FORMAT}, got {content.get('format')!r}.")
        values = {
            condition: {
                method: {name: _unpacked(packed) for name, packed in measures.items()}
                for method, measures in methods.items()
            }
            for condition, methods in content["values"].items()
        }
        return cls(
            content["paper"],
            content["study"],
            values,
            content["chosen"],
            content["seconds"],
            content["date"],
            content["svmsieve"],
            content["seed"],
        )


def _packed(by_trial: Mapping[int, float]) -> list[float | None]:
    """Values in the order of the trials, None where one is missing."""
    return [
        float(f"{by_trial[trial]:.{DIGITS}g}") if trial in by_trial else None
        for trial in range(max(by_trial) + 1)
    ]


def _unpacked(packed: list[float | None]) -> dict[int, float]:
    return {trial: value for trial, value in enumerate(packed) if value is not None}


def _lines(content: dict[str, Any]) -> str:
    """JSON with a line for each measure: small, and readable in a diff."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    out: list[str] = []
    depth = 0
    for line in text.splitlines():
        stripped = line.strip()
        if depth and out:
            out[-1] += (
                "" if stripped.startswith("]") else " " * (not out[-1].endswith("["))
            ) + stripped
        else:
            out.append(line)
        depth += stripped.endswith("[") - stripped.startswith("]")
    return "\n".join(out) + "\n"


@dataclass(frozen=True)
class Cell:
    """One cell: what the paper printed, what was obtained, and whether the two agree.

    Attributes
    ----------
    row, column : labels
    published : the printed value; None where the paper has none
    published_error : its standard error; where the paper prints no spread, ours stands for it
    obtained : mean (or count) over the trials; None if not run
    standard_error : of ``obtained``; None with a single trial
    n_trials : trials run
    verdict : ``"agrees"`` (within two standard errors of the difference), ``"differs"``,
        ``"unpublished"``, ``"no spread"`` (one trial) or ``"not run"``
    remark : a sentence about a cell that differs
    """

    row: str
    column: str
    published: float | None
    published_error: float | None
    obtained: float | None
    standard_error: float | None
    n_trials: int
    verdict: str
    remark: str


@dataclass(frozen=True)
class ClaimResult:
    """A claim of the paper and its test: the mean difference higher − lower, and its p-value.

    The p-value is two-sided, and one-tailed where the claim is that nothing was lost.  A table may claim
    that nowhere anything was lost: ``holm_p`` is the p-value adjusted for the number of such claims.
    """

    text: str
    difference: float | None
    p: float | None
    corrected_p: float | None
    verdict: str
    holm_p: float | None = None


@dataclass(frozen=True)
class Result:
    """A table or figure with published and obtained values.

    Attributes
    ----------
    paper : name of its module
    view : what is shown
    cells : row by row
    claims : the paper's statements, tested
    measurements : of the study behind it
    """

    paper: str
    view: View
    cells: tuple[Cell, ...]
    claims: tuple[ClaimResult, ...]
    measurements: Measurements

    @classmethod
    def of(cls, view: View, measurements: Measurements) -> Result:
        """Fill the cells of a table or figure."""
        cells = tuple(
            _cell(view, measurements, row, column) for row in view.rows for column in view.columns
        )
        claims = [_tested(claim, measurements) for claim in view.claims]
        return cls(measurements.paper, view, cells, _adjusted(view.claims, claims), measurements)

    def cell(self, row: str, column: str) -> Cell:
        """Return one cell."""
        return next(c for c in self.cells if (c.row, c.column) == (row, column))

    def to_frame(self) -> Any:
        """Return a pandas frame with a line for each cell."""
        import pandas as pd

        return pd.DataFrame([asdict(cell) for cell in self.cells])

    def to_json(self, path: Any = None) -> str:
        """Return cells, claims and how they came about as JSON; write them too, where a path is given."""
        made = self.measurements
        content = {
            "paper": self.paper,
            "item": self.view.item,
            "title": self.view.title,
            "unit": self.view.unit,
            "date": made.date,
            "svmsieve": made.version,
            "seed": made.seed,
            "seconds": round(made.seconds, 1),
            "cells": [asdict(cell) for cell in self.cells],
            "claims": [asdict(claim) for claim in self.claims],
        }
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def plot(self, ax: Any = None) -> Any:
        """Draw it; needs matplotlib."""
        from svmsieve.papers.drawing import draw

        return draw(self, ax)


def _cell(view: View, measurements: Measurements, row: str, column: str) -> Cell:
    place = view.place(row, column)
    printed = view.published.get((row, column))
    published = None if printed is None else printed.value
    values = np.array(list(measurements.at(place).values())) if place is not None else np.empty(0)
    n = len(values)
    if n == 0:
        return Cell(row, column, published, None, None, None, 0, "not run", "")
    if view.statistic == "count":
        obtained, error, published_error = _count(values, published, view.study.trials)
    else:
        obtained = float(values.mean())
        error = float(values.std(ddof=1) / math.sqrt(n)) if n > 1 else None
        published_error = _published_error(view, printed, values)
    verdict = _verdict(obtained, error, published, published_error)
    remark = view.remark(row, column) if verdict == "differs" else ""
    return Cell(row, column, published, published_error, obtained, error, n, verdict, remark)


def _published_error(view: View, printed: Any, values: FloatArray) -> float | None:
    """Standard error of a printed mean over the paper's trials; ours where it prints no deviation."""
    if printed is None or (printed.deviation is None and len(values) < 2):
        return None
    deviation = float(values.std(ddof=1)) if printed.deviation is None else printed.deviation
    return deviation / math.sqrt(view.study.trials)


def _count(
    values: FloatArray, published: float | None, trials: int
) -> tuple[float, float | None, float | None]:
    """Count, scaled to the paper's number of trials, with binomial errors at the common rate.

    With 30 of 30 on one side each side's own error would be zero; under the hypothesis that both
    come from one rate, the pooled rate is the estimate.  A single trial says nothing of its spread.
    """
    n, hits = len(values), float(values.sum())
    obtained = hits * trials / n
    if n < 2:
        return obtained, None, None
    if published is None:
        rate = hits / n
        return obtained, trials * math.sqrt(rate * (1.0 - rate) / n), None
    rate = (hits + published) / (n + trials)
    variance = rate * (1.0 - rate)
    return obtained, trials * math.sqrt(variance / n), trials * math.sqrt(variance / trials)


def _verdict(
    obtained: float, error: float | None, published: float | None, published_error: float | None
) -> str:
    if published is None:
        return "unpublished"
    if error is None or published_error is None:
        return "no spread"
    bound = STANDARD_ERRORS * math.hypot(error, published_error)
    # A difference of rounding only is none, even without any spread.
    return "agrees" if abs(obtained - published) <= bound + 1e-12 else "differs"


def _tested(claim: Claim, measurements: Measurements) -> ClaimResult:
    lower, higher = measurements.at(claim.lower), measurements.at(claim.higher)
    shared = sorted(set(lower) & set(higher))
    if len(shared) < 2:
        return ClaimResult(claim.text, None, None, None, "not run")
    differences = np.array([higher[trial] - lower[trial] for trial in shared])
    test = paired_t_test(differences)
    corrected = None if claim.overlap is None else corrected_t_test(differences, claim.overlap)
    p, corrected_p = test.p, None if corrected is None else corrected.p
    if claim.says == "not above":
        p = _one_tailed(test)
        corrected_p = None if corrected is None else _one_tailed(corrected)
        holds = p >= claim.level
    elif claim.says == "equal":
        holds = p >= claim.level
    else:
        holds = p < claim.level and test.mean > 0.0
    verdict = "holds" if holds else "does not hold"
    return ClaimResult(claim.text, test.mean, p, corrected_p, verdict)


def _adjusted(claims: Sequence[Claim], results: Sequence[ClaimResult]) -> tuple[ClaimResult, ...]:
    """Judge the claims that nothing was lost by p-values adjusted for their number, if there are several."""
    family = [
        at
        for at, (claim, result) in enumerate(zip(claims, results, strict=True))
        if claim.says == "not above" and result.p is not None
    ]
    adjusted = list(results)
    if len(family) > 1:
        for at, p in zip(family, holm([results[at].p or 0.0 for at in family]), strict=True):
            verdict = "holds" if p >= claims[at].level else "does not hold"
            adjusted[at] = replace(results[at], holm_p=float(p), verdict=verdict)
    return tuple(adjusted)


def _one_tailed(test: PairedTest) -> float:
    """Return the p-value against the alternative that the mean is below zero."""
    return test.p / 2.0 if test.mean < 0.0 else 1.0 - test.p / 2.0
