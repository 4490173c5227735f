"""Which tables the page has, from the report's content."""

from __future__ import annotations

from typing import Any

from svmsieve.evaluation.shown import Shown
from svmsieve.report.drawing.axes import shown_number
from svmsieve.report.methods import p_value
from svmsieve.report.tables import Column, Table

_MOST_CLASSES = 500
RANKED = 100
"""Features of the ranking that stand in the page from the start."""


def tables(content: dict[str, Any], shown: Shown | None) -> dict[str, Table]:
    """Return the tables by name."""
    found: list[Table] = []
    if content["ranking"]:
        found += [ranking(content), _rules(content)]
    if content["evaluation"] and shown is not None:
        found += [_against(content, shown), _folds(content, shown)]
        if content["evaluation"]["recall"]:
            found.append(_recall(content))
    if content["comparison"] and shown is not None:
        found += [_methods(content, shown), _tests(content, shown)]
    if content["done"]["parameters"]:
        values = content["done"]["parameters"]
        columns = [
            Column("parameter", list(values)),
            Column("value", [str(v) for v in values.values()]),
        ]
        found.append(Table("parameters", "Parameters", columns))
    return {table.id: table for table in found}


def percent(value: float) -> str:
    """Return a share in per cent."""
    return f"{100.0 * value:.0f} %"


def ranking(content: dict[str, Any]) -> Table:
    """Return the ranking: all features, the selected ones marked."""
    found, size = content["ranking"], content["selection"]["size"]
    n = len(found["names"])
    columns = [Column("rank", list(range(1, n + 1))), Column("feature", found["names"])]
    if found["positions"] is not None:
        columns.append(Column(found["by"], found["positions"], shown_number))
    score = "score" if found["positions"] is None else "score then"
    columns.append(Column(score, found["scores"], shown_number, bar=True))
    if found["half_samples"] is not None:
        columns.append(Column("half samples", found["half_samples"], percent, bar=True))
    if found["frequency"] is not None:
        columns.append(Column("selected in folds", found["frequency"], percent, bar=True))
        columns.append(Column("lowest rank", found["lowest_rank"]))
        columns.append(Column("highest rank", found["highest_rank"]))
    columns.append(Column("selected", ["yes" if i < size else "no" for i in range(n)]))
    return Table("ranks", "Ranking", columns, RANKED, marked=size)


def _rules(content: dict[str, Any]) -> Table:
    choices, curve = content["choices"], content["curve"]
    columns = [
        Column("rule", [each["rule"] for each in choices]),
        Column("used", ["yes" if each["chosen"] else "no" for each in choices]),
        Column("features", [each["size"] for each in choices]),
    ]
    if curve is not None:
        measure = Shown.from_dict(curve["measure"])
        at = dict(zip(curve["sizes"], curve["value"], strict=True))
        values = [at.get(each["size"]) for each in choices]
        columns.append(Column(measure.name, values, measure.text))
    columns.append(Column("reason", [each["reason"] for each in choices]))
    return Table("rules", "What each rule would choose", columns)


def _limits(rows: list[dict[str, Any]], shown: Shown) -> list[Column]:
    """The limits of the intervals."""
    return [
        Column("95 % from", [row["lower"] for row in rows], shown.text),
        Column("95 % to", [row["upper"] for row in rows], shown.text),
    ]


def why_none(rows: list[dict[str, Any]]) -> str:
    """Return why intervals are missing, where some are."""
    return "; ".join(dict.fromkeys(row["no_interval"] for row in rows if row["lower"] is None))


def _against(content: dict[str, Any], shown: Shown) -> Table:
    evaluation = content["evaluation"]
    rows = [{"name": "selected features", "p": None, **evaluation}, *evaluation["baselines"]]
    p = [row["p"] for row in rows]
    columns = [
        Column("method", [row["name"] for row in rows]),
        Column(shown.name, [row["value"] for row in rows], shown.text),
        *_limits(rows, shown),
        Column("difference (Holm)", p, lambda value: f"p {p_value(value)}"),
    ]
    return Table("against", f"{shown.name} beside other methods", columns, marked=1)


def _folds(content: dict[str, Any], shown: Shown) -> Table:
    evaluation, stability = content["evaluation"], content["stability"]
    n = evaluation["folds"]
    columns = [
        Column("fold", list(range(1, n + 1))),
        Column("rows trained on", evaluation["trained_per_fold"]),
        Column("rows held out", evaluation["held_out_per_fold"]),
    ]
    if stability is not None and stability["source"] == "outer folds":
        columns.append(Column("features chosen", stability["sizes"]))
    columns.append(Column(shown.name, evaluation["per_fold"], shown.text))
    return Table("folds", "The outer folds", columns)


def _recall(content: dict[str, Any]) -> Table:
    rows = content["evaluation"]["recall"]
    columns = [
        Column("class", [row["label"] for row in rows]),
        Column("rows", [row["rows"] for row in rows]),
        Column("predicted right", [row["right"] for row in rows], percent, bar=True),
    ]
    return Table("recall", "How much of each class is predicted right", columns, _MOST_CLASSES)


def _methods(content: dict[str, Any], shown: Shown) -> Table:
    rows = content["comparison"]["methods"]
    stable = [None if not row["stability"] else row["stability"]["value"] for row in rows]
    columns = [
        Column("method", [row["name"] for row in rows]),
        Column(shown.name, [row["value"] for row in rows], shown.text),
        *_limits(rows, shown),
        Column("columns", [row["columns"] for row in rows], shown_number),
        Column("stability", stable, lambda value: f"{value:z.2f}"),
        Column("seconds", [row["seconds"] for row in rows], lambda value: f"{value:.1f}"),
    ]
    return Table("methods", "Methods", columns)


def _tests(content: dict[str, Any], shown: Shown) -> Table:
    rows = content["comparison"]["tests"]
    words = {"+": "better", "-": "worse"}
    columns = [
        Column("first", [row["first"] for row in rows]),
        Column("second", [row["second"] for row in rows]),
        Column("gain of the first", [row["gain"] for row in rows], shown.gain),
        Column("p", [row["p"] for row in rows], p_value),
        Column("p (Holm)", [row["p_holm"] for row in rows], p_value),
        Column("the first is", [words.get(row["sign"], "not told apart") for row in rows]),
    ]
    return Table("tests", "Tests of the differences", columns)
