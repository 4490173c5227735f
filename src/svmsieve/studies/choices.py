"""What a user chooses for a study, and what follows from it: sieve, machine, metric, size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from sklearn.svm import SVC, SVR

from svmsieve.datasets import DataError

QUICK_ROWS = 1000
OUTER_FOLDS = 5
QUICK_FOLDS = 3


@dataclass(frozen=True)
class Choices:
    """What a user may choose; the names are those of the options."""

    criterion: str = "auto"
    search: str = "rfe"
    size: str = "auto"
    kernel: str = "rbf"
    C: str = "auto"
    gamma: str = "auto"
    tuning: str = "best"
    cv: int | None = None
    repeats: int | None = None
    scoring: str | None = None
    group_by_prefix: str | None = None
    keep: tuple[str, ...] = ()
    seed: int = 0
    jobs: int | None = None
    memory: float | None = None
    quick: bool = False

    @classmethod
    def of(cls, **given: Any) -> Choices:
        """Return the choices of a notebook: numbers are what the command line writes as text."""
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                near = get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}."
                raise TypeError(f"study has no choice {name!r}; {hint}")
        cv = given.get("cv")
        if not (cv is None or (isinstance(cv, int) and not isinstance(cv, bool) and cv >= 2)):
            raise ValueError(
                f"cv must be a whole number of folds, at least 2, or None, got {cv!r}."
            )
        repeats = given.get("repeats")
        if not (repeats is None or (type(repeats) is int and repeats >= 1)):
            raise ValueError(
                f"repeats must be a whole number, at least 1, or None, got {repeats!r}."
            )
        jobs = given.get("jobs")
        if not (jobs is None or (type(jobs) is int and (jobs >= 1 or jobs == -1))):
            raise ValueError(
                f"jobs must be a number of processes from 1, -1 for all cores, or None, got {jobs!r}."
            )
        for name in ("size", "C", "gamma"):
            if name in given:
                given[name] = str(given[name])
        if "keep" in given:
            keep = given["keep"]
            given["keep"] = (keep,) if isinstance(keep, str) else tuple(keep)
        return cls(**given)

    @property
    def folds(self) -> int:
        """Number of outer folds."""
        folds = OUTER_FOLDS if self.cv is None else self.cv
        return min(folds, QUICK_FOLDS) if self.quick else folds

    @property
    def inner(self) -> Any:
        """The folds inside each of them: as many, or the sieve's own where nothing was asked for."""
        return "auto" if self.cv is None and not self.quick else self.folds


def size_of_text(text: str) -> Any:
    """Return a number, a fraction or the name of a rule."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _number(text: str, option: str, words: Sequence[str]) -> Any:
    if text in words:
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (0.0 < value < float("inf")):
        raise DataError(f"{option} must be {', '.join(words)} or a positive number, got {text!r}.")
    return value


def machine_of_text(choices: Choices, *, regression: bool) -> SVC | SVR:
    """Return the machine of --kernel, --C and --gamma; C = 1 and γ by its rule where they are auto."""
    C = _number(choices.C, "--C", ("auto",))
    gamma = _number(choices.gamma, "--gamma", ("auto", "scale"))
    if choices.kernel not in ("rbf", "linear", "poly"):
        raise DataError(f"--kernel must be rbf, linear or poly, got {choices.kernel!r}.")
    kind = SVR if regression else SVC
    return kind(
        kernel=choices.kernel,
        C=1.0 if C == "auto" else C,
        gamma="scale" if gamma == "auto" else gamma,
    )
