"""The minimum over the free variables of the quadratic programme of :mod:`svmsieve.engine.solvers.smo`.

SMO moves two variables at a time.  Where C is large and the kernel wide it takes thousands of steps to
balance a few dozen free variables, 0 < a_t < C_t, which a linear system balances at once.  With c = s∘a
and the other variables held, the programme is

    min_e  ½ e'K_FF e − F_F'e    subject to  1'e = 0

in the change e of c_F.  Its minimum is the step of a primal active set method (Nocedal & Wright 2006,
section 16.5; for the SVM Scheinberg 2006): the first variable to reach a bound on the way stays there, and
the others go on without it.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.runtime.compiled import compiled, inner

RIDGE = 1e-12  # of the trace: copies of a sample make K_FF singular


def steps_worth(n_free: int, n: int) -> int:
    """Steps of SMO on n samples that take about as long as a free step."""
    return n_free**3 // (50 * n)


def free_step(
    K: FloatArray,
    s: FloatArray,
    w: FloatArray,
    C: FloatArray,
    a: FloatArray,
    u: FloatArray,
    free: IntArray,
) -> bool:
    """Move the variables ``free`` to their minimum, or to the bounds on the way, and u with them, in place.

    The point stays feasible and the objective does not rise.  Costs m³/3 + mn for m free variables, and
    O(m²) for each bound on the way; past 11 + m/100 of them SMO is the better guide.  Returns False, and
    moves nothing, where there is no system to solve: K_FF is not positive, or fewer than two are free.
    """
    m = len(free)
    if m < 2:
        return False
    rows = free % len(K)
    K_rows = K.take(rows, axis=0)
    K_free = K_rows.take(rows, axis=1)
    ridged = K_free.copy()
    ridged.flat[:: m + 1] += RIDGE * K_free.trace()
    try:
        L = np.asarray(np.linalg.cholesky(ridged), dtype=np.float64)
    except np.linalg.LinAlgError:
        return False
    signs, bounds = s[free], C[free]
    F = -u[rows] - w[free]
    F -= F.mean()  # the sum does not change: only differences of F count
    start = signs * a[free]
    c = start.copy()
    lower = np.where(signs > 0.0, 0.0, -bounds)
    upper = np.where(signs > 0.0, bounds, 0.0)
    descend(K_free, L, F, c, lower, upper, np.empty((3 + min(m, 11 + m // 100), m)))
    a[free] = np.abs(c)
    u += (c - start) @ K_rows
    return True


@inner(fastmath={"contract", "reassoc", "nsz"})
def _dot(x: FloatArray, y: FloatArray) -> float:
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * y[k]
    return total


@inner(fastmath={"contract"})
def add_to(factor: float, x: FloatArray, y: FloatArray) -> None:
    """Add ``factor`` times x to y."""
    for k in range(x.shape[0]):
        y[k] += factor * x[k]


@inner()
def _solve(L: FloatArray, x: FloatArray) -> None:
    """Overwrite x by (LL')⁻¹x."""
    m = x.shape[0]
    for p in range(m):
        x[p] = (x[p] - _dot(L[p, :p], x[:p])) / L[p, p]
    for p in range(m - 1, -1, -1):
        x[p] /= L[p, p]
        add_to(-x[p], L[p, :p], x[:p])


@compiled()
def descend(
    K: FloatArray,
    L: FloatArray,
    F: FloatArray,
    c: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    work: FloatArray,
) -> None:
    """Move ``c``, where the slope is F, towards the minimum; F and the bounds that it meets change too.

    The direction is e = A⁻¹F, A = LL' = K + ridge, under the constraints b'e = 0: one for the sum, then one
    for each variable that has come to its bound.  A constraint takes the part qq' along A⁻¹b from A⁻¹, and
    the part along q from e.  The length is that of an exact line search with K itself, cut at the box.
    The rows of ``work`` are e, b, Ke and all q.
    """
    m = c.shape[0]
    e = work[0]
    b = work[1]
    bend = work[2]
    for p in range(m):
        e[p] = F[p]
        b[p] = 1.0
    _solve(L, e)
    for k in range(3, work.shape[0]):
        q = work[k]
        for p in range(m):
            q[p] = b[p]
        _solve(L, q)
        for j in range(3, k):
            add_to(-_dot(work[j], b), work[j], q)
        norm = _dot(b, q)
        if not norm > 0.0:
            break
        add_to(-_dot(b, e) / norm, q, e)
        rest = 0.0
        n_inside = 0
        for p in range(m):
            q[p] /= np.sqrt(norm)
            if lower[p] < upper[p]:
                rest += e[p]
                n_inside += 1
        rest /= max(n_inside, 1)  # zero but for rounding

        slope = 0.0
        length = np.inf
        first = 0
        for p in range(m):
            e[p] = e[p] - rest if lower[p] < upper[p] else 0.0
            slope += e[p] * F[p]
            if e[p] != 0.0:
                room = ((upper[p] if e[p] > 0.0 else lower[p]) - c[p]) / e[p]
                if room < length:
                    length = room
                    first = p
        if not slope > 0.0:
            break
        for p in range(m):
            bend[p] = _dot(K[p], e)
        curvature = _dot(bend, e)
        inside = curvature * length > slope
        if inside:
            length = slope / curvature
        for p in range(m):
            F[p] -= length * bend[p]
            c[p] = min(max(c[p] + length * e[p], lower[p]), upper[p])
            b[p] = 0.0
        if inside:
            break
        c[first] = upper[first] if e[first] > 0.0 else lower[first]
        lower[first] = c[first]
        upper[first] = c[first]
        b[first] = 1.0
