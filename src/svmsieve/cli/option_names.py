"""Messages of the library in the words of the command line: ``--size``, not ``n_features_to_select``."""

from __future__ import annotations

import re

_OPTIONS = {
    "n_features_to_select": "--size",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    "checkpoint": "--resume",
    "ids": "--id",
    **{
        name: f"--{name}"
        for name in [
            "C",
            "categorical",
            "criterion",
            "cv",
            "dates",
            "decimal",
            "delimiter",
            "drop",
            "encoding",
            "gamma",
            "header",
            "keep",
            "kernel",
            "memory",
            "missing",
            "scoring",
            "search",
            "task",
            "tuning",
        ]
    },
}
"""Parameters of the library that are options of the command line, by name."""
_ONLY_NAMES = ("n_features_to_select", "random_state", "n_jobs")
"""Parameters that are no words of their own."""
_IN_PYTHON = re.compile(r",? ?\(?in Python [^)]*(\)?)")
_WORDS = re.compile(
    rf"(?<![\w-])(?P<name>{'|'.join(_OPTIONS)})(?:=(?P<value>'[^']*'|[^\s',;:)]+)"
    rf"|(?= must | names the | and delimiter must ))"
    rf"|(?<![\w-])(?P<only>{'|'.join(_ONLY_NAMES)})(?![\w-])"
    rf"|(?P<verb>\b(?:raise|say|leave|lower|give) )(?P<bare>memory|encoding|categorical|cv)(?![\w-])"
    rf"|(?P<quoted>(?<!\w)'[^']*')"
)


def in_options(sentence: str) -> str:
    """Return a sentence with the parameters of the library named as the options that they are.

    What stands in quotes is a name from the data, and stays.

    >>> print(in_options("n_features_to_select='bound' needs classes and search='rfe', got cv=3."))
    --size bound needs classes and --search rfe, got --cv 3.
    >>> print(in_options("'search=1.csv' would take 3 GiB; raise memory."))
    'search=1.csv' would take 3 GiB; raise --memory.
    """
    return _WORDS.sub(_option, _IN_PYTHON.sub(_without, sentence))


def _without(match: re.Match[str]) -> str:
    """Drop the words for Python; a bracket that was opened before them is closed."""
    return "" if "(" in match[0] else match[1]


def _option(match: re.Match[str]) -> str:
    if match["quoted"] is not None:
        return match[0]
    if match["bare"] is not None:
        return f"{match['verb']}--{match['bare']}"
    name = _OPTIONS[match["name"] or match["only"]]
    if match["value"] is None:
        return name
    value = match["value"].strip("'")
    end = "." if value.endswith(".") and not value[:-1].isdigit() else ""
    return f"{name} {value.removesuffix('.') if end else value}{end}"
