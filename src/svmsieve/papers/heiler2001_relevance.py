"""The relevance of features and their information gain: Fig. 2 of Heiler et al. (2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC

from svmsieve.datasets import make_led24
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.papers.problems import trial_seed
from svmsieve.papers.studies import Study, Values
from svmsieve.ranking.rank import rank

RELEVANCE_SAMPLES = 1000
"""Of Fig. 2."""


def information_gain(x: FloatArray, y: IntArray) -> float:
    """Return ``h(y) − h(y|x)`` in bits, both variables discrete.

    >>> information_gain(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    1.0
    """

    def entropy(labels: IntArray) -> float:
        share = np.unique(labels, return_counts=True)[1] / len(labels)
        return float(-(share * np.log2(share)).sum())

    values = np.unique(x)
    return entropy(y) - float(sum((x == v).mean() * entropy(y[x == v]) for v in values))


@dataclass(frozen=True)
class RelevanceStudy(Study):
    """Relevance by the support vectors beside the information gain, on the LED problem."""

    name: str
    trials: int

    @property
    def conditions(self) -> tuple[str, ...]:
        """The LED problem."""
        return ("led",)

    @property
    def method_names(self) -> tuple[str, ...]:
        """The two measures and their correlation, all in one."""
        return ("d_k",)

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return both measures of every feature and their correlation."""
        rng = np.random.default_rng(trial_seed(seed, "led relevance", trial))
        X, y = make_led24(RELEVANCE_SAMPLES, random_state=rng)
        scores = rank(X, y, "sv-gradient", SVC(gamma="auto"), scale=False).scores
        gains = [information_gain(x, y) for x in X.T]
        values = {"r": float(np.corrcoef(scores, gains)[0, 1])}
        values["relevant on top"] = float(set(np.argsort(-scores)[:7]) == set(range(7)))
        for i, (score, gain) in enumerate(zip(scores, gains, strict=True), start=1):
            values[f"d_k@{i}"], values[f"gain@{i}"] = float(score), gain
        return values


RELEVANCE = RelevanceStudy("relevance", 30)
_MEASURES = {"relevance d_k": "d_k", "information gain (bits)": "gain"}
