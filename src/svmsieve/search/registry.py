"""The searches by name."""

from __future__ import annotations

from difflib import get_close_matches
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

    ``step`` and ``retune`` go to eliminations; ``cv``, a number of folds or the folds themselves, to searches
    that grow.

    Parameters
    ----------
    search : str or Search
        Name or instance.
    step : int, float, "auto" or Schedule
        Schedule of an elimination.
    retune : "halving", list of int or None
        Sizes at which an elimination tunes again.
    cv : int, splitter or list, default=None
        Number of folds, or the folds themselves, for searches that grow.

    Returns
    -------
    Search
        A search from its name or an instance.
    """
    if retune is not None and search != Elimination.name:
        raise ValueError(
            f"retune is for search='rfe', got search={search!r}; leave it out"
            + (", or give it to the search itself." if isinstance(search, Search) else ".")
        )
    if isinstance(search, Search):
        return search
    if search == Elimination.name:
        return Elimination(step, retune)
    if search == Once.name:
        return Once(step)
    for growing in (HillClimb, Forward):
        if search == growing.name:
            return growing() if cv is None else growing(cv=cv)
    near = get_close_matches(search, SEARCHES, n=1, cutoff=0.4) if isinstance(search, str) else []
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(SEARCHES)}."
    raise ValueError(f"search {search!r} is not known; {hint}")
