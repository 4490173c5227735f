"""The user's folds become ours: training and held-out samples, checked, groups of samples whole."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from svmsieve.engine.arrays import BoolArray, FloatArray, IntArray
from svmsieve.engine.machines.folds import grouped_folds
from svmsieve.engine.machines.scoring import BALANCED
from svmsieve.engine.machines.target import Classes, Target

Fold: TypeAlias = tuple[IntArray, IntArray]
"""Training and held-out samples."""


def make_folds(cv: Any, target: Target, seed: int, name: str = "cv") -> list[Fold]:
    """Return training and held-out samples of each fold; a number means shuffled folds.

    Where samples have groups, a number means folds that keep them whole, and a splitter is given them; a
    warning says so where folds split some, by the ``name`` of who gave them.
    """
    n, groups = len(target), target.groups
    stratify = isinstance(target, Classes)
    if isinstance(cv, str) and cv == "auto":
        return auto_folds(target, seed)
    if isinstance(cv, int | np.integer):
        if cv < 2:
            raise ValueError(f"cv must be at least 2 folds, got {cv}.")
        if groups is not None:
            labels = target.codes if isinstance(target, Classes) else None
            held_out = grouped_folds(groups, int(cv), seed, labels)
            return [(np.delete(np.arange(n), rows), rows) for rows in held_out]
        most = int(np.bincount(target.codes).min()) if isinstance(target, Classes) else n
        if cv > most:
            what = "samples of the smallest class" if stratify else "samples"
            raise ValueError(f"cv={cv} folds are more than the {most} {what}; lower cv.")
        maker = StratifiedKFold if stratify else KFold
        splitter = maker(int(cv), shuffle=True, random_state=seed)
    elif isinstance(cv, Iterable) and not hasattr(cv, "split") and not isinstance(cv, str):
        folds = _checked_folds(list(cv), target, name)
        _warn_if_split(folds, groups, name)
        return folds
    else:
        splitter = check_cv(cv, classifier=stratify)
    y = target.codes if isinstance(target, Classes) else target.values
    with warnings.catch_warnings():  # what it means to split groups is told below
        warnings.filterwarnings("ignore", "The groups parameter is ignored by", UserWarning)
        folds = _checked_folds(list(splitter.split(np.zeros(n), y, groups)), target, name)
    _warn_if_split(folds, groups, name)
    return folds


def auto_folds(target: Target, seed: int) -> list[Fold]:
    """Return five folds, fewer where a class is small, repeated where there are few samples.

    With few samples one division into folds is itself chance: how the score depends on the size is known
    much better from several.  With many samples one is enough, and all there is time for.  Groups of
    samples stay whole.
    """
    n = len(target)
    if isinstance(target, Classes):
        counts = np.bincount(target.codes)
        smallest, rarest = int(counts.min()), target.classes[np.argmin(counts)]
        if smallest < 2:
            raise ValueError(
                f"cv='auto' needs at least two samples of each class, class {rarest!s:.60} has one: leave "
                "it out, or give an SVR() if the target is numbers to be predicted."
            )
    else:
        smallest = n // 2  # of a single number no R² is known
        if smallest < 2:
            raise ValueError(f"cv='auto' needs at least four samples of numbers, got {n}.")
    n_folds = min(5, smallest)
    if target.groups is not None:
        n_folds = max(2, min(n_folds, most_grouped_folds(target, target.groups)))
    kept: list[Fold] = []
    for fewer in range(n_folds, 1, -1):
        try:
            folds = repeated_folds(fewer, n_repeats(n), target, seed)
        except ValueError:
            if fewer == 2 and not kept:
                raise
            continue
        kept = kept or folds
        if not isinstance(target, Classes) or not folds_without_a_class(folds, target).any():
            return folds
    return kept


def folds_without_a_class(folds: Sequence[Fold], target: Classes) -> BoolArray:
    """Return which folds hold out no sample of which class, folds × classes."""
    held_out = [np.bincount(target.codes[rows], minlength=len(target.classes)) for _, rows in folds]
    return np.array(held_out) == 0


def warn_of_missing_classes(
    folds: Sequence[Fold], target: Target, measure: Any, name: str, stacklevel: int
) -> None:
    """Warn where a measure that counts the classes the same is of fewer classes in some fold of ``name``."""
    named = isinstance(measure, str) and measure.startswith(BALANCED)
    if not (named and isinstance(target, Classes)):
        return
    missing = folds_without_a_class(folds, target)
    if missing.any():
        label = target.classes[int(missing.sum(axis=0).argmax())]
        warnings.warn(
            f"{missing.any(axis=1).sum()} of {len(folds)} folds of {name} hold out no sample of some class, "
            f"such as {label!s:.60}: {measure} is the mean over the classes that are there, and guessing "
            "does better by it; give fewer folds.",
            UserWarning,
            stacklevel=stacklevel + 1,
        )


def most_grouped_folds(target: Target, groups: IntArray) -> int:
    """Return in how many folds of whole groups each can hold out some of every class.

    A fold without a class is judged by the others alone, where guessing is easier.
    """
    if not isinstance(target, Classes):
        return len(np.unique(groups))
    pairs = np.unique(np.column_stack([target.codes, groups]), axis=0)
    return int(np.bincount(pairs[:, 0]).min())


def repeated_folds(n_folds: int, repeats: int, target: Target, seed: int) -> list[Fold]:
    """Return shuffled folds several times over, each time divided anew; once, they are those of the seed."""
    folds = []
    for repeat in range(repeats):
        folds += make_folds(n_folds, target, seed_of_repeat(seed, repeat))
    return folds


def seed_of_repeat(seed: int, repeat: int) -> int:
    """Return what shuffles a division into folds; the first one is that of the seed."""
    return int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0]) if repeat else seed


def n_repeats(n: int) -> int:
    """Return how often the folds of ``n`` samples are repeated: by their number alone, not by the clock.

    >>> [n_repeats(n) for n in (60, 300, 1000, 5000)]
    [4, 3, 2, 1]
    """
    return 4 if n < 100 else 3 if n <= 300 else 2 if n <= 1000 else 1


def speak_for_all(cv: Any, folds: Sequence[Fold], target: Target, n: int) -> bool:
    """Return whether what the first ``n`` folds find hopeless may be left: each is a fair draw of all.

    So where the folds are shuffled here and each of the first holds out every class.  The folds of a splitter
    may be in the order of time, of patients or of the target.
    """
    ours = isinstance(cv, int | np.integer) or (isinstance(cv, str) and cv == "auto")
    if not ours or not isinstance(target, Classes):
        return ours
    present = len(np.unique(target.codes))
    return all(len(np.unique(target.codes[held_out])) == present for _, held_out in folds[:n])


def refuse_single_samples(folds: Sequence[Fold], scoring: Any) -> None:
    """Refuse folds that R² cannot judge before anything is computed in them."""
    if not (isinstance(scoring, str) and scoring == "r2"):
        return
    for number, (_, held_out) in enumerate(folds):
        if len(held_out) < 2:
            raise ValueError(
                f"fold {number} holds out one sample (row {held_out[0]}), and R² needs two: choose a cv "
                "whose folds hold more, or scoring='neg_mean_squared_error'."
            )


def refuse_weightless(folds: Sequence[Fold], target: Target, weight: FloatArray | None) -> None:
    """Refuse folds whose samples of weight zero leave too few on a side."""
    if weight is None:
        return
    remedy = "choose fewer folds, or leave samples of weight 0 out"
    for number, (train, held_out) in enumerate(folds):
        counted = train[weight[train] > 0.0]
        what, different = "two samples", counted
        if isinstance(target, Classes):
            what, different = "samples of two classes", np.unique(target.codes[counted])
        if len(different) < 2:
            raise ValueError(f"fold {number} does not train on {what} with weight; {remedy}.")
        if not weight[held_out].any():
            raise ValueError(f"fold {number} holds out no sample with weight; {remedy}.")


def n_split_groups(folds: Sequence[Fold], groups: IntArray) -> int:
    """Return how many groups of samples are on both sides of some fold."""
    both = [np.intersect1d(groups[train], groups[test]) for train, test in folds]
    return len(np.unique(np.concatenate(both))) if both else 0


def _warn_if_split(folds: Sequence[Fold], groups: IntArray | None, name: str) -> None:
    if groups is None:
        return
    n_split = n_split_groups(folds, groups)
    if n_split:
        warnings.warn(
            f"{name} splits {n_split} of the {len(np.unique(groups))} groups of samples between training "
            "and held-out samples: scores will be better than on new groups; give a number of folds or a "
            "splitter for groups, such as GroupKFold.",
            UserWarning,
            stacklevel=3,
        )


def _checked_folds(folds: list[Any], target: Target, name: str) -> list[tuple[IntArray, IntArray]]:
    """Return the folds of ``name`` with all their samples among those there are."""
    if not folds:
        raise ValueError(f"{name} must hold at least one fold, got none.")
    checked = [_checked_fold(number, fold, len(target), name) for number, fold in enumerate(folds)]
    if isinstance(target, Classes):
        for train, _ in checked:
            if len(np.unique(target.codes[train])) < 2:
                raise ValueError(
                    f"{name} must leave at least two classes to train on in each fold."
                )
    return checked


def _checked_fold(number: int, fold: Any, n: int, name: str) -> tuple[IntArray, IntArray]:
    """Return training and held-out samples as numbers of rows that there are."""
    try:
        train, held_out = fold
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must hold pairs of (training, held-out) samples, fold {number} is none."
        ) from None
    rows = _rows(train, number, n, name), _rows(held_out, number, n, name)
    if not (len(rows[0]) and len(rows[1])):
        raise ValueError(f"{name} must give samples to both sides; fold {number} does not.")
    if np.intersect1d(*rows).size:
        raise ValueError(f"{name} must not test on training samples; fold {number} shares some.")
    return rows


def _rows(samples: Any, number: int, n: int, name: str) -> IntArray:
    rows = np.asarray(samples)
    if rows.dtype == np.bool_ and rows.shape == (n,):  # scikit-learn takes a mask too
        rows = np.flatnonzero(rows)
    if rows.shape == (0,):
        return rows.astype(np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        given = f"{samples!r:.60}".partition("\n")[0]
        raise ValueError(f"{name} must hold lists of row numbers, fold {number} has {given}.")
    if rows.min() < -n or rows.max() >= n:
        bad = int(rows.max() if rows.max() >= n else rows.min())
        raise ValueError(f"{name} holds row {bad} in fold {number}, and there are only {n} rows.")
    return rows.astype(np.intp) % n
