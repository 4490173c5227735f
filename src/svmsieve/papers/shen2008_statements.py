"""Sentences of Shen et al. (2008) that the measurements confirm or contradict."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.stats import t as student

from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.views import Finding, Statement

KEYS = {1: (1, 2, 5), 2: (1, 2, 3, 4, 5, 6), 3: (2, 4, 5)}
"""The features that the MONK's problems are made of."""
METHODS = ("FSPP1", "FSPP2", "FSPP3", "FSPP4")


def key_features(number: int) -> tuple[Statement, ...]:
    """Fig. 1a: every method scores the key features above the others; MONK-2 has no others."""
    keys = KEYS[number]
    others = [i for i in range(1, 7) if i not in keys]
    if not others:
        return ()

    def judge(made: Measurements) -> Finding:
        condition = f"MONK-{number}"
        right = []
        for method in METHODS:
            score = {
                i: made.mean(Place(condition, f"{method}-INIT", f"score@{i}")) for i in range(1, 7)
            }
            if min(score[i] for i in keys) > max(score[i] for i in others):
                right.append(method)
        return Finding(f"so does {', '.join(right) or 'none'}", len(right) == len(METHODS))

    names = ", ".join(map(str, keys))
    return (
        Statement(f"All four methods score the key features ({names}) above the others.", judge),
    )


def decreasing(number: int) -> tuple[Statement, ...]:
    """Fig. 1b: the error decreases monotonically with more of the best features, as far as they are key."""

    def judge(made: Measurements) -> Finding:
        steady = []
        for method in METHODS[:3]:
            errors = [
                made.mean(Place(f"MONK-{number}", f"{method}-RFE", f"error@{k}"))
                for k in range(1, 7)
            ]
            if all(b <= a for a, b in pairwise(errors)):
                steady.append(method)
        last = [
            f"{100.0 * made.mean(Place(f'MONK-{number}', 'FSPP2-RFE', f'error@{k}')):.1f}"
            for k in range(1, 7)
        ]
        found = f"{len(steady)} of 3 methods; FSPP2-RFE: {', '.join(last)} %"
        return Finding(found, len(steady) == 3)

    return (
        Statement(
            "The test error decreases monotonically with the number of best features.", judge
        ),
    )


def what_it_takes(
    condition: str,
    method: str,
    others: tuple[str, ...],
    level: float,
    sizes: tuple[int, ...] = (2, 3),
) -> Callable[[Measurements], str]:
    """Say which differences the paper's p would need, beside those that there are."""

    def sentence(made: Measurements) -> str:
        parts = []
        for size in sizes:
            ours = made.at(Place(condition, method, f"error@{size}"))
            for other in others:
                theirs = made.at(Place(condition, other, f"error@{size}"))
                difference = np.array(
                    [theirs[t] - ours[t] for t in sorted(set(ours) & set(theirs))]
                )
                n = len(difference)
                needed = float(
                    student.isf(level / 2.0, n - 1) * difference.std(ddof=1) / math.sqrt(n)
                )
                equal = float((difference == 0.0).mean())
                parts.append(
                    f"{other} with {size}: {100.0 * difference.mean():+.2f}, needs {100.0 * needed:.2f}, "
                    f"alike in {100.0 * equal:.0f} %"
                )
        return (
            f"For the paper's ordering {method} would have to err less than the others. How much less it "
            f"errs (points), how much p = {level:g} needs, and in how many splits the two err alike: "
            f"{'; '.join(parts)}. For the paper's p to come out, the ninety original splits that are "
            "not public would have to prefer one order where these do not, or Platt's A and B from its D_val "
            "rank otherwise than those of out-of-fold decisions."
        )

    return sentence
