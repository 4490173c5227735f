"""The memory budget: how large an array the engine may allocate before it asks for another way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, TypeVar

Item = TypeVar("Item")

DEFAULT_BUDGET = 4 * 2**30
"""Bytes one machine may spend on its kernel matrices when the caller sets no budget."""

BLOCK_BUDGET = 256 * 2**20
"""Bytes the blockwise primitives (response, pair sums) work in."""

WORKING_SET = 6 * 2**20
"""Bytes of a block that a processor's cache keeps between their uses."""
LEAST_FEATURES = 128
"""Features of a block that make a matrix product worth its preparation, cache or not."""


class MemoryBudgetError(ValueError):
    """A computation would need more memory than its budget; nothing was allocated."""


def human_size(n_bytes: float) -> str:
    """Format a number of bytes for a person.

    >>> human_size(3.2e9)
    '3.0 GiB'
    """
    for unit in ("B", "KiB", "MiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} GiB"


def check_memory(memory: Any, name: str = "memory") -> float | None:
    """Return a number of bytes from a number or from text such as 500MB; None stays None.

    >>> check_memory("1.5 GB")
    1500000000.0
    """
    if memory is None:
        return None
    units = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
    number, unit = memory, ""
    if isinstance(memory, str):
        number = memory.strip().lower().removesuffix("b").removesuffix("i").strip()
        if number and number[-1] in "kmgt":
            number, unit = number[:-1], number[-1]
    try:
        value = -1.0 if isinstance(memory, bool) else float(number) * units[unit]
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 < value < inf:
        raise ValueError(f"{name} must be a size such as 500MB or 4GB, or bytes, got {memory!r}.")
    return value


def require_memory(
    n_bytes: float,
    budget: float | str | None,
    what: str,
    instead: str = "use fewer samples, or machine='nystroem', whose memory does not depend on their number",
) -> None:
    """Refuse a computation that would not fit, before anything is allocated."""
    limit = check_memory(budget) or DEFAULT_BUDGET
    if n_bytes > limit:
        raise MemoryBudgetError(
            f"{what} would need {human_size(n_bytes)}, over the memory budget of "
            f"{human_size(limit)}; raise the budget (memory), or {instead}."
        )


def block_size(bytes_a_feature: float, memory: float) -> int:
    """Return how many features to treat at a time: few enough for the cache, and for the budget."""
    wanted = max(WORKING_SET / bytes_a_feature, LEAST_FEATURES)
    return max(1, int(min(wanted, memory / bytes_a_feature)))


def repeatable(
    compute: Callable[[], Iterator[Item]], n_bytes: float, budget: float
) -> Callable[[], Iterable[Item]]:
    """Return a function that yields what ``compute`` does; what fits into the budget is kept."""
    if n_bytes > budget:
        return compute
    kept = list(compute())
    return lambda: kept
