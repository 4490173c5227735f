"""Which of several rankings to take, by the scores of their paths in the same folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.search.contract import Step
from svmsieve.search.path import Tried, smoothed


@dataclass(frozen=True)
class Judged:
    """The path of one ranking, judged at every size and point of the grid in every fold.

    Attributes
    ----------
    sizes : in growing order
    scores : shape (sizes, points, folds), higher is better; NaN where a point was not judged
    skills : of the same shape; None where the scores decide
    """

    sizes: IntArray
    scores: FloatArray
    skills: FloatArray | None = None

    @classmethod
    def of(cls, folds: Sequence[Sequence[Step]]) -> Judged:
        """Join the steps of the folds, which visit the same sizes."""
        by_size = [sorted(steps, key=lambda step: step.size) for steps in folds]
        scores = np.array([[step.point_scores for step in steps] for steps in by_size], dtype=float)
        skills = np.array([[step.point_skills for step in steps] for steps in by_size], dtype=float)
        return cls(
            np.array([step.size for step in by_size[0]]),
            scores.transpose(1, 2, 0),
            skills.transpose(1, 2, 0) if skills.size else None,
        )

    @cached_property
    def _means(self) -> FloatArray:
        """What decides between the points of each size: means over the folds, if all judged it."""
        means = (self.scores if self.skills is None else self.skills).mean(axis=2)
        return np.where(np.isnan(means), -np.inf, means)

    @cached_property
    def points(self) -> IntArray:
        """The best point of each size, by its mean over the folds."""
        return self._means.argmax(axis=1)

    def best_points(self, n: int) -> dict[int, tuple[int, ...]]:
        """Return the places of the best ``n`` points of each size, growing."""
        places = np.argsort(-self._means, axis=1, kind="stable")[:, :n]
        return {
            int(size): tuple(sorted(row.tolist()))
            for size, row in zip(self.sizes, places, strict=True)
        }

    @cached_property
    def curve(self) -> FloatArray:
        """Scores of each size at its best point, shape (sizes, folds)."""
        return self.scores[np.arange(len(self.sizes)), self.points]

    @cached_property
    def skill_curve(self) -> FloatArray | None:
        """Skills of each size at its best point, shape (sizes, folds)."""
        return None if self.skills is None else self.skills[np.arange(len(self.sizes)), self.points]

    @cached_property
    def deciding(self) -> FloatArray:
        """What sizes are compared by: skills, or scores smoothed over neighbouring sizes."""
        return smoothed(self.curve) if self.skill_curve is None else self.skill_curve

    @cached_property
    def best(self) -> int:
        """Index of the best size."""
        return int(self.deciding.mean(axis=1).argmax())

    @property
    def at_best(self) -> FloatArray:
        """What decides, in the folds at the best size."""
        return self.deciding[self.best]


def choose_ranking(judged: Mapping[str, Judged]) -> list[Tried]:
    """Compare the rankings in their order; the best is taken if it beats the first by a standard error.

    The standard error is that of the folds' differences to the first ranking.
    """
    first = next(iter(judged.values()))
    rows = []
    for name, each in judged.items():
        differences = each.at_best - first.at_best
        n = len(differences)
        se = float(differences.std(ddof=1) / np.sqrt(n)) if n > 1 else 0.0
        score = skill = float(each.at_best.mean())
        if each.skills is not None:
            score = float(each.curve[each.best].mean())
        rows.append(
            Tried(
                name,
                int(each.sizes[each.best]),
                score,
                float(differences.mean()),
                se,
                taken=False,
                skill=None if each.skills is None else skill,
            )
        )
    winner = max(range(len(rows)), key=lambda i: rows[i].difference)
    if rows[winner].difference <= rows[winner].se:
        winner = 0
    return [replace(row, taken=i == winner) for i, row in enumerate(rows)]
