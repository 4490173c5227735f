"""Numbers as people write them: with thousands separators, percent signs, a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from svmsieve.engine.arrays import FloatArray

OTHER = {".": ",", ",": "."}
"""The thousands separator by the decimal sign."""

_NAMES = {".": "points", ",": "commas"}


def _pattern(decimal: str) -> re.Pattern[str]:
    """Match a number; thousands do not begin with 0, so that 0,123 is a decimal comma."""
    group, point = re.escape(OTHER[decimal]), re.escape(decimal)
    whole = rf"(?P<grouped>[1-9]\d{{0,2}}(?:{group}\d{{3}})+)|\d+"
    return re.compile(
        rf"[-+]?(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:e[-+]?\d+)?(?P<percent>\s*%)?",
        re.ASCII | re.IGNORECASE,
    )


_PATTERNS = {decimal: _pattern(decimal) for decimal in OTHER}


def number_of(text: str, decimal: str) -> float | None:
    """Return the number that a text is under a decimal sign, None where it is none; 12% is 12.

    >>> number_of("12,345.6", "."), number_of("12,345.6", ","), number_of("1,234", ",")
    (12345.6, None, 1.234)
    """
    if _PATTERNS[decimal].fullmatch(text.strip()) is None:
        return None
    return float(text.replace(OTHER[decimal], "").replace(decimal, ".").replace("%", ""))


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
    """Read different texts as numbers with thousands separators or percent signs; None where none has.

    The decimal sign is that under which more of the texts are numbers; where this does not decide, that
    of the file, if it shows; else a comma leaves it open, and a point is a decimal point, as everywhere.
    Where some have a percent sign, a text without one counts as a number only if it is 0.

    >>> written_numbers(["12.3%", "7%"]).numbers.tolist()
    [12.3, 7.0]
    """
    found = {sign: _numbers(texts, sign) for sign in OTHER}
    point, comma = (int((~np.isnan(found[sign])).sum()) for sign in ".,")
    if point != comma:
        sign, is_open = "." if point > comma else ",", False
    else:
        same = np.array_equal(found["."], found[","], equal_nan=True)
        sign, is_open = decimal or ".", not (same or decimal) and any("," in t for t in texts)
    matches = [_PATTERNS[sign].fullmatch(text.strip()) for text in texts]
    parts = []
    if any(match and match["grouped"] for match in matches):
        parts.append(f"thousands separators ({_NAMES[OTHER[sign]]})")
    if any(match and match["percent"] for match in matches):
        parts.append("percent signs")
    if not parts:
        return None
    return WrittenNumbers(found[sign], "" if is_open else sign, " and ".join(parts))


def _numbers(texts: Sequence[str], decimal: str) -> FloatArray:
    numbers = [number_of(text, decimal) for text in texts]
    percent = any(n is not None and "%" in text for n, text in zip(numbers, texts, strict=True))
    return np.array(
        [
            np.nan if n is None or (percent and n != 0 and "%" not in text) else n
            for n, text in zip(numbers, texts, strict=True)
        ],
        dtype=np.float64,
    )
