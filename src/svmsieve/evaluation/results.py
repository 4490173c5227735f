"""What a nested evaluation found: fold by fold, with everything its reports are drawn from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.evaluation.fold_result import FoldResult, listed
from svmsieve.evaluation.intervals import HeldOut, Interval, fold_interval
from svmsieve.evaluation.metrics import Metric, make_metric
from svmsieve.evaluation.stability import Stability
from svmsieve.sizing.rules import asked_for


@dataclass(frozen=True, eq=False)
class NestedEvaluation:
    """Scores of a method that was fitted anew, selection included, in every outer fold.

    What :func:`nested_evaluate` returns. Nothing that chose features saw the samples that judge
    them.

    Parameters
    ----------
    metric : Metric
        What was measured, in its own units.
    folds : tuple of FoldResult
        The outer folds.
    y : ndarray
        The target of all samples.
    classes : ndarray or None
        The classes, None for numbers.
    feature_names : list of str
        Names of the columns.
    n_groups : int or None, default=None
        Number of groups of samples that every outer fold kept whole; None where there were none, or
        where the folds split some.
    group_size : float, default=1.0
        Samples of the group that a sample is in, on average; 1 where there were none.

    See Also
    --------
    svmsieve.nested_evaluate : Judge a method by samples that no part of it saw.
    svmsieve.Comparison : Methods that were evaluated on the same outer folds.
    svmsieve.evaluation.Stability : What replicates of a selection agree on.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, nested_evaluate
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> evaluation = nested_evaluate(sieve, X, y, outer_cv=3)
    >>> evaluation.n_features
    [2, 2, 2]
    >>> len(evaluation.predictions_frame())
    60
    """

    metric: Metric
    folds: tuple[FoldResult, ...]
    y: Any
    classes: Any
    feature_names: list[str]
    n_groups: int | None = None
    group_size: float = 1.0

    @property
    def scores(self) -> FloatArray:
        """Measure of each fold, at the size it chose."""
        return np.array([fold.score for fold in self.folds])

    @property
    def mean(self) -> float:
        """Mean over the folds."""
        return float(self.scores.mean())

    @property
    def se(self) -> float:
        """Standard error of the mean over the folds, as the papers give it: folds as independent."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.folds)))

    @property
    def corrected_se(self) -> float:
        """Standard error with the variance of overlapping folds, √(1/J + n_test/n_train)·s."""
        factor = 1.0 / len(self.folds) + self.test_per_train
        return float(np.sqrt(factor) * self.scores.std(ddof=1))

    @property
    def repeats(self) -> int:
        """How often the rows were divided into folds: how often each is tested, 1 where that differs."""
        times = np.bincount(np.concatenate([fold.test for fold in self.folds]))
        tested = times[times > 0]
        return int(tested[0]) if (tested == tested[0]).all() else 1

    @property
    def test_per_train(self) -> float:
        """Test samples over training samples, of all folds."""
        return sum(len(fold.test) for fold in self.folds) / sum(f.n_train for f in self.folds)

    @property
    def held_out(self) -> HeldOut:
        """Independent samples, in all and of each class, that a fold holds out on average."""
        tests = [self.y[fold.test] for fold in self.folds]
        return HeldOut.of(tests, self.classes, self.group_size)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the interval of the expected value, :func:`fold_interval`; NaN where there is none.

        Parameters
        ----------
        level : float, default=0.95
            Probability that the interval shall cover with.

        Returns
        -------
        Interval
            The interval of the expected value, :func:`fold_interval`; NaN where there is none.
        """
        return fold_interval(
            self.scores, self.test_per_train, self.metric.name, self.held_out, level
        )

    @property
    def n_features(self) -> list[int | None]:
        """Number of features each fold selected."""
        return [fold.n_features for fold in self.folds]

    @property
    def recall(self) -> dict[Any, float] | None:
        """Share of the held-out samples of each class that was predicted right; None for numbers."""
        if self.classes is None:
            return None
        true = np.concatenate([self.y[fold.test] for fold in self.folds])
        right = true == np.concatenate([fold.predictions for fold in self.folds])
        return {
            label.item() if isinstance(label, np.generic) else label: float(
                right[true == label].mean()
            )
            for label in self.classes
        }

    @property
    def sizes(self) -> IntArray:
        """Sizes that the search of every fold visited."""
        common = set(self.folds[0].sizes.tolist())
        for fold in self.folds[1:]:
            common &= set(fold.sizes.tolist())
        return np.array(sorted(common), dtype=np.intp)

    def scores_at(self, size: int) -> FloatArray:
        """Return the measure of each fold with this many features.

        Parameters
        ----------
        size : int
            Number of features, one that all folds visited.

        Returns
        -------
        ndarray of float
            The measure of each fold with this many features.
        """
        if size not in self.sizes:
            raise ValueError(
                f"size must be one that every fold visited, {listed(self.sizes)}, got {size!r}."
            )
        return np.array([fold.size_scores[fold.sizes == size][0] for fold in self.folds])

    def at_size(self, size: int) -> NestedEvaluation:
        """Return the evaluation of the machines with this many features, in place of the chosen ones.

        Decision values are not known at other sizes.

        Parameters
        ----------
        size : int
            Number of features, one that all folds visited.

        Returns
        -------
        NestedEvaluation
            The evaluation of the machines with this many features, in place of the chosen ones.
        """
        scores = self.scores_at(size)
        folds = []
        for fold, score in zip(self.folds, scores, strict=True):
            at = int(np.flatnonzero(fold.sizes == size)[0])
            folds.append(
                replace(
                    fold,
                    score=float(score),
                    predictions=fold.size_predictions[at],
                    decisions=None,
                    selected=None,
                    reason=asked_for(size),
                )
            )
        return replace(self, folds=tuple(folds))

    def scores_by(self, scoring: Any) -> FloatArray:
        """Return another measure of each fold, from the kept predictions and decision values.

        Parameters
        ----------
        scoring : str, callable or None
            Name of a measure or scorer, a scorer or a Metric.

        Returns
        -------
        ndarray of float
            Another measure of each fold, from the kept predictions and decision values.
        """
        metric = make_metric(scoring, self.classes is None)
        return np.array(
            [
                metric.of_predictions(
                    self.y[fold.test], fold.predictions, fold.decisions, self.classes
                )
                for fold in self.folds
            ]
        )

    def stability(self, level: float = 0.95) -> Stability:
        """Return how far the folds agree on the features.

        Parameters
        ----------
        level : float, default=0.95
            Probability that the interval shall cover with.

        Returns
        -------
        Stability
            How far the folds agree on the features.
        """
        selected = [fold.selected for fold in self.folds]
        if any(columns is None for columns in selected):
            raise ValueError("stability needs an estimator that tells which features it selected.")
        orders = [fold.order for fold in self.folds]
        ranked = all(order is not None for order in orders)
        return Stability.of(selected, orders if ranked else None, self.feature_names, level)

    def to_frame(self) -> Any:
        """Return a pandas frame, one row for each fold.

        Returns
        -------
        DataFrame
            One row for each fold.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                self.metric.name: self.scores,
                "n_features": self.n_features,
                "n_train": [fold.n_train for fold in self.folds],
                "n_test": [len(fold.test) for fold in self.folds],
                "seconds": [fold.seconds for fold in self.folds],
            },
            index=pd.RangeIndex(len(self.folds), name="fold"),
        )

    def sizes_frame(self) -> Any:
        """Return a pandas frame: mean and standard error over the folds at each size.

        Returns
        -------
        DataFrame
            Mean and standard error over the folds at each size.
        """
        import pandas as pd

        sizes = self.sizes
        scores = np.array([self.scores_at(size) for size in sizes])
        scores = scores.reshape(len(sizes), len(self.folds))
        return pd.DataFrame(
            {
                "mean": scores.mean(axis=1),
                "se": scores.std(axis=1, ddof=1) / np.sqrt(len(self.folds)),
            },
            index=pd.Index(sizes, name="n_features"),
        )

    def predictions_frame(self) -> Any:
        """Return a pandas frame of the out-of-fold predictions: row, fold, y, prediction, decisions.

        Returns
        -------
        DataFrame
            Row, fold, y, prediction and decisions of each held-out sample.
        """
        import pandas as pd

        parts = []
        for number, fold in enumerate(self.folds):
            columns = {
                "row": fold.test,
                "fold": number,
                "y": self.y[fold.test],
                "prediction": fold.predictions,
            }
            if fold.decisions is not None:
                decisions = fold.decisions.reshape(len(fold.test), -1)
                names = (
                    ["decision"]
                    if decisions.shape[1] == 1
                    else [f"decision{i}" for i in range(decisions.shape[1])]
                )
                columns.update(zip(names, decisions.T, strict=True))
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings.

        Returns
        -------
        dict
            Everything as plain numbers, lists and strings.
        """
        return {
            "metric": self.metric.name,
            "lower_is_better": self.metric.lower_is_better,
            "mean": self.mean,
            "se": self.se,
            "corrected_se": self.corrected_se,
            "recall": None if self.recall is None else list(self.recall.values()),
            "y": self.y.tolist(),
            "classes": None if self.classes is None else self.classes.tolist(),
            "feature_names": list(self.feature_names),
            "folds": [fold.to_dict() for fold in self.folds],
        }

    def __repr__(self) -> str:
        text = (
            f"NestedEvaluation: {self.metric.name} {self.mean:.4g} ± {self.se:.2g} (SE over "
            f"{len(self.folds)} folds; {self.corrected_se:.2g} counting their overlap)"
        )
        known = [n for n in self.n_features if n is not None]
        if known:
            text += f", {np.mean(known):.3g} features ({min(known)} to {max(known)})"
        return text
