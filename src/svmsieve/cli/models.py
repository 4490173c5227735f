"""A fitted selection in a file that holds no code: skops, not pickle."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.cli.probabilities import calibrate, probabilities
from svmsieve.datasets import DataError, SparseNumbers, Table, TableEncoder
from svmsieve.runtime.text import one_line
from svmsieve.selection.selector import SVMSieve
from svmsieve.studies.data import StudyData

FORMAT = 4
_STANDARDISED_BEFORE = 3
"""Format whose sieve was given a target that the command had standardised; the schema knows its scale."""
_TRUSTED = {
    "scipy.sparse._csr.csr_matrix",
    "svmsieve.engine.kernels.kernel.Linear",
    "svmsieve.engine.kernels.kernel.Polynomial",
    "svmsieve.engine.kernels.kernel.RBF",
    "svmsieve.engine.machines.expansion.Expansion",
    "svmsieve.scale.estimators.NystroemSVC",
    "svmsieve.scale.estimators.NystroemSVR",
    "svmsieve.selection.constant.ConstantClassifier",
    "svmsieve.selection.constant.ConstantRegressor",
    "svmsieve.datasets.sparse_numbers.SparseNumbers",
    "svmsieve.datasets.encoding.TableEncoder",
    "svmsieve.selection.selector.SVMSieve",
}
_LEAST_DIFFERENT = 5
"""Different rows without which any two tables may agree."""
_WORKING = ("record_", "path_", "tuning_", "_tuned_values", "_ends", "partial_order_")
"""Attributes of a fitted sieve that predictions do not need."""


def require_skops() -> Any:
    """Return the module that reads and writes models."""
    try:
        return import_module("skops.io")
    except ImportError:
        raise ImportError(
            "models need skops: pip install 'svmsieve[model]' or pip install skops."
        ) from None


@dataclass(frozen=True)
class Model:
    """Everything that predictions for a new file need.

    Attributes
    ----------
    encoder : from the file's columns to numbers
    sieve : the fitted selection, with its machine
    schema : names and kinds of the file's columns, which of them are needed, target, task; decimal sign of a
        text file, indices of a LIBSVM file, marks of missing values; sigmoids of the classes; marks of the
        rows that it was trained on
    """

    encoder: Any
    sieve: SVMSieve
    schema: dict[str, Any]

    @classmethod
    def of(cls, prepared: StudyData, sieve: SVMSieve) -> Model:
        """Take over what was fitted, without what the fitting needed."""
        lean = copy.copy(sieve)
        for name in _WORKING:
            lean.__dict__.pop(name, None)
        # a file holds no criterion's code, only its name
        named = getattr(sieve.criterion, "name", sieve.criterion)
        lean.set_params(callback=None, checkpoint=None, scoring=None, memory=None, criterion=named)
        table = prepared.table
        schema = {
            "format": FORMAT,
            "names": list(table.names),
            "kinds": dict(table.kinds),
            "needed": prepared.sources(sieve),
            "target": table.target,
            "task": table.task,
            "text": np.asarray(table.y).dtype.kind == "U",
            "sparse": not hasattr(table.X, "columns"),
            "decimal": table.decimal,
            "indices": None if table.indices is None else list(table.indices),
            "marks": list(table.marks),
            "sigmoids": None,
            "rows": row_marks(table, prepared.sources(sieve)),
        }
        if table.task == "classification":
            schema["sigmoids"] = calibrate(
                sieve, prepared.encoded.X, prepared.y, table.groups, sieve.random_state or 0
            )
        return cls(prepared.encoded.encoder, lean, schema)

    def write(self, path: Path) -> None:
        """Write the model."""
        parts = {"encoder": self.encoder, "sieve": self.sieve, "schema": self.schema}
        require_skops().dump(parts, path)

    @classmethod
    def read(cls, path: Path) -> Model:
        """Read a model; a file that names any type but those of a model is refused unread."""
        skops = require_skops()
        name = one_line(path, 200)
        if not path.is_file():
            raise DataError(f"{name!r} is not there; svmsieve select --model writes one.")
        wrong = DataError(f"{name!r} is not a model of svmsieve select --model; give one.")
        try:
            unknown = set(skops.get_untrusted_types(file=path)) - _TRUSTED
        except Exception:  # whatever a file that is no model makes the reader raise
            raise wrong from None
        if unknown:
            raise DataError(
                f"{name!r} holds {_listed(unknown)}, which no model of svmsieve does; it was not loaded."
            )
        try:
            parts = skops.load(path, trusted=sorted(_TRUSTED))
            model = cls(parts["encoder"], parts["sieve"], parts["schema"])
            kinds = (TableEncoder, SparseNumbers)
            good = isinstance(model.encoder, kinds) and isinstance(model.sieve, SVMSieve)
        except Exception:
            raise wrong from None
        if not good or model.schema.get("format") not in (_STANDARDISED_BEFORE, FORMAT):
            raise wrong
        if model.schema["format"] == _STANDARDISED_BEFORE:
            model.sieve.target_mean_ = model.schema["centre"]
            model.sieve.target_deviation_ = model.schema["spread"]
        return model

    @property
    def counts_classes_alike(self) -> bool:
        """Whether its machine was trained to be right about every class, however rare."""
        return getattr(self.sieve.estimator_, "class_weight", None) is not None

    @property
    def like(self) -> Table:
        """The columns that a new file is read for: of a sparse one all, so that places stay."""
        import scipy.sparse as sp

        schema = self.schema
        sparse = schema["sparse"]
        names = list(schema["names"] if sparse else schema["needed"])
        X = sp.csr_matrix((0, len(names))) if sparse else None
        y = np.array(["text"]) if schema["text"] else None
        indices = schema["indices"]
        return Table(
            X,
            y,
            schema["task"],
            None,
            names,
            {n: schema["kinds"][n] for n in names},
            decimal=schema["decimal"],
            indices=None if indices is None else (indices[0], indices[1]),
            marks=tuple(schema.get("marks", ())),
        )

    def predict(self, table: Table) -> Any:
        """Return the predictions for the rows of a table that was read like the first."""
        return self.sieve.predict(self._encoded(table))

    def probabilities(self, table: Table) -> dict[str, Any]:
        """Return the probability of each class for each row, by class; nothing where the model has none."""
        sigmoids = self.schema.get("sigmoids")
        if not sigmoids:
            return {}
        shares = probabilities(self.sieve, sigmoids, self._encoded(table))
        return {str(label): shares[:, k] for k, label in enumerate(self.sieve.classes_.tolist())}

    def unseen(self, table: Table) -> dict[str, dict[str, int]]:
        """Return the categories that training had none of and their numbers of rows, by column."""
        if self.schema["sparse"]:
            return {}
        found = {}
        for name in set(table.names) & set(self.encoder.levels_):
            texts = table.X[name].dropna().astype(str).str.strip()
            new = texts[~texts.isin(self.encoder.levels_[name])]
            if len(new):
                found[name] = {str(k): int(n) for k, n in new.value_counts(sort=False).items()}
        return {name: found[name] for name in table.names if name in found}

    def trained_rows(self, table: Table) -> int:
        """Return how many rows the model was trained on, by the columns it uses; 0 where it may be chance.

        Rows of few different values agree by chance: they count only where most rows are all different, or
        where all rows together are those of the training.
        """
        trained = self.schema.get("rows")
        marks = row_marks(table, self.schema["needed"])
        different = len(np.unique(marks))
        if trained is None or different < _LEAST_DIFFERENT:
            return 0
        if np.array_equal(np.sort(marks), np.sort(trained)):
            return len(marks)
        known = int(np.isin(marks, trained).sum())
        return known if min(known, different) >= len(marks) / 2 else 0

    def _encoded(self, table: Table) -> Any:
        X = table.X
        if not self.schema["sparse"]:  # columns that were not selected may be anything
            X = X.reindex(columns=self.schema["names"])
        return self.encoder.transform(X)


def row_marks(table: Table, names: list[str]) -> Any:
    """Return a number for each row that equal values of some columns make equal."""
    if not hasattr(table.X, "columns"):
        places = [table.names.index(name) for name in names]
        frame = pd.DataFrame(table.X[:, places].toarray())
    else:
        columns = [table.X[name] for name in names]
        frame = pd.DataFrame({i: _comparable(column) for i, column in enumerate(columns)})
    if not names:
        return np.zeros(table.X.shape[0], dtype=np.uint64)
    return pd.util.hash_pandas_object(frame, index=False).to_numpy()


def _comparable(column: Any) -> Any:
    if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == object:
        return np.array(["" if pd.isna(value) else str(value) for value in column], dtype=object)
    return column.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0


def _listed(types: Iterable[str]) -> str:
    return ", ".join(one_line(each, 60) for each in sorted(types)[:3])
