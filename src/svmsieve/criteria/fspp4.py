"""FSPP4: the derivative of the probabilities with respect to a scaling of the feature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from svmsieve.criteria.contract import CLASSIFICATION, Criterion, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.effects.gradients import gradient_blocks
from svmsieve.engine.kernels.gram import ActiveGram
from svmsieve.engine.machines.platt import Sigmoid, coupling_slopes
from svmsieve.engine.machines.target import Classes
from svmsieve.engine.machines.trained import PairMachine, Trained
from svmsieve.runtime.memory import block_size
from svmsieve.runtime.threads import product

_SINGULAR = 1e-12


class FSPP4(Criterion):
    """Mean absolute derivative of Platt's probability with respect to a scaling of the feature.

    ``1/n Σ_j |∂p̂_j/∂v_i|`` with ∂p̂ = −A p̂(1 − p̂) ∂f and

        ∂f_j = [∂f_j]_{c,b fixed} + Σ_{k free} K_kj ∂c_k + ∂b                                   (28)
        [K_FF 1; 1' 0] (∂c; ∂b) = −([∂f_F]_{c,b fixed}; 0)                                      (31)

    over the free support vectors F; bounded ones stay, and so do A and B, as in the paper's
    experiments.  One factorisation serves all features.  Duplicate rows make (31) singular, which
    stopped the paper's computation; here the minimum-norm solution is taken, also where the condition
    of (31) is above 1e12 (rows that differ by less than 1e-6, say).  A machine that makes up for any
    scaling, as a linear one with more than d free support vectors does, leaves ∂f = 0: what is below
    1e-12 of [∂f]_{c,b fixed} is rounding and counts as zero.  More than two classes:
    ``½ Σ_c |∂p_c|`` of the coupled probabilities.  O(m_F³ + n m d), features in blocks.

    See Also
    --------
    svmsieve.criteria.FSPP2 : Mean shift of Platt's probability when the feature is permuted.
    svmsieve.criteria.WeightGradient : Sensitivity of ‖w‖² to a scaling of the feature.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import FSPP4
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, FSPP4(), SVC(C=10)).order[:2].tolist()
    [0, 1]
    """

    name: ClassVar[str] = "fspp4"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    needs_probabilities = True
    paper: ClassVar[str] = "Shen et al. 2008, eq. (26)–(31)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean absolute derivatives."""
        assert fitted is not None
        target = data.target
        assert isinstance(target, Classes)
        pairs = [
            _Pair(data.gram, part, sigmoid, data.n_scores)
            for part, sigmoid in zip(fitted.trained.parts, fitted.sigmoids, strict=True)
        ]
        coupled = None
        if target.task == "multiclass":
            pairwise = np.column_stack([pair.probability for pair in pairs])
            coupled = coupling_slopes(pairwise, len(target.classes))
        scores, sizes = np.zeros(data.n_scores), np.zeros(data.n_scores)
        for which, fixed in _fixed_slopes(fitted.trained, data):
            slopes = [pair.slopes(values) for pair, values in zip(pairs, fixed, strict=True)]
            scores[which] = data.weights @ _total_change(slopes, coupled)
            sizes[which] = sum(
                data.weights @ np.abs(pair.factor[:, None] * values)
                for pair, values in zip(pairs, fixed, strict=True)
            )
        return np.where(scores > _SINGULAR * sizes, scores, 0.0)


def _fixed_slopes(trained: Trained, data: Data) -> Iterator[tuple[slice, list[FloatArray]]]:
    """Yield some of the scores and ∂f of each machine for them, c and b fixed: samples × scores."""
    n, n_pairs = len(data.target), len(trained.parts)
    size = block_size(8.0 * n * (6 + 4 * n_pairs), data.memory)
    blocks = zip(
        *(
            gradient_blocks(
                expansion,
                data.X,
                scaling=True,
                base=data.base_between(np.arange(n), part.centers),
                size=size,
            )
            for part, expansion in zip(trained.parts, trained.expansions, strict=True)
        ),
        strict=True,
    )
    if data.groups is None:
        for block in blocks:
            yield block[0][0], [slope for _, slope in block]
        return
    group_of = np.empty(data.X.shape[1], dtype=np.intp)
    for index, columns in enumerate(data.groups):
        group_of[columns] = index
    sums = [np.zeros((n, data.n_scores)) for _ in trained.parts]
    for block in blocks:
        for total, (columns, slope) in zip(sums, block, strict=True):
            np.add.at(total.T, group_of[columns], slope.T)
    yield slice(0, data.n_scores), sums


class _Pair:
    """One machine: its samples' probabilities, and how they follow a scaling of the features."""

    def __init__(
        self, gram: ActiveGram, part: PairMachine, sigmoid: Sigmoid, n_scores: int
    ) -> None:
        K, coef = gram.matrix, gram.net(part.coef, part.centers)
        decision = np.take(K, part.centers, axis=1) @ coef + part.dual.intercept
        self.probability = sigmoid(decision)
        self.factor = -sigmoid.A * self.probability * (1.0 - self.probability)
        alpha, bounds = part.dual.alpha, part.dual.bounds
        inside = (alpha > 0.0) & (alpha < bounds)
        self.free = part.rows[inside]
        m = len(self.free)
        K_free = np.take(K, self.free, axis=1)
        system = np.zeros((m + 1, m + 1))
        system[:m, :m] = K_free[self.free]
        squared_hinge = bool(np.isinf(bounds[inside]).all())
        if squared_hinge:  # K + diag(1/C)
            system[np.arange(m), np.arange(m)] += 1.0 / part.bounds[inside]
        # A border of the kernel's size, and ∂b in its units: the condition is then that of the kernel.
        unit = float(np.abs(np.diagonal(system)).max()) or 1.0
        system[:m, m] = system[m, :m] = unit
        self.solve, regular = _solver(system)
        self.moving = np.arange(len(K))
        if regular and not squared_hinge:  # free support vectors stay on the margin: that is (31)
            self.moving = np.delete(self.moving, self.free)
        self.outputs = np.column_stack([K_free[self.moving], np.full(len(self.moving), unit)])
        self.gain: FloatArray | None = None
        if n_scores > len(K):  # [K_F 1] S⁻¹ once, not S⁻¹ for every feature; S is symmetric
            self.gain = np.ascontiguousarray(self.solve(self.outputs.T)[:m].T)

    def slopes(self, fixed: FloatArray) -> FloatArray:
        """Return ∂p̂ of the samples from ∂f with c and b fixed: the machine gives way, eq. (31)."""
        m = len(self.free)
        if m == 0:
            return self.factor[:, None] * fixed
        if self.gain is not None:
            moved = product(self.gain, fixed[self.free])
        else:
            right = np.zeros((m + 1, fixed.shape[1]))
            right[:m] = fixed[self.free]
            moved = product(self.outputs, self.solve(right))
        np.subtract(fixed[self.moving], moved, out=moved)
        moved *= self.factor[self.moving, None]
        if len(moved) == len(fixed):
            return moved
        slopes = np.zeros_like(fixed)
        slopes[self.moving] = moved
        return slopes


def _total_change(slopes: list[FloatArray], coupled: FloatArray | None) -> FloatArray:
    """Return |∂p̂|, or ``½ Σ_c |∂p_c|`` of the coupled probabilities, samples × scores."""
    if coupled is None:
        return np.abs(slopes[0])
    total = np.zeros_like(slopes[0])
    for of_class in np.moveaxis(coupled, 1, 0):  # ∂p_c/∂r, samples × pairs
        change = np.zeros_like(total)
        for slope, of_pair in zip(slopes, of_class.T, strict=True):
            change += of_pair[:, None] * slope
        total += 0.5 * np.abs(change)
    return total


def _solver(system: FloatArray) -> tuple[Callable[[FloatArray], FloatArray], bool]:
    """Return a function that solves the system, and whether the system is regular.

    If it is singular to working precision, the function returns the minimum-norm solution.
    """
    factors, pivots, info = lapack.dgetrf(system)
    if info == 0:
        norm = np.abs(system).sum(axis=0).max()
        rcond, _ = lapack.dgecon(factors, norm)
        if rcond > _SINGULAR:
            return lambda right: lapack.dgetrs(factors, pivots, right)[0], True
    inverse = np.linalg.pinv(system, rcond=_SINGULAR, hermitian=True)
    return lambda right: inverse @ right, False
