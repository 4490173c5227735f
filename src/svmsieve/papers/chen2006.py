"""Chen & Lin (2006): Combining SVMs with various feature selection strategies."""

from __future__ import annotations

from svmsieve.papers.chen2006_studies import (
    CURVE,
    FOUND,
    N_FEATURES,
    PRINTED,
    SETS,
    THRESHOLDS,
    TOPS,
)
from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.remarks.chen2006 import (
    _FOREST,
    _FOUND_NOTES,
    _GISETTE,
    _NOTES,
    _OMITTED,
    _PLAIN,
    _REMARKS,
    _TABLE_2_NOTES,
)
from svmsieve.papers.sizes import COUNTED, SizesStudy, part_sizes
from svmsieve.papers.views import Finding, Published, Remark, Statement, View, printed, remark

COLUMNS = ("ARCENE", "DEXTER", "DOROTHEA", "GISETTE", "MADELON")
METHODS = ("SVM", "F+SVM", "F+RF+SVM", "RF+RM-SVM")
COUNTS = SizesStudy("sizes", {name: part_sizes(name.lower()) for name in SETS})
_TABLE_1 = """
13.31 11.67 33.98 2.10 40.17
21.43 8.00 21.38 1.80 13.00
21.43 8.00 12.51 1.80 13.00
* * * * 7.50
"""
_TABLE_2 = """
11.04 8.33 39.38 2.08 39.85
9.25 4.00 14.21 1.37 11.60
"""
_TABLE_3 = """
0.1 0.015 0.05 0.01 0.005
661 209 445 913 13
"""
_TOPS = {100: 0.1431, 200: 0.1251, 300: 0.1498}


def _without_gisette(rows: tuple[str, ...]) -> tuple[Remark, ...]:
    return (remark(rows, "GISETTE", _GISETTE),)


def _place(row: str, column: str) -> Place | None:
    """Where Table 1's cell is: F+RF+SVM on DOROTHEA is the paper's top 200."""
    if column not in SETS or not PRINTED.runs(column, row):
        return None
    method = "F+RF top 200+SVM" if (row, column) == ("F+RF+SVM", "DOROTHEA") else row
    return Place(column, method, "ber")


def _no_best_method(made: Measurements) -> Finding:
    """Table 1: no method is the best on all data sets."""
    best = {}
    for name in SETS:
        errors = {row: made.mean(place) for row in METHODS if (place := _place(row, name))}
        best[name] = min(errors, key=lambda row: errors[row])
    found = ", ".join(f"{name}: {row}" for name, row in best.items())
    return Finding(f"the best are {found}", len(set(best.values())) > 1)


def _all_retained(made: Measurements) -> Finding:
    """Section 4: after the F-score, the forest retains all features."""
    kept = {
        name: (
            made.mean(Place(name, "F+RF+SVM", "features")),
            made.mean(Place(name, "F+SVM", "features")),
        )
        for name in SETS
    }
    found = ", ".join(f"{name} {some:.4g} of {all_:.4g}" for name, (some, all_) in kept.items())
    return Finding(f"it keeps {found}", all(some == all_ for some, all_ in kept.values()))


def _unlike_validation(made: Measurements) -> Finding:
    """Table 2: on the first three sets the cross-validated error is not that of the validation part."""
    apart = {
        name: abs(made.mean(Place(name, "F+SVM", "cv")) - made.mean(Place(name, "F+SVM", "ber")))
        / made.mean(Place(name, "F+SVM", "cv"))
        for name in SETS
    }
    found = ", ".join(f"{name} {100.0 * share:.0f} %" for name, share in apart.items())
    others = [share for name, share in apart.items() if name != "MADELON"]
    return Finding(f"F+SVM's differ by {found}", min(others) > apart["MADELON"])


def _figure_1(name: str) -> View:
    return View(
        f"figure 1 {name}",
        f"F-scores in falling order, {name}; features below the line are dropped",
        PRINTED,
        (name,),
        tuple(str(k) for k in CURVE if k <= N_FEATURES[name]),
        lambda row, column: Place(row, "F+SVM", f"f@{column}"),
        kind="curves",
        x_label="rank of the feature",
        y_label="F-score",
        lines={f"threshold {THRESHOLDS[name]:g}": THRESHOLDS[name]},
    )


_TOP_COLUMNS = tuple(f"top {n}" for n in TOPS)
VIEWS = (
    View(
        "table 1",
        "Balanced error on the validation part, with the paper's thresholds",
        PRINTED,
        METHODS,
        COLUMNS,
        _place,
        printed(METHODS, COLUMNS, _TABLE_1, 0.01),
        unit="%",
        notes=(*_NOTES, _FOREST),
        statements=(
            Statement("No method is the best on all data sets.", _no_best_method),
            Statement(
                "After the initial selection by F-score the forest retains all features.",
                _all_retained,
            ),
        ),
        remarks=_REMARKS["table 1"],
        reasons=_without_gisette(METHODS[:3]),
    ),
    View(
        "table 1 top",
        "Balanced error on the validation part of DOROTHEA with the forest's first features (section 4)",
        PRINTED,
        ("DOROTHEA",),
        _TOP_COLUMNS,
        lambda row, column: Place(row, f"F+RF {column}+SVM", "ber"),
        {("DOROTHEA", f"top {n}"): Published(value) for n, value in _TOPS.items()},
        unit="%",
        remarks=_REMARKS["table 1 top"],
        printed_in="section 4",
    ),
    View(
        "table 1 found",
        "Balanced error on the validation part, with thresholds that are found",
        FOUND,
        METHODS[1:3],
        SETS,
        lambda row, column: Place(column, row, "ber"),
        unit="%",
        notes=_FOUND_NOTES,
        beside=True,
    ),
    View(
        "table 2",
        "Cross-validated balanced error on the training part, with the paper's thresholds",
        PRINTED,
        METHODS[:2],
        COLUMNS,
        lambda row, column: Place(column, row, "cv") if column in SETS else None,
        printed(METHODS[:2], COLUMNS, _TABLE_2, 0.01),
        unit="%",
        notes=_TABLE_2_NOTES,
        statements=(
            Statement(
                "Results of the first three problems are quite different from those in Table 1.",
                _unlike_validation,
            ),
        ),
        remarks=_REMARKS["table 2"],
        reasons=_without_gisette(METHODS[:2]),
    ),
    View(
        "table 3",
        "Threshold on the F-score and number of features of F+SVM",
        PRINTED,
        ("F-score threshold", "#features selected"),
        COLUMNS,
        lambda row, column: (
            Place(column, "F+SVM", "threshold" if row[0] == "F" else "features")
            if column in SETS
            else None
        ),
        printed(("F-score threshold", "#features selected"), COLUMNS, _TABLE_3),
        exact=frozenset(("F-score threshold", "#features selected")),
        notes=(_PLAIN,),
        reasons=_without_gisette(("F-score threshold", "#features selected")),
    ),
    View(
        "table 3 total",
        "Number of all features",
        COUNTS,
        ("#total features",),
        COLUMNS,
        lambda row, column: Place(column, COUNTED, "features") if column in SETS else None,
        printed(("#total features",), COLUMNS, "10000 20000 100000 5000 500"),
        exact=frozenset(("#total features",)),
        reasons=_without_gisette(("#total features",)),
    ),
    View(
        "table 3 found",
        "Threshold on the F-score and number of features, where the threshold is found",
        FOUND,
        ("F-score threshold", "#features selected"),
        SETS,
        lambda row, column: Place(column, "F+SVM", "threshold" if row[0] == "F" else "features"),
        beside=True,
    ),
    View(
        "table 3 forest",
        "Number of features that RF+RM-SVM takes from the forest on MADELON (section 4)",
        PRINTED,
        ("features after the forest",),
        ("MADELON",),
        lambda row, column: Place(column, "RF+RM-SVM", "features"),
        {("features after the forest", "MADELON"): Published(16.0)},
        remarks=_REMARKS["table 3 forest"],
        printed_in="section 4",
    ),
    *(_figure_1(name) for name in SETS),
)
OMITTED = _OMITTED
