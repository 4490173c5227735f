"""MADELON's construction at any size (Guyon 2003)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from svmsieve.datasets.seeds import check_deviation, check_share, generator
from svmsieve.engine.arrays import FloatArray, IntArray, check_count

# fmt: off
MADELON_TRUE = (
    28, 48, 64, 105, 128, 153, 241, 281, 318, 336,
    338, 378, 433, 442, 451, 453, 455, 472, 475, 493,
)
# fmt: on
"""Columns of the original MADELON that are no probes, counted from 0."""


class Madelon(NamedTuple):
    """A problem of MADELON's kind.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    y : labels ±1
    kind : of each column: ``"informative"``, ``"redundant"``, ``"repeated"`` or ``"probe"``
    source : of each repeated column the column it repeats, of any other itself
    """

    X: FloatArray
    y: IntArray
    kind: NDArray[np.str_]
    source: IntArray


def make_madelon(
    n_samples: int = 2000,
    *,
    n_informative: int = 5,
    n_redundant: int = 5,
    n_repeated: int = 10,
    n_probes: int = 480,
    n_clusters_per_class: int | None = None,
    class_sep: float = 2.0,
    flip_y: float = 0.01,
    noise: float = 0.1,
    random_state: Any = None,
) -> Madelon:
    """Make a problem as MADELON was made: an XOR of clusters among thousands of probes.

    Gaussian clusters sit at vertices of a hypercube of side 2·class_sep in the informative features
    and are dealt to two classes at random, so that no feature says anything alone.  Redundant features
    are random linear combinations of them, repeated ones copies of either; probes are N(0, 1).  Every
    column that is no probe carries noise of its own, and the columns are in random order.

    Guyon (2003), *Design of experiments of the NIPS 2003 variable selection benchmark*.  The original's
    repeats correlate by 0.99, which is the noise of 0.1 here.  (scikit-learn's ``make_classification``
    is of the same kind, but where every vertex has a cluster it deals them by one feature, which then
    tells the classes alone.)  Cost O(n d).

    Parameters
    ----------
    n_samples : int, default=2000
        Number of samples, at least 2.
    n_informative : int, default=5
        Dimension of the hypercube.
    n_redundant, n_repeated, n_probes : int
        Numbers of the other columns.
    n_clusters_per_class : int or None, default=None
        None is half of the vertices, at most 16.
    class_sep : float, default=2.0
        Half the side of the hypercube.
    flip_y : float, default=0.01
        Share of the samples that get a random label.
    noise : float, default=0.1
        Standard deviation of the noise, in deviations of the column.
    random_state : int, Generator, RandomState or None (0), default=None
        Seed; None is 0.

    Returns
    -------
    Madelon
        X, y, and what each column is.

    Examples
    --------
    >>> problem = make_madelon(200, n_probes=30, random_state=0)
    >>> problem.X.shape, int((problem.kind != "probe").sum())
    ((200, 50), 20)
    """
    n = check_count(n_samples, "n_samples", 2)
    m = check_count(n_informative, "n_informative", 1)
    counts = {
        "informative": m,
        "redundant": check_count(n_redundant, "n_redundant", 0),
        "repeated": check_count(n_repeated, "n_repeated", 0),
        "probe": check_count(n_probes, "n_probes", 0),
    }
    if n_clusters_per_class is None:
        clusters = min(16, 2 ** (m - 1))
    else:
        clusters = check_count(n_clusters_per_class, "n_clusters_per_class", 1)
    if 2 * clusters > 2**m:
        raise ValueError(
            f"n_clusters_per_class must be at most {2 ** (m - 1)} for n_informative={m}, got "
            f"{clusters}."
        )
    noise = check_deviation(noise, "noise")
    flips = check_share(flip_y, "flip_y")
    rng = generator(random_state)
    informative, labels = _clusters(n, m, clusters, class_sep, rng)
    mixing = rng.uniform(-1.0, 1.0, (m, counts["redundant"]))
    originals = np.hstack([informative, informative @ mixing])
    repeated = rng.integers(0, originals.shape[1], counts["repeated"])
    useful = np.hstack([originals, originals[:, repeated]])
    useful += noise * useful.std(axis=0) * rng.normal(size=useful.shape)
    X = np.hstack([useful, rng.normal(size=(n, counts["probe"]))])
    y = np.where(rng.random(n) < flips, rng.choice([-1, 1], n), labels)
    kind = np.repeat(list(counts), list(counts.values()))
    source = np.arange(X.shape[1])
    source[kind == "repeated"] = repeated
    rows, columns = rng.permutation(n), rng.permutation(X.shape[1])
    place = np.argsort(columns)  # where each column went
    return Madelon(
        np.ascontiguousarray(X[np.ix_(rows, columns)]),
        y[rows],
        kind[columns],
        place[source[columns]],
    )


def _clusters(
    n: int, m: int, per_class: int, class_sep: float, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Draw samples of clusters at vertices of a hypercube, each of a covariance and a class of its own.

    Clusters are of equal size but for one sample, and the classes too.
    """
    n_clusters = 2 * per_class
    # the bits of distinct numbers are distinct vertices; more bits than a number has are free
    numbers = rng.choice(2 ** min(m, 62), n_clusters, replace=False)
    bits = (numbers[:, None] >> np.arange(min(m, 62))) & 1
    bits = np.hstack([bits, rng.integers(0, 2, (n_clusters, m - bits.shape[1]))])
    centers = class_sep * (2.0 * bits - 1.0)
    cluster = np.arange(n) % n_clusters
    X = rng.normal(size=(n, m))
    for k in range(n_clusters):
        X[cluster == k] = X[cluster == k] @ rng.uniform(-1.0, 1.0, (m, m)) + centers[k]
    return X, np.where(cluster % 2 == 0, -1, 1)
