"""Rows wherever they are cut, drawn at random: the selection of the same rows in memory, to 1e-12.

What must not matter varies: sizes of the partitions, empty ones, ones of a single class, the kind of
collection, how target, weights and groups of samples are given.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from sklearn.base import clone
from sklearn.svm import SVC, SVR

from svmsieve import SVMSieve
from svmsieve.criteria import CLASSIFICATION, REGRESSION, ResponseCriterion
from svmsieve.scale.chunks import RowChunks
from svmsieve.scale.parquet_chunks import ParquetChunks
from tests.scale.problems import binary, classes, numbers
from tests.scale.test_elimination_of_collections import agree

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.filterwarnings(
    "ignore:The inplace keyword", "ignore:too few groups of samples hold all classes"
)

N_ROWS = 130


def some_in_ci(n, first):
    """Seeds, of which CI tries the first; the others are for ``-m paper``."""
    return [
        *range(first),
        *(pytest.param(seed, marks=pytest.mark.paper) for seed in range(first, n)),
    ]


class Moved(ResponseCriterion):
    """A user's own: how far decision values move."""

    name = "moved"
    tasks = CLASSIFICATION | REGRESSION

    def accumulate(self, item: Any, machines: Any) -> Any:
        """Add up the distances."""
        return item.share @ np.abs(item.after - item.before[:, None]).sum(axis=2)


def drawn_sizes(rng: Generator, y: Any) -> list[int]:
    """Sizes of the partitions: any, some of them none, or cut where the class changes."""
    edges = rng.integers(0, N_ROWS + 1, int(rng.integers(0, 6)))
    if rng.random() < 0.3:
        edges = np.flatnonzero(y[1:] != y[:-1])[:8] + 1
    edges = np.sort(np.concatenate([[0], np.repeat(edges, 1 + rng.integers(0, 2)), [N_ROWS]]))
    return [int(b - a) for a, b in pairwise(edges)]


def drawn_problem(rng: Generator) -> tuple[Any, Any, SVMSieve]:
    """Rows, mixed or sorted by class, and a sieve for them."""
    kind = rng.choice(["two", "three", "numbers"])
    make, machine = {
        "two": (binary, SVC(gamma=0.2)),
        "three": (classes, SVC(gamma=0.2, class_weight="balanced")),
        "numbers": (numbers, SVR(C=3.0, gamma=0.2)),
    }[str(kind)]
    X, y = make(N_ROWS, 5, int(rng.integers(1000)))
    if kind != "numbers" and rng.random() < 0.5:
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
    sieve = SVMSieve(machine, machine="nystroem", n_landmarks=20, random_state=int(rng.integers(9)))
    sieve.set_params(cv="auto" if rng.random() < 0.1 else int(rng.integers(2, 4)))
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.05] = np.nan
        sieve.set_params(missing="mean")
    if rng.random() < 0.3:
        sieve.set_params(step=1)
    if rng.random() < 0.1:
        sieve.set_params(retune=[3])
    if rng.random() < 0.2:
        sieve.set_params(criterion=Moved())
    return X, y, sieve


def drawn_groups(rng: Generator) -> Any:
    """Labels of the rows' groups: none, numbers or names; neighbours or not."""
    if rng.random() < 0.4:
        return None
    groups = rng.integers(0, int(rng.integers(12, 40)), N_ROWS)
    if rng.random() < 0.5:
        groups = np.sort(groups)
    if rng.random() < 0.5:
        return np.array([f"patient {rng.integers(10**6)}" for _ in range(40)], dtype=object)[groups]
    return 10**15 - groups


def collected(
    rng: Generator, folder: Path, rows: tuple[Any, ...], sizes: list[int]
) -> tuple[Any, dict[str, Any]]:
    """The same rows as a collection or as chunks, and what goes with them."""
    X, y, weight, groups = rows
    frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    beside = {name: v for name, v in (("w", weight), ("g", groups)) if v is not None}
    frame = frame.assign(**beside)
    parts = [frame.iloc[a:b] for a, b in pairwise(np.cumsum([0, *sizes]))]
    form = str(rng.choice(["array", "frame", "parquet"]))
    if form == "parquet":
        paths = [folder / f"{number:02}.parquet" for number in range(len(parts))]
        for path, part in zip(paths, parts, strict=True):
            part.to_parquet(path)
        names = {"weight": "w" if "w" in beside else None, "groups": "g" if "g" in beside else None}
        memory = int(rng.integers(500, 10_000))
        return ParquetChunks(paths, "y", memory=memory, **names), {"y": None}
    if form == "frame":
        table = dd.concat([dd.from_pandas(part, npartitions=1) for part in parts])
        given = {"y": table["y"]}
        given |= {"sample_weight": table["w"]} if "w" in beside else {}
        given |= {"groups": table["g"]} if "g" in beside else {}
        return table[list("abcde")], given
    given = {"y": y, "sample_weight": weight, "groups": groups}
    if rng.random() < 0.5:
        given = {
            name: v if v is None or v.dtype == object else da.from_array(v, chunks=77)
            for name, v in given.items()
        }
    return da.from_array(X, chunks=(tuple(sizes), int(rng.integers(2, 6)))), given


@pytest.mark.parametrize("seed", some_in_ci(16, 3))
def test_rows_are_selected_from_as_those_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    X, y, sieve = drawn_problem(rng)
    groups = drawn_groups(rng)
    weight = rng.uniform(0.5, 2.0, N_ROWS) if rng.random() < 0.3 else None
    if weight is not None:
        weight[rng.random(N_ROWS) < 0.05] = 0.0
    sizes = drawn_sizes(rng, y)
    here = clone(sieve).fit(
        pd.DataFrame(X, columns=list("abcde")), y, sample_weight=weight, groups=groups
    )
    table, given = collected(rng, tmp_path, (X, y, weight, groups), sizes)
    there = clone(sieve).fit(table, **given)
    agree(there, here)
    assert there.n_sample_groups_ == here.n_sample_groups_
    assert there._groups_kept == here._groups_kept == (groups is not None)
    size = int(rng.integers(1, 6))
    given.pop("groups", None)
    values = [
        each.estimator_.expansions_[0].decision_function(np.zeros((1, size)))
        for each in (
            there.at_size(size, table, **given),
            here.at_size(size, pd.DataFrame(X, columns=list("abcde")), y, weight),
        )
    ]
    np.testing.assert_allclose(*values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", some_in_ci(9, 3))
def test_hard_machines_and_equal_scores_are_those_of_memory(seed: int) -> None:
    """Large C, many landmarks, scores that are counts: rounding would be magnified, or decide an order."""
    rng = np.random.default_rng([24, seed])
    n, d = int(rng.integers(200, 500)), int(rng.integers(4, 7))
    X = rng.normal(size=(n, d)) + 10.0 ** rng.uniform(-1.0, 9.0, d)  # means far beyond the spread
    X *= 10.0 ** rng.uniform(-3.0, 3.0, d)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    signal = np.sin(2.0 * Z[:, 0]) + Z[:, 1] * Z[:, 2] + 0.3 * rng.normal(size=n)
    C, gamma = 10.0 ** rng.uniform(-1.0, 3.0), 10.0 ** rng.uniform(-2.5, 0.0)
    kind = ("two", "three", "numbers")[seed % 3]
    sieve = SVMSieve(
        machine="nystroem", n_landmarks=int(rng.integers(30, 150)), cv=2, random_state=0
    )
    if kind == "numbers":
        y: Any = 100.0 * signal + 10.0 ** rng.uniform(0.0, 9.0)
        criterion = rng.choice(["sd-laplace", "sd-gauss"])
        sieve.set_params(estimator=SVR(C=C, gamma=gamma), scoring="neg_mean_absolute_error")
    else:
        y = np.digitize(signal, [0.0] if kind == "two" else [-0.7, 0.7])
        criterion = rng.choice(["fspp1", "fspp2", "fspp3", "sv-gradient"])
        sieve.set_params(estimator=SVC(C=C, gamma=gamma))
    sieve.set_params(criterion=str(criterion))
    weight = rng.uniform(0.2, 3.0, n) if rng.random() < 0.4 else None
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.05] = np.nan
        sieve.set_params(missing="mean")
    edges = np.sort(rng.integers(1, n, int(rng.integers(1, 7))))
    sizes = tuple(int(b - a) for a, b in pairwise([0, *edges, n]))
    here = clone(sieve).fit(X, y, sample_weight=weight)
    there = clone(sieve).fit(da.from_array(X, chunks=(sizes, d)), y, sample_weight=weight)
    agree(there, here)
    for name in ("criterion", "largest"):
        np.testing.assert_allclose(
            getattr(there.path_, name), getattr(here.path_, name), rtol=0, atol=1e-12
        )


def test_a_size_is_what_a_fit_of_that_size_comes_to() -> None:
    X, y = binary(N_ROWS, 5)
    sieve = SVMSieve(SVC(gamma="scale"), search="once", machine="nystroem", n_landmarks=30)
    sieve.set_params(n_features_to_select=2)
    table = da.from_array(X, chunks=(90, 5))
    new = pd.DataFrame(X, columns=[f"x{i}" for i in range(5)])
    for rows in (new, table, RowChunks(X, y, memory=2000)):
        own = None if isinstance(rows, RowChunks) else y
        seen = X if rows is table else new
        two = clone(sieve).fit(rows, own)
        three = clone(sieve).set_params(n_features_to_select=3).fit(rows, own)
        other = two.at_size(3, rows, own)
        np.testing.assert_array_equal(other.support_, three.support_)
        np.testing.assert_array_equal(*(each.decision_function(seen) for each in (other, three)))
        assert two.n_features_ == 2
    with pytest.raises(ValueError, match="X has 4 features"):
        two.at_size(3, table[:, :4], y)
    with pytest.raises(ValueError, match="machine='exact' needs all rows in memory"):
        SVMSieve(SVC(), n_features_to_select=2).fit(X, y).at_size(3, table, y)
