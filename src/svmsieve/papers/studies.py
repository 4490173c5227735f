"""What a paper's experiment is made of: settings, methods, and what is measured in each trial."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from svmsieve.criteria import Criterion
from svmsieve.engine.arrays import FloatArray, IntArray
from svmsieve.engine.machines.grid_search import Validation
from svmsieve.engine.machines.tuning import tune_svc, tune_svr
from svmsieve.evaluation.metrics import balanced_error_rate
from svmsieve.inputs.scaling import Scale
from svmsieve.papers.problems import PaperProblem, Split, trial_seed
from svmsieve.papers.trainers import SVM
from svmsieve.ranking.rank import rank
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.selection.selector import SVMSieve

Values = dict[str, float]
"""What one method shows in one trial: name of a measure to its value."""


class Study(ABC):
    """One computation of a paper, from which tables and figures are drawn.

    It is made of units (condition, method, trial) that can be run in any order and anywhere.

    Attributes
    ----------
    name : what tells it from the paper's other studies
    trials : number of trials in the paper
    conditions, methods : their labels
    """

    name: str
    trials: int

    @property
    @abstractmethod
    def conditions(self) -> tuple[str, ...]:
        """Labels of the conditions: data sets, sample sizes, parameters."""

    @property
    @abstractmethod
    def method_names(self) -> tuple[str, ...]:
        """Labels of the methods."""

    @property
    def most_trials(self) -> int | None:
        """How many trials there can be; None where each draws its samples anew."""
        return None

    def runs(self, condition: str, method: str) -> bool:
        """Whether a method is run in a condition."""
        return True

    def tunings(self) -> list[tuple[str, int]]:
        """Return (condition, trial) of each tuning that has to be done before anything is measured."""
        return []

    def tune(self, condition: str, trial: int, seed: int) -> dict[str, Any]:
        """Return the cross-validated scores of one tuning, as JSON takes them."""
        raise NotImplementedError

    @abstractmethod
    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return what one method shows in one trial; ``tuned`` holds the condition's tunings."""

    def chosen(self, condition: str, tuned: list[dict[str, Any]]) -> dict[str, float]:
        """Return the parameters that the tunings of a condition lead to."""
        return {}


@dataclass(frozen=True)
class Method:
    """How a method orders the features; without a criterion it takes all of them as they come.

    Attributes
    ----------
    criterion : name or instance
    search : ``"rfe"`` or ``"once"``
    """

    criterion: str | Criterion | None
    search: Literal["rfe", "once"] = "rfe"


@dataclass(frozen=True)
class Tuned:
    """Parameters found by 5-fold cross-validation on the paper's grid, over the first trials.

    Attributes
    ----------
    loss : ``"hinge"`` or ``"epsilon"``
    trials : trials whose training samples are tuned on
    rule : ``"average"``: the point of the lowest mean error over these trials (Yang & Ong);
        ``"median"`` of the trials' best points (Rätsch et al.)
    """

    loss: Literal["hinge", "epsilon"]
    trials: int = 5
    rule: Literal["average", "median"] = "average"


@dataclass(frozen=True)
class Setting:
    """A condition of a ranking study: the samples, the machine, and how many features are tried."""

    problem: PaperProblem
    machine: SVM | Tuned
    sizes: tuple[int, ...]


def mean_squared_error(y: FloatArray, predicted: FloatArray) -> float:
    """Return the mean squared difference."""
    return float(np.mean((y - predicted) ** 2))


def error_rate(y: Any, predicted: Any) -> float:
    """Return the share of wrong labels."""
    return float(np.mean(y != predicted))


LOSSES: dict[str, Callable[[Any, Any], float]] = {
    "error": error_rate,
    "mse": mean_squared_error,
    "ber": balanced_error_rate,
}


@dataclass(frozen=True)
class RankingStudy(Study):
    """Rank the features, then judge a machine on the best of them.

    In each trial: split; standardise by the training samples; rank them by the method; for each size
    train the machine on that many best features and judge it on the test samples.

    Attributes
    ----------
    settings : of each condition
    methods : of each label
    loss : what judges: ``"error"``, ``"mse"`` or ``"ber"``
    step : how many features leave at a time
    relevant : the true features; adds the measure ``found``, whether they are exactly the first ones
    scores : adds the measures ``score@i``, the criterion's score of feature i with all features
    removal : adds ``removed@k``, the score of the feature that leaves when k remain, and ``bound@k``
    """

    name: str
    trials: int
    settings: Mapping[str, Setting]
    methods: Mapping[str, Method]
    loss: Literal["error", "mse", "ber"] = "error"
    step: Any = 1
    relevant: frozenset[int] = field(default=frozenset())
    scores: bool = False
    removal: bool = False

    @property
    def conditions(self) -> tuple[str, ...]:
        """Labels of the settings."""
        return tuple(self.settings)

    @property
    def method_names(self) -> tuple[str, ...]:
        """Labels of the methods."""
        return tuple(self.methods)

    def tunings(self) -> list[tuple[str, int]]:
        """Return the first trials of the conditions whose machine is tuned."""
        return [
            (condition, trial)
            for condition, setting in self.settings.items()
            if isinstance(setting.machine, Tuned)
            for trial in range(setting.machine.trials)
        ]

    def tune(self, condition: str, trial: int, seed: int) -> dict[str, Any]:
        """Cross-validate on the training samples of one trial."""
        setting = self.settings[condition]
        assert isinstance(setting.machine, Tuned)
        split = setting.problem.split(seed, trial)
        X = Scale.of(split.X).apply(split.X)
        search = tune_svr if setting.machine.loss == "epsilon" else tune_svc
        with one_blas_thread():
            own = Validation(seed=_whole(seed, setting.problem.name, trial))
            tuning = search(X, split.y, validation=own)
        return {
            "C": tuning.C.tolist(),
            "gamma": tuning.gamma.tolist(),
            "epsilon": tuning.epsilon.tolist(),
            "scores": np.round(tuning.scores, 9).tolist(),
            "best": list(tuning.best_index),
        }

    def chosen(self, condition: str, tuned: list[dict[str, Any]]) -> dict[str, float]:
        """Return C, γ and ε of a tuned condition."""
        machine = self.settings[condition].machine
        if not isinstance(machine, Tuned):
            return {}
        first = tuned[0]
        grids = [np.asarray(first[name]) for name in ("gamma", "epsilon", "C")]
        if machine.rule == "average":
            mean = np.mean([each["scores"] for each in tuned], axis=0)
            best = np.unravel_index(int(np.argmax(mean)), mean.shape)
            point = [grid[i] for grid, i in zip(grids, best, strict=True)]
        else:
            points = np.array(
                [[g[i] for g, i in zip(grids, t["best"], strict=True)] for t in tuned]
            )
            point = np.median(points, axis=0).tolist()
        return {"C": float(point[2]), "gamma": float(point[0]), "epsilon": float(point[1])}

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Rank by one method and judge the best features."""
        setting = self.settings[condition]
        machine = setting.machine
        if isinstance(machine, Tuned):
            machine = SVM(machine.loss, **self.chosen(condition, tuned))
        split = setting.problem.split(seed, trial)
        values: Values = {}
        if self.methods[method].criterion is None:
            values[f"{self.loss}@all"] = self._judge(split, np.arange(split.X.shape[1]), machine)
            return values
        random_state = _whole(seed, setting.problem.name, trial)
        order = self._order(split, self.methods[method], machine, random_state, values)
        for size in setting.sizes:
            values[f"{self.loss}@{size}"] = self._judge(split, order[:size], machine)
        if self.relevant:
            values["found"] = float(set(order[: len(self.relevant)]) == self.relevant)
        return values

    def _order(
        self, split: Split, method: Method, machine: SVM, random_state: int, values: Values
    ) -> IntArray:
        """Return the features, best first, and note what else is asked for.

        Only the columns are standardised: the papers' C and ε are for the target as it is.
        """
        assert method.criterion is not None
        X = Scale.of(split.X).apply(split.X)
        if method.search == "once":
            ranking = rank(
                X,
                split.y,
                method.criterion,
                machine.estimator(),
                scale=False,
                random_state=random_state,
            )
            if self.scores:
                values.update({f"score@{i + 1}": float(s) for i, s in enumerate(ranking.scores)})
            return ranking.order
        sieve = SVMSieve(
            machine.estimator(),
            criterion=method.criterion,
            n_features_to_select="bound" if self.removal else 1,
            step=self.step,
            scale=False,
            random_state=random_state,
        ).fit(X, split.y)
        if self.removal:
            for step in sieve.record_.steps["all"]:
                values[f"removed@{step.size}"] = float(step.scores[0])
                assert step.bound is not None
                values[f"bound@{step.size}"] = step.bound
        return sieve.order_

    def _judge(self, split: Split, columns: IntArray, machine: SVM) -> float:
        """Train on some columns, standardised by the training samples, and judge on the test samples."""
        X = split.X[:, columns]
        scale = Scale.of(X)
        predicted = machine.predictions(
            scale.apply(X), split.y, scale.apply(split.X_test[:, columns])
        )
        return LOSSES[self.loss](split.y_test, predicted)


def _whole(seed: int, name: str, trial: int) -> int:
    """A whole number for estimators, from the trial's seed."""
    return int(trial_seed(seed, name, trial).generate_state(2)[1])
