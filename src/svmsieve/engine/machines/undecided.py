"""Machines whose intercept nothing decides.

Where every dual variable of a hinge machine is at its bound, ``y_i (g_i C + b) ≤ 1`` is all that is known of
the intercept b: an interval.  Its middle is as good as any, and is what LIBSVM takes where the bounds of both
classes add up to the same number.  With weights that balance the classes they do so but for rounding, which
keeps one variable off its bound by 1e-17, and b is then the end of the interval that this one's margin asks
for: nearly all samples are of one class.  No tuned point may promise what the machine fitted by it cannot do.
"""

from __future__ import annotations

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.pair_machines import FlatPairs

_ROUNDING = 1e-9


def to_the_end(
    K: FloatArray, pairs: FlatPairs, weights: FloatArray, grid: FloatArray
) -> FloatArray:
    """Return what takes an intercept from the middle to the end of its interval, shape (C, pairs).

    Zero where a variable is free, or where the bounds are equal and rounding has no say.  The end is that at
    which nearly all samples are of the rarer class.  O(n²) a pair.
    """
    steps = np.zeros((len(grid), len(pairs)))
    for pair in range(len(pairs)):
        own = pairs.entries(pair)
        counted = weights[pairs.rows[own]] > 0.0
        rows, s = pairs.rows[own][counted], pairs.signs[own][counted]
        w = weights[rows]
        if w.min() == w.max() or abs(s @ w) > _ROUNDING * w.sum():
            continue
        outputs = K[np.ix_(rows, rows)] @ (s * w)
        reach = outputs[s > 0.0].max() - outputs[s < 0.0].min()
        rarer = 1.0 if 2 * np.count_nonzero(s > 0.0) < len(s) else -1.0
        steps[:, pair] = rarer * np.maximum(0.0, 1.0 - 0.5 * grid * reach)
    return steps
