"""Yang & Ong (2010): Feature selection for support vector regression using probabilistic prediction."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from svmsieve.datasets import make_yang
from svmsieve.papers.problems import Drawn, Resampled
from svmsieve.papers.studies import Method, RankingStudy, Setting, Tuned, Values
from svmsieve.papers.trainers import SVM
from svmsieve.papers.views import Claim, Place, View, printed

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


class Parameters(RankingStudy):
    """The tuning itself: the parameters that five realisations lead to, as powers of two."""

    def measure(
        self, condition: str, method: str, trial: int, seed: int, tuned: list[dict[str, Any]]
    ) -> Values:
        """Return log₂ of the chosen parameters."""
        chosen = self.chosen(condition, tuned)
        return {name: math.log2(value) for name, value in chosen.items()}


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
# Signs of the paper's tests of SD-L-RFE against the other four: + it wins, - it loses, = no difference.
_SIGNS_2 = ("+++=", "+++=", "+++=", "+++=")
_SIGNS_4 = ("=+==", "++==", "++==", "++==", "=+==", "====", "====")
_SIGNS_5 = ("---=", "++==", "++==", "++==", "++==", "++==", "=+==", "====")


_REAL_NOTE = "C, κ and ε are those of the paper's Table 3; splits are random, without strata."
_ARTIFICIAL_NOTE = (
    "One pool of 2000 samples, noise of standard deviation 0.1; C, κ and ε by 5-fold cross-validation on "
    "the first five realisations, as in the paper."
)
_HSIC = (
    "The paper does not print its kernel over the target; here it is RBF with the target's standard "
    "deviation as width. Nothing else was tried."
)
_REMARKS: dict[int, dict[tuple[str, str] | str, str]] = {
    2: {
        "*": "The level hangs on C, κ and ε, which the paper does not print for this problem and which five "
        "realisations determine poorly; the standard errors are over the realisations of one pool and do "
        "not hold that. Tried for SD-L-RFE with 200 and 70 samples: other pools (seeds 1, 2) give 0.43, 0.52 "
        "and 0.73, 0.74; noise of variance 0.1 instead gives 0.64 and 0.80."
    },
    4: {"HSIC-RFE": _HSIC},
    5: {"HSIC-RFE": _HSIC},
}


def _claims(
    condition: str, size: int, signs: str, overlap: float | None = None
) -> tuple[Claim, ...]:
    claims = []
    ours = Place(condition, "SD-L-RFE", f"mse@{size}")
    for other, sign in zip(OTHERS, signs, strict=True):
        theirs = Place(condition, other, f"mse@{size}")
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
    )


def _tests(table: int, name: str, text: str, signs: tuple[str, ...]) -> View:
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
            for size, sign in enumerate(signs, start=1)
            for claim in _claims(name, size, sign, n_test / n_train)
        ),
        notes=(_REAL_NOTE,),
        remarks=_REMARKS.get(table, {}),
    )


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
        notes=(_ARTIFICIAL_NOTE,),
        remarks=_REMARKS.get(1, {}),
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
            c for n, signs in zip(SIZES, _SIGNS_2, strict=True) for c in _claims(n, 5, signs)
        ),
        notes=(_ARTIFICIAL_NOTE,),
        remarks=_REMARKS.get(2, {}),
    ),
    View(
        "table 3",
        "Parameters found on the first five realisations, as powers of two",
        TUNING,
        tuple(_REAL),
        ("C", "κ", "ε"),
        lambda row, column: Place(row, "tuned", {"C": "C", "κ": "gamma", "ε": "epsilon"}[column]),
        printed(tuple(_REAL), ("C", "κ", "ε"), _TABLE_3),
    ),
    _tests(4, "mpg", _TABLE_4, _SIGNS_4),
    _tests(5, "abalone", _TABLE_5, _SIGNS_5),
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
        )
        for letter, n in zip("abcd", SIZES, strict=True)
    ),
    *(_curves(figure, name) for figure, name in enumerate(_REAL, start=3)),
)
