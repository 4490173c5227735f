"""Problems whose true features are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Drawn = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """A problem that can be drawn again and again.

    Attributes
    ----------
    words : what it is
    draw : from a generator of random numbers
    true : the features the target is made of
    related : others that depend on these: neither true nor false
    """

    words: str
    draw: Callable[[np.random.Generator], Drawn]
    true: tuple[int, ...]
    related: tuple[int, ...] = ()

    def counts(self, support: Any) -> dict[str, int]:
        """Count true, related and false features among the selected."""
        n_true, n_related = (
            int(support[list(self.true)].sum()),
            int(support[list(self.related)].sum()),
        )
        return {
            "true": n_true,
            "related": n_related,
            "false": int(support.sum()) - n_true - n_related,
        }


def _halves_of_classes(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(np.repeat([0, 1], n // 2))


def _numbers(rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(100, 1000))
    return X, X[:, :5].sum(axis=1) + rng.normal(size=100)


def _shifted(rng: np.random.Generator) -> Drawn:
    X, y = rng.normal(size=(100, 1000)), _halves_of_classes(100, rng)
    X[:, :10] += y[:, None]
    return X, y


def _weak(rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(100, 1000))
    return X, (X[:, :5].sum(axis=1) + rng.normal(size=100) > 0).astype(int)


def _xor(rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(300, 50))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def _rings(rng: np.random.Generator) -> Drawn:
    X = rng.normal(size=(300, 50))
    return X, (X[:, 0] ** 2 + X[:, 1] ** 2 > 2 * np.log(2)).astype(int)


def _blocks(rng: np.random.Generator) -> Drawn:
    common = np.repeat(rng.normal(size=(200, 20)), 10, axis=1)
    X = np.sqrt(0.7) * common + np.sqrt(0.3) * rng.normal(size=(200, 200))
    return X, (X[:, :50:10].sum(axis=1) + rng.normal(size=200) > 0).astype(int)


def _noise(n: int, d: int) -> Callable[[np.random.Generator], Drawn]:
    return lambda rng: (rng.normal(size=(n, d)), _halves_of_classes(n, rng))


PROBLEMS = {
    "numbers": Problem("linear wide, numbers: 5 of 1000, n = 100", _numbers, tuple(range(5))),
    "shifted": Problem(
        "linear wide, classes: 10 of 1000 shifted by 1, n = 100", _shifted, tuple(range(10))
    ),
    "weak": Problem(
        "linear wide, classes, weak: sign of 5 of 1000, n = 100", _weak, tuple(range(5))
    ),
    "blocks": Problem(
        "correlated blocks (0.7) of 10: 5 of 200, n = 200",
        _blocks,
        tuple(range(0, 50, 10)),
        tuple(j for j in range(50) if j % 10),
    ),
    "xor": Problem("XOR: 2 of 50, n = 300", _xor, (0, 1)),
    "rings": Problem("ring: 2 of 50, n = 300", _rings, (0, 1)),
    "noise": Problem("noise: 0 of 50, n = 300", _noise(300, 50), ()),
    "noise-wide": Problem("noise: 0 of 1000, n = 100", _noise(100, 1000), ()),
}


def drawn(name: str, draw: int) -> Drawn:
    """Return one draw of a problem."""
    return PROBLEMS[name].draw(np.random.default_rng([draw, list(PROBLEMS).index(name)]))
