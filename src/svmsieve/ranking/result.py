"""A ranking of features, and what is said where nothing has a score."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from html import escape
from typing import Any

from svmsieve.criteria import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray

_SHOWN = 10
_SHOWN_IN_PAGES = 20


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

    def _repr_html_(self) -> str:
        """What a notebook shows: the best features with their scores, as bars too."""
        largest = float(max(self.scores.max(initial=0.0), 1e-300))
        rows = "".join(
            f'<tr><td style="text-align:right">{place}</td><td style="text-align:left">'
            f'{escape(self._short(i))}</td><td>{self.scores[i]:.4g}</td><td style="text-align:left">'
            f'<div style="width:{100.0 * self.scores[i] / largest:.0f}px;height:0.7em;background:#1f5fbf">'
            "</div></td></tr>"
            for place, i in enumerate(self.order[:_SHOWN_IN_PAGES], start=1)
        )
        more = len(self) - _SHOWN_IN_PAGES
        rest = f"<p>… {more} more</p>" if more > 0 else ""
        title = f"Ranking of {len(self)} features by {self.criterion} ({self.machine})"
        head = "".join(f'<th scope="col">{name}</th>' for name in ("rank", "feature", "score", ""))
        return (
            f"<div><p>{escape(title)}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table>{rest}</div>"
        )

    def plot(self, top: int = 30, ax: Any = None) -> Any:
        """Plot the scores of the best features as bars; needs matplotlib.

        Parameters
        ----------
        top : int, default=30
            How many features to show.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        matplotlib Axes
            Where it was drawn.
        """
        from svmsieve.ranking.plots import plot_bars

        best = self.order[:top]
        ax = plot_bars([self.names[i] for i in best], self.scores[best], ["C0"] * len(best), ax)
        ax.set_xlabel(f"score by {self.criterion}")
        return ax

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
