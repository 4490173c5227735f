"""What each part of the default is worth: ``python -m benchmarks.quality.ablation run|page``.

``run`` fits the default on outer splits that the page of quality does not use, and keeps what every ranking,
size and point came to in every fold (``--folder``, not part of the project).  ``page`` decides anew from that
by each design, judges the columns on the rows that nobody saw, and writes the table of
``docs/quality/ablation.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.problems import ROOT
from benchmarks.quality.__main__ import judge
from benchmarks.quality.sets import all_sets, outer_split
from svmsieve import SVMSieve
from svmsieve.engine.machines.folds import corrected_error
from svmsieve.engine.machines.relative_grid import GRID
from svmsieve.evaluation import nogueira_index
from svmsieve.runtime.threads import one_blas_thread
from svmsieve.search.consensus import consensus
from svmsieve.search.order import Order
from svmsieve.search.path import Path as Sizes
from svmsieve.search.portfolio import Judged, choose_ranking
from svmsieve.sizing import Enough
from svmsieve.sizing.rules import Choice
from svmsieve.sizing.scored_rules import mean_scores

SPLITS = (10, 11, 12)
LARGE = {"mfeat", "madelon", "madelon-made", "dexter", "dorothea", "arcene"}
MANY_CLASSES = {f"keel-{name}" for name in ("movement_libras", "optdigits", "penbased", "texture")}
PAGE = ROOT / "docs" / "quality" / "ablation.md"
START, END = "<!-- table -->", "<!-- end of table -->"


@dataclass(frozen=True)
class Tried:
    """One ranking: its path judged in every fold, and the folds' orders."""

    judged: Judged
    orders: Any


@dataclass(frozen=True)
class Piece:
    """What a fit came to: the rankings by name, the first the one to beat."""

    name: str
    split: int
    tried: Mapping[str, Tried]
    chance: float
    many_classes: bool
    guess: Any
    every: Mapping[str, Any]
    """The order of all samples, of the ranking that was taken."""


def fit(name: str, split: int, file: Path) -> None:
    """Fit the default, every point judged in every fold, and keep what it tried."""
    data = all_sets()[name]
    rows = outer_split(data, split)
    with mock.patch(
        "svmsieve.selection.running._FIRST_FOLDS", sys.maxsize
    ):  # all points in all folds
        sieve = SVMSieve(random_state=0).fit(rows.X, rows.y)
    steps, d = sieve.record_.steps, rows.X.shape[1]
    kept: dict[str, Any] = {"names": [row.ranking for row in sieve.path_.tried]}
    for number, ranking in enumerate(kept["names"]):
        runs = [key for key in steps if key.rpartition(": ")[0] == ranking and key[-1].isdigit()]
        runs.sort(key=lambda key: int(key.rpartition(": ")[2]))
        judged = Judged.of([steps[run] for run in runs])
        kept[f"sizes {number}"], kept[f"scores {number}"] = judged.sizes, judged.scores
        kept[f"skills {number}"] = judged.skills
        kept[f"orders {number}"] = [Order.of(steps[run], d).units for run in runs]
    kept["every"] = Order.of(steps["all"], d).units
    kept["taken"] = sieve.path_.ranking
    kept["chance"], kept["many_classes"] = sieve.path_.skill_chance, sieve.path_.many_classes
    kept["guess"] = sieve.path_.guess_skills
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(file, **kept)


def load(file: Path) -> Piece:
    """Return what was kept of a fit."""
    with np.load(file) as kept:
        tried = {
            str(name): Tried(
                Judged(kept[f"sizes {i}"], kept[f"scores {i}"], kept[f"skills {i}"]),
                kept[f"orders {i}"],
            )
            for i, name in enumerate(kept["names"])
        }
        every = {str(kept["taken"]): kept["every"]}
        numbers = float(kept["chance"]), bool(kept["many_classes"]), kept["guess"]
    name, _, split = file.stem.rpartition(".")
    return Piece(name, int(split), tried, *numbers, every)


@dataclass(frozen=True)
class Middle(Enough):
    """The weighted median of the sizes, by how far below the best skill they are, and k^-0.7."""

    def choose(self, path: Sizes) -> Choice:
        """Return the middle, or the best size where that is smaller."""
        usual, skills = super().choose(path), path.fold_skills
        if skills is None or "guessing by" in usual.reason:
            return usual
        means, scores = skills.mean(axis=1), mean_scores(path)
        best = int(means.argmax())
        errors = np.array([corrected_error(skills[best] - row, path.test_share) for row in skills])
        unit = max(0.0, means[best] * (1.0 - means[best])) * (0.5 if path.many_classes else 1.0)
        near = np.exp((means - means[best]) / np.maximum(0.5 * errors + 0.15 * unit, 1e-12))
        weights = np.where(scores < scores[best] - 0.025 - 1e-12, 0.0, near / path.n_features**0.7)
        below = weights.cumsum()
        middle = min(best, int(np.searchsorted(below, 0.5 * below[-1])))
        return Choice(int(path.n_features[middle]), "the middle of nearly the best")


_RULE = Enough()


@dataclass(frozen=True)
class Design:
    """A way to decide; what is not said is the default's."""

    words: str
    rule: Enough = _RULE
    rankings: Callable[[list[str]], list[str]] = list
    by_skill: bool = True
    errors: float = 1.0
    """Standard errors by which another ranking must beat the first."""
    repeats: int = 9
    points: tuple[int, ...] | None = None
    order: str = "consensus"
    kept: int = 3
    """Points of each size that are judged after the first five folds."""

    def columns(self, piece: Piece) -> Any:
        """Return the columns that the design selects."""
        judged = {}
        for name in self.rankings(list(piece.tried)):
            each = piece.tried[name].judged
            folds, points = slice(5 * self.repeats), self.points or slice(None)
            skills = each.skills[:, points, folds] if self.by_skill else None  # type: ignore[index]
            judged[name] = self._raced(Judged(each.sizes, each.scores[:, points, folds], skills))
        rows = choose_ranking(judged)
        better = [row for row in rows if row.difference > self.errors * row.se]
        taken = max(better or rows[:1], key=lambda row: row.difference).ranking
        curve, orders = judged[taken], list(piece.tried[taken].orders[: 5 * self.repeats])
        if taken in piece.every:
            orders = [piece.every[taken], *orders]
        order = orders[0] if self.order == "one" else consensus(orders)
        path = Sizes(
            len(order),
            curve.sizes,
            curve.curve,
            *[np.full(len(curve.sizes), np.nan)] * 6,
            test_share=0.25,
            skill_chance=piece.chance,
            many_classes=piece.many_classes,
            guess_skills=piece.guess[folds],
            fold_skills=curve.skill_curve,
        )
        return np.sort(order[: self.rule.choose(path).size])

    def _raced(self, judged: Judged) -> Judged:
        """Without the points that the first folds ruled out."""
        n_points, n_folds = judged.scores.shape[1:]
        if n_folds < 10 or n_points <= self.kept:
            return judged
        skills = judged.skills
        first = Judged(
            judged.sizes, judged.scores[:, :, :5], None if skills is None else skills[:, :, :5]
        )
        out = np.ones(judged.scores.shape[:2], dtype=bool)
        for row, places in enumerate(first.best_points(self.kept).values()):
            out[row, list(places)] = False
        scores = np.where(out[:, :, None], np.nan, judged.scores)
        return Judged(
            judged.sizes,
            scores,
            None if skills is None else np.where(out[:, :, None], np.nan, skills),
        )


def _without(*words: str) -> Callable[[list[str]], list[str]]:
    return lambda names: [name for name in names if not any(word in name for word in words)]


def _alone(word: str) -> Callable[[list[str]], list[str]]:
    return lambda names: [name for name in names if word in name]


_MIDDLE = GRID.points.index((4.0, 1.0))
DESIGNS = [
    Design("**the default**"),
    Design("points: all in all folds, not the best three after five", kept=10),
    Design("points: the best two after five folds", kept=2),
    Design("follow: one point, C = 4, γ = 1/(d·Var)", points=(_MIDDLE,)),
    Design("compared by: scores, the middle of the sizes near the best, smoothed", by_skill=False),
    Design("guard: the best ranking, however little better", errors=0.0),
    Design("guard: better by two standard errors", errors=2.0),
    Design("portfolio: the joint ranking alone", rankings=_alone("joint")),
    Design("portfolio: without the joint ranking", rankings=_without("joint")),
    Design("portfolio: the responses at C = 8 not tried", rankings=_without("C=8")),
    Design("portfolio: `loo-scaling` not tried", rankings=_without("loo-scaling")),
    Design("portfolio: without `hsic`", rankings=_without("hsic")),
    Design("portfolio: the responses at C = 8 alone", rankings=_alone("C=8")),
    Design("portfolio: `loo-scaling` alone", rankings=_alone("loo-scaling")),
    Design("portfolio: `hsic` alone", rankings=_alone("hsic")),
    Design("consensus: one order (of all samples, or the first fold's)", order="one"),
    Design("repeats: one division into folds", repeats=1),
    Design("repeats: two", repeats=2),
    Design("rule: the best skill", Enough(errors=0.0, share=0.0, price=0.0)),
    Design("rule: no price of a doubling", Enough(price=0.0)),
    Design("rule: what is lost need not save anything", Enough(saving=0.0)),
    Design(
        "rule: no limit to what the mean score loses (before)",
        Enough(loss=np.inf),
    ),
    Design("rule: at most 0.03", Enough(loss=0.03)),
    Design("rule: at most 0.01", Enough(loss=0.01)),
    Design("rule: share and price 0.16 and 0.08", Enough(share=0.16, price=0.08)),
    Design("rule: a share of 0.3", Enough(share=0.3)),
    Design(
        "rule: share and price 0.16 and 0.08, no limit",
        Enough(share=0.16, price=0.08, loss=np.inf),
    ),
    Design("rule: the middle of the sizes of nearly the best skill", Middle()),
]


class Judge:
    """Judges columns on the rows held out, each set of columns once."""

    def __init__(self, folder: Path, name: str, split: int) -> None:
        self.file = folder / f"{name}.{split}.json"
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.name, self.split = name, split

    def __call__(self, columns: Any) -> float:
        key = " ".join(map(str, columns))
        if key not in self.known:
            data = all_sets()[self.name]
            with one_blas_thread(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.known[key] = judge(outer_split(data, self.split), columns, data.regression)
            self.file.write_text(json.dumps(self.known))
        return float(self.known[key])


def _row(
    design: Design, chosen: dict[str, list[tuple[float, Any, int]]], base: dict[str, float]
) -> str:
    """The line of a design: by kind of sets, points, difference to the default, kept, stability."""
    known, cells = all_sets(), [design.words]
    for kinds in (("real", "fresh"), ("copies", "truth"), ("genes",)):
        names = [name for name in chosen if known[name].kind in kinds]
        if not names:
            cells += ["–"] * 4
            continue
        points = np.array([np.mean([row[0] for row in chosen[name]]) for name in names])
        difference = points - np.array([base[name] for name in names])
        kept = [np.mean([len(row[1]) / row[2] for row in chosen[name]]) for name in names]
        stable = [
            _stability(chosen[name])
            for name in names
            if not known[name].generated and len(chosen[name]) > 1
        ]
        n = np.sqrt(len(names))
        cells += [
            f"{points.mean():+.1f} ± {points.std(ddof=1) / n:.1f}",
            f"{difference.mean():+.2f} ± {difference.std(ddof=1) / n:.2f}",
            f"{100 * np.mean(kept):.0f} %",
            f"{np.nanmean(stable):.2f}" if stable else "–",
        ]
    return "| " + " | ".join(cells) + " |"


def _stability(rows: list[tuple[float, Any, int]]) -> float:
    masks = np.zeros((len(rows), rows[0][2]), dtype=bool)
    for mask, (_, columns, _) in zip(masks, rows, strict=True):
        mask[columns] = True
    return float(nogueira_index(masks).value) if 0 < masks.sum() < masks.size else np.nan


def page(folder: Path) -> None:
    """Decide by every design, judge, and write the table."""
    pieces = [load(file) for file in sorted(folder.glob("*.npz"))]
    judges = {(p.name, p.split): Judge(folder, p.name, p.split) for p in pieces}
    head = ["what is changed"]
    for kind in ("real", "noise or truth", "genes"):
        head += [f"{kind}: points", "to the default", "kept", "stability"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    base: dict[str, float] = {}
    for design in DESIGNS:
        chosen: dict[str, list[tuple[float, Any, int]]] = {}
        for piece in pieces:
            d = len(next(iter(piece.tried.values())).orders[0])
            columns, points = design.columns(piece), judges[piece.name, piece.split]
            gain = points(columns) - points(np.arange(d))
            chosen.setdefault(piece.name, []).append((gain, columns, d))
        if not base:
            base = {name: float(np.mean([row[0] for row in rows])) for name, rows in chosen.items()}
        lines.append(_row(design, chosen, base))
        print(lines[-1], flush=True)
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(START)[0], text.split(END)[1]
    PAGE.write_text(f"{before}{START}\n{chr(10).join(lines)}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Parse and go."""
    known = [name for name in all_sets() if name not in LARGE | MANY_CLASSES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "page"])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=known)
    options = parser.parse_args()
    if options.what == "page":
        page(options.folder)
        return
    for split in SPLITS:
        for name in options.sets:
            file = options.folder / f"{name}.{split}.npz"
            if not file.exists():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fit(name, split, file)
                print(name, split, flush=True)


if __name__ == "__main__":
    main()
