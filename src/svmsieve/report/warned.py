"""Warnings where they matter: each stands in the section whose figures it qualifies."""

from __future__ import annotations

import re
from typing import Any

_PLACES = (
    ("sizes", re.compile(r"half samples?|number of features|\bsizes?\b", re.I)),
    ("machine", re.compile(r"response curves|\bkernel\b|converge|\bgamma\b|\bepsilon\b", re.I)),
    (
        "which",
        re.compile(r"\bscores? of\b|order of their columns|ranking|same values|duplicate", re.I),
    ),
    ("sure", re.compile(r"\bfolds?\b|error rate|interval|evaluat|scoring", re.I)),
)
"""Sections and the words of what belongs there; everything else stands under the verdict."""


def placed_warnings(content: dict[str, Any]) -> dict[str, list[str]]:
    """Return the warnings by section: those under the verdict are ``"head"``.

    >>> few = "Class 'a' has 4 rows: 4 outer folds, not 5."
    >>> placed_warnings({"data": None, "done": {"warnings": [few]}})["sure"] == [few]
    True
    """
    data = content["data"]
    sentences = [*(data["warnings"] if data else ()), *content["done"]["warnings"]]
    placed: dict[str, list[str]] = {"head": [], **{section: [] for section, _ in _PLACES}}
    for sentence in dict.fromkeys(sentences):
        found = (section for section, words in _PLACES if words.search(sentence))
        placed[next(found, "head")].append(sentence)
    return placed
