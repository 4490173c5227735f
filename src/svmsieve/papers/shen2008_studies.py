"""Shen et al.'s experiments: MONK's problems, Weston's, two benchmarks, two sets of the challenge."""

from __future__ import annotations

from dataclasses import dataclass

from svmsieve.datasets import load, make_weston_nonlinear
from svmsieve.datasets.madelon import MADELON_TRUE
from svmsieve.papers.challenge import Challenge, ChallengeStudy
from svmsieve.papers.problems import Drawn, PaperProblem, Resampled, Split
from svmsieve.papers.sizes import SizesStudy, part_sizes
from svmsieve.papers.studies import Method, RankingStudy, Setting, Tuned
from svmsieve.papers.trainers import SVM
from svmsieve.search import Tiers

FSPP = ("FSPP1", "FSPP2", "FSPP3", "FSPP4")
MARGIN = {"Δ‖w‖²": "weight", "∇‖w‖²": "weight-gradient"}
TRIALS = 100
FOLD_SEEDS = 3


def _methods(margin: bool) -> dict[str, Method]:
    criteria = {name: name.lower() for name in FSPP} | (MARGIN if margin else {})
    once = {f"{name}-INIT": Method(criterion, "once") for name, criterion in criteria.items()}
    return once | {f"{name}-RFE": Method(criterion, "rfe") for name, criterion in criteria.items()}


@dataclass(frozen=True)
class Monk(PaperProblem):
    """Half of the 432 rows to train, the rest unused (the paper's A and B); the small file judges."""

    number: int

    @property
    def name(self) -> str:
        """The problem's name in the catalogue."""
        return f"monks-{self.number}"

    def split(self, seed: int, trial: int) -> Split:
        """Draw 216 training rows."""
        parts = load(self.name).parts
        X, y = parts["test"]
        train = self.rng(seed, trial).permutation(len(y))[:216]
        return Split(X[train], y[train], *parts["train"])


MONK = {
    number: RankingStudy(
        f"monk{number}",
        1,
        {
            f"MONK-{number}": Setting(
                Monk(number),
                SVM("hinge", 32.0, 0.125) if number == 1 else Tuned("hinge", trials=1),
                tuple(range(1, 7)),
            )
        },
        _methods(False),
        scores=True,
    )
    for number in (1, 2, 3)
}
WESTON = RankingStudy(
    "weston",
    TRIALS,
    {
        "Weston": Setting(
            Drawn(make_weston_nonlinear, 10, 100, 10_000, 9800),
            SVM("hinge", 32.0, 0.03125),
            tuple(range(1, 11)),
        )
    },
    _methods(False),
    scores=True,
)
BREAST = RankingStudy(
    "breast-cancer",
    TRIALS,
    {
        "breast cancer": Setting(
            Resampled("ratsch_breast_cancer", 200, 77, original=True, drop=60, stratified=False),
            SVM("hinge", 2.83, 0.05632),
            tuple(range(1, 10)),
        )
    },
    _methods(True),
)
HEART = RankingStudy(
    "heart",
    TRIALS,
    {
        "heart": Setting(
            Resampled("ratsch_heart", 170, 100, original=True, drop=51, stratified=False),
            SVM("hinge", 2.38, 0.00657),
            tuple(range(1, 14)),
        )
    },
    _methods(True),
)

NIPS = ChallengeStudy(
    "challenge",
    FOLD_SEEDS,
    {
        "madelon": Challenge(
            Tiers([(100, 100), (20, 20), (1, 1)]),
            (20,),
            (7, 10, 12, 13, 20, 500),
            frozenset(MADELON_TRUE),
        ),
        "arcene": Challenge(1000, (5000, 1000), (1000, 2000, 3000, 4000, 5000, 10_000)),
    },
)


def _monk_sizes(number: int) -> dict[str, int]:
    """Rows to train with, rows left of the larger file for Platt's A and B, rows that judge."""
    split = Monk(number).split(0, 0)
    larger = load(f"monks-{number}").parts["test"]
    return {
        "train": len(split.X),
        "valid": len(larger.y) - len(split.X),
        "test": len(split.X_test),
    }


COUNTS = SizesStudy(
    "sizes",
    {
        **{f"MONK-{number}": lambda number=number: _monk_sizes(number) for number in (1, 2, 3)},  # type: ignore[misc]
        **{name: part_sizes(name.lower()) for name in ("MADELON", "ARCENE")},
    },
)
