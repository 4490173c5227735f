"""Rows of a data set as a study takes them: dealt into folds, turned into numbers, put on a scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from svmsieve.datasets import TableEncoder
from svmsieve.datasets.encoding import MISSING_LEVEL
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.inputs.scaling import Scale

SPREAD = " spread"
"""Ends the name of a measure that holds the spread of another one over the rows that judged it."""
RESAMPLES = 200


def bootstrap_spread(
    measure: Callable[[Any, Any], float], y: Any, predicted: Any, seed: int
) -> float:
    """Return the standard deviation of a measure over bootstrap samples of the rows, class by class.

    >>> y = np.repeat([0, 1], 50)
    >>> bootstrap_spread(lambda truth, guess: float((truth != guess).mean()), y, y, seed=0)
    0.0
    """
    rng = np.random.default_rng([seed, RESAMPLES])
    classes = [np.flatnonzero(y == label) for label in np.unique(y)]
    drawn = [
        np.concatenate([rng.choice(rows, len(rows)) for rows in classes]) for _ in range(RESAMPLES)
    ]
    return float(np.std([measure(y[rows], predicted[rows]) for rows in drawn], ddof=1))


def folds_of(y: Any, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Return each sample's fold: every class is dealt out in turn, so small classes may be in few folds."""
    order = np.concatenate([rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)])
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % n_folds
    return fold


def between(train: FloatArray, X: FloatArray) -> FloatArray:
    """Scale to [−1, 1] by the training rows, as LIBSVM's svm-scale does; a constant column becomes 0.

    >>> between(np.array([[0.0, 7.0], [4.0, 7.0]]), np.array([[1.0, 7.0]]))
    array([[-0.5,  0. ]])
    """
    lower, upper = train.min(axis=0), train.max(axis=0)
    half = 0.5 * (upper - lower)
    return (X - 0.5 * (lower + upper)) / np.where(half > 0.0, half, 1.0)


def standardised(train: FloatArray, X: FloatArray) -> FloatArray:
    """Standardise by the training rows."""
    return Scale.of(train).apply(X)


def numbers(X: Any, rows: Any, fitted_to: Any = None) -> FloatArray:
    """Return some rows as numbers, by what the training rows know: see :func:`encoded`."""
    fitted_to = rows if fitted_to is None else fitted_to
    if hasattr(X, "columns"):
        return encoded(X[fitted_to], X[rows])
    return np.where(np.isnan(X[rows]), np.nanmean(X[fitted_to], axis=0), X[rows])


def encoded(train: Any, X: Any) -> FloatArray:
    """Return the rows of a frame as numbers: true or false is one column, other categories are one-hot.

    A missing category is zero in all its columns, a missing number is the training rows' mean.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"bruises": ["t", "f", None], "odor": ["a", "l", "n"]})
    >>> encoded(frame, frame)
    array([[1., 1., 0., 0.],
           [0., 0., 1., 0.],
           [0., 0., 0., 1.]])
    """
    encoder = TableEncoder().fit(train)
    unwanted = {f"{name}={MISSING_LEVEL}" for name in encoder.levels_}
    for name, levels in encoder.levels_.items():
        if set(levels) - {MISSING_LEVEL} == {"f", "t"}:
            unwanted.add(f"{name}=f")
    kept = [name for name in encoder.feature_names_out_ if name not in unwanted]
    return encoder.transform(X)[kept].to_numpy()
