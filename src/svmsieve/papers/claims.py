"""The claims and statements of a paper, tested."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from svmsieve.evaluation.paired_tests import PairedTest, corrected_t_test, holm, paired_t_test
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.views import Claim, View

HOLDS, FAILS = "holds", "does not hold"
MISSING = (KeyError, IndexError, ValueError, ZeroDivisionError)
"""What a statement raises where measurements that it needs are missing."""


@dataclass(frozen=True)
class ClaimResult:
    """A claim of the paper and its test: the mean difference higher − lower, and its p-value.

    The p-value is two-sided, one-tailed where the claim is.  The verdict is that of the paper's own test; of
    several claims that nothing was lost ``holm_p`` is adjusted for their number, ``holm_verdict`` judged by
    it.  ``held`` of ``seeds`` runs from different seeds agree with the claim; the first is the one tested.

    Parameters
    ----------
    text : str
        The claim in words.
    difference : float or None
        Mean difference, higher − lower; None if not run.
    p : float or None
        P-value of the paper's own test.
    corrected_p : float or None
        P-value of the corrected resampled t-test.
    verdict : str
        Whether the claim holds here.
    printed_p : float or None, default=None
        P-value in the paper; None where it prints none.
    holm_p : float or None, default=None
        ``p`` adjusted for the number of claims.
    holm_verdict : str, default=""
        Verdict by ``holm_p``.
    held : int, default=0
        Runs from different seeds that agree with the claim.
    seeds : int, default=0
        Runs from different seeds.

    See Also
    --------
    svmsieve.papers.Result : A table or figure with published and obtained values.
    svmsieve.papers.StatementResult : A sentence of the paper, what was found, and whether it holds.

    Examples
    --------
    >>> from svmsieve.papers import ClaimResult
    >>> ClaimResult("FSPP2 has lower errors than SVM", 0.02, 0.01, 0.03, "holds").verdict
    'holds'
    """

    text: str
    difference: float | None
    p: float | None
    corrected_p: float | None
    verdict: str
    printed_p: float | None = None
    holm_p: float | None = None
    holm_verdict: str = ""
    held: int = 0
    seeds: int = 0


@dataclass(frozen=True)
class StatementResult:
    """A sentence of the paper, what was found, and whether it holds.

    A part of a :class:`Result`.

    Parameters
    ----------
    text : str
        The sentence.
    found : str
        What was found, in words.
    verdict : str
        Whether it holds here.

    See Also
    --------
    svmsieve.papers.Result : A table or figure with published and obtained values.
    svmsieve.papers.ClaimResult : A claim of the paper and its test: the mean difference higher −
        lower, and its p-value.

    Examples
    --------
    >>> from svmsieve.papers import StatementResult
    >>> StatementResult("two features are enough", "2 of 2", "holds").verdict
    'holds'
    """

    text: str
    found: str
    verdict: str


def claims_tested(view: View, runs: Sequence[Measurements]) -> tuple[ClaimResult, ...]:
    """Test the claims on the first run; count the runs in which each holds."""
    results = _adjusted(view.claims, [_tested(claim, runs[0]) for claim in view.claims])
    counted = []
    for claim, result in zip(view.claims, results, strict=True):
        verdicts = [_tested(claim, run).verdict for run in runs]
        run_at = [verdict for verdict in verdicts if verdict != "not run"]
        counted.append(replace(result, held=run_at.count(HOLDS), seeds=len(run_at)))
    return tuple(counted)


def statements_judged(view: View, measurements: Measurements) -> tuple[StatementResult, ...]:
    """Judge the statements; one whose measurements are not there is not run."""
    results = []
    for statement in view.statements:
        try:
            finding = statement.judge(measurements)
        except MISSING:
            results.append(StatementResult(statement.text, "–", "not run"))
            continue
        verdict = HOLDS if finding.holds else FAILS
        results.append(StatementResult(statement.text, finding.found, verdict))
    return tuple(results)


def findings_of(view: View, measurements: Measurements) -> list[str]:
    """Return the view's sentences that the measurements fill in, those that can be."""
    found = []
    for finding in view.findings:
        with suppress(*MISSING):
            found.append(finding(measurements))
    return found


def _tested(claim: Claim, measurements: Measurements) -> ClaimResult:
    lower, higher = measurements.at(claim.lower), measurements.at(claim.higher)
    shared = sorted(set(lower) & set(higher))
    if len(shared) < 2:
        return ClaimResult(claim.text, None, None, None, "not run", claim.printed_p)
    differences = np.array([higher[trial] - lower[trial] for trial in shared])
    test = paired_t_test(differences)
    corrected = None if claim.overlap is None else corrected_t_test(differences, claim.overlap)
    p, corrected_p = _p(claim, test), None if corrected is None else _p(claim, corrected)
    significant = p < claim.level
    holds = (significant and test.mean > 0.0) if claim.says == "lower" else not significant
    verdict = HOLDS if holds else FAILS
    return ClaimResult(claim.text, test.mean, p, corrected_p, verdict, claim.printed_p)


def _p(claim: Claim, test: PairedTest) -> float:
    """Return p against the claim's alternative: any difference, a loss, or, on one side, a gain."""
    if claim.says == "not above":
        return _below(test)
    return 1.0 - _below(test) if claim.one_tailed else test.p


def _below(test: PairedTest) -> float:
    """Return the p-value against the alternative that the mean is below zero."""
    return test.p / 2.0 if test.mean < 0.0 else 1.0 - test.p / 2.0


def _adjusted(claims: Sequence[Claim], results: Sequence[ClaimResult]) -> list[ClaimResult]:
    """Add p-values adjusted for the number of claims that nothing was lost, if there are several."""
    family = [
        at
        for at, (claim, result) in enumerate(zip(claims, results, strict=True))
        if claim.says == "not above" and result.p is not None
    ]
    adjusted = list(results)
    if len(family) > 1:
        for at, p in zip(family, holm([results[at].p or 0.0 for at in family]), strict=True):
            verdict = HOLDS if p >= claims[at].level else FAILS
            adjusted[at] = replace(results[at], holm_p=float(p), holm_verdict=verdict)
    return adjusted
