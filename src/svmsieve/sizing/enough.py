"""The size that is enough: the default rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.folds import corrected_error
from svmsieve.search.path import Path, smoothed
from svmsieve.sizing.rules import Choice, SizeRule
from svmsieve.sizing.scored_rules import mean_scores


@dataclass(frozen=True)
class Enough(SizeRule):
    """The middle of the sizes that are nearly as good as the best.

    By skill, where the sieve's own machines are judged by accuracy, balanced accuracy or R²: one less the
    squared error of the held-out samples' probabilities (or numbers) relative to that of guessing, which has
    less noise than a count of right answers.  With S the best skill, s(k) that of size k and e(k) the
    standard error of their difference, each size is weighed by how near to the best it comes,

        w(k) = exp(−(S − s(k))/(errors · e(k) + share · S(1 − S))) / k^price,

    of more than two classes, where the same skill is worth about twice the accuracy, with half of S(1 − S).
    Enough is their weighted median, the first size that has half of the weight at it or below, or the best
    size where that is smaller.  The best size alone, or the smallest within a tolerance, is another one in
    every other sample; the middle of all that are nearly as good is steadier.  A size whose mean score, which
    is what the user asked for, is more than ``loss`` below that of the best skill's size has no weight.

    By the scores otherwise, averaged with their neighbours': the same middle, with the standard error of the
    best size's mean in place of the difference's, and no share.

    Standard errors are corrected for the samples that folds share (Nadeau & Bengio 2003: the variance times
    1/J + n_test/n_train over J folds): with more repeats the mean is known better, but what the folds share
    stays.  Where no size beats guessing by more than chance allows, the smallest size within one such error
    (or what chance does) is enough, and the reason says so.

    Parameters
    ----------
    errors : float, default=0.5
        How many corrected standard errors below the best are nearly as good.
    share : float, default=0.15
        Skill below the best that is nearly as good whatever its error, as a share of S(1 − S): of a skill of
        one half 0.04, of a nearly perfect one nearly nothing.
    price : float, default=0.7
        What more features cost: twice as many have 2^−price times the weight.
    loss : float, default=0.025
        Mean score (accuracy, balanced accuracy, R²) that may be lost against the size of the best skill.

    See Also
    --------
    svmsieve.sizing.OneStandardError : The smallest size whose mean score is within one standard
        error of the best size's.
    svmsieve.sizing.Best : The size with the best cross-validated score; of equal ones, but for
        rounding, the smallest.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 0] + X[:, 1] > 0
    >>> from svmsieve.sizing import Enough
    >>> sieve = SVMSieve(SVC(), n_features_to_select=Enough(), cv=3).fit(X, y)
    >>> int(sieve.n_features_)
    2
    """

    errors: float = 0.5
    share: float = 0.15
    price: float = 0.7
    loss: float = 0.025
    needs_cv: ClassVar[bool] = True
    needs_guess: ClassVar[bool] = True

    def choose(self, path: Path) -> Choice:
        """Return the size that is enough."""
        scores = mean_scores(path)
        if path.fold_skills is not None:
            return self._by_skill(path, path.fold_skills, scores)
        return self._by_score(path)

    def _by_score(self, path: Path) -> Choice:
        folds, sizes = smoothed(path.fold_scores), path.n_features
        means = folds.mean(axis=1)
        best = _first_best(means)
        error, told = corrected_error(folds[best], path.test_share), _told(means, sizes, best, 4)
        if path.guess is not None and not beats(folds[best], path):
            near = max(error, path.chance)
            return Choice(
                int(sizes[means >= means[best] - near - 1e-12][0]),
                f"no size beats guessing ({path.guess.mean():.4g}) by more than chance allows; smallest size "
                f"within {near:.2g} (one standard error) of the best score, {told}",
            )
        near = max(self.errors * error, 1e-12)
        weights = np.exp(-np.maximum(means[best] - means, 0.0) / near) / sizes**self.price
        chosen = min(best, _middle(weights))
        reason = f"best score, {told}"
        if chosen != best:
            reason = (
                f"middle of the sizes near the best score ({self.errors:g} standard errors: {near:.2g}): "
                f"{_told(means, sizes, chosen, 4)}, {told}"
            )
        return Choice(int(sizes[chosen]), reason)

    def _by_skill(self, path: Path, skills: FloatArray, scores: FloatArray) -> Choice:
        means, sizes = skills.mean(axis=1), path.n_features
        best = _first_best(means)
        gain = skills[best] - (0.0 if path.guess_skills is None else path.guess_skills)
        near = max(corrected_error(gain, path.test_share), path.skill_chance)
        doubt = bool(gain.mean() <= near)
        if doubt:
            what = "no size beats guessing by more than chance allows; smallest size not told from the best"
            chosen = int(np.flatnonzero(means >= means[best] - near - 1e-12)[0])
        else:
            lost = scores < scores[best] - self.loss - 1e-12
            chosen = min(best, _middle(np.where(lost, 0.0, self._weights(path, skills, best))))
            what = "best" if chosen == best else "middle of the sizes of nearly the best"
        told = [_told(means, sizes, place, 3) for place in dict.fromkeys((chosen, best))]
        reason = f"{what} skill (1 is perfect, 0 guessing): {', '.join(told)}"
        if chosen != best and not doubt:
            fall = f"from {scores[best]:.3g} to {scores[chosen]:.3g}"
            reason += f"; the mean score, {fall}, may fall by {self.loss:.2g}"
        return Choice(int(sizes[chosen]), reason)

    def _weights(self, path: Path, skills: FloatArray, best: int) -> FloatArray:
        below = skills[best] - skills
        errors = np.array([corrected_error(row, path.test_share) for row in below])
        level = float(skills[best].mean())
        # Guessing, too, can be worse than the mean of all samples: then its error alone counts.
        unit = max(0.0, level * (1.0 - level)) * (0.5 if path.many_classes else 1.0)
        scale = np.maximum(self.errors * errors + self.share * unit, 1e-12)
        return np.exp(-np.maximum(below.mean(axis=1), 0.0) / scale) / path.n_features**self.price


def _first_best(means: FloatArray) -> int:
    """Return the place of the largest mean; of equal ones, but for rounding, the first."""
    return int(np.flatnonzero(means >= means.max() - 1e-12)[0])


def _told(means: FloatArray, sizes: IntArray, place: int, digits: int) -> str:
    number = int(sizes[place])
    return f"{means[place]:.{digits}g} with {number} feature{'s' * (number != 1)}"


def _middle(weights: FloatArray) -> int:
    """Return the place of the weighted median."""
    below = weights.cumsum()
    return int(np.searchsorted(below, 0.5 * below[-1]))


def beats(scores: FloatArray, path: Path) -> bool:
    """Return whether scores of folds are better than those of guessing by more than chance allows.

    They are the best of many sizes, points and rankings, and of noise the best looks good too: the gain must
    exceed two corrected errors, and three times what random decisions differ by on as many samples.
    """
    assert path.guess is not None
    gain = scores - path.guess
    error = corrected_error(gain, path.test_share)
    return bool(gain.mean() > max(2.0 * error, 3.0 * path.chance))
