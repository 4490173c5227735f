"""Sentences of Yang & Ong (2010) that the measurements confirm or contradict."""

from __future__ import annotations

from svmsieve.evaluation.paired_tests import paired_t_test
from svmsieve.papers.measurements import Measurements, Place
from svmsieve.papers.rows import SPREAD
from svmsieve.papers.views import Finding, Statement

LEVEL = 0.05


def as_good(name: str, d: int, others: tuple[str, ...]) -> Statement:
    """Figs. 2 to 8: with fewer than all features SD-L-RFE is nowhere significantly above a benchmark."""

    def judge(made: Measurements) -> Finding:
        above, significant = [], []
        for k in range(1, d):
            ours = made.at(Place(name, "SD-L-RFE", f"mse@{k}"))
            lost = []
            for other in others:
                theirs = made.at(Place(name, other, f"mse@{k}"))
                test = paired_t_test([ours[t] - theirs[t] for t in sorted(set(ours) & set(theirs))])
                lost.append((test.mean > 0.0, test.mean > 0.0 and test.p < LEVEL))
            above += [k] * any(worse for worse, _ in lost)
            significant += [k] * any(worse for _, worse in lost)
        at = f" ({ranges(significant)} features)" if significant else ""
        found = (
            f"SD-L-RFE errs more than one of the three at {len(above)} of {d - 1} sizes, significantly at "
            f"{len(significant)}{at}"
        )
        return Finding(found, not significant)

    return Statement(
        "With the same number of features the proposed methods perform at least as well, if not better.",
        judge,
    )


def ranges(sizes: list[int]) -> str:
    """Write sizes with runs of them as from–to.

    >>> ranges([1, 2, 3, 7])
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for size in sizes:
        if runs and size == runs[-1][-1] + 1:
            runs[-1].append(size)
        else:
            runs.append([size])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def none_perfect(samples: str, others: tuple[str, ...]) -> Statement:
    """Table 1: even in the easiest setting no benchmark ranks the five features right in all trials."""

    def judge(made: Measurements) -> Finding:
        found = {row: made.at(Place(samples, row, "found")) for row in others}
        counts = {row: sum(values.values()) for row, values in found.items()}
        n = len(found[others[0]])
        words = ", ".join(f"{row} {count:.0f}" for row, count in counts.items())
        return Finding(f"of {n}: {words}", max(counts.values()) < n)

    return Statement(f"With {samples} samples no benchmark method ranks all 30 right.", judge)


def poorly_determined(made: Measurements) -> str:
    """Say how much the paper's point of the grid errs beyond the chosen one, in the folds themselves."""
    words = [
        f"{name} {100.0 * made.mean(Place(name, 'tuned', 'excess')):.1f} ± "
        f"{100.0 * made.mean(Place(name, 'tuned', f'excess{SPREAD}')):.1f}"
        for name in made.values
        if made.at(Place(name, "tuned", "excess"))
    ]
    if not words:
        raise KeyError("no tuning was compared.")
    return (
        "In the five realisations' own folds the paper's point of the grid errs more than the chosen one by "
        f"(%): {', '.join(words)}."
    )
