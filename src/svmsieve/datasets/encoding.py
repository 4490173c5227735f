"""From a table to a matrix: categories one-hot, in groups; missing numbers imputed."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from svmsieve.datasets.columns import number_text
from svmsieve.datasets.errors import DataError, listed, shown
from svmsieve.datasets.raw import unique_names
from svmsieve.engine.arrays import FloatArray

MISSING_LEVEL = "(missing)"
"""Name of the level of a category that is missing."""
_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64, pd.Period)
_MANY = (list, tuple, dict, set, np.ndarray, bytes)


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a frame into numbers: categories one-hot, missing numbers the training rows' mean.

    A category of k levels becomes k columns of zeros and ones, ``"colour=red"``, …, and one more,
    ``"colour=(missing)"``, where values are missing in training.  ``groups_`` says which columns belong
    together.  In new rows an unknown level, or a missing value where none was missing in training, is
    zero in all columns of its group.  Numbers and booleans stay; a missing one becomes the mean of the
    training rows, 0 where those have none.

    In a pipeline before a selector, all this is learnt inside the folds of a cross-validation around
    them.  Cost O(n d).

    Parameters
    ----------
    impute : bool, default=True
        False leaves missing numbers NaN, for a later step to impute.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : int and ndarray of str
        As everywhere in scikit-learn.
    levels_ : dict
        Levels of each categorical column, by name.
    means_ : dict
        Mean of each numeric column, by name.
    feature_names_out_ : list of str
        Names of the columns made.
    groups_ : dict of str to str
        Column of the table that each made column comes from, by name; a value for
        ``SVMSieve(groups=…)``.

    See Also
    --------
    svmsieve.datasets.read_table : Read a table from a CSV, TSV, Excel, Parquet, Feather, JSON,
        ARFF, LIBSVM, NPZ or AnnData file.
    svmsieve.datasets.encode : Encode a table whole; inside a cross-validation put the encoder into
        a pipeline instead.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame)
       size  colour=blue  colour=red
    0   1.0          0.0         1.0
    1   2.0          1.0         0.0
    2   3.0          0.0         1.0
    >>> encoder.groups_
    {'size': 'size', 'colour=blue': 'colour', 'colour=red': 'colour'}
    """

    def __init__(self, impute: bool = True) -> None:
        self.impute = impute

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn levels and means from the training rows, a data frame.

        Parameters
        ----------
        X : data frame or array-like
            The training rows.
        y : ignored, default=None
            Not looked at.

        Returns
        -------
        TableEncoder
            The fitted encoder.
        """
        frame = _as_frame(X)
        names = [str(name) for name in frame.columns]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"X has more than one column {shown(twice)}; rename one.")
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        self.levels_: dict[str, list[str]] = {}
        self.means_: dict[str, float] = {}
        made: list[str] = []
        source: list[str] = []
        for i, name in enumerate(names):
            column = frame.iloc[:, i]
            _refuse_other_kinds(column, name)
            if _is_numeric(column):
                self.means_[name] = _mean(_numbers(column, name))
                made.append(name)
                source.append(name)
                continue
            texts = _texts(column)
            levels = sorted({text for text in texts if text is not None})
            if any(text is None for text in texts):
                levels.append(MISSING_LEVEL)
            self.levels_[name] = levels
            made += [f"{name}={level}" for level in levels]
            source += [name] * len(levels)
        if not made:
            raise DataError("X must hold at least one column with values; all of them are empty.")
        unique, _ = unique_names(made)
        self.feature_names_out_ = np.array(unique, dtype=object)
        self.groups_ = dict(zip(unique, source, strict=True))
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows as float64: a frame of a frame, an array of an array.

        Columns of a frame are found by name, others are ignored.

        Parameters
        ----------
        X : data frame or array-like
            Rows with the columns of the training rows.

        Returns
        -------
        DataFrame or ndarray
            The rows as float64.
        """
        check_is_fitted(self, "feature_names_out_")
        frame = _as_frame(X)
        named = hasattr(X, "columns")
        if not named and frame.shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {frame.shape[1]} features, but TableEncoder is expecting "
                f"{self.n_features_in_} features as input."
            )
        place = {str(name): i for i, name in enumerate(frame.columns)}
        absent = [name for name in self.feature_names_in_ if name not in place]
        if absent:
            raise DataError(
                f"X lacks {listed(absent)}, which the encoder was fitted with; add "
                f"{'it' if len(absent) == 1 else 'them'}."
            )
        result = np.zeros((len(frame), len(self.feature_names_out_)))
        at = 0
        for name in self.feature_names_in_:
            column = frame.iloc[:, place[name]]
            _refuse_other_kinds(column, name)
            if name in self.means_:
                numbers = _numbers(column, name)
                if self.impute:
                    numbers = np.where(np.isnan(numbers), self.means_[name], numbers)
                result[:, at] = numbers
                at += 1
                continue
            levels = self.levels_[name]
            code = {level: at + k for k, level in enumerate(levels)}
            has_missing = bool(levels) and levels[-1] == MISSING_LEVEL
            for row, text in enumerate(_texts(column)):
                where = code.get(text, -1) if text is not None else -1
                if text is None and has_missing:
                    where = at + len(levels) - 1
                if where >= 0:
                    result[row, where] = 1.0
            at += len(levels)
        if not named:
            return result
        return pd.DataFrame(result, columns=self.feature_names_out_, index=frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns made.

        Parameters
        ----------
        input_features : ignored, default=None
            Not looked at; the names come from :meth:`fit`.

        Returns
        -------
        ndarray of str
            Names of the columns made.
        """
        check_is_fitted(self, "feature_names_out_")
        return self.feature_names_out_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _as_frame(X: Any) -> pd.DataFrame:
    """Return a pandas frame of a pandas or polars frame or an array; sparse input is refused."""
    if sp.issparse(X):
        raise TypeError("X is a sparse matrix, which is all numbers already: use SparseNumbers.")
    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "to_dict") and hasattr(X, "columns"):  # polars
        return pd.DataFrame({name: X[name].to_list() for name in X.columns})
    array = np.asarray(X)
    if array.ndim != 2:
        raise DataError(
            f"X must have two dimensions (rows, columns), got {array.ndim}. Reshape your data."
        )
    if 0 in array.shape:
        what = "feature" if array.shape[1] == 0 else "sample"
        raise DataError(
            f"X has 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    if array.dtype.kind == "c":
        raise DataError("X must not hold complex numbers. Complex data not supported.")
    frame = pd.DataFrame(array, columns=[f"x{i}" for i in range(array.shape[1])])
    return frame.infer_objects() if array.dtype.kind == "O" else frame


def _refuse_other_kinds(column: Any, name: str) -> None:
    """Refuse what is neither a number nor a category: complex numbers, dates and times, lists."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return
    real = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    values = [] if real else column.dropna()
    if any(isinstance(value, complex | np.complexfloating) for value in values):
        raise DataError(f"column {shown(name)} holds complex numbers; split or drop it.")
    if getattr(dtype, "kind", "O") in "mM" or any(isinstance(value, _TIMES) for value in values):
        raise DataError(f"column {shown(name)} holds dates; turn them into numbers or drop it.")
    if any(isinstance(value, _MANY) for value in values):
        raise DataError(f"column {shown(name)} holds lists or bytes, not values; split or drop it.")


def _is_numeric(column: Any) -> bool:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return False
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return True
    present = column.dropna()
    return pd.api.types.is_object_dtype(dtype) and all(
        isinstance(value, bool | int | float | Decimal | np.number | np.bool_) for value in present
    )


def _numbers(column: Any, name: str) -> FloatArray:
    """Return the numbers of a column, missing ones NaN; text and infinities are refused."""
    try:
        numbers = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise DataError(
            f"column {shown(name)} must hold numbers, as it did in training; correct or convert it."
        ) from None
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        raise DataError(f"column {shown(name)} has an infinite value in row {row + 1}; correct it.")
    return numbers


def _mean(numbers: FloatArray) -> float:
    present = numbers[~np.isnan(numbers)]
    return float(present.mean()) if len(present) else 0.0


def _texts(column: Any) -> list[str | None]:
    """Return the levels of a column as text, missing ones None; a new file may read "1" as 1."""
    missing = column.isna().to_numpy()
    return [None if gone else _text(v) for v, gone in zip(column, missing, strict=True)]


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return number_text(float(value))
    return str(value).strip()
