"""Numbers as people write them: thousands separators, percent and currency signs, a decimal comma."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray

OTHER = {".": ",", ",": "."}
"""The thousands separator by the decimal sign."""

_NAMES = {".": "points", ",": "commas"}


_CURRENCY = r"(?:[A-Z]{0,2}[$€£¥₹₩₽₺₪₫₴₱฿]|USD|EUR|GBP|CHF|JPY|CNY|INR|kr\.?|zł|Fr\.)"
"""Signs and codes of currencies, before or after an amount."""


def _pattern(decimal: str) -> re.Pattern[str]:
    """Match a number; thousands do not begin with 0, so that 0,123 is a decimal comma."""
    group, point = re.escape(OTHER[decimal]), re.escape(decimal)
    whole = rf"(?P<grouped>[1-9]\d{{0,2}}(?:{group}\d{{3}})+)|\d+"
    number = rf"(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:[eE][-+]?\d+)?"
    return re.compile(
        rf"(?P<sign>[-+]?)(?:(?P<before>{_CURRENCY})\s?(?P<inner>[-+]?))?(?P<number>{number})"
        rf"(?:(?P<percent>\s*%)|(?P<after>\s?{_CURRENCY}))?",
        re.ASCII,
    )


_PATTERNS = {decimal: _pattern(decimal) for decimal in OTHER}


@dataclass(frozen=True)
class Written:
    """A number as it is written, and the marks on it."""

    value: float
    grouped: bool = False
    percent: bool = False
    currency: str = ""


def written_number(text: str, decimal: str) -> Written | None:
    """Return the number that a text is under a decimal sign with its marks, None where it is none.

    >>> written_number("$2,960.00", ".")
    Written(value=2960.0, grouped=True, percent=False, currency='$')
    """
    text = text.strip()
    in_brackets = text.startswith("(") and text.endswith(")")
    match = _PATTERNS[decimal].fullmatch(text[1:-1] if in_brackets else text)
    if match is None or (match["before"] and match["after"]):
        return None
    currency = (match["before"] or match["after"] or "").strip()
    signs = match["sign"] + (match["inner"] or "")
    if len(signs) + in_brackets > 1 or (in_brackets and not currency):
        return None
    value = float(match["number"].replace(OTHER[decimal], "").replace(decimal, "."))
    negative = in_brackets or signs == "-"
    return Written(
        -value if negative else value, bool(match["grouped"]), bool(match["percent"]), currency
    )


def number_of(text: str, decimal: str) -> float | None:
    """Return the number that a text is under a decimal sign, None where it is none; 12% is 12.

    >>> number_of("12,345.6", "."), number_of("12,345.6", ","), number_of("1,234", ",")
    (12345.6, None, 1.234)
    >>> number_of("-$5", "."), number_of("(1.234,50 €)", ",")
    (-5.0, -1234.5)
    """
    written = written_number(text, decimal)
    return None if written is None else written.value


def decimal_shown(text: str) -> str:
    """Return the decimal sign under which alone a text is a number; empty where it does not show.

    >>> [decimal_shown(text) for text in ("0.5", "1.234,5", "1,234", "1,234,567", "12", "a")]
    ['.', ',', '', '.', '', '']
    """
    fits = [decimal for decimal in OTHER if number_of(text, decimal) is not None]
    return fits[0] if len(fits) == 1 else ""


@dataclass(frozen=True)
class WrittenNumbers:
    """Texts that are numbers once their marks are taken out.

    Attributes
    ----------
    numbers : NaN where a text is none
    decimal : sign; empty where two signs are possible, which give different numbers
    marks : in words
    """

    numbers: FloatArray
    decimal: str
    marks: str


def written_numbers(texts: Sequence[str], decimal: str = "") -> WrittenNumbers | None:
    """Read different texts as numbers with separators, percent or currency signs; None where none has.

    The decimal sign is that under which more of the texts are numbers; where this does not decide, that
    of the file, if it shows; else a comma leaves it open, and a point is a decimal point, as everywhere.
    Where some have a percent sign, a text without one counts as a number only if it is 0.  Of several
    currencies only the most frequent counts: another is another unit.

    >>> written_numbers(["12.3%", "7%"]).numbers.tolist()
    [12.3, 7.0]
    """
    read = {sign: [written_number(text, sign) for text in texts] for sign in OTHER}
    found = {sign: _numbers(each) for sign, each in read.items()}
    point, comma = (int((~np.isnan(found[sign])).sum()) for sign in ".,")
    if point != comma:
        sign, is_open = "." if point > comma else ",", False
    else:
        same = np.array_equal(found["."], found[","], equal_nan=True)
        sign, is_open = decimal or ".", not (same or decimal) and any("," in t for t in texts)
    written = [each for each in read[sign] if each is not None]
    parts = []
    if any(each.grouped for each in written):
        parts.append(f"thousands separators ({_NAMES[OTHER[sign]]})")
    if any(each.percent for each in written):
        parts.append("percent signs")
    if currency := _usual_currency(written):
        parts.append(f"currency signs ({currency})")
    if not parts:
        return None
    return WrittenNumbers(found[sign], "" if is_open else sign, " and ".join(parts))


def _usual_currency(written: Iterable[Written | None]) -> str:
    counts = Counter(each.currency for each in written if each is not None and each.currency)
    return counts.most_common(1)[0][0] if counts else ""


def _numbers(written: Sequence[Written | None]) -> FloatArray:
    percent = any(each.percent for each in written if each is not None)
    currency = _usual_currency(written)
    return np.array(
        [
            np.nan
            if each is None
            or (percent and each.value != 0 and not each.percent)
            or each.currency not in ("", currency)
            else each.value
            for each in written
        ],
        dtype=np.float64,
    )
