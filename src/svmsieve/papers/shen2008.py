"""Shen et al. (2008): Feature selection via sensitivity analysis of SVM probabilistic outputs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.remarks.shen2008 import (
    _FAILED,
    _OMITTED,
    _PLATT_NOTE,
    _SPLIT_NOTE,
)
from svmsieve.papers.shen2008_statements import decreasing, key_features, what_it_takes
from svmsieve.papers.shen2008_studies import (
    BREAST,
    FSPP,
    HEART,
    MARGIN,
    MONK,
    WESTON,
)
from svmsieve.papers.shen2008_tables import CHALLENGE_VIEWS, TABLE_1, TABLE_2
from svmsieve.papers.studies import RankingStudy
from svmsieve.papers.views import Claim, Statement, View


def _claims(
    condition: str,
    better: tuple[str, ...],
    worse: tuple[str, ...],
    sizes: tuple[int, ...],
    level: float,
    overlap: float | None = None,
    equal: bool = False,
) -> tuple[Claim, ...]:
    claims = []
    for size, low, high in product(sizes, better, worse):
        if low == high or (equal and better.index(low) > worse.index(high)):
            continue
        words = "as" if equal else "lower than"
        text = (
            f"{size} feature{'s' * (size > 1)}: error of {low} {'the same ' * equal}{words} {high}"
        )
        claims.append(
            Claim(
                text,
                Place(condition, low, f"error@{size}"),
                Place(condition, high, f"error@{size}"),
                level,
                says="equal" if equal else "lower",
                overlap=overlap,
            )
        )
    return tuple(claims)


def _named(names: tuple[str, ...], scheme: str) -> tuple[str, ...]:
    return tuple(f"{name}-{scheme}" for name in names)


def _scores(
    item: str,
    study: RankingStudy,
    n_features: int,
    claims: tuple[Claim, ...] = (),
    statements: tuple[Statement, ...] = (),
) -> View:
    (condition,) = study.conditions
    return View(
        item,
        f"FSPP scores with all features, {condition}",
        study,
        _named(FSPP, "INIT"),
        tuple(str(i) for i in range(1, n_features + 1)),
        lambda row, column: Place(condition, row, f"score@{column}"),
        claims=claims,
        statements=statements,
        kind="bars",
        x_label="feature",
        y_label="score",
        notes=(_PLATT_NOTE,),
    )


def _errors(
    item: str,
    study: RankingStudy,
    scheme: str,
    claims: tuple[Claim, ...] = (),
    *notes: str,
    statements: tuple[Statement, ...] = (),
    findings: tuple[Callable[[Measurements], str], ...] = (),
) -> View:
    (condition,) = study.conditions
    rows = tuple(name for name in study.methods if name.endswith(scheme))
    way = "ranked once" if scheme == "INIT" else "recursive elimination"
    return View(
        item,
        f"Test error against the number of best features, {condition}, {way}",
        study,
        rows,
        tuple(str(size) for size in study.settings[condition].sizes),
        lambda row, column: Place(condition, row, f"error@{column}"),
        unit="%",
        claims=claims,
        statements=statements,
        findings=findings,
        kind="curves",
        notes=(_PLATT_NOTE, *notes),
    )


def _key_features() -> tuple[Claim, ...]:
    """Fig. 2a: the key features score above every redundant one."""
    return tuple(
        Claim(
            f"{method}: feature {key} scores above feature {other}",
            Place("Weston", method, f"score@{other}"),
            Place("Weston", method, f"score@{key}"),
            0.01,
        )
        for method, key, other in product(_named(FSPP, "INIT"), (1, 2), range(3, 11))
    )


_RATSCH = {"BREAST": 77 / 140, "HEART": 100 / 119}
_INIT, _RFE = "INIT", "RFE"
_MARGIN_NAMES = tuple(MARGIN)


def _similar() -> tuple[Claim, ...]:
    """Fig. 4b: FSPP1 to FSPP3 do not differ."""
    names = _named(FSPP[:3], _RFE)
    return _claims("heart", names, names, (2, 3), 0.05, _RATSCH["HEART"], equal=True)


VIEWS = (
    TABLE_1,
    TABLE_2,
    *(
        view
        for number, study in MONK.items()
        for view in (
            _scores(f"figure 1a MONK-{number}", study, 6, statements=key_features(number)),
            _errors(
                f"figure 1b MONK-{number}", study, "RFE", (), _FAILED, statements=decreasing(number)
            ),
        )
    ),
    _scores("figure 2a", WESTON, 10, _key_features()),
    _errors(
        "figure 2b",
        WESTON,
        "RFE",
        _claims(
            "Weston",
            _named(("FSPP1", "FSPP2"), _RFE),
            _named(("FSPP3", "FSPP4"), _RFE),
            (1, 2, 3, 4),
            0.03,
        ),
    ),
    _errors(
        "figure 3a",
        BREAST,
        _INIT,
        (
            *_claims(
                "breast cancer",
                _named(("FSPP1", "FSPP2", "FSPP3", *_MARGIN_NAMES), _INIT),
                _named(("FSPP1", "FSPP2", "FSPP3", *_MARGIN_NAMES), _INIT),
                (2, 3),
                0.05,
                _RATSCH["BREAST"],
                equal=True,
            ),
            *_claims(
                "breast cancer",
                _named(("FSPP1", "FSPP2", "FSPP3", *_MARGIN_NAMES), _INIT),
                _named(("FSPP4",), _INIT),
                (2, 3),
                0.01,
                _RATSCH["BREAST"],
            ),
        ),
        _SPLIT_NOTE,
    ),
    _errors(
        "figure 3b",
        BREAST,
        _RFE,
        (
            *_claims(
                "breast cancer",
                _named(("FSPP1", "FSPP2"), _RFE),
                _named(("FSPP3", *_MARGIN_NAMES), _RFE),
                (2, 3),
                0.05,
                _RATSCH["BREAST"],
            ),
            *_claims(
                "breast cancer",
                _named(("FSPP2",), _RFE),
                _named(("FSPP1",), _RFE),
                (2, 3),
                0.05,
                _RATSCH["BREAST"],
            ),
        ),
        _SPLIT_NOTE,
        _FAILED,
        findings=(
            what_it_takes(
                "breast cancer",
                "FSPP2-RFE",
                ("FSPP1-RFE", "FSPP3-RFE", "Δ‖w‖²-RFE", "∇‖w‖²-RFE"),
                0.05,
            ),
        ),
    ),
    *(
        _errors(
            f"figure 4{letter}",
            HEART,
            scheme,
            (
                *_claims(
                    "heart",
                    _named(names, scheme),
                    _named(_MARGIN_NAMES, scheme),
                    (2, 3),
                    level,
                    _RATSCH["HEART"],
                ),
                *(_similar() if scheme == _RFE else ()),
            ),
            _SPLIT_NOTE,
            *notes,
            findings=(
                what_it_takes("heart", f"FSPP2-{scheme}", _named(_MARGIN_NAMES, scheme), level),
            ),
        )
        for letter, scheme, names, level, notes in (
            ("a", _INIT, FSPP, 0.01, ()),
            ("b", _RFE, FSPP[:3], 0.03, (_FAILED,)),
        )
    ),
    *CHALLENGE_VIEWS,
)
OMITTED = _OMITTED
