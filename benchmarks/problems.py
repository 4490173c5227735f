"""The data sets of the benchmarks, standardised, each with the machine that is fitted to it."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Problem:
    """A data set, standardised, and the machine that is fitted to it."""

    name: str
    X: Any
    y: Any
    estimator: Any
    goal: float | None = None
    """How many fits of scikit-learn a criterion that does not retrain may take."""

    @property
    def size(self) -> str:
        """Samples and features in words."""
        return f"{self.X.shape[0]} × {self.X.shape[1]}"


def data_folder() -> Path:
    """Where the data are: the folder ``SVMSIEVE_DATA``, or ``shared/data`` beside the repository."""
    return Path(os.environ.get("SVMSIEVE_DATA", ROOT.parent / "shared" / "data"))


def read(name: str) -> dict[str, Any]:
    """Return the arrays of one file."""
    with np.load(data_folder() / f"{name}.npz", allow_pickle=False) as file:
        return dict(file)


def make_problem(
    name: str, X: Any, y: Any, estimator: Any, quick: bool, goal: float | None = None
) -> Problem:
    """Standardise; for a smoke test cut the rows and columns."""
    X = X.astype(np.float64)
    if quick:
        rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:60])
        X, y = X[rows][:, :30], y[rows]
    scaled = StandardScaler(with_mean=not sp.issparse(X)).fit_transform(X)
    return Problem(name, scaled, y, estimator, goal)


def madelon(quick: bool) -> Problem:
    """2000 x 500, RBF."""
    file = read("madelon")
    estimator = SVC(gamma=1.0 / file["X_train"].shape[1])
    return make_problem("madelon", file["X_train"], file["y_train"], estimator, quick, 2.0)


def colon(quick: bool) -> Problem:
    """62 x 2000, logarithms, linear."""
    file = read("colon")
    return make_problem("colon", np.log(file["X"]), file["y"], SVC(kernel="linear"), quick)


def arcene(quick: bool) -> Problem:
    """100 x 10000, RBF."""
    file = read("arcene")
    return make_problem("arcene", file["X_train"], file["y_train"], SVC(gamma="scale"), quick, 1.0)


def dorothea(quick: bool) -> Problem:
    """800 x 100000, sparse, linear."""
    file = read("dorothea")
    parts = (file["train_data"], file["train_indices"], file["train_indptr"])
    X = sp.csr_matrix(parts, shape=tuple(file["train_shape"]))
    return make_problem("dorothea", X, file["y_train"], SVC(kernel="linear"), quick)


def cpusmall(quick: bool, n_rows: int = 2000) -> Problem:
    """2000 x 12 (or more rows), regression, RBF."""
    file = read("cpusmall")
    y = file["y"][:n_rows]
    y = (y - y.mean()) / y.std()
    return make_problem("cpusmall", file["X"][:n_rows], y, SVR(gamma="scale"), quick)


def heart(quick: bool) -> Problem:
    """270 x 13, RBF."""
    file = read("ratsch_heart")
    return make_problem("heart", file["X"], file["y"], SVC(gamma=1.0 / 13), quick)


def crx(quick: bool) -> Problem:
    """690 x 46, RBF: numbers filled with their means, one column for each category."""
    with gzip.open(data_folder() / "crx.csv.gz", "rt") as file:
        table = pd.read_csv(file, na_values="?")
    y = table.pop(table.columns[-1]).to_numpy(dtype=str)
    numbers = table.select_dtypes("number")
    letters = pd.get_dummies(table.drop(columns=numbers.columns), dtype=float)
    X = pd.concat([numbers.fillna(numbers.mean()), letters], axis=1).to_numpy(dtype=float)
    return make_problem("crx", X, y, SVC(gamma=1.0 / X.shape[1]), quick)
