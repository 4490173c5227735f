"""A ranking of features, and what is said where nothing has a score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from svmsieve.criteria import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray

_SHOWN = 10


@dataclass(frozen=True)
class Ranking:
    """Features from the most to the least important.

    What :func:`rank` returns; printed, it shows the ten best.

    Parameters
    ----------
    scores : ndarray of float
        The criterion's score of each feature (or group), in the order of the columns.
    order : ndarray of int
        Indices of the features, best first; of equal scores the first column comes first.
    names : list of str
        Names of the features (or groups), in the order of the columns.
    criterion : str
        Name of the criterion.
    machine : str
        The machine the scores come from, in words.
    groups : tuple of ndarray of int, or None, default=None
        Columns of each group, a column that stands alone being one; None where all do.

    See Also
    --------
    svmsieve.rank : Rank the features of a data set by what they mean to a support vector machine.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svmsieve import rank
    >>> ranking = rank(*load_iris(return_X_y=True, as_frame=True), "f-score")
    >>> ranking.to_frame().feature.tolist()[:2]
    ['petal length (cm)', 'petal width (cm)']
    """

    scores: FloatArray
    order: IntArray
    names: list[str]
    criterion: str
    machine: str
    groups: tuple[IntArray, ...] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        width = max(len(self._short(i)) for i in self.order[:_SHOWN])
        lines = [f"Ranking of {len(self)} features by {self.criterion} ({self.machine})"]
        for place, i in enumerate(self.order[:_SHOWN], start=1):
            lines.append(f"{place:5d}  {self._short(i):<{width}}  {self.scores[i]:.4g}")
        if len(self) > _SHOWN:
            lines.append(f"       … {len(self) - _SHOWN} more")
        return "\n".join(lines)

    def _short(self, i: int) -> str:
        """The name on one line of at most 40 characters."""
        name = "".join(c if c.isprintable() else "�" for c in self.names[i])
        return name if len(name) <= 40 else name[:39] + "…"

    def to_frame(self) -> Any:
        """Return a pandas frame, best first: feature, score, column (of a group the list), rank as index.

        Returns
        -------
        DataFrame
            Feature, score and column, best first.
        """
        import pandas as pd

        groups = self.groups
        return pd.DataFrame(
            {
                "feature": [self.names[i] for i in self.order],
                "score": self.scores[self.order],
                "column": self.order
                if groups is None
                else [groups[i].tolist() for i in self.order],
            },
            index=pd.RangeIndex(1, len(self) + 1, name="rank"),
        )


def warn_of_zeros(largest: float, n: int, criterion: Criterion, estimator: Any) -> None:
    """Tell the user that none of ``n`` features has a score, so that their order means nothing."""
    if largest > 0.0 or n == 1:
        return
    if criterion.machine is None:
        why = "none of them varies with the target; try another criterion or look at the target"
    elif estimator is None:
        why = (
            "the tuned machine answers to none of them; try another criterion or look at the target"
        )
    else:
        why = (
            "the machine answers to none of them; raise its C, lower its epsilon or gamma, or leave the "
            "estimator out to have them tuned"
        )
    warnings.warn(
        f"All scores of {criterion.name!r} are zero, the features are in the order of their columns: {why}.",
        UserWarning,
        stacklevel=3,
    )
