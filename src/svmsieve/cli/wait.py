"""How long the user of a command has waited: from its first line on, imports, reading and all."""

from __future__ import annotations

import time

_begun = [time.monotonic()]


def begin() -> None:
    """Note that a command begins."""
    _begun[0] = time.monotonic()


def waited() -> float:
    """Return the seconds since the command began."""
    return time.monotonic() - _begun[0]
