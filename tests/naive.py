"""The slow, obvious twin of every formula: loops over scalars, nothing shared with the engine.

Only the kernels' parameters and the expansions' attributes are read from the engine's objects.
"""

from __future__ import annotations

from itertools import combinations
from math import exp, expm1, log1p

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.metrics import get_scorer
from sklearn.svm import SVC, SVR

from svmsieve.engine.kernels.kernel import RBF, Linear


def dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X, dtype=float)


# Kernels -------------------------------------------------------------------------------------


def kernel_value(kernel, x, z):
    """K(x, z) of one pair."""
    if isinstance(kernel, RBF):
        return exp(-kernel.gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
    product = sum(a * b for a, b in zip(x, z, strict=True))
    if isinstance(kernel, Linear):
        return product
    return (kernel.gamma * product + kernel.coef0) ** kernel.degree


def gram(kernel, X, Z):
    """The kernel matrix, pair by pair."""
    return np.array([[kernel_value(kernel, x, z) for z in dense(Z)] for x in dense(X)])


def gram_without(kernel, X, features):
    """The kernel matrix of the samples after deleting columns."""
    rest = np.delete(dense(X), features, axis=1)
    return gram(kernel, rest, rest)


# Machines ------------------------------------------------------------------------------------


def quadratic_form(K, c):
    return sum(c[k] * c[l] * K[k, l] for k in range(len(c)) for l in range(len(c)))


def svc_dual(K, y, alpha):
    """``½ Σ α_k α_l y_k y_l K_kl − Σ α_k``, minimised by the hinge machine."""
    return 0.5 * quadratic_form(K, y * alpha) - sum(alpha)


def svr_dual(K, y, epsilon, alpha, alpha_star):
    """``½ Σ c_k c_l K_kl + ε Σ (α_k + α*_k) − Σ y_k c_k`` with c = α − α*."""
    c = alpha - alpha_star
    value = 0.5 * quadratic_form(K, c)
    for k in range(len(y)):
        value += epsilon * (alpha[k] + alpha_star[k]) - y[k] * c[k]
    return value


def sphere_dual(K, beta):
    """``Σ β_k K_kk − Σ β_k β_l K_kl``, maximised by the enclosing sphere."""
    return sum(beta[k] * K[k, k] for k in range(len(beta))) - quadratic_form(K, beta)


def sphere_by_slsqp(K):
    """The enclosing sphere's R² by a generic solver, for a few samples."""
    n = len(K)
    result = minimize(
        lambda beta: beta @ K @ beta - beta @ K.diagonal(),
        np.full(n, 1.0 / n),
        jac=lambda beta: 2.0 * K @ beta - K.diagonal(),
        bounds=[(0.0, 1.0)] * n,
        constraints={"type": "eq", "fun": lambda beta: beta.sum() - 1.0},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return -result.fun


def squared_hinge_primal(K, y, C, c, b):
    """``½ c'Kc + ½ Σ C_i max(0, 1 − y_i f_i)²``."""
    value = 0.5 * quadratic_form(K, c)
    for i in range(len(y)):
        f = sum(c[k] * K[k, i] for k in range(len(c))) + b
        value += 0.5 * C[i] * max(0.0, 1.0 - y[i] * f) ** 2
    return value


def squared_hinge_dual(K, y, C, alpha):
    """``Σ α_i − ½ Σ α_k α_l y_k y_l (K_kl + δ_kl/C_k)``, maximised."""
    value = -0.5 * quadratic_form(K, y * alpha)
    for i in range(len(y)):
        value += alpha[i] - 0.5 * alpha[i] ** 2 / C[i]
    return value


def squared_hinge_violation(K, y, C, c, b):
    """Largest violation of ``α_i/C_i = max(0, 1 − y_i f_i)``, ``Σ c_i = 0`` and ``α_i ≥ 0``.

    The first in units of f, the others relative to Σ|c|.
    """
    size = sum(abs(c))
    worst = abs(sum(c)) / size
    for i in range(len(y)):
        f = sum(c[k] * K[k, i] for k in range(len(c))) + b
        alpha = y[i] * c[i]
        worst = max(worst, abs(alpha / C[i] - max(0.0, 1.0 - y[i] * f)), -alpha / size)
    return worst


def squared_hinge_by_lbfgs(K, y, C):
    """Minimum of the primal over f = Kc + b by a generic solver, for a few samples."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))  # K = root root', so ‖w‖² = v'v

    def objective(v_b):
        v, b = v_b[:-1], v_b[-1]
        slack = np.maximum(0.0, 1.0 - y * (root @ v + b))
        pull = -C * slack * y
        return 0.5 * v @ v + 0.5 * np.sum(C * slack**2), np.append(v + root.T @ pull, pull.sum())

    start = np.zeros(len(y) + 1)
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-10}
    result = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    return result.fun


# Expansions ----------------------------------------------------------------------------------


def decision_value(expansion, x):
    """f of one sample."""
    value = expansion.intercept
    for c, z in zip(expansion.coef, dense(expansion.centers), strict=True):
        value += c * kernel_value(expansion.kernel, x, z)
    return value


def decision_function(expansion, X):
    return np.array([decision_value(expansion, x) for x in dense(X)])


def response(expansion, X, feature, replacements):
    """f of each sample with one feature (or several) replaced in a copy of it."""
    changed = dense(X).copy()
    changed[:, feature] = replacements
    return decision_function(expansion, changed)


def gradient(expansion, x, feature, step=1e-5):
    """∂f/∂x_i by central differences."""
    up, down = np.array(x, dtype=float), np.array(x, dtype=float)
    up[feature] += step
    down[feature] -= step
    return (decision_value(expansion, up) - decision_value(expansion, down)) / (2.0 * step)


def scaling_gradient(expansion, x, feature, step=1e-5):
    """∂f/∂v_i, the feature of sample and centres scaled by v_i, by central differences."""
    values = []
    for v in (1.0 + step, 1.0 - step):
        centers, sample = dense(expansion.centers).copy(), np.array(x, dtype=float)
        centers[:, feature] *= v
        sample[feature] *= v
        value = expansion.intercept
        for c, z in zip(expansion.coef, centers, strict=True):
            value += c * kernel_value(expansion.kernel, sample, z)
        values.append(value)
    return (values[0] - values[1]) / (2.0 * step)


def vote(decision_values, n_classes):
    """One-against-one: a value of at least 0 votes for the second class; ties go to the first."""
    winners = []
    for row in decision_values:
        votes = [0] * n_classes
        for value, (first, second) in zip(row, combinations(range(n_classes), 2), strict=True):
            votes[second if value >= 0.0 else first] += 1
        winners.append(votes.index(max(votes)))
    return np.array(winners)


# Pair sums -----------------------------------------------------------------------------------


def weights_matrix(W):
    return np.outer(W, W) if np.ndim(W) == 1 else np.asarray(W)


def removed_sum(kernel, W, Z, features):
    """``Σ_kl W_kl K⁽ⁱ⁾_kl`` after deleting the columns."""
    W, K = weights_matrix(W), gram_without(kernel, Z, features)
    return sum(W[k, l] * K[k, l] for k in range(len(K)) for l in range(len(K)))


def removal_change(kernel, W, Z, features):
    """``Σ_kl W_kl (K⁽ⁱ⁾_kl − K_kl)`` and the sum of its terms' absolute values."""
    W, Z, rest = weights_matrix(W), dense(Z), gram_without(kernel, Z, features)
    change = size = 0.0
    for k in range(len(Z)):
        for l in range(len(Z)):
            if isinstance(kernel, RBF):
                gap2 = sum((Z[k, features] - Z[l, features]) ** 2)
                term = -W[k, l] * rest[k, l] * expm1(-kernel.gamma * gap2)
            else:
                term = W[k, l] * (rest[k, l] - kernel_value(kernel, Z[k], Z[l]))
            change += term
            size += abs(term)
    return change, size


def slope_sum(kernel, W, Z, feature):
    """``Σ_kl W_kl ∂K_kl/∂v_i`` from the derivative of each kernel value."""
    W, Z = weights_matrix(W), dense(Z)
    total = 0.0
    for k in range(len(Z)):
        for l in range(len(Z)):
            own, other = Z[k, feature], Z[l, feature]
            if isinstance(kernel, RBF):
                value = kernel_value(kernel, Z[k], Z[l])
                derivative = -2.0 * kernel.gamma * (own - other) ** 2 * value
            elif isinstance(kernel, Linear):
                derivative = 2.0 * own * other
            else:
                inner = kernel.gamma * sum(Z[k] * Z[l]) + kernel.coef0
                outer = kernel.degree * inner ** (kernel.degree - 1)
                derivative = outer * 2.0 * kernel.gamma * own * other
            total += W[k, l] * derivative
    return total


def slope_sum_by_differences(kernel, W, Z, feature, step=1e-5):
    """The same by scaling the feature up and down."""
    W = weights_matrix(W)
    sums = []
    for v in (1.0 + step, 1.0 - step):
        scaled = dense(Z).copy()
        scaled[:, feature] *= v
        sums.append(float(np.sum(W * gram(kernel, scaled, scaled))))
    return (sums[0] - sums[1]) / (2.0 * step)


# Probabilities -------------------------------------------------------------------------------


def platt_loss(decision, y, A, B, weight=None):
    """Platt's weighted cross entropy to his targets; overflow-safe, term by term."""
    weight = np.ones(len(y)) if weight is None else weight
    n_positive = sum(w for w, label in zip(weight, y, strict=True) if label > 0)
    n_negative = sum(w for w, label in zip(weight, y, strict=True) if label <= 0)
    loss = 0.0
    for f, label, w in zip(decision, y, weight, strict=True):
        t = (n_positive + 1) / (n_positive + 2) if label > 0 else 1 / (n_negative + 2)
        v = A * f + B
        # −log p = log(1 + e^v),  −log(1 − p) = log(1 + e^−v)
        minus_log_p = v + log1p(exp(-v)) if v > 0 else log1p(exp(v))
        loss += w * (t * minus_log_p + (1 - t) * (minus_log_p - v))
    return loss


def couple(pairwise, n_classes):
    """Wu, Lin & Weng's second approach: solve the KKT system [Q 1; 1' 0] (p; λ) = (0; 1)."""
    rows = []
    for row in pairwise:
        r = np.zeros((n_classes, n_classes))  # r_ij = P(i | i or j)
        for value, (i, j) in zip(row, combinations(range(n_classes), 2), strict=True):
            r[j, i], r[i, j] = value, 1.0 - value
        system = np.zeros((n_classes + 1, n_classes + 1))
        for i in range(n_classes):
            for j in range(n_classes):
                if i != j:
                    system[i, i] += r[j, i] ** 2
                    system[i, j] = -r[j, i] * r[i, j]
        system[:-1, -1] = system[-1, :-1] = 1.0
        right = np.zeros(n_classes + 1)
        right[-1] = 1.0
        rows.append(np.linalg.solve(system, right)[:-1])
    return np.array(rows)


# Cross-validation ----------------------------------------------------------------------------


def out_of_fold_decisions(K, y, C, folds, tol=1e-9):
    """Decision values of scikit-learn's SVC trained on the slice of K without each fold."""
    C = np.broadcast_to(np.asarray(C, dtype=float), len(y))
    decisions = np.empty(len(y))
    for held_out in folds:
        train = np.setdiff1d(np.arange(len(y)), held_out)
        machine = SVC(kernel="precomputed", C=1.0, tol=tol)
        machine.fit(K[np.ix_(train, train)], y[train], sample_weight=C[train])
        decisions[held_out] = machine.decision_function(K[np.ix_(held_out, train)])
    return decisions


def sklearn_kernel(kernel):
    """The arguments by which scikit-learn's machines use the same kernel."""
    if isinstance(kernel, Linear):
        return {"kernel": "linear"}
    if isinstance(kernel, RBF):
        return {"kernel": "rbf", "gamma": kernel.gamma}
    parameters = {"gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    return {"kernel": "poly", **parameters}


def svc_fold_scores(X, y, kernels, C, folds, scoring, tol=1e-8, sample_weight=None, **options):
    """Fold scores of scikit-learn's SVC, shape (kernels, 1, C, folds)."""
    scorer, X, y = get_scorer(scoring), dense(X), np.asarray(y)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    scores = np.empty((len(kernels), 1, len(C), len(folds)))
    for g, kernel in enumerate(kernels):
        for c, value in enumerate(C):
            for f, held_out in enumerate(folds):
                train = np.setdiff1d(np.arange(len(y)), held_out)
                machine = SVC(C=value, tol=tol, **sklearn_kernel(kernel), **options)
                machine.fit(X[train], y[train], sample_weight=weight[train])
                judged = {} if sample_weight is None else {"sample_weight": weight[held_out]}
                scores[g, 0, c, f] = scorer(machine, X[held_out], y[held_out], **judged)
    return scores


def svr_fold_scores(X, y, kernels, C, epsilon, folds, scoring, tol=1e-8, sample_weight=None):
    """Fold scores of scikit-learn's SVR, shape (kernels, epsilon, C, folds)."""
    scorer, X, y = get_scorer(scoring), dense(X), np.asarray(y)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    scores = np.empty((len(kernels), len(epsilon), len(C), len(folds)))
    for g, kernel in enumerate(kernels):
        for e, tube in enumerate(epsilon):
            for c, value in enumerate(C):
                for f, held_out in enumerate(folds):
                    train = np.setdiff1d(np.arange(len(y)), held_out)
                    machine = SVR(C=value, epsilon=tube, tol=tol, **sklearn_kernel(kernel))
                    machine.fit(X[train], y[train], sample_weight=weight[train])
                    judged = {} if sample_weight is None else {"sample_weight": weight[held_out]}
                    scores[g, e, c, f] = scorer(machine, X[held_out], y[held_out], **judged)
    return scores
