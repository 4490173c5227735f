"""Data sets whose verdict is known, and what the verdict came to."""

from __future__ import annotations

import numpy as np
import pandas as pd

import svmsieve

FINDINGS = {"good", "all", "unstable", "costs", "undecided", "leak"}
"""Verdicts that take the features for a finding."""
KINDS = ("even classes", "few rows", "uneven classes", "three classes", "numbers")


def noise(kind, seed):
    """Return features that say nothing of the target."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    n = 36 if kind == "few rows" else 90
    X = pd.DataFrame(rng.normal(size=(n, 12)), columns=[f"f{i}" for i in range(12)])
    X["f3"] = (X["f3"] > 0.0) * 1.0
    if kind == "numbers":
        return X, rng.normal(size=n)
    shares = {"uneven classes": [0.85, 0.15], "three classes": [1 / 3] * 3}.get(kind, [0.5, 0.5])
    return X, np.array(["a", "b", "c"])[np.sort(rng.choice(len(shares), n, p=shares))]


def leaking(kind, seed):
    """Return the same with a feature that gives the target away, in one of several ways."""
    X, y = noise(kind, seed)
    rng = np.random.default_rng([seed, 99])
    if kind == "numbers":
        ways = [3.0 - 2.0 * y, np.exp(y), y + 0.03 * rng.normal(size=len(y)), y**2]
    else:
        code = np.unique(y, return_inverse=True)[1].astype(float)
        noisy = code + 0.1 * rng.normal(size=len(y))
        ways = [code, noisy, np.where(code == 0.0, np.nan, noisy), 5.0 - code**2]
    X["planted"] = ways[seed % len(ways)]
    return X, y


def informed(kind, seed, n=None):
    """Return the same where three features tell of the target; ``n`` new rows of that kind."""
    X, y = noise(kind, seed)
    if n is not None:
        rng = np.random.default_rng([seed, 7])
        X = pd.DataFrame(rng.normal(size=(n, 12)), columns=X.columns)
        y = rng.normal(size=n) if kind == "numbers" else rng.choice(np.unique(y), n)
    code = y if kind == "numbers" else np.unique(y, return_inverse=True)[1]
    for name, strength in (("f0", 1.8), ("f5", -1.4), ("f9", 1.0)):
        X[name] += strength * code
    return X, y


def verdict_of(X, y):
    """Return the study of a table."""
    task = "regression" if np.asarray(y).dtype.kind == "f" else "classification"
    frame = X.assign(target=y)
    return svmsieve.study(frame, "target", task=task, quick=True, quiet=True)


def count_noise(kind, seeds):
    """Return how often noise is called a finding."""
    kinds = [verdict_of(*noise(kind, seed)).content["verdict"]["kind"] for seed in seeds]
    return sum(each in FINDINGS for each in kinds)


def count_named(kind, seeds):
    """Return how often the planted feature is named as a leak, and nothing else is."""
    sentences = [verdict_of(*leaking(kind, seed)).verdict for seed in seeds]
    return sum(
        each.startswith("Check for a leak: 'planted' ") and ";" not in each for each in sentences
    )


def count_costly(kind, seeds):
    """Return how many selections do no harm on new rows, and how many of these are called costly."""
    harmless = called = 0
    for seed in seeds:
        X, y = informed(kind, seed)
        found = verdict_of(X, y)
        new, truth = informed(kind, seed, n=4000)
        sieve = found.sieve
        whole = sieve.at_size(X.shape[1], X, y)
        if sieve.score(new, truth) >= whole.score(new, truth) - 0.005:
            harmless += 1
            called += found.content["verdict"]["kind"] == "costs"
    return harmless, called
