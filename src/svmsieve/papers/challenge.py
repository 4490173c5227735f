"""Eliminations on the training part of a NIPS 2003 challenge problem, judged on its validation part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC

from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import tune_svc
from svmsieve.evaluation.metrics import balanced_error_rate
from svmsieve.inputs.scaling import Scale
from svmsieve.papers.problems import GivenParts, Split
from svmsieve.papers.studies import Study, Values
from svmsieve.papers.trainers import SVM
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.selection.selector import SVMSieve

ONCE, JUDGED, AGAIN = "C and γ once", "C and γ once, again to judge", "C and γ again on the way"


@dataclass(frozen=True)
class ChallengeStudy(Study):
    """FSPP2-RFE on the training part of a challenge problem, judged on its validation part.

    Attributes
    ----------
    data : name in the catalogue
    step : how many features leave at a time
    retune : sizes at which C and γ are tuned again, by the one-standard-error rule, where a method does
    sizes : numbers of features to judge
    true : features that are no probes, where they are known; adds the share of probes
    """

    name: str
    trials: int
    data: str
    step: Any
    retune: tuple[int, ...]
    sizes: tuple[int, ...]
    true: frozenset[int] = frozenset()

    @property
    def conditions(self) -> tuple[str, ...]:
        """The data set."""
        return (self.data,)

    @property
    def method_names(self) -> tuple[str, ...]:
        """When C and γ are tuned, always by 5-fold cross-validation of training samples."""
        return (ONCE, JUDGED, AGAIN)

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return balanced errors on the validation part, and the share of probes (%)."""
        split = GivenParts(self.data).split(seed, trial)
        again = method == AGAIN
        sieve = SVMSieve(
            None if again else _tuned_once(split, seed + trial),
            criterion="fspp2",
            step=self.step,
            retune=list(self.retune) if again else None,
            tuning="1se" if again else "best",
            n_features_to_select=1,
            random_state=seed + trial,
        ).fit(split.X, split.y)
        first = sieve.record_.steps["all"][0]
        kept = SVM("hinge", first.C, first.gamma)
        values: Values = {}
        for size in self.sizes:
            columns = sieve.order_[:size]
            scale = Scale.of(split.X[:, columns])
            X, X_valid = (scale.apply(part[:, columns]) for part in (split.X, split.X_test))
            machine = kept
            if method != ONCE:
                with one_blas_thread():
                    tuning = tune_svc(X, split.y, validation=Validation(seed=seed + trial))
                machine = SVM("hinge", tuning.best_C, tuning.best_gamma)
            predicted = machine.predictions(X, split.y, X_valid)
            values[f"ber@{size}"] = balanced_error_rate(split.y_test, predicted)
            if self.true:
                probes = len(set(columns.tolist()) - self.true)
                values[f"probes@{size}"] = 100.0 * probes / size
        return values


def _tuned_once(split: Split, seed: int) -> SVC:
    """Return the machine tuned on all features, whose γ stays as they leave."""
    own = int(np.random.SeedSequence([seed, 0]).generate_state(1)[0])
    with one_blas_thread():
        tuning = tune_svc(
            Scale.of(split.X).apply(split.X), split.y, validation=Validation(seed=own)
        )
    return SVC(C=tuning.best_C, gamma=tuning.best_gamma)
