"""Plain numbers, lists and strings of whatever was computed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any, digits: int | None = None) -> Any:
    """Return a value as JSON takes it; what is not finite becomes None.

    Parameters
    ----------
    value : numbers, arrays, lists, mappings of them
    digits : significant digits to round to; None keeps all

    >>> plain({"a": np.array([1.23456, np.nan]), "n": np.int64(2)}, digits=3)
    {'a': [1.23, None], 'n': 2}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(each, digits) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each, digits) for each in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        if not math.isfinite(number):
            return None
        return number if digits is None else float(f"{number:.{digits}g}")
    return None if value is None else str(value)


def to_json(content: Mapping[str, Any]) -> str:
    """Return a report's content as JSON.

    Parameters
    ----------
    content : mapping
        What :func:`describe` returns.

    Returns
    -------
    str
        A report's content as JSON.
    """
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
