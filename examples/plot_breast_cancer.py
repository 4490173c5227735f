"""Draw the README's picture: error path and scores of a selection (needs matplotlib)."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import svmsieve


def main(path: str) -> None:
    """Select on scikit-learn's breast-cancer data and save the two plots to ``path``."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    sieve = svmsieve.SVMSieve(criterion="fspp2", random_state=0, n_jobs=2).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    sieve.plot_path(left)
    sieve.plot_scores(top=15, ax=right)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "selection.png")
