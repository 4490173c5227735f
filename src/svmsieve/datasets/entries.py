"""What is known of a data set before it is loaded, and entries that are made alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from svmsieve.datasets import recipes
from svmsieve.datasets.addresses import Source, Uci

_CC_BY = "CC BY 4.0, as the UCI archive states"
_PUBLIC = "public, as OpenML states"
_UNSTATED = "no licence stated; for research"
_NIPS = "Guyon, Gunn, Ben-Hur, Dror (2005): Result analysis of the NIPS 2003 feature selection challenge"


@dataclass(frozen=True)
class Entry:
    """What the catalogue knows of a data set.

    Attributes
    ----------
    name : what :func:`load` calls it
    file : its name in a data folder
    task : ``"binary"``, ``"multiclass"`` or ``"regression"``
    parts : rows of each part: ``{"all": 690}``, or training, validation and test parts
    n_features : number of columns
    classes : rows of each class in the first part; None for a regression
    source : where it is downloaded from; None where neither archive has it in this form
    licence : what is said of its use
    citation : whom to cite
    checksum : of the content (:func:`svmsieve.datasets.store.checksum`); None where it is not known
    recipe : makes a data folder's arrays of the source's files
    note : what else to know
    """

    name: str
    file: str
    task: str
    parts: Mapping[str, int]
    n_features: int
    classes: Mapping[Any, int] | None
    source: Source | None
    licence: str
    citation: str
    checksum: str | None
    recipe: recipes.Recipe | None = field(default=None, repr=False)
    note: str = ""


def _monks(problem: int, rows: int, classes: dict[Any, int], checksum: str) -> Entry:
    return Entry(
        f"monks-{problem}",
        f"monks-{problem}.npz",
        "binary",
        {"train": rows, "test": 432},
        6,
        classes,
        Uci(70, "monk+s+problems"),
        _CC_BY,
        "Thrun et al. (1991): The MONK's problems",
        checksum,
        recipes.monks(problem),
        "Attributes are categories coded from 1; the six wrong labels of monks-3 are in training."
        if problem == 3
        else "Attributes are categories coded from 1.",
    )


def _nips(
    name: str,
    number: int,
    parts: dict[str, int],
    n_features: int,
    classes: dict[Any, int],
    recipe: recipes.Recipe,
    checksum: str | None,
    note: str = "",
) -> Entry:
    return Entry(
        name,
        f"{name}.npz",
        "binary",
        parts,
        n_features,
        classes,
        Uci(number, name),
        _CC_BY,
        _NIPS,
        checksum,
        recipe,
        note,
    )


def _table(
    name: str, rows: int, columns: str, classes: dict[Any, int], source: Uci, file: str, more: Any
) -> Entry:
    citation, checksum, note = more
    return Entry(
        name,
        f"{name}.csv.gz",
        "binary",
        {"all": rows},
        len(columns.split(",")) - 1,
        classes,
        source,
        _CC_BY,
        citation,
        checksum,
        recipes.with_header(file, columns),
        note,
    )


def _regression(
    name: str,
    rows: int,
    n_features: int,
    source: Source,
    recipe: recipes.Recipe,
    more: Any,
    licence: str = _PUBLIC,
) -> Entry:
    citation, checksum, note = more
    return Entry(
        name,
        f"{name}.npz",
        "regression",
        {"all": rows},
        n_features,
        None,
        source,
        licence,
        citation,
        checksum,
        recipe,
        note,
    )
