"""The artificial problems of Weston et al. (2001) and of Yang & Ong (2010)."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.datasets.seeds import check_deviation, generator
from svmsieve.engine.arrays import FloatArray, IntArray, check_count

_NOISE = np.sqrt(20.0)
"""Standard deviation of the noise features: N(0, 20) gives the variance."""


def _balanced(n: int, rng: np.random.Generator) -> IntArray:
    """Labels ±1, as many of one as of the other, in random order."""
    return rng.permutation(np.repeat([-1, 1], [n // 2, n - n // 2]))


def make_weston_linear(
    n_samples: int = 100, n_features: int = 202, *, random_state: Any = None
) -> tuple[FloatArray, IntArray]:
    """Make Weston's linear problem: six relevant and redundant features, the rest noise.

    y = ±1 equally often.  With probability 0.7, x_i = y·N(i, 1) for i = 1…3 and x_i = N(0, 1) for
    i = 4…6; otherwise x_i = N(0, 1) for i = 1…3 and x_i = y·N(i−3, 1) for i = 4…6.  The other features
    are N(0, 20).

    Weston, Mukherjee, Chapelle, Pontil, Poggio, Vapnik (2001), section 5; Rakotomamonjy (2003),
    section 4.2, uses 202 features.  Cost O(n d).

    Parameters
    ----------
    n_samples, n_features : int
        Number of samples and of columns; at least 2 and 6.
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    X : ndarray of float
        Array of shape (n_samples, n_features); the first six columns are relevant.
    y : ndarray
        Labels ±1.

    Examples
    --------
    >>> X, y = make_weston_linear(1000, random_state=0)
    >>> X.shape, int(y.sum())
    ((1000, 202), 0)
    >>> bool(abs((X[:, 2] * y).mean() - 0.7 * 3) < 0.2)
    True
    """
    n = check_count(n_samples, "n_samples", 2)
    d = check_count(n_features, "n_features", 6)
    rng = generator(random_state)
    y = _balanced(n, rng)
    X = rng.normal(0.0, 1.0, (n, 6))
    first = rng.random(n) < 0.7
    for i in range(3):
        X[first, i] += y[first] * (i + 1)
        X[~first, i + 3] += y[~first] * (i + 1)
    return np.hstack([X, rng.normal(0.0, _NOISE, (n, d - 6))]), y


def make_weston_nonlinear(
    n_samples: int = 100, n_features: int = 52, *, random_state: Any = None
) -> tuple[FloatArray, IntArray]:
    """Make Weston's nonlinear problem: two features that matter only together, the rest noise.

    y = ±1 equally often.  For y = −1, (x_1, x_2) is N(μ, I) with μ = (¾, 3) or (−¾, −3), equally
    likely; for y = 1, μ = (3, −3) or (−3, 3).  The other features are N(0, 20).

    Weston et al. (2001), section 5; Rakotomamonjy (2003) uses 52 features, Shen et al. (2008),
    section 5.1, ten.  Cost O(n d).

    Parameters
    ----------
    n_samples, n_features : int
        Number of samples and of columns; at least 2 each.
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    X : ndarray of float
        Array of shape (n_samples, n_features); the first two columns are relevant.
    y : ndarray
        Labels ±1.

    Examples
    --------
    >>> X, y = make_weston_nonlinear(1000, 10, random_state=0)
    >>> X.shape
    (1000, 10)
    >>> bool((X[y == 1, 0] * X[y == 1, 1]).mean() < 0 < (X[y == -1, 0] * X[y == -1, 1]).mean())
    True
    """
    n = check_count(n_samples, "n_samples", 2)
    d = check_count(n_features, "n_features", 2)
    rng = generator(random_state)
    y = _balanced(n, rng)
    side = rng.choice([-1.0, 1.0], n)
    centers = np.where((y == -1)[:, None], [0.75, 3.0], [-3.0, 3.0])
    X = side[:, None] * centers + rng.normal(size=(n, 2))
    return np.hstack([X, rng.normal(0.0, _NOISE, (n, d - 2))]), y


def make_yang(
    n_samples: int = 100, n_features: int = 10, *, noise: float = 0.1, random_state: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Make Yang & Ong's regression problem: five relevant features of falling weight.

    y = 0.1 exp(4 x_1) + 4 / (1 + exp(−20 (x_2 − 0.5))) + 3 x_3 + 2 x_4 + x_5 + N(0, noise²), every
    feature uniform on [0, 1]: Yang & Ong (2010), eq. (23).  Cost O(n d).

    Parameters
    ----------
    n_samples, n_features : int
        Number of samples and of columns; at least 2 and 5.
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    X : ndarray of float
        Array of shape (n_samples, n_features); the first five columns are relevant.
    y : ndarray
        Numbers.

    Examples
    --------
    >>> X, y = make_yang(3, noise=0.0, random_state=0)
    >>> X.shape, y.round(3).tolist()
    ((3, 10), [2.287, 5.983, 4.036])
    """
    n = check_count(n_samples, "n_samples", 2)
    d = check_count(n_features, "n_features", 5)
    noise = check_deviation(noise, "noise")
    rng = generator(random_state)
    X = rng.random((n, d))
    y = (
        0.1 * np.exp(4 * X[:, 0])
        + 4 / (1 + np.exp(-20 * (X[:, 1] - 0.5)))
        + 3 * X[:, 2]
        + 2 * X[:, 3]
        + X[:, 4]
        + rng.normal(0.0, noise, n)
    )
    return X, y
