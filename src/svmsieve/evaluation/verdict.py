"""The answer: what a selection found, in one sentence, with its evidence and what to run next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svmsieve.evaluation.giveaways import GiveAway
from svmsieve.evaluation.margins import Margin
from svmsieve.evaluation.next_step import NextStep
from svmsieve.evaluation.shown import Shown
from svmsieve.runtime.text import one_line

STABLE = 0.4
"""Nogueira's index below which folds agree poorly (Fleiss' limit for κ, of which it is a case)."""
WORTH = 0.05
"""Share of what all features gain over guessing that may be lost without a word."""
_MOST_NAMED = 3


@dataclass(frozen=True)
class Facts:
    """What a verdict rests on.

    Attributes
    ----------
    size, of : number of features in the list, and of all
    measure : what was measured, as people read it
    folds : number of folds that judge
    repeats : how often the rows were divided into them
    nested : whether the selection was repeated in them, so that no part of it saw their rows
    value, all_value, guess_value : of the procedure, of all features, of guessing, as shown; None unknown
    against_all, against_guess : how far the procedure is ahead of these; None where it is not known
    fold_sizes : number of features each fold chose
    at_size : the measure with the list's number of features in each fold
    stability : Nogueira's index over the folds; None where it is not defined
    agreed : features of the list that every fold chose
    giveaways : features that give the target away
    reason : why no feature was selected, where none was
    """

    size: int
    of: int
    measure: Shown
    folds: int
    nested: bool
    value: float | None = None
    all_value: float | None = None
    guess_value: float | None = None
    against_all: Margin | None = None
    against_guess: Margin | None = None
    fold_sizes: tuple[int, ...] = ()
    at_size: float | None = None
    stability: float | None = None
    repeats: int = 1
    agreed: int = 0
    giveaways: Sequence[GiveAway] = ()
    reason: str = ""

    @property
    def tolerance(self) -> float:
        """Loss that is not worth a word."""
        if self.against_all is None or self.against_guess is None:
            return 0.0
        return WORTH * max(0.0, self.against_guess.gain - self.against_all.gain)

    def amount(self, difference: float) -> str:
        """Return a difference in words."""
        if self.measure.percent:
            return f"{100.0 * abs(difference):.1f} points"
        return f"{abs(difference):.2g}"


@dataclass(frozen=True)
class Verdict:
    """What was found.

    Attributes
    ----------
    kind : leak, nothing, unknown, guessing, doubtful, costs, undecided, unstable, all or good
    sentence : the answer
    evidence : what it rests on, a sentence each
    advice : what to do next
    command : that does it
    """

    kind: str
    sentence: str
    evidence: tuple[str, ...]
    advice: str
    command: str

    def __str__(self) -> str:
        then = f"Next: {self.advice}" + (f":\n  {self.command}" if self.command else ".")
        return "\n".join([self.sentence, *self.evidence, then])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain texts."""
        return {**vars(self), "evidence": list(self.evidence)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Verdict:
        """Restore what :meth:`to_dict` gave."""
        return cls(**{**values, "evidence": tuple(values["evidence"])})


def judge(facts: Facts, step: NextStep) -> Verdict:
    """Return the verdict: the first of these that holds.

    A feature gives the target away; nothing is selected; nothing is known of guessing; no better than
    guessing (or likely better, and the folds cannot tell); all features are kept; the list costs accuracy;
    it seems to, and the folds cannot tell; the folds agree on less than half of the list (one of many
    that do as well); as good as all features.  Better, worse: beyond the 95 % limits of
    :func:`~svmsieve.evaluation.margins.margin`.
    """
    kind = _kind(facts)
    sentence = _SENTENCES[kind](facts)
    only = kind == "all" and facts.of == 1  # of which there is no half
    advice, command = step.after("good" if only else kind, facts.giveaways, facts.nested)
    return Verdict(kind, sentence, tuple(_evidence(facts, kind)), advice, command)


def _kind(facts: Facts) -> str:
    against_all, loss = facts.against_all, 0.0
    if against_all is not None:
        loss = -against_all.gain
    if facts.giveaways:
        return "leak"
    if facts.size == 0:
        return "nothing"
    if facts.against_guess is None:
        return "unknown"
    if not facts.against_guess.is_gain:
        return "doubtful" if facts.against_guess.is_likely else "guessing"
    if facts.size == facts.of:
        return "all"
    if against_all is not None and loss > facts.tolerance:
        return "costs" if against_all.is_loss else "undecided"
    if facts.stability is not None and facts.stability < STABLE and 2 * facts.agreed <= facts.size:
        return "unstable"
    return "good"


def _head(facts: Facts) -> str:
    if facts.size == facts.of:
        return f"All {facts.of} features" if facts.of > 1 else "The only feature"
    return f"{facts.size} of {facts.of} features"


def _one(facts: Facts, one: str, many: str) -> str:
    return one if facts.size == 1 else many


def _beside(facts: Facts) -> str:
    """The procedure's value beside that of all features."""
    text = f"{facts.measure.name} {facts.measure.text(facts.value)}"
    if facts.all_value is not None:
        text += f" against {facts.measure.text(facts.all_value)} with all {facts.of}"
    return text


def _leak(facts: Facts) -> str:
    named = [f"{one_line(each.name)!r} {each.how}" for each in facts.giveaways[:_MOST_NAMED]]
    more = len(facts.giveaways) - len(named)
    text = "; ".join(named) + (f"; and {more} more" if more > 0 else "")
    return f"Check for a leak: {text}."


def _guessing(facts: Facts) -> str:
    measure, how, what = facts.measure, "No better than guessing", "is no finding"
    if facts.against_guess is not None and facts.against_guess.gain > 0.0:
        how, what = f"Not told from guessing by {facts.folds} folds", "may be chance"
    values = (
        f"{measure.name} {measure.text(facts.value)}, guessing {measure.text(facts.guess_value)}"
    )
    if facts.all_value is not None and facts.size < facts.of:
        values += f", all {facts.of} features {measure.text(facts.all_value)}"
    return f"{how}: {values}; the list {what}."


def _doubtful(facts: Facts) -> str:
    measure, head = facts.measure, _head(facts)
    verb = _one(facts, "beats", "beat")
    return (
        f"Whether {head[0].lower()}{head[1:]} {verb} guessing {facts.folds} folds cannot tell: "
        f"{measure.name} {measure.text(facts.value)}, guessing {measure.text(facts.guess_value)}."
    )


def _costs(facts: Facts) -> str:
    assert facts.against_all is not None
    least, most = -facts.against_all.upper, -facts.against_all.lower
    return (
        f"{_head(facts)} {_one(facts, 'costs', 'cost')} accuracy: {_beside(facts)}, a loss of "
        f"{facts.amount(facts.against_all.gain)} (95 %: {facts.amount(least)} to {facts.amount(most)})."
    )


def _undecided(facts: Facts) -> str:
    return (
        f"{_head(facts)} {_one(facts, 'seems', 'seem')} to cost accuracy, but {facts.folds} folds cannot "
        f"tell: {_beside(facts)}."
    )


def _unstable(facts: Facts) -> str:
    agreed = "no feature" if facts.agreed == 0 else f"{facts.agreed} of the {facts.size}"
    return (
        f"{_head(facts)} {_one(facts, 'does', 'do')} as well as all, but {_one(facts, 'it', 'they')} "
        f"{_one(facts, 'is', 'are')} one of many lists that do: the {facts.folds} folds agree on {agreed} "
        f"({_beside(facts)})."
    )


def _kept(facts: Facts) -> str:
    words = "is kept" if facts.of == 1 else "are kept: on all rows no shorter list did as well"
    value = facts.value if facts.all_value is None else facts.all_value
    return f"{_head(facts)} {words} ({facts.measure.name} {facts.measure.text(value)})."


def _good(facts: Facts) -> str:
    if facts.against_all is None:
        return f"{_head(facts)} {_one(facts, 'is', 'are')} selected: {_beside(facts)}."
    how = "as well as all"
    if facts.against_all.lower > 0.0:
        how = "better than all"
    elif _is_wide(facts):
        how += f", as far as {facts.folds} folds can tell"
    return f"{_head(facts)} {_one(facts, 'does', 'do')} {how}: {_beside(facts)}."


def _unknown(facts: Facts) -> str:
    how = "was not measured here" if facts.value is None else f"is not known ({_beside(facts)})"
    return f"{_head(facts)} selected; whether that beats guessing {how}."


_SENTENCES = {
    "leak": _leak,
    "nothing": lambda facts: f"No feature is selected: {facts.reason}.",
    "unknown": _unknown,
    "guessing": _guessing,
    "doubtful": _doubtful,
    "costs": _costs,
    "undecided": _undecided,
    "unstable": _unstable,
    "all": _kept,
    "good": _good,
}


def _evidence(facts: Facts, kind: str) -> list[str]:
    measure, lines = facts.measure, []
    if kind in ("leak", "nothing") and facts.value is not None:
        lines.append(f"{_head(facts)} {_one(facts, 'is', 'are')} selected: {_beside(facts)}.")
    if facts.value is not None:
        source = f"{facts.folds} outer folds{_divided(facts)}, the whole selection repeated in each"
        if not facts.nested:
            source = f"the {facts.folds} folds that chose the size, which flatters it"
        guess = ""
        if facts.guess_value is not None and kind not in ("guessing", "doubtful"):
            guess = f"; guessing: {measure.text(facts.guess_value)}"
        lines.append(f"Measured in {source}{guess}.")
    lines += _bound(facts, kind) + _sizes(facts)
    if facts.stability is not None:
        lines.append(
            f"Stability over the folds: {facts.stability:z.2f} (1: all choose the same, 0: as chance)."
        )
    return lines


def _divided(facts: Facts) -> str:
    if facts.repeats == 1:
        return ""
    return f" ({facts.folds // facts.repeats}, divided anew {facts.repeats} times)"


def _is_wide(facts: Facts) -> bool:
    """Whether the folds leave room for a loss that would be worth a word."""
    assert facts.against_all is not None
    return -facts.against_all.lower > 2.0 * facts.tolerance


def _bound(facts: Facts, kind: str) -> list[str]:
    """The largest loss that the folds do not rule out."""
    if facts.against_all is None or kind not in ("good", "unstable", "undecided", "leak"):
        return []
    if facts.against_all.lower > 0.0:
        return [f"A gain of at least {facts.amount(facts.against_all.lower)} (95 %)."]
    most = -facts.against_all.lower
    if _is_wide(facts) and kind != "undecided":
        return [
            f"{facts.folds} folds cannot tell a loss of less than {facts.amount(most)} from none."
        ]
    return [f"A loss of more than {facts.amount(most)} is ruled out (95 %)."]


def _sizes(facts: Facts) -> list[str]:
    """What the folds chose, beside the list, and the measure at the list's own size."""
    if not facts.nested or not facts.fold_sizes:
        return []
    least, most = min(facts.fold_sizes), max(facts.fold_sizes)
    if least == most == facts.size:
        return []
    chose = f"{least} feature" if least == most else f"{least} to {most} feature"
    chose += "" if most == 1 else "s"
    whose = f"The {facts.measure.name} is the procedure's"
    if facts.size == facts.of:
        whose = f"The procedure's own {facts.measure.name} is {facts.measure.text(facts.value)}"
    text = f"{whose}: the folds chose {chose}, the list, from all rows, has {facts.size}"
    if facts.at_size is not None and facts.size < facts.of:
        text += f"; with {facts.size} in each fold: {facts.measure.text(facts.at_size)}"
    return [text + "."]
