"""Run select and apply on a table, and write down what they print, without what differs between machines."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tests.cli.running import run

QUICK = ("--C", "1", "--gamma", "scale", "--cv", "3", "--criterion", "f-score", "--search", "once")
_LINES = 6
_SAID = ("Note:", "Error rate", "Root mean", "svmsieve:")
"""Beginnings of what is said beside progress, which depends on the time."""
_NUMBER = re.compile(r"(?<![\w.-])-?\d+\.\d+(e[-+]\d+)?(?!\.?\d)")


@dataclass(frozen=True)
class Case:
    """Files to select from and to apply to, beside one another in a folder, and the options of both."""

    table: str
    new: str
    select: tuple[str, ...]
    apply: tuple[str, ...] = ()


def printed(case: Case, folder: Path) -> str:
    """Return the commands and what they print."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        words = ("select", case.table, *case.select, "--model", "model.skops", "--quiet")
        said = [_command(words, *run(*words))]
        if Path("model.skops").exists():
            words = ("apply", "model.skops", case.new, *case.apply)
            said.append(_command(words, *run(*words), lines=_LINES))
    finally:
        os.chdir(before)
    return "\n".join(said)


def _command(
    words: tuple[str, ...], code: int, out: str, err: str, lines: int | None = None
) -> str:
    shown = out.splitlines()
    kept = shown if lines is None else shown[:lines]
    rest = [f"… {len(shown) - len(kept)} more lines"] if len(kept) < len(shown) else []
    said = [line for line in err.splitlines() if line.startswith(_SAID)]
    ended = [f"(ended with {code})"] if code else []
    text = [f"$ svmsieve {' '.join(words)}", *map(masked, [*kept, *rest, *said]), *ended, ""]
    return "\n".join(line.rstrip() for line in text)


def masked(line: str) -> str:
    """Return a line without times, and numbers with the digits that every machine finds.

    >>> masked("Time: 12.3 s"), masked("petal  0.123456  97 %"), masked("1,a,0.0371")
    ('Time: … s', 'petal  0.12  97 %', '1,a,0.037')
    """
    line = re.sub(r"^Time: .*$", "Time: … s", line)
    return _NUMBER.sub(lambda found: _short(float(found[0])), line)


def _short(number: float) -> str:
    return f"{number:.2g}" if abs(number) < 100 else f"{number:.0f}"
