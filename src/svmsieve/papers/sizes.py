"""Rows and columns that the papers count, counted in the data at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.datasets import load
from svmsieve.papers.problems import PaperProblem
from svmsieve.papers.studies import Study, Values

COUNTED = "counted"
"""The method: nothing is trained."""


@dataclass(frozen=True)
class SizesStudy(Study):
    """Count rows and columns; there is nothing to repeat.

    Attributes
    ----------
    counts : what counts in each data set
    """

    name: str
    counts: Mapping[str, Callable[[], Mapping[str, int]]]
    trials: int = 1

    @property
    def conditions(self) -> tuple[str, ...]:
        """The data sets."""
        return tuple(self.counts)

    @property
    def method_names(self) -> tuple[str, ...]:
        """Counting."""
        return (COUNTED,)

    @property
    def most_trials(self) -> int:
        """One: a count does not vary."""
        return 1

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return the counts."""
        return {name: float(count) for name, count in self.counts[condition]().items()}


def split_sizes(problem: PaperProblem) -> Callable[[], Mapping[str, int]]:
    """Count training rows, test rows and features of a problem's first split."""

    def count() -> Mapping[str, int]:
        split = problem.split(0, 0)
        return {"train": len(split.X), "test": len(split.X_test), "features": split.X.shape[1]}

    return count


def part_sizes(data: str) -> Callable[[], Mapping[str, int]]:
    """Count the rows of each part of a challenge's data set, and its features."""

    def count() -> Mapping[str, int]:
        parts = load(data).parts
        return {name: part.X.shape[0] for name, part in parts.items()} | {
            "features": parts["train"].X.shape[1]
        }

    return count


def class_sizes(make: Callable[[], tuple[Any, Any]]) -> Callable[[], Mapping[str, int]]:
    """Count rows, features, and the samples of the smaller and of the larger class."""

    def count() -> Mapping[str, int]:
        X, y = make()
        smaller, larger = sorted(np.unique(y, return_counts=True)[1].tolist())
        return {"rows": len(y), "features": X.shape[1], "smaller": smaller, "larger": larger}

    return count
