"""What every method found on every set, read from the pieces in ``docs/quality``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.problems import ROOT
from benchmarks.quality.methods import METHODS
from benchmarks.quality.sets import DataSet, all_sets
from svmsieve.evaluation import nogueira_index

FOLDER = ROOT / "docs" / "quality"


class Found(NamedTuple):
    """What a method found on a set, over the splits: means."""

    score: float
    share: float
    seconds: float
    precision: float
    recall: float
    stability: float
    scores: dict[int, float]
    columns: int


def _found(pieces: list[dict[str, Any]], generated: bool) -> Found:
    chosen = [
        list(range(each["columns"])) if each["selected"] == "all" else each["selected"]
        for each in pieces
    ]
    d = pieces[0]["columns"]
    precision, recall = np.nan, np.nan
    truths = [each.get("true") for each in pieces]
    if truths[0]:
        hits = [len(set(c) & set(t)) for c, t in zip(chosen, truths, strict=True)]
        precision = float(np.mean([h / len(c) for h, c in zip(hits, chosen, strict=True)]))
        recall = float(np.mean([h / len(t) for h, t in zip(hits, truths, strict=True)]))
    stability = np.nan
    masks = np.zeros((len(pieces), d), dtype=bool)
    for mask, columns in zip(masks, chosen, strict=True):
        mask[columns] = True
    if not generated and len(pieces) > 1 and 0 < masks.sum() < masks.size:
        stability = float(nogueira_index(masks).value)
    return Found(
        float(np.mean([each["score"] for each in pieces])),
        float(np.mean([len(c) / d for c in chosen])),
        float(np.mean([each["seconds"] for each in pieces])),
        precision,
        recall,
        stability,
        {each["split"]: each["score"] for each in pieces},
        d,
    )


def _pieces(name: str, method: str) -> list[dict[str, Any]]:
    file: Path = FOLDER / name / f"{method.lower().replace(' ', '-')}.json"
    return json.loads(file.read_text()) if file.exists() else []


def collected() -> dict[str, dict[str, Found]]:
    """What was found, by set and method."""
    table: dict[str, dict[str, Found]] = {}
    for name, data in all_sets().items():
        for method in METHODS:
            if pieces := _pieces(name, method):
                table.setdefault(name, {})[method] = _found(pieces, data.generated)
    return table


def on_the_same_splits(data: DataSet, *methods: str) -> dict[str, Found] | None:
    """What the methods found on the splits of a set that all of them have."""
    pieces = {
        method: {each["split"]: each for each in _pieces(data.name, method)} for method in methods
    }
    common = sorted(set.intersection(*(set(each) for each in pieces.values())))
    if not common:
        return None
    return {
        method: _found([each[split] for split in common], data.generated)
        for method, each in pieces.items()
    }
