"""Criteria on the span estimate of the leave-one-out error (Vapnik & Chapelle 2000).

    T = Σ_p α_p S_p²,    S_p² = 1/(K̃_SV⁻¹)_pp,    K̃_SV = [K + diag(1/C), 1; 1', 0] over support vectors

S_p is the distance of support vector p from the span of the others; the machine is the squared-hinge one.
Each sample that is left out counts as one: weights are in C and thereby in α and K̃, not in the sum.

The inverse limits what can be known: of 16 digits about log10(‖K‖C) are lost, so that six are left up to
‖K‖C = 1e10 (an RBF or a standardised linear kernel: for any C up to 1e6), and none for a polynomial kernel
whose values reach 1e12 with C = 1e4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from svmsieve.criteria.contract import CLASSIFICATION, Criterion, MachineKind, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.criteria.pairs import slopes_of_scaling
from svmsieve.criteria.radius_margin import ridge
from svmsieve.criteria.retraining import without_each
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.retrained_removals import fixed_spans_without, spans_without
from svmsieve.engine.kernels.kernel import Linear
from svmsieve.engine.machines.machine import Dual
from svmsieve.engine.machines.trained import PairMachine
from svmsieve.engine.solvers.inverse import inverse_sums
from svmsieve.runtime.memory import block_size
from svmsieve.runtime.threads import product

_SAFE = 1e-3
"""Smallest 1 − z'Gz that costs no more than three digits."""


class Span(NamedTuple):
    """The inverse of K̃_SV (its part without the border) and the squared spans."""

    inverse: FloatArray
    squared: FloatArray


def _system(K: FloatArray, support: IntArray, part: PairMachine) -> FloatArray:
    """K + diag(1/C) over the support vectors."""
    system = np.take(K[support], support, axis=1)
    system[np.diag_indices_from(system)] += ridge(part)[support]
    return system


def _squared_spans(diagonal: FloatArray) -> FloatArray:
    """1/(K̃_SV⁻¹)_pp; a lone support vector spans nothing: 0/0, and so is its part of the sum."""
    return np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0.0)


def spans(K: FloatArray, support: IntArray, part: PairMachine) -> Span:
    """Return the squared spans of the support vectors (indices into the part's samples), O(m³).

    With G = (K + diag(1/C))⁻¹ the bordered inverse is G − G11'G/(1'G1).
    """
    system = _system(K, support, part)
    factor, info = lapack.dpotrf(system.T, lower=1)
    if info == 0:
        half, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        inverse = np.tril(half, -1)
        inverse += half.T
    else:  # rounding ate a pivot: the pseudo-inverse has no such limit
        inverse = np.linalg.pinv(system, hermitian=True)
    row_sums = inverse.sum(axis=1)
    inverse -= np.outer(row_sums, row_sums / row_sums.sum())
    return Span(inverse, _squared_spans(np.diagonal(inverse)))


def span_estimate(K: FloatArray, part: PairMachine, dual: Dual) -> float:
    """Return Σ_p α_p S_p² of a machine on the kernel matrix K of the part's samples."""
    support = np.flatnonzero(dual.alpha > 0.0)
    sums = inverse_sums(_system(K, support, part))
    if sums is None:
        return float(dual.alpha[support] @ spans(K, support, part).squared)
    diagonal = sums.diagonal - sums.row_sums * (sums.row_sums / sums.row_sums.sum())
    return float(dual.alpha[support] @ _squared_spans(diagonal))


class SpanFixed(Criterion):
    """Span estimate without the feature, α fixed; the smallest goes.

    ``Σ_p α_p S_p²⁽ⁱ⁾`` as the paper defines it, which its own tables show to rank no better than
    chance: α is far from its value without the feature.  Here for comparison; for use take
    ``span-gradient`` or ``span-retrained``.  O(m³ d); for a linear kernel, whose matrix changes by
    one rank, O(m³ + m² d).

    See Also
    --------
    svmsieve.criteria.SpanGradient : Sensitivity of the span estimate to a scaling of the feature.
    svmsieve.criteria.SpanRetrained : Span estimate of the machine trained again without the
        feature; the smallest goes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SpanFixed
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, SpanFixed(), SVC(C=10)).order[:2].tolist()
    [1, 0]
    """

    name: ClassVar[str] = "span"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    counts_each_sample: ClassVar[bool] = True
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the span estimates with α fixed."""
        assert fitted is not None
        trained = fitted.trained
        if not (isinstance(data.kernel, Linear) and data.groups is None):
            return without_each(trained, data, _fixed_estimate, fixed_spans_without, train=False)
        scores = np.zeros(data.n_scores)
        for part in trained.parts:
            scores += _after_rank_one(trained.matrix_of(part), part, data)
        left = np.flatnonzero(np.isnan(scores))
        if len(left):
            scores[left] = without_each(
                trained, data, _fixed_estimate, fixed_spans_without, train=False, which=left
            )
        return scores


def _fixed_estimate(K: FloatArray, part: PairMachine, dual: Dual) -> float:
    return span_estimate(K, part, part.dual)


def _after_rank_one(K: FloatArray, part: PairMachine, data: Data) -> FloatArray:
    """Return Σ_p α_p S_p² without each column z of a linear kernel, NaN where that is inaccurate.

    K − zz' has the bordered inverse G + Gzz'G/(1 − z'Gz).
    """
    support = np.flatnonzero(part.dual.alpha > 0.0)
    alpha = part.dual.alpha[support]
    G = spans(K, support, part).inverse
    diagonal = np.diagonal(G)[:, None]
    Z = data.X[part.rows[support]]
    columns = Z.tocsc() if sp.issparse(Z) else Z
    scores = np.empty(data.n_scores)
    size = block_size(24.0 * len(support), data.memory)
    for start in range(0, data.n_scores, size):
        block = slice(start, start + size)
        turned, left = _turned(G, columns, block)
        safe = left > _SAFE
        np.square(turned, out=turned)
        turned /= np.where(safe, left, 1.0)
        turned += diagonal
        values = alpha @ _squared_spans(turned)
        scores[block] = np.where(safe, values, np.nan)
    return scores


def _turned(G: FloatArray, columns: Matrix, block: slice) -> tuple[FloatArray, FloatArray]:
    """Return Gz and 1 − z'Gz for the columns of a block."""
    if sp.issparse(columns):
        z = columns[:, block]
        turned = np.asarray(z.T @ G).T  # G is symmetric
        return turned, 1.0 - np.asarray(z.multiply(turned).sum(axis=0)).ravel()
    z = dense_columns(columns, block)
    turned = product(G, z)
    return turned, 1.0 - np.einsum("ki,ki->i", z, turned)


class SpanRetrained(Criterion):
    """Span estimate of the machine trained again without the feature; the smallest goes.

    d trainings in threads, O(m³) more for each.

    See Also
    --------
    svmsieve.criteria.SpanFixed : Span estimate without the feature, α fixed; the smallest goes.
    svmsieve.criteria.SpanGradient : Sensitivity of the span estimate to a scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SpanRetrained
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, SpanRetrained(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "span-retrained"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    counts_each_sample: ClassVar[bool] = True
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.3"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the span estimates after retraining."""
        assert fitted is not None
        return without_each(fitted.trained, data, span_estimate, spans_without)


class SpanGradient(Criterion):
    """Sensitivity of the span estimate to a scaling of the feature.

    ``|Σ_p S_p² ∂α_p + α_p ∂S_p²|`` with ∂(α; b) = −H⁻¹ ∂H (α; b) and ∂S_p² = S_p⁴ (G ∂K G)_pp, G the
    bordered inverse.  Both terms are pair sums over the support vectors: −(G(y∘S²)) c' and
    G diag(α S⁴) G.  (The paper prints a factor 2 before the first term; finite differences say 1.)
    Several pairs of classes add up.  O(m³ + m² d).

    See Also
    --------
    svmsieve.criteria.SpanFixed : Span estimate without the feature, α fixed; the smallest goes.
    svmsieve.criteria.SpanRetrained : Span estimate of the machine trained again without the
        feature; the smallest goes.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import SpanGradient
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, SpanGradient(), SVC(C=10)).order[:2].tolist()
    [0, 5]
    """

    name: ClassVar[str] = "span-gradient"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    machine: ClassVar[MachineKind] = "squared-hinge"
    counts_each_sample: ClassVar[bool] = True
    paper: ClassVar[str] = "Rakotomamonjy 2003, section 2.4"
    factor: ClassVar[float] = 1.0
    """Before the first term: 1 is the derivative."""

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the absolute derivatives."""
        assert fitted is not None
        scores = np.zeros(data.n_scores)
        for part in fitted.trained.parts:
            support = np.flatnonzero(part.dual.alpha > 0.0)
            K = fitted.trained.matrix_of(part)
            G, squared = spans(K, support, part)
            if isinstance(data.kernel, Linear):
                slopes = _linear_slopes(K, support, part, squared, data, self.factor)
                scores += np.abs(data.sum_groups(slopes))
                continue
            alpha, c = part.dual.alpha[support], part.dual.coef[support]
            first = np.outer(G @ (part.y[support] * squared), c)
            half = G * (np.sqrt(alpha) * squared)
            W = half @ half.T  # a product with one's own transpose takes half the work
            first += first.T
            first *= 0.5 * self.factor
            W -= first
            rows = part.rows[support]
            scores += np.abs(slopes_of_scaling(data, W, rows))
        return scores


def _linear_slopes(
    K: FloatArray,
    support: IntArray,
    part: PairMachine,
    squared: FloatArray,
    data: Data,
    factor: float,
) -> FloatArray:
    """Return ∂T/∂v_i for a linear kernel, ∂K = 2zz': ``2 Σ_p α_p S_p⁴ (Gz)_p² − 2 (y∘S²)'Gz · c'z``.

    The columns lie where G is smallest, by a factor of ‖K‖C, which sums over the entries of G would lose
    twice: Gz is computed without G.
    """
    alpha, c = part.dual.alpha[support], part.dual.coef[support]
    Z = data.X[part.rows[support]]
    turn = _turn_few if Z.shape[1] < len(support) else _turn_many
    slopes = np.empty(Z.shape[1])
    for block, z, turned in turn(_system(K, support, part), part.bounds[support], Z, data.memory):
        first = (part.y[support] * squared) @ turned * (c @ z)
        slopes[block] = 2.0 * ((alpha * squared**2) @ turned**2 - factor * first)
    return slopes


Turned: TypeAlias = Iterator[tuple[slice, FloatArray, FloatArray]]


def _turn_few(system: FloatArray, C: FloatArray, Z: Matrix, memory: float) -> Turned:
    """Yield all columns and GZ = CZ̃(I + Z̃'CZ̃)⁻¹, Z̃ = Z less its means by C: a system of the columns."""
    Z = dense_columns(Z, slice(None))
    centred = Z - C @ Z / C.sum()
    raised = C[:, None] * centred
    inner = centred.T @ raised
    inner[np.diag_indices_from(inner)] += 1.0
    yield slice(None), Z, np.linalg.solve(inner, raised.T).T


def _turn_many(system: FloatArray, C: FloatArray, Z: Matrix, memory: float) -> Turned:
    """Yield blocks of columns and Gz = Sz − S1 · 1'Sz/1'S1 with S the inverse of the system."""
    factor, info = lapack.dpotrf(system.T, lower=1)
    inverse = np.linalg.pinv(system, hermitian=True) if info else None

    def solve(right: FloatArray) -> FloatArray:
        return lapack.dpotrs(factor, right, lower=1)[0] if inverse is None else inverse @ right

    border = solve(np.ones((len(system), 1)))
    border /= border.sum()
    columns = Z.tocsc() if sp.issparse(Z) else Z
    size = block_size(24.0 * len(system), memory)
    for start in range(0, Z.shape[1], size):
        block = slice(start, start + size)
        z = dense_columns(columns, block)
        turned = solve(z - z.mean(axis=0))  # the border takes out any constant
        turned -= border * turned.sum(axis=0)
        yield block, z, turned
