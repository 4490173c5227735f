"""How much of the papers was met: numbers that agree, differ or cannot tell, and claims that hold."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from svmsieve.papers.cells import AGREES, CANNOT_TELL, DIFFERS
from svmsieve.papers.claims import FAILS, HOLDS
from svmsieve.papers.measurements import Measurements
from svmsieve.papers.results import Result
from svmsieve.papers.runner import PAPERS, views
from svmsieve.papers.views import Omitted, View

SHORT = {
    "chen2006": "Chen & Lin",
    "heiler2001": "Heiler et al.",
    "rakotomamonjy2003": "Rakotomamonjy",
    "shen2008": "Shen et al.",
    "yang2010": "Yang & Ong",
}


class Score(NamedTuple):
    """What became of the printed numbers and claims of a table, a figure, or more."""

    printed: int = 0
    agrees: int = 0
    differs: int = 0
    cannot_tell: int = 0
    reason: int = 0
    held: int = 0
    claims: int = 0

    def plus(self, other: Score) -> Score:
        """Add another score."""
        return Score(*(a + b for a, b in zip(self, other, strict=True)))


def result_file(folder: Path, paper: str, study: str, seed: int = 0) -> Path:
    """Return where the measurements of a study are kept."""
    name = f"{paper}-{study.replace(' ', '-')}"
    return folder / "results" / (f"{name}-seed-{seed}.json" if seed else f"{name}.json")


def runs_of(folder: Path, paper: str, study: str) -> list[Measurements]:
    """Return the measurements of a study, from seed 0 and from others; none where it was not run."""
    first = result_file(folder, paper, study)
    others = sorted(
        (folder / "results").glob(f"{first.stem}-seed-*.json"),
        key=lambda file: int(file.stem.rpartition("-")[2]),
    )
    return [
        Measurements.from_json(file.read_text(encoding="utf-8"))
        for file in (first, *others)
        if file.exists()
    ]


def result_of(folder: Path, paper: str, view: View) -> Result | None:
    """Return a view filled from the files of its study; None where there are none."""
    runs = runs_of(folder, paper, view.study.name)
    return Result.of(view, runs[0], runs[1:]) if runs else None


def omitted(paper: str) -> tuple[Omitted, ...]:
    """Return the numbers of a paper that no view has, and why."""
    found: tuple[Omitted, ...] = import_module(f"svmsieve.papers.{paper}").OMITTED
    return found


def score(result: Result) -> Score:
    """Count the printed cells and the claims of a table or figure; printed p-values are of the claims."""
    verdicts = [cell.verdict for cell in result.cells if cell.published is not None]
    claims = [claim.verdict for claim in result.claims]
    claims += [statement.verdict for statement in result.statements]
    p_values = sum(claim.printed_p is not None for claim in result.claims)
    held = [claim.verdict == HOLDS for claim in result.claims if claim.printed_p is not None]
    agrees, differs = verdicts.count(AGREES), verdicts.count(DIFFERS)
    cannot_tell = verdicts.count(CANNOT_TELL)
    return Score(
        len(verdicts) + p_values,
        agrees + sum(held),
        differs + p_values - sum(held),
        cannot_tell,
        len(verdicts) - agrees - differs - cannot_tell,
        claims.count(HOLDS),
        claims.count(HOLDS) + claims.count(FAILS),
    )


def scores(folder: Path, paper: str) -> dict[str, Score]:
    """Return the scores of a paper's tables and figures as it prints them, ours beside them left out."""
    found: dict[str, Score] = {}
    for view in views(paper).values():
        result = None if view.beside else result_of(folder, paper, view)
        if result is not None and any(score(result)):
            at = printed_in(view)
            found[at] = found.get(at, Score()).plus(score(result))
    for each in omitted(paper):
        found[each.what] = Score(printed=each.numbers, reason=each.numbers)
    return found


def printed_in(view: View) -> str:
    """Return which table, figure or section of the paper has the numbers of a view."""
    return view.printed_in or " ".join(view.item.split()[:2])


def total(some: Sequence[Score]) -> Score:
    """Add scores up."""
    whole = Score()
    for each in some:
        whole = whole.plus(each)
    return whole


def scoreboard(folder: Path) -> str:
    """Return what the papers' page opens with: three sentences and the table, from the files alone."""
    by_paper = {paper: scores(folder, paper) for paper in PAPERS}
    totals = {paper: total(list(found.values())) for paper, found in by_paper.items()}
    lines = [*_sentences(totals), "", line(_HEAD), line(["---"] * len(_HEAD))]
    for paper, found in by_paper.items():
        lines += [
            line([SHORT[paper], item[0].upper() + item[1:], *_numbers(each)])
            for item, each in found.items()
        ]
        lines.append(line([f"**{SHORT[paper]}**", "**all**", *_numbers(totals[paper])]))
    lines.append(line(["**five papers**", "**all**", *_numbers(total(list(totals.values())))]))
    return "\n".join(lines) + "\n"


_HEAD = (
    "paper", "table or figure", "printed", "🟢 agrees", "🔴 differs", "⚪ cannot tell", "a reason instead",
    "claims held",
)  # fmt: skip


def _numbers(each: Score) -> list[str]:
    held = f"{each.held} of {each.claims}" if each.claims else ""
    counts = [each.printed, each.agrees, each.differs, each.cannot_tell, each.reason]
    return [*(str(count) if each.printed else "" for count in counts), held]


def _sentences(totals: dict[str, Score]) -> list[str]:
    whole = total(list(totals.values()))
    decided = whole.agrees + whole.differs
    best, worst = (
        choose(
            (paper for paper in totals if totals[paper].agrees + totals[paper].differs),
            key=lambda paper: totals[paper].agrees / (totals[paper].agrees + totals[paper].differs),
        )
        for choose in (max, min)
    )

    def share(paper: str) -> str:
        each = totals[paper]
        return f"{SHORT[paper]} {each.agrees} of {each.agrees + each.differs}"

    return [
        f"- Of {whole.printed} numbers that the five papers print, {_deviations()} of them standard "
        f"deviations, {decided + whole.cannot_tell} are judged here and {whole.reason} have a reason why "
        f"not; {whole.agrees} agree, {whole.differs} differ, and for {whole.cannot_tell} the window is too "
        "wide to tell.",
        f"- Where the data can tell, {100.0 * whole.agrees / max(decided, 1):.0f} % of the numbers agree, "
        f"from {share(best)} to {share(worst)}.",
        f"- Of {whole.claims} claims and statements that could be tested, {whole.held} hold here: "
        + ", ".join(
            f"{SHORT[paper]} {each.held} of {each.claims}" for paper, each in totals.items()
        )
        + ".",
    ]


def _deviations() -> int:
    """How many of the printed numbers are deviations over the trials."""
    every = (view for paper in PAPERS for view in views(paper).values())
    return sum(len(view.published) for view in every if view.statistic == "deviation")


def line(values: Sequence[str]) -> str:
    """Return a row of a Markdown table.

    >>> line(["|D|", "9"])
    '| \\\\|D\\\\| | 9 |'
    """
    return "| " + " | ".join(value.replace("|", r"\|") for value in values) + " |"
