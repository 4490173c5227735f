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
    """The smallest, or the middle, of the sizes that are nearly as good as the best.

    By skill, where the sieve's own machines are judged by accuracy, balanced accuracy or R²: one less the
    squared error of the held-out samples' probabilities (or numbers) relative to that of guessing, which has
    less noise than a count of right answers.  With S the best skill, a size is worth its features where a
    doubling of their number gains ``price`` · S(1 − S); the smallest size that loses no more than ``share`` ·
    S(1 − S) against that one is enough; of more than two classes, where the same skill is worth about twice
    the accuracy, half of both.  What is lost must buy something: where it saves less than ``saving`` of all
    features, less may be lost, in proportion (of 500 features 12 are hardly fewer than 16).  And the mean
    score, which is what the user asked for, may be no more than ``loss`` below that of the best skill's size.

    By the scores otherwise, averaged with their neighbours': with S the best mean and e its standard error,
    each size is weighed by exp(−(S − s(k))/(``errors`` · e)) / k^``decay``, and enough is the weighted
    median, the first size that has half of the weight at it or below, or the best size where that is
    smaller.  Scores of a few folds have more noise than skills, and the smallest size near the best loses
    more by it (docs/quality/ablation.md).

    Standard errors are corrected for the samples that folds share (Nadeau & Bengio 2003: the variance times
    1/J + n_test/n_train over J folds): with more repeats the mean is known better, but what the folds share
    stays.  Where no size beats guessing by more than chance allows, the smallest size within one such error
    (or what chance does) is enough, and the reason says so.

    Parameters
    ----------
    errors : float, default=0.5
        How many corrected standard errors below the best a size has e times less weight, by the scores.
    decay : float, default=0.7
        How fast the weight falls with the number of features, by the scores: of twice as many it is
        2^−decay.
    share : float, default=0.23
        Skill that fewer features may lose, as a share of S(1 − S): of a skill of one half 0.06,
        of a nearly perfect one nearly nothing.
    price : float, default=0.11
        Skill that twice as many features must gain, as a share of S(1 − S).
    saving : float, default=0.1
        Share of all features that must be saved for the whole of what may be lost; for less of them less
        may be lost, in proportion.
    loss : float, default=0.02
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
    decay: float = 0.7
    share: float = 0.23
    price: float = 0.11
    saving: float = 0.1
    loss: float = 0.02
    needs_cv: ClassVar[bool] = True
    needs_guess: ClassVar[bool] = True

    def choose(self, path: Path) -> Choice:
        """Return the size that is enough."""
        scores = mean_scores(path)
        if path.fold_skills is not None:
            return self._by_skill(path, path.fold_skills, scores)
        return self._by_score(path, scores)

    def _by_score(self, path: Path, scores: FloatArray) -> Choice:
        folds, sizes = smoothed(path.fold_scores), path.n_features
        means = folds.mean(axis=1)
        best = _first_best(means)
        error, told = corrected_error(folds[best], path.test_share), _told(means, sizes, best, 4)
        smooth = "" if means[best] == scores[best] else "smoothed "
        if path.guess is not None and not beats(folds[best], path):
            near = max(error, path.chance)
            what = "one standard error" if error >= path.chance else "what chance does"
            return Choice(
                int(sizes[means >= means[best] - near - 1e-12][0]),
                f"no size beats guessing ({path.guess.mean():.4g}) by more than chance allows; smallest size "
                f"within {near:.2g} ({what}) of the best {smooth}score, {told}",
            )
        near = max(self.errors * error, 1e-12)
        weights = np.exp(-np.maximum(means[best] - means, 0.0) / near) / sizes**self.decay
        chosen = min(best, _middle(weights))
        reason = f"best {smooth}score, {told}"
        if chosen != best:
            found = f"{smooth}score, {_told(means, sizes, chosen, 4)}"
            reason = (
                f"middle of the sizes near the best: {found}; {reason}, standard error {error:.2g}"
            )
        return Choice(int(sizes[chosen]), reason)

    def _by_skill(self, path: Path, skills: FloatArray, scores: FloatArray) -> Choice:
        means, sizes = skills.mean(axis=1), path.n_features
        best = _first_best(means)
        gain = skills[best] - (0.0 if path.guess_skills is None else path.guess_skills)
        near = max(corrected_error(gain, path.test_share), path.skill_chance)
        doubt = bool(gain.mean() <= near)
        worth, allowed, loss = best, np.full(len(sizes), near), np.inf
        if not doubt:
            # Guessing, too, can be worse than the mean of all samples: then nothing may be lost.
            unit = max(0.0, means[best] * (1.0 - means[best])) * (0.5 if path.many_classes else 1.0)
            price = self.price * unit
            worth = int(np.argmax(means - price * np.log2(sizes)))
            saved = (sizes[worth] - sizes) / max(self.saving * path.n_units, 1e-12)
            allowed, loss = self.share * unit * np.clip(saved, 0.0, 1.0), self.loss
        near_in_score = scores >= scores[best] - loss - 1e-12
        chosen = int(np.flatnonzero((means >= means[worth] - allowed - 1e-12) & near_in_score)[0])
        what = "best" if chosen == best else "smallest size of nearly the best"
        told = [_told(means, sizes, place, 3) for place in dict.fromkeys((chosen, best))]
        if doubt:
            what = "no size beats guessing by more than chance allows; smallest size not told from the best"
        by_chance = f", {path.skill_chance:.2g} by chance" if path.skill_chance >= 0.1 else ""
        reason = f"{what} skill (1 is perfect, 0 guessing{by_chance}): {', '.join(told)}"
        if chosen != best and not doubt:
            reason += f"; twice as many features must gain {price:.2g}"
            if chosen < worth:
                fewer = int(sizes[worth] - sizes[chosen])
                reason += f", {allowed[chosen]:.2g} may be lost for {fewer} fewer"
            fall = f"from {scores[best]:.3g} to {scores[chosen]:.3g}"
            reason += f", and the mean score, {fall}, may fall by {loss:.2g}"
        error = corrected_error(gain, path.test_share)
        if not doubt and gain.mean() < max(2.0 * error, 1.5 * path.skill_chance):
            reason += f"; that it beats guessing is not sure ({gain.mean():.2g} ± {error:.2g})"
        return Choice(int(sizes[chosen]), reason)


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
