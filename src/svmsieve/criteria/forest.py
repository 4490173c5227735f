"""Permutation importance of a random forest on out-of-bag samples (Breiman 2001)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from svmsieve.criteria.contract import EVERY_TASK, Criterion, Task
from svmsieve.criteria.material import Data, Fitted
from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.machines.target import Classes
from svmsieve.runtime.compiled import compiled, inner
from svmsieve.runtime.threads import n_threads


@inner()
def _leaf(
    node: int,
    X: FloatArray,
    feature: IntArray,
    threshold: FloatArray,
    left: IntArray,
    right: IntArray,
    group: IntArray,
    swapped: int,
    row: int,
    other: int,
) -> int:
    """Send a row down from a node to its leaf; columns of the group ``swapped`` have another row's values."""
    while left[node] >= 0:
        column = feature[node]
        value = X[other if group[column] == swapped else row, column]
        node = left[node] if value <= threshold[node] else right[node]
    return node


@inner()
def _error(answer: float, truth: float, classes: bool) -> float:
    """Whether a class is wrong, or the squared error of a number."""
    if classes:
        return 0.0 if answer == truth else 1.0
    return (answer - truth) ** 2


@compiled()
def _add_losses(
    X: FloatArray,
    feature: IntArray,
    threshold: FloatArray,
    left: IntArray,
    right: IntArray,
    answer: FloatArray,
    truth: FloatArray,
    classes: bool,
    weights: FloatArray,
    group: IntArray,
    order: IntArray,
    losses: FloatArray,
) -> None:
    """Add what permuting each group of columns loses on the rows of ``X`` to ``losses``.

    ``answer`` is what each node says, ``group`` the group of each column, ``order`` the permutation.  Only
    the groups on a row's way can change its leaf.
    """
    seen = np.full(losses.shape[0], -1)
    for row in range(X.shape[0]):
        leaf = _leaf(0, X, feature, threshold, left, right, group, -1, row, row)
        node = 0
        while node != leaf:
            column = feature[node]
            swapped = group[column]
            if seen[swapped] != row:
                seen[swapped] = row
                end = _leaf(
                    node, X, feature, threshold, left, right, group, swapped, row, order[row]
                )
                loss = _error(answer[end], truth[row], classes)
                loss -= _error(answer[leaf], truth[row], classes)
                losses[swapped] += weights[row] * loss
            node = left[node] if X[row, column] <= threshold[node] else right[node]


class Forest(Criterion):
    """Loss of a random forest's accuracy on its out-of-bag samples when the feature is permuted.

    For each tree: share of its out-of-bag samples predicted right (or minus their squared error),
    before and after the feature's values were permuted among them; averaged over the trees, at
    least 0.  A filter: no SVM is trained.  O(trees · n log n · √d) to grow; an out-of-bag sample then
    goes down a tree once for each feature on its way.

    Parameters
    ----------
    n_trees : int, default=500
        Number of trees.

    See Also
    --------
    svmsieve.criteria.FScore : F-score: distance of the class means over the spread within the
        classes.
    svmsieve.FScoreForestSVC : F-scores, then a random forest, then a tuned RBF SVM: "F+RF+SVM".

    Examples
    --------
    >>> from svmsieve import rank
    >>> from svmsieve.criteria import Forest
    >>> from svmsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(60, 6, random_state=0)
    >>> rank(X, y, Forest(n_trees=50)).order[:2].tolist()
    [0, 1]
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
        weighted = np.flatnonzero(data.weights > 0.0)  # the others are as if they were not there
        for tree, sampled in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            outside = np.setdiff1d(weighted, sampled)
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
        answer = tree.value[:, 0, :].argmax(axis=1) if classes else tree.value[:, 0, 0]
        weights = data.weights[outside]
        weights = weights / weights.sum() if weights.sum() > 0 else weights
        groups, group = np.unique(group_of[used], return_inverse=True)
        losses = np.zeros(len(groups))
        _add_losses(
            X,
            np.searchsorted(used, tree.feature).astype(np.intp),
            tree.threshold,
            tree.children_left.astype(np.intp),
            tree.children_right.astype(np.intp),
            answer.astype(np.float64),
            y[outside].astype(np.float64),
            classes,
            weights,
            group,
            order,
            losses,
        )
        scores[groups] += losses
