"""What a solved programme comes to: coefficients, objective, and the offset."""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.runtime.compiled import compiled, inner

_ROUNDING = 1e-14


@inner()
def _rarer_of_unequal(s: FloatArray, C: FloatArray) -> float:
    """Return the sign of fewer of the variables that may be positive; 0 if there is one sign or one bound."""
    plus = minus = 0
    lowest, highest = np.inf, 0.0
    for t in range(s.shape[0]):
        if C[t] > 0.0:
            lowest, highest = min(lowest, C[t]), max(highest, C[t])
            if s[t] > 0.0:
                plus += 1
            else:
                minus += 1
    if plus == 0 or minus == 0 or lowest == highest:
        return 0.0
    return 1.0 if plus < minus else -1.0


@compiled()
def conclude(
    a: FloatArray, s: FloatArray, w: FloatArray, C: FloatArray, u: FloatArray
) -> tuple[FloatArray, float, float]:
    """Put on its bound what rounding keeps off it; return coefficients, objective and offset.

    The offset is the multiplier of the constraint: F at the free variables, else the middle of its
    feasible interval.  A variable that counts as free by rounding alone would decide it, and does in LIBSVM:
    where the bounds of two classes of unequal weights add up to the same number but for rounding (weights
    that balance the classes), its machine is mostly at an end of the interval, and nearly all samples are of
    one class (six of seven random problems; in the middle otherwise).  No more may be promised than the
    machine of scikit-learn does there: the offset is the end at which they are of the rarer class.
    """
    n = u.shape[0]
    largest = 0.0
    for t in range(a.shape[0]):
        largest = max(largest, a[t])
    coef = np.zeros(n)
    objective = 0.0
    total = 0.0
    n_free = 0
    upper = -np.inf
    lower = np.inf
    for t in range(a.shape[0]):
        value = a[t]
        if value < _ROUNDING * largest:
            value = 0.0
        elif value > (1.0 - _ROUNDING) * C[t]:
            value = C[t]
        a[t] = value
        k = t % n
        f = -u[k] - w[t]
        coef[k] += s[t] * value
        objective += s[t] * value * (w[t] + 0.5 * u[k])  # p'a + ½ a'Qa: w is s∘p
        above = value > 0.0
        below = value < C[t]
        if above and below:
            total += f
            n_free += 1
        if below if s[t] > 0.0 else above:
            upper = max(upper, f)
        if above if s[t] > 0.0 else below:
            lower = min(lower, f)
    if n_free > 0:
        offset = total / n_free
    elif upper > -np.inf and lower < np.inf:
        offset = 0.5 * (upper + lower)
        rarer = _rarer_of_unequal(s, C) if a.shape[0] == n else 0.0
        if rarer != 0.0:
            offset = max(upper, lower) if rarer > 0.0 else min(upper, lower)
    elif upper > -np.inf:
        offset = upper
    else:
        offset = lower if lower < np.inf else 0.0
    return coef, objective, offset
