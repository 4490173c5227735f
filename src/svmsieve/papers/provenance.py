"""How the values of a table or figure came about: trials, seeds, dates, parameters, what is left to run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from svmsieve.papers.measurements import Measurements
from svmsieve.papers.results import Result
from svmsieve.papers.views import View


def command(paper: str, view: View) -> str:
    """Return what runs the study behind a table or figure."""
    return f"python docs/papers/make.py run {paper} {shlex.quote(view.study.name)} --jobs 2"


def how_run(paper: str, view: View, result: Result) -> list[str]:
    """Return the lines that a section of a page opens with."""
    made = result.measurements
    counts = _trials(view, made)
    run = [n for by_condition in counts.values() for n in by_condition.values()]
    least, most, full = min(run), max(run), view.study.trials
    counted = f"{most}" if least == most else f"{least} to {most}"
    lines = [
        f"{counted} of {full} trial{'s' * (full > 1)}, seed {made.seed}, svmsieve {made.version}, "
        f"{made.date}; the study's units took {_duration(made.seconds)} in all."
    ]
    if least < most:
        lines.append(f"Trials: {_by_method(counts)}.")
    lines += _other_seeds(view, result)
    if least < full:
        lines.append(f"**Not run in full yet.** The rest: `{command(paper, view)}`.")
    if made.chosen:
        words = [
            f"{condition}: " + ", ".join(f"{name} = {value:g}" for name, value in values.items())
            for condition, values in made.chosen.items()
        ]
        lines.append(f"Tuned: {'; '.join(words)}.")
    return lines


def _other_seeds(view: View, result: Result) -> list[str]:
    """Say what other seeds have, seeds with the same together, and what is done with them."""
    seeds: dict[str, list[str]] = {}
    for run in result.others:
        counts = _trials(view, run)
        has = {m: {c: n for c, n in at.items() if n} for m, at in counts.items()}
        if any(has.values()):
            text = f"{_by_method(has)} {_places(counts, has)}({run.date})"
            seeds.setdefault(text, []).append(str(run.seed))
    if not seeds:
        return []
    words = "; ".join(f"{', '.join(some)}: {text}" for text, some in seeds.items())
    return [
        "Values are means over the seeds, errors are from the deviation between them and over the trials; "
        f"claims are tested on the first. Other seeds and their trials: {words}."
    ]


def _trials(view: View, made: Measurements) -> dict[str, dict[str, int]]:
    """Return how many trials a run has of each method and condition that the view shows."""
    counts: dict[str, dict[str, int]] = {}
    for row in view.rows:
        for column in view.columns:
            place = view.place(row, column)
            if place is not None:
                at = counts.setdefault(place.method, {})
                at[place.condition] = max(at.get(place.condition, 0), len(made.at(place)))
    return counts


def _by_method(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Say how many trials each method has, methods with the same number together."""
    methods: dict[str, list[str]] = {}
    for method, at in counts.items():
        if at:
            least, most = min(at.values()), max(at.values())
            number = f"{most}" if least == most else f"{least} to {most}"
            methods.setdefault(number, []).append(method)
    if len(methods) == 1 and len(next(iter(methods.values()))) == len(counts):
        return next(iter(methods))
    return "; ".join(f"{number} of {', '.join(names)}" for number, names in methods.items())


def _places(counts: Mapping[str, Mapping[str, int]], has: Mapping[str, Mapping[str, int]]) -> str:
    """Name the conditions of a run that has some of them only; a ratio is of its first."""
    every, some = (
        dict.fromkeys(condition.split(" / ")[0] for at in each.values() for condition in at)
        for each in (counts, has)
    )
    return "" if len(some) == len(every) else f"on {', '.join(some)} "


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
