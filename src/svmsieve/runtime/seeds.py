"""Seeds: one number from what scikit-learn takes, and numbers that follow from one."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np


def seed_of(random_state: Any) -> int:
    """Return one number from None (0), a number, a RandomState or a Generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    try:
        seed = index(random_state)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**32:
        raise ValueError(
            "random_state must be a whole number from 0 to 2**32 - 1, a RandomState, a Generator or "
            f"None, got {random_state!r}."
        )
    return seed


def derived_seed(seed: int, *key: int) -> int:
    """Return a seed of its own for each part of a run."""
    return int(np.random.SeedSequence([seed, *key]).generate_state(1)[0])
