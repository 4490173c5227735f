"""Slow, obvious twins of the criteria: loops over samples, features and pairs of samples.

Nothing here comes from the package.  A trained machine is given by its coefficients; everything that a
criterion makes of them (kernel values, sums, derivatives, spheres, machines trained again) is computed
here from the definition.  ``groups`` is always a list of lists of columns, one list for each score.
"""

from __future__ import annotations

from itertools import combinations
from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls
from sklearn.svm import SVC

# Kernels and machines ------------------------------------------------------------------------


class Kernel(NamedTuple):
    """``exp(−γ‖x − z‖²)``, ``<x, z>`` or ``(γ<x, z> + r)^D``."""

    name: str
    gamma: float = 1.0
    degree: int = 1
    coef0: float = 0.0

    def __call__(self, x, z):
        if self.name == "rbf":
            return exp(-self.gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))
        product = sum(a * b for a, b in zip(x, z, strict=True))
        if self.name == "linear":
            return product
        return (self.gamma * product + self.coef0) ** self.degree

    def scaling_slope(self, x, z, columns):
        """∂K(v∘x, v∘z)/∂v at v = 1, one v for all the given columns."""
        if self.name == "rbf":
            gap = sum((x[i] - z[i]) ** 2 for i in columns)
            return -2.0 * self.gamma * gap * self(x, z)
        product = 2.0 * sum(x[i] * z[i] for i in columns)
        return product * self._outer_slope(x, z)

    def gradient(self, x, z, i):
        """∂K(x, z)/∂x_i."""
        if self.name == "rbf":
            return -2.0 * self.gamma * (x[i] - z[i]) * self(x, z)
        return z[i] * self._outer_slope(x, z)

    def _outer_slope(self, x, z):
        if self.name == "linear":
            return 1.0
        inner = self.gamma * sum(a * b for a, b in zip(x, z, strict=True)) + self.coef0
        return self.degree * inner ** (self.degree - 1) * self.gamma


class Machine(NamedTuple):
    """``f(x) = Σ_k coef_k K(x_rows[k], x) + intercept``, trained with labels y and bounds C."""

    rows: np.ndarray
    y: np.ndarray
    C: np.ndarray
    coef: np.ndarray
    intercept: float


def gram(kernel, X):
    X = np.asarray(X).tolist()
    return np.array([[kernel(x, z) for z in X] for x in X])


def slope_matrix(kernel, X, columns):
    X = np.asarray(X).tolist()
    return np.array([[kernel.scaling_slope(x, z, columns) for z in X] for x in X])


def scaled(X, columns, v):
    X = np.array(X, dtype=float)
    X[:, columns] *= v
    return X


def removed(X, columns):
    return np.delete(X, columns, axis=1)


def form(W, K):
    """``Σ_kl W_kl K_kl``."""
    return sum(W[k, l] * K[k, l] for k in range(len(K)) for l in range(len(K)))


def decision(kernel, X, machine, x):
    value = machine.intercept
    for row, c in zip(machine.rows, machine.coef, strict=True):
        if c != 0.0:
            value += c * kernel(X[row], x)
    return value


def singles(X):
    return [[i] for i in range(X.shape[1])]


# Filters -------------------------------------------------------------------------------------


def _mean(values):
    return sum(values) / len(values)


def _variance(values):
    middle = _mean(values)
    return sum((v - middle) ** 2 for v in values) / len(values)


def _one_against_rest(labels):
    """Label vectors ±1: one for two classes, else one for each class."""
    classes = sorted(set(labels))
    wanted = classes[1:] if len(classes) == 2 else classes
    return [[1.0 if label == c else -1.0 for label in labels] for c in wanted]


def _pearson(x, y):
    x_mean, y_mean = _mean(x), _mean(y)
    together = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return together / (len(x) * sqrt(_variance(x) * _variance(y)))


def correlation(X, y, groups, classes):
    targets = _one_against_rest(y) if classes else [list(y)]
    return [max(abs(_pearson(X[:, i], t)) for i in g for t in targets) for g in groups]


def _signal_to_noise(x, signs):
    parts = [[v for v, s in zip(x, signs, strict=True) if s == sign] for sign in (1.0, -1.0)]
    gap = abs(_mean(parts[0]) - _mean(parts[1]))
    return gap / (sqrt(_variance(parts[0])) + sqrt(_variance(parts[1])))


def s2n(X, y, groups):
    targets = _one_against_rest(y)
    return [max(_signal_to_noise(X[:, i], t) for i in g for t in targets) for g in groups]


def _f_score(x, y):
    between = within = 0.0
    for c in sorted(set(y)):
        own = [v for v, label in zip(x, y, strict=True) if label == c]
        between += (_mean(own) - _mean(x)) ** 2
        within += sum((v - _mean(own)) ** 2 for v in own) / (len(own) - 1)
    return between / within


def f_score(X, y, groups):
    return [max(_f_score(X[:, i], y) for i in g) for g in groups]


def hsic(kernel, X, L, groups):
    """``max(Tr(KHLH), max_l Tr(K⁽ˡ⁾HLH)) − Tr(K⁽ⁱ⁾HLH)``, the centring written out with matrices."""
    n = len(L)
    H = np.eye(n) - np.ones((n, n)) / n
    centred = H @ L @ H
    left = [form(centred, gram(kernel, removed(X, g))) for g in groups]
    most = max(*left, form(centred, gram(kernel, X)))
    return [most - value for value in left]


def forest(trees, in_bag, X, y, groups, orders, classes, weights):
    """Mean loss over the trees of the out-of-bag quality after permuting, at least 0.

    ``orders[t]`` permutes the out-of-bag samples of tree t.
    """

    def quality(tree, rows, samples):
        guess = tree.predict(samples.astype(np.float32))
        total = sum(weights[j] for j in rows)
        value = 0.0
        for j, g in zip(rows, guess, strict=True):
            value += weights[j] / total * (float(g == y[j]) if classes else -((g - y[j]) ** 2))
        return value

    losses = np.zeros(len(groups))
    for tree, sampled, order in zip(trees, in_bag, orders, strict=True):
        rows = [j for j in range(len(y)) if j not in set(sampled)]
        for index, columns in enumerate(groups):
            changed = X[rows].copy()
            changed[:, columns] = changed[order][:, columns]
            losses[index] += quality(tree, rows, X[rows]) - quality(tree, rows, changed)
    return np.maximum(losses / len(trees), 0.0)


# Norm, radius and span -----------------------------------------------------------------------


def weight(kernel, X, machines, groups):
    scores = np.zeros(len(groups))
    for machine in machines:
        W = np.outer(machine.coef, machine.coef)
        Z = X[machine.rows]
        whole = form(W, gram(kernel, Z))
        for index, g in enumerate(groups):
            scores[index] += abs(whole - form(W, gram(kernel, removed(Z, g))))
    return scores


def weight_gradient(kernel, X, machines, groups):
    scores = np.zeros(len(groups))
    for machine in machines:
        W = np.outer(machine.coef, machine.coef)
        for index, g in enumerate(groups):
            scores[index] += abs(form(W, slope_matrix(kernel, X[machine.rows], g)))
    return scores


def _lifted(kernel, Z, C):
    """The kernel of the squared-hinge machine, K + diag(1/C)."""
    return gram(kernel, Z) + np.diag(1.0 / np.asarray(C))


def sphere_value(K, beta):
    return sum(beta[k] * K[k, k] for k in range(len(K))) - form(np.outer(beta, beta), K)


def radius_margin(kernel, X, machines, betas, groups):
    """``R_i² |‖w‖² − ‖w_i‖²|``, α and β fixed."""
    scores = np.zeros(len(groups))
    for machine, beta in zip(machines, betas, strict=True):
        W = np.outer(machine.coef, machine.coef)
        Z = X[machine.rows]
        whole = form(W, gram(kernel, Z))
        for index, g in enumerate(groups):
            rest = removed(Z, g)
            radius2 = sphere_value(_lifted(kernel, rest, machine.C), beta)
            scores[index] += radius2 * abs(whole - form(W, gram(kernel, rest)))
    return scores


def radius_margin_gradient(kernel, X, machines, betas, groups):
    scores = np.zeros(len(groups))
    for machine, beta in zip(machines, betas, strict=True):
        W = np.outer(machine.coef, machine.coef)
        Z = X[machine.rows]
        K = _lifted(kernel, Z, machine.C)
        norm2, radius2 = form(W, K), sphere_value(K, beta)
        for index, g in enumerate(groups):
            slopes = slope_matrix(kernel, Z, g)
            scores[index] += abs(norm2 * sphere_value(slopes, beta) - radius2 * form(W, slopes))
    return scores


def squared_spans(K):
    """Squared distance of each mapped point from the affine span of the others."""
    m = len(K)
    spans = np.zeros(m)
    for p in range(m):
        rest = [k for k in range(m) if k != p]
        system = np.ones((m, m))
        system[-1, -1] = 0.0
        system[:-1, :-1] = K[np.ix_(rest, rest)]
        combination = np.linalg.solve(system, np.append(K[rest, p], 1.0))[:-1]
        spans[p] = K[p, p] + combination @ (K[np.ix_(rest, rest)] @ combination - 2.0 * K[rest, p])
    return spans


def span_estimate(kernel, Z, machine):
    """``Σ_p α_p S_p²`` over the support vectors."""
    support = np.flatnonzero(machine.coef)
    K = _lifted(kernel, Z[support], machine.C[support])
    return float(np.abs(machine.coef[support]) @ squared_spans(K))


def span(kernel, X, machines, groups):
    return [sum(span_estimate(kernel, removed(X[m.rows], g), m) for m in machines) for g in groups]


def span_gradient(kernel, X, machines, groups):
    """``|Σ_p S_p² ∂α_p + α_p ∂S_p²|`` from the two bordered systems, feature by feature."""
    scores = np.zeros(len(groups))
    for machine in machines:
        support = np.flatnonzero(machine.coef)
        m = len(support)
        Z, y = X[machine.rows][support], machine.y[support]
        alpha = y * machine.coef[support]
        K = _lifted(kernel, Z, machine.C[support])
        H, K_tilde = np.zeros((m + 1, m + 1)), np.zeros((m + 1, m + 1))
        H[:m, :m], H[:m, m], H[m, :m] = np.outer(y, y) * K, y, y
        K_tilde[:m, :m], K_tilde[:m, m], K_tilde[m, :m] = K, 1.0, 1.0
        inverse = np.linalg.inv(K_tilde)
        spans = 1.0 / inverse.diagonal()[:m]
        for index, g in enumerate(groups):
            slopes, slopes_y = np.zeros_like(H), np.zeros_like(H)
            slopes[:m, :m] = slope_matrix(kernel, Z, g)
            slopes_y[:m, :m] = np.outer(y, y) * slopes[:m, :m]
            moved = -np.linalg.inv(H) @ slopes_y @ np.append(alpha, machine.intercept)
            turned = spans**2 * (inverse @ slopes @ inverse).diagonal()[:m]
            scores[index] += abs(spans @ moved[:m] + alpha @ turned)
    return scores


# Machines trained here -----------------------------------------------------------------------


def train_hinge(K, y, C):
    """The hinge SVC: LIBSVM, which rounds the kernel to single precision, finds the first sets,
    linear systems the exact solution.  Returns α, b and the free samples.
    """
    y, C = np.asarray(y, dtype=float), np.full(len(y), 1.0) * C
    svc = SVC(C=1.0, kernel="precomputed", tol=1e-8).fit(K, y, sample_weight=C)
    guess = np.zeros(len(y))
    guess[svc.support_] = y[svc.support_] * svc.dual_coef_[0]
    at_bound = guess > C * (1.0 - 1e-6)
    free = (guess > 1e-6 * guess.max()) & ~at_bound
    for _ in range(100):
        alpha, b = _solve_free(K, y, C, free, at_bound)
        below, above = free & (alpha < 0.0), free & (alpha > C)
        if below.any() or above.any():
            free, at_bound = free & ~below & ~above, at_bound | above
            continue
        margin = y * (K @ (y * alpha) + b)
        wrong = ((alpha == 0.0) & (margin < 1.0 - 1e-9)) | (at_bound & (margin > 1.0 + 1e-9))
        if not wrong.any():
            return alpha, b, np.flatnonzero(free)
        free, at_bound = free | wrong, at_bound & ~wrong
    raise AssertionError("the oracle found no optimum")


def _solve_free(K, y, C, free, at_bound):
    """α and b with given samples at the bound, others free, the rest at zero."""
    alpha = np.where(at_bound, C, 0.0)
    F = np.flatnonzero(free)
    m = len(F)
    system, right = np.zeros((m + 1, m + 1)), np.zeros(m + 1)
    system[:m, :m] = np.outer(y[F], y[F]) * K[np.ix_(F, F)]
    system[:m, m] = system[m, :m] = y[F]
    right[:m] = 1.0 - y[F] * (K[F] @ (y * alpha))
    right[m] = -(y @ alpha)
    solution = np.linalg.solve(system, right)
    alpha[F] = solution[:m]
    return alpha, solution[m]


def train_hard_margin(K, y):
    """The squared-hinge machine, K being K + diag(1/C) already.  Returns α, b, support vectors."""
    alpha, b, support = train_hinge(K, y, 1e9)
    assert alpha.max() < 1e8
    return alpha, b, support


def enclose(K):
    """The smallest sphere: min β'Kβ − Σβ_k K_kk, Σβ = 1, β ≥ 0, for a positive definite K.

    Non-negative least squares with a penalty for the sum finds the support, a linear system the
    exact solution, which is checked.
    """
    n = len(K)
    L = np.linalg.cholesky(K)
    penalty = 1e4 * sqrt(K.max())
    A = np.vstack([L.T, np.full(n, penalty)])
    guess, _ = nnls(A, np.append(np.linalg.solve(L, 0.5 * K.diagonal()), penalty))
    support = np.flatnonzero(guess > 1e-7)
    m = len(support)
    system = np.ones((m + 1, m + 1))
    system[:m, :m], system[m, m] = 2.0 * K[np.ix_(support, support)], 0.0
    beta = np.zeros(n)
    beta[support] = np.linalg.solve(system, np.append(K.diagonal()[support], 1.0))[:m]
    value = sphere_value(K, beta)
    assert (beta >= 0.0).all()
    distances = K.diagonal() - 2.0 * K @ beta + beta @ K @ beta
    assert (distances <= value * (1.0 + 1e-6)).all()
    return beta, value


def weight_retrained(kernel, X, machines, groups):
    """``‖w‖² + 2 Σ C_i ξ_i`` of the hinge machine without the columns."""
    scores = np.zeros(len(groups))
    for machine in machines:
        for index, g in enumerate(groups):
            K = gram(kernel, removed(X[machine.rows], g))
            alpha, b, _ = train_hinge(K, machine.y, machine.C)
            c = machine.y * alpha
            slack = np.maximum(0.0, 1.0 - machine.y * (K @ c + b))
            scores[index] += form(np.outer(c, c), K) + 2.0 * machine.C @ slack
    return scores


def _retrained(kernel, X, machine, g):
    """Lifted kernel and α, b of the squared-hinge machine without the columns."""
    K = _lifted(kernel, removed(X[machine.rows], g), machine.C)
    alpha, b, _ = train_hard_margin(K, machine.y)
    return K, alpha, b


def weight_retrained_squared(kernel, X, machines, groups):
    """``‖w‖² + Σ C_i ξ_i²``, which is c'(K + diag(1/C))c because ξ_i = α_i/C_i."""
    scores = np.zeros(len(groups))
    for machine in machines:
        for index, g in enumerate(groups):
            K, alpha, _ = _retrained(kernel, X, machine, g)
            c = machine.y * alpha
            scores[index] += form(np.outer(c, c), K)
    return scores


def radius_margin_retrained(kernel, X, machines, groups):
    scores = np.zeros(len(groups))
    for machine in machines:
        for index, g in enumerate(groups):
            K, alpha, _ = _retrained(kernel, X, machine, g)
            c = machine.y * alpha
            scores[index] += form(np.outer(c, c), K) * enclose(K)[1]
    return scores


def span_retrained(kernel, X, machines, groups):
    scores = np.zeros(len(groups))
    for machine in machines:
        for index, g in enumerate(groups):
            K, alpha, _ = _retrained(kernel, X, machine, g)
            support = np.flatnonzero(alpha)
            scores[index] += alpha[support] @ squared_spans(K[np.ix_(support, support)])
    return scores


# Gradient of f at the support vectors --------------------------------------------------------


def sv_gradient(kernel, X, machines, groups, copies=None):
    """Share in the squared gradient, averaged over the support vectors of all machines."""
    shares, counts = [], []
    for machine in machines:
        for row in machine.rows[machine.coef != 0.0]:
            squares = []
            for i in range(X.shape[1]):
                slope = 0.0
                for k, c in zip(machine.rows, machine.coef, strict=True):
                    slope += c * kernel.gradient(X[row], X[k], i)
                squares.append(slope**2)
            shares.append([sum(squares[i] for i in g) / sum(squares) for g in groups])
            counts.append(1.0 if copies is None else copies[row])
    return np.average(shares, axis=0, weights=counts)


# Probabilities -------------------------------------------------------------------------------


def sigmoid(A, B, f):
    return 1.0 / (1.0 + exp(A * f + B))


def _coupling_system(r, n_classes):
    """Bordered system of min Σ_{i≠j} (r_ji p_i − r_ij p_j)², Σp = 1; r_ji: j beats i."""
    system = np.zeros((n_classes + 1, n_classes + 1))
    for (i, j), second in zip(combinations(range(n_classes), 2), r, strict=True):
        system[i, i] += second**2
        system[j, j] += (1.0 - second) ** 2
        system[i, j] -= second * (1.0 - second)
        system[j, i] -= second * (1.0 - second)
    system[:-1, -1] = system[-1, :-1] = 1.0
    return system


def couple(r, n_classes):
    """Probabilities of the classes from those of the second class of each pair."""
    right = np.append(np.zeros(n_classes), 1.0)
    return np.linalg.solve(_coupling_system(r, n_classes), right)[:-1]


def couple_slope(r, slopes, n_classes):
    """Derivative of the coupled probabilities along given derivatives of the pairs'."""
    system = _coupling_system(r, n_classes)
    solution = np.linalg.solve(system, np.append(np.zeros(n_classes), 1.0))
    turned = np.zeros_like(system)
    for (i, j), p, dp in zip(combinations(range(n_classes), 2), r, slopes, strict=True):
        turned[i, i] += 2.0 * p * dp
        turned[j, j] -= 2.0 * (1.0 - p) * dp
        turned[i, j] -= (1.0 - 2.0 * p) * dp
        turned[j, i] -= (1.0 - 2.0 * p) * dp
    return -np.linalg.solve(system, turned @ solution)[:-1]


def class_probabilities(decisions, sigmoids, n_classes):
    r = [sigmoid(A, B, f) for f, (A, B) in zip(decisions, sigmoids, strict=True)]
    return np.array([1.0 - r[0], r[0]]) if n_classes == 2 else couple(r, n_classes)


def winner(decisions, n_classes):
    """1 for the class with the most votes, 0 for the others; equal ones share the 1."""
    votes = [0] * n_classes
    for (first, second), f in zip(combinations(range(n_classes), 2), decisions, strict=True):
        votes[second if f >= 0.0 else first] += 1
    return np.array([(v == max(votes)) / votes.count(max(votes)) for v in votes])


def every_lender(n):
    """Orders in which each sample meets each sample's value once: all take the value of one."""
    return [[lender] * n for lender in range(n)]


def permutations(n, count, seed):
    rng = np.random.default_rng(seed)
    return [rng.permutation(n) for _ in range(count)]


def _replaced(X, row, lender, columns):
    """One sample whose columns hold another sample's values, or zeros."""
    x = X[row].copy()
    for i in columns:
        x[i] = 0.0 if lender is None else X[lender, i]
    return x.tolist()


def fspp(kernel, X, runs, groups, orders, output):
    """Mean of ``½ Σ_c |p_c(x) − p_c(x₍ᵢ₎)|``; ``output`` makes p of the decision values.

    ``runs`` lists machines with the samples they are evaluated on; ``orders`` None replaces by zero.
    """
    rows_of_X = X.tolist()
    orders = [[None] * len(X)] if orders is None else orders
    scores = np.zeros(len(groups))
    for machines, rows in runs:
        for j in rows:
            before = output([decision(kernel, rows_of_X, m, rows_of_X[j]) for m in machines])
            for index, g in enumerate(groups):
                for order in orders:
                    x = _replaced(X, j, order[j], g)
                    after = output([decision(kernel, rows_of_X, m, x) for m in machines])
                    scores[index] += 0.5 * np.abs(after - before).sum()
    return scores / (len(X) * len(orders))


def fspp4(kernel, X, machines, sigmoids, n_classes, groups):
    """Mean of ``½ Σ_c |∂p_c/∂v_i|``: bounded α, A and B fixed, free α and b by the system (31)."""
    n = len(X)
    scores = np.zeros(len(groups))
    K = gram(kernel, X)
    for index, g in enumerate(groups):
        slopes_of_K = slope_matrix(kernel, X, g)
        pairwise, slopes = np.zeros((n, len(machines))), np.zeros((n, len(machines)))
        for pair, (machine, (A, B)) in enumerate(zip(machines, sigmoids, strict=True)):
            alpha = machine.y * machine.coef
            free = machine.rows[(alpha > 0.0) & (alpha < machine.C)]
            fixed = [float(slopes_of_K[j, machine.rows] @ machine.coef) for j in range(n)]
            system = np.ones((len(free) + 1, len(free) + 1))
            system[:-1, :-1], system[-1, -1] = K[np.ix_(free, free)], 0.0
            right = [-fixed[j] for j in free] + [0.0]
            moved = np.linalg.solve(system, right) if len(free) else np.zeros(1)
            for j in range(n):
                p = sigmoid(A, B, decision(kernel, X, machine, X[j]))
                change = fixed[j] + K[j, free] @ moved[:-1] + moved[-1]
                pairwise[j, pair] = p
                slopes[j, pair] = -A * p * (1.0 - p) * change
        for j in range(n):
            if n_classes == 2:
                scores[index] += abs(slopes[j, 0])
            else:
                scores[index] += 0.5 * sum(abs(couple_slope(pairwise[j], slopes[j], n_classes)))
    return scores / n


# Densities of a regression -------------------------------------------------------------------


def _divergence(density, shift, sigma, new_sigma):
    """KL of two densities of the same shape, equations (18) and (20) of Yang & Ong."""
    if density == "laplace":
        gap = abs(shift)
        ratio = sigma / new_sigma
        return log(new_sigma / sigma) - 1.0 + ratio * exp(-gap / sigma) + gap / new_sigma
    return (shift**2 + sigma**2) / (2.0 * new_sigma**2) + log(new_sigma / sigma) - 0.5


def _scale(density, residuals):
    if density == "laplace":
        return sum(abs(r) for r in residuals) / len(residuals)
    return sqrt(sum(r**2 for r in residuals) / len(residuals))


def sd(kernel, X, y, runs, groups, orders, density, symmetric=False):
    """Mean divergence between the densities before and after replacement."""
    rows_of_X = X.tolist()
    before = {}
    for (machine,), rows in runs:
        for j in rows:
            before[j] = decision(kernel, rows_of_X, machine, rows_of_X[j])
    sigma = _scale(density, [y[j] - before[j] for j in before])
    scores = []
    for g in groups:
        after = []
        for (machine,), rows in runs:
            for j in rows:
                for order in orders:
                    x = _replaced(X, j, order[j], g)
                    after.append((j, decision(kernel, rows_of_X, machine, x)))
        new_sigma = _scale(density, [y[j] - f for j, f in after])
        values = []
        for j, f in after:
            value = _divergence(density, f - before[j], sigma, new_sigma)
            if symmetric:
                back = _divergence(density, f - before[j], new_sigma, sigma)
                value = 0.5 * (value + back)
            values.append(value)
        scores.append(_mean(values))
    return scores


def left_out_error(X, Y, theta, unit_of, ridge, weights):
    """Mean squared error of kernel ridge regression on samples left out, each trained without anew."""
    n = len(X)
    K = np.empty((n, n))
    for j in range(n):
        for k in range(n):
            apart = sum(theta[unit_of[i]] * (X[j, i] - X[k, i]) ** 2 for i in range(X.shape[1]))
            K[j, k] = np.exp(-apart) + 1.0
    total = 0.0
    for j in range(n):
        rest = np.delete(np.arange(n), j)
        H = K[np.ix_(rest, rest)] + np.diag(ridge / weights[rest])
        predicted = K[j, rest] @ np.linalg.solve(H, Y[rest])
        total += weights[j] * np.sum((Y[j] - predicted) ** 2)
    return total / weights.sum()


def mean_shifts(X, Y, theta, unit_of, ridge, weights, orders):
    """Mean absolute shift of its answers when a unit's columns are those of another sample."""

    def kernel(x, z):
        return np.exp(-sum(theta[unit_of[i]] * (x[i] - z[i]) ** 2 for i in range(len(x))))

    n = len(X)
    H = np.array([[kernel(x, z) + 1.0 for z in X] for x in X]) + np.diag(ridge / weights)
    A = np.linalg.solve(H, Y)
    shifts = np.zeros(len(theta))
    share = sum(weights[j] * weights[order[j]] for order in orders for j in range(n))
    for unit in range(len(theta)):
        columns = np.flatnonzero(unit_of == unit)
        for order in orders:
            for j in range(n):
                moved = _replaced(X, j, order[j], columns)
                change = sum((kernel(moved, X[k]) - kernel(X[j], X[k])) * A[k] for k in range(n))
                shifts[unit] += weights[j] * weights[order[j]] / share * np.abs(change).sum()
    return shifts
