"""FSPP2-RFE on the NIPS 2003 challenge's training parts, judged on their validation parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.evaluation.metrics import balanced_error_rate
from svmsieve.inputs.scaling import Scale
from svmsieve.papers.problems import GivenParts, Split
from svmsieve.papers.rows import SPREAD, bootstrap_spread
from svmsieve.papers.studies import Study, Values
from svmsieve.papers.trainers import SVM
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.selection.selector import SVMSieve

ONCE, JUDGED, AGAIN = "C and γ once", "C and γ once, again to judge", "C and γ again on the way"
DEFAULT = "the library's default"


@dataclass(frozen=True)
class Challenge:
    """How a data set of the challenge is eliminated and judged.

    Attributes
    ----------
    step : how many features leave at a time
    retune : sizes at which C and γ are tuned again, by the one-standard-error rule, where a method does
    sizes : numbers of features to judge
    true : features that are no probes, where they are known; adds the share of probes
    """

    step: Any
    retune: tuple[int, ...]
    sizes: tuple[int, ...]
    true: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ChallengeStudy(Study):
    """Eliminate on the training part, judge on the validation part; each trial has its own folds.

    Attributes
    ----------
    sets : by name in the catalogue
    """

    name: str
    trials: int
    sets: Mapping[str, Challenge]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The data sets."""
        return tuple(self.sets)

    @property
    def method_names(self) -> tuple[str, ...]:
        """When C and γ are tuned, always by 5-fold cross-validation of training samples."""
        return (ONCE, JUDGED, AGAIN, DEFAULT)

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return errors on the validation part by size; of the default, those of the size it chooses."""
        challenge = self.sets[condition]
        split = GivenParts(condition).split(seed, trial)
        if method == DEFAULT:
            sieve = SVMSieve(random_state=seed + trial).fit(split.X, split.y)
            decisions = sieve.decision_function(split.X_test)
            chosen = np.flatnonzero(sieve.support_)
            own = {"features": float(len(chosen))}
            return own | _judged(split, decisions, chosen, challenge.true, "own", seed + trial)
        order, kept = _eliminated(challenge, split, method == AGAIN, seed + trial)
        values: Values = {}
        for size in challenge.sizes:
            machine = kept
            scale = Scale.of(split.X[:, order[:size]])
            X, X_valid = (scale.apply(part[:, order[:size]]) for part in (split.X, split.X_test))
            if method != ONCE and size < len(order):
                with one_blas_thread():
                    tuning = tune_svc(X, split.y, validation=Validation(seed=seed + trial))
                machine = SVM("hinge", tuning.best_C, tuning.best_gamma)
            decisions = machine.decisions(X, split.y, X_valid)
            values |= _judged(
                split, decisions, order[:size], challenge.true, str(size), seed + trial
            )
        return values


def _eliminated(challenge: Challenge, split: Split, again: bool, seed: int) -> tuple[IntArray, SVM]:
    """Return the features, best first, and the machine with all of them."""
    sieve = SVMSieve(
        None if again else _tuned_once(split, seed),
        criterion="fspp2",
        step=challenge.step,
        retune=list(challenge.retune) if again else None,
        tuning="1se" if again else "best",
        n_features_to_select=1,
        random_state=seed,
    ).fit(split.X, split.y)
    first = sieve.record_.steps["all"][0]
    return sieve.order_, SVM("hinge", first.C, first.gamma)


def _judged(
    split: Split, decisions: FloatArray, columns: IntArray, true: frozenset[int], at: str, seed: int
) -> Values:
    """Return BER with its spread, the AUC of labels and of decisions, and the share of probes (%)."""
    y, labels = split.y_test, np.unique(split.y)
    predicted = labels[(np.ravel(decisions) > 0.0).astype(np.intp)]
    error = balanced_error_rate(y, predicted)
    spread = bootstrap_spread(balanced_error_rate, y, predicted, seed)
    values = {
        f"ber@{at}": error,
        f"ber@{at}{SPREAD}": spread,
        f"auc of labels@{at}": 1.0 - error,  # a curve of one point
        f"auc of labels@{at}{SPREAD}": spread,
        f"auc@{at}": float(roc_auc_score(y, np.ravel(decisions))),
        f"auc@{at}{SPREAD}": bootstrap_spread(roc_auc_score, y, np.ravel(decisions), seed),
    }
    if true:
        probes = len(set(columns.tolist()) - true)
        values[f"probes@{at}"] = 100.0 * probes / max(len(columns), 1)
    return values


def _tuned_once(split: Split, seed: int) -> SVC:
    """Return the machine tuned on all features, whose γ stays as they leave."""
    own = int(np.random.SeedSequence([seed, 0]).generate_state(1)[0])
    with one_blas_thread():
        tuning = tune_svc(
            Scale.of(split.X).apply(split.X), split.y, validation=Validation(seed=own)
        )
    return SVC(C=tuning.best_C, gamma=tuning.best_gamma)
