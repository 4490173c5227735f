"""Scores of folds drawn at random, and how often their interval covers the true value."""

from __future__ import annotations

import numpy as np

from svmsieve.evaluation import fold_interval, share_interval


def _beta(rng, mean, variance):
    """Shares with this mean and, as far as shares can have it, this variance; no variance: the mean."""
    inside = mean * (1.0 - mean)
    known = inside / np.clip(variance, 1e-9 * inside, 0.9 * inside) - 1.0
    return np.clip(rng.beta(mean * known, (1.0 - mean) * known), 1e-6, 1.0 - 1e-6)


def drawn_errors(n, folds, error, trials, seed, shared=1.0, own=0.0):
    """Return the errors of each fold, shape (trials, folds), and the folds' samples.

    Training sets overlap, so that all machines of a data set are a little better or worse together:
    the data set's error varies by ``shared`` times the variance of n independent errors, that of each
    fold's machine by ``own`` times the variance of the fold's errors.
    """
    rng = np.random.default_rng(seed)
    samples = np.full(folds, n // folds) + (np.arange(folds) < n % folds)
    whole = np.full((trials, 1), error)
    whole = _beta(rng, whole, shared * whole * (1.0 - whole) / n)
    each = _beta(rng, np.tile(whole, folds), own * whole * (1.0 - whole) / samples)
    return rng.binomial(samples, each), samples


def coverage(errors, samples, truth):
    """Share of the data sets whose interval covers the truth."""
    ratio = 1.0 / (len(samples) - 1)
    limits = np.array([share_interval(each / samples, ratio, samples.mean()) for each in errors])
    return np.mean((limits[:, 0] <= truth) & (truth <= limits[:, 1]))


NOISES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3.0),
    "lognormal": lambda rng, size: (
        (rng.lognormal(size=size) - np.exp(0.5)) / np.sqrt(np.exp(2.0) - np.exp(1.0))
    ),
}
"""Noise of mean 0 and variance 1: light tails, squares without a variance, a skewed one."""


def drawn_losses(n, folds, noise, trials, seed):
    """Return the mean squared errors of the folds of a known machine, and their expected value."""
    errors = NOISES[noise](np.random.default_rng(seed), (trials, folds, n // folds))
    return np.mean(errors**2, axis=2), 1.0


def grouped_errors(n_groups, folds, error, alike, trials, seed):
    """Return the errors of folds of whole groups of ten samples, shape (trials, folds), and the groups' size.

    ``alike`` is the correlation of two samples' errors within a group: with 1 all of a group err, or none.
    """
    rng = np.random.default_rng(seed)
    share = np.full((trials, folds, n_groups // folds), error)
    one_mind = rng.random(share.shape) < share
    share = one_mind if alike == 1.0 else _beta(rng, share, alike * share * (1.0 - share))
    return rng.binomial(10, share).mean(axis=2) / 10, 10.0


def covered(scores, measure, held_out, truth=None):
    """Share of the data sets, rows of scores, whose interval covers the truth; None: the mean of all."""
    scores = np.asarray(scores)
    ratio = 1.0 / (scores.shape[1] - 1)
    limits = np.array([fold_interval(each, ratio, measure, held_out) for each in scores])
    told = limits[np.isfinite(limits).all(axis=1)]
    truth = scores.mean() if truth is None else truth
    return np.mean((told[:, 0] <= truth) & (truth <= told[:, 1])) if len(told) else np.nan
