"""The user's target, weights and groups of samples, checked once."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from svmsieve.engine.arrays import FloatArray, IntArray, check_vector, refuse_no_numbers
from svmsieve.engine.machines.target import Classes, Numbers, Target
from svmsieve.inputs.table import LARGEST

MOST_CLASSES = 20
"""A numeric target with more distinct values than this is a regression, unless one says otherwise."""


def is_continuous(y: Any) -> bool:
    """Return whether the target holds numbers that cannot be class labels."""
    values = np.asarray(y)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return True  # make_target names the row
    if _first_missing(values) is not None:
        return False  # as above
    with np.errstate(invalid="ignore"):  # it compares with whole numbers, which 1e200 has none of
        return type_of_target(y).startswith("continuous")


def is_regression(y: Any) -> bool:
    """Guess the task from the target: numbers with decimals, or with many distinct values."""
    values = np.asarray(y)
    many = values.dtype.kind in "iuf" and len(np.unique(values)) > MOST_CLASSES
    return is_continuous(y) or many


def check_weights(sample_weight: Any, n: int) -> FloatArray:
    """Return the samples' weights: one for each, none negative, not all zero."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    weights = check_vector(sample_weight, n, "sample_weight")
    if weights.min() < 0.0 or weights.max() == 0.0:
        raise ValueError("sample_weight must not be negative, nor zero for all samples.")
    return weights


def check_sample_groups(groups: Any, n: int) -> IntArray | None:
    """Return the number of each sample's group, groups counted as they come; None where there are none.

    What a group is called changes nothing.
    """
    if groups is None:
        return None
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(
            f"groups of samples must have shape ({n},), one for each row of X, got {labels.shape}; groups "
            "of columns are given to the constructor."
        )
    numbers: dict[Any, int] = {}
    codes = np.empty(n, dtype=np.intp)
    for row, label in enumerate(labels.tolist()):
        if is_missing(label):
            raise ValueError(
                f"groups of samples have a missing value in row {row}; name its group."
            )
        codes[row] = numbers.setdefault(label, len(numbers))
    if len(numbers) < 2:
        raise ValueError("groups of samples must be at least two; all samples are in one.")
    return codes


def refuse_weightless_class(target: Target, weights: FloatArray) -> None:
    """Refuse weights that leave nothing of a class."""
    if isinstance(target, Classes):
        totals = np.bincount(target.codes, weights, minlength=len(target.classes))
        if (totals == 0.0).any():
            label = target.classes.tolist()[int(totals.argmin())]
            raise ValueError(
                f"sample_weight must not be zero for a whole class: that of class {label!r} is; "
                "give it a weight or drop its samples."
            )


def check_target_shape(y: Any, n: int) -> Any:
    """Return the target as a vector with one value for each row."""
    refuse_no_numbers(y, "y")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one target for each row of X, got {y.shape}.")
    return y


def refuse_extremes(lower: float, upper: float, name: str) -> None:
    """Refuse a numeric target by its range: no score can be computed where differences have no square."""
    spread = upper - lower
    if max(-lower, upper) > LARGEST or 0.0 < spread < 1.0 / LARGEST:
        raise ValueError(
            f"{name} has values from {lower:.3g} to {upper:.3g}, the squares of whose differences a "
            "computer cannot hold; give it another unit."
        )


def _first_missing(y: Any) -> int | None:
    """Return the first row of a vector of objects that has no value."""
    if y.dtype.kind != "O" or y.ndim != 1:
        return None
    missing = [is_missing(value) for value in y]
    return missing.index(True) if any(missing) else None


def is_missing(value: Any) -> bool:
    """Return whether a label is none: None, NaN, or NA of pandas, which is not even unequal to itself."""
    if value is None:
        return True
    differs = value != value
    return bool(differs) if isinstance(differs, bool | np.bool_) else True


def refuse_missing(y: Any) -> None:
    """Refuse labels some of which are not there, by the row."""
    if (row := _first_missing(np.asarray(y))) is not None:
        raise ValueError(f"y has a missing value in row {row}; drop that row.")


def refuse_text(y: Any) -> None:
    """Refuse labels where numbers are to be predicted."""
    values = np.asarray(y)
    if values.dtype.kind not in "OUS" or values.size == 0:
        return
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        label = str(values.ravel()[0])
        raise ValueError(
            f"y must be numeric for an SVR, or a criterion of numbers, and holds {label!r:.60}; for "
            "classes give an SVC, or a criterion of classes."
        ) from None


def make_target(y: Any, regression: bool, n: int) -> Target:
    """Return the checked target."""
    y = check_target_shape(y, n)
    refuse_missing(y)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"y has a missing or infinite value in row {row}; drop that row.")
    if regression:
        refuse_text(y)
        target = Numbers.of(y)
        refuse_extremes(float(target.values.min()), float(target.values.max()), "y")
        return target
    if type_of_target(y, input_name="y", raise_unknown=True).startswith("continuous"):
        raise ValueError(
            "y holds continuous values (Unknown label type: continuous); a classifier needs class "
            "labels: use an SVR, or turn the values into classes."
        )
    return Classes.of(y)
