"""What was measured: the values of a study, trial by trial, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

FORMAT = 1
DIGITS = 6
"""Significant digits of a measurement in a file."""


class Place(NamedTuple):
    """Where a cell's measurements are found in a study; ``"a / b"`` as method or condition is a ratio."""

    condition: str
    method: str
    measure: str


def rounded(value: float) -> float:
    """Return a value as a file holds it.

    >>> rounded(0.123456789)
    0.123457
    """
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class Measurements:
    """The measurements of a study, trial by trial, and how they came about.

    What :func:`collect` returns, and what the files in ``docs/papers/results`` hold.

    Parameters
    ----------
    paper, study : str
        Names of the paper and of the study.
    values : mapping
        Condition, method, measure to trial to value; only trials that were run are there.
    chosen : mapping
        Parameters that were tuned, by condition.
    seconds : float
        Time that the units took, added up over the workers.
    date, version, seed : str
        When, with which version of svmsieve, from which seed.

    See Also
    --------
    svmsieve.papers.collect : Run the units of a study that are not in the checkpoint yet; return
        all of its measurements.
    svmsieve.papers.Result : A table or figure with published and obtained values.

    Examples
    --------
    >>> from svmsieve.papers import collect
    >>> measurements = collect("yang2010", "artificial", trials=1)  # doctest: +SKIP
    >>> measurements.seed  # doctest: +SKIP
    """

    paper: str
    study: str
    values: Mapping[str, Mapping[str, Mapping[str, Mapping[int, float]]]]
    chosen: Mapping[str, Mapping[str, float]]
    seconds: float
    date: str
    version: str
    seed: int

    def at(self, place: Place) -> dict[int, float]:
        """Return the values of a place by trial.

        Parameters
        ----------
        place : Place
            Condition, method and measure.

        Returns
        -------
        dict of int to float
            The values of a place by trial.
        """
        for part in ("condition", "method"):
            if " / " in getattr(place, part):
                names = getattr(place, part).split(" / ")
                above, below = (self.at(place._replace(**{part: name})) for name in names)
                return {trial: above[trial] / below[trial] for trial in above if trial in below}
        methods = self.values.get(place.condition, {})
        return dict(methods.get(place.method, {}).get(place.measure, {}))

    def mean(self, place: Place) -> float:
        """Return the mean over the trials; a place without any is an error.

        Parameters
        ----------
        place : Place
            Condition, method and measure.

        Returns
        -------
        float
            The mean over the trials; a place without any is an error.
        """
        values = self.at(place)
        if not values:
            raise KeyError(
                f"no trial of {place.condition}, {place.method}, {place.measure} was run."
            )
        return sum(values.values()) / len(values)

    def to_json(self) -> str:
        """Return all of it; values are rounded to six digits.

        Returns
        -------
        str
            All of it; values are rounded to six digits.
        """
        values = {
            condition: {
                method: {name: _packed(by_trial) for name, by_trial in measures.items()}
                for method, measures in methods.items()
            }
            for condition, methods in self.values.items()
        }
        content = {
            "format": FORMAT,
            "paper": self.paper,
            "study": self.study,
            "date": self.date,
            "svmsieve": self.version,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "chosen": self.chosen,
            "values": values,
        }
        return _lines(content)

    @classmethod
    def from_json(cls, text: str) -> Measurements:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
            What :meth:`to_json` wrote.

        Returns
        -------
        Measurements
            The measurements.
        """
        content = json.loads(text)
        if content.get("format") != FORMAT:
            raise ValueError(f"the file must have format {FORMAT}, got {content.get('format')!r}.")
        values = {
            condition: {
                method: {name: _unpacked(packed) for name, packed in measures.items()}
                for method, measures in methods.items()
            }
            for condition, methods in content["values"].items()
        }
        return cls(
            content["paper"],
            content["study"],
            values,
            content["chosen"],
            content["seconds"],
            content["date"],
            content["svmsieve"],
            content["seed"],
        )


def _packed(by_trial: Mapping[int, float]) -> list[float | None]:
    """Values in the order of the trials, None where one is missing."""
    return [
        rounded(by_trial[trial]) if trial in by_trial else None
        for trial in range(max(by_trial) + 1)
    ]


def _unpacked(packed: list[float | None]) -> dict[int, float]:
    return {trial: value for trial, value in enumerate(packed) if value is not None}


def _lines(content: dict[str, Any]) -> str:
    """JSON with a line for each measure: small, and readable in a diff."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    out: list[str] = []
    depth = 0
    for line in text.splitlines():
        stripped = line.strip()
        if depth and out:
            out[-1] += (
                "" if stripped.startswith("]") else " " * (not out[-1].endswith("["))
            ) + stripped
        else:
            out.append(line)
        depth += stripped.endswith("[") - stripped.startswith("]")
    return "\n".join(out) + "\n"
