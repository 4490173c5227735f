"""Heiler, Cremers & Schnörr (2001): Efficient feature subset selection for support vector machines."""

from __future__ import annotations

from svmsieve.papers.heiler2001_relevance import _MEASURES, RELEVANCE, RELEVANCE_SAMPLES
from svmsieve.papers.heiler2001_studies import (
    FOLDS,
    KR_VS_KP,
    LED,
    LED_SIZES,
    LED_TRUE,
    NONE,
    SCALED_SETS,
    SCALES,
    SCALINGS,
    SELECTION,
    SELECTIONS,
    SETS,
    STANDARDISED,
    WRAPPER,
)
from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.remarks.heiler2001 import (
    _ANOTHER_SET,
    _CLAIM_NOTES,
    _COST_NOTE,
    _NOTES,
    _OMITTED,
    _REMARKS,
    _SET_NOTES,
    _STANDARDISED_NOTES,
)
from svmsieve.papers.views import Claim, Finding, Published, Statement, View, remark

# Features and accuracy: none, wrapper, SVM selection.  CPU seconds: wrapper, SVM selection.
_TABLES = {
    "breast cancer": ((9, 95.71, 5, 95.42, 6, 95.71), (19.29, 4.073)),
    "chess": ((35, 33.33, 5, 86.67, 4, 86.67), (45.03, 1.48)),
    "crx": ((43, 83.73, 5, 85.15, 5, 86.03), (355.74, 17.92)),
    "diabetes": ((8, 74.13, 4, 75.19, 5, 74.91), (45.15, 19.35)),
    "led": ((24, 66.27, 11, 73.10, 10, 74.70), (253.25, 23.04)),
    "mfeat": ((649, 97.60, None, None, 31, 97.50), (None, 59162.13)),
    "glass": ((9, 60.63, 4, 61.36, 5, 60.54), (13.87, 3.46)),
    "mushroom": ((125, 99.95, 8, 99.95, 14, 100.00), (27518.39, 2977.34)),
    "optidigit": ((64, 97.68, 36, 98.32, 36, 98.39), (77742.152, 2843.34)),
}
ROWS = (*list(_TABLES)[:2], KR_VS_KP, *list(_TABLES)[2:])
"""As printed, and the set that stands for chess after it."""
JUDGED = tuple(name for name in _TABLES if name != "chess")
_RATIO = f"{WRAPPER} / {SELECTION}"
_BASE = "breast cancer"


def wrapper_trainings(n_features: int, n_selected: int) -> float:
    """Return the paper's number of machines of the wrapper, (d² + d(2r + 1))/2 with r = n − d.

    >>> wrapper_trainings(9, 5)
    35.0
    """
    removed = n_features - n_selected
    return (n_selected**2 + n_selected * (2 * removed + 1)) / 2.0


_ACCURACY = {
    f"{method}: {what}": (method, what)
    for method in (NONE, WRAPPER, SELECTION)
    for what in ("features", "accuracy")
}
_SECONDS = "seconds, wrapper / SVM selection"
_RELATIVE = f"seconds of SVM selection, set / {_BASE}"
_TRAININGS = "trainings, wrapper / SVM selection"


def _published_accuracy() -> dict[tuple[str, str], Published]:
    return {
        (name, column): Published(float(value))
        for name, (accuracy, _) in _TABLES.items()
        for column, value in zip(_ACCURACY, accuracy, strict=True)
        if value is not None
    }


def _published_seconds() -> dict[tuple[str, str], Published]:
    """The 17 printed seconds as ratios: to the other method's, and to those of the first set."""
    cells = {}
    for name, (_, (slow, quick)) in _TABLES.items():
        if name != _BASE:
            cells[name, _RELATIVE] = Published(quick / _TABLES[_BASE][1][1])
        if slow is not None:
            cells[name, _SECONDS] = Published(slow / quick)
    return cells


def _formula_trainings() -> dict[tuple[str, str], Published]:
    """The ratio of the trainings by the paper's formulas, which it does not print."""
    return {
        (name, _TRAININGS): Published(wrapper_trainings(int(n), int(wrapped)) / (int(chosen) + 1))
        for name, ((n, _, wrapped, _, chosen, _), _) in _TABLES.items()
        if wrapped is not None
    }


def _runs(row: str, method: str) -> bool:
    return row in SETS and all(SELECTIONS.runs(row, each) for each in method.split(" / "))


def _accuracy_place(row: str, column: str) -> Place | None:
    return Place(row, *_ACCURACY[column]) if _runs(row, _ACCURACY[column][0]) else None


def _cost_place(row: str, column: str) -> Place | None:
    if column == _RELATIVE:
        return Place(f"{row} / {_BASE}", SELECTION, "seconds") if row in SETS else None
    measure = "seconds" if column == _SECONDS else "trainings"
    return Place(row, _RATIO, measure) if _runs(row, _RATIO) else None


def _no_loss(name: str) -> Claim:
    return Claim(
        f"{name}: accuracy after SVM selection is not significantly below no selection (one-tailed, 5 %)",
        Place(name, NONE, "accuracy"),
        Place(name, SELECTION, "accuracy"),
        says="not above",
        overlap=1.0 / (FOLDS - 1),
    )


def _gain(name: str) -> Claim:
    return Claim(
        f"{name}: accuracy after SVM selection is significantly above no selection (one-tailed, 5 %)",
        Place(name, NONE, "accuracy"),
        Place(name, SELECTION, "accuracy"),
        one_tailed=True,
        overlap=1.0 / (FOLDS - 1),
    )


def _same(name: str) -> Claim:
    return Claim(
        f"{name}: no difference between wrapper and SVM selection",
        Place(name, WRAPPER, "accuracy"),
        Place(name, SELECTION, "accuracy"),
        says="equal",
        overlap=1.0 / (FOLDS - 1),
    )


def _seven_extracted(made: Measurements) -> Finding:
    found = {way: made.at(Place("led", way, "relevant")) for way in (WRAPPER, SELECTION)}
    if not all(found.values()):
        raise KeyError("the features that were kept are not known of both.")
    counts = {
        way: [trial == LED_TRUE for trial in values.values()] for way, values in found.items()
    }
    words = ", ".join(f"{way} in {sum(all_)} of {len(all_)} folds" for way, all_ in counts.items())
    return Finding(f"all seven are kept by {words}", all(all(each) for each in counts.values()))


def _faster(made: Measurements) -> Finding:
    """Table 2: the selection is faster than the wrapper."""
    names = [
        name for name in SETS if _runs(name, _RATIO) and made.at(Place(name, _RATIO, "seconds"))
    ]
    ratios = {name: made.mean(Place(name, _RATIO, "seconds")) for name in names}
    low, high = min(ratios, key=lambda n: ratios[n]), max(ratios, key=lambda n: ratios[n])
    found = f"{ratios[low]:.3g} times ({low}) to {ratios[high]:.3g} times ({high}) as fast"
    return Finding(found, min(ratios.values()) > 1.0)


def _apart(made: Measurements) -> Finding:
    on_top = made.at(Place("led", "d_k", "relevant on top"))
    count = f"{sum(on_top.values()):.0f} of {len(on_top)}"
    return Finding(
        f"the seven score above all others in {count} sets", all(v == 1 for v in on_top.values())
    )


def _share(row: str, column: str) -> float | None:
    return 100.0 if column.endswith("accuracy") else None


VIEWS = (
    View(
        "table 1",
        "Number of features and test accuracy (%)",
        SELECTIONS,
        ROWS,
        tuple(_ACCURACY),
        _accuracy_place,
        _published_accuracy(),
        whole=_share,
        exact=frozenset((f"{NONE}: features",)),
        claims=(
            *(_no_loss(name) for name in JUDGED),
            *(_gain(name) for name in ("led", "optidigit")),
            *(_same(name) for name in JUDGED if _runs(name, WRAPPER)),
        ),
        statements=(
            Statement(
                "Both algorithms reliably extract the 7 relevant features of led.", _seven_extracted
            ),
        ),
        notes=(*_NOTES, *_CLAIM_NOTES, *_SET_NOTES),
        remarks=_REMARKS["table 1"],
        reasons=(remark("chess", tuple(_ACCURACY), _ANOTHER_SET),),
    ),
    View(
        "table 1 standardised",
        "Number of features and test accuracy (%), columns standardised instead",
        STANDARDISED,
        tuple(SETS),
        tuple(label for label, place in _ACCURACY.items() if place[0] != WRAPPER),
        lambda row, column: Place(row, *_ACCURACY[column]),
        claims=tuple(_no_loss(name) for name in JUDGED),
        notes=_STANDARDISED_NOTES,
        beside=True,
    ),
    View(
        "table 1 scales",
        "Test accuracy (%) without selection, by the scale of the columns, which the paper does not say",
        SCALINGS,
        SCALED_SETS,
        tuple(SCALES),
        lambda row, column: Place(f"{row}, {column}", NONE, "accuracy"),
        notes=("Each trial is another division into ten folds.",),
        beside=True,
    ),
    View(
        "table 1 led samples",
        "Test accuracy (%) without selection on led, by its number of samples, which the paper does not say",
        LED,
        ("led",),
        tuple(str(n) for n in LED_SIZES),
        lambda row, column: Place(column, NONE, "accuracy"),
        notes=(
            "Each trial is another set and another division into ten folds; printed is 66.27 %.",
        ),
        beside=True,
    ),
    View(
        "table 2",
        "Cost of the selection: the printed seconds as ratios",
        SELECTIONS,
        ROWS,
        (_SECONDS, _RELATIVE),
        _cost_place,
        _published_seconds(),
        notes=(_COST_NOTE,),
        statements=(Statement("SVM selection is much faster than the wrapper method.", _faster),),
        remarks=_REMARKS["table 2"],
        reasons=(remark("chess", (_SECONDS, _RELATIVE), _ANOTHER_SET),),
    ),
    View(
        "table 2 trainings",
        "Trainings of the wrapper for each of SVM selection, beside the paper's formulas for its numbers",
        SELECTIONS,
        ROWS,
        (_TRAININGS,),
        _cost_place,
        _formula_trainings(),
        remarks=_REMARKS["table 2 trainings"],
        reasons=(remark("chess", _TRAININGS, _ANOTHER_SET),),
        beside=True,
    ),
    View(
        "table 2 seconds",
        "Processor seconds and trainings of one fold here",
        SELECTIONS,
        tuple(SETS),
        tuple(
            f"{way}: {what}" for way in (WRAPPER, SELECTION) for what in ("seconds", "trainings")
        ),
        lambda row, column: (
            Place(row, *column.split(": ")) if _runs(row, column.split(": ")[0]) else None
        ),
        beside=True,
    ),
    View(
        "figure 2",
        "Relevance by the support vectors and information gain, LED problem",
        RELEVANCE,
        tuple(_MEASURES),
        tuple(str(i) for i in range(1, 25)),
        lambda row, column: Place("led", "d_k", f"{_MEASURES[row]}@{column}"),
        kind="bars",
        x_label="feature",
        y_label="relevance",
        notes=(
            "The first seven features are the segments of the digit, the others are random bits.",
        ),
        statements=(
            Statement(
                "Clear distinction between the 7 relevant features and the random ones.", _apart
            ),
        ),
    ),
    View(
        "figure 2r",
        "Correlation of the two measures, LED problem",
        RELEVANCE,
        ("correlation r",),
        ("led",),
        lambda row, column: Place("led", "d_k", "r"),
        {("correlation r", "led"): Published(0.99)},
        notes=(f"Each trial has {RELEVANCE_SAMPLES} new samples; the paper has one set.",),
        remarks=_REMARKS["figure 2r"],
    ),
)
OMITTED = _OMITTED
