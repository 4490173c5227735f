"""Tables 1 to 3 of Shen et al. (2008): sizes of the data, and the entries of the challenge."""

from __future__ import annotations

import math

from svmsieve.papers.challenge import AGAIN, DEFAULT, JUDGED, ONCE
from svmsieve.papers.measurements import Place
from svmsieve.papers.remarks.shen2008 import (
    _DEFAULT_NOTES,
    _NIPS_NOTES,
    _REMARKS,
    _TABLE_3_NOTES,
)
from svmsieve.papers.shen2008_studies import COUNTS, NIPS
from svmsieve.papers.sizes import COUNTED
from svmsieve.papers.views import Published, View, printed, remark


def _challenge_error(error: float, n_test: int) -> Published:
    """A printed error with the deviation of a share of so many test rows."""
    return Published(error, error=math.sqrt(error * (1.0 - error) / n_test))


_ENTRIES = {"MADELON": (0.0622, 12, 1800), "ARCENE": (0.1060, 5000, 700)}
_TABLE_3 = {
    "BER": "ber",
    "AUC of labels": "auc of labels",
    "AUC of decision values": "auc",
    "probes (%)": "probes",
}


def _table_3(item: str, title: str, methods: tuple[str, ...], beside: bool) -> View:
    """Table 3 by some ways to tune, at the paper's numbers of features; the default chooses its own."""
    rows = {f"{name}, {way}": (name, way) for name in _ENTRIES for way in methods}
    published = {}
    for row, (name, _) in rows.items():
        error, _, n_test = _ENTRIES[name]
        published[row, "BER"] = _challenge_error(error, n_test)
        published[row, "AUC of labels"] = Published(1.0 - error, error=published[row, "BER"].error)
    for row, (name, _) in rows.items():
        if name == "MADELON":
            published[row, "probes (%)"] = Published(0.0)

    def place(row: str, column: str) -> Place | None:
        name, way = rows[row]
        at = "own" if way == DEFAULT else str(_ENTRIES[name][1])
        if column == "features":
            return Place(name.lower(), way, "features") if way == DEFAULT else None
        if column == "probes (%)" and name == "ARCENE":
            return None
        return Place(name.lower(), way, f"{_TABLE_3[column]}@{at}")

    return View(
        item,
        title,
        NIPS,
        tuple(rows),
        (*_TABLE_3, "features") if beside else tuple(_TABLE_3),
        place,
        published,
        whole=lambda row, column: 100.0 if column == "probes (%)" else 1.0,
        notes=_TABLE_3_NOTES if not beside else _DEFAULT_NOTES,
        remarks=_REMARKS[item],
        beside=beside,
    )


def _by_size(name: str) -> View:
    return View(
        f"table 3 {name}",
        f"Balanced error of FSPP2-RFE on the validation part by number of features, {name}",
        NIPS,
        (ONCE, JUDGED, AGAIN),
        tuple(str(size) for size in NIPS.sets[name].sizes),
        lambda row, column: Place(name, row, f"ber@{column}"),
        unit="%",
        notes=_NIPS_NOTES[name],
        beside=True,
    )


_MONK_SIZES = {"D_tra": "train", "D_val": "valid", "D_tes": "test"}
_PART_SIZES = {"Features": "features", **_MONK_SIZES}
_MONKS = tuple(f"MONK-{number}" for number in (1, 2, 3))
TABLE_1 = View(
    "table 1",
    "Rows of the MONK's problems",
    COUNTS,
    _MONKS,
    tuple(_MONK_SIZES),
    lambda row, column: Place(row, COUNTED, _MONK_SIZES[column]),
    printed(_MONKS, tuple(_MONK_SIZES), "216 216 124\n216 216 169\n216 216 122"),
    exact=frozenset(_MONK_SIZES),
)
TABLE_2 = View(
    "table 2",
    "Features and rows of MADELON and ARCENE",
    COUNTS,
    ("MADELON", "ARCENE"),
    tuple(_PART_SIZES),
    lambda row, column: (
        None if (row, column) == ("ARCENE", "D_tes") else Place(row, COUNTED, _PART_SIZES[column])
    ),
    printed(("MADELON", "ARCENE"), tuple(_PART_SIZES), "500 2000 600 1800\n10000 100 100 700"),
    exact=frozenset(_PART_SIZES),
    reasons=(remark("ARCENE", "D_tes", "not at hand"),),
)
CHALLENGE_VIEWS = (
    _table_3(
        "table 3", "Errors of FSPP2-RFE on the validation parts, C and γ tuned once", (ONCE,), False
    ),
    _table_3(
        "table 3 default",
        "The same by the library's default, and with C and γ tuned again on the way",
        (DEFAULT, AGAIN),
        True,
    ),
    _by_size("madelon"),
    _by_size("arcene"),
)
