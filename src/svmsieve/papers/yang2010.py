"""Yang & Ong (2010): Feature selection for support vector regression using probabilistic prediction."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from svmsieve.datasets import make_yang
from svmsieve.papers.measurements import Place
from svmsieve.papers.problems import Drawn, Resampled
from svmsieve.papers.remarks.yang2010 import (
    _ARTIFICIAL_NOTE,
    _OMITTED,
    _REAL_NOTE,
    _REMARKS,
    _TUNING_NOTE,
)
from svmsieve.papers.rows import SPREAD
from svmsieve.papers.sizes import COUNTED, SizesStudy, split_sizes
from svmsieve.papers.studies import Method, RankingStudy, Setting, Tuned, Values
from svmsieve.papers.trainers import SVM
from svmsieve.papers.views import Claim, View, printed
from svmsieve.papers.yang2010_statements import as_good, none_perfect, poorly_determined

METHODS = {
    "Corr": Method("correlation", "once"),
    "HSIC-RFE": Method("hsic"),
    "Δ‖ω‖²-RFE": Method("weight"),
    "SD-L-RFE": Method("sd-laplace"),
    "SD-G-RFE": Method("sd-gauss"),
}
OTHERS = ("Corr", "HSIC-RFE", "Δ‖ω‖²-RFE", "SD-G-RFE")
SIZES = ("200", "100", "70", "50")
TRIALS = 30

ARTIFICIAL = RankingStudy(
    "artificial",
    TRIALS,
    {
        n: Setting(Drawn(make_yang, 10, int(n), 2000, 1800), Tuned("epsilon"), tuple(range(1, 11)))
        for n in SIZES
    },
    METHODS,
    loss="mse",
    relevant=frozenset(range(5)),
)

# Table 3: samples, features, C, κ, ε.
_REAL = {
    "mpg": ("auto-mpg", 353, 39, 7, SVM("epsilon", 2.0**6, 2.0**-4, 2.0)),
    "abalone": ("abalone", 1254, 2923, 8, SVM("epsilon", 2.0**6, 2.0**-5, 2.0)),
    "cpusmall": ("cpusmall", 820, 7372, 12, SVM("epsilon", 2.0**6, 2.0**-5, 2.0)),
    "housing": ("housing", 456, 50, 13, SVM("epsilon", 2.0**6, 2.0**-4, 2.0)),
    "pyrim": ("pyrim", 67, 7, 27, SVM("epsilon", 1.0, 2.0**-6, 2.0**-5)),
    "triazines": ("triazines", 168, 18, 60, SVM("epsilon", 0.5, 2.0**-6, 2.0**-3)),
}


def _real(name: str) -> RankingStudy:
    data, n_train, n_test, d, machine = _REAL[name]
    setting = Setting(Resampled(data, n_train, n_test), machine, tuple(range(1, d + 1)))
    return RankingStudy(name, TRIALS, {name: setting}, METHODS, loss="mse")


REAL = {name: _real(name) for name in _REAL}
COUNTS = SizesStudy(
    "sizes", {name: split_sizes(study.settings[name].problem) for name, study in REAL.items()}
)


class Parameters(RankingStudy):
    """The tuning itself: the parameters that five realisations lead to, as powers of two.

    Each has a spread, the deviation of the realisations' own choices; ``excess`` is how much more the
    paper's point errs in their folds than the chosen one, relative to it, with its standard error.
    """

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return log₂ of the chosen parameters, their spreads, and the excess of the paper's."""
        chosen = self.chosen(condition, tuned)
        values = {name: math.log2(value) for name, value in chosen.items()}
        grids = [np.log2(np.asarray(tuned[0][name])) for name in ("gamma", "epsilon", "C")]
        own = np.array([[g[i] for g, i in zip(grids, t["best"], strict=True)] for t in tuned])
        for name, column in zip(("gamma", "epsilon", "C"), own.T, strict=True):
            values[f"{name}{SPREAD}"] = float(column.std(ddof=1))
        paper = _REAL[condition][4]
        at = [
            tuple(
                int(np.argmin(np.abs(grid - math.log2(point[name]))))
                for name, grid in zip(("gamma", "epsilon", "C"), grids, strict=True)
            )
            for point in (vars(paper), chosen)
        ]
        errors = np.array([[-np.asarray(t["scores"])[index] for index in at] for t in tuned])
        excess = errors[:, 0] / errors[:, 1] - 1.0
        values["excess"] = float(excess.mean())
        values[f"excess{SPREAD}"] = float(excess.std(ddof=1) / math.sqrt(len(tuned)))
        return values


TUNING = Parameters(
    "parameters",
    1,
    {
        name: Setting(study.settings[name].problem, Tuned("epsilon"), ())
        for name, study in REAL.items()
    },
    {"tuned": Method(None)},
    loss="mse",
)

_TABLE_1 = """
15 8 5 3
14 5 5 3
4 5 11 4
30 27 21 19
30 28 23 19
"""
_TABLE_2 = """
0.54 0.60 0.60 0.86 0.54
0.66 0.81 0.84 0.88 0.65
0.77 1.01 1.03 0.89 0.75
0.81 1.15 1.29 1.16 0.81
"""
_TABLE_3 = """
6 -4 1
6 -5 1
6 -5 1
6 -4 1
0 -6 -5
-1 -6 -3
"""
# SD-L-RFE, Corr, HSIC-RFE, Δ‖ω‖²-RFE, SD-G-RFE
_TABLE_4 = """
16.47 16.47 22.45 16.47 16.47
7.71 15.85 18.06 7.71 7.71
6.76 15.02 15.67 7.54 6.76
6.81 13.46 13.46 6.88 6.81
6.82 8.18 9.79 6.71 6.82
6.68 6.44 6.44 6.63 6.70
6.20 6.20 6.20 6.20 6.20
"""
_TABLE_5 = """
6.73 6.10 6.15 6.27 6.67
4.95 5.94 5.90 4.97 4.95
4.74 5.59 5.62 4.80 4.74
4.69 5.40 5.41 4.72 4.69
4.67 5.31 5.29 4.66 4.67
4.64 5.28 5.28 4.63 4.64
4.62 4.63 4.90 4.60 4.62
4.57 4.57 4.57 4.57 4.57
"""
_FIRST = ("SD-L-RFE", *OTHERS)
# p of the paper's tests of SD-L-RFE against the other four; + it wins, - it loses.
_P_2 = """
0.00+ 0.00+ 0.00+ 1.00
0.00+ 0.00+ 0.00+ 0.59
0.00+ 0.00+ 0.03+ 0.48
0.00+ 0.00+ 0.00+ 0.89
"""
_P_4 = """
1.00 0.00+ 1.00 1.00
0.00+ 0.00+ 1.00 1.00
0.00+ 0.00+ 0.22 1.00
0.00+ 0.00+ 0.91 1.00
0.15 0.00+ 0.86 1.00
0.67 0.67 0.92 0.98
"""
_P_5 = """
0.00- 0.00- 0.00- 0.63
0.00+ 0.00+ 0.51 0.95
0.00+ 0.00+ 0.05 1.00
0.00+ 0.00+ 0.42 0.99
0.00+ 0.00+ 0.88 0.95
0.00+ 0.00+ 0.67 0.87
0.78 0.00+ 0.62 0.98
"""


def _claims(
    condition: str, size: int, line: str, overlap: float | None = None
) -> tuple[Claim, ...]:
    """Read a line of printed p-values as claims."""
    claims = []
    ours = Place(condition, "SD-L-RFE", f"mse@{size}")
    for other, entry in zip(OTHERS, line.split(), strict=True):
        theirs = Place(condition, other, f"mse@{size}")
        sign = entry[-1] if entry[-1] in "+-" else "="
        where = f"{condition}, {size} feature{'s' * (size > 1)}"
        words = {"+": "has a lower", "-": "has a higher", "=": "has the same"}[sign]
        lower, higher = (theirs, ours) if sign == "-" else (ours, theirs)
        claims.append(
            Claim(
                f"{where}: SD-L-RFE {words} mean squared error {'as' if sign == '=' else 'than'} {other}",
                lower,
                higher,
                says="equal" if sign == "=" else "lower",
                overlap=overlap,
                printed_p=float(entry.rstrip("+-")),
            )
        )
    return tuple(claims)


def _found_claims() -> tuple[Claim, ...]:
    """Table 1: SD-L-RFE and SD-G-RFE find the five features more often than the other three."""
    return tuple(
        Claim(
            f"{n} samples: {best} ranks features 1 to 5 on top more often than {other}",
            Place(n, other, "found"),
            Place(n, best, "found"),
        )
        for n, best, other in product(SIZES, ("SD-L-RFE", "SD-G-RFE"), OTHERS[:3])
    )


def _curves(figure: int, name: str) -> View:
    setting = REAL[name].settings[name]
    return View(
        f"figure {figure}",
        f"Mean squared error against the number of best features, {name}",
        REAL[name],
        tuple(METHODS),
        tuple(str(size) for size in setting.sizes),
        lambda row, column: Place(name, row, f"mse@{column}"),
        kind="curves",
        y_label="mean squared error",
        notes=(_REAL_NOTE,),
        statements=(as_good(name, setting.sizes[-1], OTHERS[:3]),),
    )


def _tests(table: int, name: str, text: str, lines: str) -> View:
    _, n_train, n_test, d, _ = _REAL[name]
    rows = tuple(str(size) for size in range(1, d + 1))
    return View(
        f"table {table}",
        f"Mean squared error by number of best features, {name}",
        REAL[name],
        rows,
        _FIRST,
        lambda row, column: Place(name, column, f"mse@{row}"),
        printed(rows, _FIRST, text),
        claims=tuple(
            claim
            for size, line in enumerate(lines.strip().splitlines(), start=1)
            for claim in _claims(name, size, line, n_test / n_train)
        ),
        notes=(_REAL_NOTE,),
        remarks=_REMARKS[f"table {table}"],
    )


_POWERS = {"C": "C", "κ": "gamma", "ε": "epsilon"}
_COUNTED = {"|D_trn|": "train", "|D_tst|": "test", "d": "features"}
_COUNTS = """
353 39 7
1254 2923 8
820 7372 12
456 50 13
67 7 27
168 18 60
"""
VIEWS = (
    View(
        "table 1",
        "Realisations (of 30) in which features 1 to 5 are ranked on top, artificial problem",
        ARTIFICIAL,
        tuple(METHODS),
        SIZES,
        lambda row, column: Place(column, row, "found"),
        printed(tuple(METHODS), SIZES, _TABLE_1),
        statistic="count",
        claims=_found_claims(),
        statements=(none_perfect("200", OTHERS[:3]),),
        notes=(_ARTIFICIAL_NOTE,),
        remarks=_REMARKS["table 1"],
    ),
    View(
        "table 2",
        "Mean squared error with the best 5 features, artificial problem",
        ARTIFICIAL,
        SIZES,
        _FIRST,
        lambda row, column: Place(row, column, "mse@5"),
        printed(SIZES, _FIRST, _TABLE_2),
        claims=tuple(
            claim
            for n, line in zip(SIZES, _P_2.strip().splitlines(), strict=True)
            for claim in _claims(n, 5, line)
        ),
        notes=(_ARTIFICIAL_NOTE,),
        remarks=_REMARKS["table 2"],
    ),
    View(
        "table 3",
        "Parameters found on the first five realisations, as powers of two",
        TUNING,
        tuple(_REAL),
        tuple(_POWERS),
        lambda row, column: Place(row, "tuned", _POWERS[column]),
        printed(tuple(_REAL), tuple(_POWERS), _TABLE_3),
        notes=(_TUNING_NOTE,),
        findings=(poorly_determined,),
        remarks=_REMARKS["table 3"],
    ),
    View(
        "table 3 sizes",
        "Training samples, test samples and features",
        COUNTS,
        tuple(_REAL),
        tuple(_COUNTED),
        lambda row, column: Place(row, COUNTED, _COUNTED[column]),
        printed(tuple(_REAL), tuple(_COUNTED), _COUNTS),
        exact=frozenset(_COUNTED),
    ),
    _tests(4, "mpg", _TABLE_4, _P_4),
    _tests(5, "abalone", _TABLE_5, _P_5),
    *(
        View(
            f"figure 2{letter}",
            f"Mean squared error against the number of best features, artificial, {n} samples",
            ARTIFICIAL,
            tuple(METHODS),
            tuple(str(size) for size in range(1, 11)),
            lambda row, column, n=n: Place(n, row, f"mse@{column}"),  # type: ignore[misc]
            kind="curves",
            y_label="mean squared error",
            statements=(as_good(n, 10, OTHERS[:3]),),
        )
        for letter, n in zip("abcd", SIZES, strict=True)
    ),
    *(_curves(figure, name) for figure, name in enumerate(_REAL, start=3)),
)
OMITTED = _OMITTED
