"""Seeds of the generators and the checks of their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from svmsieve.runtime.seeds import seed_of


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator: one given as such goes on from where it is, None is the seed 0."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(seed_of(random_state))


def check_deviation(value: Any, name: str) -> float:
    """Return a finite number that is not negative, or refuse it by name."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 <= number < np.inf:
        raise ValueError(f"{name} must be a finite number, not negative, got {value!r}.")
    return number


def check_share(value: Any, name: str) -> float:
    """Return a number from 0 to 1, or refuse it by name."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}.")
    return number
