"""What must be true of the papers' committed results: bounds, relations between values, reruns, verdicts.

Each guard returns what is wrong; ``test_guards.py`` wants nothing from them, ``test_damages.py`` damages the
results and wants something.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from svmsieve.papers import PAPERS, Result, studies, views
from svmsieve.papers.cells import DIFFERS, GRADES, LEFT_OUT
from svmsieve.papers.measurements import DIGITS, rounded
from svmsieve.papers.scoreboard import runs_of, score
from svmsieve.papers.studies import RankingStudy

DOCS = Path(__file__).resolve().parents[2] / "docs" / "papers"
PINS = Path(__file__).with_name("verdicts.json")
"""The verdict of every printed cell and claim, as they stand: a change is meant, or a damage."""
RATIOS = (0.25, 4.0)
"""An obtained mean is not this many times below or above the printed one."""
RATIO_EXCEPTIONS = {("heiler2001", "table 2"), ("shen2008", "table 3")}
"""Seconds of another machine; what one tuning does to MADELON."""
MEASURED_TIME = "seconds"
NEAR = 5e-4
"""What other versions of numpy and scikit-learn, or another processor, may change: machines end within a
tolerance."""


class Unit(NamedTuple):
    """One method in one trial of a study, from one seed."""

    paper: str
    study: str
    condition: str
    method: str
    trial: int
    seed: int = 0


@cache
def committed():
    """All committed runs by paper and study."""
    return {
        (paper, name): tuple(runs_of(DOCS, paper, name))
        for paper in PAPERS
        for name in studies(paper)
    }


def incomplete(runs):
    """Runs that are there, whole, of the study they say, from seeds that differ."""
    faults = []
    for (paper, name), some in runs.items():
        study = studies(paper)[name]
        if not some:
            faults.append(f"{paper}, {name}: no run")
            continue
        if {(run.paper, run.study) for run in some} != {(paper, name)}:
            faults.append(f"{paper}, {name}: of another study")
        if len({run.seed for run in some}) < len(some) or some[0].seed != 0:
            faults.append(f"{paper}, {name}: seeds {[run.seed for run in some]}")
        for run in some:
            if set(run.values) - set(study.conditions):
                faults.append(f"{paper}, {name}: unknown conditions")
            for condition, methods in run.values.items():
                if set(methods) - set(study.method_names):
                    faults.append(f"{paper}, {name}: unknown methods")
                for method, measures in methods.items():
                    trials = {tuple(sorted(values)) for values in measures.values()}
                    for each in trials:
                        if each != tuple(range(len(each))):
                            faults.append(f"{paper}, {name}, {condition}, {method}: trials {each}")
                    if len(trials) > 1:
                        faults.append(
                            f"{paper}, {name}, {condition}, {method}: measures differ in trials"
                        )
    return faults


def out_of_bounds(runs):
    """Values that cannot be: shares beyond 0 and 1, negative errors, numbers that are none."""
    faults = []
    for (paper, name), some in runs.items():
        for run in some:
            for condition, methods in run.values.items():
                for method, measures in methods.items():
                    for measure, values in measures.items():
                        upper = _upper(measure)
                        for trial, value in values.items():
                            if not (_lower(measure) <= value <= upper) or value != rounded(value):
                                faults.append(
                                    f"{paper}, {name}, {condition}, {method}, {measure}, {trial}: {value}"
                                )
    return faults


def _upper(measure):
    kind = measure.partition("@")[0].removesuffix(" spread")
    if kind in ("error", "ber", "cv", "auc", "auc of labels", "found", "relevant on top", "r"):
        return 1.0
    if kind in ("accuracy", "probes"):
        return 100.0
    return sys.float_info.max


def _lower(measure):
    kind = measure.partition("@")[0].removesuffix(" spread")
    return -sys.float_info.max if kind in ("C", "gamma", "epsilon", "r", "excess", "bound") else 0.0


def disagreeing_with_each_other(runs):
    """Values that contradict others: errors that are no share of the test rows, a machine with two."""
    faults = []
    for (paper, name), some in runs.items():
        study = studies(paper)[name]
        if not isinstance(study, RankingStudy):
            continue
        for run in some:
            for condition, methods in run.values.items():
                problem = study.settings[condition].problem
                n_test = getattr(problem, "n_test", None)
                all_at = study.settings[condition].sizes[-1:] or (0,)
                whole = f"{study.loss}@{all_at[0]}"
                for method, measures in methods.items():
                    if study.loss == "error" and n_test:
                        for measure, values in measures.items():
                            if measure.startswith("error@"):
                                faults += [
                                    f"{paper}, {name}, {condition}, {method}, {measure}, {t}: no share"
                                    for t, v in values.items()
                                    if abs(v * n_test - round(v * n_test)) > 10.0**-DIGITS * n_test
                                ]
                if study.relevant or all_at[0] in (9, 13, 7, 8, 12, 27, 60):
                    columns = [m.get(whole, {}) for m in methods.values() if m]
                    for trial in columns[0] if columns else ():
                        found = [column[trial] for column in columns if trial in column]
                        if max(found) > min(found) * 1.02 + 1e-9:
                            faults.append(
                                f"{paper}, {name}, {condition}, {trial}: all features, two errors"
                            )
    return faults


def results_of(runs):
    """Every view filled from the runs."""
    return {
        (paper, item): Result.of(view, some[0], some[1:])
        for paper in PAPERS
        for item, view in views(paper).items()
        if (some := runs.get((paper, view.study.name)))
    }


def far_from_printed(results):
    """Means that are a multiple of the printed value."""
    faults = []
    for (paper, item), result in results.items():
        view = result.view
        if (paper, item) in RATIO_EXCEPTIONS or view.beside or view.statistic != "mean":
            continue
        for cell in result.cells:
            if cell.published and cell.obtained is not None:
                if view.study.name == "parameters":  # powers, not sizes
                    continue
                ratio = cell.obtained / cell.published
                if not RATIOS[0] <= ratio <= RATIOS[1]:
                    faults.append(f"{paper}, {item}, {cell.row}, {cell.column}: {ratio:.2g} times")
    return faults


def unexplained(results):
    """Cells that differ without a remark, remarks on cells that do not, numbers without either."""
    faults = []
    for (paper, item), result in results.items():
        explained = [name for each in result.view.remarks for name in each.cells]
        differing = {(c.row, c.column) for c in result.cells if c.verdict == DIFFERS}
        if len(explained) != len(set(explained)):
            faults.append(f"{paper}, {item}: two remarks on one cell")
        faults += [f"{paper}, {item}, {name}: not explained" for name in differing - set(explained)]
        faults += [
            f"{paper}, {item}, {name}: a stale remark" for name in set(explained) - differing
        ]
        for cell in result.cells:
            if cell.published is None or cell.verdict in GRADES or result.view.beside:
                continue
            if cell.verdict != LEFT_OUT or not cell.remark:
                faults.append(
                    f"{paper}, {item}, {cell.row}, {cell.column}: neither verdict nor reason"
                )
    return faults


def pins(results):
    """Verdicts of the cells and claims, and their counts, as they are pinned."""
    return {
        f"{paper}, {item}": {
            "cells": {
                f"{c.row} | {c.column}": c.verdict for c in result.cells if c.published is not None
            },
            "claims": {claim.text: f"{claim.verdict}, {claim.held}" for claim in result.claims},
            "statements": {
                each.text: f"{each.verdict}: {each.found}" for each in result.statements
            },
            "means": {
                f"{c.row} | {c.column}": f"{c.obtained:.3g}"
                for c in result.cells
                if c.obtained is not None
            },
            "printed": {
                f"{row} | {column}": value.value
                for (row, column), value in result.view.published.items()
            },
            "score": list(score(result)),
        }
        for (paper, item), result in results.items()
    }


def changed(results):
    """Verdicts and means that are not those that are pinned."""
    pinned = json.loads(PINS.read_text(encoding="utf-8"))
    return [name for name, now in pins(results).items() if pinned.get(name) != now]


def _run_of(runs, unit):
    """The run of the unit's seed; None where there is none."""
    return next((run for run in runs[unit.paper, unit.study] if run.seed == unit.seed), None)


@cache
def rerun(unit):
    """Measure one unit again, in this process, once."""
    study = studies(unit.paper)[unit.study]
    run = _run_of(committed(), unit)
    if unit.condition in run.chosen:  # as it was tuned; the tuning itself is another unit
        object.__setattr__(study, "chosen", lambda at, tuned: run.chosen[at])
    try:
        return study.measure(unit.condition, unit.method, unit.trial, unit.seed, [])
    finally:
        vars(study).pop("chosen", None)


def not_reproduced(runs, unit, again):
    """Values of a unit that differ from those that were committed."""
    run = _run_of(runs, unit)
    if run is None:
        return [f"{unit.paper}, {unit.study}, seed {unit.seed}: no run"]
    then = run.values.get(unit.condition, {}).get(unit.method, {})
    wrong = [
        measure
        for measure, value in again.items()
        if measure != MEASURED_TIME and not _same(then.get(measure, {}).get(unit.trial), value)
    ]
    return [f"{', '.join(map(str, unit))}: {', '.join(wrong)}"] * bool(wrong)


def _same(then, now):
    """Equal, but for what other versions may change."""
    if then is None:
        return False
    return then == rounded(now) or abs(then - now) <= NEAR * abs(now)


if __name__ == "__main__":  # after results were run anew, and looked at
    text = json.dumps(pins(results_of(committed())), indent=1, ensure_ascii=False)
    PINS.write_text(text + "\n", encoding="utf-8")
