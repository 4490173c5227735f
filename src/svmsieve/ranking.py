"""Rank the features of a data set once: ``svmsieve.rank``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from operator import index
from typing import Any, cast

import numpy as np

from svmsieve.criteria import (
    RANKING_TOL,
    Criterion,
    Data,
    Fitted,
    final_scores,
    make_criterion,
)
from svmsieve.criteria.contract import RowsOnly
from svmsieve.engine.arrays import FloatArray, IntArray, check_flag
from svmsieve.engine.gram import ActiveGram
from svmsieve.engine.kernels import Linear
from svmsieve.engine.machines import Machine
from svmsieve.engine.memory import BLOCK_BUDGET, check_memory
from svmsieve.engine.plan import Plan, tuned_above_guessing
from svmsieve.engine.target import TargetScale
from svmsieve.engine.threads import one_blas_thread
from svmsieve.engine.trained import Trained, train
from svmsieve.estimators import is_regressor, make_plan, refuse_parameters
from svmsieve.preparation import (
    MOST_CLASSES,
    Scale,
    Standardising,
    as_matrix,
    check_target_shape,
    check_weights,
    feature_names,
    is_continuous,
    is_dask,
    is_regression,
    make_target,
    refuse_weightless_class,
    scale_of_target,
)
from svmsieve.units import joint_units, unit_names

_SHOWN = 10
_OFTEN = 3
"""Times that each value of a class comes at least."""


@dataclass(frozen=True)
class Ranking:
    """Features from the most to the least important.

    Attributes
    ----------
    scores : the criterion's score of each feature (or group), in the order of the columns
    order : indices of the features, best first; of equal scores the first column comes first
    names : names of the features (or groups), in the order of the columns
    criterion : name of the criterion
    machine : the machine the scores come from, in words
    groups : columns of each group, a column that stands alone being one; None where all do
    """

    scores: FloatArray
    order: IntArray
    names: list[str]
    criterion: str
    machine: str
    groups: tuple[IntArray, ...] | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        width = max(len(self._short(i)) for i in self.order[:_SHOWN])
        lines = [f"Ranking of {len(self)} features by {self.criterion} ({self.machine})"]
        for place, i in enumerate(self.order[:_SHOWN], start=1):
            lines.append(f"{place:5d}  {self._short(i):<{width}}  {self.scores[i]:.4g}")
        if len(self) > _SHOWN:
            lines.append(f"       … {len(self) - _SHOWN} more")
        return "\n".join(lines)

    def _short(self, i: int) -> str:
        """The name on one line of at most 40 characters."""
        name = "".join(c if c.isprintable() else "�" for c in self.names[i])
        return name if len(name) <= 40 else name[:39] + "…"

    def to_frame(self) -> Any:
        """Return a pandas frame, best first: feature, score, column (of a group the list), rank as index."""
        import pandas as pd

        groups = self.groups
        return pd.DataFrame(
            {
                "feature": [self.names[i] for i in self.order],
                "score": self.scores[self.order],
                "column": self.order
                if groups is None
                else [groups[i].tolist() for i in self.order],
            },
            index=pd.RangeIndex(1, len(self) + 1, name="rank"),
        )


@dataclass(frozen=True)
class Prepared:
    """A data set ready for criteria, with the machine trained on it where one is needed."""

    criterion: Criterion
    plan: Plan
    scale: Scale
    data: Data
    names: list[str]
    trained: Trained | None
    target_scale: TargetScale
    """From the target in the user's units to that of ``data``."""

    def fitted(self) -> Fitted | None:
        """Return the machines as the criterion wants them."""
        if self.trained is None:
            return None
        needs = self.criterion.needs_probabilities
        return Fitted(self.trained, self.trained.calibrate(seed=self.data.seed) if needs else ())


def prepare(
    X: Any,
    y: Any,
    criterion: Any,
    estimator: Any,
    *,
    scale: bool,
    random_state: Any,
    groups: Any = None,
    sample_weight: Any = None,
    memory: float | None = None,
) -> Prepared:
    """Check everything once, choose the machine and train it."""
    regressor = is_regressor(estimator)
    matrix = as_matrix(X)
    names = feature_names(X if hasattr(X, "columns") else matrix)
    regression = guessed_regression(y, criterion) if regressor is None else regressor
    target = make_target(y, regression, matrix.shape[0])
    refuse_parameters(estimator, target)
    chosen = make_criterion(criterion, target.task)
    chosen.refuse_task(target.task)
    grouped = joint_units(groups, names)
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, matrix.shape[0])
        refuse_weightless_class(target, weights)
        chosen.refuse_weights(weights)
    standardising = Standardising(check_flag(scale, "scale"))
    scaling, unscaled = standardising(matrix, weights), matrix
    matrix = scaling.apply(unscaled)
    target_scaling = partial(scale_of_target, scale=scale, estimator=estimator)
    target_scale = target_scaling(target, weights)
    target = target_scale.apply(target)
    seed = seed_of(random_state)
    if chosen.is_filter and estimator is None:  # looks at no kernel: γ is not worth a pass over X
        plan = Plan(Machine(), Linear())
    else:
        plan = make_plan(estimator, matrix, target)
    chosen.refuse_kernel(plan.kernel)
    if estimator is None and chosen.machine is not None:
        plan = tuned_above_guessing(
            plan,
            unscaled,
            target,
            scoring="balanced_accuracy" if not regression else "neg_mean_squared_error",
            scaling=standardising,
            target_scaling=target_scaling,
            sample_weight=weights,
            seed=seed,
            memory=memory,
        )
    if chosen.machine is not None:
        plan = plan.for_loss(chosen.machine)
    if chosen.is_filter:
        rows = RowsOnly.of(matrix, plan.kernel)
        data = Data(
            cast(ActiveGram, rows),
            target,
            sample_weight=weights,
            groups=grouped,
            seed=seed,
        )
        return Prepared(chosen, plan, scaling, data, names, None, target_scale)
    gram = ActiveGram(matrix, plan.kernel, memory=memory)
    data = Data(
        gram,
        target,
        sample_weight=weights,
        groups=grouped,
        seed=seed,
        memory=BLOCK_BUDGET,
        tol=RANKING_TOL,
    )
    trained = None
    if chosen.machine is not None:
        trained = train(plan.machine, gram, target, sample_weight=weights)
    return Prepared(chosen, plan, scaling, data, names, trained, target_scale)


def asks_for_regression(y: Any, criterion: Any) -> bool:
    """Guess the task; a criterion for one kind of target settles what the values leave open.

    As in scikit-learn text, booleans and whole numbers are classes, numbers with decimals are not; nor are
    more than 20 different whole numbers.
    """
    if criterion != "auto":
        tasks = make_criterion(criterion, "binary").tasks
        if tasks == {"regression"}:
            return True
        if "regression" not in tasks:
            return is_continuous(y)
    return is_regression(y)


def guessed_regression(y: Any, criterion: Any) -> bool:
    """Guess the task as :func:`asks_for_regression`; say so where numbers look like classes.

    They do where each of them comes often: then another unit of the target would mean another task.
    """
    regression = asks_for_regression(y, criterion)
    values = np.asarray(y)
    settled = criterion != "auto" and make_criterion(criterion, "binary").tasks == {"regression"}
    if regression and not settled and values.dtype.kind in "iuf":
        different, counts = np.unique(values, return_counts=True)
        if len(different) > 1 and counts.min() >= _OFTEN:
            warnings.warn(
                f"y holds {len(different)} different numbers, each at least {counts.min()} times, and is "
                "taken for a regression, as they have decimals or are more than "
                f"{MOST_CLASSES}; for classes give text or an SVC with whole numbers, for numbers an SVR.",
                UserWarning,
                stacklevel=3,
            )
    return regression


def is_nystroem(machine: Any) -> bool:
    """Whether a machine's name is that of the Nyström machine; an unknown name is refused."""
    if machine not in ("exact", "nystroem"):
        raise ValueError(f"machine must be 'exact' or 'nystroem', got {machine!r}.")
    return bool(machine == "nystroem")


def warn_of_zeros(largest: float, n: int, criterion: Criterion, estimator: Any) -> None:
    """Tell the user that none of ``n`` features has a score, so that their order means nothing."""
    if largest > 0.0 or n == 1:
        return
    if criterion.machine is None:
        why = "none of them varies with the target; try another criterion or look at the target"
    elif estimator is None:
        why = (
            "the tuned machine answers to none of them; try another criterion or look at the target"
        )
    else:
        why = (
            "the machine answers to none of them; raise its C, lower its epsilon or gamma, or leave the "
            "estimator out to have them tuned"
        )
    warnings.warn(
        f"All scores of {criterion.name!r} are zero, the features are in the order of their columns: {why}.",
        UserWarning,
        stacklevel=3,
    )


def seed_of(random_state: Any) -> int:
    """Return one number from None (0), a number, a RandomState or a Generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    try:
        seed = index(random_state)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**32:
        raise ValueError(
            "random_state must be a whole number from 0 to 2**32 - 1, a RandomState, a Generator or "
            f"None, got {random_state!r}."
        )
    return seed


def rank(
    X: Any,
    y: Any,
    criterion: str | Criterion = "auto",
    estimator: Any = None,
    *,
    scale: bool = True,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: Any = None,
    memory: float | str | None = None,
    machine: str = "exact",
    n_landmarks: int = 1000,
) -> Ranking:
    """Rank the features of a data set by what they mean to a support vector machine.

    Parameters
    ----------
    X : data frame, array or sparse matrix of shape (n_samples, n_features); a Dask array or data frame
        with a filter or ``machine="nystroem"``, worked on by the workers of the current Dask client
    y : class labels or numbers; of a Dask collection a Dask array or series with the same partitions
    criterion : name of a criterion (:data:`svmsieve.criteria.CRITERIA`), an instance, or ``"auto"``:
        ``fspp2`` for classes, ``sd-gauss`` for a numeric target
    estimator : a scikit-learn SVC, SVR, LinearSVC or LinearSVR, whose parameters are taken over; None
        tunes an RBF machine on the papers' grid
    scale : standardise the columns first (a sparse matrix is divided by its deviations only), and a
        numeric target: an SVR's C and ε are meant on it, whatever the target's units.  False with an SVR
        given leaves the target as it is; a tuned machine has it standardised all the same
    groups : columns that belong together, such as one-hot columns, scored as one: lists of columns (by name
        or index), one label for each column, or a mapping from columns to labels; columns that are not
        mentioned, or whose label is None, stand alone.  The same as in :class:`svmsieve.SVMSieve`
    sample_weight : weights of the samples
    random_state : seed of the permutations and folds; None is 0, so that a ranking can be repeated
    memory : bytes the kernel matrices may take, or text such as ``"4GB"``
    machine : ``"exact"``, or ``"nystroem"`` for more rows than a kernel matrix allows: linear in the
        rows, for the criteria that are built on the machine's response (see ``docs/scale.md``)
    n_landmarks : rows that span the Nyström machine's space

    Returns
    -------
    Ranking
        Its scores are computed to about four digits, which is enough to compare them and far below
        what another permutation would change.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ranking = rank(X, y, "fspp2", SVC(C=10), random_state=0)
    >>> ranking.names[ranking.order[0]]
    'petal length (cm)'
    """
    memory = check_memory(memory)
    if is_dask(X):
        from svmsieve.scale.collections import rank_collection

        return rank_collection(
            X,
            y,
            criterion,
            estimator,
            sample_weight=sample_weight,
            groups=groups,
            machine=machine,
            scale=scale,
            random_state=random_state,
            memory=memory,
            n_landmarks=n_landmarks,
        )
    if is_nystroem(machine) and (
        criterion == "auto" or not make_criterion(criterion, "binary").is_filter
    ):
        from svmsieve.scale.chunks import RowChunks
        from svmsieve.scale.ranking import rank_chunks

        matrix = as_matrix(X)
        names = feature_names(X if hasattr(X, "columns") else matrix)
        labels = check_target_shape(y, matrix.shape[0])
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, matrix.shape[0])
        return rank_chunks(
            RowChunks(matrix, labels, sample_weight, names),
            criterion,
            estimator,
            scale=scale,
            groups=groups,
            random_state=random_state,
            memory=memory,
            n_landmarks=n_landmarks,
        )
    with one_blas_thread():
        prepared = prepare(
            X,
            y,
            criterion,
            estimator,
            scale=scale,
            random_state=random_state,
            groups=groups,
            sample_weight=sample_weight,
            memory=memory,
        )
        scores = final_scores(prepared.criterion, prepared.fitted(), prepared.data)
    warn_of_zeros(scores.max(), len(scores), prepared.criterion, estimator)
    return Ranking(
        scores,
        np.argsort(-scores, kind="stable"),
        unit_names(groups, prepared.names),
        prepared.criterion.name,
        _in_words(prepared),
        prepared.data.groups,
    )


def _in_words(prepared: Prepared) -> str:
    if prepared.criterion.machine is None:
        return "no machine"
    kernel = prepared.plan.kernel
    words = [type(kernel).__name__, f"C={prepared.plan.machine.C:g}"]
    if hasattr(kernel, "gamma"):
        words.append(f"gamma={kernel.gamma:g}")
    return ", ".join(words)
