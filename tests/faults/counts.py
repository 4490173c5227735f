"""How many faults are tried: few with the other tests, many by ``make faults``."""

import os

MANY = bool(os.environ.get("FAULTS"))


def count(few, many):
    return many if MANY else few


def told(what):
    """Print what was tried; ``make faults`` shows it."""
    print(f"\nfaults: {what}", flush=True)
