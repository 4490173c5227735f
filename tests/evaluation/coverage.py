"""Errors of folds drawn at random, and how often their interval covers the true error."""

from __future__ import annotations

import numpy as np

from svmsieve.evaluation import share_interval


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
