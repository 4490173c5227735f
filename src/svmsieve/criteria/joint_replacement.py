"""Decision values with the values of a group of columns replaced at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from svmsieve.criteria.answers import Replaced
from svmsieve.criteria.material import Data
from svmsieve.engine.arrays import FloatArray, IntArray, Matrix, dense_columns
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.group_kinds import (
    GroupKinds,
    group_kinds,
    moments_of_kinds,
    response_of_kinds,
)
from svmsieve.engine.kernels.kernel import RBF
from svmsieve.engine.machines.trained import Trained


class Shared(Protocol):
    """What the replacements of all features share (:mod:`svmsieve.criteria.replacement`)."""

    trained: Trained
    data: Data
    rows: IntArray
    X: Matrix
    truth: FloatArray | IntArray
    lenders: list[IntArray | None]
    shares: list[FloatArray]

    def values(self, columns: IntArray) -> FloatArray:
        """The values of all samples."""

    def base(self, index: int) -> FloatArray:
        """The base matrix of the rows and a machine's centres."""

    def before(self) -> FloatArray:
        """The decision values with all features as they are."""


class _OfKinds(NamedTuple):
    """What a machine's answers to a group of few kinds follow from."""

    kinds: GroupKinds
    moments: FloatArray
    gamma: float
    intercept: float

    def __call__(self, own: FloatArray, new: FloatArray) -> FloatArray:
        """Return the decision values after the group's own values were replaced by new ones."""
        return response_of_kinds(self.kinds, self.moments, own, new, self.gamma) + self.intercept


def joint_decisions(replacing: Shared, joint: IntArray) -> Iterator[Replaced]:
    """Replace the columns of each of the groups ``joint`` at once."""
    data, expansions = replacing.data, replacing.trained.expansions
    groups = data.groups or ()
    few = _few_kinds(replacing, joint)
    before = replacing.before() if len(joint) else np.empty(0)
    for group in joint:
        columns = groups[group]
        values = replacing.values(columns)
        own, which = values[replacing.rows], np.array([group])
        for lender, share in zip(replacing.lenders, replacing.shares, strict=True):
            new = lent(values, lender, len(replacing.rows))
            if group in few:
                answers = [machine(own, new) for machine in few[group]]
            else:
                answers = [
                    group_response(expansion, replacing.X, columns, new, replacing.base(index))
                    for index, expansion in enumerate(expansions)
                ]
            after = np.column_stack(answers)[:, None, :]
            yield Replaced(which, before, after, replacing.truth, share, replacing.rows)


def _few_kinds(replacing: Shared, joint: IntArray) -> dict[int, list[_OfKinds]]:
    """The machines' sums over kinds, of the groups in which all samples are of few; none but for RBF."""
    data = replacing.data
    if data.groups is None or not isinstance(data.kernel, RBF):
        return {}
    gamma = data.kernel.gamma
    every = {int(g): group_kinds(dense_columns(data.X, data.groups[g]), gamma) for g in joint}
    few = {group: kinds for group, kinds in every.items() if kinds is not None}
    answers: dict[int, list[_OfKinds]] = {group: [] for group in few}
    if not few:
        return answers
    whole = len(replacing.rows) == len(data.target)
    K = data.gram.matrix if whole else data.gram.matrix[replacing.rows]
    for part, expansion in zip(replacing.trained.parts, replacing.trained.expansions, strict=True):
        own = {
            group: GroupKinds(kinds.codes[part.centers], kinds.values)
            for group, kinds in few.items()
        }
        K_part = np.take(K, part.centers, axis=1)
        moments = moments_of_kinds(K_part, expansion.coef, list(own.values()))
        for group, found in zip(own, moments, strict=True):
            answers[group].append(_OfKinds(own[group], found, gamma, expansion.intercept))
    return answers


def lent(values: FloatArray, lender: IntArray | None, n: int) -> FloatArray:
    """Return the replacement values of n samples: those of their lenders, or zeros."""
    return np.zeros((n, values.shape[1])) if lender is None else np.take(values, lender, axis=0)
