"""Criteria on the span estimate of the leave-one-out error (Vapnik & Chapelle 2000).

    T = Σ_p α_p S_p²,    S_p² = 1/(K̃_SV⁻¹)_pp,    K̃_SV = [K + diag(1/C), 1; 1', 0] over support vectors

S_p is the distance of support vector p from the span of the others; the machine is the squared-hinge one.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from scipy.linalg import lapack

from svmsieve.criteria.contract import CLASSIFICATION, Criterion, Data, Fitted, MachineKind, Task
from svmsieve.criteria.pairs import slopes_of_scaling
from svmsieve.criteria.radius_margin import ridge
from svmsieve.criteria.retraining import for_each_removal
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines import Dual
from svmsieve.engine.trained import Part


class Span(NamedTuple):
    """The inverse of K̃_SV (its part without the border) and the squared spans."""

    inverse: FloatArray
    squared: FloatArray


def spans(K: FloatArray, support: IntArray, part: Part) -> Span:
    """Return the squared spans of the support vectors (indices into the part's samples), O(m³).

    With G = (K + diag(1/C))⁻¹ the bordered inverse is G − G11'G/(1'G1).
    """
    system = K[np.ix_(support, support)]
    system[np.diag_indices_from(system)] += ridge(part)[support]
    factor, info = lapack.dpotrf(system, lower=1)
    if info == 0:
        inverse, _ = lapack.dpotri(factor, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
    else:  # rounding ate a pivot: the pseudo-inverse has no such limit
        inverse = np.linalg.pinv(system, hermitian=True)
    row_sums = inverse.sum(axis=1)
    inverse -= np.outer(row_sums, row_sums) / row_sums.sum()
    # A lone support vector spans nothing: its diagonal is 0/0, and so is its part of the sum.
    diagonal = np.diagonal(inverse)
    squared = np.divide(1.0, diagonal, out=np.zeros(len(support)), where=diagonal > 0.0)
    return Span(inverse, squared)


def span_estimate(K: FloatArray, part: Part, dual: Dual) -> float:
    """Return Σ_p α_p S_p² of a machine on the kernel matrix K of the part's samples."""
    support = np.flatnonzero(dual.alpha > 0.0)
    return float(dual.alpha[support] @ spans(K, support, part).squared)


class SpanFixed(Criterion):
    """Span estimate without the feature, α fixed; the smallest goes.

    ``Σ_p α_p S_p²⁽ⁱ⁾`` as the paper defines it, which its own tables show to rank no better than
    chance: α is far from its value without the feature.  Here for comparison; for use take
    ``span-gradient`` or ``span-retrained``.  O(m³ d).
    """

    name: ClassVar[str] = "span"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the span estimates with α fixed."""
        assert fitted is not None
        return for_each_removal(
            fitted.trained, data, lambda K, part, _: span_estimate(K, part, part.dual), train=False
        )


class SpanRetrained(Criterion):
    """Span estimate of the machine trained again without the feature; the smallest goes.

    d trainings in threads, O(m³) more for each.
    """

    name: ClassVar[str] = "span-retrained"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the span estimates after retraining."""
        assert fitted is not None
        return for_each_removal(fitted.trained, data, span_estimate)


class SpanGradient(Criterion):
    """Sensitivity of the span estimate to a scaling of the feature.

    ``|Σ_p S_p² ∂α_p + α_p ∂S_p²|`` with ∂(α; b) = −H⁻¹ ∂H (α; b) and ∂S_p² = S_p⁴ (G ∂K G)_pp, G the
    bordered inverse.  Both terms are pair sums over the support vectors: −(G(y∘S²)) c' and
    G diag(α S⁴) G.  (The paper prints a factor 2 before the first term; finite differences say 1.)
    Several pairs of classes add up.  O(m³ + m² d).
    """

    name: ClassVar[str] = "span-gradient"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.4"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute derivatives."""
        assert fitted is not None
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            support = np.flatnonzero(part.dual.alpha > 0.0)
            G, squared = spans(fitted.trained.matrix_of(part), support, part)
            alpha, c = part.dual.alpha[support], part.dual.coef[support]
            first = np.outer(G @ (part.y[support] * squared), c)
            W = (G * (alpha * squared**2)) @ G - 0.5 * (first + first.T)
            rows = part.rows[support]
            scores += np.abs(slopes_of_scaling(data, W, rows))
        return scores
