"""Fitted selections to report on."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.evaluation import nested_evaluate


@cache
def classified():
    """A sieve on two classes, its samples and its nested evaluation; features have hostile names."""
    rng = np.random.default_rng(0)
    y = np.repeat(["sick", "well"], 30)
    names = ["<b>bold</b>", "</script>", "quote\"'", "plain", "twin of plain", "noise"]
    X = pd.DataFrame(rng.normal(size=(60, 6)), columns=names)
    X["plain"] += 2.0 * (y == "well")
    X["<b>bold</b>"] -= 1.5 * (y == "well")
    X["twin of plain"] = X["plain"] + 0.05 * rng.normal(size=60)
    sieve = SVMSieve(SVC(C=10.0), criterion="fspp2", cv=3).fit(X, y)
    return sieve, X, y, nested_evaluate(sieve, X, y, 3)


@cache
def regressed():
    """The same for numbers."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(50, 4)), columns=list("abcd"))
    y = np.sin(X["a"].to_numpy()) + 0.1 * rng.normal(size=50)
    sieve = SVMSieve(SVR(C=10.0), cv=3, n_features_to_select="best").fit(X, y)
    return sieve, X, y, nested_evaluate(sieve, X, y, 3)


@cache
def grouped():
    """Three classes, a category in one-hot columns."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 20)
    level = np.where(rng.random(60) < 0.8, y, rng.integers(0, 3, 60))
    X = pd.DataFrame({f"colour={name}": 1.0 * (level == i) for i, name in enumerate("rgb")})
    X["size"] = rng.normal(size=60) + y
    X["noise"] = rng.normal(size=60)
    groups = {name: name.split("=")[0] for name in X.columns}
    sieve = SVMSieve(SVC(C=10.0), groups=groups, cv=3, n_features_to_select=2).fit(X, y)
    return sieve, X, y, nested_evaluate(sieve, X, y, 3)


PROBLEMS = {"classes": classified, "numbers": regressed, "groups": grouped}
