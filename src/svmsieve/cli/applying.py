"""``svmsieve apply``: predictions of a written model for a new file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svmsieve.cli.failure import say
from svmsieve.cli.frame_files import plain_form, write_frame
from svmsieve.cli.models import Model
from svmsieve.cli.outputs import Outputs
from svmsieve.datasets import DataError, read_table
from svmsieve.runtime.text import cell, one_line
from svmsieve.studies.stages import stage


def apply_model(
    model_file: Path,
    file: Path,
    out: Path | None,
    delimiter: str | None,
    decimal: str | None,
    header: bool | None,
    memory: float | None,
    *,
    quiet: bool,
) -> None:
    """Predict the rows of a file; say how good the predictions are where the file has the target."""
    Outputs(out=out).check(file)
    if out is not None and out.resolve() == model_file.resolve():
        raise DataError(f"--out and the model are the same file, {one_line(out, 200)!r}.")
    form = "csv" if out is None else plain_form(out, "--out")
    model = Model.read(model_file)
    written: dict[str, Any] = {"delimiter": delimiter, "decimal": decimal, "header": header}
    with stage(f"Reading {file.name}", quiet=quiet):
        like = model.like
        try:
            table = read_table(file, model.schema["target"], like=like, memory=memory, **written)
        except DataError as error:
            if "for the target" not in str(error):
                raise
            table = read_table(file, like=like, memory=memory, **written)
    with stage(f"Predicting {table.X.shape[0]} rows", quiet=quiet):
        predictions = model.predict(table)
    name = f"predicted {model.schema['target']}"
    frame = pd.DataFrame(
        {
            "row": np.arange(1, len(predictions) + 1),
            cell(name): [cell(value) for value in predictions.tolist()],
        }
    )
    if out is None:
        frame.to_csv(sys.stdout, index=False)
    else:
        write_frame(out, frame, form)
        print(f"Predictions: {out}")
    if table.y is not None and not quiet:
        if model.schema["task"] == "regression":
            spread = float(np.sqrt(np.mean((predictions - table.y) ** 2)))
            say(f"Root mean squared error on this file's target: {spread:.4g}")
        else:
            wrong = float(np.mean(predictions != np.asarray(table.y, dtype=predictions.dtype)))
            say(f"Error rate on this file's target: {100 * wrong:.1f} %")
