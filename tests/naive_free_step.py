"""The step over the free variables from its definition: one dense system after the other."""

import numpy as np


def free_step(K, s, p, C, a):
    """Return where an active set method on the variables 0 < a_t < C_t gets, all others held.

    Solve ``[K_FF 1; 1' 0] [e; b] = [F; 0]``, go to the first bound on the way, leave that variable there
    and begin again, until nothing is in the way.
    """
    n = len(K)
    a = a.copy()
    free = [t for t in range(len(a)) if 0.0 < a[t] < C[t]]
    while len(free) > 1:
        rows = [t % n for t in free]
        m = len(rows)
        system = np.zeros((m + 1, m + 1))
        system[:m, :m] = K[np.ix_(rows, rows)]
        system[:m, m] = system[m, :m] = 1.0
        right = np.zeros(m + 1)
        for k, t in enumerate(free):
            right[k] = -s[t] * (
                p[t] + sum(s[t] * s[v] * K[t % n, v % n] * a[v] for v in range(len(a)))
            )
        e = np.linalg.solve(system, right)[:m]
        length, first = 1.0, None
        for k, t in enumerate(free):
            change = s[t] * e[k]
            room = np.inf
            if change > 0:
                room = (C[t] - a[t]) / change
            if change < 0:
                room = -a[t] / change
            if room < length:
                length, first = room, t
        for k, t in enumerate(free):
            a[t] += length * s[t] * e[k]
        if first is None:
            break
        a[first] = C[first] if a[first] > 0.5 * C[first] else 0.0
        free.remove(first)
    return a


def objective(K, s, p, a):
    """``½ a'Qa + p'a``."""
    c = np.zeros(len(K))
    for t in range(len(s)):
        c[t % len(K)] += s[t] * a[t]
    return 0.5 * c @ K @ c + p @ a
