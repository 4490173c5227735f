"""Names from data, made safe for where they are shown: one line, a spreadsheet, a page's script."""

from __future__ import annotations

import json
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def one_line(name: Any, longest: int = 40) -> str:
    """Return a name on one line, without control characters, not too long.

    Terminals obey escape sequences and change direction at some characters: nothing that is not
    printable is left.

    >>> print(one_line("red\\x1b[31m\\nname", 12))
    red�[31m�na…
    """
    text = "".join(c if c.isprintable() else "�" for c in str(name)[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + "…"


def cell(value: Any) -> Any:
    """Return a text as a spreadsheet shows it and does not compute it: a formula gets a quote before it.

    Numbers, and texts that are a number or a lone sign, stay as they are.

    >>> cell("=1+1"), cell("+"), cell("-0.5"), cell(-0.5)
    ("'=1+1", '+', '-0.5', -0.5)
    """
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    if value in ("+", "-") or _is_number(value):
        return value
    return f"'{value}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def script_json(content: Any) -> str:
    """Return JSON that can stand inside a script element: nothing in it ends or opens an element.

    >>> print(script_json("</script>"))
    "\\u003c/script\\u003e"
    """
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
