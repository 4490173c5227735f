"""Problems whose classes follow a rule: the three MONKs and the LED display."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from svmsieve.datasets.seeds import check_share, generator
from svmsieve.engine.arrays import FloatArray, IntArray, check_count

MONK_LEVELS = (3, 3, 2, 3, 4, 2)
"""Number of values of each of the six attributes; they count from 1."""

_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)
"""Which of the seven segments (top, upper left, upper right, middle, lower left, lower right, bottom)
each digit lights."""


def monk_labels(problem: int, X: Any) -> IntArray:
    """Return the class (0 or 1) that a MONK rule gives to each row of attribute values."""
    a1, a2, _, a4, a5, _ = columns = np.asarray(X).T
    if problem == 1:
        inside = (a1 == a2) | (a5 == 1)
    elif problem == 2:
        inside = (columns == 1).sum(axis=0) == 2
    elif problem == 3:
        inside = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    else:
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}.")
    return inside.astype(np.intp)


def make_monk(
    problem: int,
    n_samples: int | None = None,
    *,
    noise: float = 0.0,
    random_state: Any = None,
) -> tuple[FloatArray, IntArray]:
    """Make one of the three MONK problems (Thrun et al. 1991).

    Six attributes with 3, 3, 2, 3, 4 and 2 values, hence 432 robots.  Class 1 is

    1. a_1 = a_2 or a_5 = 1;
    2. exactly two of the six attributes have their first value;
    3. (a_5 = 3 and a_4 = 1) or (a_5 ≠ 4 and a_2 ≠ 3).

    Parameters
    ----------
    problem : int
        Which problem: 1, 2 or 3.
    n_samples : int or None, default=None
        Robots drawn without repetition; None is all 432, in order.
    noise : float, default=0.0
        Share of the labels that are wrong (in the original problem 3: 0.05).
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    X : ndarray of float
        Array of shape (n_samples, 6).
    y : ndarray
        Labels 0 and 1.

    Examples
    --------
    >>> X, y = make_monk(1)
    >>> X.shape, y.mean().item()
    ((432, 6), 0.5)
    """
    X = np.array(list(product(*(range(1, levels + 1) for levels in MONK_LEVELS))), dtype=float)
    rng = generator(random_state)
    if n_samples is not None:
        n = check_count(n_samples, "n_samples", 2)
        if n > len(X):
            raise ValueError(f"n_samples must be at most {len(X)}, got {n}.")
        X = X[rng.choice(len(X), n, replace=False)]
    y = monk_labels(problem, X)
    wrong = rng.choice(len(y), round(check_share(noise, "noise") * len(y)), replace=False)
    y[wrong] = 1 - y[wrong]
    return X, y


def make_led24(
    n_samples: int = 100, *, n_noise: int = 17, flip: float = 0.1, random_state: Any = None
) -> tuple[FloatArray, IntArray]:
    """Make the LED-24 problem (Breiman et al. 1984): read a digit from a faulty display.

    Seven segments of a digit, each shown wrongly with probability ``flip``, and 17 random bits.
    Cost O(n d).

    Parameters
    ----------
    n_samples : int, default=100
        Number of samples, at least 2.
    n_noise : int, default=17
        Number of random bits.
    flip : float, default=0.1
        Probability that a segment is wrong.
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    X : ndarray of float
        Array of zeros and ones of shape (n_samples, 7 + n_noise); the first seven are relevant.
    y : ndarray
        Digits.

    Examples
    --------
    >>> X, y = make_led24(1000, flip=0.0, random_state=0)
    >>> X[y == 8, :7].min().item(), X.shape
    (1.0, (1000, 24))
    """
    n = check_count(n_samples, "n_samples", 2)
    d = check_count(n_noise, "n_noise", 0)
    rng = generator(random_state)
    digits = rng.integers(0, 10, n)
    shown = _SEGMENTS[digits] ^ (rng.random((n, 7)) < check_share(flip, "flip"))
    return np.hstack([shown, rng.integers(0, 2, (n, d))]).astype(float), digits
