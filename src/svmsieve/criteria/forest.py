"""Permutation importance of a random forest on out-of-bag samples (Breiman 2001)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numba import njit
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Data, Fitted, Task
from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.target import Classes
from svmsieve.engine.threads import n_threads


@njit(cache=True, nogil=True)
def _predict(
    X: FloatArray,
    feature: IntArray,
    threshold: FloatArray,
    left: IntArray,
    right: IntArray,
    value: FloatArray,
    swapped: IntArray,
    order: IntArray,
    out: FloatArray,
) -> None:
    """Send the rows of ``X`` down a tree; columns marked in ``swapped`` take the value of another row."""
    for j in range(X.shape[0]):
        node = 0
        while left[node] >= 0:
            column = feature[node]
            row = order[j] if swapped[column] else j
            node = left[node] if X[row, column] <= threshold[node] else right[node]
        out[j] = value[node]


class Forest(Criterion):
    """Loss of a random forest's accuracy on its out-of-bag samples when the feature is permuted.

    For each tree: share of its out-of-bag samples predicted right (or minus their squared error),
    before and after the feature's values were permuted among them; averaged over the trees, at
    least 0.  A filter: no SVM is trained.  O(trees · n log n · √d) to grow, and one pass of the
    out-of-bag samples for each feature a tree uses.

    Parameters
    ----------
    n_trees : number of trees
    """

    name: ClassVar[str] = "forest"
    tasks: ClassVar[frozenset[Task]] = EVERY_TASK
    machine: ClassVar[None] = None
    uses_kernel: ClassVar[bool] = False
    randomised: ClassVar[bool] = True
    paper: ClassVar[str] = "Chen & Lin 2006, section 3.3"

    def __init__(self, n_trees: int = 500) -> None:
        self.n_trees = n_trees

    def scores(self, fitted: Fitted | None, data: Data) -> FloatArray:
        """Return the mean losses."""
        target = data.target
        classes = isinstance(target, Classes)
        y: Any = target.codes if isinstance(target, Classes) else target.values
        forest = (RandomForestClassifier if classes else RandomForestRegressor)(
            self.n_trees,
            n_jobs=n_threads(),
            random_state=data.seed,
            **({} if classes else {"max_features": 1 / 3}),
        )
        forest.fit(data.X, y, sample_weight=data.sample_weight)
        group_of = np.arange(data.X.shape[1])
        for index, columns in enumerate(data.groups or ()):
            group_of[columns] = index
        scores = np.zeros(data.n_scores)
        rng = np.random.default_rng(data.seed)
        for tree, sampled in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            outside = np.setdiff1d(np.arange(len(target)), sampled)
            order = rng.permutation(len(outside))
            if len(outside) > 1:
                self._add_tree(scores, tree.tree_, outside, order, y, group_of, data)
        return np.maximum(scores / self.n_trees, 0.0)

    def _add_tree(
        self,
        scores: FloatArray,
        tree: Any,
        outside: IntArray,
        order: IntArray,
        y: Any,
        group_of: IntArray,
        data: Data,
    ) -> None:
        """Add one tree's losses; only the features it splits on can have any."""
        used = np.unique(tree.feature[tree.children_left >= 0])
        if len(used) == 0:
            return
        classes = isinstance(data.target, Classes)
        # scikit-learn's trees compare single-precision values
        X = dense_columns(data.X[outside], used).astype(np.float32).astype(np.float64)
        feature = np.searchsorted(used, tree.feature)
        value = tree.value[:, 0, :].argmax(axis=1) if classes else tree.value[:, 0, 0]
        truth, weights = y[outside], data.weights[outside]
        weights = weights / weights.sum() if weights.sum() > 0 else weights
        swapped = np.zeros(len(used), dtype=np.intp)
        out = np.empty(len(outside))

        def quality() -> float:
            _predict(
                X,
                feature.astype(np.intp),
                tree.threshold,
                tree.children_left.astype(np.intp),
                tree.children_right.astype(np.intp),
                value.astype(np.float64),
                swapped,
                order,
                out,
            )
            return float(weights @ (out == truth if classes else -((out - truth) ** 2)))

        whole = quality()
        groups = group_of[used]
        for group in np.unique(groups):
            swapped[:] = groups == group
            scores[group] += whole - quality()
        swapped[:] = 0
