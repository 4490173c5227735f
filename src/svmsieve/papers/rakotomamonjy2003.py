"""Rakotomamonjy (2003): Variable selection using SVM-based criteria."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from svmsieve.papers.measurements import Place
from svmsieve.papers.rakotomamonjy2003_statements import (
    BENCHMARK_STATEMENTS,
    COLON_STATEMENTS,
    LINEAR_STATEMENTS,
    LYMPHOMA_STATEMENTS,
    NONLINEAR_STATEMENTS,
    STOPPING_STATEMENTS,
)
from svmsieve.papers.rakotomamonjy2003_studies import (
    ARRAY_PROBLEMS,
    ARRAYS,
    BREAST,
    C_VALUES,
    COUNTS,
    CURVES,
    HEART,
    INFLUENCE,
    LINEAR,
    LINEAR_SIZES,
    LOGARITHMS,
    NONLINEAR,
    NONLINEAR_SIZES,
    ROWS,
    SIX,
    STOPPING,
    THREE,
    TRIED,
    VARIANTS,
    WIDTHS,
)
from svmsieve.papers.remarks.rakotomamonjy2003 import (
    _ARRAY_NOTES,
    _COLUMNS,
    _DEVIATION_NOTES,
    _OMITTED,
    _RATSCH_NOTE,
    _REMARKS,
    _SAME_ROW,
    _TOO_LONG,
    _TOY_NOTES,
    _VARIANT_NOTE,
)
from svmsieve.papers.sizes import COUNTED
from svmsieve.papers.studies import RankingStudy
from svmsieve.papers.views import Published, View, printed, printed_deviations, remark

_TABLE_1 = """
36.58±2 30.89±2 25.46±2 22.22±2 19.40±2
32.33±13 17.00±7 14.30±4 14.69±2 14.76±2
35.63±15 14.79±13 5.99±5 4.40±3 4.19±3
32.83±15 13.60±12 5.82±5 4.53±3 4.04±2
38.92±13 21.14±15 14.22±12 10.68±9 7.34±6
32.39±15 13.05±11 7.14±6 6.30±5 5.11±4
31.21±15 19.13±12 14.55±9 14.10±9 13.13±9
50.02±0.5 50.02±0.5 49.44±2 49.83±2 49.49±2
32.39±15 13.05±11 7.14±6 6.30±5 5.11±4
33.50±15 36.87±16 43.69±17 46.28±10 46.81±9
41.51±12 23.85±13 15.91±10 13.76±9 13.16±7
"""
_TABLE_2 = """
49.20±1 48.39±1 47.84±1 47.52±1 46.81±1 45.54±1
49.43±3 49.45±4 49.07±5 48.80±6 48.78±6 49.48±5
49.24±3 43.12±13 33.31±18 20.82±19 9.56±10 4.21±0.7
49.22±3 42.78±14 32.46±19 20.39±19 8.71±10 *
48.82±4 44.08±12 33.15±17 20.86±17 11.26±12 *
48.29±5 37.18±15 24.42±19 17.75±18 8.79±12 6.08±8
48.58±4 34.59±18 21.50±19 13.64±16 8.61±11 4.21±0.7
49.86±2 49.96±0.5 49.21±4 48.67±6 49.37±4 47.07±10
48.62±5 32.62±17 18.57±16 12.53±13 9.43±12 9.41±12
48.22±6 33.67±17 19.15±17 13.61±15 11.62±14 17.75±19
48.92±5 43.65±12 44.91±12 44.42±12 46.12±15 50.00±1
"""


_TABLE_3 = """
21.58±11 22.08±10 20.83±11 17.83±9 18.42±9 16.75±9
19.67±11 17.33±9 16.17±9 16.66±9 16.53±8 15.91±8
22.66±12 34.25±14 30.50±12 23.83±10 18.91±9 17.67±9
17.67±9 15.66±9 15.17±10 16.50±9 16.08±9 16.25±9
20.33±13 17.83±10 16.41±9 15.58±9 16.16±9 16.16±8
20.50±11 17.00±10 16.33±9 16.75±8 16.66±8 16.41±9
"""
_TABLE_4 = """
21.58±11 13.30±5.7 9.11±5.0 7.50±4.8 6.89±4.6 6.92±4.4
8.83±4.4 6.86±4.3 6.44±4.1 6.33±4 6.58±4.1 6.94±4.2
28.58±8.3 27.25±8.2 19.94±7.4 11.47±5.4 6.94±3.9 6.39±4.2
7.72±4.0 6.58±4.6 6.11±4.6 6.67±4.2 6.97±4.2 7.22±4.2
12.25±5.4 8.08±5.0 6.36±4.4 6.16±4.2 6.91±4.1 7.14±4.2
12.05±5.5 7.64±4.6 6.13±4.0 5.58±4.1 6.63±4.0 7.00±4.3
"""
_ALL_VARIABLES = {"colon": "16.4±8", "lymphoma": "7.25±4.1"}
TWIN = "∇‖w‖²"
"""The row of Table 1 that is the row ‖w_i‖² again."""


def _toy_place(row: str, column: str) -> Place:
    return Place(column, row, "error@all" if row == "SVM" else "error@2")


def _linear_place(row: str, column: str) -> Place | None:
    return None if row == TWIN else _toy_place(row, column)


def _with_deviations(view: View, published: dict[tuple[str, str], Published]) -> tuple[View, View]:
    """Return a table and, as another one, the deviations that it prints after its means."""
    item = f"{view.item} deviations"
    title = f"Standard deviation over the trials: {view.title[0].lower()}{view.title[1:]}"
    statistic: Literal["deviation"] = "deviation"
    return view, replace(
        view,
        item=item,
        title=title,
        published=published,
        statistic=statistic,
        statements=(),
        notes=_DEVIATION_NOTES,
        remarks=_REMARKS[item],
    )


def _microarray(table: int, name: str) -> tuple[View, View]:
    sizes = tuple(str(size) for size in ARRAY_PROBLEMS[name][1])
    text = _TABLE_3 if table == 3 else _TABLE_4
    all_ = ("SVM",), ("all",), _ALL_VARIABLES[name]
    return _with_deviations(
        View(
            f"table {table}",
            f"Test error by number of variables, {name}",
            ARRAYS[name],
            ("SVM", *SIX),
            (*sizes, "all"),
            lambda row, column: (
                Place(name, row, f"error@{column}") if (row == "SVM") == (column == "all") else None
            ),
            {**printed(SIX, sizes, text, 0.01), **printed(*all_, 0.01)},
            unit="%",
            notes=_ARRAY_NOTES[name],
            statements=COLON_STATEMENTS if table == 3 else LYMPHOMA_STATEMENTS,
            remarks=_REMARKS[f"table {table}"],
        ),
        printed_deviations(SIX, sizes, text, 0.01) | printed_deviations(*all_, 0.01),
    )


def _logarithms() -> View:
    sizes = tuple(str(size) for size in ARRAY_PROBLEMS["colon"][1])
    return View(
        "table 3 logarithms",
        "Test error by number of variables, colon, logarithms of the intensities",
        LOGARITHMS,
        ("SVM", *SIX),
        (*sizes, "all"),
        lambda row, column: (
            Place("colon", row, f"error@{column}") if (row == "SVM") == (column == "all") else None
        ),
        unit="%",
        beside=True,
    )


def _variants(table: int, study: RankingStudy) -> View:
    return View(
        f"table {table} variants",
        f"Test error with the two best variables by other readings of two criteria, as Table {table}",
        study,
        tuple(VARIANTS),
        study.conditions,
        _toy_place,
        unit="%",
        notes=(_VARIANT_NOTE,),
        beside=True,
    )


def _benchmark(figure: int, study: RankingStudy) -> View:
    (condition,) = study.conditions
    return View(
        f"figure {figure}",
        f"Test error against the number of variables, {condition}",
        study,
        tuple(CURVES),
        tuple(str(size) for size in study.settings[condition].sizes),
        lambda row, column: Place(condition, row, f"error@{column}"),
        unit="%",
        kind="curves",
        notes=(_RATSCH_NOTE,),
        statements=BENCHMARK_STATEMENTS[condition],
    )


_STOPPING = {
    "a": ("error", "validation error"),
    "b": ("bound", "R²‖w‖²/n"),
    "c": ("removed", "criterion of the variable that leaves"),
}


def _stopping(letter: str) -> View:
    measure, label = _STOPPING[letter]
    return View(
        f"figure 4{letter}",
        f"How many variables: {label}, nonlinear problem",
        STOPPING,
        THREE,
        tuple(str(size) for size in range(1, 53)),
        lambda row, column: Place("50 samples", row, f"{measure}@{column}"),
        kind="curves",
        y_label=label,
        log_y=letter == "c",
        lines={"threshold 100": 100.0} if letter == "c" else {},
        notes=("The paper does not say how many training samples it had; 50 here.",),
        statements=STOPPING_STATEMENTS[letter],
    )


def _influence(letter: str) -> View:
    name, values = ("C", C_VALUES) if letter == "a" else ("σ", WIDTHS)
    return View(
        f"figure 5{letter}",
        f"Test error with the two best variables against {name}, nonlinear problem, 50 samples",
        INFLUENCE,
        THREE,
        values,
        lambda row, column: Place(f"{name} = {column}", row, "error@2"),
        unit="%",
        kind="curves",
        x_label=name,
    )


_COUNTED = {
    "observations": "rows",
    "variables": "features",
    "of the smaller class": "smaller",
    "of the larger class": "larger",
}
VIEWS: tuple[View, ...] = (
    *_with_deviations(
        View(
            "table 1",
            "Test error with the two best variables, linear problem, by number of training samples",
            LINEAR,
            ROWS,
            LINEAR_SIZES,
            _linear_place,
            printed(ROWS, LINEAR_SIZES, _TABLE_1, 0.01),
            unit="%",
            notes=_TOY_NOTES,
            statements=LINEAR_STATEMENTS,
            remarks=_REMARKS["table 1"],
            reasons=(remark(TWIN, LINEAR_SIZES, _SAME_ROW),),
        ),
        printed_deviations(ROWS, LINEAR_SIZES, _TABLE_1, 0.01),
    ),
    _variants(1, TRIED["linear"]),
    *_with_deviations(
        View(
            "table 2",
            "Test error with the two best variables, nonlinear problem, by number of training samples",
            NONLINEAR,
            ROWS,
            NONLINEAR_SIZES,
            _toy_place,
            printed(ROWS, NONLINEAR_SIZES, _TABLE_2, 0.01),
            unit="%",
            notes=(*_TOY_NOTES, _TOO_LONG),
            statements=NONLINEAR_STATEMENTS,
            remarks=_REMARKS["table 2"],
        ),
        printed_deviations(ROWS, NONLINEAR_SIZES, _TABLE_2, 0.01),
    ),
    _variants(2, TRIED["nonlinear"]),
    View(
        "section 3.2.2",
        "Observations and variables of the microarrays, as the text counts them",
        COUNTS,
        ("colon", "lymphoma"),
        tuple(_COUNTED),
        lambda row, column: Place(row, COUNTED, _COUNTED[column]),
        printed(("colon", "lymphoma"), tuple(_COUNTED), "62 2046 22 40\n96 4026 34 62"),
        exact=frozenset(_COUNTED),
        remarks=(remark("colon", "variables", _COLUMNS),),
    ),
    *_microarray(3, "colon"),
    _logarithms(),
    *_microarray(4, "lymphoma"),
    *(_benchmark(figure, study) for figure, study in ((2, BREAST), (3, HEART))),
    *(_stopping(letter) for letter in _STOPPING),
    *(_influence(letter) for letter in "ab"),
)
OMITTED = _OMITTED
