"""How subsets of features are searched; knows criteria only through their contract."""

from svmsieve.search.contract import Search
from svmsieve.search.elimination import Elimination, Once
from svmsieve.search.forward import Forward
from svmsieve.search.hill_climb import HillClimb
from svmsieve.search.registry import SEARCHES, make_search
from svmsieve.search.schedule import (
    FractionOfRemaining,
    HalveThenOneByOne,
    Schedule,
    SeveralAtATime,
    Thinning,
    Tiers,
    make_schedule,
)

__all__ = [
    "SEARCHES",
    "Elimination",
    "Forward",
    "FractionOfRemaining",
    "HalveThenOneByOne",
    "HillClimb",
    "Once",
    "Schedule",
    "Search",
    "SeveralAtATime",
    "Thinning",
    "Tiers",
    "make_schedule",
    "make_search",
]
