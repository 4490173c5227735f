"""Heiler et al.'s selections on nine data sets, and what they rest on: scales, numbers of samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC

from svmsieve.datasets import load, make_led24
from svmsieve.engine.arrays import FloatArray
from svmsieve.papers.problems import trial_seed
from svmsieve.papers.rows import between, folds_of, numbers, standardised
from svmsieve.papers.studies import Study, Values
from svmsieve.search import Forward, HillClimb
from svmsieve.selection.selector import SVMSieve

NONE, WRAPPER, SELECTION = "No Selection", "Wrapper", "SVM Selection"
FOLDS = 10
LED_SAMPLES = 250
"""Of Tables 1 and 2."""
LED_SIZES = (200, 250, 300, 500, 1000)
LED_TRUE = 7
"""The first features of the LED problem, its segments."""

Table = Callable[[int], tuple[Any, Any]]
"""Samples and labels, given a seed."""
Scaled = Callable[[FloatArray, FloatArray], FloatArray]
"""Puts rows on a scale, given the training rows."""


def _catalogue(name: str) -> Table:
    def table(seed: int) -> tuple[Any, Any]:
        data = load(name)
        return data.X, data.y

    return table


def _led(samples: int) -> Table:
    def table(seed: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(trial_seed(seed, "led", 0))
        return make_led24(samples, random_state=rng)

    return table


def _part(
    table: Table, condition: str, folds: int, trial: int, seed: int, scaled: Scaled
) -> tuple[FloatArray, Any, FloatArray, Any]:
    """Return the rows of one fold: nine tenths to train with and the tenth that judges, scaled."""
    X, y = table(seed)
    rng = np.random.default_rng(trial_seed(seed, condition, 0))
    held_out = folds_of(y, folds, rng) == trial
    raw = numbers(X, ~held_out), numbers(X, held_out, fitted_to=~held_out)
    train, test = (scaled(raw[0], part) for part in raw)
    return train, y[~held_out], test, y[held_out]


@dataclass(frozen=True)
class SelectionStudy(Study):
    """Select features on nine tenths of the samples, judge on the tenth that nothing has seen.

    Attributes
    ----------
    tables : samples and labels of each data set
    methods : no selection, the wrapper, and the selection by gradients at the support vectors
    scaled : puts rows on a scale
    not_wrapped : data sets without a wrapper
    """

    name: str
    trials: int
    tables: Mapping[str, Table]
    methods: tuple[str, ...] = (NONE, WRAPPER, SELECTION)
    scaled: Scaled = between
    not_wrapped: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(self.tables)

    @property
    def method_names(self) -> tuple[str, ...]:
        """The methods."""
        return self.methods

    @property
    def most_trials(self) -> int:
        """As many as there are folds."""
        return self.trials

    def runs(self, condition: str, method: str) -> bool:
        """Whether the method is run on the data set."""
        return method != WRAPPER or condition not in self.not_wrapped

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return accuracy (%), features, processor time and trainings (a cross-validation is one)."""
        train, labels, test, y_test = _part(
            self.tables[condition], condition, self.trials, trial, seed, self.scaled
        )
        start = time.process_time()
        trainings = 1.0
        if method == NONE:
            support = np.ones(train.shape[1], dtype=np.bool_)
        else:
            cv = min(FOLDS, int(np.unique(labels, return_counts=True)[1].min()))
            search = Forward(cv=cv) if method == WRAPPER else HillClimb(cv=cv)
            sieve = SVMSieve(
                SVC(gamma="auto"),
                criterion="sv-gradient",
                search=search,
                n_features_to_select="best",
                scale=False,
                random_state=trial,
            ).fit(train, labels)
            support = sieve.support_
            steps = sieve.record_.steps["all"]
            trainings = sum(step.n_trainings for step in steps) / cv + (method == SELECTION)
        seconds = time.process_time() - start
        machine = SVC(gamma="auto").fit(train[:, support], labels)
        values = {
            "accuracy": 100.0 * float(machine.score(test[:, support], y_test)),
            "features": float(support.sum()),
            "seconds": seconds,
            "trainings": trainings,
        }
        if condition == "led":
            values["relevant"] = float(support[:LED_TRUE].sum())
        return values


def raw(train: FloatArray, X: FloatArray) -> FloatArray:
    """Leave the rows as they are."""
    return X


def from_zero(train: FloatArray, X: FloatArray) -> FloatArray:
    """Scale to [0, 1] by the training rows."""
    return 0.5 * (between(train, X) + 1.0)


@dataclass(frozen=True)
class NoSelectionStudy(Study):
    """The accuracy with all features, where the paper leaves open what the samples were.

    Attributes
    ----------
    tables : data set and scale of each condition
    """

    name: str
    trials: int
    tables: Mapping[str, tuple[Table, Scaled]]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Data sets and how they are scaled, or how many samples they have."""
        return tuple(self.tables)

    @property
    def method_names(self) -> tuple[str, ...]:
        """No selection."""
        return (NONE,)

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return the accuracy (%) over the ten folds of one division, or of one set that was drawn."""
        table, scaled = self.tables[condition]
        right = total = 0
        for fold in range(FOLDS):
            train, labels, test, y_test = _part(table, condition, FOLDS, fold, seed + trial, scaled)
            right += int((SVC(gamma="auto").fit(train, labels).predict(test) == y_test).sum())
            total += len(y_test)
        return {"accuracy": 100.0 * right / total}


KR_VS_KP = "kr-vs-kp (for chess)"
SETS: dict[str, Table] = {
    "breast cancer": _catalogue("breast-cancer-wisconsin"),
    KR_VS_KP: _catalogue("kr-vs-kp"),
    "crx": _catalogue("crx"),
    "diabetes": _catalogue("pima"),
    "led": _led(LED_SAMPLES),
    "mfeat": _catalogue("mfeat"),
    "glass": _catalogue("glass"),
    "mushroom": _catalogue("mushroom"),
    "optidigit": _catalogue("optdigits"),
}
SELECTIONS = SelectionStudy("selection", FOLDS, SETS, not_wrapped=("mfeat",))
STANDARDISED = SelectionStudy("standardised", FOLDS, SETS, (NONE, SELECTION), standardised)
SCALES: dict[str, Scaled] = {
    "[−1, 1]": between,
    "[0, 1]": from_zero,
    "standardised": standardised,
    "raw": raw,
}
SCALED_SETS = ("breast cancer", "crx", "diabetes", "glass")
SCALINGS = NoSelectionStudy(
    "scales",
    2,
    {
        f"{name}, {scale}": (SETS[name], make)
        for name in SCALED_SETS
        for scale, make in SCALES.items()
    },
)
LED = NoSelectionStudy("led samples", 4, {str(n): (_led(n), between) for n in LED_SIZES})
