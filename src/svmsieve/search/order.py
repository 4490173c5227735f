"""The order of the units that a search arrived at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.search.contract import Step


class Order(NamedTuple):
    """Units, best first, and the score each had when it left or entered."""

    units: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, steps: Sequence[Step], n_units: int) -> Order:
        """Read the order off the steps, also of a search that is not at its end.

        Eliminated units rank from the last to the first; units that a search has not reached rank by
        the ranking it started from, or by their columns: before those eliminated, behind those added.
        """
        grows = len(steps) > 1 and steps[1].size > steps[0].size
        grows = grows or bool(steps and (steps[0].ranking or steps[0].fold_scores))
        moved = [unit for step in steps for unit in step.moved]
        scores = [score for step in steps for score in step.scores]
        known = dict(zip(moved, scores, strict=True))
        first = steps[0] if steps else None
        start = list(first.ranking) if first is not None and first.ranking else list(range(n_units))
        if first is not None:
            for unit, score in zip(first.ranking, first.ranking_scores, strict=True):
                known.setdefault(unit, score)
        seen = set(moved)
        rest = [unit for unit in start if unit not in seen]
        units = moved + rest if grows else rest + moved[::-1]
        return cls(np.array(units, dtype=np.intp), np.array([known.get(u, np.nan) for u in units]))
