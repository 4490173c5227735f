"""FSPP4: the derivative of the probabilities with respect to a scaling of the feature."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.linalg import lapack

from svmsieve.criteria.contract import CLASSIFICATION, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.gradients import gradient_blocks
from svmsieve.engine.platt import coupling_slopes
from svmsieve.engine.target import Classes
from svmsieve.engine.trained import Part

_SINGULAR = 1e-12


class FSPP4(Criterion):
    """Mean absolute derivative of Platt's probability with respect to a scaling of the feature.

    ``1/n Σ_j |∂p̂_j/∂v_i|`` with ∂p̂ = −A p̂(1 − p̂) ∂f and

        ∂f_j = [∂f_j]_{c,b fixed} + Σ_{k free} K_kj ∂c_k + ∂b                                   (28)
        [K_FF 1; 1' 0] (∂c; ∂b) = −([∂f_F]_{c,b fixed}; 0)                                      (31)

    over the free support vectors F; bounded ones stay, and so do A and B, as in the paper's
    experiments.  One factorisation serves all features.  Duplicate rows make (31) singular, which
    stopped the paper's computation; here the minimum-norm solution is taken.  More than two classes:
    ½ Σ_c |∂p_c| of the coupled probabilities.  O(m_F³ + n m d).
    """

    name: ClassVar[str] = "fspp4"
    tasks: ClassVar[frozenset[Task]] = CLASSIFICATION
    needs_probabilities: ClassVar[bool] = True
    paper: ClassVar[str] = "Shen et al. 2008, eq. (26)–(31)"

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean absolute derivatives."""
        assert fitted is not None
        pairwise, slopes = _pairwise_slopes(fitted, data)
        target = data.target
        assert isinstance(target, Classes)
        if target.task == "binary":
            return data.weights @ np.abs(slopes[..., 0])
        coupled = coupling_slopes(pairwise, len(target.classes))
        scores = np.zeros(data.n_scores)
        for of_class in np.moveaxis(coupled, 1, 0):  # ∂p_c/∂r, samples × pairs
            scores += 0.5 * (data.weights @ np.abs(np.einsum("jip,jp->ji", slopes, of_class)))
        return scores


def _pairwise_slopes(fitted: Fitted, data: Data) -> tuple[FloatArray, FloatArray]:
    """Return the pairs' probabilities (n, pairs) and their derivatives (n, scores, pairs)."""
    trained, K = fitted.trained, data.gram.matrix
    pairwise = np.empty((len(data.target), len(trained.parts)))
    slopes = np.empty((len(data.target), data.n_scores, len(trained.parts)))
    for index, (part, sigmoid) in enumerate(zip(trained.parts, fitted.sigmoids, strict=True)):
        p = sigmoid(K[:, part.centers] @ part.coef + part.dual.intercept)
        fixed = np.concatenate(
            [
                slope
                for _, slope in gradient_blocks(
                    trained.expansions[index],
                    data.X,
                    scaling=True,
                    base=data.gram.base[:, part.centers],
                    memory=data.memory,
                )
            ],
            axis=1,
        )
        fixed = data.sum_groups(fixed)
        moved = fixed + _adjustment(K, part, fixed)
        pairwise[:, index] = p
        slopes[:, :, index] = -sigmoid.A * (p * (1.0 - p))[:, None] * moved
    return pairwise, slopes


def _adjustment(K: FloatArray, part: Part, fixed: FloatArray) -> FloatArray:
    """Return ``Σ_{k free} K_kj ∂c_k + ∂b``: how the machine gives way to the scaling, eq. (31)."""
    alpha, bounds = part.dual.alpha, part.dual.bounds
    inside = (alpha > 0.0) & (alpha < bounds)
    free = part.rows[inside]
    m = len(free)
    if m == 0:
        return np.zeros_like(fixed)
    system = np.zeros((m + 1, m + 1))
    system[:m, :m] = K[np.ix_(free, free)]
    if np.isinf(bounds[inside]).all():  # squared hinge: K + diag(1/C)
        system[np.arange(m), np.arange(m)] += 1.0 / part.bounds[inside]
    system[:m, m] = system[m, :m] = 1.0
    right = np.zeros((m + 1, fixed.shape[1]))
    right[:m] = -fixed[free]
    solution = _solve_symmetric(system, right)
    return K[:, free] @ solution[:m] + solution[m]


def _solve_symmetric(system: FloatArray, right: FloatArray) -> FloatArray:
    """Solve; where the system is singular to working precision, return the minimum-norm solution."""
    factors, pivots, info = lapack.dgetrf(system)
    if info == 0:
        norm = np.abs(system).sum(axis=0).max()
        rcond, _ = lapack.dgecon(factors, norm)
        if rcond > _SINGULAR:
            solution, _ = lapack.dgetrs(factors, pivots, right)
            return solution
    return np.linalg.pinv(system, rcond=_SINGULAR, hermitian=True) @ right
