"""Response curves of a fitted machine: ``svmsieve.response``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray, IntArray, dense_columns
from svmsieve.engine.effects.group_effects import group_response
from svmsieve.engine.effects.response import KnownKernel, response_blocks
from svmsieve.engine.machines.platt import couple
from svmsieve.engine.machines.target import Classes
from svmsieve.inputs.feature_groups import make_units, unit_names
from svmsieve.ranking.exact import PreparedSamples, check_samples, prepare
from svmsieve.runtime.memory import check_memory, require_memory


@dataclass(frozen=True)
class ResponseCurves:
    """How the machine's output follows each feature, all else left as it is.

    What :func:`response` returns.

    Parameters
    ----------
    names : list of str
        The features' names.
    features : ndarray of int
        Their columns; of a group the first one.
    grid : ndarray of float
        Replacement values in the data's units, shape (n_features, n_grid); of a group the numbers
        of the samples whose values its columns take together.
    individual : ndarray of float
        Output of every sample at every value, shape (n_features, n_grid, n_samples) and, for more
        than two classes, one more axis for the classes (the curves of ICE plots).
    output : str
        What the machine puts out: ``"prediction"`` of a regression, ``"probability"`` of the second
        class or of each class.
    groups : tuple of ndarray of int, or None, default=None
        Columns of each feature, several of a group; None where all stand alone.

    See Also
    --------
    svmsieve.response : Return the response curves of a machine fitted to ``X`` and ``y``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from svmsieve import response
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> curves = response(X, y == 1, ["petal length (cm)"], grid=5, estimator=SVC())
    >>> curves.individual.shape, curves.output
    ((1, 5, 150), 'probability')
    """

    names: list[str]
    features: IntArray
    grid: FloatArray
    individual: FloatArray
    output: str
    groups: tuple[IntArray, ...] | None = None

    @property
    def mean(self) -> FloatArray:
        """Mean over the samples, the partial dependence: shape (n_features, n_grid[, n_classes])."""
        return self.individual.mean(axis=2)


def response(
    X: Any,
    y: Any,
    features: Sequence[int | str] | int | str | None = None,
    grid: int | Any = 20,
    estimator: Any = None,
    *,
    scale: bool = True,
    groups: Any = None,
    random_state: Any = None,
    memory: float | str | None = None,
) -> ResponseCurves:
    """Return the response curves of a machine fitted to ``X`` and ``y``.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Class labels or numbers; curves of a numeric target are in its own units.
    features : sequence of int or str, int, str or None, default=None
        Columns or names of columns, or one of them; by default all. A column of a group stands for
        the group.
    grid : int or array-like, default=20
        Number of values between a feature's smallest and largest, or the values themselves, for
        every feature the same or one row for each; a group takes a number only.
    estimator : SVC, SVR, LinearSVC, LinearSVR or None, default=None
        As for :func:`svmsieve.rank`.
    scale : bool, default=True
        As for :func:`svmsieve.rank`.
    groups : lists, labels, mapping or None, default=None
        As for :func:`svmsieve.rank`. The columns of a group move together, through values that occur
        in X together: those of ``grid`` samples at even distances along the group's first principal
        component.
    random_state : int, RandomState or None, default=None
        As for :func:`svmsieve.rank`.
    memory : float, str or None, default=None
        Bytes that the kernel matrices, and the curves, may take, or text such as ``"4GB"``.

    Returns
    -------
    ResponseCurves
        Output of every sample at every value of each feature.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> curves = response(X, y == 1, ["petal length (cm)"], grid=5, estimator=SVC())
    >>> curves.mean.shape
    (1, 5)
    """
    memory = check_memory(memory)
    checked = check_samples(X, y, "auto", estimator, groups=groups)
    prepared = prepare(checked, scale=scale, random_state=random_state, memory=memory)
    columns = _columns(features, prepared)
    called = unit_names(groups, prepared.names)
    units = _units(columns, prepared.data.groups)
    if units is not None:
        return _of_units(units, called, grid, prepared, memory)
    values = _grid(grid, columns, prepared)
    _require_curves(len(columns), values.shape[1], prepared, memory)
    output, kind = _output(_decisions(values, columns, prepared), prepared)
    first = [int(unit[0]) for unit in make_units(groups, prepared.names)]
    name_of = dict(zip(first, called, strict=True))
    names = [name_of[int(i)] for i in columns]
    return ResponseCurves(names, columns, values, output, kind)


def _require_curves(
    n_features: int, n_values: int, prepared: PreparedSamples, memory: float | None
) -> None:
    """Refuse curves that would not fit: decision values, and the two arrays that are made of them."""
    assert prepared.trained is not None
    n_decisions = len(prepared.data.target) * len(prepared.trained.parts)
    require_memory(
        24.0 * n_features * n_values * n_decisions,
        memory,
        f"The curves of {n_features} features at {n_values} values",
        "ask for fewer features, or a smaller grid",
    )


def _decisions(values: FloatArray, columns: IntArray, prepared: PreparedSamples) -> FloatArray:
    """Return the decision values with single columns replaced, columns × values × samples × machines."""
    scaled = (values - prepared.scale.mean[columns, None]) / prepared.scale.deviation[columns, None]
    trained = prepared.trained
    assert trained is not None
    data = prepared.data
    n, d = data.X.shape
    lower, upper = (bound.copy() for bound in data.range)
    lower[columns] = np.minimum(lower[columns], scaled.min(axis=1))
    upper[columns] = np.maximum(upper[columns], scaled.max(axis=1))
    decisions = np.empty((*scaled.shape, n, len(trained.parts)))
    position = np.zeros(d, dtype=np.intp)
    position[columns] = np.arange(len(columns))
    for index, (part, expansion) in enumerate(zip(trained.parts, trained.expansions, strict=True)):
        for block in response_blocks(
            expansion,
            data.X,
            features=columns,
            bounds=(lower, upper),
            known=KnownKernel(data.gram.base, data.gram.matrix, np.arange(n), part.centers, True),
        ):
            rows = position[block.features]
            for step in range(scaled.shape[1]):
                new = np.broadcast_to(scaled[rows, step], block.values.shape)
                decisions[rows, step, block.rows, index] = block.at(np.ascontiguousarray(new)).T
    return decisions


def _output(decisions: FloatArray, prepared: PreparedSamples) -> tuple[FloatArray, str]:
    """Return what the machine puts out for decision values (…, machines), and what that is."""
    data, trained = prepared.data, prepared.trained
    assert trained is not None
    if not isinstance(data.target, Classes):
        return prepared.target_scale.restore(decisions[..., 0]), "prediction"
    sigmoids = trained.calibrate(seed=data.seed)
    pairwise = np.stack([s(decisions[..., k]) for k, s in enumerate(sigmoids)], axis=-1)
    if data.target.task == "binary":
        return pairwise[..., 0], "probability"
    n_classes = len(data.target.classes)
    coupled = couple(pairwise.reshape(-1, pairwise.shape[-1]), n_classes)
    return coupled.reshape(*pairwise.shape[:-1], n_classes), "probability"


def _units(columns: IntArray, groups: tuple[IntArray, ...] | None) -> dict[int, IntArray] | None:
    """Return the units that the columns are of, by number; None where each is one column."""
    if groups is None:
        return None
    number_of = {int(column): u for u, group in enumerate(groups) for column in group}
    units = {number_of[int(column)]: groups[number_of[int(column)]] for column in columns}
    return None if all(len(unit) == 1 for unit in units.values()) else units


def _of_units(
    units: dict[int, IntArray],
    names: list[str],
    grid: Any,
    prepared: PreparedSamples,
    memory: float | None,
) -> ResponseCurves:
    """Return the curves of features some of which are groups."""
    if not isinstance(grid, int | np.integer):
        raise ValueError(
            "grid must be a number of values where columns of a group move together: they take those of "
            "samples."
        )
    _require_curves(len(units), int(grid), prepared, memory)
    values, decisions = [], []
    for unit in units.values():
        single = _grid(grid, unit, prepared)
        if len(unit) == 1:
            values.append(single[0])
            decisions.append(_decisions(single, unit, prepared)[0])
        else:
            lenders = _along_component(dense_columns(prepared.data.X, unit), int(grid))
            values.append(lenders.astype(np.float64))
            decisions.append(_joint_decisions(lenders, unit, prepared))
    output, kind = _output(np.stack(decisions), prepared)
    first = np.array([unit[0] for unit in units.values()])
    return ResponseCurves(
        [names[u] for u in units], first, np.stack(values), output, kind, tuple(units.values())
    )


def _along_component(columns: FloatArray, n: int) -> IntArray:
    """Return samples at even distances along the columns' first principal component, ends included."""
    centred = columns - columns.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    direction = directions[0] * np.sign(directions[0][np.abs(directions[0]).argmax()])
    place = centred @ direction
    wanted = np.linspace(place.min(), place.max(), n)
    return np.abs(place[:, None] - wanted[None, :]).argmin(axis=0)


def _joint_decisions(lenders: IntArray, columns: IntArray, prepared: PreparedSamples) -> FloatArray:
    """Return the decision values with a group's columns those of each lender: values × samples × machines."""
    trained, data = prepared.trained, prepared.data
    assert trained is not None
    n = len(data.target)
    values = dense_columns(data.X, columns)[lenders]
    decisions = np.empty((len(lenders), n, len(trained.parts)))
    for index, (part, expansion) in enumerate(zip(trained.parts, trained.expansions, strict=True)):
        base = data.base_between(np.arange(n), part.centers)
        for step, value in enumerate(values):
            new = np.ascontiguousarray(np.broadcast_to(value, (n, len(columns))))
            decisions[step, :, index] = group_response(expansion, data.X, columns, new, base)
    return decisions


def _columns(
    features: Sequence[int | str] | int | str | None, prepared: PreparedSamples
) -> IntArray:
    """Return the columns' indices; a feature that does not exist is refused by name."""
    d = len(prepared.names)
    if isinstance(features, str | int | np.integer):
        features = [features]
    if features is None:
        return np.arange(d)
    columns = []
    for feature in features:
        if isinstance(feature, str):
            if feature not in prepared.names:
                raise ValueError(f"feature {feature!r} is not a column of X.")
            columns.append(prepared.names.index(feature))
        elif (
            isinstance(feature, int | np.integer)
            and not isinstance(feature, bool)
            and -d <= feature < d
        ):
            columns.append(int(feature) % d)
        else:
            raise ValueError(f"feature {feature!r} is not a column of X, which has {d}.")
    if len(set(columns)) < len(columns):
        raise ValueError("features must not name a column twice.")
    return np.array(columns, dtype=np.intp)


def _grid(grid: int | Any, columns: IntArray, prepared: PreparedSamples) -> FloatArray:
    """Return the replacement values of each column in the data's units."""
    if isinstance(grid, int | np.integer):
        if grid < 2:
            raise ValueError(f"grid must have at least 2 values, got {grid}.")
        x = dense_columns(prepared.data.X, columns)
        x = x * prepared.scale.deviation[columns] + prepared.scale.mean[columns]
        return np.linspace(x.min(axis=0), x.max(axis=0), int(grid), axis=1)
    try:
        values = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    rows = values[None, :] if values.ndim == 1 else values
    fits = rows.ndim == 2 and rows.shape[0] in (1, len(columns)) and rows.size > 0
    if not fits or not np.isfinite(rows).all():
        raise ValueError(
            "grid must be a number of values, or finite values, the same for all features or one row "
            f"for each of the {len(columns)}."
        )
    return np.array(np.broadcast_to(rows, (len(columns), rows.shape[1])))
