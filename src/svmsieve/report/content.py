"""The content of a report: everything a fitted selection and its evaluation say, as one plain dict."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from svmsieve.datasets.table import Table
from svmsieve.evaluation import Comparison, NestedEvaluation
from svmsieve.evaluation.next_step import NextStep
from svmsieve.evaluation.shown import Shown
from svmsieve.evaluation.verdict import judge
from svmsieve.report import held_out as judged
from svmsieve.report import machine, methods
from svmsieve.report.answer import facts_of, measure_of, next_step, with_giveaways
from svmsieve.report.distributions import distributions
from svmsieve.report.features import Features
from svmsieve.report.plain_values import plain
from svmsieve.report.reasons import Reasons
from svmsieve.report.samples import heat_map, projection
from svmsieve.report.selection import choices, curve, ranking, selection
from svmsieve.runtime.version import __version__

FORMAT = 1
_DIGITS = 6
_SECTIONS = (
    "verdict",
    "selection",
    "evaluation",
    "curve",
    "choices",
    "confusion",
    "roc",
    "predictions",
    "ranking",
    "stability",
    "distributions",
    "projection",
    "heat_map",
    "responses",
    "correlation",
    "tuning",
    "used",
)
"""Parts of the report of a selection that other reports do not have."""


def describe(
    sieve: Any,
    X: Any = None,
    y: Any = None,
    *,
    evaluation: NestedEvaluation | None = None,
    baselines: Mapping[str, NestedEvaluation] | None = None,
    table: Table | None = None,
    column_names: Sequence[str] | None = None,
    name: str = "",
    command: str = "",
    seconds: float | None = None,
    warnings: Sequence[str] = (),
    n_rows: int | None = None,
) -> dict[str, Any]:
    """Return the content of the report of a fitted sieve.

    Parameters
    ----------
    sieve : SVMSieve
        A fitted SVMSieve.
    X, y : {array-like, sparse matrix} of shape (n_samples, n_features), or None, default=None
        The samples it was fitted to, for response curves and correlations; None leaves them out.
    evaluation : NestedEvaluation or None, default=None
        The nested evaluation of the same sieve.
    baselines : mapping of str to NestedEvaluation, or None, default=None
        Evaluations on the same folds to compare it with.
    table : Table or None, default=None
        What was understood of the file the samples come from.
    column_names : sequence of str or None, default=None
        Names of the columns of X, where they have none.
    name : str, default=""
        Name of the data.
    command : str, default=""
        Command that repeats the run.
    seconds : float or None, default=None
        Time it took.
    warnings : sequence of str, default=()
        Warnings that were given on the way.
    n_rows : int or None, default=None
        Rows that it was fitted to, where X and y are some of them.

    Returns
    -------
    dict
        Sections of the report, as plain values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from svmsieve import SVMSieve
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> content = describe(SVMSieve(SVC(), n_features_to_select=2).fit(X, y), X, y)
    >>> sorted(content["selection"]["features"])
    ['petal length (cm)', 'petal width (cm)']
    """
    _refuse_other_data(sieve, X, y, evaluation)
    features = Features.of(sieve, column_names)
    shown = Shown.of(measure_of(sieve, evaluation))
    told = Reasons(measure_of(sieve, None))
    ranked = table_of_ranks, stability = ranking(sieve, features, evaluation)
    facts = facts_of(sieve, features, evaluation, baselines or {}, ranked)
    judged_by = None if evaluation is None else judged.evaluated(evaluation, baselines or {}, shown)
    used = methods.facts(sieve, told)
    samples = X is not None and y is not None
    curves = samples and not sieve._weighted
    if samples and not curves:
        warnings = [*warnings, "Response curves are left out: the samples had weights."]
    if samples:
        facts = with_giveaways(facts, sieve, features, X, y)
    asked: Any = "command line" if command else "sieve" if table is None else "study"
    step = next_step(sieve, evaluation) if asked == "sieve" else NextStep(asked, command or "")
    verdict = judge(facts, step)
    content: dict[str, Any] = {
        **_head("selection", name),
        "data": _data(sieve, features, y, table, name) | _of_all(n_rows, y),
        "measure": shown.to_dict(),
        "verdict": verdict.to_dict(),
        "selection": selection(sieve, features, told),
        "evaluation": judged_by,
        "curve": curve(sieve, y, evaluation, told),
        "choices": choices(sieve, told),
        "confusion": None if evaluation is None else judged.confusions(evaluation),
        "roc": None if evaluation is None else judged.roc(evaluation),
        "predictions": None if evaluation is None else judged.predictions(evaluation),
        "ranking": table_of_ranks,
        "stability": stability,
        **_looks(sieve, features, X, y, samples),
        "responses": machine.responses(sieve, features, X, y) if curves else None,
        "correlation": machine.correlation(sieve, features, X) if samples else None,
        "tuning": machine.tuning(sieve, told),
        "comparison": None,
        "reproduction": None,
        "used": used,
        "done": _done(
            sieve.record_.header["parameters"], sieve.record_.header, command, seconds, warnings
        ),
    }
    content = plain(content, _DIGITS)
    content["methods"] = methods.methods(used, content["evaluation"])
    content["paragraph"] = methods.paragraph(content, used, shown)
    return content


def _looks(sieve: Any, features: Features, X: Any, y: Any, samples: bool) -> dict[str, Any]:
    """What the samples look like in the selected features, where there are samples."""
    parts = {"distributions": distributions, "projection": projection, "heat_map": heat_map}
    return {name: part(sieve, features, X, y) if samples else None for name, part in parts.items()}


def _refuse_other_data(sieve: Any, X: Any, y: Any, evaluation: NestedEvaluation | None) -> None:
    """Refuse samples and evaluations that cannot be those of the sieve."""
    d = sieve.n_features_in_
    if X is not None and X.shape[1] != d:
        raise ValueError(f"X must be what the sieve was fitted to, {d} columns, got {X.shape[1]}.")
    if X is not None and y is not None and X.shape[0] != len(y):
        raise ValueError(f"X and y must have as many rows, got {X.shape[0]} and {len(y)}.")
    if evaluation is None:
        return
    if len(evaluation.feature_names) != d:
        raise ValueError(
            f"evaluation must be of the sieve's data, {d} columns, got {len(evaluation.feature_names)}."
        )
    if y is not None and len(evaluation.y) != len(y):
        raise ValueError(
            f"evaluation must be of the same rows as y, {len(y)}, got {len(evaluation.y)}."
        )


def describe_comparison(
    comparison: Comparison,
    *,
    table: Table | None = None,
    parameters: Mapping[str, Any] | None = None,
    name: str = "",
    command: str = "",
    seconds: float | None = None,
    warnings: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the content of the report of a comparison."""
    shown = Shown.of(comparison.metric)
    any_evaluation = next(iter(comparison.evaluations.values()))
    y = any_evaluation.y
    data = {
        "name": name,
        "rows": len(y),
        "described": None,
        "features": len(any_evaluation.feature_names) if table is None else len(table.names),
        "columns": len(any_evaluation.feature_names),
        "task": "regression" if any_evaluation.classes is None else "classification",
        "classes": _classes(any_evaluation.classes, y),
        "fingerprint": None,
        **_understood(table),
    }
    content: dict[str, Any] = {
        **_head("comparison", name),
        **dict.fromkeys((*_SECTIONS, "reproduction")),
        "data": data,
        "measure": shown.to_dict(),
        "comparison": judged.compared(comparison, shown),
        "done": _done(dict(parameters or {}), {}, command, seconds, warnings),
        "methods": methods.methods_of_comparison(),
        "paragraph": "",
    }
    content = plain(content, _DIGITS)
    content["paragraph"] = methods.comparison_paragraph(content, shown)
    return content


def _head(kind: str, name: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kind": kind,
        "title": f"Feature {kind}: {name}" if name else f"Feature {kind}",
        "svmsieve": __version__,
        "created": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _data(sieve: Any, features: Features, y: Any, table: Table | None, name: str) -> dict[str, Any]:
    classes = getattr(sieve, "classes_", None)
    return {
        "name": name,
        "rows": None if y is None else len(y),
        "described": None,
        "features": len(features),
        "columns": len(features.column_names),
        "task": "regression" if classes is None else "classification",
        "classes": _classes(classes, y),
        "fingerprint": sieve.record_.header["data"],
        **_understood(table),
    }


def _of_all(n_rows: int | None, y: Any) -> dict[str, Any]:
    """What is known of all rows, where the samples at hand are some of them: how many there are."""
    if n_rows is None or y is None or n_rows == len(y):
        return {}
    return {"rows": n_rows, "described": len(y)}


def _classes(classes: Any, y: Any) -> list[dict[str, Any]] | None:
    if classes is None:
        return None
    counts = [None if y is None else int(np.sum(np.asarray(y) == label)) for label in classes]
    return [{"label": str(c), "rows": n} for c, n in zip(classes, counts, strict=True)]


def _understood(table: Table | None) -> dict[str, Any]:
    if table is None:
        return {"target": None, "notes": [], "warnings": [], "dropped": {}, "missing": {}}
    return {
        "target": table.target,
        "notes": table.notes,
        "warnings": table.warnings,
        "dropped": table.dropped,
        "missing": table.missing,
    }


def _done(
    parameters: Mapping[str, Any],
    header: Mapping[str, Any],
    command: str,
    seconds: float | None,
    warnings: Sequence[str],
) -> dict[str, Any]:
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    return {
        "parameters": dict(parameters),
        "seed": parameters.get("random_state"),
        "versions": {
            "svmsieve": header.get("svmsieve", __version__),
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "command": command,
        "seconds": seconds,
        "warnings": list(dict.fromkeys(warnings)),
    }


def describe_reproduction(
    name: str, tables: Sequence[Mapping[str, Any]], *, command: str, seconds: float, seed: int
) -> dict[str, Any]:
    """Return the content of the report of a paper's experiments: tables with titles, columns, rows."""
    content: dict[str, Any] = {
        **_head("reproduction", name),
        **dict.fromkeys((*_SECTIONS, "data", "measure", "comparison")),
        "reproduction": {"tables": list(tables)},
        "done": _done({"random_state": seed}, {}, command, seconds, ()),
        "methods": [],
        "paragraph": "",
    }
    content["title"] = f"Reproduction: {name}"
    return plain(content, _DIGITS)
