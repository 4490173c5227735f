"""Plots of a fitted selection (matplotlib, an optional extra)."""

from __future__ import annotations

from typing import Any

import numpy as np


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plots need matplotlib: pip install 'svmsieve[plot]' or pip install matplotlib."
        ) from None
    return plt.subplots(layout="constrained")[1]


def plot_path(sieve: Any, ax: Any = None) -> Any:
    """Plot the cross-validated score (or the criterion) against the number of features."""
    ax = _axes(ax)
    path = sieve.path_
    sizes = path.n_features
    if np.isfinite(path.mean_score).any():
        mean, error = path.mean_score, np.nan_to_num(path.se_score)
        ax.fill_between(sizes, mean - error, mean + error, alpha=0.2, linewidth=0)
        ax.plot(sizes, mean, marker="o", markersize=3)
        ax.set_ylabel("score (mean ± standard error over folds)")
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
    ax.set_xlabel("number of features")
    return ax


def plot_scores(sieve: Any, top: int = 30, ax: Any = None) -> Any:
    """Plot the scores of the best features as bars, selected ones filled."""
    ax = _axes(ax)
    names = getattr(sieve, "feature_names_in_", None)
    if names is None:
        names = np.array([f"x{i}" for i in range(len(sieve.support_))])
    best = sieve.order_[:top][::-1]
    colors = ["C0" if sieve.support_[i] else "0.8" for i in best]
    labels = [str(names[i])[:40].replace("$", r"\$") for i in best]
    ax.barh(np.arange(len(best)), np.nan_to_num(sieve.scores_[best]), color=colors)
    ax.set_yticks(np.arange(len(best)), labels)
    ax.set_xlabel("score (filled: selected)")
    return ax
