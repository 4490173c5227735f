"""What one outer fold found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class FoldResult:
    """One outer fold.

    A part of a :class:`NestedEvaluation`.

    Parameters
    ----------
    n_train : int
        Number of different training samples (a bootstrap replicate repeats some).
    test : ndarray of int
        The held-out samples, as row numbers.
    score : float
        Measure on them.
    predictions : ndarray
        What was predicted for them.
    decisions : ndarray of float or None
        Decision values (or probabilities, where there are none), None if there are neither.
    selected : ndarray of int or None
        The selected columns in ascending order, None if the estimator does not tell.
    order : ndarray of int or None
        All columns, best first, None if the estimator does not rank.
    sizes, size_scores : ndarray of int
        Sizes the search visited and the measure on the held-out samples at each; empty if the
        estimator has no path.
    reason : str
        Why the size was chosen, in words.
    seconds : float
        Time of the fit.
    size_predictions : ndarray or None, default=None
        What the machine of each size predicted, shape (sizes, held-out samples); None if the
        estimator has no path.

    See Also
    --------
    svmsieve.NestedEvaluation : Scores of a method that was fitted anew, selection included, in
        every outer fold.
    svmsieve.nested_evaluate : Judge a method by samples that no part of it saw.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve, nested_evaluate
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> sieve = SVMSieve(SVC(), criterion="f-score", search="once", n_features_to_select=2)
    >>> evaluation = nested_evaluate(sieve, X, y, outer_cv=3)
    >>> fold = evaluation.folds[0]
    >>> len(fold.test), fold.n_train, fold.n_features
    (20, 40, 2)
    """

    n_train: int
    test: IntArray
    score: float
    predictions: Any
    decisions: FloatArray | None
    selected: IntArray | None
    order: IntArray | None
    sizes: IntArray
    size_scores: FloatArray
    reason: str
    seconds: float
    size_predictions: Any = None

    @property
    def n_features(self) -> int | None:
        """Number of selected columns."""
        return None if self.selected is None else len(self.selected)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it.

        Returns
        -------
        dict
            Everything as JSON takes it.
        """
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any], dtype: Any) -> FoldResult:
        """Restore what :meth:`to_dict` gave; ``dtype`` is the predictions'.

        Parameters
        ----------
        values : dict
            What :meth:`to_dict` gave.
        dtype : dtype
            Type of the predictions.

        Returns
        -------
        FoldResult
            The fold.
        """

        def array(name: str, kind: Any) -> Any:
            return None if values.get(name) is None else np.array(values[name], dtype=kind)

        arrays = {
            "test": array("test", np.intp),
            "predictions": array("predictions", dtype),
            "decisions": array("decisions", np.float64),
            "selected": array("selected", np.intp),
            "order": array("order", np.intp),
            "sizes": array("sizes", np.intp),
            "size_scores": array("size_scores", np.float64),
            "size_predictions": array("size_predictions", dtype),
        }
        return cls(**{**values, **arrays})


def listed(sizes: Sequence[int] | IntArray) -> str:
    """Return sizes in words, for a message."""
    if len(sizes) == 0:
        return "of which there are none"
    shown = ", ".join(map(str, sizes[:20]))
    return shown if len(sizes) <= 20 else f"{shown}, …"
