"""The searches by name."""

from __future__ import annotations

from difflib import get_close_matches
from numbers import Integral
from typing import Any

from svmsieve.search.contract import Search
from svmsieve.search.elimination import Elimination, Once
from svmsieve.search.forward import Forward
from svmsieve.search.hill_climb import HillClimb

SEARCHES: dict[str, type[Search]] = {
    search.name: search for search in (Once, Elimination, HillClimb, Forward)
}


def make_search(search: Any, step: Any, retune: Any, cv: Any = None) -> Search:
    """Return a search from its name or an instance.

    ``step`` and ``retune`` go to eliminations, a number of folds ``cv`` to searches that grow.
    """
    if isinstance(search, Search):
        return search
    if search == Elimination.name:
        return Elimination(step, retune)
    if search == Once.name:
        return Once(step)
    for growing in (HillClimb, Forward):
        if search == growing.name:
            return growing(cv=int(cv)) if isinstance(cv, Integral) else growing()
    near = get_close_matches(search, SEARCHES, n=1, cutoff=0.4) if isinstance(search, str) else []
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(SEARCHES)}."
    raise ValueError(f"search {search!r} is not known; {hint}")
