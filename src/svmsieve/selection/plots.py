"""Plots of a fitted selection (matplotlib, an optional extra)."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.ranking.plots import axes, plot_bars


def plot_path(sieve: Any, ax: Any = None) -> Any:
    """Plot the cross-validated score (or the criterion) against the number of features."""
    ax = axes(ax)
    path = sieve.path_
    sizes = path.n_features
    if np.isfinite(path.mean_score).any():
        mean, error = path.mean_score, np.nan_to_num(path.se_score)
        ax.fill_between(sizes, mean - error, mean + error, alpha=0.2, linewidth=0)
        ax.plot(sizes, mean, marker="o", markersize=3)
        ax.set_ylabel(f"cross-validated {_measure(sieve)} (mean ± standard error over folds)")
    else:
        ax.plot(sizes, path.criterion, marker="o", markersize=3)
        ax.set_ylabel("largest score of the features that leave")
        if (path.criterion > 0).all():
            ax.set_yscale("log")
    n_units = sieve.n_units_
    ax.axvline(n_units, linestyle="--", color="0.4")
    right = n_units > 0.5 * (sizes.min() + sizes.max())
    ax.annotate(
        f"{n_units} selected",
        (n_units, 0.02),
        xycoords=ax.get_xaxis_transform(),
        xytext=(-4 if right else 4, 0),
        textcoords="offset points",
        ha="right" if right else "left",
        color="0.3",
    )
    if sizes.max() > 100 * sizes.min():
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:.0f}")
        ax.xaxis.set_minor_formatter("")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("number of features")
    return ax


def _measure(sieve: Any) -> str:
    """What the folds were scored by, in words."""
    scoring = sieve._scoring if sieve.scoring is None else sieve.scoring
    if not isinstance(scoring, str):
        scoring = getattr(getattr(scoring, "_score_func", None), "__name__", "score")
    return {"r2": "R²"}.get(scoring, scoring.replace("_", " "))


def plot_scores(sieve: Any, top: int = 30, ax: Any = None) -> Any:
    """Plot the scores of the best features as bars, selected ones filled."""
    names = getattr(sieve, "feature_names_in_", None)
    if names is None:
        names = np.array([f"x{i}" for i in range(len(sieve.support_))])
    best = sieve.order_[:top]
    colors = ["C0" if sieve.support_[i] else "0.8" for i in best]
    ax = plot_bars([names[i] for i in best], sieve.scores_[best], colors, ax)
    ax.set_xlabel("score (filled: selected)")
    return ax
