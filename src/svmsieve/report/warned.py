"""Warnings where they matter: each stands in the section whose figures it qualifies."""

from __future__ import annotations

import re
from collections.abc import Collection
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


def all_warnings(content: dict[str, Any]) -> list[str]:
    """Return every warning once."""
    data = content["data"]
    return list(dict.fromkeys([*(data["warnings"] if data else ()), *content["done"]["warnings"]]))


def placed_warnings(content: dict[str, Any], sections: Collection[str]) -> dict[str, list[str]]:
    """Return the warnings by section: ``"head"``, under the verdict, where theirs is not in the page.

    >>> few = "Class 'a' has 4 rows: 4 outer folds, not 5."
    >>> content = {"data": None, "done": {"warnings": [few]}}
    >>> placed_warnings(content, ["sure"])["sure"] == placed_warnings(content, [])["head"] == [few]
    True
    """
    placed: dict[str, list[str]] = {"head": [], **{section: [] for section, _ in _PLACES}}
    for sentence in all_warnings(content):
        found = (s for s, words in _PLACES if s in sections and words.search(sentence))
        placed[next(found, "head")].append(sentence)
    return placed
