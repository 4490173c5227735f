"""The search of a fitted sieve, for what is said of it."""

from __future__ import annotations

from typing import Any

from svmsieve.search import make_search
from svmsieve.search.contract import Search


def search_of(sieve: Any) -> Search:
    """Return the search that the sieve's parameters name."""
    return make_search(sieve.search, sieve.step, sieve.retune, sieve.cv)
