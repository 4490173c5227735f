"""The size that is enough: the default rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.folds import corrected_error
from svmsieve.search.path import Path, smoothed
from svmsieve.sizing.rules import Choice, SizeRule
from svmsieve.sizing.scored_rules import mean_scores


@dataclass(frozen=True)
class Enough(SizeRule):
    """The smallest size that is nearly as good as the best.

    By skill, where the sieve's own machines are judged by accuracy, balanced accuracy or R²: one less the
    squared error of the held-out samples' probabilities (or numbers) relative to that of guessing, which has
    less noise than a count of right answers.  With S the best skill, a size is worth its features where a
    doubling of their number gains ``price`` · S(1 − S); the smallest size that loses no more than ``share`` ·
    S(1 − S) against that one is enough; of more than two classes, where the same skill is worth about twice
    the accuracy, half of both.  What is lost must buy something: where it saves less than ``saving`` of all
    features, less may be lost, in proportion (of 500 features 12 are hardly fewer than 16).  And the mean
    score, which is what the user asked for, may be no more than ``loss`` below that of the best skill's size.

    By the scores otherwise, averaged with their neighbours': the smallest size within ``errors`` standard
    errors of the best size's mean.

    Standard errors are corrected for the samples that folds share (Nadeau & Bengio 2003: the variance times
    1/J + n_test/n_train over J folds): with more repeats the mean is known better, but what the folds share
    stays.  Where no size beats guessing by more than chance allows, the smallest size within one such error
    (or what chance does) is enough, and the reason says so.

    Parameters
    ----------
    errors : float, default=0.5
        How many corrected standard errors below the best are nearly as good, by the scores.
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
    share: float = 0.23
    price: float = 0.11
    saving: float = 0.1
    loss: float = 0.02
    needs_cv: ClassVar[bool] = True
    needs_guess: ClassVar[bool] = True

    def choose(self, path: Path) -> Choice:
        """Return the smallest size that is enough."""
        scores = mean_scores(path)
        if path.fold_skills is not None:
            return self._by_skill(path, path.fold_skills, scores)
        folds = smoothed(path.fold_scores)
        means = folds.mean(axis=1)
        best = int(np.argmax(means))
        error = corrected_error(folds[best], path.test_share)
        doubt = path.guess is not None and not beats(folds[best], path)
        near = max(error, path.chance) if doubt else self.errors * error
        size = int(path.n_features[means >= means[best] - near - 1e-12].min())
        number = int(path.n_features[best])
        words = "one standard error" if doubt else f"{self.errors:g} standard errors"
        reason = (
            f"smallest size within {near:.2g} ({words}) of the "
            f"best score, {means[best]:.4g} with {number} feature{'s' * (number != 1)}"
        )
        if doubt and path.guess is not None:
            reason = f"no size beats guessing ({path.guess.mean():.4g}) by more than chance allows; {reason}"
        return Choice(size, reason)

    def _by_skill(self, path: Path, skills: FloatArray, scores: FloatArray) -> Choice:
        means, sizes = skills.mean(axis=1), path.n_features
        best = int(np.argmax(means))
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
        told = [
            f"{means[place]:.3g} with {number} feature{'s' * (number != 1)}"
            for place, number in {chosen: int(sizes[chosen]), best: int(sizes[best])}.items()
        ]
        if doubt:
            what = "no size beats guessing by more than chance allows; smallest size not told from the best"
        reason = f"{what} skill (1 is perfect, 0 guessing): {', '.join(told)}"
        if chosen != best and not doubt:
            reason += f"; twice as many features must gain {price:.2g}"
            if chosen < worth:
                fewer = int(sizes[worth] - sizes[chosen])
                reason += f", {allowed[chosen]:.2g} may be lost for {fewer} fewer"
            fall = f"from {scores[best]:.3g} to {scores[chosen]:.3g}"
            reason += f", and the mean score, {fall}, may fall by {loss:.2g}"
        return Choice(int(sizes[chosen]), reason)


def beats(scores: FloatArray, path: Path) -> bool:
    """Return whether scores of folds are better than those of guessing by more than chance allows.

    They are the best of many sizes, points and rankings, and of noise the best looks good too: the gain must
    exceed two corrected errors, and three times what random decisions differ by on as many samples.
    """
    assert path.guess is not None
    gain = scores - path.guess
    error = corrected_error(gain, path.test_share)
    return bool(gain.mean() > max(2.0 * error, 3.0 * path.chance))
