"""``svmsieve apply``: predictions of a written model for a new file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.cli.failure import say
from svmsieve.cli.frame_files import plain_form, write_frame
from svmsieve.cli.frame_parts import written
from svmsieve.cli.models import Model
from svmsieve.cli.partitioned import is_partitioned
from svmsieve.datasets import DataError, Table, read_table
from svmsieve.datasets.errors import listed, plural, shown
from svmsieve.datasets.frames import raw_of_frame
from svmsieve.datasets.understanding import understand_like
from svmsieve.runtime.text import cell, one_line
from svmsieve.scale.connection import require_dask
from svmsieve.studies.many_files import ManyFiles
from svmsieve.studies.stages import stage

_DIGITS = 4
"""Of a probability: more are not known."""


@dataclass(frozen=True)
class NewFile:
    """A file to predict, and how it is written."""

    path: Path
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str | None = None
    memory: float | None = None
    ids: tuple[str, ...] = ()

    def read(self, model: Model) -> Table:
        """Read what the model needs, with the target where there is one."""
        options: dict[str, Any] = {
            name: getattr(self, name) for name in vars(self) if name != "path"
        }
        try:
            return read_table(self.path, model.schema["target"], like=model.like, **options)
        except DataError as error:
            if "for the target" not in str(error):
                raise
        return read_table(self.path, like=model.like, **options)


def apply_model(model_file: Path, file: NewFile, out: Path | None, *, quiet: bool) -> None:
    """Predict the rows of a file; say how good the predictions are where the file has the target."""
    if out is not None and out.resolve() == model_file.resolve():
        raise DataError(f"--out and the model are the same file, {one_line(out, 200)!r}.")
    model = Model.read(model_file)
    if is_partitioned(file.path):
        _apply_to_many(model, file, out, quiet=quiet)
        return
    form = "csv" if out is None else plain_form(out, "--out")
    with stage(f"Reading {file.path.name}", quiet=quiet):
        table = file.read(model)
    with stage(f"Predicting {table.X.shape[0]} rows", quiet=quiet):
        predictions = model.predict(table)
        frame = _frame(model, table, predictions)
    if out is None:
        frame.to_csv(sys.stdout, index=False)
    else:
        write_frame(out, frame, form)
        print(f"Predictions: {out}")
    if not quiet:
        for sentence in (
            *_about_categories(model, table),
            *_about_probabilities(model, table, predictions),
            *_about_score(model, table, predictions),
        ):
            say(sentence)


def _apply_to_many(model: Model, file: NewFile, out: Path | None, *, quiet: bool) -> None:
    """Predict the rows of many Parquet files, partition by partition; none but one is in memory."""
    require_dask("a folder of Parquet files")
    many = ManyFiles.read(file.path)
    like, first = model.like, 1
    with (
        written(out, "--out") as write,
        stage("Predicting", len(many.sizes), quiet=quiet) as shown_stage,
    ):
        for part in many.parts(list(like.names)):
            shown_stage.step()
            if len(part):
                table = understand_like(raw_of_frame(part), str(file.path), None, like)
                write(_frame(model, table, model.predict(table), first))
                first += len(part)
    if out is not None:
        print(f"Predictions: {out}")


def _frame(model: Model, table: Table, predictions: Any, first: int = 1) -> pd.DataFrame:
    """Return what is written of each row: its number, its identifiers, what is predicted, how surely."""
    columns: dict[str, Any] = {"row": np.arange(first, first + len(predictions))}
    for name, values in table.ids.items():
        columns[cell(name)] = [None if pd.isna(v) else cell(v) for v in values.tolist()]
    target = model.schema["target"]
    columns[cell(f"predicted {target}")] = [cell(value) for value in predictions.tolist()]
    for label, share in model.probabilities(table).items():
        columns[cell(f"probability of {label}")] = share.round(_DIGITS)
    return pd.DataFrame(columns)


def _about_categories(model: Model, table: Table) -> list[str]:
    """Name the categories that the model was not trained with."""
    sentences = []
    for name, levels in model.unseen(table).items():
        rows = sum(levels.values())
        sentences.append(
            f"Note: column {shown(name)} has {listed(levels)} in {plural(rows, 'row')}, which the model has "
            "never seen; such rows count as none of its categories."
        )
    return sentences


def _about_probabilities(model: Model, table: Table, predictions: Any) -> list[str]:
    """Say in how many rows another class than the predicted one is the more probable one, and why."""
    shares = model.probabilities(table)
    if not (shares and model.counts_classes_alike):
        return []
    likeliest = np.array(list(shares))[np.argmax(list(shares.values()), axis=0)]
    other = int(np.count_nonzero(likeliest.astype(str) != predictions.astype(str)))
    if not other:
        return []
    return [
        f"Note: in {plural(other, 'row')} the predicted class is not the most probable one: the machine "
        "counts a rare class as much as a common one, the probabilities are those of classes as frequent as "
        "in training."
    ]


def _unseen_classes(model: Model, table: Table) -> str | None:
    """Name the classes of the target that the model cannot predict, for it was trained with none of them."""
    if model.schema["task"] == "regression" or table.y is None:
        return None
    labels = table.y[~pd.isna(table.y)].astype(str)
    others = labels[~np.isin(labels, model.sieve.classes_.astype(str))]
    if not len(others):
        return None
    counts = {
        label: int(count)
        for label, count in zip(*np.unique(others, return_counts=True), strict=True)
    }
    return (
        f"Note: the target has {listed(counts)} in {plural(len(others), 'row')}, which the model has never "
        "seen and cannot predict; such rows count as wrong."
    )


def _about_score(model: Model, table: Table, predictions: Any) -> list[str]:
    """Say how good the predictions are on the rows that have a target."""
    if table.y is None:
        return []
    known = ~pd.isna(table.y)
    y, predicted = table.y[known], predictions[known]
    rows = "" if known.all() else f" ({known.sum()} of {len(known)} rows have one)"
    if model.schema["task"] == "regression":
        spread = float(np.sqrt(np.mean((predicted - y.astype(np.float64)) ** 2)))
        sentences = [f"Root mean squared error on this file's target{rows}: {spread:.4g}"]
    else:
        wrong = predicted.astype(str) != y.astype(str)
        sentences = [f"Error rate on this file's target{rows}: {100 * wrong.mean():.1f} %"]
        if model.counts_classes_alike:
            each = pd.Series(wrong).groupby(y.astype(str)).mean().mean()
            sentences.insert(
                0, f"Balanced error rate on this file's target{rows}: {100 * each:.1f} %"
            )
    if (unseen := _unseen_classes(model, table)) is not None:
        sentences.append(unseen)
    trained = model.trained_rows(table)
    if trained:
        sentences.append(
            f"Note: the model was trained on {trained} of these {len(known)} rows: on new ones it is worse. "
            "What svmsieve select printed is the error on rows it had not seen."
        )
    return sentences
