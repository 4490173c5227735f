"""Tests that anyone can run on a criterion of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.svm import SVC, SVR

from svmsieve.criteria import Criterion, final_scores
from svmsieve.engine.arrays import BoolArray, FloatArray
from svmsieve.engine.effects.path_choice import RESPONSE_TOL
from svmsieve.ranking.exact import check_samples, prepare
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.testing.drivers import chunk_scores

_DRAWS = 8
"""Seeds over which a criterion that draws at random is averaged."""
_LITTLE = 1e-9
"""A weight next to none."""


def _problem(task: str, seed: int = 0) -> tuple[FloatArray, Any]:
    """A small problem whose first two columns matter and whose values are float32 numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 6)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.2] = 0.0
    signal = 2.0 * X[:, 0] + X[:, 1] ** 2
    if task == "regression":
        return X, signal + 0.1 * rng.normal(size=len(X))
    noisy = signal + 0.3 * rng.normal(size=len(X))
    edges = [0.5] if task == "binary" else [0.0, 1.5]
    return X, np.array(["a", "b", "c"])[np.digitize(noisy, edges)]


def check_criterion(criterion: Criterion) -> None:
    """Assert that a criterion keeps the contract, for each task and kernel it names.

    - Scores are finite, not negative, one for each column, and with one of the kernels not all zero; a
      constant column scores zero; float32 input and another number of threads change nothing.
    - Groups of one column are no groups, and a group of several has one score.
    - A criterion of moments or responses gives the same when it is fed from row chunks.
    - They follow the columns when these are reordered; sparse input gives what dense input gives; a
      duplicated column scores as its twin.
    - A group's score is the group's: neither the order of the groups nor that of a group's columns
      matters.  The score of a filter is at least that of the group's best column.  With a machine, its
      own or given, or a kernel, a column x that is written as four, x/2 each, is the same column to the
      kernel; as a group they score what x scored.
    - The order of the rows means nothing, nor do the names of the classes.  Of a criterion that draws at
      random (its scores change with the seed) that holds of the mean over draws.
    - Weights count (``uses_weights``): rows of weight zero, whatever is in them, are as if they were not
      there, and to a filter a row of weight two is two rows.  What is in rows of next to no weight hardly
      matters (but for a criterion that counts each sample as one, ``counts_each_sample``).

    A criterion that draws at random for each column (``randomised = True``) is only held to the first two.

    Raises AssertionError with what is broken.

    Parameters
    ----------
    criterion : Criterion
        An instance of the class to be tested.
    """
    kernels = {"Linear": "linear", "RBF": "rbf", "Polynomial": "poly"}
    for task in sorted(criterion.tasks):
        checks = []
        for kernel in sorted(criterion.kernels):
            machine = SVR if task == "regression" else SVC
            estimator = machine(
                kernel=kernels[kernel], C=5.0, gamma=0.1, degree=2, coef0=1.0, tol=1e-9
            )
            where = f"{criterion.name}, {task}, {kernel}"
            checks.append(_Check(criterion, estimator, where, *_problem(task)))
            if not criterion.uses_kernel:
                break
        # Not with each kernel: a machine of few dimensions may make up for what a criterion measures.
        found = max(float(check.reference.max()) for check in checks)
        assert found > 0.0, f"{criterion.name}, {task}, every kernel: some score must be positive"
        for check in checks:
            check.run()


class _Check:
    """The checks of one criterion with one kind of machine and target."""

    def __init__(
        self, criterion: Criterion, estimator: Any, where: str, X: FloatArray, y: Any
    ) -> None:
        self.criterion, self.estimator, self.where = criterion, estimator, where
        self.X, self.y = X, y
        self.reference = self.scores("dense input")

    def scores(
        self,
        what: str,
        table: Any = None,
        *,
        y: Any = None,
        groups: Sequence[Sequence[int]] | None = None,
        sample_weight: Any = None,
        seed: int = 0,
    ) -> FloatArray:
        """Return the scores; ``groups`` cover all columns and reach the criterion as they are."""
        arrays = None if groups is None else tuple(np.array(group) for group in groups)
        try:
            with one_blas_thread():
                checked = check_samples(
                    self.X if table is None else table,
                    self.y if y is None else y,
                    self.criterion,
                    self.estimator,
                    sample_weight=sample_weight,
                )
                ready = prepare(checked, scale=False, random_state=seed)
                # all digits, unlike `rank`
                data = replace(ready.data, tol=RESPONSE_TOL, groups=arrays)
                return final_scores(ready.criterion, ready.fitted(), data)
        except Exception as error:
            raise AssertionError(f"{self.where}: {what} fails: {error}") from error

    def same(self, a: FloatArray, b: FloatArray, what: str) -> None:
        assert self.close(a, b), f"{self.where}: {what}: {a} against {b}"

    def close(self, a: FloatArray, b: FloatArray) -> bool:
        atol = 1e-7 * float(np.max(self.reference)) + 1e-12
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-5, atol=atol)

    def unchanged(self, what: str, table: Any = None, **options: Any) -> None:
        self.same(self.scores(what, table, **options), self.reference, what)

    def run(self) -> None:
        """Run them all."""
        self.plain()
        self.one_score_for_each_group()
        self.drivers()
        if self.criterion.randomised:
            return
        self.columns()
        self.rows()
        self.classes()
        self.groups()
        if self.criterion.uses_weights:
            self.weights()

    def drivers(self) -> None:
        with one_blas_thread():
            checked = check_samples(self.X, self.y, self.criterion, self.estimator)
            ready = prepare(checked, scale=False, random_state=0)
            try:
                found = chunk_scores(self.criterion, ready)
            except Exception as error:
                raise AssertionError(f"{self.where}: row chunks fail: {error}") from error
        if found is not None:
            self.same(found, self.reference, "row chunks differ from samples in memory")

    def plain(self) -> None:
        X, where, reference = self.X, self.where, self.reference
        assert reference.shape == (X.shape[1],), f"{where}: one score for each column"
        assert np.isfinite(reference).all(), f"{where}: scores must be finite"
        assert (reference >= 0.0).all(), f"{where}: scores must not be negative"
        constant = X.copy()
        constant[:, 3] = 1.0
        values = self.scores("a constant column", constant)
        assert values[3] == 0.0, f"{where}: a constant column must score zero"
        self.unchanged("the same call twice")
        self.unchanged("float32 input", X.astype(np.float32))
        n_threads = numba.get_num_threads()
        try:
            numba.set_num_threads(1)
            self.unchanged("one thread")
        finally:
            numba.set_num_threads(n_threads)

    def one_score_for_each_group(self) -> None:
        d = self.X.shape[1]
        self.unchanged("groups of one column", groups=[[i] for i in range(d)])
        pairs = self.scores("groups of two columns", groups=[[i, i + 1] for i in range(0, d, 2)])
        assert pairs.shape == (d // 2,), f"{self.where}: one score for each group"

    def columns(self) -> None:
        X, order = self.X, np.array([3, 0, 5, 1, 4, 2])
        reordered = self.scores("columns in another order", X[:, order])
        self.same(reordered, self.reference[order], "columns in another order")
        self.unchanged("sparse input", sp.csr_matrix(X))
        doubled = self.scores("a duplicated column", np.column_stack([X, X[:, 0]]))
        self.same(doubled[[0]], doubled[[-1]], "a duplicated column")

    def rows(self) -> None:
        order = np.argsort(self.X[:, 0], kind="stable")
        self.means_nothing(
            "the order of the rows changes the scores", self.X[order], y=self.y[order]
        )

    def classes(self) -> None:
        """Other names, which sort in another order and are other numbers, name the same classes."""
        if self.y.dtype.kind == "f":
            return
        names, codes = np.unique(self.y, return_inverse=True)
        for renamed in (np.roll(names, 1), np.array([7, -3, 2])[: len(names)]):
            self.means_nothing("the names of the classes change the scores", y=renamed[codes])

    def means_nothing(self, what: str, table: Any = None, *, y: Any) -> None:
        """Assert that the scores stay as they are, or their mean where they change with the seed.

        Means over draws may differ by ten standard errors.
        """
        if self.close(self.scores(what, table, y=y), self.reference):
            return
        draws = np.array(
            [
                [self.scores(what, seed=seed), self.scores(what, table, y=y, seed=seed)]
                for seed in range(_DRAWS)
            ]
        )
        error = np.sqrt(draws.var(axis=0, ddof=1).sum(axis=0) / _DRAWS)
        before, after = draws.mean(axis=0)
        nearest = np.clip(after, before - 10.0 * error, before + 10.0 * error)
        self.same(after, nearest, what)

    def groups(self) -> None:
        grouped = [[0, 3], [1], [2, 4, 5]]
        scores = self.scores("groups", groups=grouped)
        again = self.scores("groups in another order", groups=[[5, 2, 4], [3, 0], [1]])
        self.same(again, scores[[2, 0, 1]], "groups in another order")
        if self.criterion.is_filter and not self.criterion.own_machine:
            least = np.array([self.reference[group].max() for group in grouped])
            self.same(np.maximum(scores, least), scores, "a group scores less than its best column")
            return
        for column in (0, 1):
            rest = np.delete(self.X, column, axis=1)
            written = np.column_stack([*[self.X[:, column] / 2.0] * 4, rest])
            found = self.scores(
                "a column written as a group",
                written,
                groups=[[0, 1, 2, 3], *([i] for i in range(4, written.shape[1]))],
            )
            wanted = np.append(self.reference[column], np.delete(self.reference, column))
            self.same(found, wanted, "a column written as a group of four")

    def weights(self) -> None:
        absent = np.arange(len(self.y)) % 3 == 1
        spoiled = np.where(absent[:, None], 100.0 * self.X[::-1], self.X)
        self.same(
            self.scores("weights of zero", spoiled, sample_weight=np.where(absent, 0.0, 1.0)),
            self.scores("fewer rows", self.X[~absent], y=self.y[~absent]),
            "rows of weight zero are not as if they were not there",
        )
        if self.criterion.machine is None and not self.criterion.counts_each_sample:
            copies = 1 + np.arange(len(self.y)) % 3
            self.same(
                self.scores("weights", sample_weight=copies.astype(np.float64)),
                self.scores(
                    "rows twice", np.repeat(self.X, copies, axis=0), y=np.repeat(self.y, copies)
                ),
                "a row of weight two does not count as two rows",
            )
        self.little_weight(absent)

    def little_weight(self, little: BoolArray) -> None:
        """Rows with other values, of the same weight, so that whatever is drawn is drawn alike."""
        if self.criterion.counts_each_sample:
            return
        weight = np.where(little, _LITTLE, 1.0)
        others = np.where(little[:, None], np.roll(self.X, 1, axis=0), self.X)
        what = "what is in rows of next to no weight changes the scores: weights are not counted"
        self.same(
            self.scores(what, others, sample_weight=weight),
            self.scores(what, sample_weight=weight),
            what,
        )
