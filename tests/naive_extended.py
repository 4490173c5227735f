"""The criteria once more, from their definitions, in extended precision: the judge of rounding.

``np.longdouble`` has three digits more than a double on x86, so that what is wrong by 1e-6 here is wrong by
1e-3 there, and whatever cancels is computed from differences that are exact.  A trained machine is given by
its coefficients, which are taken as they are.  Vectorised over pairs of samples, nothing shared with the
package; the kernels' parameters, the machines and the groups are those of :mod:`tests.naive_criteria`.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

LONG = np.longdouble
IS_LONGER = np.finfo(LONG).eps < 1e-18
"""Whether this platform's long double is any longer than a double."""


def long(values):
    return np.asarray(values, dtype=LONG)


def solve(A, B):
    """Gaussian elimination with pivoting, which no LAPACK does in this precision."""
    A, B = long(A).copy(), long(B).copy()
    flat = B.ndim == 1
    B = B[:, None] if flat else B
    for k in range(len(A)):
        pivot = k + int(np.abs(A[k:, k]).argmax())
        A[[k, pivot]], B[[k, pivot]] = A[[pivot, k]], B[[pivot, k]]
        factor = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= factor[:, None] * A[k]
        B[k + 1 :] -= factor[:, None] * B[k]
    for k in range(len(A) - 1, -1, -1):
        B[k] = (B[k] - A[k, k + 1 :] @ B[k + 1 :]) / A[k, k]
    return B[:, 0] if flat else B


# Kernels -------------------------------------------------------------------------------------


def _products(X, Z, columns):
    return long(X)[:, columns] @ long(Z)[:, columns].T


def _distances(X, Z, columns):
    X, Z = long(X)[:, columns], long(Z)[:, columns]
    return ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=-1)


def _all_but(X, gone=()):
    return [i for i in range(X.shape[1]) if i not in set(gone)]


def gram(kernel, X, Z, gone=()):
    """The kernel matrix without some columns."""
    columns = _all_but(X, gone)
    if kernel.name == "rbf":
        return np.exp(-long(kernel.gamma) * _distances(X, Z, columns))
    products = _products(X, Z, columns)
    if kernel.name == "linear":
        return products
    return (long(kernel.gamma) * products + long(kernel.coef0)) ** kernel.degree


def removal_matrix(kernel, X, gone):
    """``K⁽ᵍ⁾ − K`` of all pairs."""
    if kernel.name == "rbf":
        lost = np.expm1(-long(kernel.gamma) * _distances(X, X, gone))
        return -gram(kernel, X, X, gone) * lost
    return gram(kernel, X, X, gone) - gram(kernel, X, X)


def _outer_slope(kernel, X, Z):
    if kernel.name == "linear":
        return long(1.0)
    inner = long(kernel.gamma) * _products(X, Z, _all_but(X)) + long(kernel.coef0)
    return kernel.degree * inner ** (kernel.degree - 1) * long(kernel.gamma)


def slope_matrix(kernel, X, Z, columns):
    """∂K(v∘x, v∘z)/∂v at v = 1, one v for all the given columns."""
    if kernel.name == "rbf":
        return -2 * long(kernel.gamma) * _distances(X, Z, columns) * gram(kernel, X, Z)
    return 2 * _products(X, Z, columns) * _outer_slope(kernel, X, Z)


def net(X, machine):
    """The machine with the coefficients of equal samples added up at the first of them: 1 − 1 = 0."""
    _, first, which = np.unique(X[machine.rows], axis=0, return_index=True, return_inverse=True)
    coef = np.zeros(len(machine.rows), dtype=LONG)
    np.add.at(coef, first[np.ravel(which)], long(machine.coef))
    return machine._replace(coef=coef)


# Norm, dependence, radius and span -----------------------------------------------------------


def norm_change(kernel, Z, c, gone):
    """c'(K⁽ᵍ⁾ − K)c; of a linear kernel from w, where c'Kc cancels even in this precision."""
    if kernel.name == "linear":
        return -((c @ long(Z)[:, gone]) ** 2).sum()
    return c @ removal_matrix(kernel, Z, gone) @ c


def norm_slope(kernel, Z, c, columns):
    """c'∂K/∂v c, of a linear kernel from w."""
    if kernel.name == "linear":
        return 2 * ((c @ long(Z)[:, columns]) ** 2).sum()
    return c @ slope_matrix(kernel, Z, Z, columns) @ c


def weight(kernel, X, machines, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m in machines:
        c = net(X, m).coef
        for index, g in enumerate(groups):
            scores[index] += abs(norm_change(kernel, X[m.rows], c, g))
    return scores


def weight_gradient(kernel, X, machines, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m in machines:
        c, Z = net(X, m).coef, X[m.rows]
        for index, g in enumerate(groups):
            scores[index] += abs(norm_slope(kernel, Z, c, g))
    return scores


def hsic(kernel, X, L, groups):
    n = len(X)
    H = np.eye(n, dtype=LONG) - long(1.0) / n
    W = H @ long(L) @ H
    changes = [(W * removal_matrix(kernel, X, g)).sum() for g in groups]
    return max(0, *changes) - long(changes)


def target_kernel(y, classes):
    """1 for equal classes, or RBF whose width is the target's standard deviation."""
    if classes:
        return long(np.equal.outer(y, y).astype(float))
    y = long(y)
    return np.exp(-(np.subtract.outer(y, y) ** 2) / (2 * ((y - y.mean()) ** 2).mean()))


def _lifted(kernel, Z, C, gone=()):
    return gram(kernel, Z, Z, gone) + np.diag(1 / long(C))


def sphere_value(K, beta):
    return beta @ np.diagonal(K) - beta @ K @ beta


def radius_margin(kernel, X, machines, betas, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m, beta in zip(machines, betas, strict=True):
        c, Z = net(X, m).coef, X[m.rows]
        for index, g in enumerate(groups):
            radius2 = sphere_value(_lifted(kernel, Z, m.C, g), long(beta))
            scores[index] += radius2 * abs(norm_change(kernel, Z, c, g))
    return scores


def radius_margin_gradient(kernel, X, machines, betas, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m, beta in zip(machines, betas, strict=True):
        c, beta, Z = net(X, m).coef, long(beta), X[m.rows]
        K = _lifted(kernel, Z, m.C)
        norm2, radius2 = long(m.coef) @ K @ long(m.coef), sphere_value(K, beta)
        for index, g in enumerate(groups):
            of_radius = sphere_value(slope_matrix(kernel, Z, Z, g), beta)
            scores[index] += abs(norm2 * of_radius - radius2 * norm_slope(kernel, Z, c, g))
    return scores


def _bordered_solution(K, right):
    """The solution of [K 1; 1' 0] (x; λ) = (right; 0), without λ."""
    m = len(K)
    system = np.ones((m + 1, m + 1), dtype=LONG)
    system[:m, :m], system[m, m] = K, 0
    border = np.zeros((1, *np.shape(right)[1:]), dtype=LONG)
    return solve(system, np.concatenate([right, border]))[:m]


def _bordered_inverse(K):
    return _bordered_solution(K, np.eye(len(K), dtype=LONG))


def span_sum(K, alpha):
    """``Σ_p α_p / (K̃⁻¹)_pp`` of the support vectors; a lone one spans nothing."""
    if len(K) < 2:
        return long(0.0)
    return long(alpha) @ (1 / np.diagonal(_bordered_inverse(K)))


def span(kernel, X, machines, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m in machines:
        support = np.flatnonzero(m.y * m.coef > 0.0)  # not what rounding left below zero
        Z = X[m.rows][support]
        for index, g in enumerate(groups):
            K = _lifted(kernel, Z, m.C[support], g)
            scores[index] += span_sum(K, abs(m.coef[support]))
    return scores


def span_gradient(kernel, X, machines, groups):
    scores = np.zeros(len(groups), dtype=LONG)
    for m in machines:
        support = np.flatnonzero(m.y * m.coef > 0.0)  # not what rounding left below zero
        Z, c = X[m.rows][support], long(m.coef[support])
        K = _lifted(kernel, Z, m.C[support])
        spans = 1 / np.diagonal(_bordered_inverse(K))
        for index, g in enumerate(groups):
            slopes = slope_matrix(kernel, Z, Z, g)
            moved = -long(m.y[support]) * _bordered_solution(K, slopes @ c)
            turned = _bordered_solution(K, _bordered_solution(K, slopes).T)  # G ∂K G
            scores[index] += abs(spans @ moved + abs(c) @ (spans**2 * np.diagonal(turned)))
    return scores


# Gradients -----------------------------------------------------------------------------------


def _directions(kernel, X, coef):
    """∂f/∂x_i at the centres times a positive factor of each, which an RBF kernel needs: the distance
    to the nearest other centre is subtracted from all in the exponents.
    """
    X, coef = long(X), long(coef)
    if kernel.name != "rbf":
        return (_outer_slope(kernel, X, X) * np.ones((len(X), 1)) * coef) @ X
    D = _distances(X, X, _all_but(X))
    others = (D > 0) & (coef != 0)
    nearest = np.where(others, D, np.inf).min(axis=1, keepdims=True)
    K = np.where(others, np.exp(-long(kernel.gamma) * np.where(others, D - nearest, 0)), 0) * coef
    return np.einsum("jk,jki->ji", K, X[None] - X[:, None])


def sv_gradient(kernel, X, machines, groups):
    total, count = np.zeros(len(groups), dtype=LONG), 0
    for m in machines:
        support = m.coef != 0.0
        rows = m.rows[support]
        coef = net(X, m._replace(rows=rows, coef=m.coef[support])).coef
        squares = _directions(kernel, X[rows], coef) ** 2
        norms = squares.sum(axis=1)
        shares = squares[norms > 0] / norms[norms > 0, None]
        total += [shares[:, g].sum() for g in groups]
        count += len(rows)
    return total / count


# Probabilities -------------------------------------------------------------------------------


def decision(kernel, X, machine, samples):
    return gram(kernel, samples, X[machine.rows]) @ net(X, machine).coef + long(machine.intercept)


def sigmoid(A, B, f):
    v = long(A) * f + long(B)
    small = np.exp(-np.abs(v))
    return np.where(v >= 0, small, 1) / (1 + small)


def _coupled(r, n_classes):
    """Coupled probabilities of one sample and the bordered system they solve."""
    system = np.zeros((n_classes + 1, n_classes + 1), dtype=LONG)
    for (i, j), second in zip(combinations(range(n_classes), 2), r, strict=True):
        system[i, i] += second**2
        system[j, j] += (1 - second) ** 2
        system[i, j] -= second * (1 - second)
        system[j, i] -= second * (1 - second)
    system[:-1, -1] = system[-1, :-1] = 1
    right = np.zeros(n_classes + 1, dtype=LONG)
    right[-1] = 1
    return solve(system, right), system


def _bounded(r):
    """LIBSVM keeps pairwise probabilities away from 0 and 1."""
    return np.clip(r, long(1e-7), 1 - long(1e-7))


def probabilities(decisions, sigmoids, n_classes):
    r = [sigmoid(A, B, f) for f, (A, B) in zip(decisions, sigmoids, strict=True)]
    if n_classes == 2:
        return np.column_stack([1 - r[0], r[0]])
    rows = _bounded(np.column_stack(r))
    return long([_coupled(row, n_classes)[0][:-1] for row in rows])


def winners(decisions, n_classes):
    votes = np.zeros((len(decisions[0]), n_classes))
    for (first, second), f in zip(combinations(range(n_classes), 2), decisions, strict=True):
        votes[np.arange(len(f)), np.where(f >= 0, second, first)] += 1
    most = votes == votes.max(axis=1, keepdims=True)
    return most / most.sum(axis=1, keepdims=True)


def _replaced(X, order, columns):
    samples = long(X).copy()
    samples[:, columns] = 0 if order is None else samples[order][:, columns]
    return samples


def fspp(kernel, X, machines, groups, orders, output):
    """Mean of ``½ Σ_c |p_c(x) − p_c(x₍ᵢ₎)|``; ``output`` makes p of the decision values."""
    orders = [None] if orders is None else orders
    before = output([decision(kernel, X, m, X) for m in machines])
    scores = np.zeros(len(groups), dtype=LONG)
    for index, g in enumerate(groups):
        for order in orders:
            samples = _replaced(X, order, g)
            after = output([decision(kernel, X, m, samples) for m in machines])
            scores[index] += np.abs(after - before).sum() / 2
    return scores / (len(X) * len(orders))


def _independent(K, rows):
    """Samples among ``rows`` of whose images none is an affine combination of the others.

    They determine how f moves; of more, the coefficients could be chosen in many ways.
    """
    if len(rows) == 0:
        return rows
    first = rows[0]
    rest = K[np.ix_(rows, rows)] - K[rows, first] - K[first, rows][:, None] + K[first, first]
    size, chosen = np.diagonal(rest).max(), [first]
    for _ in range(len(rows) - 1):
        pivot = int(np.diagonal(rest).argmax())
        if not rest[pivot, pivot] > 1e-15 * size:
            break
        chosen.append(rows[pivot])
        rest = rest - np.outer(rest[:, pivot], rest[pivot]) / rest[pivot, pivot]
    return np.array(sorted(chosen))


def fspp4_fixed(kernel, X, machines, sigmoids, groups):
    """Mean of |∂p̂| with c and b fixed, added up over the machines: what fspp4's solution is taken off."""
    sizes = np.zeros(len(groups), dtype=LONG)
    for m, (A, B) in zip(machines, sigmoids, strict=True):
        p = sigmoid(A, B, decision(kernel, X, m, X))
        for index, g in enumerate(groups):
            fixed = slope_matrix(kernel, X, X[m.rows], g) @ net(X, m).coef
            sizes[index] += np.abs(long(A) * p * (1 - p) * fixed).mean()
    return sizes


def fspp4(kernel, X, machines, sigmoids, n_classes, groups):
    K = gram(kernel, X, X)
    scores = np.zeros(len(groups), dtype=LONG)
    pairwise = [
        sigmoid(A, B, decision(kernel, X, m, X))
        for m, (A, B) in zip(machines, sigmoids, strict=True)
    ]
    for index, g in enumerate(groups):
        slopes_of_K = slope_matrix(kernel, X, X, g)
        slopes = []
        for m, (A, _), p in zip(machines, sigmoids, pairwise, strict=True):
            alpha = m.y * m.coef
            inside = (alpha > 0.0) & (alpha < m.C)
            free = _independent(K, m.rows[inside])
            fixed = slopes_of_K[:, m.rows] @ net(X, m).coef
            system = np.ones((len(free) + 1, len(free) + 1), dtype=LONG)
            system[:-1, :-1], system[-1, -1] = K[np.ix_(free, free)], 0
            moved = solve(system, np.append(-fixed[free], long(0))) if len(free) else long([0])
            change = fixed + K[:, free] @ moved[:-1] + moved[-1]
            change[m.rows[inside]] = 0  # they stay on the margin: that is (31)
            slopes.append(-long(A) * p * (1 - p) * change)
        for j in range(len(X)):
            if n_classes == 2:
                scores[index] += abs(slopes[0][j])
                continue
            r = _bounded(long([p[j] for p in pairwise]))
            solution, system = _coupled(r, n_classes)
            turned = np.zeros_like(system)
            pairs = combinations(range(n_classes), 2)
            for (a, b), second, slope in zip(pairs, r, slopes, strict=True):
                turned[a, a] += 2 * second * slope[j]
                turned[b, b] -= 2 * (1 - second) * slope[j]
                turned[a, b] -= (1 - 2 * second) * slope[j]
                turned[b, a] -= (1 - 2 * second) * slope[j]
            scores[index] += np.abs(solve(system, turned @ solution)[:-1]).sum() / 2
    return scores / len(X)


# Densities of a regression -------------------------------------------------------------------


def _above_log(ratio_less_one):
    """``r − 1 − ln r``."""
    return ratio_less_one - np.log1p(ratio_less_one)


def _divergence(density, gap, size, new_size):
    """Yang & Ong's (18) and (20); the sizes are σ (Laplace) or σ² (Gauss)."""
    rest = _above_log((size - new_size) / new_size)
    if density == "laplace":
        return size / new_size * (np.expm1(-gap / size) + gap / size) + rest
    return (gap**2 / new_size + rest) / 2


def _size(density, residuals):
    return np.abs(residuals).mean() if density == "laplace" else (residuals**2).mean()


def sd(kernel, X, y, machine, groups, orders, density):
    before = decision(kernel, X, machine, X)
    size = _size(density, long(y) - before)
    scores = []
    for g in groups:
        after = [decision(kernel, X, machine, _replaced(X, order, g)) for order in orders]
        new_size = _size(density, np.concatenate([long(y) - f for f in after]))
        gaps = np.concatenate([np.abs(f - before) for f in after])
        scores.append(_divergence(density, gaps, size, new_size).mean())
    return long(scores)


# Filters -------------------------------------------------------------------------------------


def _one_against_rest(labels):
    classes = np.unique(labels)
    return [
        np.where(labels == c, 1.0, -1.0) for c in (classes[1:] if len(classes) == 2 else classes)
    ]


def correlation(X, y, groups, classes):
    X = long(X) - long(X).mean(axis=0)
    values = []
    for target in _one_against_rest(y) if classes else [y]:
        t = long(target) - long(target).mean()
        values.append(np.abs(t @ X) / np.sqrt((t @ t) * (X**2).sum(axis=0)))
    return long([max(v[g].max() for v in values) for g in groups])


def s2n(X, y, groups):
    X = long(X)
    values = []
    for t in _one_against_rest(y):
        own, rest = X[t > 0], X[t < 0]
        values.append(
            np.abs(own.mean(axis=0) - rest.mean(axis=0)) / (own.std(axis=0) + rest.std(axis=0))
        )
    return long([max(v[g].max() for v in values) for g in groups])


def f_score(X, y, groups):
    X = long(X)
    between = within = long(0.0)
    for c in np.unique(y):
        own = X[y == c]
        between = between + (own.mean(axis=0) - X.mean(axis=0)) ** 2
        within = within + own.var(axis=0, ddof=1)
    return long([(between / within)[g].max() for g in groups])


def _unit_columns(values):
    centred = long(values) - long(values).mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    return centred / np.where(length > 0, length, 1)


def _entries(X, y):
    """The penalty at which each column of unit length enters the lasso of y: the path, knot by knot."""
    n_columns = X.shape[1]
    w, entered = np.zeros(n_columns, dtype=LONG), {}
    penalty, active = np.abs(X.T @ y).max(), []
    joins = int(np.abs(X.T @ y).argmax())
    while True:
        if joins is not None:
            active.append(joins)
            entered.setdefault(joins, penalty)
        left = X.T @ (y - X @ w)
        step = np.zeros(n_columns, dtype=LONG)
        signs = np.sign(left[active])
        step[active] = solve(X[:, active].T @ X[:, active], signs[:, None])[:, 0]
        slope = X.T @ (X @ step)  # left falls by it as the penalty falls by one
        events = [(penalty, None, None)]
        for i in range(n_columns):
            if i in active:
                ratio = -w[i] / step[i] if step[i] != 0 else -1
                events += [(ratio, None, i)] if ratio > 1e-15 * penalty else []
            else:
                for sign in (1, -1):
                    ratio = (penalty - sign * left[i]) / (1 - sign * slope[i])
                    events += [(ratio, i, None)] if 1e-15 * penalty < ratio else []
        length, joins, leaves = min(events, key=lambda event: event[0])
        w, penalty = w + length * step, penalty - length
        if leaves is not None:
            active.remove(leaves)
            w[leaves] = 0
        if joins is None and leaves is None:
            return long([entered.get(i, 0) for i in range(n_columns)])


def lasso(X, y, groups, classes):
    targets = [y] if not classes else _one_against_rest(y)
    Z = _unit_columns(X)
    entries = [_entries(Z, _unit_columns(np.asarray(target)[:, None])[:, 0]) for target in targets]
    scores = np.max(entries, axis=0)
    return scores if groups is None else np.array([scores[group].max() for group in groups])
